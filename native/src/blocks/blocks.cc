#include "blocks.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace svcfs::blocks {
namespace {

using Word = uint64_t;
using Words = std::vector<Word>;

constexpr Word kNone = 0;
/** Words read at a time when they are counted. */
constexpr size_t kCounted = 64 * 1024;

/** The place is part of it: a block of another place is a wrong one. */
Word Checksum(const uint8_t* bytes, size_t length, uint64_t block) {
  const Word hash = XXH3_64bits_withSeed(bytes, length, block);
  return hash == kNone ? 1 : hash;
}

off_t WordOffset(uint64_t block) { return static_cast<off_t>(kHeader + block * sizeof(Word)); }

/** Reads until the buffer is full or the file ends; what is past the end is left as it was. -1 and errno on failure. */
ssize_t ReadAll(int fd, void* into, size_t length, off_t offset) {
  size_t done = 0;
  while (done < length) {
    const ssize_t piece = pread(fd, static_cast<uint8_t*>(into) + done, length - done, offset + done);
    if (piece < 0 && errno == EINTR) continue;
    if (piece < 0) return -1;
    if (piece == 0) break;
    done += piece;
  }
  return done;
}

bool WriteAll(int fd, const void* from, size_t length, off_t offset) {
  size_t done = 0;
  while (done < length) {
    const ssize_t piece = pwrite(fd, static_cast<const uint8_t*>(from) + done, length - done, offset + done);
    if (piece < 0 && errno == EINTR) continue;
    if (piece < 0) return false;
    done += piece;
  }
  return true;
}

/** Words past the end of the index are 0: absent. */
bool ReadWords(int index, uint64_t first, Words* words) {
  std::fill(words->begin(), words->end(), kNone);
  return ReadAll(index, words->data(), words->size() * sizeof(Word), WordOffset(first)) >= 0;
}

bool WriteWords(int index, uint64_t first, const Words& words) {
  return WriteAll(index, words.data(), words.size() * sizeof(Word), WordOffset(first));
}

Outcome Failed() { return {errno, false}; }

bool IsEvicted(int index) {
  struct stat facts;
  return fstat(index, &facts) == 0 && facts.st_nlink == 0;
}

/** A run of blocks that have words: reads them at once, then compares each. */
bool ReadRun(const Entry& entry, const Span& run, const Word* words, uint8_t* states) {
  const ssize_t read = ReadAll(entry.data, run.bytes, run.length, static_cast<off_t>(run.first_block * kBlock));
  if (read < 0) return false;
  for (size_t i = 0; i < run.blocks(); i++) {
    const size_t begin = i * kBlock;
    const size_t length = std::min(kBlock, run.length - begin);
    const bool whole = begin + length <= static_cast<size_t>(read);
    const bool good = whole && Checksum(run.bytes + begin, length, run.first_block + i) == words[i];
    states[i] = good ? kPresent : kDamaged;
    // Best effort: while the word stays, it is found to be wrong again.
    if (!good) WriteWords(entry.index, run.first_block + i, Words(1, kNone));
  }
  return true;
}

}  // namespace

Outcome Read(const Entry& entry, const Span& span, uint8_t* states) {
  const size_t blocks = span.blocks();
  Words words(blocks);
  if (!ReadWords(entry.index, span.first_block, &words)) return Failed();
  for (size_t begin = 0; begin < blocks;) {
    if (words[begin] == kNone) {
      states[begin++] = kAbsent;
      continue;
    }
    size_t end = begin + 1;
    while (end < blocks && words[end] != kNone) end++;
    const size_t offset = begin * kBlock;
    const Span run{span.first_block + begin, span.bytes + offset,
                   std::min(end * kBlock, span.length) - offset};
    if (!ReadRun(entry, run, &words[begin], states + begin)) return Failed();
    begin = end;
  }
  return {0, IsEvicted(entry.index)};
}

Outcome Write(const Entry& entry, const Span& span) {
  if (IsEvicted(entry.index)) return {0, true};
  if (!WriteAll(entry.data, span.bytes, span.length, static_cast<off_t>(span.first_block * kBlock))) {
    return Failed();
  }
  Words words(span.blocks());
  for (size_t i = 0; i < words.size(); i++) {
    const size_t begin = i * kBlock;
    words[i] = Checksum(span.bytes + begin, std::min(kBlock, span.length - begin), span.first_block + i);
  }
  if (!WriteWords(entry.index, span.first_block, words)) return Failed();
  return {};
}

Outcome Count(int index, uint64_t blocks, uint64_t* present) {
  *present = 0;
  for (uint64_t first = 0; first < blocks; first += kCounted) {
    Words words(std::min<uint64_t>(kCounted, blocks - first));
    if (!ReadWords(index, first, &words)) return Failed();
    *present += words.size() - std::count(words.begin(), words.end(), kNone);
  }
  return {};
}

}  // namespace svcfs::blocks
