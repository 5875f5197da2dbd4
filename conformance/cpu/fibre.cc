#include "conformance/cpu/fibre.h"

#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace qgpu::cpu {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

Fibre* g_running = nullptr;

void announceSwitch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* stack,
                    [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake_stack, stack, size);
#endif
}

void confirmSwitch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** old_stack,
                   [[maybe_unused]] std::size_t* old_size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, old_stack, old_size);
#endif
}

}  // namespace

Fibre::Fibre(std::function<void()> body)
    : body_(std::move(body)), stack_(std::make_unique_for_overwrite<char[]>(kStackBytes)) {
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_.get();
  inside_.uc_stack.ss_size = kStackBytes;
  inside_.uc_link = nullptr;
  makecontext(&inside_, &Fibre::enter, 0);
}

bool Fibre::resume() {
  if (finished_) return false;
  Fibre* const previous = std::exchange(g_running, this);
  switchIn();
  g_running = previous;
  return !finished_;
}

void Fibre::suspend() { g_running->switchOut(); }

void Fibre::switchIn() {
  void* fake_stack = nullptr;
  announceSwitch(&fake_stack, stack_.get(), kStackBytes);
  swapcontext(&outside_, &inside_);
  confirmSwitch(fake_stack, nullptr, nullptr);
}

void Fibre::switchOut() {
  // A finished fibre gives its fake stack back.
  announceSwitch(finished_ ? nullptr : &own_fake_stack_, outside_stack_, outside_stack_size_);
  swapcontext(&inside_, &outside_);
  confirmSwitch(own_fake_stack_, &outside_stack_, &outside_stack_size_);
}

void Fibre::enter() {
  Fibre* const self = g_running;
  confirmSwitch(nullptr, &self->outside_stack_, &self->outside_stack_size_);
  self->body_();
  self->finished_ = true;
  self->switchOut();
}

}  // namespace qgpu::cpu
