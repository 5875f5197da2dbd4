// Question files: questions in words with their answers in numbers.
//
//   { "normal":   [ {"id": "dot", "question": "What is ...?", "answer": [32],
//                    "reference": "[1, 2, 3] @ [4, 5, 6]"} ],
//     "advanced": [ {"id": "primes", "question": "...", "answer": [0, 1],
//                    "reference": {"kernel": ["__global__ ...", "..."], "grid": 1, "block": 32,
//                                  "arguments": {"a": [1, 2], "n": 2}}} ] }
//
// A reference is a call that gives the answer; it may be absent. Matrices are answered row by row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/base/failure.h"
#include "model/text/chat.h"
#include "tools/chat/talk/conversation.h"

namespace qgpu::chat {

struct Question {
  std::string id;
  Mode mode = Mode::Normal;
  std::string text;
  std::vector<std::int64_t> answer;
  std::optional<model::ToolCall> reference;
};

// Normal questions first. Refused: what is not such a file, an id given twice, no question at all.
Expected<std::vector<Question>> parseQuestions(std::string_view json, std::string_view file);

// The questions that come with the program: 24 normal and 5 advanced.
std::vector<Question> ownQuestions();

// "normal", "advanced"
std::string_view name(Mode mode);

}  // namespace qgpu::chat
