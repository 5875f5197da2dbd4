#include <fmt/format.h>

#include <string>

#include "fuzz/commit.h"
#include "fuzz/ledger.h"
#include "interpreter/base/mapped_file.h"
#include "interpreter/base/sha256.h"

namespace qgpu::fuzz {
namespace {

constexpr std::size_t kHashDigits = 16;  // enough to tell the builds of one tree apart

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

// A commit does not say what a build of an altered tree is made of; the program itself does.
std::string ownHash() {
  const auto program = MappedFile::open("/proc/self/exe");
  if (!program) return "unreadable";
  Sha256 hash;
  hash.add(program->bytes());
  return hash.hex().substr(0, kHashDigits);
}

}  // namespace

Program thisProgram() {
  std::string commit = *kCommit == '\0' ? "unknown" : kCommit;
  if (kIsAltered) commit += "+altered." + ownHash();
  return {std::move(commit), compiler()};
}

}  // namespace qgpu::fuzz
