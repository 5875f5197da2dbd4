#include "compiler/cuda/frontend/kernels.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/RecordLayout.h>
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

// Takes a type apart into its scalars.
class ScalarList {
 public:
  explicit ScalarList(const clang::ASTContext& context) : context_(context) {}

  // Empty where the type has parts that are no scalars of their own.
  std::vector<Scalar> of(clang::QualType type) {
    if (!add(type, "", 0)) scalars_.clear();
    return std::move(scalars_);
  }

 private:
  bool add(clang::QualType type, const std::string& name, std::int64_t offset) {
    if (type->isIncompleteType()) return false;
    if (const auto* array = context_.getAsConstantArrayType(type))
      return addArray(*array, name, offset);
    if (const auto* record = type->getAsRecordDecl()) return addRecord(*record, name, offset);
    const ValueKind kind = kindOf(type);
    if (kind == ValueKind::Other || scalars_.size() == kMostScalars) return false;
    scalars_.push_back({name, kind, bytesOf(context_, type), static_cast<int>(offset)});
    return true;
  }

  bool addArray(const clang::ConstantArrayType& array, const std::string& name,
                std::int64_t offset) {
    const clang::QualType element = array.getElementType();
    if (array.getSize().ugt(kMostScalars)) return false;
    for (std::uint64_t i = 0; i < array.getSize().getZExtValue(); ++i)
      if (!add(element, fmt::format("{}[{}]", name, i),
               offset + static_cast<std::int64_t>(i) * bytesOf(context_, element)))
        return false;
    return true;
  }

  bool addRecord(const clang::RecordDecl& record, const std::string& name, std::int64_t offset) {
    const auto* type = llvm::dyn_cast<clang::CXXRecordDecl>(&record);
    if (record.isUnion() || record.isInvalidDecl() || (type != nullptr && type->isDynamicClass()))
      return false;
    const clang::ASTRecordLayout& layout = context_.getASTRecordLayout(&record);
    if (type != nullptr)
      for (const clang::CXXBaseSpecifier& base : type->bases()) {
        const auto* from = base.getType()->getAsCXXRecordDecl();
        if (!addRecord(*from, name, offset + layout.getBaseClassOffset(from).getQuantity()))
          return false;
      }
    for (const clang::FieldDecl* field : record.fields()) {
      if (field->isBitField()) return false;
      const auto at = context_.toCharUnitsFromBits(
          static_cast<std::int64_t>(layout.getFieldOffset(field->getFieldIndex())));
      const std::string inner = field->getNameAsString();
      if (!add(field->getType(), name.empty() ? inner : fmt::format("{}.{}", name, inner),
               offset + at.getQuantity()))
        return false;
    }
    return true;
  }

  const clang::ASTContext& context_;
  std::vector<Scalar> scalars_;
};

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
  if (parameter.kind == ValueKind::Struct) parameter.scalars = ScalarList(context).of(type);
  if (parameter.kind != ValueKind::Pointer) return parameter;
  const clang::QualType element = type->getPointeeType();
  parameter.element = kindOf(element);
  parameter.element_bytes = bytesOf(context, element);
  if (element->isRecordType() || element->isArrayType())
    parameter.scalars = ScalarList(context).of(element);
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

std::string exampleInstance(const clang::FunctionTemplateDecl& declaration) {
  std::vector<std::string> arguments;
  for (const clang::NamedDecl* parameter : *declaration.getTemplateParameters())
    arguments.emplace_back(llvm::isa<clang::TemplateTypeParmDecl>(parameter) ? "int" : "4");
  return fmt::format("{}<{}>", declaration.getQualifiedNameAsString(), join(arguments, ", "));
}

}  // namespace qgpu::cuda
