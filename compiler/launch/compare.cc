#include "compiler/launch/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace qgpu::launch {
namespace {

std::vector<std::uint64_t> elementsOf(const std::vector<std::uint8_t>& bytes, ElementType type) {
  std::vector<std::uint64_t> elements(bytes.size() / sizeOf(type));
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = elementBits(bytes, type, i);
  return elements;
}

// Ascending by value for integers; by bits, which is as good, for floats.
void sortElements(std::vector<std::uint64_t>& elements, ElementType type) {
  const auto unused = static_cast<int>(64 - 8 * sizeOf(type));
  const bool is_signed = isSigned(type);
  std::sort(elements.begin(), elements.end(), [=](std::uint64_t a, std::uint64_t b) {
    if (!is_signed) return a < b;
    return static_cast<std::int64_t>(a << unused) < static_cast<std::int64_t>(b << unused);
  });
}

void compareArray(const std::string& array, ElementType type, std::vector<std::uint64_t> expected,
                  std::vector<std::uint64_t> got, CompareMode mode, Comparison& result) {
  if (mode == CompareMode::Multiset) {
    sortElements(expected, type);
    sortElements(got, type);
  }
  const auto textAt = [type](const std::vector<std::uint64_t>& elements, std::size_t i) {
    return i < elements.size() ? elementText(type, elements[i]) : std::string("nothing");
  };
  for (std::size_t i = 0; i < std::max(expected.size(), got.size()); ++i) {
    ++result.compared;
    if (i < expected.size() && i < got.size() && expected[i] == got[i]) continue;
    result.differences.push_back({array, i, textAt(expected, i), textAt(got, i)});
  }
}

}  // namespace

std::string Difference::text() const {
  return fmt::format("{}[{}]: expected {}, got {}", array, index, expected, got);
}

std::string Comparison::text(std::size_t limit) const {
  std::string lines;
  for (std::size_t i = 0; i < std::min(limit, differences.size()); ++i)
    lines += differences[i].text() + "\n";
  if (differences.size() > limit) lines += fmt::format("and {} more\n", differences.size() - limit);
  return lines;
}

Comparison compare(const Case& test_case, const Arrays& arrays) {
  Comparison result;
  for (const auto& [array, bytes] : test_case.expected) {
    const Parameter* const parameter = findArray(test_case.launch, array);
    check(parameter != nullptr, "an expected array is a parameter of its launch");
    const auto got = arrays.find(array);
    const auto mode = test_case.compare.find(array);
    compareArray(array, parameter->type, elementsOf(bytes, parameter->type),
                 got == arrays.end() ? std::vector<std::uint64_t>{}
                                     : elementsOf(got->second, parameter->type),
                 mode == test_case.compare.end() ? CompareMode::Exact : mode->second, result);
  }
  return result;
}

}  // namespace qgpu::launch
