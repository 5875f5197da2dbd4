#include "interpreter/isa/encoding.h"

#include <fmt/format.h>

#include <span>
#include <type_traits>

namespace qgpu::isa {
namespace {

// Both coders take the fields one after another, each as wide as the layout says.
class Packer {
 public:
  explicit Packer(std::span<const Field> layout) : layout_(layout) {}
  template <typename T>
  void operator()(const T& value) {
    const Field& field = layout_[next_++];
    const std::uint64_t bits = toBits(value);
    check(bits >> field.bits == 0, "a field fits its bits");
    word_ |= bits << field.first;
  }
  std::uint64_t word() const { return word_; }

 private:
  static std::uint64_t toBits(Operand o) { return o.code(); }
  static std::uint64_t toBits(std::int16_t x) { return static_cast<std::uint16_t>(x); }
  template <typename T>
  static std::uint64_t toBits(T x) {
    return static_cast<std::uint64_t>(x);
  }

  std::span<const Field> layout_;
  std::size_t next_ = 0;
  std::uint64_t word_ = 0;
};

class Unpacker {
 public:
  Unpacker(std::span<const Field> layout, std::uint64_t word) : layout_(layout), word_(word) {}
  template <typename T>
  void operator()(T& value) {
    const Field& field = layout_[next_++];
    const auto bits =
        static_cast<std::uint32_t>(word_ >> field.first & ((std::uint64_t{1} << field.bits) - 1));
    if constexpr (std::is_same_v<T, Operand>)
      value = Operand::fromCode(bits);
    else
      value = static_cast<T>(bits);
  }

 private:
  std::span<const Field> layout_;
  std::uint64_t word_;
  std::size_t next_ = 0;
};

// The members in the order of the layout: encoder and decoder are these lines.
template <typename SlotType, typename Coder>
void eachSlotField(SlotType& s, Coder&& code) {
  code(s.op), code(s.a), code(s.b), code(s.c);
  code(s.rd), code(s.live), code(s.guard.code), code(s.guard.negate);
  code(s.pd), code(s.plive), code(s.compare);
  code(s.space), code(s.scaled), code(s.base_parameter), code(s.aux), code(s.imm);
}
template <typename HeaderType, typename Coder>
void eachHeaderField(HeaderType& h, Coder&& code) {
  code(h.kind), code(h.condition.code), code(h.condition.negate);
  code(h.target), code(h.other), code(h.divide), code(h.replay);
}

constexpr int kHeaderBits = kHeaderFields.back().first + kHeaderFields.back().bits;

}  // namespace

std::uint64_t encodeSlot(const Slot& slot) {
  Packer packer(kSlotFields);
  eachSlotField(slot, packer);
  return packer.word();
}

std::uint32_t encodeHeader(const Header& header) {
  Packer packer(kHeaderFields);
  eachHeaderField(header, packer);
  return static_cast<std::uint32_t>(packer.word());
}

BlockWords encodeBlock(const Block& block) {
  BlockWords words{};
  for (int i = 0; i < kMachine.slots; ++i) {
    const std::uint64_t slot = encodeSlot(block.slots[i]);
    words[kHalves * i] = static_cast<std::uint32_t>(slot);
    words[kHalves * i + 1] = static_cast<std::uint32_t>(slot >> 32);
  }
  words.back() = encodeHeader(block.header);
  return words;
}

Expected<Slot> decodeSlot(std::uint64_t word) {
  Slot s;
  eachSlotField(s, Unpacker(kSlotFields, word));
  const auto op = static_cast<int>(s.op);
  if (op >= kOpcodes) return refuse(fmt::format("no instruction has opcode {}", op));
  for (const Operand o : {s.a, s.b, s.c})
    if (o.kind() == Operand::Kind::Reserved)
      return refuse(fmt::format("operand code {} is reserved", o.code()));
  if (s.space > Space::Shared) return refuse("memory space 3 is reserved");
  return s;
}

Expected<Header> decodeHeader(std::uint32_t word) {
  Header h;
  eachHeaderField(h, Unpacker(kHeaderFields, word));
  const auto kind = static_cast<int>(h.kind);
  if (kind >= kTerminators) return refuse(fmt::format("no block ends in kind {}", kind));
  if (word >> kHeaderBits != 0) return refuse("the spare bits of a block header are 0");
  return h;
}

Expected<Block> decodeBlock(const BlockWords& words) {
  Block block;
  for (int i = 0; i < kMachine.slots; ++i) {
    auto slot = decodeSlot(std::uint64_t{words[kHalves * i + 1]} << 32 | words[kHalves * i]);
    if (!slot) return fail(std::move(slot.error()));
    block.slots[i] = *slot;
  }
  auto header = decodeHeader(words.back());
  if (!header) return fail(std::move(header.error()));
  block.header = *header;
  return block;
}

}  // namespace qgpu::isa
