#include "compiler/cuda/frontend/frontend.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfo.h>

#include <algorithm>
#include <optional>

#include "compiler/cuda/frontend/emit.h"
#include "compiler/cuda/frontend/late_rewrites.h"
#include "compiler/cuda/frontend/llvm_messages.h"
#include "compiler/cuda/frontend/module_checks.h"
#include "compiler/cuda/frontend/optimize.h"
#include "compiler/cuda/frontend/parse_source.h"
#include "compiler/cuda/frontend/prelude.h"
#include "compiler/cuda/frontend/stop.h"

namespace qgpu::cuda {
namespace {

// The wanted kernel's index among those of the module.
Expected<std::size_t> findEntry(const Parsed& parsed, const CudaOptions& options,
                                std::string_view file_name) {
  if (isInstance(options.entry) && !parsed.instances.empty())
    for (std::size_t i = 0; i < parsed.kernels.size(); ++i)
      if (parsed.kernels[i].mangled == parsed.instances.front()) return i;
  auto found = findKernel(parsed.kernels, options.entry);
  if (!found) found.error().location.file = file_name;
  return found;
}

void keepOnly(llvm::Module& module, const Kernel& entry) {
  for (llvm::Function* kernel : kernelsOf(module))
    if (std::string_view(kernel->getName()) != entry.mangled) {
      kernel->replaceAllUsesWith(llvm::PoisonValue::get(kernel->getType()));
      kernel->eraseFromParent();
    }
}

Expected<CompiledPtx> compileParsed(ParsedSource source, std::string_view file_name,
                                    const CudaOptions& options) {
  llvm::Module& module = *source.parsed.module;
  CompiledPtx result;
  result.kernels = std::move(source.parsed.kernels);
  result.warnings = std::move(source.warnings);
  if (result.kernels.empty()) return fail(noSuchKernel(options.entry, file_name, source.parsed));
  if (!options.entry.empty()) {
    source.parsed.kernels = result.kernels;
    const auto entry = findEntry(source.parsed, options, file_name);
    if (!entry) return fail(entry.error());
    result.entry = *entry;
    keepOnly(module, result.kernels[*entry]);
  }
  auto taken = checkBeforeInlining(module, result.kernels, file_name, options.limits);
  if (!taken) return fail(taken.error());
  const LlvmMessages messages(*source.context, file_name);
  const auto target = makeTarget();
  optimize(module, *target, options);
  taken = checkOptimized(module, file_name);
  if (!taken) return fail(taken.error());
  rewriteForPtx(module);
  if (!options.line_info) llvm::StripDebugInfo(module);
  result.text = emitPtx(module, *target, file_name);
  if (messages.error()) return fail(*messages.error());
  result.warnings.insert(result.warnings.end(), messages.warnings().begin(),
                         messages.warnings().end());
  return result;
}

Expected<CompiledPtx> compileHere(std::string_view source, std::string_view file_name,
                                  const CudaOptions& options) {
  installFatalErrorHandlers();
  auto parsed = parseForDevice(source, file_name, options);
  if (!parsed) return fail(parsed.error());
  return compileParsed(std::move(*parsed), file_name, options);
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
