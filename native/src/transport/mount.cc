#include "mount.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

extern char** environ;

namespace svcfs {
namespace {

int MakeNonBlocking(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return errno;
  return 0;
}

int WaitForExit(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EPERM;
}

}  // namespace

int OpenDevice(UniqueFd* device) {
  device->Reset(open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  return device->valid() ? 0 : errno;
}

int MountDevice(int device, const std::string& source, const std::string& mount_point,
                const std::string& type, unsigned long flags, const std::string& options) {
  const std::string data = "fd=" + std::to_string(device) + "," + options;
  const int result = mount(source.c_str(), mount_point.c_str(), type.c_str(),
                           flags | MS_NOSUID | MS_NODEV, data.c_str());
  return result == 0 ? 0 : errno;
}

int AdoptDevice(int device) {
  if (fcntl(device, F_SETFD, FD_CLOEXEC) < 0) return errno;
  return MakeNonBlocking(device);
}

int ReceiveDevice(int socket, UniqueFd* device) {
  char byte = 0;
  iovec vector = {&byte, sizeof(byte)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);

  ssize_t received = 0;
  do {
    received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (received < 0 && errno == EINTR);
  if (received < 0) return errno;

  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return ENODEV;
  int fd = -1;
  memcpy(&fd, CMSG_DATA(header), sizeof(fd));
  device->Reset(fd);
  return MakeNonBlocking(fd);
}

int ForceUnmount(const std::string& mount_point) {
  return umount2(mount_point.c_str(), MNT_FORCE | MNT_DETACH) == 0 ? 0 : errno;
}

int ForceUnmountWithHelper(const std::string& mount_point) {
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions)) return error;
  for (int fd = 0; fd <= 2; fd++) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  const char* argv[] = {"fusermount3", "-u", "-z", "--", mount_point.c_str(), nullptr};
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, argv[0], &actions, nullptr, const_cast<char* const*>(argv), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error != 0 ? error : WaitForExit(child);
}

}  // namespace svcfs
