// SQLite's method: the n-th request of a kind to the system fails, for n = 1, 2, 3 ... until the
// command needs fewer than that. Whatever fails, the command ends by itself with a status that is
// documented and a message, leaves no file that is part of one, and does the work when it is asked
// again. Where reads and writes move less than was asked, nothing changes.
//
//   system_faults_test                      one n of each, and little of what takes long
//   QGPU_FAULTS=100 system_faults_test      up to 100 n of each: ci/system-faults
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "interpreter/base/files.h"
#include "tools/testing/command_test.h"
#include "tools/testing/fault_tally.h"
#include "tools/testing/uses.h"

namespace qgpu::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kPart = "part";  // of kFaultKinds, the one that is no failure
constexpr std::string_view kOldContent = "what was here before\n";

// How many n of each use and kind are looked at; 0 for as few as the tests of every change do.
std::int64_t wanted() {
  const char* const text = std::getenv("QGPU_FAULTS");
  return text == nullptr ? 0 : std::atoll(text);
}

// Where requests fail: in the program's own process, or in those that it forks.
enum class Where { Itself, Children };

// A run under the injector.
struct Faulted {
  Outcome outcome;
  FaultTally tally;
};

using Files = std::map<std::string, std::string>;  // contents by name

Files filesIn(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    files[fs::relative(entry.path(), folder).string()] =
        entry.is_directory() ? "a folder" : readFile(entry.path()).value_or("unreadable");
  return files;
}

class SystemFaults : public ::testing::TestWithParam<Use> {
 protected:
  static const Use& use() { return GetParam(); }

  static fs::path folder(const char* name) {
    static const TemporaryFolder root;
    return root.path() / name;
  }
  // What the uses read, as it has to stay.
  static const Files& inputs() {
    static const Files files = [] {
      fs::create_directory(folder("inputs"));
      makeInputs(folder("inputs"));
      return filesIn(folder("inputs"));
    }();
    return files;
  }
  // An empty folder for a run, but for what the use finds there.
  static void prepare() {
    const Files& all = inputs();
    fs::remove_all(folder("run"));
    fs::create_directory(folder("run"));
    const auto put = [](const std::string& name, std::string_view content) {
      ASSERT_TRUE(writeFileAtomically(folder("run") / name, content));
    };
    for (const std::string& name : use().databases) {
      if (all.contains(name)) put(name, all.at(name));
    }
    for (const std::string& name : use().outputs) {
      if (name.find('/') == std::string::npos) put(name, kOldContent);
    }
  }
  static Outcome run(std::vector<std::string> environment) {
    std::vector<std::string> words = {use().program};
    words.insert(words.end(), use().arguments.begin(), use().arguments.end());
    const std::string input = use().input[0] == '/' ? use().input : folder(use().input).string();
    return runProgram(words, {.input = input,
                              .folder = folder("run").string(),
                              .environment = std::move(environment),
                              .seconds = 600});
  }
  // `fault` as the injector takes it: "read:3".
  static Faulted runFaulted(std::string fault, Where where) {
    const TemporaryFolder tallies;
    const std::string file = tallies.write("tally", "");
    if (!use().always.empty()) fault = use().always + ',' + fault;
    Faulted faulted;
    faulted.outcome =
        run({"LD_PRELOAD=" QGPU_FAULT_INJECTOR, "QGPU_FAULT=" + fault, "QGPU_FAULT_TALLY=" + file,
             where == Where::Children ? "QGPU_FAULT_IN=children" : "QGPU_FAULT_IN="});
    const std::string bytes = readFile(file).value_or("");
    EXPECT_EQ(bytes.size(), sizeof(FaultTally)) << "the injector is at work";
    if (bytes.size() == sizeof(FaultTally))
      std::memcpy(&faulted.tally, bytes.data(), sizeof(FaultTally));
    return faulted;
  }

  // Tries the faults that are wanted, each in a run of its own.
  static void tryAll(Where where);

  // What the use comes to when nothing fails but what always does.
  struct Good {
    Outcome outcome;
    Files files;
  };
  static const Good& good() {
    static std::map<std::string, Good> by_name;
    const auto [place, is_new] = by_name.try_emplace(use().name);
    if (is_new) {
      prepare();
      Good& good = place->second;
      good.outcome = use().always.empty() ? run({}) : runFaulted("", Where::Itself).outcome;
      EXPECT_EQ(good.outcome.status, use().always.empty() ? 0 : 2) << good.outcome.error;
      good.files = filesIn(folder("run"));
    }
    return place->second;
  }

