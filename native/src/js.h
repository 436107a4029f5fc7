#pragma once

#include <node_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

/** The little of Node-API that the addon needs, in terms of C++ values. JS thread only. */
namespace svcfs::js {

/** Throws a JS Error with `code` (the errno's name, as Node's own), `errno` (negative) and `syscall`. */
void ThrowErrno(napi_env env, const char* syscall, int error);

void Throw(napi_env env, const char* message);

napi_value Number(napi_env env, double value);
/** As Number, and faster. */
napi_value Integer(napi_env env, int32_t value);
napi_value Undefined(napi_env env);

/** False, with a JS exception pending, when the value has another type. */
bool ToInt(napi_env env, napi_value value, int* out);
bool ToUint32(napi_env env, napi_value value, uint32_t* out);
bool ToBool(napi_env env, napi_value value, bool* out);
bool ToString(napi_env env, napi_value value, std::string* out);
/** The bytes of a Uint8Array (or Buffer), as long as it lives. */
bool ToBytes(napi_env env, napi_value value, uint8_t** data, size_t* length);

/**
 * An ArrayBuffer over memory of ours. Where the engine allows that (before Node.js 23), the garbage collector does not
 * count it. Counted memory would make it mark its whole heap more and more often as ours grows, and free nothing. The
 * caller's `release` runs once: when the last reference is gone, or when this fails (null).
 */
napi_value ForeignBuffer(napi_env env, void* data, size_t bytes, void (*release)(void* hint), void* hint);

/** Adds a function to `exports`. */
bool Export(napi_env env, napi_value exports, const char* name, napi_callback function);

}  // namespace svcfs::js
