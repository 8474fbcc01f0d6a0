#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Inputs that a compiled graph updates in their own memory: caches, optimizers, and random
programs of updates against eager mode.

    updates.py [test_name ...]
    updates.py --random COUNT [--seed S]
"""

import random
import sys

import coil
import torch
from checks import check, compile, equal, main
from coil.torch_compile import _counters

SIZES = [1, 2, 3, 4, 5, 8]


def programs_of(function, *args, **options):
    """The compiled programs of a call, which changes `args`."""
    torch._dynamo.reset()
    with torch.no_grad():
        found = coil.explain(function, *args, options={"strict": True, "cache": False}, **options)
    assert not found.fallbacks, found
    return [program for graph in found.graphs for program in graph.programs]


def updated(programs):
    """How many inputs are updated in their own memory, and how many results are copied to an input."""
    in_place = sum("updated" in spec for program in programs for spec in program.inputs)
    stated = sum("mutation" in spec for program in programs for spec in program.outputs)
    return in_place, stated - in_place


# ===------------------------------------------------------------------------===
# Caches
# ===------------------------------------------------------------------------===


def check_cache(function, *args, own_bytes):
    """The cache is the first argument; a call allocates at most `own_bytes` and gives the values of eager."""
    with torch.no_grad():
        check(function, *args)
    ours = [a.clone() for a in args]
    programs = programs_of(function, *ours)
    assert updated(programs) == (1, 0), [program.inputs for program in programs]
    for program in programs:
        assert program.run_stats["peak_bytes"] <= own_bytes, program.run_stats
        assert program.run_stats["input_copies"] == 0, program.run_stats


def test_index_copy():
    def function(cache, position, new):
        cache.index_copy_(2, position, new)
        return cache[:, :, :4].sum()
    check_cache(function, torch.zeros(2, 3, 64, 16), torch.tensor([3]), torch.rand(2, 3, 1, 16), own_bytes=1024)


def test_scatter():
    def function(cache, index, new):
        cache.scatter_(1, index, new)
    check_cache(function, torch.zeros(16, 512), torch.randint(512, (16, 2)), torch.rand(16, 2), own_bytes=1024)


def test_slice_assignment():
    def function(cache, new):
        cache[:, 5:7] = new
        return cache[:, :7].amax(1)
    check_cache(function, torch.zeros(4, 64, 32), torch.rand(4, 2, 32), own_bytes=1024)


def test_index_put():
    def function(cache, rows, new):
        cache[rows] = new
    check_cache(function, torch.zeros(256, 32), torch.tensor([3, 250]), torch.rand(2, 32), own_bytes=1024)


def test_cache_of_symbolic_length():
    def function(cache, position, new):
        cache.index_copy_(1, position, new)
        return cache.sum(1)
    torch._dynamo.reset()
    compiled = compile(function, dynamic=True)
    with torch.no_grad():
        for length in (16, 40, 9):
            cache, new = torch.zeros(2, length, 8), torch.rand(2, 1, 8)
            expected = function(cache.clone(), torch.tensor([4]), new)
            equal(compiled(cache, torch.tensor([4]), new), expected)
            assert cache[:, 4].eq(new[:, 0]).all() and cache.ne(0).sum() <= 16


# ===------------------------------------------------------------------------===
# Optimizers
# ===------------------------------------------------------------------------===


def check_optimizer(make, tensors_of_a_parameter):
    """Steps of an optimizer: values of eager mode, no copy, and no memory of the size of a parameter."""
    torch.manual_seed(0)
    shapes = [(64, 32), (64,), (5, 64), (5,), (3, 4, 2, 2)]
    values = [torch.randn(shape) for shape in shapes]
    gradients = [[torch.randn(shape) for shape in shapes] for _ in range(3)]

    def lay_out(tensor):
        return tensor.clone(memory_format=torch.channels_last if tensor.dim() == 4 else torch.preserve_format)

    def run(compiles):
        parameters = [torch.nn.Parameter(lay_out(value)) for value in values]
        optimizer = make(parameters)
        step = compile(optimizer.step, options={"cache": False}) if compiles else optimizer.step
        for given in gradients:
            for parameter, gradient in zip(parameters, given):
                parameter.grad = lay_out(gradient)
            step()
        state = [each[name] for each in optimizer.state.values() for name in sorted(each)]
        return [p.detach() for p in parameters] + [each for each in state if isinstance(each, torch.Tensor)]

    torch._dynamo.reset()
    with _counters.recording() as graphs:
        found = run(compiles=True)
    equal(found, run(compiles=False))
    programs = [program for graph in graphs for program in graph.programs]
    last = [program for program in programs if updated([program])[0]][-1]
    assert all(updated([program])[1] == 0 for program in programs), [program.outputs for program in programs]
    assert updated([last])[0] >= tensors_of_a_parameter * len(shapes), last.inputs
    assert last.run_stats["peak_bytes"] <= 1024, last.run_stats
    assert last.run_stats["input_copies"] == 0, last.run_stats


def test_adamw():
    check_optimizer(lambda p: torch.optim.AdamW(p, lr=1e-3, foreach=True, capturable=False), 4)


def test_sgd_with_momentum():
    check_optimizer(lambda p: torch.optim.SGD(p, lr=1e-2, momentum=0.9, foreach=True), 2)


# ===------------------------------------------------------------------------===
# What has to be copied
# ===------------------------------------------------------------------------===


def test_inputs_that_begin_to_overlap():
    """A program that was compiled for inputs apart is called with inputs that share memory."""
    def function(a, b):
        a.add_(b)
        b.mul_(2)
    a, b = torch.rand(8), torch.rand(8)
    program, = programs_of(function, a, b)
    assert updated([program]) == (2, 0)
    whole = torch.arange(12.0)
    first, second = whole[:8], whole[4:]
    results = program.run(first, second, like=torch.Tensor, strides=(1, 1), updates=(0, 1))
    before = torch.arange(12.0)
    assert whole.eq(before).all()
    equal(list(results), [before[:8] + before[4:], before[4:] * 2])


def test_inputs_of_another_layout():
    def function(a, b):
        a.add_(b)
    program, = programs_of(function, torch.rand(3, 4), torch.rand(3, 4))
    given = torch.rand(4, 3).t()
    before = given.clone()
    result, = program.run(given, torch.ones(3, 4), like=torch.Tensor, strides=(4, 1), updates=(0,))
    assert given.eq(before).all() and result.eq(before + 1).all()
    given = torch.rand(3, 4)
    before = given.clone()
    assert program.run(given, torch.ones(3, 4), like=torch.Tensor, strides=(4, 1), updates=(0,)) == (None,)
    assert given.eq(before + 1).all()


def test_old_values_are_read():
    with torch.no_grad():
        def flip(a):
            a.copy_(a.flip(0))

        def later(a, b):
            old = a * 3
            a.mul_(b)
            return old, old + a

        def swap(a, b):
            old = a.clone()
            a.copy_(b)
            b.copy_(old)

        def neighbours(a):
            a[1:].add_(a[:-1].clone())
        x, y = torch.rand(6, 5), torch.rand(6, 5)
        check(flip, x)
        check(later, x, y)
        check(swap, x, y)
        check(neighbours, x)


# ===------------------------------------------------------------------------===
# Random programs
# ===------------------------------------------------------------------------===


def lay_out(rng, shape, generator):
    """A tensor of one of the layouts that inputs have."""
    rows, columns = shape
    kind = rng.randrange(5)
    if kind == 0:
        return torch.randn(columns, rows, generator=generator).t()
    if kind == 1:
        return torch.randn(rows, 2 * columns, generator=generator)[:, ::2]
    if kind == 2:
        return torch.randn(rows + 2, columns + 1, generator=generator)[1:-1, 1:]
    return torch.randn(rows, columns, generator=generator)


def make_inputs(seed, shape):
    """Two to four inputs; some share memory with an earlier one, or are the same tensor."""
    rng, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    rows, columns = shape
    inputs = []
    for _ in range(rng.choice([2, 2, 3, 4])):
        kind = rng.random()
        if inputs and kind < 0.1:
            inputs.append(rng.choice(inputs))
        elif kind < 0.25:
            whole = torch.randn(rows + 1, columns, generator=generator)
            inputs += [whole[1:], whole[:-1]]
        elif inputs and kind < 0.3:
            inputs.append(rng.choice(inputs).detach())
        else:
            inputs.append(lay_out(rng, shape, generator))
    return inputs


def make_function(seed):
    """A function of updates and reads, and its steps as text."""
    rng = random.Random(seed + 1)
    steps = []
    for _ in range(rng.choice([1, 2, 3, 4, 6])):
        a, b = rng.randrange(8), rng.randrange(8)
        steps.append((rng.choice(sorted(STEPS)), a, b))
    returns = rng.choice(["nothing", "kept", "input", "sum"])

    def function(*inputs):
        kept = [inputs[0].sum(0)]
        for name, a, b in steps:
            STEPS[name](inputs[a % len(inputs)], inputs[b % len(inputs)], kept)
        return {"nothing": None, "kept": kept[1:], "input": inputs[-1],
                "sum": [each.sum() for each in inputs]}[returns]
    return function, f"{steps} returns {returns}"


def _index(x):
    return torch.arange(x.shape[0] - 1, -1, -1)


STEPS = {
    "add": lambda a, b, kept: a.add_(b, alpha=0.5),
    "mul": lambda a, b, kept: a.mul_(0.5),
    "copy": lambda a, b, kept: a.copy_(b),
    "zero": lambda a, b, kept: a.zero_(),
    "rows": lambda a, b, kept: a[1:].add_(b[:-1]),
    "columns": lambda a, b, kept: a[:, ::2].mul_(0.5),
    "first": lambda a, b, kept: a.select(0, 0).copy_(b.sum(0)),
    "flip": lambda a, b, kept: a.copy_(b.flip(0)),
    "index_copy": lambda a, b, kept: a.index_copy_(0, _index(a), b),
    "index_add": lambda a, b, kept: a.index_add_(0, _index(a), b),
    "scatter": lambda a, b, kept: a.scatter_(0, torch.zeros_like(a, dtype=torch.int64), b.cos()),
    "mask": lambda a, b, kept: a.masked_fill_(b > 0, 0.25),
    "transposed": lambda a, b, kept: a.t().add_(b.t()),
    "keep": lambda a, b, kept: kept.append(a * 2 + b),
    "keep_sum": lambda a, b, kept: kept.append(a.sum(1, keepdim=True)),
    "use": lambda a, b, kept: a.sub_(kept[-1]),
    "softmax": lambda a, b, kept: a.copy_(torch.softmax(b, 0)),
    "matmul": lambda a, b, kept: a.copy_((a @ b.t()) @ b * 0.1),
    "lerp": lambda a, b, kept: a.lerp_(b, 0.3),
}


def run(call, function_inputs):
    """What a call returns and leaves in its inputs, or the exception."""
    with torch.no_grad():
        try:
            result = call(*function_inputs)
        except Exception as error:  # pylint: disable=broad-except
            return error
    values = torch.utils._pytree.tree_leaves(result)
    return [v.clone() for v in values if isinstance(v, torch.Tensor)] + [x.clone() for x in function_inputs]


def agree(a, b):
    if isinstance(a, Exception) or isinstance(b, Exception):
        return False
    return len(a) == len(b) and all(torch.allclose(x, y, atol=1e-4, rtol=1e-4, equal_nan=True) for x, y in zip(a, b))


def check_random(seed):
    """Returns what is wrong with one random program, or None; "" where PyTorch refuses it."""
    rng = random.Random(seed)
    function, text = make_function(seed)
    shape = [rng.choice(SIZES[1:]) for _ in range(2)]
    dynamic = rng.random() < 0.4
    shapes = [shape, [size + 1 for size in shape]] if dynamic else [shape, shape]
    expected = [run(function, make_inputs(seed, each)) for each in shapes]
    if any(isinstance(each, Exception) for each in expected):
        return ""
    results = {}
    for backend in "coil", "aot_eager":
        torch._dynamo.reset()
        given = {"options": {"strict": True, "opt_level": 1, "cache": False}} if backend == "coil" else {}
        call = torch.compile(function, backend=backend, dynamic=dynamic, **given)
        results[backend] = [run(call, make_inputs(seed, each)) for each in shapes]
        if all(map(agree, results[backend], expected)):
            return None if backend == "coil" else f"seed {seed}: {text}, shapes {shapes}: {results['coil']}"
    return ""  # Neither agrees: what AOTAutograd makes of it is something else.


def test_random_programs():
    found = [check_random(seed) for seed in range(40)]
    wrong = [each for each in found if each]
    assert not wrong, wrong[0]
    assert found.count(None) > 30, found


def fuzz(count, seed):
    wrong = refused = 0
    for i in range(seed, seed + count):
        found = check_random(i)
        refused += found == ""
        if found:
            wrong += 1
            print(f"wrong: {found}", flush=True)
    print(f"{count} programs from seed {seed}, {refused} that PyTorch refuses, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    if "--random" in sys.argv:
        first = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else 0
        sys.exit(fuzz(int(sys.argv[sys.argv.index("--random") + 1]), first))
    sys.exit(main(globals()))
