# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches, loops, ranges and calls of random host programs."""
import steps
from program import LARGEST, Block, Function, Size, Type


def predicate(block, rng):
    """An i1 or a buffer of one bool, as text with its type."""
    buffers = block.visible(lambda b: not b.dims and b.dtype == "i1")
    bools = block.all_bools()
    if buffers and (not bools or rng.random() < 0.5):
        b = rng.choice(buffers)
        return f"{b.name} : {b.type}"
    if not bools:
        steps.compare(block, rng, {})
        bools = block.all_bools()
    return f"{rng.choice(bools)} : i1"


def owned(block, rng, type, taken, may_end):
    """A buffer of a type whose storage a region can give away."""
    owns = block.owns_or_may_end if may_end else block.owns
    found = [b for b in block.visible(owns) if b.type == type and all(b.storage is not s for s in taken)]
    if found and rng.random() < 0.7:
        return rng.choice(found)
    sources = block.visible(lambda b: b.type == type)
    if sources and rng.random() < 0.6:
        return block.copied(rng.choice(sources))
    if type.dtype == "f32":
        return block.computed("iota" if type.dims else "seven", [], type)
    output = block.alloc(type)
    block.emit(f"wrapper.fill {output.name} bytes 0 : {type}")
    return output


def scalar_of(block, rng, kind):
    values = block.all_bools() if kind == "i1" else block.all_floats()
    if values:
        return rng.choice(values)
    name = block.value()
    block.emit(f"{name} = arith.constant " + ("true" if kind == "i1" else "1.5 : f64"))
    (block.bools if kind == "i1" else block.floats).append(name)
    return name


def bind_results(block, kinds):
    """Names of an op's results, which the block has from now on."""
    if not kinds:
        return ""
    name = block.value()
    for i, kind in enumerate(kinds):
        each = f"{name}#{i}" if len(kinds) > 1 else name
        if isinstance(kind, Type):
            block.define(kind).name = each
        else:
            (block.bools if kind == "i1" else block.floats).append(each)
    return f"{name}{f':{len(kinds)}' if len(kinds) > 1 else ''} = "


def yielded(values, kinds, symbols=()):
    parts = [v if isinstance(v, str) else v.name for v in values]
    text = "wrapper.yield"
    if parts:
        text += " " + ", ".join(parts) + " : " + ", ".join(map(str, kinds))
    return text + (f" symbols [{', '.join(map(str, symbols))}]" if symbols else "")


def draw_kinds(block, rng, most):
    kinds = []
    for _ in range(rng.randint(0, most)):
        kind = rng.choice(("buffer", "buffer", "i1", "f64"))
        if kind == "buffer":
            known = [b.type for b in block.visible(lambda b: b.type.is_contiguous())]
            kinds.append(rng.choice(known) if known and rng.random() < 0.6 else steps.new_type(block, rng))
        else:
            kinds.append(kind)
    return kinds


def branch(block, rng, options):
    condition = predicate(block, rng)
    kinds = draw_kinds(block, rng, 3)
    symbol = None
    if rng.random() < 0.4:
        symbol = block.function.symbol("b", 0, LARGEST)
        kinds.append(Type([Size.of(symbol)], "f32"))
    ended, regions = [], []
    for _ in range(2):
        child = Block(block.function, block, ends_outside=True)
        options["fill"](child, rng, rng.randint(0, 4), options)
        values, types, taken, given = [], [], [], []
        for kind in kinds:
            if not isinstance(kind, Type):
                values.append(scalar_of(child, rng, kind))
                types.append(kind)
                continue
            type = kind
            if symbol and kind.symbols() == [symbol]:
                if given:
                    type = kind.rename({symbol: given[0].dims[0]})
                else:
                    lines = [b.type for b in child.visible(
                        lambda b: len(b.dims) == 1 and b.dtype == "f32" and b.type.is_contiguous())]
                    type = rng.choice(lines) if lines and rng.random() < 0.7 else Type([Size(rng.randint(0, 4))], "f32")
            value = owned(child, rng, type, taken, may_end=True)
            taken.append(value.storage)
            if symbol and kind.symbols() == [symbol]:
                given.append(value)
            values.append(value)
            types.append(type)
        child.emit(yielded(values, types, [given[0].dims[0]] if symbol else ()))
        ended += [s for s in taken if s.block is block]
        regions.append(child)
    for storage in ended:
        storage.dead = True
    defines = f' defines ["{symbol}"]' if symbol else ""
    if symbol:
        block.symbols.append(symbol)
    types = f" -> ({', '.join(map(str, kinds))})" if kinds else ""
    block.emit(f"{bind_results(block, kinds)}wrapper.if {condition}{defines}{types} {{")
    block.region(regions[0])
    block.emit("} else {")
    block.region(regions[1])
    block.emit("}")
    return True


