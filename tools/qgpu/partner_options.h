// The options by which `chat` and `eval` come to a model and say how it writes.
#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "tools/chat/talk/conversation.h"
#include "tools/chat/talk/partner.h"
#include "tools/qgpu/terminal.h"

namespace qgpu::cli {

class PartnerOptions {
 public:
  void addTo(CLI::App& app);

  // Whether a script (--answers) stands in for a model.
  bool scripted() const { return !answers_.empty(); }
  const std::string& answersFile() const { return answers_; }
  // The model of --model. Refused: neither or both of --model and --answers, and what mergedPartner
  // refuses.
  Expected<std::unique_ptr<chat::Partner>> openModel() const;
  // The engine of a script's launches: --engine.
  Expected<std::unique_ptr<Engine>> openEngine() const;

  chat::ConversationOptions conversation(chat::Mode mode) const;
  // What decides about the answers, for records.
  Json settings() const;

 private:
  std::string model_, answers_, engine_ = "model", circuit_;
  int threads_ = 2;
  double temperature_ = 0.7;
  bool greedy_ = false;
  std::uint64_t seed_ = 0;
  std::size_t max_tokens_ = 1024;
  int repairs_ = 3;
  bool must_call_ = false;
};

}  // namespace qgpu::cli
