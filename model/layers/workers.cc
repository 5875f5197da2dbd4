#include "model/layers/workers.h"

#include <algorithm>

#include "interpreter/base/threads.h"

namespace qgpu::model {

Workers::Workers(int threads) {
  startThreads(helpers_, threads - 1, [this] { serve(); });
}

Workers::~Workers() {
  stopping_ = true;
  ++loop_;
  loop_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Workers::forRanges(std::size_t size, std::size_t grain, const Body& body) {
  const std::size_t share = size / (8 * static_cast<std::size_t>(threads()));
  chunk_ = std::max({grain, share, std::size_t{1}});
  if (helpers_.empty() || size <= chunk_) {
    if (size > 0) body(0, size);
    return;
  }
  body_ = &body;
  size_ = size;
  next_ = 0;
  busy_ = static_cast<int>(helpers_.size());
  ++loop_;
  loop_.notify_all();
  takeRanges();
  for (int left = busy_; left != 0; left = busy_) busy_.wait(left);
}

void Workers::takeRanges() {
  for (;;) {
    const std::size_t first = next_.fetch_add(chunk_);
    if (first >= size_) return;
    (*body_)(first, std::min(first + chunk_, size_));
  }
}

void Workers::serve() {
  std::uint32_t seen = 0;
  for (;;) {
    loop_.wait(seen);
    seen = loop_;
    if (stopping_) return;
    takeRanges();
    if (--busy_ == 0) busy_.notify_one();
  }
}

}  // namespace qgpu::model
