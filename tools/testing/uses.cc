#include "tools/testing/uses.h"

#include <array>

#include "golden/recording.h"
#include "interpreter/base/failure.h"
#include "interpreter/base/files.h"
#include "tools/testing/command_test.h"

namespace qgpu::testing {
namespace {

using Words = std::vector<std::string>;

// ---- Uses --------------------------------------------------------------------------------------

Words onDot(Words words, const Words& more = {}) {
  for (const char* word : {"../inputs/kernels/dot.cu", "--grid", "1", "--block", "3", "--arg",
                           "a=1,2,3", "--arg", "b=4,5,6", "--arg", "c=[1]", "--arg", "n=3"})
    words.emplace_back(word);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kInterpreter = {"--engine", "interpreter"};

std::vector<Use> kernelUses() {
  return {
      {.name = "Help", .arguments = {"--help"}, .prints_the_same = true},
      {.name = "Manual", .arguments = {"manual", "instructions"}, .prints_the_same = true},
      {.name = "Run",
       .arguments = onDot({"run"}, kInterpreter),
       .prints_the_same = true,
       .has_children = true},
      {.name = "RunJson", .arguments = onDot({"run", "--json"}, kInterpreter)},
      {.name = "RunTrace",
       .arguments = onDot({"run", "--trace", "out.trace"}, kInterpreter),
       .prints_the_same = true,
       .outputs = {"out.trace"}},
      {.name = "RunInTheModel",
       .arguments = onDot({"run", "--engine", "model", "--check"}),
       .cost = Cost::Much},
      {.name = "Compile",
       .arguments = {"compile", "../inputs/kernels/dot.cu", "--ptx"},
       .prints_the_same = true},
      {.name = "CompileToAFile",
       .arguments = onDot({"compile", "--asm", "--out", "out.gasm"}),
       .prints_the_same = true,
       .outputs = {"out.gasm"}},
      {.name = "Disasm", .arguments = onDot({"disasm"}), .prints_the_same = true},
      {.name = "Trace", .arguments = {"trace", "../inputs/good.trace"}, .prints_the_same = true},
      {.name = "Check",
       .arguments = {"check", "../inputs/good.trace", "--report", "out.json"},
       .records = {"out.json"},
       .cost = Cost::Much},
      {.name = "Report",
       .arguments = {"report", "../inputs/cases"},
       .prints_the_same = true,
       .has_children = true,
       .judges = true},
      {.name = "GoldenStatus",
       .arguments = {"golden", "status", "--fixture", "../inputs/fixture.jsonl"},
       .prints_the_same = true},
      {.name = "GoldenVerify",
       .arguments = {"golden", "verify", "--fixture", "../inputs/fixture.jsonl"},
       .prints_the_same = true,
       .cost = Cost::Much,
       .has_children = true,
       .judges = true},
  };
}

std::vector<Use> modelUses() {
  return {
      {.name = "Info", .arguments = {"info"}, .prints_the_same = true},
      {.name = "Build",
       .arguments = {"build", "--out", "out.safetensors"},
       .prints_the_same = true,
       .outputs = {"out.safetensors"},
       .cost = Cost::Much},
      {.name = "Bench", .arguments = {"bench", "--quick"}, .cost = Cost::VeryMuch},
      {.name = "ModelCheck",
       .arguments = {"model", "check", "../inputs/small"},
       .prints_the_same = true},
      {.name = "ModelSynthesize",
       .arguments = {"model", "synthesize", "out"},
       .prints_the_same = true,
       .outputs = {"out/config.json", "out/model.safetensors", "out/tokenizer.json"},
       .folder = "out"},
      {.name = "ModelBench",
       .arguments = {"model", "bench", "../inputs/small", "--rounds", "1"},
       .cost = Cost::Much},
      // Whole it would be 11 GB.
      {.name = "Export",
       .arguments = {"export", "--hf", "out", "--model", "../inputs/small", "--tokens",
                     "../inputs/good.trace"},
       .cost = Cost::Much,
       .folder = "out",
       .always = "write:40:on"},
  };
}

std::vector<Use> talkUses() {
  return {
      {.name = "Chat",
       .arguments = {"chat", "--answers", "../inputs/answers.json", "--question", "?", "--advanced",
                     "--engine", "interpreter"},
       .prints_the_same = true,
       .has_children = true},
      {.name = "ChatByLines",
       .arguments = {"chat", "--answers", "../inputs/answers.json", "--engine", "interpreter"},
       .prints_the_same = true,
       .input = "inputs/talk.txt"},
      {.name = "ChatWithAModel",
       .arguments = {"chat", "--model", "../inputs/small", "--question", "?", "--greedy",
                     "--max-tokens", "4"},
       .prints_the_same = true,
       .cost = Cost::Much},
      {.name = "Eval",
       .arguments = {"eval", "--questions", "../inputs/questions.json", "--answers",
                     "../inputs/by_question.json", "--out", "out.json", "--engine", "interpreter"},
       .prints_the_same = true,
       .records = {"out.json"}},
  };
}

std::vector<Use> campaignUses() {
  return {
      {.name = "Campaign",
       .arguments = {"--count", "20", "--jobs", "2", "--ledger", "runs.db"},
       .program = QGPU_FUZZ_LAUNCH,
       .databases = {"runs.db"}},
      {.name = "CampaignInCuda",
       .arguments = {"--level", "cuda", "--count", "2"},
       .program = QGPU_FUZZ_LAUNCH,
       .cost = Cost::VeryMuch,
       .has_children = true,
       .judges = true},
      {.name = "CampaignInPtx",
       .arguments = {"--level", "ptx", "--count", "4"},
       .program = QGPU_FUZZ_LAUNCH,
       .cost = Cost::Much,
       .has_children = true,
       .judges = true},
      {.name = "CampaignReport",
       .arguments = {"report", "good.db"},
       .program = QGPU_FUZZ_LAUNCH,
       .prints_the_same = true,
       .databases = {"good.db"}},
      {.name = "CampaignMerge",
       .arguments = {"merge", "all.db", "good.db"},
       .program = QGPU_FUZZ_LAUNCH,
       .prints_the_same = true,
       .databases = {"good.db", "all.db"}},
  };
}

// ---- Inputs ------------------------------------------------------------------------------------

Json launchOfDot() {
  const auto array = [](const char* name, const std::vector<int>& values) {
    return Json{{"name", name},
                {"kind", "array"},
                {"elem", "int"},
                {"length", values.size()},
                {"data", values}};
  };
  const Json n = {{"name", "n"}, {"kind", "scalar"}, {"type", "int"}, {"value", 3}};
  const auto three = [](int x) { return Json::array({x, 1, 1}); };
  return {{"name", "dot"},
          {"entry", "dot"},
          {"grid", three(1)},
          {"block", three(3)},
          {"params", {array("a", {1, 2, 3}), array("b", {4, 5, 6}), array("c", {1}), n}},
          {"expect", "pass"},
          {"expected", {{"c", {33}}}}};
}

std::string caseFile() {
  Json all = launchOfDot();
  all["kernel"] = "kernels/dot.cu";
  return all.dump();
}

// Its lines begin with these members.
std::string fixture() {
  nlohmann::ordered_json who = {{"qgpu_golden", 1}}, launch = {{"name", "dot"}};
  who.update({{"device", golden::kFixtureDevice},
              {"compute_capability", "0.0"},
              {"driver", "none"},
              {"toolkit", "none"},
              {"date", "2000-01-01"}});
  launch["kernel"] = "dot.cu";
  launch.update(launchOfDot());
  return golden::sealed(who.dump() + '\n' + golden::sourceLine({"dot.cu", std::string(kDot)}) +
                        '\n' + launch.dump() + '\n');
}

constexpr const char* kCalculation =
    "<tool_call>\n<function=calculate>\n<parameter=expression>\n1 + 1\n</parameter>\n</function>\n"
    "</tool_call>";
constexpr const char* kLaunch =
    "<tool_call>\n<function=cuda>\n<parameter=kernel>\n"
    "__global__ void k(int *a) { a[threadIdx.x] *= 2; }\n</parameter>\n<parameter=grid>\n1\n"
    "</parameter>\n<parameter=block>\n4\n</parameter>\n<parameter=arguments>\n"
    "{\"a\": [1, 2, 3, 4]}\n</parameter>\n</function>\n</tool_call>";

Json questions() {
  const Json two = {{"id", "two"}, {"question", "1 + 1?"}, {"answer", {2}}};
  const Json three = {{"id", "three"}, {"question", "1 + 2?"}, {"answer", {3}}};
  return {{"normal", Json::array({two, three})}};
}

void writeWith(const std::filesystem::path& folder, const Words& words) {
  const Outcome outcome = runProgram(words, {.folder = folder.string(), .environment = {}});
  check(outcome.status == 0, "an input of the uses can be made");
}

}  // namespace

void PrintTo(const Use& use, std::ostream* out) { *out << use.name; }

const std::vector<Use>& allUses() {
  static const std::vector<Use> kAll = [] {
    std::vector<Use> all;
    for (const auto& uses : {kernelUses(), modelUses(), talkUses(), campaignUses()})
      all.insert(all.end(), uses.begin(), uses.end());
    return all;
  }();
  return kAll;
}

void makeInputs(const std::filesystem::path& folder) {
  const Json answers = {kLaunch, "Done."};
  const Json by_question = {{"two", {kCalculation, "Two, 2."}}, {"three", Json::array({"3"})}};
  const std::pair<const char*, std::string> files[] = {
      {"kernels/dot.cu", std::string(kDot)},  {"cases/dot.json", caseFile()},
      {"fixture.jsonl", fixture()},           {"answers.json", answers.dump()},
      {"questions.json", questions().dump()}, {"by_question.json", by_question.dump()},
      {"talk.txt", "/advanced\nhow much?\n"}};
  for (const auto& [name, text] : files) {
    std::filesystem::create_directories((folder / name).parent_path());
    check(writeFileAtomically(folder / name, text).has_value(), "an input can be written");
  }
  Words traced = onDot({QGPU_COMMAND, "run", "--trace", "../inputs/good.trace"}, kInterpreter);
  writeWith(folder, traced);
  writeWith(folder, {QGPU_COMMAND, "model", "synthesize", "small"});
  writeWith(folder, {QGPU_FUZZ_LAUNCH, "--count", "20", "--ledger", "good.db"});
}

}  // namespace qgpu::testing
