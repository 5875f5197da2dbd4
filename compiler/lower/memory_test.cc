// Where variables lie and what pointers mean: local arrays, addresses in initialisers, generic
// pointers, atomics of every kind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/lower/testing/expect.h"
#include "compiler/lower/testing/run_kernel.h"
#include "interpreter/protocol/prompt.h"

namespace qgpu::lower {
namespace {

using testing::expectFor;
using ::testing::HasSubstr;
using testing::kernelText;
using testing::lowerPtx;
using testing::optionSets;
using testing::PtxLaunch;
using testing::runPtx;
using testing::Words;

constexpr std::uint32_t kThreads = 8;

// Over one array, whose word t is at %w1 for thread t, and a second one. `module` stands in front
// of the kernel.
PtxLaunch launchOf(std::string_view body, std::string_view module = "") {
  PtxLaunch launch{.ptx = kernelText(2, 0,
                                     "mov.u32 %a0, %tid.x;\nmul.wide.u32 %w0, %a0, 4;\n"
                                     "add.s64 %w1, %p0, %w0;\n" +
                                         std::string(body)),
                   .arrays = {Words(kThreads, 50), Words{10, 11, 12, 13, 14, 15, 16, 17}}};
  launch.ptx.insert(launch.ptx.find(".visible"), std::string(module));
  launch.block = {kThreads, 1, 1};
  return launch;
}

void expectRefused(const PtxLaunch& launch, const std::string& why) {
  const auto lowered = lowerPtx(launch);
  ASSERT_FALSE(lowered.has_value()) << why;
  EXPECT_EQ(lowered.error().kind, FailureKind::Refusal);
  EXPECT_THAT(lowered.error().text(), HasSubstr(why));
}

// ---- Local arrays. ----

constexpr std::string_view kLocal = R"(
      .local .align 4 .b8 kept[16];
      mov.u64 %w2, kept;
      and.b32 %a1, %a0, 3;
      mul.wide.u32 %w3, %a1, 4;
      add.s64 %w4, %w2, %w3;
      st.local.u32 [kept], 1;
      st.local.u32 [kept+4], 2;
      st.local.u32 [kept+8], 3;
      st.local.u32 [kept+12], 4;
      mul.lo.u32 %a2, %a0, 100;
      st.local.u32 [%w4], %a2;
      ld.local.u32 %a3, [kept+4];
      ld.local.u32 %a4, [%w4];
      add.u32 %a5, %a3, %a4;
      st.global.u32 [%w1], %a5;)";
std::uint32_t localValue(std::uint32_t t) { return 100 * t + (t % 4 == 1 ? 100 * t : 2); }

TEST(Memory, LocalArraysInSharedMemory) {
  const PtxLaunch launch = launchOf(kLocal);
  expectFor(launch, localValue);
  EXPECT_EQ(lowerPtx(launch)->placement.local_space, isa::Space::Shared);
  EXPECT_EQ(lowerPtx(launch)->report.local_words, 4);
}

// Of the shared array the words that the local ones would take if they lay where they would in
// global memory.
TEST(Memory, LocalArraysBesideASharedArray) {
  std::string fill = ".shared .align 4 .b8 s[80];\nbar.sync 0;\n";
  for (int word = 16; word < 20; ++word)
    fill += "st.shared.u32 [s+" + std::to_string(4 * word) + "], 9;\n";
  std::string body = fill + "bar.sync 0;\n.local .align 4 .b8 own[8];\nst.local.u32 [own], %a0;\n" +
                     "st.local.u32 [own+4], %a0;\nbar.sync 0;\nmov.u32 %a1, 0;\n";
  for (int word = 16; word < 20; ++word)
    body += "ld.shared.u32 %a2, [s+" + std::to_string(4 * word) + "];\nadd.u32 %a1, %a1, %a2;\n";
  body +=
      "ld.local.u32 %a2, [own];\nld.local.u32 %a3, [own+4];\nadd.u32 %a2, %a2, %a3;\n"
      "mad.lo.u32 %a1, %a2, 1000, %a1;\nst.global.u32 [%w1], %a1;";
  const PtxLaunch launch = launchOf(body);
  const auto arrays = runPtx(launch);
  ASSERT_TRUE(arrays.has_value()) << arrays.error().text();
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(arrays->front()[t], 2000 * t + 4 * 9);
  EXPECT_EQ(lowerPtx(launch)->placement.local_space, isa::Space::Shared);
}

// Shared memory is full, so they lie in global memory.
TEST(Memory, LocalArraysInGlobalMemory) {
  const PtxLaunch launch =
      launchOf(".shared .align 4 .b8 s[256];\nst.shared.u32 [s], %a0;\n" + std::string(kLocal));
  expectFor(launch, localValue);
  EXPECT_EQ(lowerPtx(launch)->placement.local_space, isa::Space::Global);
}

TEST(Memory, LocalArraysThatDoNotFit) {
  expectRefused(launchOf(".local .align 4 .b8 kept[64];\nst.local.u32 [kept], %a0;\n"
                         "ld.local.u32 %a1, [kept];\nst.global.u32 [%w1], %a1;\n"
                         ".shared .align 4 .b8 s[256];\nst.shared.u32 [s], %a0;"),
                "local arrays: 16 words for each of 8 threads; shared memory has 0 words left, "
                "global memory ");
}

// ---- Generic pointers. ----

TEST(Memory, GenericPointersIntoOneMemory) {
  const std::string shared =
      ".shared .align 4 .b8 s[64];\nmov.u64 %w5, s;\ncvta.shared.u64 %w6, %w5;\n";
  expectFor(launchOf(shared + "add.s64 %w7, %w6, %w0;\nst.u32 [%w7], %a0;\n"
                              "ld.u32 %a1, [%w7];\nadd.u32 %a1, %a1, 1;\nst.u32 [%w1], %a1;"),
            [](std::uint32_t t) { return t + 1; });
  // One of two arrays of one memory.
  expectFor(launchOf(shared + "st.shared.u32 [s], %a0;\nsetp.gt.u32 %q0, %a0, 3;\n"
                              "selp.b64 %w7, %p0, %p1, %q0;\nadd.s64 %w7, %w7, %w0;\n"
                              "ld.u32 %a1, [%w7];\nst.u32 [%w1], %a1;"),
            [](std::uint32_t t) { return t > 3 ? 50 : 10 + t; });
  // Backwards, aligned down, and from a product.
  expectFor(launchOf(shared + "st.shared.u32 [s], %a0;\nadd.s64 %w7, %p1, 28;\n"
                              "sub.s64 %w7, %w7, %w0;\nld.u32 %a1, [%w7];\nst.u32 [%w1], %a1;"),
            [](std::uint32_t t) { return 17 - t; });
  expectFor(launchOf(shared + "st.shared.u32 [s], %a0;\nadd.s64 %w7, %p1, 4;\n"
                              "add.s64 %w7, %w7, %w0;\nand.b64 %w7, %w7, -8;\n"
                              "ld.u32 %a1, [%w7];\nst.u32 [%w1], %a1;"),
            [](std::uint32_t t) { return 10 + (t | 1); });
}

TEST(Memory, GenericPointersThatAreRefused) {
  const std::string shared =
      ".shared .align 4 .b8 s[64];\nmov.u64 %w5, s;\ncvta.shared.u64 %w6, %w5;\n";
  expectRefused(launchOf(shared + "setp.gt.u32 %q0, %a0, 3;\nselp.b64 %w7, %w6, %p1, %q0;\n"
                                  "ld.u32 %a1, [%w7];\nst.global.u32 [%w1], %a1;"),
                "a pointer that may mean global or shared memory");
  expectRefused(launchOf(shared + "ld.global.u64 %w7, [%p1];\nld.u32 %a1, [%w7];\n"
                                  "st.shared.u32 [s], %a0;\nst.global.u32 [%w1], %a1;"),
                "a pointer whose memory does not follow from the text");
  expectRefused(launchOf(shared + "ld.global.u64 %w7, [%p1];\nsetp.gt.u32 %q0, %a0, 3;\n"
                                  "selp.b64 %w7, %w6, %w7, %q0;\nld.u32 %a1, [%w7];\n"
                                  "st.shared.u32 [s], %a0;\nst.global.u32 [%w1], %a1;"),
                "a pointer whose memory does not follow from the text");
  // The first thread's copy of the array lies at address 0, which is still the array's.
  expectRefused(launchOf(".local .align 4 .b8 kept[16];\nst.local.u32 [kept], %a0;\n"
                         "mov.u64 %w5, kept;\ncvta.local.u64 %w6, %w5;\n"
                         "setp.gt.u32 %q0, %a0, 3;\nselp.b64 %w7, %w6, %p1, %q0;\n"
                         "ld.u32 %a1, [%w7];\nst.global.u32 [%w1], %a1;"),
                "a pointer that may mean global or shared memory");
}

TEST(Memory, Isspacep) {
  const auto asks = [](std::string_view space, std::string_view address) {
    return launchOf(
        fmt::format(".shared .align 4 .b8 s[64];\nst.shared.u32 [s], %a0;\n"
                    ".local .align 4 .b8 kept[4];\nst.local.u32 [kept], %a0;\n"
                    "mov.u64 %w5, s;\ncvta.shared.u64 %w6, %w5;\nmov.u64 %w7, kept;\n"
                    "cvta.local.u64 %w8, %w7;\nisspacep.{} %q0, {};\n"
                    "selp.u32 %a1, 1, 0, %q0;\nst.global.u32 [%w1], %a1;",
                    space, address));
  };
  const auto always = [](std::uint32_t) { return 1u; };
  const auto never = [](std::uint32_t) { return 0u; };
  expectFor(asks("shared", "%w6"), always);
  expectFor(asks("global", "%w6"), never);
  expectFor(asks("global", "%p0"), always);
  expectFor(asks("shared", "%p0"), never);
  expectFor(asks("local", "%p0"), never);
  expectFor(asks("const", "%p0"), never);
  expectFor(asks("shared::cta", "%w6"), always);
  expectFor(asks("shared::cta", "%p0"), never);
  expectRefused(asks("global", "%w1"), "isspacep on a pointer that may mean any memory");
}

// ---- Initialisers. ----

TEST(Memory, AddressesInInitialisers) {
  constexpr std::string_view kModule =
      ".global .align 4 .u32 one[3] = {70, 71, 72};\n.global .align 4 .u32 two[2] = {80, 81};\n"
      ".global .align 8 .u64 table[2] = {one, two};\n";
  expectFor(launchOf("and.b32 %a1, %a0, 1;\nmul.wide.u32 %w3, %a1, 8;\nmov.u64 %w4, table;\n"
                     "add.s64 %w4, %w4, %w3;\nld.global.u64 %w5, [%w4];\n"
                     "ld.global.u32 %a2, [%w5+4];\nst.global.u32 [%w1], %a2;",
                     kModule),
            [](std::uint32_t t) { return t % 2 == 0 ? 71 : 81; });
}

TEST(Memory, VariablesThatAreRefused) {
  expectRefused(launchOf("ld.global.u32 %a1, [far];\nst.global.u32 [%w1], %a1;",
                         ".extern .global .align 4 .u32 far;\n"),
                "far is declared but not defined");
  expectRefused(launchOf("ld.global.u32 %a1, [big];\nst.global.u32 [%w1], %a1;",
                         ".global .align 4 .b8 big[2000000000];\n"),
                "big has 2000000000 bytes");
  expectRefused(launchOf("ld.global.u32 %a1, [big];\nst.global.u32 [%w1], %a1;",
                         ".global .align 4 .b8 big[444];\n"),
                "global memory: 127 words, the limit is");
}

// ---- Atomics. ----

// Eight threads, one word; the old words are kept, and their order is the threads'.
TEST(Memory, Atomics) {
  struct Row {
    std::string_view operation, value;
    std::uint32_t (*next)(std::uint32_t old, std::uint32_t t);
  };
  const Row rows[] = {
      {"add.u32", "%a0", [](std::uint32_t old, std::uint32_t t) { return old + t; }},
      {"min.s32", "%a7",
       [](std::uint32_t old, std::uint32_t t) {
         return static_cast<std::uint32_t>(
             std::min(static_cast<std::int32_t>(old), 5 - 2 * static_cast<std::int32_t>(t)));
       }},
      {"max.s32", "%a7",
       [](std::uint32_t old, std::uint32_t t) {
         return static_cast<std::uint32_t>(
             std::max(static_cast<std::int32_t>(old), 5 - 2 * static_cast<std::int32_t>(t)));
       }},
      {"min.u32", "%a7",
       [](std::uint32_t old, std::uint32_t t) { return std::min(old, 5 - 2 * t); }},
      {"max.u32", "%a7",
       [](std::uint32_t old, std::uint32_t t) { return std::max(old, 5 - 2 * t); }},
      {"and.b32", "%a7", [](std::uint32_t old, std::uint32_t t) { return old & (5 - 2 * t); }},
      {"or.b32", "%a0", [](std::uint32_t old, std::uint32_t t) { return old | t; }},
      {"xor.b32", "%a0", [](std::uint32_t old, std::uint32_t t) { return old ^ t; }},
      {"exch.b32", "%a0", [](std::uint32_t, std::uint32_t t) { return t; }},
      {"inc.u32", "12", [](std::uint32_t old, std::uint32_t) { return old >= 12 ? 0 : old + 1; }},
      {"dec.u32", "12",
       [](std::uint32_t old, std::uint32_t) { return old == 0 || old > 12 ? 12 : old - 1; }},
      {"cas.b32", "10, %a0",
       [](std::uint32_t old, std::uint32_t t) { return old == 10 ? t : old; }},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.operation);
    const std::string seven = "shl.b32 %a7, %a0, 1;\nsub.u32 %a7, 5, %a7;\n";
    const PtxLaunch launch =
        launchOf(seven + fmt::format("atom.global.{} %a1, [%p1], {};\nst.global.u32 [%w1], %a1;",
                                     row.operation, row.value));
    Words olds, expected = launch.arrays[1];
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      olds.push_back(expected[0]);
      expected[0] = row.next(expected[0], t);
    }
    for (const auto& [name, options] : optionSets()) {
      const auto arrays = runPtx(launch, options);
      ASSERT_TRUE(arrays.has_value()) << name << ": " << arrays.error().text();
      EXPECT_EQ(arrays->at(0), olds) << name;
      EXPECT_EQ(arrays->at(1), expected) << name;
    }
  }
}

