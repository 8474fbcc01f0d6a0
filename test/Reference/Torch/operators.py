# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the reference interpreter with PyTorch eager, operator by operator.

Usage: operators.py <coil-interpret>

Every operator runs on every element type that it takes, on values that include
zeros of both signs, infinities, NaN, subnormals and the least integers.
"""
import itertools
import subprocess
import sys
import tempfile

import torch

MLIR = {
    torch.bool: "i1", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32",
    torch.int64: "i64", torch.uint8: "ui8", torch.float16: "f16",
    torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
}
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8]
NUMBERS = INTS + FLOATS
BITS = {torch.float16: 16, torch.bfloat16: 16, torch.float32: 32, torch.float64: 64}
INT_OF = {16: torch.int16, 32: torch.int32, 64: torch.int64}
# Units in the last place that two libraries' functions may be apart.
EPSILON = {torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7,
           torch.float32: 2.0**-23, torch.float64: 2.0**-52}


def special_values(dtype):
    """Values at which operators differ."""
    if dtype == torch.bool:
        return torch.tensor([False, True])
    if not dtype.is_floating_point:
        info = torch.iinfo(dtype)
        values = [0, 1, 2, 3, 5, 7, 8, 31, 63, 100, info.max, info.max - 1]
        if info.min:
            values += [-1, -2, -3, -7, -8, -100, info.min, info.min + 1]
        return torch.tensor([v for v in values if v <= info.max], dtype=dtype)
    info = torch.finfo(dtype)
    values = [0.0, 0.25, 0.3, 0.5, 0.75, 0.999, 1.0, 1.5, 2.0, 2.5, 3.0, 4.5,
              7.0, 10.0, 20.0, 88.0, info.eps, info.tiny, info.tiny / 4,
              info.max, float("inf")]
    return torch.tensor(values + [-v for v in values] + [float("nan")], dtype=dtype)


def literal(tensor):
    """A dense attribute with the tensor's exact bits."""
    sizes = "x".join(map(str, tensor.shape)) + ("x" if tensor.dim() else "")
    kind = MLIR[tensor.dtype]
    flat = tensor.flatten()
    if tensor.dtype == torch.bool:
        items = ["true" if v else "false" for v in flat.tolist()]
    elif tensor.dtype.is_floating_point:
        bits = BITS[tensor.dtype]
        ints = flat.view(INT_OF[bits]).tolist()
        items = [f"0x{v & ((1 << bits) - 1):0{bits // 4}X}" for v in ints]
    else:
        items = [str(v) for v in flat.tolist()]

    def nest(shape, offset):
        if not shape:
            return items[offset]
        step = 1
        for s in shape[1:]:
            step *= s
        return "[" + ", ".join(nest(shape[1:], offset + i * step)
                               for i in range(shape[0])) + "]"

    if tensor.numel() == 0:
        return f"dense<> : tensor<{sizes}{kind}>"
    return f"dense<{nest(list(tensor.shape), 0)}> : tensor<{sizes}{kind}>"


def tensor_type(tensor):
    sizes = "".join(f"{s}x" for s in tensor.shape)
    return f"tensor<{sizes}{MLIR[tensor.dtype]}>"


class Suite:
    def __init__(self):
        self.functions, self.cases = [], []

    def add(self, name, op, inputs, expected, ulps=0.0, attributes=""):
        """`op` spells the operation, with {0}, {1}, ... for its operands."""
        number = len(self.cases)
        lines = [f"  %{i} = graph.constant {literal(t)}" for i, t in enumerate(inputs)]
        spelled = op.format(*[f"%{i}" for i in range(len(inputs))])
        operands = ", ".join(tensor_type(t) for t in inputs)
        result = tensor_type(expected)
        lines.append(f"  %r = {spelled} : ({operands}) -> {result}")
        lines.append(f"  return %r : {result}")
        self.functions.append(
            f"func.func @case{number}() -> {result} {{\n" + "\n".join(lines) + "\n}\n")
        self.cases.append((name, inputs, expected, ulps))

    def run(self, tool):
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as f:
            f.write("\n".join(self.functions))
            f.flush()
            done = subprocess.run([tool, f.name], capture_output=True, text=True)
        if done.returncode:
            print(done.stderr[:4000])
            return 1
        lines = done.stdout.splitlines()
        failures = 0
        for i, (name, inputs, expected, ulps) in enumerate(self.cases):
            assert lines[2 * i] == f"@case{i}", lines[2 * i]
            text = lines[2 * i + 1].strip().rsplit(" : ", 1)[0]
            text = text.replace("[", " ").replace("]", " ")
            items = [t.strip() for t in text.split(",") if t.strip()]
            if expected.dtype == torch.bool:
                actual = torch.tensor([t == "true" for t in items], dtype=torch.bool)
            elif expected.dtype.is_floating_point:
                actual = torch.tensor([float(t) for t in items],
                                      dtype=torch.float64).to(expected.dtype)
            else:
                actual = torch.tensor([int(t) for t in items], dtype=expected.dtype)
            want = expected.flatten()
            if ulps and expected.dtype.is_floating_point:
                tiny = torch.finfo(expected.dtype).tiny * 4
                if "attention" in name:  # Sums cancel.
                    tiny = 1e-6
                close = torch.isclose(actual.double(), want.double(),
                                      rtol=ulps * EPSILON[expected.dtype],
                                      atol=tiny, equal_nan=True)
            elif expected.dtype.is_floating_point:
                close = (actual == want) | (actual.isnan() & want.isnan())
            else:
                close = actual == want
            if not bool(close.all()):
                k = int((~close).nonzero()[0])
                at = [t.flatten()[k].item() for t in inputs if t.numel() == want.numel()]
                print(f"{name} ({MLIR[inputs[0].dtype]}): element {k} is "
                      f"{actual[k].item()}, PyTorch has {want[k].item()} "
                      f"for {at}; {int((~close).sum())} of {want.numel()} differ")
                failures += 1
        print(f"{len(self.cases)} comparisons, {failures} failures")
        return 1 if failures else 0