  // The use ends as it should when a request fails, or all from there on.
  static void expectCleanEnd(const std::string& fault, Where where) {
    prepare();
    const Faulted faulted = runFaulted(fault, where);
    const Outcome& outcome = faulted.outcome;
    const std::string said = outcome.out + outcome.error;
    ASSERT_TRUE(outcome.status == 0 || outcome.status == 2 || (outcome.status == 1 && use().judges))
        << "status " << outcome.status << ": " << said;
    EXPECT_THAT(outcome.error, Not(HasSubstr("terminate")));
    if (outcome.status != 0) {
      EXPECT_GT(faulted.tally.failed, 0);
      expectMessage(said, fault);
    } else if (use().prints_the_same && !saysWhatIsMissing(said)) {
      EXPECT_EQ(outcome.out, good().outcome.out);
    }
    expectWholeFiles(fault);
    if (outcome.status == 2 && use().always.empty()) expectItWorksAgain();
  }
  static void expectMessage(const std::string& said, const std::string& fault) {
    // That memory is missing is said by a write, and here none succeeds.
    if (fault.starts_with("memory") && use().always.starts_with("write")) return;
    EXPECT_THAT(said, AnyOf(HasSubstr("error"), HasSubstr("refusal"), HasSubstr("a crash")));
  }
  // Of a compile, or of the lines of a source in a listing.
  static bool saysWhatIsMissing(const std::string& said) {
    return said.find("broke down") != std::string::npos ||
           said.find("lines are left out") != std::string::npos;
  }
  // Reads and writes that move a part and are interrupted change nothing.
  static void expectTheSame(const std::string& fault, Where where) {
    prepare();
    const Outcome outcome = runFaulted(fault, where).outcome;
    EXPECT_EQ(outcome.status, good().outcome.status) << outcome.error;
    if (use().prints_the_same) {
      EXPECT_EQ(outcome.out, good().outcome.out);
      EXPECT_EQ(outcome.error, good().outcome.error);
    }
    expectWholeFiles(fault);
    for (const auto& [name, content] : good().files)
      EXPECT_TRUE(isOfDatabase(name) || filesIn(folder("run")).contains(name)) << name;
  }

  static void expectWholeFiles(const std::string& fault) {
    for (const auto& [name, content] : filesIn(folder("run"))) {
      if (isOfDatabase(name) || mayStay(name, fault)) continue;
      ASSERT_TRUE(good().files.contains(name)) << name << " was left behind";
      if (std::ranges::count(use().records, name) > 0)
        EXPECT_TRUE(Json::accept(content)) << name << " is not whole";
      else
        EXPECT_TRUE(content == good().files.at(name) || content == kOldContent)
            << name << " is not whole";
    }
    EXPECT_TRUE(filesIn(folder("inputs")) == inputs()) << "an input was touched";
  }
  static bool isOfDatabase(const std::string& name) {
    return std::ranges::any_of(use().databases, [&](const std::string& database) {
      return name == database || name == database + "-wal" || name == database + "-shm" ||
             name == database + "-journal";
    });
  }
  static bool mayStay(const std::string& name, const std::string& fault) {
    if (use().judges && name.starts_with("finding-")) return true;
    const bool is_short = fault.starts_with("memory") || fault.starts_with("open");
    return !use().folder.empty() && is_short && name.starts_with(use().folder + '.');
  }
  // A folder that was written before the fault came is not written again.
  static void expectItWorksAgain() {
    if (use().outputs.empty() && use().records.empty() && use().databases.empty()) return;
    if (use().databases.empty() && filesIn(folder("run")) == good().files) return;
    const Outcome again = run({});
    EXPECT_EQ(again.status, 0) << again.error;
    if (use().records.empty() && use().databases.empty() && use().folder.empty()) {
      EXPECT_TRUE(filesIn(folder("run")) == good().files);
    }
  }
};

