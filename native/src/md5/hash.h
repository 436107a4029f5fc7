#pragma once

#include <cstddef>
#include <cstdint>

namespace svcfs::md5 {

/** Bytes to take into a digest in the making. */
struct Job {
  /** The four words of the state, as RFC 1321 has them; the digest itself after the last bytes. */
  uint32_t state[4];
  const uint8_t* bytes;
  /** A multiple of 64 unless these are the last bytes. */
  size_t length;
  /** These are the last bytes, of so many in all. */
  bool last;
  uint64_t total_bytes;
};

/** Does all jobs, as many at once as the processor has lanes for. */
void Hash(Job* jobs, size_t count);

}  // namespace svcfs::md5
