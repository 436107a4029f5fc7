#include "splicer.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <numeric>

namespace svcfs {
namespace {

/** The largest pipe for any user (fs.pipe-max-size): room for 256 fragments. */
constexpr int kPipeBytes = 1 << 20;

/** So that one answer of small fragments does not decide for all. */
constexpr size_t kCopiesBeforeRetry = 1000;

size_t SizeOf(const std::vector<iovec>& parts) {
  return std::accumulate(parts.begin(), parts.end(), size_t{0},
                         [](size_t sum, const iovec& part) { return sum + part.iov_len; });
}

/** Until all are there, or no more are. */
size_t SpliceAll(int socket, int pipe, size_t bytes) {
  size_t moved = 0;
  while (moved < bytes) {
    const ssize_t count = splice(socket, nullptr, pipe, nullptr, bytes - moved, SPLICE_F_NONBLOCK);
    if (count <= 0) break;
    moved += static_cast<size_t>(count);
  }
  return moved;
}

bool ReceiveAll(int socket, uint8_t* into, size_t bytes) {
  size_t received = 0;
  while (received < bytes) {
    const ssize_t count = recv(socket, into + received, bytes - received, MSG_DONTWAIT);
    if (count <= 0) return false;
    received += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace

int Splicer::Send(int device, const std::vector<iovec>& head, int socket, uint8_t* spare, size_t bytes) {
  const size_t head_bytes = SizeOf(head);
  size_t moved = 0;
  if (bytes > largest_ && ++copied_ % kCopiesBeforeRetry == 0) largest_ = SIZE_MAX;
  const bool tried = bytes <= largest_ && OpenPipe();
  if (tried) {
    const ssize_t written = writev(in_.get(), head.data(), static_cast<int>(head.size()));
    if (written == static_cast<ssize_t>(head_bytes)) moved = SpliceAll(socket, in_.get(), bytes);
    if (moved == bytes) {
      const ssize_t sent = splice(out_.get(), nullptr, device, nullptr, head_bytes + bytes, 0);
      if (sent == static_cast<ssize_t>(head_bytes + bytes)) return 0;
      const int error = sent < 0 ? errno : EIO;
      ClosePipe();
      return error;
    }
    const bool emptied = moved == 0 || Emptied(head_bytes, spare, moved);
    ClosePipe();
    if (!emptied) return ENODATA;
  }
  if (!ReceiveAll(socket, spare + moved, bytes - moved)) return ENODATA;
  // The socket had them all: what did not take them is the pipe.
  if (tried) largest_ = moved;
  std::vector<iovec> message = head;
  message.push_back({spare, bytes});
  return writev(device, message.data(), static_cast<int>(message.size())) >= 0 ? 0 : errno;
}

bool Splicer::OpenPipe() {
  if (in_.get() >= 0) return true;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  out_.Reset(ends[0]);
  in_.Reset(ends[1]);
  // A pipe that stays smaller takes shorter messages.
  fcntl(in_.get(), F_SETPIPE_SZ, kPipeBytes);
  return true;
}

void Splicer::ClosePipe() {
  in_.Reset();
  out_.Reset();
}

/** Takes the bytes behind the head out of the pipe again. */
bool Splicer::Emptied(size_t head_bytes, uint8_t* spare, size_t bytes) {
  std::vector<uint8_t> head(head_bytes);
  const iovec parts[] = {{head.data(), head_bytes}, {spare, bytes}};
  return readv(out_.get(), parts, 2) == static_cast<ssize_t>(head_bytes + bytes);
}

}  // namespace svcfs