// The old word says where to read on, which is not before it is there.
TEST(Memory, ReadsThatFollowAnAtomic) {
  expectFor(launchOf("atom.global.exch.b32 %a1, [%w1], %a0;\nsub.u32 %a1, %a1, 50;\n"
                     "add.u32 %a1, %a1, %a0;\nmul.wide.u32 %w5, %a1, 4;\nadd.s64 %w5, %p1, %w5;\n"
                     "ld.global.u32 %a2, [%w5];\nst.global.u32 [%w1], %a2;"),
            [](std::uint32_t t) { return 10 + t; });
  expectFor(launchOf("atom.global.exch.b32 %a1, [%w1], 4;\nand.b32 %a1, %a1, 4;\n"
                     "mul.wide.u32 %w5, %a1, 4;\nadd.s64 %w5, %p1, %w5;\n"
                     "ld.global.u32 %a2, [%w5];\nst.global.u32 [%w1], %a2;"),
            [](std::uint32_t) { return 10; });
}

// Elements of every width, signed and not, alone and as vectors.
TEST(Memory, LoadsAndStoresOfEveryWidth) {
  const auto loads = [](std::string_view type) {
    return launchOf(
        fmt::format("add.s64 %w2, %p1, %w0;\nadd.s64 %w2, %w2, 0;\nsub.u32 %a2, 0, %a0;\n"
                    "st.global.u32 [%w2], %a2;\nld.global.{} %a1, [%w2];\n"
                    "st.global.u32 [%w1], %a1;",
                    type));
  };
  expectFor(loads("u8"), [](std::uint32_t t) { return (0 - t) & 255; });
  expectFor(loads("s8"), [](std::uint32_t t) { return 0 - t; });
  expectFor(loads("u16"), [](std::uint32_t t) { return (0 - t) & 0xffff; });
  expectFor(loads("s16"), [](std::uint32_t t) { return 0 - t; });
  expectFor(loads("b32"), [](std::uint32_t t) { return 0 - t; });
  expectFor(
      launchOf("add.u32 %a1, %a0, 65;\nst.global.u8 [%w1+1], %a1;\nst.global.u16 [%w1+2], %a1;"),
      [](std::uint32_t t) { return 50 | (65 + t) << 8 | (65 + t) << 16; });
  // The register with the address is one of those that are loaded.
  expectFor(launchOf("and.b32 %a1, %a0, 6;\nmul.wide.u32 %w3, %a1, 4;\nadd.s64 %w3, %p1, %w3;\n"
                     "ld.global.v2.u32 {%a2, %a3}, [%w3];\nmad.lo.u32 %a4, %a2, 100, %a3;\n"
                     "st.global.u32 [%w1], %a4;"),
            [](std::uint32_t t) { return (10 + (t & 6)) * 100 + 11 + (t & 6); });
  expectFor(launchOf("and.b32 %a1, %a0, 6;\nmul.wide.u32 %w3, %a1, 4;\nadd.s64 %w3, %p1, %w3;\n"
                     "ld.global.u64 %w3, [%w3];\nshr.u64 %w3, %w3, 31;\nst.global.u32 [%w1], %w3;"),
            [](std::uint32_t t) { return 2 * (11 + (t & 6)); });
}

