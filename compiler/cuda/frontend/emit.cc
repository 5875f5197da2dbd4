#include "compiler/cuda/frontend/emit.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <mutex>

#include "compiler/cuda/frontend/virtual_files.h"
#include "interpreter/base/failure.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace qgpu::cuda {
namespace {

// LLVM keeps these options in globals of the process: set once, before the first compile.
constexpr const char* kLlvmOptions[] = {
    "qgpu",
    // No closed forms of loops: they need wide multiplications.
    "-replexitval=never",
    // Pairs of loads are for memories that are faster for them.
    "-disable-nvptx-load-store-vectorizer",
    "-disable-lsr",
};

const llvm::Target* nvptx() {
  static const llvm::Target* const target = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    llvm::cl::ParseCommandLineOptions(std::size(kLlvmOptions), kLlvmOptions);
    std::string error;
    const llvm::Target* found = llvm::TargetRegistry::lookupTarget("nvptx64-nvidia-cuda", error);
    check(found != nullptr, "this LLVM has the NVPTX target");
    return found;
  }();
  return target;
}

// A file name that can stand between quotes in PTX, which has nothing but ASCII: other letters as
// nvcc writes them, \303\274 for two bytes.
std::string printable(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 128)
      result += fmt::format("\\{:o}", byte);
    else
      result += byte < ' ' || c == '"' || c == '\\' || byte == 127 ? '_' : c;
  }
  return result;
}

// `.file 1 "/qgpu.source/kernel.cu"` -> `.file 1 "kernel.cu"`
std::string withUserFileName(std::string_view line, std::string_view file_name) {
  const std::size_t open = line.find('"'), close = line.rfind('"');
  if (open == close) return std::string(line);
  const std::string_view path = line.substr(open + 1, close - open - 1);
  const std::string name = sourceName(path, file_name);
  return fmt::format("{}{}{}", line.substr(0, open + 1),
                     name.empty() ? std::string(path) : printable(name), line.substr(close));
}

// What LLVM writes for a debugger or a linker and nobody here reads: labels around functions and
// lines, an empty section, remarks. A line number 0 goes too: then the instruction keeps the place
// of the one before it, which is nearer than none.
bool isNoise(std::string_view line) {
  if (line.starts_with("$L__func_") || line.starts_with("$L__tmp") || line.starts_with("\t//"))
    return true;
  if (line.starts_with("\t.section\t.debug_loc")) return true;
  if (!line.starts_with("\t.loc\t")) return false;
  const std::size_t space = line.find(' ');
  return space != std::string_view::npos && line.substr(space).starts_with(" 0 ");
}

std::string tidied(std::string_view ptx, std::string_view file_name) {
  std::string text;
  text.reserve(ptx.size());
  while (!ptx.empty()) {
    const std::string_view line = ptx.substr(0, std::min(ptx.size(), ptx.find('\n') + 1));
    ptx.remove_prefix(line.size());
    if (isNoise(line)) continue;
    if (line.starts_with("\t.file\t"))
      text += withUserFileName(line, file_name);
    else
      text += line;
  }
  return text;
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> makeTarget() {
  llvm::TargetOptions options;
  options.MCOptions.AsmVerbose = false;
  options.MCOptions.MCUseDwarfDirectory = llvm::MCTargetOptions::DisableDwarfDirectory;
  return std::unique_ptr<llvm::TargetMachine>(
      nvptx()->createTargetMachine("nvptx64-nvidia-cuda", "sm_75", "+ptx63", options,
                                   llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Less));
}

std::string emitPtx(llvm::Module& module, llvm::TargetMachine& machine,
                    std::string_view file_name) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  const bool impossible =
      machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile,
                                  /*DisableVerify=*/true);
  check(!impossible, "the NVPTX target writes assembly");
  passes.run(module);
  return tidied(std::string_view(text.data(), text.size()), file_name);
}

}  // namespace qgpu::cuda
