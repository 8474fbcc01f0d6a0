#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Checks Coil on PyTorch's own operator database.

  op_db.py --build build [--dtypes f32,i64] [--only REGEX] [--decompose] [--results FILE]

Every sample of `op_db` (torch.testing._internal.common_methods_invocations) that eager mode
accepts and torch.export exports is compiled, run and compared with eager mode, in processes that
may crash. What agrees means is in samples.py. States of a sample:

  agree    the results are eager mode's
  wrong    they are not
  refused  the compiler says that it cannot
  run      the run says that it cannot
  crash    the process ended
  timeout  it took longer than --timeout
  fallback the results are eager mode's, and PyTorch computed a part of them (--engine torch-compile)
  export   torch.export or AOTAutograd cannot, or eager mode cannot (eager): counted, and no failure

--results keeps a line of JSON for each sample, and a run with the same file repeats only what
did not agree. With --seconds a run ends by then, and its next goes on with what is left. known-failures.txt lists what may fail: the run fails (status 1) when more does,
and names lines that are no longer needed.
"""

import argparse
import collections
import json
import os
import pathlib
import queue
import random
import re
import select
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
PASSED = ("agree", "fallback")
FAILURES = ("wrong", "refused", "run", "crash", "timeout")
ALL_DTYPES = "f32 i64 bool bf16 f16 f64 u8 i8 i16 i32 c64 c128".split()


class Worker:
    """A process that checks samples, started again when it ends."""

    def __init__(self, options):
        self.options, self.process = options, None
        # Other programs have workers, too, and no end.
        self.end = getattr(options, "end", float("inf"))

    def command(self):
        options = self.options
        command = [sys.executable, str(HERE / "worker.py"), "--build", options.build,
                   "--engine", options.engine, "--options", options.options, "--device", options.device,
                   "--timeout", str(options.timeout)]
        return command + [flag for flag, is_set in (("--decompose", options.decompose), ("--dynamic", options.dynamic),
                                                    ("--gradients", options.gradients)) if is_set]

    def start(self):
        options = self.options
        # Only the threads of the tasks themselves, so that several workers do not wait for each other.
        environment = dict(os.environ, OMP_NUM_THREADS="1", COIL_NUM_THREADS="1")
        self.log = open(os.devnull if not options.log else options.log, "ab")
        self.process = subprocess.Popen(self.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, env=environment, bufsize=0)
        self.buffer = b""

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def read(self, timeout):
        """A line of JSON; None at the end of the process; False after too long."""
        while b"\n" not in self.buffer:
            rest = self.end - time.time()
            if rest < timeout and not select.select([self.process.stdout], [], [], max(rest, 0))[0]:
                raise TooLate()
            if not select.select([self.process.stdout], [], [], timeout)[0]:
                return False
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                return None
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def check(self, task, report):
        """Has the samples of a task checked; `report` is given (sample, state, why). Returns the
        numbers of all samples that the task has."""
        chosen, left = None, None
        while left is None or left:
            if not self.process or self.process.poll() is not None:
                self.start()
            self.process.stdin.write((json.dumps({**task, "only": left}) + "\n").encode())
            current = left or []
            while True:
                # The first line comes when torch and the database are loaded.
                answer = self.read(self.options.timeout * max(1, len(current) // 4) + 60)
                if not answer:
                    break
                if "done" in answer:
                    return chosen
                if "chosen" in answer:
                    chosen = answer["chosen"]
                    current = left = [n for n in chosen if n not in task["skip"]]
                elif "begin" in answer:
                    current = answer["begin"]
                elif "error" in answer:
                    print(f"note: no samples of {task['op']} {task['dtype']}: {answer['error']}", flush=True)
                else:
                    report(answer["sample"], answer["state"], answer.get("why"))
                    left.remove(answer["sample"])
            if answer is False:
                self.stop()
            status = None if answer is False else self.process.wait()
            self.process = None
            if left is None:  # Making the samples ends the process.
                print(f"error: no samples of {task['op']} {task['dtype']}: status {status}", flush=True)
                return []
            if len(current) > 1 and task["batch"] > 1:
                task = {**task, "batch": 1}  # Find out which one it was.
                continue
            report(current[0], "timeout" if status is None else "crash",
                   None if status is None else f"the process ends with {status}")
            left.remove(current[0])
        return chosen


class TooLate(Exception):
    """The time of --seconds is over."""


def make_tasks(options):
    import samples as db
    tasks = []
    for name, op in db.operators().items():
        if not re.search(options.only, name):
            continue
        for dtype in options.dtypes.split(","):
            if db.SHORT[dtype] not in op.supported_dtypes(options.device):
                continue
            if options.gradients and options.engine != "torch-compile" and not (
                    op.supports_autograd and db.SHORT[dtype] in op.supported_backward_dtypes(options.device)):
                continue
            tasks.append({"op": name, "dtype": dtype, "limit": options.samples, "seed": options.seed,
                          "batch": options.batch, "skip": []})
    if options.operators and len({t["op"] for t in tasks}) > options.operators:
        names = sorted({t["op"] for t in tasks})
        chosen = set(random.Random(options.seed).sample(names, options.operators))
        tasks = [t for t in tasks if t["op"] in chosen]
    index, count = map(int, options.shard.split("/"))
    return tasks[index::count]


def run_tasks(tasks, entries, options):
    """Checks what is left of the tasks; adds to `entries` and the file of results. Returns the
    entries of all samples of the tasks."""
    file = open(options.results, "a") if options.results else None
    lock, waiting = threading.Lock(), queue.Queue()
    finished = collections.defaultdict(list)
    for (op, dtype, number), entry in entries.items():
        if entry["state"] in (*PASSED, "export", "eager"):
            finished[op, dtype].append(number)
    for task in tasks:
        waiting.put({**task, "skip": finished[task["op"], task["dtype"]]})
    total, start, chosen, left = waiting.qsize(), time.time(), set(), []

    def work():
        worker = Worker(options)
        while time.time() < options.end:
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                return worker.stop()

            def report(number, state, why):
                entry = {"op": task["op"], "dtype": task["dtype"], "sample": number, "state": state}
                if why:
                    entry["why"] = why
                with lock:
                    entries[task["op"], task["dtype"], number] = entry
                    if file:
                        file.write(json.dumps(entry) + "\n")
                        file.flush()
                    if options.verbose and state in FAILURES:
                        print(f"{state}: {task['op']} {task['dtype']} sample {number}: {why}", flush=True)
            try:
                numbers = worker.check(task, report)
            except TooLate:
                left.append(task)
                break
            with lock:
                chosen.update((task["op"], task["dtype"], n) for n in numbers or [])
            done = total - waiting.qsize()
            if options.progress and done % 50 == 0:
                print(f"{done} of {total} tasks, {time.time() - start:.0f} s", flush=True)
        worker.stop()

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if left or not waiting.empty():
        # What tasks that were begun have said counts; a later run repeats none of it.
        begun = {(task["op"], task["dtype"]) for task in left}
        chosen.update(key for key in entries if key[:2] in begun)
        print(f"stopped after {time.time() - start:.0f} s: {waiting.qsize() + len(left)} of {total} tasks are left", flush=True)
    return [entries[key] for key in sorted(chosen) if key in entries]


def reason(entry):
    """Why a sample fails, in words that samples of one kind share."""
    why = re.sub(r" at /\S+:\d+:", ":", entry.get("why") or "")
    why = re.sub(r" \((called at )?/\S+:\d+\)", "", why)
    why = re.sub(r"\d+ of \d+ differ, first .*", "values differ", why)
    why = re.sub(r"\d[\d.e+-]*", "N", why) if entry["state"] in ("wrong", "crash") else why
    return f"{entry['state']}: {why}"


def read_known(path):
    """Lines `operator dtypes count reason`: at most that many samples of an operator and
    element type fail; `*` is any number, or all types."""
    known = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.strip() and not line.startswith("#"):
            op, dtypes, count, _ = line.split(maxsplit=3)
            for dtype in ALL_DTYPES if dtypes == "*" else dtypes.split(","):
                known[op, dtype] = float("inf") if count == "*" else int(count)
    return known


def write_known(path, done, is_part):
    """Writes the list anew from results, with the most frequent reason of each line. A part of
    the samples does not say how many fail."""
    groups = collections.defaultdict(list)
    for entry in done:
        if entry["state"] in FAILURES:
            groups[entry["op"], entry["dtype"]].append(entry)
    lines = collections.defaultdict(list)
    for (op, dtype), failed in groups.items():
        why = collections.Counter(map(reason, failed)).most_common(1)[0][0]
        lines[op, "*" if is_part else len(failed), why].append(dtype)
    head = [line for line in path.read_text().splitlines() if line.startswith("#")] if path.exists() else []
    body = [f"{op} {','.join(sorted(dtypes, key=ALL_DTYPES.index))} {count} {why}"
            for (op, count, why), dtypes in lines.items()]
    path.write_text("\n".join(head + sorted(body)) + "\n")


def print_summary(done):
    states = collections.Counter(entry["state"] for entry in done)
    exported = sum(states[s] for s in (*PASSED, *FAILURES))
    failed = [entry for entry in done if entry["state"] in FAILURES]
    groups = collections.defaultdict(list)
    for entry in failed:
        groups[entry["op"], reason(entry)].append(entry)
    for (op, why), members in sorted(groups.items(), key=lambda g: (-len(g[1]), g[0])):
        dtypes = ",".join(sorted({m["dtype"] for m in members}, key=ALL_DTYPES.index))
        print(f"{len(members):6d} {op} ({dtypes}, first {members[0]['sample']}): {why}")
    print()
    by_dtype = collections.defaultdict(collections.Counter)
    for entry in done:
        by_dtype[entry["dtype"]][entry["state"]] += 1
    columns = (*(PASSED if states["fallback"] else PASSED[:1]), *FAILURES, "export", "eager")
    print("| type | " + " | ".join(columns) + " | agree of exported |")
    print("|---|" + "---|" * (len(columns) + 1))
    for dtype in [d for d in ALL_DTYPES if d in by_dtype]:
        counts = by_dtype[dtype]
        of = sum(counts[s] for s in (*PASSED, *FAILURES))
        print(f"| {dtype} | " + " | ".join(str(counts[c]) for c in columns)
              + f" | {100 * sum(counts[s] for s in PASSED) / max(of, 1):.2f} % |")
    names = len({entry["op"] for entry in done})
    if states["fallback"]:
        operators = collections.Counter(operator for e in done if e["state"] == "fallback"
                                        for operator in e["why"].split(", "))
        print("\nfallbacks: " + ", ".join(f"{name} {count}" for name, count in operators.most_common()))
    print(f"\n{sum(states[s] for s in PASSED)} of {exported} samples of {names} operators agree, "
          f"{states['wrong']} wrong, {states['crash']} crashes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(HERE.parents[2] / "build"), help="the folder of the build")
    parser.add_argument("--dtypes", default="f32", help=f"element types, or all ({','.join(ALL_DTYPES)})")
    parser.add_argument("--only", default="", help="a regular expression that names of operators match")
    parser.add_argument("--decompose", action="store_true", help="with run_decompositions()")
    parser.add_argument("--dynamic", action="store_true", help="sizes are symbols where that is possible")
    parser.add_argument("--engine", choices=["module", "interp", "compile", "torch-compile"], default="module",
                        help="the Python module; the reference interpreter; coil-compile, without a run; or "
                             "torch.compile(backend='coil')")
    parser.add_argument("--gradients", action="store_true", help="gradients, with the operators that autograd calls (torch-compile: results and "
                             "gradients)")
    parser.add_argument("--options", default="", help="options of the pipelines (module), or of coil-compile")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu",
                        help="where the tensors are, and eager mode runs (cuda: options are target=cuda unless given)")
    parser.add_argument("--samples", type=int, default=0, help="at most so many of an operator and type")
    parser.add_argument("--operators", type=int, default=0, help="only so many operators, chosen by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shard", default="0/1", help="i/n: every n-th task from the i-th on")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--batch", type=int, default=16, help="samples in one program")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one sample")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so many seconds (0: go on to the end)")
    parser.add_argument("--results", help="a file of results, which a later run continues")
    parser.add_argument("--known", type=pathlib.Path, help="the list of known failures")
    parser.add_argument("--write-known", action="store_true", help="write that list anew")
    parser.add_argument("--log", help="a file for what workers print")
    parser.add_argument("--verbose", action="store_true", help="print each failure as it comes")
    parser.add_argument("--progress", action="store_true")
    parser.add_argument("--report", action="store_true", help="only report what --results has")
    options = parser.parse_args()
    if options.dtypes == "all":
        options.dtypes = ",".join(ALL_DTYPES)
    options.build = os.path.abspath(options.build)
    options.end = time.time() + options.seconds if options.seconds else float("inf")
    if options.device == "cuda" and not options.options:
        options.options = "target=cuda"
    if not options.known:
        kind = "-torch-compile" if options.engine == "torch-compile" else "-gradients" if options.gradients else "-decomposed" if options.decompose else "-cuda" if options.device == "cuda" else ""
        options.known = HERE / f"known-failures{kind}.txt"
    entries = {}
    if options.results and os.path.exists(options.results):
        for line in open(options.results):
            entry = json.loads(line)
            entries[entry["op"], entry["dtype"], entry["sample"]] = entry
    sys.path.insert(0, str(HERE))
    if options.report:
        done = list(entries.values())
    else:
        tasks = make_tasks(options)
        done = run_tasks(tasks, entries, options)
    if options.write_known:
        write_known(options.known, done, bool(options.samples))
    print_summary(done)
    failed = collections.Counter((e["op"], e["dtype"]) for e in done if e["state"] in FAILURES)
    known, status = read_known(options.known), 0
    for key, count in sorted(failed.items()):
        if count > known.get(key, 0):
            first = next(e for e in done if (e["op"], e["dtype"]) == key and e["state"] in FAILURES)
            print(f"error: {' '.join(key)}: {count} samples fail, {known.get(key, 0)} are known to; "
                  f"sample {first['sample']}: {reason(first)}")
            status = 1
    # A part of the samples says nothing of the others.
    if not options.samples and not options.seconds and options.shard == "0/1":
        for key in sorted({(e["op"], e["dtype"]) for e in done}):
            if known.get(key, 0) > failed[key] and (known[key] < float("inf") or not failed[key]):
                print(f"note: {options.known.name} allows more failures of {' '.join(key)} than the "
                      f"{failed[key]} that there are")
    return status if done else 1


if __name__ == "__main__":
    sys.exit(main())
