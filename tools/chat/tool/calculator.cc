#include <fmt/format.h>

#include "tools/chat/expression/evaluate.h"
#include "tools/chat/tool/tool.h"

namespace qgpu::chat {
namespace {

constexpr std::string_view kCalculatorInstructions =
    "You compute with the function calculate, which runs on a GPU. Never work out a number "
    "yourself: whenever a question needs one, write the whole computation as one expression, call "
    "calculate, and answer in one short sentence with the result that it returned.";

constexpr std::string_view kCalculatorDescription =
    "Computes an expression over integers and lists of integers on the GPU, exactly. "
    "Lists are written out: [1, 2, 3]; matrices are lists of rows: [[1, 2], [3, 4]]. "
    "Element by element: + - * / % and == != < <= > >= (1 or 0); / drops the fraction. "
    "@ is the dot product of two lists and the matrix product. "
    "Functions: sum, prod, min, max, count, sort, reverse, scan (running sums), abs, dot, matmul, "
    "transpose. There are no variables.";

nlohmann::ordered_json describeCalculator() {
  using Object = nlohmann::ordered_json;
  const Object expression = {
      {"type", "string"},
      {"description", "For example: sum([3, 1, 2] * [4, 5, 6]) or [1, 2] @ [3, 4]"}};
  return {{"type", "function"},
          {"function",
           {{"name", "calculate"},
            {"description", kCalculatorDescription},
            {"parameters",
             {{"type", "object"},
              {"properties", {{"expression", expression}}},
              {"required", Object::array({"expression"})}}}}}};
}

class CalculatorTool : public Tool {
 public:
  explicit CalculatorTool(Engine& engine) : calculator_(engine) {}

  std::string_view instructions() const override { return kCalculatorInstructions; }
  const nlohmann::ordered_json& description() const override { return description_; }
  const CallGrammar& grammar() const override { return grammar_; }

  ToolResult run(const model::ToolCall& call) override {
    const std::string* text = parameterOf(call, "expression");
    if (call.name != "calculate" || text == nullptr || call.arguments.size() != 1)
      return {.response = "error: call calculate with one parameter, expression"};
    const auto expression = parseExpression(*text);
    if (!expression) return {.response = expression.error().text()};
    auto outcome = calculator_.evaluate(*expression);
    if (!outcome) return {.response = outcome.error().text()};
    const auto& elements = outcome->value.elements;
    return {.good = true,
            .response = outcome->value.text(),
            .values = {{"", {elements.begin(), elements.end()}}},
            .launches = std::move(outcome->launches)};
  }

 private:
  nlohmann::ordered_json description_ = describeCalculator();
  CallGrammar grammar_ = CallGrammar::expression("calculate", "expression");
  Calculator calculator_;
};

}  // namespace

std::unique_ptr<Tool> calculatorTool(Engine& engine) {
  return std::make_unique<CalculatorTool>(engine);
}

const std::string* parameterOf(const model::ToolCall& call, std::string_view name) {
  for (const auto& [key, value] : call.arguments)
    if (key == name) return value.get_ptr<const std::string*>();
  return nullptr;
}

}  // namespace qgpu::chat
