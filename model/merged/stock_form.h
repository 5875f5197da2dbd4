// The merged model as one stock Qwen3.5 text model: the circuit's layers in front of the base's,
// one residual stream of width H for both, one vocabulary (the base's, then the machine's tokens).
//
// WHY A WIDTH OF H = 4^k * h. The base's h dims come first, the circuit's follow, the rest is 0.
// RMSNorm divides by the mean over all H, which is not the mean over h. So the base's part of the
// residual stream is carried as 2^k x: where the other dims are 0, as they are in text,
//
//   mean over H of (2^k x)^2  =  4^k sum x^2 / (4^k h)  =  mean over h of x^2
//
// and eps keeps its meaning. The norm's output is 2^k times the base's, and the factor is taken
// back in the matrices that read it and given again in those that write:
//
//   embed_tokens                                        * 2^k
//   in_proj_*, q/k/v_proj, gate_proj, up_proj, lm_head  * 2^-k
//   out_proj, o_proj, down_proj                         * 2^k
//
// WHY THE BITS ARE THE BASE'S. A factor of 2^k changes the exponent of every product, sum and
// rounding and no digit, in binary32 and in bfloat16, as long as nothing leaves the range of the
// exponent: weights are checked for it, and a residual stream would have to hold values below
// 2^-63 or above 2^60. Appended zeros do not change a sum in the order of model/layers/linear.h.
// The circuit's layers add +0 to a token without BIG (model/weights/substrate.h).
//
// WHAT KEEPS THE TWO APART, in weights alone:
//
//   machine token in the base's layers   its base dims are 0, so everything read is 0, but for BIG:
//     the norm in front of a mixer lets BIG through, and rows of -256 on it shut the write
//     strength, the decay (a Gated DeltaNet keeps its memory) and the gate of attention. It adds
//     nothing.
//   text token in the machine's logits   every text embedding has a mark of 2^-60 in one dim, too
//     small to change a norm, and lm_head's machine rows hold -2^76 there.
//
// What weights cannot do: a machine token still takes a position, a key of zeros in the attention's
// cache and a place in the convolution's window. Text after a launch sees these in the stock form;
// the engine (merged_model.h) leaves machine tokens out of all three.
//
//   auto form = StockForm::create(checkpoint, circuit);     // Expected<StockForm>
//   for (const TensorSpec& spec : tensorsOf(form->config()))
//     form->fill(spec, 0, rows, values);                    // as a checkpoint holds them
#pragma once

#include <cstddef>
#include <span>

#include "interpreter/base/failure.h"
#include "model/qwen/checkpoint.h"
#include "model/qwen/tensors.h"
#include "model/weights/circuit.h"

namespace qgpu::model {

// The substrate that a circuit must be compiled for to stand in front of this base. Refused: a base
// whose width is not a power of two, whose linear heads are not 128 wide or more than 16, or whose
// layers do not fit the circuit's in another way.
Expected<Substrate> substrateFor(const Config& base);

class StockForm {
 public:
  // Both must outlive it. Refused: what substrateFor refuses, and a circuit of another substrate.
  static Expected<StockForm> create(const Checkpoint& base, const Circuit& circuit);

  // The config of the whole: the circuit's layers and the base's, width H.
  const Config& config() const { return config_; }
  std::size_t circuitLayers() const { return circuit_->layers.size(); }
  // Tokens of the base; those of the machine follow.
  std::size_t textTokens() const { return base_->config().vocab_size; }

  // Rows [first, first + count) of a tensor of tensorsOf(config()); a vector has rows of one
  // element. check()s that `out` holds exactly them.
  void fill(const TensorSpec& spec, std::size_t first, std::size_t count,
            std::span<float> out) const;
  // Whether a tensor must be stored in F32: the few vectors that the base stores so.
  bool isF32(const TensorSpec& spec) const;

 private:
  struct Part;

  StockForm(const Checkpoint& base, const Circuit& circuit);
  void fillCircuit(const Part& part, std::span<float> out) const;
  void fillBase(const Part& part, std::span<float> out) const;
  void fillEmbedding(const Part& part, std::span<float> out) const;
  void fillHead(const Part& part, std::span<float> out) const;
  void fillFinalNorm(const Part& part, std::span<float> out) const;
  void fillNorm(const Part& part, bool lets_big_through, std::span<float> out) const;
  void fillMatrix(const Part& part, std::span<float> out) const;
  void shut(const Part& part, std::span<float> out) const;

  const Checkpoint* base_;
  const Circuit* circuit_;
  Config config_;
  Constants constants_;
  float scale_ = 1.0f;  // 2^k
};

}  // namespace qgpu::model
