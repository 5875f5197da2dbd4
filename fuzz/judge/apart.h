// Work in a process of its own, so that a task that crashes or never ends costs its own answer
// alone.
//
//   const auto answers = runApart(100, {}, [&](std::size_t i) { return resultOf(i); });
//   answers[7].text;   // what the task gave; or
//   answers[7].end;    // how it ended its process: "Segmentation fault", "fold.cc:12: bug: ..."
//
// The process is a fork of this one: tasks see all that is here, and what they change is lost.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "interpreter/base/failure.h"

namespace qgpu::fuzz {

struct Answer {
  std::string text;
  std::string end;  // empty where the task gave its answer
};

// One answer for each task, in order; several processes one after another where tasks end theirs.
// `prepare` is called first in each. `limit` is what a task may take
// (interpreter/base/time_limit.h). Refused: no pipe or process.
Expected<std::vector<Answer>> runApart(std::size_t tasks, const std::function<void()>& prepare,
                                       const std::function<std::string(std::size_t)>& task,
                                       std::chrono::milliseconds limit = std::chrono::seconds(10));

}  // namespace qgpu::fuzz
