"""Writes files below the directory given until something fails, and says on stdout what it was promised.

A line is a JSON list: ["trying", name, version], then ["closed", name, version] when close(2) or rename(2) answered
that it is done; ["synced", name, version, bytes] when fsync(2) answered so for a file that stays open.
"""
import json
import os
import random
import sys

directory, seed, largest = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
# When this file is there, the program ends after what it is at.
stop = sys.argv[4] if len(sys.argv) > 4 else None
random.seed(seed)
os.chdir(directory)


def say(*words):
    print(json.dumps(words), flush=True)


def content(name, version):
    line = f"{name} {version}\n".encode()
    length = random.choice([len(line), 5000, largest])
    return (line * (length // len(line) + 1))[:length]


def write_in_pieces(fd, data):
    for start in range(0, len(data), 300_000):
        os.write(fd, data[start : start + 300_000])


def overwrite(name, version):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    write_in_pieces(fd, content(name, version))
    os.close(fd)
    say("closed", name, version)


def replace(name, version):
    fd = os.open(name + ".tmp", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    write_in_pieces(fd, content(name, version))
    os.fsync(fd)
    os.close(fd)
    os.rename(name + ".tmp", name)
    say("closed", name, version)


kept_open = []


def log_and_sync(_, version):
    """An open file that is synced and not closed."""
    name = f"log-{seed}-{version}"
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    kept_open.append(fd)
    data = content(name, version)
    write_in_pieces(fd, data)
    os.fsync(fd)
    say("synced", name, version, len(data))


try:
    for version in range(1, 100_000):
        if stop is not None and os.path.exists(stop):
            break
        name = f"file-{random.randrange(4)}"
        say("trying", name, version)
        random.choice([overwrite, overwrite, replace, log_and_sync])(name, version)
except OSError as error:
    say("ended", error.errno)
    os._exit(0)
