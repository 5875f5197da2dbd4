// A fault on its way through a campaign. For campaign.cc and changes.cc only.
#pragma once

#include <map>

#include "conformance/faults/campaign.h"

namespace qgpu::conformance {

// A fault that has not been noticed.
struct Campaign::Suspect {
  Finding finding;
  bool noticed = false;
  std::int64_t opportunities = 0;
  // Where its weight is.
  std::size_t row = 0, column = 0;
  // What the recurrent state holds that differs from the intact one, by layer.
  std::map<std::size_t, StateChanges> remembered;
  // Of in_proj_qkv, where the channel looks back: its own last inputs, before and with this token.
  ConvTail tail{}, next_tail{};
  bool is_used = true, saw_input = false, saw_open = false, saw_sum = false;

  Verdict verdict() const {
    const Fault& f = finding.fault;
    if (noticed) return finding.verdict;
    if (!remembered.empty()) return Verdict::Remembered;
    if (finding.differing > 0) return Verdict::Masked;
    if (!is_used) return Verdict::Unused;
    if (f.tensor == Tensor::InProjB || f.tensor == Tensor::DtBias || f.tensor == Tensor::ALog)
      return saw_sum ? Verdict::Closed : Verdict::Saturated;
    if (!saw_input) return Verdict::InputZero;
    if (f.tensor == Tensor::InputLayernorm || f.tensor == Tensor::PostAttentionLayernorm)
      return Verdict::StaysOff;
    if (f.tensor == Tensor::GateProj || f.tensor == Tensor::InProjQkv || f.tensor == Tensor::Conv1d)
      return saw_open ? Verdict::Closed : saw_sum ? Verdict::StaysOff : Verdict::Absorbed;
    return saw_open ? Verdict::Absorbed : Verdict::Closed;
  }
};

// A weight for as long as it lives.
class Altered {
 public:
  Altered(ExactLayer& layer, const Fault& fault)
      : weight_(layer.weight(fault.tensor, fault.index)), before_(weight_) {
    weight_ = fault.after;
  }
  ~Altered() { weight_ = before_; }
  Altered(const Altered&) = delete;
  Altered& operator=(const Altered&) = delete;

 private:
  float& weight_;
  float before_;
};

}  // namespace qgpu::conformance
