"""Carries out file operations below the directory given: one as JSON a line on stdin, what came of it on stdout.

An answer is {"ok": value}, {"error": errno name, "path": where} or {"skipped": true} where the operation asks for a
handle that is not open. Bytes are told as their number and the beginning of their MD5.
"""
import errno
import hashlib
import json
import mmap
import os
import stat
import sys

FLAGS = {
    "r": os.O_RDONLY,
    "rw": os.O_RDWR,
    "rw+create": os.O_RDWR | os.O_CREAT,
    "w+create": os.O_WRONLY | os.O_CREAT,
    "w+create+truncate": os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
    "rw+truncate": os.O_RDWR | os.O_TRUNC,
    "w+create+exclusive": os.O_WRONLY | os.O_CREAT | os.O_EXCL,
    "w+append+create": os.O_WRONLY | os.O_APPEND | os.O_CREAT,
}
handles = {}


def content(seed, length):
    """Bytes that tell where they are from."""
    block = bytes((seed * 37 + at * 7 + (at >> 6)) & 0xFF for at in range(min(length, 4096)))
    return (block * (length // 4096 + 1))[:length]


def told(data):
    return [len(data), hashlib.md5(data).hexdigest()[:12]]


def read_all(path):
    with open(path, "rb") as file:
        return told(file.read())


def tree(top):
    found = {}
    for directory, folders, files in os.walk(top):
        found[os.path.relpath(directory, top)] = "directory"
        for name in [*folders, *files]:
            path = os.path.join(directory, name)
            if os.path.islink(path):
                found[os.path.relpath(path, top)] = ["link", os.readlink(path)]
                continue
            if name in folders:
                continue
            found[os.path.relpath(path, top)] = [*read_all(path), os.stat(path).st_size]
    return found


def open_(slot, path, how):
    if slot in handles:
        os.close(handles.pop(slot))
    handles[slot] = os.open(path, FLAGS[how], 0o644)


def size_of(fd):
    found = os.fstat(fd)
    # What the size of a directory is differs.
    return "directory" if stat.S_ISDIR(found.st_mode) else found.st_size


def write_mapped(fd, offset, data):
    size = size_of(fd)
    if size == "directory":
        return size
    if offset + len(data) > size:
        return "beyond the end"
    with mmap.mmap(fd, 0) as mapping:
        mapping[offset : offset + len(data)] = data
        mapping.flush()


def copy_range(fd, to, from_offset, to_offset, length):
    """As cp(1): by copy_file_range(2), or by bytes where the file system has no such thing."""
    if fd == to:
        return 0
    done = 0
    while done < length:
        try:
            count = os.copy_file_range(fd, to, length - done, from_offset + done, to_offset + done)
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
            count = os.pwrite(to, os.pread(fd, length - done, from_offset + done), to_offset + done)
        if count == 0:
            break
        done += count
    return done


def put(path, seed, length):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        data = content(seed, length)
        for start in range(0, length, 300_000):
            os.write(fd, data[start : start + 300_000])
    finally:
        os.close(fd)


def put_text(path, text):
    with open(path, "w") as file:
        file.write(text)


def copy(source, target):
    fd = os.open(source, os.O_RDONLY)
    try:
        os.pread(fd, 1, 0)  # A directory is refused here; what its size is differs.
        to = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            return copy_range(fd, to, 0, 0, os.fstat(fd).st_size)
        finally:
            os.close(to)
    finally:
        os.close(fd)


def stat_of(path):
    found = os.stat(path)
    return ["directory"] if os.path.isdir(path) else ["file", found.st_size]


LONG_AGO = 10**18


def changes(folder, operation, *arguments):
    """Whether the operation moves the modification time of the folder.

    What another mount did before moves it as well, when a listing first shows that: so the folder is listed first.
    """
    os.listdir(folder)
    os.utime(folder, ns=(LONG_AGO, LONG_AGO))
    ON_PATHS[operation](*arguments)
    return os.stat(folder).st_mtime_ns != LONG_AGO


def close_all():
    for slot in list(handles):
        os.close(handles.pop(slot))


ON_PATHS = {
    "unlink": os.unlink,
    "mkdir": os.mkdir,
    "rmdir": os.rmdir,
    "rename": os.rename,
    "symlink": os.symlink,
    "readlink": os.readlink,
    "list": lambda path: sorted(os.listdir(path)),
    "stat": stat_of,
    "readAll": read_all,
    "truncate": os.truncate,
    "copy": copy,
    "put": put,
    "putText": put_text,
    "tree": tree,
    "changes": changes,
    "closeAll": close_all,
    "open": open_,
}
ON_HANDLES = {
    "write": lambda fd, offset, seed, length: os.pwrite(fd, content(seed, length), offset),
    "append": lambda fd, seed, length: os.write(fd, content(seed, length)),
    "read": lambda fd, offset, length: told(os.pread(fd, length, offset)),
    "ftruncate": os.ftruncate,
    "fstat": size_of,
    "fsync": os.fsync,
    "mapped": lambda fd, offset, seed, length: write_mapped(fd, offset, content(seed, length)),
}


def carry_out(name, arguments):
    if name in ON_PATHS:
        return {"ok": ON_PATHS[name](*arguments)}
    slot, *rest = arguments
    if slot not in handles:
        return {"skipped": True}
    if name == "close":
        return {"ok": os.close(handles.pop(slot))}
    if name == "copyRange":
        to, *places = rest
        return {"ok": copy_range(handles[slot], handles[to], *places)} if to in handles else {"skipped": True}
    return {"ok": ON_HANDLES[name](handles[slot], *rest)}


os.chdir(sys.argv[1])
for line in sys.stdin:
    operation, *given = json.loads(line)
    try:
        answer = carry_out(operation, given)
    except OSError as error:
        answer = {"error": errno.errorcode.get(error.errno, str(error)), "path": error.filename}
    print(json.dumps(answer), flush=True)