def elementwise(suite):
    exact_unary = {
        "abs": torch.abs, "neg": torch.neg, "sign": torch.sign, "relu": torch.relu,
    }
    for (op, f), dtype in itertools.product(exact_unary.items(), NUMBERS):
        x = special_values(dtype)
        suite.add(op, f"graph.{op} {{0}}", [x], f(x))
    exact_float = {
        "ceil": torch.ceil, "floor": torch.floor, "trunc": torch.trunc,
        "round": torch.round, "reciprocal": torch.reciprocal,
        "isnan": torch.isnan, "isinf": torch.isinf,
    }
    for (op, f), dtype in itertools.product(exact_float.items(), FLOATS):
        x = special_values(dtype)
        suite.add(op, f"graph.{op} {{0}}", [x], f(x))
    close_float = {
        "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1, "log": torch.log,
        "log2": torch.log2, "log10": torch.log10, "log1p": torch.log1p,
        "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "asin": torch.asin,
        "acos": torch.acos, "atan": torch.atan, "sinh": torch.sinh,
        "cosh": torch.cosh, "tanh": torch.tanh, "asinh": torch.asinh,
        "acosh": torch.acosh, "atanh": torch.atanh, "erf": torch.erf,
        "erfc": torch.erfc, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "sigmoid": torch.sigmoid,
    }
    for (op, f), dtype in itertools.product(close_float.items(), FLOATS):
        x = special_values(dtype)
        if op in ("sin", "cos", "tan"):
            x = x[~(x.abs() > 1e4) | x.isinf()]
        suite.add(op, f"graph.{op} {{0}}", [x], f(x), ulps=4)
    for dtype in INTS + [torch.bool]:
        x = special_values(dtype)
        suite.add("bitwise_not", "graph.bitwise_not {0}", [x], torch.bitwise_not(x))
    for dtype in NUMBERS:
        x = special_values(dtype)
        x = x[~x.isnan()]
        suite.add("signbit", "graph.signbit {0}", [x], torch.signbit(x))

    def pairs(dtype):
        v = special_values(dtype)
        x, y = torch.meshgrid(v, v, indexing="ij")
        return x.flatten(), y.flatten()

    exact = {
        "add": (torch.add, NUMBERS), "sub": (torch.sub, NUMBERS),
        "mul": (torch.mul, NUMBERS), "div": (torch.div, FLOATS),
        "maximum": (torch.maximum, NUMBERS + [torch.bool]),
        "minimum": (torch.minimum, NUMBERS + [torch.bool]),
        "fmax": (torch.fmax, FLOATS), "fmin": (torch.fmin, FLOATS),
        "copysign": (torch.copysign, FLOATS),
        "bitwise_and": (torch.bitwise_and, INTS + [torch.bool]),
        "bitwise_or": (torch.bitwise_or, INTS + [torch.bool]),
        "bitwise_xor": (torch.bitwise_xor, INTS + [torch.bool]),
        # In 16 bits PyTorch rounds between the steps of these.
        "fmod": (torch.fmod, FLOATS), "remainder": (torch.remainder, FLOATS),
        "trunc_div": (lambda x, y: torch.div(x, y, rounding_mode="trunc"), FLOATS[2:]),
        "floor_div": (lambda x, y: torch.div(x, y, rounding_mode="floor"), FLOATS[2:]),
    }
    for op, (f, dtypes) in exact.items():
        for dtype in dtypes:
            x, y = pairs(dtype)
            if op in ("fmod", "remainder"):
                # PyTorch's vector code gives NaN where the quotient overflows.
                keep = (x / y).isfinite() | x.isinf() | (x + y).isnan() | (y == 0)
                x, y = x[keep], y[keep]
            suite.add(op, f"graph.{op} {{0}}, {{1}}", [x, y], f(x, y))
    for op, f in {"atan2": torch.atan2, "hypot": torch.hypot, "pow": torch.pow}.items():
        for dtype in FLOATS:
            x, y = pairs(dtype)
            suite.add(op, f"graph.{op} {{0}}, {{1}}", [x, y], f(x, y), ulps=8)
    # Integers: PyTorch raises for a zero divisor, and the least integer divided
    # by -1 traps on some machines.
    for dtype in INTS:
        x, y = pairs(dtype)
        keep = (y != 0) & ~((y == -1) & (x == torch.iinfo(dtype).min)) \
            if dtype != torch.uint8 else y != 0
        x, y = x[keep], y[keep]
        for op, f in {
            "trunc_div": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
            "floor_div": lambda x, y: torch.div(x, y, rounding_mode="floor"),
            "fmod": torch.fmod, "remainder": torch.remainder,
        }.items():
            suite.add(op, f"graph.{op} {{0}}, {{1}}", [x, y], f(x, y))
        x, y = pairs(dtype)
        keep = (y >= 0) & (y < 70)
        suite.add("pow", "graph.pow {0}, {1}", [x[keep], y[keep]],
                  torch.pow(x[keep], y[keep]))
        keep = (y >= 0) & (y < torch.iinfo(dtype).bits)
        suite.add("shift_left", "graph.shift_left {0}, {1}", [x[keep], y[keep]],
                  torch.bitwise_left_shift(x[keep], y[keep]))
        suite.add("shift_right", "graph.shift_right {0}, {1}", [x[keep], y[keep]],
                  torch.bitwise_right_shift(x[keep], y[keep]))
    for p in ["eq", "ne", "lt", "le", "gt", "ge"]:
        for dtype in NUMBERS + [torch.bool]:
            x, y = pairs(dtype)
            suite.add(f"compare {p}", f"graph.compare {p}, {{0}}, {{1}}", [x, y],
                      getattr(torch, p)(x, y))


