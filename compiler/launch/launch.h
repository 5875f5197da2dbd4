// What a kernel launch is, for every engine, the command line and every test: which kernel, in
// which shape, on which arguments. A Case adds what should come out.
//
//   Launch launch;
//   launch.kernel = "dot.cu";
//   launch.entry = "dot";
//   launch.block = {4, 1, 1};
//   launch.parameters = {arrayOf("a", {1, 2, 3}), arrayOf("b", {4, 5, 6}), arrayOf("c", {0}),
//                        scalarOf("n", 3)};
//   if (auto sound = validate(launch); !sound) ...
//
// The limits here are CUDA's own; whether a launch fits a machine is for the machine to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/launch/element_type.h"
#include "interpreter/base/failure.h"

namespace qgpu::launch {

// A grid or block size, or an index in one.
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  // x * y * z; exact for every shape that `validate` accepts.
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  // "[4, 1, 1]".
  std::string text() const;
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

enum class ParameterKind : std::uint8_t { Array, Scalar, Struct };
std::string_view name(ParameterKind kind);

// A member of a struct parameter; `length` above 1 makes it an array.
struct Field {
  std::string name;
  ElementType type = ElementType::Int;
  std::size_t length = 1;
  friend bool operator==(const Field&, const Field&) = default;
};

// One kernel parameter with its value before the launch.
//   Array   a pointer to `length` elements of `type`, packed; the kernel may change them
//   Scalar  one value of `type`
//   Struct  `fields` in C layout: each at the next multiple of its size, the whole padded to a
//           multiple of its largest element; passed by value
struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::Scalar;
  ElementType type = ElementType::Int;  // of the array or scalar; unused in a struct
  std::size_t length = 1;               // elements of the array; 1 otherwise
  std::vector<Field> fields;            // of the struct
  std::vector<std::uint8_t> bytes;      // little-endian, padding bytes zero

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// Where a struct's fields lie. `offsets` has one entry for each field.
struct StructLayout {
  std::vector<std::size_t> offsets;
  std::size_t size = 0;
  std::size_t alignment = 1;
};
StructLayout layoutOf(const std::vector<Field>& fields);

// Parameters of ints, the common case. Values wrap to 32 bits.
Parameter arrayOf(std::string name, const std::vector<std::int64_t>& values,
                  ElementType type = ElementType::Int);
Parameter scalarOf(std::string name, std::int64_t value, ElementType type = ElementType::Int);

struct Launch {
  std::string name;              // for messages
  std::filesystem::path kernel;  // the .cu or .ptx file
  std::string entry;             // the kernel's plain, qualified, mangled or template name
  Dim3 grid;
  Dim3 block;
  std::uint32_t shared_bytes = 0;  // dynamic shared memory of each block
  std::vector<Parameter> parameters;

  friend bool operator==(const Launch&, const Launch&) = default;
};

// The sizes that any launch may have.
inline constexpr std::size_t kMaxParameters = 256;
inline constexpr std::size_t kMaxArrayLength = std::size_t{1} << 20;
inline constexpr std::size_t kMaxFields = 256;
inline constexpr std::size_t kMaxParameterBytes = 4096;  // of all scalars, structs and pointers
inline constexpr std::uint32_t kMaxSharedBytes = 227 * 1024;

// Refuses shapes CUDA has no meaning for, too many or too large parameters, doubled or empty names,
// and parameters whose bytes do not match their type and length.
Expected<void> validate(const Launch& launch);
// The part of `validate` that a reader can point at: one grid or block size.
Expected<void> validateGrid(Dim3 grid);
Expected<void> validateBlock(Dim3 block);

// The arrays of a launch by parameter name, packed as Parameter::bytes.
using Arrays = std::map<std::string, std::vector<std::uint8_t>>;
Arrays arraysOf(const Launch& launch);
// The array parameter of that name, or nullptr.
const Parameter* findArray(const Launch& launch, std::string_view name);

// What a case wants to happen.
enum class Expectation : std::uint8_t {
  Pass,          // the expected arrays
  PassOrReject,  // those, or a Refusal that names the reason
  Reject,        // a Refusal, or at stage "run" a Trap
};
std::string_view name(Expectation expectation);

enum class CompareMode : std::uint8_t {
  Exact,     // element by element
  Multiset,  // the same elements in any order
};

// A launch with what should come of it. The texts say what the case is for.
struct Case {
  Launch launch;
  Expectation expectation = Expectation::Pass;
  Arrays expected;                             // arrays left out are not compared
  std::map<std::string, CompareMode> compare;  // Exact where absent
  std::string family;                          // a coarse group: "reductions"
  std::string topic;                           // one line: what the kernel does
  std::string category;                        // "core", "either", "beyond" or "reject"
  std::string rule;                            // the rule of the language that the case pins
  std::string note;
  std::vector<std::string> needs;  // operations and features it exercises: "atomicAdd", "popc"
  std::string reject_stage;        // "compile", "launch" or "run"
  std::string reject_reason;

  friend bool operator==(const Case&, const Case&) = default;
};

}  // namespace qgpu::launch
