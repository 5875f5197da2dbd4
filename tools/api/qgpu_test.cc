// The library's steps on small kernels: what is sent to the machine, what comes back, what is
// refused.
#include "tools/api/qgpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace qgpu {
namespace {

using launch::arrayOf;
using launch::ElementType;
using launch::scalarOf;
using protocol::Token;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Expected<Program> compiled(std::string text, std::vector<launch::Parameter> parameters,
                           launch::Dim3 block = {}, launch::Dim3 grid = {}) {
  const auto kernel = loadKernel({.text = std::move(text), .file_name = "k.cu"});
  if (!kernel) return fail(kernel.error());
  launch::Launch launch;
  launch.kernel = "k.cu";
  launch.grid = grid;
  launch.block = block;
  launch.parameters = std::move(parameters);
  return compile(*kernel, launch);
}

Expected<Result> ran(std::string text, std::vector<launch::Parameter> parameters,
                     launch::Dim3 block = {}, const RunOptions& options = {}) {
  const auto program = compiled(std::move(text), std::move(parameters), block);
  if (!program) return fail(program.error());
  return run(*program, *interpreterEngine(), options);
}

constexpr std::string_view kDot =
    "__global__ void dot(const int* a, const int* b, int* c, int n) {\n"
    "  int i = threadIdx.x;\n"
    "  if (i < n) atomicAdd(c, a[i] * b[i]);\n"
    "}\n";

TEST(QgpuTest, TheExampleOfTheManual) {
  const auto result =
      ran(std::string(kDot),
          {arrayOf("a", {1, 2, 3}), arrayOf("b", {4, 5, 6}), arrayOf("c", {0}), scalarOf("n", 3)},
          {3, 1, 1});
  ASSERT_TRUE(result.has_value()) << result.error().text();
  EXPECT_THAT(result->integers("c"), ElementsAre(32));
  EXPECT_THAT(result->integers("a"), ElementsAre(1, 2, 3));
  EXPECT_LE(result->tokens.model, 6);
  EXPECT_TRUE(result->integers("no such array").empty());
}

// Every element type comes back as it went in, next to others that share its words.
RC_GTEST_PROP(QgpuTest, ArraysOfAllTypesSurviveALaunchThatDoesNotTouchThem, ()) {
  const auto values =
      *rc::gen::container<std::vector<std::uint8_t>>(3, rc::gen::arbitrary<std::uint8_t>());
  static const auto kernel = loadKernel({.text = "__global__ void k(char* a, short* b, long long* "
                                                 "c, unsigned char* d, int* e) { e[0] += 1; }\n",
                                         .file_name = "k.cu"});
  RC_ASSERT(kernel.has_value());
  const auto array = [&](const char* name, ElementType type, std::size_t length) {
    launch::Parameter p;
    p.name = name;
    p.kind = launch::ParameterKind::Array;
    p.type = type;
    p.length = length;
    for (std::size_t i = 0; i < length * sizeOf(type); ++i)
      p.bytes.push_back(static_cast<std::uint8_t>(values[i % 3] + 7 * i));
    return p;
  };
  const auto length = *rc::gen::inRange<std::size_t>(1, 8);
  launch::Launch launch;
  launch.parameters = {array("a", ElementType::Int8, length),
                       array("b", ElementType::Int16, length + 1),
                       array("c", ElementType::Int64, length),
                       array("d", ElementType::Uint8, length + 2), array("e", ElementType::Int, 1)};
  const auto program = compile(*kernel, launch);
  RC_ASSERT(program.has_value());
  const auto result = run(*program, *interpreterEngine());
  RC_ASSERT(result.has_value());
  for (const launch::Parameter& p : launch.parameters) {
    if (p.name != "e") RC_ASSERT(result->arrays.at(p.name) == p.bytes);
  }
  const auto before = static_cast<std::uint32_t>(
      launch::elementBits(launch.parameters[4].bytes, ElementType::Int, 0));
  RC_ASSERT(static_cast<std::uint32_t>(result->integers("e")[0]) == before + 1);
}

TEST(QgpuTest, StructsAndWideScalarsReachTheKernel) {
  launch::Parameter size;
  size.name = "s";
  size.kind = launch::ParameterKind::Struct;
  size.fields = {{"w", ElementType::Int8, 1}, {"h", ElementType::Int, 1}};
  size.bytes = {0xfe, 0, 0, 0, 9, 0, 0, 0};
  const auto result =
      ran("struct S { signed char w; int h; };\n"
          "__global__ void k(int* out, S s, long long wide) {\n"
          "  out[0] = s.w; out[1] = s.h; out[2] = (int)(wide >> 32); out[3] = (int)wide;\n"
          "}\n",
          {arrayOf("out", {0, 0, 0, 0}), size,
           scalarOf("wide", (std::int64_t{5} << 32) + 6, ElementType::Int64)});
  ASSERT_TRUE(result.has_value()) << result.error().text();
  EXPECT_THAT(result->integers("out"), ElementsAre(-2, 9, 5, 6));
}

TEST(QgpuTest, ModuleVariablesHaveTheirInitialValues) {
  const auto result =
      ran("__constant__ int table[4] = {10, 20, 30, 40};\n"
          "__device__ int zero[2];\n"
          "__global__ void k(int* a) { a[threadIdx.x] = table[threadIdx.x] + zero[threadIdx.x & "
          "1]; }\n",
          {arrayOf("a", {0, 0, 0, 0})}, {4, 1, 1});
  ASSERT_TRUE(result.has_value()) << result.error().text();
  EXPECT_THAT(result->integers("a"), ElementsAre(10, 20, 30, 40));
}

// The host may specialise for geometry and sizes, never for scalars or contents.
RC_GTEST_PROP(QgpuTest, TheProgramDoesNotDependOnScalarsOrContents, (int n, int x, int y)) {
  const auto with = [](int count, int first) {
    return compiled(std::string(kDot),
                    {arrayOf("a", {first, 2, 3}), arrayOf("b", {first, first, 6}),
                     arrayOf("c", {first}), scalarOf("n", count)},
                    {3, 1, 1});
  };
  const auto one = with(n, x), two = with(3, y);
  RC_ASSERT(one.has_value() && two.has_value());
  RC_ASSERT(one->image.program == two->image.program);
}

TEST(QgpuTest, ATrapNamesTheLineOfTheSource) {
  const auto result = ran("__global__ void k(int* a, int i) {\n  a[0] = 1;\n  a[i] = 2;\n}\n",
                          {arrayOf("a", {0}), scalarOf("i", 5000)});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, FailureKind::Trap);
  EXPECT_EQ(result.error().location.file, "k.cu");
  EXPECT_EQ(result.error().location.line, 3);
}

