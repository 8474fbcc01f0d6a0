# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of random host programs that have no regions. Each is a function of a block, the
generator of random numbers and the options, which writes the step and says whether it could."""
from kernels import BODIES
from program import LARGEST, Buffer, Size, Storage, Type, contiguous, operands, text_list
from sizes import product

ELEMENTWISE = [name for name, (inputs, _, _) in BODIES.items() if inputs]


# ===------------------------------------------------------------------------===
# Functions
# ===------------------------------------------------------------------------===

def argument(function, type, consumed=False):
    buffer = Buffer(function.fresh("%x"), type, Storage("own" if consumed else "arg", function.body))
    function.body.buffers.append(buffer)
    return buffer


def bind_inputs(function):
    """Binds the symbols of the arguments' sizes, and checks their layouts."""
    block, bound = function.body, set()
    for buffer, _ in function.arguments:
        for i, size in enumerate(buffer.dims):
            (name,) = size.terms or (None,)
            if name and name not in bound:
                bound.add(name)
                block.symbols.append(name)
                block.emit(f'wrapper.input_symbol "{name}" = size {i} of {buffer.name} : {buffer.type}')
    for buffer, _ in function.arguments:
        block.emit(f'wrapper.assert_layout {buffer.name}, "{buffer.name[1:]}" : {buffer.type}')


def results(block, rng, count, contiguous=False):
    """Buffers to return, each of storage of its own."""
    found = []
    for _ in range(count):
        own = [b for b in block.visible(block.owns) if all(b.storage is not f.storage for f in found)
               and (b.type.is_contiguous() or not contiguous)]
        if own and rng.random() < 0.7:
            found.append(rng.choice(own))
        else:
            sources = block.visible()
            if not sources:
                found.append(block.computed("seven", [], Type([Size(2)], "f32")))
            else:
                found.append(block.copied(rng.choice(sources)))
    return found


# ===------------------------------------------------------------------------===
# Kernels and memory
# ===------------------------------------------------------------------------===

def same_dims(buffer):
    return lambda b: b.dims == buffer.dims and b.type.device == buffer.type.device


def new_type(block, rng, dtype="f32"):
    """A contiguous type, of a size that is known."""
    symbols, function = block.all_symbols(), block.function
    choices = [[Size(rng.choice((0, 1, 2, 3, 4, 6)))], [Size(rng.choice((2, 4)))], [Size(2), Size(rng.choice((2, 3)))]]
    if symbols:
        symbol = Size.of(rng.choice(symbols))
        for size in (symbol, symbol + rng.randint(1, 2), symbol * 2,
                     symbol + Size.of(rng.choice(symbols))):
            if function.upper(size) <= LARGEST:
                choices.append([size])
                choices.append([size, Size(rng.choice((1, 2, 3)))])
    return Type(rng.choice(choices), dtype)


def launch(block, rng, options):
    sources = block.visible()
    if not sources:
        return False
    first = rng.choice(sources)
    op = rng.choice([name for name in ELEMENTWISE if first.dtype in BODIES[name][0]])
    types, result, _ = BODIES[op]
    alike = same_dims(first)
    inputs, used = [], False
    for dtype in types:
        choices = block.visible(lambda b: b.dtype == dtype and (
            alike(b) or (not b.dims and b.type.device == first.type.device)))
        if not used and dtype == first.dtype:
            inputs.append(first)
            used = True
        elif choices:
            inputs.append(rng.choice(choices))
        else:
            return False
    type = Type(first.dims, result, device=first.type.device)
    # Into a buffer that exists, or in place, where the operands allow that.
    def accepts(b):
        return (b.dtype == result and alike(b) and block.can_write(b)
                and all(b.storage is not i.storage or (i.name == b.name and i.type == b.type) for i in inputs)
                and b.type.strides.count(Size(0)) == 0)
    targets = block.visible(accepts)
    if targets and rng.random() < 0.35:
        block.launch(op, inputs, rng.choice(targets))
    else:
        block.computed(op, inputs, type)
    return True


def make(block, rng, options):
    """New elements that depend on no buffer."""
    kind = rng.choice(("iota", "seven", "fill", "constant", "workspace"))
    type = new_type(block, rng)
    if kind == "fill":
        output = block.alloc(type)
        block.emit(f"wrapper.fill {output.name} bytes 0 : {type}")
    elif kind == "constant":
        size = rng.randint(1, 4)
        dtype = rng.choice(("f32", "i32", "i64"))
        values = [rng.randint(0, 4) for _ in range(size)]
        output = block.define(Type([Size(size)], dtype), Storage("const"))
        texts = [f"{v}.0" if dtype == "f32" else str(v) for v in values]
        block.emit(f"{output.name} = wrapper.constant dense<{text_list(texts)}> : tensor<{size}x{dtype}> to {output.type}")
    elif kind == "workspace":
        output = block.define(type)
        block.emit(f"{output.name} = wrapper.workspace on_call : {type}")
    else:
        block.computed(kind, [], type)
    return True


