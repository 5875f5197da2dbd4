// How much a test does in a build with sanitizers, where everything takes about ten times as long:
// the same, but less of it.
//
//   for (int i = 0; i < unlessSanitized(5'000, 200); ++i) ...
#pragma once

namespace qgpu::isatest {

// The build system defines it for compilers that do not.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// `all`, or as many as a build with sanitizers has time for.
template <typename Count>
constexpr Count unlessSanitized(Count all, Count sanitized) {
  return kSanitized ? sanitized : all;
}

}  // namespace qgpu::isatest
