// A random net that uses everything the language offers, for the tests of the compiler: memories
// written and read in one pass, minterms, functions of numbers, products, revisions, both
// encodings, two exclusive modes whose wires may share dims.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "compiler/circuit/primitives/functions.h"

namespace qgpu::circuit::testing {

class RandomNet {
 public:
  // `looks_back`: ports and lanes may be delayed by a pass.
  RandomNet(std::uint32_t seed, int layers, bool looks_back)
      : random_(seed), looks_back_(looks_back) {
    inputs_ = net.inputs("in", 10);
    for (const Wire w : net.inputs("bit", 4, kBit)) inputs_.push_back(w);
    // The first input chooses the mode and nothing else, so that no gate asks for both modes.
    flags_.assign(inputs_.begin() + 1, inputs_.end());
    numbers_ = net.inputs("number", 3, integer(0, kMost));
    modes_ = {net.mode("even", !inputs_[0]), net.mode("odd", inputs_[0])};
    net.exclusive(modes_[0], modes_[1]);
    for (int layer = 0; layer < layers; ++layer) addLayer(layer);
    for (const Bus* pool : {&flags_, &numbers_})
      for (const Wire w : *pool)
        if (below(3) == 0) outputs.push_back(w);
    net.output(outputs);
  }

  template <typename Set>
  void chooseInputs(Set set) {
    for (const Wire w : inputs_) set(w, static_cast<int>(below(2)));
    for (std::size_t i = 0; i < 3; ++i) set(numbers_[i], static_cast<int>(below(kMost + 1)));
  }

  Net net;
  Bus outputs;

 private:
  static constexpr int kMost = 40;

  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool chance(int one_in) { return below(static_cast<std::size_t>(one_in)) == 0; }
  // A wire that is ready; the newest more often, so that others die.
  Wire any(const Bus& pool) {
    for (;;) {
      const std::size_t back = std::min<std::size_t>(below(12) * below(12), pool.size() - 1);
      const Wire w = pool[pool.size() - 1 - back];
      if (net.info(w).last_drive < step_) return w;
    }
  }
  Literal literal() { return {any(flags_), chance(2)}; }
  Gate minterm(int most) {
    for (;;) {
      Gate gate;
      for (int n = 1 + static_cast<int>(below(static_cast<std::size_t>(most))); n > 0; --n)
        gate &= literal();
      if (!gate.contradictory()) return gate;
    }
  }
  Wire flag() { return net.wire("flag", chance(3) ? kBit : kFlag); }

  void addLayer(int layer) {
    const auto at = net.at(layer);
    Bus flags, numbers;
    step_ = memoryStep(layer);
    for (int i = 0; i < 2; ++i) addMemory(fmt::format("m{}{}", layer, i), flags);
    step_ = unitStep(layer);
    for (int i = 0; i < 6; ++i) addFlag(flags);
    for (int i = 0; i < 3; ++i) addNumber(layer, numbers);
    for (const Mode mode : modes_) addInMode(mode, layer, flags);
    flags_.insert(flags_.end(), flags.begin(), flags.end());
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  }

  void addMemory(std::string name, Bus& flags) {
    Memory memory{.name = std::move(name), .rows = 11};
    for (int i = 0; i < 4; ++i) memory.write.address.push_back(any(flags_));
    for (int i = 0; i < 3; ++i) memory.read.address.push_back(any(flags_));
    memory.write.when = minterm(2);
    memory.read.when = minterm(1);
    memory.read.delay = looks_back_ && chance(4);
    memory.write.delay = looks_back_ ? static_cast<int>(below(4)) : 0;
    for (int i = 0; i < 9; ++i) {
      flags.push_back(flag());
      const int delay = looks_back_ ? static_cast<int>(below(4)) : 0;
      memory.lanes.push_back({minterm(2), delay, {{flags.back()}}});
    }
    flags.push_back(net.wire("written"));
    memory.written = {{flags.back()}};
    net.memory(memory);
  }

  void addFlag(Bus& flags) {
    flags.push_back(flag());
    if (chance(2)) {
      net.add(flags.back(), minterm(5));
    } else {
      const int period = 2 + static_cast<int>(below(9));
      addFunction(net, flags.back(), minterm(2),
                  Form(any(numbers_)) + 3 * Form(literal()) - any(flags_),
                  [period](int n) { return (n + 99) % period == 0; });
    }
  }

  // A product, a copy and an offset, brought back into range a layer later.
  void addNumber(int layer, Bus& numbers) {
    const Wire sum = net.wire("sum", integer(-1, 2 * kMost));
    net.add(sum, minterm(2) & relu(Form(any(numbers_)) - 7), any(flags_));
    net.add(sum, literal(), Form(any(numbers_)) - any(flags_));
    numbers.push_back(net.wire("bounded", integer(0, kMost)));
    const auto next = net.at(layer + 1);
    addFunction(net, numbers.back(), {}, sum, [](int n) { return (n + 1) % (kMost + 1); });
  }

  // Wires of a mode, and flags outside it that are computed from them.
  void addInMode(Mode mode, int layer, Bus& flags) {
    const auto within = net.within(mode);
    const Wire number = net.wire("inner", integer(0, 3 * kMost));
    net.add(number, minterm(1) & relu(3 * Form(any(numbers_)) - 5));
    const Wire inner = flag();
    net.add(inner, minterm(4));
    const Wire small = net.revise(number, "small", integer(0, 60));
    const auto outside = net.within({});
    const auto next = net.at(layer + 1);
    flags.push_back(flag());
    addFunction(net, flags.back(), inner & literal(), number, [](int n) { return n % 5 == 2; });
    net.add(small, relu(Form(number) - 59), -60);
    net.add(small, relu(Form(number) - 60), 60);
    const auto last = net.at(layer + 2);
    flags.push_back(flag());
    addFunction(net, flags.back(), !inner, small, [](int n) { return n % 7 == 0; });
  }

  std::mt19937 random_;
  bool looks_back_;
  int step_ = 0;
  Bus inputs_, flags_, numbers_;
  std::vector<Mode> modes_;
};

}  // namespace qgpu::circuit::testing
