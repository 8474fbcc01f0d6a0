#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Give the tools inputs that look valid, and check how they answer.

scripts/fuzz_pt2.py damages files; here the containers are right, with checksums
repaired, and single values are others of their kind:

  model    nodes, arguments, sizes, element types and names of a .pt2 file
  package  the manifest and the records of a .coilpkg file
  mlir     attribute values, types, operands and lines of the tests' .mlir files,
           each through its own RUN lines or the pipelines of the stages

A tool has to end within 10 s, without a signal, with a documented status, a line
"error: ..." when it fails, and without a file that is not complete. The same seed
gives the same inputs. Cases that fail are kept in --keep.

    python3 scripts/fuzz_inputs.py mlir --count 20000 --keep failures
"""
import argparse
import collections
import copy
import glob
import json
import multiprocessing
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
for folder in ("test/Import/Inputs", "test/Inputs", "test/Abuse/Inputs", "scripts"):
    sys.path.insert(0, os.path.join(ROOT, folder))
import fuzz_pt2  # noqa: E402
import pt2  # noqa: E402
import tool  # noqa: E402
import tools  # noqa: E402

TIMEOUT = 10
INTS = [0, 1, -1, 2, 3, 4, 7, 8, 16, 31, 32, 64, 100, 255, 1024, 4096, 65536, 2**31 - 1, 2**31,
        2**32 - 1, 2**32, 2**40, 2**47, 2**62, 2**63 - 1, -2, -3, -(2**31), -(2**63)]

# ----------------------------------------------------------------------------
# Models
# ----------------------------------------------------------------------------


def same_kind(rng, value, found):
    """Another value of the same JSON type, mostly one that the document has."""
    others = [c[k] for c, k in rng.sample(found, min(len(found), 300))
              if type(c[k]) is type(value)]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice(INTS + [value + 1, value - 1, 2 * value] + others[:8])
    if isinstance(value, float):
        return rng.choice([0.0, -1.0, 0.5, 1e30, value * 2])
    if isinstance(value, str):
        return rng.choice(others or [value])
    return copy.deepcopy(rng.choice(others or [value]))


METADATA = {"nn_module_stack", "torch_fn", "metadata", "stack_trace", "source_fn_stack"}


def plausible_places(value):
    """Every place of a document but metadata, which nobody reads."""
    found, todo = [], [value]
    while todo:
        current = todo.pop()
        for key, child in current.items() if isinstance(current, dict) else enumerate(current):
            if key in METADATA:
                continue
            found.append((current, key))
            if isinstance(child, (dict, list)):
                todo.append(child)
    return found


def make_model(rng, seeds):
    name, records = rng.choice(seeds)
    records = list(records)
    at = rng.choice([i for i, (n, _) in enumerate(records)
                     if n.endswith(".json") and "/models/" in n] or [0])
    document = json.loads(records[at][1])
    found = plausible_places(document)
    leaves = [(c, k) for c, k in found if not isinstance(c[k], (dict, list))]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        container, key = rng.choice(leaves if rng.random() < 0.8 else found)
        try:
            container[key] = same_kind(rng, container[key], found)
        except (KeyError, IndexError):
            pass
    records[at] = (records[at][0], json.dumps(document).encode())
    return pt2.write(records), ".pt2", name


def model_commands(rng, path, output):
    target = rng.choice([[], [], ["--target=cuda:sm_90a", "--library=none"]])
    kind = rng.randrange(5)
    if kind == 0:
        return [["coil-import", path, "-o", output + ".mlir"]]
    if kind == 1:
        return [["coil-compile", path, "--emit=" + rng.choice(["python", "fx"]), "-o",
                 output + ".py"]]
    if kind == 2:
        return [["coil-run", path, "--random-inputs", "--output="]]
    return [["coil-compile", path, "--to=" + rng.choice(["graph", "loop", "wrapper", "native"]),
             *target, "-o", output + ".mlir"]]


# ----------------------------------------------------------------------------
# Packages
# ----------------------------------------------------------------------------


def make_package(rng, seeds):
    name, records = rng.choice(seeds)
    records = list(records)
    at = next(i for i, (n, _) in enumerate(records) if n == "manifest.json")
    manifest = json.loads(records[at][1])
    found = plausible_places(manifest)
    leaves = [(c, k) for c, k in found if not isinstance(c[k], (dict, list))]
    for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 4])):
        container, key = rng.choice(leaves if rng.random() < 0.6 else found)
        kind = rng.randrange(5)
        try:
            if kind == 0:
                del container[key]
            elif kind == 1 and isinstance(container, list):
                container.insert(key, copy.deepcopy(container[key]))
            else:
                container[key] = same_kind(rng, container[key], found)
        except (KeyError, IndexError):
            pass
    if rng.random() < 0.2:
        # Records change places or sizes, and the manifest knows it.
        data = [i for i, (n, _) in enumerate(records) if n != "manifest.json"]
        if len(data) > 1 and rng.random() < 0.5:
            a, b = rng.sample(data, 2)
            (names_a, data_a), (names_b, data_b) = records[a], records[b]
            records[a], records[b] = (names_a, data_b), (names_b, data_a)
        elif data:
            i = rng.choice(data)
            records[i] = (records[i][0], records[i][1][:rng.randrange(len(records[i][1]) + 1)])
        repair(manifest, dict(records))
    records[at] = ("manifest.json", json.dumps(manifest).encode())
    return pt2.write(records), ".coilpkg", name


def repair(manifest, records):
    """Gives records of the manifest the hashes that can be computed here. XXH3 is
    not among them in Python's library, so that only the sizes pass."""
    import hashlib

    for record in manifest.get("records", []):
        data = records.get(record.get("name")) if isinstance(record, dict) else None
        if data is not None:
            record["bytes"] = len(data)
            record["sha256"] = hashlib.sha256(data).hexdigest()


