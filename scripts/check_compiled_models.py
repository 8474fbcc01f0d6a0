#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run real architectures with random weights through torch.compile(backend="coil") and compare.

  scripts/check_compiled_models.py --build=build [--shard=0/4] [--only=REGEX] [--results=FILE]
  scripts/check_compiled_models.py --random=SEED --count=N ...    # architectures that nobody listed

Needs the environment of test/models/requirements.txt. Each architecture of
test/models/architectures.py is called in evaluation mode, and does a training step (forward,
backward) with a batch of two, in a process of its own: normalisation over a batch of one
amplifies rounding errors without a bound. With --steps=dynamic it is called with batches of 2, 3 and 5
under dynamic=True, and compiled again at most RECOMPILATIONS times, or as often as Dynamo captures again for any backend. Results and gradients are compared with eager mode: their
distance from eager mode in double precision, as a norm over all elements, is at most FACTOR times eager
mode's own plus TOLERANCE of the norm. Where eager mode has no double precision for a model, the
distance from eager mode itself is at most LOOSE. Gradients beyond that are unstable rather than wrong where eager mode's are beyond it, too, once
each weight is changed by about a rounding error, in one of PERTURBATIONS draws: a value in the middle lies at a kink, such as
that of a rectifier. Where PyTorch's own backend "aot_eager" gives what Coil gives, the program that Dynamo captured is another one, as with
layers that are left out at random: it says "captured". Graphs that run eagerly as a whole are failures.

With --random=SEED, --count architectures are drawn from the registries of the libraries (test/models/drawing.py);
those above its limits, or whose inputs it does not know, are skipped.

