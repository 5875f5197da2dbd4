// Threads as groups: blocks, tiles of a warp, the lanes that come together, the grid.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Lanes that keep their element take a place for all of them with one atomic operation.
__global__ void filter_aggregated(const int *in, int n, int *out, int *kept) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] <= 0) return;
  cg::coalesced_group group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(kept, (int)group.size());
  out[group.shfl(first, 0) + group.thread_rank()] = in[i];
}

__global__ void tile_sums(const int *in, int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto pair = cg::tiled_partition<2>(block);
  auto quad = cg::tiled_partition<4>(block);
  int v = in[block.thread_rank()];
  v += pair.shfl_xor(v, 1);
  v += quad.shfl_down(v, 2);
  if (quad.thread_rank() == 0) out[quad.meta_group_rank()] = v;
  if (block.thread_rank() == 0) out[quad.meta_group_size()] = (int)pair.size();
}

// What each lane of a diverged warp learns of those that went its way.
__global__ void ranks_of_a_branch(const int *v, int *rank, unsigned *votes, int *before) {
  int t = threadIdx.x;
  if (v[t] & 1) {
    auto odd = cg::coalesced_threads();
    rank[t] = (int)(odd.thread_rank() + 10 * odd.size());
    votes[t] = odd.ballot(v[t] > 8) + 16 * odd.any(v[t] > 20) + 32 * odd.all(v[t] > 2);
    before[t] = odd.shfl_up(v[t], 1) + 100 * odd.shfl_down(v[t], 1);
  }
}

__global__ void grid_group_stride(int *v, int n, int k) {
  auto grid = cg::this_grid();
  for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) v[i] = v[i] * k + i;
}
