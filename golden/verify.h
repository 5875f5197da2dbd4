// A golden against an engine: the recorded source is run again and must give what the device gave.
//
//   const Verdict verdict = verify(golden, source, [&](const launch::Case& test_case,
//                                                      const SourceText& text) {
//     return run(test_case.launch, text, engine);            // Expected<launch::Arrays>
//   });
//   verdict.outcome;          // Outcome::Agrees
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "compiler/launch/launch.h"
#include "golden/recording.h"
#include "interpreter/base/failure.h"

namespace qgpu::golden {

enum class Outcome : std::uint8_t {
  Agrees,   // every recorded element, bit for bit
  Refused,  // the machine is too small for it, as the launch allows (`expect`: pass-or-reject)
  Differs,
  Failed,  // a Refusal that the launch does not allow, or a Trap
};
// "agrees", "refused", "differs", "failed".
std::string_view name(Outcome outcome);

struct Verdict {
  Outcome outcome = Outcome::Agrees;
  std::size_t elements = 0;  // compared
  std::string message;       // of all but Agrees
  bool good() const { return outcome == Outcome::Agrees || outcome == Outcome::Refused; }
};

using RunLaunch = std::function<Expected<launch::Arrays>(const launch::Case& test_case,
                                                         const SourceText& source)>;

Verdict verify(const Golden& golden, const SourceText& source, const RunLaunch& run);

}  // namespace qgpu::golden
