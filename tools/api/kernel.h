// A kernel, from CUDA or PTX text to checked PTX, before it is compiled for a launch.
//
//   auto source = readSource("kernels.cu");               // or Source{.text = ..., .file_name =
//   ...} auto kernel = loadKernel(*source, "reduce0<int>");     // "" where the file has one kernel
//   kernel->parameters[0].type;                            // "const int *"
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/cuda/compile.h"
#include "compiler/launch/launch.h"
#include "compiler/ptx/ast.h"
#include "interpreter/base/failure.h"

namespace qgpu {

enum class Language : std::uint8_t { Cuda, Ptx };

struct Source {
  std::string text;
  std::string file_name;  // in messages
  Language language = Language::Cuda;
};

// By the name's ending: .cu, .cuh (CUDA) or .ptx. Refused: other endings, what cannot be read.
Expected<Source> readSource(const std::filesystem::path& path);

// A scalar of a struct that is passed by value, "size.w", and the byte where it begins.
struct StructMember {
  std::string name;
  launch::ElementType type = launch::ElementType::Int;
  std::size_t offset = 0;
};

// A parameter of a kernel, as far as its source tells.
struct KernelParameter {
  enum class Kind : std::uint8_t {
    Array,  // a pointer
    Scalar,
    Struct,   // by value
    Unknown,  // PTX does not tell a pointer from a 64-bit integer
  };
  std::string name;
  std::string type;  // as in the source: "const int *", ".u64"
  Kind kind = Kind::Unknown;
  std::size_t bytes = 0;  // of the parameter itself
  // The scalar's type, or the type of what a pointer points to, where a launch has a name for it.
  std::optional<launch::ElementType> element = {};
  bool read_only = false;                  // a pointer to const
  std::vector<StructMember> members = {};  // of a struct, where each is a scalar with a name here
  // What it points to, or a struct, is known and has no such type: an argument must name one.
  bool is_mixed = false;
};

struct Kernel {
  std::string name;   // as a person writes it: "reduce0<int>"
  std::string entry;  // in the PTX
  std::string file_name;
  std::vector<KernelParameter> parameters = {};
  std::string ptx = {};                    // the text, as it came or as clang wrote it
  ptx::Module module = {};                 // the same, parsed and checked
  std::vector<std::string> warnings = {};  // whole lines, "dot.cu:3:1: warning: ..."

  // "dot(const int *a, const int *b, int *c, int n)"
  std::string signature() const;
};

// Refused: what the front ends refuse, and an entry that is missing or not the only one of its
// name; the message lists the kernels there are.
Expected<Kernel> loadKernel(const Source& source, std::string_view entry = {},
                            const cuda::CudaOptions& options = {});

// ---- Arguments for a kernel ---------------------------------------------------------------------

// Reads NAME=VALUES arguments (compiler/launch/arguments.h) for a kernel. Its parameters say what
// they do not: the element type, and that one value is an array of one. Arguments that bear the
// names of the kernel's parameters may stand in any order, others stand for them in order.
// Refused: malformed arguments, too many, or too few with the list of what is missing.
Expected<std::vector<launch::Parameter>> bindArguments(const Kernel& kernel,
                                                       const std::vector<std::string>& arguments);

// The launch with its parameters as the kernel has them: scalars take the width the kernel
// declares, by value. Refused: another number of parameters, an array for a scalar or a scalar for
// an array, a value that does not fit.
Expected<launch::Launch> bindLaunch(const Kernel& kernel, launch::Launch launch);

}  // namespace qgpu
