#include "compiler/lower/build/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/lower/build/context.h"
#include "compiler/lower/build/families.h"
#include "compiler/lower/build/text_blocks.h"

namespace qgpu::lower {
namespace {

using ptx::Opcode;

std::array<std::uint32_t, isa::kSpecials> specialLimits(const LaunchShape& shape) {
  const auto threads = static_cast<std::uint32_t>(shape.block.count());
  const auto blocks = static_cast<std::uint32_t>(shape.grid.count());
  const auto lanes = static_cast<std::uint32_t>(kMachine.lanes);
  std::array<std::uint32_t, isa::kSpecials> limit{};
  const auto set = [&](isa::Special s, std::uint32_t most) {
    limit[static_cast<std::size_t>(s)] = most;
  };
  set(isa::Special::Tid, threads - 1);
  set(isa::Special::Ctaid, blocks - 1);
  set(isa::Special::Ntid, threads);
  set(isa::Special::Nctaid, blocks);
  set(isa::Special::Gtid, threads * blocks - 1);
  set(isa::Special::Lane, std::min(threads, lanes) - 1);
  set(isa::Special::Warp, (threads - 1) / lanes);
  set(isa::Special::Mask, kMachine.allLanes());
  return limit;
}

class KernelBuilder {
 public:
  KernelBuilder(const ptx::Module& module, const ptx::Function& kernel, const LaunchShape& shape,
                const Placement& placement)
      : kernel_(kernel), text_(kernel), c_(module, kernel, shape, placement, f_) {
    f_.special_limit = specialLimits(shape);
    f_.block_threads = static_cast<std::uint32_t>(shape.block.count());
  }

  Function run() {
    openBlocks();
    for (const int t : text_.order()) translate(t);
    return std::move(f_);
  }

 private:
  // Block 0 only leads to the first one of the text, which may be a branch target.
  void openBlocks() {
    f_.newBlock();
    ir_block_.assign(text_.count(), -1);
    for (const int t : text_.order()) ir_block_[t] = f_.newBlock();
    waiting_.assign(f_.blocks.size(), 0);
    for (const int t : text_.order())
      waiting_[ir_block_[t]] = text_.predecessorCount(t) + (t == 0 ? 1 : 0);
    c_.variables.seal(0);
    c_.b.setBlock(0);
    jump(ir_block_[0]);
    sealReady();
  }

  // Once every edge into a block is there, its phis can be filled.
  void arrive(int block) {
    if (static_cast<std::size_t>(block) < waiting_.size() && waiting_[block] > 0)
      if (--waiting_[block] == 0) ready_.push_back(block);
  }
  void sealReady() {
    for (const int block : std::exchange(ready_, {})) c_.variables.seal(block);
  }

  void addEdge(int from, int to) {
    f_.blocks[to].predecessors.push_back(from);
    arrive(to);
  }

  BasicBlock& here() { return f_.blocks[c_.b.block()]; }

  void end(Terminator terminator, Predicate condition, int target, int other) {
    const int from = c_.b.block();
    BasicBlock& block = here();
    block.terminator = terminator;
    block.condition = condition;
    block.target = target;
    block.other = other;
    block.origin = c_.b.origin();
    for (const int next : block.successors()) addEdge(from, next);
    ended_ = true;
  }
  void jump(int target) { end(Terminator::Jump, {}, target, -1); }
  // Lanes whose predicate holds go to `target`.
  void branch(Predicate p, int target, int other) {
    if (target == other || p.isConstant()) {
      const int taken = target == other || p.isAlways() ? target : other;
      // The edge not taken is one that the other block waits for in vain.
      if (target != other)
        dropped(p.isAlways() ? other : target);
      else
        dropped(other);
      return jump(taken);
    }
    end(Terminator::Branch, p, target, other);
  }
  void dropped(int block) { arrive(block); }

  // A fresh block that only the current one leads to.
  int follow(Predicate into) {
    const int next = f_.newBlock(), around = f_.newBlock();
    end(Terminator::Branch, into, next, around);
    c_.variables.seal(next);
    c_.b.setBlock(next);
    ended_ = false;
    return around;
  }
  void resume(int block) {
    c_.variables.seal(block);
    c_.b.setBlock(block);
    ended_ = false;
  }

  int targetOf(ptx::LabelId label) const { return ir_block_[text_.blockOf(label)]; }

  void translate(int t) {
    c_.b.setBlock(ir_block_[t]);
    ended_ = false;
    const TextBlock& block = text_.block(t);
    for (std::uint32_t n = block.first; n < block.last && !ended_; ++n) {
      c_.b.setOrigin(n);
      instruction(kernel_.body[n], t);
    }
    if (!ended_) fallThrough(t);
    sealReady();
  }

  void fallThrough(int t) {
    const int next = text_.fallThrough(t);
    if (next < 0) return end(Terminator::Exit, {}, -1, -1);
    jump(ir_block_[next]);
  }
  int nextBlock(int t) {
    const int next = text_.fallThrough(t);
    if (next >= 0) return ir_block_[next];
    return exitBlock();
  }
  // An empty block that ends.
  int exitBlock() {
    const int block = f_.newBlock();
    c_.variables.seal(block);
    return block;
  }

