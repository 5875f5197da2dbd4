#include "compiler/circuit/primitives/bits.h"

#include "compiler/circuit/primitives/functions.h"
#include "compiler/circuit/primitives/logic.h"

namespace qgpu::circuit {

void addPopulationCount(Net& net, const Gate& when, const Bus& word, std::span<const Wire> out) {
  addBits(net, out, when, count(word));
}

void addLeadingZeros(Net& net, const Gate& when, const Bus& word, std::span<const Wire> out) {
  Gate zeros = when;
  for (int zero_count = 0; zero_count < 32; ++zero_count) {
    const Wire bit = word[31 - zero_count];
    addConstant(net, zeros & bit, static_cast<unsigned>(zero_count), out);
    zeros &= !bit;
  }
  addConstant(net, zeros, 32, out);
}

void addReversed(Net& net, const Gate& when, const Bus& word, const Bus& out) {
  addCopy(net, when, Bus(word.rbegin(), word.rend()), out);
}

Permutation decodePermutation(Net& net, const Gate& when, std::span<const Wire> selector) {
  const auto scope = net.scope("permutation");
  Permutation permutation;
  for (std::size_t byte = 0; byte < 4; ++byte) {
    const auto nibble = selector.subspan(4 * byte, 4);
    Bus pick, spread;
    for (unsigned source = 0; source < 8; ++source) {
      pick.push_back(decode(net, "pick", when, nibble, source));
      spread.push_back(decode(net, "spread", when, nibble, source + 8));
    }
    permutation.pick.push_back(pick);
    permutation.spread.push_back(spread);
  }
  return permutation;
}

void addPermuted(Net& net, const Permutation& permutation, const Bus& low, const Bus& high,
                 const Bus& out) {
  Bus bytes = low;
  bytes.insert(bytes.end(), high.begin(), high.end());
  for (std::size_t byte = 0; byte < 4; ++byte)
    for (std::size_t source = 0; source < 8; ++source)
      for (std::size_t bit = 0; bit < 8; ++bit) {
        const Wire target = out[8 * byte + bit];
        net.add(target, permutation.pick[byte][source], bytes[8 * source + bit]);
        net.add(target, permutation.spread[byte][source], bytes[8 * source + 7]);
      }
}

void addExtracted(Net& net, const NarrowLoad& load, const Bus& word, std::span<const Wire> at,
                  const Bus& out) {
  for (unsigned byte = 0; byte < 4; ++byte) {
    const Gate here = spells(at, byte);
    const auto bit = [&](std::size_t i) { return word[8 * byte + i]; };
    for (std::size_t i = 0; i < 8; ++i) net.add(out[i], load.any & here, bit(i));
    for (std::size_t i = 8; i < 32; ++i) net.add(out[i], load.signed_byte & here, bit(7));
    if (byte == 3) continue;
    for (std::size_t i = 8; i < 16; ++i) net.add(out[i], load.half & here, bit(i));
    for (std::size_t i = 16; i < 32; ++i) net.add(out[i], load.signed_half & here, bit(15));
  }
}

void addInserted(Net& net, const Gate& when, Wire half, const Bus& word, std::span<const Wire> at,
                 const Bus& value, const Bus& out) {
  addCopy(net, when, word, out);
  for (unsigned byte = 0; byte < 4; ++byte) {
    const Gate here = when & spells(at, byte);
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t low = 8 * byte + i, high = low + 8;
      net.add(out[low], here, Form(value[i]) - word[low]);
      if (byte < 3) net.add(out[high], here & half, Form(value[8 + i]) - word[high]);
    }
  }
}

}  // namespace qgpu::circuit
