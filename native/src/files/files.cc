#include <node_api.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "../concerns.h"
#include "../js.h"

/** Calls on files that Node.js lacks (src/lib/files-addon.ts). */
namespace svcfs::files {
namespace {

/** Beyond this a number is no exact one. */
constexpr double kLargest = 9007199254740991;

struct Copy {
  int from;
  int to;
  off64_t from_offset;
  off64_t to_offset;
  size_t length;
  /** Bytes, or the negative errno. */
  double result = 0;
  napi_async_work work = nullptr;
  napi_deferred deferred = nullptr;
};

void Run(napi_env, void* data) {
  Copy* copy = static_cast<Copy*>(data);
  const ssize_t copied =
      copy_file_range(copy->from, &copy->from_offset, copy->to, &copy->to_offset, copy->length, 0);
  copy->result = copied < 0 ? -errno : static_cast<double>(copied);
}

void Finish(napi_env env, napi_status, void* data) {
  Copy* copy = static_cast<Copy*>(data);
  napi_resolve_deferred(env, copy->deferred, js::Number(env, copy->result));
  napi_delete_async_work(env, copy->work);
  delete copy;
}

bool ToOffset(napi_env env, napi_value value, double* out) {
  return napi_get_value_double(env, value, out) == napi_ok && *out >= 0 && *out <= kLargest;
}

/**
 * copyRange(from, to, fromOffset, toOffset, length): a promise of how many bytes the kernel copied between two descriptors, or
 * of the negative errno. Both descriptors must stay open until then.
 */
napi_value CopyRange(napi_env env, napi_callback_info info) {
  size_t count = 5;
  napi_value arguments[5], name, promise;
  int from = 0, to = 0;
  double from_offset = 0, to_offset = 0, length = 0;
  if (napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr) != napi_ok || count != 5) {
    js::Throw(env, "expected two descriptors, two offsets and a length");
    return nullptr;
  }
  if (!js::ToInt(env, arguments[0], &from) || !js::ToInt(env, arguments[1], &to)) return nullptr;
  if (!ToOffset(env, arguments[2], &from_offset) || !ToOffset(env, arguments[3], &to_offset) ||
      !ToOffset(env, arguments[4], &length)) {
    js::Throw(env, "expected offsets and a length that are exact numbers");
    return nullptr;
  }
  Copy* copy = new Copy{from, to, static_cast<off64_t>(from_offset), static_cast<off64_t>(to_offset),
                        static_cast<size_t>(length)};
  if (napi_create_promise(env, &copy->deferred, &promise) != napi_ok ||
      napi_create_string_utf8(env, "copyRange", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_async_work(env, nullptr, name, Run, Finish, copy, &copy->work) != napi_ok ||
      napi_queue_async_work(env, copy->work) != napi_ok) {
    delete copy;
    js::Throw(env, "no thread can be asked");
    return nullptr;
  }
  return promise;
}

}  // namespace

bool Register(napi_env env, napi_value exports) { return js::Export(env, exports, "copyRange", CopyRange); }

}  // namespace svcfs::files
