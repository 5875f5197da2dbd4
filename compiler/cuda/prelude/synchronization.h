// Barriers, fences, and the ways to stop a thread. __syncthreads itself is a builtin of clang.
#pragma once

__qgpu_device int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
__qgpu_device int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
__qgpu_device int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
__qgpu_device void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }

__qgpu_device void __threadfence_block() { __nvvm_membar_cta(); }
__qgpu_device void __threadfence() { __nvvm_membar_gl(); }
__qgpu_device void __threadfence_system() { __nvvm_membar_sys(); }

__attribute__((device, always_inline, nodebug, noreturn)) __inline__ void __trap() {
  __builtin_trap();
}
__qgpu_device void __brkpt() {}
// A hint, and there is nothing to wait for.
__qgpu_device void __nanosleep(unsigned int) {}