// Which n are looked at: the first ones, and as many of the others, evenly spaced.
std::set<std::int64_t> chosen(std::int64_t requests, std::int64_t most) {
  if (requests == 0) return {};
  const std::int64_t half = (most + 1) / 2;
  std::set<std::int64_t> all;
  for (std::int64_t n = 1; n <= std::min(requests, half); ++n) all.insert(n);
  for (std::int64_t i = 1; i <= half; ++i)
    all.insert(std::max<std::int64_t>(1, requests * i / half));
  return all;
}

// The faults that are tried where a use makes so many requests: "read:3", "read:3:on", ...
std::vector<std::string> faultsFor(const FaultTally& requests, Cost cost) {
  constexpr std::int64_t kShare[] = {1, 4, 16};  // of the n, by cost
  std::vector<std::string> faults;
  for (std::size_t k = 0; k < std::size(kFaultKinds); ++k) {
    if (kFaultKinds[k] == kPart) continue;
    const std::string kind(kFaultKinds[k]);
    if (wanted() == 0) {  // one that fails alone, or one with all after it
      if (const std::int64_t n = requests.requests[k]; n > 0)
        faults.push_back(fmt::format("{}:{}{}", kind, (n + 1) / 2, k % 2 == 0 ? ":on" : ""));
      continue;
    }
    const std::int64_t most = std::max<std::int64_t>(2, wanted() / kShare[static_cast<int>(cost)]);
    for (const std::int64_t n : chosen(requests.requests[k], most))
      for (const char* once_or_on : {"", ":on"})
        faults.push_back(fmt::format("{}:{}{}", kind, n, once_or_on));
  }
  return faults;
}

void SystemFaults::tryAll(Where where) {
  prepare();
  const Faulted counted = runFaulted("", where);
  ASSERT_EQ(counted.outcome.status, good().outcome.status) << counted.outcome.error;
  const std::vector<std::string> faults = faultsFor(counted.tally, use().cost);
  if (wanted() > 0) std::cout << faults.size() << " faults\n";
  for (const std::string& fault : faults) {
    SCOPED_TRACE(fault);
    expectCleanEnd(fault, where);
  }
  for (int n = 1; n <= (wanted() == 0 ? 1 : 3); ++n) {
    SCOPED_TRACE(fmt::format("{}:{}:on", kPart, n));
    expectTheSame(fmt::format("{}:{}:on", kPart, n), where);
  }
}

TEST_P(SystemFaults, EndCleanly) {
  if (wanted() > 0 || use().cost == Cost::Little) {
    tryAll(Where::Itself);
  } else {
    expectCleanEnd("memory:1000:on", Where::Itself);
    if (use().cost == Cost::Much) expectCleanEnd("thread:1:on", Where::Itself);
  }
}

class SystemFaultsInChildren : public SystemFaults {};

TEST_P(SystemFaultsInChildren, EndCleanly) {
  if (wanted() == 0 && use().cost != Cost::Little)
    GTEST_SKIP() << "costs too much for every change";
  tryAll(Where::Children);
}

std::vector<Use> usesWithChildren() {
  std::vector<Use> uses;
  std::ranges::copy_if(allUses(), std::back_inserter(uses), &Use::has_children);
  return uses;
}

// So that no verb is forgotten.
TEST(SystemFaultUses, AreOfEveryVerb) {
  const std::string help = runProgram({QGPU_COMMAND, "--help"}).out;
  std::istringstream verbs(help.substr(help.find("Verbs\n") + 6));
  int found = 0;
  for (std::string line; std::getline(verbs, line) && !line.starts_with("  --help");) {
    if (line.substr(0, 2) != "  " || line[2] == ' ') continue;
    const std::string verb = line.substr(2, line.find(' ', 2) - 2);
    ++found;
    EXPECT_TRUE(std::ranges::any_of(allUses(), [&](const Use& use) {
      return use.program == std::string(QGPU_COMMAND) && use.arguments[0] == verb;
    })) << verb;
  }
  EXPECT_GE(found, 15);
}

std::string nameOf(const ::testing::TestParamInfo<Use>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(All, SystemFaults, ::testing::ValuesIn(allUses()), nameOf);
INSTANTIATE_TEST_SUITE_P(All, SystemFaultsInChildren, ::testing::ValuesIn(usesWithChildren()),
                         nameOf);

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
