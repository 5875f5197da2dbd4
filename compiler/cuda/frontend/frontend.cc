#include "compiler/cuda/frontend/frontend.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfo.h>

#include <algorithm>
#include <optional>

#include "compiler/cuda/frontend/emit.h"
#include "compiler/cuda/frontend/host_code.h"
#include "compiler/cuda/frontend/module_checks.h"
#include "compiler/cuda/frontend/optimize.h"
#include "compiler/cuda/frontend/parse.h"
#include "compiler/cuda/frontend/prelude.h"
#include "compiler/cuda/frontend/stop.h"
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

// Everything that one compile holds; the module lives in the context.
struct Compile {
  std::unique_ptr<llvm::LLVMContext> context;
  Parsed parsed;
  std::vector<Warning> warnings;
};

// Parses, leaving out host declarations that do not compile.
Expected<Compile> parseSource(std::string_view text, std::string_view file_name,
                              const CudaOptions& options, const std::vector<std::string>& wanted) {
  Source source{std::string(text), {}};
  std::vector<Message> first_errors;
  for (int round = 0; round < kHostRounds; ++round) {
    Compile compile;
    compile.context = std::make_unique<llvm::LLVMContext>();
    compile.parsed = parse(source.text, file_name, options, wanted, *compile.context);
    if (!compile.parsed.failed()) {
      compile.warnings = warningsOf(compile.parsed.messages);
      compile.warnings.insert(compile.warnings.begin(), source.omitted.begin(),
                              source.omitted.end());
      return compile;
    }
    if (compile.parsed.failedInInstances) return compile;
    const std::vector<Message> others = omitFailures(source, compile.parsed);
    if (round == 0) first_errors = others.empty() ? compile.parsed.messages : others;
    if (!others.empty()) break;
  }
  return fail(asRefusal(first_errors));
}

bool isInstance(std::string_view name) { return name.find('<') != std::string_view::npos; }

Failure noSuchKernel(std::string_view entry, std::string_view file_name, const Parsed& parsed) {
  std::vector<std::string> names;
  for (const Kernel& kernel : parsed.kernels) names.push_back(kernel.qualified);
  std::string hint = names.empty() ? "" : "it has " + join(names, ", ");
  if (!parsed.templates.empty())
    hint += fmt::format("{}of the template{} {}, name an instance, such as k<int>",
                        hint.empty() ? "" : "; ", parsed.templates.size() > 1 ? "s" : "",
                        join(parsed.templates, ", "));
  return {FailureKind::Refusal,
          {std::string(file_name)},
          entry.empty() ? std::string("the source has no kernel (a __global__ function)")
                        : fmt::format("the source has no kernel {}", entry),
          hint};
}

// The wanted instances are what the entry names and what the host code launches. The latter are a
// courtesy: if they do not compile, they are forgotten.
Expected<Compile> parseWithInstances(std::string_view text, std::string_view file_name,
                                     const CudaOptions& options) {
  std::vector<std::string> entry;
  if (isInstance(options.entry)) entry.push_back(options.entry);
  std::vector<std::string> all = entry;
  for (std::string& launched : launchedInstances(text)) all.push_back(std::move(launched));
  auto compile = parseSource(text, file_name, options, all);
  if (compile && compile->parsed.failedInInstances && all.size() > entry.size())
    compile = parseSource(text, file_name, options, entry);
  if (!compile || !compile->parsed.failedInInstances) return compile;
  const std::vector<Message> messages = compile->parsed.messages;
  compile = parseSource(text, file_name, options, {});
  if (!compile) return compile;
  Failure refusal = noSuchKernel(options.entry, file_name, compile->parsed);
  const auto error = std::ranges::find_if(messages, isError);
  if (error != messages.end()) refusal.message += fmt::format(" ({})", error->text);
  return fail(std::move(refusal));
}

// The wanted kernel's index among those of the module.
Expected<std::size_t> findEntry(const Parsed& parsed, const CudaOptions& options,
                                std::string_view file_name) {
  if (isInstance(options.entry) && !parsed.instances.empty())
    for (std::size_t i = 0; i < parsed.kernels.size(); ++i)
      if (parsed.kernels[i].mangled == parsed.instances.front()) return i;
  auto found = findKernel(parsed.kernels, options.entry);
  if (found || !parsed.kernels.empty()) return found;
  return fail(noSuchKernel(options.entry, file_name, parsed));
}

void keepOnly(llvm::Module& module, const Kernel& entry) {
  for (llvm::Function* kernel : kernelsOf(module))
    if (std::string_view(kernel->getName()) != entry.mangled) {
      kernel->replaceAllUsesWith(llvm::PoisonValue::get(kernel->getType()));
      kernel->eraseFromParent();
    }
}

Expected<CompiledPtx> compileParsed(Compile compile, std::string_view file_name,
                                    const CudaOptions& options) {
  llvm::Module& module = *compile.parsed.module;
  CompiledPtx result;
  result.kernels = std::move(compile.parsed.kernels);
  result.warnings = std::move(compile.warnings);
  if (result.kernels.empty()) return fail(noSuchKernel(options.entry, file_name, compile.parsed));
  if (!options.entry.empty()) {
    compile.parsed.kernels = result.kernels;
    const auto entry = findEntry(compile.parsed, options, file_name);
    if (!entry) return fail(entry.error());
    result.entry = *entry;
    keepOnly(module, result.kernels[*entry]);
  }
  auto taken = checkBeforeInlining(module, result.kernels, file_name, options.limits);
  if (!taken) return fail(taken.error());
  const auto target = makeTarget();
  optimize(module, *target, options);
  taken = checkOptimized(module, file_name);
  if (!taken) return fail(taken.error());
  if (!options.line_info) llvm::StripDebugInfo(module);
  result.text = emitPtx(module, *target, file_name);
  return result;
}

Expected<CompiledPtx> compileHere(std::string_view source, std::string_view file_name,
                                  const CudaOptions& options) {
  installFatalErrorHandlers();
  auto compile = parseWithInstances(source, file_name, options);
  if (!compile) return fail(compile.error());
  return compileParsed(std::move(*compile), file_name, options);
}

void prepare() {
  installFatalErrorHandlers();
  preludePch();
  makeTarget();
}

}  // namespace
}  // namespace qgpu::cuda

extern "C" __attribute__((visibility("default"))) const qgpu::cuda::FrontEnd* qgpuCudaFrontEnd() {
  static constexpr qgpu::cuda::FrontEnd kFrontEnd = {qgpu::cuda::prepare, qgpu::cuda::compileHere,
                                                     qgpu::cuda::setStopHandler};
  return &kFrontEnd;
}
