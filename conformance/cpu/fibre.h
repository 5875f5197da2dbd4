// A fibre: a function with a stack of its own that can stop in the middle and go on later. All
// fibres of a program run on the thread that resumes them, one at a time.
//
//   Fibre fibre([] { puts("a"); Fibre::suspend(); puts("b"); });
//   fibre.resume();   // prints a, returns true
//   fibre.resume();   // prints b, returns false: finished
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace qgpu::cpu {

class Fibre {
 public:
  explicit Fibre(std::function<void()> body);
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  // Runs the body up to its next `suspend` or to its end; true while there is more to run. A fibre
  // that is dropped before its end never runs the destructors on its stack.
  bool resume();

  // Stops the running fibre; `resume` then returns. Only inside a fibre.
  static void suspend();

 private:
  static void enter();
  void switchIn();
  void switchOut();

  std::function<void()> body_;
  std::unique_ptr<char[]> stack_;
  ucontext_t inside_{};
  ucontext_t outside_{};
  bool finished_ = false;
  // What AddressSanitizer must be told at each switch.
  void* own_fake_stack_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_stack_size_ = 0;
};

}  // namespace qgpu::cpu
