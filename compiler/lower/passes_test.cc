// Random functions mean the same after every pass, after spilling, and as programs of the machine.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

#include "compiler/lower/blocks/emit.h"
#include "compiler/lower/ir/print.h"
#include "compiler/lower/passes/passes.h"
#include "compiler/lower/passes/spill.h"
#include "compiler/lower/testing/random_function.h"
#include "interpreter/isa/rules.h"
#include "interpreter/machine/machine.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/random.h"
#include "interpreter/testing/sanitized.h"

namespace qgpu::lower {
namespace {

using testing::FunctionInput;
using testing::FunctionRun;
using testing::kRandomWords;
using testing::randomFunction;
using testing::randomInput;
using testing::runFunction;

// Inputs with which the function ends, and does so without regard to undefined words.
struct Known {
  FunctionInput input;
  FunctionRun run;
};
std::vector<Known> knownRuns(const Function& f, std::uint64_t seed) {
  std::vector<Known> all;
  for (std::uint64_t n = 0; n < 4; ++n) {
    Known known{randomInput(10 * seed + n), {}};
    known.run = runFunction(f, known.input);
    EXPECT_EQ(known.run.error, "") << "seed " << seed << "\n" << print(f);
    known.input.undefined = 0x12345678;
    if (known.run.end == FunctionRun::End::Endless) continue;
    if (runFunction(f, known.input) == known.run) all.push_back(known);
  }
  return all;
}

::testing::AssertionResult means(const Function& f, const std::vector<Known>& runs) {
  constexpr int kMostBlocks = 3000;  // passes may split blocks
  for (const Known& known : runs) {
    const FunctionRun run = runFunction(f, known.input, kMostBlocks);
    if (run == known.run) continue;
    return ::testing::AssertionFailure() << "another result " << run.error << "\n" << print(f);
  }
  return ::testing::AssertionSuccess();
}

struct Pass {
  const char* name;
  void (*run)(Function& f);
};
constexpr Pass kPasses[] = {
    {"cleanUp", cleanUp},
    {"simplify", simplify},
    {"mergeBlocks", mergeBlocks},
    {"threadJumps", threadJumps},
    {"ifConvert", [](Function& f) { ifConvert(f, {}); }},
    {"ifConvert eagerly", [](Function& f) { ifConvert(f, {.most_moved = 20, .eager = true}); }},
    {"awaitOthers", awaitOthers},
    {"gather", gather},
    {"guardExits", guardExits},
    {"combine", combine},
    {"fuseMemory", fuseMemory},
    {"cleanUp again", cleanUp},
    {"simplify again", simplify},
    {"legalise", legalise},
    {"alignFlagPhis", alignFlagPhis},
};

constexpr std::uint64_t kSeeds = isatest::unlessSanitized<std::uint64_t>(1500, 100);

TEST(Passes, KeepTheMeaningOfRandomFunctions) {
  std::size_t judged = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    isatest::Random random(seed);
    Function f = randomFunction(seed);
    const std::vector<Known> runs = knownRuns(f, seed);
    judged += runs.size();
    for (const Pass& pass : kPasses) {
      if (random.chance(25)) continue;
      const Function before = f;
      pass.run(f);
      ASSERT_TRUE(means(f, runs)) << "seed " << seed << " after " << pass.name << "\nbefore:\n"
                                  << print(before);
    }
  }
  EXPECT_GT(judged, 2 * kSeeds);  // or nothing is tested
}

// ---- Down to the machine, with fewer registers than it has. ----

constexpr std::uint32_t kWord = 4;

struct Limits {
  int registers = kMachine.registers - 1;
  int predicates = kMachine.predicates;
  bool forward = true;
  ScheduleOptions schedule{};
};

// A function's way to a program; every step of it is held against the function's meaning.
class Compilation {
 public:
  Compilation(Function f, const Limits& limits, const std::vector<Known>& runs)
      : f_(std::move(f)), limits_(limits), runs_(runs), memory_(placement(), 1) {}

  // Nothing where it takes too many blocks, registers or words.
  std::optional<Emitted> run() {
    for (int round = 0; round < 12; ++round) {
      legalise(f_);
      alignFlagPhis(f_);
      EXPECT_TRUE(means(f_, runs_)) << "legalised";
      Webs words(f_, Port::Word, limits_.forward), flags(f_, Port::Flag, limits_.forward);
      words.build();
      flags.build();
      const Placed placed = placeBlocks(f_, words, flags, limits_.forward, limits_.schedule);
      EXPECT_TRUE(means(f_, runs_)) << "with copies";
      const BlockLiveness live_words(f_, placed, words), live_flags(f_, placed, flags);
      const Colouring registers = colourWebs(placed, live_words, limits_.registers);
      const Colouring predicates = colourWebs(placed, live_flags, limits_.predicates);
      if (registers.failed.empty() && predicates.failed.empty())
        return emit(f_, placed, {words, live_words, registers}, {flags, live_flags, predicates});
      if (!spill(words, flags, registers, predicates)) return std::nullopt;
    }
    return std::nullopt;
  }
  int spilled() const { return spilled_; }

