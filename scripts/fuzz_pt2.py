#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damage .pt2 files in many ways and check that the importer copes.

Every mutated file must either import or be refused with a one-line error: no
crash, no hang (10 s), no more than 2 GiB + 4 times the file of memory. Mutations
are raw (bits, truncation, splices), structural (fields of the zip container) and
inside the JSON records with the CRC-32 repaired, so that the code behind the
container is reached too. The same seed gives the same files.

    python3 scripts/fuzz_pt2.py --count 5000
"""

import argparse
import collections
import copy
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "Import", "Inputs"))
sys.dont_write_bytecode = True
import pt2  # noqa: E402

INTERESTING_INTS = [
    0, 1, -1, 2, 7, 63, 64, 65, 127, 128, 255, 256, 1023, 65535, 65536, 2**31 - 1,
    2**31, 2**32 - 1, 2**32, 2**47, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64,
    -2, -(2**31), -(2**63), -(2**63) - 1, 10**30,
]
INTERESTING_TEXTS = [
    "", " ", "x", "\n", "\0", "..", "../x", "a/b", "'", '"', "\\", "%s%n", "é", "\U0001f600",
    "a" * 5000, "self", "input", "weight", "torch.ops.aten.add.Tensor",
    "torch.ops.aten.relu_.default", "torch.ops.aten.linear.default",
    "torch.ops.aten.view.default", "torch.ops.aten.batch_norm.default",
    "torch.ops.aten.copy_.default", "torch.ops.aten.sym_size.int", "torch.ops.aten",
    "torch.ops..", "torch.ops.a.b.c", "torch.ops.higher_order.cond", "_operator.add",
    "torch.ops.aten._assert_scalar.default", "s0", "s77", "d0", "mod", "min", "hint",
]
TAGS = [
    "as_none", "as_tensor", "as_tensors", "as_int", "as_ints", "as_float", "as_floats",
    "as_string", "as_strings", "as_sym_int", "as_sym_ints", "as_scalar_type",
    "as_memory_format", "as_layout", "as_device", "as_bool", "as_bools", "as_sym_bool",
    "as_graph", "as_optional_tensors", "as_optional_tensor", "as_complex", "as_sym_float",
    "as_expr", "as_name", "user_input", "parameter", "buffer", "tensor_constant",
    "user_output", "buffer_mutation", "user_input_mutation", "token", "constant_input",
]
FUNCTIONS = [
    "Add", "Mul", "Pow", "Mod", "PythonMod", "FloorDiv", "CeilDiv", "CleanDiv", "Max", "Min",
    "IntTrueDiv", "TruncToInt", "ToFloat", "floor", "ceiling", "Rational", "Where", "Eq",
    "Integer", "Symbol", "Float", "And", "f",
]


def random_expr(rng, depth=0):
    choice = rng.random()
    if depth > rng.choice([2, 4, 8, 20]) or choice < 0.25:
        return rng.choice(["s0", "s77", "s48", "u0", "Symbol('s58', integer=True)", "Symbol('')",
                           "Integer(%d)" % rng.choice(INTERESTING_INTS),
                           str(rng.choice(INTERESTING_INTS)), "0.5", "True", "oo", "("])
    if choice < 0.75:
        count = rng.choice([0, 1, 2, 2, 2, 3, 8])
        operands = ", ".join(random_expr(rng, depth + 1) for _ in range(count))
        return f"{rng.choice(FUNCTIONS)}({operands})"
    operator = rng.choice(["+", "-", "*", "/", "//", "%", "**", "<", "=="])
    return f"({random_expr(rng, depth + 1)} {operator} {random_expr(rng, depth + 1)})"


def bomb_expr(rng):
    """Expressions that are short but large when written out."""
    count = rng.choice([10, 100, 200, 5000])
    return rng.choice([
        lambda: "(" * count + "s0" + ")" * count,
        lambda: "Max(" * count + "s0" + ", 1)" * count,
        lambda: "-" * count + "s0",
        lambda: "*".join(["(s0+s1+1)"] * min(count, 3000)),
        lambda: "+".join(f"s{i}" for i in range(count)),
        lambda: "*".join(f"s{i}" for i in range(count)),
        lambda: "CeilDiv(s0, " * count + "s1" + ")" * count,
        lambda: "Mod(s0, " * count + "s1" + ")" * count,
        lambda: "//2".join(["s0"] * 2 + [""] * count),
        lambda: "2**" * count + "2",
        lambda: "Pow(Add(s0, s1), Integer(%d))" % count,
    ])()


def random_value(rng, depth=0):
    kind = rng.randrange(9)
    if kind == 0:
        return None
    if kind == 1:
        return rng.random() < 0.5
    if kind == 2:
        return rng.choice(INTERESTING_INTS)
    if kind == 3:
        return rng.choice([0.5, -1e300, 1e-320, 1e308])
    if kind in (4, 5):
        return rng.choice(INTERESTING_TEXTS)
    if depth > 3:
        return []
    if kind == 6:
        return [random_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind == 7:
        return {rng.choice(TAGS): random_value(rng, depth + 1)}
    return {rng.choice(INTERESTING_TEXTS): random_value(rng, depth + 1)}


def places(value):
    """Every (container, key) inside a JSON value."""
    found, todo = [], [value]
    while todo:
        current = todo.pop()
        pairs = current.items() if isinstance(current, dict) else enumerate(current)
        for key, child in pairs:
            found.append((current, key))
            if isinstance(child, (dict, list)):
                todo.append(child)
    return found


def mutate_value(rng, document):
    """Changes one place of a JSON document."""
    found = places(document)
    container, key = rng.choice(found)
    # Most places are metadata, which nobody reads: prefer the others.
    for _ in range(8):
        if key not in ("nn_module_stack", "torch_fn", "metadata", "stack_trace"):
            break
        container, key = rng.choice(found)
    value = container[key]
    kind = rng.randrange(12)
    if kind == 0:
        del container[key]
    elif kind == 1 and isinstance(value, int) and not isinstance(value, bool):
        container[key] = value + rng.choice([-1, 1, 2, 1000, -1000, 2**40])
    elif kind == 2:
        other, other_key = rng.choice(found)
        container[key] = copy.deepcopy(other[other_key])
    elif kind == 3 and isinstance(container, list):
        container.insert(key, copy.deepcopy(rng.choice(container)))
    elif kind == 4 and isinstance(container, list):
        rng.shuffle(container)
    elif kind == 5 and isinstance(container, dict):
        container[rng.choice(TAGS + INTERESTING_TEXTS)] = container.pop(key)
    elif kind == 6:
        nested = value
        for _ in range(rng.choice([10, 200, 300])):
            nested = [nested] if rng.random() < 0.5 else {"as_tensor": nested}
        container[key] = nested
    elif kind in (7, 8):
        exprs = [(c, k) for c, k in found if k == "expr_str"]
        if exprs:
            container, key = rng.choice(exprs)
        container[key] = random_expr(rng) if kind == 7 else bomb_expr(rng)
    else:
        # Values of the same type get past more checks.
        if isinstance(value, str) and rng.random() < 0.7:
            names = [c[k] for c, k in rng.sample(found, min(len(found), 200))
                     if isinstance(c[k], str)]
            container[key] = rng.choice(names or INTERESTING_TEXTS)
        elif isinstance(value, int) and rng.random() < 0.7:
            container[key] = rng.choice(INTERESTING_INTS)
        else:
            container[key] = random_value(rng)


def mutate_text(rng, data):
    """Damages the bytes of a JSON record."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            data[at:at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            del data[at:at + rng.choice([1, 2, 10, 1000])]
        elif kind == 2:
            data[at:at] = rng.choice([b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\0", b"-"])
        elif kind == 3:
            data[at:at] = rng.choice([b"[", b'{"a":']) * rng.choice([100, 300, 100000])
        elif kind == 4:
            other = rng.randrange(len(data) + 1)
            data[at:at] = data[other:other + rng.choice([1, 10, 100])]
        else:
            del data[at:]
        if not data:
            break
    return bytes(data)


def mutate_json(rng, records):
    records = list(records)
    candidates = [i for i, (name, _) in enumerate(records) if name.endswith(".json")]
    at = rng.choice(candidates + [i for i in candidates if "/models/" in records[i][0]] * 4)
    name, data = records[at]
    if rng.random() < 0.2:
        records[at] = (name, mutate_text(rng, data))
        return pt2.write(records)
    document = json.loads(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 10])):
        if document:
            mutate_value(rng, document)
    records[at] = (name, json.dumps(document).encode())
    return pt2.write(records)


