# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA graphs of the partitions of an emitted program, by torch.

    from coil import graphs

    runner = module.runner
    runner.recursively_apply_fns([graphs.capture] * len(runner.partitions))

A partition depends on its buffers and numbers alone, so a graph of it is found by its
numbers and the layouts of its buffers. The first call with these runs plainly, the
second is recorded, later ones are replays.
"""

import collections

import torch


class _Recording:
    """A graph with the memory that it reads and writes."""

    def __init__(self, graph, inputs, outputs):
        self.graph, self.inputs, self.outputs = graph, inputs, outputs


class Capture:
    """A partition that is kept as graphs.

    Attributes: `warmups`, `recorded`, `replayed` and `plain` count calls; `failures`
    has the reasons why calls were not recorded, with how often.
    """

    # The memory of all graphs on a device is one: results are copied out of it before
    # another graph runs.
    _pools = {}

    def __init__(self, function, limit=16):
        if limit < 1:
            raise ValueError(f"expected a limit of at least 1 but got {limit}")
        self.function, self.limit = function, limit
        self.warmups = self.recorded = self.replayed = self.plain = 0
        self.failures = collections.Counter()
        # Most recently used last.
        self._recordings = collections.OrderedDict()
        # Addresses of inputs at the first call; None for one that has moved since.
        self._seen = {}
        self._refused = set()
        self._stream = None

    def __call__(self, args):
        key = tuple((tuple(a.size()), tuple(a.stride()), a.dtype, str(a.device))
                    if isinstance(a, torch.Tensor) else a for a in args)
        tensors = [a for a in args if isinstance(a, torch.Tensor)]
        if key in self._refused or not any(t.is_cuda for t in tensors):
            self.plain += 1
            return self.function(args)
        seen = self._seen.get(key)
        addresses = [t.data_ptr() for t in tensors]
        if seen is None:
            self._seen[key] = addresses
            self.warmups += 1
            return self._on_stream(tensors, lambda: self.function(args))
        recording = self._recordings.get(key)
        if recording is not None:
            moved = [i for i, (a, known) in enumerate(zip(addresses, seen))
                     if known is not None and a != known]
            if not moved:
                return self._replay(key, recording, tensors, seen, args)
            # Those get a place that they are copied to.
            del self._recordings[key]
        for i, (address, known) in enumerate(zip(addresses, seen)):
            if address != known:
                seen[i] = None
        return self._record(key, tensors, seen, args)

    def _on_stream(self, tensors, call):
        """Calls on a stream of its own, where a recording is made, too: what the first
        call on a stream sets up cannot be part of a graph."""
        device = next(t.device for t in tensors if t.is_cuda)
        if self._stream is None:
            self._stream = torch.cuda.Stream(device)
        outside = torch.cuda.current_stream(device)
        self._stream.wait_stream(outside)
        with torch.cuda.stream(self._stream):
            results = call()
        outside.wait_stream(self._stream)
        for each in (*tensors, *results):
            if each.is_cuda: # The allocator must not hand it out before.
                each.record_stream(self._stream)
                each.record_stream(outside)
        return results

    def _record(self, key, tensors, seen, args):
        # Tensors that stay where they are, are used there; a graph keeps them.
        inputs = [t if known is not None else _like(t) for t, known in zip(tensors, seen)]
        device = next(t.device for t in tensors if t.is_cuda)
        pool = Capture._pools.get(str(device))
        if pool is None:
            pool = Capture._pools[str(device)] = torch.cuda.graph_pool_handle()
        given = iter(inputs)
        again = [next(given) if isinstance(a, torch.Tensor) else a for a in args]
        graph = torch.cuda.CUDAGraph()
        if self._stream is None:
            self._stream = torch.cuda.Stream(device)
        try:
            with torch.cuda.device(device), torch.cuda.graph(
                    graph, pool=pool, stream=self._stream, capture_error_mode="relaxed"):
                outputs = self.function(again)
        except Exception as error: # pylint: disable=broad-except
            self.failures[str(error).partition("\n")[0]] += 1
            self._refused.add(key)
            self.plain += 1
            return self.function(args)
        while len(self._recordings) >= self.limit:
            self._recordings.popitem(last=False)
        recording = self._recordings[key] = _Recording(graph, inputs, outputs)
        self.recorded += 1
        return self._replay(key, recording, tensors, seen, args)

    def _replay(self, key, recording, tensors, seen, args):
        self._recordings.move_to_end(key)
        for t, place, known in zip(tensors, recording.inputs, seen):
            if known is None:
                place.copy_(t)
        recording.graph.replay()
        self.replayed += 1
        # A partition takes what it is given.
        args.clear()
        # The next replay writes the same memory.
        return tuple(_like(output).copy_(output) for output in recording.outputs)


def _like(tensor):
    """Memory for a tensor in the same layout."""
    return torch.empty_strided(tuple(tensor.size()), tuple(tensor.stride()), dtype=tensor.dtype,
                               device=tensor.device)


def capture(partition, limit=16):
    """Keeps a partition as at most `limit` graphs; for
    `runner.recursively_apply_fns`, and with functools.partial for another limit."""
    return Capture(partition, limit)