def copy(block, rng, options):
    sources = block.visible()
    if not sources:
        return False
    source = rng.choice(sources)
    targets = block.visible(lambda b: b.type == source.type and b.storage is not source.storage
                            and block.can_write(b) and b.type.is_contiguous())
    if targets and rng.random() < 0.5:
        block.emit(f"wrapper.copy {source.name} to {rng.choice(targets).name} : {source.type}")
    else:
        block.copied(source)
    return True


def concatenate(block, rng, options):
    """Two buffers next to each other, each written through a view."""
    sources = block.visible(lambda b: len(b.dims) == 1 and b.dtype == "f32")
    if not sources:
        return False
    a, b = rng.choice(sources), rng.choice(sources)
    whole = Type([a.dims[0] + b.dims[0]], "f32")
    if block.function.upper(whole.dims[0]) > LARGEST:
        return False
    output = block.alloc(whole)
    for part, offset in ((a, Size(0)), (b, a.dims[0])):
        block.launch("inc", [part], block.view(output, part.dims, contiguous(part.dims), offset))
    return True


def pick_part(rng, size, least=0):
    """An offset and a size that fit into a size, for all values of its symbols."""
    offset, part = Size(rng.randint(0, size.const)), Size(0)
    part = part + rng.randint(0, size.const - offset.const)
    for name, factor in size.terms.items():
        begin = rng.randint(0, factor)
        offset = offset + Size(0, {name: begin})
        part = part + Size(0, {name: rng.randint(0, factor - begin)})
    return offset, part


def view(block, rng, options):
    sources = block.visible(lambda b: b.type.is_contiguous() and b.dims)
    if not sources:
        return False
    source = rng.choice(sources)
    dims = source.dims
    kinds = ["same"]
    if len(dims) == 1:
        kinds += ["part", "part"] + (["every", "pairs"] if dims[0].divides(2) else [])
    if len(dims) == 2:
        kinds += ["flat", "turn"] + (["row"] if dims[0].const else []) + (["column"] if dims[1].const else [])
    kind = rng.choice(kinds)
    if kind == "same":
        block.view(source, dims, contiguous(dims), Size(0))
    elif kind == "part":
        offset, part = pick_part(rng, dims[0])
        block.view(source, [part], [Size(1)], offset)
    elif kind == "every":
        block.view(source, [dims[0].half()], [Size(2)], Size(rng.randint(0, 1)))
    elif kind == "pairs":
        new = [dims[0].half(), Size(2)] if rng.random() < 0.5 else [Size(2), dims[0].half()]
        block.view(source, new, contiguous(new), Size(0))
    elif kind == "flat":
        block.view(source, [product(*dims)], [Size(1)], Size(0))
    elif kind == "turn":
        block.view(source, [dims[1], dims[0]], [Size(1), dims[1]], Size(0))
    elif kind == "row":
        block.view(source, [dims[1]], [Size(1)], dims[1] * rng.randrange(dims[0].const))
    else:
        block.view(source, [dims[0]], [dims[1]], Size(rng.randrange(dims[1].const)))
    return True


def reduce(block, rng, options):
    sources = block.visible(lambda b: b.dims and b.dtype == "f32")
    if not sources:
        return False
    source = rng.choice(sources)
    block.computed(rng.choice(("clamp", "negate")), [source],
                   Type(source.dims[:-1], "f32", device=source.type.device), reduced=True)
    return True


def reuse(block, rng, options):
    """Storage that is handed over by hand, to elements of another type."""
    sources = block.visible(lambda b: block.owns(b) and b.dtype in ("f32", "i32") and b.type.is_contiguous()
                            and whole(block, b))
    if not sources:
        return False
    source = rng.choice(sources)
    to = Type(source.dims if rng.random() < 0.5 else flat(source.dims), "f32", device=source.type.device)
    source.storage.dead = True
    output = block.define(to)
    block.emit(f"{output.name} = wrapper.reuse {source.name} : {source.type} to {to}")
    block.launch("iota" if to.dims else "seven", [], output)
    return True


