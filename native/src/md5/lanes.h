#pragma once

#include <cstring>

#include "step.h"

/**
 * One block from each of several independent inputs at once: lane `l` of every vector belongs to input `l`. A single MD5
 * cannot be made faster, because each step waits for the one before; sixteen cost as much time as two.
 */
namespace svcfs::md5 {

/** A vector of 32-bit words, one for each lane; vectors are GCC's generic ones. */
template <int kLanes>
struct Lanes {
  typedef uint32_t Vector __attribute__((vector_size(kLanes * 4)));
};

template <int kStep, typename V>
SVCFS_INLINE void StepsFrom(V& a, V& b, V& c, V& d, const V* words) {
  if constexpr (kStep < 64) {
    Step<kStep>(a, b, c, d, words[WordOf(kStep)]);
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
  for (int first = 0; first < kBlockWords; first += kLanes) {
    for (int lane = 0; lane < kLanes; lane += 1) {
      memcpy(&words[first + lane], inputs[lane] + offset + first * 4, sizeof(V));
    }
    Transpose<kLanes, 1>(words + first);
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
