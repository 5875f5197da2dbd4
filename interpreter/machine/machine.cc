#include "interpreter/machine/machine.h"

#include <fmt/format.h>

#include <bit>

#include "interpreter/isa/rules.h"
#include "interpreter/machine/schedule.h"

namespace qgpu::machine {

using protocol::partOf;
using protocol::Token;
using protocol::TokenKind;

namespace {

Token execToken(const Dispatch& d) { return Token::exec(d.block, d.warp, d.mask); }

}  // namespace

Expected<void> Machine::step(const Token& token) {
  return phase_ == Phase::Model ? modelStep(token) : hostStep(token);
}

// ---- The host's turn. ----

Expected<void> Machine::hostStep(const Token& token) {
  if (!token.valid()) return refuse("a token with a field out of range");
  const OpenWord& open = state_.open;
  const bool first_slot = open.base.kind == TokenKind::Code && open.base.field[1] == 0;
  if (first_slot && open.parts > 0 && open.parts < 3 &&
      token.kind != (open.parts == 1 ? TokenKind::Ext1 : TokenKind::Ext2))
    return refuse("the words of a block's first slot come in three parts");
  switch (token.kind) {
    case TokenKind::Code:
      if (token.field[1] == kMachine.slots && token.field[2] != 0)
        return refuse("a block header has one half");
      openWord(token);
      break;
    case TokenKind::Param:
    case TokenKind::Mem: openWord(token); break;
    case TokenKind::Ext1:
    case TokenKind::Ext2: return extendWord(token);
    case TokenKind::Grid:
      state_.nctaid = token.field[0];
      state_.open.parts = 0;
      break;
    case TokenKind::Cta:
      if (state_.nctaid == 0) return refuse("GRID comes before CTA");
      if (token.field[0] != 0) return refuse("the host starts thread block 0");
      startThreadBlock(token);
      phase_ = Phase::Model;
      return {};
    default: return refuse(fmt::format("{} is not the host's to write", name(token.kind)));
  }
  phase_ = Phase::Host;
  return {};
}

// ---- The model's turn. ----

Expected<void> Machine::modelStep(const Token& token) {
  if (token != next_)
    return refuse(fmt::format("the machine writes {} here, not {}", next_.text(), token.text()));
  switch (token.kind) {
    case TokenKind::Exec: return execute(token);
    case TokenKind::Cta: startThreadBlock(token); return {};
    case TokenKind::Halt:
    case TokenKind::Trap:
      phase_ = token.kind == TokenKind::Halt ? Phase::Halted : Phase::Trapped;
      state_.open.parts = 0;
      return {};
    case TokenKind::Pred: setPredicate(token); break;
    case TokenKind::Ext1:
    case TokenKind::Ext2: check(extendWord(token).has_value(), "an owed part fits its word"); break;
    default: openWord(token); break;
  }
  nextPart();
  return {};
}

// Its first token is EXEC of block 0 for warp 0.
void Machine::startThreadBlock(const Token& cta) {
  machine::startThreadBlock(state_, cta.field[0], cta.field[1]);
  state_.open.parts = 0;
  pipeline_ = {};
  next_ = Token::exec(0, 0, startMask(0, state_.ntid));
}

Expected<const DecodedBlock*> Machine::decoded(int number) {
  if (!decoded_[number]) {
    auto block = isa::decodeBlock(state_.program[number]);
    if (!block) return refuse(fmt::format("block {}: {}", number, block.error().message));
    const auto wrong = isa::violations(*block, number, kMachine.blocks);
    if (!wrong.empty()) return refuse(wrong.front().text());
    decoded_[number].emplace(*block);
  }
  return &*decoded_[number];
}

Expected<void> Machine::execute(const Token& exec) {
  const int number = exec.field[0], w = exec.field[1];
  const LaneMask mask = exec.field[2];
  const auto block = decoded(number);
  if (!block) return fail(block.error());
  Warp& warp = state_.warps[w];
  state_.exec = exec;
  state_.open.parts = 0;
  pipeline_.run(**block, number, warp, {state_.global, state_.shared}, mask);
  moveLanes(warp, number, mask, lastBlock().pc);
  collectItems(**block, warp);
  next_ = successor();
  return {};
}

// To the next part of the item, or to the next item.
void Machine::nextPart() {
  if (++part_ == items_[item_].parts) {
    part_ = 0;
    ++item_;
  }
  next_ = successor();
}

Token Machine::successor() const {
  if (lastBlock().faults != 0) return Token::trap();
  if (item_ < items_owed_) {
    const Item& item = items_[item_];
    if (part_ == 0) return item.base;
    return Token::ext(part_, partOf(item.word, lowBits(item.base.kind), part_));
  }
  if (const auto exec = afterBlock(state_, state_.exec.field[1])) return execToken(*exec);
  if (state_.ctaid + 1 < state_.nctaid) return Token::cta(state_.ctaid + 1, state_.ntid);
  return Token::halt();
}

// ---- What tokens write. ----

void Machine::setPredicate(const Token& pred) {
  state_.warps[state_.exec.field[1]].predicates[pred.field[0]] =
      static_cast<std::uint8_t>(pred.field[1]);
}

void Machine::openWord(const Token& base) {
  const std::uint32_t word = protocol::extend(0, base.payload(), lowBits(base.kind), 0);
  state_.open = {base, word, 1};
  store(base, word);
}

Expected<void> Machine::extendWord(const Token& ext) {
  const int part = ext.kind == TokenKind::Ext1 ? 1 : 2;
  if (state_.open.parts != part)
    return refuse(fmt::format("{} follows part {} of a word", name(ext.kind), part));
  const Token& base = state_.open.base;
  const int low = lowBits(base.kind);
  if (ext.payload() >> protocol::partBits(low, part) != 0)
    return refuse(fmt::format("{} holds bits beyond the word", ext.text()));
  state_.open.word = protocol::extend(state_.open.word, ext.payload(), low, part);
  state_.open.parts = part + 1;
  store(base, state_.open.word);
  return {};
}

void Machine::store(const Token& base, std::uint32_t word) {
  const auto& f = base.field;
  switch (base.kind) {
    case TokenKind::Val: return storeValue(base, word);
    case TokenKind::Mem: memoryWord(state_, f[0]) = word; break;
    case TokenKind::Param: setParameter(state_, f[0], word); break;
    case TokenKind::Code:
      state_.program[f[0]][f[1] * isa::kHalves + f[2]] = word;
      decoded_[f[0]].reset();
      break;
    default: bug("only a word's base token opens a word");
  }
}

void Machine::storeValue(const Token& val, std::uint32_t word) {
  const std::uint32_t lanes =
      val.field[1] == protocol::kAllLanes ? state_.exec.field[2] : 1u << val.field[1];
  LaneWords& row = state_.warps[state_.exec.field[1]].file[val.field[0]];
  for (int l = 0; l < kMachine.lanes; ++l)
    if ((lanes >> l & 1) != 0) row[l] = word;
}

// ---- What a block owes. ----

void Machine::collectItems(const DecodedBlock& block, const Warp& warp) {
  items_owed_ = item_ = part_ = 0;
  if (lastBlock().faults != 0) return;
  collectValues(block);
  collectPredicates(block, warp);
  collectMemory(block);
}

void Machine::owe(const Token& base, std::uint32_t word) {
  const int low = lowBits(base.kind);
  items_[items_owed_++] = {base, word, low == 0 ? 1 : protocol::partsNeeded(word, low)};
}

void Machine::collectValues(const DecodedBlock& block) {
  const LaneMask mask = state_.exec.field[2];
  const auto add = [&](int reg, int lane, std::uint32_t word) {
    owe(Token::val(reg, lane, partOf(word, protocol::kValBits, 0)), word);
  };
  for (int i = 0; i < block.used; ++i) {
    const DecodedSlot& d = block.slots[i];
    if (!d.slot.live) continue;
    const LaneWords& r = lastBlock().stages[i].r;
    const LaneMask lanes = committing(d, lastBlock().stages[i], mask, lastBlock().losers);
    const int first = std::countr_zero(mask);
    bool uniform = lanes == mask;
    for (int l = 0; l < kMachine.lanes; ++l) uniform &= (lanes >> l & 1) == 0 || r[l] == r[first];
    if (uniform) {
      add(d.slot.rd, protocol::kAllLanes, r[first]);
      continue;
    }
    for (int l = 0; l < kMachine.lanes; ++l)
      if ((lanes >> l & 1) != 0) add(d.slot.rd, l, r[l]);
  }
}

void Machine::collectPredicates(const DecodedBlock& block, const Warp& warp) {
  const LaneMask mask = state_.exec.field[2];
  for (int i = 0; i < block.used; ++i) {
    const DecodedSlot& d = block.slots[i];
    if (!d.slot.plive) continue;
    const LaneMask lanes = committing(d, lastBlock().stages[i], mask, lastBlock().losers);
    const LaneMask old = warp.predicates[d.slot.pd];
    owe(Token::pred(d.slot.pd, (lastBlock().stages[i].p & lanes) | (old & ~lanes)));
  }
}

void Machine::collectMemory(const DecodedBlock& block) {
  if (lastBlock().writer < 0) return;
  const isa::Space space = block.slots[lastBlock().writer].slot.space;
  const LaneWords& address = lastBlock().stages[lastBlock().writer].address;
  for (int l = 0; l < kMachine.lanes; ++l) {
    if ((lastBlock().writes >> l & 1) == 0) continue;
    const std::uint32_t word = lastBlock().words[l];
    owe(Token::mem(memoryAddress(space, address[l]), partOf(word, protocol::kMemBits, 0)), word);
  }
}

Failure Machine::trapReason() const {
  check(phase_ == Phase::Trapped, "only a launch that trapped has a reason");
  const int number = state_.exec.field[0], warp = state_.exec.field[1];
  return describeFault(*decoded_[number], number, warp, state_.ctaid, lastBlock());
}

Expected<LaunchResult> launch(Machine& machine, std::span<const Token> host, std::int64_t budget) {
  LaunchResult result;
  for (const Token& token : host) {
    if (auto ok = machine.step(token); !ok) return fail(std::move(ok.error()));
    ++result.host_tokens;
  }
  while (const auto token = machine.next()) {
    if (static_cast<std::int64_t>(result.written.size()) >= budget)
      return trap(fmt::format("the launch did not end within {} tokens", budget),
                  "an endless loop, or raise --max-tokens");
    if (auto ok = machine.step(*token); !ok) return fail(std::move(ok.error()));
    result.written.push_back(*token);
  }
  if (machine.phase() == Phase::Trapped) return fail(machine.trapReason());
  if (machine.phase() == Phase::Host) return refuse("the host's tokens start no launch");
  return result;
}

}  // namespace qgpu::machine
