#include "interpreter/base/out_of_memory.h"

#include <unistd.h>

#include <cstdlib>
#include <new>
#include <string_view>

#include "interpreter/base/failure.h"

namespace qgpu {
namespace {

bool speaks_json = false;

// Neither allocates nor fails: there is nobody left to tell.
void say(int descriptor, std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(descriptor, text.data(), text.size());
}

}  // namespace

void outOfMemory() {
  say(STDERR_FILENO, "error: out of memory\n");
  if (speaks_json) say(STDOUT_FILENO, "{\"status\":\"refusal\",\"message\":\"out of memory\"}\n");
  std::_Exit(exitStatus(FailureKind::Refusal));
}

void endWhenOutOfMemory(bool json) {
  speaks_json = json;
  std::set_new_handler(outOfMemory);
}

}  // namespace qgpu
