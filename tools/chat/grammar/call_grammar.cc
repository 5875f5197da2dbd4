#include "tools/chat/grammar/call_grammar.h"

#include <fmt/format.h>

#include "interpreter/isa/machine_parameters.h"

namespace qgpu::chat {
namespace {

constexpr std::int64_t kKernelBytes = 8192;

std::string opened(std::string_view parameter) {
  return fmt::format("<parameter={}>\n", parameter);
}

constexpr std::string_view kTerminator = "</parameter>";
constexpr std::string_view kClosed = "\n</parameter>\n";
constexpr std::string_view kEnd = "</function>\n";

}  // namespace

void CallGrammar::add(Part part) { parts_.push_back(std::move(part)); }

CallGrammar CallGrammar::expression(std::string_view function, std::string_view parameter) {
  CallGrammar grammar;
  grammar.add({.text = fmt::format("\n<function={}>\n{}", function, opened(parameter))});
  grammar.add({.kind = Part::Kind::Expression});
  grammar.add({.text = fmt::format("{}{}", kClosed, kEnd)});
  return grammar;
}

CallGrammar CallGrammar::kernel(std::string_view function) {
  CallGrammar grammar;
  const auto number = [&](std::string_view parameter, std::int64_t high) {
    grammar.add({.text = opened(parameter)});
    grammar.add({.kind = Part::Kind::Integer, .low = 1, .high = high});
    grammar.add({.text = std::string(kClosed)});
  };
  grammar.add({.text = fmt::format("\n<function={}>\n{}", function, opened("kernel"))});
  grammar.add({.kind = Part::Kind::Text, .text = std::string(kTerminator), .high = kKernelBytes});
  grammar.add({.text = "\n"});
  number("grid", kMachine.launch_threads);
  number("block", kMachine.blockThreads());
  grammar.add({.text = opened("arguments")});
  grammar.add({.kind = Part::Kind::Arguments});
  grammar.add({.text = fmt::format("{}{}", kClosed, kEnd)});
  return grammar;
}

Recogniser::State Recogniser::beginning(const CallGrammar::Part& part) {
  switch (part.kind) {
    case CallGrammar::Part::Kind::Expression: return ExpressionRecogniser();
    case CallGrammar::Part::Kind::Text:
      return TextRecogniser(part.text, static_cast<std::size_t>(part.high));
    case CallGrammar::Part::Kind::Integer: return IntegerRecogniser(part.low, part.high);
    case CallGrammar::Part::Kind::Arguments: return ArgumentsRecogniser();
    default: return Fixed{part.text};
  }
}

void Recogniser::begin(std::size_t part) {
  part_ = part;
  if (!complete()) state_ = beginning(grammar_->parts_[part]);
}

bool Recogniser::accept(char byte) {
  if (complete()) return false;
  const auto complete_state = [&] {
    return std::visit([](const auto& state) { return state.complete(); }, state_);
  };
  const auto kind = grammar_->parts_[part_].kind;
  if (!std::visit([&](auto& state) { return state.accept(byte); }, state_)) {
    // A part that may end here does so where the next one can begin.
    if (!complete_state()) return false;
    const CallGrammar::Part& next = grammar_->parts_[part_ + 1];
    if (next.text[0] != byte) return false;
    begin(part_ + 1);
    return std::get<Fixed>(state_).accept(byte);
  }
  const bool knows_its_end =
      kind == CallGrammar::Part::Kind::Fixed || kind == CallGrammar::Part::Kind::Text;
  if (knows_its_end && complete_state()) begin(part_ + 1);
  return true;
}

bool Recogniser::accept(std::string_view bytes) {
  for (const char byte : bytes)
    if (!accept(byte)) return false;
  return true;
}

std::string Recogniser::end() const {
  std::string out;
  if (complete()) return out;
  std::visit([&](const auto& state) { state.close(out); }, state_);
  for (std::size_t i = part_ + 1; i < grammar_->parts_.size(); ++i)
    std::visit([&](const auto& state) { state.close(out); }, beginning(grammar_->parts_[i]));
  return out;
}

}  // namespace qgpu::chat
