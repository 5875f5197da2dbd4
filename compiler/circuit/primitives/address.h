// Addresses of memory operands in two layers: base + (index << shift), modulo 2^32, and whether
// that is a byte inside the first 512.
//
//   const AddressSums sums = beginAddress(net, {unscaled, by_two, by_four}, base, index);
//   const Address address = finishAddress(net, sums);
#pragma once

#include <array>

#include "compiler/circuit/net.h"

namespace qgpu::circuit {

// shift[s]: the index is shifted left by s. At most one holds; none: all results are 0.
using AddressShift = std::array<Wire, 3>;

struct AddressSums {
  Bus low;     // 8: bits 0..7 of the address, final
  Wire carry;  // of them into bit 8
  Wire bit8;   // of the address, before that carry
  // Conditions on the other bytes' sums, as numbers 0..510, for the checks of the second layer.
  Wire y01, y0, y256, y255;  // byte 1: 0 or 1; 0; 256 or 257; 255 or 256
  Wire z0, z255, z256;       // byte 2
  Wire w0, w255, w256;       // byte 3
};
AddressSums beginAddress(Net& net, const AddressShift& shift, const Bus& base, const Bus& index);

struct Address {
  Bus bits;     // 9: the byte address modulo 512
  Wire inside;  // the address is below 512
};
// bits[0..7] are those of the first layer; bits[8] and `inside` are driven in this one.
Address finishAddress(Net& net, const AddressSums& sums);

}  // namespace qgpu::circuit
