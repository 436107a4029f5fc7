#pragma once

#include <linux/fuse.h>

#include <cstdint>
#include <cstring>

namespace svcfs {

/** The range that a READ asks for (fuse_in_header, fuse_read_in); of any other request `size` is 0. */
struct ReadRequest {
  uint64_t unique = 0;
  uint64_t node = 0;
  uint64_t handle = 0;
  uint64_t offset = 0;
  uint32_t size = 0;

  static ReadRequest Of(const uint8_t* message, size_t length) {
    fuse_in_header header;
    fuse_read_in body;
    if (length < sizeof header + sizeof body) return {};
    memcpy(&header, message, sizeof header);
    if (header.opcode != FUSE_READ) return {};
    memcpy(&body, message + sizeof header, sizeof body);
    return {header.unique, header.nodeid, body.fh, body.offset, body.size};
  }

  /** The same handle, from where the other one ended. */
  bool GoesOnFrom(const ReadRequest& other) const {
    return size > 0 && other.size > 0 && node == other.node && handle == other.handle &&
           offset == other.offset + other.size;
  }
};

}  // namespace svcfs