def whole(block, buffer):
    """Whether a buffer is what an op of its block defined, and no view."""
    return any(line.startswith(f"{buffer.name} = wrapper.alloc") or
               line.startswith(f"{buffer.name} = wrapper.reuse") for line in block.lines)


def flat(dims):
    out = Size(1)
    for size in dims:
        out = product(out, size)
    return [out]


def free(block, rng, options):
    sources = block.visible(lambda b: block.owns(b) and whole(block, b))
    if len(sources) < 2:
        return False
    source = rng.choice(sources)
    source.storage.dead = True
    block.emit(f"wrapper.free {source.name} : {source.type}")
    return True


def shrink(block, rng, options):
    sources = block.visible(lambda b: block.owns(b) and whole(block, b) and len(b.dims) == 1)
    if not sources:
        return False
    source = rng.choice(sources)
    _, part = pick_part(rng, source.dims[0])
    source.storage.dead = True
    output = block.define(Type([part], source.dtype, device=source.type.device))
    block.emit(f"{output.name} = wrapper.resize_storage {source.name} : {source.type} to {output.type}")
    return True


# ===------------------------------------------------------------------------===
# Numbers
# ===------------------------------------------------------------------------===

def item(block, rng, options):
    one = Size(1)
    sources = block.visible(lambda b: all(d == one for d in b.dims) and b.dtype in ("i64", "i1", "f32", "i32"))
    if not sources:
        return False
    source = rng.choice(sources)
    if source.dtype in ("i64", "i32"):
        lower, upper = rng.choice(((0, 4), (0, 31), (0, 31), (0, LARGEST), (1, 4), (0, 3)))
        symbol = block.function.symbol("u", lower, upper)
        block.emit(f'wrapper.item "{symbol}" = {source.name} : {source.type}')
        block.symbols.append(symbol)
        return True
    name = block.value()
    is_bool = source.dtype == "i1"
    block.emit(f"{name} = wrapper.item {source.name} : {source.type} -> {'i1' if is_bool else 'f64'}")
    (block.bools if is_bool else block.floats).append(name)
    return True


def expression(block, rng):
    symbols = block.all_symbols()
    out = Size(rng.randint(0, 3))
    for _ in range(rng.randint(0, 2)):
        if symbols:
            out = out + Size.of(rng.choice(symbols)) * rng.choice((1, 1, 2))
    return out


def symbol_expression(block, rng, options):
    size = expression(block, rng)
    if size.is_constant() or block.function.upper(size) > LARGEST:
        return False
    symbol = block.function.symbol("e", 0, LARGEST)
    block.emit(f'wrapper.sym_expr "{symbol}" = <{size}>')
    block.symbols.append(symbol)
    return True


def compare(block, rng, options):
    name = block.value()
    block.emit(f"{name} = wrapper.compare <{expression(block, rng)}> {rng.choice(('lt', 'le', 'eq', 'ne'))} "
               f"<{expression(block, rng)}>")
    block.bools.append(name)
    return True


def scalar(block, rng, options):
    bools, floats = block.all_bools(), block.all_floats()
    kind = rng.choice(("constant", "cmp", "arith", "logic", "logic"))
    name = block.value()
    if kind == "constant" or (kind in ("cmp", "arith") and not floats) or (kind == "logic" and not bools):
        if rng.random() < 0.5:
            block.emit(f"{name} = arith.constant {rng.choice(('0.5', '2.0', '-1.0'))} : f64")
            block.floats.append(name)
        else:
            block.emit(f"{name} = arith.constant {rng.choice(('true', 'false'))}")
            block.bools.append(name)
    elif kind == "cmp":
        block.emit(f"{name} = arith.cmpf {rng.choice(('olt', 'oge', 'oeq', 'une'))}, {rng.choice(floats)}, {rng.choice(floats)} : f64")
        block.bools.append(name)
    elif kind == "arith":
        block.emit(f"{name} = arith.{rng.choice(('addf', 'subf', 'mulf'))} {rng.choice(floats)}, {rng.choice(floats)} : f64")
        block.floats.append(name)
    else:
        block.emit(f"{name} = arith.{rng.choice(('xori', 'andi', 'ori'))} {rng.choice(bools)}, {rng.choice(bools)} : i1")
        block.bools.append(name)
    return True


def check(block, rng, options):
    left, right = expression(block, rng), expression(block, rng)
    # Most of them hold.
    if rng.random() < 0.9:
        right = left + right
        relation = "le"
    else:
        relation = rng.choice(("lt", "le", "ne", "eq"))
    block.emit(f'wrapper.assert <{left}> {relation} <{right}>, "{block.function.fresh("claim ")}"')
    return True


