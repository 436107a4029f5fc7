#pragma once

#include <cstddef>
#include <cstdint>

/**
 * The blocks of one file in the disk cache (src/content/disk/disk-cache.ts): a data file that holds them at their places,
 * and an index with a word for each. A word is the block's checksum, or 0 when the block is not there, so that what
 * is there and what it should read like can never disagree. Any thread.
 */
namespace svcfs::blocks {

constexpr size_t kBlock = 16 * 1024;
/** Of the index, before the words. */
constexpr size_t kHeader = 4096;

enum State : uint8_t { kAbsent = 0, kPresent = 1, kDamaged = 2 };

struct Entry {
  int data;
  int index;
};

/** Consecutive blocks in memory; only the last of a file may be short. */
struct Span {
  uint64_t first_block;
  uint8_t* bytes;
  size_t length;

  size_t blocks() const { return (length + kBlock - 1) / kBlock; }
};

struct Outcome {
  /** 0 or an errno. */
  int error = 0;
  /** The entry has no name any more: someone evicted it. */
  bool evicted = false;
};

/** Fills in what is there and as it was written; `states` tells of each block. A damaged one is marked absent. */
Outcome Read(const Entry& entry, const Span& span, uint8_t* states);

/** Writes the blocks, then their words. */
Outcome Write(const Entry& entry, const Span& span);

/** How many of the first `blocks` blocks are there. */
Outcome Count(int index, uint64_t blocks, uint64_t* present);

}  // namespace svcfs::blocks
