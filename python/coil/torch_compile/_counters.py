# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what the backend compiles and what it leaves to PyTorch."""

import collections
import json
import threading

from coil._library import library

_lock = threading.Lock()
_fallbacks = collections.Counter()
_counts = collections.Counter()
# What the cache on disk had done when counters were last reset.
_cache_before = collections.Counter()
# Lists that `recording` has made, which receive what is compiled meanwhile.
_records = []


def count(name, number=1):
    """Adds to a counter, and to torch._dynamo.utils.counters["coil"]."""
    from torch._dynamo.utils import counters as dynamo

    with _lock:
        _counts[name] += number
        dynamo["coil"][name] += number


def count_fallback(operator, reason):
    from torch._dynamo.utils import counters as dynamo

    with _lock:
        _fallbacks[operator, reason] += 1
        _counts["fallbacks"] += 1
        dynamo["coil"]["fallbacks"] += 1
        dynamo["coil"][f"fallback {operator}"] += 1


def _count_cache():
    return collections.Counter(json.loads(library.coil_cache_stats_json()))


def counters():
    """What torch.compile(backend="coil") has done in this process: a dictionary of
    "graphs", "pieces" (compiled programs), "failed_graphs" (that run eagerly as a whole),
    "seconds" and "processor_seconds" (of the compilation of graphs, without tracing),
    "fallbacks" (operators that PyTorch's dispatcher is called for), "draws" (operators that only draw
    random numbers from PyTorch's generator of the CPU), "cache" (programs of the
    process, those of coil.compile as well, that the cache on disk had: "hits", "misses",
    "refusals", "stores", "damaged", "evicted"), and
    "fallbacks_by_operator": {operator: {reason: count}}. Each call site counts once,
    when its graph is compiled."""
    with _lock:
        by_operator = {}
        for (operator, reason), number in sorted(_fallbacks.items()):
            by_operator.setdefault(operator, {})[reason] = number
        names = ("graphs", "pieces", "failed_graphs", "seconds", "processor_seconds", "fallbacks",
                 "draws")
        cache = {name: number - _cache_before[name] for name, number in _count_cache().items()}
        return {**{name: _counts[name] for name in names}, "cache": cache, "fallbacks_by_operator": by_operator}


def reset_counters():
    """Sets all counters to zero."""
    with _lock:
        _fallbacks.clear()
        _counts.clear()
        _cache_before.clear()
        _cache_before.update(_count_cache())


class recording:
    """Collects descriptions of the graphs that are compiled inside the block."""

    def __enter__(self):
        self.graphs = []
        with _lock:
            _records.append(self.graphs)
        return self.graphs

    def __exit__(self, *_):
        with _lock:
            # Others may have equal contents.
            _records[:] = [each for each in _records if each is not self.graphs]


def record(graph):
    with _lock:
        _counts["seconds"] += graph.seconds
        _counts["processor_seconds"] += graph.processor_seconds
        for each in _records:
            each.append(graph)
