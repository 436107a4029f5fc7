#pragma once

#include <cstddef>
#include <cstdint>

#include "crypto.h"

/** Protected records of TLS 1.3 (RFC 8446, 5.2 and 5.3), one direction a class. */
namespace svcfs::tls {

constexpr size_t kHeaderBytes = 5;
constexpr size_t kTagBytes = 16;
constexpr size_t kIvBytes = 12;
constexpr size_t kMostContentBytes = 1 << 14;
/** Of what follows a header. */
constexpr size_t kMostSealedBytes = kMostContentBytes + 256;
/** A type and a tag: no record has less. */
constexpr size_t kLeastSealedBytes = 1 + kTagBytes;
/** What sealing adds to a content. */
constexpr size_t kAddedBytes = kHeaderBytes + kLeastSealedBytes;

enum ContentType : uint8_t { kAlert = 21, kHandshake = 22, kApplicationData = 23 };

/** A key of one direction, and how many records it has protected. Its memory is cleansed at the end. */
class RecordKey {
 public:
  explicit RecordKey(const Crypto& crypto) : crypto_(crypto) {}
  ~RecordKey();
  RecordKey(const RecordKey&) = delete;
  RecordKey& operator=(const RecordKey&) = delete;

 protected:
  const Crypto& crypto_;
  CipherContext* context_ = nullptr;
  uint8_t iv_[kIvBytes] = {};
  uint64_t sequence_ = 0;

  void TakeIv(const uint8_t* iv);
  /** Of the next record. */
  void NextNonce(uint8_t* nonce);
};

class Opener : public RecordKey {
 public:
  using RecordKey::RecordKey;
  bool Begin(const Suite& suite, const uint8_t* key, const uint8_t* iv);

  /**
   * Opens a record whose header says that `sealed` bytes follow it, and puts `sealed - kTagBytes` bytes at `out`: the content,
   * its type, and zeros. False: it is not what the peer has sent, and what stands at `out` is of no use.
   */
  bool Open(const uint8_t* record, size_t sealed, uint8_t* out);
};

class Sealer : public RecordKey {
 public:
  using RecordKey::RecordKey;
  bool Begin(const Suite& suite, const uint8_t* key, const uint8_t* iv);

  /** Puts a record of application data at `record`, which has room for `length + kAddedBytes`. False: the key is worn out. */
  bool Seal(const uint8_t* content, size_t length, uint8_t* record);
};

}  // namespace svcfs::tls
