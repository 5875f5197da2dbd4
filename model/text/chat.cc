#include "model/text/chat.h"

#include "model/text/python_text.h"

namespace qgpu::model {
namespace {

// Interface text: the model was trained on exactly these words.
constexpr std::string_view kToolsHead =
    "# Tools\n\nYou have access to the following functions:\n\n<tools>";
constexpr std::string_view kToolsTail =
    "\n</tools>\n\n"
    "If you choose to call a function ONLY reply in the following format with NO suffix:\n\n"
    "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n"
    "</parameter>\n<parameter=example_parameter_2>\nThis is the value for the second parameter\n"
    "that can span\nmultiple lines\n</parameter>\n</function>\n</tool_call>\n\n"
    "<IMPORTANT>\nReminder:\n"
    "- Function calls MUST follow the specified format: an inner <function=...></function> block "
    "must "
    "be nested within <tool_call></tool_call> XML tags\n"
    "- Required parameters MUST be specified\n"
    "- You may provide optional reasoning for your function call in natural language BEFORE the "
    "function call, but NOT after\n"
    "- If there is no function call available, answer the question like normal with your current "
    "knowledge and do not tell the user about function calls\n"
    "</IMPORTANT>";

// Collects the parts; neighbours of one kind are joined.
class Writer {
 public:
  Writer& control(std::string_view text) { return add(text, Control::Match); }
  Writer& foreign(std::string_view text) { return add(text, Control::AsText); }
  std::vector<TextPart> take() { return std::move(parts_); }

 private:
  Writer& add(std::string_view text, Control control) {
    if (text.empty()) return *this;
    if (parts_.empty() || parts_.back().control != control) parts_.push_back({"", control});
    parts_.back().text += text;
    return *this;
  }
  std::vector<TextPart> parts_;
};

// A user message that only carries tool results is not a question.
bool isQuestion(const Message& message) {
  const std::string_view content = pythonStrip(message.content);
  return message.role == Role::User &&
         !(content.starts_with("<tool_response>") && content.ends_with("</tool_response>"));
}

void writeSystem(const Chat& chat, Writer& out) {
  const bool given = chat.messages.front().role == Role::System;
  if (chat.tools.empty() && !given) return;
  const std::string_view content = given ? pythonStrip(chat.messages.front().content) : "";
  out.control("<|im_start|>system\n");
  if (!chat.tools.empty()) {
    out.control(kToolsHead);
    for (const auto& tool : chat.tools) out.control("\n").foreign(pythonJson(tool));
    out.control(kToolsTail);
    if (!content.empty()) out.control("\n\n");
  }
  out.foreign(content).control("<|im_end|>\n");
}

void writeCall(const ToolCall& call, std::string_view separator, Writer& out) {
  out.control(separator).control("<tool_call>\n<function=").foreign(call.name).control(">\n");
  for (const auto& [name, value] : call.arguments) {
    out.control("<parameter=").foreign(name).control(">\n");
    out.foreign(value.is_structured() ? pythonJson(value) : pythonStr(value));
    out.control("\n</parameter>\n");
  }
  out.control("</function>\n</tool_call>");
}

void writeAssistant(const Message& message, bool with_reasoning, Writer& out) {
  const std::string_view content = pythonStrip(message.content);
  out.control("<|im_start|>assistant\n");
  if (with_reasoning)
    out.control("<think>\n").foreign(pythonStrip(message.reasoning)).control("\n</think>\n\n");
  out.foreign(content);
  std::string_view separator = content.empty() ? "" : "\n\n";
  for (const ToolCall& call : message.tool_calls) {
    writeCall(call, separator, out);
    separator = "\n";
  }
  out.control("<|im_end|>\n");
}

void writeToolResult(const Message& message, bool first, bool last, Writer& out) {
  if (first) out.control("<|im_start|>user");
  out.control("\n<tool_response>\n").foreign(pythonStrip(message.content));
  out.control("\n</tool_response>");
  if (last) out.control("<|im_end|>\n");
}

}  // namespace

Expected<std::vector<TextPart>> renderChat(const Chat& chat) {
  const std::vector<Message>& messages = chat.messages;
  std::size_t last_question = messages.size();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].role == Role::System && i > 0)
      return refuse("a system message stands after another message", "put it first");
    if (messages[i].role == Role::Tool && i == 0)
      return refuse("a tool result stands first", "put a question before it");
    if (isQuestion(messages[i])) last_question = i;
  }
  if (last_question == messages.size())
    return refuse("the conversation has no user message", "ask something");

  Writer out;
  writeSystem(chat, out);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    const auto isTool = [&](std::size_t at) {
      return at < messages.size() && messages[at].role == Role::Tool;
    };
    switch (message.role) {
      case Role::System: break;  // written above
      case Role::User:
        out.control("<|im_start|>user\n").foreign(pythonStrip(message.content));
        out.control("<|im_end|>\n");
        break;
      case Role::Assistant: writeAssistant(message, i > last_question, out); break;
      case Role::Tool: writeToolResult(message, !isTool(i - 1), !isTool(i + 1), out); break;
    }
  }
  if (chat.generation_prompt) {
    out.control("<|im_start|>assistant\n<think>\n");
    if (!chat.thinking) out.control("\n</think>\n\n");
  }
  return out.take();
}

std::string chatText(const std::vector<TextPart>& parts) {
  std::string text;
  for (const TextPart& part : parts) text += part.text;
  return text;
}

}  // namespace qgpu::model