Results are lines of JSON in --results, which a later run continues: what has a line is not
repeated unless it failed.
"""
import argparse
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/models"))
sys.dont_write_bytecode = True

FACTOR, TOLERANCE, LOOSE = 4, 1e-4, 1e-2
PERTURBATIONS, PERTURBATION = 12, 2e-7
EXCUSED = ("unstable", "captured")
BATCHES = (2, 3, 5)
RECOMPILATIONS = 0


def repeat(inputs, count):
    """A batch of `count` samples, the later ones with their elements in another order."""
    import torch
    return tuple(torch.cat([x if i == 0 else x.flip(-1).roll(i, -1) for i in range(count)])
                 if isinstance(x, torch.Tensor) and x.dim() else x for x in inputs)


def leaves(results):
    import torch

    def flatten(value):
        if hasattr(value, "to_tuple"):  # Results of transformers.
            value = value.to_tuple()
        return [part for leaf in torch.utils._pytree.tree_leaves(value)
                for part in (flatten(leaf) if hasattr(leaf, "to_tuple") else [leaf])]
    return [leaf for leaf in flatten(results) if isinstance(leaf, torch.Tensor)]


def evaluate(call, module, inputs):
    import torch
    module.eval()
    torch.manual_seed(1)
    with torch.no_grad():
        return [t.double() for t in leaves(call(*inputs)) if t.dtype.is_floating_point]


def step(call, module, inputs):
    """Gradients of a training step."""
    import torch
    module.train()
    module.zero_grad()
    torch.manual_seed(1)
    results = [t for t in leaves(call(*inputs)) if t.requires_grad]
    loss = sum((t * torch.linspace(-1, 1, t.numel(), dtype=t.dtype).view(t.shape)).sum() / t.numel() for t in results)
    loss.backward()
    return [p.grad.double() for p in module.parameters() if p.grad is not None]


def check_dynamic(module, inputs, entry):
    """Batches of several sizes with symbolic sizes: how often that compiles, and whether results agree."""
    import torch
    import coil
    module.eval()
    batches = [(count, repeat(inputs, count)) for count in BATCHES]
    try:
        expected = [evaluate(module, module, given) for _, given in batches]
    except Exception as error:  # pylint: disable=broad-except
        entry["dynamic"] = f"eager mode fails: {error}"[:200]
        return None
    torch._dynamo.reset()
    coil.reset_counters()
    compiled = torch.compile(module, backend="coil", dynamic=True, options={"strict": True})
    graphs = []
    for (count, given), eager in zip(batches, expected):
        found = evaluate(compiled, module, given)
        error = judge(found, eager, None)
        if error:
            return f"batch of {count}: {error}"
        graphs.append(coil.counters()["graphs"])
    entry["dynamic graphs"] = graphs[0]
    entry["dynamic recompilations"] = graphs[-1] - graphs[0]
    entry["dynamic fallbacks"] = {
        o: sum(r.values()) for o, r in coil.counters()["fallbacks_by_operator"].items()}
    if graphs[-1] - graphs[0] > RECOMPILATIONS:
        theirs = count_recompilations(module, [given for _, given in batches])
        if graphs[-1] - graphs[0] > theirs:
            return f"{graphs[-1] - graphs[0]} graphs are compiled again for other batches, {theirs} without Coil"
    return None


def count_recompilations(module, batches):
    """How many graphs Dynamo captures again for later batches, whatever compiles them."""
    import torch
    from torch._dynamo.backends.common import aot_autograd
    counts = [0]

    def count(graph, inputs):
        counts[-1] += 1
        return torch._functorch.aot_autograd.make_boxed_func(graph.forward)

    torch._dynamo.reset()
    compiled = torch.compile(module, backend=aot_autograd(fw_compiler=count), dynamic=True)
    for given in batches:
        evaluate(compiled, module, given)
        counts.append(0)
    return sum(counts[1:])


def norm(tensors):
    return sum(float(t.square().sum()) for t in tensors) ** 0.5


def distance(a, b):
    return norm([x - y for x, y in zip(a, b)])


def judge(ours, eager, exact):
    """None, or how much results differ."""
    if [t.shape for t in ours] != [t.shape for t in eager]:
        return "other results than eager mode"
    if exact is not None and [t.shape for t in exact] == [t.shape for t in eager]:
        bound = FACTOR * distance(eager, exact) + TOLERANCE * norm(exact)
        found = distance(ours, exact)
    else:
        bound, found = LOOSE * norm(eager), distance(ours, eager)
    return None if found <= bound else f"distance {found:.3g} of at most {bound:.3g}"


def is_unstable(run, module, inputs, eager, exact):
    """Whether rounding errors in the weights alone take eager mode beyond the bound."""
    import torch
    for seed in range(PERTURBATIONS):
        changed = copy.deepcopy(module)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for parameter in changed.parameters():
                if parameter.dtype.is_floating_point:
                    parameter.mul_(1 + PERTURBATION * torch.randn(parameter.shape, generator=generator))
        if judge(run(changed, changed, inputs), eager, exact):
            return True
    return False


def is_captured(run, module, inputs, found):
    """Whether what Dynamo captured gives the results in question without Coil, too."""
    import torch
    torch._dynamo.reset()
    theirs = copy.deepcopy(module)
    captured = run(torch.compile(theirs, backend="aot_eager"), theirs, inputs)
    return judge(found, captured, None) is None


def check(name, build, steps):
    """In a process of its own: one architecture. Returns an entry for the results."""
    import torch
    sys.path.insert(0, os.path.join(build, "python"))
    import architectures
    import coil
    import drawing
    torch.manual_seed(0)
    try:
        module, inputs = architectures.make(name)
    except drawing.CannotMake as error:
        return {"name": name, "state": "skipped", "why": str(error)}
    entry = {"name": name, "state": "agree"}
    single = inputs
    for kind, run in (("forward", evaluate), ("step", step)):
        if kind not in steps:
            continue
        inputs = repeat(single, 2) if kind == "step" else single
        widened = tuple(x.double() if isinstance(x, torch.Tensor) and x.dtype.is_floating_point else x for x in inputs)
        ours, theirs = copy.deepcopy(module), copy.deepcopy(module)
        try:
            eager = run(theirs, theirs, inputs)
        except Exception as error:  # pylint: disable=broad-except
            entry[kind] = f"eager mode fails: {error}"[:200]
            continue
        torch._dynamo.reset()
        coil.reset_counters()
        start = time.time()
        with torch._dynamo.config.patch(suppress_errors=False):
            compiled = torch.compile(ours, backend="coil", options={"strict": True})
            found = run(compiled, ours, inputs)
        entry[f"{kind} seconds"] = round(time.time() - start, 2)
        counts = coil.counters()
        entry[f"{kind} graphs"], entry[f"{kind} pieces"] = counts["graphs"], counts["pieces"]
        entry[f"{kind} fallbacks"] = {o: sum(r.values()) for o, r in counts["fallbacks_by_operator"].items()}
        exact = None
        wide = copy.deepcopy(module).double()
        torch.set_default_dtype(torch.float64)
        try:
            exact = run(wide, wide, widened)
        except Exception:  # pylint: disable=broad-except
            pass
        finally:
            torch.set_default_dtype(torch.float32)
        error = judge(found, eager, exact)
        if error:
            state = "unstable" if is_unstable(run, module, inputs, eager, exact) else \
                "captured" if is_captured(run, module, inputs, found) else "wrong"
            entry["state"], entry["why"] = state, f"{kind}: {error}"
            if state == "wrong":
                return entry
    if "dynamic" in steps:
        error = check_dynamic(copy.deepcopy(module), single, entry)
        if error:
            entry["state"], entry["why"] = "wrong", f"dynamic: {error}"
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--only", default="", help="a regular expression that names match")
    parser.add_argument("--random", type=int, metavar="SEED", help="draw architectures instead of those listed")
    parser.add_argument("--count", type=int, default=100, help="how many to draw")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--results")
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--steps", default="forward,step")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        try:
            entry = check(options.one, options.build, options.steps.split(","))
        except Exception as error:  # pylint: disable=broad-except
            inner = getattr(error, "inner_exception", error)
            entry = {"name": options.one, "state": "error",
                     "why": f"{type(inner).__name__}: {str(inner).splitlines()[0] if str(inner) else ''}"[:300],
                     "trace": traceback.format_exc()[-3000:]}
        print("\nentry " + json.dumps(entry))
        return 0
    import architectures
    names = [name for name in architectures.get_names(options.random, options.count) if re.search(options.only, name)]
    index, count = map(int, options.shard.split("/"))
    done = {}
    if options.results and os.path.exists(options.results):
        done = {entry["name"]: entry for entry in map(json.loads, open(options.results))}
    for name in names[index::count]:
        if done.get(name, {}).get("state") in ("agree", "skipped", *EXCUSED):
            continue
        command = [sys.executable, __file__, "--one", name, "--build", options.build, "--steps", options.steps]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
            lines = [line for line in ran.stdout.splitlines() if line.startswith("entry ")]
            entry = json.loads(lines[-1][6:]) if lines else {
                "name": name, "state": "crash", "why": f"status {ran.returncode}: {ran.stderr[-200:]}"}
        except subprocess.TimeoutExpired:
            entry = {"name": name, "state": "timeout"}
        done[name] = entry
        if options.results:
            with open(options.results, "a") as file:
                file.write(json.dumps(entry) + "\n")
        print(f"{entry['state']}: {name} {entry.get('why', '')}", flush=True)
    chosen = [done[name] for name in names[index::count] if name in done and done[name]["state"] != "skipped"]
    excused = [entry for entry in chosen if entry["state"] in EXCUSED]
    failed = [entry for entry in chosen if entry["state"] not in ("agree", *EXCUSED)]
    print(f"{len(chosen) - len(failed) - len(excused)} of {len(chosen)} architectures agree, {len(excused)} are unstable or captured otherwise")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
