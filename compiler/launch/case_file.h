// Launch cases as JSON files.
//
//   { "name": "scale", "kernel": "kernels/scale.cu", "entry": "scale",
//     "grid": [1, 1, 1], "block": [4, 1, 1], "shared_bytes": 0,
//     "params": [
//       {"name": "x", "kind": "array", "elem": "int", "length": 3, "data": [1, 2, 3]},
//       {"name": "by", "kind": "scalar", "type": "int", "value": 7},
//       {"name": "size", "kind": "struct", "fields": [{"name": "w", "type": "int8"},
//                                                     {"name": "h", "type": "int"}],
//                        "value": {"w": 3, "h": 4}} ],
//     "expect": "pass", "expected": {"x": [7, 14, 21]}, "compare": {"x": "multiset"} }
//
// kernel       relative to the folder above the case file's folder
// grid, block  one to three sizes; [1, 1, 1] where absent
// elem, type   int unsigned int8 uint8 int16 uint16 int64 uint64 float; int where absent
// length       may be left out beside `data`; `data` may be left out and is then all zeros
// fields       C layout; a field with a `length` is an array. `value` is an object by field name or
//              a list in field order
// expect       pass (default), pass-or-reject or reject; `reject` may hold `stage` and `reason`
// expected     arrays after the launch; those left out are not compared
// compare      exact (default) or multiset, by array
// family, topic, category, rule, note, needs   texts about the case, kept as they are
//
// Other keys are ignored. Everything else is refused with the file, line and column and the JSON
// path: values out of an element's range, lists of the wrong length, doubled names or keys, ...
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "compiler/launch/launch.h"

namespace qgpu::launch {

inline constexpr std::size_t kMaxCaseBytes = std::size_t{16} << 20;

// Reads a case and finds its kernel: `launch.kernel` becomes a path that can be opened. Refuses a
// kernel file that does not exist. A `kernel` that is given takes the place of the case's own,
// which then need not be there.
Expected<Case> readCase(const std::filesystem::path& file, std::string_view kernel = {});
// The text alone, `launch.kernel` as written. `origin` names the text in messages.
Expected<Case> parseCase(std::string_view json, std::string_view origin);

// The case as JSON, the same bytes for the same case; parseCase gives the case back.
std::string formatCase(const Case& test_case);
// The elements as a JSON list: "[1, 2, 3]"; a float that is not finite gives null.
std::string formatElements(const std::vector<std::uint8_t>& bytes, ElementType type);

}  // namespace qgpu::launch
