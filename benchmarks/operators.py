#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The speed of single operators: each of PyTorch's operator database at a real size, beside PyTorch eager and TorchInductor.

    benchmarks/operators.py --device=cpu --threads=2 --inductor --results=cpu.jsonl --seconds=3000
    benchmarks/operators.py --device=cuda --inductor --jobs=6 --results=cuda.jsonl --seconds=560
    benchmarks/operators.py --device=cpu --only='^(sort|topk)$' --elements=4M
    benchmarks/operators.py --report cpu.jsonl cuda.jsonl --write=benchmarks/results/operators.md

`operator_samples.py` says which sample of an operator is taken, and how it grows until its largest tensor has --elements elements; matrices
have 1,024 rows, or there are 64 of 128 rows. The element type is f32, or the first of those that an operator has.

* An operator is one program, exported from the sample's call, with all tensors as inputs. It is measured in a process that may end
  or take too long (--timeout); such operators are named with the reason, as those are that are refused. --results keeps a line of JSON for
  each, and a run with the same file goes on with what is missing; --again measures what --only names once more.
* Results are compared with eager mode's: element types and sizes always; values unless they are random or not initialised, by the norm of the
  difference (1e-3 of the result's), else by the rules of test/python/op_db/samples.py. What differs has no time.
* Times are the least of calls that are interleaved with the others', after a call of each: as many as fit in about 0.3 s of each, 3 at
  least and 50 at most. The machine may do other work, which the median (also in the results) shows. Results are freed before the next call. On a GPU
  a buffer as large as its L2 cache is read before each call, and the host's time is hidden behind a kernel that waits. With several --jobs,
  one process measures while the others export and compile.
* What a compiled program returns has memory of its own. Where eager mode returns a view of an argument, its time and Inductor's include a
  copy of the view ("view" in the results), with all elements; Coil's result keeps strides of zero.
* For a GPU the program is compiled without --host-fallbacks first. What that refuses is compiled with them, and the
  functions that run on the host are listed.
* The limit is twice eager mode's time; for Fourier transforms and matrices on the CPU it is four times.
"""
import argparse
import collections
import contextlib
import datetime
import fcntl
import json
import os
import pathlib
import queue
import random
import re
import resource
import select
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import torch

HERE = pathlib.Path(__file__).resolve().parent
# Seconds of calls of one function, and how many calls there are.
SECONDS, LEAST, MOST = 0.3, 3, 50
# How far results may be from eager mode's, by their norms; of integers, the share that may differ.
TOLERANCE = 1e-3
# Attempts at a sample and rule in full size.
ATTEMPTS = 6


def parse_count(text):
    return int(float(text.rstrip("KM")) * {"K": 1 << 10, "M": 1 << 20}.get(text[-1], 1))


class Skipped(Exception):
    """Why an operator has no figures."""

    def __init__(self, state, why):
        super().__init__(why)
        self.state = state


#===----------------------------------------------------------------------===//
# A process that measures
#===----------------------------------------------------------------------===//


class Meter:
    """Measures operators in this process."""

    def __init__(self, args):
        import operator_samples
        import worker
        from random_kernels import WAIT_CYCLES, Device

        torch.set_num_threads(args.threads)
        self.args, self.samples, self.tools = args, operator_samples, worker
        self.db = operator_samples.db
        self.operators = self.db.operators()
        self.device = Device(args.device, args.options, False)
        self.wait_cycles = WAIT_CYCLES

    @contextlib.contextmanager
    def alone(self):
        """Nothing else is measured meanwhile."""
        with open(self.args.lock, "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def prepare(self, name, case):
        """The call in full size, and eager mode's results."""
        op, failed = self.operators[name], None
        for number, plan in enumerate(self.samples.plans(name, op, case, self.args.elements)):
            if number == ATTEMPTS:
                break
            try:
                call = plan(self.args.seed, self.args.device)
                torch.manual_seed(1)
                with torch.no_grad():
                    return call.on(self.args.device), self.db.flatten(call.on(self.args.device).call(call.copies()))
            except Exception as error:  # What is valid for small sizes may not be for large ones.
                failed = self.tools.first_line(error)
        raise Skipped("not scaled", failed or "no sample can grow")

    def compile(self, call, folder):
        """The exported program, its path and the compiled one; and which functions run on the host."""
        import coil

        tensors = [torch.empty_strided(t.shape, t.stride(), dtype=t.dtype) for t in call.tensors]
        try:
            with torch.no_grad():
                exported = torch.export.export(self.db.Module([call.on("cpu")]), tuple(tensors), strict=False)
                exported.example_inputs = None
                path = os.path.join(folder, "model.pt2")
                torch.export.save(exported, path)
        except Exception as error:
            raise Skipped("not exported", self.tools.first_line(error)) from None
        try:
            return exported, coil.compile(path, options=self.device.options), []
        except coil.CoilError as error:
            host = sorted(set(re.findall(r"function '([\w:.]+)'", str(error)))) if "cuda" in self.device.options else []
            if not host:
                raise Skipped("refused", self.tools.first_line(error)) from None
        try:
            return exported, coil.compile(path, options=self.device.options + " host-fallbacks=all"), host
        except coil.CoilError as error:
            raise Skipped("refused", self.tools.first_line(error)) from None

    def make_run(self, exported, program, inputs):
        """A function that calls the program; and what the user sees of its results and inputs."""
        kinds = torch.export.graph_signature
        said = {spec.target for spec in exported.graph_signature.output_specs}
        names = [spec.arg.name for spec in exported.graph_signature.input_specs if spec.kind == kinds.InputKind.USER_INPUT]
        call = self.device.call(program, inputs)

        def see(results):
            kept, given = [], list(inputs)
            for result, spec in zip((torch.from_dlpack(r) for r in results), program.outputs):
                # Operators whose schema does not say that they write to an operand.
                target = spec.get("mutation", {}).get("target")
                if target in names and target not in said:
                    given[names.index(target)] = result
                else:
                    kept.append(result)
            return self.tools.user_results(exported, kept, given)[0]
        return call, see

    def compare(self, name, call, exported, actual, expected):
        """None, or how results differ."""
        if len(actual) < len(expected):
            return f"{len(actual)} results instead of {len(expected)}"
        for a, e in zip(actual, expected):
            if a.dtype != e.dtype or a.shape != e.shape:
                return f"{a.dtype} of {list(a.shape)} instead of {e.dtype} of {list(e.shape)}"
        if "empty" in name or name == "resize_" or self.tools.is_seeded(exported):
            return None
        if all(self.is_near(a.to(e.device), e) for a, e in zip(actual, expected)):
            return None
        torch.manual_seed(1)
        judge = self.db.Expectation.of(call, expected)
        return judge.judge([a.to(e.device) for a, e in zip(actual, expected)])

    def is_near(self, actual, expected):
        if not self.db.is_float(expected):
            return bool((actual != expected).double().mean() <= TOLERANCE) if expected.numel() else True
        wide = torch.complex128 if expected.is_complex() else torch.float64 if self.args.device == "cpu" else torch.float32
        finite = actual.isfinite() & expected.isfinite()
        if not finite.all():
            odd = (actual == expected) | (actual.isnan() & expected.isnan()) | finite
            if not odd.all():
                return False
            actual, expected = actual[finite], expected[finite]
        a, e = actual.to(wide), expected.to(wide)
        return bool((a - e).norm() <= TOLERANCE * e.norm())

    def is_view(self, call):
        """Whether a result is memory of an argument that the call does not write to."""
        given = call.copies()
        versions = [t._version for t in given]
        results = self.db.flatten(call.call(given))
        kept = {t.untyped_storage().data_ptr() for t, v in zip(given, versions) if t._version == v}
        return any(r.untyped_storage().data_ptr() in kept for r in results if r.layout == torch.strided and r.numel())

    def copy_views(self, result):
        return [t.clone(memory_format=torch.contiguous_format) for t in self.db.flatten(result)]

    def times(self, functions):
        """Least and median of the seconds of each function, interleaved."""
        cuda = self.args.device == "cuda"
        one = {}
        for name, f in functions.items():
            f()
            self.device.synchronize()
            begin = time.perf_counter()
            f()
            self.device.synchronize()
            one[name] = time.perf_counter() - begin
        samples = collections.defaultdict(list)
        counts = {n: int(min(MOST, max(LEAST, SECONDS / max(t, 1e-6)))) for n, t in one.items()}
        for i in range(max(counts.values())):
            for name, f in functions.items():
                # Slow functions take part in the first rounds.
                if i >= counts[name]:
                    continue
                if cuda:
                    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
                    self.device.flush.sum()
                    torch.cuda._sleep(self.wait_cycles)
                    begin.record()
                    result = f()
                    end.record()
                    samples[name].append((begin, end))
                else:
                    begin = time.perf_counter()
                    result = f()
                    samples[name].append(time.perf_counter() - begin)
                del result
        self.device.synchronize()
        if cuda:
            samples = {n: [b.elapsed_time(e) / 1e3 for b, e in s] for n, s in samples.items()}
        return {n: (min(s), statistics.median(s)) for n, s in samples.items()}

    def measure(self, name, case):
        record = {"family": self.samples.family(name)}
        with self.alone():
            call, expected = self.prepare(name, case)
            record["call"] = call.describe()[:200]
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            begin = time.perf_counter()
            exported, program, record["host"] = self.compile(call, folder)
            record["coil compile"] = time.perf_counter() - begin
            inputs = call.copies()
            run, see = self.make_run(exported, program, inputs)
            with self.alone():
                try:
                    wrong = self.compare(name, call, exported, see(run()), expected)
                except Exception as error:
                    return dict(record, state="run", why=self.tools.first_line(error))
            if wrong:
                return dict(record, state="differs", why=wrong)
            given = call.copies()
            record["view"] = self.is_view(call)
            own = self.copy_views if record["view"] else lambda result: result
            functions = {"eager": lambda: own(call.call(given)), "coil": run}
            if self.args.inductor:
                others = call.copies()
                try:
                    inductor = torch.compile(call.op.op if len(call.leaves) == len(call.tensors) == 1 else lambda *t: call.call(t))
                    inductor(*others)
                    functions["inductor"] = lambda: own(inductor(*others))
                except Exception as error:  # What Inductor cannot do is no matter of ours.
                    record["inductor failed"] = self.tools.first_line(error)
            expected = None
            with self.alone():
                if self.args.device == "cuda":
                    torch.cuda.empty_cache()
                for key, (least, median) in self.times(functions).items():
                    record[key], record[f"{key} median"] = least, median
        return dict(record, state="measured")

    def serve(self):
        """Reads operators from standard input and writes what became of them to standard output."""
        out = os.fdopen(os.dup(1), "w", buffering=1)
        os.dup2(2, 1)
        for line in sys.stdin:
            name, case = json.loads(line)
            if not name:
                out.write(json.dumps([(n, c) for n in self.operators for c in self.samples.cases(n)]) + "\n")
                continue
            torch._dynamo.reset()
            try:
                record = self.measure(name, case)
            except Skipped as skipped:
                record = {"state": skipped.state, "why": str(skipped)}
            except Exception as error:  # Of this operator; others go on.
                record = {"state": "crash", "why": f"{type(error).__name__}: {self.tools.first_line(error)}"}
            if self.args.device == "cuda":
                torch.cuda.empty_cache()
            out.write(json.dumps(record) + "\n")


#===----------------------------------------------------------------------===//
# The process that starts them
#===----------------------------------------------------------------------===//


class Worker:
    """A process that measures, started again when it ends."""

    def __init__(self, args):
        self.args, self.process, self.buffer = args, None, b""

    def start(self):
        args = self.args
        command = [sys.executable, __file__, "--serve", f"--device={args.device}", f"--elements={args.elements}", f"--seed={args.seed}",
                   f"--threads={args.threads}", f"--options={args.options}", f"--lock={args.lock}", f"--memory={args.memory}"]
        environment = dict(os.environ, OMP_NUM_THREADS=str(args.threads), COIL_NUM_THREADS=str(args.threads))
        log = open(args.log or os.devnull, "ab")
        self.process = subprocess.Popen(command + ["--inductor"] * args.inductor, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                        env=environment, bufsize=0)
        self.buffer = b""

    def list(self):
        """All operators and their cases."""
        return [tuple(task) for task in self.measure("", "")]

    def measure(self, name, case):
        if not self.process or self.process.poll() is not None:
            self.start()
        self.process.stdin.write((json.dumps([name, case]) + "\n").encode())
        end = time.monotonic() + self.args.timeout
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                self.stop()
                return {"state": "timeout", "why": f"takes more than {self.args.timeout:g} s"}
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                status, self.process = self.process.wait(), None
                return {"state": "crash", "why": f"the process ends with {status}"}
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def run(args):
    """Measures what is missing, and returns all records."""
    import coil
    from random_kernels import Device

    head = {"head": True, "device": args.device, "date": str(datetime.date.today()), "title": Device(args.device, args.options, False).title,
            "torch": torch.__version__, "coil": coil.version(), "threads": args.threads, "elements": args.elements, "seed": args.seed,
            "command": " ".join(["benchmarks/operators.py", *(a for a in sys.argv[1:] if not a.startswith(("--results", "--log", "--seconds")))])}
    if args.device == "cpu":
        head["title"] = re.sub(r", \d+ threads$", "", head["title"]) + f", {args.threads} threads"
    _, records = read(args.results) if args.results and os.path.exists(args.results) else (None, {})
    workers = [Worker(args) for _ in range(args.jobs)]
    tasks = [(name, case) for name, case in workers[0].list() if re.search(args.only, name)]
    index, count = map(int, args.shard.split("/"))
    # Neighbours are alike; what takes long is spread.
    random.Random(args.seed).shuffle(tasks)
    tasks = [t for t in tasks[index::count] if args.again or t not in records]
    waiting, begin, lock = queue.Queue(), time.monotonic(), threading.Lock()
    for task in tasks:
        waiting.put(task)
    file = open(args.results, "a") if args.results else None
    if file:
        file.write(json.dumps(head) + "\n")

    def work(worker):
        while time.monotonic() - begin < args.seconds:
            try:
                name, case = waiting.get_nowait()
            except queue.Empty:
                break
            record = {"op": name, "case": case, "device": args.device, **worker.measure(name, case)}
            with lock:
                records[name, case] = record
                if file:
                    file.write(json.dumps(record) + "\n")
                    file.flush()
                print(describe(record), flush=True)
        worker.stop()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if waiting.qsize():
        print(f"{waiting.qsize()} of {len(tasks)} are left: the time is up")
    return head, records


#===----------------------------------------------------------------------===//
# Figures
#===----------------------------------------------------------------------===//


def read(path):
    """The last head of a file of results, and its records, later ones for earlier ones."""
    head, records = None, {}
    for line in open(path):
        record = json.loads(line)
        if "head" in record:
            head = record
        else:
            records[record["op"], record["case"]] = record
    return head, records


def title(record):
    return f"{record['op']} {record['case']}".strip()


def describe(record):
    if record["state"] != "measured":
        return f"{title(record)}: {record['state']}: {record.get('why')}"
    text = f"{title(record)}: {record['coil'] / record['eager']:.2f} x eager ({record['coil'] * 1e3:.3f} ms)"
    if "inductor" in record:
        text += f", {record['coil'] / record['inductor']:.2f} x Inductor"
    return text + (f", on the host: {' '.join(record['host'])}" if record["host"] else "")


def limit(record):
    return 4 if record["device"] == "cpu" and record["family"] != "general" else 2


def quantile(values, share):
    values = sorted(values)
    return values[round(share * (len(values) - 1))] if values else float("nan")


def summarise(head, records):
    """The tables of a run as Markdown."""
    measured = [r for r in records.values() if r["state"] == "measured"]
    others = [r for r in records.values() if r["state"] != "measured"]
    host = [r for r in records.values() if r.get("host")]
    lines = [f"## {head['title']}, {head['date']}", "",
             f"torch {head['torch']}, Coil {head['coil']}; {head['elements']:,} elements, seed {head['seed']}. {len(measured)} measured, "
             f"{len(others)} not; {len(host)} call functions on the host.", "", "    " + head["command"], "",
             "Times of eager mode's or Inductor's time that Coil takes; below 1 is faster.", "",
             "| beside | measured | p10 | median | p90 | slower | slower than 2 x | above the limit |", "|---|---|---|---|---|---|---|---|"]
    for other in ("eager", "inductor"):
        ratios = [r["coil"] / r[other] for r in measured if other in r]
        if ratios:
            share = lambda n: f"{n} ({100 * n / len(ratios):.1f} %)"
            above = sum(r["coil"] > limit(r) * r["eager"] for r in measured) if other == "eager" else "-"
            lines.append(f"| {other} | {len(ratios)} | " + " | ".join(f"{quantile(ratios, q):.2f}" for q in (0.1, 0.5, 0.9))
                         + f" | {share(sum(x > 1 for x in ratios))} | {share(sum(x > 2 for x in ratios))} | {above} |")
    lines += ["", "| operator | arguments | eager ms | Coil ms | x eager | Inductor ms | x Inductor |" + (" on the host |" if host else ""),
              "|---|---|---|---|---|---|---|" + ("---|" if host else "")]
    for r in sorted(measured, key=lambda r: -r["coil"] / r["eager"]):
        inductor = f"{r['inductor'] * 1e3:.3f} | {r['coil'] / r['inductor']:.2f}" if "inductor" in r else "- | -"
        mark = "**" if r["coil"] > limit(r) * r["eager"] else ""
        call = r["call"].split(";")[0].replace("float", "f").replace("int", "i").replace("complex", "c").strip() or "-"
        name = title(r) + (" (view)" if r.get("view") else "")
        lines.append(f"| {name} | `{call[:90]}` | {r['eager'] * 1e3:.3f} | {r['coil'] * 1e3:.3f} | {mark}{r['coil'] / r['eager']:.2f}{mark} | {inductor} |"
                     + (f" {' '.join(r['host'])} |" if host else ""))
    if others:
        lines += ["", "Not measured:", ""]
        groups = collections.defaultdict(list)
        for r in others:
            why = re.sub(r" at /\S+:\d+:", ":", r.get("why") or "")  # Places in this repository.
            groups[r["state"], why.replace("|", "/")].append(title(r))
        lines += [f"* {', '.join(f'`{n}`' for n in sorted(names))}: {state}: {why}" for (state, why), names in sorted(groups.items())]
    return "\n".join(lines) + "\n"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--elements", type=parse_count, default=1 << 24, help="of the largest tensor, as in 4M (default: 16M)")
    parser.add_argument("--only", default="", help="a regular expression that names of operators match")
    parser.add_argument("--inductor", action="store_true", help="measure torch.compile, too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--options", default="", help="pipeline options for Coil (default: target=cpu, or target=cuda)")
    parser.add_argument("--results", help="a file of results, which a later run continues")
    parser.add_argument("--again", action="store_true", help="measure what the file of results has, too")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no operator after this time")
    parser.add_argument("--timeout", type=float, default=150, help="seconds for one operator")
    parser.add_argument("--shard", default="0/1", help="i/n: every n-th operator from the i-th on")
    parser.add_argument("--jobs", type=int, default=1, help="processes, of which one measures at a time")
    parser.add_argument("--memory", type=float, default=0, help="GiB of address space that a process may have (0: all)")
    parser.add_argument("--log", help="a file for what the processes print")
    parser.add_argument("--lock", help=argparse.SUPPRESS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--report", nargs="+", metavar="FILE", help="tables of files of results instead of measuring")
    parser.add_argument("--write", metavar="FILE", help="write the tables there")
    parser.add_argument("--note", default="", help="a paragraph in front of the tables that are written")
    return parser.parse_args()


def main():
    args = parse()
    sys.path.insert(0, str(HERE.parent / "test/python/op_db"))
    if args.serve:
        if args.memory:
            resource.setrlimit(resource.RLIMIT_AS, (int(args.memory * 2**30),) * 2)
        Meter(args).serve()
        return 0
    if args.report:
        runs = [read(path) for path in args.report]
    else:
        with tempfile.NamedTemporaryFile() as lock:
            args.lock = lock.name
            runs = [run(args)]
    text = "\n".join(summarise(*one) for one in runs)
    if args.write:
        head = "# Operators\n\nEach operator of PyTorch's database at a real size, worst first; `benchmarks/operators.py` says how.\n\n"
        pathlib.Path(args.write).write_text(head + (args.note + "\n\n" if args.note else "") + text)
    else:
        print("\n" + text)
    return 0 if any(r["state"] == "measured" for r in runs[0][1].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
