#include <fmt/format.h>

#include <charconv>

#include "interpreter/base/json.h"
#include "tools/chat/tool/tool.h"

namespace qgpu::chat {
namespace {

constexpr std::int64_t kMostTokens = 200'000;  // of a launch: some seconds

constexpr std::string_view kKernelInstructions =
    "You compute on a small GPU with the function cuda: you write a CUDA kernel, it runs exactly "
    "as "
    "written, and the arrays it changed come back. Never work out a number yourself. If the call "
    "returns an error, correct the kernel and call again. Then answer in one short sentence with "
    "the numbers that came back.\n"
    "The GPU has 32-bit int and unsigned, no float and no printf. A thread block has at most 32 "
    "threads, a launch at most 128, and all arrays together at most 126 elements. A value that "
    "several threads add to needs atomicAdd. Guard every thread: if (i < n).\n"
    "Example of a kernel that sums an array:\n"
    "__global__ void total(const int *a, int *out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) atomicAdd(out, a[i]);\n"
    "}\n"
    "with grid 1, block 4 and arguments {\"a\": [1, 2, 3, 4], \"out\": [0], \"n\": 4}";

nlohmann::ordered_json describeKernelTool() {
  using Object = nlohmann::ordered_json;
  const auto parameter = [](std::string_view type, std::string_view description) {
    return Object{{"type", type}, {"description", description}};
  };
  const Object properties = {
      {"kernel", parameter("string", "One __global__ function in CUDA C++")},
      {"grid", parameter("integer", "Thread blocks, 1 to 128")},
      {"block", parameter("integer", "Threads in each block, 1 to 32")},
      {"arguments",
       parameter("object",
                 "An entry for each parameter of the kernel by its name: a list for an "
                 "array (results as zeros), a number for an int")}};
  return {{"type", "function"},
          {"function",
           {{"name", "cuda"},
            {"description", "Runs a CUDA kernel on the GPU and returns the arrays it can change"},
            {"parameters",
             {{"type", "object"},
              {"properties", properties},
              {"required", Object::array({"kernel", "grid", "block", "arguments"})}}}}}};
}

Expected<std::uint32_t> readSize(std::string_view name, std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0)
    return refuse(fmt::format("{} is not a positive number", name));
  return value;
}

// {"a": [1, 2], "n": 3} as the command line has it: "a=1,2,", "n=3". A comma at the end makes a
// list of one a list.
Expected<std::vector<std::string>> readArguments(std::string_view text) {
  const auto object = parseJson(text, "arguments", 4);
  if (!object) return fail(object.error());
  const auto wrong = [](const std::string& name) {
    return refuse(fmt::format("argument {} is neither an integer nor a list of integers", name),
                  "write {\"a\": [1, 2, 3], \"n\": 3}");
  };
  if (!object->is_object()) return wrong("1");
  std::vector<std::string> arguments;
  for (const auto& [name, value] : object->items()) {
    std::string argument = name + '=';
    if (value.is_array()) {
      if (value.empty()) return wrong(name);
      for (const auto& element : value) {
        if (!element.is_number_integer()) return wrong(name);
        argument += element.dump() + ',';
      }
      if (value.size() > 1) argument.pop_back();
    } else {
      if (!value.is_number_integer()) return wrong(name);
      argument += value.dump();
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::string listText(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return '[' + text + ']';
}

class KernelTool : public Tool {
 public:
  explicit KernelTool(Engine& engine) : engine_(engine) {}

  std::string_view instructions() const override { return kKernelInstructions; }
  const nlohmann::ordered_json& description() const override { return description_; }
  const CallGrammar& grammar() const override { return grammar_; }

  ToolResult run(const model::ToolCall& call) override {
    auto result = tryRun(call);
    return result ? std::move(*result) : ToolResult{.response = result.error().text()};
  }

 private:
  Expected<ToolResult> tryRun(const model::ToolCall& call) {
    const std::string* source = parameterOf(call, "kernel");
    const std::string* grid = parameterOf(call, "grid");
    const std::string* block = parameterOf(call, "block");
    const std::string* arguments = parameterOf(call, "arguments");
    if (call.name != "cuda" || !source || !grid || !block || !arguments)
      return refuse("call cuda with kernel, grid, block and arguments");
    const auto kernel = loadKernel({.text = *source, .file_name = "kernel.cu"});
    if (!kernel) return fail(kernel.error());
    const auto program = prepare(*kernel, *grid, *block, *arguments);
    if (!program) return fail(program.error());
    Launched launched{*program, {}};
    const auto result =
        qgpu::run(*program, engine_, {.max_tokens = kMostTokens, .recording = &launched.recording});
    if (!result) return fail(result.error());
    ToolResult done{.good = true, .response = {}};
    for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
      const launch::Parameter& p = program->launch.parameters[i];
      if (p.kind != launch::ParameterKind::Array || kernel->parameters[i].read_only) continue;
      const std::vector<std::int64_t> values = result->integers(p.name);
      done.response +=
          fmt::format("{}{} = {}", done.response.empty() ? "" : "\n", p.name, listText(values));
      done.values.emplace_back(p.name, values);
    }
    if (done.values.empty()) return refuse("the kernel has no array that it can change");
    done.launches.push_back(std::move(launched));
    return done;
  }

  static Expected<Program> prepare(const Kernel& kernel, std::string_view grid,
                                   std::string_view block, std::string_view arguments) {
    const auto blocks = readSize("grid", grid);
    const auto threads = readSize("block", block);
    if (!blocks || !threads) return fail(blocks ? threads.error() : blocks.error());
    const auto values = readArguments(arguments);
    if (!values) return fail(values.error());
    auto parameters = bindArguments(kernel, *values);
    if (!parameters) return fail(parameters.error());
    launch::Launch launch;
    launch.kernel = kernel.file_name;
    launch.entry = kernel.name;
    launch.grid = {*blocks, 1, 1};
    launch.block = {*threads, 1, 1};
    launch.parameters = std::move(*parameters);
    return compile(kernel, launch);
  }

  nlohmann::ordered_json description_ = describeKernelTool();
  CallGrammar grammar_ = CallGrammar::kernel("cuda");
  Engine& engine_;
};

}  // namespace

std::unique_ptr<Tool> kernelTool(Engine& engine) { return std::make_unique<KernelTool>(engine); }

}  // namespace qgpu::chat
