// What the kernels cover: enough of them, every family, and every operation of the machine and
// feature of the language by at least one kernel whose source really uses it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/launch/case_file.h"
#include "conformance/cases.h"
#include "interpreter/base/files.h"

namespace qgpu::conformance {
namespace {

struct Entry {
  launch::Case test_case;
  std::string source;
};

const std::vector<Entry>& manifest() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all;
    for (const CaseFile& file : ownCases()) {
      const auto test_case = launch::readCase(file.path);
      if (!test_case) {
        ADD_FAILURE() << test_case.error().text();
        continue;
      }
      std::filesystem::path kernel = test_case->launch.kernel;
      std::string source = readFile(kernel).value_or("");
      // PTX is best searched in the words of the CUDA file beside it, too.
      if (kernel.extension() == ".ptx")
        source += readFile(kernel.replace_extension(".cu")).value_or("");
      all.push_back({*test_case, std::move(source)});
    }
    return all;
  }();
  return entries;
}

bool isRefused(const Entry& entry) {
  return entry.test_case.expectation == launch::Expectation::Reject;
}

TEST(Manifest, ThereAreEnoughKernels) {
  std::set<std::pair<std::string, std::string>> kernels;
  std::set<std::string> names;
  for (const Entry& entry : manifest()) {
    EXPECT_TRUE(names.insert(entry.test_case.launch.name).second) << entry.test_case.launch.name;
    if (!isRefused(entry))
      kernels.insert({entry.test_case.launch.kernel.string(), entry.test_case.launch.entry});
  }
  EXPECT_GE(kernels.size(), 300u);
}

TEST(Manifest, EveryCaseIsNamedAsItsFileAndSaysWhatItIsFor) {
  for (const CaseFile& file : ownCases()) {
    const auto test_case = launch::readCase(file.path);
    ASSERT_TRUE(test_case.has_value()) << test_case.error().text();
    EXPECT_EQ(test_case->launch.name, file.path.stem().string());
    EXPECT_FALSE(test_case->topic.empty()) << file.path;
    EXPECT_FALSE(test_case->family.empty()) << file.path;
    EXPECT_EQ(test_case->reject_stage.empty(),
              test_case->expectation != launch::Expectation::Reject)
        << file.path;
  }
}

TEST(Manifest, EveryFamilyHasKernels) {
  std::map<std::string, int> count;
  for (const Entry& entry : manifest()) ++count[entry.test_case.family];
  for (const char* const family :
       {"vectors",     "matrices",  "reductions", "scans",      "sorting",  "histograms",
        "stencils",    "searching", "bits",       "numbers",    "strings",  "automata",
        "random",      "games",     "dates",      "compaction", "graphs",   "dynamic-programming",
        "fixed-point", "atomics",   "warp",       "control",    "division", "memory",
        "shared",      "geometry",  "parameters", "integers64", "ptx",      "refused"})
    EXPECT_GE(count[family], 5) << family;
}

TEST(Manifest, TheFirstExampleIsTheDotProduct) {
  const auto dot = std::find_if(manifest().begin(), manifest().end(),
                                [](const Entry& e) { return e.test_case.launch.name == "dot"; });
  ASSERT_NE(dot, manifest().end());
  EXPECT_EQ(dot->test_case.expected.at("c"), (std::vector<std::uint8_t>{32, 0, 0, 0}));
}

// All of the machine's published sizes, so that a case that cannot fit is a mistake of the case.
TEST(Manifest, EveryLaunchFitsTheMachinesSizes) {
  for (const Entry& entry : manifest()) {
    if (isRefused(entry)) continue;
    const launch::Launch& launch = entry.test_case.launch;
    std::size_t words = 0;
    for (const launch::Parameter& parameter : launch.parameters)
      if (parameter.kind == launch::ParameterKind::Array) words += (parameter.bytes.size() + 3) / 4;
    EXPECT_LE(words, 126u) << launch.name;
    EXPECT_LE(launch.block.count(), 32u) << launch.name;
    EXPECT_LE(launch.block.count() * launch.grid.count(), 128u) << launch.name;
    EXPECT_LE(launch.shared_bytes, 256u) << launch.name;
  }
}

