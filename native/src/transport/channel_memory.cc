#include "channel_memory.h"

#include <sys/mman.h>

namespace svcfs {

std::shared_ptr<ChannelMemory> ChannelMemory::Create(uint32_t slots, size_t slot_bytes) {
  void* base = mmap(nullptr, Size(slots, slot_bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  // Only faster: the kernel pins a slot page by page.
  madvise(base, Size(slots, slot_bytes), MADV_HUGEPAGE);
  return std::shared_ptr<ChannelMemory>(new ChannelMemory(static_cast<uint8_t*>(base), slots, slot_bytes));
}

ChannelMemory::~ChannelMemory() { munmap(base_, size()); }

}  // namespace svcfs
