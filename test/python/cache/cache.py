# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache of compiled programs, item by item. Each item has a directory of its own."""

import json
import os
import pathlib
import resource
import shutil
import sys
import threading
import warnings
import zipfile

import coil
from coil._library import library
from coil._program import compile_text

model, module, root = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def fresh(name):
    directory = root / name
    shutil.rmtree(directory, ignore_errors=True)
    os.environ["COIL_CACHE_DIR"] = str(directory)
    return directory


def counts():
    return json.loads(library.coil_cache_stats_json())


def entries(directory, pattern="*.coilpkg"):
    return sorted(directory.rglob(pattern))


def use(path=model, **options):
    """What the cache has of a program."""
    return coil.compile(path, **options).compile_stats["cache"]


# A program is found again, and only under the same options. No code is generated for it.
directory = fresh("found")
# CHECK: found: miss hit miss hit off
print("found:", use(), use(), use(vector_bits=256), use(vector_bits=256), use(cache=False))
warm = coil.compile(model).compile_stats
# CHECK-NEXT: stages of a warm start: []
print("stages of a warm start:", [stage for stage in ("graph", "loop", "wrapper", "native", "code")
                                  if warm["seconds"].get(stage)])
# CHECK-NEXT: private: 0o700
print("private:", oct((directory / "programs").stat().st_mode & 0o777))
# A directory for what happens on the way has something to show each time.
# CHECK-NEXT: debug directory: off
print("debug directory:", use(debug_dir=str(root / "debug")))
# CHECK-NEXT: module: off
print("module:", use(module))

# Other weights of the same model are the same program, which computes with its own.
# CHECK-NEXT: other weights: hit True
images = [[[[float(x == y) for x in range(8)] for y in range(8)]]]
other = root / "other.pt2"
with zipfile.ZipFile(model) as source, zipfile.ZipFile(other, "w") as target:
    for entry in source.infolist():
        data = source.read(entry)
        if "/data/weights/weight_" in entry.filename:
            data = bytes(len(data))
        target.writestr(entry.filename, data)
changed = coil.compile(str(other))
flat = memoryview(bytearray(4 * 64)).cast("f", (1, 1, 8, 8))
print("other weights:", changed.compile_stats["cache"], set(changed.run(flat)[0].tolist()[0]) == {0.0})

# A damaged entry is not used: it is compiled again and replaced.
directory = fresh("damaged")
use()
for damage in ("bytes", "cut", "empty"):
    entry, = entries(directory)
    data = bytearray(entry.read_bytes())
    if damage == "bytes":
        data[len(data) // 3] ^= 1
    entry.write_bytes({"bytes": data, "cut": data[: len(data) // 2], "empty": b""}[damage])
    before = counts()["damaged"]
    # CHECK-NEXT: bytes: miss, 1 damaged, then hit
    # CHECK-NEXT: cut: miss, 1 damaged, then hit
    # CHECK-NEXT: empty: miss, 1 damaged, then hit
    print(f"{damage}: {use()}, {counts()['damaged'] - before} damaged, then {use()}")

# What was used longest ago makes room.
directory = fresh("size")
use()
size = entries(directory)[0].stat().st_size
os.environ["COIL_CACHE_SIZE"] = str(3 * size)
for bits, level in ((128, 3), (256, 3), (256, 1)):
    use(vector_bits=bits, opt_level=level)
    for age, entry in enumerate(reversed(sorted(entries(directory), key=lambda each: each.stat().st_mtime))):
        when = entry.stat().st_mtime - 1000
        os.utime(entry, (when, when))
# CHECK-NEXT: size: True True
print("size:", sum(entry.stat().st_size for entry in entries(directory)) <= 3 * size, counts()["evicted"] > 0)
del os.environ["COIL_CACHE_SIZE"]

# A file that a process left while it was killed goes, a fresh one may be in use.
directory = fresh("left")
use()
for name, age in (("old", 7200), ("new", 0)):
    path = directory / "programs" / f"{name}.coilpkg.0.tmp"
    path.write_bytes(b"")
    when = path.stat().st_mtime - age
    os.utime(path, (when, when))
os.environ["COIL_CACHE_SIZE"] = "1"
use(vector_bits=256)
del os.environ["COIL_CACHE_SIZE"]
# CHECK-NEXT: left: ['new.coilpkg.0.tmp']
print("left:", [path.name for path in entries(directory, "*.tmp")])

# Threads.
directory = fresh("threads")
found = []
threads = [threading.Thread(target=lambda: found.append(use(vector_bits=256, threads=1))) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
# CHECK-NEXT: threads: 4 1
print("threads:", len(found), len(entries(directory)))

# What the compiler refuses it refuses without another attempt.
directory = fresh("refused")
text = (pathlib.Path(__file__).parent / "Inputs" / "refused.json").read_text()
messages = []
before = counts()
for _ in range(2):
    try:
        compile_text(text)
    except coil.CompileError as error:
        messages.append(str(error))
# CHECK-NEXT: refused: True 1 {{node 'y'.*}}
print("refused:", messages[0] == messages[1], counts()["refusals"] - before["refusals"], messages[0])

# One warning in a process, however many programs cannot be kept.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    (root / "file").write_text("")
    os.environ["COIL_CACHE_DIR"] = str(root / "file")
    # CHECK-NEXT: no directory: off off
    print("no directory:", use(), use())
    fresh("full")
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    # CHECK-NEXT: full: miss miss
    full = use(), use()
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print("full:", *full)
    os.environ["COIL_CACHE"] = "maybe"
    # CHECK-NEXT: neither 0 nor 1: off
    print("neither 0 nor 1:", use())
# CHECK-NEXT: 1 RuntimeWarning: compiled programs are not kept: '{{.*}}file{{.*}}programs' cannot keep compiled programs: Not a directory
print(len(caught), f"{caught[0].category.__name__}: {caught[0].message}")

# Nothing at all.
directory = fresh("off")
os.environ["COIL_CACHE"] = "0"
# CHECK-NEXT: off: off False
print("off:", use(), directory.exists())
