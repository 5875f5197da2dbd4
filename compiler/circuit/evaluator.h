// The meaning of a net, computed on plain integers: no weights, no floats, no allocation of wires.
//
// It runs kCases independent cases at once, each with its own inputs and its own memories:
//
//   Evaluator evaluator(net);                       // check()s that the net has no errors
//   evaluator.set(a, 0, 5);                         // bus a of case 0
//   evaluator.pass();                               // one token through all layers
//   uint32_t sum = evaluator.get(out, 0);
//   EXPECT_EQ(evaluator.bad(), 0) << evaluator.firstBad();
//
// It also watches the promises that exactness rests on. Counted as bad: a gate above 256 or above
// the bound its author gave; a product or a wire beyond 256; a wire outside its range at the end of
// the pass; a wire that is not 0 while its mode is off; a literal that should imply a mode and does
// not.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/circuit/net.h"

namespace qgpu::circuit {

class Evaluator {
 public:
  static constexpr int kCases = 16;
  using Values = std::array<std::int32_t, kCases>;

  explicit Evaluator(const Net& net);

  void set(Wire input, int which, int value);
  void set(std::span<const Wire> inputs, int which, std::uint64_t value);
  // Of the last pass; a bus of 0/1 wires reads as the number it spells.
  int get(Wire w, int which) const { return values_[w.id][static_cast<std::size_t>(which)]; }
  std::uint64_t get(std::span<const Wire> bus, int which) const;

  // A token of the machine: all wires that are not inputs start at 0.
  void pass();
  // A token that is not the machine's: every wire is absent, no memory changes.
  void foreignPass();

  // A stored row: its lanes as bits 0..125, and whether it was ever written.
  struct Row {
    std::array<std::uint64_t, 2> bits{};
    bool written = false;
    friend bool operator==(const Row&, const Row&) = default;
  };
  const Row& row(std::size_t memory, int row, int which) const;

  std::uint64_t bad() const { return bad_; }
  const std::string& firstBad() const { return first_bad_; }
  int largestGate() const { return largest_gate_; }

 private:
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct FlatForm {
    int constant = 0;
    Range terms;
  };
  struct FlatUnit {
    Range literals;
    bool rectifies = false;
    int most = 256;
    FlatForm form;
    FlatForm amount;
    Range outs;
  };
  struct Event {  // what one step does, in order
    Range units;
    Range memories;
    Range revisions;
  };
  // What one pass would write and where: kept for three passes, since ports may look back.
  struct Access {
    std::array<int, kCases> write_row{};
    std::array<int, kCases> read_row{};
    std::array<Row, kCases> lanes{};
  };
  struct Store {
    std::vector<Row> rows;            // row * kCases + case
    std::array<Access, 4> history{};  // [pass % 4]
  };

  void flatten();
  FlatForm flatten(const Form& form);
  Values valueOf(const FlatForm& form) const;
  Values open(Range literals) const;  // -1 where all hold, 0 elsewhere
  void run(const FlatUnit& unit, std::uint32_t index);
  void run(std::uint32_t memory);
  Values rowOf(const Port& port) const;
  void access(std::uint32_t memory);
  void deliver(const Memory& memory, const Row& row, std::size_t which);
  void checkWires();
  void report(std::string message);

  const Net& net_;
  std::vector<Values> values_;
  std::vector<Literal> literals_;
  std::vector<Term> terms_;
  std::vector<Output> outs_;
  std::vector<FlatUnit> units_;
  std::vector<std::uint32_t> unit_ids_;
  std::vector<std::uint32_t> memory_ids_;
  std::vector<Wire> revisions_;
  std::vector<Event> events_;
  std::vector<Store> stores_;
  std::size_t pass_ = 0;
  std::uint64_t bad_ = 0;
  int largest_gate_ = 0;
  std::string first_bad_;
};

}  // namespace qgpu::circuit
