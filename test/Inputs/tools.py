# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tools many times without loading them each time.

`run` is subprocess.run(capture_output=True, text=True) with the arguments that it has. Where COIL_FORK_SERVER names the
library of test/lib/ForkServer, each tool is loaded once, with that library in
front, and forks for each command; elsewhere every command is a process from its
start. What a tool does is the same."""
import atexit
import os
import select
import signal
import struct
import subprocess
import sys
import threading


class _Server:
    """A tool that waits before its main function."""

    def __init__(self, tool, library):
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        environment = dict(os.environ, LD_PRELOAD=library, LD_BIND_NOW="1",
                           COIL_FORK_REQUESTS=str(requests), COIL_FORK_ANSWERS=str(answers))
        # It ends when nobody can ask any more.
        self._process = subprocess.Popen([tool], env=environment, stdin=subprocess.DEVNULL,
                                         pass_fds=(requests, answers), start_new_session=True)
        os.close(requests)
        os.close(answers)
        atexit.register(self._end, os.getpid())

    def _end(self, owner):
        # A fork of this process that ends has no say.
        if os.getpid() == owner:
            os.close(self._requests)
            self._process.wait()

    def run(self, command, env, timeout):
        files = [os.memfd_create(name) for name in ("out", "err")]
        paths = [f"/proc/{os.getpid()}/fd/{file}" for file in files]
        strings = [os.getcwd(), *paths, str(len(command)), *command,
                   *(f"{name}={value}" for name, value in (env or os.environ).items())]
        request = b"".join(os.fsencode(each) + b"\0" for each in strings)
        try:
            _write(self._requests, struct.pack("I", len(request)) + request)
            if not select.select([self._answers], [], [], timeout)[0]:
                os.killpg(self._process.pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(command, timeout)
            answer = os.read(self._answers, 4)
            if len(answer) != 4:
                raise RuntimeError(f"{command[0]}: the fork server has ended, "
                                   f"status {self._process.wait()}")
            texts = [os.pread(file, os.fstat(file).st_size, 0).decode() for file in files]
        finally:
            for file in files:
                os.close(file)
        status = os.waitstatus_to_exitcode(struct.unpack("i", answer)[0])
        return subprocess.CompletedProcess(command, status, *texts)


def _write(file, data):
    while data:
        data = data[os.write(file, data):]


# A server answers one request after the other, so that each thread has its own.
_servers = threading.local()


def run(command, env=None, timeout=None):
    """Runs a tool; returns its status and what it printed."""
    library = os.environ.get("COIL_FORK_SERVER")
    if not library:
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=timeout)
    known = _servers.__dict__
    if command[0] not in known:
        known[command[0]] = _Server(command[0], library)
    try:
        return known[command[0]].run(command, env, timeout)
    except subprocess.TimeoutExpired:
        del known[command[0]]
        raise


def check(done):
    """Ends where a command failed, naming it; returns what it printed."""
    if done.returncode != 0:
        sys.exit(f"{' '.join(done.args)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def call(function, env):
    """Calls a function in a fork of this process, which then ends; returns the status
    and what it printed."""
    output = os.memfd_create("output")
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.environ.clear()
        os.environ.update(env)
        function()
        sys.exit()  # As a process ends that ran nothing else.
    _, status = os.waitpid(child, 0)
    text = os.pread(output, os.fstat(output).st_size, 0).decode()
    os.close(output)
    return os.waitstatus_to_exitcode(status), text
