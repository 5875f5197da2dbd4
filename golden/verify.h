// A golden against what an engine made of it.
//
//   const auto arrays = run(program, engine);            // Expected<launch::Arrays>
//   const Verdict verdict = judge(golden, arrays);
//   verdict.outcome;                                     // Outcome::Agrees
#pragma once

#include <cstddef>
#include <cstdint>
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

// `arrays` is what came of the golden's source and inputs.
Verdict judge(const Golden& golden, const Expected<launch::Arrays>& arrays);

}  // namespace qgpu::golden
