#include "fuzz/ptx/executor.h"

#include <algorithm>

#include "fuzz/ptx/meaning.h"
#include "fuzz/ptx/memory.h"

namespace qgpu::fuzz::ptxlevel {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using Word = std::uint64_t;

constexpr int kWarp = 4;
constexpr int kMostInstructions = 100'000;  // of a thread block

enum class State : std::uint8_t { Ready, AtBarrier, AtWarpOperation, Done };

struct Thread {
  std::vector<Word> value;  // by register
  std::vector<bool> written;
  std::uint32_t next = 0;  // instruction
  State state = State::Ready;
  bool carry = false;
  launch::Dim3 index;
  unsigned lane = 0;
};

class Executor {
 public:
  Executor(const ptx::Module& module, const ptx::Function& kernel, const launch::Launch& launch)
      : kernel_(kernel), launch_(launch), memory_(kernel, module, launch) {}

  Expected<launch::Arrays> run(Order order) {
    const auto blocks = static_cast<unsigned>(launch_.grid.count());
    for (unsigned n = 0; n < blocks; ++n) {
      const unsigned b = order == Order::Forward ? n : blocks - 1 - n;
      block_ = {b % launch_.grid.x, b / launch_.grid.x % launch_.grid.y,
                b / launch_.grid.x / launch_.grid.y};
      memory_.startBlock(order == Order::Forward ? 0xa5 : 0x5a);
      if (auto ran = runBlock(order); !ran) return fail(std::move(ran.error()));
    }
    return memory_.arrays(launch_);
  }

 private:
  Expected<void> runBlock(Order order) {
    startThreads();
    left_ = kMostInstructions;
    const int count = static_cast<int>(threads_.size());
    while (!allAre(State::Done)) {
      for (int n = 0; n < count; ++n) {
        thread_ = &threads_[order == Order::Forward ? n : count - 1 - n];
        while (thread_->state == State::Ready)
          if (auto stepped = step(); !stepped) return stepped;
      }
      for (int first = 0; first < count; first += kWarp)
        if (auto met = meetWarp(first); !met) return met;
      if (std::ranges::none_of(threads_, isReady) && !openBarrier() && !allAre(State::Done))
        return refuse("threads that wait for each other");
    }
    return {};
  }

  static bool isReady(const Thread& t) { return t.state == State::Ready; }
  bool allAre(State state) const {
    return std::ranges::all_of(threads_, [&](const Thread& t) { return t.state == state; });
  }

  void startThreads() {
    threads_.clear();
    for (unsigned z = 0; z < launch_.block.z; ++z)
      for (unsigned y = 0; y < launch_.block.y; ++y)
        for (unsigned x = 0; x < launch_.block.x; ++x) {
          Thread t;
          t.value.assign(kernel_.registers.size(), 0);
          t.written.assign(kernel_.registers.size(), false);
          t.index = {x, y, z};
          t.lane = static_cast<unsigned>(threads_.size()) % kWarp;
          threads_.push_back(std::move(t));
        }
  }

  bool openBarrier() {
    const auto waits = [](const Thread& t) {
      return t.state == State::AtBarrier || t.state == State::Done;
    };
    if (!std::ranges::all_of(threads_, waits) || allAre(State::Done)) return false;
    for (Thread& t : threads_)
      if (t.state == State::AtBarrier) t.state = State::Ready;
    return true;
  }

  // ---- one instruction -------------------------------------------------------------------------

  Expected<void> step() {
    if (left_-- == 0) return refuse("a launch that does not end");
    if (thread_->next >= kernel_.body.size()) {
      thread_->state = State::Done;
      return {};
    }
    const Instruction& i = kernel_.body[thread_->next++];
    if (i.guard.present()) {
      const auto guard = read(i.guard.reg);
      if (!guard) return fail(guard.error());
      if ((*guard != 0) == i.guard.negated) return {};
    }
    switch (i.opcode) {
      case Opcode::Bra: thread_->next = target(i); return {};
      case Opcode::Ret:
      case Opcode::Exit: thread_->state = State::Done; return {};
      case Opcode::Bar: thread_->state = State::AtBarrier; return {};
      case Opcode::Shfl:
      case Opcode::Vote: thread_->state = State::AtWarpOperation; return {};
      case Opcode::Ld: return load(i);
      case Opcode::St: return store(i);
      case Opcode::Atom:
      case Opcode::Red: return atomic(i);
      case Opcode::Cvta: return move(i, 1);
      case Opcode::Mov:
        if (isVector(i.operands[0])) return unpack(i);
        if (isVector(i.operands[1])) return pack(i);
        return move(i, 1);
      default: return arithmetic(i);
    }
  }

