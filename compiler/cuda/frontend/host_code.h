// The host's part of a CUDA source, looked at as text: which declarations it has, so that one that
// does not compile can be left out, and which instances of kernel templates it launches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qgpu::cuda {

// A declaration at namespace scope: source[begin, end).
struct Declaration {
  unsigned begin = 0;
  unsigned end = 0;
  // Leaving it out cannot change what other code means, it can only make other code fail. Not so
  // for a constexpr function or a specialisation of a class template.
  bool omissible = false;
};
std::vector<Declaration> topLevelDeclarations(std::string_view source);

// The source with spaces in place of a declaration. Lines, columns and preprocessor directives
// stay.
std::string withoutDeclaration(std::string source, const Declaration& declaration);

// The kernels that launches name with template arguments of built-in types and numbers, as in
// `reduce0<int, 256><<<grid, block>>>(...)`: "reduce0<int, 256>", each once.
std::vector<std::string> launchedInstances(std::string_view source);

}  // namespace qgpu::cuda