# ===------------------------------------------------------------------------===
# Around the program
# ===------------------------------------------------------------------------===

def show_value(block, rng, buffer):
    step = f"{block.function.name}_{block.function.fresh('step')}:0"
    block.emit(f'wrapper.debug_value print {rng.choice(("before", "after"))} "{step}" "{buffer.name[1:]}" {buffer.name} : '
               f"{buffer.type}")


def show(block, rng, options):
    sources, symbols = block.visible(), block.all_symbols()
    if symbols and rng.random() < 0.3:
        block.emit(f'wrapper.debug_number before "{block.function.name}_{block.function.fresh("step")}:0" "n" = '
                   f"<{expression(block, rng)}>")
    elif sources and rng.random() < 0.7:
        show_value(block, rng, rng.choice(sources))
    else:
        block.emit(f'wrapper.debug_mark {rng.choice(("before", "after"))} "{block.function.name}_{block.function.fresh("step")}:0"')
    return True


def remark(block, rng, options):
    block.emit(f'wrapper.comment "{block.function.fresh("comment ")}"')
    return True


def random_state(block, rng, options):
    kind = rng.choice(("seed", "by", "state", "state"))
    if kind == "seed":
        block.emit(f"wrapper.rng_seed <{rng.randint(0, 9)}>")
    elif kind == "by":
        block.emit(f"wrapper.rng_advance by <{expression(block, rng) * 4}>")
    else:
        state = block.define(Type([Size(2)], "i64"))
        block.emit(f"{state.name} = wrapper.rng_state : {state.type}")
    return True


# ===------------------------------------------------------------------------===
# Libraries and functions of the host
# ===------------------------------------------------------------------------===

def bound_to(block, rng, output):
    """Binds the symbol that is a result's first size."""
    (symbol,) = output.dims[0].terms
    block.symbols.append(symbol)
    block.emit(f'wrapper.bind_symbol "{symbol}" = [#wrapper.key<size, 0>] of {output.name} : {output.type}')
    block.emit(f'wrapper.assert_layout {output.name}, "{output.name[1:]}" : {output.type}')


def call(block, rng, options):
    sources = block.visible(lambda b: b.dtype == "f32" and b.dims)
    if not sources:
        return False
    x = rng.choice(sources)
    kind = rng.choice(("scale", "split", "nonzero", "halves", "copy", "accumulate", "fill", "out", "check"))
    like = Type(x.dims, "f32", device=x.type.device)
    if kind in ("scale", "check"):
        y = block.define(like)
        given = "-1.0, none" if kind == "scale" else f"{rng.choice((4.0, 100.0, 100.0))}"
        block.emit(f'{y.name} = wrapper.extern_call "test::{kind}"({x.name}, {given}) : ({x.type}) -> {like}')
        block.emit(f'wrapper.assert_layout {y.name}, "{y.name[1:]}" : {like}')
    elif kind == "out":
        y = block.alloc(like)
        block.emit(f'wrapper.extern_call_out "test::scale"({x.name}, -1.0, none) outs({operands([y])}) : {x.type}')
    elif kind == "accumulate":
        targets = block.visible(lambda b: b.dtype == "f32" and b.dims == x.dims and block.can_write(b)
                                and b.storage is not x.storage and b.type.device == x.type.device)
        if not targets:
            return False
        y = rng.choice(targets)
        block.emit(f'wrapper.extern_call_out "test::accumulate"({x.name}, {y.name}) mutates [1] : {x.type}, {y.type}')
        block.launch("clamp", [y], y)
    elif kind == "split":
        a, b = block.define(like), block.define(like)
        name = block.value()
        block.emit(f'{name}:2 = wrapper.extern_call "test::split"({x.name}) : ({x.type}) -> ({like}, {like})')
        a.name, b.name = name + "#0", name + "#1"
        for i, each in enumerate((a, b)):
            block.emit(f'wrapper.assert_layout {each.name}, "part{i}" : {like}')
    elif kind == "nonzero" and len(x.dims) == 1:
        n = Size.of(block.function.symbol("n", 0, LARGEST))
        y = block.define(Type([n, Size(1)], "i64"))
        block.emit(f'{y.name} = wrapper.extern_call "test::nonzero"({x.name}) : ({x.type}) -> {y.type}')
        bound_to(block, rng, y)
    elif kind == "halves" and len(x.dims) == 1:
        outputs = [block.define(Type([Size.of(block.function.symbol("h", 0, LARGEST))], "f32")) for _ in range(2)]
        name = block.value()
        types = ", ".join(str(y.type) for y in outputs)
        block.emit(f'{name}:2 = wrapper.extern_call "test::halves"({x.name}) : ({x.type}) -> ({types})')
        for i, y in enumerate(outputs):
            y.name = f"{name}#{i}"
        for y in outputs:
            bound_to(block, rng, y)
    elif kind == "copy":
        if not x.type.is_contiguous():
            return False
        y = block.define(like)
        block.emit(f'{y.name} = wrapper.extern_call "test::copy"({x.name}) : ({x.type}) -> {like}')
        block.emit(f'wrapper.assert_layout {y.name}, "{y.name[1:]}" : {like}')
    elif kind == "fill":
        type = new_type(block, rng)
        y = block.define(type)
        sizes = ", ".join(f"<{d}>" for d in type.dims)
        block.emit(f'{y.name} = wrapper.extern_call "test::fill"([{sizes}], 3.0, f32) : () -> {type}')
        block.emit(f'wrapper.assert_layout {y.name}, "{y.name[1:]}" : {type}')
    else:
        return False
    return True


