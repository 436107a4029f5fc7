// The load of a program on a file system, timed from inside: the same system calls for every peer.
//
//   load read PATH...                              each path on a thread of its own, front to back, 1 MiB a read
//   load write BYTES PATH...                       likewise written and closed
//   load random PATH BLOCK THREADS COUNT [direct]  COUNT reads a thread at random multiples of BLOCK
//   load create|fetch|delete DIRECTORY COUNT THREADS
//                                                  files of 4 KiB: f0, f1, ...
//   load stat DIRECTORY THREADS PASSES             every entry, in an order of each thread's own
//   load first-byte PATH...                        one after the other opened and one byte of it read
//   load bam-text COUNT                            sorted made-up reads as SAM on stdout
//
// Prints one line of JSON: seconds, operations, bytes, and the latency of one operation in milliseconds.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBufferBytes = 1024 * 1024;
constexpr size_t kSmallFileBytes = 4096;
constexpr uint64_t kSeed = 20240229;

[[noreturn]] void die(const std::string& what) {
  perror(what.c_str());
  exit(1);
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The tally of one thread.
struct Tally {
  uint64_t bytes = 0;
  std::vector<double> latencies_ms;

  void timed(const std::function<void()>& operation) {
    const auto start = Clock::now();
    operation();
    latencies_ms.push_back(seconds_since(start) * 1000);
  }
};

using Work = std::function<void(int thread, Tally&)>;

void run(int threads, const Work& work) {
  std::vector<Tally> tallies(threads);
  std::vector<std::thread> running;
  const auto start = Clock::now();
  for (int i = 0; i < threads; i++) running.emplace_back([&, i] { work(i, tallies[i]); });
  for (auto& thread : running) thread.join();
  const double seconds = seconds_since(start);
  Tally all;
  for (const auto& tally : tallies) {
    all.bytes += tally.bytes;
    all.latencies_ms.insert(all.latencies_ms.end(), tally.latencies_ms.begin(), tally.latencies_ms.end());
  }
  std::sort(all.latencies_ms.begin(), all.latencies_ms.end());
  const auto percentile = [&](double p) {
    return all.latencies_ms.empty() ? 0.0 : all.latencies_ms[static_cast<size_t>(p * (all.latencies_ms.size() - 1))];
  };
  printf("{\"seconds\":%.6f,\"operations\":%zu,\"bytes\":%lu,\"p50Ms\":%.4f,\"p99Ms\":%.4f}\n", seconds,
         all.latencies_ms.size(), all.bytes, percentile(0.5), percentile(0.99));
}

int open_or_die(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (fd < 0) die(path);
  return fd;
}

void close_or_die(int fd, const std::string& path) {
  if (close(fd) != 0) die(path);
}

struct AlignedBuffer {
  char* data;
  explicit AlignedBuffer(size_t size) : data(static_cast<char*>(aligned_alloc(4096, (size + 4095) / 4096 * 4096))) {
    memset(data, 1, size);
  }
  ~AlignedBuffer() { free(data); }
};

void read_whole(const std::string& path, Tally& tally) {
  AlignedBuffer buffer(kBufferBytes);
  const int fd = open_or_die(path, O_RDONLY);
  ssize_t count;
  while ((count = read(fd, buffer.data, kBufferBytes)) > 0) tally.bytes += count;
  if (count < 0) die(path);
  close_or_die(fd, path);
}

// Incompressible, and no two blocks alike.
void write_whole(const std::string& path, uint64_t size, Tally& tally) {
  AlignedBuffer buffer(kBufferBytes);
  std::mt19937_64 random(std::hash<std::string>{}(path));
  auto* words = reinterpret_cast<uint64_t*>(buffer.data);
  std::generate(words, words + kBufferBytes / sizeof *words, random);
  const int fd = open_or_die(path, O_WRONLY | O_CREAT | O_TRUNC);
  while (tally.bytes < size) {
    for (size_t i = 0; i < kBufferBytes / sizeof *words; i += 512) words[i]++;
    const ssize_t count = write(fd, buffer.data, std::min<uint64_t>(kBufferBytes, size - tally.bytes));
    if (count <= 0) die(path);
    tally.bytes += count;
  }
  close_or_die(fd, path);
}

void read_randomly(const std::string& path, size_t block, int threads, int count, bool direct) {
  run(threads, [&](int thread, Tally& tally) {
    AlignedBuffer buffer(block);
    const int fd = open_or_die(path, O_RDONLY | (direct ? O_DIRECT : 0));
    struct stat attributes;
    if (fstat(fd, &attributes) != 0) die(path);
    std::mt19937_64 random(kSeed + thread);
    std::uniform_int_distribution<uint64_t> blocks(0, attributes.st_size / block - 1);
    for (int i = 0; i < count; i++) {
      tally.timed([&] {
        const ssize_t got = pread(fd, buffer.data, block, static_cast<off_t>(blocks(random) * block));
        if (got != static_cast<ssize_t>(block)) die(path);
        tally.bytes += got;
      });
    }
    close_or_die(fd, path);
  });
}

void small_files(const std::string& what, const std::string& directory, int count, int threads) {
  run(threads, [&](int thread, Tally& tally) {
    AlignedBuffer buffer(kSmallFileBytes);
    for (int i = thread; i < count; i += threads) {
      const std::string path = directory + "/f" + std::to_string(i);
      tally.timed([&] {
        if (what == "delete") {
          if (unlink(path.c_str()) != 0) die(path);
          return;
        }
        const int fd = open_or_die(path, what == "create" ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY);
        const ssize_t moved =
            what == "create" ? write(fd, buffer.data, kSmallFileBytes) : read(fd, buffer.data, kSmallFileBytes);
        if (moved != static_cast<ssize_t>(kSmallFileBytes)) die(path);
        close_or_die(fd, path);
        tally.bytes += moved;
      });
    }
  });
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  DIR* open_directory = opendir(directory.c_str());
  if (open_directory == nullptr) die(directory);
  while (const dirent* entry = readdir(open_directory)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  closedir(open_directory);
  return names;
}

/** By the directory's descriptor, as fts(3) does it: how deep the folder lies below the mount point is not measured. */
void stat_storm(const std::string& directory, int threads, int passes) {
  const auto names = names_in(directory);
  const int parent = open_or_die(directory, O_RDONLY | O_DIRECTORY);
  run(threads, [&](int thread, Tally& tally) {
    auto order = names;
    std::shuffle(order.begin(), order.end(), std::mt19937_64(kSeed + thread));
    for (int pass = 0; pass < passes; pass++) {
      for (const auto& name : order) {
        tally.timed([&] {
          struct stat attributes;
          if (fstatat(parent, name.c_str(), &attributes, 0) != 0) die(name);
        });
      }
    }
  });
  close(parent);
}

void first_bytes(const std::vector<std::string>& paths) {
  run(1, [&](int, Tally& tally) {
    for (const auto& path : paths) {
      tally.timed([&] {
        const int fd = open_or_die(path, O_RDONLY);
        char byte;
        if (pread(fd, &byte, 1, 0) != 1) die(path);
        tally.bytes += 1;
        close(fd);
      });
    }
  });
}

void bam_text(long count) {
  constexpr long kChromosomeBytes = 200'000'000;
  constexpr int kReadBytes = 150;
  std::mt19937_64 random(kSeed);
  printf("@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:%ld\n", kChromosomeBytes);
  char bases[kReadBytes + 1] = {};
  char qualities[kReadBytes + 1] = {};
  for (long i = 0; i < count; i++) {
    for (int j = 0; j < kReadBytes; j += 10) {
      uint64_t bits = random();
      for (int k = j; k < j + 10; k++, bits >>= 6) {
        bases[k] = "ACGT"[bits & 3];
        qualities[k] = static_cast<char>('+' + (bits >> 2 & 15));
      }
    }
    const long position = 1 + static_cast<long>(static_cast<double>(i) / count * (kChromosomeBytes - kReadBytes));
    printf("r%ld\t0\tchr1\t%ld\t60\t%dM\t*\t0\t0\t%s\t%s\n", i, position, kReadBytes, bases, qualities);
  }
}

int usage() {
  fprintf(stderr, "usage: load read|write|random|create|fetch|delete|stat|first-byte|bam-text ...\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 2) return usage();
  const std::string& what = args[0];
  const auto number = [&](size_t i) { return atol(args.at(i).c_str()); };
  if (what == "read") {
    run(args.size() - 1, [&](int thread, Tally& tally) { read_whole(args[thread + 1], tally); });
  } else if (what == "write") {
    run(args.size() - 2, [&](int thread, Tally& tally) { write_whole(args[thread + 2], number(1), tally); });
  } else if (what == "random") {
    read_randomly(args[1], number(2), number(3), number(4), args.size() > 5);
  } else if (what == "create" || what == "fetch" || what == "delete") {
    small_files(what, args[1], number(2), number(3));
  } else if (what == "stat") {
    stat_storm(args[1], number(2), number(3));
  } else if (what == "first-byte") {
    first_bytes({args.begin() + 1, args.end()});
  } else if (what == "bam-text") {
    bam_text(number(1));
  } else {
    return usage();
  }
}