// Names of state spaces within shared memory and the parameters.
TEST(Memory, SpacesWithinSpaces) {
  expectFor(launchOf(".shared .align 4 .b8 s[64];\nmul.wide.u32 %w5, %a0, 4;\nmov.u64 %w6, s;\n"
                     "add.s64 %w6, %w6, %w5;\nst.shared::cta.u32 [%w6], %a0;\n"
                     "ld.shared::cluster.u32 %a1, [%w6];\nadd.u32 %a1, %a1, 3;\n"
                     "st.global.u32 [%w1], %a1;"),
            [](std::uint32_t t) { return t + 3; });
  expectFor(launchOf("ld.param::entry.u64 %w5, [p1];\nadd.s64 %w5, %w5, %w0;\n"
                     "ld.global.v2.u32 {_, %a1}, [%p1+8];\nld.global.u32 %a2, [%w5];\n"
                     "add.u32 %a1, %a1, %a2;\nst.global.u32 [%w1], %a1;"),
            [](std::uint32_t t) { return 13 + 10 + t; });
  // A parameter by its generic address.
  expectFor(launchOf("mov.u64 %w5, p1;\nld.u64 %w6, [%w5];\nadd.s64 %w6, %w6, %w0;\n"
                     "ld.global.u32 %a1, [%w6];\nst.global.u32 [%w1], %a1;"),
            [](std::uint32_t t) { return 10 + t; });
  // The same behind a loop, which the register that holds it lives through.
  expectFor(launchOf("mov.u64 %w5, p1;\nmov.b64 %w7, %w5;\nmov.u32 %a2, 3;\nagain:\n"
                     "sub.u32 %a2, %a2, 1;\nsetp.ne.u32 %q0, %a2, 0;\n@%q0 bra again;\n"
                     "ld.param.u64 %w6, [%w7];\nadd.s64 %w6, %w6, %w0;\n"
                     "ld.global.u32 %a1, [%w6];\nst.global.u32 [%w1], %a1;"),
            [](std::uint32_t t) { return 10 + t; });
  // Constants lie in global memory.
  expectFor(launchOf("mul.wide.u32 %w5, %a0, 4;\nmov.u64 %w6, k0;\nadd.s64 %w6, %w6, %w5;\n"
                     "ld.const.u32 %a1, [%w6];\nst.global.u32 [%w1], %a1;",
                     ".const .align 4 .u32 k0[8] = {9, 8, 7, 6, 5, 4, 3, 2};\n"),
            [](std::uint32_t t) { return 9 - t; });
}

