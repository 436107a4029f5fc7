/** Connections over TLS whose bytes another thread receives (src/lib/tls-addon.ts). */
#include <fcntl.h>
#include <node_api.h>

#include <cerrno>
#include <memory>
#include <string>
#include <unordered_map>

#include "../concerns.h"
#include "../js.h"
#include "receiver.h"

namespace svcfs::tls {
namespace {

/** What one environment of JS has, for its lifetime. */
struct Environment {
  napi_env env;
  const Crypto* crypto;
  std::unique_ptr<Receiver> receiver;
  napi_threadsafe_function report = nullptr;
  /** The buffers in which there are rooms. */
  std::unordered_map<uint32_t, napi_ref> rooms;
};

Environment* Arguments(napi_env env, napi_callback_info info, napi_value* arguments, size_t expected) {
  size_t count = expected;
  void* data = nullptr;
  if (napi_get_cb_info(env, info, &count, arguments, nullptr, &data) == napi_ok && count == expected) {
    return static_cast<Environment*>(data);
  }
  js::Throw(env, "expected more arguments");
  return nullptr;
}

void Forget(Environment* environment, uint32_t id) {
  const auto room = environment->rooms.find(id);
  if (room == environment->rooms.end()) return;
  napi_delete_reference(environment->env, room->second);
  environment->rooms.erase(room);
}

/** Tells one connection's news to `onNews(id, bytes, loose, end)`. */
void Tell(napi_env env, napi_value on_news, uint32_t id, const News& news) {
  napi_handle_scope scope;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return;
  napi_value receiver = js::Undefined(env), loose = js::Undefined(env), result;
  const std::vector<uint8_t>& bytes = news.loose;
  if (bytes.empty() || napi_create_buffer_copy(env, bytes.size(), bytes.data(), nullptr, &loose) == napi_ok) {
    const napi_value arguments[] = {js::Number(env, id), js::Number(env, static_cast<double>(news.bytes)), loose,
                                    js::Integer(env, news.end)};
    napi_call_function(env, receiver, on_news, 4, arguments, &result);
  }
  napi_close_handle_scope(env, scope);
}

/** JS thread, after the reading thread has woken it. */
void TellAll(napi_env env, napi_value on_news, void* context, void*) {
  if (env == nullptr) return;
  for (const auto& [id, news] : static_cast<Environment*>(context)->receiver->Take()) {
    Tell(env, on_news, id, news);
    bool thrown = false;
    // Node.js ends the process by it, as by any exception that nobody takes.
    if (napi_is_exception_pending(env, &thrown) == napi_ok && thrown) return;
  }
}

void Wake(void* context) {
  napi_call_threadsafe_function(static_cast<Environment*>(context)->report, nullptr, napi_tsfn_nonblocking);
}

/** start(onNews): whom to tell, once. It keeps no process alive. */
napi_value Start(napi_env env, napi_callback_info info) {
  napi_value on_news, name;
  Environment* environment = Arguments(env, info, &on_news, 1);
  if (environment == nullptr) return nullptr;
  if (environment->receiver != nullptr ||
      napi_create_string_utf8(env, "svcfs.tls", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_threadsafe_function(env, on_news, nullptr, name, 0, 1, nullptr, nullptr, environment, TellAll,
                                      &environment->report) != napi_ok ||
      napi_unref_threadsafe_function(env, environment->report) != napi_ok) {
    js::Throw(env, "cannot start to receive");
    return nullptr;
  }
  environment->receiver = std::make_unique<Receiver>(*environment->crypto, Wake, environment);
  const auto stop = [](void* data) {
    auto* ended = static_cast<Environment*>(data);
    ended->receiver->Stop();
    napi_release_threadsafe_function(ended->report, napi_tsfn_abort);
  };
  napi_add_env_cleanup_hook(env, stop, environment);
  return nullptr;
}

bool SuiteOf(napi_env env, napi_value value, const Suite** suite) {
  std::string name;
  if (!js::ToString(env, value, &name)) return false;
  *suite = FindSuite(name.c_str());
  return true;
}

/** receives(suite): whether connections of that suite, by its name of TLS 1.3, can be adopted. */
napi_value Receives(napi_env env, napi_callback_info info) {
  napi_value argument, result;
  const Suite* suite = nullptr;
  if (Arguments(env, info, &argument, 1) == nullptr || !SuiteOf(env, argument, &suite)) return nullptr;
  napi_get_boolean(env, suite != nullptr, &result);
  return result;
}

bool Bytes(napi_env env, napi_value value, size_t expected, const uint8_t** bytes) {
  uint8_t* data = nullptr;
  size_t length = 0;
  if (!js::ToBytes(env, value, &data, &length)) return false;
  *bytes = data;
  if (length == expected) return true;
  js::Throw(env, "a key has another length");
  return false;
}

/**
 * adopt(fd, suite, readKey, readIv, writeKey, writeIv, unread): the number of a connection after its handshake. It has a descriptor of
 * its own. Both keys are new: not a record was protected with them.
 */
napi_value Adopt(napi_env env, napi_callback_info info) {
  napi_value arguments[7];
  Environment* environment = Arguments(env, info, arguments, 7);
  int fd = -1;
  const Suite* suite = nullptr;
  Connection::Keys keys{};
  uint8_t* unread = nullptr;
  size_t unread_length = 0;
  if (environment == nullptr || !js::ToInt(env, arguments[0], &fd) || !SuiteOf(env, arguments[1], &suite)) {
    return nullptr;
  }
  if (suite == nullptr || environment->receiver == nullptr) {
    js::Throw(env, "cannot receive connections of this suite");
    return nullptr;
  }
  if (!Bytes(env, arguments[2], suite->key_bytes, &keys.read_key) ||
      !Bytes(env, arguments[3], kIvBytes, &keys.read_iv) ||
      !Bytes(env, arguments[4], suite->key_bytes, &keys.write_key) ||
      !Bytes(env, arguments[5], kIvBytes, &keys.write_iv) ||
      !js::ToBytes(env, arguments[6], &unread, &unread_length)) {
    return nullptr;
  }
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (own < 0) {
    js::ThrowErrno(env, "fcntl", errno);
    return nullptr;
  }
  const uint32_t id = environment->receiver->Adopt(own, *suite, keys, {unread, unread + unread_length});
  if (id == 0) js::Throw(env, "a connection cannot be received from");
  return js::Number(env, id);
}

/** The connection of the first argument; null: it is closed, or there is an exception. */
std::shared_ptr<Connection> ConnectionOf(napi_env env, Environment* environment, napi_value argument, uint32_t* id) {
  if (environment == nullptr || environment->receiver == nullptr || !js::ToUint32(env, argument, id)) return nullptr;
  return environment->receiver->Find(*id);
}

/** send(id, bytes): false: the connection is of no use any more. */
napi_value Send(napi_env env, napi_callback_info info) {
  napi_value arguments[2], result;
  Environment* environment = Arguments(env, info, arguments, 2);
  uint32_t id = 0;
  uint8_t* bytes = nullptr;
  size_t length = 0;
  const auto connection = ConnectionOf(env, environment, arguments[0], &id);
  const bool sent = connection != nullptr && js::ToBytes(env, arguments[1], &bytes, &length) &&
                    connection->Send(bytes, length);
  napi_get_boolean(env, sent, &result);
  return result;
}

/** receive(id, room): goes on, into a Uint8Array that has room for a byte at least; undefined: with no room. */
napi_value Receive(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  Environment* environment = Arguments(env, info, arguments, 2);
  uint32_t id = 0;
  uint8_t* room = nullptr;
  size_t length = 0;
  napi_valuetype type = napi_undefined;
  const auto connection = ConnectionOf(env, environment, arguments[0], &id);
  if (connection == nullptr || napi_typeof(env, arguments[1], &type) != napi_ok) return nullptr;
  if (type == napi_undefined) {
    connection->Receive(nullptr, 0);
    Forget(environment, id);
    return nullptr;
  }
  napi_ref reference = nullptr;
  if (!js::ToBytes(env, arguments[1], &room, &length) || length == 0 ||
      napi_create_reference(env, arguments[1], 1, &reference) != napi_ok) {
    js::Throw(env, "expected room");
    return nullptr;
  }
  connection->Receive(room, length);
  Forget(environment, id);
  environment->rooms[id] = reference;
  return nullptr;
}

/** close(id): when it has returned, the room is not touched any more. */
napi_value Close(napi_env env, napi_callback_info info) {
  napi_value argument;
  Environment* environment = Arguments(env, info, &argument, 1);
  uint32_t id = 0;
  if (ConnectionOf(env, environment, argument, &id) == nullptr) return nullptr;
  environment->receiver->Close(id);
  Forget(environment, id);
  return nullptr;
}

bool Export(napi_env env, napi_value exports, const char* name, napi_callback function, Environment* environment) {
  napi_value value;
  return napi_create_function(env, name, NAPI_AUTO_LENGTH, function, environment, &value) == napi_ok &&
         napi_set_named_property(env, exports, name, value) == napi_ok;
}

}  // namespace

bool Register(napi_env env, napi_value exports) {
  const Crypto* crypto = FindCrypto();
  // Without its calls the object is empty.
  if (crypto == nullptr) return true;
  auto* environment = new Environment{env, crypto, nullptr, nullptr, {}};
  const auto end = [](napi_env, void* data, void*) { delete static_cast<Environment*>(data); };
  return napi_set_instance_data(env, environment, end, nullptr) == napi_ok &&
         Export(env, exports, "start", Start, environment) && Export(env, exports, "receives", Receives, environment) &&
         Export(env, exports, "adopt", Adopt, environment) && Export(env, exports, "send", Send, environment) &&
         Export(env, exports, "receive", Receive, environment) && Export(env, exports, "close", Close, environment);
}

}  // namespace svcfs::tls
