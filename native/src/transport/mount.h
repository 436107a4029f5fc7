#pragma once

#include <string>

#include "unique_fd.h"

/** Mounting and unmounting: system calls only, no JS. Functions answer 0 or an errno. */
namespace svcfs {

/** Opens /dev/fuse, close-on-exec (an inherited descriptor turns a crash into a hang) and non-blocking. */
int OpenDevice(UniqueFd* device);

/** mount(2) of `device` on `mount_point`; needs CAP_SYS_ADMIN. `options` are those of the file system, without `fd=`. */
int MountDevice(int device, const std::string& source, const std::string& mount_point,
                const std::string& type, unsigned long flags, const std::string& options);

/** Makes an inherited descriptor of /dev/fuse what OpenDevice would have made of it. */
int AdoptDevice(int device);

/** The descriptor that fusermount3 passed over its _FUSE_COMMFD socket, made close-on-exec and non-blocking. */
int ReceiveDevice(int socket, UniqueFd* device);

/**
 * Takes the mount away at once, even while programs use it. MNT_FORCE aborts the connection first, so that neither this
 * call nor anybody inside the mount waits for an answer that will not come; MNT_DETACH takes busy mounts too.
 */
int ForceUnmount(const std::string& mount_point);

/** The same for mounts made by fusermount3: waits for `fusermount3 -u -z`. EPERM when it refused. */
int ForceUnmountWithHelper(const std::string& mount_point);

}  // namespace svcfs