// Lanes that the guard excludes keep their old value and write nothing.
TEST(Memory, GuardedAccesses) {
  const std::string odd = "and.b32 %a1, %a0, 1;\nsetp.ne.u32 %q0, %a1, 0;\nmov.u32 %a2, 5;\n";
  expectFor(launchOf(odd + "add.s64 %w2, %p1, %w0;\n@%q0 ld.global.u32 %a2, [%w2];\n"
                           "st.global.u32 [%w1], %a2;"),
            [](std::uint32_t t) { return t % 2 != 0 ? 10 + t : 5; });
  expectFor(launchOf(odd + "@!%q0 st.global.u32 [%w1], %a0;"),
            [](std::uint32_t t) { return t % 2 == 0 ? t : 50; });
  for (const std::string_view count : {"inc", "dec"})
    expectFor(
        launchOf(odd + fmt::format("@%q0 atom.global.{}.u32 %a2, [%w1], 60;\n"
                                   "ld.global.u32 %a3, [%w1];\nmad.lo.u32 %a3, %a2, 100, %a3;\n"
                                   "st.global.u32 [%w1], %a3;",
                                   count)),
        [=](std::uint32_t t) {
          if (t % 2 == 0) return 550u;
          return 5000 + (count == "inc" ? 51u : 49u);
        });
}

TEST(Memory, ReportHasTheNumbers) {
  const auto lowered = lowerPtx(launchOf(kLocal));
  ASSERT_TRUE(lowered.has_value());
  EXPECT_EQ(lowered->report.global_words, 16);
  EXPECT_EQ(lowered->report.shared_words, 0);
  EXPECT_EQ(lowered->report.local_words, 4);
  // What loads the program are the tokens of a launch without parameters and memory, less GRID and
  // CTA.
  protocol::Image image;
  image.program = protocol::encode(lowered->program);
  EXPECT_EQ(lowered->report.program_tokens + 2, static_cast<int>(hostTokens(image).size()));
}

}  // namespace
}  // namespace qgpu::lower
