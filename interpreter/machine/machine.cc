#include "interpreter/machine/machine.h"

#include <fmt/format.h>

#include <bit>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/rules.h"
#include "interpreter/machine/schedule.h"

namespace qgpu::machine {

using protocol::Token;
using protocol::partOf;
using protocol::TokenKind;

std::optional<Token> Machine::next() const {
  if (phase_ != Phase::Model) return std::nullopt;
  if (at_start_) return Token::exec(0, 0, startMask(0, state_.ntid));
  if (result_.faults != 0) return Token::trap();
  if (item_ < items_.size()) {
    const Item& item = items_[item_];
    if (part_ == 0) return item.base;
    return Token::ext(part_, partOf(item.word, lowBits(item.base.kind), part_));
  }
  return afterBlock(state_);
}

Expected<void> Machine::step(const Token& token) {
  if (phase_ != Phase::Model) return hostStep(token);
  const std::optional<Token> expected = next();
  if (token != *expected)
    return refuse(
        fmt::format("the machine writes {} here, not {}", expected->text(), token.text()));
  switch (token.kind) {
    case TokenKind::Exec: return execute(token);
    case TokenKind::Ext1:
    case TokenKind::Ext2: {
      auto extended = extendWord(token);
      advance();
      return extended;
    }
    case TokenKind::Cta: start(token); break;
    case TokenKind::Halt: phase_ = Phase::Halted; break;
    case TokenKind::Trap: phase_ = Phase::Trapped; break;
    case TokenKind::Pred:
      setPredicate(token);
      advance();
      break;
    default:
      openWord(token);
      advance();
      break;
  }
  return {};
}

// A thread block starts. Its first token is EXEC of block 0 for warp 0.
void Machine::start(const Token& cta) {
  startThreadBlock(state_, cta.field[0], cta.field[1]);
  state_.open.parts = 0;
  result_ = {};
  items_.clear();
  at_start_ = true;
  phase_ = Phase::Model;
}

// To the next part of the item, or to the next item.
void Machine::advance() {
  if (++part_ < items_[item_].parts) return;
  part_ = 0;
  ++item_;
}

Expected<void> Machine::hostStep(const Token& token) {
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
      start(token);
      return {};
    default: return refuse(fmt::format("{} is not the host's to write", name(token.kind)));
  }
  phase_ = Phase::Host;
  return {};
}

void Machine::setPredicate(const Token& token) {
  state_.warps[state_.exec.field[1]].predicates[token.field[0]] =
      static_cast<std::uint8_t>(token.field[1]);
}

void Machine::openWord(const Token& base) {
  const std::uint32_t word = protocol::extend(0, base.payload(), lowBits(base.kind), 0);
  state_.open = {base, word, 1};
  store(base, word);
}

Expected<void> Machine::extendWord(const Token& token) {
  const int part = token.kind == TokenKind::Ext1 ? 1 : 2;
  if (state_.open.parts != part)
    return refuse(fmt::format("{} does not follow a word of {} parts", name(token.kind), part));
  const Token& base = state_.open.base;
  const std::uint32_t word =
      protocol::extend(state_.open.word, token.payload(), lowBits(base.kind), part);
  state_.open.word = word;
  state_.open.parts = part + 1;
  store(base, word);
  return {};
}

void Machine::store(const Token& base, std::uint32_t word) {
  const auto& f = base.field;
  switch (base.kind) {
    case TokenKind::Val: {
      LaneWords& row = state_.warps[state_.exec.field[1]].file[f[0]];
      for (int l = 0; l < kMachine.lanes; ++l) {
        const bool all = f[1] == protocol::kAllLanes;
        if (all ? (state_.exec.field[2] >> l & 1) != 0 : f[1] == l) row[l] = word;
      }
      break;
    }
    case TokenKind::Mem:
      if (f[0] < protocol::kSharedBase)
        state_.global[f[0]] = word;
      else
        state_.shared[f[0] - protocol::kSharedBase] = word;
      break;
    case TokenKind::Param: state_.parameters[f[0]] = word; break;
    case TokenKind::Code: state_.program[f[0]][f[1] * isa::kHalves + f[2]] = word; break;
    default: bug("only a word's base token opens a word");
  }
}

