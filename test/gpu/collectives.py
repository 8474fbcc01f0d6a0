#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives and side streams on a machine with GPUs, a process for each, against
torch.distributed with NCCL.

    PYTHONPATH=<install>/python collectives.py [number of GPUs]

Needs torch with CUDA. Each rank compiles exported programs for its GPU and runs them
on groups of torch.distributed and on groups of NCCL alone, compares with torch, and sees
that a rank which never comes is an error. With NCCL alone CUDA graphs hold the collectives,
too: whole calls, partitions and calls that are bound. Exit status 0 and a last line that
begins with "all agree" mean that everything is right.
"""
import os
import subprocess
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol

import coil


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


def make_nccl(name, rank, size, limit):
    """A group of NCCL alone; torch brings the id to the ranks."""
    box = [coil.NcclGroup.unique_id() if rank == 0 else None]
    dist.broadcast_object_list(box, 0)
    return coil.NcclGroup(name, box[0], rank, size, time_limit=limit)


def check(results, model, x, what):
    with torch.no_grad():
        expected = model(x)
    expected = expected if isinstance(expected, tuple) else (expected,)
    results = [torch.from_dlpack(each) for each in results]
    torch.cuda.synchronize()
    for number, (result, want) in enumerate(zip(results, expected, strict=True)):
        torch.testing.assert_close(
            result, torch.as_tensor(want), rtol=2e-2 if what.startswith("Half") else 1e-4, atol=1e-3,
            msg=lambda text: f"{what}: rank {dist.get_rank()}: result {number}: {text}")


def compare(program, model, x, what):
    stream = torch.cuda.current_stream().cuda_stream
    for _ in range(5):
        check(program.run(x, stream=stream), model, x, what)
    print(f"{what} agrees on rank {dist.get_rank()}", flush=True)


def fresh(rank, size, step):
    return torch.randn(64 * size, 256, generator=torch.Generator().manual_seed(100 * step + rank)).cuda()


def check_graphs(rank, size, models):
    """Graphs that hold collectives, on data that changes from call to call, and of a group
    that another takes the place of while they are kept."""
    made = []
    for name, model, file in models:
        for kind, options in ("whole calls", ""), ("partitions", " partitions=always"):
            program = coil.compile(file, options="target=cuda graph-collectives=true" + options,
                                   device=rank, cuda_graphs=8)
            made.append((f"{name} with NCCL in graphs of {kind}", kind, model, program))
    stream = torch.cuda.Stream()
    for turn in range(2):
        nccl = make_nccl("0", rank, size, 20).register()
        for what, kind, model, program in made:
            for step in range(8):
                x = fresh(rank, size, step)
                stream.wait_stream(torch.cuda.current_stream())
                results = program.run(x, stream=stream.cuda_stream)
                torch.cuda.current_stream().wait_stream(stream)
                check(results, model, x, f"{what}, call {step} with group {turn}")
            stats = program.graph_stats
            counts = stats["calls"] if kind == "whole calls" else stats["partitions"]
            assert counts["recorded"] >= 1 + turn, f"{what}, group {turn}: nothing was recorded: {stats}"
            assert counts["replayed"] >= 7 * (1 + turn), f"{what}, group {turn}: too few replays: {stats}"
            assert not stats["partitions"]["failures"], f"{what}, group {turn}: plain calls: {stats}"
            assert kind == "partitions" or counts["refused"] == 0, f"{what}, group {turn}: refused: {stats}"
            print(f"{what} agrees on rank {rank}: {counts}", flush=True)
        torch.cuda.synchronize()
        # Graphs keep what they have of it.
        nccl.unregister()
        nccl.close()

    nccl = make_nccl("0", rank, size, 20).register()
    for name, model, file in models:
        what = f"{name} with NCCL in a bound call"
        program = coil.compile(file, options="target=cuda", device=rank)
        x = fresh(rank, size, 50)
        # What the ranks set up together they do not do while they record.
        check(program.run(x, stream=stream.cuda_stream), model, x, what)
        bound = program.bind(x, stream=stream.cuda_stream, like=torch.Tensor)
        for step in range(8):
            x.copy_(fresh(rank, size, 60 + step))
            torch.cuda.synchronize()
            results = bound()
            torch.cuda.current_stream().wait_stream(stream)
            check(results, model, x, f"{what}, launch {step}")
        print(f"{what} agrees on rank {rank}", flush=True)
        del bound, program
    torch.cuda.synchronize()
    nccl.unregister()
    nccl.close()
    return made[0]


def run(folder, rank, size):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", init_method=f"file://{folder}/store", rank=rank, world_size=size)
    x = torch.randn(64 * size, 256, generator=torch.Generator().manual_seed(rank)).cuda()
    programs, models = [], []
    for model in (Parallel(rank), Kinds(), Half()):
        name = type(model).__name__
        file = f"{folder}/{name}{rank}.pt2"
        torch.export.save(torch.export.export(model, (x.cpu(),)), file)
        program = coil.compile(file, options="target=cuda", device=rank)
        programs.append((name, model.cuda(), program))
        models.append((name, model, file))
    coil.register_process_group("0", device="cuda")
    for name, model, program in programs:
        compare(program, model, x, f"{name} with torch.distributed")
    torch.cuda.synchronize()
    coil.unregister_process_group("0", device="cuda")

    nccl = make_nccl("0", rank, size, 20).register()
    for name, model, program in programs:
        compare(program, model, x, f"{name} with NCCL")
    torch.cuda.synchronize()
    nccl.unregister()
    nccl.close()
    what, _, model, graphs = check_graphs(rank, size, models)

    # The last rank does not come: to a plain call, and to a replay.
    if size > 1:
        for program, is_replay in (programs[0][2], False), (graphs, True):
            nccl = make_nccl("0", rank, size, 2).register()
            stream = torch.cuda.current_stream().cuda_stream
            replays = 3 if is_replay else 0
            for step in range(replays):
                check(program.run(x, stream=stream), model, x, f"{what}, before a rank stays away")
            begin = time.monotonic()
            if rank != size - 1:
                try:
                    program.run(x, stream=stream)
                    torch.cuda.synchronize()
                    program.run(x, stream=stream)
                    raise SystemExit(f"a rank that never came was no error (replay: {is_replay})")
                except coil.CoilError as error:
                    text = str(error)
                    assert "all_reduce of group '0'" in text and "did not come within 2000 ms" in text, text
                    assert not is_replay or "a graph with" in text, text
                    assert time.monotonic() - begin < 30, f"it took {time.monotonic() - begin} s"
                    print(f"rank {rank}: {text}", flush=True)
            else:
                time.sleep(6)
            dist.barrier()
            nccl.unregister()
    print(f"rank {rank} is done", flush=True)
    os._exit(0)  # NCCL's own groups may be broken by now.


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else torch.cuda.device_count()
    if len(sys.argv) > 3:
        run(sys.argv[2], int(sys.argv[3]), size)
    with tempfile.TemporaryDirectory() as folder:
        files = [open(f"{folder}/out{rank}", "w+") for rank in range(size)]
        ranks = [subprocess.Popen([sys.executable, sys.argv[0], str(size), folder, str(rank)],
                                  stdout=files[rank], stderr=subprocess.STDOUT, text=True) for rank in range(size)]
        end = time.monotonic() + 500
        while any(each.poll() is None for each in ranks) and time.monotonic() < end:
            # Where one has failed, the others may wait for it for long.
            if any(each.poll() for each in ranks):
                end = min(end, time.monotonic() + 40)
            time.sleep(0.2)
        failed = []
        for rank, (each, file) in enumerate(zip(ranks, files)):
            late = each.poll() is None
            each.kill()
            file.seek(0)
            text = file.read()
            print(text, end="")
            if late:
                failed.append(f"rank {rank} did not end")
            elif each.returncode or "is done" not in text:
                last = text.strip().splitlines()[-1:] or ["it wrote nothing"]
                failed.append(f"rank {rank} failed with status {each.returncode}: {last[0]}")
        if failed:
            sys.exit("; ".join(failed))
        print(f"all agree on {size} ranks")
