// Several kernels in one source, each found under all of its names.
#include <gtest/gtest.h>

#include <string>

#include "compiler/cuda/testing.h"

namespace qgpu::cuda {
namespace {

constexpr std::string_view kSource = R"(
__global__ void plain(int *p) { p[0] = 1; }
static __global__ void hidden(int *p) { p[0] = 2; }
extern "C" __global__ void c_name(int *p) { p[0] = 3; }
namespace { __global__ void unnamed(int *p) { p[0] = 4; } }
namespace outer { namespace inner {
__global__ void deep(int *p) { p[0] = 5; }
__global__ void twin(int *p) { p[0] = 6; }
} }
namespace other { __global__ void twin(int *p) { p[0] = 7; } }
__global__ void overloaded(int *p) { p[0] = 8; }
__global__ void overloaded(int *p, int n) { p[0] = n; }
template <class T> __global__ void fill(T *p, int n) { p[threadIdx.x] = (T)n; }
template <class T, unsigned size, bool flag> __global__ void sized(T *p) { p[0] = size + flag; }
namespace outer { template <int n> __global__ void nested(int *p) { p[0] = n; } }
template __global__ void fill<short>(short *, int);
)";

// The .entry that an entry name leads to; what the refusal says otherwise.
std::string entryFor(std::string entry, std::string_view source = kSource) {
  CudaOptions options;
  options.entry = std::move(entry);
  options.isolation = Isolation::None;
  const auto ptx = compileCuda(source, "k.cu", options);
  if (!ptx) return ptx.error().text();
  EXPECT_EQ(countOf(ptx->text, ".entry"), 1);
  const std::string& mangled = ptx->kernels.at(ptx->entry.value()).mangled;
  EXPECT_NE(ptx->text.find(".visible .entry " + mangled + "("), std::string::npos) << ptx->text;
  return mangled;
}

TEST(KernelNames, EveryNameOfAKernel) {
  EXPECT_EQ(entryFor("plain"), "_Z5plainPi");
  EXPECT_EQ(entryFor("::plain"), "_Z5plainPi");
  EXPECT_EQ(entryFor("_Z5plainPi"), "_Z5plainPi");
  EXPECT_EQ(entryFor("c_name"), "c_name");
  EXPECT_EQ(entryFor("hidden"), "_ZL6hiddenPi");
  EXPECT_EQ(entryFor("unnamed"), "_ZN12_GLOBAL__N_17unnamedEPi");
  EXPECT_EQ(entryFor("deep"), "_ZN5outer5inner4deepEPi");
  EXPECT_EQ(entryFor("inner::deep"), "_ZN5outer5inner4deepEPi");
  EXPECT_EQ(entryFor("outer::inner::deep"), "_ZN5outer5inner4deepEPi");
  EXPECT_EQ(entryFor("other::twin"), "_ZN5other4twinEPi");
  EXPECT_EQ(entryFor("_Z10overloadedPii"), "_Z10overloadedPii");
}

TEST(KernelNames, InstancesOfTemplates) {
  EXPECT_EQ(entryFor("fill<short>"), "_Z4fillIsEvPT_i");  // the source makes it
  EXPECT_EQ(entryFor("fill"), "_Z4fillIsEvPT_i");         // and no other
  EXPECT_EQ(entryFor("fill<int>"), "_Z4fillIiEvPT_i");
  EXPECT_EQ(entryFor("fill<unsigned>"), "_Z4fillIjEvPT_i");
  EXPECT_EQ(entryFor("fill< long  long >"), "_Z4fillIxEvPT_i");
  EXPECT_EQ(entryFor("sized<int, 8, true>"), "_Z5sizedIiLj8ELb1EEvPT_");
  EXPECT_EQ(entryFor("outer::nested<3>"), "_ZN5outer6nestedILi3EEEvPi");
}

TEST(KernelNames, InstancesThatHostCodeLaunches) {
  const std::string source =
      std::string(kSource) +
      "int main() { sized<int, 16, false><<<1, 2>>>(p); fill<T><<<1, 2>>>(p); }";
  EXPECT_EQ(entryFor("sized", source), "_Z5sizedIiLj16ELb0EEvPT_");
  // The instance that does not exist without T is forgotten.
  EXPECT_EQ(entryFor("fill", source), "_Z4fillIsEvPT_i");
  const std::string wrong = std::string(kSource) + "void f() { sized<int, 4><<<1, 2>>>(p); }";
  EXPECT_EQ(entryFor("plain", wrong), "_Z5plainPi");
}

TEST(KernelNames, RefusalsListWhatThereIs) {
  EXPECT_EQ(entryFor("absent", "__global__ void a(int *p) {}\n__global__ void b(int *p) {}"),
            "k.cu: error: there is no kernel absent; name one of a, b");
  EXPECT_EQ(entryFor("twin"),
            "k.cu: error: more than one kernel is called twin; name one of outer::inner::twin "
            "(_ZN5outer5inner4twinEPi), other::twin (_ZN5other4twinEPi)");
  EXPECT_EQ(entryFor("overloaded"),
            "k.cu: error: more than one kernel is called overloaded; name one of overloaded "
            "(_Z10overloadedPi), overloaded (_Z10overloadedPii)");
  EXPECT_EQ(
      entryFor("k<int>", "template <class T> __global__ void f(T *p) {}"),
      "k.cu: error: the source has no kernel k<int> (use of undeclared identifier 'k'); of the "
      "template f<T>, name an instance, such as f<int>");
  EXPECT_EQ(entryFor("f", "template <class T, int n> __global__ void f(T *p) {}"),
            "k.cu: error: the source has no kernel f; of the template f<T, n>, name an instance, "
            "such as f<int, 4>");
  EXPECT_EQ(entryFor("", "int main() {}"),
            "k.cu: error: the source has no kernel (a __global__ function)");
}

TEST(KernelNames, OtherKernelsMayFail) {
  const std::string source =
      "__global__ void good(int *p) { p[0] = 1; }\n"
      "__global__ void bad(int *p) { printf(\"x\"); }\n";
  EXPECT_EQ(entryFor("good", source), "_Z4goodPi");
  EXPECT_EQ(entryFor("", source).substr(0, 11), "k.cu:2:31: ");
}

TEST(KernelNames, FindKernelOnItsOwn) {
  const std::vector<Kernel> kernels = {{"_Za", "ns::a<int, 8U>", "a", {}, {}},
                                       {"_Zb", "ns::a<unsigned long, 16UL>", "a", {}, {}},
                                       {"_Zc", "b", "b", {}, {}}};
  EXPECT_EQ(findKernel(kernels, "a<int,8>").value(), 0u);
  EXPECT_EQ(findKernel(kernels, "ns::a< unsigned long , 16 >").value(), 1u);
  EXPECT_EQ(findKernel(kernels, "_Zb").value(), 1u);
  EXPECT_EQ(findKernel(kernels, "b").value(), 2u);
  EXPECT_FALSE(findKernel(kernels, "a").has_value());
  EXPECT_FALSE(findKernel(kernels, "s::a<int, 8>").has_value());
  EXPECT_EQ(findKernel(kernels, "").error().text(),
            "error: the source has 3 kernels; name one of ns::a<int, 8U>, ns::a<unsigned long, "
            "16UL>, b");
  EXPECT_FALSE(findKernel({}, "").has_value());
}

}  // namespace
}  // namespace qgpu::cuda
