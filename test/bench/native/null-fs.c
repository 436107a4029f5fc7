// A file system of one file without content, over libfuse 3: the least that any file system in user space costs.
//
//   null-fs MOUNTPOINT [-s | --bare]      serves in the foreground; -s: on one thread; --bare: on one thread, where
//                                         reads and writes do not even pass the library
//
// `file` is 4 GiB of whatever is in a buffer; what is written to it is dropped.
#define FUSE_USE_VERSION 35
#include <errno.h>
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FILE_INODE = 2 };
static const off_t FILE_BYTES = 4LL << 30;
static char content[1 << 20] __attribute__((aligned(4096)));

static void fill(fuse_ino_t inode, struct stat *attributes) {
  memset(attributes, 0, sizeof *attributes);
  attributes->st_ino = inode;
  attributes->st_nlink = 1;
  attributes->st_mode = inode == FILE_INODE ? S_IFREG | 0644 : S_IFDIR | 0755;
  attributes->st_size = inode == FILE_INODE ? FILE_BYTES : 0;
}

static void null_init(void *data, struct fuse_conn_info *connection) {
  (void)data;
  connection->max_write = sizeof content;
  // A GETATTR before every read(2), when attributes are not kept.
  connection->want &= ~FUSE_CAP_AUTO_INVAL_DATA;
}

static void null_lookup(fuse_req_t request, fuse_ino_t parent, const char *name) {
  struct fuse_entry_param entry = {.ino = FILE_INODE};
  (void)parent;
  if (strcmp(name, "file") != 0) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  fill(FILE_INODE, &entry.attr);
  fuse_reply_entry(request, &entry);
}

static void null_getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
  struct stat attributes;
  (void)file;
  fill(inode, &attributes);
  fuse_reply_attr(request, &attributes, 0);
}

static void null_setattr(fuse_req_t request, fuse_ino_t inode, struct stat *to, int set, struct fuse_file_info *file) {
  (void)to;
  (void)set;
  null_getattr(request, inode, file);
}

static void null_open(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
  (void)inode;
  fuse_reply_open(request, file);
}

static void null_read(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset, struct fuse_file_info *file) {
  (void)inode;
  (void)offset;
  (void)file;
  fuse_reply_buf(request, content, size < sizeof content ? size : sizeof content);
}

static void null_write(fuse_req_t request, fuse_ino_t inode, const char *data, size_t size, off_t offset,
                       struct fuse_file_info *file) {
  (void)inode;
  (void)data;
  (void)offset;
  (void)file;
  fuse_reply_write(request, size);
}

// Without it the kernel asks before every write.
static void null_getxattr(fuse_req_t request, fuse_ino_t inode, const char *name, size_t size) {
  (void)inode;
  (void)name;
  (void)size;
  fuse_reply_err(request, ENOSYS);
}

static const struct fuse_lowlevel_ops operations = {
    .init = null_init,   .lookup = null_lookup, .getattr = null_getattr, .setattr = null_setattr,
    .open = null_open,   .read = null_read,     .write = null_write,     .getxattr = null_getxattr,
};

static void bare_reply(int device, uint64_t unique, void *body, size_t size) {
  struct fuse_out_header header = {.len = sizeof header + size, .unique = unique};
  struct iovec parts[] = {{&header, sizeof header}, {body, size}};
  // An interrupted request is answered in vain.
  (void)!writev(device, parts, 2);
}

// Until it is unmounted. The library answers the first request and what is rare.
static int bare_loop(struct fuse_session *session) {
  static char request[sizeof content + 4096] __attribute__((aligned(4096)));
  const struct fuse_in_header *header = (const void *)request;
  const void *body = header + 1;
  const int device = fuse_session_fd(session);
  while (!fuse_session_exited(session)) {
    const ssize_t size = read(device, request, sizeof request);
    if (size < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT)) continue;
    if (size < 0) return errno == ENODEV ? 0 : -1;
    if (header->opcode == FUSE_READ) {
      const struct fuse_read_in *in = body;
      bare_reply(device, header->unique, content, in->size < sizeof content ? in->size : sizeof content);
    } else if (header->opcode == FUSE_WRITE) {
      struct fuse_write_out out = {.size = ((const struct fuse_write_in *)body)->size};
      bare_reply(device, header->unique, &out, sizeof out);
    } else {
      const struct fuse_buf buffer = {.mem = request, .size = size};
      fuse_session_process_buf(session, &buffer);
    }
  }
  return 0;
}

static int serve(struct fuse_session *session, bool bare, bool one_thread) {
  struct fuse_loop_config config = {.clone_fd = 0, .max_idle_threads = 10};
  if (bare) return bare_loop(session);
  return one_thread ? fuse_session_loop(session) : fuse_session_loop_mt(session, &config);
}

// Takes `--bare` out of the arguments, when it is the last.
static bool take_bare(int *count, char **arguments) {
  const bool bare = strcmp(arguments[*count - 1], "--bare") == 0;
  if (bare) *count -= 1;
  return bare;
}

int main(int count, char **arguments) {
  const bool bare = take_bare(&count, arguments);
  struct fuse_args args = FUSE_ARGS_INIT(count, arguments);
  struct fuse_cmdline_opts options;
  if (fuse_parse_cmdline(&args, &options) != 0 || options.mountpoint == NULL) return 2;
  memset(content, 'x', sizeof content);
  struct fuse_session *session = fuse_session_new(&args, &operations, sizeof operations, NULL);
  if (session == NULL || fuse_set_signal_handlers(session) != 0) return 1;
  if (fuse_session_mount(session, options.mountpoint) != 0) return 1;
  const int result = serve(session, bare, options.singlethread);
  fuse_session_unmount(session);
  fuse_session_destroy(session);
  free(options.mountpoint);
  fuse_opt_free_args(&args);
  return result != 0;
}
