// Counting by a predicate, through a functor template as Thrust users write it.
struct IsOdd {
  __device__ bool operator()(int x) const { return x & 1; }
};
struct IsBetween {
  int low, high;
  __device__ bool operator()(int x) const { return low <= x && x < high; }
};

template <typename Predicate>
__device__ void count_if(const int *v, int n, int *count, Predicate predicate) {
  int i = threadIdx.x;
  if (i < n && predicate(v[i])) atomicAdd(count, 1);
}

__global__ void count_odd(const int *v, int n, int *count) { count_if(v, n, count, IsOdd()); }
__global__ void count_between(const int *v, int n, int *count, int low, int high) {
  count_if(v, n, count, IsBetween{low, high});
}
