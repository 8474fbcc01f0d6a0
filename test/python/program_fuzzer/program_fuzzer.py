#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Checks Coil on random PyTorch programs against eager mode.

  program_fuzzer.py --build build [--seed N] [--count N] [--seconds S] [--results FILE] [--jobs J]
  program_fuzzer.py --only SEED                # one program: its text, outcome and reproducer
  program_fuzzer.py --modes compile,compile-dynamic,compile-gradients    # through torch.compile
  program_fuzzer.py --coverage --count 8       # which operators are never drawn, exported or compiled

Operators are those of PyTorch's schema table, which is read when this runs; schemas.py says which are left out, and
why. Arguments are drawn for the types in the schema, and what eager mode refuses is drawn again. Programs
have 3 to 25 statements on live values: operators with all their variants (in place, `out=`), PyTorch's own
operator database as patterns, indexing, assignments to parts. Each is exported,
compiled in one of several ways (ways.py) and compared with eager mode (judge.py), in processes that may crash.

  agree     results and what inputs and buffers hold afterwards are eager mode's
  unstable  so, but for integers or bools that rounding errors change in eager mode, too
  wrong     they are not
  refused   the compiler says that it cannot
  run       the run says that it cannot
  crash     the process ended
  timeout   it took longer than --timeout
  export    torch.export cannot, or what it writes is another program; no failure
  eager     eager mode cannot, or ends the process; no failure

