#pragma once

#include <cstddef>

namespace svcfs::tls {

/** EVP_CIPHER and EVP_CIPHER_CTX of OpenSSL. */
struct Cipher;
struct CipherContext;

/**
 * The calls of the OpenSSL that Node.js itself uses (EVP_EncryptInit(3)), under their own names. They are looked up when the
 * addon is loaded: a Node.js without them, or with another library in place of OpenSSL, loads it all the same.
 */
struct Crypto {
  CipherContext* (*EVP_CIPHER_CTX_new)();
  void (*EVP_CIPHER_CTX_free)(CipherContext*);
  int (*EVP_CIPHER_CTX_ctrl)(CipherContext*, int type, int argument, void* pointer);
  int (*EVP_EncryptInit_ex)(CipherContext*, const Cipher*, void* engine, const unsigned char* key, const unsigned char* iv);
  int (*EVP_EncryptUpdate)(CipherContext*, unsigned char* out, int* written, const unsigned char* in, int length);
  int (*EVP_EncryptFinal_ex)(CipherContext*, unsigned char* out, int* written);
  int (*EVP_DecryptInit_ex)(CipherContext*, const Cipher*, void* engine, const unsigned char* key, const unsigned char* iv);
  int (*EVP_DecryptUpdate)(CipherContext*, unsigned char* out, int* written, const unsigned char* in, int length);
  int (*EVP_DecryptFinal_ex)(CipherContext*, unsigned char* out, int* written);
  void (*OPENSSL_cleanse)(void* bytes, size_t length);
  void (*ERR_clear_error)();
};

/** Null where a call is missing. */
const Crypto* FindCrypto();

/** A cipher by the name of TLS for its suite, such as `TLS_AES_128_GCM_SHA256` (RFC 8446, B.4); null where there is none. */
struct Suite {
  const char* name;
  const Cipher* cipher;
  size_t key_bytes;
};
const Suite* FindSuite(const char* name);

}  // namespace svcfs::tls
