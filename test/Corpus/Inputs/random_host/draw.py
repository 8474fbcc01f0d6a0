# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws random host programs: `draw(seed, ...)` gives the text of a module with cases.

Programs are legal by construction: what is read was written, what a region yields is its
to give, views stay in their storage for all values of the symbols. They may fail at run time, in an assertion or
since a number is outside of its range: then every executor has to fail at the same op.
"""
import random

import steps
from control import CONTROL
from program import Function, Program, Size, Type
from steps import STEPS


def fill(block, rng, count, options):
    """Writes some steps into a block."""
    weights = {**STEPS, **(CONTROL if block.depth < 3 else {})}
    weights = {step: weight for step, weight in weights.items()
               if not (step in steps.NOT_ON_GPU and options["gpu"])
               and not (step in steps.NEEDS_LIBRARY and not options["library"])}
    done = tries = 0
    while done < count and tries < count * 6:
        tries += 1
        step, = rng.choices(list(weights), list(weights.values()))
        if step(block, rng, options):
            done += 1
    # What nothing else would use, and nobody see.
    for buffer in block.buffers:
        if not buffer.storage.dead and rng.random() < 0.4:
            steps.show_value(block, rng, buffer)


INPUTS = (  # Dimensions, where "s" is a symbol, and types.
    (("s",), "f32"), (("s", 3), "f32"), ((2, "s"), "f32"), ((4,), "f32"), (("s",), "i32"),
    ((), "i64"), ((), "i64"), ((), "i1"), ((), "f32"), ((2, 2), "f32"), (("s",), "i1"), (("2s",), "f32"),
)


def draw_inputs(main, rng):
    symbols = []
    for dims, dtype in rng.sample(INPUTS, rng.randint(2, 5)):
        sizes = []
        for dim in dims:
            if dim in ("s", "2s"):
                if not symbols or (len(symbols) < 3 and rng.random() < 0.4):
                    symbols.append(main.symbol("s", 0, 6))
                sizes.append(Size.of(rng.choice(symbols)) * (2 if dim == "2s" else 1))
            else:
                sizes.append(Size(dim))
        main.arguments.append((steps.argument(main, Type(sizes, dtype)), False))
    steps.bind_inputs(main)


def draw_values(main, rng):
    """Inputs of one case, as coil-run takes them."""
    numbers = {n: rng.choice((0, 1, 2, 3, 4, 5)) for n in main.ranges}
    texts = []
    for buffer, _ in main.arguments:
        sizes = [d.const + sum(f * numbers[n] for n, f in d.terms.items()) for d in buffer.dims]
        count = 1
        for size in sizes:
            count *= size
        element = {"f32": lambda: rng.choice(("-2", "-1", "0", "1", "2", "3", "0.5", "5")),
                   "i1": lambda: rng.choice(("true", "false")),
                   "i32": lambda: str(rng.randint(0, 31)),
                   "i64": lambda: str(rng.randint(0, 4))}[buffer.dtype]
        values = [element() for _ in range(count)]
        if count > 1 and len(set(values)) == 1 and len(values) == 1:
            values = values * 2
        texts.append("x".join([*map(str, sizes), buffer.dtype]) + "=" + " ".join(values))
    return "; ".join(texts)


def draw(seed, size=14, gpu=False, library=True, cases=2):
    rng = random.Random(seed)
    program = Program(gpu)
    main = Function(program, "main", True)
    program.functions.append(main)
    draw_inputs(main, rng)
    # What is drawn later has the ranges of other symbols, too.
    lines = [f"// CASE: {draw_values(main, rng)} ->" for _ in range(cases)]
    # The generator is the process's.
    main.body.emit("wrapper.rng_seed <1>")
    options = {"gpu": gpu, "library": library, "fill": fill}
    fill(main.body, rng, rng.randint(3, size), options)
    results = steps.results(main.body, rng, rng.randint(1, 6))
    parts = [f.text(f.results) for f in program.functions[1:]] + [main.text(results)]
    lines.append("// GPU: " + ("fallbacks" if gpu else "no"))
    return "\n".join(lines) + "\n" + program.text(parts)


if __name__ == "__main__":
    import sys

    print(draw(int(sys.argv[1]), gpu="--gpu" in sys.argv), end="")
