#include "compiler/circuit/primitives/address.h"

#include "compiler/circuit/primitives/functions.h"

namespace qgpu::circuit {
namespace {

// `width` bits from `first` on of base + (index << shift), without what lies below.
Form partialSum(const Bus& base, const Bus& index, int shift, int first, int width) {
  Form sum;
  for (int k = 0; k < width; ++k) {
    sum += (1 << k) * Form(base[first + k]);
    if (first + k >= shift) sum += (1 << k) * Form(index[first + k - shift]);
  }
  return sum;
}

Function isOneOf(int a, int b) {
  return [a, b](int n) { return n == a || n == b; };
}

void sumBytes(Net& net, const Gate& when, const Bus& base, const Bus& index, int shift,
              const AddressSums& sums) {
  for (int k = 0; k < 8; ++k)
    addFunction(net, sums.low[k], when, partialSum(base, index, shift, 0, k + 1),
                [k](int n) { return n >> k & 1; });
  addAtLeast(net, sums.carry, when, partialSum(base, index, shift, 0, 8), 256);
  addEqual(net, sums.bit8, when, partialSum(base, index, shift, 8, 1), 1);
  const Form y = partialSum(base, index, shift, 8, 8);
  addFunction(net, sums.y01, when, y, isOneOf(0, 1));
  addFunction(net, sums.y0, when, y, isOneOf(0, 0));
  addFunction(net, sums.y256, when, y, isOneOf(256, 257));
  addFunction(net, sums.y255, when, y, isOneOf(255, 256));
  const Form z = partialSum(base, index, shift, 16, 8), w = partialSum(base, index, shift, 24, 8);
  for (const auto& [form, zero, ones, over] : {std::tuple(&z, sums.z0, sums.z255, sums.z256),
                                               std::tuple(&w, sums.w0, sums.w255, sums.w256)}) {
    addEqual(net, zero, when, *form, 0);
    addEqual(net, ones, when, *form, 255);
    addEqual(net, over, when, *form, 256);
  }
}

}  // namespace

AddressSums beginAddress(Net& net, const AddressShift& shift, const Bus& base, const Bus& index) {
  const auto scope = net.scope("address");
  const auto flag = [&](std::string_view name) { return net.wire(name); };
  const AddressSums sums{net.wires("low", 8), flag("carry"), flag("bit8"), flag("y01"),
                         flag("y0"),          flag("y256"),  flag("y255"), flag("z0"),
                         flag("z255"),        flag("z256"),  flag("w0"),   flag("w255"),
                         flag("w256")};
  for (int s = 0; s < 3; ++s) sumBytes(net, shift[s], base, index, s, sums);
  return sums;
}

// Bytes 1..3 sum to 0 or 1 modulo 2^24 together with the carry into them. Either nothing leaves
// byte 1 and the upper bytes are 0, 2^16 or 2^16 - 2^8 and 2^8 in turn; or a carry leaves it and
// runs through two bytes of 255.
Address finishAddress(Net& net, const AddressSums& sums) {
  const auto scope = net.scope("address");
  Address address{sums.low, net.wire("inside")};
  address.bits.push_back(net.wire("bit8"));
  net.add(address.bits[8], sums.bit8);
  net.add(address.bits[8], sums.carry, 1 - 2 * sums.bit8);
  const Gate stays[] = {sums.y01 & !sums.carry, sums.y0 & sums.carry};
  const Gate leaves[] = {sums.y256 & !sums.carry, sums.y255 & sums.carry};
  for (const Gate& low : stays)
    for (const Gate& high : {sums.z0 & sums.w0, sums.z0 & sums.w256, sums.z256 & sums.w255})
      net.add(address.inside, low & high);
  for (const Gate& low : leaves) net.add(address.inside, low & sums.z255 & sums.w255);
  return address;
}

}  // namespace qgpu::circuit