def mutate_records(rng, records):
    """Adds, drops, renames and resizes records."""
    records = list(records)
    for _ in range(rng.choice([1, 1, 2])):
        if not records:
            break
        at = rng.randrange(len(records))
        name, data = records[at]
        kind = rng.randrange(6)
        if kind == 0:
            del records[at]
        elif kind == 1:
            records.append((name, data))
        elif kind == 2:
            records[at] = (rng.choice(["", "/x", "../x", "a//b", "a\\b", "a\0b", "x" * 3000,
                                       name + "/", name[:-1], "other/" + name,
                                       records[rng.randrange(len(records))][0]]), data)
        elif kind == 3:
            records[at] = (name, data[:rng.randrange(len(data) + 1)])
        elif kind == 4:
            records[at] = (name, data + bytes(rng.choice([1, 3, 4, 64, 4096])))
        else:
            records.extend((f"{name}_{i}", b"") for i in range(rng.choice([10, 70000])))
    return pt2.write(records)


def mutate_zip(rng, records):
    """Changes fields of the container: sizes, offsets, counts, flags."""
    data = bytearray(pt2.write(records))
    signatures = {
        b"PK\x01\x02": [(4, 2), (6, 2), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2),
                        (30, 2), (32, 2), (34, 2), (42, 4)],
        b"PK\x03\x04": [(4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)],
        b"PK\x07\x08": [(4, 4), (8, 4), (12, 4)],
        b"PK\x05\x06": [(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)],
        b"PK\x06\x06": [(4, 8), (16, 4), (24, 8), (32, 8), (40, 8), (48, 8)],
        b"PK\x06\x07": [(4, 4), (8, 8), (16, 4)],
    }
    for _ in range(rng.choice([1, 1, 2, 4])):
        signature, fields = rng.choice(list(signatures.items()))
        found, at = [], data.find(signature)
        while at != -1 and len(found) < 200:
            found.append(at)
            at = data.find(signature, at + 1)
        if not found:
            continue
        offset, size = rng.choice(fields)
        at = rng.choice(found) + offset
        old = int.from_bytes(data[at:at + size], "little")
        new = rng.choice([old + 1, old - 1, 0, 2**(8 * size) - 1, 2**(8 * size - 1),
                          rng.choice(INTERESTING_INTS), rng.getrandbits(8 * size), old ^ 8,
                          len(data), rng.choice(found)])
        data[at:at + size] = (new % 2**(8 * size)).to_bytes(size, "little")
    return bytes(data)


