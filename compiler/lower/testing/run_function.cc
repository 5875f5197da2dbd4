#include "compiler/lower/testing/run_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace qgpu::lower::testing {
namespace {

using isa::GuardUse;
using isa::Opcode;

constexpr std::uint32_t kWord = 4;

struct Error {
  std::string text;
};

class Thread {
 public:
  Thread(const Function& f, const FunctionInput& input)
      : f_(f), input_(input), words_(f.instructions.size()), flags_(f.instructions.size()) {
    global_.resize(kMachine.global_rows);
    std::copy(input.global.begin(), input.global.end(), global_.begin() + 1);
    shared_.resize(kMachine.shared_words);
  }

  FunctionRun run(int most_blocks) {
    FunctionRun result;
    try {
      result.end = walk(most_blocks);
    } catch (const Error& error) {
      result.error = error.text;
    }
    result.global.assign(global_.begin() + 1,
                         global_.begin() + 1 + static_cast<std::ptrdiff_t>(input_.global.size()));
    return result;
  }

 private:
  FunctionRun::End walk(int most_blocks) {
    int b = 0;
    for (int n = 0; n < most_blocks; ++n) {
      const BasicBlock& block = f_.blocks[b];
      for (const Id id : block.body) execute(id);
      if (block.terminator == Terminator::Exit) return FunctionRun::End::Exit;
      if (block.terminator == Terminator::Trap) return FunctionRun::End::Trap;
      const bool stays = !block.conditional() || flag(block.condition);
      const int next = stays ? block.target : block.other;
      enter(b, next, !stays && block.target == block.other ? 1 : 0);
      b = next;
    }
    return FunctionRun::End::Endless;
  }

  // Phis take their inputs all at once. `skipped` edges from the same block come before this one.
  void enter(int from, int to, int skipped) {
    const BasicBlock& block = f_.blocks[to];
    std::size_t edge = 0;
    for (; edge < block.predecessors.size(); ++edge)
      if (block.predecessors[edge] == from && skipped-- == 0) break;
    if (edge == block.predecessors.size())
      throw Error{fmt::format("block {} does not know that {} leads to it", to, from)};
    std::vector<std::uint32_t> values;
    for (const Id phi : block.phis) {
      if (f_[phi].inputs.size() != block.predecessors.size())
        throw Error{fmt::format("%{} has {} inputs", phi, f_[phi].inputs.size())};
      const Predicate input = f_[phi].inputs[edge];
      values.push_back(f_[phi].kind == Kind::Phi ? word(input.id) : flag(input) ? 1 : 0);
    }
    for (std::size_t n = 0; n < values.size(); ++n) {
      const Id phi = block.phis[n];
      if (f_[phi].kind == Kind::Phi)
        words_[phi] = values[n];
      else
        flags_[phi] = values[n] != 0;
    }
  }

  std::uint32_t word(Id id) const {
    const Instruction& i = f_[id];
    switch (i.kind) {
      case Kind::Constant: return i.immediate;
      case Kind::Argument: return input_.arguments.at(i.immediate);
      case Kind::Special: return special(static_cast<isa::Special>(i.immediate));
      case Kind::Undefined: return input_.undefined;
      default: break;
    }
    if (!words_[id]) throw Error{fmt::format("%{} is read before it is made", id)};
    return *words_[id];
  }
  static std::uint32_t special(isa::Special which) {
    return which == isa::Special::Ntid || which == isa::Special::Nctaid ||
                   which == isa::Special::Mask
               ? 1
               : 0;
  }
  bool flag(Predicate p) const {
    if (p.isConstant()) return !p.negate;
    if (!flags_[p.id]) throw Error{fmt::format("%{}.p is read before it is made", p.id)};
    return *flags_[p.id] != p.negate;
  }

  std::uint32_t& memory(const Instruction& i, std::uint32_t address) {
    auto& space = i.memory.space == isa::Space::Shared ? shared_ : global_;
    if (address / kWord >= space.size() || address % static_cast<std::uint32_t>(i.row().width) != 0)
      throw Error{fmt::format("address {}", address)};
    return space[address / kWord];
  }
  std::uint32_t addressOf(const Instruction& i) const {
    const std::uint32_t index = i.b == kNone ? 0 : word(i.b);
    const int shift = i.memory.scaled ? std::countr_zero(static_cast<unsigned>(i.row().width)) : 0;
    return static_cast<std::uint32_t>(i.memory.offset) + (index << shift);
  }

  void execute(Id id) {
    const Instruction& i = f_[id];
    if (!i.isOperation()) throw Error{fmt::format("%{} stands in a body", id)};
    const isa::Row& row = i.row();
    const bool guard = flag(i.guard);
    if (row.guard <= GuardUse::Commit && !guard) {
      words_[id] = keepsOld(i) ? word(i.c) : 0;
      flags_[id] = false;
      return;
    }
    isa::WarpIn in;
    isa::WarpOut out;
    if (i.a != kNone && !isPart(i)) in.a.fill(word(i.a));
    if (i.b != kNone && !i.hasMemory()) in.b.fill(word(i.b));
    if (row.c) in.c.fill(word(i.c));
    in.guard = guard ? kMachine.allLanes() : 0;
    in.second = flag(i.second) ? kMachine.allLanes() : 0;
    in.compare = i.compare;
    in.aux = i.aux;
    if (isPart(i)) return takePart(id, i, in);
    std::uint32_t* const cell = i.hasMemory() ? &memory(i, addressOf(i)) : nullptr;
    if (cell != nullptr) {
      in.b.fill(*cell);
      in.byte.fill(addressOf(i) % kWord);
    }
    row.run(in, out);
    words_[id] = out.r[0];
    if (row.writesMemory()) {
      words_[id] = *cell;
      *cell = out.r[0];
    }
    flags_[id] = (out.p & 1) != 0;
  }

  // Quotient and remainder of the division that stands before them.
  static bool isPart(const Instruction& i) { return i.op == Opcode::Quo || i.op == Opcode::Rem; }
  void takePart(Id id, const Instruction& i, isa::WarpIn in) {
    const Instruction& division = f_[i.a];
    if (!words_[i.a]) throw Error{fmt::format("%{} comes before its division", id)};
    isa::WarpOut quotient, remainder;
    in.a.fill(word(division.a));
    in.b.fill(word(division.b));
    division.row().run(in, quotient);
    in.c = quotient.r;
    i.row().run(in, remainder);
    words_[id] = i.op == Opcode::Quo ? quotient.r[0] : remainder.r[0];
    flags_[id] = false;
  }

  const Function& f_;
  const FunctionInput& input_;
  std::vector<std::optional<std::uint32_t>> words_;
  std::vector<std::optional<bool>> flags_;
  std::vector<std::uint32_t> global_, shared_;
};

}  // namespace

FunctionRun runFunction(const Function& f, const FunctionInput& input, int most_blocks) {
  return Thread(f, input).run(most_blocks);
}

}  // namespace qgpu::lower::testing
