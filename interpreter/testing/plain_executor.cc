#include "interpreter/testing/plain_executor.h"

#include <map>

#include "interpreter/testing/plain_clauses.h"

namespace qgpu::isatest {
namespace {

using isa::Block;
using isa::Operand;
using isa::Slot;
using isa::Space;
using isa::Terminator;
using protocol::Token;

constexpr int kLanes = 4, kWarps = 8, kSlots = 4;

struct Thread {
  enum class Status : std::uint8_t { Ready, Waiting, Ended };

  std::array<std::uint32_t, 16> registers{};
  std::array<bool, 4> predicates{};
  Status status = Status::Ended;
  int block = 0;
};

// What one slot came to in one thread.
struct Outcome {
  std::uint32_t result = 0;
  bool predicate = false;
  bool guard = true;
  std::uint32_t address = 0;  // of the memory operand
  std::uint32_t loaded = 0;
};

// What a thread does in a block.
struct Visit {
  std::array<Outcome, kSlots> slots{};
  bool running = false;  // in the mask
  bool replays = false;
  bool writes = false;
  std::uint32_t word = 0;  // what it writes
};

struct WrittenWord {
  int address;  // as in a MEM token
  std::uint32_t word;
};

class Executor {
 public:
  explicit Executor(const MachineCase& launch) : launch_(launch) {
    for (const protocol::MemoryWord& m : launch.memory) word(m.address) = m.value;
  }

  PlainRun run(std::int64_t budget) {
    budget_ = budget;
    for (ctaid_ = 0; ctaid_ < launch_.thread_blocks && goesOn(); ++ctaid_) {
      if (ctaid_ > 0) run_.tokens.push_back(Token::cta(ctaid_, launch_.threads));
      runThreadBlock();
    }
    if (run_.ending == Ending::Halted) run_.tokens.push_back(Token::halt());
    if (run_.ending == Ending::Trapped) run_.tokens.push_back(Token::trap());
    return std::move(run_);
  }

 private:
  using Status = Thread::Status;
  using Visits = std::array<Visit, kLanes>;

  bool goesOn() const { return run_.ending == Ending::Halted; }
  Thread& thread(int lane) { return threads_[warp_ * kLanes + lane]; }
  std::uint32_t& word(int address) {
    return address < 128 ? run_.global[address] : run_.shared[address - 128];
  }

  // ---- The schedule. ----

  void runThreadBlock() {
    const int warps = (launch_.threads + kLanes - 1) / kLanes;
    for (Thread& t : threads_) t.status = Status::Ended;
    int started = 0;
    for (warp_ = 0; warp_ >= 0 && goesOn();) {
      if (started == warp_) {
        startWarp();
        ++started;
      } else if (!anyIs(Status::Ready)) {
        release();
      }
      while (goesOn() && anyIs(Status::Ready)) runBlock();
      warp_ = warp_ + 1 < warps && started == warp_ + 1 ? warp_ + 1 : nextAlive(warps);
    }
  }

  void startWarp() {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (warp_ * kLanes + lane >= launch_.threads) continue;
      thread(lane).status = Status::Ready;
      thread(lane).block = 0;
    }
  }

  // The barrier lets go of the threads that wait at the lowest block.
  void release() {
    const int block = lowestBlock(Status::Waiting);
    for (int lane = 0; lane < kLanes; ++lane)
      if (thread(lane).status == Status::Waiting && thread(lane).block == block)
        thread(lane).status = Status::Ready;
  }

  int nextAlive(int warps) {
    const int here = warp_;
    for (int i = 1; i <= warps; ++i) {
      warp_ = (here + i) % warps;
      if (anyIs(Status::Ready) || anyIs(Status::Waiting)) return warp_;
    }
    return -1;
  }

  bool anyIs(Status status) {
    for (int lane = 0; lane < kLanes; ++lane)
      if (thread(lane).status == status) return true;
    return false;
  }
  int lowestBlock(Status status) {
    int lowest = 1000;
    for (int lane = 0; lane < kLanes; ++lane)
      if (thread(lane).status == status && thread(lane).block < lowest) lowest = thread(lane).block;
    return lowest;
  }

  // ---- A block. ----

