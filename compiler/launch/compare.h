// What came out of a launch against what should have.
//
//   const Comparison result = compare(test_case, arrays);
//   if (!result.agrees()) std::cerr << result.text();   // "c[0]: expected 32, got 31"
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/launch/launch.h"

namespace qgpu::launch {

// One element that is not as expected. In a multiset `index` counts in ascending order of value.
struct Difference {
  std::string array;
  std::size_t index = 0;
  std::string expected;
  std::string got;  // "nothing" where the array is absent or shorter

  std::string text() const;
  friend bool operator==(const Difference&, const Difference&) = default;
};

struct Comparison {
  std::size_t compared = 0;             // elements
  std::vector<Difference> differences;  // in order of array name, then index

  bool agrees() const { return differences.empty(); }
  // One difference a line, at most `limit` of them and then how many more there are.
  std::string text(std::size_t limit = 10) const;
};

// Compares every array that the case expects; other arrays may hold anything.
Comparison compare(const Case& test_case, const Arrays& arrays);

}  // namespace qgpu::launch