Expected<void> Machine::execute(const Token& token) {
  const int number = token.field[0], w = token.field[1];
  const auto mask = static_cast<LaneMask>(token.field[2]);
  auto decoded = isa::decodeBlock(state_.program[number]);
  if (!decoded) return refuse(fmt::format("block {}: {}", number, decoded.error().message));
  const auto wrong = isa::violations(*decoded, number, kMachine.blocks);
  if (!wrong.empty()) return refuse(wrong.front().text());

  const DecodedBlock block(*decoded);
  Warp& warp = state_.warps[w];
  setSpecials(warp.file, w, state_.ctaid, state_.ntid, state_.nctaid);
  for (int i = 0; i < kMachine.parameters; ++i)
    warp.file[isa::Operand::parameter(i).code()].fill(state_.parameters[i]);
  state_.exec = token;
  state_.open.parts = 0;
  at_start_ = false;
  runBlock(block, number, warp, {state_.global, state_.shared}, mask, result_);
  moveLanes(state_, number, w, mask, result_.pc);
  collectItems(block, warp);
  return {};
}

void Machine::collectItems(const DecodedBlock& block, const Warp& warp) {
  items_.clear();
  item_ = 0;
  part_ = 0;
  if (result_.faults != 0) return;
  collectValues(block);
  collectPredicates(block, warp);
  collectMemory(block);
}

void Machine::collectValues(const DecodedBlock& block) {
  const auto mask = static_cast<LaneMask>(state_.exec.field[2]);
  const auto add = [&](int reg, int lane, std::uint32_t word) {
    items_.push_back({Token::val(reg, lane, partOf(word, protocol::kValBits, 0)), word,
                      protocol::partsNeeded(word, protocol::kValBits)});
  };
  for (int i = 0; i < kMachine.slots; ++i) {
    const DecodedSlot& d = block.slots[i];
    if (!d.slot.live) continue;
    const LaneWords& r = result_.stages[i].r;
    const LaneMask lanes = committing(d, result_.stages[i], mask, result_.losers);
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
  const auto mask = static_cast<LaneMask>(state_.exec.field[2]);
  for (int i = 0; i < kMachine.slots; ++i) {
    const DecodedSlot& d = block.slots[i];
    if (!d.slot.plive) continue;
    const LaneMask lanes = committing(d, result_.stages[i], mask, result_.losers);
    const LaneMask old = warp.predicates[d.slot.pd];
    items_.push_back({Token::pred(d.slot.pd, (result_.stages[i].p & lanes) | (old & ~lanes))});
  }
}

void Machine::collectMemory(const DecodedBlock& block) {
  if (result_.writer < 0) return;
  const isa::Space space = block.slots[result_.writer].slot.space;
  const LaneWords& address = result_.stages[result_.writer].address;
  for (int l = 0; l < kMachine.lanes; ++l) {
    if ((result_.writes >> l & 1) == 0) continue;
    const std::uint32_t word = result_.words[l];
    items_.push_back(
        {Token::mem(memoryAddress(space, address[l]), partOf(word, protocol::kMemBits, 0)), word,
         protocol::partsNeeded(word, protocol::kMemBits)});
  }
}

Failure Machine::trapReason() const {
  const int number = state_.exec.field[0], warp = state_.exec.field[1];
  std::string threads;
  for (int l = 0; l < kMachine.lanes; ++l)
    if ((result_.faults >> l & 1) != 0)
      threads += fmt::format("{}{}", threads.empty() ? "" : ", ", warp * kMachine.lanes + l);
  const std::string where =
      fmt::format("thread {} of thread block {}, block {}", threads, state_.ctaid, number);
  if (result_.fault_slot < 0)
    return {FailureKind::Trap, {}, "the kernel executed trap: " + where, ""};
  const int lane = std::countr_zero(result_.faults);
  const auto slot = isa::decodeBlock(state_.program[number])->slots[result_.fault_slot];
  return {FailureKind::Trap,
          {},
          fmt::format("address out of range or misaligned: {} byte {} ({}), slot {}",
                      slot.space == isa::Space::Shared ? "shared" : "global",
                      static_cast<std::int32_t>(result_.stages[result_.fault_slot].address[lane]),
                      where, result_.fault_slot + 1),
          fmt::format("global memory is bytes 4 to {}, shared memory bytes 0 to {}",
                      4 * kMachine.global_rows - 1, 4 * kMachine.shared_words - 1)};
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
