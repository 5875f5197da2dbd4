// A hardware description: wires, hidden units and memories, placed on the half-steps of a pass.
//
// One pass carries one token through all layers. Layer L works in two half-steps: first its
// memories (the Gated DeltaNet, step 2L), then its hidden units (the SwiGLU MLP, step 2L + 1). The
// embedding comes before everything, step -1. What a step reads is what earlier steps have driven.
//
//   Net net;
//   const Bus a = net.inputs("a", 4), b = net.inputs("b", 4);   // set by the embedding
//   const Wire carry = net.wire("carry");
//   const Form excess = number(a) + number(b) - 15;              // -15..15
//   net.add(carry, relu(excess));                                // carry = excess - (excess - 1),
//   net.add(carry, relu(excess - 1), -1);                        //   both cut off at 0
//   net.add(net.wire("both"), carry & a[0], b[1]);               // a product with a linear side
//   net.output(carry);                                           // stays readable to the end
//
// Wires. A wire is 0 at birth and becomes the sum of everything added to it. It has a range, and
// one of two encodings in the residual stream:
//   flag      0/1 as 0/1; the default. Absent, unwritten and false are all the number 0
//   bit       0/1 as -1/+1, for the wires that the unembedding reads by their sign
//   integer   low..high, at most -256..256, as it is
// A form sees the logical value, so number(bus) means the same for flags and bits.
//
// Units. add(out, gate, amount) adds gate * amount to `out`. Two additions with the same gate and
// the same amount, up to a constant factor, in the same layer are one hidden unit with two outputs,
// so write every output as if it stood alone: the shared thresholds of several functions of one
// number are found by themselves. A gate may be worth at most 256; the amount has either sign.
//
// Placement. A unit stands in the first layer where everything it reads is ready. `at` pins a scope
// to one layer, `from` gives it a lower bound. Reading a wire that is still driven at or after that
// step is an error that names both.
//
// Memories. Up to 128 rows of up to 126 bits, kept from pass to pass. One pass can write one row
// and then read one row, also the one just written; a row is replaced as a whole; an unwritten row
// reads as 0. Write and read each carry a row address and a condition; a lane's outputs are added
// to.
//
//   net.memory({.name = "registers", .rows = 16,
//               .write = {.address = rd, .when = is_result},
//               .read = {.address = rs, .when = reads_rs},
//               .lanes = lanes(result, operand)});
//
// A port or a lane may look back up to three passes (`delay`), since a causal convolution stands
// before the memory: with delay 1 a lane stores what its gate was worth one pass ago.
//
// Modes. Wires that are meaningful only while a literal holds may share residual dimensions with
// the wires of an exclusive mode. Inside within(mode), new wires belong to it; every unit that
// touches such a wire is guarded by the mode's literal (or by a literal that implies it), which is
// appended where it is missing.
//
// Errors of the author are collected, named by their full path, and reported by verify(); the
// evaluator and the compiler refuse a net that has any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/circuit/form.h"
#include "interpreter/base/failure.h"

namespace qgpu::circuit {

inline constexpr int kEmbeddingStep = -1;
inline constexpr int kLastStep = INT32_MAX;  // the end of the pass: where outputs are read
constexpr int memoryStep(int layer) { return 2 * layer; }
constexpr int unitStep(int layer) { return 2 * layer + 1; }
constexpr int layerOf(int step) { return step / 2; }
constexpr bool isUnitStep(int step) { return step >= 0 && step % 2 == 1; }
// "layer 3's MLP", "layer 3's memories", "the embedding" or "the end".
std::string stepName(int step);

enum class Encoding : std::uint8_t { Plain, Sign };
struct Type {
  Encoding encoding = Encoding::Plain;
  int low = 0;
  int high = 1;
  bool isBoolean() const { return low == 0 && high == 1; }
  friend bool operator==(const Type&, const Type&) = default;
};
inline constexpr Type kFlag{};
inline constexpr Type kBit{Encoding::Sign, 0, 1};
constexpr Type integer(int low, int high) { return {Encoding::Plain, low, high}; }

struct Mode {
  std::uint32_t id = 0;  // 0: no mode, always meaningful
  friend bool operator==(Mode, Mode) = default;
};

struct Output {
  Wire wire;
  int amount = 1;
};

// One hidden unit: outs[i].wire += outs[i].amount * gate * amount.
struct Unit {
  int step = 0;
  std::uint32_t scope = 0;
  Gate gate;
  Form amount;
  std::vector<Output> outs;
};

struct Port {
  Bus address{};  // row number, least significant first; without wires: row 0
  Gate when{};    // literals only
  int delay = 0;  // passes
};
// One stored bit of a row, and the wires it is added to when the row is read.
struct Lane {
  Gate value{};  // literals only
  int delay = 0;
  std::vector<Output> outs{};
};
struct Memory {
  std::string name{};
  int rows = 1;
  Port write{};
  Port read{};
  std::vector<Lane> lanes{};
  std::vector<Output> written{};  // driven with 1 where the row read was ever written
  int step = 0;                   // set by Net::memory, as is `scope`
  std::uint32_t scope = 0;
};
inline constexpr int kRows = 128;
inline constexpr int kLanes = 126;
// Lane i stores values[i] and is read onto outs[i].
std::vector<Lane> lanes(std::span<const Wire> values, std::span<const Wire> outs);

// What the net knows of a wire. Steps are those of the first and last contribution and read.
struct WireInfo {
  std::string name;
  std::uint32_t scope = 0;
  Type type;
  Mode mode;
  Wire revises;  // the wire whose value this one takes over
  Wire revised_by;
  bool is_input = false;
  int first_drive = kLastStep;
  int last_drive = kEmbeddingStep - 1;  // undriven
  int first_read = kLastStep;
  int last_read = kEmbeddingStep - 1;  // unread
};

struct ModeInfo {
  std::string name;
  Literal enabled;
  std::vector<Literal> implied_by;
  std::vector<Mode> exclusive_with;
};

class Net {
  struct Context {
    int from = 0;
    int at = -1;
    std::uint32_t scope = 0;
    Mode mode;
  };

