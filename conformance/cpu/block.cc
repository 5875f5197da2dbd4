#include "conformance/cpu/block.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "conformance/cpu/include/device_variables.h"

uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;
int warpSize = qgpu::cpu::kWarpSize;

namespace qgpu::cpu {
namespace {

Block* g_running = nullptr;

unsigned lanesOfAWarp() { return static_cast<unsigned>(warpSize); }
unsigned laneOf(unsigned number) { return number % lanesOfAWarp(); }

bool isShuffle(WarpOperation operation) {
  return operation >= WarpOperation::ShuffleIndex && operation <= WarpOperation::ShuffleXor;
}

bool sameMeeting(const WarpRequest& a, const WarpRequest& b) {
  return a.operation == b.operation && a.mask == b.mask && a.width == b.width;
}

// The lane that a shuffle reads: PTX ISA, shfl.sync. Past the segment's edge it is the lane itself;
// an index is taken modulo the width.
unsigned sourceLane(unsigned lane, const WarpRequest& request) {
  const unsigned first = lane / request.width * request.width;
  const unsigned last = first + request.width - 1;
  switch (request.operation) {
    case WarpOperation::ShuffleIndex: return first + request.operand % request.width;
    case WarpOperation::ShuffleUp:
      return lane - first < request.operand ? lane : lane - request.operand;
    case WarpOperation::ShuffleDown:
      return last - lane < request.operand ? lane : lane + request.operand;
    default: return (lane ^ request.operand) > last ? lane : lane ^ request.operand;
  }
}

}  // namespace

Block::Block(std::function<void()> thread, dim3 size, Order order)
    : body_(std::move(thread)), order_(order) {
  unsigned number = 0;
  for (unsigned z = 0; z < size.z; ++z)
    for (unsigned y = 0; y < size.y; ++y)
      for (unsigned x = 0; x < size.x; ++x) {
        Thread& added = threads_.emplace_back();
        added.index = {x, y, z};
        added.number = number++;
        added.fibre = std::make_unique<Fibre>(body_);
      }
  g_running = this;
}

Block::~Block() { g_running = nullptr; }

Block& Block::running() { return *g_running; }

Expected<void> Block::run() {
  while (!allDone()) {
    bool progress = runReadyThreads();
    if (!trap_.empty()) return trap(trap_);
    progress |= releaseWarpOperations();
    if (!trap_.empty()) return trap(trap_);
    // Barriers and convergence points open only when nothing else can move.
    if (progress || releaseConvergence() || releaseBarrier() || allDone()) continue;
    return trap(deadlockText());
  }
  return {};
}

bool Block::allDone() const {
  return std::all_of(threads_.begin(), threads_.end(),
                     [](const Thread& t) { return t.state == State::Done; });
}

bool Block::runReadyThreads() {
  bool progress = false;
  for (std::size_t i = 0; i < threads_.size() && trap_.empty(); ++i) {
    Thread& thread = threads_[order_ == Order::Backward ? threads_.size() - 1 - i : i];
    if (thread.state != State::Ready) continue;
    progress = true;
    current_ = &thread;
    threadIdx = thread.index;
    if (!thread.fibre->resume()) thread.state = State::Done;
  }
  return progress;
}

void Block::waitIn(State state) {
  current_->state = state;
  Fibre::suspend();
}

void Block::giveWay() {
  if (order_ == Order::Interleaved) waitIn(State::Ready);
}

void Block::meetBlock() { waitIn(State::AtBarrier); }

std::uint64_t Block::meetWarp(const WarpRequest& request) {
  if ((request.mask >> laneOf(current_->number) & 1) == 0)
    trapKernel("a lane takes part in a warp operation whose mask does not name it");
  if (isShuffle(request.operation) &&
      (request.width > lanesOfAWarp() || !std::has_single_bit(request.width)))
    trapKernel("a shuffle's width is not a power of two up to " + std::to_string(warpSize));
  Thread& self = *current_;
  self.request = request;
  waitIn(State::AtWarpOperation);
  return self.result;
}

unsigned Block::convergedLanes(const std::source_location& where) {
  Thread& self = *current_;
  self.where = where;
  waitIn(State::AtConvergence);
  return static_cast<unsigned>(self.result);
}

void Block::trapKernel(std::string message) {
  trap_ = std::move(message);
  for (;;) Fibre::suspend();
}

std::vector<Block::Thread*> Block::warpOf(unsigned number) {
  std::vector<Thread*> warp;
  const std::size_t lanes = lanesOfAWarp();
  const std::size_t first = number / lanes * lanes;
  for (std::size_t i = first; i < std::min(first + lanes, threads_.size()); ++i)
    warp.push_back(&threads_[i]);
  return warp;
}

std::vector<Block::Thread*> Block::meetingOf(const Thread& thread) {
  std::vector<Thread*> lanes;
  for (Thread* const other : warpOf(thread.number)) {
    const bool named = thread.request.mask >> laneOf(other->number) & 1;
    if (!named || other->state == State::Done) continue;
    if (other->state != State::AtWarpOperation || !sameMeeting(other->request, thread.request))
      return {};
    lanes.push_back(other);
  }
  return lanes;
}

bool Block::releaseWarpOperations() {
  bool progress = false;
  for (const Thread& thread : threads_) {
    if (thread.state != State::AtWarpOperation || !trap_.empty()) continue;
    const auto lanes = meetingOf(thread);
    if (lanes.empty()) continue;
    finishMeeting(lanes);
    progress = true;
  }
  return progress;
}

void Block::finishMeeting(const std::vector<Thread*>& lanes) {
  std::uint64_t ballot = 0;
  std::uint64_t present = 0;
  for (const Thread* const lane : lanes) {
    present |= std::uint64_t{1} << laneOf(lane->number);
    if (lane->request.value != 0) ballot |= std::uint64_t{1} << laneOf(lane->number);
  }
  for (Thread* const lane : lanes) {
    switch (lane->request.operation) {
      case WarpOperation::Sync: break;
      case WarpOperation::VoteAll: lane->result = ballot == present; break;
      case WarpOperation::VoteAny: lane->result = ballot != 0; break;
      case WarpOperation::VoteUniform: lane->result = ballot == present || ballot == 0; break;
      case WarpOperation::Ballot: lane->result = ballot; break;
      default: {
        const unsigned source = sourceLane(laneOf(lane->number), lane->request);
        const auto giver = std::find_if(lanes.begin(), lanes.end(), [source](const Thread* t) {
          return laneOf(t->number) == source;
        });
        if (giver == lanes.end()) {
          trap_ = "a shuffle reads lane " + std::to_string(source) + ", which takes no part in it";
          return;
        }
        lane->result = (*giver)->request.value;
      }
    }
    lane->state = State::Ready;
  }
}

bool Block::releaseConvergence() {
  const auto waits = [](const Thread& t) { return t.state == State::AtConvergence; };
  const auto first = std::find_if(threads_.begin(), threads_.end(), waits);
  if (first == threads_.end()) return false;
  std::vector<Thread*> together;
  std::uint64_t mask = 0;
  for (Thread* const lane : warpOf(first->number)) {
    const std::source_location& where = lane->where;
    if (!waits(*lane) || where.line() != first->where.line() ||
        where.column() != first->where.column())
      continue;
    together.push_back(lane);
    mask |= std::uint64_t{1} << laneOf(lane->number);
  }
  for (Thread* const lane : together) {
    lane->result = mask;
    lane->state = State::Ready;
  }
  return true;
}

bool Block::releaseBarrier() {
  for (const Thread& thread : threads_)
    if (thread.state != State::AtBarrier && thread.state != State::Done) return false;
  bool progress = false;
  for (Thread& thread : threads_) {
    if (thread.state != State::AtBarrier) continue;
    thread.state = State::Ready;
    progress = true;
  }
  return progress;
}

std::string Block::deadlockText() const {
  std::string text = "deadlock:";
  for (const Thread& thread : threads_) {
    if (thread.state == State::AtBarrier)
      text += " thread " + std::to_string(thread.number) + " waits at a barrier;";
    if (thread.state == State::AtWarpOperation)
      text += " thread " + std::to_string(thread.number) + " waits for lanes of mask " +
              std::to_string(thread.request.mask & (0xffffffffu >> (32 - lanesOfAWarp()))) + ";";
  }
  text.pop_back();
  return text;
}

std::uint64_t meetWarp(const WarpRequest& request) { return Block::running().meetWarp(request); }
unsigned convergedLanes(const std::source_location& where) {
  return Block::running().convergedLanes(where);
}
void meetBlock() { Block::running().meetBlock(); }
void afterAtomic() { Block::running().giveWay(); }
void trapKernel() { Block::running().trapKernel("the kernel executed a trap"); }

}  // namespace qgpu::cpu
