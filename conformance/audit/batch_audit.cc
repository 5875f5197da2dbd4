#include "conformance/audit/batch_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "conformance/audit/channel.h"

namespace qgpu::conformance {
namespace {

using machine::Phase;
using protocol::Token;
using protocol::TokenKind;

// A batch on its way, with what the interpreter says of it.
struct Work {
  explicit Work(const model::Substrate& substrate) : batch(substrate) {}

  std::span<const Token> tokens;
  std::vector<std::optional<Token>> next;    // after each position
  std::vector<machine::BlockResult> blocks;  // at each position
  machine::State state;                      // after the last one
  model::Batch batch;
  std::int64_t mismatches = 0;
};

}  // namespace

// The interpreter in front, the layers in stages behind it.
class BatchAuditor::Layers {
 public:
  Layers(model::MachineModel& model, const BatchAuditOptions& options);
  ~Layers();

  // Whether nothing differed.
  bool run(std::size_t host_tokens, std::span<const Token> trace);

 private:
  // A share of the layers and of the rows to compare.
  struct Stage {
    std::size_t first_layer = 0, end_layer = 0;
    std::vector<std::pair<const KeptRows*, model::MemoryPlace>> copies;
    Channel<Work*> waiting;  // nullptr: no more
  };

  void makeStages();
  void startStages();
  void endStages();
  bool interpret(Work& work, std::span<const Token> tokens);
  void pass(Stage& stage, Work& work);
  void serve(std::size_t stage);
  void compareRows(const Stage& stage, Work& work) const;
  void comparePositions(Work& work) const;
  void compareStages(Work& work, std::size_t position) const;
  void finish(Work& work);
  Work& freeWork();

  model::MachineModel& model_;
  BatchAuditOptions options_;
  machine::Machine reference_;
  std::size_t host_tokens_ = 0, stepped_ = 0;
  std::vector<KeptRows> kept_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<std::unique_ptr<Work>> works_;
  Channel<Work*> done_;
  std::vector<std::thread> threads_;
  std::int64_t positions_ = 0, mismatches_ = 0;

