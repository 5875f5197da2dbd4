// Reading memory, and the one write of a block but for sums and comparisons (columns.cc).
#include "compiler/circuit/machine/stage.h"
#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit::machine {
namespace {

using isa::Memory;
using isa::Opcode;
using isa::Row;

// Both spaces, a memory for each lane, read where the operand is in that space.
void readMemory(Stage& s) {
  const auto scope = s.net.scope("memory");
  Wire global, shared;
  {
    const auto at = s.decoding();
    Decoder d = s.decoder();
    const Bus space = s.bits.field("space");
    const auto reads = [](const Row& r) { return r.memory != Memory::None; };
    global = d.rows("reads_global", reads, Decoder::Form::Any, Gate(space[0]));
    shared = d.rows("reads_shared", reads, Decoder::Form::Any, Gate(space[1]));
  }
  const auto at = s.net.at(s.layer(4));
  const auto first = [](const Bus& bus, std::size_t n) {
    return Bus(bus.begin(), bus.begin() + static_cast<std::ptrdiff_t>(n));
  };
  const Bus place = s.in.word.address();
  for (int l = 0; l < kMachine.lanes; ++l) {
    const auto mode = s.net.within(s.ordinary);
    s.loaded[l] = s.net.wires("loaded" + std::to_string(l), 32);
    s.net.memory({.name = "global" + std::to_string(l),
                  .rows = kMachine.global_rows,
                  .write = {.address = first(place, 7), .when = s.in.word.mem & !place[7]},
                  .read = {.address = first(s.address[l], 7), .when = Gate(global)},
                  .lanes = lanes(s.front.word, s.loaded[l])});
    s.net.memory({.name = "shared" + std::to_string(l),
                  .rows = kMachine.shared_words,
                  .write = {.address = first(place, 6), .when = s.in.word.mem & place[7]},
                  .read = {.address = first(s.address[l], 6), .when = Gate(shared)},
                  .lanes = lanes(s.front.word, s.loaded[l])});
  }
}

// A byte or half word of the loaded word, with zeros or its sign above.
void buildNarrowLoads(Stage& s) {
  Wire byte, byte_signed, half, half_signed, mov;
  {
    const auto at = s.decoding();
    Decoder d = s.decoder();
    byte = d.ops("byte", {Opcode::Ldb, Opcode::Ldbs});
    byte_signed = d.ops("byte_signed", {Opcode::Ldbs});
    half = d.ops("half", {Opcode::Ldh, Opcode::Ldhs});
    half_signed = d.ops("half_signed", {Opcode::Ldhs});
    mov = d.ops("mov", {Opcode::Mov}, Decoder::Form::Memory);
  }
  const auto at = s.net.at(s.layer(6));
  for (int l = 0; l < kMachine.lanes; ++l) {
    const Bus &m = s.loaded[l], &r = s.out.result[l];
    addCopy(s.net, mov & s.open[l], m, r);
    const auto narrow = [&](Wire flag, Wire sign, const Gate& place, std::size_t first,
                            std::size_t width) {
      addCopy(s.net, flag & s.open[l] & place, std::span(m).subspan(first, width),
              std::span(r).first(width));
      addConstant(s.net, sign & s.open[l] & place & m[first + width - 1], ~0u,
                  std::span(r).subspan(width));
    };
    for (unsigned b = 0; b < 4; ++b)
      narrow(byte, byte_signed, spells(s.byte[l], b), std::size_t{8} * b, 8);
    for (unsigned h = 0; h < 2; ++h)
      narrow(half, half_signed, Gate(Literal(s.byte[l][1], h != 0)), std::size_t{16} * h, 16);
  }
}

struct WriteFlags {
  Wire any, replay, turns;  // writes; replays; lets the last lane of an address write
  Wire keeps;               // the result is the old word (atom.add makes its own)
};

struct NewWordFlags {
  Wire exchange;  // the new word is c
  Wire conjunction, disjunction, difference;
  Wire byte, half;
};

WriteFlags decodeWrites(Stage& s) {
  const auto at = s.decoding();
  Decoder d = s.decoder();
  WriteFlags f;
  f.any = d.rows("writes", [](const Row& r) { return r.writesMemory(); });
  f.replay = d.rows("replay", [](const Row& r) { return r.memory == Memory::Replay; });
  f.turns = d.ops("turns", {Opcode::St, Opcode::AtomAdd});
  f.keeps = d.rows("keeps", [](const Row& r) { return r.memory == Memory::Replay && r.result; });
  return f;
}

NewWordFlags decodeNewWords(Stage& s) {
  const auto at = s.decoding();
  Decoder d = s.decoder();
  NewWordFlags f;
  f.exchange = d.ops("exchange", {Opcode::St, Opcode::AtomExch});
  f.conjunction = d.ops("and", {Opcode::AtomAnd});
  f.disjunction = d.ops("or", {Opcode::AtomOr});
  f.difference = d.ops("xor", {Opcode::AtomXor});
  f.byte = d.ops("stb", {Opcode::Stb});
  f.half = d.ops("sth", {Opcode::Sth});
  return f;
}

// The new word where it is a function of its own bits: stores, exchanges and logic.
void buildNewWord(Stage& s, const NewWordFlags& f, int l) {
  const Bus &m = s.loaded[l], &c = s.late[l], &n = s.write.word[l];
  const Wire part = s.access[l];
  addCopy(s.net, f.exchange & part, c, n);
  addBitwise(s.net, f.conjunction & part, {0, 0, 0, 1}, m, c, n);
  addBitwise(s.net, f.disjunction & part, {0, 1, 1, -1}, m, c, n);
  addBitwise(s.net, f.difference & part, {0, 1, 1, -2}, m, c, n);
  for (unsigned b = 0; b < 4; ++b)
    for (std::size_t i = 0; i < 8; ++i) {
      const Gate here = f.byte & part & spells(s.byte[l], b);
      const std::size_t at = std::size_t{8} * b + i;
      s.net.add(n[at], here & c[i]);
      s.net.add(n[at], f.byte & part & m[at]);
      s.net.add(n[at], here & m[at], -1);
    }
  for (unsigned h = 0; h < 2; ++h)
    for (std::size_t i = 0; i < 16; ++i) {
      const Gate here = f.half & part & Literal(s.byte[l][1], h != 0);
      const std::size_t at = std::size_t{16} * h + i;
      s.net.add(n[at], here & c[i]);
      s.net.add(n[at], f.half & part & Literal(s.byte[l][1], h == 0) & m[at]);
    }
}

}  // namespace

