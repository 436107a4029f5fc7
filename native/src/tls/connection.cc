#include "connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace svcfs::tls {
namespace {

/** Messages after a handshake (RFC 8446, 4.6). */
constexpr uint8_t kNewSessionTicket = 4;
constexpr uint8_t kKeyUpdateMessage = 24;

constexpr uint8_t kCloseNotify = 0;

}  // namespace

Connection::Connection(const Crypto& crypto, int fd, int poll, uint32_t id)
    : poll_(poll), id_(id), sealer_(crypto), socket_(fd), opener_(crypto) {}

bool Connection::Begin(const Suite& suite, const Keys& keys, std::vector<uint8_t> unread) {
  if (!opener_.Begin(suite, keys.read_key, keys.read_iv) || !sealer_.Begin(suite, keys.write_key, keys.write_iv)) {
    return false;
  }
  rest_ = std::move(unread);
  receiving_ = true;
  Watch(EPOLL_CTL_ADD, !rest_.empty());
  return true;
}

bool Connection::Send(const uint8_t* bytes, size_t length) {
  std::vector<uint8_t> records;
  for (size_t at = 0; at < length; at += kMostContentBytes) {
    const size_t content = std::min(length - at, kMostContentBytes);
    const size_t start = records.size();
    records.resize(start + content + kAddedBytes);
    if (!sealer_.Seal(bytes + at, content, records.data() + start)) return false;
  }
  // Only this thread closes it.
  const ssize_t sent = send(socket_.get(), records.data(), records.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(records.size());
}

void Connection::Receive(uint8_t* room, size_t length) {
  std::lock_guard<std::mutex> lock(mutex_);
  room_ = room;
  room_bytes_ = length;
  receiving_ = true;
  if (end_ == kOpen && socket_.valid()) Watch(EPOLL_CTL_MOD, !rest_.empty());
}

void Connection::Close() {
  std::lock_guard<std::mutex> lock(mutex_);
  room_ = nullptr;
  room_bytes_ = 0;
  receiving_ = false;
  if (socket_.valid()) epoll_ctl(poll_, EPOLL_CTL_DEL, socket_.get(), nullptr);
  socket_.Reset();
}

/** Once. `at_once`: there is something to open that was read already. A socket can nearly always be written to. */
void Connection::Watch(int operation, bool at_once) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
  if (at_once) event.events |= EPOLLOUT;
  event.data.u32 = id_;
  epoll_ctl(poll_, operation, socket_.get(), &event);
}

bool Connection::Advance(uint8_t* scratch, News* news) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!receiving_ || end_ != kOpen || !socket_.valid()) return false;
  size_t have = rest_.size();
  if (have > 0) memcpy(scratch, rest_.data(), have);
  size_t opened = OpenAll(scratch, have, news);
  if (receiving_ && end_ == kOpen) {
    // For a head, no more than is likely to be one: what is behind it waits in the socket.
    const size_t most = room_bytes_ > 0 ? kReadBytes : kHeaderBytes + kMostSealedBytes;
    const ssize_t got = recv(socket_.get(), scratch + have, most, MSG_DONTWAIT);
    if (got == 0) {
      end_ = kClosed;
    } else if (got > 0) {
      have += static_cast<size_t>(got);
      opened += OpenAll(scratch + opened, have - opened, news);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      end_ = -errno;
    }
  }
  rest_.assign(scratch + opened, scratch + have);
  news->end = end_;
  if (receiving_ && end_ == kOpen) Watch(EPOLL_CTL_MOD, false);
  return !receiving_ || end_ != kOpen;
}

/** The whole records, as long as there is room. Answers how many bytes they took. */
size_t Connection::OpenAll(const uint8_t* bytes, size_t length, News* news) {
  size_t at = 0;
  while (receiving_ && end_ == kOpen && length - at >= kHeaderBytes) {
    const uint8_t* record = bytes + at;
    const size_t sealed = static_cast<size_t>(record[3]) << 8 | record[4];
    if (record[0] != kApplicationData || sealed < kLeastSealedBytes || sealed > kMostSealedBytes) {
      end_ = kUnexpected;
      break;
    }
    if (length - at < kHeaderBytes + sealed) break;
    OpenOne(record, sealed, news);
    at += kHeaderBytes + sealed;
  }
  return at;
}

void Connection::OpenOne(const uint8_t* record, size_t sealed, News* news) {
  uint8_t plain[kMostSealedBytes];
  size_t length = sealed - kTagBytes;
  // With its type and its padding, which whatever comes next overwrites.
  const bool in_room = length <= room_bytes_;
  uint8_t* out = in_room ? room_ : plain;
  if (!opener_.Open(record, sealed, out)) {
    end_ = kForged;
    return;
  }
  while (length > 0 && out[length - 1] == 0) length -= 1;
  if (length == 0 || length - 1 > kMostContentBytes) {
    end_ = kUnexpected;
    return;
  }
  length -= 1;
  const uint8_t type = out[length];
  const bool in_message = message_head_ > 0 || message_left_ > 0;
  if (type == kApplicationData && !in_message) {
    TakeData(out, length, in_room, news);
  } else if (type == kHandshake && length > 0) {
    TakeHandshake(out, length);
  } else if (type == kAlert && !in_message && length == 2) {
    end_ = out[1] == kCloseNotify ? int{kClosed} : kAlerted + out[1];
  } else {
    end_ = kUnexpected;
  }
}

void Connection::TakeData(const uint8_t* content, size_t length, bool in_room, News* news) {
  if (length == 0) return;
  const bool had_room = room_bytes_ > 0;
  const size_t fitting = std::min(length, room_bytes_);
  if (!in_room && fitting > 0) memcpy(room_, content, fitting);
  room_ += fitting;
  room_bytes_ -= fitting;
  news->bytes += fitting;
  news->loose.insert(news->loose.end(), content + fitting, content + length);
  if (!had_room || room_bytes_ == 0) receiving_ = false;
}

/** Tickets are of no use: every connection has a handshake of its own. */
void Connection::TakeHandshake(const uint8_t* content, size_t length) {
  for (size_t at = 0; at < length;) {
    if (message_left_ > 0) {
      const size_t skipped = std::min(message_left_, length - at);
      message_left_ -= skipped;
      at += skipped;
      continue;
    }
    message_[message_head_] = content[at];
    message_head_ += 1;
    at += 1;
    if (message_head_ < sizeof message_) continue;
    message_head_ = 0;
    if (message_[0] != kNewSessionTicket) {
      end_ = message_[0] == kKeyUpdateMessage ? kKeyUpdate : kUnexpected;
      return;
    }
    message_left_ = static_cast<size_t>(message_[1]) << 16 | static_cast<size_t>(message_[2]) << 8 | message_[3];
  }
}

}  // namespace svcfs::tls
