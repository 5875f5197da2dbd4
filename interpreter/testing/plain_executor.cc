#include "interpreter/testing/plain_executor.h"

#include <algorithm>

#include "interpreter/testing/plain_block.h"

namespace qgpu::isatest {
namespace {

using isa::Terminator;
using protocol::Token;
using protocol::TokenKind;

constexpr int kWarps = 8;

class Executor {
 public:
  Executor(const MachineCase& launch, const Meaning& meaning) : launch_(launch), meaning_(meaning) {
    for (const protocol::MemoryWord& m : launch.memory) memory_[m.address] = m.value;
  }

  PlainRun run(std::int64_t budget) {
    budget_ = budget;
    for (ctaid_ = 0; ctaid_ < launch_.thread_blocks && goesOn(); ++ctaid_) {
      if (ctaid_ > 0) write(Token::cta(ctaid_, launch_.threads));
      runThreadBlock();
    }
    if (run_.ending == Ending::Halted) write(Token::halt());
    if (run_.ending == Ending::Trapped) write(Token::trap());
    std::copy_n(memory_.begin(), run_.global.size(), run_.global.begin());
    std::copy_n(memory_.begin() + 128, run_.shared.size(), run_.shared.begin());
    return std::move(run_);
  }

 private:
  using Status = Thread::Status;

  bool goesOn() const { return run_.ending == Ending::Halted; }
  void write(const Token& token) { run_.tokens.push_back(token); }
  Thread& thread(int lane) { return threads_[warp_ * kLanes + lane]; }

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
    int lowest = kMachine.blocks;
    for (int lane = 0; lane < kLanes; ++lane)
      if (thread(lane).status == status) lowest = std::min(lowest, thread(lane).block);
    return lowest;
  }

  // ---- A block. ----

  void runBlock() {
    if (run_.executions++ == budget_) {
      run_.ending = Ending::OutOfBudget;
      return;
    }
    Place place{launch_, meaning_, ctaid_, warp_, lowestBlock(Status::Ready), {}, {}};
    std::uint32_t mask = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      place.threads[lane] = &thread(lane);
      place.running[lane] =
          thread(lane).status == Status::Ready && thread(lane).block == place.number;
      if (place.running[lane]) mask += 1u << lane;
    }
    write(Token::exec(place.number, warp_, mask));
    PlainBlock block(place, memory_);
    if (block.run())
      leave(place, block);
    else
      run_.ending = Ending::Trapped;
  }

  // What leaves the block, then where the threads go. The targets come first: conditions look at
  // the predicates as they were.
  void leave(const Place& place, const PlainBlock& block) {
    const isa::Block& program = launch_.program.blocks[place.number];
    std::array<Target, kLanes> targets{};
    for (int lane = 0; lane < kLanes; ++lane)
      targets[lane] = target(program.header, place.number, block.visit(lane), lane);
    for (int index = 0; index < kSlots; ++index)
      if (program.slots[index].live) sendValues(place, block, index, program.slots[index].rd);
    for (int index = 0; index < kSlots; ++index)
      if (program.slots[index].plive) sendPredicate(block, index, program.slots[index].pd);
    for (int lane = 0; lane < kLanes; ++lane)
      if (const Visit& visit = block.visit(lane); visit.writes) {
        memory_[*visit.writes] = visit.word;
        send(TokenKind::Mem, *visit.writes, 0, visit.word);
      }
    for (int lane = 0; lane < kLanes; ++lane)
      if (place.running[lane]) {
        thread(lane).status = targets[lane].status;
        thread(lane).block = targets[lane].block;
      }
  }

  // One token for all threads that run, where they all commit one value.
  void sendValues(const Place& place, const PlainBlock& block, int index, int rd) {
    const auto result = [&](int lane) { return block.visit(lane).slots[index].result; };
    int first = -1;
    bool together = true;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!place.running[lane]) continue;
      if (first < 0) first = lane;
      together = together && block.commits(index, lane) && result(lane) == result(first);
    }
    if (together) send(TokenKind::Val, rd, 4, result(first));
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!block.commits(index, lane)) continue;
      thread(lane).registers[rd] = result(lane);
      if (!together) send(TokenKind::Val, rd, lane, result(lane));
    }
  }

  void sendPredicate(const PlainBlock& block, int index, int pd) {
    std::uint32_t bits = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      bool& predicate = thread(lane).predicates[pd];
      if (block.commits(index, lane)) predicate = block.visit(lane).slots[index].predicate;
      if (predicate) bits += 1u << lane;
    }
    write(Token::pred(pd, bits));
  }

  // A word in as many parts as its value needs.
  void send(TokenKind kind, int where, int lane, std::uint32_t word) {
    const int low = kind == TokenKind::Val ? 10 : 9;
    const auto value = static_cast<std::int64_t>(static_cast<std::int32_t>(word));
    const auto fits = [&](int bits) {
      return value >= -(std::int64_t{1} << (bits - 1)) && value < std::int64_t{1} << (bits - 1);
    };
    const auto piece = [&](int first, int bits) {
      return static_cast<std::uint32_t>((std::uint64_t{word} >> first) % (1ull << bits));
    };
    write(kind == TokenKind::Val ? Token::val(where, lane, piece(0, low))
                                 : Token::mem(where, piece(0, low)));
    if (fits(low)) return;
    write(Token::ext(1, piece(low, 13)));
    if (fits(low + 13)) return;
    write(Token::ext(2, piece(low + 13, 13)));
  }

  // ---- Where threads go. ----

  struct Target {
    Status status = Status::Ended;
    int block = 0;
  };

  Target target(const isa::Header& h, int number, const Visit& visit, int lane) {
    if (visit.replays) return {Status::Ready, number};
    const int code = h.condition.code;
    const bool truth = code < 4 ? thread(lane).predicates[code] : visit.slots[code - 4].predicate;
    const bool holds = truth != h.condition.negate;
    switch (h.kind) {
      case Terminator::Jump: return {Status::Ready, h.target};
      case Terminator::Branch: return {Status::Ready, holds ? h.target : h.other};
      case Terminator::ExitIf: return {holds ? Status::Ended : Status::Ready, h.target};
      case Terminator::Barrier: return {Status::Waiting, h.target};
      case Terminator::Exit:
      case Terminator::Trap: break;
    }
    return {};
  }

  const MachineCase& launch_;
  const Meaning& meaning_;
  PlainRun run_;
  PlainMemory memory_{};
  std::array<Thread, kLanes * kWarps> threads_;
  std::int64_t budget_ = 0;
  int ctaid_ = 0, warp_ = 0;
};

}  // namespace

PlainRun runPlain(const MachineCase& launch, std::int64_t budget, const Meaning& meaning) {
  return Executor(launch, meaning).run(budget);
}

}  // namespace qgpu::isatest
