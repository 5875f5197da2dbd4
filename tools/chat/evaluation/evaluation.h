// Running a question file and keeping the record.
//
//   Evaluation evaluation(questions, settings);                   // settings: what must be the
//   same if (auto begun = evaluation.resume("result.json"); !begun) ...    // goes on where it
//   stopped while (const Question* next = evaluation.next())
//     evaluation.record(*next, exchange, seconds);                // writes the file anew, at once
//   evaluation.json();
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "interpreter/base/failure.h"
#include "tools/chat/evaluation/questions.h"
#include "tools/chat/evaluation/score.h"

namespace qgpu::chat {

class Evaluation {
 public:
  using Json = nlohmann::ordered_json;

  // How many questions of a mode went how.
  struct Total {
    int of = 0, correct = 0, first_try = 0, computed = 0, answered = 0;
  };

  Evaluation(std::vector<Question> questions, Json settings);

  // Keeps the record in this file from now on, and takes over what it has. Refused: a file that is
  // no such record, or one of other questions or settings.
  Expected<void> resume(const std::filesystem::path& file);

  // The first question without a record, or null.
  const Question* next() const;
  Expected<Score> record(const Question& question, const Exchange& exchange, double seconds);

  std::size_t done() const { return records_.size(); }
  std::size_t size() const { return questions_.size(); }
  Total total(Mode mode) const;
  // {"status": "ok", "settings", "score": {"normal": {...}, ...}, "questions": [...]}
  Json json() const;

 private:
  Expected<void> write() const;

  std::vector<Question> questions_;
  Json settings_;
  std::filesystem::path file_;           // empty: none is kept
  std::map<std::string, Json> records_;  // by id
};

// An exchange as JSON: the calls with their launches, the answer, the tokens.
nlohmann::ordered_json exchangeJson(const Exchange& exchange);

}  // namespace qgpu::chat
