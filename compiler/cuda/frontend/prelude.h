// The precompiled prelude.
#pragma once

#include <string>
#include <string_view>

namespace qgpu::cuda {

// The prelude as clang's precompiled header. Made when this library was built; made again, on the
// first call, if clang is another one now. Thread safe.
std::string_view preludePch();

// Makes the precompiled header: about 50 ms.
std::string buildPreludePch();

// What the build has left in this library, or nothing. A precompiled header is good for the very
// clang that made it.
struct EmbeddedPch {
  std::string_view clang_version;
  std::string_view bytes;
};
EmbeddedPch embeddedPch();

}  // namespace qgpu::cuda
