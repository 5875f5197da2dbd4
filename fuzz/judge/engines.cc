#include "fuzz/judge/engines.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "compiler/launch/compare.h"
#include "fuzz/judge/apart.h"

namespace qgpu::fuzz {
namespace {

// Far beyond what a random kernel takes: its loops are short.
constexpr std::int64_t kMostTokens = 1'000'000;

std::string comparisonText(const launch::Launch& launch, const launch::Arrays& expected,
                           const launch::Arrays& got) {
  launch::Case as_case;
  as_case.launch = launch;
  as_case.expected = expected;
  const launch::Comparison comparison = launch::compare(as_case, got);
  std::string text = comparison.agrees() ? "" : comparison.text(2);
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

void Verdict::blame(std::string at, std::string fault) {
  if (differs()) return;
  where = std::move(at);
  what = std::move(fault);
}

// Without its numbers a refusal is one of few kinds: "needs # blocks, the machine holds #".
void Verdict::refuse(const Failure& failure) {
  refusal.clear();
  for (const char c : failure.message) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit || !refusal.ends_with('#')) refusal += digit ? '#' : c;
  }
}

std::string Verdict::text() const {
  return nlohmann::json{where, what, refusal, positions}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void Verdict::read(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  where = json[0];
  what = json[1];
  refusal = json[2];
  positions = json[3];
}

void judgeApart(std::span<Verdict> verdicts, const std::function<void(std::size_t)>& judge) {
  const auto answers = runApart(verdicts.size(), {}, [&](std::size_t i) {
    judge(i);
    return verdicts[i].text();
  });
  if (!answers) throw CannotGoOn(answers.error());
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (!(*answers)[i].end.empty())
      verdicts[i].blame("a crash", (*answers)[i].end);
    else
      verdicts[i].read((*answers)[i].text);
  }
}

Engines::Engines(Oracle oracle, const ModelUse& model) : use_(model) {
  if (oracle == Oracle::Interpreter) return;
  model_ = std::make_unique<model::MachineModel>(*use_.circuit, use_.shortcuts);
  if (oracle == Oracle::Model)
    auditor_ = std::make_unique<conformance::BatchAuditor>(
        *model_, conformance::BatchAuditOptions{.threads = 1});
  else
    alone_ = engineIn(*model_);
}

void Engines::hold(const Program& program, const Variant& variant, const launch::Arrays& expected,
                   Verdict& verdict) {
  const bool usual = variant.isUsual();
  Recording recording;
  RunOptions options{.max_tokens = kMostTokens, .check = usual};
  options.recording = &recording;
  const auto result = run(program, *interpreter_, options);
  if (!result) return verdict.blame(variant.name, result.error().text());
  if (auto text = comparisonText(program.launch, expected, result->arrays); !text.empty())
    return verdict.blame(variant.name, std::move(text));
  if (!usual) return;
  verdict.positions = result->check->positions;
  if (result->check->mismatches > 0)
    verdict.blame("the replay of the launch", result->check->first);
  if (model_) holdAgainstModel(program, recording, verdict);
}

void Engines::holdAgainstModel(const Program& program, const Recording& recording,
                               Verdict& verdict) {
  if (auditor_) {
    const auto trace = recording.trace();
    verdict.refusal = use_.refusal(trace.size());
    if (!verdict.refusal.empty()) return;
    const conformance::Audit audit = auditor_->run(recording.host, trace);
    verdict.positions = audit.positions;
    if (!audit.first.empty()) verdict.blame("the model", audit.first);
    return;
  }
  const auto result = run(program, *alone_, {.max_tokens = kMostTokens, .check = true});
  if (!result) return verdict.blame("the model", result.error().text());
  verdict.positions = result->check->positions;
  if (result->check->mismatches > 0) verdict.blame("the model", result->check->first);
}

}  // namespace qgpu::fuzz
