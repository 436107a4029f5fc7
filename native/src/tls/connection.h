#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "../transport/unique_fd.h"
#include "records.h"

namespace svcfs::tls {

/** Why nothing comes any more over a connection; a negative errno where it is the network. src/lib/tls-addon.ts reads these. */
enum End : int {
  kOpen = 0,
  /** By the peer, with or without a word. */
  kClosed = 1,
  /** A record is not what the peer has sent. */
  kForged = 2,
  /** What comes is no TLS 1.3. */
  kUnexpected = 3,
  /** The peer changes its key. */
  kKeyUpdate = 4,
  /** The peer said why: the number of its alert is added (RFC 8446, 6). */
  kAlerted = 256,
};

/** What came, since it was told last: bytes in the room that was given, then bytes that were in no room. */
struct News {
  size_t bytes = 0;
  std::vector<uint8_t> loose;
  int end = kOpen;

  bool any() const { return bytes > 0 || !loose.empty() || end != kOpen; }
};

/**
 * A connection whose handshake is done: opens records into the room that JS gives, and stops when that is full. Without a room
 * it stops after each content that came. The JS thread writes, gives rooms and closes; another one reads.
 */
class Connection {
 public:
  /** @param poll An epoll(7) that tells `id` when there is something to read. Takes the descriptor over. */
  Connection(const Crypto& crypto, int fd, int poll, uint32_t id);

  /** JS thread, before all else. `unread`: sealed bytes that came already. False: the keys cannot be used. */
  struct Keys {
    const uint8_t *read_key, *read_iv, *write_key, *write_iv;
  };
  bool Begin(const Suite& suite, const Keys& keys, std::vector<uint8_t> unread);

  /** JS thread. False: not all of it could be sent at once, and the connection is of no use any more. */
  bool Send(const uint8_t* bytes, size_t length);

  /** JS thread. Goes on; null: with no room. */
  void Receive(uint8_t* room, size_t length);

  /** JS thread. When it has returned, no room is touched any more. The keys go with the object. */
  void Close();

  /**
   * The reading thread, when there is something to read: adds to `news`. `scratch` has `kScratchBytes`. Answers whether it stopped:
   * until `Receive` it tells nothing more.
   */
  bool Advance(uint8_t* scratch, News* news);

  static constexpr size_t kReadBytes = 256 * 1024;
  static constexpr size_t kScratchBytes = 2 * (kReadBytes + kHeaderBytes + kMostSealedBytes);

 private:
  const int poll_;
  const uint32_t id_;
  Sealer sealer_;

  std::mutex mutex_;
  // Guarded by `mutex_`.
  UniqueFd socket_;
  Opener opener_;
  std::vector<uint8_t> rest_;
  uint8_t* room_ = nullptr;
  size_t room_bytes_ = 0;
  bool receiving_ = false;
  int end_ = kOpen;
  /** Of a message of a handshake that goes on in the next record. */
  uint8_t message_[4];
  size_t message_head_ = 0;
  size_t message_left_ = 0;

  size_t OpenAll(const uint8_t* bytes, size_t length, News* news);
  void OpenOne(const uint8_t* record, size_t sealed, News* news);
  void TakeData(const uint8_t* content, size_t length, bool in_room, News* news);
  void TakeHandshake(const uint8_t* content, size_t length);
  void Watch(int operation, bool at_once);
};

}  // namespace svcfs::tls