void buildLoads(Stage& s) {
  const auto scope = s.net.scope("load");
  readMemory(s);
  buildNarrowLoads(s);
}

void buildWrites(Stage& s) {
  const auto scope = s.net.scope("write");
  const WriteFlags f = decodeWrites(s);
  for (int l = 0; l < kMachine.lanes; ++l)
    for (int m = 0; m < l; ++m) {
      const auto at = s.net.at(s.layer(4));
      const Wire same = s.net.wire("same" + std::to_string(l) + std::to_string(m));
      addEqual(s.net, same, f.any & s.access[l] & s.access[m],
               number(std::span(s.address[l]).first(7)) - number(std::span(s.address[m]).first(7)),
               0);
      s.same[l][m] = s.same[m][l] = same;
    }
  const auto at = s.net.at(s.layer(5));
  for (int l = 0; l < kMachine.lanes; ++l) {
    const Wire part = s.access[l];
    Gate first = f.replay & part, last = f.turns & part;
    Bus earlier;
    for (int m = 0; m < kMachine.lanes; ++m) {
      if (m < l) first &= Gate(!s.same[l][m]);
      if (m > l) last &= Gate(!s.same[l][m]);
      if (m < l) earlier.push_back(s.same[l][m]);
    }
    s.net.add(s.write.writes[l], first);
    s.net.add(s.write.writes[l], last);
    if (l > 0) addAtLeast(s.net, s.write.loses[l], Gate(f.replay), count(earlier), 1);
    addCopy(s.net, f.any & part, s.address[l], s.write.address[l]);
    addCopy(s.net, f.keeps & part, s.loaded[l], s.out.result[l]);
  }
}

void buildNewWords(Stage& s) {
  const auto scope = s.net.scope("new_word");
  const NewWordFlags f = decodeNewWords(s);
  const auto at = s.net.at(s.layer(7));
  for (int l = 0; l < kMachine.lanes; ++l) buildNewWord(s, f, l);
}

}  // namespace qgpu::circuit::machine