def conversions(suite):
    for a, b in itertools.permutations(NUMBERS + [torch.bool], 2):
        x = special_values(a)
        if a.is_floating_point and not b.is_floating_point and b != torch.bool:
            info = torch.iinfo(b)  # Out of range the result is unspecified.
            x = x[(x.double() > float(info.min) - 1) & (x.double() < min(float(info.max), 2.0**62))]
        suite.add(f"convert to {MLIR[b]}", "graph.convert {0}", [x], x.to(b))


def specials(suite):
    s = torch.special
    unary = {
        "lgamma": torch.lgamma, "digamma": s.digamma, "erfinv": s.erfinv, "i0": s.i0,
        "i0e": s.i0e, "i1": s.i1, "i1e": s.i1e, "ndtri": s.ndtri,
        "log_ndtr": s.log_ndtr, "erfcx": s.erfcx,
    }
    domain = [-3.7, -2.5, -1.3, -0.8, -0.3, 0.1, 0.2, 0.5, 0.7, 0.9, 1.3, 2.0, 3.5, 8.0, 15.0]
    for (name, f), dtype in itertools.product(unary.items(), [torch.float32, torch.float64]):
        x = torch.tensor(domain, dtype=dtype)
        suite.add(name, f"graph.special {name}, {{0}}", [x], f(x),
                  ulps=64 if dtype == torch.float32 else 2000)
    binary = {"igamma": torch.igamma, "igammac": torch.igammac, "zeta": s.zeta}
    for (name, f), dtype in itertools.product(binary.items(), [torch.float32, torch.float64]):
        x, y = torch.meshgrid(torch.tensor([0.5, 1.5, 2.0, 4.0, 10.0], dtype=dtype),
                              torch.tensor([0.2, 1.0, 2.5, 7.0, 12.0], dtype=dtype),
                              indexing="ij")
        x, y = x.flatten(), y.flatten()
        suite.add(name, f"graph.special {name}, {{0}}, {{1}}", [x, y], f(x, y),
                  ulps=256 if dtype == torch.float32 else 20000)
    for dtype in [torch.float32, torch.float64, torch.bfloat16]:
        v = special_values(dtype)
        x, y = (t.flatten() for t in torch.meshgrid(v, v, indexing="ij"))
        suite.add("nextafter", "graph.special nextafter, {0}, {1}", [x, y],
                  torch.nextafter(x, y))


