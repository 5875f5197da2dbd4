#include "tools/chat/evaluation/questions.h"

#include <set>

#include "interpreter/base/json.h"
#include "tools/chat/embedded.h"

namespace qgpu::chat {
namespace {

constexpr std::size_t kMostQuestions = 10'000;

std::string linesOf(const nlohmann::json& lines) {
  std::string text;
  for (const auto& line : lines)
    if (line.is_string()) text += line.get<std::string>() + '\n';
  return text;
}

model::ToolCall referenceOf(JsonFields& fields, Mode mode) {
  if (mode == Mode::Normal) return {"calculate", {{"expression", fields.string("reference")}}};
  JsonFields call = fields.fieldsOf("reference");
  model::ToolCall result{"cuda",
                         {{"kernel", linesOf(call.array("kernel"))},
                          {"grid", std::to_string(call.size("grid", 1, 128))},
                          {"block", std::to_string(call.size("block", 1, 32))},
                          {"arguments", call.object("arguments").dump()}}};
  fields.absorb(call);
  return result;
}

Question readQuestion(JsonFields& fields, Mode mode) {
  Question question;
  question.mode = mode;
  question.id = fields.string("id");
  question.text = fields.string("question");
  for (const auto& number : fields.array("answer")) {
    if (!number.is_number_integer()) fields.refuse("answer", "must hold integers");
    question.answer.push_back(number.is_number_integer() ? number.get<std::int64_t>() : 0);
  }
  if (question.answer.empty()) fields.refuse("answer", "must hold at least one integer");
  if (fields.has("reference")) question.reference = referenceOf(fields, mode);
  return question;
}

}  // namespace

std::string_view name(Mode mode) { return mode == Mode::Normal ? "normal" : "advanced"; }

Expected<std::vector<Question>> parseQuestions(std::string_view json, std::string_view file) {
  const auto document = parseJson(json, file);
  if (!document) return fail(document.error());
  JsonFields fields(*document, file);
  std::vector<Question> questions;
  std::set<std::string> ids;
  for (const Mode mode : {Mode::Normal, Mode::Advanced}) {
    if (!fields.has(name(mode))) continue;
    std::size_t index = 0;
    for (const auto& entry : fields.array(name(mode))) {
      const std::string path = std::string(name(mode)) + '[' + std::to_string(index++) + ']';
      if (!entry.is_object() || questions.size() == kMostQuestions)
        return refuse(std::string(file) + ": " + path + " is not a question, or one too many");
      JsonFields one(entry, file, path);
      questions.push_back(readQuestion(one, mode));
      if (!ids.insert(questions.back().id).second) one.refuse("id", "is given twice");
      if (one.failure()) return fail(*one.failure());
    }
  }
  if (fields.failure()) return fail(*fields.failure());
  if (questions.empty())
    return refuse(std::string(file) + " has no questions", "give \"normal\" or \"advanced\"");
  return questions;
}

std::vector<Question> ownQuestions() {
  return parseQuestions(embeddedFile("questions.json"), "questions.json").value();
}

}  // namespace qgpu::chat