  Predicate guardOf(const ptx::Instruction& i) {
    if (!i.guard.present()) return Predicate::always();
    return c_.flag({.value = ptx::Register{i.guard.reg, i.guard.negated}, .position = i.position});
  }

  void instruction(const ptx::Instruction& i, int t) {
    c_.guard = Predicate::always();
    const Predicate guard = guardOf(i);
    if (guard.isNever() && !text_.isTerminator(i)) return;
    if (refuseFloat(i)) return;
    switch (i.opcode) {
      case Opcode::Bra: return translateBranch(i, t, guard);
      case Opcode::Brx: return translateBranchTable(i, t, guard);
      case Opcode::Ret:
      case Opcode::Exit: return leave(Terminator::Exit, t, guard);
      case Opcode::Trap: return leave(Terminator::Trap, t, guard);
      case Opcode::Bar:
      case Opcode::Barrier: return translateBarrier(i, guard);
      case Opcode::Membar:
      case Opcode::Fence: return barrier(Terminator::Fence);
      case Opcode::Call: return refuseCall(i);
      default: break;
    }
    const Translation translation = translationOf(i.opcode);
    if (translation == nullptr)
      return c_.unsupportedResults(i, fmt::format("{} is not available", nameOf(i)), "");
    const bool between_lanes =
        i.opcode == Opcode::Shfl || i.opcode == Opcode::Vote || i.opcode == Opcode::Activemask;
    if (between_lanes && !guard.isAlways()) return guardedRegion(guard, i, translation);
    using enum ptx::Order;
    if (i.order >= Release && i.order <= Sequential) barrier(Terminator::Fence);
    c_.guard = guard;
    translation(c_, i);
    c_.guard = Predicate::always();
    if (i.order == Acquire || i.order == AcquireRelease || i.order == Sequential)
      barrier(Terminator::Fence);
  }

  // Lanes that the guard excludes take no part: they branch around.
  void guardedRegion(Predicate guard, const ptx::Instruction& i, Translation translation) {
    const int around = follow(guard);
    translation(c_, i);
    jump(around);
    resume(around);
  }

  // Moving floats about is moving words; computing with them is refused.
  bool refuseFloat(const ptx::Instruction& i) {
    const bool moves = i.opcode == Opcode::Mov || i.opcode == Opcode::Ld ||
                       i.opcode == Opcode::St || i.opcode == Opcode::Selp ||
                       i.opcode == Opcode::Ldu || i.opcode == Opcode::Slct;
    const bool is_float = ptx::isFloat(i.type) || ptx::isFloat(i.source_type);
    if (!is_float || (moves && !ptx::isFloat(i.source_type))) return false;
    c_.unsupportedResults(i, fmt::format("floating point ({})", nameOf(i)),
                          "the machine computes with integers: use int or fixed point");
    return true;
  }

  void translateBranch(const ptx::Instruction& i, int t, Predicate guard) {
    const int target = targetOf(std::get<ptx::LabelRef>(i.operands[0].value).id);
    if (!i.guard.present()) return jump(target);
    branch(guard, target, nextBlock(t));
  }

  // Binary search among the targets.
  void translateBranchTable(const ptx::Instruction& i, int t, Predicate guard) {
    const auto& table = kernel_.tables[std::get<ptx::TableRef>(i.operands[1].value).index];
    int around = -1;
    if (i.guard.present()) {
      around = f_.newBlock();
      const int next = f_.newBlock();
      end(Terminator::Branch, guard, next, around);
      resume(next);
    }
    std::vector<int> targets;
    for (const ptx::LabelId label : table.labels) targets.push_back(targetOf(label));
    search(c_.word(i, 0), targets, 0, targets.size());
    if (around < 0) return;
    resume(around);
    fallThrough(t);
  }

  void search(Id index, const std::vector<int>& targets, std::size_t first, std::size_t last) {
    if (last - first == 1) {
      end(Terminator::Jump, {}, targets[first], -1);
      return;
    }
    const std::size_t middle = (first + last) / 2;
    const Id bound = c_.b.constant(static_cast<std::uint32_t>(middle));
    const Predicate below = c_.b.compare(isa::Compare::Ltu, index, bound);
    const int low = f_.newBlock(), high = f_.newBlock();
    end(Terminator::Branch, below, low, high);
    resume(low);
    search(index, targets, first, middle);
    resume(high);
    search(index, targets, middle, last);
  }

  void leave(Terminator terminator, int t, Predicate guard) {
    const int block = f_.newBlock();
    f_.blocks[block].terminator = terminator;
    f_.blocks[block].origin = c_.b.origin();
    if (guard.isAlways()) {
      jump(block);
    } else if (guard.isNever()) {
      jump(nextBlock(t));
    } else {
      end(Terminator::Branch, guard, block, nextBlock(t));
    }
    c_.variables.seal(block);
  }

