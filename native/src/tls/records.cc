#include "records.h"

#include <cstring>

namespace svcfs::tls {
namespace {

/** EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG. */
constexpr int kGetTag = 0x10;
constexpr int kSetTag = 0x11;

/** AES-GCM may protect 2^24.5 records of full size (RFC 8446, 5.5). */
constexpr uint64_t kMostSealed = 1 << 24;

}  // namespace

RecordKey::~RecordKey() {
  // That cleanses the key.
  if (context_ != nullptr) crypto_.EVP_CIPHER_CTX_free(context_);
  crypto_.OPENSSL_cleanse(iv_, sizeof iv_);
}

void RecordKey::TakeIv(const uint8_t* iv) { memcpy(iv_, iv, sizeof iv_); }

void RecordKey::NextNonce(uint8_t* nonce) {
  memcpy(nonce, iv_, kIvBytes);
  for (size_t byte = 0; byte < sizeof sequence_; byte += 1) {
    nonce[kIvBytes - 1 - byte] ^= static_cast<uint8_t>(sequence_ >> (8 * byte));
  }
  sequence_ += 1;
}

bool Opener::Begin(const Suite& suite, const uint8_t* key, const uint8_t* iv) {
  TakeIv(iv);
  context_ = crypto_.EVP_CIPHER_CTX_new();
  return context_ != nullptr && crypto_.EVP_DecryptInit_ex(context_, suite.cipher, nullptr, key, iv) == 1;
}

bool Opener::Open(const uint8_t* record, size_t sealed, uint8_t* out) {
  uint8_t nonce[kIvBytes];
  NextNonce(nonce);
  const uint8_t* bytes = record + kHeaderBytes;
  const int length = static_cast<int>(sealed - kTagBytes);
  // The call takes a pointer to what it does not change.
  auto* tag = const_cast<uint8_t*>(bytes + length);
  int written = 0, last = 0;
  const bool opened = crypto_.EVP_DecryptInit_ex(context_, nullptr, nullptr, nullptr, nonce) == 1 &&
                      crypto_.EVP_DecryptUpdate(context_, nullptr, &written, record, kHeaderBytes) == 1 &&
                      crypto_.EVP_DecryptUpdate(context_, out, &written, bytes, length) == 1 &&
                      crypto_.EVP_CIPHER_CTX_ctrl(context_, kSetTag, kTagBytes, tag) == 1 &&
                      crypto_.EVP_DecryptFinal_ex(context_, out + written, &last) == 1;
  if (!opened) crypto_.ERR_clear_error();
  return opened;
}

bool Sealer::Begin(const Suite& suite, const uint8_t* key, const uint8_t* iv) {
  TakeIv(iv);
  context_ = crypto_.EVP_CIPHER_CTX_new();
  return context_ != nullptr && crypto_.EVP_EncryptInit_ex(context_, suite.cipher, nullptr, key, iv) == 1;
}

bool Sealer::Seal(const uint8_t* content, size_t length, uint8_t* record) {
  if (sequence_ >= kMostSealed) return false;
  uint8_t nonce[kIvBytes];
  NextNonce(nonce);
  const size_t sealed = length + kLeastSealedBytes;
  const uint8_t header[kHeaderBytes] = {kApplicationData, 3, 3, static_cast<uint8_t>(sealed >> 8),
                                        static_cast<uint8_t>(sealed)};
  memcpy(record, header, sizeof header);
  const uint8_t type = kApplicationData;
  uint8_t* out = record + kHeaderBytes;
  int written = 0, more = 0, last = 0;
  const bool done =
      crypto_.EVP_EncryptInit_ex(context_, nullptr, nullptr, nullptr, nonce) == 1 &&
      crypto_.EVP_EncryptUpdate(context_, nullptr, &written, record, kHeaderBytes) == 1 &&
      crypto_.EVP_EncryptUpdate(context_, out, &written, content, static_cast<int>(length)) == 1 &&
      crypto_.EVP_EncryptUpdate(context_, out + written, &more, &type, 1) == 1 &&
      crypto_.EVP_EncryptFinal_ex(context_, out + written + more, &last) == 1 &&
      crypto_.EVP_CIPHER_CTX_ctrl(context_, kGetTag, kTagBytes, out + length + 1) == 1;
  if (!done) crypto_.ERR_clear_error();
  return done;
}

}  // namespace svcfs::tls
