// The way back: a generated answer taken apart.
#include <fmt/format.h>

#include "model/text/chat.h"
#include "model/text/python_text.h"

namespace qgpu::model {
namespace {

// A text that is read from its front.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool accept(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void skipSpace() {
    const std::size_t at = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(at == rest_.npos ? rest_.size() : at);
  }
  // What stands before `end`, which is read too; false where `end` does not come.
  bool until(std::string_view end, std::string_view& before) {
    const std::size_t at = rest_.find(end);
    if (at == rest_.npos) return false;
    before = rest_.substr(0, at);
    rest_.remove_prefix(at + end.size());
    return true;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

tl::unexpected<Failure> refuseCall(std::string_view what) {
  return refuse(fmt::format("the tool call is not well-formed: {}", what),
                "write <tool_call>, <function=NAME>, one <parameter=KEY> block for each argument, "
                "</function>, </tool_call>");
}

std::string_view withoutOuterLineBreaks(std::string_view value) {
  if (value.starts_with('\n')) value.remove_prefix(1);
  if (value.ends_with('\n')) value.remove_suffix(1);
  return value;
}

// After "<tool_call>".
Expected<ToolCall> readCall(Reader& reader) {
  ToolCall call;
  std::string_view text;
  reader.skipSpace();
  if (!reader.accept("<function=") || !reader.until(">", text) || text.empty())
    return refuseCall("<function=NAME> is missing");
  call.name = text;
  for (reader.skipSpace(); reader.accept("<parameter="); reader.skipSpace()) {
    std::string_view value;
    if (!reader.until(">", text) || text.empty()) return refuseCall("a parameter has no name");
    if (!reader.until("</parameter>", value))
      return refuseCall(fmt::format("parameter {} is not closed", text));
    call.arguments.emplace_back(text, std::string(withoutOuterLineBreaks(value)));
  }
  if (!reader.accept("</function>")) return refuseCall("</function> is missing");
  reader.skipSpace();
  if (!reader.accept("</tool_call>")) return refuseCall("</tool_call> is missing");
  return call;
}

}  // namespace

Expected<Message> parseAnswer(std::string_view answer) {
  Message message{.role = Role::Assistant};
  Reader reader(answer);
  std::string_view text;
  if (reader.until("</think>", text)) {
    if (const std::size_t begin = text.rfind("<think>"); begin != text.npos)
      text.remove_prefix(begin + std::string_view("<think>").size());
    message.reasoning = pythonStrip(text);
  }
  if (!reader.until("<tool_call>", text)) {
    message.content = pythonStrip(reader.rest());
    return message;
  }
  message.content = pythonStrip(text);
  do {
    auto call = readCall(reader);
    if (!call) return fail(call.error());
    message.tool_calls.push_back(std::move(*call));
    reader.skipSpace();
  } while (reader.accept("<tool_call>"));
  if (!reader.rest().empty()) return refuseCall("text follows it");
  return message;
}

}  // namespace qgpu::model
