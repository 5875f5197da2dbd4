#include "compiler/cuda/frontend/prelude.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendOptions.h>
#include <clang/Serialization/ASTWriter.h>

#include <memory>
#include <string>

#include "compiler/cuda/frontend/diagnostics.h"
#include "compiler/cuda/frontend/instance.h"
#include "compiler/cuda/frontend/virtual_files.h"
#include "interpreter/base/failure.h"

namespace qgpu::cuda {
namespace {

// clang's own action for this writes a file; this one writes to memory.
class PrecompileAction : public clang::ASTFrontendAction {
 public:
  explicit PrecompileAction(std::shared_ptr<clang::PCHBuffer> buffer)
      : buffer_(std::move(buffer)) {}

  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(
        instance.getPreprocessor(), instance.getModuleCache(), llvm::StringRef(kPreludePch), "",
        buffer_, instance.getFrontendOpts().ModuleFileExtensions,
        /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false);
  }

 private:
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

std::string buildPch() {
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

}  // namespace

std::string_view preludePch() {
  static const std::string pch = buildPch();
  return pch;
}

}  // namespace qgpu::cuda
