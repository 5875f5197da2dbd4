// The chat format of Qwen3.5: a conversation as the text that the model was trained on, and the
// model's answer taken apart again.
//
//   Chat chat;
//   chat.tools = {R"({"type": "function", "function": {...}})"_ordered};
//   chat.messages = {{.role = Role::System, .content = "Be brief."}, {.role = Role::User, .content
//   = "Hi"}}; auto parts = renderChat(chat);                        //
//   Expected<std::vector<TextPart>> auto tokens = tokenizer.encode(*parts);
//
// The rules are those of the chat template that comes with the checkpoints: contents are trimmed, a
// system message stands first, tool results share a user turn, the reasoning of earlier turns is
// dropped. What users and tools wrote is marked Control::AsText, so that nobody can write a control
// token into the conversation; everything else about the text is the template's, byte for byte.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/text/tokenizer.h"

namespace qgpu::model {

enum class Role : unsigned char { System, User, Assistant, Tool };

struct ToolCall {
  std::string name;
  // Strings are written as they are, objects and arrays as JSON, other values as Python's str().
  std::vector<std::pair<std::string, nlohmann::ordered_json>> arguments;
  friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

struct Message {
  Role role = Role::User;
  std::string content = {};
  std::string reasoning = {};             // of an assistant
  std::vector<ToolCall> tool_calls = {};  // of an assistant
  friend bool operator==(const Message&, const Message&) = default;
};

struct Chat {
  // Function descriptions, written in their own key order.
  std::vector<nlohmann::ordered_json> tools = {};
  std::vector<Message> messages = {};
  bool thinking = false;          // whether the answer may begin with reasoning
  bool generation_prompt = true;  // whether the beginning of the answer is appended
};

// The conversation as text. Refused: no user message, a system message that is not the first.
Expected<std::vector<TextPart>> renderChat(const Chat& chat);

// The parts put together, for showing.
std::string chatText(const std::vector<TextPart>& parts);

// What stands in a generated answer (without the end token): reasoning up to "</think>" if there is
// any, content, then tool calls. Argument values are strings, without the one line break that the
// format puts at either end. Refused: a call that is not well-formed, with what is wrong, for the
// model to read.
Expected<Message> parseAnswer(std::string_view answer);

// `value` as Python's json.dumps(value, ensure_ascii=False) writes it.
std::string pythonJson(const nlohmann::ordered_json& value);

}  // namespace qgpu::model
