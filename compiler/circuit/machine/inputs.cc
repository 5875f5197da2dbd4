#include "compiler/circuit/machine/inputs.h"

namespace qgpu::circuit::machine {
namespace {

using protocol::Token;
using protocol::TokenKind;

WordFields wordFields(Net& net, std::string_view name) {
  const auto scope = net.scope(name);
  return {net.input("val"),  net.input("mem"),       net.input("code"),    net.input("param"),
          net.input("nine"), net.inputs("place", 9), net.inputs("low", 10)};
}

// Collects the wires that are 1.
class Ones {
 public:
  void set(Wire w) { wires_.push_back(w); }
  void set(const Bus& bus, std::uint32_t value) {
    for (std::size_t i = 0; i < bus.size(); ++i)
      if ((value >> i & 1) != 0) wires_.push_back(bus[i]);
  }
  std::vector<Wire> take() { return std::move(wires_); }

 private:
  std::vector<Wire> wires_;
};

void embedWord(Ones& ones, const WordFields& w, const Token& t) {
  const auto& f = t.field;
  ones.set(w.low, t.payload());
  switch (t.kind) {
    case TokenKind::Val:
      ones.set(w.val);
      ones.set(w.place, f[0]);
      ones.set(w.place[f[1] == protocol::kAllLanes ? 8 : 4 + f[1]]);
      break;
    case TokenKind::Mem:
      ones.set(w.mem);
      ones.set(w.nine);
      ones.set(w.place, f[0]);
      break;
    case TokenKind::Code:
      ones.set(w.code);
      ones.set(w.place, static_cast<std::uint32_t>(f[0] | f[1] << 5 | f[2] << 8));
      break;
    case TokenKind::Param:
      ones.set(w.param);
      ones.set(w.nine);
      ones.set(w.place, f[0]);
      break;
    default: bug("only base tokens begin a word");
  }
}

}  // namespace

Bus WordFields::all() const {
  Bus bus = {val, mem, code, param, nine};
  bus.insert(bus.end(), place.begin(), place.end());
  bus.insert(bus.end(), low.begin(), low.end());
  return bus;
}

Inputs::Inputs(Net& net)
    : exec(net.input("exec")),
      pred(net.input("pred")),
      cta(net.input("cta")),
      grid(net.input("grid")),
      base(net.input("base")),
      ext(net.input("ext")),
      ext1(net.input("ext1")),
      ext2(net.input("ext2")),
      block(net.inputs("block", 5)),
      warp(net.inputs("warp", 3)),
      mask(net.inputs("mask", kMachine.lanes)),
      predicate(net.inputs("predicate", 2)),
      bits(net.inputs("bits", kMachine.lanes)),
      ctaid(net.inputs("ctaid", 8)),
      ntid(net.inputs("ntid", 6)),
      first(net.inputs("first", 13)),
      nctaid(net.inputs("nctaid", 9)),
      now(wordFields(net, "now")),
      word(wordFields(net, "word")),
      more1(net.inputs("more1", protocol::kExtBits)),
      more2(net.inputs("more2", protocol::kExtBits)),
      word1(net.inputs("word1", protocol::kExtBits)) {}

std::vector<Wire> embed(const Inputs& in, const Token& t) {
  Ones ones;
  const auto& f = t.field;
  switch (t.kind) {
    case TokenKind::Exec:
      ones.set(in.exec);
      ones.set(in.block, f[0]);
      ones.set(in.warp, f[1]);
      ones.set(in.mask, f[2]);
      break;
    case TokenKind::Pred:
      ones.set(in.pred);
      ones.set(in.predicate, (f[0] + 1u) % kMachine.predicates);
      ones.set(in.bits, f[1]);
      break;
    case TokenKind::Cta:
      ones.set(in.cta);
      ones.set(in.ctaid, f[0]);
      ones.set(in.ntid, f[1]);
      ones.set(in.first, std::uint32_t{f[0]} * f[1]);
      break;
    case TokenKind::Grid:
      ones.set(in.grid);
      ones.set(in.nctaid, f[0]);
      break;
    case TokenKind::Ext1:
      ones.set(in.ext);
      ones.set(in.ext1);
      ones.set(in.more1, f[0]);
      ones.set(in.word1, f[0]);
      break;
    case TokenKind::Ext2:
      ones.set(in.ext);
      ones.set(in.ext2);
      ones.set(in.more2, f[0]);
      break;
    case TokenKind::Halt:
    case TokenKind::Trap: break;
    default:
      ones.set(in.base);
      embedWord(ones, in.now, t);
      embedWord(ones, in.word, t);
  }
  return ones.take();
}

}  // namespace qgpu::circuit::machine