  // Operands: [destination,] barrier [, threads] [, predicate].
  void translateBarrier(const ptx::Instruction& i, Predicate guard) {
    if (i.barrier == ptx::Barrier::Arrive)
      return c_.unsupportedEffect(fmt::format("{} with arrive", nameOf(i)),
                                  "let all threads wait: __syncthreads()");
    const bool reduces = i.barrier == ptx::Barrier::Reduce;
    const std::size_t threads = reduces ? 2 : 1, least = reduces ? 3 : 1;
    if (i.operands.size() > least && !coversBlock(i.operands[threads]))
      return c_.unsupportedEffect("a barrier for a part of the thread block",
                                  "let all threads take part");
    const int around = guard.isAlways() ? -1 : follow(guard);
    barrier(i.barrier == ptx::Barrier::Warp ? Terminator::Gather : Terminator::Barrier);
    if (reduces) reduceOverBlock(i);
    if (around < 0) return;
    jump(around);
    resume(around);
  }

  void barrier(Terminator kind = Terminator::Barrier) {
    const int next = f_.newBlock();
    end(kind, {}, next, -1);
    resume(next);
  }

  // Behind its barrier, what bar.red says of the predicates that the threads bring.
  void reduceOverBlock(const ptx::Instruction& i) {
    const bool asks_all = i.operation == ptx::Operation::And;
    const Predicate brought = c_.flag(i.operands.back());
    const Predicate counted = asks_all ? !brought : brought;
    const bool one_warp = f_.block_threads <= static_cast<std::uint32_t>(kMachine.lanes);
    const Id count = one_warp ? countInWarp(counted) : countInBlock(counted);
    if (i.operation == ptx::Operation::Popc) return c_.setWord(i.operands[0], count);
    const Predicate any = c_.b.isNonZero(count);
    c_.setFlag(i.operands[0], asks_all ? !any : any);
  }

  // All lanes of the warp have come from the barrier together.
  Id countInWarp(Predicate p) {
    const Id lanes = c_.b.emit({.op = isa::Opcode::Ballot, .guard = p}).word;
    return c_.b.unary(isa::Opcode::Popc, lanes);
  }

  // All threads clear the word that they then add to: which of them are left is not known.
  Id countInBlock(Predicate p) {
    const int object = c_.placement.reduction_object;
    const Id address = c_.b.constant(c_.placement.objects[object].address, object);
    const Place place{.index = address, .is_volatile = true};
    c_.b.store(isa::Space::Shared, place, c_.b.zero());
    barrier();
    c_.b.atomic(isa::Opcode::AtomAdd, isa::Space::Shared, place, c_.b.constant(1), p);
    barrier();
    return c_.b.load(isa::Space::Shared, place);
  }

  // A count of threads, rounded up to whole 32-lane warps as PTX wants it.
  bool coversBlock(const ptx::Operand& operand) {
    const auto count = c_.constant(operand);
    const std::uint32_t threads = f_.block_threads;
    return count && (*count == threads || *count == (threads + 31) / 32 * 32);
  }

  void refuseCall(const ptx::Instruction& i) {
    std::string callee = "a function pointer";
    for (const ptx::Operand& o : i.operands)
      if (const auto* a = std::get_if<ptx::SymbolAddress>(&o.value))
        if (a->symbol.kind == ptx::SymbolRef::Kind::Function)
          callee = c_.module.functions[a->symbol.index].name;
    if (callee == "vprintf") callee = "printf";
    c_.unsupportedEffect(fmt::format("a call of {}", callee),
                         "the machine has no calls: let the compiler inline it, or leave it out");
    for (const ptx::Operand& o : i.operands)
      if (const auto* list = std::get_if<ptx::ArgumentList>(&o.value))
        for (const ptx::Operand& e : list->elements)
          if (std::holds_alternative<ptx::Register>(e.value))
            c_.setPair(e, {c_.b.zero(), c_.b.zero()});
  }

  const ptx::Function& kernel_;
  TextBlocks text_;
  Function f_;
  Context c_;
  std::vector<int> ir_block_;  // by block of the text; -1 where it cannot be reached
  std::vector<int> waiting_;   // edges into a block that are still to come
  std::vector<int> ready_;
  bool ended_ = false;
};

// Far more than 32 blocks can hold; a bound on the time the rest takes.
constexpr std::size_t kMostInstructions = 60000;
constexpr int kMostBlocks = 2000;

}  // namespace

Expected<Function> build(const ptx::Module& module, const ptx::Function& kernel,
                         const LaunchShape& shape, const Placement& placement) {
  const TextBlocks text(kernel);
  if (kernel.body.size() > kMostInstructions || text.count() > kMostBlocks)
    return refuseAt(
        module.locate(kernel.position),
        fmt::format("{} has {} instructions in {} basic blocks; the machine holds {} "
                    "blocks of {}",
                    kernel.name, kernel.body.size(), text.count(), kMachine.blocks, kMachine.slots),
        "make the kernel smaller");
  return KernelBuilder(module, kernel, shape, placement).run();
}

}  // namespace qgpu::lower
