#include "conformance/audit/small_launches.h"

#include <fmt/format.h>

#include <map>

#include "interpreter/isa/assembly.h"
#include "interpreter/isa/manual.h"
#include "interpreter/isa/rules.h"
#include "interpreter/isa/table.h"
#include "interpreter/machine/machine.h"
#include "interpreter/protocol/prompt.h"

namespace qgpu::conformance {
namespace {

using isa::Block;
using isa::Opcode;
using isa::Program;
using protocol::Token;
using protocol::TokenKind;

// What a launch wants of the machine before it starts.
struct Wanted {
  std::string name;
  Program program;
  std::vector<std::uint32_t> parameters{};
  std::vector<protocol::MemoryWord> memory{};
  int thread_blocks = 1;
  int threads = 4;
};

class Sequence {
 public:
  void run(const Wanted& wanted) {
    const auto wrong = isa::violations(wanted.program);
    check(wrong.empty(), wanted.name + (wrong.empty() ? "" : ": " + wrong.front().text()));
    SmallLaunch launch{
        .name = wanted.name, .host = changes(wanted), .written = {}, .committed = {}};
    for (const Token& token : launch.host) step(token);
    while (const auto token = machine_.next()) {
      step(*token);
      launch.written.push_back(*token);
      if (token->kind == TokenKind::Exec) noteCommits(wanted.program, *token, launch);
      check(launch.written.size() < 500, "a small launch ends soon");
    }
    launches_.push_back(std::move(launch));
  }
  std::vector<SmallLaunch> take() { return std::move(launches_); }

 private:
  void step(const Token& token) {
    check(machine_.step(token).has_value(), "a small launch keeps the protocol");
  }

  // The launch's host tokens without those that change nothing.
  std::vector<Token> changes(const Wanted& wanted) const {
    const machine::State& state = machine_.state();
    const protocol::Image image{.program = protocol::encode(wanted.program),
                                .parameters = wanted.parameters,
                                .memory = wanted.memory,
                                .thread_blocks = wanted.thread_blocks,
                                .threads = wanted.threads};
    std::vector<Token> kept, word;
    bool changed = false;
    const auto flush = [&] {
      if (changed) kept.insert(kept.end(), word.begin(), word.end());
      word.clear();
    };
    for (const Token& token : protocol::hostTokens(image)) {
      const bool extends = token.kind == TokenKind::Ext1 || token.kind == TokenKind::Ext2;
      if (!extends) {
        flush();
        changed = changes(state, image, token);
      }
      word.push_back(token);
    }
    flush();
    return kept;
  }

  static bool changes(const machine::State& state, const protocol::Image& image,
                      const Token& token) {
    const auto& f = token.field;
    switch (token.kind) {
      case TokenKind::Code: {
        const int word = f[1] * isa::kHalves + f[2];
        return state.program[f[0]][word] != image.program[f[0]][word];
      }
      case TokenKind::Param: return state.parameters[f[0]] != image.parameters[f[0]];
      case TokenKind::Grid: return state.nctaid != f[0];
      default: return true;
    }
  }

  void noteCommits(const Program& program, const Token& exec, SmallLaunch& launch) const {
    const machine::DecodedBlock block(program.blocks[exec.field[0]]);
    const machine::BlockResult& result = machine_.lastBlock();
    if (result.faults != 0) return;
    for (int s = 0; s < kMachine.slots; ++s) {
      const machine::DecodedSlot& slot = block.slots[s];
      if (machine::committing(slot, result.stages[s], exec.field[2], result.losers) != 0)
        launch.committed.set(static_cast<std::size_t>(slot.slot.op));
    }
  }

