// A TCP proxy that makes loopback look like a wide area network.
//
//   latency-proxy TARGET_PORT ROUND_TRIP_US [BYTES_PER_SECOND]      prints the port it listens on, and serves until it is killed
//
// Every byte arrives half a round trip after it was sent, either way. A connection costs one round trip more, as the
// handshake does. A sender may have a window of bytes under way: it begins at 64 KiB and grows by what was
// acknowledged (slow start: it doubles each round trip) up to 4 MiB, which is what Linux reaches by itself.
//
// With BYTES_PER_SECOND all connections share a line of that rate each way: bytes leave it one after the other, and a sender waits
// while more than a round trip's worth of them queue before it.
//
// Bytes go through kernel pipes by splice(2) and never enter this process: two cores serve client, server and proxy,
// so a proxy that copied would be the bottleneck. A pipe holds 1 MiB at most without privileges, and pages that are not
// full: so each way is a row of pipes, as many as the bytes under way need. Each way all delays are the same, so queues in order of time suffice.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <memory>
#include <vector>

namespace {

constexpr int64_t kFirstWindow = 64 * 1024;
constexpr int64_t kLargestWindow = 4 * 1024 * 1024;
constexpr int kPipeBytes = 1024 * 1024;
constexpr size_t kSpliceBytes = 256 * 1024;

int64_t now_us() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000LL + t.tv_nsec / 1000;
}

[[noreturn]] void die(const char* what) {
  perror(what);
  exit(1);
}

struct Connection;

// One end of a connection, with what epoll said of it and nobody used up yet.
struct End {
  int fd = -1;
  bool readable = false;
  bool writable = false;
  Connection* connection = nullptr;
};

struct Pipe {
  int in;
  int out;
  int64_t held;
};

// Bytes on their way from one end to the other.
struct Direction {
  std::deque<Pipe> pipes;  // the oldest bytes first
  int64_t arrived = 0;     // of what they hold: due at the receiver
  int64_t unacknowledged = 0;
  int64_t window = kFirstWindow;
  bool read_end = false;     // the sender has closed
  bool end_arrived = false;  // and the receiver may know
  bool shut = false;         // and was told
  bool waits = false;        // for room on the line
};

struct Connection : std::enable_shared_from_this<Connection> {
  End ends[2];              // client, server
  Direction directions[2];  // by sender
  bool connected = false;
  bool gone = false;
};

using ConnectionRef = std::shared_ptr<Connection>;

struct Event {
  int64_t due_us;
  ConnectionRef connection;
  int sender;
  int64_t bytes;  // 0: the end of the stream
};

// One way of the line, which all connections share.
struct Way {
  double free_us = 0;  // when the last byte before it has left
  std::deque<ConnectionRef> waiting;
  const Connection* turn = nullptr;  // may send once, although others wait
};

class Proxy {
 public:
  Proxy(int target_port, int64_t round_trip_us, int64_t bytes_per_second)
      : target_port_(target_port), round_trip_us_(round_trip_us), bytes_per_second_(bytes_per_second) {}

  void run() {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    listen_on_any_port();
    for (;;) {
      wait();
      run_due();
    }
  }

