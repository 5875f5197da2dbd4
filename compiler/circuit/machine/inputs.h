// What the embedding of a machine token says: which kind it is, and its fields as bits.
//
// A word arrives in up to three tokens. Its base token (VAL, MEM, CODE, PARAM) sets the `now`
// fields and the `word` fields alike; an EXT token finds the `word` fields of its base in a latch,
// so that later layers need not know which of the three they see.
#pragma once

#include <utility>
#include <vector>

#include "compiler/circuit/net.h"
#include "interpreter/protocol/token.h"

namespace qgpu::circuit::machine {

// Which word, and its low bits.
struct WordFields {
  Wire val, mem, code, param;
  Wire nine;  // mem or param: their base tokens carry nine bits
  Bus place;  // 9: VAL register:4 lane:4 (one-hot) all:1 · MEM address:8 · CODE block:5 row:3
              // half:1
              //    · PARAM index:5
  Bus low;    // 10: the base token's bits

  // All of them side by side, as the latch keeps them.
  Bus all() const;
  Bus reg() const { return {place.begin(), place.begin() + 4}; }
  Bus lane() const { return {place.begin() + 4, place.begin() + 8}; }
  Wire allLanes() const { return place[8]; }
  Bus address() const { return {place.begin(), place.begin() + 8}; }
  Bus block() const { return {place.begin(), place.begin() + 5}; }
  Bus row() const { return {place.begin() + 5, place.begin() + 8}; }
  Wire half() const { return place[8]; }
  Bus parameter() const { return {place.begin(), place.begin() + 5}; }
};

struct Inputs {
  Wire exec, pred, cta, grid;
  Wire base, ext, ext1, ext2;  // first part of a word, a later one; which one
  Bus block, warp, mask;       // EXEC
  Bus predicate, bits;         // PRED: the number plus one modulo 4; a bit for each lane
  Bus ctaid, ntid, first;      // CTA: numbers, and ctaid * ntid
  Bus nctaid;                  // GRID
  WordFields now, word;
  Bus more1, more2;  // the 13 bits of an EXT1, of an EXT2
  Bus word1;         // 13: EXT1's bits, in EXT1 and in EXT2

  explicit Inputs(Net& net);
};

// The input wires that `token` sets to 1.
std::vector<Wire> embed(const Inputs& inputs, const protocol::Token& token);

}  // namespace qgpu::circuit::machine
