// qgpu_write_manual DOCS: writes the generated pages into that folder.
#include <cstdio>
#include <filesystem>

#include "interpreter/base/files.h"
#include "interpreter/isa/manual.h"
#include "interpreter/protocol/manual.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs(
        "usage: qgpu_write_manual FOLDER   writes FOLDER/instructions.md and FOLDER/tokens.md\n",
        stderr);
    return qgpu::exitStatus(qgpu::FailureKind::Refusal);
  }
  const std::filesystem::path folder = argv[1];
  auto done = qgpu::writeFileAtomically(folder / "instructions.md", qgpu::isa::instructionManual());
  if (done) done = qgpu::writeFileAtomically(folder / "tokens.md", qgpu::protocol::tokenManual());
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return qgpu::exitStatus(done.error().kind);
}
