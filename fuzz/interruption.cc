#include "fuzz/interruption.h"

#include <atomic>
#include <csignal>

namespace qgpu::fuzz {
namespace {

std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may store it");

extern "C" void note(int signal) { noted = signal; }

}  // namespace

void catchInterruptions() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action{};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

int interruption() { return noted; }

}  // namespace qgpu::fuzz
