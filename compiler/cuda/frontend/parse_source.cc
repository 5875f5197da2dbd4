#include "compiler/cuda/frontend/parse_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "compiler/cuda/frontend/host_code.h"
#include "compiler/cuda/join.h"

namespace qgpu::cuda {
namespace {

// How often a host declaration is left out and the rest tried again. Each time takes all
// declarations that fail, so what is left are chains: one that needs another that failed.
constexpr int kHostRounds = 6;

bool isError(const Message& message) { return message.level >= clang::DiagnosticsEngine::Error; }

// A source, and what has been left out of it.
struct Source {
  std::string text;
  std::vector<Warning> omitted;
};

// The host declaration that an error stands in, if it can be left out.
const Declaration* omissibleAt(const Message& error, const std::vector<Declaration>& declarations,
                               const std::vector<unsigned>& device_words) {
  if (!error.in_source) return nullptr;
  for (const Declaration& declaration : declarations) {
    if (error.offset < declaration.begin || error.offset >= declaration.end) continue;
    const bool for_device = std::ranges::any_of(device_words, [&](unsigned offset) {
      return offset >= declaration.begin && offset < declaration.end;
    });
    return for_device || !declaration.omissible ? nullptr : &declaration;
  }
  return nullptr;
}

// Leaves out the host declarations that `parsed` finds errors in. Returns the errors elsewhere.
std::vector<Message> omitFailures(Source& source, const Parsed& parsed) {
  const std::vector<Declaration> declarations = topLevelDeclarations(source.text);
  std::vector<Message> others;
  std::vector<const Declaration*> failing;
  for (const Message& message : parsed.messages) {
    if (!isError(message)) continue;
    const Declaration* host = omissibleAt(message, declarations, parsed.device_words);
    if (host == nullptr) {
      // "Too many errors" has no place.
      if (!message.location.file.empty() || failing.empty()) others.push_back(message);
    } else if (std::ranges::find(failing, host) == failing.end()) {
      failing.push_back(host);
      source.omitted.push_back(
          {message.location, fmt::format("host code is left out here: {}", message.text)});
    }
  }
  for (const Declaration* host : failing)
    source.text = withoutDeclaration(std::move(source.text), *host);
  return others;
}

// Parses, leaving out host declarations that do not compile.
Expected<ParsedSource> parseSource(std::string_view text, std::string_view file_name,
                                   const CudaOptions& options,
                                   const std::vector<std::string>& wanted) {
  Source source{std::string(text), {}};
  std::vector<Message> first_errors;
  for (int round = 0; round < kHostRounds; ++round) {
    ParsedSource compile;
    compile.context = std::make_unique<llvm::LLVMContext>();
    compile.parsed = parse(source.text, file_name, options, wanted, *compile.context);
    if (!compile.parsed.failed()) {
      compile.warnings = warningsOf(compile.parsed.messages);
      compile.warnings.insert(compile.warnings.begin(), source.omitted.begin(),
                              source.omitted.end());
      return compile;
    }
    if (compile.parsed.instance_error) return compile;
    const std::vector<Message> others = omitFailures(source, compile.parsed);
    if (round == 0) first_errors = others.empty() ? compile.parsed.messages : others;
    if (!others.empty()) break;
  }
  return fail(asRefusal(first_errors));
}

}  // namespace

bool isInstance(std::string_view name) { return name.find('<') != std::string_view::npos; }

Failure noSuchKernel(std::string_view entry, std::string_view file_name, const Parsed& parsed) {
  std::vector<std::string> names;
  names.reserve(parsed.kernels.size());
  for (const Kernel& kernel : parsed.kernels) names.push_back(kernel.qualified);
  std::string hint = names.empty() ? "" : "it has " + join(names, ", ");
  if (!parsed.templates.empty())
    hint += fmt::format("{}of the template{} {}, name an instance, such as {}",
                        hint.empty() ? "" : "; ", parsed.templates.size() > 1 ? "s" : "",
                        join(parsed.templates, ", "), parsed.example);
  return {FailureKind::Refusal,
          {std::string(file_name)},
          entry.empty() ? std::string("the source has no kernel (a __global__ function)")
                        : fmt::format("the source has no kernel {}", entry),
          hint};
}

Expected<ParsedSource> parseForDevice(std::string_view text, std::string_view file_name,
                                      const CudaOptions& options) {
  std::vector<std::string> entry;
  if (isInstance(options.entry)) entry.push_back(options.entry);
  std::vector<std::string> all = entry;
  for (std::string& launched : launchedInstances(text)) all.push_back(std::move(launched));
  auto compile = parseSource(text, file_name, options, all);
  if (compile && compile->parsed.instance_error && all.size() > entry.size())
    compile = parseSource(text, file_name, options, entry);
  if (!compile || !compile->parsed.instance_error) return compile;
  const std::string error = *compile->parsed.instance_error;
  compile = parseSource(text, file_name, options, {});
  if (!compile) return compile;
  Failure refusal = noSuchKernel(options.entry, file_name, compile->parsed);
  refusal.message += fmt::format(" ({})", error);
  return fail(std::move(refusal));
}

}  // namespace qgpu::cuda