  std::uint32_t target(const Instruction& i) const {
    return kernel_.labels[std::get<ptx::LabelRef>(i.operands[0].value).id].instruction;
  }
  static bool isVector(const Operand& o) {
    return std::holds_alternative<ptx::VectorOperand>(o.value);
  }
  static const std::vector<Operand>& elements(const Operand& o) {
    return std::get<ptx::VectorOperand>(o.value).elements;
  }

  Expected<void> move(const Instruction& i, std::size_t from) {
    const auto value = read(i.operands[from]);
    if (!value) return fail(value.error());
    return write(i.operands[0], *value);
  }
  Expected<void> pack(const Instruction& i) {
    Word whole = 0;
    const auto& parts = elements(i.operands[1]);
    const int bits = ptx::bitWidth(i.type) / static_cast<int>(parts.size());
    for (std::size_t n = 0; n < parts.size(); ++n) {
      const auto part = read(parts[n]);
      if (!part) return fail(part.error());
      whole |= (*part & ((Word{1} << bits) - 1)) << (bits * static_cast<int>(n));
    }
    return write(i.operands[0], whole);
  }
  Expected<void> unpack(const Instruction& i) {
    const auto whole = read(i.operands[1]);
    if (!whole) return fail(whole.error());
    const auto& parts = elements(i.operands[0]);
    const int bits = ptx::bitWidth(i.type) / static_cast<int>(parts.size());
    for (std::size_t n = 0; n < parts.size(); ++n)
      if (auto done = write(parts[n], *whole >> (bits * static_cast<int>(n))); !done) return done;
    return {};
  }

  Expected<void> arithmetic(const Instruction& i) {
    Operands x{.carry = thread_->carry};
    Word* const places[] = {&x.a, &x.b, &x.c, &x.d};
    for (std::size_t n = 1; n < i.operands.size() && n <= 4; ++n) {
      const auto value = read(i.operands[n]);
      if (!value) return fail(value.error());
      *places[n - 1] = *value;
    }
    const auto result = compute(i, x);
    if (!result) return fail(result.error());
    if (i.has(ptx::Flag::CarryOut)) thread_->carry = result->carry;
    if (const auto* pair = std::get_if<ptx::RegisterPair>(&i.operands[0].value)) {
      set(pair->first, result->value);
      set(pair->second, result->second ? 1 : 0);
      return {};
    }
    return write(i.operands[0], result->value);
  }

  // ---- memory ----------------------------------------------------------------------------------

  Expected<Word> addressOf(const Operand& o) {
    const auto& address = std::get<ptx::Address>(o.value);
    Word base = 0;
    if (const auto* reg = std::get_if<ptx::RegisterId>(&address.base)) {
      const auto value = read(*reg);
      if (!value) return value;
      base = *value;
    } else if (const auto* symbol = std::get_if<ptx::SymbolRef>(&address.base)) {
      base = memory_.addressOf(*symbol);
    }
    return base + static_cast<Word>(address.offset);
  }

  Expected<void> load(const Instruction& i) {
    const auto address = addressOf(i.operands[1]);
    if (!address) return fail(address.error());
    const int bits = ptx::bitWidth(i.type), bytes = bits / 8;
    const auto one = [&](const Operand& to, int n) -> Expected<void> {
      const auto value = memory_.load(i.space, *address + static_cast<Word>(n * bytes), bytes);
      if (!value) return fail(value.error());
      const int unused = 64 - bits;
      return write(to,
                   ptx::isSigned(i.type)
                       ? static_cast<Word>(static_cast<std::int64_t>(*value << unused) >> unused)
                       : *value);
    };
    if (!isVector(i.operands[0])) return one(i.operands[0], 0);
    int n = 0;
    for (const Operand& to : elements(i.operands[0]))
      if (auto done = one(to, n++); !done) return done;
    return {};
  }