def reductions(suite):
    torch.manual_seed(0)
    for dtype in NUMBERS:
        if dtype.is_floating_point:
            x = torch.randn(3, 5, 7).to(dtype)
            exact = (torch.randint(-8, 9, (3, 5, 7)) / 4).to(dtype)
        else:
            x = exact = torch.randint(0, 100, (3, 5, 7)).to(dtype)
        for dims in [[0], [1], [2], [0, 2], [0, 1, 2]]:
            for keep in [False, True]:
                k = " keepdims" if keep else ""
                suite.add("sum", f"graph.reduce sum, {{0}} dims {dims}{k}", [exact],
                          torch.sum(exact, dims, keepdim=keep, dtype=dtype))
                suite.add("amax", f"graph.reduce max, {{0}} dims {dims}{k}", [x],
                          torch.amax(x, dims, keepdim=keep))
                suite.add("amin", f"graph.reduce min, {{0}} dims {dims}{k}", [x],
                          torch.amin(x, dims, keepdim=keep))
        small = (exact % 3) + 1
        suite.add("prod", "graph.reduce prod, {0} dims [2]", [small],
                  torch.prod(small, 2, dtype=dtype), ulps=4)
    b = torch.rand(4, 6) > 0.4
    suite.add("any", "graph.reduce any, {0} dims [1]", [b], torch.any(b, 1))
    suite.add("all", "graph.reduce all, {0} dims [0]", [b], torch.all(b, 0))
    n = torch.tensor([[1.0, float("nan"), 3.0], [2.0, 5.0, 4.0]])
    suite.add("amax with NaN", "graph.reduce max, {0} dims [1]", [n], torch.amax(n, 1))
    for dtype in [torch.float32, torch.float64, torch.int32]:
        a = (torch.randint(-8, 9, (2, 3, 4)) / 4).to(dtype)
        c = (torch.randint(-8, 9, (2, 4, 5)) / 4).to(dtype)
        suite.add("matmul", "graph.matmul {0}, {1}", [a, c], torch.matmul(a, c))
    for stride, padding, dilation, groups in itertools.product([1, 2], [0, 1], [1, 2], [1, 2]):
        x = torch.randint(-4, 5, (2, 4, 7, 6)).float()
        w = torch.randint(-4, 5, (6, 4 // groups, 3, 2)).float()
        suite.add("conv",
                  f"graph.conv {{0}}, {{1}} stride [{stride}, 1] padding [{padding}, {padding}] "
                  f"dilation [1, {dilation}] groups {groups}", [x, w],
                  torch.nn.functional.conv2d(x, w, None, (stride, 1), padding, (1, dilation), groups))
    for kernel, stride, padding, ceil in itertools.product([2, 3], [1, 2], [0, 1], [False, True]):
        x = torch.randint(-16, 17, (2, 3, 7, 8)) / 4
        window = f"kernel [{kernel}, {kernel}] stride [{stride}, {stride}] " \
                 f"padding [{padding}, {padding}] dilation [1, 1]"
        suite.add("max_pool", f"graph.pool max, {{0}} {window}", [x],
                  torch.nn.functional.max_pool2d(x, kernel, stride, padding, ceil_mode=ceil))
        for count in [False, True]:
            suite.add("avg_pool",
                      f"graph.pool avg, {{0}} {window}{' count_padding' if count else ''}", [x],
                      torch.nn.functional.avg_pool2d(x, kernel, stride, padding, ceil, count),
                      ulps=8)
    q, k, v = (torch.randn(2, 3, n, 4) for n in (5, 6, 6))
    mask = torch.rand(2, 1, 5, 6) > 0.3
    mask[0, 0, 1] = False
    sdpa = torch.nn.functional.scaled_dot_product_attention
    suite.add("attention", "graph.attention {0}, {1}, {2} scale 0.5", [q, k, v],
              sdpa(q, k, v, scale=0.5), ulps=64)
    suite.add("causal attention", "graph.attention {0}, {1}, {2} causal scale 0.5", [q, k, v],
              sdpa(q, k, v, is_causal=True, scale=0.5), ulps=64)
    suite.add("masked attention", "graph.attention {0}, {1}, {2} mask {3} scale 0.5",
              [q, k, v, mask], sdpa(q, k, v, mask, scale=0.5), ulps=64)


def main():
    suite = Suite()
    elementwise(suite)
    conversions(suite)
    specials(suite)
    reductions(suite)
    return suite.run(sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