--results keeps a line of JSON for each program; a run with the same file goes on with the seeds that are not
in it, and --again repeats those that failed. known-failures.txt lists classes of failures that are known, each with a
program: the run fails when there is a failure of another class, when a program of the list does not fail any more (the
list only gets shorter), and when more than --max-refused percent of the programs are refused.
"""

import argparse
import collections
import json
import os
import pathlib
import queue
import re
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "op_db")]

import op_db  # noqa: E402
from torch_compiled import MODES as COMPILED  # noqa: E402
from ways import MODES  # noqa: E402

FAILURES = op_db.FAILURES
STATES = ("agree", "unstable", *FAILURES, "export", "eager")


class Checker(op_db.Worker):
    """A process that checks programs, started again when it ends."""

    def command(self):
        options = self.options
        return [sys.executable, str(HERE / "checker.py"), "--build", options.build, "--device", options.device,
                "--modes", options.modes, "--size", str(options.size), "--timeout", str(options.timeout)]

    def check(self, task, report=None):
        """The entry of a task."""
        if not self.process or self.process.poll() is not None:
            self.start()
        self.process.stdin.write((json.dumps(task) + "\n").encode())
        entry, stage = {}, "start"
        while True:
            answer = self.read(self.options.timeout + (60 if stage == "start" else 0))
            if not answer:
                break
            stage = answer.pop("stage", stage)
            entry.update(answer)
            if "state" in answer:
                return entry
        if answer is False:
            self.stop()
            status = "timeout"
        else:
            status = f"the process ends with {self.process.wait()}"
        self.process = None
        # Eager mode and the exporter end the process, too, for some arguments.
        state = {"compile": "timeout" if answer is False else "crash", "export": "export"}.get(stage, "eager")
        return {**entry, "state": state, "why": status}


def reason(entry):
    """Why a program fails, in words that programs of one kind share."""
    why = re.sub(r"node '[^']*' \(torch\.ops\.", "(", entry.get("why") or "")
    why = re.sub(r"program\d+\.py:\d+(:\d+)?:? ?", "", why)
    why = re.sub(r"result \d+ \([xv]\d+\)|input [xv]\d+ behind", "result", why)
    why = re.sub(r"\b[xv]\d+\b", "value", why)
    why = re.sub(r"\d+ of \d+ differ, first .*", "values differ", why)
    return re.sub(r"-?\b\d[\d.e+-]*", "N", why) if entry["state"] in FAILURES else why


class Known:
    """A class of failures that is known: a regular expression of state and reason, why, and a program that fails so."""

    def __init__(self, pattern):
        self.text, self.pattern, self.why, self.mode = pattern, re.compile(pattern), "", "plain"
        self.program = {"inputs": [], "statements": [], "results": []}

    def add(self, line):
        """An indented line of the list."""
        if match := re.match(r"(why|way): (.*)", line):
            setattr(self, {"why": "why", "way": "mode"}[match.group(1)], match.group(2))
        elif match := re.match(r"(buffer )?(x\d+) = (.*)", line):
            self.program["inputs"].append([match.group(2), match.group(3), bool(match.group(1))])
        elif line.startswith("return "):
            self.program["results"] = line.removeprefix("return ").split(", ")
        else:
            self.program["statements"].append(line)

    def holds(self, entry):
        return self.pattern.search(f"{entry['state']}: {reason(entry)}") is not None


def read_known(path):
    found = []
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("    "):
            found[-1].add(line.strip())
        elif line.strip() and not line.startswith("#"):
            found.append(Known(line))
    return found


def find_obsolete(known, options):
    """Classes whose program does not fail any more, or in another way."""
    checker, obsolete = Checker(options), []
    for entry in known:
        got = checker.check({"program": entry.program, "way": [entry.mode, "", 1]})
        if got["state"] not in FAILURES or not entry.holds(got):
            obsolete.append(entry)
            print(f"obsolete: {entry.text} (it is {got['state']}: {got['why']})")
    checker.stop()
    return obsolete


def explain(entry, options):
    """The program small, and as a reproducer."""
    import programs
    import reduction
    checker = Checker(options)
    form, way = entry["program"], entry["way"]
    wanted = (entry["state"], reason(entry))
    is_exact = entry["state"] in ("refused", "run")

    def fails(candidate):
        got = checker.check({"program": candidate, "way": way})
        return got["state"] == wanted[0] and (not is_exact or reason(got) == wanted[1])
    if fails(form):
        form = reduction.Reducer(form, fails).reduce()
    else:
        print("# It does not fail alone.")
    checker.stop()
    program = programs.Program.load(form, options.device)
    if way[0] in COMPILED:
        return program, program.compiled_reproducer(way[0] == "compile-dynamic")
    return program, program.reproducer(way[1], way[0] == "dynamic", way[0] == "decompose", way[2])


def in_parallel(options, tasks, handle, end=float("inf")):
    """Calls `handle` with a checker and each task, in as many threads as there are jobs; begins none after `end`."""
    waiting = queue.Queue()
    for task in tasks:
        waiting.put(task)

    def work():
        checker = Checker(options)
        while time.time() < end:
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                break
            handle(checker, task)
        checker.stop()
    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def write(file, entry):
    """Adds a line to the results, if they are kept."""
    if file:
        file.write(json.dumps(entry) + "\n")
        file.flush()


def run(options, entries):
    """Checks programs by seeds; adds to `entries`."""
    file = open(options.results, "a") if options.results else None
    lock = threading.Lock()
    index, count = map(int, options.shard.split("/"))
    seeds = range(options.seed, options.seed + options.count)[index::count]
    start = time.time()
    done = []

    def handle(checker, seed):
        begun = time.time()
        entry = {"seed": seed, **checker.check({"seed": seed}), "seconds": round(time.time() - begun, 2)}
        if entry["state"] not in FAILURES and options.short:
            entry.pop("program", None)
        with lock:
            entries[seed] = entry
            done.append(seed)
            write(file, entry)
            if options.verbose and entry["state"] in FAILURES:
                print(f"{entry['state']}: seed {seed} {entry['way'][0]}: {entry['why']}", flush=True)
            if options.progress and len(done) % 100 == 0:
                counts = collections.Counter(entries[s]["state"] for s in done)
                print(f"{len(done)} programs, {time.time() - start:.0f} s: {dict(counts)}", flush=True)
    open_seeds = [s for s in seeds if s not in entries or options.again and entries[s]["state"] in FAILURES]
    in_parallel(options, open_seeds, handle, start + options.seconds if options.seconds else float("inf"))
    return [entries[s] for s in seeds if s in entries]


def print_summary(done):
    groups = collections.defaultdict(list)
    for entry in done:
        if entry["state"] in FAILURES:
            groups[entry["state"], reason(entry)].append(entry)
    for (state, why), members in sorted(groups.items(), key=lambda g: (FAILURES.index(g[0][0]), -len(g[1]))):
        ways = ",".join(sorted({m["way"][0] for m in members}))
        print(f"{len(members):6d} {state} ({ways}; seeds {', '.join(str(m['seed']) for m in members[:4])}): {why}")
    operators = collections.Counter(o for e in done if e["state"] in ("agree", "unstable", *FAILURES)
                                    for o in set(e.get("operators", ())))
    print("\n| way | " + " | ".join(STATES) + " |\n|---|" + "---|" * len(STATES))
    for mode in [m for m in (*MODES, *COMPILED) if any(e.get("way", [None])[0] == m for e in done)]:
        counts = collections.Counter(e["state"] for e in done if e.get("way", [None])[0] == mode)
        print(f"| {mode} | " + " | ".join(str(counts[s]) for s in STATES) + " |")
    counts = collections.Counter(e["state"] for e in done)
    exported = sum(counts[s] for s in STATES[:-2])
    print(f"\n{len(done)} programs of {len(operators)} operators: {exported} exported, {counts['agree']} agree, "
          f"{counts['unstable']} unstable, {counts['wrong']} wrong, {counts['crash'] + counts['timeout']} crashes, "
          f"{counts['refused'] + counts['run']} refused "
          f"({100 * (counts['refused'] + counts['run']) / max(exported, 1):.2f} %)")


def print_coverage(options):
    """What becomes of each overload in programs of one call: which are never drawn, never exported, always refused or
    wrong, with the last reason."""
    import programs
    table, skipped = programs.read_table()
    for why, names in sorted(skipped.items(), key=lambda g: -len(g[1])):
        print(f"left out, {why}: {len(names)} overloads")
    index, count = map(int, options.shard.split("/"))
    operators = [o.full for name in table for o in table[name]][index::count]
    lock, seen = threading.Lock(), {}
    file = open(options.results, "a") if options.results else None

    def handle(checker, name):
        entries = []
        for seed in range(options.seed, options.seed + options.count):
            entries.append({"seed": seed, "operator": name, **checker.check({"seed": seed, "operator": name})})
            if entries[-1]["state"] in ("agree", "unstable"):
                break
        with lock:
            seen[name] = entries
            for entry in entries:
                write(file, entry)
                if options.verbose and entry["state"] in FAILURES:
                    print(f"{entry['state']}: {name}, seed {entry['seed']}: {entry['why']}", flush=True)
    in_parallel(options, operators, handle)
    fates = collections.Counter()
    for name in operators:
        states = [e["state"] for e in seen[name]]
        fate = next((s for s in ("agree", "unstable", *FAILURES, "export", "eager") if s in states), "eager")
        fates[fate] += 1
        if fate not in ("agree", "unstable"):
            entry = next(e for e in seen[name] if e["state"] == fate)
            what = {"eager": "never drawn", "export": "never exported"}.get(fate, f"always {fate}")
            print(f"{what}: {name}: {(entry['why'] or '')[:150]}")
    print(f"of {len(operators)} overloads " + ", ".join(f"{fates[s]} {s}" for s in STATES if fates[s]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(HERE.parents[2] / "build"), help="the folder of the build")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--seed", type=int, default=0, help="the first program")
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument("--seconds", type=float, default=0, help="draw no program after so many seconds")
    parser.add_argument("--size", type=int, default=0, help="statements of each program (default: 3 to 25)")
    parser.add_argument("--shard", default="0/1", help="i/n: every n-th program from the i-th on")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--modes", default=",".join(MODES), help="ways to compile and run, of " + ", ".join((*MODES, *COMPILED)))
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one program")
    parser.add_argument("--results", help="a file of results, which a later run continues")
    parser.add_argument("--again", action="store_true", help="repeat what failed in --results")
    parser.add_argument("--short", action="store_true", help="keep no text of programs that do not fail in --results")
    parser.add_argument("--known", type=pathlib.Path, default=HERE / "known-failures.txt")
    parser.add_argument("--max-refused", type=float, default=1, help="percent of exported programs that may be refused")
    parser.add_argument("--explain", type=int, default=0, help="reduce so many failures, one of each reason")
    parser.add_argument("--only", type=int, help="one program: print and reduce it")
    parser.add_argument("--coverage", action="store_true", help="try each operator --count times")
    parser.add_argument("--log", help="a file for what workers print")
    parser.add_argument("--verbose", action="store_true", help="print each failure as it comes")
    parser.add_argument("--progress", action="store_true")
    parser.add_argument("--report", action="store_true", help="only report what --results has")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if options.coverage:
        print_coverage(options)
        return 0
    entries = {}
    if options.results and os.path.exists(options.results):
        entries = {entry["seed"]: entry for entry in (json.loads(line) for line in open(options.results) if line.strip())}
    if options.only is not None:
        checker = Checker(options)
        entry = entries.get(options.only) or checker.check({"seed": options.only})
        if options.again:
            entry = checker.check({"seed": options.only})
        checker.stop()
        import programs
        print(programs.Program.load(entry["program"], options.device).source())
        print(f"{entry['state']} ({' '.join(map(str, entry['way']))}): {entry['why']}\n")
        if entry["state"] in FAILURES:
            print(explain(entry, options)[1])
        return 0
    done = list(entries.values()) if options.report else run(options, entries)
    print_summary(done)
    failed = [e for e in done if e["state"] in FAILURES]
    known = read_known(options.known)
    unknown = [e for e in failed if not any(k.holds(e) for k in known)]
    for entry in known:
        if count := sum(entry.holds(e) for e in failed):
            print(f"known, {count}: {entry.text} ({entry.why})")
    explained = {}
    for entry in unknown:
        key = (entry["state"], reason(entry))
        if len(explained) < options.explain and key not in explained:
            explained[key] = entry
            program, text = explain(entry, options)
            print(f"\n# {entry['state']}: seed {entry['seed']} ({' '.join(map(str, entry['way']))}): {entry['why']}\n{text}")
    exported = len([e for e in done if e["state"] in STATES[:-2]])
    refused = [e for e in failed if e["state"] in ("refused", "run")]
    errors = []
    if unknown:
        errors.append(f"{len(unknown)} failures that are not known")
    if 100 * len(refused) > options.max_refused * exported:
        errors.append(f"more than {options.max_refused:g} % refused")
    if find_obsolete(known, options):
        errors.append("classes that do not fail any more; take them from the list")
    if options.count and not exported:
        errors.append("no program was exported")
    print("error: " + ", ".join(errors) if errors else "no failure that is not known")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