// A need, and what a source that has it must contain. Needs with an empty pattern are shapes of a
// launch or of the data flow, which no pattern finds.
struct Requirement {
  const char* need;
  const char* pattern;
};

const std::vector<Requirement> kRequirements = {
    {"add", R"(\+)"},
    {"sub", R"(-)"},
    {"mul", R"(\*)"},
    {"mad", R"([*].*[+]|\+=|mad)"},
    {"neg", R"(-)"},
    {"abs", R"(\babs\()"},
    {"mulhi", R"(__mulhi|mad\.hi\.s32)"},
    {"umulhi", R"(__umulhi|mul\.hi\.u32)"},
    {"mad-hi", R"(__mulhi.*\+|mad\.hi)"},
    {"mul24", R"(__mul24|mul24)"},
    {"and", R"(&)"},
    {"or", R"(\||atomicOr)"},
    {"xor", R"(\^)"},
    {"not", R"(~)"},
    {"andn", R"(& ~|~.* &|bfi)"},
    {"shl", R"(<<|<< ?=)"},
    {"shr", R"(>>|/ 2|/= 2)"},
    {"sar", R"(>>)"},
    {"shl-variable", R"(<<|shl\.b32)"},
    {"shr-variable", R"(>>|shr\.u32)"},
    {"sar-variable", R"(>>|shr\.s32)"},
    {"rotate", R"(<< .*\| .*>>|>> .*\| .*<<|shf\.l\.wrap)"},
    {"funnel-shift", R"(__funnelshift|shf\.|<< 16 \|)"},
    {"min", R"(\bmin\(|<)"},
    {"max", R"(\bmax\(|>)"},
    {"umax", R"(\bmax\()"},
    {"compare-eq", R"(==)"},
    {"compare-ne", R"(!=)"},
    {"compare-lt", R"(<)"},
    {"compare-le", R"(<=)"},
    {"compare-gt", R"(>)"},
    {"compare-ge", R"(>=)"},
    {"compare-ltu", R"(unsigned|threadIdx)"},
    {"compare-leu", R"(<=)"},
    {"compare-gtu", R"(>)"},
    {"compare-geu", R"(>=|ge\.and\.u32)"},
    {"predicate-logic", R"(&&|\|\||!|@!)"},
    {"select", R"(\?|selp|if)"},
    {"popc", R"(__popc)"},
    {"clz", R"(__clz|bfind)"},
    {"ffs", R"(__ffs)"},
    {"brev", R"(__brev)"},
    {"prmt", R"(__byte_perm|prmt)"},
    {"hadd", R"(__u?hadd)"},
    {"sad", R"(__sad|sad\.u32)"},
    {"bit-field", R"(bfe|<< 20\) >> 20)"},
    {"convert-s8", R"(\(signed char\)|cvt\.s32\.s8)"},
    {"convert-s16", R"(\(short\))"},
    {"div-s", R"(/)"},
    {"div-u", R"(/)"},
    {"rem-s", R"(%)"},
    {"rem-u", R"(%)"},
    {"div-const", R"(/=? -?(0x)?[0-9])"},
    {"rem-const", R"(% -?[0-9])"},
    {"shfl-idx", R"(__shfl_sync)"},
    {"shfl-up", R"(__shfl_up_sync)"},
    {"shfl-down", R"(__shfl_down_sync|shfl\.sync\.down)"},
    {"shfl-xor", R"(__shfl_xor_sync|shfl\.sync\.bfly)"},
    {"shfl-width1", R"(__shfl_sync\(.*, 1\))"},
    {"shfl-width2", R"(__shfl_sync\(.*, 2\))"},
    {"shfl-width4", R"(__shfl_.*, 4\)|0x1c1f)"},
    {"vote-all", R"(__all_sync)"},
    {"vote-any", R"(__any_sync)"},
    {"vote-uni", R"(__uni_sync|vote\.sync\.uni)"},
    {"vote-ballot", R"(__ballot_sync|vote\.sync\.ballot)"},
    {"activemask", R"(__activemask)"},
    {"syncwarp", R"(__syncwarp)"},
    {"warp-size", R"(warpSize)"},
    {"atomic-add-global", R"(atomicAdd|red\.global\.add)"},
    {"atomic-add-global-used", R"(= atomicAdd|\[atomicAdd|\? atomicAdd)"},
    {"atomic-add-shared", R"(atomicAdd|atom\.shared\.add)"},
    {"atomic-add-shared-used", R"(\[atomicAdd)"},
    {"atomic-sub-global", R"(atomicSub)"},
    {"atomic-sub-global-used", R"(= atomicSub|: atomicSub)"},
    {"atomic-sub-shared", R"(atomicSub)"},
    {"atomic-min-global", R"(atomicMin)"},
    {"atomic-min-global-used", R"(= atomicMin)"},
    {"atomic-min-shared", R"(atomicMin)"},
    {"atomic-max-global", R"(atomicMax|red\.global\.max\.s32)"},
    {"atomic-max-global-used", R"(= atomicMax)"},
    {"atomic-max-shared", R"(atomicMax)"},
    {"atomic-umin-global", R"(atomicMin\(.*unsigned|red\.global\.min\.u32)"},
    {"atomic-umax-global", R"(atomicMax\(.*unsigned)"},
    {"atomic-and-global", R"(atomicAnd|red\.global\.and)"},
    {"atomic-and-global-used", R"(= atomicAnd)"},
    {"atomic-and-shared", R"(atomicAnd)"},
    {"atomic-or-global", R"(atomicOr)"},
    {"atomic-or-global-used", R"(= atomicOr)"},
    {"atomic-or-shared", R"(atomicOr|atom\.shared\.or)"},
    {"atomic-xor-global", R"(atomicXor|red\.global\.xor)"},
    {"atomic-xor-global-used", R"(= atomicXor)"},
    {"atomic-xor-shared", R"(atomicXor)"},
    {"atomic-exch-global-used", R"(= atomicExch)"},
    {"atomic-exch-shared-used", R"(= atomicExch)"},
    {"atomic-cas-global-used", R"(atomicCAS)"},
    {"atomic-cas-shared-used", R"(atomicCAS)"},
    {"atomic-inc-global", R"(atomicInc|atom\.global\.inc)"},
    {"atomic-inc-global-used", R"(= atomicInc)"},
    {"atomic-inc-shared", R"(atomicInc)"},
    {"atomic-dec-global", R"(atomicDec)"},
    {"atomic-dec-global-used", R"(= atomicDec)"},
    {"atomic-dec-shared", R"(atomicDec)"},
    {"atomic-64", R"(unsigned long long|long long)"},
    {"load-s8", R"(signed char|char \*|ld\.global\.s8|Particle)"},
    {"load-u8", R"(unsigned char|uchar4)"},
    {"load-s16", R"(short)"},
    {"load-u16", R"(unsigned short|ushort2|ld\.global\.u16)"},
    {"store-8", R"(char|bool|st\.global\.u8)"},
    {"store-16", R"(short|st\.global\.u16)"},
    {"vector-load", R"(int[234]|uchar4)"},
    {"vector-store", R"(int[24]|st\.global\.v[24])"},
    {"struct-array", R"(struct)"},
    {"struct-param", R"(struct|int2 a, uchar4 b)"},
    {"param-narrow", R"(short c|param\.u8)"},
    {"param-64", R"(long)"},
    {"many-params", R"(,.*,.*,.*,.*,)"},
    {"long-index", R"(size_t)"},
    {"add-64", R"(long long|addc)"},
    {"sub-64", R"(long long)"},
    {"mul-64", R"(long long)"},
    {"mul-wide", R"(\(long long\))"},
    {"div-64", R"(long long)"},
    {"compare-64", R"(long long)"},
    {"shift-64", R"(long long)"},
    {"shared", R"(__shared__|\.shared)"},
    {"shared-dynamic", R"(extern __shared__)"},
    {"shared-memory-wrapper", R"(SharedMemory<T>)"},
    {"shared-bytes", R"(__shared__ (unsigned char|bool))"},
    {"barrier", R"(__syncthreads|bar\.sync)"},
    {"barrier-in-loop", R"(__syncthreads|bar\.sync)"},
    {"barrier-count", R"(__syncthreads_(count|and|or))"},
    {"barrier-with-exited", R"(return;[^}]*__syncthreads)"},
    {"double-buffer", R"(\[2\]\[|a\[32\], b\[32\])"},
    {"threadfence", R"(__threadfence)"},
    {"constant-table", R"(__constant__|__device__ const)"},
    {"device-variable", R"(__device__ (unsigned )?int )"},
    {"device-function", R"(__device__)"},
    {"volatile", R"(volatile)"},
    {"restrict", R"(__restrict__)"},
    {"ldg", R"(__ldg)"},
    {"loop", R"(\bfor\b|\bwhile\b)"},
    {"do-while", R"(\bdo\b)"},
    {"break", R"(\bbreak\b)"},
    {"continue", R"(\bcontinue\b)"},
    {"switch", R"(\bswitch\b)"},
    {"goto", R"(\bgoto\b)"},
    {"short-circuit", R"(&&|\|\|)"},
    {"early-exit", R"(\breturn;|ret;)"},
    {"divergence", R"(\bif\b|\bwhile\b|\bfor\b)"},
    {"nested-divergence", R"(if[^;]*\{\s*if|for[^;]*;[^;]*;[^;]*\)\s*for)"},
    {"unroll", R"(#pragma unroll)"},
    {"template", R"(template)"},
    {"lambda", R"(\[step\])"},
    {"functor", R"(operator\(\))"},
    {"operator-overload", R"(operator\*)"},
    {"namespace", R"(namespace)"},
    {"mangled-name", R"(_Z5scale)"},
    {"macro", R"(#define)"},
    {"includes", R"(#include)"},
    {"host-code", R"(<<<)"},
    {"launch-bounds", R"(__launch_bounds__)"},
    {"trap", R"(__trap)"},
    {"grid-stride", R"(gridDim\.x)"},
    {"pointer-arithmetic", R"(\*\w+|\w+ \+)"},
    {"block-2d", R"(threadIdx\.y)"},
    {"block-3d", R"(threadIdx\.z)"},
    {"grid-2d", R"(blockIdx\.y)"},
    {"grid-3d", R"(blockIdx\.z)"},
    {"partial-warp", ""},
    {"indirect", ""},
    {"pointer-select", ""},
    {"state-machine", ""},
};

