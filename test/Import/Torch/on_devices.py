# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For tests of programs whose tensors are on several devices: exporting them where there
are none, what PyTorch computes on the host, and runs that are compared with that."""

import os
import subprocess
import sys
import warnings

import numpy
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

warnings.filterwarnings("ignore")
torch.manual_seed(0)


def export(module, inputs, places, path):
    """Exports a module with tensors that only say where they are."""
    with FakeTensorMode(allow_non_fake_inputs=True):
        fakes = tuple(torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device=place)
                      for t, place in zip(inputs, places))
        program = torch.export.export(module, fakes)
    torch.export.save(program, path)


def eager(module, inputs):
    """Runs a model on the host, whatever devices it names."""
    to = torch.Tensor.to
    made = {name: getattr(torch, name) for name in ("arange", "ones", "full", "cond")}
    torch.Tensor.to = lambda x, place, *rest, **more: (
        x if isinstance(place, (str, torch.device)) else to(x, place, *rest, **more))
    for name in ("arange", "ones", "full"):
        setattr(torch, name, lambda *a, device=None, make=made[name], **more: make(*a, **more))
    torch.cond = lambda p, yes, no, operands: (yes if p else no)(*operands)
    try:
        results = module(*inputs)
    finally:
        torch.Tensor.to = to
        for name, make in made.items():
            setattr(torch, name, make)
    return results if isinstance(results, tuple) else (results,)


def save(path, module, inputs):
    """Saves inputs and what PyTorch gives for them; returns the options of coil-run."""
    options = []
    for kind, name, tensors in (("input", "", inputs), ("expected-output", "out", eager(module, inputs))):
        for i, t in enumerate(tensors):
            numpy.save(f"{path}.{name}{i}.npy", t.detach().contiguous().numpy())
            options.append(f"--{kind}=@{path}.{name}{i}.npy")
    return options


def run(command, cuda_sim, devices=1):
    """Runs a command, on the simulated GPUs if there is a driver of them."""
    environment = dict(os.environ)
    if cuda_sim:
        environment.update(COIL_CUDA_CACHING="0", COIL_CUDA_DRIVER=cuda_sim, COIL_CUDA_SIM_DEVICES=str(devices))
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