  Expected<void> store(const Instruction& i) {
    const auto address = addressOf(i.operands[0]);
    if (!address) return fail(address.error());
    const auto value = read(i.operands[1]);
    if (!value) return fail(value.error());
    return memory_.store(i.space, *address, ptx::bitWidth(i.type) / 8, *value);
  }

  Expected<void> atomic(const Instruction& i) {
    const std::size_t at = i.opcode == Opcode::Atom ? 1 : 0;
    const auto address = addressOf(i.operands[at]);
    if (!address) return fail(address.error());
    const auto b = read(i.operands[at + 1]);
    const auto c = i.operands.size() > at + 2 ? read(i.operands[at + 2]) : Expected<Word>(0);
    if (!b || !c) return fail(b ? c.error() : b.error());
    const auto old = memory_.load(i.space, *address, 4);
    if (!old) return fail(old.error());
    // cas compares with b and puts c.
    if (auto done = memory_.store(i.space, *address, 4, combine(i, *old, *b, *c)); !done)
      return done;
    return at == 1 ? write(i.operands[0], *old) : Expected<void>();
  }

  // ---- lanes -----------------------------------------------------------------------------------

  // Once all living lanes of a warp wait at one operation, they go through it.
  Expected<void> meetWarp(int first) {
    std::vector<Thread*> lanes;
    for (int n = first; n < std::min(first + kWarp, static_cast<int>(threads_.size())); ++n)
      if (threads_[n].state != State::Done) lanes.push_back(&threads_[n]);
    if (std::ranges::none_of(lanes, [](Thread* t) { return t->state == State::AtWarpOperation; }))
      return {};
    for (const Thread* t : lanes)
      if (t->state != State::AtWarpOperation || t->next != lanes[0]->next)
        return refuse("lanes that wait at different places");
    const Instruction& i = kernel_.body[lanes[0]->next - 1];
    return i.opcode == Opcode::Shfl ? shuffle(i, lanes) : vote(i, lanes);
  }

  Expected<std::vector<Word>> readOf(const std::vector<Thread*>& lanes, const Operand& o) {
    std::vector<Word> values(kWarp, 0);
    for (Thread* t : lanes) {
      thread_ = t;
      const auto value = read(o);
      if (!value) return fail(value.error());
      values[t->lane] = *value;
    }
    return values;
  }

  // The manual's pseudocode for shfl.
  Expected<void> shuffle(const Instruction& i, const std::vector<Thread*>& lanes) {
    const auto a = readOf(lanes, i.operands[1]), b = readOf(lanes, i.operands[2]),
               c = readOf(lanes, i.operands[3]);
    if (!a || !b || !c) return refuse("a shuffle of nothing");
    for (Thread* t : lanes) {
      const int lane = static_cast<int>(t->lane), by = static_cast<int>((*b)[t->lane] & 31);
      const int clamp = static_cast<int>((*c)[t->lane] & 31),
                segment = static_cast<int>((*c)[t->lane] >> 8 & 31);
      const int least = lane & segment, most = least | (clamp & ~segment);
      int from = lane;
      switch (i.shuffle) {
        case ptx::Shuffle::Up: from = lane - by; break;
        case ptx::Shuffle::Down: from = lane + by; break;
        case ptx::Shuffle::Bfly: from = lane ^ by; break;
        default: from = least | (by & ~segment);
      }
      const bool inside = i.shuffle == ptx::Shuffle::Up ? from >= most : from <= most;
      if (!inside) from = lane;
      thread_ = t;
      t->state = State::Ready;
      if (from < 0 || from >= kWarp) return refuse("a shuffle from a lane that is not there");
      const Word value = (*a)[static_cast<std::size_t>(from)];
      if (const auto* pair = std::get_if<ptx::RegisterPair>(&i.operands[0].value)) {
        set(pair->first, value);
        set(pair->second, inside ? 1 : 0);
      } else if (auto done = write(i.operands[0], value); !done) {
        return done;
      }
    }
    return {};
  }

