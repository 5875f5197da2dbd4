// One thread block on the CPU: a fibre for each thread, scheduled in a fixed order, with barriers
// and warp operations as meeting points.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "conformance/cpu/device.h"
#include "conformance/cpu/fibre.h"
#include "conformance/cpu/include/vector_types.h"
#include "interpreter/base/failure.h"

namespace qgpu::cpu {

// The order in which ready threads get their turn. A well-written kernel gives the same results in
// every order.
enum class Order : std::uint8_t {
  Forward,      // from thread 0 up; each runs until it must wait
  Backward,     // from the last thread down; blocks from the last down, too
  Interleaved,  // from thread 0 up; each also gives way after an atomic operation
};

class Block {
 public:
  // `thread` is the kernel's body for the thread that the built-in variables name.
  Block(std::function<void()> thread, dim3 size, Order order);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Runs all threads to their ends. Traps: a deadlock, a misused warp operation, `__trap`.
  Expected<void> run();

  // For the functions of device.h, from inside a thread.
  static Block& running();
  std::uint64_t meetWarp(const WarpRequest& request);
  unsigned convergedLanes(const std::source_location& where);
  void meetBlock();
  void giveWay();
  [[noreturn]] void trapKernel(std::string message);

 private:
  enum class State : std::uint8_t { Ready, AtBarrier, AtWarpOperation, AtConvergence, Done };
  struct Thread {
    uint3 index;
    unsigned number = 0;  // linear, within the block
    State state = State::Ready;
    std::unique_ptr<Fibre> fibre;
    WarpRequest request;
    std::source_location where;
    std::uint64_t result = 0;  // of the operation it waited for
  };

  void waitIn(State state);
  bool runReadyThreads();
  bool releaseWarpOperations();
  bool releaseConvergence();
  bool releaseBarrier();
  bool allDone() const;
  // The threads of the warp that holds thread `number`.
  std::vector<Thread*> warpOf(unsigned number);
  // The lanes that meet in `thread`'s operation, or none while one is still missing.
  std::vector<Thread*> meetingOf(const Thread& thread);
  void finishMeeting(const std::vector<Thread*>& lanes);
  std::string deadlockText() const;

  std::function<void()> body_;
  Order order_;
  std::vector<Thread> threads_;
  Thread* current_ = nullptr;
  std::string trap_;
};

}  // namespace qgpu::cpu
