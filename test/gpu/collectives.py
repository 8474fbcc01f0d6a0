#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives and side streams on a machine with GPUs, a process for each, against
torch.distributed with NCCL.

    PYTHONPATH=<install>/python collectives.py [number of GPUs]

Needs torch with CUDA. Each rank compiles exported programs for its GPU and runs them
on groups of torch.distributed and on groups of NCCL alone, compares with torch, and sees
that a rank which never comes is an error. Exit status 0 and a last line that begins with
"all agree" mean that everything is right.
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol

import coil
from coil import _groups
from coil._library import library

library.coil_nccl_get_unique_id.argtypes = [ctypes.c_char_p]
library.coil_nccl_group_create.argtypes = [
    ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_int32,
    ctypes.c_int64, ctypes.POINTER(ctypes.c_void_p)]
library.coil_nccl_group_get.argtypes = [ctypes.c_void_p]
library.coil_nccl_group_get.restype = ctypes.POINTER(_groups._Group)
library.coil_nccl_group_destroy.argtypes = [ctypes.c_void_p]


class Parallel(torch.nn.Module):
    def __init__(self, rank):
        super().__init__()
        generator = torch.Generator().manual_seed(rank)
        self.first = torch.nn.Parameter(torch.randn(256, 128, generator=generator) / 16)
        self.second = torch.nn.Parameter(torch.randn(128, 256, generator=generator) / 16)

    def forward(self, x):
        part = torch.relu(x @ self.first) @ self.second
        whole = funcol.all_reduce(part, "sum", dist.group.WORLD)
        beside = torch.tanh(x) * 3
        return whole * 0.5 + beside


class Kinds(torch.nn.Module):
    def forward(self, x):
        size = dist.get_world_size()
        gathered = funcol.all_gather_tensor(x * 2, 0, dist.group.WORLD)
        beside = torch.sin(x) + 1
        scattered = funcol.reduce_scatter_tensor(gathered + 1, "sum", 0, dist.group.WORLD)
        sent = funcol.broadcast(scattered * beside, 0, dist.group.WORLD)
        most = funcol.all_reduce(sent + dist.get_rank(), "max", dist.group.WORLD)
        mean = funcol.all_reduce(most * x, "avg", dist.group.WORLD)
        rows = [x.shape[0] // size] * size
        return gathered, scattered, sent, most, mean, funcol.all_to_all_single(
            mean, rows, rows, dist.group.WORLD)


class Half(torch.nn.Module):
    def forward(self, x):
        y = funcol.all_reduce(x.to(torch.bfloat16), "sum", dist.group.WORLD)
        n = funcol.all_reduce((x > 0).to(torch.int64).sum(0), "sum", dist.group.WORLD)
        return y.float() * 2, n


def need(status):
    if status:
        raise RuntimeError(library.coil_last_error().decode())


def make_nccl(name, rank, size, limit):
    """A group of NCCL alone; torch brings the id to the ranks."""
    box = [None]
    if rank == 0:
        text = ctypes.create_string_buffer(128)
        need(library.coil_nccl_get_unique_id(text))
        box = [text.raw]
    dist.broadcast_object_list(box, 0)
    handle = ctypes.c_void_p()
    need(library.coil_nccl_group_create(name.encode(), box[0], rank, size, rank, limit, ctypes.byref(handle)))
    return handle


def compare(program, model, x, what):
    with torch.no_grad():
        expected = model(x)
    expected = expected if isinstance(expected, tuple) else (expected,)
    stream = torch.cuda.current_stream().cuda_stream
    for _ in range(5):
        results = [torch.from_dlpack(each) for each in program.run(x, stream=stream)]
        torch.cuda.synchronize()
        for result, want in zip(results, expected, strict=True):
            torch.testing.assert_close(result, torch.as_tensor(want), rtol=2e-2 if what.startswith("Half") else 1e-4,
                                       atol=1e-3)
    print(f"{what} agrees on rank {dist.get_rank()}", flush=True)


def run(folder, rank, size):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=f"file://{folder}/store", rank=rank, world_size=size)
    x = torch.randn(64 * size, 256, generator=torch.Generator().manual_seed(rank)).cuda()
    programs = []
    for model in (Parallel(rank), Kinds(), Half()):
        name = type(model).__name__
        file = f"{folder}/{name}{rank}.pt2"
        torch.export.save(torch.export.export(model, (x.cpu(),)), file)
        program = coil.compile(file, options="target=cuda", device=rank)
        programs.append((name, model.cuda(), program))
    coil.register_process_group("0", device="cuda")
    for name, model, program in programs:
        compare(program, model, x, f"{name} with torch.distributed")
    torch.cuda.synchronize()
    coil.unregister_process_group("0", device="cuda")

    nccl = make_nccl("0", rank, size, 20000)
    need(library.coil_register_process_group(library.coil_nccl_group_get(nccl)))
    for name, model, program in programs:
        compare(program, model, x, f"{name} with NCCL")
    need(library.coil_unregister_process_group(b"0", 1))
    library.coil_nccl_group_destroy(nccl)

    # The last rank does not come.
    if size > 1:
        nccl = make_nccl("0", rank, size, 2000)
        need(library.coil_register_process_group(library.coil_nccl_group_get(nccl)))
        begin = time.monotonic()
        if rank != size - 1:
            try:
                program = programs[0][2]
                program.run(x, stream=torch.cuda.current_stream().cuda_stream)
                torch.cuda.synchronize()
                program.run(x, stream=torch.cuda.current_stream().cuda_stream)
                raise SystemExit("a rank that never came was no error")
            except coil.CoilError as error:
                text = str(error)
                assert "all_reduce of group '0'" in text and "did not come within 2000 ms" in text, text
                assert time.monotonic() - begin < 30
                print(f"rank {rank}: {text}", flush=True)
        else:
            time.sleep(6)
    print(f"rank {rank} is done", flush=True)
    os._exit(0)  # NCCL's own groups may be broken by now.


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else torch.cuda.device_count()
    if len(sys.argv) > 3:
        run(sys.argv[2], int(sys.argv[3]), size)
    with tempfile.TemporaryDirectory() as folder:
        ranks = [subprocess.Popen([sys.executable, sys.argv[0], str(size), folder, str(rank)],
                                  stdout=subprocess.PIPE, text=True) for rank in range(size)]
        outputs = [each.communicate(timeout=900)[0] for each in ranks]
        print("".join(outputs), end="")
        if any(each.returncode for each in ranks) or any("is done" not in each for each in outputs):
            sys.exit("a rank failed")
        print(f"all agree on {size} ranks")
