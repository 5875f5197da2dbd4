#include "interpreter/isa/encoding.h"

#include <fmt/format.h>

namespace qgpu::isa {
namespace {

// Fields one after another, lowest first.
class Packer {
 public:
  Packer& put(std::uint64_t value, int bits) {
    check(value >> bits == 0, "a field fits its bits");
    word_ |= value << at_;
    at_ += bits;
    return *this;
  }
  std::uint64_t word() const { return word_; }

 private:
  std::uint64_t word_ = 0;
  int at_ = 0;
};

class Unpacker {
 public:
  explicit Unpacker(std::uint64_t word) : word_(word) {}
  std::uint32_t take(int bits) {
    const auto value = static_cast<std::uint32_t>(word_ & ((std::uint64_t{1} << bits) - 1));
    word_ >>= bits;
    return value;
  }
  bool flag() { return take(1) != 0; }
  template <typename T>
  T as(int bits) {
    return static_cast<T>(take(bits));
  }
  std::uint64_t rest() const { return word_; }

 private:
  std::uint64_t word_;
};

}  // namespace

std::uint64_t encodeSlot(const Slot& s) {
  return Packer()
      .put(static_cast<std::uint64_t>(s.op), 6)
      .put(s.a.code(), 6)
      .put(s.b.code(), 6)
      .put(s.c.code(), 6)
      .put(s.rd, 4)
      .put(s.live, 1)
      .put(s.guard.code, 3)
      .put(s.guard.negate, 1)
      .put(s.pd, 2)
      .put(s.plive, 1)
      .put(static_cast<std::uint64_t>(s.compare), 3)
      .put(static_cast<std::uint64_t>(s.space), 2)
      .put(s.scaled, 1)
      .put(s.base_parameter, 1)
      .put(s.aux, 5)
      .put(static_cast<std::uint16_t>(s.imm), 16)
      .word();
}

std::uint32_t encodeHeader(const Header& h) {
  return static_cast<std::uint32_t>(Packer()
                                        .put(static_cast<std::uint64_t>(h.kind), 3)
                                        .put(h.condition.code, 3)
                                        .put(h.condition.negate, 1)
                                        .put(h.target, 7)
                                        .put(h.other, 7)
                                        .put(h.divide, 1)
                                        .put(h.replay, 1)
                                        .word());
}

BlockWords encodeBlock(const Block& block) {
  BlockWords words{};
  for (int i = 0; i < kMachine.slots; ++i) {
    const std::uint64_t slot = encodeSlot(block.slots[i]);
    words[2 * i] = static_cast<std::uint32_t>(slot);
    words[2 * i + 1] = static_cast<std::uint32_t>(slot >> 32);
  }
  words.back() = encodeHeader(block.header);
  return words;
}

Expected<Slot> decodeSlot(std::uint64_t word) {
  Unpacker u(word);
  Slot s;
  const std::uint32_t op = u.take(6);
  if (op >= kOpcodes) return refuse(fmt::format("no instruction has opcode {}", op));
  s.op = static_cast<Opcode>(op);
  for (Operand* operand : {&s.a, &s.b, &s.c}) {
    *operand = Operand::fromCode(u.take(6));
    if (operand->kind() == Operand::Kind::Reserved)
      return refuse(fmt::format("operand code {} is reserved", operand->code()));
  }
  s.rd = u.as<std::uint8_t>(4);
  s.live = u.flag();
  s.guard.code = u.as<std::uint8_t>(3);
  s.guard.negate = u.flag();
  s.pd = u.as<std::uint8_t>(2);
  s.plive = u.flag();
  s.compare = u.as<Compare>(3);
  const std::uint32_t space = u.take(2);
  if (space == 3) return refuse("memory space 3 is reserved");
  s.space = static_cast<Space>(space);
  s.scaled = u.flag();
  s.base_parameter = u.flag();
  s.aux = u.as<std::uint8_t>(5);
  s.imm = static_cast<std::int16_t>(u.as<std::uint16_t>(16));
  return s;
}

Expected<Header> decodeHeader(std::uint32_t word) {
  Unpacker u(word);
  Header h;
  const std::uint32_t kind = u.take(3);
  if (kind >= kTerminators) return refuse(fmt::format("no block ends in kind {}", kind));
  h.kind = static_cast<Terminator>(kind);
  h.condition.code = u.as<std::uint8_t>(3);
  h.condition.negate = u.flag();
  h.target = u.as<std::uint8_t>(7);
  h.other = u.as<std::uint8_t>(7);
  h.divide = u.flag();
  h.replay = u.flag();
  if (u.rest() != 0) return refuse("the spare bits of a block header are 0");
  return h;
}

Expected<Block> decodeBlock(const BlockWords& words) {
  Block block;
  for (int i = 0; i < kMachine.slots; ++i) {
    auto slot = decodeSlot(std::uint64_t{words[2 * i + 1]} << 32 | words[2 * i]);
    if (!slot) return fail(std::move(slot.error()));
    block.slots[i] = *slot;
  }
  auto header = decodeHeader(words.back());
  if (!header) return fail(std::move(header.error()));
  block.header = *header;
  return block;
}

}  // namespace qgpu::isa
