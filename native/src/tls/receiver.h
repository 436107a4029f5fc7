#pragma once

#include <pthread.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "connection.h"

namespace svcfs::tls {

/**
 * Connections that are read by a thread of their own, and what came over them. The JS thread makes it and calls it. It is woken
 * when a connection stopped or ended, and else every few milliseconds at most: each time costs it a turn of its loop.
 */
class Receiver {
 public:
  /** @param wake Called by the reading thread when there is news, and not again before `Take`. */
  Receiver(const Crypto& crypto, void (*wake)(void*), void* context) : crypto_(crypto), wake_(wake), context_(context) {}
  ~Receiver() { Stop(); }

  /** Begins the thread with the first. Takes the descriptor over. 0: it cannot be received from. */
  uint32_t Adopt(int fd, const Suite& suite, const Connection::Keys& keys, std::vector<uint8_t> unread);

  /** Null when it was closed. */
  std::shared_ptr<Connection> Find(uint32_t id);

  void Close(uint32_t id);

  using AllNews = std::vector<std::pair<uint32_t, News>>;
  AllNews Take();

  /** Closes all, and waits for the thread, which never waits for anybody. */
  void Stop();

 private:
  const Crypto& crypto_;
  void (*const wake_)(void*);
  void* const context_;
  UniqueFd poll_, stopping_;
  pthread_t thread_{};
  bool runs_ = false;
  uint32_t last_id_ = 0;

  std::mutex connections_mutex_;
  std::unordered_map<uint32_t, std::shared_ptr<Connection>> connections_;

  std::mutex news_mutex_;
  // Guarded by `news_mutex_`.
  AllNews news_;
  bool woken_ = false;

  bool Begin();
  void Run();
  void Publish(std::unordered_map<uint32_t, News>* unpublished);
};

}  // namespace svcfs::tls
