#include "receiver.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <iterator>

namespace svcfs::tls {
namespace {

using Clock = std::chrono::steady_clock;

/** At 1 GiB/s, 2 MiB come in it: to tell of less costs the JS thread more than it brings. */
constexpr std::chrono::milliseconds kBetweenNews{2};
constexpr int kMostEvents = 64;
/** No connection has it. */
constexpr uint32_t kStopping = 0;

}  // namespace

bool Receiver::Begin() {
  if (runs_) return true;
  poll_.Reset(epoll_create1(EPOLL_CLOEXEC));
  stopping_.Reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u32 = kStopping;
  if (!poll_.valid() || !stopping_.valid() || epoll_ctl(poll_.get(), EPOLL_CTL_ADD, stopping_.get(), &event) != 0) {
    return false;
  }
  // Signals belong to the JS thread: the new one inherits a mask that blocks all.
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  const auto run = [](void* receiver) -> void* {
    static_cast<Receiver*>(receiver)->Run();
    return nullptr;
  };
  runs_ = pthread_create(&thread_, nullptr, run, this) == 0;
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  return runs_;
}

uint32_t Receiver::Adopt(int fd, const Suite& suite, const Connection::Keys& keys, std::vector<uint8_t> unread) {
  UniqueFd socket(fd);
  if (!Begin()) return 0;
  last_id_ += 1;
  const auto connection = std::make_shared<Connection>(crypto_, socket.Release(), poll_.get(), last_id_);
  {
    std::lock_guard<std::mutex> lock(connections_mutex_);
    connections_[last_id_] = connection;
  }
  if (connection->Begin(suite, keys, std::move(unread))) return last_id_;
  Close(last_id_);
  return 0;
}

std::shared_ptr<Connection> Receiver::Find(uint32_t id) {
  std::lock_guard<std::mutex> lock(connections_mutex_);
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second;
}

void Receiver::Close(uint32_t id) {
  const std::shared_ptr<Connection> connection = Find(id);
  if (connection == nullptr) return;
  connection->Close();
  std::lock_guard<std::mutex> lock(connections_mutex_);
  connections_.erase(id);
}

Receiver::AllNews Receiver::Take() {
  std::lock_guard<std::mutex> lock(news_mutex_);
  woken_ = false;
  return std::exchange(news_, {});
}

void Receiver::Stop() {
  if (!runs_) return;
  const uint64_t one = 1;
  // Into an empty counter: it cannot fail.
  if (write(stopping_.get(), &one, sizeof one) != sizeof one) abort();
  pthread_join(thread_, nullptr);
  runs_ = false;
  std::lock_guard<std::mutex> lock(connections_mutex_);
  for (const auto& each : connections_) each.second->Close();
  connections_.clear();
}

/** The reading thread. */
void Receiver::Run() {
  const std::unique_ptr<uint8_t[]> scratch(new uint8_t[Connection::kScratchBytes]);
  std::unordered_map<uint32_t, News> unpublished;
  Clock::time_point published = Clock::now();
  epoll_event events[kMostEvents];
  while (true) {
    const int wait_ms = unpublished.empty() ? -1 : static_cast<int>(kBetweenNews.count());
    const int count = epoll_wait(poll_.get(), events, kMostEvents, wait_ms);
    bool urgent = false;
    for (int at = 0; at < count; at += 1) {
      const uint32_t id = events[at].data.u32;
      if (id == kStopping) return;
      const std::shared_ptr<Connection> connection = Find(id);
      if (connection == nullptr) continue;
      News& news = unpublished[id];
      if (connection->Advance(scratch.get(), &news)) urgent = true;
      if (!news.any()) unpublished.erase(id);
    }
    const Clock::time_point now = Clock::now();
    if (unpublished.empty() || (!urgent && now - published < kBetweenNews)) continue;
    Publish(&unpublished);
    published = now;
  }
}

void Receiver::Publish(std::unordered_map<uint32_t, News>* unpublished) {
  bool wake = false;
  {
    std::lock_guard<std::mutex> lock(news_mutex_);
    for (auto& each : *unpublished) news_.emplace_back(each.first, std::move(each.second));
    wake = !std::exchange(woken_, true);
  }
  unpublished->clear();
  if (wake) wake_(context_);
}

}  // namespace svcfs::tls