TEST(QgpuTest, TheTokenBudgetIsATrapAndItsTraceIsKept) {
  Recording recording;
  const auto result =
      ran("__global__ void k(volatile int* a) { while (a[0] == 0) {} }\n", {arrayOf("a", {0})}, {},
          {.max_tokens = 50, .check = false, .recording = &recording});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, FailureKind::Trap);
  EXPECT_THAT(result.error().message, HasSubstr("50 tokens"));
  EXPECT_EQ(recording.run.written.size(), 50u);
  EXPECT_EQ(hostLength(recording.trace()), recording.host.size());
}

TEST(QgpuTest, SizesAreRefusedWithTheNumbers) {
  const auto wide = compiled(std::string(kDot), {arrayOf("a", std::vector<std::int64_t>(100)),
                                                 arrayOf("b", std::vector<std::int64_t>(100)),
                                                 arrayOf("c", {0}), scalarOf("n", 3)});
  ASSERT_FALSE(wide.has_value());
  EXPECT_EQ(wide.error().kind, FailureKind::Refusal);
  EXPECT_THAT(wide.error().text(), HasSubstr("201"));
  EXPECT_THAT(wide.error().text(), HasSubstr("126"));
}

// In the words of the source, not of the PTX.
TEST(QgpuTest, TooLargeATemplateIsCalledAsItWasWritten) {
  const Source source{.text = R"(
    template <typename T, int N> __global__ void chain(T* x) {
      T s = 0;
      #pragma unroll
      for (int i = 0; i < N; ++i) x[i] = s = s / (x[i] | 1) + x[i];
    }
    template __global__ void chain<int, 60>(int*);)",
                      .file_name = "chain.cu"};
  const auto kernel = loadKernel(source, "chain<int, 60>");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().text();
  launch::Launch launch;
  launch.parameters = {arrayOf("x", std::vector<std::int64_t>(60))};
  const auto program = compile(*kernel, launch);
  ASSERT_FALSE(program.has_value());
  EXPECT_THAT(program.error().message, HasSubstr("chain<int, 60> needs"));
  EXPECT_THAT(program.error().message, HasSubstr("blocks, the ROM holds 32"));
}

