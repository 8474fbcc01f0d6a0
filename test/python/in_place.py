# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of views and in-place updates, against PyTorch eager.

    in_place.py FOLDER [--count N] [--seed S] [--workers W] [--results FILE]
                [--only SEED] [--max-refused PERCENT]

A program is a list of calls of operators on a pool of tensors: inputs of odd
sizes, types and strides, a parameter, two buffers, and what the calls return.
The operators are those of PyTorch's own registry, whose schemas say what is a
view (`Tensor(a)`), an update (`Tensor(a!) self`) and an `out=` argument.
Arguments are drawn for the schema's types, and a call that PyTorch refuses is
drawn again, so nothing here knows what an operator does.

Each program is exported as it is, without run_decompositions(), compiled, and
compared with eager: what it returns, and what its inputs, buffers and
parameters hold afterwards. Left out are operators that draw random numbers and
memory that nobody wrote to, as their values mean nothing.

Prints a line for each class of outcome:
    same       everything agrees
    unlowered  an operator has no lowering; in-place or not makes no difference
    export     PyTorch does not export the program
    refused    an error of the importer, or of another kind
    wrong      other values
    crash      the process ended, or took longer than two minutes
and exits with 1 if there is something wrong or crashed, or if more than
--max-refused percent of the programs that export are refused.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import traceback
import warnings

import torch

warnings.filterwarnings("ignore")

FLOATS = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
INTS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
SIZES = [0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7]

# In three of four draws the operator is one of these: what models use most.
COMMON = """
add_.Tensor sub_.Tensor mul_.Tensor div_.Tensor add_.Scalar mul_.Scalar copy_.default
fill_.Scalar fill_.Tensor zero_.default masked_fill_.Scalar index_copy_.default index_fill_.int_Scalar
index_add_.default scatter_.src scatter_.value scatter_add_.default index_put_.default clamp_.default
relu_.default neg_.default tanh_.default sigmoid_.default abs_.default t_.default transpose_.default
squeeze_.default squeeze_.dim unsqueeze_.default bitwise_and_.Tensor logical_and_.default eq_.Tensor
lt_.Scalar maximum.out add.out mul.out sum.IntList_out cat.out addcmul_.default lerp_.Scalar pow_.Scalar
slice.Tensor select.int narrow.default view.default reshape.default permute.default transpose.int t.default
expand.default unsqueeze.default squeeze.default squeeze.dim flatten.using_ints diagonal.default
split.Tensor chunk.default unbind.int detach.default alias.default contiguous.default view.dtype
movedim.int unfold.default as_strided.default
""".split()

# Memory that nobody wrote to, other objects than tensors, and what has nothing to
# do with updates.
EXCLUDED = re.compile(
    r"empty|sparse|coo|csr|_nested|quant|sym_|item|_local_scalar|set_|resize|rename|requires_grad|pin_|"
    r"record_stream|_cuda|cudnn|mkldnn|vulkan|is_|qscheme|values|indices|crow|col_|ccol|row_|_test|_fw_|_foobar|"
    r"names|_dim_arange|align|refine|backward|fake_|_version|to_padded|jagged|_lazy|_amp_|_fused|_make|"
    r"retain_grad|_thnn|rrelu|dropout|segment_reduce|histogram|_unsafe_view|from_file|complex|conj|real|imag|"
    r"polar|fft|stft|linalg_|cholesky|svd|qr|eig|lu_|ldl|triangular|lobpcg|geqrf|ormqr|orgqr|inverse|slogdet|logdet|"
    r"det\b|matrix_exp|special_|Half|_flash|_efficient|_scaled|_cslt|_convert|_transform|_triton|_resize_output|"
    r"_indices|_values|_coalesced|_conj|_neg_view|_reshape_copy|nuclear|trapz|renorm|_sobol|bernoulli|"
    r"lift|_foreach|_norm\b|batch_norm|max_pool|_pool|conv|Dimname|ctc|to\.prim|dtype_layout|hacked")


