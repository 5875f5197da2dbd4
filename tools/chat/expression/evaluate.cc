#include "tools/chat/expression/evaluate.h"

#include <fmt/format.h>

#include "tools/chat/embedded.h"
#include "tools/chat/expression/recipe.h"

namespace qgpu::chat {
namespace {

// The comment behind the trap that ended a launch: "// division by zero".
std::string reasonOf(const Failure& failure, std::string_view source) {
  for (int line = 1; line < failure.location.line && !source.empty(); ++line)
    source.remove_prefix(std::min(source.find('\n'), source.size() - 1) + 1);
  const std::string_view line = source.substr(0, source.find('\n'));
  const std::size_t comment = line.find("// ");
  return comment == line.npos ? failure.message : std::string(line.substr(comment + 3));
}

Value firstElements(const Result& result, const std::string& array, const Shape& shape) {
  const std::vector<std::int64_t> all = result.integers(array);
  check(all.size() >= shape.count(), "the result array holds the result");
  Value value{shape, {}};
  for (std::size_t i = 0; i < shape.count(); ++i)
    value.elements.push_back(static_cast<std::int32_t>(all[i]));
  return value;
}

}  // namespace

Expected<Outcome> Calculator::evaluate(const Expression& expression) {
  Outcome outcome;
  std::vector<Value> values;
  for (const Step& step : expression.steps) {
    if (step.operation == Operation::Literal) {
      values.push_back(step.literal);
      continue;
    }
    std::vector<Value> operands;
    for (const std::size_t operand : step.operands) operands.push_back(values[operand]);
    auto value = apply(step, operands, outcome);
    if (!value) return fail(std::move(value.error()));
    values.push_back(std::move(*value));
  }
  outcome.value = std::move(values.back());
  return outcome;
}

Expected<Value> Calculator::apply(const Step& step, const std::vector<Value>& operands,
                                  Outcome& outcome) {
  const Recipe recipe = recipeFor(step, operands);
  const auto compiled = kernel(recipe.file, recipe.entry);
  if (!compiled) return fail(compiled.error());
  launch::Launch launch;
  launch.kernel = recipe.file;
  launch.entry = recipe.entry;
  launch.grid = recipe.grid();
  launch.block = recipe.block();
  launch.parameters = recipe.parameters;
  auto program = compile(**compiled, launch);
  if (!program) return fail(std::move(program.error()));
  Recording recording;
  auto result = run(*program, engine_, {.recording = &recording});
  if (!result) {
    Failure failure = result.error();
    if (failure.kind == FailureKind::Trap) {
      failure.message = reasonOf(failure, embeddedFile("kernels/" + recipe.file));
      failure.hint.clear();
      failure.location = step.where;
    }
    return fail(std::move(failure));
  }
  outcome.launches.push_back({std::move(*program), std::move(recording)});
  return firstElements(*result, recipe.result, step.shape);
}

Expected<const Kernel*> Calculator::kernel(const std::string& file, const std::string& entry) {
  const std::string key = file + ' ' + entry;
  auto found = kernels_.find(key);
  if (found == kernels_.end()) {
    auto loaded = loadKernel(
        {.text = std::string(embeddedFile("kernels/" + file)), .file_name = file}, entry);
    if (!loaded) return fail(std::move(loaded.error()));
    found = kernels_.emplace(key, std::move(*loaded)).first;
  }
  return &found->second;
}

}  // namespace qgpu::chat
