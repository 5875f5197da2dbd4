#include "compiler/cuda/frontend/instance.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "compiler/cuda/frontend/virtual_files.h"
#include "interpreter/base/failure.h"

namespace qgpu::cuda {
namespace {

// Arguments of clang -cc1, separated by blanks.
constexpr std::string_view kArguments =
    // The target. 64-bit, so that long, pointers and size_t have the sizes they have on a GPU.
    "-triple nvptx64-nvidia-cuda -target-cpu sm_75 -target-feature +ptx63 "
    // The language. The version of gcc is the one that clang itself claims to be compatible with.
    "-x cuda -std=c++17 -fcuda-is-device -fdeclspec -fgnuc-version=4.2.1 "
    "-fcuda-allow-variadic-functions "
    // Text in asm() would go into the PTX unread. A math function that has no instruction must stay
    // a call, which is refused by name; as a builtin it would bring the code generator down.
    "-fno-gnu-inline-asm -fno-math-builtin "
    // Choices where C++ leaves one to the compiler: overflow wraps, a loop may run for ever, and
    // memory may be looked at as another type. Kernels rely on all three.
    "-fwrapv -fno-finite-loops -relaxed-aliasing -ffp-contract=off "
    // Nothing from disk.
    "-nostdsysteminc -nobuiltininc -nostdinc++ -internal-isystem /qgpu.headers "
    "-fdebug-compilation-dir=/ -fmacro-prefix-map=/qgpu.source/= "
    // IR that our own passes are going to optimise, with lines and columns.
    "-O1 -disable-llvm-passes -debug-info-kind=line-directives-only -dwarf-version=2 "
    // clang's own limits.
    "-ferror-limit 50 -ftemplate-depth=128 -fbracket-depth 256 -fconstexpr-depth=128 "
    "-fconstexpr-steps=200000 -fno-caret-diagnostics "
    // We are CUDA 13, which clang does not know, but without its headers.
    "-Wno-unknown-cuda-version";

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace

std::unique_ptr<clang::CompilerInstance> makeInstance(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, clang::DiagnosticConsumer& messages,
    std::span<const std::string> arguments) {
  static const std::vector<std::string> fixed = split(kArguments);
  std::vector<const char*> all;
  all.reserve(fixed.size() + arguments.size() + 1);
  for (const std::string& argument : fixed) all.push_back(argument.c_str());
  for (const std::string& argument : arguments) all.push_back(argument.c_str());
  const std::string main_file(kSourceFile);
  all.push_back(main_file.c_str());

  // The options must be in place before the instance makes its own diagnostics, or -W and
  // -ferror-limit have no effect; so they are read with a temporary one.
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                       &messages, /*ShouldOwnClient=*/false);
  const bool parsed = clang::CompilerInvocation::CreateFromArgs(*invocation, all, diagnostics);
  check(parsed, "clang takes our arguments");

  auto instance = std::make_unique<clang::CompilerInstance>();
  instance->setInvocation(std::move(invocation));
  // A -D of the user's is not in the precompiled prelude, which is ours: nothing to compare.
  instance->getPreprocessorOpts().DisablePCHOrModuleValidation =
      clang::DisableValidationForModuleKind::All;
  instance->createDiagnostics(&messages, /*ShouldOwnClient=*/false);
  instance->createFileManager(std::move(files));
  instance->createSourceManager(instance->getFileManager());
  instance->setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  return instance;
}

}  // namespace qgpu::cuda