def package_commands(rng, path, output):
    commands = [["coil-package", "inspect", path], ["coil-package", "verify", path],
                ["coil-package", "diff", path, "OTHER"], ["coil-package", "diff", "OTHER", path],
                ["coil-package", "merge", path, "OTHER", "-o", output + ".coilpkg"],
                ["coil-run", path, "--random-inputs", "--output="],
                ["coil-run", path, "--random-inputs", "--output=", "--check-weights=false"]]
    return [rng.choice(commands), commands[5]]


# ----------------------------------------------------------------------------
# Modules
# ----------------------------------------------------------------------------

TOKEN = re.compile(r'"[^"\n]*"|%[\w$.-]+(?:#\d+)?|#[\w.]+|![\w.]+|@[\w$.-]+|-?\d+\.\d+(?:e[+-]?\d+)?'
                   r'|0x[0-9A-Fa-f]+|(?<![\w.])-?\d+|[A-Za-z_][\w.]*|->|\S')
ELEMENTS = ["i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui64", "f16", "bf16", "f32", "f64",
            "f8E4M3FN", "index", "complex<f32>", "i128"]
SHAPED = re.compile(r"^((?:\?|\d+|x)+x)?(i1|i8|i16|i32|i64|ui8|ui16|ui32|ui64|f16|bf16|f32|f64)$")


def chunks_of_tests():
    """(chunk, arguments of coil-opt, name) of the tests, and of programs."""
    found = []
    for path in sorted(glob.glob(os.path.join(ROOT, "test/**/*.mlir"), recursive=True)):
        with open(path) as file:
            text = file.read()
        name = os.path.relpath(path, ROOT)
        if len(text) > 60000:
            continue
        joined = re.sub(r"\\\n// RUN:", "", text)
        runs = []
        for line in re.findall(r"// RUN:\s*(.*)", joined):
            match = re.match(r"(?:not )?coil-opt (.*?)(?:\||2>|>|$)", line)
            if not match or "%{" in line or "%coil" in match[1]:
                continue
            try:
                words = shlex.split(match[1])
            except ValueError:
                continue
            words = [w for w in words if not w.startswith(("--verify-diag", "-verify-diag",
                                                           "--split-input", "-split-input",
                                                           "%", "-o", "--debug", "--mlir"))]
            runs.append(words)
        if not runs and ("wrapper.func" not in text and "func.func" not in text):
            continue
        for chunk in re.split(r"\n\s*// -----\s*\n", text):
            # What the file says of itself is no part of the module.
            chunk = re.sub(r"(?m)^\s*//.*\n?", "", chunk)
            if 10 < len(chunk) < 20000:
                found.append((chunk, runs, name))
    return found


def mutate_token(rng, token, tokens):
    if re.fullmatch(r"-?\d+", token):
        return str(rng.choice(INTS + [int(token) + 1, int(token) - 1, -int(token)]))
    if re.fullmatch(r"-?\d+\.\d+(e[+-]?\d+)?", token):
        return rng.choice(["0.0", "-1.0", "1.0e38", "1.0e-45", "0x7FC00000", "3"])
    if token in ELEMENTS:
        return rng.choice(ELEMENTS)
    shaped = SHAPED.match(token)
    if shaped and "x" in token:
        dims, element = token[:-len(shaped[2])], shaped[2]
        kind = rng.randrange(4)
        if kind == 0:
            return dims + rng.choice(ELEMENTS)
        parts = dims.rstrip("x").split("x")
        i = rng.randrange(len(parts))
        if kind == 1:
            parts[i] = rng.choice(["0", "1", "2", "?", "7", "4294967296", "9223372036854775807"])
        elif kind == 2:
            parts.insert(i, rng.choice(["1", "3"]))
        elif len(parts) > 1:
            del parts[i]
        return "x".join(parts) + "x" + element
    prefix = token[0]
    others = [t for t in tokens if t != token and t[0] == prefix] if prefix in '%#!@"' else [
        t for t in tokens if t != token and re.fullmatch(r"[A-Za-z_][\w.]*", t)]
    return rng.choice(others) if others else token


