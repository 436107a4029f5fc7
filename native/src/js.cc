#include "js.h"

#include <uv.h>

#include <cstring>

namespace svcfs::js {
namespace {

bool Check(napi_env env, napi_status status, const char* expected) {
  if (status == napi_ok) return true;
  napi_throw_type_error(env, nullptr, expected);
  return false;
}

struct Foreign {
  /** That the engine does not count. */
  int64_t bytes;
  void (*release)(void* hint);
  void* hint;
};

/** Of Node.js. 22 does not look; the engine of 24 (V8 13) ends the process when its count would fall below zero. */
constexpr uint32_t kStrictCount = 23;

bool MayUncount(napi_env env) {
  const napi_node_version* version = nullptr;
  return napi_get_node_version(env, &version) == napi_ok && version->major < kStrictCount;
}

/** The engine takes its size off before this, when an ArrayBuffer is gone, and ours is off already. */
void Finalize(napi_env env, void*, void* hint) {
  auto* foreign = static_cast<Foreign*>(hint);
  int64_t counted = 0;
  napi_adjust_external_memory(env, foreign->bytes, &counted);
  foreign->release(foreign->hint);
  delete foreign;
}

}  // namespace

void ThrowErrno(napi_env env, const char* syscall, int error) {
  const std::string text = std::string(syscall) + ": " + strerror(error);
  napi_value code, message, name, failure;
  if (napi_create_string_utf8(env, uv_err_name(-error), NAPI_AUTO_LENGTH, &code) != napi_ok ||
      napi_create_string_utf8(env, text.data(), text.size(), &message) != napi_ok ||
      napi_create_string_utf8(env, syscall, NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_error(env, code, message, &failure) != napi_ok) {
    return;
  }
  napi_set_named_property(env, failure, "errno", Number(env, -error));
  napi_set_named_property(env, failure, "syscall", name);
  napi_throw(env, failure);
}

void Throw(napi_env env, const char* message) { napi_throw_error(env, nullptr, message); }

napi_value Number(napi_env env, double value) {
  napi_value result = nullptr;
  napi_create_double(env, value, &result);
  return result;
}

napi_value Integer(napi_env env, int32_t value) {
  napi_value result = nullptr;
  napi_create_int32(env, value, &result);
  return result;
}

napi_value Undefined(napi_env env) {
  napi_value result = nullptr;
  napi_get_undefined(env, &result);
  return result;
}

bool ToInt(napi_env env, napi_value value, int* out) {
  return Check(env, napi_get_value_int32(env, value, out), "expected an integer");
}

bool ToUint32(napi_env env, napi_value value, uint32_t* out) {
  return Check(env, napi_get_value_uint32(env, value, out), "expected an unsigned integer");
}

bool ToBool(napi_env env, napi_value value, bool* out) {
  return Check(env, napi_get_value_bool(env, value, out), "expected a boolean");
}

bool ToString(napi_env env, napi_value value, std::string* out) {
  size_t length = 0;
  if (!Check(env, napi_get_value_string_utf8(env, value, nullptr, 0, &length), "expected a string")) {
    return false;
  }
  out->resize(length);
  return napi_get_value_string_utf8(env, value, out->data(), length + 1, &length) == napi_ok;
}

bool ToBytes(napi_env env, napi_value value, uint8_t** data, size_t* length) {
  napi_typedarray_type type;
  void* bytes = nullptr;
  const napi_status status =
      napi_get_typedarray_info(env, value, &type, length, &bytes, nullptr, nullptr);
  if (!Check(env, status, "expected a Uint8Array")) return false;
  if (type != napi_uint8_array) return Check(env, napi_invalid_arg, "expected a Uint8Array");
  *data = static_cast<uint8_t*>(bytes);
  return true;
}

napi_value ForeignBuffer(napi_env env, void* data, size_t bytes, void (*release)(void* hint), void* hint) {
  auto* foreign = new Foreign{0, release, hint};
  napi_value buffer = nullptr;
  const napi_status status = napi_create_external_arraybuffer(env, data, bytes, Finalize, foreign, &buffer);
  if (status == napi_ok) {
    foreign->bytes = MayUncount(env) ? static_cast<int64_t>(bytes) : 0;
    // The engine has added its size. To take it off in advance would be of no use: growth counts from the least there ever was.
    int64_t counted = 0;
    napi_adjust_external_memory(env, -foreign->bytes, &counted);
    return buffer;
  }
  // When Node.js has tried to make it and failed, Node.js runs the finalizer itself.
  if (status != napi_generic_failure) {
    release(hint);
    delete foreign;
  }
  return nullptr;
}

bool Export(napi_env env, napi_value exports, const char* name, napi_callback function) {
  napi_value value;
  return napi_create_function(env, name, NAPI_AUTO_LENGTH, function, nullptr, &value) == napi_ok &&
         napi_set_named_property(env, exports, name, value) == napi_ok;
}

}  // namespace svcfs::js