def loop(block, rng, options):
    function = block.function
    counter = function.symbol("i", 0, 8)
    carried_symbols, begins = [counter], ["0"]
    limits = [s for s in block.all_symbols() if function.ranges[s][1] <= 6]
    limit = Size.of(rng.choice(limits)) if limits and rng.random() < 0.5 else Size(rng.randint(0, 3))
    kinds, inits, taken = [], [], []
    for kind in draw_kinds(block, rng, 3):
        value = owned(block, rng, kind, taken, may_end=False) if isinstance(kind, Type) else scalar_of(block, rng, kind)
        if isinstance(kind, Type):
            taken.append(value.storage)
        kinds.append(kind)
        inits.append(value)
    grows = None
    if rng.random() < 0.4:
        grows = function.symbol("g", 0, LARGEST)
        start = Type([Size(rng.randint(0, 2))], "f32")
        value = owned(block, rng, start, taken, may_end=False)
        taken.append(value.storage)
        carried_symbols.append(grows)
        begins.append(str(start.dims[0]))
        inits.append(value)
        kinds.append(Type([Size.of(grows)], "f32"))
    for storage in taken:
        storage.dead = True
    given = ", ".join(v if isinstance(v, str) else v.name for v in inits)
    given_types = ", ".join(v if isinstance(v, str) else str(v.type)
                            for v in (k if isinstance(k, str) else i for k, i in zip(kinds, inits)))
    regions = []
    for part in ("condition", "body"):
        child = Block(function, block)
        child.symbols += carried_symbols
        arguments = []
        for kind in kinds:
            if isinstance(kind, Type):
                arguments.append(child.define(kind))
            else:
                arguments.append(child.value())
                (child.bools if kind == "i1" else child.floats).append(arguments[-1])
        if arguments:
            child.lines.append("^bb0(" + ", ".join(
                f"{a if isinstance(a, str) else a.name}: {k}" for a, k in zip(arguments, kinds)) + "):")
        if part == "condition":
            if rng.random() < 0.3:
                steps.show(child, rng, options)
            name = child.value()
            child.emit(f"{name} = wrapper.compare <{counter}> lt <{limit}>")
            # A bool that is carried may end the loop early.
            bools = [a for a, k in zip(arguments, kinds) if k == "i1"]
            if bools and rng.random() < 0.4:
                both = child.value()
                child.emit(f"{both} = arith.andi {name}, {rng.choice(bools)} : i1")
                name = both
            passed = ""
            if arguments:
                passed = " pass " + ", ".join(a if isinstance(a, str) else a.name for a in arguments)
                passed += " : " + ", ".join(map(str, kinds))
            child.emit(f"wrapper.condition {name}{passed}")
        else:
            options["fill"](child, rng, rng.randint(0, 4), options)
            values, types, used = [], [], []
            numbers = [Size.of(counter) + 1]
            for kind in kinds:
                if not isinstance(kind, Type):
                    values.append(scalar_of(child, rng, kind))
                    types.append(kind)
                    continue
                type = kind
                if grows and kind.symbols() == [grows]:
                    step = rng.randint(0, 2)
                    numbers.append(Size.of(grows) + step)
                    type = Type([numbers[-1]], "f32")
                value = owned(child, rng, type, used, may_end=False)
                used.append(value.storage)
                values.append(value)
                types.append(type)
            child.emit(yielded(values, types, numbers))
        regions.append(child)
    # Names are the op's from here on.
    block.symbols += carried_symbols
    names = ", ".join(f'"{s}"' for s in carried_symbols)
    operands_text = f" {given} : {given_types}" if inits else ""
    types = f" -> ({', '.join(map(str, kinds))})" if kinds else ""
    block.emit(f"{bind_results(block, kinds)}wrapper.while{operands_text} symbols [{names}] from [{', '.join(begins)}]{types} {{")
    block.region(regions[0])
    block.emit("} do {")
    block.region(regions[1])
    block.emit("}")
    return True


