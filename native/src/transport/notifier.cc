#include "notifier.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "unique_fd.h"

namespace svcfs {

struct Notifier::Shared {
  /** A descriptor of its own: the number stays ours while a write is under way, whatever the channel closes. */
  UniqueFd device;

  std::mutex mutex;
  std::condition_variable changed;
  // Guarded by `mutex`.
  std::vector<Message> batch;
  uv_async_t* done = nullptr;
  bool stopping = false;
};

int Notifier::Start(int device, uv_async_t* done) {
  auto shared = std::make_shared<Shared>();
  shared->device.Reset(fcntl(device, F_DUPFD_CLOEXEC, 3));
  if (!shared->device.valid()) return errno;
  shared->done = done;

  // Signals belong to the JS thread: the new one inherits a mask that blocks all.
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  auto* argument = new std::shared_ptr<Shared>(shared);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, Run, argument);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  if (error != 0) {
    delete argument;
    return error;
  }
  shared_ = std::move(shared);
  return 0;
}

void Notifier::Post(std::vector<Message> batch) {
  {
    std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->batch = std::move(batch);
  }
  shared_->changed.notify_one();
}

void Notifier::Stop() {
  if (!shared_) return;
  {
    std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->stopping = true;
    shared_->done = nullptr;
  }
  shared_->changed.notify_one();
  shared_.reset();
}

/** The notifier's thread. */
void* Notifier::Run(void* argument) {
  const std::unique_ptr<std::shared_ptr<Shared>> owner(static_cast<std::shared_ptr<Shared>*>(argument));
  Shared& shared = **owner;

  std::unique_lock<std::mutex> lock(shared.mutex);
  while (true) {
    shared.changed.wait(lock, [&] { return shared.stopping || !shared.batch.empty(); });
    if (shared.stopping) return nullptr;
    const std::vector<Message> batch = std::exchange(shared.batch, {});
    lock.unlock();
    for (const Message& message : batch) {
      // ENOENT is the usual answer: the kernel holds nothing under that name. No failure needs an action.
      if (write(shared.device.get(), message.data(), message.size()) < 0 && errno == ENODEV) break;
    }
    lock.lock();
    if (shared.done != nullptr) uv_async_send(shared.done);
  }
}

}  // namespace svcfs
