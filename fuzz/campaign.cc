#include "fuzz/campaign.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "interpreter/base/progress.h"

namespace qgpu::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

class Runner {
 public:
  explicit Runner(const Campaign& campaign)
      : campaign_(campaign),
        total_((campaign.count - campaign.shard.index + campaign.shard.of - 1) / campaign.shard.of),
        progress_("launches", total_) {}

  Result run() {
    std::vector<std::thread> threads;
    for (int i = 1; i < campaign_.jobs; ++i) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    result_.seconds = elapsed();
    std::ranges::sort(result_.findings, {}, &Finding::number);
    return std::move(result_);
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool isOver() const { return campaign_.seconds > 0 && elapsed() >= campaign_.seconds; }

  void work() {
    const std::unique_ptr<Level> level = campaign_.make();
    const auto batch = static_cast<std::int64_t>(level->batch());
    while (!stop_ && !isOver()) {
      const std::int64_t first = next_.fetch_add(batch);
      if (first >= total_) return;
      const auto numbers = numbersFrom(first, std::min(batch, total_ - first));
      const std::vector<Outcome> outcomes = level->runAll(numbers);
      for (std::size_t i = 0; i < numbers.size(); ++i) take(*level, numbers[i], outcomes[i]);
    }
  }

  std::vector<std::uint64_t> numbersFrom(std::int64_t first, std::int64_t count) const {
    std::vector<std::uint64_t> numbers;
    for (std::int64_t i = first; i < first + count; ++i)
      numbers.push_back(campaign_.seed +
                        static_cast<std::uint64_t>(campaign_.shard.index + i * campaign_.shard.of));
    return numbers;
  }

  void take(Level& level, std::uint64_t number, const Outcome& outcome) {
    if (!outcome.difference.empty() && !stop_) {
      Finding finding = level.minimal(number);
      const std::lock_guard lock(mutex_);
      result_.findings.push_back(std::move(finding));
      if (static_cast<int>(result_.findings.size()) >= campaign_.most_findings) stop_ = true;
    }
    const std::lock_guard lock(mutex_);
    ++result_.launches;
    result_.positions += outcome.positions;
    if (!outcome.refusal.empty()) ++result_.refusals[outcome.refusal];
    progress_.advance();
  }

  const Campaign& campaign_;
  std::int64_t total_;
  Clock::time_point begin_ = Clock::now();
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // of the rest
  Progress progress_;
  Result result_;
};

}  // namespace

Result run(const Campaign& campaign) { return Runner(campaign).run(); }

}  // namespace qgpu::fuzz
