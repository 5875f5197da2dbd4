// Launches of a few tokens each that together run every instruction and every way a block can end:
// small enough for evidence that is slow for each token.
//
//   const auto launches = smallLaunches();
//   for (const Token& t : sequenceOf(launches)) model.feed(t);
//
// They follow one another on one machine, whose state lasts, so that each sends only the words that
// it changes. The instruction table makes one for each of its rows, from the row's example; the
// rest are programs in small_launches.cc.
#pragma once

#include <bitset>
#include <cstddef>
#include <string>
#include <vector>

#include "interpreter/isa/opcode.h"
#include "interpreter/protocol/token.h"

namespace qgpu::conformance {

struct SmallLaunch {
  std::string name;  // "atom.add", "divergent barrier"
  std::vector<protocol::Token> host;
  std::vector<protocol::Token> written;  // as the interpreter writes it, with the HALT or TRAP
  // The instructions that some lane committed.
  std::bitset<isa::kOpcodes> committed;

  std::size_t tokens() const { return host.size() + written.size(); }
};

std::vector<SmallLaunch> smallLaunches();

// All their tokens, in order.
std::vector<protocol::Token> sequenceOf(const std::vector<SmallLaunch>& launches);

}  // namespace qgpu::conformance
