#include <sys/ioctl.h>
#include <sys/socket.h>
#ifdef __linux__
#include <linux/sockios.h>
#endif

#include "../concerns.h"
#include "../js.h"
#include "../waiting_bytes.h"

/** Calls on sockets that Node does not have (src/lib/socket-addon.ts). */
namespace svcfs::socket {
namespace {

/** setReceiveLowWater(fd, bytes): SO_RCVLOWAT. A system that refuses it wakes readers as it always did. */
napi_value SetReceiveLowWater(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value arguments[2];
  int fd = -1;
  int bytes = 1;
  if (napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr) != napi_ok || count != 2) {
    js::Throw(env, "expected a descriptor and a number of bytes");
    return nullptr;
  }
  if (!js::ToInt(env, arguments[0], &fd) || !js::ToInt(env, arguments[1], &bytes)) return nullptr;
  // Only faster: a failure in the midst of a body must not end the process.
  setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
  return nullptr;
}

/** The only argument; false with an exception pending. */
bool Descriptor(napi_env env, napi_callback_info info, int* fd) {
  size_t count = 1;
  napi_value argument;
  if (napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr) == napi_ok && count == 1) {
    return js::ToInt(env, argument, fd);
  }
  js::Throw(env, "expected a descriptor");
  return false;
}

/** unacknowledgedBytes(fd): SIOCOUTQ (tcp(7)), SO_NWRITE on macOS. 0 where the system does not tell. */
napi_value UnacknowledgedBytes(napi_env env, napi_callback_info info) {
  int fd = -1;
  int bytes = 0;
  if (!Descriptor(env, info, &fd)) return nullptr;
#ifdef __linux__
  if (ioctl(fd, SIOCOUTQ, &bytes) != 0) bytes = 0;
#else
  socklen_t length = sizeof bytes;
  if (getsockopt(fd, SOL_SOCKET, SO_NWRITE, &bytes, &length) != 0) bytes = 0;
#endif
  return js::Number(env, bytes);
}

/** waitingBytes(fd) */
napi_value WaitingBytesCall(napi_env env, napi_callback_info info) {
  int fd = -1;
  if (!Descriptor(env, info, &fd)) return nullptr;
  return js::Number(env, WaitingBytes(fd));
}

}  // namespace

bool Register(napi_env env, napi_value exports) {
  return js::Export(env, exports, "setReceiveLowWater", SetReceiveLowWater) &&
         js::Export(env, exports, "unacknowledgedBytes", UnacknowledgedBytes) &&
         js::Export(env, exports, "waitingBytes", WaitingBytesCall);
}

}  // namespace svcfs::socket