 private:
  static Placement placement() {
    Placement p;
    p.free_global = kWord * (1 + kRandomWords);
    p.free_shared = kWord * kRandomWords;
    return p;
  }

  bool spill(const Webs& words, const Webs& flags, const Colouring& registers,
             const Colouring& predicates) {
    for (const Id web : predicates.failed) {
      demoteFlags(f_, flags.members(web));
      EXPECT_TRUE(means(f_, runs_)) << "demoted";
    }
    for (const Id web : registers.failed) {
      const std::vector<Id> members = words.members(web);
      const auto place = isRematerialisable(f_, members) ? std::nullopt : memory_.take();
      if (place)
        spillWords(f_, members, *place);
      else if (isRematerialisable(f_, members))
        rematerialise(f_, members.front());
      else
        return false;
      EXPECT_TRUE(means(f_, runs_)) << "spilled";
      ++spilled_;
    }
    fuseMemory(f_);
    cleanUp(f_);
    EXPECT_TRUE(means(f_, runs_)) << "fused";
    return true;
  }

  Function f_;
  const Limits& limits_;
  const std::vector<Known>& runs_;
  SpillMemory memory_;
  int spilled_ = 0;
};

bool fitsMachine(const Emitted& emitted) {
  return emitted.program.blocks.size() <= static_cast<std::size_t>(kMachine.blocks) &&
         emitted.parameters.size() <= static_cast<std::size_t>(kMachine.parameters);
}

// What the machine leaves in the words of the input, as far as a trap says.
FunctionRun runOnMachine(const Emitted& emitted, const FunctionInput& input) {
  protocol::Image image{.program = protocol::encode(emitted.program)};
  for (const PassedWord& w : emitted.parameters)
    image.parameters.push_back(w.is_constant ? w.value : input.arguments.at(w.value));
  for (std::size_t n = 0; n < input.global.size(); ++n)
    image.memory.push_back({static_cast<int>(n) + 1, input.global[n]});
  image.thread_blocks = image.threads = 1;
  machine::Machine machine;
  const auto launched = machine::launch(machine, protocol::hostTokens(image), 100'000);
  FunctionRun run;
  run.end = launched ? FunctionRun::End::Exit : FunctionRun::End::Trap;
  for (std::size_t n = 0; n < input.global.size(); ++n)
    run.global.push_back(machine.state().global[n + 1]);
  return run;
}

TEST(Passes, RandomFunctionsRunOnTheMachine) {
  int ran = 0, spilled = 0;
  for (std::uint64_t seed = 0; seed < kSeeds / 2; ++seed) {
    isatest::Random random(seed);
    Function f = randomFunction(seed);
    const std::vector<Known> runs = knownRuns(f, seed);
    for (const Pass& pass : kPasses)
      if (random.chance(40)) pass.run(f);
    Limits limits;
    if (random.chance(60)) limits.registers = random.between(2, 8);
    if (random.chance(60)) limits.predicates = random.between(1, 3);
    limits.forward = random.chance(80);
    limits.schedule.rematerialise = random.chance(80);
    Compilation compilation(std::move(f), limits, runs);
    const auto emitted = compilation.run();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    if (!emitted || !fitsMachine(*emitted)) continue;
    spilled += compilation.spilled();
    const auto violations = isa::violations(emitted->program);
    ASSERT_TRUE(violations.empty()) << "seed " << seed << ": " << violations.front().text();
    for (const Known& known : runs) {
      const FunctionRun run = runOnMachine(*emitted, known.input);
      ASSERT_EQ(run.end, known.run.end) << "seed " << seed;
      if (run.end != FunctionRun::End::Exit) continue;  // a block that traps leaves nothing
      ASSERT_EQ(run.global, known.run.global) << "seed " << seed << "\n"
                                              << print(randomFunction(seed));
      ++ran;
    }
  }
  EXPECT_GT(ran, static_cast<int>(kSeeds) / 2);
  EXPECT_GT(spilled, static_cast<int>(kSeeds) / 30);
}

}  // namespace
}  // namespace qgpu::lower
