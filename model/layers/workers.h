// A few threads that share out loops. Results never depend on how many there are: every output is
// computed by one thread, in one order.
//
//   Workers workers(2);
//   workers.forRanges(rows, 16, [&](std::size_t first, std::size_t last) { ... });
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace qgpu::model {

class Workers {
 public:
  using Body = std::function<void(std::size_t first, std::size_t last)>;

  // The caller's thread is one of the `threads` (at least 1); fewer where the system has no more.
  explicit Workers(int threads = 1);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  // Calls `body` on ranges of at most max(grain, size / (8 * threads)) elements that cover
  // [0, size) once; returns when all are done. One loop at a time; not to be nested.
  void forRanges(std::size_t size, std::size_t grain, const Body& body);

 private:
  void serve();
  void takeRanges();

  std::vector<std::thread> helpers_;
  const Body* body_ = nullptr;
  std::size_t size_ = 0;
  std::size_t chunk_ = 1;
  std::atomic<std::size_t> next_{0};    // the first element that nobody has taken
  std::atomic<int> busy_{0};            // helpers still inside the current loop
  std::atomic<std::uint32_t> loop_{0};  // counts loops; helpers wait for it to change
  std::atomic<bool> stopping_{false};
};

}  // namespace qgpu::model