TEST(Manifest, EveryOperationAndFeatureHasAKernel) {
  for (const Requirement& requirement : kRequirements) {
    const auto has = [&](const Entry& entry) {
      const auto& needs = entry.test_case.needs;
      return std::find(needs.begin(), needs.end(), requirement.need) != needs.end();
    };
    EXPECT_TRUE(std::any_of(manifest().begin(), manifest().end(), has)) << requirement.need;
  }
}

TEST(Manifest, EveryNeedIsKnownAndFoundInTheSource) {
  std::map<std::string, std::regex> patterns;
  for (const Requirement& requirement : kRequirements)
    patterns.emplace(requirement.need, std::regex(requirement.pattern));
  for (const Entry& entry : manifest()) {
    for (const std::string& need : entry.test_case.needs) {
      const auto pattern = patterns.find(need);
      ASSERT_NE(pattern, patterns.end()) << entry.test_case.launch.name << " needs " << need;
      EXPECT_TRUE(std::regex_search(entry.source, pattern->second))
          << entry.test_case.launch.name << " says it needs " << need
          << "; its source does not show it";
    }
  }
}

// The needs that a launch's shape must bear out.
TEST(Manifest, ShapesAreAsTheCasesSay) {
  for (const Entry& entry : manifest()) {
    const launch::Launch& launch = entry.test_case.launch;
    const auto needs = [&entry](std::string_view need) {
      const auto& all = entry.test_case.needs;
      return std::find(all.begin(), all.end(), need) != all.end();
    };
    EXPECT_TRUE(!needs("block-2d") || launch.block.y > 1) << launch.name;
    EXPECT_TRUE(!needs("block-3d") || launch.block.z > 1) << launch.name;
    EXPECT_TRUE(!needs("grid-2d") || launch.grid.y > 1) << launch.name;
    EXPECT_TRUE(!needs("grid-3d") || launch.grid.z > 1) << launch.name;
    EXPECT_TRUE(!needs("partial-warp") || launch.block.count() % 4 != 0) << launch.name;
    EXPECT_TRUE(!needs("shared-dynamic") || launch.shared_bytes > 0) << launch.name;
    EXPECT_TRUE(!needs("many-params") || launch.parameters.size() >= 10) << launch.name;
  }
}

}  // namespace
}  // namespace qgpu::conformance
