#include <sys/mman.h>

#include <cerrno>
#include <cstdint>

#include "../concerns.h"
#include "../js.h"

/**
 * Memory that moves data, apart from the garbage collector (src/lib/memory-addon.ts).
 *
 * It makes chunks for the data path (src/content/memory/arena.ts). Memory of the JS engine would cost more. Its pages are
 * small, and the first touch of each is a fault that costs more than the copy into it. The engine also counts it as its
 * own, and marks its whole heap again and again while the arena grows.
 */
namespace svcfs::memory {
namespace {

/** Of x86-64 and most arm64; where it is another, pages stay small. */
constexpr size_t kHugePage = 2 * 1024 * 1024;

/** Beyond this a number is no exact one. Node.js may refuse less: 20 has no buffer of more than 4 GiB. */
constexpr double kLargest = 9007199254740991;

struct Mapping {
  void* base;
  size_t length;
};

void Unmap(void* hint) {
  auto* mapping = static_cast<Mapping*>(hint);
  munmap(mapping->base, mapping->length);
  delete mapping;
}

/** chunk(bytes): an ArrayBuffer of zeros, aligned to huge pages, in such as far as the machine has them. */
napi_value Chunk(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument;
  double wanted = 0;
  if (napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr) != napi_ok || count != 1 ||
      napi_get_value_double(env, argument, &wanted) != napi_ok || !(wanted > 0 && wanted <= kLargest)) {
    js::Throw(env, "expected a number of bytes");
    return nullptr;
  }
  const size_t bytes = static_cast<size_t>(wanted);
  const size_t length = bytes + kHugePage;
  void* base = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) {
    js::ThrowErrno(env, "mmap", errno);
    return nullptr;
  }
  const uintptr_t aligned = (reinterpret_cast<uintptr_t>(base) + kHugePage - 1) / kHugePage * kHugePage;
  void* chunk = reinterpret_cast<void*>(aligned);
  // Only faster.
  madvise(chunk, bytes, MADV_HUGEPAGE);
  auto* mapping = new Mapping{base, length};
  const napi_value buffer = js::ForeignBuffer(env, chunk, bytes, Unmap, mapping);
  if (buffer == nullptr) js::Throw(env, "no buffer can be made of foreign memory");
  return buffer;
}

/**
 * giveBack(buffer): the machine may use the pages of a chunk again, and its bytes are zeros from then on. The addresses
 * stay good until the last reference is gone, so a thread that still reads for an abandoned request does not crash.
 */
napi_value GiveBack(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument;
  void* bytes = nullptr;
  size_t length = 0;
  if (napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr) != napi_ok || count != 1 ||
      napi_get_arraybuffer_info(env, argument, &bytes, &length) != napi_ok) {
    js::Throw(env, "expected a chunk");
    return nullptr;
  }
  if (madvise(bytes, length, MADV_DONTNEED) != 0) js::ThrowErrno(env, "madvise", errno);
  return nullptr;
}

/** release(buffer): the engine frees the bytes of its own ArrayBuffer at once, which is empty from then on. */
napi_value Release(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value argument;
  if (napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr) != napi_ok || count != 1 ||
      napi_detach_arraybuffer(env, argument) != napi_ok) {
    js::Throw(env, "expected an ArrayBuffer");
  }
  return nullptr;
}

}  // namespace

bool Register(napi_env env, napi_value exports) {
  return js::Export(env, exports, "chunk", Chunk) &&
         js::Export(env, exports, "giveBack", GiveBack) &&
         js::Export(env, exports, "release", Release);
}

}  // namespace svcfs::memory
