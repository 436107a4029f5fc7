#pragma once

#include <uv.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace svcfs {

/**
 * Writes notifications to the kernel from a thread of its own. Such a write takes inode and page locks that a request in
 * flight may hold. The JS thread answers that request, so only a thread that no other waits for may block there.
 *
 * The thread and its descriptor outlive this object when the thread is blocked, and end by themselves; nothing joins it.
 */
class Notifier {
 public:
  using Message = std::vector<uint8_t>;

  /** `done` is signalled after each batch; it must be closed after `Stop`. Answers 0 or an errno. */
  int Start(int device, uv_async_t* done);

  /** Any thread. Hands one batch over; the next after `done` was signalled. */
  void Post(std::vector<Message> batch);

  /** JS thread. `done` is not touched once this has returned. */
  void Stop();

  ~Notifier() { Stop(); }

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;

  static void* Run(void* argument);
};

}  // namespace svcfs
