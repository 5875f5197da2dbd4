#include "compiler/cuda/frontend/late_rewrites.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace qgpu::cuda {
namespace {

constexpr unsigned kGlobalSpace = 1;  // NVPTX's number for global memory

// With equal halves (a rotation) or a constant amount LLVM's own choice is as good.
bool isGeneralFunnelShift(const llvm::IntrinsicInst& call) {
  return call.getType()->isIntegerTy(32) && call.getArgOperand(0) != call.getArgOperand(1) &&
         !llvm::isa<llvm::Constant>(call.getArgOperand(2));
}

void useFunnelShift(llvm::IntrinsicInst& call, const char* instruction) {
  llvm::InlineAsm* text = llvm::InlineAsm::get(
      llvm::FunctionType::get(call.getType(), {call.getType(), call.getType(), call.getType()},
                              false),
      instruction, "=r,r,r,r", /*hasSideEffects=*/false);
  llvm::IRBuilder<> builder(&call);
  // PTX has the low half first.
  call.replaceAllUsesWith(builder.CreateCall(
      text, {call.getArgOperand(1), call.getArgOperand(0), call.getArgOperand(2)}));
  call.eraseFromParent();
}

// The space that a pointer certainly points into; 0, the generic one, if that is not plain.
unsigned spaceOf(const llvm::Value& pointer) {
  const llvm::Value* object = llvm::getUnderlyingObject(&pointer, /*MaxLookup=*/0);
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(object))
    return argument->hasByValAttr() ? 0 : kGlobalSpace;
  return object->getType()->getPointerAddressSpace();
}

void useAddressSpace(llvm::IntrinsicInst& call) {
  llvm::Value* pointer = call.getArgOperand(0);
  const unsigned space = spaceOf(*pointer);
  if (space == 0) return;
  llvm::IRBuilder<> builder(&call);
  llvm::Value* in_space = builder.CreateAddrSpaceCast(pointer, builder.getPtrTy(space));
  call.replaceAllUsesWith(builder.CreateIntrinsic(call.getIntrinsicID(), {in_space->getType()},
                                                  {in_space, call.getArgOperand(1)}));
  call.eraseFromParent();
}

void rewrite(llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::fshl:
      if (isGeneralFunnelShift(call)) useFunnelShift(call, "shf.l.wrap.b32 \t$0, $1, $2, $3;");
      break;
    case llvm::Intrinsic::fshr:
      if (isGeneralFunnelShift(call)) useFunnelShift(call, "shf.r.wrap.b32 \t$0, $1, $2, $3;");
      break;
    case llvm::Intrinsic::nvvm_atomic_load_inc_32:
    case llvm::Intrinsic::nvvm_atomic_load_dec_32: useAddressSpace(call); break;
    default: break;
  }
}

}  // namespace

void rewriteForPtx(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) rewrite(*call);
}

}  // namespace qgpu::cuda
