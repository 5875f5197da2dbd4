#include <fmt/format.h>

#include <algorithm>

#include "tools/api/explain.h"
#include "tools/api/memory.h"
#include "tools/api/qgpu.h"

namespace qgpu {
namespace {

using protocol::Token;

TokenCounts countTokens(std::size_t host, const std::vector<Token>& written) {
  TokenCounts counts{.model = static_cast<std::int64_t>(written.size()),
                     .host = static_cast<std::int64_t>(host)};
  for (const Token& token : written) ++counts.by_kind[static_cast<std::size_t>(token.kind)];
  return counts;
}

tl::unexpected<Failure> outOfTokens(const Program& program, std::int64_t limit) {
  auto failure = trap(fmt::format("the launch did not end within {} tokens", limit),
                      "the kernel may never end; --max-tokens allows more");
  failure.value().location.file = program.launch.kernel.string();
  return failure;
}

}  // namespace

std::vector<std::int64_t> Result::integers(std::string_view array) const {
  std::vector<std::int64_t> values;
  const auto bytes = arrays.find(std::string(array));
  const auto type = types.find(std::string(array));
  if (bytes == arrays.end() || type == types.end()) return values;
  const std::size_t size = launch::sizeOf(type->second);
  const int unused = 64 - 8 * static_cast<int>(size);
  for (std::size_t i = 0; i < bytes->second.size() / size; ++i) {
    const std::uint64_t bits = launch::elementBits(bytes->second, type->second, i);
    const auto value = static_cast<std::int64_t>(bits << unused) >> unused;
    values.push_back(launch::isSigned(type->second) ? value : static_cast<std::int64_t>(bits));
  }
  return values;
}

Expected<Result> run(const Program& program, Engine& engine, const RunOptions& options) {
  const std::vector<Token> host = protocol::hostTokens(program.image);
  auto run = engine.run(host, {.max_tokens = options.max_tokens, .check = options.check});
  if (!run) return fail(std::move(run.error()));
  if (options.trace != nullptr) {
    *options.trace = host;
    options.trace->insert(options.trace->end(), run->written.begin(), run->written.end());
  }
  if (run->ending == Ending::OutOfTokens) return outOfTokens(program, options.max_tokens);
  if (run->ending == Ending::Trapped) return fail(explainTrap(program, host, run->written));
  Result result;
  result.arrays = readArrays(program, run->global);
  for (const launch::Parameter& p : program.launch.parameters)
    if (p.kind == launch::ParameterKind::Array) result.types[p.name] = p.type;
  result.tokens = countTokens(host.size(), run->written);
  result.check = std::move(run->check);
  return result;
}

Expected<Result> run(const launch::Launch& launch, Engine& engine, const RunOptions& options) {
  const auto source = readSource(launch.kernel);
  if (!source) return fail(source.error());
  const auto kernel = loadKernel(*source, launch.entry);
  if (!kernel) return fail(kernel.error());
  const auto program = compile(*kernel, launch);
  if (!program) return fail(program.error());
  return run(*program, engine, options);
}

}  // namespace qgpu
