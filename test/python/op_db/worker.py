#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""A process that checks samples: reads tasks from standard input, writes what
became of each sample to standard output, both as lines of JSON. op_db.py starts it,
and again after a crash.

A task is {"op", "dtype", "limit", "seed", "skip": [numbers], "only": null or [numbers], "batch"}.
The answer begins with {"chosen": [numbers]}, all samples of the task; those to skip among them.
Before a program is made, a line {"begin": [numbers]} says of which samples; behind it comes a
line for each: {"sample", "state", "why"}. The end is {"done": true}.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import samples as db
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", "..", "Inputs"), os.path.join(HERE, "..", "op_coverage")]
import tools  # noqa: E402


class Refused(Exception):
    """A state that is not a difference of values, and why."""

    def __init__(self, state, why):
        super().__init__(why)
        self.state = state


def first_line(error):
    """What an error says, without the file in front and without line ends."""
    text = str(error).strip()
    lines = [line for line in text.split("\n") if "error:" in line] or text.split("\n")
    return re.sub(r"^(.*?error: )?('?/\S+:\d+:\d+: |'/\S+': )?(error: )?", "", lines[0])[:300] if lines else type(error).__name__


def export(samples, tensors, options):
    """The exported program of some samples."""
    dynamic = None
    if options.dynamic:
        auto = torch.export.Dim.AUTO
        dynamic = (tuple({d: auto for d, s in enumerate(t.shape) if s > 1} for t in tensors),)
    try:
        with torch.no_grad():
            if options.gradients:
                module = db.trace(samples, tensors, options.dynamic)
                dynamic = dynamic and tuple(dynamic[0])
            else:
                module = db.Module(samples)
            program = torch.export.export(module, tuple(tensors), strict=False, dynamic_shapes=dynamic)
            return program.run_decompositions() if options.decompose else program
    except Exception as error:  # Whatever the exporter cannot do.
        raise Refused("export", first_line(error)) from None


def save_program(program, path):
    try:
        torch.export.save(program, path)
    except Exception as error:  # Element types and classes without a form in a file.
        raise Refused("export", first_line(error)) from None


class Runner:
    """Compiles and runs with the Python module."""

    def __init__(self, options):
        self.options = options
        sys.path.insert(0, os.path.join(options.build, "python"))
        import coil
        self.coil = coil

    def prepare(self, program, folder):
        path = os.path.join(folder, "model.pt2")
        save_program(program, path)
        try:
            compiled = self.coil.compile(path, options=self.options.options,
                                         opt_level=getattr(self.options, "opt_level", 1), threads=1)
        except self.coil.CompileError as error:
            raise Refused("refused", first_line(error)) from None
        # A file that is mapped for weights must not be written again.
        os.unlink(path)

        def run(tensors):
            try:
                # Without inputs nothing else says what results should be, and where.
                where = {}
                if self.options.device == "cuda":
                    where["stream"] = torch.cuda.current_stream().cuda_stream
                results = list(compiled.run(*tensors, like=torch.Tensor, **where))
            except self.coil.CoilError as error:
                raise Refused("run", first_line(error)) from None
            return self.take_changes(program, compiled.outputs, results, tensors)
        self.outputs = compiled.outputs
        return run

    def take_changes(self, program, outputs, results, tensors):
        """Results without those that the exported program does not know: what it writes in place, to
        inputs (`tensors` receive it) and buffers (`changed`)."""
        said = {spec.target for spec in program.graph_signature.output_specs}
        inputs = [spec.arg.name for spec in program.graph_signature.input_specs
                  if spec.kind == torch.export.graph_signature.InputKind.USER_INPUT]
        kept, self.changed = [], {}
        for result, spec in zip(results, outputs):
            mutation = spec.get("mutation", {})
            target = mutation.get("target")
            if not mutation or target in said:
                kept.append(result)
            elif target in inputs:
                tensors[inputs.index(target)].copy_(result)
            else:
                self.changed[target] = result
        return kept


