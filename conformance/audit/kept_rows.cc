#include "conformance/audit/kept_rows.h"

#include <fmt/format.h>

namespace qgpu::conformance {
namespace {

using machine::State;
using protocol::Token;
using protocol::TokenKind;
using Word = std::optional<std::uint32_t>;

constexpr std::size_t kHeaderWord = std::size_t{kMachine.slots} * isa::kHalves;

constexpr std::uint32_t unsign(int x) { return static_cast<std::uint32_t>(x); }

// Lists the copies of each kind of row.
class Lister {
 public:
  explicit Lister(const model::Circuit& circuit) : circuit_(circuit) {}

  void memories() {
    for (const auto& [space, rows] :
         {std::pair{"global", kMachine.global_rows}, {"shared", kMachine.shared_words}}) {
      const bool global = rows == kMachine.global_rows;
      KeptRows& kept =
          add(fmt::format("{} word", space), rows, 32, [global](const State& s, int row) {
            return Word(global ? s.global[row] : s.shared[row]);
          });
      forEachStage([&](const std::string& stage) {
        for (int l = 0; l < kMachine.lanes; ++l)
          copy(kept, fmt::format("{}.load.memory.{}{}", stage, space, l));
      });
    }
  }

  // Row: 16 * warp + register. Register 0 has no row that anyone writes.
  void registers() {
    for (int l = 0; l < kMachine.lanes; ++l) {
      KeptRows& kept = add(fmt::format("lane {} register row", l),
                           kMachine.warps * kMachine.registers, 32, [l](const State& s, int row) {
                             const auto& warp = s.warps[row / kMachine.registers];
                             return Word(warp.reg(row % kMachine.registers)[l]);
                           });
      forEachStage([&](const std::string& stage) {
        for (const char operand : {'a', 'b', 'c'})
          copy(kept, fmt::format("{}.operands.{}.registers{}", stage, operand, l));
      });
    }
  }

  // Row: 4 * warp + the predicate's number plus one modulo 4.
  void predicates() {
    KeptRows& kept = add("predicate row", kMachine.warps * kMachine.predicates, kMachine.lanes,
                         [](const State& s, int row) {
                           const int p = (row + kMachine.predicates - 1) % kMachine.predicates;
                           return Word(s.warps[row / kMachine.predicates].predicates[p]);
                         });
    forEachStage([&](const std::string& stage) {
      for (const std::string_view port : {"operands.guard_row", "operands.second_row", "old"})
        copy(kept, fmt::format("{}.{}", stage, port));
    });
    copy(kept, "control.predicates");
  }

  void parameters() {
    KeptRows& kept = add("parameter", kMachine.parameters, 32,
                         [](const State& s, int row) { return Word(s.parameters[row]); });
    forEachStage([&](const std::string& stage) {
      for (const std::string_view port : {"parameter", "base_parameter"})
        copy(kept, fmt::format("{}.operands.{}", stage, port));
    });
  }

  // A word of the first slot appears when its third part has come.
  void program() {
    for (int slot = 0; slot < kMachine.slots; ++slot)
      for (int half = 0; half < isa::kHalves; ++half) {
        KeptRows& kept = add(fmt::format("slot {} half {} of block", slot + 1, half),
                             kMachine.blocks, 32, [slot, half](const State& s, int block) -> Word {
                               const auto& base = s.open.base;
                               const bool incomplete =
                                   slot == 0 && base.kind == TokenKind::Code &&
                                   base.field[0] == block && base.field[1] == 0 &&
                                   base.field[2] == half && s.open.parts > 0 && s.open.parts < 3;
                               if (incomplete) return std::nullopt;
                               return s.program[block][slot * isa::kHalves + half];
                             });
        copy(kept, fmt::format("slot{}.half{}", slot + 1, half));
      }
    constexpr isa::Field last = isa::kHeaderFields.back();
    // While its parts arrive, a header's word has more bits than a header.
    constexpr int width = last.first + last.bits;
    KeptRows& kept = add("header of block", kMachine.blocks, width, [](const State& s, int block) {
      return Word(s.program[block][kHeaderWord] & ((1u << width) - 1));
    });
    copy(kept, "control.header.half0");
  }

