#include "crypto.h"

#include <dlfcn.h>

#include <cstring>

namespace svcfs::tls {
namespace {

template <typename Function>
bool Find(const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return *function != nullptr;
}

const Cipher* FindCipher(const char* name) {
  const Cipher* (*cipher)() = nullptr;
  return Find(name, &cipher) ? cipher() : nullptr;
}

}  // namespace

const Crypto* FindCrypto() {
  static Crypto crypto;
#define SVCFS_FIND(name) Find(#name, &crypto.name)
  static const bool found = SVCFS_FIND(EVP_CIPHER_CTX_new) && SVCFS_FIND(EVP_CIPHER_CTX_free) &&
                            SVCFS_FIND(EVP_CIPHER_CTX_ctrl) && SVCFS_FIND(EVP_EncryptInit_ex) &&
                            SVCFS_FIND(EVP_EncryptUpdate) && SVCFS_FIND(EVP_EncryptFinal_ex) &&
                            SVCFS_FIND(EVP_DecryptInit_ex) && SVCFS_FIND(EVP_DecryptUpdate) &&
                            SVCFS_FIND(EVP_DecryptFinal_ex) && SVCFS_FIND(OPENSSL_cleanse) &&
                            SVCFS_FIND(ERR_clear_error);
#undef SVCFS_FIND
  return found ? &crypto : nullptr;
}

const Suite* FindSuite(const char* name) {
  static const Suite suites[] = {
      {"TLS_AES_128_GCM_SHA256", FindCipher("EVP_aes_128_gcm"), 16},
      {"TLS_AES_256_GCM_SHA384", FindCipher("EVP_aes_256_gcm"), 32},
      {"TLS_CHACHA20_POLY1305_SHA256", FindCipher("EVP_chacha20_poly1305"), 32},
  };
  for (const Suite& suite : suites) {
    if (suite.cipher != nullptr && strcmp(suite.name, name) == 0) return &suite;
  }
  return nullptr;
}

}  // namespace svcfs::tls
