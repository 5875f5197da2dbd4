// Functions of one small number, as sums of rectified units.
//
// Any function of an integer n in low..high is a constant plus kinks: f(n) = f(low) + the sum over
// t of (f's second difference at t) * relu(n - t). Functions of the same form share their kinks,
// since units with equal gates are one unit, so a basis of at most high - low units gives every
// function.
//
//   addFunction(net, bit[2], always, count(word), [](int n) { return n >> 2 & 1; });
//   addAtLeast(net, carry, enable, number(a) + number(b), 16);
#pragma once

#include <functional>

#include "compiler/circuit/net.h"

namespace qgpu::circuit {

// out += f(form) where `when` (literals only) holds. The overload with an interval is for forms
// that the author knows to be narrower than their wires allow.
using Function = std::function<int(int)>;
void addFunction(Net& net, Wire out, const Gate& when, const Form& form, const Function& f);
void addFunction(Net& net, Wire out, const Gate& when, const Form& form, Interval range,
                 const Function& f);

// out += 1 where the form is at least, or exactly, `value`.
void addAtLeast(Net& net, Wire out, const Gate& when, const Form& form, int value);
void addEqual(Net& net, Wire out, const Gate& when, const Form& form, int value);

// out[i] += bit i of the form, which is not negative.
void addBits(Net& net, std::span<const Wire> out, const Gate& when, const Form& form);

}  // namespace qgpu::circuit
