// Cooperative groups as far as one thread block and its warps: the thread block, tiles of a warp,
// the threads of a warp that run together, reductions over a tile; and the ranks of a grid, whose
// blocks run one after another and cannot wait for each other.
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

class grid_group {
 public:
  __device__ __attribute__((unavailable("thread blocks run one after another and cannot wait for "
                                        "each other; launch a kernel for each phase"))) void
  sync() const;
  __qgpu_device_member static dim3 group_dim() { return gridDim; }
  __qgpu_device_member static dim3 dim_blocks() { return gridDim; }
  __qgpu_device_member static dim3 block_index() { return blockIdx; }
  __qgpu_device_member static unsigned long long num_blocks() {
    return gridDim.x * gridDim.y * gridDim.z;
  }
  __qgpu_device_member static unsigned long long block_rank() {
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __qgpu_device_member static unsigned long long num_threads() {
    return num_blocks() * thread_block::num_threads();
  }
  __qgpu_device_member static unsigned long long size() { return num_threads(); }
  __qgpu_device_member static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  __qgpu_device_member static bool is_valid() { return false; }
};
__qgpu_device grid_group this_grid() { return {}; }

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

// The threads of a warp that run together where the group is made. Ranks count its threads.
class coalesced_group {
  unsigned int mask_;

  __qgpu_device_member unsigned int laneOf(unsigned int rank) const {
    unsigned int left = mask_;
    for (; rank > 0; --rank) left &= left - 1;
    return (unsigned int)__ffs((int)left) - 1;
  }
  // The bits of lanes as bits of ranks.
  __qgpu_device_member unsigned int packed(unsigned int lanes) const {
    unsigned int result = 0, rank = 0;
    _Pragma("unroll") for (int lane = 0; lane < warpSize; ++lane) {
      result |= (lanes >> lane & 1) << rank;
      rank += mask_ >> lane & 1;
    }
    return result;
  }

 public:
  __qgpu_device_member explicit coalesced_group(unsigned int mask) : mask_(mask) {}
  __qgpu_device_member void sync() const { __syncwarp(mask_); }
  __qgpu_device_member unsigned int size() const { return (unsigned int)__popc(mask_); }
  __qgpu_device_member unsigned int num_threads() const { return size(); }
  __qgpu_device_member unsigned int thread_rank() const {
    return (unsigned int)__popc(mask_ & __nvvm_read_ptx_sreg_lanemask_lt());
  }
  __qgpu_device_member static unsigned int meta_group_rank() { return 0; }
  __qgpu_device_member static unsigned int meta_group_size() { return 1; }
  template <class T>
  __qgpu_device_member T shfl(T value, unsigned int rank) const {
    return __shfl_sync(mask_, value, (int)laneOf(rank));
  }
  template <class T>
  __qgpu_device_member T shfl_up(T value, unsigned int by) const {
    const unsigned int rank = thread_rank();
    return shfl(value, rank < by ? rank : rank - by);
  }
  template <class T>
  __qgpu_device_member T shfl_down(T value, unsigned int by) const {
    const unsigned int rank = thread_rank();
    return shfl(value, rank + by < size() ? rank + by : rank);
  }
  __qgpu_device_member int any(int predicate) const { return __any_sync(mask_, predicate); }
  __qgpu_device_member int all(int predicate) const { return __all_sync(mask_, predicate); }
  __qgpu_device_member unsigned int ballot(int predicate) const {
    return packed(__ballot_sync(mask_, predicate) & mask_);
  }
};
__qgpu_device coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// A thread block or a tile, told apart when the kernel runs.
class thread_group {
  unsigned int width_;  // of the tile; 0: the thread block

 public:
  __qgpu_device_member explicit thread_group(unsigned int width) : width_(width) {}
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

// A tile of a width that is known when the kernel runs.
__qgpu_device thread_group tiled_partition(const thread_block&, unsigned int width) {
  return thread_group(width);
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