def mutate_raw(rng, records):
    """Damages bytes anywhere, more often near the end, where the directory is."""
    data = bytearray(pt2.write(records))

    def position():
        tail = rng.choice([len(data), len(data), 200, 8000])
        return max(0, len(data) - 1 - rng.randrange(min(tail, len(data))))

    for _ in range(rng.choice([1, 1, 3, 16])):
        if len(data) < 2:
            break
        kind, at = rng.randrange(6), position()
        if kind in (0, 1):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[at] = rng.randrange(256)
        elif kind == 3:
            size = rng.choice([2, 4, 8])
            value = rng.choice(INTERESTING_INTS) % 2**(8 * size)
            data[at:at + size] = value.to_bytes(size, "little")
        elif kind == 4:
            del data[at:at + rng.choice([1, 4, 100, 10000])]
        else:
            data[at:at] = data[position():][:rng.choice([1, 4, 100, 10000])]
    return bytes(data)


def truncate(rng, records):
    data = pt2.write(records)
    return data[:rng.choice([rng.randrange(len(data)), len(data) - 1 - rng.randrange(200)])]


MUTATORS = [(mutate_json, 10), (mutate_zip, 3), (mutate_raw, 3), (mutate_records, 2), (truncate, 1)]


def make_case(seed, number, models):
    """The bytes of case NUMBER and how they came about."""
    rng = random.Random(f"{seed}/{number}")
    # The smaller model three times out of four, to keep the campaign quick.
    name, records = rng.choices(models, [3] + [1] * (len(models) - 1))[0]
    mutator = rng.choices([m for m, _ in MUTATORS], [w for _, w in MUTATORS])[0]
    try:
        data = mutator(rng, records)
    except RecursionError:  # Nested deeper than Python's own JSON writer goes.
        mutator = mutate_raw
        data = mutator(rng, records)
    return data, f"{name} {mutator.__name__}"