def get_operators():
    """Overloads by what their schemas say: views, updates, `out=`, functions."""
    views, updates, outs, lists = [], [], [], []
    names = (n for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::"))
    for full in sorted(n[len("aten::"):] for n in names):
        name, _, overload = full.partition(".")
        if name.startswith("_") and not name.startswith(("__i", "_foreach_", "_reshape_alias")):
            continue
        try:
            op = getattr(getattr(torch.ops.aten, name), overload or "default")
        except AttributeError:
            continue
        schema = op._schema
        if torch.Tag.nondeterministic_seeded in op.tags or any(
                "Generator" in str(a.type) or "Dimname" in str(a.type) for a in schema.arguments):
            continue
        written = [a for a in schema.arguments if a.alias_info and a.alias_info.is_write]
        if name.startswith("_foreach_"):
            if written and all(a.kwarg_only is False for a in written):
                lists.append(op)
            continue
        if EXCLUDED.search(full) and not full.startswith(("squeeze_", "unsqueeze_")):
            continue
        if written and all(a.kwarg_only for a in written):
            outs.append(op)
        elif written:
            updates.append(op)
        elif any(r.alias_info for r in schema.returns):
            views.append(op)
    return views, updates, outs, lists


class Draw:
    """Draws the arguments of calls."""

    def __init__(self, rng):
        self.rng = rng

    def tensor(self, like=None):
        """A new tensor, in any layout; of a shape that broadcasts to `like`."""
        rng = self.rng
        if like is not None:
            shape = [s if rng.random() < 0.8 else 1 for s in like.shape]
            shape = shape[rng.randrange(len(shape) + 1):] if rng.random() < 0.3 else shape
            dtype = like.dtype if rng.random() < 0.7 else rng.choice(FLOATS + INTS + [torch.bool])
        else:
            shape = [rng.choice(SIZES) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]))]
            dtype = rng.choice([torch.float32] * 6 + FLOATS + INTS + [torch.bool])
        return self.values(shape, dtype)

    def values(self, shape, dtype):
        generator = torch.Generator().manual_seed(self.rng.randrange(2**31))
        if dtype == torch.bool:
            return torch.rand(shape, generator=generator) < 0.5
        if dtype.is_floating_point:
            return (torch.randn(shape, generator=generator) * 2).to(dtype)
        low = 0 if dtype == torch.uint8 else -4
        return torch.randint(low, 6, shape, generator=generator).to(dtype)

    def layout(self, x):
        """The same tensor in another layout."""
        rng, kind = self.rng, self.rng.random()
        if kind < 0.5 or x.dim() == 0:
            return x
        if kind < 0.75:
            order = list(range(x.dim()))
            rng.shuffle(order)
            inverse = [order.index(i) for i in range(x.dim())]
            return x.permute(order).contiguous().permute(inverse)
        dim = rng.randrange(x.dim())
        wide = list(x.shape)
        wide[dim] = wide[dim] * 2 + 1
        big = torch.zeros(wide, dtype=x.dtype)
        part = big.narrow(dim, 1, max(wide[dim] - 1, 0))[
            (slice(None),) * dim + (slice(None, None, 2),)]
        part = part.narrow(dim, 0, x.shape[dim])
        part.copy_(x)
        return part

    def argument(self, argument, pool, self_index):
        """An instruction for an argument: ("t", index) or ("c", value)."""
        rng = self.rng
        kind, name = str(argument.type), argument.name
        if kind.startswith("Optional["):
            if rng.random() < 0.5:
                return ("c", None)
            kind = kind[len("Optional["):-1]
        elif argument.has_default_value() and rng.random() < 0.5:
            return ("c", argument.default_value)
        target = pool[self_index] if self_index is not None else None
        rank = target.dim() if target is not None else 2
        if name == "dtype":
            return ("c", rng.choice(FLOATS + INTS + [torch.bool]))
        if kind == "Tensor":
            if name in ("index", "indices"):
                limit = max(1, min((s for s in target.shape), default=1))
                shape = target.shape if rng.random() < 0.5 else [rng.choice(SIZES)]
                return ("n", torch.randint(0, limit, tuple(shape)))
            if name in ("mask", "condition"):
                return ("n", torch.rand(target.shape) < 0.5)
            if rng.random() < 0.5:
                same = [i for i, t in enumerate(pool) if t.shape == target.shape] if target is not None else []
                return ("t", rng.choice(same or range(len(pool))))
            return ("n", self.tensor(target))
        if kind == "List[Tensor]":
            return ("l", [self.argument_tensor(pool, target) for _ in range(rng.choice([1, 2, 3]))])
        if kind == "List[Optional[Tensor]]":
            result = []
            for d in range(rng.randrange(1, rank + 1) if rank else 1):
                size = target.shape[d] if target is not None and rank else 1
                what = rng.random()
                if what < 0.3:
                    result.append(("c", None))
                elif what < 0.6 and size:
                    result.append(("n", torch.randint(-size, size, (rng.choice([1, 2, 3]),))))
                else:
                    result.append(("n", torch.rand([size]) < 0.5))
            return ("l", result)
        if kind == "number":
            return ("c", rng.choice([0, 1, 2, -1, 3, 0.5, -1.5, 2.5]))
        if kind in ("int", "SymInt"):
            if name.startswith(("dim", "axis", "start_dim", "end_dim", "source", "destination")):
                return ("c", rng.randrange(-rank, rank) if rank else rng.choice([0, -1]))
            return ("c", rng.choice([0, 1, 1, 2, 2, 3, 4, -1, -2]))
        if kind in ("List[int]", "List[SymInt]"):
            if name.startswith("dim") or name in ("source", "destination"):
                order = list(range(rank))
                rng.shuffle(order)
                return ("c", order if rng.random() < 0.6 else order[:rng.randrange(rank + 1)])
            if name in ("size", "shape") and target is not None:
                return ("c", self.shape(target))
            return ("c", [rng.choice([0, 1, 2, 3]) for _ in range(rng.choice([1, 2, rank]))])
        if kind == "float":
            return ("c", rng.choice([0.0, 0.5, 1.0, 1e-5]))
        if kind == "bool":
            return ("c", rng.random() < 0.5)
        if kind == "str":
            return ("c", rng.choice(["sum", "prod", "amax", "amin", "mean", "add", "multiply", "ij", "floor", "trunc"]))
        if kind == "ScalarType":
            return ("c", rng.choice(FLOATS + INTS + [torch.bool]))
        if kind == "MemoryFormat":
            return ("c", torch.contiguous_format)
        return ("c", None)

    def argument_tensor(self, pool, target):
        if self.rng.random() < 0.6:
            return ("t", self.rng.randrange(len(pool)))
        return ("n", self.tensor(target))

    def shape(self, x):
        """Sizes for as many elements, or an expansion."""
        rng, shape = self.rng, list(x.shape)
        kind = rng.random()
        if kind < 0.3:
            return [rng.choice([2, 3]) if s == 1 else s for s in shape]
        if kind < 0.5:
            return [rng.choice([1, 2, 3])] + shape
        if kind < 0.7 or not shape:
            return [-1]
        if kind < 0.85:
            d = rng.randrange(len(shape))
            return shape[:d] + [1] + shape[d:]
        d = rng.randrange(len(shape))
        n = shape[d]
        for f in (2, 3, 5):
            if n and n % f == 0:
                return shape[:d] + [f, n // f] + shape[d + 1:]
        if len(shape) > 1:
            d = rng.randrange(len(shape) - 1)
            return shape[:d] + [shape[d] * shape[d + 1]] + shape[d + 2:]
        return shape


def get(argument, pool):
    kind, value = argument
    if kind == "t":
        return pool[value]
    if kind == "l":
        return [get(element, pool) for element in value]
    return value


def add(results, pool):
    if isinstance(results, torch.Tensor):
        pool.append(results)
    elif isinstance(results, (list, tuple)):
        for result in results:
            add(result, pool)


def perform(step, pool):
    """Runs one step of a program: an operator, or an assignment to a part."""
    kind = step[0]
    if kind == "op":
        _, op, positional, keyword = step
        add(op(*(get(a, pool) for a in positional), **{k: get(a, pool) for k, a in keyword.items()}), pool)
    elif kind == "set":
        _, target, key, value = step
        pool[target][tuple(get(k, pool) for k in key)] = get(value, pool)
    elif kind == "iadd":
        _, target, key, value = step
        pool[target][tuple(get(k, pool) for k in key)] += get(value, pool)
    elif kind == "function":
        _, function, arguments = step
        add(function(*(get(a, pool) for a in arguments)), pool)


FUNCTIONS = [
    lambda x: x + 1, lambda x: x.sum(), lambda x: x.clone(), lambda x: x.abs().sum(-1) if x.dim() else x * 2,
    lambda x: torch.zeros(3, 4) + x.sum(), lambda x: x.new_zeros(x.shape), lambda x: x.float().mean() * 2,
    lambda x: torch.zeros_like(x), lambda x: torch.cat([x, x]) if x.dim() else x - 1,
]


def step_resizes(step):
    return step[0] == "op" and any(a.kwarg_only and a.alias_info for a in step[1]._schema.arguments)


class Program(torch.nn.Module):
    def __init__(self, seed, operators):
        super().__init__()
        rng = random.Random(seed)
        torch.manual_seed(seed)
        draw = Draw(rng)
        self.inputs = [draw.layout(draw.tensor()) for _ in range(rng.choice([1, 1, 2, 3]))]
        floats = draw.values([rng.choice([1, 2, 3, 5]) for _ in range(rng.choice([1, 2]))], torch.float32)
        self.weight = torch.nn.Parameter(floats)
        self.register_buffer("state", draw.tensor())
        self.register_buffer("cache", draw.layout(draw.values([2, 5, 3], torch.float32)))
        self.steps, self.names = [], []
        pool = self.start(self.copy(self.inputs))
        wanted = rng.choice([2, 3, 4, 5, 6, 8])
        views, updates, outs, lists = operators
        for _ in range(60):
            if len(self.steps) == wanted:
                break
            step = self.draw_step(draw, pool, views, updates, outs, lists)
            # An operator that fails half way may have written something: run the
            # whole program again without it.
            try:
                before = len(pool)
                layouts = [(t.shape, t.stride(), t.numel()) for t in pool]
                perform(step, pool)
                # The caller's tensors keep their sizes and strides, and PyTorch
                # warns of `out=` that resizes a tensor with elements.
                kept = len(self.inputs) + 3
                if any((t.shape, t.stride()) != old[:2] and (i < kept or step_resizes(step) and old[2])
                       for i, (t, old) in enumerate(zip(pool, layouts))):
                    raise ValueError("resized")
                if any(t.numel() > 4000 or t.dim() > 6 or t.layout != torch.strided or t.is_complex()
                       for t in pool[before:]) or len(pool) > 60:
                    raise ValueError("too large")
            except Exception:
                pool = self.start(self.copy(self.inputs))
                for done in self.steps:
                    perform(done, pool)
                continue
            self.steps.append(step)
        count = len(pool)
        self.returned = sorted(rng.sample(range(count), min(count, rng.choice([1, 2, 3, count]))))

    @staticmethod
    def copy(inputs):
        """Copies with the same strides."""
        result = []
        for x in inputs:
            span = 1 + sum((n - 1) * s for n, s in zip(x.shape, x.stride())) if x.numel() else 0
            copy = torch.zeros(span, dtype=x.dtype).as_strided(x.shape, x.stride())
            copy.copy_(x)
            result.append(copy)
        return result

    def draw_step(self, draw, pool, views, updates, outs, lists):
        rng, kind = draw.rng, draw.rng.random()
        target = rng.randrange(len(pool))
        if kind < 0.12:
            return ("function", rng.choice(FUNCTIONS), [("t", target)])
        if kind < 0.3:
            x = pool[target]
            key = []
            for size in x.shape[:rng.randrange(x.dim() + 1)]:
                what = rng.random()
                if what < 0.4:
                    start = rng.randrange(-3, 4)
                    key.append(("c", slice(rng.choice([None, start]), rng.choice([None, start + 2]),
                                           rng.choice([None, 2]))))
                elif what < 0.7:
                    key.append(("c", rng.randrange(-size, size) if size else 0))
                elif what < 0.8:
                    key.append(("n", torch.rand([size]) < 0.5))
                else:
                    key.append(("n", torch.randint(0, size, (2,)) if size else torch.zeros(0, dtype=torch.int64)))
            if rng.random() < 0.2:
                key.append(("c", Ellipsis))
            if rng.random() < 0.1:
                key = [("n", torch.rand(x.shape) < 0.5)]
            value = rng.choice([("c", rng.choice([0, 1, 2.5, -1])), ("t", rng.randrange(len(pool)))])
            # What a mask selects has a size that data gives, when it is read.
            reads = not any(k[0] == "n" and k[1].dtype == torch.bool for k in key)
            return (rng.choice(["set", "iadd"]) if reads else "set", target, key, value)
        if kind < 0.33:
            op = rng.choice(lists)
        else:
            group = views if kind < 0.6 else updates if kind < 0.9 else outs
            common = [op for op in group if str(op)[len("aten."):] in COMMON]
            op = rng.choice(common if rng.random() < 0.75 else group)
        positional, keyword, first = [], {}, None
        for argument in op._schema.arguments:
            written = argument.alias_info is not None and argument.alias_info.is_write
            kind = str(argument.type)
            if first is None and kind == "Tensor" and not argument.kwarg_only:
                first, value = target, ("t", target)
            elif written and kind == "List[Tensor]":
                value = ("l", [("t", rng.randrange(len(pool))) for _ in range(rng.choice([1, 2, 3]))])
            elif written:
                # Half of the time a tensor that `out=` has to resize.
                value = ("t", rng.randrange(len(pool))) if rng.random() < 0.5 else (
                    "n", torch.zeros(0, dtype=pool[target].dtype if rng.random() < 0.7 else torch.int64))
            else:
                value = draw.argument(argument, pool, first if first is not None else target)
            if argument.kwarg_only:
                keyword[argument.name] = value
            else:
                positional.append(value)
        return ("op", op, positional, keyword)

    def start(self, inputs):
        return [*inputs, self.weight.detach().clone(), self.state.clone(), self.copy([self.cache])[0]]

    def forward(self, *inputs):
        pool = [*inputs, self.weight, self.state, self.cache]
        with torch.no_grad():
            for step in self.steps:
                perform(step, pool)
        return tuple(pool[i] for i in self.returned)

    def describe(self):
        lines = [f"input {tuple(x.shape)} {x.stride()} {x.dtype}" for x in self.inputs]
        show = lambda a: (f"%{a[1]}" if a[0] == "t" else "[" + ", ".join(map(show, a[1])) + "]" if a[0] == "l"
                          else f"{str(a[1].dtype)[6:]}{list(a[1].shape)}" if a[0] == "n" else repr(a[1]))
        for s in self.steps:
            if s[0] == "op":
                lines.append(f"{s[1]}({', '.join(map(show, s[2]))}, "
                             f"{', '.join(k + '=' + show(v) for k, v in s[3].items())})")
            elif s[0] == "function":
                lines.append(f"function {FUNCTIONS.index(s[1])}({show(s[2][0])})")
            else:
                lines.append(f"%{s[1]}[{', '.join(map(show, s[2]))}] {'=' if s[0] == 'set' else '+='} {show(s[3])}")
        return "; ".join(lines + [f"return {self.returned}"])


@torch.no_grad()
def is_close(got, want):
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if not want.dtype.is_floating_point:
        return torch.equal(got, want)
    tolerance = {torch.float64: 1e-9, torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}[want.dtype]
    return torch.allclose(got.double(), want.double(), tolerance, tolerance, equal_nan=True)


def run(seed, operators, folder):
    """The outcome of a program, and what there is to say about it."""
    import coil

    program = Program(seed, operators)
    text = program.describe()
    names = [f"inputs_{i}" for i in range(len(program.inputs))]
    path = os.path.join(folder, "program.pt2")
    inputs = program.copy(program.inputs)
    try:
        exported = torch.export.export(program, tuple(program.copy(program.inputs)))
        torch.export.save(exported, path)
    except Exception as error:
        return "export", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", text
    given = program.copy(program.inputs)
    state = {k: v.detach().clone() for k, v in program.state_dict().items()}
    with torch.no_grad():
        want = [t.clone() for t in program(*inputs)]
    after = {**dict(zip(names, inputs)), **{k: v.detach() for k, v in program.state_dict().items()}}
    before = {**dict(zip(names, given)), **state}
    again = Program(seed, operators)
    with torch.no_grad():
        repeated = again(*again.copy(again.inputs))
    if not all(is_close(a, b) for a, b in zip(repeated, want)):
        return "export", "results differ from run to run", text
    print(json.dumps({"compiling": seed}), flush=True)
    try:
        compiled = coil.compile(path, opt_level=1)
    except coil.CoilError as error:
        message = str(error)
        if "there is no lowering for it" in message or "is not supported: " in message:
            return "unlowered", re.sub(r".*?operator '([^']*)'.*?: ", r"\1: ", message), text
        return "refused", message, text
    kept = {o["mutation"]["target"]: i for i, o in enumerate(compiled.outputs) if "mutation" in o}
    got = [torch.from_dlpack(t) if not isinstance(t, torch.Tensor) else t for t in compiled.run(*given)]
    returned = got[len(kept):]
    if len(returned) != len(want):
        return "wrong", f"{len(returned)} results instead of {len(want)}", text
    for i, (a, b) in enumerate(zip(returned, want)):
        if not is_close(a, b):
            return "wrong", f"result {i} is {a} instead of {b}", text
    for name, value in after.items():
        now = got[kept[name]] if name in kept else before[name]
        if not is_close(now, value):
            return "wrong", f"{name} is {now} afterwards instead of {value}", text
    return "same", "", text


def work(folder, seeds):
    operators = get_operators()
    for seed in seeds:
        print(json.dumps({"begin": seed}), flush=True)
        try:
            outcome, what, text = run(seed, operators, folder)
        except Exception:
            outcome, what, text = "refused", traceback.format_exc(), ""
        print(json.dumps({"seed": seed, "outcome": outcome, "what": what, "program": text}), flush=True)


def supervise(folder, seeds, report):
    """Runs a worker; starts another one after a crash."""
    import select

    seeds = list(seeds)
    while seeds:
        command = [sys.executable, __file__, folder, "--work", ",".join(map(str, seeds[:100]))]
        with open(os.path.join(folder, "stderr"), "w") as log:
            worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        current, batch = None, seeds[:100]
        while True:
            ready, _, _ = select.select([worker.stdout], [], [], 120)
            line = worker.stdout.readline() if ready else ""
            if not line:
                break
            row = json.loads(line)
            if "begin" in row:
                current, where = row["begin"], "export"
            elif "compiling" in row:
                where = "crash"
            else:
                report(row)
                seeds.remove(row["seed"])
                batch.remove(row["seed"])
                current = None
        worker.kill()
        worker.wait()
        if current is not None:
            tail = open(os.path.join(folder, "stderr")).read()[-2000:]
            # PyTorch, too, takes some arguments without a check.
            report({"seed": current, "outcome": where, "what": f"status {worker.returncode}: {tail}", "program": ""})
            seeds.remove(current)
        elif batch:
            raise SystemExit(f"the worker ended: {open(os.path.join(folder, 'stderr')).read()}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--results")
    parser.add_argument("--only", type=int)
    parser.add_argument("--max-refused", type=float, default=1)
    parser.add_argument("--work")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    if options.work:
        work(options.folder, [int(s) for s in options.work.split(",")])
        return
    if options.only is not None:
        for line in run(options.only, get_operators(), options.folder):
            print(line)
        return
    import threading

    lock, rows = threading.Lock(), []
    results = open(options.results, "a") if options.results else None

    def report(row):
        with lock:
            rows.append(row)
            if results:
                results.write(json.dumps(row) + "\n")
                results.flush()

    seeds = range(options.seed, options.seed + options.count)
    threads = []
    for w in range(options.workers):
        folder = os.path.join(options.folder, str(w))
        os.makedirs(folder, exist_ok=True)
        threads.append(threading.Thread(target=supervise, args=(folder, seeds[w::options.workers], report)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    outcomes = collections.Counter(row["outcome"] for row in rows)
    exported = sum(outcomes.values()) - outcomes["export"] - outcomes["unlowered"]
    for row in rows:
        if row["outcome"] in ("wrong", "crash", "refused"):
            print(f"{row['outcome']} {row['seed']}: {row['what']}\n    {row['program']}")
    for outcome, count in sorted(outcomes.items()):
        print(f"{outcome}: {count}")
    refused = 100 * outcomes["refused"] / max(exported, 1)
    print(f"refused: {refused:.1f} % of what exports and has lowerings")
    bad = outcomes["wrong"] or outcomes["crash"] or refused > options.max_refused or not outcomes["same"]
    print("bad" if bad else "good")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
