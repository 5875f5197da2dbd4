// Pairs of connected sockets between processes of this program.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace qgpu::cuda {

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const { return value_; }
  bool open() const { return value_ >= 0; }
  void close();

 private:
  int value_;
};

struct SocketPair {
  Descriptor ours, theirs;
};
enum class SocketKind { Stream, Messages };
// Nothing, if the process may open no more.
std::optional<SocketPair> makeSockets(SocketKind kind);

// Safe in a signal handler. False if the other end has gone.
bool writeAll(int socket, std::string_view bytes);

// Everything up to the end of the stream; nothing, with errno, if the system fails or, ETIMEDOUT,
// the end does not come until `deadline`.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;
std::optional<std::string> readAll(int socket, Deadline deadline);

// Hands a copy of `descriptor` to the process at the other end of `control`.
bool sendDescriptor(int control, int descriptor);
// Waits for one; nothing, if the other end has gone.
std::optional<Descriptor> receiveDescriptor(int control);

}  // namespace qgpu::cuda
