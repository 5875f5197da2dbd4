#include "compiler/cuda/sockets.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace qgpu::cuda {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// One byte of data, and room for one descriptor beside it.
struct Parcel {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))]{};
  msghdr message{};

  Parcel() {
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
  }
  Parcel(const Parcel&) = delete;
  Parcel& operator=(const Parcel&) = delete;
};

// False when there is nothing to read until the deadline.
bool waitForInput(int socket, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    pollfd wait{socket, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::clamp<long>(left, 0, 1 << 30)));
    if (ready >= 0 || errno != EINTR) return ready != 0;
  }
}

}  // namespace

void Descriptor::close() {
  if (value_ >= 0) ::close(std::exchange(value_, -1));
}

std::optional<SocketPair> makeSockets(SocketKind kind) {
  const int type = kind == SocketKind::Stream ? SOCK_STREAM : SOCK_SEQPACKET;
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  return SocketPair{Descriptor(ends[0]), Descriptor(ends[1])};
}

bool writeAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<std::string> readAll(int socket, Deadline deadline) {
  std::string bytes;
  char buffer[16384];
  for (;;) {
    if (deadline && !waitForInput(socket, *deadline)) {
      errno = ETIMEDOUT;
      return std::nullopt;
    }
    const ssize_t received = recv(socket, buffer, sizeof buffer, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received == 0 || (received < 0 && errno == ECONNRESET)) return bytes;  // it has gone
    if (received < 0) return std::nullopt;
    bytes.append(buffer, static_cast<std::size_t>(received));
  }
}

bool sendDescriptor(int control, int descriptor) {
  Parcel parcel;
  cmsghdr* header = CMSG_FIRSTHDR(&parcel.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  ssize_t sent = 0;
  do sent = sendmsg(control, &parcel.message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == 1;
}

std::optional<Descriptor> receiveDescriptor(int control) {
  Parcel parcel;
  ssize_t received = 0;
  do received = recvmsg(control, &parcel.message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  const cmsghdr* header = CMSG_FIRSTHDR(&parcel.message);
  if (received <= 0 || header == nullptr) return std::nullopt;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return Descriptor(descriptor);
}

}  // namespace qgpu::cuda
