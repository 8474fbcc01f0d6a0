# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tools under limits and says what is wrong with how they end.

A tool may fail under a limit, but only with a documented status and one line on
standard error, without a signal, and without a trace of the file that it was
writing."""
import os
import resource
import signal
import subprocess
import sys

# docs/howto/Tools.md. Drivers of MLIR know success and failure.
STATUSES = {"coil-run": {0, 1, 2, 3, 4}, "coil-compile": {0, 2, 3}, "coil-package": {0, 1, 2, 3},
            "coil-import": {0, 2, 3}, "coil-interpret": {0, 2, 3, 4}, "coil-opt": {0, 1},
            "coil-translate": {0, 1}, "coil-reduce": {0, 1}}
FORBIDDEN = ("LLVM ERROR", "Assertion", "PLEASE submit a bug report", "terminate called",
             "Stack dump", "pthread_create failed", "libgomp:")


class Checker:
    def __init__(self, bin_directory):
        self.bin = bin_directory
        self.failures = self.count = 0

    def fail(self, label, what, detail=""):
        self.failures += 1
        print(f"FAIL {label}: {what}\n{detail}", file=sys.stderr)

    def run(self, label, command, expected=None, limits=(), stdout=None, env=None, lines=1,
            timeout=120):
        """Runs `command`; `expected` are the statuses that are right."""
        self.count += 1
        tool = command[0]

        def prepare():
            for kind, amount in limits:
                resource.setrlimit(kind, (amount, amount))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        result = subprocess.run([os.path.join(self.bin, tool), *command[1:]], preexec_fn=prepare,
                                stdin=subprocess.DEVNULL, stdout=stdout or subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=timeout,
                                env=dict(os.environ, **(env or {})))
        errors = result.stderr.decode(errors="replace")
        self.check(label, tool, result.returncode, errors, expected, lines)
        return result

    def check(self, label, tool, status, errors, expected=None, lines=1):
        if status < 0:
            return self.fail(label, f"signal {signal.Signals(-status).name}", errors[-2000:])
        if status not in (expected or STATUSES[tool]):
            return self.fail(label, f"status {status}, expected {expected or STATUSES[tool]}",
                             errors[-2000:])
        for text in FORBIDDEN:
            if text in errors:
                return self.fail(label, f"says '{text}'", errors[-2000:])
        count = sum("error:" in line for line in errors.splitlines())
        if status not in (0, 1) and lines and not 1 <= count <= lines:
            self.fail(label, f"{count} lines of errors", errors[-2000:])

    def finish(self, what):
        print(f"{what}: {self.count} runs, {self.failures} failures")
        sys.exit(self.failures != 0)
