# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs emitted random host programs and compares what they do; see random_host.py.

    run_random.py --todo=<file>                       Python modules and torch.fx graphs
    run_random.py --device=cuda:0 --todo=<file>       the same on a GPU
    run_random.py --library=<library> --todo=<file>   programs in C++

Prints each failure, with a line of a zero after it.
"""
import gc
import json
import os
import re
import sys

# Lines that a failing run prints and that are no part of the program's own output.
_ORIGIN = re.compile(r"\((size|stride) (\d+) of (?:an input|input '[^']*')\)")


def read_error(text):
    """The text of an error without what executors say differently: its location, and which input."""
    text = re.sub(r"^.*?error: ", "", text.split("\n")[0])
    text = re.sub(r"^'[\w.]+' op ", "", text)
    text = re.sub(r" \([^()]*:\d+\) failed: ", " failed: ", text)
    return _ORIGIN.sub(r"(\1 \2 of an input)", text).strip()


def read_run(status, text):
    """What a run of a tool did: its error, what the program printed, its peak."""
    lines = text.split("\n")
    error = None
    if status != 0:
        error = next((read_error(line) for line in lines if "error: " in line), f"status {status}")
    peak = re.findall(r"peak (\d+) bytes", text)
    return {"status": status, "error": error, "trace": [line for line in lines if line.startswith("coil:")],
            "peak": int(peak[-1]) if peak else None, "text": text}


def report(each, number, text):
    print(f"seed {each['seed']}: {each['name']}, case {number}: {text}\n  pipeline: {each['pipeline']}\n\0")


class Capture:
    """Keeps what is written to the standard error."""

    def __enter__(self):
        self._kept, self._file = os.dup(2), os.memfd_create("errors")
        os.dup2(self._file, 2)
        return self

    def __exit__(self, *_):
        os.dup2(self._kept, 2)
        os.close(self._kept)
        self.text = os.pread(self._file, os.fstat(self._file).st_size, 0).decode()
        os.close(self._file)


def run_module(module, case, device):
    """Runs a case; returns the outputs or the error, and the peak where it is known."""
    import torch

    from coil import CoilError
    from run_python import make

    inputs = [make(text, device) for text in case["inputs"]]
    given, before = list(inputs), None
    if hasattr(torch, "reset_peak"):
        before = torch.reset_peak()
    try:
        if hasattr(module.main, "graph"):
            outputs = module.main(*given)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        else:
            outputs = module.main(given)
        if hasattr(module, "synchronize"):
            module.synchronize()
    except CoilError as error:
        return None, read_error(str(error)), None
    peak = None if before is None else torch.peak_bytes() - before
    return outputs, None, peak


def check(each, number, case, function):
    """Runs a case and compares."""
    from run_python import compare

    with Capture() as capture:
        try:
            outputs, error, peak = function()
        except Exception as exception:
            outputs, error, peak = None, f"{type(exception).__name__}: {exception}", None
    trace = [line for line in capture.text.split("\n") if line.startswith("coil:")]
    if error != case["error"]:
        return report(each, number, f"expected {case['error'] or 'no error'}, got {error or 'none'}")
    if trace != case["trace"]:
        return report(each, number, "other prints: expected\n" + "\n".join(case["trace"]) + "\ngot\n" + "\n".join(trace))
    if error is not None:
        return None
    scratch = case["scratch"] and "library" in each
    if peak is not None and case["peak"] is not None and (peak < case["peak"] if scratch else peak != case["peak"]):
        report(each, number, f"the peak is {peak} bytes, expected {case['peak']}")
    if len(outputs) != len(case["expected"]):
        return report(each, number, f"{len(outputs)} outputs, expected {len(case['expected'])}")
    for i, (output, path, kind) in enumerate(zip(outputs, case["expected"], case["outputs"])):
        try:
            compare(output.cpu() if hasattr(output, "cpu") else output, path, kind)
        except SystemExit as difference:
            report(each, number, f"output {i}: {difference}")
    return None


def main():
    options = dict(a[2:].split("=", 1) for a in sys.argv[1:])
    todo = json.load(open(options["todo"]))
    if "library" in options:
        sys.argv[1:] = [options["library"]]
        import run_cpp

        for each in todo:
            each["library"] = True
            for number, case in enumerate(each["cases"]):
                with run_cpp.Run(each["name"], case) as call:
                    check(each, number, case, call.outputs)
        return
    import coil
    from run_python import check_graph, load

    if "COIL_TEST_FUNCTIONS" in os.environ:
        coil.load_functions(os.environ["COIL_TEST_FUNCTIONS"])
    # What is left of a module is freed before the next one is measured.
    gc.disable()
    for each in todo:
        module = None
        gc.collect()
        try:
            module = load(each["file"])
            if hasattr(module.main, "graph"):
                check_graph(module.main)
        except (Exception, SystemExit) as error:
            report(each, "-", f"cannot be loaded: {type(error).__name__}: {error}")
            continue
        for number, case in enumerate(each["cases"]):
            check(each, number, case, lambda: run_module(module, case, options.get("device", "cpu")))


if __name__ == "__main__":
    main()
