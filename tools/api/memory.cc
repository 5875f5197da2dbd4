#include "tools/api/memory.h"

#include <algorithm>
#include <bitset>
#include <span>

namespace qgpu {
namespace {

constexpr std::size_t kWordBytes = 4;
constexpr std::size_t kGlobalBytes = kWordBytes * kMachine.global_rows;

// Global memory by bytes, little-endian, and which of its words the host must send.
class Bytes {
 public:
  void put(std::size_t address, std::span<const std::uint8_t> bytes) {
    check(address <= kGlobalBytes && bytes.size() <= kGlobalBytes - address,
          "the placement keeps arrays inside global memory");
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes_[address + i] = bytes[i];
      sent_.set((address + i) / kWordBytes);
    }
  }
  void putWord(std::size_t word, std::uint32_t value) {
    std::array<std::uint8_t, kWordBytes> bytes{};
    for (std::size_t i = 0; i < kWordBytes; ++i)
      bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
    put(kWordBytes * word, bytes);
  }
  std::vector<protocol::MemoryWord> words() const {
    std::vector<protocol::MemoryWord> words;
    for (std::size_t w = 0; w < sent_.size(); ++w) {
      if (!sent_[w]) continue;
      std::uint32_t value = 0;
      for (std::size_t i = 0; i < kWordBytes; ++i)
        value |= std::uint32_t{bytes_[kWordBytes * w + i]} << (8 * i);
      words.push_back({static_cast<int>(w), value});
    }
    return words;
  }

 private:
  std::array<std::uint8_t, kGlobalBytes> bytes_{};
  std::bitset<kMachine.global_rows> sent_;
};

// The array's place; nothing where the kernel does not use it.
const lower::Object* objectOf(const lower::Placement& placement, std::size_t parameter) {
  const int index = placement.parameter_objects.at(parameter);
  return index < 0 ? nullptr : &placement.objects.at(static_cast<std::size_t>(index));
}

// Four bytes of a kernel parameter as the kernel sees it: an array's is its address.
std::uint32_t wordOf(const launch::Launch& launch, const lower::Placement& placement,
                     const lower::ParameterWord& word) {
  if (word.is_constant) return word.value;
  const auto index = static_cast<std::size_t>(word.parameter);
  const launch::Parameter& p = launch.parameters.at(index);
  const auto offset = static_cast<std::size_t>(word.offset);
  if (p.kind == launch::ParameterKind::Array) {
    const lower::Object* object = objectOf(placement, index);
    return object != nullptr && offset == 0 ? object->address : 0;
  }
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kWordBytes && offset + i < p.bytes.size(); ++i)
    value |= std::uint32_t{p.bytes[offset + i]} << (8 * i);
  return value;
}

}  // namespace

protocol::Image imageOf(const launch::Launch& launch, const lower::Lowered& lowered) {
  protocol::Image image;
  image.program = protocol::encode(lowered.program);
  for (const lower::ParameterWord& word : lowered.parameters)
    image.parameters.push_back(wordOf(launch, lowered.placement, word));
  Bytes global;
  for (std::size_t i = 0; i < launch.parameters.size(); ++i)
    if (launch.parameters[i].kind == launch::ParameterKind::Array)
      if (const lower::Object* object = objectOf(lowered.placement, i))
        global.put(object->address, launch.parameters[i].bytes);
  for (const lower::InitialWord& w : lowered.placement.initial)
    global.putWord(static_cast<std::size_t>(w.word), w.value);
  image.memory = global.words();
  image.thread_blocks = static_cast<int>(launch.grid.count());
  image.threads = static_cast<int>(launch.block.count());
  return image;
}

launch::Arrays readArrays(const Program& program,
                          const std::array<std::uint32_t, kMachine.global_rows>& global) {
  launch::Arrays arrays = launch::arraysOf(program.launch);
  const auto& parameters = program.launch.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind != launch::ParameterKind::Array) continue;
    const lower::Object* object = objectOf(program.lowered.placement, i);
    if (object == nullptr) continue;
    std::vector<std::uint8_t>& bytes = arrays[parameters[i].name];
    for (std::size_t b = 0; b < bytes.size(); ++b) {
      const std::size_t address = object->address + b;
      bytes[b] = static_cast<std::uint8_t>(global[address / kWordBytes] >> (8 * (address % 4)));
    }
  }
  return arrays;
}

}  // namespace qgpu
