#include "compiler/cuda/frontend/parse.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Sema/TemplateInstCallback.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/cuda/frontend/instance.h"
#include "compiler/cuda/frontend/kernels.h"
#include "compiler/cuda/frontend/prelude.h"
#include "compiler/cuda/frontend/stop.h"
#include "compiler/cuda/frontend/virtual_files.h"

namespace qgpu::cuda {
namespace {

// The variables that name the wanted instances, so that clang makes them: kWanted0, kWanted1 ...
constexpr std::string_view kWanted = "__qgpu_wanted_";

Failure overLimit(std::string_view what, int limit) {
  return {FailureKind::Refusal,
          {},
          fmt::format("the source needs more than {} {}", limit, what),
          "the machine holds a small kernel: simplify, or compile fewer of them at a time"};
}

// Notes which declarations are for the device, by the words that say so.
class SourceWatcher : public clang::PPCallbacks {
 public:
  SourceWatcher(const clang::SourceManager& manager, std::vector<unsigned>& offsets)
      : manager_(manager), offsets_(offsets) {}

  // Headers of libraries that only host code can use are passed over.
  bool FileNotFound(llvm::StringRef name) override { return isHostHeader(std::string_view(name)); }

  void MacroExpands(const clang::Token& name, const clang::MacroDefinition&,
                    clang::SourceRange range, const clang::MacroArgs*) override {
    constexpr std::array<llvm::StringRef, 6> kWords = {
        "__global__", "__device__", "__constant__", "__shared__", "__managed__", "__attribute__"};
    if (std::ranges::find(kWords, name.getIdentifierInfo()->getName()) == kWords.end()) return;
    const auto [file, offset] = manager_.getDecomposedExpansionLoc(range.getBegin());
    if (file == manager_.getMainFileID()) offsets_.push_back(offset);
  }

 private:
  const clang::SourceManager& manager_;
  std::vector<unsigned>& offsets_;
};

class InstantiationCounter : public clang::TemplateInstantiationCallback {
 public:
  explicit InstantiationCounter(int limit) : limit_(limit) {}

  void initialize(const clang::Sema&) override {}
  void finalize(const clang::Sema&) override {}
  void atTemplateBegin(const clang::Sema&,
                       const clang::Sema::CodeSynthesisContext& context) override {
    if (context.Kind != clang::Sema::CodeSynthesisContext::TemplateInstantiation) return;
    if (++count_ == limit_ + 1) stop(overLimit("template instantiations", limit_));
  }
  void atTemplateEnd(const clang::Sema&, const clang::Sema::CodeSynthesisContext&) override {}

 private:
  int limit_;
  int count_ = 0;
};

// Watches clang's Sema: skips bodies of host functions and finds kernels.
class KernelFinder : public clang::SemaConsumer {
 public:
  KernelFinder(Parsed& parsed, std::string file_name, const CudaOptions& options,
               clang::CodeGenerator& generator)
      : parsed_(parsed),
        file_name_(std::move(file_name)),
        options_(options),
        generator_(generator) {}

  void InitializeSema(clang::Sema& sema) override {
    sema.TemplateInstCallbacks.push_back(
        std::make_unique<InstantiationCounter>(options_.limits.template_instantiations));
  }

  // Host code may use libraries that we do not have, so its bodies are not even parsed.
  bool shouldSkipFunctionBody(clang::Decl* declaration) override {
    const clang::FunctionDecl* function = declaration->getAsFunction();
    return function != nullptr && !isForDevice(*function);
  }

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (const clang::Decl* declaration : group) visit(*declaration);
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext&) override {
    const llvm::Module* module = generator_.GetModule();
    if (module == nullptr) return;
    for (const llvm::Function& function : *module) {
      const clang::Decl* declaration = generator_.GetDeclForMangledName(function.getName());
      if (declaration == nullptr || function.isDeclaration()) continue;
      const clang::FunctionDecl* source = declaration->getAsFunction();
      if (source != nullptr && isKernel(*source))
        parsed_.kernels.push_back(
            describeKernel(*source, std::string_view(function.getName()), file_name_));
    }
    for (const clang::FunctionDecl* function : wanted_)
      parsed_.instances.push_back(
          generator_.GetMangledName(clang::GlobalDecl(function, clang::KernelReferenceKind::Kernel))
              .str());
  }

