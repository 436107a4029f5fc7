/*
 * Preloaded into a process, keeps what a disk is sure to hold of the files below $POWER_ROOT when the power fails: the
 * content that each file had when it was last synced, and the names that each directory had when that was. See power-cut.ts.
 *
 *     $POWER_DISK/files/INODE    content
 *     $POWER_DISK/names/INODE    entries of a directory, each "INODE d NAME" or "INODE f NAME" and a NUL
 *     $POWER_DISK/log            a line for each sync: the path
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

namespace {

/* Of two syncs at the same time the later one keeps what is newer. */
std::mutex keeping;
unsigned copies = 0;

std::string pathOf(int fd) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = readlink(link.c_str(), path, sizeof path);
  return length < 0 ? std::string() : std::string(path, static_cast<size_t>(length));
}

void writeAll(int to, const char* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t wrote = write(to, bytes + done, size - done);
    if (wrote <= 0) abort();
    done += static_cast<size_t>(wrote);
  }
}

std::string entriesOf(const std::string& directory) {
  std::string entries;
  DIR* opened = opendir(directory.c_str());
  if (opened == nullptr) return entries;
  while (const dirent* entry = readdir(opened)) {
    const std::string name = entry->d_name;
    struct stat found;
    if (name == "." || name == ".." || lstat((directory + "/" + name).c_str(), &found) != 0) continue;
    const char* kind = S_ISDIR(found.st_mode) ? " d " : " f ";
    entries += std::to_string(found.st_ino) + kind + name + '\0';
  }
  closedir(opened);
  return entries;
}

/* By the descriptor itself where it can be read: to close another one of a database would end its locks. */
void copyContent(int fd, int to) {
  const bool readable = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_WRONLY;
  const int from = readable ? fd : open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC);
  static char buffer[1 << 16];
  off_t at = 0;
  for (ssize_t got; (got = pread(from, buffer, sizeof buffer, at)) > 0; at += got) {
    writeAll(to, buffer, static_cast<size_t>(got));
  }
  if (!readable) close(from);
}

void keep(int fd) {
  const char* root = getenv("POWER_ROOT");
  const char* disk = getenv("POWER_DISK");
  const std::string path = pathOf(fd);
  if (root == nullptr || disk == nullptr || path.rfind(root, 0) != 0) return;
  const std::lock_guard<std::mutex> alone(keeping);
  struct stat synced;
  if (fstat(fd, &synced) != 0) return;
  const std::string kept = std::string(disk) + (S_ISDIR(synced.st_mode) ? "/names/" : "/files/") + std::to_string(synced.st_ino);
  const std::string aside = kept + "." + std::to_string(getpid()) + "." + std::to_string(copies++);
  const int to = open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (to < 0) abort();
  if (S_ISDIR(synced.st_mode)) {
    const std::string entries = entriesOf(path);
    writeAll(to, entries.data(), entries.size());
  } else {
    copyContent(fd, to);
    const timespec times[] = {synced.st_atim, synced.st_mtim};
    futimens(to, times);
  }
  close(to);
  if (rename(aside.c_str(), kept.c_str()) != 0) abort();
  const int log = open((std::string(disk) + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string line = path + "\n";
  writeAll(log, line.data(), line.size());
  close(log);
}

int call(const char* name, int fd) {
  const auto real = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, name));
  return real(fd);
}

}  // namespace

extern "C" int fsync(int fd) {
  keep(fd);
  return call("fsync", fd);
}

extern "C" int fdatasync(int fd) {
  keep(fd);
  return call("fdatasync", fd);
}
