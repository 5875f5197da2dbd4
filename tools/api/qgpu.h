// qgpu as a library: a CUDA kernel and its arguments in, its arrays out.
//
//   #include <iostream>
//   #include "tools/api/qgpu.h"
//
//   int main() {
//     const qgpu::Source source{.text = R"(
//       __global__ void dot(const int* a, const int* b, int* c, int n) {
//         if (threadIdx.x < n) atomicAdd(c, a[threadIdx.x] * b[threadIdx.x]);
//       })", .file_name = "dot.cu"};
//     const auto kernel = qgpu::loadKernel(source, "dot");
//     if (!kernel) return std::cerr << kernel.error().text() << '\n', 2;
//
//     qgpu::launch::Launch launch;
//     launch.block = {3, 1, 1};
//     launch.parameters = {qgpu::launch::arrayOf("a", {1, 2, 3}), qgpu::launch::arrayOf("b", {4, 5,
//     6}),
//                          qgpu::launch::arrayOf("c", {0}), qgpu::launch::scalarOf("n", 3)};
//     const auto program = qgpu::compile(*kernel, launch);
//     if (!program) return std::cerr << program.error().text() << '\n', 2;
//
//     const auto result = qgpu::run(*program, *qgpu::interpreterEngine());
//     if (!result) return std::cerr << result.error().text() << '\n', 3;
//     std::cout << result->integers("c")[0] << '\n';        // 32
//     std::cout << result->tokens.model << " tokens\n";     // 5
//   }
//
// The steps are apart because each has its own use: a kernel (kernel.h) is loaded once and launched
// often; a program belongs to one geometry and one set of array sizes, and may be looked at without
// being run; an engine (engine.h) sees nothing but tokens. trace.h reads and writes what engines
// say.
//
// Failures are values: a Refusal is input that is not accepted, a Trap the kernel's fault at run
// time, and both name the line of the CUDA source where they know it. A function that returns
// Expected never throws and never prints.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/launch/launch.h"
#include "compiler/lower/lower.h"
#include "interpreter/base/failure.h"
#include "interpreter/protocol/prompt.h"
#include "tools/api/engine.h"
#include "tools/api/kernel.h"
#include "tools/api/trace.h"

namespace qgpu {

// A kernel compiled for a launch: the program, and the words the host puts beside it.
struct Program {
  launch::Launch launch;   // as bindLaunch (kernel.h) fitted it to the kernel
  lower::Lowered lowered;  // blocks, placement of the arrays, the report, lines of the source
  protocol::Image image;   // what the host's tokens say
  std::string kernel;      // the kernel's name, for messages
  std::vector<std::string> warnings = {};  // about this launch of it: advice.h
};

// Compiles a kernel for a launch. The program is specialised for the geometry and the array sizes,
// never for scalar arguments or what the arrays hold: those reach the machine as tokens.
// Refused: arguments that are not the kernel's, what the machine does not have, and what does not
// fit it, with the numbers ("needs 37 blocks, the machine holds 32").
Expected<Program> compile(const Kernel& kernel, const launch::Launch& launch,
                          const lower::Options& options = {});

// Tokens by who wrote them.
struct TokenCounts {
  std::int64_t model = 0;  // written by the engine
  std::int64_t host = 0;
  std::array<std::int64_t, protocol::kTokenKinds> by_kind{};  // of those the engine wrote

  std::int64_t of(protocol::TokenKind kind) const {
    return by_kind[static_cast<std::size_t>(kind)];
  }
};

struct Result {
  launch::Arrays arrays;  // by parameter name, after the launch
  std::map<std::string, launch::ElementType> types;
  TokenCounts tokens;
  std::optional<Check> check;

  // The elements of an array as integers; of floats, their bits.
  std::vector<std::int64_t> integers(std::string_view array) const;
};

// What happened between the host and the engine, token by token.
struct Recording {
  std::vector<protocol::Token> host;
  EngineRun run;

  std::vector<protocol::Token> trace() const;  // the host's tokens, then the engine's
};

TokenCounts countTokens(const Recording& recording);

struct RunOptions {
  std::int64_t max_tokens = 1'000'000;  // that the engine may write; more is a Trap
  bool check = false;                   // replay on the reference machine as well
  Recording* recording = nullptr;  // receives the tokens where not null, of trapped launches too
  std::function<void()> after_token = [] {};  // called after each token of the launch
};

// Runs a program. A Trap says which threads did what, at which line of the source.
Expected<Result> run(const Program& program, Engine& engine, const RunOptions& options = {});

// All steps for a launch whose `kernel` is a file.
Expected<Result> run(const launch::Launch& launch, Engine& engine, const RunOptions& options = {});

}  // namespace qgpu
