// Overloaded kernels are told apart by their mangled names.
// native _Z5scalePii = static_cast<void (*)(int *, int)>(&scale)
// native _Z5scalePji = static_cast<void (*)(unsigned *, int)>(&scale)
__global__ void scale(int *v, int by) { v[threadIdx.x] = v[threadIdx.x] / by; }
__global__ void scale(unsigned *v, int by) { v[threadIdx.x] = v[threadIdx.x] / (unsigned)by; }