  Expected<void> vote(const Instruction& i, const std::vector<Thread*>& lanes) {
    const auto a = readOf(lanes, i.operands[1]);
    if (!a) return fail(a.error());
    Word ballot = 0, all = 0;
    for (const Thread* t : lanes) {
      all |= Word{1} << t->lane;
      if (((*a)[t->lane] & 1) != 0) ballot |= Word{1} << t->lane;
    }
    const auto result = [&]() -> Word {
      switch (i.vote) {
        case ptx::Vote::All: return ballot == all;
        case ptx::Vote::Any: return ballot != 0;
        case ptx::Vote::Uni: return ballot == all || ballot == 0;
        default: return ballot;
      }
    };
    for (Thread* t : lanes) {
      thread_ = t;
      t->state = State::Ready;
      if (auto done = write(i.operands[0], result()); !done) return done;
    }
    return {};
  }

  // ---- operands --------------------------------------------------------------------------------

  Expected<Word> read(ptx::RegisterId reg) const {
    if (!thread_->written[reg]) return refuse("a register that nothing was written to");
    return thread_->value[reg];
  }

  Expected<Word> read(const Operand& o) const {
    if (const auto* reg = std::get_if<ptx::Register>(&o.value)) {
      auto value = read(reg->id);
      if (value && reg->negated) *value ^= 1;
      return value;
    }
    if (const auto* immediate = std::get_if<ptx::Immediate>(&o.value)) return immediate->bits;
    if (const auto* special = std::get_if<ptx::SpecialRegister>(&o.value)) return read(*special);
    if (const auto* symbol = std::get_if<ptx::SymbolAddress>(&o.value))
      return memory_.addressOf(symbol->symbol) + static_cast<Word>(symbol->offset);
    return refuse("an operand that random PTX does not have");
  }

  Expected<Word> read(const ptx::SpecialRegister& special) const {
    const auto part = [&](const launch::Dim3& v) -> Word {
      if (special.component == ptx::Component::X) return v.x;
      return special.component == ptx::Component::Y ? v.y : v.z;
    };
    switch (special.reg) {
      case ptx::Special::Tid: return part(thread_->index);
      case ptx::Special::Ntid: return part(launch_.block);
      case ptx::Special::Ctaid: return part(block_);
      case ptx::Special::Nctaid: return part(launch_.grid);
      case ptx::Special::Laneid: return thread_->lane;
      default: return refuse("a special register that random PTX does not have");
    }
  }

  void set(ptx::RegisterId reg, Word value) {
    if (reg == ptx::kNoRegister) return;
    const int bits = ptx::bitWidth(kernel_.registers[reg].type);
    thread_->value[reg] = bits >= 64 ? value : value & ((Word{1} << bits) - 1);
    thread_->written[reg] = true;
  }
  Expected<void> write(const Operand& to, Word value) {
    if (const auto* reg = std::get_if<ptx::Register>(&to.value)) {
      set(reg->id, value);
      return {};
    }
    if (std::holds_alternative<ptx::Sink>(to.value)) return {};
    return refuse("a destination that random PTX does not have");
  }

  const ptx::Function& kernel_;
  const launch::Launch& launch_;
  Memory memory_;
  std::vector<Thread> threads_;
  Thread* thread_ = nullptr;  // whose turn it is
  launch::Dim3 block_;
  int left_ = 0;
};

}  // namespace

Expected<launch::Arrays> execute(const ptx::Module& module, const std::string& entry,
                                 const launch::Launch& launch, Order order) {
  const auto kernel = std::ranges::find(module.functions, entry, &ptx::Function::name);
  if (kernel == module.functions.end()) return refuse("no kernel '" + entry + "'");
  return Executor(module, *kernel, launch).run(order);
}

}  // namespace qgpu::fuzz::ptxlevel
