#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace svcfs {

/**
 * The memory a channel shares with JS, one mapping of page-aligned parts:
 *
 *   page 0        the reply under construction: fuse_out_header and the fixed part of the body
 *   from page 1   the slots, `slot_bytes` each; a request is read into one, whole
 *
 * It lives until both the channel and the last JS view of it are gone. Pages are touched when first used.
 */
class ChannelMemory {
 public:
  static constexpr size_t kPage = 4096;

  /** Null when the mapping failed; `slot_bytes` must be a multiple of the page. */
  static std::shared_ptr<ChannelMemory> Create(uint32_t slots, size_t slot_bytes);
  ~ChannelMemory();
  ChannelMemory(const ChannelMemory&) = delete;
  ChannelMemory& operator=(const ChannelMemory&) = delete;

  uint8_t* data() const { return base_; }
  size_t size() const { return Size(slots_, slot_bytes_); }
  uint32_t slots() const { return slots_; }
  size_t slot_bytes() const { return slot_bytes_; }
  uint8_t* reply() const { return base_; }
  uint8_t* slot(uint32_t index) const { return base_ + kPage + index * slot_bytes_; }

 private:
  ChannelMemory(uint8_t* base, uint32_t slots, size_t slot_bytes)
      : base_(base), slots_(slots), slot_bytes_(slot_bytes) {}

  static size_t Size(uint32_t slots, size_t slot_bytes) { return kPage + slots * slot_bytes; }

  uint8_t* const base_;
  const uint32_t slots_;
  const size_t slot_bytes_;
};

}  // namespace svcfs
