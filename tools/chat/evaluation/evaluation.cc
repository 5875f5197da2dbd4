#include "tools/chat/evaluation/evaluation.h"

#include <fmt/format.h>

#include "interpreter/base/files.h"
#include "interpreter/base/json.h"
#include "interpreter/base/sha256.h"

namespace qgpu::chat {
namespace {

using Json = Evaluation::Json;

Json launchJson(const Launched& launched) {
  const TokenCounts counts = countTokens(launched.recording);
  const launch::Launch& launch = launched.program.launch;
  return {{"kernel", launched.program.kernel},
          {"grid", {launch.grid.x, launch.grid.y, launch.grid.z}},
          {"block", {launch.block.x, launch.block.y, launch.block.z}},
          {"tokens", {{"model", counts.model}, {"host", counts.host}}},
          {"blocks", launched.program.lowered.report.blocks}};
}

// What decides about an answer: ids, texts and numbers.
std::string fingerprint(const std::vector<Question>& questions) {
  Json all = Json::array();
  for (const Question& q : questions) all.push_back({q.id, name(q.mode), q.text, q.answer});
  return sha256(all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// Equal whatever the order of its members.
nlohmann::json unordered(const Json& value) { return nlohmann::json::parse(value.dump()); }

bool flag(const Json& record, const char* name) { return record.value(name, false); }

}  // namespace

nlohmann::ordered_json exchangeJson(const Exchange& exchange) {
  Json calls = Json::array();
  for (const Call& call : exchange.calls) {
    Json arguments = Json::object();
    for (const auto& [key, value] : call.call.arguments) arguments[key] = value;
    Json launches = Json::array();
    for (const Launched& launched : call.result.launches) launches.push_back(launchJson(launched));
    calls.push_back({{"tool", call.call.name},
                     {"arguments", arguments},
                     {"good", call.result.good},
                     {"response", call.result.response},
                     {"launches", launches}});
  }
  return {{"answer", exchange.answer},
          {"complete", exchange.complete},
          {"calls", calls},
          {"tokens", {{"read", exchange.tokens_read}, {"written", exchange.tokens_written}}}};
}

Evaluation::Evaluation(std::vector<Question> questions, Json settings)
    : questions_(std::move(questions)), settings_(std::move(settings)) {
  settings_["questions"] = fingerprint(questions_);
}

Expected<void> Evaluation::resume(const std::filesystem::path& file) {
  file_ = file;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return write();
  const auto text = readFile(file);
  if (!text) return fail(text.error());
  const auto wrong = [&](std::string_view why) {
    return refuse(fmt::format("{} {}", file.string(), why),
                  "name another file with --out, or remove it");
  };
  if (auto strict = parseJson(*text, file.string()); !strict)
    return fail(std::move(strict.error()));
  const Json document = Json::parse(*text);
  if (!document.is_object() || !document.contains("settings") || !document.contains("questions") ||
      !document["questions"].is_array())
    return wrong("is not the record of an evaluation");
  if (unordered(document["settings"]) != unordered(settings_))
    return wrong("is the record of another evaluation: model, questions or options differ");
  for (const Json& record : document["questions"]) {
    if (!record.is_object() || !record.contains("id") || !record["id"].is_string())
      return wrong("is damaged");
    records_[record["id"].get<std::string>()] = record;
  }
  return {};
}

const Question* Evaluation::next() const {
  for (const Question& question : questions_)
    if (!records_.contains(question.id)) return &question;
  return nullptr;
}

Expected<Score> Evaluation::record(const Question& question, const Exchange& exchange,
                                   double seconds) {
  const Score score = scoreOf(question, exchange);
  Json record = {{"id", question.id},
                 {"mode", name(question.mode)},
                 {"question", question.text},
                 {"expected", question.answer},
                 {"correct", score.correct()},
                 {"first_try", score.correct() && score.first_try},
                 {"computed", score.computed},
                 {"answered", score.answered},
                 {"failures", exchange.failures()},
                 {"seconds", seconds}};
  record.update(exchangeJson(exchange));
  records_[question.id] = std::move(record);
  if (auto written = write(); !written) return fail(std::move(written.error()));
  return score;
}

Evaluation::Total Evaluation::total(Mode mode) const {
  Total total;
  for (const Question& question : questions_) {
    if (question.mode != mode) continue;
    ++total.of;
    const auto record = records_.find(question.id);
    if (record == records_.end()) continue;
    total.correct += flag(record->second, "correct");
    total.first_try += flag(record->second, "first_try");
    total.computed += flag(record->second, "computed");
    total.answered += flag(record->second, "answered");
  }
  return total;
}

Evaluation::Json Evaluation::json() const {
  Json score = Json::object();
  for (const Mode mode : {Mode::Normal, Mode::Advanced}) {
    const Total t = total(mode);
    if (t.of == 0) continue;
    score[std::string(name(mode))] = {{"correct", t.correct},
                                      {"of", t.of},
                                      {"first_try", t.first_try},
                                      {"computed", t.computed},
                                      {"answered", t.answered}};
  }
  Json questions = Json::array();
  for (const Question& question : questions_)
    if (const auto record = records_.find(question.id); record != records_.end())
      questions.push_back(record->second);
  return {{"status", "ok"},
          {"complete", next() == nullptr},
          {"settings", settings_},
          {"score", score},
          {"questions", questions}};
}

Expected<void> Evaluation::write() const {
  if (file_.empty()) return {};
  return writeFileAtomically(file_,
                             json().dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

}  // namespace qgpu::chat
