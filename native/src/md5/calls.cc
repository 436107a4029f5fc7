/**
 * MD5 of many inputs at once, on a thread of libuv's pool. The digests in the making belong to JS (src/lib/md5-lanes.ts);
 * a call takes more bytes into each of them.
 */
#include <node_api.h>

#include <cstring>
#include <vector>

#include "../concerns.h"
#include "../js.h"
#include "hash.h"

namespace svcfs::md5 {
namespace {

constexpr size_t kDigestBytes = 16;

/** One call: its jobs, and what keeps their bytes alive. */
struct Batch {
  std::vector<Job> jobs;
  std::vector<uint8_t*> states;
  napi_ref arguments = nullptr;
  napi_async_work work = nullptr;
  napi_deferred deferred = nullptr;
};

bool Element(napi_env env, napi_value array, uint32_t index, napi_value* out) {
  return napi_get_element(env, array, index, out) == napi_ok;
}

bool ReadJob(napi_env env, napi_value states, napi_value pieces, napi_value totals, uint32_t index, Batch* batch) {
  napi_value state, piece, total;
  uint8_t *state_bytes = nullptr, *bytes = nullptr;
  size_t state_length = 0, length = 0;
  double total_bytes = 0;
  if (!Element(env, states, index, &state) || !Element(env, pieces, index, &piece) ||
      !Element(env, totals, index, &total) || !js::ToBytes(env, state, &state_bytes, &state_length) ||
      !js::ToBytes(env, piece, &bytes, &length) ||
      napi_get_value_double(env, total, &total_bytes) != napi_ok || state_length != kDigestBytes) {
    return false;
  }
  const bool last = total_bytes >= 0;
  Job job{{}, bytes, length, last, last ? static_cast<uint64_t>(total_bytes) : 0};
  memcpy(job.state, state_bytes, kDigestBytes);
  batch->jobs.push_back(job);
  batch->states.push_back(state_bytes);
  return true;
}

void Run(napi_env, void* data) {
  Batch* batch = static_cast<Batch*>(data);
  Hash(batch->jobs.data(), batch->jobs.size());
}

void Finish(napi_env env, napi_status, void* data) {
  Batch* batch = static_cast<Batch*>(data);
  for (size_t i = 0; i < batch->jobs.size(); i += 1) {
    memcpy(batch->states[i], batch->jobs[i].state, kDigestBytes);
  }
  napi_resolve_deferred(env, batch->deferred, js::Undefined(env));
  napi_delete_reference(env, batch->arguments);
  napi_delete_async_work(env, batch->work);
  delete batch;
}

/** Keeps the arguments, and with them all bytes, until the batch is done. */
bool Hold(napi_env env, const napi_value (&arguments)[3], Batch* batch) {
  napi_value held;
  if (napi_create_array_with_length(env, 3, &held) != napi_ok) return false;
  for (uint32_t i = 0; i < 3; i += 1) {
    if (napi_set_element(env, held, i, arguments[i]) != napi_ok) return false;
  }
  return napi_create_reference(env, held, 1, &batch->arguments) == napi_ok;
}

/**
 * update(states, pieces, totals): a promise. Takes each piece into the state of the same index. A total that is not
 * negative says that the piece is the last, of so many bytes; the others are multiples of 64 bytes.
 */
napi_value Update(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value arguments[3], name, promise;
  uint32_t length = 0;
  if (napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr) != napi_ok || count != 3 ||
      napi_get_array_length(env, arguments[0], &length) != napi_ok) {
    js::Throw(env, "expected three arrays");
    return nullptr;
  }
  Batch* batch = new Batch();
  for (uint32_t i = 0; i < length; i += 1) {
    if (ReadJob(env, arguments[0], arguments[1], arguments[2], i, batch)) continue;
    delete batch;
    js::Throw(env, "expected states of 16 bytes, pieces and totals");
    return nullptr;
  }
  if (!Hold(env, arguments, batch) || napi_create_promise(env, &batch->deferred, &promise) != napi_ok ||
      napi_create_string_utf8(env, "md5", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_async_work(env, nullptr, name, Run, Finish, batch, &batch->work) != napi_ok ||
      napi_queue_async_work(env, batch->work) != napi_ok) {
    js::Throw(env, "no thread can be asked");
    return nullptr;
  }
  return promise;
}

}  // namespace

bool Register(napi_env env, napi_value exports) {
  return js::Export(env, exports, "update", Update);
}

}  // namespace svcfs::md5