def run_worker(arguments):
    options, numbers = arguments
    models = [(os.path.basename(m), pt2.read(m)) for m in options.models]
    models.sort(key=lambda model: sum(len(data) for _, data in model[1]))
    scratch_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    results = []
    with tempfile.TemporaryDirectory(dir=scratch_dir) as folder:
        path = os.path.join(folder, "case.pt2")
        tool = subprocess.Popen(options.tool.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                text=True, bufsize=1, errors="replace")
        for number in numbers:
            data, how = make_case(options.seed, number, models)
            with open(path, "wb") as file:
                file.write(data)
            tool.stdin.write(path + "\n")
            tool.stdin.flush()
            answer = tool.stdout.readline().rstrip("\n").split("\t")
            if len(answer) != 4:
                answer = ["bad", "0", "0", "the tool gave no answer"]
            status, milliseconds, memory, message = answer
            results.append((number, how, status, int(milliseconds), int(memory), message))
            if status not in ("ok", "error") and options.keep:
                shutil.copy(path, os.path.join(options.keep, f"case-{options.seed}-{number}.pt2"))
        tool.stdin.close()
        tool.wait()
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    models = os.path.join(ROOT, "examples", "models")
    parser.add_argument("--tool", default=os.path.join(ROOT, "build/test/Fuzz/coil-import-many"),
                        help="the coil-import-many binary, with arguments if need be (default: in build/)")
    parser.add_argument("--models", nargs="+", help="files to start from (default: examples/models)",
                        default=[os.path.join(models, m + ".pt2") for m in ("digits_cnn", "char_gpt")])
    parser.add_argument("--count", type=int, default=5000, help="number of files (default 5000)")
    parser.add_argument("--seed", default="1", help="any text (default 1)")
    parser.add_argument("--only", type=int, help="run this one case and save it here as case.pt2")
    parser.add_argument("--keep", metavar="DIR", help="keep files that fail in this folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--messages", action="store_true", help="print a sample of the errors")
    options = parser.parse_args()
    if options.only is not None:
        pairs = [(os.path.basename(m), pt2.read(m)) for m in options.models]
        pairs.sort(key=lambda model: sum(len(data) for _, data in model[1]))
        data, how = make_case(options.seed, options.only, pairs)
        with open("case.pt2", "wb") as file:
            file.write(data)
        print(how)
        return 0
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)

    start = time.time()
    shares = [(options, range(job, options.count, options.jobs)) for job in range(options.jobs)]
    with multiprocessing.Pool(options.jobs) as pool:
        results = sorted(r for share in pool.imap_unordered(run_worker, shares) for r in share)
    statuses = collections.Counter(result[2] for result in results)
    by_mutator = collections.Counter((r[1].split()[1], r[2]) for r in results)
    for number, how, status, milliseconds, _, message in results:
        if status not in ("ok", "error"):
            print(f"case {number} ({how}): {status} after {milliseconds} ms: {message}")
    if options.messages:
        seen = {}
        for result in results:
            seen.setdefault(" ".join(result[5].split()[-4:]), result)
        for _, result in sorted(seen.items()):
            print(f"  {result[0]}: {result[5][:200]}")
    print(f"{len(results)} files in {time.time() - start:.1f} s: "
          + ", ".join(f"{count} {status}" for status, count in sorted(statuses.items())))
    for mutator, _ in MUTATORS:
        name = mutator.__name__
        print(f"  {name}: " + ", ".join(f"{count} {status}" for (kind, status), count
                                        in sorted(by_mutator.items()) if kind == name))
    print(f"slowest {max(r[3] for r in results)} ms, "
          f"largest {max(r[4] for r in results) / 1024:.0f} MiB")
    bad = sum(count for status, count in statuses.items() if status not in ("ok", "error"))
    print("failures: " + str(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
