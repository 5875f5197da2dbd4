// Random launches for RapidCheck, with their shrinking:
//
//   RC_GTEST_PROP(Machine, ends, ()) {
//     const auto launch = *isatest::anyCase();
//     RC_ASSERT(...);
//   }
//
// A property over such a launch that may run for ever once shrunk needs a budget; see shrink.h.
#pragma once

#include <rapidcheck.h>

#include <ostream>

#include "interpreter/testing/generate.h"
#include "interpreter/testing/shrink.h"

namespace qgpu::isatest {

inline void showValue(const MachineCase& launch, std::ostream& out) { out << launch.text(); }

inline rc::Gen<MachineCase> anyCase() {
  // The seed itself does not shrink: a near number is no simpler a program.
  const auto seed = rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
  const auto fresh = rc::gen::map(seed, [](std::uint64_t s) { return generateCase(s); });
  return rc::gen::shrink(
      fresh, [](MachineCase launch) { return rc::seq::fromContainer(shrinks(launch)); });
}

}  // namespace qgpu::isatest