 private:
  void listen_on_any_port() {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) < 0) die("bind");
    if (listen(listener_, 1024) < 0) die("listen");
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &event);
    printf("listening on %d\n", ntohs(address.sin_port));
    fflush(stdout);
  }

  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    return address;
  }

  void wait() {
    epoll_event events[256];
    const int64_t next = next_due();
    timespec timeout{};
    if (next >= 0) {
      const int64_t left = std::max<int64_t>(0, next - now_us());
      timeout = {.tv_sec = left / 1'000'000, .tv_nsec = left % 1'000'000 * 1000};
    }
    const int count = epoll_pwait2(epoll_, events, 256, next < 0 ? nullptr : &timeout, nullptr);
    for (int i = 0; i < count; i++) {
      auto* end = static_cast<End*>(events[i].data.ptr);
      if (end == nullptr) {
        accept_all();
        continue;
      }
      if (events[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) end->readable = true;
      if (events[i].events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) end->writable = true;
      pump(end->connection->shared_from_this());
    }
    retired_.clear();
  }

  int64_t next_due() const {
    int64_t next = -1;
    for (const auto* queue :
         {&connects_, &deliveries_[0], &deliveries_[1], &acknowledgements_[0], &acknowledgements_[1]}) {
      if (!queue->empty() && (next < 0 || queue->front().due_us < next)) next = queue->front().due_us;
    }
    for (const Way& way : ways_) {
      if (!way.waiting.empty() && (next < 0 || room_from_us(way) < next)) next = room_from_us(way);
    }
    return next;
  }

  void run_due() {
    const int64_t now = now_us();
    take_due(connects_, now, [&](Event& event) { connect_to_target(event.connection); });
    for (auto& queue : deliveries_) take_due(queue, now, [&](Event& event) {
      Direction& direction = event.connection->directions[event.sender];
      if (event.bytes == 0) direction.end_arrived = true;
      direction.arrived += event.bytes;
      pump(event.connection);
    });
    for (auto& queue : acknowledgements_) take_due(queue, now, [&](Event& event) {
      Direction& direction = event.connection->directions[event.sender];
      direction.unacknowledged -= event.bytes;
      direction.window = std::min(direction.window + event.bytes, kLargestWindow);
      pump(event.connection);
    });
    for (Way& way : ways_) serve_waiting(way, now);
    retired_.clear();
  }

  // Senders take turns on a line that had no room for them.
  void serve_waiting(Way& way, int64_t now) {
    while (!way.waiting.empty() && room_from_us(way) <= now) {
      const ConnectionRef connection = way.waiting.front();
      way.waiting.pop_front();
      connection->directions[&way - ways_].waits = false;
      way.turn = connection.get();
      if (!connection->gone) pump(connection);
      way.turn = nullptr;
    }
  }

  int64_t room_from_us(const Way& way) const { return static_cast<int64_t>(way.free_us) - round_trip_us_; }

  // When so many bytes have left the line, of which they take their share after what was sent before.
  int64_t leave_us(Way& way, int64_t now, int64_t bytes) const {
    if (bytes_per_second_ == 0) return now;
    way.free_us = std::max(way.free_us, static_cast<double>(now)) + 1e6 * bytes / bytes_per_second_;
    return static_cast<int64_t>(way.free_us);
  }

  template <typename Action>
  static void take_due(std::deque<Event>& queue, int64_t now, Action action) {
    while (!queue.empty() && queue.front().due_us <= now) {
      Event event = std::move(queue.front());
      queue.pop_front();
      if (!event.connection->gone) action(event);
    }
  }

  void accept_all() {
    for (;;) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) return;
      auto connection = std::make_shared<Connection>();
      for (auto& direction : connection->directions) direction.pipes.push_back(empty_pipe());
      connections_.push_back(connection);
      watch(*connection, 0, fd);
      connects_.push_back({now_us() + round_trip_us_, connection, 0, 0});
    }
  }

  Pipe empty_pipe() {
    if (!spare_pipes_.empty()) {
      const Pipe pipe = spare_pipes_.back();
      spare_pipes_.pop_back();
      return pipe;
    }
    int ends[2];
    if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) < 0) die("pipe2");
    fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
    return {.in = ends[1], .out = ends[0], .held = 0};
  }

  void connect_to_target(const ConnectionRef& connection) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(target_port_);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0 && errno != EINPROGRESS) {
      close(fd);
      drop(connection);
      return;
    }
    connection->connected = true;
    watch(*connection, 1, fd);
    pump(connection);
  }

  void watch(Connection& connection, int which, int fd) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection.ends[which] = {.fd = fd, .readable = false, .writable = false, .connection = &connection};
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.ptr = &connection.ends[which]}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }

  // Moves what can be moved, both ways.
  void pump(const ConnectionRef& connection) {
    if (connection->gone || !connection->connected) return;
    for (int sender = 0; sender < 2; sender++) {
      if (!deliver(*connection, sender) || !receive(connection, sender)) {
        drop(connection);
        return;
      }
    }
    if (connection->directions[0].shut && connection->directions[1].shut) drop(connection);
  }

  // From the sender's socket into the pipe, as far as the window allows. False: the connection is broken.
  bool receive(const ConnectionRef& connection, int sender) {
    End& from = connection->ends[sender];
    Direction& direction = connection->directions[sender];
    Way& way = ways_[sender];
    while (from.readable && !direction.read_end && direction.unacknowledged < direction.window && !direction.waits) {
      const bool in_turn = way.turn == connection.get() || way.waiting.empty();
      way.turn = nullptr;
      if (bytes_per_second_ != 0 && (!in_turn || room_from_us(way) > now_us())) {
        direction.waits = true;
        way.waiting.push_back(connection);
        break;
      }
      const size_t room = std::min<size_t>(direction.window - direction.unacknowledged, kSpliceBytes);
      Pipe& pipe = direction.pipes.back();
      const ssize_t moved = splice(from.fd, nullptr, pipe.in, nullptr, room, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
      const int64_t now = now_us();
      if (moved > 0) {
        pipe.held += moved;
        direction.unacknowledged += moved;
        const int64_t left = leave_us(way, now, moved);
        deliveries_[sender].push_back({left + round_trip_us_ / 2, connection, sender, moved});
        acknowledgements_[sender].push_back({left + round_trip_us_, connection, sender, moved});
      } else if (moved == 0) {
        direction.read_end = true;
        deliveries_[sender].push_back({leave_us(way, now, 0) + round_trip_us_ / 2, connection, sender, 0});
      } else if (errno == EAGAIN) {
        // Nothing to read, or no room in the pipe.
        int waiting = 0;
        if (pipe.held == 0 || ioctl(from.fd, FIONREAD, &waiting) < 0 || waiting == 0) {
          from.readable = false;
        } else {
          direction.pipes.push_back(empty_pipe());
        }
      } else {
        return false;
      }
    }
    return true;
  }

  // From the pipes to the receiver's socket, as far as bytes have arrived. False: the connection is broken.
  bool deliver(Connection& connection, int sender) {
    End& to = connection.ends[1 - sender];
    Direction& direction = connection.directions[sender];
    while (to.writable && direction.arrived > 0) {
      Pipe& pipe = direction.pipes.front();
      const size_t due = std::min(direction.arrived, pipe.held);
      const ssize_t moved = splice(pipe.out, nullptr, to.fd, nullptr, due, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
      if (moved > 0) {
        pipe.held -= moved;
        direction.arrived -= moved;
        if (pipe.held == 0 && direction.pipes.size() > 1) {
          spare_pipes_.push_back(pipe);
          direction.pipes.pop_front();
        }
      } else if (moved < 0 && errno == EAGAIN) {
        to.writable = false;
      } else {
        return false;
      }
    }
    if (direction.end_arrived && direction.arrived == 0 && !direction.shut) {
      shutdown(to.fd, SHUT_WR);
      direction.shut = true;
    }
    return true;
  }

  void drop(const ConnectionRef& connection) {
    connection->gone = true;
    for (const auto& end : connection->ends) {
      if (end.fd >= 0) close(end.fd);
    }
    for (const auto& direction : connection->directions) {
      for (const auto& pipe : direction.pipes) {
        close(pipe.in);
        close(pipe.out);
      }
    }
    // Events of this round may still point at it.
    retired_.push_back(connection);
    std::erase(connections_, connection);
  }

  const int target_port_;
  const int64_t round_trip_us_;
  const int64_t bytes_per_second_;  // 0: as fast as the machine
  int epoll_ = -1;
  int listener_ = -1;
  std::vector<ConnectionRef> connections_;
  std::vector<ConnectionRef> retired_;
  std::vector<Pipe> spare_pipes_;
  std::deque<Event> connects_;
  // By sender, as all that follow.
  std::deque<Event> deliveries_[2];
  std::deque<Event> acknowledgements_[2];
  Way ways_[2];
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    fprintf(stderr, "usage: latency-proxy TARGET_PORT ROUND_TRIP_US [BYTES_PER_SECOND]\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  // The kernel would wake it up to 50 us late, twice a round trip.
  prctl(PR_SET_TIMERSLACK, 1UL);
  Proxy(atoi(argv[1]), atoll(argv[2]), argc == 4 ? atoll(argv[3]) : 0).run();
}
