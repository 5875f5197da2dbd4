#include "fuzz/cuda/compiled_batch.h"

#include <utility>

#include "compiler/cuda/compile.h"
#include "compiler/ptx/ptx.h"

namespace qgpu::fuzz::cuda {
namespace {

constexpr const char* kFileName = "kernels.cu";

// A batch is one source, but not one that a person wrote.
qgpu::cuda::CudaOptions optionsFor(std::size_t kernels, int opt_level) {
  qgpu::cuda::CudaOptions options;
  options.opt_level = opt_level;
  options.line_info = false;
  const auto times = static_cast<int>(kernels);
  options.limits.source_bytes *= kernels;
  options.limits.tokens *= times;
  options.limits.instructions *= times;
  options.limits.time *= times;
  return options;
}

std::vector<KernelParameter> parametersOf(const launch::Launch& launch) {
  std::vector<KernelParameter> parameters;
  for (const launch::Parameter& p : launch.parameters) {
    const bool array = p.kind == launch::ParameterKind::Array;
    parameters.push_back(
        {.name = p.name,
         .type = std::string(launch::name(p.type)),
         .kind = array ? KernelParameter::Kind::Array : KernelParameter::Kind::Scalar,
         .bytes = array ? 8 : launch::sizeOf(p.type),
         .element = p.type});
  }
  return parameters;
}

}  // namespace

Expected<CompiledBatch> CompiledBatch::compile(std::span<const GeneratedKernel> kernels,
                                               int opt_level) {
  std::string source;
  for (const GeneratedKernel& kernel : kernels) source += kernel.source + '\n';
  auto compiled = qgpu::cuda::compileCuda(source, kFileName, optionsFor(kernels.size(), opt_level));
  if (!compiled) return fail(std::move(compiled.error()));
  auto module = ptx::parse(compiled->text, kFileName);
  if (!module) return fail(std::move(module.error()));
  CompiledBatch batch;
  batch.kernel_.file_name = kFileName;
  batch.kernel_.module = std::move(*module);
  for (const qgpu::cuda::Kernel& kernel : compiled->kernels)
    batch.entries_[kernel.plain] = kernel.mangled;
  return batch;
}

Expected<Program> CompiledBatch::program(const GeneratedKernel& kernel,
                                         const lower::Options& options) {
  kernel_.name = kernel.launch.entry;
  kernel_.entry = entries_.at(kernel_.name);
  kernel_.parameters = parametersOf(kernel.launch);
  return qgpu::compile(kernel_, kernel.launch, options);
}

}  // namespace qgpu::fuzz::cuda
