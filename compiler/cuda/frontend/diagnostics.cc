#include "compiler/cuda/frontend/diagnostics.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/LexDiagnostic.h>
#include <clang/Parse/ParseDiagnostic.h>
#include <fmt/format.h>

#include <algorithm>

#include "compiler/cuda/frontend/virtual_files.h"
#include "compiler/cuda/join.h"

namespace qgpu::cuda {
namespace {

using Level = clang::DiagnosticsEngine::Level;

constexpr std::size_t kNotesShown = 2;

// Types in messages can be thousands of characters long.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 300;
  if (text.size() <= kLongest) return std::string(text);
  return std::string(text.substr(0, kLongest)) + " ...";
}

bool isError(const Message& message) { return message.level >= Level::Error; }

std::string_view adviceFor(const Message& error) {
  if (error.id == clang::diag::err_pp_file_not_found)
    return "only standard and CUDA headers are known, and nothing is read from disk: paste the "
           "header's text into the source";
  if (error.id == clang::diag::err_gnu_inline_asm_disabled)
    return "inline PTX is not taken: use CUDA's built-in functions, or give the kernel as PTX";
  return {};
}

}  // namespace

void DiagnosticCollector::locate(const clang::SourceManager& manager, clang::SourceLocation where,
                                 std::string_view file_name, Message& message) {
  while (where.isValid()) {
    const auto [file, offset] = manager.getDecomposedExpansionLoc(where);
    const std::string name =
        sourceName(manager.getFilename(manager.getComposedLoc(file, offset)), file_name);
    if (!name.empty()) {
      message.location = {name, static_cast<int>(manager.getLineNumber(file, offset)),
                          static_cast<int>(manager.getColumnNumber(file, offset))};
      message.in_source = file == manager.getMainFileID();
      message.offset = offset;
      return;
    }
    where = manager.getIncludeLoc(file);
  }
}

void DiagnosticCollector::HandleDiagnostic(Level level, const clang::Diagnostic& info) {
  clang::DiagnosticConsumer::HandleDiagnostic(level, info);
  Message message;
  message.level = level;
  message.id = info.getID();
  llvm::SmallString<128> text;
  info.FormatDiagnostic(text);
  message.text = shortened(text.str());
  if (info.hasSourceManager())
    locate(info.getSourceManager(), info.getLocation(), file_name_, message);
  if (level != Level::Note) {
    messages_.push_back(std::move(message));
    return;
  }
  if (messages_.empty()) return;
  Message& owner = messages_.back();
  if (owner.location.file.empty()) {
    owner.location = message.location;
    owner.in_source = message.in_source;
    owner.offset = message.offset;
  }
  owner.notes.push_back(std::move(message));
}

Failure asRefusal(const std::vector<Message>& messages) {
  const auto first = std::ranges::find_if(messages, isError);
  check(first != messages.end(), "a compile that fails says why");
  std::vector<std::string> hints;
  if (const std::string_view advice = adviceFor(*first); !advice.empty())
    hints.emplace_back(advice);
  for (const Message& note : first->notes)
    if (!note.location.file.empty() && hints.size() < kNotesShown)
      hints.push_back(fmt::format("{}: {}", note.location.text(), note.text));
  const auto more = std::ranges::count_if(std::next(first), messages.end(), isError);
  if (more > 0) {
    const auto second = std::find_if(std::next(first), messages.end(), isError);
    hints.push_back(fmt::format("{} more error{}, the next at {}: {}", more, more > 1 ? "s" : "",
                                second->location.text(), second->text));
  }
  return {FailureKind::Refusal, first->location, first->text, join(hints, "; ")};
}

std::vector<Warning> warningsOf(const std::vector<Message>& messages) {
  std::vector<Warning> warnings;
  for (const Message& message : messages)
    if (message.level == Level::Warning) warnings.push_back({message.location, message.text});
  return warnings;
}

}  // namespace qgpu::cuda
