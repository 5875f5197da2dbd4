// Runs a launch from a circuit file and its host's tokens, and prints a word of global memory.
//
//   launch_from_file machine.safetensors tokens.txt 7
//
// Linked with the model alone: what it prints was computed by weights. model_alone_test.cc says so.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "model/launch/decode.h"
#include "model/weights/circuit_file.h"

namespace qgpu {
namespace {

Expected<std::vector<protocol::Token>> readTokens(const std::string& path) {
  std::vector<protocol::Token> tokens;
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    auto token = protocol::Token::parse(line, {path, ++number, 1});
    if (!token) return fail(std::move(token.error()));
    tokens.push_back(*token);
  }
  return tokens;
}

Expected<std::uint32_t> run(const std::string& circuit_path, const std::string& tokens_path,
                            std::size_t address) {
  const auto circuit = model::readCircuit(circuit_path);
  if (!circuit) return fail(circuit.error());
  const auto tokens = readTokens(tokens_path);
  if (!tokens) return fail(tokens.error());
  model::MachineModel model(*circuit);
  if (!model::decode(model, *tokens, 1000).ended) return refuse("the launch did not end");
  return model::globalMemory(model).at(address);
}

}  // namespace
}  // namespace qgpu

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const auto word = qgpu::run(arguments[1], arguments[2], std::strtoul(arguments[3], nullptr, 10));
  if (!word) {
    fmt::print(stderr, "{}\n", word.error().text());
    return 1;
  }
  fmt::print("{}\n", *word);
  return 0;
}
