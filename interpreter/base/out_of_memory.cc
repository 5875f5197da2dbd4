#include "interpreter/base/out_of_memory.h"

#include <openssl/crypto.h>
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

// Where nothing is asked for, nothing is an answer.
void* orEnd(void* memory, std::size_t size) {
  if (memory == nullptr && size > 0) outOfMemory();
  return memory;
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
  // OpenSSL goes on without the locks that it found no memory for, into a null pointer.
  CRYPTO_set_mem_functions(
      [](std::size_t size, const char*, int) { return orEnd(std::malloc(size), size); },
      [](void* old, std::size_t size, const char*, int) {
        return orEnd(std::realloc(old, size), size);
      },
      [](void* old, const char*, int) { std::free(old); });
}

}  // namespace qgpu
