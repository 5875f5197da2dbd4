#include "compiler/cuda/frontend/kernels.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/PrettyPrinter.h>
#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

#include <vector>

#include "compiler/cuda/frontend/diagnostics.h"
#include "compiler/cuda/join.h"

namespace qgpu::cuda {
namespace {

ValueKind kindOf(clang::QualType type) {
  if (type->isPointerType() || type->isReferenceType()) return ValueKind::Pointer;
  if (type->isRecordType()) return ValueKind::Struct;
  if (type->isFloatingType()) return ValueKind::Floating;
  if (type->isUnsignedIntegerOrEnumerationType()) return ValueKind::Unsigned;
  if (type->isSignedIntegerOrEnumerationType()) return ValueKind::Signed;
  return ValueKind::Other;
}

int bytesOf(const clang::ASTContext& context, clang::QualType type) {
  if (type->isIncompleteType() || type->isFunctionType()) return 0;
  return static_cast<int>(context.getTypeSizeInChars(type.getNonReferenceType()).getQuantity());
}

Parameter describeParameter(const clang::ParmVarDecl& declaration,
                            const clang::PrintingPolicy& policy) {
  const clang::ASTContext& context = declaration.getASTContext();
  const clang::QualType type = declaration.getType();
  Parameter parameter;
  parameter.name = declaration.getNameAsString();
  parameter.type = type.getAsString(policy);
  parameter.kind = kindOf(type);
  parameter.bytes =
      static_cast<int>(context.getTypeSizeInChars(context.getCanonicalType(type)).getQuantity());
  if (parameter.kind != ValueKind::Pointer) return parameter;
  const clang::QualType element = type->getPointeeType();
  parameter.element = kindOf(element);
  parameter.element_bytes = bytesOf(context, element);
  return parameter;
}

clang::PrintingPolicy printingPolicy(const clang::ASTContext& context) {
  clang::PrintingPolicy policy(context.getLangOpts());
  policy.SuppressUnwrittenScope = true;  // a kernel in an unnamed namespace has no prefix
  policy.MSVCFormatting = false;
  return policy;
}

}  // namespace

bool isKernel(const clang::FunctionDecl& function) {
  return function.hasAttr<clang::CUDAGlobalAttr>();
}

bool isForDevice(const clang::FunctionDecl& function) {
  return isKernel(function) || function.hasAttr<clang::CUDADeviceAttr>();
}

Kernel describeKernel(const clang::FunctionDecl& function, std::string_view mangled,
                      std::string_view file_name) {
  const clang::ASTContext& context = function.getASTContext();
  const clang::PrintingPolicy policy = printingPolicy(context);
  Kernel kernel;
  kernel.mangled = mangled;
  llvm::raw_string_ostream qualified(kernel.qualified);
  function.getNameForDiagnostic(qualified, policy, /*Qualified=*/true);
  kernel.plain = function.getNameAsString();
  Message place;
  DiagnosticCollector::locate(context.getSourceManager(), function.getLocation(), file_name, place);
  kernel.location = place.location;
  for (const clang::ParmVarDecl* parameter : function.parameters())
    kernel.parameters.push_back(describeParameter(*parameter, policy));
  return kernel;
}

std::string describeTemplate(const clang::FunctionTemplateDecl& declaration) {
  std::vector<std::string> parameters;
  for (const clang::NamedDecl* parameter : *declaration.getTemplateParameters())
    parameters.push_back(parameter->getNameAsString());
  return fmt::format("{}<{}>", declaration.getQualifiedNameAsString(), join(parameters, ", "));
}

}  // namespace qgpu::cuda