def make_module(rng, seeds):
    chunk, runs, name = rng.choice(seeds)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind = rng.randrange(10)
        lines = chunk.split("\n")
        if kind == 0 and len(lines) > 3:
            del lines[rng.randrange(len(lines))]
            chunk = "\n".join(lines)
            continue
        if kind == 1 and len(lines) > 3:
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            chunk = "\n".join(lines)
            continue
        matches = list(TOKEN.finditer(chunk))
        if not matches:
            break
        # Numbers, types and values; punctuation gives errors of the parser.
        good = [m for m in matches if re.match(r"[-\w%#@?]", m[0])]
        match = rng.choice(good or matches)
        if rng.random() < 0.4:
            numbers = [m for m in good if re.match(r"-?\d", m[0])]
            match = rng.choice(numbers or [match])
        new = mutate_token(rng, match[0], [m[0] for m in matches])
        chunk = chunk[:match.start()] + new + chunk[match.end():]
    return chunk.encode(), ".mlir", (name, runs)


def module_commands(rng, path, output, runs, data):
    if runs and rng.random() < 0.7:
        return [["coil-opt", path, *rng.choice(runs), "-o", output + ".mlir"]]
    kind = rng.randrange(8)
    if kind == 0:
        return [["coil-compile", path, "--emit=" + rng.choice(["python", "fx"]), "-o",
                 output + ".py"]]
    if kind == 1:
        return [["coil-compile", path, "--emit=cpp", "-o", output + ".cpp"]]
    # A user's kernel is machine code, which reads where it says.
    if kind == 2 and b" llvm." not in data:
        # A loop that never ends is no fault of the program that runs it.
        return [["coil-run", path, "--random-inputs", "--output=", "--time-limit=3"]]
    if kind == 3:
        return [["coil-interpret", path, "--max-steps=1000000"]]
    target = rng.choice([[], ["--target=cuda:sm_90a"], ["--target=cuda:sm_80"]])
    if kind == 4:
        return [["coil-compile", path, *target, "-o", output + ".coilpkg"]]
    return [["coil-compile", path, "--to=" + rng.choice(["loop", "wrapper", "native"]), *target,
             "-o", output + ".mlir"]]


# ----------------------------------------------------------------------------
# Campaigns
# ----------------------------------------------------------------------------


def describe(errors):
    """What failures of one cause have in common."""
    for line in errors.splitlines():
        if "Assertion" in line or "LLVM ERROR" in line or "UNREACHABLE" in line:
            return re.sub(r"0x[0-9a-f]+", "", line)[-200:]
    for line in errors.splitlines():
        if "coil::" in line or "mlir::" in line:
            return re.sub(r"0x[0-9a-f]+|^ *#\d+", "", line)[:200]
    return errors[-200:]


def check(command, done, output):
    """What is wrong with how a tool ended, or None."""
    name = os.path.basename(command[0])
    errors = done.stderr
    if done.returncode < 0:
        return f"{name}: {signal.Signals(-done.returncode).name}: {describe(errors)}"
    if done.returncode not in tool.STATUSES[name]:
        return f"{name}: status {done.returncode}"
    for text in tool.FORBIDDEN:
        if text in errors:
            return f"{name}: '{text}': {describe(errors)}"
    if done.returncode > 1 and "error:" not in errors and "error" not in errors:
        return f"{name}: status {done.returncode} without an error"
    left = [f for f in os.listdir(os.path.dirname(output)) if f.startswith(
        os.path.basename(output))]
    if any(f.endswith(".tmp") for f in left) or (left and done.returncode not in (0, 1)):
        return f"{name}: status {done.returncode} but there is {left}"
    return None


