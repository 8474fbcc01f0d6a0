# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools under limits of disk, threads and memory, and signals while they write.

  limits.py <what> --bin=... --lib=... --model=... --out=...
"""
import argparse
import os
import resource
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from tool import Checker  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("what")
for name in ("bin", "lib", "model", "out"):
    parser.add_argument("--" + name, required=True)
options = parser.parse_args()
tools = Checker(options.bin)
os.makedirs(options.out, exist_ok=True)
out = os.path.join(options.out, options.what)
os.makedirs(out, exist_ok=True)
model = options.model


def path(name):
    return os.path.join(out, name)


def names():
    return set(os.listdir(out))


# What writes, and the file that appears.
WRITERS = {
    "module": (["coil-compile", model, "--to=loop", "-o"], "m.mlir"),
    "bytecode": (["coil-compile", model, "--to=loop", "--emit-bytecode", "-o"], "m.mlirbc"),
    "python": (["coil-compile", model, "--emit=python", "-o"], "m.py"),
    "fx": (["coil-compile", model, "--emit=fx", "-o"], "m_fx.py"),
    "cpp": (["coil-compile", model, "--emit=cpp", "-o"], "m.cpp"),
    "package": (["coil-compile", model, "-o"], "m.coilpkg"),
    "import": (["coil-import", model, "--weights=inline", "-o"], "m.mlir"),
}


def disk():
    """Full disks: devices, and files that may not grow."""
    with open("/dev/full", "wb") as full:
        for command in (["coil-compile", model, "--to=loop"], ["coil-import", model],
                        ["coil-compile", "--help"], ["coil-run", "--help"],
                        ["coil-run", model, "--random-inputs"]):
            tools.run("stdout " + " ".join(command[:1] + command[2:]), command, {2}, stdout=full)
    for name, (command, file) in WRITERS.items():
        if file.endswith((".mlir", ".py", ".mlirbc")):
            tools.run(f"/dev/full {name}", command + ["/dev/full"], {2})
        for limit in (0, 1000, 3000):
            before = names()
            tools.run(f"{name} up to {limit} bytes", command + [path(file)], {2},
                      limits=[(resource.RLIMIT_FSIZE, limit)])
            if names() != before:
                tools.fail(f"{name} up to {limit} bytes", f"left {names() - before}")
    # What was there stays as it was.
    for name, (command, file) in WRITERS.items():
        with open(path(file), "w") as old:
            old.write("old")
        tools.run(f"{name} over a file", command + [path(file)], {2},
                  limits=[(resource.RLIMIT_FSIZE, 1000)])
        with open(path(file)) as old:
            if old.read() != "old":
                tools.fail(f"{name} over a file", "the old file is gone")
        os.remove(path(file))
    # A cache that cannot be written is none.
    tools.run("object cache", ["coil-run", model, "--random-inputs", "--output=",
                               "--object-cache=" + path("cache")], {0},
              limits=[(resource.RLIMIT_FSIZE, 1000)])
    # Nor is a report that cannot be written a reason to compile nothing.
    for report in ("--memory-report=" + path("memory.html"), "--debug-dir=" + path("debug"),
                   "--dump-stages=" + path("stages")):
        tools.run(report.split("=")[0], ["coil-compile", model, report, "-o", "/dev/null"], {0},
                  limits=[(resource.RLIMIT_FSIZE, 1000)])
    tools.run("dumps", ["coil-run", model, "--random-inputs", "--output=",
                        "--dump-llvm=" + path("llvm")], {0},
              limits=[(resource.RLIMIT_FSIZE, 1000)])


def inputs():
    """Tools do not write over what they read, by whatever name."""
    copy = path("model.pt2")
    with open(model, "rb") as source, open(copy, "wb") as target:
        target.write(source.read())
    text = path("text.mlir")
    subprocess.run([os.path.join(options.bin, "coil-compile"), model, "--to=loop", "-o", text],
                   check=True)
    package = path("p.coilpkg")
    subprocess.run([os.path.join(options.bin, "coil-compile"), model, "-o", package], check=True)
    for link, target in (("soft.mlir", text), ("hard.mlir", text)):
        if link not in names():
            (os.symlink if link == "soft.mlir" else os.link)(target, path(link))
    contents = {}
    for file in (copy, text, package):
        with open(file, "rb") as source:
            contents[file] = source.read()
    for label, command in {
            "model": ["coil-compile", copy, "-o", copy],
            "other model": ["coil-compile", copy, "-o", path("other.pt2")],
            "python": ["coil-compile", copy, "--emit=python", "-o", copy],
            "text": ["coil-compile", text, "-o", text],
            "dots": ["coil-compile", text, "-o", os.path.join(out, ".", "text.mlir")],
            "symbolic link": ["coil-compile", text, "-o", path("soft.mlir")],
            "hard link": ["coil-compile", path("hard.mlir"), "-o", text],
            "report": ["coil-compile", text, "--to=wrapper", "--memory-report=" + text],
            "import": ["coil-import", copy, "-o", copy],
            "import as a package": ["coil-import", copy, "-o", path("x.coilpkg")],
            "output": ["coil-run", copy, "--random-inputs", "--output=@" + copy],
            "merge": ["coil-package", "merge", package, "-o", package],
            "merge as text": ["coil-package", "merge", package, "-o", path("p.mlir")],
            "update": ["coil-package", "update-constants", package, copy, "-o", package],
    }.items():
        tools.run(label, command, {2})
    tools.run("coil-opt", ["coil-opt", text, "-o", text], {1})
    for file, content in contents.items():
        with open(file, "rb") as source:
            if source.read() != content:
                tools.fail(file, "was written over")
    if names() != {os.path.basename(f) for f in contents} | {"soft.mlir", "hard.mlir"}:
        tools.fail("names", f"left {names()}")
    # A link to a file that is written stays one.
    os.symlink(path("target.mlir"), path("link.mlir"))
    with open(path("target.mlir"), "w"):
        pass
    tools.run("through a link", ["coil-compile", text, "--to=wrapper", "-o", path("link.mlir")],
              {0})
    if not os.path.islink(path("link.mlir")) or os.path.getsize(path("target.mlir")) == 0:
        tools.fail("through a link", "the link is gone, or the file empty")


COMPILE_AND_RUN = [
    ["coil-run", model, "--random-inputs", "--output="],
    ["coil-compile", model, "-o", "PACKAGE"],
    ["coil-compile", model, "--to=native", "-o", "/dev/null"],
    ["coil-compile", model, "--target=cuda:sm_90", "--library=none", "-o", "PACKAGE"],
    ["coil-compile", model, "--emit=cpp", "-o", "CPP"],
    ["coil-import", model, "--check-weights", "-o", "/dev/null"],
    ["coil-opt", "MODULE", "--loop-fuse", "-o", "/dev/null"],
]


def fill(command):
    return [{"PACKAGE": path("p.coilpkg"), "CPP": path("p.cpp"), "MODULE": path("m.mlir")}
            .get(word, word) for word in command]


def prepare_module():
    subprocess.run([os.path.join(options.bin, "coil-compile"), model, "--to=loop", "-o",
                    path("m.mlir")], check=True)


def threads():
    """No threads, or few: everything still works."""
    prepare_module()
    library = os.path.join(options.lib, "coil-limits.so")
    for limit in (0, 1, 3):
        env = {"LD_PRELOAD": library, "COIL_TEST_THREADS": str(limit)}
        for command in COMPILE_AND_RUN:
            tools.run(f"{limit} threads, {' '.join(command)}", fill(command), {0}, env=env)
        tools.run(f"{limit} threads, too many asked for",
                  ["coil-run", model, "--random-inputs", "--output=", "--num-threads=64"], {0},
                  env=env)


def memory():
    """Less address space than is needed, in steps: success or one line."""
    prepare_module()
    for megabytes in (500, 600, 700, 800, 1000, 1500):
        for command in COMPILE_AND_RUN:
            limits = [(resource.RLIMIT_AS, megabytes << 20)]
            # Below this the loader cannot map the libraries.
            if subprocess.run([os.path.join(options.bin, command[0]), "--version"],
                              preexec_fn=lambda: resource.setrlimit(*[(r, (l, l))
                                                                      for r, l in limits][0]),
                              capture_output=True).returncode:
                continue
            tools.run(f"{megabytes} MiB, {' '.join(command)}", fill(command), limits=limits)


def signals():
    """Signals leave the old file, the new one, or none, and nothing beside them."""
    library = os.path.join(options.lib, "coil-limits.so")
    for name, (command, file) in WRITERS.items():
        if name in ("bytecode", "fx"):
            continue
        call = [os.path.join(options.bin, command[0]), *command[1:], path(file)]
        start = time.time()
        subprocess.run(call, check=True)
        duration = time.time() - start
        with open(path(file), "rb") as source:
            complete = source.read()

        def ends(label, start, which, allowed):
            """`start` runs the tool over an old file and sends it the signal `which`."""
            tools.count += 1
            with open(path(file), "wb") as old:
                old.write(b"old")
            before = names()
            status = start()
            with open(path(file), "rb") as source:
                content = source.read()
            # Where a shell started the tests in the background, SIGINT is ignored: LLVM's handler
            # removes the file and returns, and the file cannot get its name.
            if status not in (0, 2, -which):
                tools.fail(label, f"status {status}")
            if content not in allowed:
                tools.fail(label, f"wrote {len(content)} bytes")
            for left in names() - before:
                tools.fail(label, f"left {left}")
                os.remove(path(left))
            return status

        def send(which, delay):
            process = subprocess.Popen(call, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(which)
            return process.wait()

        # At the moments at which a file could be left. Emitted C++ is several files, of which
        # the header gets its name first.
        renamed = b"old" if name == "cpp" else complete
        for moment, content in (("create", b"old"), ("rename", b"old"), ("renamed", renamed)):
            label = f"{name}, SIGTERM at {moment}"
            environment = {**os.environ, "LD_PRELOAD": library, "COIL_TEST_SIGNAL": moment}
            status = ends(label, lambda: subprocess.run(call, env=environment,
                                                        stderr=subprocess.DEVNULL).returncode,
                          signal.SIGTERM, (content,))
            if status != -signal.SIGTERM:
                tools.fail(label, "the signal was not sent")
        # And at many others.
        for which in (signal.SIGTERM, signal.SIGINT):
            for step in range(8):
                delay = duration * (0.3 + 0.1 * step)
                ends(f"{name}, {which.name} after {delay:.3f} s", lambda: send(which, delay),
                     which, (b"old", complete))


def writers():
    """Several processes that write the same files and the same cache."""
    for name, (command, file) in WRITERS.items():
        processes = [subprocess.Popen([os.path.join(options.bin, command[0]), *command[1:],
                                       path(file)], stderr=subprocess.PIPE)
                     for _ in range(4)]
        for process in processes:
            errors = process.communicate()[1].decode()
            tools.count += 1
            tools.check(name, command[0], process.returncode, errors, {0})
    command = ["coil-run", model, "--random-inputs", "--output=",
               "--object-cache=" + path("cache")]
    for _ in range(2):
        processes = [subprocess.Popen([os.path.join(options.bin, command[0]), *command[1:]],
                                      stderr=subprocess.PIPE) for _ in range(4)]
        for process in processes:
            errors = process.communicate()[1].decode()
            tools.count += 1
            tools.check("cache", command[0], process.returncode, errors, {0})
    if any(name.endswith(".tmp") for name in os.listdir(path("cache"))):
        tools.fail("cache", "left temporary files")
    tools.run("package", ["coil-package", "verify", path("m.coilpkg")], {0})


globals()[options.what]()
tools.finish(options.what)