  void runBlock() {
    if (run_.executions++ == budget_) {
      run_.ending = Ending::OutOfBudget;
      return;
    }
    number_ = lowestBlock(Status::Ready);
    Visits visits;
    mask_ = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const Thread& t = thread(lane);
      visits[lane].running = t.status == Status::Ready && t.block == number_;
      if (visits[lane].running) mask_ += 1u << lane;
    }
    run_.tokens.push_back(Token::exec(number_, warp_, mask_));
    fault_ = block().header.kind == Terminator::Trap;
    for (int slot = 0; slot < kSlots; ++slot) runSlot(slot, visits);
    if (fault_) {
      run_.ending = Ending::Trapped;
      return;
    }
    const auto targets = targetsOf(visits);
    sendValues(visits);
    sendPredicates(visits);
    sendMemory(visits);
    for (int lane = 0; lane < kLanes; ++lane)
      if (visits[lane].running) move(thread(lane), targets[lane]);
  }

  const Block& block() const { return launch_.program.blocks[number_]; }

  void runSlot(int index, Visits& visits) {
    const Slot& slot = block().slots[index];
    const PlainKind kind = plainKind(slot.op);
    std::array<PlainIn, kLanes> in;
    for (int lane = 0; lane < kLanes; ++lane) in[lane] = operands(slot, index, lane, visits[lane]);
    if (slot.space != Space::None)
      for (int lane = 0; lane < kLanes; ++lane)
        readMemory(slot, kind, index, visits[lane], in[lane]);
    compute(slot, index, in, visits);
    if (kind.memory >= MemoryKind::Store)
      writeMemory(slot, kind, index, in, visits);
    else
      keepOld(slot, kind, index, in, visits);
  }

  PlainIn operands(const Slot& slot, int index, int lane, Visit& visit) {
    PlainIn in;
    in.a = value(slot.a, slot, lane, visit);
    in.b = value(slot.b, slot, lane, visit);
    in.c = value(slot.c, slot, lane, visit);
    in.guard = truth(slot.guard.code, slot.guard.negate, lane, visit);
    in.second = truth(slot.aux % 8, slot.aux / 8 % 2 == 1, lane, visit);
    in.compare = slot.compare;
    visit.slots[index].guard = in.guard;
    return in;
  }

  std::uint32_t value(Operand o, const Slot& slot, int lane, const Visit& visit) {
    switch (o.kind()) {
      case Operand::Kind::Register: return o.index() == 0 ? 0 : thread(lane).registers[o.index()];
      case Operand::Kind::Slot: return visit.slots[o.index()].result;
      case Operand::Kind::Immediate: return static_cast<std::uint32_t>(static_cast<int>(slot.imm));
      case Operand::Kind::Special: return special(static_cast<isa::Special>(o.index()), lane);
      case Operand::Kind::Parameter: return parameter(o.index());
      case Operand::Kind::Reserved: break;
    }
    return 0;
  }

  std::uint32_t parameter(int index) const {
    const auto& all = launch_.parameters;
    return static_cast<std::size_t>(index) < all.size() ? all[index] : 0;
  }

  std::uint32_t special(isa::Special which, int lane) const {
    const int tid = warp_ * kLanes + lane;
    switch (which) {
      case isa::Special::Tid: return tid;
      case isa::Special::Ctaid: return ctaid_;
      case isa::Special::Ntid: return launch_.threads;
      case isa::Special::Nctaid: return launch_.thread_blocks;
      case isa::Special::Gtid: return ctaid_ * launch_.threads + tid;
      case isa::Special::Lane: return lane;
      case isa::Special::Warp: return warp_;
      case isa::Special::Mask: return mask_;
    }
    return 0;
  }

  bool truth(int code, bool negate, int lane, const Visit& visit) {
    bool holds = true;
    if (code >= 1 && code <= 4) holds = thread(lane).predicates[code - 1];
    if (code >= 5) holds = visit.slots[code - 5].predicate;
    return holds != negate;
  }

  void readMemory(const Slot& slot, const PlainKind& kind, int index, Visit& visit, PlainIn& in) {
    const std::uint32_t base = slot.base_parameter
                                   ? parameter(slot.aux)
                                   : static_cast<std::uint32_t>(static_cast<int>(slot.imm));
    const std::uint32_t factor = slot.scaled ? static_cast<std::uint32_t>(kind.width) : 1;
    Outcome& out = visit.slots[index];
    out.address = base + in.b * factor;
    out.loaded = word(row(slot.space, out.address));
    in.b = out.loaded;
    in.byte = static_cast<int>(out.address % 4);
    if (visit.running && in.guard && !accessible(slot, kind, out.address)) fault_ = true;
  }

