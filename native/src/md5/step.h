#pragma once

#include <cstdint>

/** The steps of MD5's compression (RFC 1321, 3.4), on words or on vectors of words. */
namespace svcfs::md5 {

constexpr int kBlockBytes = 64;
constexpr int kBlockWords = 16;

constexpr uint32_t kSines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

constexpr int kRotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

#define SVCFS_INLINE inline __attribute__((always_inline))

/** Which word of its block a step takes. */
constexpr int WordOf(int step) {
  constexpr int kMultiple[4] = {1, 5, 3, 7}, kOffset[4] = {0, 1, 5, 0};
  return (kMultiple[step / 16] * step + kOffset[step / 16]) % kBlockWords;
}

/** `b` is what the step before has made: whatever does not depend on it comes first. */
template <int kStep, typename V>
SVCFS_INLINE void Step(V& a, const V& b, const V& c, const V& d, const V& word) {
  constexpr int kRound = kStep / 16;
  constexpr int kRotation = kRotations[kRound][kStep % 4];
  a += word + kSines[kStep];
  if constexpr (kRound == 0) a += d ^ (b & (c ^ d));
  // Of a vector an operation of three inputs; of a word the sum of what cannot both be set, half of it without `b`.
  if constexpr (kRound == 1 && sizeof(V) > sizeof(uint32_t)) a += c ^ (d & (b ^ c));
  if constexpr (kRound == 1 && sizeof(V) == sizeof(uint32_t)) a += c & ~d, a += b & d;
  if constexpr (kRound == 2) a += b ^ c ^ d;
  if constexpr (kRound == 3) a += c ^ (b | ~d);
  a = (a << kRotation) | (a >> (32 - kRotation));
  a += b;
}

}  // namespace svcfs::md5
