// System calls of the test program itself that fail when a test says so.
//
//   const FailingCall full("write", ENOSPC);      // the next write() fails
//   const FailingCall busy("read", EINTR, 3);     // the next three read()s do
//   EXPECT_FALSE(writeFileAtomically(path, "x"));
//
// The program that links this defines read, write, fstat, fchmod, fsync, close, rename and mmap in
// place of the C library's. For one thread, and one such object at a time.
#pragma once

#include <string_view>

namespace qgpu::testing {

class FailingCall {
 public:
  // `call` is a literal. The call fails `times` times and sets errno to `error`.
  FailingCall(std::string_view call, int error, int times = 1);
  ~FailingCall();
  FailingCall(const FailingCall&) = delete;
  FailingCall& operator=(const FailingCall&) = delete;

  // How often it still would fail: 0 once all of it came to bear.
  int left() const;
};

}  // namespace qgpu::testing
