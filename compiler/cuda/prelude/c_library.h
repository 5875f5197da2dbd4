// What <assert.h>, <string.h> and <stdio.h> give a kernel.
#pragma once

// A false assertion is a trap of the thread that finds it. <assert.h> heeds NDEBUG.
#define assert(condition) ((condition) ? (void)0 : __trap())

extern "C" {
// Taken for the compiler's own, so that copies of known size become loads and stores.
__host__ __device__ void* memcpy(void* to, const void* from, size_t bytes);
__host__ __device__ void* memmove(void* to, const void* from, size_t bytes);
__host__ __device__ void* memset(void* to, int value, size_t bytes);

// Declared so that sources parse. A kernel that calls one is refused, at the call.
__host__ __device__ int printf(const char* format, ...);
__host__ __device__ void* malloc(size_t bytes);
__host__ __device__ void free(void* memory);
}
