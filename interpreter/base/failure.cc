#include "interpreter/base/failure.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "interpreter/base/bug_reporter.h"

namespace qgpu {
namespace {

void sayOnStandardError(const Failure& failure) {
  std::fputs((failure.text() + '\n').c_str(), stderr);
}

// A message may quote what a hostile file holds. Bytes that a terminal would act on, save for line
// ends and tabs, are spelled out.
std::string withoutControls(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool acts = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    acts ? safe += fmt::format("\\x{:02x}", byte) : safe += c;
  }
  return safe;
}

BugReporter& bugReporter() {
  static BugReporter reporter = sayOnStandardError;
  return reporter;
}

}  // namespace

std::string Location::text() const {
  if (line == 0) return file;
  if (column == 0) return fmt::format("{}:{}", file, line);
  return fmt::format("{}:{}:{}", file, line, column);
}

std::string Failure::text() const {
  const std::string where = location.text();
  const std::string label = kind == FailureKind::Refusal ? "error" : std::string(name(kind));
  return withoutControls(fmt::format("{}{}{}: {}{}{}", where, where.empty() ? "" : ": ", label,
                                     message, hint.empty() ? "" : "; ", hint));
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

void setBugReporter(BugReporter reporter) { bugReporter() = reporter; }

void bug(std::string_view belief, std::source_location where) {
  Failure failure;
  failure.kind = FailureKind::Bug;
  failure.location.file = where.file_name();
  failure.location.line = static_cast<int>(where.line());
  failure.message = belief;
  bugReporter()(failure);
  std::fflush(nullptr);
  std::_Exit(exitStatus(FailureKind::Bug));
}

}  // namespace qgpu
