// Neither the interpreter's machine nor the circuit compiler is in the model: not in its library,
// not in a program that is linked with it alone, and that program runs a launch.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "conformance/audit/dot_launch.h"
#include "conformance/audit/the_circuit.h"
#include "interpreter/protocol/prompt.h"
#include "model/testing/temporary_folder.h"
#include "model/weights/circuit_file.h"

namespace qgpu::conformance {
namespace {

// What a command prints.
std::string outputOf(const std::string& command) {
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  check(pipe != nullptr, "a command starts");
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return output;
}

// Symbols of a library or program, by their names in C++. Assertions about them hold only if it
// has any at all.
std::string symbolsOf(const std::string& file) {
  return outputOf(std::string(QGPU_NM) + " -C '" + file + "'");
}
bool has(const std::string& symbols, const std::string& name) {
  return symbols.find(name) != std::string::npos;
}

TEST(ModelAlone, HoldsNoInterpreterAndNoCompiler) {
  for (const char* file : {QGPU_MODEL_LIBRARY, QGPU_LAUNCH_FROM_FILE}) {
    const std::string symbols = symbolsOf(file);
    EXPECT_TRUE(has(symbols, "qgpu::model::MachineModel::feed")) << file;
    EXPECT_FALSE(has(symbols, "qgpu::machine::")) << file;
    EXPECT_FALSE(has(symbols, "qgpu::circuit::")) << file;
  }
  EXPECT_TRUE(has(symbolsOf(QGPU_AUDIT_LIBRARY), "qgpu::machine::"));
}

TEST(ModelAlone, RunsALaunchFromACircuitFile) {
  const model::TemporaryFolder folder;
  const std::string circuit = (folder / "machine.safetensors").string();
  const std::string tokens = (folder / "tokens.txt").string();
  ASSERT_TRUE(model::writeCircuit(circuit, theCircuit()));
  std::ofstream file(tokens);
  for (const protocol::Token& token : protocol::hostTokens(dotLaunch()))
    file << token.text() << '\n';
  file.close();
  EXPECT_EQ(outputOf("'" QGPU_LAUNCH_FROM_FILE "' '" + circuit + "' '" + tokens + "' 7"), "32\n");
}

}  // namespace
}  // namespace qgpu::conformance
