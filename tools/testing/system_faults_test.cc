// SQLite's method: the n-th request of a kind to the system fails, for n = 1, 2, 3 ... until the
// command needs fewer than that. Whatever fails, the command ends by itself with a status that is
// documented and a message, leaves no file that is part of one, and does the work when it is asked
// again.
//
//   system_faults_test                      an n of each, and little of what takes long
//   QGPU_FAULTS=100 system_faults_test      up to 100 n of each: ci/system-faults
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "interpreter/base/files.h"
#include "tools/testing/command_test.h"

namespace qgpu::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// One use of a command.
struct Use {
  const char* name;
  const char* program;
  std::vector<std::string> arguments;
  std::vector<std::string> outputs = {};    // files that it writes, the same bytes each time
  bool prints_the_same = false;             // each time, where it ends with status 0
  std::vector<std::string> databases = {};  // files of SQLite that it reads or writes
  bool takes_long = false;
};

void PrintTo(const Use& use, std::ostream* out) { *out << use.name; }

const std::vector<std::string> kDotArguments = {"--grid", "1",       "--block", "3",
                                                "--arg",  "a=1,2,3", "--arg",   "b=4,5,6",
                                                "--arg",  "c=[1]",   "--arg",   "n=3"};

std::vector<std::string> onDot(std::vector<std::string> words,
                               const std::vector<std::string>& more = {}) {
  words.insert(words.end(), kDotArguments.begin(), kDotArguments.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<std::string> kInterpreter = {"--engine", "interpreter"};

// Of `disasm`, the lines of the source are left out where it cannot be read a second time.
const std::vector<Use> kUses = {
    {"Help", QGPU_COMMAND, {"--help"}, {}, true},
    {"Manual", QGPU_COMMAND, {"manual", "instructions"}, {}, true},
    {"Run", QGPU_COMMAND, onDot({"run", "dot.cu"}, kInterpreter), {}, true},
    {"RunJson", QGPU_COMMAND, onDot({"run", "dot.cu", "--json"}, kInterpreter)},
    {"RunTrace",
     QGPU_COMMAND,
     onDot({"run", "dot.cu", "--trace", "out.trace"}, kInterpreter),
     {"out.trace"},
     true},
    {.name = "RunInTheModel",
     .program = QGPU_COMMAND,
     .arguments = onDot({"run", "dot.cu", "--engine", "model", "--check"}),
     .takes_long = true},
    {"Compile", QGPU_COMMAND, {"compile", "dot.cu", "--ptx"}, {}, true},
    {"Disasm", QGPU_COMMAND, onDot({"disasm", "dot.cu"})},
    {"Trace", QGPU_COMMAND, {"trace", "good.trace"}, {}, true},
    {.name = "Check",
     .program = QGPU_COMMAND,
     .arguments = {"check", "good.trace"},
     .takes_long = true},
    {"Info", QGPU_COMMAND, {"info"}},
    {.name = "Build",
     .program = QGPU_COMMAND,
     .arguments = {"build", "--out", "out.safetensors"},
     .outputs = {"out.safetensors"},
     .takes_long = true},
    {.name = "Campaign",
     .program = QGPU_FUZZ_LAUNCH,
     .arguments = {"--count", "20", "--jobs", "2", "--ledger", "runs.db"},
     .databases = {"runs.db"}},
    {"CampaignReport", QGPU_FUZZ_LAUNCH, {"report", "good.db"}, {}, true, {"good.db"}},
    {"CampaignMerge",
     QGPU_FUZZ_LAUNCH,
     {"merge", "all.db", "good.db"},
     {},
     true,
     {"good.db", "all.db"}},
};

const std::vector<std::string> kKinds = {"memory", "open",   "read", "write",
                                         "sync",   "rename", "map",  "thread"};

// How many n of each use and kind are looked at; 0 for few of them, as the tests of every change
// do.
std::int64_t wanted() {
  const char* const text = std::getenv("QGPU_FAULTS");
  return text == nullptr ? 0 : std::atoll(text);
}

// What a run under the injector came to.
struct Faulted {
  Outcome outcome;
  std::int64_t requests = 0, failed = 0;
};

class SystemFaults : public ::testing::TestWithParam<Use> {
 protected:
  using Files = std::map<std::string, std::string>;  // contents by name

  static const Use& use() { return GetParam(); }

  // The files that every use may read; made once.
  static const Files& inputs() {
    static const Files files = [] {
      const TemporaryFolder folder;
      folder.write("dot.cu", kDot);
      const Surroundings here{.folder = folder.path().string(), .environment = {}};
      std::vector<std::string> trace =
          onDot({QGPU_COMMAND, "run", "dot.cu", "--trace"}, kInterpreter);
      trace.insert(trace.begin() + 4, "good.trace");
      EXPECT_EQ(runProgram(trace, here).status, 0);
      EXPECT_EQ(runProgram({QGPU_FUZZ_LAUNCH, "--count", "20", "--ledger", "good.db"}, here).status,
                0);
      return filesIn(folder);
    }();
    return files;
  }
  static Files filesIn(const TemporaryFolder& folder) {
    Files files;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      files[entry.path().filename().string()] = readFile(entry.path()).value_or("unreadable");
    return files;
  }
  static void makeInputs(const TemporaryFolder& folder) {
    for (const auto& [name, content] : inputs()) folder.write(name, content);
  }
  static std::vector<std::string> words() {
    std::vector<std::string> all = {use().program};
    all.insert(all.end(), use().arguments.begin(), use().arguments.end());
    return all;
  }
  static Outcome runIn(const TemporaryFolder& folder) {
    return runProgram(words(), {.folder = folder.path().string(), .environment = {}});
  }
  // `fault` as the injector takes it: "read:3".
  static Faulted runFaulted(const TemporaryFolder& folder, const std::string& fault) {
    const TemporaryFolder tallies;
    const std::string tally = tallies.write("tally", "");
    Faulted run;
    run.outcome =
        runProgram(words(), {.folder = folder.path().string(),
                             .environment = {"LD_PRELOAD=" QGPU_FAULT_INJECTOR,
                                             "QGPU_FAULT=" + fault, "QGPU_FAULT_TALLY=" + tally},
                             .seconds = 120});
    const std::string counts = readFile(tally).value_or("");
    EXPECT_EQ(counts.size(), 16u) << "the injector is at work";
    if (counts.size() == 16) {
      std::memcpy(&run.requests, counts.data(), 8);
      std::memcpy(&run.failed, counts.data() + 8, 8);
    }
    return run;
  }

  // What the use comes to when nothing fails; seen once for all kinds.
  struct Good {
    Outcome outcome;
    Files files;
  };
  static const Good& good() {
    static std::map<std::string, Good> by_name;
    const auto [place, is_new] = by_name.try_emplace(use().name);
    if (is_new) {
      const TemporaryFolder folder;
      makeInputs(folder);
      place->second.outcome = runIn(folder);
      EXPECT_EQ(place->second.outcome.status, 0) << place->second.outcome.error;
      place->second.files = filesIn(folder);
    }
    return place->second;
  }

  // The command ends as it should when one of its requests, or all from there on, fail.
  void expectCleanEnd(const std::string& fault) {
    const TemporaryFolder folder;
    makeInputs(folder);
    const Faulted run = runFaulted(folder, fault);
    const Outcome& outcome = run.outcome;
    ASSERT_TRUE(outcome.status == 0 || outcome.status == 2)
        << "status " << outcome.status << ": " << outcome.out << outcome.error;
    EXPECT_THAT(outcome.error, Not(HasSubstr("terminate")));
    if (outcome.status == 2) {
      EXPECT_GT(run.failed, 0);
      EXPECT_THAT(outcome.error, HasSubstr("error"));
    } else if (use().prints_the_same) {
      EXPECT_EQ(outcome.out, good().outcome.out);
    }
    expectWholeFiles(filesIn(folder));
    if (!use().outputs.empty() || !use().databases.empty()) expectItWorksAgain(folder);
  }

  void expectWholeFiles(const Files& files) {
    for (const auto& [name, content] : files) {
      if (isOfDatabase(name)) continue;
      ASSERT_TRUE(good().files.contains(name)) << name << " was left behind";
      EXPECT_EQ(content == good().files.at(name), true) << name << " is not whole";
    }
    for (const auto& [name, content] : inputs()) EXPECT_TRUE(files.contains(name)) << name;
  }
  static bool isOfDatabase(const std::string& name) {
    return std::ranges::any_of(use().databases, [&](const std::string& database) {
      return name == database || name == database + "-wal" || name == database + "-shm" ||
             name == database + "-journal";
    });
  }
  void expectItWorksAgain(const TemporaryFolder& folder) {
    const Outcome again = runIn(folder);
    EXPECT_EQ(again.status, 0) << again.error;
    if (use().prints_the_same) {
      EXPECT_EQ(again.out, good().outcome.out);
    }
    if (use().databases.empty()) {
      EXPECT_EQ(filesIn(folder) == good().files, true);
    }
  }
};

// Which n are looked at: the first ones, and as many of the others, evenly spaced.
std::set<std::int64_t> chosen(std::int64_t requests, std::int64_t most) {
  if (requests == 0) return {};
  if (most == 0) return {(requests + 1) / 2};
  const std::int64_t half = (most + 1) / 2;
  std::set<std::int64_t> all;
  for (std::int64_t n = 1; n <= std::min(requests, half); ++n) all.insert(n);
  for (std::int64_t i = 1; i <= half; ++i)
    all.insert(std::max<std::int64_t>(1, requests * i / half));
  return all;
}

TEST_P(SystemFaults, EndCleanly) {
  for (const std::string& kind : kKinds) {
    if (wanted() == 0 && use().takes_long && kind != "memory" && kind != "thread") continue;
    const TemporaryFolder folder;
    makeInputs(folder);
    const Faulted counted = runFaulted(folder, kind + ":0");
    ASSERT_EQ(counted.outcome.status, 0) << counted.outcome.error;
    ASSERT_EQ(counted.failed, 0);
    for (const std::int64_t n : chosen(counted.requests, wanted()))
      for (const char* once_or_on : {"", ":on"}) {
        const std::string fault = kind + ":" + std::to_string(n) + once_or_on;
        SCOPED_TRACE(fault);
        expectCleanEnd(fault);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SystemFaults, ::testing::ValuesIn(kUses),
                         [](const auto& param) { return std::string(param.param.name); });

// The last of a result is written when a program ends, which is when a full disk shows.
TEST(FullDisk, IsToldWhereTheResultGoesThere) {
  for (const char* use :
       {QGPU_COMMAND " --help", QGPU_COMMAND " manual", QGPU_FUZZ_LAUNCH " --count 1"}) {
    const Outcome outcome =
        runProgram({"/bin/sh", "-c", std::string("exec ") + use + " > /dev/full"});
    EXPECT_EQ(outcome.status, 2) << use;
    EXPECT_THAT(outcome.error, HasSubstr("cannot write the result")) << use;
  }
}

}  // namespace
}  // namespace qgpu::testing
