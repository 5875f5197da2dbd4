// The model that a net is compiled into, and the constants that make its arithmetic exact.
//
// Every machine token carries constant wires: one or two dims of 2^26 (BIG) and one of 1 (ONE).
// BIG alone decides the root mean square: with sum BIG^2 = hidden * 4^m, RMSNorm multiplies by
// exactly 2^-m, whatever the other dims hold (their squares, below 2^27 in sum, vanish beside 2^52
// in binary32 in any order of summation, and so does eps). Then:
//
//   a wire of value x is normed to x * 2^-m, exact in bfloat16 for integers up to 256
//   BIG is normed to 2^(26-m); a weight of k / 2^(26-m) on it adds the constant k
//   constants of more than 8 significant bits are split between BIG and ONE
//
// A hidden unit's gate pre-activation is 128 * g, g an integer: silu gives 128 * g exactly for g >
// 0 and exactly 0 for g <= -1 (e^128 overflows) and for g = 0. So a unit is relu(g) * u, u its up
// side. A token without BIG (text) has every pre-activation 0: no unit and no memory does anything.
#pragma once

#include <cstdint>

namespace qgpu::model {

inline constexpr int kHeadDim = 128;
inline constexpr int kConvTaps = 4;
inline constexpr float kBig = 67108864.0f;  // 2^26
inline constexpr float kGateScale = 128.0f;

struct Substrate {
  int hidden = 2048;  // a power of two
  int first_dim =
      0;            // the circuit's dims are first_dim .. first_dim + dims - 1, the other dims are
  int dims = 2048;  //   0 at machine tokens and have a gain of 0
  int intermediate = 6144;
  int heads = 16;
  int layers = 45;

  friend bool operator==(const Substrate&, const Substrate&) = default;
};

// Where the constants lie and what they are worth after the norm.
struct Constants {
  explicit Constants(const Substrate& substrate);

  int bigs = 1;           // dims first_dim .. first_dim + bigs - 1 hold 2^26
  int one = 0;            // the dim that holds 1
  int text = 0;           // the dim reserved for a mark on tokens that are not the machine's
  int first_wire = 0;     // the first dim that wires may use
  float unit_weight = 1;  // 2^m: the weight on a wire for a factor of 1
  float big_normed = 1;   // 2^(26-m)
};

}  // namespace qgpu::model
