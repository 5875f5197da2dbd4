// Runs a compiled net as the model does, in floating point and straight from the stock formulas:
// RMSNorm, Gated DeltaNet, RMSNorm, SwiGLU, layer by layer, one token at a time. For tests: nothing
// is recognised, nothing that could be nonzero is skipped, and the points where implementations
// differ are options.
//
//   FloatMachine machine(compiled, {.bfloat16 = true});
//   machine.set(a, 5);
//   machine.pass();
//   machine.get(out);
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/circuit/emit.h"

namespace qgpu::circuit {

struct FloatOptions {
  bool bfloat16 = false;          // round wherever Hugging Face's layers store a tensor
  int root_ulps = 0;              // error added to every reciprocal square root
  bool exact_root = false;        // 1/sqrt rounded once instead of twice
  bool scale_by_product = false;  // q * 128^-0.5 instead of q / sqrt(128)
};

class FloatMachine {
 public:
  FloatMachine(const CompiledNet& compiled, FloatOptions options);

  void set(Wire input, int value);
  void set(std::span<const Wire> inputs, std::uint64_t value);
  // A machine token: the constants and the inputs set.
  void pass();
  // Any other token, given by its embedding; leaves the residual stream in `x`.
  void pass(std::vector<float>& x);

  int get(Wire w) const;  // INT32_MIN where it is not an integer
  float value(Wire w) const;
  std::uint64_t get(std::span<const Wire> bus) const;
  // The state matrices of all layers, [layer][head][key][value].
  const std::vector<float>& state() const { return state_; }
  float stored(std::size_t memory, int row, int lane) const;
  // The dims that hold neither a small integer nor a constant; 0 in an exact run.
  int inexact() const;

 private:
  float rounded(float x) const { return options_.bfloat16 ? roundToBfloat16(x) : x; }
  float reciprocalRoot(float x) const;
  std::vector<float> norm(const std::vector<float>& x, const std::vector<bfloat16>& weight) const;
  std::vector<float> project(const SparseMatrix& w, const std::vector<float>& x) const;
  void addMixer(std::size_t layer, std::vector<float>& x);
  std::vector<float> convolve(std::size_t layer, const std::vector<float>& u);
  void recall(std::size_t layer, std::size_t head, const float* q, const float* k, const float* v,
              float beta, float log_decay, float* out);
  void addMlp(std::size_t layer, std::vector<float>& x) const;

  const CompiledNet& compiled_;
  FloatOptions options_;
  std::vector<float> input_;
  std::vector<float> residual_;
  std::vector<float> state_;
  std::vector<std::vector<float>> tails_;  // [layer]: the last three u
};

}  // namespace qgpu::circuit
