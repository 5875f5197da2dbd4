#include <fmt/format.h>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/table.h"

namespace qgpu::isa {
namespace {

std::string text(Operand o, const Slot& s) {
  switch (o.kind()) {
    case Operand::Kind::Register: return fmt::format("r{}", o.index());
    case Operand::Kind::Slot: return fmt::format("s{}", o.index() + 1);
    case Operand::Kind::Immediate: return fmt::format("{}", s.imm);
    case Operand::Kind::Special: return std::string(name(static_cast<Special>(o.index())));
    case Operand::Kind::Parameter: return fmt::format("c{}", o.index());
    case Operand::Kind::Reserved: break;
  }
  return fmt::format("?{}", o.code());
}

std::string address(const Slot& s, const Row& r) {
  const std::string base = s.base_parameter ? fmt::format("c{}", s.aux) : fmt::format("{}", s.imm);
  return fmt::format("[{} {} + {}{}]", s.space == Space::Shared ? "shared" : "global", base,
                     text(s.b, s), s.scaled ? fmt::format("*{}", r.width) : "");
}

// Beside a result, a predicate that stays in the block and keeps no old value goes without saying.
bool namesPredicate(const Slot& s, const Row& r) {
  return computesPredicate(s) && (!r.result || s.plive || s.pd != 0);
}

std::string mnemonic(const Slot& s, const Row& r) {
  const bool compares = computesPredicate(s) && r.predicate != PredicateUse::Flag;
  if (!compares || (s.compare == Compare::Eq && !namesPredicate(s, r))) return std::string(r.name);
  return fmt::format("{}.{}", r.name, name(s.compare));
}

std::string destination(const Slot& s, const Row& r) {
  std::string out;
  if (r.result) out = s.live ? fmt::format("r{}!", s.rd) : "_";
  if (namesPredicate(s, r))
    out += fmt::format("{}p{}{}", out.empty() ? "" : "|", s.pd, s.plive ? "!" : "");
  return out;
}

void append(std::string& out, std::string_view part) {
  if (part.empty()) return;
  out += out.back() == ' ' ? "" : ", ";
  out += part;
}

}  // namespace

std::string_view name(Special special) {
  static constexpr std::array<std::string_view, kSpecials> kNames = {
      "tid", "ctaid", "ntid", "nctaid", "gtid", "lane", "warp", "mask"};
  return kNames[static_cast<std::size_t>(special)];
}

std::string_view name(Compare compare) {
  static constexpr std::array<std::string_view, 8> kNames = {"eq",  "ne",  "lt",    "ge",
                                                             "ltu", "geu", "carry", "nocarry"};
  return kNames[static_cast<std::size_t>(compare)];
}

std::string_view name(Terminator kind) {
  static constexpr std::array<std::string_view, kTerminators> kNames = {"jump", "branch", "exit.if",
                                                                        "exit", "bar",    "trap"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string text(Guard guard) {
  if (guard.always()) return "always";
  return fmt::format("{}{}{}", guard.negate ? "!" : "", guard.isSlot() ? 's' : 'p',
                     guard.index() + (guard.isSlot() ? 1 : 0));
}

std::string disassemble(const Slot& s) {
  const Row& r = row(s.op);
  std::string out = s.guard.always() ? "" : fmt::format("@{} ", text(s.guard));
  out += mnemonic(s, r) + ' ';
  append(out, destination(s, r));
  if (r.a) append(out, text(s.a, s));
  if (s.space != Space::None)
    append(out, address(s, r));
  else if (r.b)
    append(out, text(s.b, s));
  if (r.unit == Unit::Predicate)
    append(out, text(Guard{static_cast<std::uint8_t>(s.aux & 7), (s.aux & 8) != 0}));
  if (r.c) append(out, text(s.c, s));
  if (r.isShuffle()) append(out, fmt::format("{}:{}", s.aux & 3, s.aux >> 2));
  if (!r.c && !s.c.isZero()) out += fmt::format(" else {}", text(s.c, s));
  while (out.back() == ' ') out.pop_back();
  return out;
}

std::string disassemble(const Header& h) {
  const std::string condition =
      fmt::format("{}{}{}", h.condition.negate ? "!" : "", h.condition.isSlot() ? 's' : 'p',
                  h.condition.index() + (h.condition.isSlot() ? 1 : 0));
  switch (h.kind) {
    case Terminator::Branch: return fmt::format("branch {}, {}, {}", condition, h.target, h.other);
    case Terminator::ExitIf: return fmt::format("exit.if {}, {}", condition, h.target);
    case Terminator::Jump:
    case Terminator::Barrier: return fmt::format("{} {}", name(h.kind), h.target);
    case Terminator::Exit:
    case Terminator::Trap: break;
  }
  return std::string(name(h.kind));
}

std::string disassemble(const Block& block, int number) {
  std::string out = fmt::format("block {}:\n", number);
  int used = kMachine.slots;
  while (used > 0 && block.slots[used - 1] == Slot{}) --used;
  for (int i = 0; i < used; ++i) out += fmt::format("  {}\n", disassemble(block.slots[i]));
  return out + fmt::format("  {}\n", disassemble(block.header));
}

std::string disassemble(const Program& program) {
  std::string out;
  for (std::size_t i = 0; i < program.blocks.size(); ++i)
    out += disassemble(program.blocks[i], static_cast<int>(i));
  return out;
}

}  // namespace qgpu::isa
