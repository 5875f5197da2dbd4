#include "interpreter/base/failure.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace qgpu {

std::string Location::text() const {
  if (line == 0) return file;
  if (column == 0) return fmt::format("{}:{}", file, line);
  return fmt::format("{}:{}:{}", file, line, column);
}

std::string Failure::text() const {
  const std::string where = location.text();
  const std::string label = kind == FailureKind::Refusal ? "error" : std::string(name(kind));
  return fmt::format("{}{}{}: {}{}{}", where, where.empty() ? "" : ": ", label, message,
                     hint.empty() ? "" : "; ", hint);
}

int exitStatus(FailureKind kind) {
  switch (kind) {
    case FailureKind::Refusal: return 2;
    case FailureKind::Trap: return 3;
    case FailureKind::Bug: break;
  }
  return 4;
}

std::string_view name(FailureKind kind) {
  switch (kind) {
    case FailureKind::Refusal: return "refusal";
    case FailureKind::Trap: return "trap";
    case FailureKind::Bug: break;
  }
  return "bug";
}

void bug(std::string_view belief, std::source_location where) {
  std::fputs(fmt::format("bug: {} ({}:{})\n", belief, where.file_name(), where.line()).c_str(),
             stderr);
  std::fflush(nullptr);
  std::_Exit(exitStatus(FailureKind::Bug));
}

}  // namespace qgpu
