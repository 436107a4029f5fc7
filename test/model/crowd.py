"""One of a crowd of programs that use the same files below the directory given, for some seconds; says what it saw.

Versions of a file count up, and every version is whole: its first line says how long it is and what it is made of.
Whoever finds something else says so as JSON on stdout. What is allowed to fail here is only what a disk would refuse.
"""
import errno
import json
import os
import random
import sys
import time

directory, role, number, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
# Another mount than the writers': there, an open file that was replaced may be gone, and a name may be for a moment.
PATIENCE_SECONDS = 5 if role == "distant reader" else 0
random.seed(number)
os.chdir(directory)
end = time.monotonic() + seconds
done = 0


def wrong(what, name, found):
    print(json.dumps([role, number, what, name, found]), flush=True)


def content(version):
    line = f"{version} {number}\n"
    length = random.choice([1, 100, 9000])
    return (f"{length} {line}" + line * length).encode()


def version_of(name, data):
    """The version, or None for one that is not whole."""
    head, _, rest = data.decode().partition("\n")
    words = head.split()
    if len(words) != 3 or rest != f"{words[1]} {words[2]}\n" * int(words[0]):
        wrong("is not whole", name, [len(data), head[:60]])
        return None
    return int(words[1])


def read(name):
    with open(name, "rb") as file:
        return file.read()


def replace(_):
    """Always there, always whole: written beside and renamed over, each by one, so that its versions count up."""
    name = ["one", "two"][number % 2]
    mine = f"{name}.{number}"
    with open(mine, "wb") as file:
        file.write(content(time.monotonic_ns()))
    os.rename(mine, name)


def come_and_go(name):
    """Made, read back by its maker, renamed, removed: nobody else touches these."""
    mine = f"own-{number}"
    data = content(time.monotonic_ns())
    with open(mine, "wb") as file:
        file.write(data)
    if read(mine) != data:
        wrong("is not what was written", mine, None)
    other = f"moved-{number}"
    os.rename(mine, other)
    if os.path.exists(mine):
        wrong("is there after its rename", mine, None)
    with open(other, "ab") as file:
        file.write(b"more")
    if read(other) != data + b"more":
        wrong("is not what was written and appended", other, None)
    os.unlink(other)
    if other in os.listdir("."):
        wrong("is there after its unlink", other, None)


def write_shared(name):
    """Several write it in place, each all of it."""
    with open("shared", "wb") as file:
        file.write(content(time.monotonic_ns()))


seen = {}


def listed_and_read(name):
    if name not in os.listdir("."):
        raise FileNotFoundError(errno.ENOENT, "not in the listing")
    return read(name)


def look(name):
    patient_until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            version = version_of(name, listed_and_read(name))
            break
        except OSError as error:
            if error.errno not in (errno.ESTALE, errno.ENOENT) or time.monotonic() > patient_until:
                raise
            time.sleep(0.05)
    if version is not None and version < seen.get(name, 0):
        wrong("went back", name, [seen[name], version])
    seen[name] = version or 0


def remove_shared(name):
    try:
        os.unlink("shared")
    except FileNotFoundError:
        pass


ROLES = {
    "replacer": [replace],
    "comer": [come_and_go],
    "writer": [write_shared, write_shared, remove_shared],
    "reader": [look],
    "distant reader": [look],
}
while time.monotonic() < end:
    name = random.choice(["one", "two"])
    try:
        random.choice(ROLES[role])(name)
        done += 1
    except OSError as error:
        wrong("failed", name, [errno.errorcode.get(error.errno, "?"), str(error)])
print(json.dumps(["done", role, number, done]), flush=True)
