// Sources that are meant to hurt the compiler, and what a compile costs the process around it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "compiler/cuda/testing.h"

namespace qgpu::cuda {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kGood = "__global__ void k(int *p) { p[threadIdx.x] += warpSize; }";

std::string kernel(std::string_view body) {
  return fmt::format("__global__ void k(int *p, int n) {{ {} }}\n", body);
}

std::string repeat(int count, const std::function<std::string(int)>& part) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part(i);
  return text;
}
std::string repeat(int count, std::string_view part) {
  return repeat(count, [&](int) { return std::string(part); });
}

struct Attack {
  std::string name;
  std::string source;
  std::string_view says;
};

void expectRefused(const std::vector<Attack>& attacks, milliseconds time = milliseconds(20'000)) {
  for (const Attack& attack : attacks) {
    CudaOptions options;
    options.limits.time = time;
    const auto ptx = compileCuda(attack.source, "k.cu", options);
    ASSERT_FALSE(ptx.has_value()) << attack.name;
    EXPECT_EQ(ptx.error().kind, FailureKind::Refusal) << attack.name;
    EXPECT_EQ(ptx.error().location.file, "k.cu") << attack.name;
    EXPECT_NE(ptx.error().text().find(attack.says), std::string::npos)
        << attack.name << ": " << ptx.error().text();
    EXPECT_LT(ptx.error().text().size(), 2000u) << attack.name;
  }
}

TEST(Isolation, FatalErrorsOfLlvm) {
  expectRefused({
      {"no instruction", kernel("((float *)p)[0] = __builtin_sinf(((float *)p)[1]);"),
       "k.cu:1:54: error: PTX for sm_75 has no instruction for this operation (fsin)"},
      {"fence", kernel("__c11_atomic_thread_fence(5);"), "(AtomicFence)"},
      {"alias",
       "extern \"C\" __global__ void k(int *p) { p[0] = 1; }\n"
       "extern \"C\" __global__ void j(int *p) __attribute__((alias(\"k\")));",
       "the compiler cannot go on"},
      {"address space",
       "__attribute__((address_space(77))) __device__ int x;\n" +
           kernel("p[0] = *(__attribute__((address_space(77))) int *)p;"),
       "the compiler cannot go on"},
      {"label", "extern __shared__ int s[] asm(\"a b{}\");\n" + kernel("s[n] = n; p[0] = s[p[1]];"),
       "unsupported characters"},
      {"pragma", "#pragma clang __debug llvm_fatal_error\n", "the compiler cannot go on"},
      {"dynamic stack", kernel("int *a = (int *)__builtin_alloca(n); a[n / 2] = 1; p[0] = a[n];"),
       "k.cu:1:52: error: Support for dynamic alloca introduced in PTX ISA"},
  });
}

TEST(Isolation, CrashesAndExhaustedStacks) {
  expectRefused({
      {"crash", "#pragma clang __debug crash\n", "the compiler broke down on this source"},
      {"parser", "#pragma clang __debug parser_crash\n", "the compiler broke down"},
      {"tildes", kernel("p[0] = " + repeat(200'000, "~") + "n;"), "less nesting"},
      {"casts", kernel("p[0] = " + repeat(45'000, "(int)") + "n;"), "less nesting"},
      {"parentheses", kernel("p[0] = " + repeat(50'000, "(") + "n" + repeat(50'000, ")") + ";"),
       "bracket nesting level exceeded maximum of 256"},
      {"braces", kernel(repeat(50'000, "{") + repeat(50'000, "}")), "bracket nesting"},
  });
}

TEST(Isolation, SourcesThatGrow) {
  const std::string bomb =
      "#define A n+n+n+n+n+n+n+n\n#define B A+A+A+A+A+A+A+A\n#define C B+B+B+B+B+B+B+B\n"
      "#define D C+C+C+C+C+C+C+C\n#define E D+D+D+D+D+D+D+D\n#define F E+E+E+E+E+E+E+E\n";
  expectRefused({
      {"macros", bomb + kernel("p[0] = F;"), "more than 200000 tokens after macro expansion"},
      {"wide templates",
       "template <int d, int i> struct T {\n"
       "  static const int v = T<d - 1, 2 * i>::v + T<d - 1, 2 * i + 1>::v; };\n"
       "template <int i> struct T<0, i> { static const int v = i; };\n" +
           kernel("p[0] = T<22, 0>::v;"),
       "more than 20000 template instantiations"},
      {"deep templates",
       "template <int n> __device__ int f() { return f<n + 1>(); }\n" + kernel("p[0] = f<0>();"),
       "recursive template instantiation exceeded maximum depth"},
      {"constexpr",
       "constexpr int f(int x) { while (true) x++; return x; }\n" +
           kernel("constexpr int y = f(3); p[0] = y;"),
       "never produces a constant expression"},
      {"inlining",
       "__device__ int f0(int x) { return x * x + 1; }\n" +
           repeat(
               10,
               [](int i) {
                 return fmt::format(
                     "__device__ int f{0}(int x) {{ return f{1}(x) + f{1}(x + 1) + f{1}(x * 3) + "
                     "f{1}(x ^ 5); }}\n",
                     i + 1, i);
               }) +
           kernel("p[0] = f10(n);"),
       "more than 60000 instructions once all calls are inlined"},
      {"statements",
       kernel(repeat(9000, [](int i) { return fmt::format("p[{}] += p[n] * {};\n", i, i); })),
       "more than 60000 instructions"},
      {"bytes", std::string(300'000, ' '), "the source has 300000 bytes, more than the limit"},
      {"include", "#include __FILE__\n", "#include nested too deeply"},
      {"types",
       "template <class T> struct W { typedef W<W<T>> t; typename t::t x; };\n" +
           kernel("W<int> w; p[0] = sizeof(w);"),
       "recursive template instantiation"},
  });
}

TEST(Isolation, TimeIsLimited) {
  expectRefused({{"vector",
                  "typedef int V __attribute__((vector_size(262144)));\n"
                  "__global__ void k(V *p) { p[0] = p[1] + p[2]; }",
                  "compiling takes longer than the limit of 400 ms"},
                 {"recursion", "#pragma clang __debug overflow_stack\n", "limit of 400 ms"}},
                milliseconds(400));
}

TEST(Isolation, MemoryIsLimited) {
  CudaOptions options;
  options.limits.memory_bytes = 400 << 20;
  options.limits.time = milliseconds(20'000);
  const auto ptx =
      compileCuda("template <class T, T... n> struct S { static const int v = sizeof...(n); };\n" +
                      kernel("p[0] = __make_integer_seq<S, int, 2000000>::v;"),
                  "k.cu", options);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer takes more addresses than any limit";
#endif
  ASSERT_FALSE(ptx.has_value());
}

TEST(Isolation, TextThatIsNoSource) {
  std::string garbage;
  std::uint32_t state = 1;
  for (int i = 0; i < 20'000; ++i)
    garbage += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  expectRefused({
      {"garbage", garbage, "error: "},
      {"nothing", "", "the source has no kernel"},
      {"brackets", repeat(20'000, "{[("), "expected unqualified-id"},
      {"comment", "/* " + kernel("p[0] = 1;"), "unterminated /* comment"},
      {"string", "const char *s = \"" + std::string(1000, 'x'), "error: "},
      {"nul in code", kernel(std::string("p[0] = \0n 1;", 12)), "error: "},
  });
}

TEST(Isolation, SameTextAsInThisProcess) {
  CudaOptions here;
  here.isolation = Isolation::None;
  const auto first = compileCuda(kGood, "k.cu", here);
  const auto second = compileCuda(kGood, "k.cu", here);
  const auto isolated = compileCuda(kGood, "k.cu");
  ASSERT_TRUE(first && second && isolated);
  EXPECT_EQ(first->text, second->text);
  EXPECT_EQ(first->text, isolated->text);
  EXPECT_EQ(first->kernels, isolated->kernels);
}

TEST(Isolation, ThreadsWithGoodAndFatalSourcesSideBySide) {
  const std::string fatal = kernel("((float *)p)[0] = __builtin_sinf(((float *)p)[1]);");
  const std::string crash = "#pragma clang __debug crash\n";
  const auto expected = compileCuda(kGood, "k.cu");
  ASSERT_TRUE(expected.has_value());
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 8; ++i) {
        const int kind = (i + t) % 4;
        const auto ptx = compileCuda(kind == 0 ? fatal : kind == 1 ? crash : kGood, "k.cu");
        const bool good = kind < 2 ? !ptx.has_value() : ptx && ptx->text == expected->text;
        wrong[t] += !good;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

TEST(Isolation, ThreadsInThisProcess) {
  CudaOptions here;
  here.isolation = Isolation::None;
  std::vector<std::string> sources, expected;
  for (int i = 0; i < 6; ++i) {
    sources.push_back(kernel(fmt::format("for (int i = 0; i < n; ++i) p[i * {}] += i;", i)));
    expected.push_back(compileCuda(sources.back(), "k.cu", here)->text);
  }
  std::vector<int> wrong(3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 12; ++i)
        wrong[t] += compileCuda(sources[i % 6], "k.cu", here)->text != expected[i % 6];
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(3));
}

TEST(Isolation, NoFileIsOpened) {
  CudaOptions here;
  here.isolation = Isolation::None;
  const auto before = compileCuda(kGood, "k.cu", here);
  // Now every open, socket and pipe fails.
  rlimit old{};
  getrlimit(RLIMIT_NOFILE, &old);
  const rlimit none{0, old.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const std::string source = "#include <vector>\n#include <cuda_runtime.h>\n" + std::string(kGood);
  const auto after = compileCuda(source, "k.cu", here);
  const auto refused = compileCuda("#include \"/etc/passwd\"\n", "k.cu", here);
  setrlimit(RLIMIT_NOFILE, &old);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(countOf(after->text, "warpSize") + countOf(after->text, ".extern"), 0);
  EXPECT_FALSE(refused.has_value());
}

}  // namespace
}  // namespace qgpu::cuda
