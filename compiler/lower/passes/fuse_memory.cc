// A load whose word one instruction, or a few, read becomes their memory operand. Nothing between
// the load and the reader may write there.
#include <algorithm>
#include <optional>

#include "compiler/lower/blocks/dependences.h"
#include "compiler/lower/blocks/operands.h"
#include "compiler/lower/ir/rewrite.h"
#include "compiler/lower/passes/passes.h"

namespace qgpu::lower {
namespace {

using isa::Compare;
using isa::GuardUse;
using isa::Opcode;

class Fuser {
 public:
  explicit Fuser(Function& f) : f_(f), uses_(f) {}

  void run() {
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
      block_ = static_cast<int>(b);
      auto& body = f_.blocks[b].body;
      for (std::size_t n = 0; n < body.size();) {
        if (fuse(n))
          body.erase(body.begin() + static_cast<std::ptrdiff_t>(n));
        else
          ++n;
      }
    }
  }

 private:
  bool fuse(std::size_t at) {
    const auto& body = f_.blocks[block_].body;
    const Id load = body[at];
    const Instruction& l = f_[load];
    if (!l.is(Opcode::Mov) || !l.hasMemory() || l.memory.is_volatile || l.cluster != 0)
      return false;
    if (keepsOld(l) && !f_.isUndefined(l.c)) return false;
    std::vector<std::pair<Id, Instruction>> changed;
    int found = 0;
    for (std::size_t n = at + 1; n < body.size(); ++n) {
      const Instruction& user = f_[body[n]];
      const auto operands = wordOperands(user);
      const auto reads = std::count(operands.begin(), operands.end(), load);
      if (reads > 0) {
        auto fused = reads == 1 ? withMemory(user, load, l) : std::nullopt;
        if (!fused) return false;
        changed.push_back({body[n], std::move(*fused)});
        ++found;
      }
      if (found == uses_.words[load]) break;
      if (writesMemory(user) && mustKeepOrder(f_, l, user)) return false;
    }
    if (found == 0 || found != uses_.words[load]) return false;
    for (auto& [id, instruction] : changed) f_[id] = std::move(instruction);
    if (l.b != kNone) uses_.words[l.b] += found - 1;
    return true;
  }

  static bool commutes(Opcode op) {
    switch (op) {
      case Opcode::Add:
      case Opcode::Mad:
      case Opcode::And:
      case Opcode::Or:
      case Opcode::Xor:
      case Opcode::Min:
      case Opcode::Max:
      case Opcode::Minu:
      case Opcode::Maxu: return true;
      default: return false;
    }
  }

  // The reader with the load as its operand b.
  std::optional<Instruction> withMemory(const Instruction& user, Id load, const Instruction& l) {
    if (user.row().memory != isa::Memory::Optional || user.hasMemory()) return std::nullopt;
    if (user.cluster != 0 || user.compare != Compare::Eq) return std::nullopt;
    Instruction fused = user;
    if (fused.a == load && commutes(user.op)) std::swap(fused.a, fused.b);
    if (fused.b != load || !guardFits(fused, l)) return std::nullopt;
    fused.b = l.b;
    fused.memory = l.memory;
    if (!planOperands(f_, fused)) return std::nullopt;
    return fused;
  }

  // The load's guard becomes the reader's: where it fails the word is undefined, and so is what an
  // unguarded reader makes of it.
  bool guardFits(Instruction& user, const Instruction& l) const {
    if (user.op == Opcode::Mov && user.guard.isAlways()) return false;
    if (l.guard.isAlways()) return true;
    if (user.guard == l.guard) return true;
    if (!user.guard.isAlways()) return false;
    user.guard = l.guard;
    if (user.row().guard == GuardUse::Merge) user.c = f_.undefined();
    return true;
  }

  Function& f_;
  Uses uses_;
  int block_ = 0;
};

}  // namespace

void fuseMemory(Function& f) { Fuser(f).run(); }

}  // namespace qgpu::lower
