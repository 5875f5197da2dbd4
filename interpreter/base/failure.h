// Failures by value: the three ways in which qgpu says no.
//
//   Trap     the kernel's fault, specified by the machine: an access outside memory, `trap`, the
//            token budget.
//   Refusal  input that is not accepted: what it is, where it stands, what to do instead.
//   Bug      a fault of qgpu itself. `check` ends the process with status 4.
//
// Every function that can fail on its input returns Expected<T>:
//
//   Expected<int> parseSmall(std::string_view text) {
//     if (text.size() != 1) return refuseAt({"args", 1, 1}, "not one digit", "write 0 to 9");
//     return text[0] - '0';
//   }
//   auto value = parseSmall("42");
//   if (!value) std::cerr << value.error().text();
//   // args:1:1: error: not one digit; write 0 to 9
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace qgpu {

enum class FailureKind : std::uint8_t { Refusal, Trap, Bug };

// A place in a text that the user gave us. Lines and columns count from 1; 0 means unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;

  // "file:line:column", without the parts that are unknown.
  std::string text() const;
  friend bool operator==(const Location&, const Location&) = default;
};

struct Failure {
  FailureKind kind = FailureKind::Refusal;
  Location location;
  std::string message;  // what is wrong, in the user's words
  std::string hint;     // what to do instead; may be empty

  // "LOCATION: error: MESSAGE; HINT", the form a compiler's user expects.
  std::string text() const;
  friend bool operator==(const Failure&, const Failure&) = default;
};

template <typename T>
using Expected = tl::expected<T, Failure>;

inline tl::unexpected<Failure> fail(Failure failure) {
  return tl::unexpected<Failure>(std::move(failure));
}
inline tl::unexpected<Failure> refuseAt(Location where, std::string message,
                                        std::string hint = {}) {
  return fail({FailureKind::Refusal, std::move(where), std::move(message), std::move(hint)});
}
inline tl::unexpected<Failure> refuse(std::string message, std::string hint = {}) {
  return refuseAt(Location{}, std::move(message), std::move(hint));
}
inline tl::unexpected<Failure> trap(std::string message, std::string hint = {}) {
  return fail({FailureKind::Trap, Location{}, std::move(message), std::move(hint)});
}

// The process's exit status for each kind: 2 Refusal, 3 Trap, 4 Bug.
int exitStatus(FailureKind kind);
// "refusal", "trap" or "bug".
std::string_view name(FailureKind kind);

// Ends the process with status 4 after saying which belief of ours was false. On in every build.
[[noreturn]] void bug(std::string_view belief,
                      std::source_location where = std::source_location::current());
inline void check(bool holds, std::string_view belief,
                  std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    bug(belief, where);
}

}  // namespace qgpu
