#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include "step.h"

/**
 * A few independent inputs, one block of each in turn, step by step: while a step of one waits for the step before it, the
 * processor does those of the others. For fewer inputs than fill half of a vector it is the faster way: three take the time of one.
 */
namespace svcfs::md5 {

template <int kStep>
SVCFS_INLINE void StepOfChain(uint32_t* state, const uint8_t* block) {
  // Each step changes the word that was `d` in the one before.
  constexpr int kA = (64 - kStep) % 4;
  uint32_t word;
  memcpy(&word, block + WordOf(kStep) * sizeof word, sizeof word);
  Step<kStep>(state[kA], state[(kA + 1) % 4], state[(kA + 2) % 4], state[(kA + 3) % 4], word);
}

template <int kStep, size_t... kChain>
SVCFS_INLINE void StepsOfChainsFrom(uint32_t (*states)[4], const uint8_t* const* blocks,
                                    std::index_sequence<kChain...> chains) {
  if constexpr (kStep < 64) {
    (StepOfChain<kStep>(states[kChain], blocks[kChain]), ...);
    StepsOfChainsFrom<kStep + 1>(states, blocks, chains);
  }
}

template <size_t... kChain>
SVCFS_INLINE void CompressInChains(uint32_t* const* states, const uint8_t* const* inputs, size_t blocks,
                                   std::index_sequence<kChain...> chains) {
  uint32_t running[sizeof...(kChain)][4], before[sizeof...(kChain)][4];
  const uint8_t* block[] = {inputs[kChain]...};
  (memcpy(running[kChain], states[kChain], sizeof running[kChain]), ...);
  for (; blocks > 0; blocks -= 1) {
    memcpy(before, running, sizeof before);
    StepsOfChainsFrom<0>(running, block, chains);
    for (int word = 0; word < 4; word += 1) ((running[kChain][word] += before[kChain][word]), ...);
    ((block[kChain] += kBlockBytes), ...);
  }
  (memcpy(states[kChain], running[kChain], sizeof running[kChain]), ...);
}

/** Takes `blocks` blocks of each of `kChains` inputs into its state. */
template <size_t kChains>
void CompressInChains(uint32_t* const* states, const uint8_t* const* inputs, size_t blocks) {
  CompressInChains(states, inputs, blocks, std::make_index_sequence<kChains>());
}

}  // namespace svcfs::md5
