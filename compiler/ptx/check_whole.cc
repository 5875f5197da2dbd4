// Rules that concern several modifiers at once and fit no row of the table.
#include <fmt/format.h>

#include "compiler/ptx/check_operand.h"

namespace qgpu::ptx {
namespace {

bool isAccess(const Instruction& i) { return i.opcode == Opcode::Ld || i.opcode == Opcode::St; }
int totalBits(const Instruction& i) { return elements(i.vector) * bitWidth(i.type); }

// cvt.sat only where the result's type cannot hold every value of the source's.
bool saturatesInVain(const Instruction& i, int) {
  if (i.opcode != Opcode::Cvt || !i.has(Flag::Saturate) || i.has(Flag::Pack)) return false;
  if (!isInteger(i.type) || !isInteger(i.source_type)) return false;
  const int to = bitWidth(i.type);
  const int from = bitWidth(i.source_type);
  if (isUnsigned(i.type)) return isUnsigned(i.source_type) && from <= to;
  return isSigned(i.source_type) ? from <= to : from < to;
}

bool tooWide(const Instruction& i, int) {
  const bool wide_access = isAccess(i) && bitWidth(i.type) >= 32 && elements(i.vector) >= 4;
  return i.vector != Vector::None && totalBits(i) > (wide_access ? 256 : 128);
}

bool narrowEight(const Instruction& i, int) {
  return isAccess(i) && i.vector == Vector::V8 && bitWidth(i.type) != 32;
}

bool evictsFromL2(const Instruction& i, int) {
  return isAccess(i) && i.l2_eviction != L2Eviction::None && totalBits(i) != 256;
}

bool hintsElsewhere(const Instruction& i, int) {
  const bool hint = i.l1_eviction != L1Eviction::None || i.prefetch != Prefetch::None;
  return hint && i.space != Space::None && i.space != Space::Global;
}

bool hintsTwice(const Instruction& i, int) {
  return i.l1_eviction != L1Eviction::None && i.cache != CacheOperator::None;
}

bool otherAddressSize(const Instruction& i, int address_size) {
  return i.opcode == Opcode::Cvta && bitWidth(i.type) != address_size;
}

bool lonelySign(const Instruction& i, int) {
  return i.opcode != Opcode::Redux && i.has(Flag::XorSign) != i.has(Flag::Absolute);
}

struct WholeRule {
  bool (*broken)(const Instruction& instruction, int address_size);
  std::string_view message;
  std::string_view hint;
};

constexpr WholeRule kRules[] = {
    {saturatesInVain, "never saturates", "remove .sat"},
    {tooWide, "moves too many bits at once", "128 fit, or 256 by ld and st of .v8.b32 or .v4.b64"},
    {narrowEight, ".v8 goes with types of 32 bits", "use .v4 or fewer"},
    {evictsFromL2, ".L2 eviction goes with .v8.b32 and .v4.b64", "remove the hint"},
    {hintsElsewhere, "cache hints go with .global", "remove the hint"},
    {hintsTwice, "a cache operator and an eviction hint exclude each other", "remove one of them"},
    {otherAddressSize, "its width is not that of this file's addresses", "see .address_size"},
    {lonelySign, ".xorsign and .abs go together", "write both or neither"},
};

}  // namespace

bool OperandChecker::checkWhole() {
  for (const WholeRule& rule : kRules) {
    if (!rule.broken(instruction_, module_.address_size)) continue;
    return complaint_.say(
        instruction_.position, [&] { return fmt::format("{}: {}", name(), rule.message); },
        rule.hint);
  }
  return true;
}

}  // namespace qgpu::ptx
