// A queue between two threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

namespace qgpu::conformance {

template <typename T>
class Channel {
 public:
  void put(T item) {
    {
      const std::scoped_lock lock(mutex_);
      items_.push_back(std::move(item));
    }
    filled_.notify_one();
  }
  // Waits for an item.
  T take() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [&] { return !items_.empty(); });
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<T> items_;
};

}  // namespace qgpu::conformance
