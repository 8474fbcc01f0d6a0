#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""How a program is exported, compiled and run: options of the pipelines, emitters, symbols."""

import importlib.util
import os
import random
import subprocess

import torch

import torch_compiled
import worker

OPTIONS = ["library=none", "fuse=false", "plan=none", "plan=pool", "vector-bits=128", "vector-bits=256", "stack-limit=65536",
           "hoist-weights=true", "deterministic=true", "partitions=always", "partition-steps=1", "host-steps=2",
           "stream-bytes=64", "track-lifetimes=true", "release-inputs=true", "target=cpu:x86-64-v3", "verify-each-not"][:-1]
EMITTERS = ("python", "fx", "cpp")
MODES = ("plain", "options", "decompose", "dynamic", *EMITTERS)
# Shares of modes in percent.
SHARES = {"plain": 50, "options": 22, "decompose": 10, "dynamic": 11, "python": 4, "fx": 2, "cpp": 1}
# Without an exported program; only where they are asked for, as each takes a second or more.
SHARES |= dict.fromkeys(torch_compiled.MODES, 10)


class Way:
    """A way of a program from export to results."""

    def __init__(self, mode, options="", opt_level=1):
        self.mode, self.options, self.opt_level = mode, options, opt_level

    @staticmethod
    def draw(seed, modes, device):
        rng = random.Random(f"way {seed}")
        mode = rng.choices(modes, [SHARES[m] for m in modes])[0]
        if device == "cuda" and mode in ("fx", "cpp"):
            mode = "plain"
        options, level = [], 1
        if mode == "options" or mode not in ("plain", *EMITTERS) and rng.random() < 0.2:
            options = rng.sample(OPTIONS, rng.choice([1, 1, 2, 3]))
            level = rng.choice([1, 2, 3])
        by_name = {o.split("=")[0]: o for o in options}
        if device == "cuda":
            by_name = {k: v for k, v in by_name.items() if k not in ("vector-bits", "target")} | {"target": "target=cuda"}
        if "vector-bits" in by_name:
            by_name.pop("target", None)
        # Checks of lifetimes count allocations, which storage on the stack has none of: these exclude each other.
        if "track-lifetimes=true" in by_name.values():
            by_name.pop("stack-limit", None)
        return Way(mode, " ".join(by_name.values()), level)

    def describe(self):
        return f"{self.mode}{f' ({self.options}, opt_level={self.opt_level})' if self.options else ''}"

    def export(self, program):
        module = program.module()
        given = tuple(t for t, (_, _, is_buffer) in zip(program.make_inputs(), program.inputs) if not is_buffer)
        dynamic = None
        if self.mode == "dynamic":
            auto = torch.export.Dim.AUTO
            dynamic = tuple({d: auto for d, s in enumerate(t.shape) if s > 1} for t in given)
        try:
            with torch.no_grad():
                exported = torch.export.export(module, given, strict=False, dynamic_shapes=dynamic)
                return exported.run_decompositions() if self.mode == "decompose" else exported
        except Exception as error:  # Whatever the exporter cannot do. # pylint: disable=broad-except
            raise worker.Refused("export", worker.first_line(error)) from None

    def prepare(self, exported, folder, options, runner):
        """A function from tensors of the user to flat results."""
        if self.mode not in EMITTERS:
            options.options = self.options
            options.opt_level = self.opt_level
            return runner.prepare(exported, folder)
        # The Python module knows which results are changes of inputs and buffers.
        options.options, options.opt_level = "target=cuda" if options.device == "cuda" else "", 1
        runner.prepare(exported, folder)
        path = os.path.join(folder, "model.pt2")
        worker.save_program(exported, path)
        name = {"python": "emitted.py", "fx": "emitted_fx.py", "cpp": "emitted.cpp"}[self.mode]
        target = ["--target=cuda"] if options.device == "cuda" else []
        worker.ToolRunner(options).call("coil-compile", path, *target, "--random=generator", f"--emit={self.mode}", "-o", os.path.join(folder, name))
        if self.mode == "cpp":
            run = self.prepare_cpp(folder, path, options)
        else:
            spec = importlib.util.spec_from_file_location("emitted", os.path.join(folder, name))
            emitted = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(emitted)
            weights = self.weights(path, getattr(emitted, "WEIGHTS", {}), options)
            run = lambda tensors: call_emitted(emitted, weights, tensors, self.mode == "fx")
        return lambda tensors: runner.take_changes(exported, runner.outputs, restore_complex(runner.outputs, run(tensors)), tensors)

    @staticmethod
    def weights(path, names, options):
        from coil import host
        return {i: t if isinstance(t, torch.Tensor) else torch.from_dlpack(t)
                for i, t in host.load_weights(path, names, options.device).items()}

    def prepare_cpp(self, folder, path, options):
        source = os.path.join(folder, "emitted")
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 3)
        library = os.path.join(options.build, "lib")
        done = subprocess.run(["c++", "-std=c++17", "-O0", "-shared", "-fPIC", f"-I{root}/include", source + ".cpp",
                               source + "_kernels.a", f"-L{library}", "-lcoil_runtime", "-lm", f"-Wl,-rpath,{library}",
                               "-o", source + ".so"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise worker.Refused("crash", "C++: " + worker.first_line(done.stderr))
        from cpp_programs import CppProgram
        return CppProgram(source + ".so", path).run


def restore_complex(outputs, results):
    """Complex results of their parts."""
    return [torch.view_as_complex(t.contiguous()) if spec.get("complex") and not t.is_complex() else t
            for spec, t in zip(outputs, results)] if len(outputs) == len(results) else results


def call_emitted(emitted, weights, tensors, is_graph):
    """Calls main of an emitted module. Complex numbers are parts there."""
    given = iter(torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for t in tensors)
    arguments = [weights[i] if i in weights else next(given) for i in range(len(weights) + len(tensors))]
    try:
        results = emitted.main(*arguments) if is_graph else emitted.main(arguments)
    except Exception as error:
        raise worker.Refused("run", f"{type(error).__name__}: {worker.first_line(error)}") from None
    return [results] if isinstance(results, torch.Tensor) else list(results)
