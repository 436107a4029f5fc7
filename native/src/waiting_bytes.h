#pragma once

#include <sys/ioctl.h>

namespace svcfs {

/**
 * The number of bytes that came over a connection and were not read (FIONREAD, tcp(7)). 0 where the system does not tell.
 */
inline int WaitingBytes(int socket) {
  int bytes = 0;
  return ioctl(socket, FIONREAD, &bytes) == 0 ? bytes : 0;
}

}  // namespace svcfs