// ---- The interpreter's check -------------------------------------------------------------------

TEST(CheckTest, EnginesThatAgreeHaveNoMismatch) {
  const auto result =
      ran(std::string(kDot),
          {arrayOf("a", {1, 2, 3}), arrayOf("b", {4, 5, 6}), arrayOf("c", {0}), scalarOf("n", 3)},
          {3, 1, 1}, {.check = true});
  ASSERT_TRUE(result.has_value()) << result.error().text();
  ASSERT_TRUE(result->check.has_value());
  EXPECT_EQ(result->check->mismatches, 0);
  EXPECT_EQ(result->check->positions, result->tokens.host + result->tokens.model);
  EXPECT_EQ(result->check->first, "");
}

class ReplayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto program = compiled(std::string(kDot),
                                  {arrayOf("a", {1, 2, 3, 4, 5}), arrayOf("b", {4, 5, 6, 7, 8}),
                                   arrayOf("c", {0}), scalarOf("n", 5)},
                                  {5, 1, 1});
    ASSERT_TRUE(program.has_value()) << program.error().text();
    host_ = protocol::hostTokens(program->image);
    const auto run = interpreterEngine()->run(host_, {});
    ASSERT_TRUE(run.has_value());
    run_ = *run;
  }

  std::vector<Token> host_;
  EngineRun run_;
};

TEST_F(ReplayTest, FindsEveryAlteredToken) {
  for (std::size_t i = 0; i < run_.written.size(); ++i) {
    EngineRun altered = run_;
    const int id = altered.written[i].id();
    altered.written[i] = *Token::fromId(id == 0 ? 1 : id - 1);
    const Check check = replay(host_, altered);
    EXPECT_GT(check.mismatches, 0) << "token " << i;
    EXPECT_THAT(check.first, HasSubstr(std::to_string(host_.size() + i))) << "the first position";
  }
}

TEST_F(ReplayTest, FindsATraceThatIsTooShortOrTooLong) {
  for (std::size_t length = 0; length < run_.written.size(); ++length) {
    EngineRun shorter = run_;
    shorter.written.resize(length);
    EXPECT_GT(replay(host_, shorter).mismatches, 0) << length;
  }
  EngineRun longer = run_;
  longer.written.push_back(Token::halt());
  EXPECT_GT(replay(host_, longer).mismatches, 0);
}

TEST_F(ReplayTest, FindsAnAlteredWordOfMemory) {
  for (std::size_t word = 1; word < run_.global.size(); ++word) {
    EngineRun altered = run_;
    altered.global[word] ^= 1;
    EXPECT_GT(replay(host_, altered).mismatches, 0) << word;
  }
  EXPECT_EQ(replay(host_, run_).mismatches, 0);
}

TEST(EngineTest, UnknownNamesAreRefusedWithTheList) {
  const auto engine = engineNamed("gpu");
  ASSERT_FALSE(engine.has_value());
  EXPECT_THAT(engine.error().hint, HasSubstr("interpreter"));
  EXPECT_EQ((*engineNamed("interpreter"))->name(), "interpreter");
}

TEST(EngineTest, HostTokensThatStartNothingAreRefused) {
  EXPECT_FALSE(interpreterEngine()->run(std::vector{Token::grid(1)}, {}).has_value());
  EXPECT_FALSE(interpreterEngine()->run(std::vector{Token::halt()}, {}).has_value());
}

}  // namespace
}  // namespace qgpu
