#include "channel.h"

#include <sys/ioctl.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "../js.h"
#include "mount.h"
#include "../waiting_bytes.h"

namespace svcfs {
namespace {

/** linux/fuse.h since 7.40 (Linux 6.9); Debian's is older. */
struct BackingMap {
  int32_t fd;
  uint32_t flags;
  uint64_t padding;
};
constexpr unsigned kDeviceMagic = 229;
constexpr unsigned long kBackingOpen = _IOW(kDeviceMagic, 1, BackingMap);
constexpr unsigned long kBackingClose = _IOW(kDeviceMagic, 2, uint32_t);

/** The channel that a method belongs to (Bind), and the arguments of its call. */
template <size_t N>
Channel& Receive(napi_env env, napi_callback_info info, napi_value (&arguments)[N]) {
  size_t count = N;
  void* channel = nullptr;
  napi_get_cb_info(env, info, &count, arguments, nullptr, &channel);
  return *static_cast<Channel*>(channel);
}

bool Property(napi_env env, napi_value object, const char* name, napi_value* out) {
  return napi_get_named_property(env, object, name, out) == napi_ok;
}

bool Callback(napi_env env, napi_value object, const char* name, napi_ref* out) {
  napi_value function;
  return Property(env, object, name, &function) && napi_create_reference(env, function, 1, out) == napi_ok;
}

void Unreference(napi_env env, napi_ref* reference) {
  if (*reference != nullptr) napi_delete_reference(env, std::exchange(*reference, nullptr));
}

}  // namespace

bool Channel::Register(napi_env env, napi_value exports) {
  return js::Export(env, exports, "openChannel", Open);
}

napi_value Channel::Open(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value self, options, slots_value, bytes_value;
  uint32_t slots = 0, slot_bytes = 0;
  if (napi_get_cb_info(env, info, &count, &options, nullptr, nullptr) != napi_ok ||
      !Property(env, options, "slots", &slots_value) || !js::ToUint32(env, slots_value, &slots) ||
      !Property(env, options, "slotBytes", &bytes_value) || !js::ToUint32(env, bytes_value, &slot_bytes)) {
    return nullptr;
  }
  if (slots == 0 || slot_bytes == 0 || slot_bytes % ChannelMemory::kPage != 0) {
    js::Throw(env, "slots of whole pages are needed");
    return nullptr;
  }
  auto memory = ChannelMemory::Create(slots, slot_bytes);
  if (!memory) {
    js::ThrowErrno(env, "mmap", ENOMEM);
    return nullptr;
  }
  auto* channel = new Channel(env, std::move(memory));
  const bool opened = napi_create_object(env, &self) == napi_ok && channel->Bind(self) &&
                      channel->Configure(self, options) && channel->OpenHandles();
  channel->Release();
  return opened ? self : nullptr;
}

bool Channel::Bind(napi_value self) {
  const struct {
    const char* name;
    napi_callback call;
  } methods[] = {
      {"start", Start},
      {"next", Next},
      {"send", Send},
      {"sendWith", SendWith},
      {"sendSpliced", SendSpliced},
      {"goOn", GoOn},
      {"notify", Notify},
      {"openBacking", OpenBacking},
      {"closeBacking", CloseBacking},
      {"detach", Detach},
      {"close", Close},
  };
  const auto let_go = [](napi_env, void* channel, void*) { static_cast<Channel*>(channel)->Release(); };
  for (const auto& [name, call] : methods) {
    napi_value method;
    if (napi_create_function(env_, name, NAPI_AUTO_LENGTH, call, this, &method) != napi_ok ||
        napi_add_finalizer(env_, method, this, let_go, nullptr, nullptr) != napi_ok) {
      return false;
    }
    users_++;
    if (napi_set_named_property(env_, self, name, method) != napi_ok) return false;
  }
  return true;
}

void Channel::Release() {
  if (--users_ == 0) delete this;
}

/** The descriptor is the channel's from here on, even when this fails. */
bool Channel::Configure(napi_value self, napi_value options) {
  napi_value device, mount_point, via_helper, name;
  int fd = -1;
  if (!Property(env_, options, "device", &device) || !js::ToInt(env_, device, &fd)) return false;
  device_.Reset(fd);
  return Property(env_, options, "mountPoint", &mount_point) &&
         js::ToString(env_, mount_point, &mount_point_) &&
         Property(env_, options, "viaHelper", &via_helper) && js::ToBool(env_, via_helper, &via_helper_) &&
         Callback(env_, options, "onReadable", &on_readable_) &&
         Callback(env_, options, "onNotified", &on_notified_) &&
         napi_create_string_utf8(env_, "svcfs.Channel", NAPI_AUTO_LENGTH, &name) == napi_ok &&
         napi_async_init(env_, self, name, &context_) == napi_ok &&
         napi_set_named_property(env_, self, "memory", MemoryObject()) == napi_ok &&
         napi_create_reference(env_, self, 1, &self_) == napi_ok;
}

napi_value Channel::MemoryObject() {
  auto* hold = new std::shared_ptr<ChannelMemory>(memory_);
  const auto let_go = [](void* hint) { delete static_cast<std::shared_ptr<ChannelMemory>*>(hint); };
  return js::ForeignBuffer(env_, memory_->data(), memory_->size(), let_go, hold);
}

bool Channel::OpenHandles() {
  uv_loop_t* loop = nullptr;
  if (napi_get_uv_event_loop(env_, &loop) != napi_ok) return false;
  poll_.data = notified_.data = this;

  const auto on_notified = [](uv_async_t* handle) {
    auto* channel = static_cast<Channel*>(handle->data);
    channel->Call(channel->on_notified_);
  };
  int error = uv_async_init(loop, &notified_, on_notified);
  if (error == 0) {
    open_handles_++;
    uv_unref(reinterpret_cast<uv_handle_t*>(&notified_));
    error = uv_poll_init(loop, &poll_, device_.get());
  }
  if (error == 0) {
    open_handles_++;
    error = -notifier_.Start(device_.get(), &notified_);
  }
  const auto on_exit = [](napi_async_cleanup_hook_handle, void* data) {
    auto* channel = static_cast<Channel*>(data);
    channel->DetachNow();
    channel->CloseHandles();
  };
  if (error == 0 && napi_add_async_cleanup_hook(env_, on_exit, this, &cleanup_) == napi_ok) return true;
  CloseHandles();
  js::ThrowErrno(env_, "uv_poll_init", error == 0 ? ENOMEM : -error);
  return false;
}

napi_value Channel::Start(napi_env env, napi_callback_info info) {
  napi_value none[1];
  Channel& channel = Receive(env, info, none);
  if (channel.closed_) return nullptr;
  const auto on_readable = [](uv_poll_t* handle, int, int) {
    auto* channel = static_cast<Channel*>(handle->data);
    channel->Call(channel->on_readable_);
  };
  const int error = uv_poll_start(&channel.poll_, UV_READABLE | UV_DISCONNECT, on_readable);
  if (error != 0) js::ThrowErrno(env, "uv_poll_start", -error);
  return js::Undefined(env);
}

napi_value Channel::Next(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  uint32_t slot = 0;
  Channel& channel = Receive(env, info, arguments);
  if (!js::ToUint32(env, arguments[0], &slot)) return nullptr;
  return js::Integer(env, channel.ReadInto(slot));
}

int Channel::ReadInto(uint32_t slot) {
  if (closed_ || slot >= memory_->slots()) return 0;
  for (;;) {
    const ssize_t length = read(device_.get(), memory_->slot(slot), memory_->slot_bytes());
    if (length >= 0) {
      last_ = ReadRequest::Of(memory_->slot(slot), static_cast<size_t>(length));
      return static_cast<int>(length);
    }
    // ENOENT: the request was taken back before we read it.
    if (errno == EINTR || errno == ENOENT) continue;
    if (errno == EAGAIN) return 0;
    const int error = errno;
    uv_poll_stop(&poll_);
    return -error;
  }
}

/** Calls into JS with a handle scope of its own; microtasks run before it returns. */
void Channel::Call(napi_ref callback) {
  napi_handle_scope scope;
  if (closed_ || napi_open_handle_scope(env_, &scope) != napi_ok) return;
  napi_value function, receiver;
  if (napi_get_reference_value(env_, callback, &function) == napi_ok &&
      napi_get_global(env_, &receiver) == napi_ok &&
      napi_make_callback(env_, context_, receiver, function, 0, nullptr, nullptr) == napi_pending_exception) {
    napi_value failure;
    napi_get_and_clear_last_exception(env_, &failure);
    napi_fatal_exception(env_, failure);
  }
  napi_close_handle_scope(env_, scope);
}

napi_value Channel::Send(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  uint32_t length = 0;
  Channel& channel = Receive(env, info, arguments);
  if (!js::ToUint32(env, arguments[0], &length)) return nullptr;
  const iovec head = channel.Head(length);
  const bool sent = write(channel.device_.get(), head.iov_base, head.iov_len) >= 0;
  return js::Integer(env, sent ? 0 : errno);
}

iovec Channel::Head(uint32_t length) const {
  return {memory_->reply(), std::min<size_t>(length, ChannelMemory::kPage)};
}

bool Channel::Message(napi_value length, napi_value chunks, std::vector<iovec>* parts) {
  uint32_t head = 0, count = 0;
  if (!js::ToUint32(env_, length, &head) || napi_get_array_length(env_, chunks, &count) != napi_ok) return false;
  parts->resize(count + 1);
  (*parts)[0] = Head(head);
  for (uint32_t i = 0; i < count; i++) {
    napi_value chunk;
    uint8_t* data = nullptr;
    size_t bytes = 0;
    if (napi_get_element(env_, chunks, i, &chunk) != napi_ok || !js::ToBytes(env_, chunk, &data, &bytes)) {
      return false;
    }
    (*parts)[i + 1] = {data, bytes};
  }
  return true;
}

napi_value Channel::SendWith(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  std::vector<iovec> parts;
  Channel& channel = Receive(env, info, arguments);
  if (!channel.Message(arguments[0], arguments[1], &parts)) return nullptr;
  if (parts.size() > IOV_MAX) return js::Integer(env, EINVAL);
  const bool sent = writev(channel.device_.get(), parts.data(), static_cast<int>(parts.size())) >= 0;
  return js::Integer(env, sent ? 0 : errno);
}

napi_value Channel::SendSpliced(napi_env env, napi_callback_info info) {
  napi_value arguments[4];
  std::vector<iovec> head;
  int socket = -1;
  uint8_t* spare = nullptr;
  size_t bytes = 0;
  Channel& channel = Receive(env, info, arguments);
  if (!channel.Message(arguments[0], arguments[1], &head) || !js::ToInt(env, arguments[2], &socket) ||
      !js::ToBytes(env, arguments[3], &spare, &bytes)) {
    return nullptr;
  }
  if (head.size() >= IOV_MAX) return js::Integer(env, ENODATA);
  return js::Integer(env, channel.splicer_.Send(channel.device_.get(), head, socket, spare, bytes));
}

napi_value Channel::GoOn(napi_env env, napi_callback_info info) {
  napi_value arguments[5];
  uint32_t slot = 0, most = 0;
  int socket = -1;
  uint8_t *room = nullptr, *told = nullptr;
  size_t bytes = 0, told_bytes = 0;
  Channel& channel = Receive(env, info, arguments);
  if (!js::ToUint32(env, arguments[0], &slot) || !js::ToUint32(env, arguments[1], &most) ||
      !js::ToInt(env, arguments[2], &socket) || !js::ToBytes(env, arguments[3], &room, &bytes) ||
      !js::ToBytes(env, arguments[4], &told, &told_bytes)) {
    return nullptr;
  }
  GoneOn gone_on;
  const int length = channel.GoOn(slot, most, socket, room, bytes, &gone_on);
  memcpy(told, &gone_on, std::min(told_bytes, sizeof gone_on));
  return js::Integer(env, length);
}

int Channel::GoOn(uint32_t slot, uint32_t most, int socket, uint8_t* room, size_t bytes, GoneOn* told) {
  for (ReadRequest before = last_; told->reads < most; before = last_) {
    const int length = ReadInto(slot);
    if (length <= 0) return length;
    const uint32_t size = last_.size;
    if (!last_.GoesOnFrom(before) || size > bytes - told->bytes) return length;
    if (static_cast<uint32_t>(WaitingBytes(socket)) < size) return length;
    fuse_out_header head = {static_cast<uint32_t>(sizeof head + size), 0, last_.unique};
    const int error = splicer_.Send(device_.get(), {{&head, sizeof head}}, socket, room + told->bytes, size);
    told->spoiled = error == ENODATA;
    if (told->spoiled != 0) return length;
    told->bytes += size;
    // The kernel waits for it no more, or is gone: else there has to be an answer of another kind.
    if (error != 0 && error != ENOENT && error != ENODEV) return length;
    told->reads++;
  }
  return 0;
}

napi_value Channel::Notify(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  uint32_t count = 0;
  Channel& channel = Receive(env, info, arguments);
  if (channel.closed_ || napi_get_array_length(env, arguments[0], &count) != napi_ok) return nullptr;
  std::vector<Notifier::Message> batch;
  batch.reserve(count);
  for (uint32_t i = 0; i < count; i++) {
    napi_value message;
    uint8_t* data = nullptr;
    size_t bytes = 0;
    if (napi_get_element(env, arguments[0], i, &message) != napi_ok ||
        !js::ToBytes(env, message, &data, &bytes)) {
      return nullptr;
    }
    batch.emplace_back(data, data + bytes);
  }
  channel.notifier_.Post(std::move(batch));
  return nullptr;
}

napi_value Channel::OpenBacking(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  BackingMap map = {-1, 0, 0};
  Channel& channel = Receive(env, info, arguments);
  if (!js::ToInt(env, arguments[0], &map.fd)) return nullptr;
  const int id = ioctl(channel.device_.get(), kBackingOpen, &map);
  return js::Integer(env, id < 0 ? -errno : id);
}

napi_value Channel::CloseBacking(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  uint32_t id = 0;
  Channel& channel = Receive(env, info, arguments);
  if (!js::ToUint32(env, arguments[0], &id)) return nullptr;
  // Of a connection that is gone, the kernel has let go already.
  ioctl(channel.device_.get(), kBackingClose, &id);
  return js::Undefined(env);
}

napi_value Channel::Detach(napi_env env, napi_callback_info info) {
  napi_value none[1];
  Channel& channel = Receive(env, info, none);
  return js::Integer(env, channel.DetachNow());
}

int Channel::DetachNow() {
  if (closed_ || detached_) return 0;
  detached_ = true;
  if (mount_point_.empty()) {
    CloseHandles();
    return 0;
  }
  if (!via_helper_) return ForceUnmount(mount_point_);
  // fusermount3 cannot abort the connection; closing its last descriptor does.
  CloseHandles();
  return ForceUnmountWithHelper(mount_point_);
}

napi_value Channel::Close(napi_env env, napi_callback_info info) {
  napi_value none[1];
  Channel& channel = Receive(env, info, none);
  channel.CloseHandles();
  return nullptr;
}

void Channel::CloseHandles() {
  if (closed_) return;
  closed_ = true;
  notifier_.Stop();
  const auto on_closed = [](uv_handle_t* handle) { static_cast<Channel*>(handle->data)->OnHandleClosed(); };
  const int open = open_handles_;
  if (open == 0) ReleaseReferences();
  if (open >= 2) uv_close(reinterpret_cast<uv_handle_t*>(&poll_), on_closed);
  if (open >= 1) uv_close(reinterpret_cast<uv_handle_t*>(&notified_), on_closed);
  device_.Reset();
}

void Channel::OnHandleClosed() {
  if (--open_handles_ == 0) ReleaseReferences();
}

void Channel::ReleaseReferences() {
  napi_handle_scope scope;
  if (napi_open_handle_scope(env_, &scope) != napi_ok) return;
  Unreference(env_, &on_readable_);
  Unreference(env_, &on_notified_);
  if (context_ != nullptr) napi_async_destroy(env_, std::exchange(context_, nullptr));
  if (cleanup_ != nullptr) napi_remove_async_cleanup_hook(std::exchange(cleanup_, nullptr));
  napi_close_handle_scope(env_, scope);
  // Last: the object may be collected from here on.
  Unreference(env_, &self_);
}

}  // namespace svcfs
