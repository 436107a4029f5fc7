"""One of many programs that list the directory given at once, for some seconds; says what it saw.

A maker makes a file and removes it: its own next listing has the first and lacks the second. Whoever finds something
else says so as JSON on stdout.
"""
import json
import os
import sys
import time

directory, role, number, seconds = sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])
os.chdir(directory)
end = time.monotonic() + seconds
done = 0


def make_and_remove():
    name = f"file-{number}"
    # Still open when it is removed, so that nothing is uploaded: this is about names.
    with open(name, "xb"):
        if name not in os.listdir("."):
            print(json.dumps(["is missing after it was made", name]), flush=True)
        os.unlink(name)
        if name in os.listdir("."):
            print(json.dumps(["is there after its unlink", name]), flush=True)


def look():
    os.listdir(".")


while time.monotonic() < end:
    {"maker": make_and_remove, "reader": look}[role]()
    done += 1
print(json.dumps(["done", done]), flush=True)
