#pragma once

#include <node_api.h>
#include <sys/uio.h>
#include <uv.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel_memory.h"
#include "notifier.h"
#include "read_request.h"
#include "splicer.h"
#include "unique_fd.h"

namespace svcfs {

/**
 * One connection to the kernel, as a JS object whose methods know it, on whatever they are called:
 *
 *   openChannel({ device, mountPoint, viaHelper, slots, slotBytes, onReadable, onNotified })
 *     onReadable()        there is something for `next`
 *     onNotified()        the batch given to `notify` was written
 *   memory                the ArrayBuffer of ChannelMemory
 *   start()               begins to watch for requests
 *   next(slot)            reads a request into this slot: its length; 0: there is none now; a negative errno: there will be no
 *                         more (ENODEV after an unmount). Which slots are free is JS's to know
 *   send(length)          writes the first `length` bytes of the reply page: 0 or an errno
 *   sendWith(length, chunks)  the same, followed by the bytes of each Uint8Array
 *   sendSpliced(length, chunks, socket, spare)  the same, and then as many bytes of a socket as `spare` has room for; ENODATA:
 *                         not sent, and the socket is of no use any more (Splicer)
 *   goOn(slot, most, socket, room, told)  after `sendSpliced` has answered the request that `next` gave: as `next`, but READs of
 *                         the same handle that go on where it ended, and one another, are answered from the socket, as long as
 *                         it has what they want and `room` has space for a copy; no more than `most`. `told` are three
 *                         uint32_t (GoneOn)
 *   notify(messages)      Uint8Arrays, copied; one batch at a time
 *   openBacking(fd)       the kernel may read this file in place of one of ours: an id, or a negative errno
 *   closeBacking(id)
 *   detach()              takes the mount away now, synchronously: 0 or an errno. For the ways a process can end. Without a
 *                         mountPoint, which is another process's to take away, it closes the device
 *   close()               stops reading and closes the device
 *
 * Everything runs on the JS thread of one environment, except the notifier's writes. An open channel keeps itself and
 * the event loop alive; an environment that ends with the channel open detaches the mount.
 */
class Channel {
 public:
  static bool Register(napi_env env, napi_value exports);

 private:
  Channel(napi_env env, std::shared_ptr<ChannelMemory> memory) : env_(env), memory_(std::move(memory)) {}

  static napi_value Open(napi_env env, napi_callback_info info);
  static napi_value Start(napi_env env, napi_callback_info info);
  static napi_value Next(napi_env env, napi_callback_info info);
  static napi_value Send(napi_env env, napi_callback_info info);
  static napi_value SendWith(napi_env env, napi_callback_info info);
  static napi_value SendSpliced(napi_env env, napi_callback_info info);
  static napi_value GoOn(napi_env env, napi_callback_info info);
  static napi_value Notify(napi_env env, napi_callback_info info);
  static napi_value OpenBacking(napi_env env, napi_callback_info info);
  static napi_value CloseBacking(napi_env env, napi_callback_info info);
  static napi_value Detach(napi_env env, napi_callback_info info);
  static napi_value Close(napi_env env, napi_callback_info info);

  /**
   * Gives the object its methods. Each carries the channel, which is found faster so than by napi_unwrap, and is a user of it
   * until it is collected.
   */
  bool Bind(napi_value self);
  /** By a user: the last one ends the channel. */
  void Release();
  bool Configure(napi_value self, napi_value options);
  bool OpenHandles();
  napi_value MemoryObject();
  int ReadInto(uint32_t slot);
  /** The account of `goOn`. */
  struct GoneOn {
    /** Taken off the socket. */
    uint32_t bytes = 0;
    /** READs that were answered. */
    uint32_t reads = 0;
    /** Not 0: what the socket had next is lost. */
    uint32_t spoiled = 0;
  };
  int GoOn(uint32_t slot, uint32_t most, int socket, uint8_t* room, size_t bytes, GoneOn* told);
  void Call(napi_ref callback);
  /** The beginning of the reply page. */
  iovec Head(uint32_t length) const;
  /** A message: the beginning of the reply page, then the chunks. False, with an exception pending, when they are none. */
  bool Message(napi_value length, napi_value chunks, std::vector<iovec>* parts);
  int DetachNow();
  void CloseHandles();
  void OnHandleClosed();
  void ReleaseReferences();

  const napi_env env_;
  const std::shared_ptr<ChannelMemory> memory_;
  /** The creator is the first user. */
  int users_ = 1;
  UniqueFd device_;
  std::string mount_point_;
  bool via_helper_ = false;
  bool detached_ = false;
  bool closed_ = false;

  uv_poll_t poll_ = {};
  uv_async_t notified_ = {};
  int open_handles_ = 0;
  Notifier notifier_;
  Splicer splicer_;
  /** The last request, if it is a READ. */
  ReadRequest last_;

  napi_async_context context_ = nullptr;
  napi_async_cleanup_hook_handle cleanup_ = nullptr;
  /** Strong while a handle is open: the object is not collected before. */
  napi_ref self_ = nullptr;
  napi_ref on_readable_ = nullptr;
  napi_ref on_notified_ = nullptr;
};

}  // namespace svcfs
