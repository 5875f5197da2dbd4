#include "tools/qgpu/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "interpreter/base/bug_reporter.h"
#include "interpreter/base/files.h"

namespace qgpu::cli {
namespace {

constexpr std::size_t kExcerptBytes = std::size_t{1} << 20;
constexpr std::size_t kExcerptColumns = 160;

bool wantsColour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(descriptor) != 0 && (no_colour == nullptr || *no_colour == '\0') &&
         term != nullptr && std::string_view(term) != "dumb";
}

int windowWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int width = columns == nullptr ? 0 : std::atoi(columns);
  return width > 0 ? width : 100;
}

void write(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
}

std::string_view lineOf(std::string_view text, int number) {
  for (; number > 1; --number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// The line and a caret under the column:
//
//     3 |   out[i] = 0.5f * a[i];
//       |            ^
std::string excerpt(const Location& where, bool colour) {
  if (where.line <= 0 || where.file.empty()) return {};
  const auto text = readFile(where.file, kExcerptBytes);
  if (!text) return {};
  std::string line(lineOf(*text, where.line));
  const bool readable = std::ranges::all_of(
      line, [](unsigned char c) { return c == '\t' || (c >= ' ' && c != 0x7f); });
  if (line.empty() || line.size() > kExcerptColumns || !readable) return {};
  std::ranges::replace(line, '\t', ' ');
  const auto bar = [&](std::string_view margin) {
    return styled(fmt::format("{:>6} | ", margin), Style::Blue, colour);
  };
  std::string result = bar(std::to_string(where.line)) + line + '\n';
  if (where.column > 0 && static_cast<std::size_t>(where.column) <= line.size() + 1)
    result += bar("") + std::string(static_cast<std::size_t>(where.column - 1), ' ') +
              styled("^", Style::Green, colour) + '\n';
  return result;
}

std::string_view heading(FailureKind kind) {
  switch (kind) {
    case FailureKind::Trap: return "trap: ";
    case FailureKind::Bug: return "bug in qgpu: ";
    default: return "error: ";
  }
}

}  // namespace

std::string styled(std::string_view text, Style style, bool on) {
  if (!on || style == Style::Plain) return std::string(text);
  constexpr std::string_view kCodes[] = {"0", "1", "2", "1;31", "32", "33", "34", "36"};
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<int>(style)], text);
}

Terminal Terminal::standard(bool json) {
  Terminal terminal;
  terminal.json_ = json;
  terminal.colour_out_ = wantsColour(STDOUT_FILENO);
  terminal.colour_error_ = wantsColour(STDERR_FILENO);
  terminal.width_ = windowWidth();
  return terminal;
}

void Terminal::print(std::string_view text) const {
  if (!json_) write(stdout, text);
}

void Terminal::note(std::string_view message) const {
  if (!json_)
    write(stderr, cli::styled("note: ", Style::Cyan, colour_error_) + std::string(message) + '\n');
}

void Terminal::warn(std::string_view message) const {
  write(stderr, cli::styled(message, Style::Yellow, colour_error_) + '\n');
}

void Terminal::complain(const Failure& failure) const {
  std::fflush(stdout);
  const std::string where = failure.location.text();
  std::string text = where.empty() ? "" : cli::styled(where + ": ", Style::Bold, colour_error_);
  text += cli::styled(heading(failure.kind), Style::Red, colour_error_);
  text += cli::styled(failure.message, Style::Bold, colour_error_) + '\n';
  text += excerpt(failure.location, colour_error_);
  if (!failure.hint.empty())
    text += cli::styled("  help: ", Style::Cyan, colour_error_) + failure.hint + '\n';
  write(stderr, text);
}

void Terminal::object(const Json& object) const {
  write(stdout, object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
}

void Terminal::report(const Failure& failure) const {
  complain(failure);
  if (json_) object(failureObject(failure));
}

Json failureObject(const Failure& failure) {
  Json object;
  object["status"] = name(failure.kind);
  object["message"] =
      failure.hint.empty() ? failure.message : failure.message + "; " + failure.hint;
  if (const std::string where = failure.location.text(); !where.empty()) object["location"] = where;
  return object;
}

void reportBugsTo(const Terminal& terminal) {
  static Terminal reporter;
  reporter = terminal;
  setBugReporter([](const Failure& failure) {
    Failure complete = failure;
    complete.hint = "please report it with the command";
    reporter.report(complete);
  });
}

}  // namespace qgpu::cli
