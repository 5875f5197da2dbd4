#include "compiler/cuda/frontend/optimize.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>

#include <algorithm>
#include <string>

#include "compiler/cuda/frontend/module_checks.h"
#include "interpreter/base/failure.h"

namespace qgpu::cuda {
namespace {

// NVPTX's numbers for memory spaces.
constexpr unsigned kGlobalSpace = 1;
constexpr unsigned kConstantSpace = 4;

// Nothing but what removes the calls.
constexpr std::string_view kInline = "function(simplifycfg,sroa,early-cse),always-inline,globaldce";

constexpr std::string_view kOptimize =
    ",function("
    // Memory becomes registers, and pointers get their address spaces.
    "sroa,early-cse<memssa>,infer-address-spaces,simplifycfg,instcombine<no-verify-fixpoint>,"
    "reassociate,"
    // Loops test at the end, and what does not change in them moves out.
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate<header-duplication>,licm),"
    "simplifycfg,instcombine<no-verify-fixpoint>,loop(indvars,loop-deletion),unroll,"
    // What that has made plain.
    "sroa,early-cse<memssa>,sccp,bdce,instcombine<no-verify-fixpoint>,"
    "dse,loop-mssa(licm),adce,simplifycfg,instcombine<no-verify-fixpoint>),globaldce";

constexpr std::string_view kFullyOptimize = ",default<O3>";

// The longest loop that level 2 unrolls unasked: code space is scarcer than time.
constexpr unsigned kShortLoop = 8;

// Gives the name "unroll" in a list of passes its meaning: what `#pragma unroll` asks for, and at
// level 2 also short loops, completely.
void nameUnrolling(llvm::PassBuilder& builder, int opt_level) {
  builder.registerPipelineParsingCallback([=](llvm::StringRef name,
                                              llvm::FunctionPassManager& passes,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "unroll") return false;
    passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2, /*OnlyWhenForced=*/true)));
    if (opt_level >= 2)
      passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2)
                                              .setPartial(false)
                                              .setRuntime(false)
                                              .setPeeling(false)
                                              .setUpperBound(false)
                                              .setFullUnrollMaxCount(kShortLoop)));
    return true;
  });
}

void giveWarpSize(llvm::Module& module, int lanes) {
  llvm::GlobalVariable* variable = module.getNamedGlobal("warpSize");
  if (variable == nullptr) return;
  variable->setInitializer(llvm::ConstantInt::get(variable->getValueType(), lanes));
  variable->setConstant(true);
  variable->setLinkage(llvm::GlobalValue::InternalLinkage);
}

// A pointer that a kernel is given points to global memory. Saying so before optimisation lets
// accesses to shared memory and to arrays be told apart.
void markPointersGlobal(llvm::Function& kernel) {
  llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
  for (llvm::Argument& argument : kernel.args()) {
    if (!argument.getType()->isPointerTy() || argument.hasByValAttr()) continue;
    auto* global = builder.CreateAddrSpaceCast(
        &argument, llvm::PointerType::get(kernel.getContext(), kGlobalSpace));
    auto* generic = builder.CreateAddrSpaceCast(global, argument.getType());
    argument.replaceUsesWithIf(generic,
                               [&](const llvm::Use& use) { return use.getUser() != global; });
  }
}

void prepareFunctions(llvm::Module& module) {
  const std::vector<llvm::Function*> kernels = kernelsOf(module);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.setComdat(nullptr);
    if (std::ranges::find(kernels, &function) != kernels.end()) {
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
      markPointersGlobal(function);
    } else {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
}

// Nothing outside the module can see its variables: those that the kernels do not use may go, and
// a __constant__ table with values is what it says.
void prepareVariables(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isDeclaration()) continue;
    variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    if (variable.getAddressSpace() != kConstantSpace || variable.getInitializer()->isNullValue())
      continue;
    variable.setConstant(true);
    variable.setExternallyInitialized(false);
  }
}

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& machine, const CudaOptions& options) {
  giveWarpSize(module, options.warp_size);
  prepareFunctions(module);
  prepareVariables(module);

  llvm::PassBuilder builder(&machine);
  nameUnrolling(builder, options.opt_level);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);

  llvm::ModulePassManager passes;
  std::string pipeline(kInline);
  if (options.opt_level == 3)
    pipeline += kFullyOptimize;
  else if (options.opt_level > 0)
    pipeline += kOptimize;
  const bool parsed = !llvm::errorToBool(builder.parsePassPipeline(passes, pipeline));
  check(parsed, "our list of passes is well-formed");
  passes.run(module, modules);
}

}  // namespace qgpu::cuda
