// What a program does when there is no memory left: it says so and ends.
//
//   int main(...) { endWhenOutOfMemory(json); ... }
//
// Without memory a message cannot be composed, a thread cannot hand its failure over, and what is
// unwound may want memory again. So the first allocation that fails ends the process, on whichever
// thread: "error: out of memory" on standard error and status 2, a refusal's. Files are safe: what
// is written atomically (files.h) or in transactions is there as a whole or not at all.
#pragma once

namespace qgpu {

// For the main function of a program, before it hashes anything; holds for `new`, for outOfMemory()
// and for what OpenSSL wants. With `json`, the object
// {"status": "refusal", "message": "out of memory"} goes to standard output, too.
void endWhenOutOfMemory(bool json);

// For memory that others could not get.
[[noreturn]] void outOfMemory();

}  // namespace qgpu
