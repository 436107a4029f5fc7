/**
 * The transport between the kernel's FUSE device and JS. It moves bytes and knows no file system; what the bytes mean is
 * in src/fuse. No state outside the objects it hands out, so any number of mounts and environments can use it.
 */
#include <node_api.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <uv.h>

#include <cerrno>
#include <string>

#include "../concerns.h"
#include "../js.h"
#include "channel.h"
#include "mount.h"

namespace svcfs {
namespace {

template <size_t N>
bool Arguments(napi_env env, napi_callback_info info, napi_value (&arguments)[N]) {
  size_t count = N;
  if (napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr) == napi_ok && count == N) return true;
  js::Throw(env, "wrong number of arguments");
  return false;
}

/** mountDevice(source, mountPoint, type, flags, options): the descriptor of a new mount. */
napi_value MountDeviceCall(napi_env env, napi_callback_info info) {
  napi_value arguments[5];
  std::string source, mount_point, type, options;
  uint32_t flags = 0;
  if (!Arguments(env, info, arguments) || !js::ToString(env, arguments[0], &source) ||
      !js::ToString(env, arguments[1], &mount_point) || !js::ToString(env, arguments[2], &type) ||
      !js::ToUint32(env, arguments[3], &flags) || !js::ToString(env, arguments[4], &options)) {
    return nullptr;
  }
  UniqueFd device;
  if (const int error = OpenDevice(&device)) {
    js::ThrowErrno(env, "open", error);
    return nullptr;
  }
  if (const int error = MountDevice(device.get(), source, mount_point, type, flags, options)) {
    js::ThrowErrno(env, "mount", error);
    return nullptr;
  }
  return js::Number(env, device.Release());
}

/** adoptDevice(device): readies a descriptor that another process opened and mounted. */
napi_value AdoptDeviceCall(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  int device = -1;
  if (!Arguments(env, info, arguments) || !js::ToInt(env, arguments[0], &device)) return nullptr;
  if (const int error = AdoptDevice(device)) {
    js::ThrowErrno(env, "fcntl", error);
    return nullptr;
  }
  return js::Undefined(env);
}

/** socketPair(): [ours, theirs] for fusermount3's _FUSE_COMMFD. */
napi_value SocketPairCall(napi_env env, napi_callback_info) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
    js::ThrowErrno(env, "socketpair", errno);
    return nullptr;
  }
  UniqueFd ours(ends[0]), theirs(ends[1]);
  napi_value pair;
  if (napi_create_array_with_length(env, 2, &pair) != napi_ok ||
      napi_set_element(env, pair, 0, js::Number(env, ours.get())) != napi_ok ||
      napi_set_element(env, pair, 1, js::Number(env, theirs.get())) != napi_ok) {
    return nullptr;
  }
  ours.Release();
  theirs.Release();
  return pair;
}

/** receiveDevice(socket): the descriptor that fusermount3 sent, once it has ended. */
napi_value ReceiveDeviceCall(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  int socket = -1;
  if (!Arguments(env, info, arguments) || !js::ToInt(env, arguments[0], &socket)) return nullptr;
  UniqueFd device;
  if (const int error = ReceiveDevice(socket, &device)) {
    js::ThrowErrno(env, "recvmsg", error);
    return nullptr;
  }
  return js::Number(env, device.Release());
}

/** forceUnmount(mountPoint): aborts and detaches a mount whose server is gone or stuck: 0 or an errno. */
napi_value ForceUnmountCall(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  std::string mount_point;
  if (!Arguments(env, info, arguments) || !js::ToString(env, arguments[0], &mount_point)) return nullptr;
  return js::Number(env, ForceUnmount(mount_point));
}

/** transport(): the calls above, where this node's libuv is the one that the addon was built against. */
napi_value TransportCall(napi_env env, napi_callback_info) {
  // The handles are embedded by the size the headers give; a libuv with larger ones would write past them.
  if (uv_handle_size(UV_POLL) > sizeof(uv_poll_t) || uv_handle_size(UV_ASYNC) > sizeof(uv_async_t)) {
    js::Throw(env, "built against another libuv than this node's: run npm run build:native");
    return nullptr;
  }
  napi_value calls;
  const bool done = napi_create_object(env, &calls) == napi_ok &&
                    js::Export(env, calls, "mountDevice", MountDeviceCall) &&
                    js::Export(env, calls, "adoptDevice", AdoptDeviceCall) &&
                    js::Export(env, calls, "socketPair", SocketPairCall) &&
                    js::Export(env, calls, "receiveDevice", ReceiveDeviceCall) &&
                    js::Export(env, calls, "forceUnmount", ForceUnmountCall) &&
                    Channel::Register(env, calls);
  if (done) return calls;
  js::Throw(env, "the transport could not be set up");
  return nullptr;
}

}  // namespace

namespace transport {

bool Register(napi_env env, napi_value exports) {
  return js::Export(env, exports, "transport", TransportCall);
}

}  // namespace transport
}  // namespace svcfs
