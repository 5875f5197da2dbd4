#include <fmt/format.h>

#include <algorithm>

#include "tools/api/explain.h"
#include "tools/api/memory.h"
#include "tools/api/qgpu.h"

namespace qgpu {
namespace {

using protocol::Token;

tl::unexpected<Failure> outOfTokens(const Program& program, std::int64_t limit) {
  auto failure =
      trap(fmt::format("the launch did not end within {} tokens", limit),
           "the kernel may never end, or wait for a warp or thread block that comes later: "
           "they run one after another; --max-tokens allows more");
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

std::vector<Token> Recording::trace() const {
  std::vector<Token> all = host;
  all.insert(all.end(), run.written.begin(), run.written.end());
  return all;
}

TokenCounts countTokens(const Recording& recording) {
  TokenCounts counts{.model = static_cast<std::int64_t>(recording.run.written.size()),
                     .host = static_cast<std::int64_t>(recording.host.size())};
  for (const Token& token : recording.run.written)
    ++counts.by_kind[static_cast<std::size_t>(token.kind)];
  return counts;
}

Expected<Result> run(const Program& program, Engine& engine, const RunOptions& options) {
  Recording local;
  Recording& recording = options.recording != nullptr ? *options.recording : local;
  recording.host = protocol::hostTokens(program.image);
  auto engine_run = engine.run(recording.host, {.max_tokens = options.max_tokens,
                                                .check = options.check,
                                                .after_token = options.after_token});
  if (!engine_run) return fail(std::move(engine_run.error()));
  recording.run = std::move(*engine_run);
  if (recording.run.ending == Ending::OutOfTokens) return outOfTokens(program, options.max_tokens);
  if (recording.run.ending == Ending::Trapped)
    return fail(explainTrap(program, recording.host, recording.run.written));
  Result result;
  result.arrays = readArrays(program, recording.run.global);
  for (const launch::Parameter& p : program.launch.parameters)
    if (p.kind == launch::ParameterKind::Array) result.types[p.name] = p.type;
  result.tokens = countTokens(recording);
  result.check = recording.run.check;
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
