/**
 * Blocks of the disk cache, read and written with their checksums on a thread of libuv's pool. A range takes one turn of
 * the event loop, which touches no byte of it. Each call answers a promise; src/content/disk/block-io.ts describes the
 * results.
 */
#include <node_api.h>

#include <cstring>
#include <string>

#include "../concerns.h"
#include "../js.h"
#include "blocks.h"

namespace svcfs::blocks {
namespace {

/** Answers of `read` and `write`. */
constexpr int kDone = 0, kEvicted = 1;

/** One call while it is under way. */
struct Call {
  enum Kind { kRead, kWrite, kCount };

  explicit Call(Kind asked) : kind(asked) {}

  Kind kind;
  Entry entry = {-1, -1};
  Span span = {0, nullptr, 0};
  uint8_t* states = nullptr;
  uint64_t blocks = 0;

  Outcome outcome;
  uint64_t present = 0;

  /** Keeps the arguments, and with them the memory, until it is over. */
  napi_ref held = nullptr;
  napi_async_work work = nullptr;
  napi_deferred deferred = nullptr;
};

/** A thread of the pool. */
void Run(napi_env, void* data) {
  auto* call = static_cast<Call*>(data);
  switch (call->kind) {
    case Call::kRead:
      call->outcome = Read(call->entry, call->span, call->states);
      break;
    case Call::kWrite:
      call->outcome = Write(call->entry, call->span);
      break;
    case Call::kCount:
      call->outcome = Count(call->entry.index, call->blocks, &call->present);
      break;
  }
}

napi_value Answer(napi_env env, const Call& call) {
  if (call.kind == Call::kCount) return js::Number(env, static_cast<double>(call.present));
  return js::Number(env, call.outcome.evicted ? kEvicted : kDone);
}

void Finish(napi_env env, napi_status, void* data) {
  auto* call = static_cast<Call*>(data);
  if (call->outcome.error == 0) {
    napi_resolve_deferred(env, call->deferred, Answer(env, *call));
  } else {
    napi_value failure;
    js::ThrowErrno(env, call->kind == Call::kWrite ? "pwrite" : "pread", call->outcome.error);
    napi_get_and_clear_last_exception(env, &failure);
    napi_reject_deferred(env, call->deferred, failure);
  }
  napi_delete_reference(env, call->held);
  napi_delete_async_work(env, call->work);
  delete call;
}

/** Takes the call over. */
napi_value Queue(napi_env env, Call* call, const napi_value* arguments, uint32_t count) {
  napi_value held, name, promise;
  bool queued = napi_create_array_with_length(env, count, &held) == napi_ok;
  for (uint32_t i = 0; queued && i < count; i++) queued = napi_set_element(env, held, i, arguments[i]) == napi_ok;
  queued = queued && napi_create_reference(env, held, 1, &call->held) == napi_ok &&
           napi_create_string_utf8(env, "svcfs.blocks", NAPI_AUTO_LENGTH, &name) == napi_ok &&
           napi_create_async_work(env, nullptr, name, Run, Finish, call, &call->work) == napi_ok &&
           napi_create_promise(env, &call->deferred, &promise) == napi_ok &&
           napi_queue_async_work(env, call->work) == napi_ok;
  if (queued) return promise;
  delete call;
  js::Throw(env, "no thread can be asked");
  return nullptr;
}

template <size_t N>
bool Arguments(napi_env env, napi_callback_info info, napi_value (&arguments)[N]) {
  size_t count = N;
  if (napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr) == napi_ok && count == N) return true;
  js::Throw(env, "wrong number of arguments");
  return false;
}

bool ToCount(napi_env env, napi_value value, uint64_t* out) {
  double number = -1;
  if (napi_get_value_double(env, value, &number) != napi_ok || !(number >= 0)) {
    js::Throw(env, "expected a number of blocks");
    return false;
  }
  *out = static_cast<uint64_t>(number);
  return true;
}

bool ToEntryAndSpan(napi_env env, const napi_value* arguments, Call* call) {
  return js::ToInt(env, arguments[0], &call->entry.data) && js::ToInt(env, arguments[1], &call->entry.index) &&
         ToCount(env, arguments[2], &call->span.first_block) &&
         js::ToBytes(env, arguments[3], &call->span.bytes, &call->span.length);
}

/** read(data, index, firstBlock, into, states) */
napi_value ReadCall(napi_env env, napi_callback_info info) {
  napi_value arguments[5];
  size_t states = 0;
  Call parsed(Call::kRead);
  if (!Arguments(env, info, arguments) || !ToEntryAndSpan(env, arguments, &parsed) ||
      !js::ToBytes(env, arguments[4], &parsed.states, &states)) {
    return nullptr;
  }
  if (states < parsed.span.blocks()) {
    js::Throw(env, "a state for each block is needed");
    return nullptr;
  }
  return Queue(env, new Call(parsed), arguments, 5);
}

/** write(data, index, firstBlock, from) */
napi_value WriteCall(napi_env env, napi_callback_info info) {
  napi_value arguments[4];
  Call parsed(Call::kWrite);
  if (!Arguments(env, info, arguments) || !ToEntryAndSpan(env, arguments, &parsed)) return nullptr;
  return Queue(env, new Call(parsed), arguments, 4);
}

/** count(index, blocks) */
napi_value CountCall(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  Call parsed(Call::kCount);
  if (!Arguments(env, info, arguments) || !js::ToInt(env, arguments[0], &parsed.entry.index) ||
      !ToCount(env, arguments[1], &parsed.blocks)) {
    return nullptr;
  }
  return Queue(env, new Call(parsed), arguments, 2);
}

}  // namespace

bool Register(napi_env env, napi_value exports) {
  return js::Export(env, exports, "read", ReadCall) &&
         js::Export(env, exports, "write", WriteCall) &&
         js::Export(env, exports, "count", CountCall);
}

}  // namespace svcfs::blocks