  struct StageProbes {
    std::array<std::size_t, kMachine.lanes> result{};
    std::size_t predicate = 0;
  };
  std::array<StageProbes, kMachine.slots> probes_;
  std::array<std::size_t, kMachine.lanes> words_{};
  std::size_t writes_ = 0;
};

BatchAuditor::Layers::Layers(model::MachineModel& model, const BatchAuditOptions& options)
    : model_(model), options_(options), kept_(keptRows(model.circuit())) {
  model.watchProbes();
  for (int s = 0; s < kMachine.slots; ++s) {
    probes_[s].predicate = model.probe(fmt::format("stage{}.predicate", s + 1));
    for (int l = 0; l < kMachine.lanes; ++l)
      probes_[s].result[l] = model.probe(fmt::format("stage{}.result.lane{}", s + 1, l));
  }
  for (int l = 0; l < kMachine.lanes; ++l)
    words_[l] = model.probe(fmt::format("write.word.lane{}", l));
  writes_ = model.probe("write.writes");

  makeStages();
  const std::size_t works = stages_.size() == 1 ? 1 : 2 * stages_.size();
  for (std::size_t w = 0; w < works; ++w) {
    works_.push_back(std::make_unique<Work>(model.circuit().substrate));
    done_.put(works_.back().get());
  }
  if (stages_.size() > 1) startStages();
}

void BatchAuditor::Layers::makeStages() {
  const std::size_t layers = model_.circuit().layers.size();
  const auto count = static_cast<std::size_t>(std::max(options_.threads, 1));
  for (std::size_t s = 0; s < count; ++s) {
    stages_.push_back(std::make_unique<Stage>());
    stages_[s]->first_layer = s * layers / count;
    stages_[s]->end_layer = (s + 1) * layers / count;
    for (const KeptRows& kept : kept_)
      for (const model::MemoryPlace& place : kept.copies)
        if (const auto layer = static_cast<std::size_t>(place.layer);
            layer >= stages_[s]->first_layer && layer < stages_[s]->end_layer)
          stages_[s]->copies.emplace_back(&kept, place);
  }
}

// All of them, or none and the system's refusal.
void BatchAuditor::Layers::startStages() {
  try {
    for (std::size_t s = 0; s < stages_.size(); ++s) threads_.emplace_back([this, s] { serve(s); });
  } catch (const std::system_error&) {
    endStages();
    throw;
  }
}

void BatchAuditor::Layers::endStages() {
  if (!threads_.empty()) stages_.front()->waiting.put(nullptr);
  for (std::thread& thread : threads_) thread.join();
}

BatchAuditor::Layers::~Layers() { endStages(); }

bool BatchAuditor::Layers::run(std::size_t host_tokens, std::span<const Token> trace) {
  model_.reset();
  reference_ = {};
  host_tokens_ = host_tokens;
  stepped_ = 0;
  positions_ = mismatches_ = 0;
  bool accepted = true;
  for (std::size_t at = 0; at < trace.size() && accepted && mismatches_ == 0;) {
    Work& work = freeWork();
    const std::size_t size = std::min<std::size_t>(model::kBatch, trace.size() - at);
    accepted = interpret(work, trace.subspan(at, size));
    at += size;
    if (accepted && !threads_.empty()) {
      stages_.front()->waiting.put(&work);
      continue;
    }
    if (accepted) pass(*stages_.front(), work);
    done_.put(&work);
  }
  // All works at once: none is in the layers any more.
  std::vector<Work*> works;
  while (works.size() < works_.size()) works.push_back(&freeWork());
  for (Work* work : works) done_.put(work);
  return accepted && mismatches_ == 0 && reference_.phase() != Phase::Model;
}

// Waits for one that has passed all layers, or was never used.
Work& BatchAuditor::Layers::freeWork() {
  Work& work = *done_.take();
  finish(work);
  return work;
}

void BatchAuditor::Layers::finish(Work& work) {
  mismatches_ += work.mismatches;
  positions_ += static_cast<std::int64_t>(work.tokens.size());
  if (!work.tokens.empty() && options_.progress) options_.progress(positions_);
  work.tokens = {};
  work.mismatches = 0;
}

// False where the interpreter does not take a token, or one follows the launch's end.
bool BatchAuditor::Layers::interpret(Work& work, std::span<const Token> tokens) {
  work.next.clear();
  work.blocks.clear();
  for (const Token& token : tokens) {
    if (stepped_++ >= host_tokens_ && reference_.phase() != Phase::Model) return false;
    if (!reference_.step(token)) return false;
    work.next.push_back(reference_.next());
    work.blocks.push_back(token.kind == TokenKind::Exec ? reference_.lastBlock()
                                                        : machine::BlockResult{});
  }
  work.state = reference_.state();
  work.tokens = tokens;
  model_.begin(work.batch, tokens);
  return true;
}

void BatchAuditor::Layers::serve(std::size_t s) {
  while (Work* work = stages_[s]->waiting.take()) {
    pass(*stages_[s], *work);
    (s + 1 < stages_.size() ? stages_[s + 1]->waiting : done_).put(work);
  }
  if (s + 1 < stages_.size()) stages_[s + 1]->waiting.put(nullptr);
}

void BatchAuditor::Layers::pass(Stage& stage, Work& work) {
  model_.run(work.batch, stage.first_layer, stage.end_layer);
  compareRows(stage, work);
  if (&stage == stages_.back().get()) comparePositions(work);
}

void BatchAuditor::Layers::compareRows(const Stage& stage, Work& work) const {
  for (const auto& [kept, place] : stage.copies)
    for (int row = 0; row < kept->rows; ++row)
      if (const auto expected = kept->expected(work.state, row);
          expected && model_.row(place, row, kept->bits) != *expected)
        ++work.mismatches;
}

void BatchAuditor::Layers::comparePositions(Work& work) const {
  const std::vector<Token> written = model_.next(work.batch);
  for (std::size_t i = 0; i < work.tokens.size(); ++i) {
    if (work.next[i] && written[i] != *work.next[i]) ++work.mismatches;
    compareStages(work, i);
  }
}

// Between two EXEC tokens the stages hold nothing.
void BatchAuditor::Layers::compareStages(Work& work, std::size_t position) const {
  const machine::BlockResult& block = work.blocks[position];
  const auto compare = [&](std::size_t probe, std::uint32_t expected) {
    if (model_.probed(work.batch, probe, position) != expected) ++work.mismatches;
  };
  for (int s = 0; s < kMachine.slots; ++s) {
    for (int l = 0; l < kMachine.lanes; ++l) compare(probes_[s].result[l], block.stages[s].r[l]);
    compare(probes_[s].predicate, block.stages[s].p);
  }
  compare(writes_, block.writes);
  for (int l = 0; l < kMachine.lanes; ++l)
    if ((block.writes >> l & 1) != 0) compare(words_[l], block.words[l]);
}

BatchAuditor::BatchAuditor(model::MachineModel& model, const BatchAuditOptions& options)
    : model_(model), layers_(std::make_unique<Layers>(model, options)) {}

BatchAuditor::~BatchAuditor() = default;

Audit BatchAuditor::run(std::span<const Token> host, std::span<const Token> trace) {
  const bool is_launch =
      trace.size() >= host.size() && std::equal(host.begin(), host.end(), trace.begin());
  if (is_launch && layers_->run(host.size(), trace))
    return {static_cast<std::int64_t>(trace.size()), 0, ""};
  Audit audit = auditTrace(model_, host, trace);
  if (audit.mismatches == 0)
    audit = {audit.positions, 1, "many positions at once differ from one by one: a bug of qgpu's"};
  return audit;
}

}  // namespace qgpu::conformance