  static int row(Space space, std::uint32_t address) {
    return static_cast<int>(space == Space::Shared ? 128 + address / 4 % 64 : address / 4 % 128);
  }
  static bool accessible(const Slot& slot, const PlainKind& kind, std::uint32_t address) {
    if (address % static_cast<std::uint32_t>(kind.width) != 0) return false;
    return slot.space == Space::Shared ? address < 256 : address >= 4 && address < 512;
  }

  void compute(const Slot& slot, int index, const std::array<PlainIn, kLanes>& in, Visits& visits) {
    PlainLanes a{}, b{};
    PlainBits votes{}, running{};
    for (int lane = 0; lane < kLanes; ++lane) {
      a[lane] = in[lane].a;
      b[lane] = in[lane].b;
      votes[lane] = in[lane].guard;
      running[lane] = visits[lane].running;
    }
    auto warp = plainShuffle(slot.op, a, b, slot.aux % 4, slot.aux / 4);
    if (!warp) warp = plainVote(slot.op, votes, running);
    for (int lane = 0; lane < kLanes; ++lane) {
      Outcome& out = visits[lane].slots[index];
      const PlainOut alone = warp
                                 ? PlainOut{warp->r[lane], warp->p[lane]}
                                 : *plainLane(slot.op, divided(slot, in[lane], lane, visits[lane]));
      visits[lane].word =
          plainKind(slot.op).memory >= MemoryKind::Store ? alone.r : visits[lane].word;
      out.result = plainKind(slot.op).result ? alone.r : 0;
      out.predicate = plainPredicate(slot) && alone.p;
    }
  }

  // Quotient and remainder look at slot 1's operands.
  PlainIn divided(const Slot& slot, PlainIn in, int lane, Visit& visit) {
    if (slot.op != isa::Opcode::Quo && slot.op != isa::Opcode::Rem) return in;
    const Slot& division = block().slots[0];
    in.a = value(division.a, division, lane, visit);
    in.b = value(division.b, division, lane, visit);
    in.guard = division.op == isa::Opcode::Div;
    return in;
  }

  // A failed guard.
  void keepOld(const Slot& slot, const PlainKind& kind, int index,
               const std::array<PlainIn, kLanes>& in, Visits& visits) {
    if (kind.guard_is_input) return;
    for (int lane = 0; lane < kLanes; ++lane) {
      Outcome& out = visits[lane].slots[index];
      if (out.guard) continue;
      out.result = kind.result && !kind.c_is_operand ? in[lane].c : 0;
      if (plainPredicate(slot)) out.predicate = thread(lane).predicates[slot.pd];
    }
  }

  // ---- Memory writes. ----

  void writeMemory(const Slot& slot, const PlainKind& kind, int index,
                   const std::array<PlainIn, kLanes>& in, Visits& visits) {
    space_ = slot.space;
    writer_ = index;
    std::map<int, int> first, last;      // the lanes that take part, by row
    std::map<int, std::uint32_t> value;  // of the row, as the turns go by
    for (int lane = 0; lane < kLanes; ++lane) {
      Visit& visit = visits[lane];
      Outcome& out = visit.slots[index];
      if (!visit.running || !out.guard) {
        out.result = 0;
        continue;
      }
      const int here = row(slot.space, out.address);
      const bool is_first = first.emplace(here, lane).second;
      last[here] = lane;
      out.result = kind.result ? out.loaded : 0;
      if (kind.memory == MemoryKind::Replay) {
        visit.replays = !is_first;
        visit.writes = is_first;
      } else if (kind.memory == MemoryKind::Add) {
        if (is_first) value[here] = out.loaded;
        out.result = value[here];
        visit.word = value[here] += in[lane].c;
      }
    }
    if (kind.memory == MemoryKind::Replay) return;
    for (const auto& [unused, lane] : last) visits[lane].writes = true;
  }

  // ---- What leaves the block. ----

  bool commits(const Slot& slot, int index, const Visit& visit) const {
    const bool needs_guard = plainKind(slot.op).c_is_operand;
    return visit.running && !visit.replays && (visit.slots[index].guard || !needs_guard);
  }

  void sendValues(const Visits& visits) {
    for (int index = 0; index < kSlots; ++index) {
      const Slot& slot = block().slots[index];
      if (!slot.live) continue;
      bool all_commit = true, all_equal = true;
      std::uint32_t common = 0;
      bool seen = false;
      for (const Visit& visit : visits) {
        if (!visit.running) continue;
        all_commit = all_commit && commits(slot, index, visit);
        all_equal = all_equal && (!seen || visit.slots[index].result == common);
        common = visit.slots[index].result;
        seen = true;
      }
      if (all_commit && all_equal) send(protocol::TokenKind::Val, slot.rd, 4, common);
      for (int lane = 0; lane < kLanes; ++lane) {
        if (!commits(slot, index, visits[lane])) continue;
        const std::uint32_t result = visits[lane].slots[index].result;
        thread(lane).registers[slot.rd] = result;
        if (!(all_commit && all_equal)) send(protocol::TokenKind::Val, slot.rd, lane, result);
      }
    }
  }

