// What clang says, collected and put into places of the user's text.
#pragma once

#include <clang/Basic/Diagnostic.h>

#include <string>
#include <string_view>
#include <vector>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {

struct Message {
  clang::DiagnosticsEngine::Level level = clang::DiagnosticsEngine::Error;
  unsigned id = 0;  // clang's number for the kind of message
  std::string text;
  Location location;       // in the user's files; empty file: none known
  bool in_source = false;  // the location is in the source itself, not in a header
  unsigned offset = 0;     // of the location in the source, when in_source
  std::vector<Message> notes;
};

// Places are where the text stands (a macro's use, not its definition), and cannot be changed by
// #line. A message about our own headers gets the place of the user's line that led there.
class DiagnosticCollector : public clang::DiagnosticConsumer {
 public:
  explicit DiagnosticCollector(std::string_view file_name) : file_name_(file_name) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& info) override;

  const std::vector<Message>& messages() const { return messages_; }

  // The place of a location of the source manager, as the user knows it.
  static void locate(const clang::SourceManager& manager, clang::SourceLocation where,
                     std::string_view file_name, Message& message);

 private:
  std::string file_name_;
  std::vector<Message> messages_;
};

// The first error as a Refusal. The hint holds the way out where we know one, clang's notes, and
// the number of errors after it.
Failure asRefusal(const std::vector<Message>& messages);
std::vector<Warning> warningsOf(const std::vector<Message>& messages);

}  // namespace qgpu::cuda
