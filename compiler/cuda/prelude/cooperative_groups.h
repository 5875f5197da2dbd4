// Cooperative groups as far as one thread block and its warps: the thread block, tiles of a warp,
// and reductions over a tile.
#pragma once

namespace cooperative_groups {

class thread_block {
 public:
  __qgpu_device_member void sync() const { __syncthreads(); }
  __qgpu_device_member static dim3 group_index() { return blockIdx; }
  __qgpu_device_member static dim3 thread_index() { return threadIdx; }
  __qgpu_device_member static dim3 group_dim() { return blockDim; }
  __qgpu_device_member static dim3 dim_threads() { return blockDim; }
  __qgpu_device_member static unsigned int num_threads() {
    return blockDim.x * blockDim.y * blockDim.z;
  }
  __qgpu_device_member static unsigned int size() { return num_threads(); }
  __qgpu_device_member static unsigned int thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
};
__qgpu_device thread_block this_thread_block() { return {}; }

// The threads of a warp that stand in the same group of `width` neighbours.
template <unsigned int width, class Parent = void>
class thread_block_tile {
  static_assert(width == 1 || width == 2 || width == 4,
                "a warp of this machine has 4 lanes: a tile has 1, 2 or 4 threads");

 public:
  __qgpu_device_member thread_block_tile() {}
  // `thread_block_tile<4> tile = tiled_partition<4>(block);`
  template <class Other>
  __qgpu_device_member thread_block_tile(const thread_block_tile<width, Other>&) {}
  __qgpu_device_member void sync() const { __syncwarp(); }
  __qgpu_device_member static constexpr unsigned int size() { return width; }
  __qgpu_device_member static constexpr unsigned int num_threads() { return width; }
  __qgpu_device_member static unsigned int thread_rank() {
    return thread_block::thread_rank() % width;
  }
  __qgpu_device_member static unsigned int meta_group_rank() {
    return thread_block::thread_rank() / width;
  }
  __qgpu_device_member static unsigned int meta_group_size() {
    return (thread_block::num_threads() + width - 1) / width;
  }
  template <class T>
  __qgpu_device_member T shfl(T value, int lane) const {
    return __shfl_sync(0xffffffffu, value, lane, width);
  }
  template <class T>
  __qgpu_device_member T shfl_up(T value, unsigned int by) const {
    return __shfl_up_sync(0xffffffffu, value, by, width);
  }
  template <class T>
  __qgpu_device_member T shfl_down(T value, unsigned int by) const {
    return __shfl_down_sync(0xffffffffu, value, by, width);
  }
  template <class T>
  __qgpu_device_member T shfl_xor(T value, unsigned int mask) const {
    return __shfl_xor_sync(0xffffffffu, value, (int)mask, width);
  }
  __qgpu_device_member int any(int predicate) const { return ballot(predicate) != 0; }
  __qgpu_device_member int all(int predicate) const { return ballot(!predicate) == 0; }
  __qgpu_device_member unsigned int ballot(int predicate) const {
    const unsigned int first = (thread_block::thread_rank() & (warpSize - 1)) & ~(width - 1);
    return __ballot_sync(0xffffffffu, predicate) >> first & ((1u << width) - 1);
  }
};

// A thread block or a tile, told apart when the kernel runs.
class thread_group {
  unsigned int width_;  // of the tile; 0: the thread block

 public:
  __qgpu_device_member thread_group(const thread_block&) : width_(0) {}
  template <unsigned int width, class Parent>
  __qgpu_device_member thread_group(const thread_block_tile<width, Parent>&) : width_(width) {}
  __qgpu_device_member void sync() const {
    if (width_ == 0)
      __syncthreads();
    else
      __syncwarp();
  }
  __qgpu_device_member unsigned int size() const {
    return width_ == 0 ? thread_block::num_threads() : width_;
  }
  __qgpu_device_member unsigned int num_threads() const { return size(); }
  __qgpu_device_member unsigned int thread_rank() const {
    return width_ == 0 ? thread_block::thread_rank() : thread_block::thread_rank() % width_;
  }
};

template <unsigned int width, class Parent>
__qgpu_device thread_block_tile<width, Parent> tiled_partition(const Parent&) {
  return {};
}

template <class Group>
__qgpu_device void sync(const Group& group) {
  group.sync();
}

#define __QGPU_OPERATOR(name, expression)                                                       \
  template <class T = void> struct name {                                                       \
    __qgpu_device_member T operator()(T a, T b) const { return expression; }                    \
  };
__QGPU_OPERATOR(plus, a + b)
__QGPU_OPERATOR(less, b < a ? b : a)
__QGPU_OPERATOR(greater, a < b ? b : a)
__QGPU_OPERATOR(bit_and, a & b)
__QGPU_OPERATOR(bit_or, a | b)
__QGPU_OPERATOR(bit_xor, a ^ b)
#undef __QGPU_OPERATOR

template <unsigned int width, class Parent, class T, class Operator>
__qgpu_device T reduce(const thread_block_tile<width, Parent>& tile, T value, Operator combine) {
  _Pragma("unroll") for (unsigned int step = width / 2; step > 0; step /= 2) value =
      combine(value, tile.shfl_xor(value, step));
  return value;
}

}  // namespace cooperative_groups