  void sendPredicates(const Visits& visits) {
    for (int index = 0; index < kSlots; ++index) {
      const Slot& slot = block().slots[index];
      if (!slot.plive) continue;
      std::uint32_t bits = 0;
      for (int lane = kLanes - 1; lane >= 0; --lane) {
        const bool kept = thread(lane).predicates[slot.pd];
        const bool now =
            commits(slot, index, visits[lane]) ? visits[lane].slots[index].predicate : kept;
        new_predicates_[slot.pd][lane] = now;
        bits = bits * 2 + (now ? 1 : 0);
      }
      run_.tokens.push_back(Token::pred(slot.pd, bits));
    }
    for (const Slot& slot : block().slots)
      for (int lane = 0; slot.plive && lane < kLanes; ++lane)
        thread(lane).predicates[slot.pd] = new_predicates_[slot.pd][lane];
  }

  void sendMemory(const Visits& visits) {
    for (const Visit& visit : visits) {
      if (!visit.writes) continue;
      const int address = row(space_, visit.slots[writer_].address);
      word(address) = visit.word;
      send(protocol::TokenKind::Mem, address, 0, visit.word);
    }
  }

  // A word in as many parts as its value needs.
  void send(protocol::TokenKind kind, int where, int lane, std::uint32_t word) {
    const int low = kind == protocol::TokenKind::Val ? 10 : 9;
    const auto value = static_cast<std::int64_t>(static_cast<std::int32_t>(word));
    const auto fits = [&](int bits) {
      return value >= -(std::int64_t{1} << (bits - 1)) && value < std::int64_t{1} << (bits - 1);
    };
    const auto piece = [&](int first, int bits) {
      return static_cast<std::uint32_t>((std::uint64_t{word} >> first) % (1ull << bits));
    };
    run_.tokens.push_back(kind == protocol::TokenKind::Val ? Token::val(where, lane, piece(0, low))
                                                           : Token::mem(where, piece(0, low)));
    if (fits(low)) return;
    run_.tokens.push_back(Token::ext(1, piece(low, 13)));
    if (fits(low + 13)) return;
    run_.tokens.push_back(Token::ext(2, piece(low + 13, 13)));
  }

  // ---- Where threads go. ----

  struct Target {
    Status status;
    int block;
  };

  std::array<Target, kLanes> targetsOf(const Visits& visits) {
    const isa::Header& h = block().header;
    std::array<Target, kLanes> targets{};
    for (int lane = 0; lane < kLanes; ++lane) {
      const Visit& visit = visits[lane];
      bool holds = h.condition.code < 4 ? thread(lane).predicates[h.condition.code]
                                        : visit.slots[h.condition.code - 4].predicate;
      if (h.condition.negate) holds = !holds;
      targets[lane] = visit.replays ? Target{Status::Ready, number_} : target(h, holds);
    }
    return targets;
  }

  static Target target(const isa::Header& h, bool holds) {
    switch (h.kind) {
      case Terminator::Jump: return {Status::Ready, h.target};
      case Terminator::Branch: return {Status::Ready, holds ? h.target : h.other};
      case Terminator::ExitIf: return {holds ? Status::Ended : Status::Ready, h.target};
      case Terminator::Barrier: return {Status::Waiting, h.target};
      case Terminator::Exit:
      case Terminator::Trap: break;
    }
    return {Status::Ended, 0};
  }

  static void move(Thread& t, Target target) {
    t.status = target.status;
    t.block = target.block;
  }

  const MachineCase& launch_;
  PlainRun run_;
  std::int64_t budget_ = 0;
  std::array<Thread, kLanes * kWarps> threads_;
  std::array<std::array<bool, kLanes>, 4> new_predicates_{};
  int ctaid_ = 0, warp_ = 0;
  // Of the running block:
  int number_ = 0, writer_ = 0;
  std::uint32_t mask_ = 0;
  bool fault_ = false;
  Space space_ = Space::None;
};

}  // namespace

PlainRun runPlain(const MachineCase& launch, std::int64_t budget) {
  return Executor(launch).run(budget);
}

}  // namespace qgpu::isatest
