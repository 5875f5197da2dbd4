#include "compiler/lower/ir/repair.h"

#include <optional>

#include "compiler/lower/build/variables.h"

namespace qgpu::lower {
namespace {

class Repairer {
 public:
  Repairer(Function& f, Id original, Port port)
      : f_(f),
        original_(original),
        port_(port),
        variables_(f, {port == Port::Word ? Type::Word : Type::Flag}) {}

  void run(int home, const std::vector<std::pair<int, Predicate>>& ends) {
    const std::vector<PhiRead> phis = phiReads();
    for (const auto& [block, value] : ends) variables_.write(0, block, value);
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) variables_.seal(static_cast<int>(b));
    for (std::size_t b = 0; b < f_.blocks.size(); ++b)
      if (static_cast<int>(b) != home) rewrite(static_cast<int>(b));
    for (const PhiRead& r : phis) {
      Predicate& input = f_[r.phi].inputs[r.edge];
      input = joined(variables_.read(0, r.from), input);
    }
  }

 private:
  struct PhiRead {
    Id phi;
    std::size_t edge;
    int from;
  };

  std::vector<PhiRead> phiReads() const {
    std::vector<PhiRead> reads;
    for (const BasicBlock& block : f_.blocks)
      for (const Id phi : block.phis)
        for (std::size_t n = 0; n < f_[phi].inputs.size(); ++n)
          if (isPhiOf(f_[phi], port_) && f_[phi].inputs[n].id == original_)
            reads.push_back({phi, n, block.predecessors[n]});
    return reads;
  }

  Predicate joined(Predicate value, Predicate read) const {
    return {value.id, value.negate != read.negate};
  }

  void rewrite(int b) {
    std::optional<Predicate> value;
    const auto current = [&] {
      if (!value) value = variables_.readAtStart(0, b);
      return *value;
    };
    for (const Id id : f_.blocks[b].body) {
      if (port_ == Port::Word) {
        for (Id* operand : wordOperands(f_[id]))
          if (*operand == original_) *operand = current().id;
      } else {
        for (Predicate* p : flagOperands(f_[id]))
          if (p->id == original_) *p = joined(current(), *p);
      }
    }
    BasicBlock& block = f_.blocks[b];
    if (port_ == Port::Flag && block.conditional() && block.condition.id == original_)
      block.condition = joined(current(), block.condition);
  }

  Function& f_;
  Id original_;
  Port port_;
  Variables variables_;
};

}  // namespace

void repair(Function& f, Id original, Port port, int home,
            const std::vector<std::pair<int, Predicate>>& ends) {
  Repairer(f, original, port).run(home, ends);
}

}  // namespace qgpu::lower