def run_worker(job):
    options, kind, worker, deadline = job
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (options.memory << 30, options.memory << 30))
    seeds, failures, statuses, count = SEEDS, [], collections.Counter(), 0
    make = {"model": make_model, "package": make_package, "mlir": make_module}[kind]
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None
                                     ) as folder:
        for number in range(worker, options.count, options.jobs):
            if time.time() > deadline:
                break
            rng = random.Random(f"{options.seed}/{kind}/{number}")
            data, extension, origin = make(rng, seeds)
            path = os.path.join(folder, "case" + extension)
            with open(path, "wb") as file:
                file.write(data)
            output = os.path.join(folder, "out")
            if kind == "mlir":
                commands = module_commands(rng, path, output, origin[1], data)
                origin = origin[0]
            else:
                commands = (model_commands if kind == "model" else package_commands)(
                    rng, path, output)
            count += 1
            for command in commands:
                command = [OTHER if word == "OTHER" else word for word in command]
                command[0] = os.path.join(options.bin, command[0])
                try:
                    done = tools.run(command, timeout=TIMEOUT)
                    wrong = check(command, done, output)
                    statuses[done.returncode] += 1
                except subprocess.TimeoutExpired:
                    wrong = f"{os.path.basename(command[0])}: runs longer than {TIMEOUT} s"
                except UnicodeDecodeError:
                    wrong = None  # Text of the input, in a diagnostic.
                if wrong:
                    words = [os.path.basename(command[0])] + [
                        w.replace(folder, "") for w in command[1:]]
                    failures.append((number, origin, wrong, " ".join(words)))
                    if options.keep:
                        shutil.copy(path, os.path.join(options.keep,
                                                       f"{kind}-{number}{extension}"))
                for name in os.listdir(folder):
                    if name.startswith("out"):
                        os.remove(os.path.join(folder, name))
    return count, statuses, failures


def prepare(options, kind, folder):
    """Inputs to begin with."""
    models = [os.path.join(ROOT, "examples", "models", m + ".pt2")
              for m in ("digits_cnn", "char_gpt")]
    if kind == "model":
        return [(os.path.basename(m), pt2.read(m)) for m in options.models or models[:1]], None
    if kind == "mlir":
        return chunks_of_tests(), None
    text = os.path.join(folder, "sizes.mlir")
    with open(text, "w") as file:
        file.write("""!t = tensor<?x8xf32, #sym.shape<[s0, 8]>>
!u = tensor<?xf32, #sym.shape<[s0 * 2 + 1]>>
func.func @main(%x: !t {coil.name = "x"}, %y: !u {coil.name = "y"}) -> (!t, !u)
    attributes {sym.symbols = {s0 = #sym.range<1, 64, hint = 3>}} {
  %0 = graph.exp %x : (!t) -> !t
  %1 = graph.neg %y : (!u) -> !u
  return %0, %1 : !t, !u
}
""")
    seeds, paths = [], []
    for number, (source, flags) in enumerate([(text, []), (models[0], []),
                                              (text, ["--target=cuda:sm_90"])]):
        path = os.path.join(folder, f"{number}.coilpkg")
        subprocess.run([os.path.join(options.bin, "coil-compile"), source, *flags, "-o", path],
                       check=True)
        seeds.append((os.path.basename(source) + " " + " ".join(flags), pt2.read(path)))
        paths.append(path)
    return seeds, paths[0]


def main():
    global SEEDS, OTHER
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kinds", nargs="+", choices=["model", "package", "mlir"])
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/bin"),
                        help="where the tools are (default: build/bin)")
    parser.add_argument("--count", type=int, default=1000, help="inputs of each kind")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--seconds", type=float, default=1e9, help="when to stop, for each kind")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--memory", type=int, default=8, help="GiB of address space of a tool")
    parser.add_argument("--models", nargs="+", help=".pt2 files to begin with")
    parser.add_argument("--keep", help="directory for inputs that fail")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    library = os.path.join(os.path.dirname(options.bin), "lib", "coil-fork-server.so")
    if os.path.exists(library):
        os.environ.setdefault("COIL_FORK_SERVER", library)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    total = 0
    for kind in options.kinds:
        start = time.time()
        with tempfile.TemporaryDirectory() as folder:
            SEEDS, OTHER = prepare(options, kind, folder)
            jobs = [(options, kind, worker, start + options.seconds)
                    for worker in range(options.jobs)]
            with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
                results = pool.map(run_worker, jobs, chunksize=1)
        count = sum(r[0] for r in results)
        statuses = sum((r[1] for r in results), collections.Counter())
        failures = sorted(f for r in results for f in r[2])
        total += len(failures)
        by_cause = collections.defaultdict(list)
        for failure in failures:
            by_cause[failure[2]].append(failure)
        for cause, cases in sorted(by_cause.items(), key=lambda item: -len(item[1])):
            number, origin, _, command = cases[0]
            print(f"{len(cases)} times: {cause}\n    case {number} from {origin}: {command}")
        print(f"{kind}: {count} inputs in {time.time() - start:.0f} s, statuses "
              f"{dict(sorted(statuses.items()))}, {len(failures)} failures", flush=True)
    sys.exit(total != 0)


if __name__ == "__main__":
    main()