 private:
  void visit(const clang::Decl& declaration) {
    if (const auto* context = llvm::dyn_cast<clang::DeclContext>(&declaration);
        context != nullptr &&
        (context->isNamespace() || declaration.getKind() == clang::Decl::LinkageSpec)) {
      for (const clang::Decl* inner : context->decls()) visit(*inner);
    } else if (const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration)) {
      if (isKernel(*pattern->getTemplatedDecl())) noteTemplate(*pattern);
    } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration)) {
      noteWanted(*variable);
    }
  }

  void noteTemplate(const clang::FunctionTemplateDecl& pattern) {
    if (parsed_.templates.empty()) parsed_.example = exampleInstance(pattern);
    parsed_.templates.push_back(describeTemplate(pattern));
  }

  void noteWanted(const clang::VarDecl& variable) {
    if (!variable.getIdentifier() || !variable.getName().starts_with(llvm::StringRef(kWanted)) ||
        variable.getInit() == nullptr)
      return;
    const auto* address =
        llvm::dyn_cast<clang::UnaryOperator>(variable.getInit()->IgnoreParenImpCasts());
    if (address == nullptr) return;
    const auto* name =
        llvm::dyn_cast<clang::DeclRefExpr>(address->getSubExpr()->IgnoreParenImpCasts());
    if (name == nullptr) return;
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl()))
      wanted_.push_back(function);
  }

  Parsed& parsed_;
  std::string file_name_;
  const CudaOptions& options_;
  clang::CodeGenerator& generator_;
  std::vector<const clang::FunctionDecl*> wanted_;
};

class CompileAction : public clang::ASTFrontendAction {
 public:
  CompileAction(Parsed& parsed, std::string_view file_name, const CudaOptions& options,
                llvm::LLVMContext& context)
      : parsed_(parsed), file_name_(file_name), options_(options), context_(context) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef) override {
    std::unique_ptr<clang::CodeGenerator> generator(clang::CreateLLVMCodeGen(
        instance.getDiagnostics(), file_name_, &instance.getVirtualFileSystem(),
        instance.getHeaderSearchOpts(), instance.getPreprocessorOpts(), instance.getCodeGenOpts(),
        context_));
    generator_ = generator.get();
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::move(generator));
    consumers.push_back(std::make_unique<KernelFinder>(parsed_, file_name_, options_, *generator_));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

  bool BeginSourceFileAction(clang::CompilerInstance& instance) override {
    clang::Preprocessor& preprocessor = instance.getPreprocessor();
    preprocessor.addPPCallbacks(
        std::make_unique<SourceWatcher>(instance.getSourceManager(), parsed_.device_words));
    preprocessor.setTokenWatcher([this](const clang::Token&) {
      if (++tokens_ == options_.limits.tokens + 1)
        stop(overLimit("tokens after macro expansion", options_.limits.tokens));
    });
    return true;
  }

  void EndSourceFileAction() override { parsed_.module.reset(generator_->ReleaseModule()); }

 private:
  Parsed& parsed_;
  std::string file_name_;
  const CudaOptions& options_;
  llvm::LLVMContext& context_;
  clang::CodeGenerator* generator_ = nullptr;
  int tokens_ = 0;
};

std::vector<std::string> argumentsFor(const CudaOptions& options) {
  std::vector<std::string> arguments = {"-include-pch", std::string(kPreludePch),
                                        "-fno-pch-timestamp"};
  // Without it clang marks every loop that has no pragma as one not to unroll.
  if (options.opt_level >= 2) arguments.emplace_back("-funroll-loops");
  for (const std::string& define : options.defines) arguments.push_back("-D" + define);
  return arguments;
}

// The source with a variable after its end for each wanted instance; lines stay as they are.
std::string withWanted(std::string_view source, const std::vector<std::string>& wanted) {
  std::string text(source);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    text += fmt::format("\nstatic auto* const {}{} = &{};", kWanted, i, wanted[i]);
  return text;
}

}  // namespace

Parsed parse(std::string_view source, std::string_view file_name, const CudaOptions& options,
             const std::vector<std::string>& wanted, llvm::LLVMContext& context) {
  const std::string text = withWanted(source, wanted);
  DiagnosticCollector messages(file_name);
  const auto instance =
      makeInstance(makeFiles(text, options.headers, preludePch()), messages, argumentsFor(options));
  instance->getFrontendOpts().SkipFunctionBodies = true;
  Parsed parsed;
  CompileAction action(parsed, file_name, options, context);
  const bool done = instance->ExecuteAction(action);
  if (!done || instance->getDiagnostics().hasErrorOccurred()) parsed.module.reset();
  parsed.messages = messages.messages();
  const auto outside = std::ranges::find_if(parsed.messages, [&](const Message& message) {
    return message.level >= clang::DiagnosticsEngine::Error && message.in_source &&
           message.offset >= source.size();
  });
  if (!wanted.empty() && outside != parsed.messages.end()) parsed.instance_error = outside->text;
  return parsed;
}

}  // namespace qgpu::cuda
