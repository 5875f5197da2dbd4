#include "tools/qgpu/partner_options.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "tools/api/joined.h"

namespace qgpu::cli {
namespace {

// CLI::Range lets "nan" pass.
std::string temperatureFault(const std::string& text) {
  const double value = std::strtod(text.c_str(), nullptr);
  return value >= 0.0 && value <= 10.0 ? "" : fmt::format("{} is not in the range 0 to 10", text);
}

}  // namespace

void PartnerOptions::addTo(CLI::App& app) {
  app.add_option("--model", model_, "the base model's folder: config.json, weights, tokenizer.json")
      ->type_name("DIR");
  app.add_option("--circuit", circuit_, "the machine's weights, as `qgpu build` writes them")
      ->type_name("FILE");
  app.add_option("--threads", threads_, "for the base model (2)")
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""));
  app.add_option("--temperature", temperature_,
                 "of sampling, with the 20 likeliest tokens and "
                 "0.8 of the probability (0.7)")
      ->type_name("T")
      ->check(CLI::Validator(temperatureFault, ""));
  app.add_flag("--greedy", greedy_, "always the likeliest token");
  app.add_option("--seed", seed_, "of sampling: the same seed gives the same answers (0)")
      ->type_name("N");
  app.add_option("--max-tokens", max_tokens_, "that an answer may have (1024)")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20).description(""));
  app.add_option("--repairs", repairs_, "times a call that fails goes back to the model (3)")
      ->type_name("N")
      ->check(CLI::Range(0, 100).description(""));
  app.add_flag("--must-call", must_call_, "the model begins with a call, whatever it would say");
  app.add_option(
         "--answers", answers_,
         "says the texts of this JSON file instead of a model's: for tests and demonstrations")
      ->type_name("FILE");
  app.add_option("--engine", engine_,
                 fmt::format("with --answers, what runs launches: {} (model)",
                             joined(engineNames(), " or ")))
      ->type_name("NAME");
}

Expected<std::unique_ptr<chat::Partner>> PartnerOptions::openModel() const {
  if (scripted() == !model_.empty())
    return refuse("there must be a model to talk to", "give --model DIR, or --answers FILE alone");
  std::error_code error;
  if (!std::filesystem::is_directory(model_, error))
    return refuse(fmt::format("there is no folder '{}'", model_),
                  "download Qwen/Qwen3.5-2B there; `qgpu model check DIR` says what is missing");
  return chat::mergedPartner(model_, {.circuit = circuit_, .threads = threads_});
}

Expected<std::unique_ptr<Engine>> PartnerOptions::openEngine() const {
  if (!model_.empty())
    return refuse("--answers stands in for a model", "give --model DIR or --answers FILE");
  return engineNamed(engine_, circuit_);
}

chat::ConversationOptions PartnerOptions::conversation(chat::Mode mode) const {
  chat::ConversationOptions options;
  options.mode = mode;
  options.sampling.temperature = greedy_ ? 0.0 : temperature_;
  options.sampling.seed = seed_;
  options.max_tokens = max_tokens_;
  options.repairs = repairs_;
  options.must_call = must_call_;
  return options;
}

Json PartnerOptions::settings() const {
  return {{"model", scripted() ? "answers " + answers_ : model_},
          {"temperature", greedy_ ? 0.0 : temperature_},
          {"seed", seed_},
          {"max_tokens", max_tokens_},
          {"repairs", repairs_},
          {"must_call", must_call_}};
}

}  // namespace qgpu::cli