  void warps() {
    for (int l = 0; l < kMachine.lanes; ++l) {
      KeptRows& kept = add(fmt::format("lane {} key of warp", l), kMachine.warps, 8,
                           [l](const State& s, int warp) { return Word(s.warps[warp].pc[l]); });
      copy(kept, fmt::format("control.pc{}", l));
    }
    for (int w = 0; w < kMachine.warps; ++w) {
      KeptRows& kept = add(fmt::format("status of warp {}", w), 1, 3, [w](const State& s, int) {
        const machine::WarpStatus& status = s.warps[w].status;
        return Word(unsign(status.alive) | unsign(status.running) << 1 |
                    unsign(status.started) << 2);
      });
      copy(kept, fmt::format("control.status{}", w));
    }
    KeptRows& kept = add("resume row of warp", kMachine.warps, 11, [](const State& s, int warp) {
      const machine::Resume& resume = s.warps[warp].resume;
      return Word(resume.block | unsign(resume.mask) << 7);
    });
    copy(kept, "control.resume");
  }

  void latches() {
    latch("exec", 7, [](const State& s) -> Word {
      if (s.exec.kind != TokenKind::Exec) return 0;
      return s.exec.field[1] | unsign(s.exec.field[2]) << 3;
    });
    latch("cta", 27, [](const State& s) {
      return Word(unsign(s.ctaid) | unsign(s.ntid) << 8 | unsign(s.ctaid * s.ntid) << 14);
    });
    latch("grid", 9, [](const State& s) { return Word(unsign(s.nctaid)); });
    latch("base", 24, [](const State& s) { return baseLatch(s.open.base); });
    latch("ext1", 13, [](const State& s) -> Word {
      if (s.open.parts < 2) return std::nullopt;
      return protocol::partOf(s.open.word, lowBits(s.open.base.kind), 1);
    });
  }

  std::vector<KeptRows> take() { return std::move(kept_); }

 private:
  using Expected = decltype(KeptRows::expected);

  KeptRows& add(std::string what, int rows, int bits, Expected expected) {
    return kept_.emplace_back(std::move(what), rows, bits, std::vector<model::MemoryPlace>(),
                              std::move(expected));
  }
  void copy(KeptRows& kept, const std::string& name) {
    kept.copies.push_back(circuit_.memory(name));
  }
  template <typename Use>
  void forEachStage(Use use) {
    for (int s = 1; s <= kMachine.slots; ++s) use(fmt::format("stage{}", s));
  }
  template <typename Value>
  void latch(std::string_view name, int bits, Value value) {
    KeptRows& kept = add(fmt::format("{} latch, row", name), 1, bits,
                         [value](const State& s, int) -> Word { return value(s); });
    copy(kept, fmt::format("front.latch.{}", name));
  }

  // The kind (and whether it is one with nine low bits), where the word goes, its low bits.
  static Word baseLatch(const Token& t) {
    const auto& f = t.field;
    std::uint32_t kind = 0, place = 0;
    switch (t.kind) {
      case TokenKind::Val:
        kind = 1;
        place = f[0] | 1u << (f[1] == protocol::kAllLanes ? 8 : 4 + f[1]);
        break;
      case TokenKind::Mem:
        kind = 2 | 16;
        place = f[0];
        break;
      case TokenKind::Code:
        kind = 4;
        place = unsign(f[0] | f[1] << 5 | f[2] << 8);
        break;
      case TokenKind::Param:
        kind = 8 | 16;
        place = f[0];
        break;
      default: return 0;  // none came yet
    }
    return kind | place << 5 | t.payload() << 14;
  }

  const model::Circuit& circuit_;
  std::vector<KeptRows> kept_;
};

}  // namespace

std::vector<KeptRows> keptRows(const model::Circuit& circuit) {
  Lister lister(circuit);
  lister.memories();
  lister.registers();
  lister.predicates();
  lister.parameters();
  lister.program();
  lister.warps();
  lister.latches();
  return lister.take();
}

}  // namespace qgpu::conformance