 public:
  Net();

  // Restores the placement, name and mode in force when it was made.
  class [[nodiscard]] Scope {
   public:
    ~Scope() { net_.context_ = saved_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend class Net;
    Scope(Net& net, const Context& next);
    Net& net_;
    Context saved_;
  };
  Scope at(int layer);                 // exactly this layer
  Scope from(int layer);               // this layer or later
  Scope scope(std::string_view name);  // prefix of names, line of the budget report
  Scope within(Mode mode);             // new wires belong to this mode

  Wire wire(std::string_view name, Type type = kFlag);
  Bus wires(std::string_view name, int width, Type type = kFlag);  // name[0], name[1], ...
  Wire input(std::string_view name, Type type = kFlag);
  Bus inputs(std::string_view name, int width, Type type = kFlag);
  // A wire that takes over the value and the place of `old`: what is added to it changes `old` in
  // place. `old` can be read up to the step in which that happens first.
  Wire revise(Wire old, std::string_view name, Type type);
  // Keeps a wire readable to the end of the pass.
  void output(Wire w);
  void output(std::span<const Wire> bus);

  void add(Wire out, const Gate& gate, const Form& amount = 1);
  // A new flag worth `gate`.
  Wire define(std::string_view name, const Gate& gate);
  void memory(Memory memory);

  Mode mode(std::string_view name, Literal enabled);
  void implies(Literal literal, Mode mode);
  void exclusive(Mode a, Mode b);

  // The layer from whose MLP on `w` can be read, given what drives it so far.
  int readyLayer(Wire w) const;

  // Ok, or the first error with its place in the net.
  Expected<void> verify() const;

  const std::vector<Unit>& units() const { return units_; }
  const std::vector<Memory>& memories() const { return memories_; }
  const std::vector<WireInfo>& wires() const { return wires_; }
  const std::vector<ModeInfo>& modes() const { return modes_; }
  const WireInfo& info(Wire w) const { return wires_[w.id]; }
  const std::string& scopeName(std::uint32_t scope) const { return scopes_[scope]; }
  std::string nameOf(Wire w) const;  // with its scopes
  int steps() const;                 // one more than the last step in use

 private:
  friend class Scope;
  void error(std::string message);
  bool known(Wire w, std::string_view use);
  void guard(Gate& gate, const std::vector<Wire>& touched);
  int place(const std::vector<Wire>& read, int parity);
  void markRead(Wire w, int step);
  void markDriven(Wire w, int step);
  void checkLiterals(const Gate& gate, std::string_view use);
  std::uint32_t unitFor(int step, Gate gate, Form amount);
  void placePort(Port& port, std::vector<Wire>& read, std::string_view name);
  std::string wireError(Wire w) const;

  Context context_;
  std::vector<std::string> scopes_;
  std::vector<WireInfo> wires_;
  std::vector<ModeInfo> modes_;
  std::vector<Unit> units_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> unit_index_;  // hash of step, gate, amount
  std::vector<Memory> memories_;
  std::vector<std::string> errors_;
};

struct Interval {
  int low = 0;
  int high = 0;
};
// What the form can be worth, given the ranges of its wires.
Interval rangeOf(const Net& net, const Form& form);

}  // namespace qgpu::circuit
