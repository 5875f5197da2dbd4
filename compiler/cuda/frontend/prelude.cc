#include "compiler/cuda/frontend/prelude.h"

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendOptions.h>
#include <clang/Sema/Sema.h>
#include <clang/Serialization/ASTWriter.h>

#include <memory>
#include <string>

#include "compiler/cuda/frontend/diagnostics.h"
#include "compiler/cuda/frontend/instance.h"
#include "compiler/cuda/frontend/virtual_files.h"
#include "interpreter/base/failure.h"

namespace qgpu::cuda {
namespace {

// A way to a private member that the language leaves open: an explicit instantiation may name it.
using DeferredChecks = llvm::SmallSetVector<clang::Decl*, 4>;
DeferredChecks& deferredChecks(clang::Sema& sema);
template <DeferredChecks clang::Sema::* member>
struct PrivateMember {
  friend DeferredChecks& deferredChecks(clang::Sema& sema) { return sema.*member; }
};
template struct PrivateMember<&clang::Sema::DeclsToCheckForDeferredDiags>;

// Writes the header without the list of device functions that clang goes through, after every
// compile, for errors put off until a function is used. The prelude has none, and the list makes
// clang read all of it each time: 5 ms of 12.
class PreludeWriter : public clang::PCHGenerator {
 public:
  using clang::PCHGenerator::PCHGenerator;

  void InitializeSema(clang::Sema& sema) override {
    sema_ = &sema;
    clang::PCHGenerator::InitializeSema(sema);
  }
  void HandleTranslationUnit(clang::ASTContext& context) override {
    deferredChecks(*sema_).clear();
    clang::PCHGenerator::HandleTranslationUnit(context);
  }

 private:
  clang::Sema* sema_ = nullptr;
};

// clang's own action for this writes a file; this one writes to memory.
class PrecompileAction : public clang::ASTFrontendAction {
 public:
  explicit PrecompileAction(std::shared_ptr<clang::PCHBuffer> buffer)
      : buffer_(std::move(buffer)) {}

  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef) override {
    return std::make_unique<PreludeWriter>(
        instance.getPreprocessor(), instance.getModuleCache(), llvm::StringRef(kPreludePch), "",
        buffer_, instance.getFrontendOpts().ModuleFileExtensions,
        /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false);
  }

 private:
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

}  // namespace

std::string buildPreludePch() {
  DiagnosticCollector messages("prelude");
  const std::string include[] = {"-include", std::string(kPreludeFile)};
  const auto instance = makeInstance(makeFiles("", {}, {}), messages, include);
  instance->getLangOpts().CompilingPCH = true;
  const auto buffer = std::make_shared<clang::PCHBuffer>();
  PrecompileAction action(buffer);
  const bool built = instance->ExecuteAction(action) && buffer->IsComplete;
  check(built, messages.messages().empty() ? "the prelude compiles"
                                           : std::string_view(messages.messages().front().text));
  return {buffer->Data.begin(), buffer->Data.end()};
}

std::string_view preludePch() {
  static const std::string rebuilt =
      embeddedPch().clang_version == clang::getClangFullVersion() ? "" : buildPreludePch();
  return rebuilt.empty() ? embeddedPch().bytes : rebuilt;
}

}  // namespace qgpu::cuda
