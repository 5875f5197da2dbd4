// Random PTX instructions, one at a time, on registers that generate.cc declares and fills.
//
//   Instructions instructions(random, kernel.features);
//   instructions.any();   // {"@!%p1 add.u32 %r0, %r3, 17;"}
//   instructions.any();   // {"and.b32 %t0, %r2, 60;", ..., "ld.global.u32 %r1, [%a4];"}
//
// %a0 and %a1 point to the input and to words that all threads change, %a3 to a thread's own word;
// %t and %a4 hold what the lines of one instruction hand on. What it makes, it notes as a feature.
#pragma once

#include <fmt/format.h>

#include <bitset>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/ptx/generate.h"
#include "interpreter/testing/random.h"

namespace qgpu::fuzz::ptxlevel {

using Lines = std::vector<std::string>;

// The pattern with its {} replaced in order. A list is evaluated from left to right, the arguments
// of a function in any order: what draws random numbers must stand in a list.
struct Part {
  template <typename T>
  Part(const T& value) : text(fmt::format("{}", value)) {}
  std::string text;
};
std::string text(std::string_view pattern, std::initializer_list<Part> parts);

class Instructions {
 public:
  static constexpr int kInputs = 16, kAccumulators = 4;  // words at %a0 and at %a1

  // Both outlive this.
  Instructions(isatest::Random& random, std::bitset<kFeatures>& features);

  // What `red` does in this kernel: one operation, so that its order does not matter.
  void reduceBy(std::string operation) { red_ = std::move(operation); }

  Lines any();

  std::string r();  // a register of 32 bits
  std::string p();  // a predicate

  // Each kernel leaves out about half of the families: that mixes the others more.
  bool wants(Feature f, int percent);
  void note(Feature f);

 private:
  std::string d();  // a register of 64 bits
  std::string h();  // of 16
  std::string immediate();
  std::string ri();     // a register or an immediate
  std::string small();  // mostly an amount below 40
  std::string su();     // "s" or "u"
  std::string relation(bool is_signed);

  std::string simple();
  std::string guard();
  std::string arithmetic();
  std::string logic();
  std::string bits();
  std::string permutation();
  std::string choice();
  std::string predicate();
  std::string wide();
  std::string half();
  Lines division();
  Lines wideDivision();
  Lines carry();
  Lines load();
  Lines atomic();

  isatest::Random& random_;
  std::bitset<kFeatures>& features_;
  std::uint32_t palette_;
  std::string red_;
};

}  // namespace qgpu::fuzz::ptxlevel
