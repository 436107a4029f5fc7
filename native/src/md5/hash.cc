#include "hash.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "chains.h"
#include "lanes.h"

// Words are loaded as they lie.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "MD5 is little-endian");

namespace svcfs::md5 {
namespace {

/** The bytes that a job has left, in whole blocks. */
struct Stretch {
  Job* job;
  const uint8_t* bytes;
  size_t blocks;
};

/** Takes `blocks` blocks of each of `count` jobs; lanes without a job repeat the first, for nothing. */
template <int kLanes>
SVCFS_INLINE void TakeInLanes(Stretch* stretches, int count, size_t blocks) {
  alignas(64) uint32_t states[4][kLanes];
  const uint8_t* inputs[kLanes];
  for (int lane = 0; lane < kLanes; lane += 1) {
    const Stretch& stretch = stretches[lane < count ? lane : 0];
    inputs[lane] = stretch.bytes;
    for (int word = 0; word < 4; word += 1) states[word][lane] = stretch.job->state[word];
  }
  Compress<kLanes>(states, inputs, blocks);
  for (int lane = 0; lane < count; lane += 1) {
    for (int word = 0; word < 4; word += 1) stretches[lane].job->state[word] = states[word][lane];
  }
}

using Take = void (*)(Stretch* stretches, int count, size_t blocks);

template <size_t kChains>
void TakeInChains(Stretch* stretches, size_t blocks) {
  uint32_t* states[kChains];
  const uint8_t* inputs[kChains];
  for (size_t chain = 0; chain < kChains; chain += 1) {
    states[chain] = stretches[chain].job->state;
    inputs[chain] = stretches[chain].bytes;
  }
  CompressInChains<kChains>(states, inputs, blocks);
}

/** More are no faster. */
constexpr int kMostChains = 4;

/** In as few groups as can be, of the same size: one alone takes as long as three. */
void TakeFew(Stretch* stretches, int count, size_t blocks) {
  for (int groups = (count + kMostChains - 1) / kMostChains; groups > 0; groups -= 1) {
    const int chains = (count + groups - 1) / groups;
    if (chains == 1) TakeInChains<1>(stretches, blocks);
    if (chains == 2) TakeInChains<2>(stretches, blocks);
    if (chains == 3) TakeInChains<3>(stretches, blocks);
    if (chains == 4) TakeInChains<4>(stretches, blocks);
    stretches += chains;
    count -= chains;
  }
}

struct Kernel {
  int lanes;
  /** Up to so many inputs are done sooner in chains: a vector takes as long for few as for many. */
  int few;
  Take take;
};

/** Vectors of four words are no faster. */
constexpr Kernel kChainsOnly = {kMostChains, kMostChains, TakeFew};

#if defined(__x86_64__)
__attribute__((target("avx2"))) void Take8(Stretch* stretches, int count, size_t blocks) {
  TakeInLanes<8>(stretches, count, blocks);
}

__attribute__((target("avx512f"))) void Take16(Stretch* stretches, int count, size_t blocks) {
  TakeInLanes<16>(stretches, count, blocks);
}

Kernel Widest(int most) {
  __builtin_cpu_init();
  if (most >= 16 && __builtin_cpu_supports("avx512f")) return {16, 6, Take16};
  if (most >= 8 && __builtin_cpu_supports("avx2")) return {8, 4, Take8};
  return kChainsOnly;
}
#else
Kernel Widest(int) { return kChainsOnly; }
#endif

/** So that those of other processors can be tried where there are more. */
int MostLanes() {
  const char* most = getenv("SVCFS_MD5_LANES");
  return most == nullptr ? 16 : atoi(most);
}

/** Takes all stretches, the shortest of those in the lanes at a time. */
void TakeAll(std::vector<Stretch> waiting) {
  static const Kernel widest = Widest(MostLanes());
  std::vector<Stretch> running;
  for (;;) {
    while (!waiting.empty() && running.size() < static_cast<size_t>(widest.lanes)) {
      if (waiting.back().blocks > 0) running.push_back(waiting.back());
      waiting.pop_back();
    }
    if (running.empty()) return;
    size_t blocks = running[0].blocks;
    for (const Stretch& stretch : running) blocks = std::min(blocks, stretch.blocks);
    const int count = static_cast<int>(running.size());
    (count <= widest.few ? TakeFew : widest.take)(running.data(), count, blocks);
    for (Stretch& stretch : running) {
      stretch.bytes += blocks * kBlockBytes;
      stretch.blocks -= blocks;
    }
    running.erase(
        std::remove_if(running.begin(), running.end(), [](const Stretch& each) { return each.blocks == 0; }),
        running.end());
  }
}

/** The bytes after the last whole block: the rest, a one bit, zeros, and the length in bits. */
struct Padding {
  uint8_t bytes[2 * kBlockBytes];
  size_t blocks;

  explicit Padding(const Job& job) : bytes{} {
    const size_t rest = job.length % kBlockBytes;
    if (rest > 0) memcpy(bytes, job.bytes + job.length - rest, rest);
    bytes[rest] = 0x80;
    blocks = rest + 1 + 8 <= kBlockBytes ? 1 : 2;
    const uint64_t bits = job.total_bytes * 8;
    memcpy(bytes + blocks * kBlockBytes - 8, &bits, 8);
  }
};

}  // namespace

void Hash(Job* jobs, size_t count) {
  std::vector<Stretch> stretches, ends;
  std::vector<Padding> paddings;
  paddings.reserve(count);
  for (Job* job = jobs; job < jobs + count; job += 1) {
    stretches.push_back({job, job->bytes, job->length / kBlockBytes});
    if (!job->last) continue;
    paddings.emplace_back(*job);
    ends.push_back({job, paddings.back().bytes, paddings.back().blocks});
  }
  TakeAll(std::move(stretches));
  TakeAll(std::move(ends));
}

}  // namespace svcfs::md5
