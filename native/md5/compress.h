#pragma once

#include <cstdint>
#include <cstring>

/**
 * MD5's compression (RFC 1321) of one block from each of several independent inputs at once: lane `l` of every vector belongs
 * to input `l`. A single MD5 cannot be made faster, because each step waits for the one before; sixteen cost as much
 * time as one and a half.
 */
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

/** A vector of 32-bit words, one for each lane; vectors are GCC's (and clang's) generic ones. */
template <int kLanes>
struct Lanes {
  typedef uint32_t Vector __attribute__((vector_size(kLanes * 4)));
};
template <>
struct Lanes<1> {
  typedef uint32_t Vector;
};

#define SVCFS_INLINE inline __attribute__((always_inline))

template <int kStep, typename V>
SVCFS_INLINE void Step(V& a, const V& b, const V& c, const V& d, const V* words) {
  constexpr int kRound = kStep / 16;
  constexpr int kMultiple[4] = {1, 5, 3, 7}, kOffset[4] = {0, 1, 5, 0};
  constexpr int kWord = (kMultiple[kRound] * kStep + kOffset[kRound]) % kBlockWords;
  constexpr int kRotation = kRotations[kRound][kStep % 4];
  V mixed;
  if constexpr (kRound == 0) mixed = d ^ (b & (c ^ d));
  if constexpr (kRound == 1) mixed = c ^ (d & (b ^ c));
  if constexpr (kRound == 2) mixed = b ^ c ^ d;
  if constexpr (kRound == 3) mixed = c ^ (b | ~d);
  // What does not depend on the step before comes first.
  a += words[kWord] + kSines[kStep];
  a += mixed;
  a = (a << kRotation) | (a >> (32 - kRotation));
  a += b;
}

template <int kStep, typename V>
SVCFS_INLINE void StepsFrom(V& a, V& b, V& c, V& d, const V* words) {
  if constexpr (kStep < 64) {
    Step<kStep>(a, b, c, d, words);
    StepsFrom<kStep + 1>(d, a, b, c, words);
  }
}

/** Exchanges the bits `kBit` of the row and the column numbers; after all bits, rows are columns. */
template <int kLanes, int kBit, typename V>
SVCFS_INLINE void Transpose(V* rows) {
  if constexpr (kBit < kLanes) {
    V low, high;
    for (int lane = 0; lane < kLanes; lane += 1) {
      low[lane] = lane & kBit ? kLanes + (lane ^ kBit) : lane;
      high[lane] = lane & kBit ? kLanes + lane : lane | kBit;
    }
    for (int row = 0; row < kLanes; row += 1) {
      if (row & kBit) continue;
      const V first = rows[row], second = rows[row | kBit];
      rows[row] = __builtin_shuffle(first, second, low);
      rows[row | kBit] = __builtin_shuffle(first, second, high);
    }
    Transpose<kLanes, kBit * 2>(rows);
  }
}

/** The words of one block of each input: `words[i]` holds word `i` of all. */
template <int kLanes, typename V>
SVCFS_INLINE void Load(const uint8_t* const* inputs, size_t offset, V* words) {
  if constexpr (kLanes == 1) {
    memcpy(words, inputs[0] + offset, kBlockBytes);
  } else {
    for (int first = 0; first < kBlockWords; first += kLanes) {
      for (int lane = 0; lane < kLanes; lane += 1) {
        memcpy(&words[first + lane], inputs[lane] + offset + first * 4, sizeof(V));
      }
      Transpose<kLanes, 1>(words + first);
    }
  }
}

/** Takes `blocks` blocks of each input into the states: `states[i]` holds word `i` of all lanes. */
template <int kLanes>
SVCFS_INLINE void Compress(uint32_t (*states)[kLanes], const uint8_t* const* inputs, size_t blocks) {
  using V = typename Lanes<kLanes>::Vector;
  V a, b, c, d, words[kBlockWords];
  memcpy(&a, states[0], sizeof(V));
  memcpy(&b, states[1], sizeof(V));
  memcpy(&c, states[2], sizeof(V));
  memcpy(&d, states[3], sizeof(V));
  for (size_t block = 0; block < blocks; block += 1) {
    Load<kLanes>(inputs, block * kBlockBytes, words);
    const V a0 = a, b0 = b, c0 = c, d0 = d;
    StepsFrom<0>(a, b, c, d, words);
    a += a0;
    b += b0;
    c += c0;
    d += d0;
  }
  memcpy(states[0], &a, sizeof(V));
  memcpy(states[1], &b, sizeof(V));
  memcpy(states[2], &c, sizeof(V));
  memcpy(states[3], &d, sizeof(V));
}

}  // namespace svcfs::md5