  machine::Machine machine_;
  std::vector<SmallLaunch> launches_;
};

Program assembled(const std::string& text) {
  auto program = isa::assemble(text, "small launch");
  check(program.has_value(), program ? "" : program.error().text());
  return std::move(*program);
}

// Registers 1-3 and p0, p1 of two threads, for the examples: one thread with small operands, whose
// results are short, one with wide and negative ones.
Wanted operands() {
  return {.name = "operands",
          .program = assembled(R"(
            block 0:
              mov r1!, [global 16 + tid*4]
              mov r2!, [global 24 + tid*4]
              mov r3!, [global 32 + tid*4]
              setp.ne p0!, s2, 3
              jump 1
            block 1:
              setp.lt p1!, tid, 1
              exit
          )"),
          .memory = {{2, 17},
                     {3, 0xfffffff7},
                     {4, 17},
                     {5, 0x92345678},
                     {6, 3},
                     {7, 0xfffffffd},
                     {8, 9},
                     {9, 0x7654}},
          .threads = 2};
}

// The example of an instruction, in the block that it needs.
Wanted example(Opcode op) {
  const isa::Row& row = isa::row(op);
  Block block;
  block.header.divide = row.unit == isa::Unit::Divider;
  block.header.replay = row.memory == isa::Memory::Replay;
  if (block.header.divide) block.slots[0] = isa::exampleSlot(Opcode::Div);
  block.slots[op == Opcode::Quo ? 2 : op == Opcode::Rem ? 3 : 0] = isa::exampleSlot(op);
  if (op == Opcode::Div || op == Opcode::Divu) {
    block.slots[2] = isa::exampleSlot(Opcode::Quo);
    block.slots[3] = isa::exampleSlot(Opcode::Rem);
    block.slots[3].rd = 5;
  }
  Program program{{block}};
  if (block.header.replay)  // not in block 0
    program.blocks.insert(program.blocks.begin(),
                          {.slots = {}, .header = {.kind = isa::Terminator::Jump, .target = 1}});
  return {.name = std::string(row.name), .program = std::move(program), .threads = 2};
}

// A program after `block 0:`, with what `wanted` says beside it.
Wanted program(std::string name, const std::string& text, Wanted wanted = {}) {
  wanted.name = std::move(name);
  wanted.program = assembled("block 0:\n" + text);
  return wanted;
}

// What passes between the slots of a block, and what they read.
std::vector<Wanted> withinABlock() {
  return {program("guards that merge and fail", R"(
            @p0 add r4!, r1, -300 else r2
            @!p1 mov _, r2 else c0
            sub.ltu r6!|p1!, s2, 7
            exit)",
                  {.name = {}, .program = {}, .parameters = {0x1234567}, .threads = 3}),
          program("forwarding through all slots", R"(
            sub.lt r4!, gtid, 2
            @s1 mad _, s1, s1, 9
            @!s1 xor _, s2, s1 else s2
            addc r6!, s3, s2
            exit)"),
          program("memory operands", R"(
            mad r4!, tid, [global c1 + tid*4], r3
            maxu _, s1, [global 12 + lane*4]
            ldhs r6!, [global 26 + tid*2]
            exit)",
                  {.name = {}, .program = {}, .parameters = {0x1234567, 16}}),
          program("specials", R"(
            mad r4!, ctaid, 100, gtid
            mad _, ntid, nctaid, mask
            add _, lane, warp
            add r5!, s2, s3
            exit)",
                  {.name = {}, .program = {}, .thread_blocks = 2, .threads = 5}),
          program("division by zero", R"(
            div tid, r0
            nop
            quo r4!
            rem r5!
            exit)",
                  {.name = {}, .program = {}, .threads = 2})};
}

// Where blocks end, and with what.
std::vector<Wanted> betweenBlocks() {
  return {program("atomics on one word", R"(
            atom.add r5!, [global 8 + r0*4], tid
            jump 1
          block 1:
            atom.max r4!, [global 8 + r0*4], tid
            exit)",
                  {.name = {}, .program = {}, .threads = 3}),
          program("a divergent branch", R"(
            branch p1, 1, 2
          block 1:
            mov r4!, 20
            exit
          block 2:
            sub r4!, r4, 1
            exit.if p0, 1)"),
          program("shared memory behind a barrier", R"(
            st [shared 20 + tid*4], gtid
            bar 1
          block 1:
            ldb _, [shared 24 + warp]
            st [global 40 + ctaid*4], s1
            exit)",
                  {.name = {}, .program = {}, .thread_blocks = 2, .threads = 5}),
          program("an address outside", "mov r4!, [global 508 + tid*4]\n exit",
                  {.name = {}, .program = {}, .threads = 2}),
          program("a trap", "add r4!, r4, 1\n trap")};
}

}  // namespace

std::vector<SmallLaunch> smallLaunches() {
  Sequence sequence;
  sequence.run(operands());
  for (int op = 0; op < isa::kOpcodes; ++op) sequence.run(example(static_cast<Opcode>(op)));
  for (const auto& more : {withinABlock(), betweenBlocks()})
    for (const Wanted& wanted : more) sequence.run(wanted);
  return sequence.take();
}

std::vector<Token> sequenceOf(const std::vector<SmallLaunch>& launches) {
  std::vector<Token> tokens;
  for (const SmallLaunch& launch : launches) {
    tokens.insert(tokens.end(), launch.host.begin(), launch.host.end());
    tokens.insert(tokens.end(), launch.written.begin(), launch.written.end());
  }
  return tokens;
}

}  // namespace qgpu::conformance
