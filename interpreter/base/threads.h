// Threads for work that is shared out, which any number of them gets done.
//
//   std::vector<std::thread> others;
//   startThreads(others, 3, work);
//   work();
//   for (std::thread& other : others) other.join();
#pragma once

#include <functional>
#include <system_error>
#include <thread>
#include <vector>

namespace qgpu {

// Starts `count` threads, or as many as the system has left, even none.
inline void startThreads(std::vector<std::thread>& threads, int count,
                         const std::function<void()>& body) {
  try {
    for (int i = 0; i < count; ++i) threads.emplace_back(body);
  } catch (const std::system_error&) {
    return;  // the limit of the user, the group or the machine
  }
}

}  // namespace qgpu
