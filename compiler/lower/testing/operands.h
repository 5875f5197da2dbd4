// One PTX instruction on many operands: what the machine makes of it, against what C++ says.
//
//   expectComputes({"abs.s32 %a9, %a1;", 32, [](const Operands& o) { return o.x32() < 0 ? ... }});
//
// The text finds its operands three times over: %w1 to %w3 hold them with 64 bits, %a1 to %a3 their
// low 32, %h1 to %h3 their low 16; %q1 is bit 0 of the third. It leaves its result in %w9, %a9 or
// %h9, as `bits` says, and may use registers from 20 up for itself. Every row runs with all
// optimisations and with none.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace qgpu::lower::testing {

struct Operands {
  std::uint64_t x = 0, y = 0, z = 0;

  // As signed numbers of 64, 32 and 16 bits.
  std::int64_t xs() const { return static_cast<std::int64_t>(x); }
  std::int64_t ys() const { return static_cast<std::int64_t>(y); }
  std::int64_t zs() const { return static_cast<std::int64_t>(z); }
  std::int32_t x32() const { return static_cast<std::int32_t>(x); }
  std::int32_t y32() const { return static_cast<std::int32_t>(y); }
  std::int32_t z32() const { return static_cast<std::int32_t>(z); }
  std::int16_t x16() const { return static_cast<std::int16_t>(x); }
  std::int16_t y16() const { return static_cast<std::int16_t>(y); }
  // And as unsigned ones.
  std::uint32_t xu() const { return static_cast<std::uint32_t>(x); }
  std::uint32_t yu() const { return static_cast<std::uint32_t>(y); }
  std::uint32_t zu() const { return static_cast<std::uint32_t>(z); }
};

// What rows are written in: `[](In o) { return Word{o.x == o.y}; }`.
using In = const Operands&;
using Word = std::uint64_t;
inline Word word(std::int64_t x) { return static_cast<Word>(x); }

struct InstructionRow {
  std::string ptx;
  int bits = 32;  // of the result: 16, 32 or 64
  std::function<Word(In)> result;
  // Changes operands that the instruction is not defined for.
  std::function<void(Operands&)> restrict {};
};

void expectComputes(const InstructionRow& row);
void expectAll(const std::vector<InstructionRow>& rows);

}  // namespace qgpu::lower::testing
