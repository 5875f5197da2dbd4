#include "compiler/cuda/frontend/module_checks.h"

#include <fmt/format.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "compiler/cuda/frontend/virtual_files.h"

namespace qgpu::cuda {
namespace {

constexpr unsigned kSharedSpace = 3;  // NVPTX's number for shared memory

Location locationOf(const llvm::Instruction& instruction, std::string_view file_name) {
  const llvm::DILocation* place = instruction.getDebugLoc();
  if (place == nullptr) return {std::string(file_name)};
  return {sourceName(place->getFilename().str(), file_name), static_cast<int>(place->getLine()),
          static_cast<int>(place->getColumn())};
}

std::string readable(const llvm::Function& function) {
  const std::string name = llvm::demangle(function.getName().str());
  return name == "vprintf" ? "printf" : name.substr(0, name.find('('));
}

// Follows the calls from the kernels, each function once. Every function's size is what it has when
// all its calls are inlined, so the whole costs one visit per call although sizes may be huge.
class CallWalk {
 public:
  CallWalk(std::string_view file_name, int limit) : file_name_(file_name), limit_(limit) {}

  Expected<std::int64_t> size(llvm::Function& function) {
    if (const auto known = sizes_.find(&function); known != sizes_.end()) return known->second;
    path_.push_back(&function);
    std::int64_t size = 0;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto added = sizeOf(instruction);
      if (!added) return added;
      size = std::min<std::int64_t>(size + *added, std::int64_t{limit_} + 1);
    }
    path_.pop_back();
    sizes_[&function] = size;
    return size;
  }

 private:
  Expected<std::int64_t> sizeOf(llvm::Instruction& instruction) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee == nullptr || callee->isDeclaration()) return 1;
    if (std::ranges::find(path_, callee) != path_.end())
      return refuseAt(
          locationOf(instruction, file_name_),
          fmt::format("{} is recursive: the machine has no call stack", readable(*callee)),
          "write it as a loop, or as a template that ends at compile time");
    if (path_.size() > kDeepestCalls)
      return refuseAt(locationOf(instruction, file_name_),
                      fmt::format("calls are nested more than {} deep", kDeepestCalls),
                      "every call is inlined: call less deeply");
    return size(*callee);
  }

  static constexpr std::size_t kDeepestCalls = 1000;

  std::string_view file_name_;
  int limit_;
  std::vector<llvm::Function*> path_;
  llvm::DenseMap<llvm::Function*, std::int64_t> sizes_;
};

bool fitsPtx(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.';
  });
}

Expected<void> checkNames(const std::vector<Kernel>& kernels) {
  for (const Kernel& kernel : kernels)
    if (!fitsPtx(kernel.mangled))
      return refuseAt(kernel.location,
                      fmt::format("PTX cannot hold the name of kernel {}", kernel.qualified),
                      "use the letters a to z, digits and underscores");
  return {};
}

struct Explanation {
  std::string_view reason, hint;
};

// Why a function that has no definition cannot be called, and what to do.
Explanation explainMissing(const llvm::Function& function, std::string_view name) {
  if (name == "printf")
    return {"the machine has no console", "store the value in an array and look at it afterwards"};
  if (name == "malloc" || name == "free" || name.starts_with("operator "))
    return {"the machine has no heap", "pass an array to the kernel"};
  if (function.getReturnType()->isFloatingPointTy())
    return {"the machine computes with integers only", "use integers or fixed point"};
  return {"it is declared but not defined in this source", "define it as a __device__ function"};
}

Expected<void> checkCall(const llvm::CallBase& call, std::string_view file_name) {
  const Location where = locationOf(call, file_name);
  if (call.isInlineAsm())
    return refuseAt(where, "inline PTX is not taken", "use the built-in functions");
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr)
    return refuseAt(
        where, "a call through a pointer (a virtual function or a function pointer)",
        "the machine has no calls and everything is inlined: use a template or a switch");
  if (callee->isIntrinsic()) return {};
  const std::string name = readable(*callee);
  if (!callee->isDeclaration())
    return refuseAt(where, fmt::format("the call of {} cannot be inlined", name),
                    "do not take its address, and give it no variable arguments");
  const auto [reason, hint] = explainMissing(*callee, name);
  return refuseAt(where, fmt::format("a kernel calls {}: {}", name, reason), std::string(hint));
}

}  // namespace

std::vector<llvm::Function*> kernelsOf(llvm::Module& module) {
  std::vector<llvm::Function*> kernels;
  const llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations");
  if (annotations == nullptr) return kernels;
  for (const llvm::MDNode* node : annotations->operands()) {
    if (node->getNumOperands() < 2) continue;
    const auto* what = llvm::dyn_cast<llvm::MDString>(node->getOperand(1));
    if (what == nullptr || what->getString() != "kernel") continue;
    if (auto* function = llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0)))
      kernels.push_back(function);
  }
  return kernels;
}

Expected<void> checkBeforeInlining(llvm::Module& module, const std::vector<Kernel>& kernels,
                                   std::string_view file_name, const Limits& limits) {
  if (auto named = checkNames(kernels); !named) return named;
  CallWalk walk(file_name, limits.instructions);
  std::int64_t all = 0;
  for (llvm::Function* kernel : kernelsOf(module)) {
    const auto size = walk.size(*kernel);
    if (!size) return fail(size.error());
    all += *size;
  }
  if (all <= limits.instructions) return {};
  return refuseAt({std::string(file_name)},
                  fmt::format("the kernels have more than {} instructions once all calls are "
                              "inlined",
                              limits.instructions),
                  "the machine holds some 128 of them: write a loop, or name one kernel");
}

Expected<void> checkOptimized(llvm::Module& module, std::string_view file_name) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (auto taken = checkCall(*call, file_name); !taken) return taken;
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.isDeclaration() && variable.getAddressSpace() != kSharedSpace)
      return refuseAt({std::string(file_name)},
                      fmt::format("the variable {} is declared but not defined",
                                  llvm::demangle(variable.getName().str())),
                      "define it in this source");
  return {};
}

}  // namespace qgpu::cuda
