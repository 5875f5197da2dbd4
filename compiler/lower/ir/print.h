// A function as text, for people.
//
//   block 1: from 0, 3
//     %7 = phi %2, %12
//     %8 = mov [global 4 + %7*4] if %5 else %undefined
//     %9.p = setp.lt %7, argument 1+0
//     branch %9 to 2 else 4
#pragma once

#include <string>

#include "compiler/lower/ir/ir.h"

namespace qgpu::lower {

std::string print(const Function& f);
std::string print(const Function& f, Id id);

}  // namespace qgpu::lower
