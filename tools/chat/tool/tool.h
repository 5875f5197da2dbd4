// What the model can call: a description for its prompt, the grammar of its calls, and what a call
// does.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/text/chat.h"
#include "tools/api/engine.h"
#include "tools/chat/grammar/call_grammar.h"
#include "tools/chat/launched.h"

namespace qgpu::chat {

struct ToolResult {
  bool good = false;
  std::string response;  // what the model reads: the result, or what was wrong
  // The arrays that came out, by name; the calculator's only value has none.
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> values = {};
  std::vector<Launched> launches = {};
};

class Tool {
 public:
  virtual ~Tool() = default;

  // The system message that goes with it.
  virtual std::string_view instructions() const = 0;
  // {"type": "function", "function": {...}}, as chat templates take it.
  virtual const nlohmann::ordered_json& description() const = 0;
  virtual const CallGrammar& grammar() const = 0;

  // Never fails: what is wrong with a call is for the model to read.
  virtual ToolResult run(const model::ToolCall& call) = 0;
};

// `engine` must outlive the tool.
// calculate(expression): an expression over list literals (../expression).
std::unique_ptr<Tool> calculatorTool(Engine& engine);
// cuda(kernel, grid, block, arguments): a CUDA kernel that the model writes itself.
std::unique_ptr<Tool> kernelTool(Engine& engine);

// The value of a call's parameter, or null.
const std::string* parameterOf(const model::ToolCall& call, std::string_view name);

}  // namespace qgpu::chat
