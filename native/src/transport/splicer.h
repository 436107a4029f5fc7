#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "unique_fd.h"

namespace svcfs {

/**
 * Sends messages whose last bytes wait in a socket. They are gathered in a pipe, which refers to the socket's bytes where
 * they lie, and handed on in one piece, as the device wants them (splice(2)).
 */
class Splicer {
 public:
  /**
   * Sends `head`, and then the next `bytes` of the socket, which has them all. Answers 0 or the device's errno; either
   * way they are off the socket. ENODATA: it did not have them, and those that it had are lost. Bytes that do not fit
   * into a pipe, which has room for so many fragments, are copied to `spare` and sent from there.
   */
  int Send(int device, const std::vector<iovec>& head, int socket, uint8_t* spare, size_t bytes);

 private:
  bool OpenPipe();
  void ClosePipe();
  bool Emptied(size_t head_bytes, uint8_t* spare, size_t bytes);

  UniqueFd in_;
  UniqueFd out_;
  /** The bytes that fitted when a try failed last: more are not tried again soon. */
  size_t largest_ = SIZE_MAX;
  size_t copied_ = 0;
};

}  // namespace svcfs
