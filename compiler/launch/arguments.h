// Kernel arguments and launch shapes as the command line gives them.
//
//   n=3                 a scalar
//   a=1,2,3             an array of three elements
//   a=7,                an array of one: the comma says that it is an array
//   c=[8]               an array of eight zeros
//   c=[8:-1]            an array of eight times -1
//   s="to be\0"         an array of a text's bytes; \0 \n \r \t \" \\ as in C, no 0 at its end
//   size={3,4}          a struct of two fields, passed by value
//   a:uint8=1,2,3       the same forms with an element type: int (where none is given) unsigned
//                       int8 uint8 int16 uint16 int64 uint64 float
//
// Numbers are decimal (-5), hexadecimal (0xff) or, for floats, as in C (1.5e3). Without a type the
// elements are int, or unsigned where they are all from 0 to 4294967295 and one is above
// 2147483647. Spaces around names and numbers do not count.
//
//   auto parameter = parseArgument("a:uint8=1,2,3");   // Expected<Parameter>
//   auto block = parseDims("8,4");                     // Expected<Dim3>: {8, 4, 1}
#pragma once

#include <string_view>

#include "compiler/launch/launch.h"

namespace qgpu::launch {

// Refuses anything but the forms above, values out of their type's range, and more than
// kMaxArrayLength elements.
Expected<Parameter> parseArgument(std::string_view text);

// "X", "X,Y" or "X,Y,Z", each 1 to 2147483647; sizes left out are 1. `validateGrid` and
// `validateBlock` know the rest.
Expected<Dim3> parseDims(std::string_view text);

}  // namespace qgpu::launch