def profile(block, rng, options):
    """A range: what it binds is visible after it."""
    child = Block(block.function, block)
    options["fill"](child, rng, rng.randint(1, 4), options)
    kinds, values, taken = [], [], []
    own = child.visible(lambda b: child.owns(b))
    for b in rng.sample(own, min(len(own), rng.randint(0, 2))):
        if all(b.storage is not s for s in taken):
            kinds.append(b.type)
            values.append(b)
            taken.append(b.storage)
    child.emit(yielded(values, kinds))
    block.symbols += child.symbols
    types = f" -> ({', '.join(map(str, kinds))})" if kinds else ""
    block.emit(f'{bind_results(block, kinds)}wrapper.profile_range "{block.function.fresh("range ")}"{types} {{')
    block.region(child)
    block.emit("}")
    return True


def invoke(block, rng, options):
    """A call of a function that is drawn for its operands."""
    program, caller = block.function.program, block.function
    # Calls of calls are no deeper than this.
    if len(program.functions) > 3 or caller.name.count("_") > 1:
        return False
    sources = block.visible(lambda b: b.type.is_contiguous() and all(len(d.terms) <= 1 and (
        not d.terms or d.const == 0) for d in b.dims) and (b.at_start or not program.gpu))
    operands_ = rng.sample(sources, min(len(sources), rng.randint(0, 3)))
    function = Function(program, f"{caller.name}_{len(program.functions)}", False)
    function.results = []
    program.functions.append(function)
    renamed, consumes = {}, []
    for b in operands_:
        names = {}
        for symbol in b.type.symbols():
            if symbol not in renamed:
                renamed[symbol] = function.symbol("s", 0, LARGEST)
            names[symbol] = renamed[symbol]
        may = (block.owns(b) and rng.random() < 0.4 and sum(o.storage is b.storage for o in operands_) == 1)
        function.arguments.append((steps.argument(function, b.type.rename(names), may), may))
        if may:
            consumes.append(b)
    steps.bind_inputs(function)
    options["fill"](function.body, rng, rng.randint(1, 5), options)
    function.results = steps.results(function.body, rng, rng.randint(0, 3), contiguous=True)
    for b in consumes:
        b.storage.dead = True
    back = {new: Size.of(old) for old, new in renamed.items()}
    kinds, unbound = [], []
    for result in function.results:
        dims = list(result.dims)
        for i, size in enumerate(dims):
            if all(s in back for s in size.terms):
                dims[i] = size.rename(back)
            else:  # A size that only the function knows is a symbol here.
                symbol = caller.symbol("r", 0, LARGEST)
                dims[i] = Size.of(symbol)
                unbound.append((len(kinds), i, symbol))
        kinds.append(Type(dims, result.dtype))
    consumed = f" consumes [{', '.join(str(operands_.index(b)) for b in consumes)}]" if consumes else ""
    types = ", ".join(str(b.type) for b in operands_)
    given = ", ".join(map(str, kinds))
    first = len(block.buffers)
    text = bind_results(block, kinds)
    outputs = block.buffers[first:]
    block.emit(f"{text}wrapper.invoke @{function.name}({', '.join(b.name for b in operands_)}){consumed} : ({types}) -> ({given})")
    for number, dim, symbol in unbound:
        output = outputs[number]
        block.symbols.append(symbol)
        block.emit(f'wrapper.bind_symbol "{symbol}" = [#wrapper.key<size, {dim}>] of {output.name} : {output.type}')
    for output in outputs:
        block.emit(f'wrapper.assert_layout {output.name}, "{output.name[1:]}" : {output.type}')
    return True


CONTROL = {branch: 4, loop: 3, profile: 1, invoke: 2}
