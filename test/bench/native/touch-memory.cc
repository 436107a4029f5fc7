// Touches so many bytes of memory, and gives them back: touch-memory BYTES
// Why: test/bench/measure/keep-memory.ts.
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  constexpr size_t kPageBytes = 4096;
  const size_t bytes = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("touch-memory");
    return 1;
  }
  // Only faster.
  madvise(memory, bytes, MADV_HUGEPAGE);
  for (size_t at = 0; at < bytes; at += kPageBytes) static_cast<volatile char*>(memory)[at] = 1;
}
