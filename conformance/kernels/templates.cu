// Templates with values, defaults, specialisations and constexpr, as modern code has them.
#include <type_traits>

template <int N>
struct Power {
  static __device__ constexpr int of(int x) { return x * Power<N - 1>::of(x); }
};
template <>
struct Power<0> {
  static __device__ constexpr int of(int) { return 1; }
};

template <typename T, int Degree = 3>
__launch_bounds__(32) __global__ void power(T *v) {
  static_assert(std::is_integral<T>::value, "integers only");
  v[threadIdx.x] = Power<Degree>::of(v[threadIdx.x]);
}

template <typename F>
__device__ auto twice(F f, int x) { return f(f(x)); }

__global__ void lambdas(const int *in, int *out, int step) {
  auto advance = [step](int x) { return x * 2 + step; };
  out[threadIdx.x] = twice(advance, in[threadIdx.x]);
}

template __global__ void power<int, 3>(int *);
template __global__ void power<short, 2>(short *);
