// CUDA C++ text -> PTX text, through LLVM/Clang 19, with nothing read from disk.
//
//   auto ptx = compileCuda(source, "kernel.cu", {.entry = "reduce0<int>"});
//   if (!ptx) std::cerr << ptx.error().text();     // kernel.cu:3:14: error: use of ...
//   ptx->text;                             // ".version 6.3", ".target sm_75", ...
//   ptx->kernels[*ptx->entry].mangled;     // "_Z7reduce0IiEvPT_S1_j"
//
// Language. C++17 with CUDA's extensions as nvcc takes them, for sm_75: types are LP64 (int 4
// bytes, long and pointers 8). The built-ins are there without an #include (prelude/prelude.h lists
// them). An #include of a CUDA or standard header is answered from memory, and an #include "x.h"
// from CudaOptions::headers. Code for the host is skipped: bodies of host functions are not looked
// at, and a host declaration that does not compile is left out with a warning. Code for the device
// is always compiled and its errors are always reported.
//
// PTX. One .entry for each kernel, everything inlined into it, with .loc lines that point into the
// CUDA source. Loops are unrolled only where `#pragma unroll` asks for it. The text is a function
// of the arguments alone, and ptxas -arch=sm_75 takes it. Floating point is compiled here; the next
// stage refuses it at its line.
//
// Refused, with file:line:column, reason and way out: what clang does not take (its first error);
// recursion; calls that cannot be inlined (printf, malloc, new, an undefined function, a virtual
// function or a function pointer that stays unknown); inline PTX; an unknown header; an entry that
// is missing or ambiguous; a source over one of the Limits; anything that brings the compiler down.
//
// Thread safe. A call with Isolation::Process does its work in a child process that is forked, with
// no exec and no file, from a warm server process of ours: a compiler that runs out of stack,
// memory or time, or dies, costs one Refusal. Isolation::None works in this process, for text that
// we made ourselves: about 3 ms faster, and a crash of the compiler is a crash of the process.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/base/failure.h"

namespace qgpu::cuda {

// What one compile may use. The defaults are far beyond any kernel that fits the machine.
struct Limits {
  std::size_t source_bytes = 256 << 10;
  int tokens = 200'000;                   // after macro expansion
  int template_instantiations = 20'000;   // functions and classes made from templates
  int instructions = 60'000;              // of all kernels, everything inlined, before optimisation
  std::chrono::milliseconds time{5'000};  // of the processor; Isolation::Process only
  std::size_t memory_bytes = 2'048ull << 20;  // Isolation::Process only

  friend bool operator==(const Limits&, const Limits&) = default;
};

enum class Isolation : std::uint8_t { Process, None };

struct CudaOptions {
  std::string entry;      // the kernel that is wanted: see findKernel; "" keeps all of them
  int opt_level = 1;      // 0: only inlining; 1: small code; 2: short loops unrolled too;
                          // 3: what clang does at -O3, whatever the size
  int warp_size = 4;      // what warpSize is
  bool line_info = true;  // .loc and .file in the text
  std::vector<std::string> defines;                          // "NAME" or "NAME=VALUE"
  std::vector<std::pair<std::string, std::string>> headers;  // name and text, for #include "name"
  Isolation isolation = Isolation::Process;
  Limits limits;
};

// The most that a parameter's struct or array is taken apart into.
inline constexpr std::size_t kMostScalars = 256;

// The type of a kernel's parameter, or of what it points to.
enum class ValueKind : std::uint8_t { Signed, Unsigned, Floating, Pointer, Struct, Other };

// A scalar within a struct or an array: "size.w" of 2 bytes from byte 4 on.
struct Scalar {
  std::string name;
  ValueKind kind = ValueKind::Other;
  int bytes = 0;
  int offset = 0;

  friend bool operator==(const Scalar&, const Scalar&) = default;
};

struct Parameter {
  std::string name;                      // as in the source; may be empty
  std::string type;                      // as in the source, "const int *"
  ValueKind kind = ValueKind::Other;     // of the parameter itself
  int bytes = 0;                         // its size
  ValueKind element = ValueKind::Other;  // for a pointer: what it points to
  int element_bytes = 0;                 // and its size; 0 for void
  // What a struct, or a struct or array that a pointer points to, is made of; empty where it has a
  // union, a bit-field, or more than kMostScalars.
  std::vector<Scalar> scalars = {};

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// A kernel of the source, under all of its names.
struct Kernel {
  std::string mangled;    // the .entry of the PTX: "_ZN2ns7reduce0IiEEvPT_"
  std::string qualified;  // "ns::reduce0<int>"
  std::string plain;      // "reduce0"
  Location location;      // of its name in the source
  std::vector<Parameter> parameters;

  friend bool operator==(const Kernel&, const Kernel&) = default;
};

struct Warning {
  Location location;
  std::string message;

  std::string text() const;  // "LOCATION: warning: MESSAGE"
  friend bool operator==(const Warning&, const Warning&) = default;
};

struct CompiledPtx {
  std::string text;
  std::vector<Kernel> kernels;       // of the source, whether in the text or not
  std::optional<std::size_t> entry;  // the index of CudaOptions::entry, if one was given
  std::vector<Warning> warnings;
};

// Compiles a source. `file_name` stands in messages and in the PTX's .file line; no file is opened.
// With CudaOptions::entry only that kernel is in the text, and an instance of a template that the
// source does not name itself is made: "reduce0<int>".
Expected<CompiledPtx> compileCuda(std::string_view source, std::string_view file_name,
                                  const CudaOptions& options = {});

// The kernel that `name` means: its mangled name, its qualified name or an end of it
// ("reduce0<int>", "ns::reduce0"), with or without template arguments; "" means the only kernel
// there is. Refused, with the list of kernels: no such kernel, or more than one.
Expected<std::size_t> findKernel(const std::vector<Kernel>& kernels, std::string_view name);

}  // namespace qgpu::cuda