class ToolRunner:
    """Compiles and runs, or only compiles, with the tools."""

    def __init__(self, options):
        self.options = options

    def call(self, tool, *arguments):
        path = os.path.join(self.options.build, "bin", tool)
        try:
            done = tools.run([path, *arguments], timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            raise Refused("timeout", f"{tool} takes more than {self.options.timeout:g} s") from None
        if done.returncode < 0 or done.returncode >= 128:
            raise Refused("crash", f"{tool} ends with {done.returncode}")
        if done.returncode:
            raise Refused("refused", first_line(done.stderr))

    def prepare(self, program, folder):
        path = lambda name: os.path.join(folder, name)
        save_program(program, path("model.pt2"))
        if self.options.engine == "compile":
            self.call("coil-compile", path("model.pt2"), *self.options.options.split(),
                      "-o", path("model.coilpkg"))
            return None
        self.call("coil-import", path("model.pt2"), "-o", path("model.mlir"))
        self.call("coil-opt", path("model.mlir"), "-o", path("legal.mlir"), "--graph-legalize-aten",
                  "--graph-verify-contract", "--graph-decompose", "--canonicalize")

        def run(tensors):
            from op_coverage import load, save
            inputs = [save(path(f"in{i}.npy"), t, True) for i, t in enumerate(tensors)]
            outputs = [path(f"out{i}.npy") for i in range(len(self.outputs))]
            self.call("coil-interpret", path("legal.mlir"), "--function=main",
                      *[f"--input={i}" for i in inputs], *[f"--output=@{o}" for o in outputs])
            return [load(o, meta) for o, meta in zip(outputs, self.outputs)]
        self.outputs = [spec for spec in output_values(program)]
        return run


def output_values(program):
    """What the graph returns as tensors or sizes, with element types."""
    output = next(node for node in reversed(program.graph.nodes) if node.op == "output")
    values = []
    for node in output.args[0]:
        if isinstance(node, torch.fx.Node):
            value = node.meta["val"]
            values.append(value if isinstance(value, torch.Tensor) else torch.zeros((), dtype=torch.int64))
    return values


def user_results(program, results, tensors, changed=None):
    """Results that the user sees, among them what is constant, and the inputs behind
    the call, which an in-place operator changes. `changed` receives the new values of buffers."""
    kinds = torch.export.graph_signature
    specs = program.graph_signature.output_specs
    computed = [s for s in specs if not isinstance(s.arg, kinds.ConstantArgument)]
    seen, inputs, given = [], list(tensors), iter(results)
    users = [s for s in program.graph_signature.input_specs if s.kind == kinds.InputKind.USER_INPUT]
    positions = {s.arg.name: i for i, s in enumerate(users) if hasattr(s.arg, "name")}
    if len(results) != len(computed):
        # The program writes to its inputs in place.
        computed = [s for s in computed if s.kind == kinds.OutputKind.USER_OUTPUT]
    for spec in specs:
        if isinstance(spec.arg, kinds.ConstantArgument):
            if isinstance(spec.arg.value, (bool, int, float)):
                seen.append(torch.tensor(spec.arg.value))
        elif spec in computed:
            value = next(given, None)
            if value is None:
                raise Refused("wrong", f"{len(results)} results instead of {len(computed)}")
            if spec.kind == kinds.OutputKind.USER_OUTPUT:
                seen.append(value)
            elif spec.target in positions:
                inputs[positions[spec.target]] = value
            elif changed is not None:
                changed[spec.target] = value
    return seen, inputs


def is_seeded(program):
    """Whether an operator of the program may draw random numbers."""
    return any(torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
               for node in program.graph.nodes)


def check(chosen, expectations, runner, options):
    """Errors of samples in one program; None for those that agree."""
    tensors = [t for s in chosen for t in s.copies()]
    program = export(chosen, tensors, options)
    if is_seeded(program) and len(chosen) > 1:
        raise Refused("together", "distributions are compared one by one")
    if is_seeded(program) and not expectations[0].is_empty:
        module = program.module()
        expectations[0].find_randomness(lambda: db.flatten(module(*chosen[0].copies())))
    with tempfile.TemporaryDirectory() as folder:
        run = runner.prepare(program, folder)
        if not run:
            return [None] * len(chosen)
        ran = lambda: user_results(program, run(given := [t for s in chosen for t in s.copies()]), given)
        try:
            seen, inputs = ran()
        except Refused as refused:
            # An assertion of the exporter's own may be false.
            try:
                with torch.no_grad():
                    program.module()(*[t for s in chosen for t in s.copies()])
            except Exception as error:
                raise Refused("export", "the exported program fails in eager mode: " + first_line(error)) from None
            raise refused
        errors = []
        for sample, expected in zip(chosen, expectations):
            count = len(expected.results)
            again = (lambda: ran()[0]) if len(chosen) == 1 else None
            errors.append(expected.judge(seen[:count], again))
            if errors[-1] and (options.gradients or options.decompose) and len(chosen) == 1:
                # Autograd takes another way where it is recorded, which need not give the same infinities and NaN; and
                # decompositions of PyTorch need not give the same integers.
                with torch.no_grad():
                    recorded = db.flatten(program.module()(*sample.copies()))
                if db.Expectation.of(sample, recorded).judge(seen[:count]) is None:
                    raise Refused("export", "what was recorded is not what eager mode computes: " + errors[-1])
            seen = seen[count:]
            if not errors[-1] and not expected.is_random and not expected.is_empty:
                for actual, wanted in zip(inputs, expected.inputs):
                    error = db.difference(actual, wanted)
                    if error and wanted.numel():
                        errors[-1] = "an input behind the call: " + error
                        break
            inputs = inputs[len(sample.tensors):]
        if seen and not errors[-1]:
            errors[-1] = f"{len(seen)} results more than eager mode has"
        return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--engine", default="module")
    parser.add_argument("--options", default="")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--decompose", action="store_true")
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--timeout", type=float, default=120)
    options = parser.parse_args()
    # Whatever else is printed goes elsewhere.
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    if options.engine == "torch-compile":
        import compiled
        sys.path.insert(0, os.path.join(options.build, "python"))
        import coil
    else:
        runner = Runner(options) if options.engine == "module" else ToolRunner(options)
    operators = db.operators()
    known = (None, None)

    def report(number, state, why=None):
        out.write(json.dumps({"sample": number, "state": state, **({"why": why} if why else {})}) + "\n")

    for line in sys.stdin:
        task = json.loads(line)
        key = (task["op"], task["dtype"])
        if known[0] != key:
            try:
                known = (key, db.get_samples(operators[task["op"]], db.SHORT[task["dtype"]], options.device))
            except Exception as error:  # Samples that need what is not installed.
                out.write(json.dumps({"error": first_line(error)}) + "\n")
                known = (key, [])
        numbers = task["only"]
        if numbers is None:
            numbers = list(range(len(known[1])))
            if task["limit"] and len(numbers) > task["limit"]:
                numbers = sorted(random.Random(task["seed"]).sample(numbers, task["limit"]))
            out.write(json.dumps({"chosen": numbers}) + "\n")
            numbers = [n for n in numbers if n not in task["skip"]]
        pending = []
        for number in numbers:
            out.write(json.dumps({"begin": [number]}) + "\n")
            try:
                sample = known[1][number]
                if options.gradients and options.engine != "torch-compile":
                    sample = db.GradientSample(sample)
                pending.append((number, sample, db.Expectation(sample)))
            except Exception as error:  # Whatever eager mode says.
                report(number, "eager", first_line(error))

        def attempt(group):
            numbers, chosen, expectations = zip(*group)
            out.write(json.dumps({"begin": numbers}) + "\n")
            if options.engine == "torch-compile":
                return attempt_compiled(numbers, chosen, expectations)
            try:
                errors = check(chosen, expectations, runner, options)
            except Refused as refused:
                if len(group) > 1:
                    return False
                report(numbers[0], refused.state, str(refused))
                return True
            except Exception as error:  # Of this program; others go on.
                if len(group) > 1:
                    return False
                report(numbers[0], "crash", f"{type(error).__name__}: {first_line(error)}")
                return True
            if len(group) > 1 and any(errors):
                return False
            for number, error in zip(numbers, errors):
                report(number, "wrong" if error else "agree", error)
            return True

        def attempt_compiled(numbers, chosen, expectations):
            """The same through torch.compile: a group with any fallback is taken apart, too."""
            try:
                errors, fallbacks = compiled.check(chosen, expectations, options, coil)
            except compiled.Failure as failure:
                if len(numbers) > 1:
                    return False
                report(numbers[0], failure.state, str(failure))
                return True
            except Exception as error:  # Of this sample; others go on.
                if len(numbers) > 1:
                    return False
                report(numbers[0], "crash", f"{type(error).__name__}: {first_line(error)}")
                return True
            if len(numbers) > 1 and (any(errors) or fallbacks):
                return False
            for number, error in zip(numbers, errors):
                state = "wrong" if error else "fallback" if fallbacks else "agree"
                report(number, state, error or (", ".join(fallbacks) if fallbacks else None))
            return True

        # Many samples in one program take a fraction of the time.
        alone = pending if task["batch"] == 1 else []
        together = [] if alone else pending
        for first in range(0, len(together), task["batch"]):
            group = together[first:first + task["batch"]]
            if not attempt(group) and len(group) > 1:
                alone += group
        for one in alone:
            attempt([one])
        out.write(json.dumps({"done": True}) + "\n")


if __name__ == "__main__":
    main()