def sort(block, rng, options):
    sources = block.visible(lambda b: b.dims and b.type.is_contiguous() and b.dtype in ("f32", "i32"))
    if not sources:
        return False
    x = rng.choice(sources)
    values, indices = block.alloc(x.type), block.alloc(Type(x.dims, "i64"))
    block.emit(f'wrapper.sort "runtime" {x.name} dim {rng.randrange(len(x.dims))}{rng.choice((" descending", ""))} '
               f"values({operands([values])}) indices({operands([indices])}) : {x.type}")
    return True


def multiply(block, rng, options):
    """A matrix product, of two buffers with one constant dimension in common."""
    matrices = block.visible(lambda b: len(b.dims) == 2 and b.dtype == "f32")
    pairs = [(a, b) for a in matrices for b in matrices if a.dims[1] == b.dims[0]]
    pairs = [(a, b) for a, b in pairs if a.dims[0].is_constant() or b.dims[1].is_constant()]
    if not pairs:
        return False
    a, b = rng.choice(pairs)
    (m, k), n = a.dims, b.dims[1]
    c = block.alloc(Type([m, n], "f32"))
    block.emit(f'wrapper.contraction "onednn"[{m}, {n}, {k}] a({a.name}[{a.type.strides[0]}, 0, {a.type.strides[1]}] : {a.type}) '
               f"b({b.name}[0, {b.type.strides[1]}, {b.type.strides[0]}] : {b.type}) "
               f"c({c.name}[{c.type.strides[0]}, 1, 0] : {c.type}) post {rng.choice(('none', 'relu'))}")
    block.launch("clamp", [c], c)
    return True


def scatter(block, rng, options):
    size = rng.choice((3, 4))
    targets = block.visible(lambda b: b.dims == (Size(size),) and b.dtype == "f32" and block.can_write(b))
    sources = block.visible(lambda b: b.dims == (Size(2),) and b.dtype == "f32")
    if not targets or not sources:
        return False
    target = rng.choice(targets)
    sources = [s for s in sources if s.storage is not target.storage]
    if not sources:
        return False
    source, at = rng.choice(sources), block.define(Type([Size(2)], "i64"), Storage("const"))
    positions = text_list(rng.randrange(size) for _ in range(2))
    block.emit(f"{at.name} = wrapper.constant dense<{positions}> : tensor<2xi64> to {at.type}")
    if rng.random() < 0.5:
        block.emit(f"wrapper.scatter_fallback {target.name} dim 0 at {at.name} from {source.name} "
                   f"reduce {rng.choice(('none', 'sum', 'amax'))} : {target.type}, {at.type}, {source.type}")
    else:
        block.emit(f"wrapper.index_put_fallback {target.name}({at.name}) values {source.name}"
                   f"{rng.choice((' accumulate', ''))} : {target.type}, {source.type}, {at.type}")
    block.launch("clamp", [target], target)
    return True


STEPS = {launch: 10, make: 3, copy: 2, concatenate: 2, view: 5, reduce: 2, reuse: 1, free: 1, shrink: 1,
         item: 3, symbol_expression: 1, compare: 1, scalar: 1, check: 1, show: 3, remark: 1, random_state: 1,
         call: 4, sort: 1, multiply: 2, scatter: 1}
NOT_ON_GPU = (sort, multiply, concatenate)
NEEDS_LIBRARY = (multiply,)
