#include "compiler/cuda/frontend/llvm_messages.h"

#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/cuda/frontend/virtual_files.h"

namespace qgpu::cuda {
namespace {

// "in function k void (ptr): what is wrong" -> "what is wrong"
std::string textOf(const llvm::DiagnosticInfo& info) {
  if (const auto* unsupported = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info))
    return unsupported->getMessage().str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info.print(printer);
  return text;
}

Location placeOf(const llvm::DiagnosticInfo& info, std::string_view file_name) {
  const auto* placed = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info);
  if (placed == nullptr || !placed->isLocationAvailable()) return {std::string(file_name)};
  const llvm::DiagnosticLocation where = placed->getLocation();
  return {sourceName(where.getAbsolutePath(), file_name), static_cast<int>(where.getLine()),
          static_cast<int>(where.getColumn())};
}

}  // namespace

LlvmMessages::LlvmMessages(llvm::LLVMContext& context, std::string_view file_name)
    : context_(context), file_name_(file_name) {
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* info, void* self) {
        static_cast<LlvmMessages*>(self)->take(*info);
      },
      this);
}

LlvmMessages::~LlvmMessages() { context_.setDiagnosticHandlerCallBack(nullptr); }

void LlvmMessages::take(const llvm::DiagnosticInfo& info) {
  const Location where = placeOf(info, file_name_);
  if (info.getSeverity() == llvm::DS_Warning) warnings_.push_back({where, textOf(info)});
  if (info.getSeverity() == llvm::DS_Error && !error_)
    error_ = Failure{FailureKind::Refusal, where, textOf(info), ""};
}

}  // namespace qgpu::cuda
