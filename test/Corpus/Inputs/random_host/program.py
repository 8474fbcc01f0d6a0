# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions, blocks and values of random host programs: what is alive, who owns it."""
from kernels import Kernels
from sizes import Buffer, Size, Storage, Type, contiguous, text_list

LARGEST = 64  # Of all sizes and symbols.


class Function:
    def __init__(self, program, name, is_public):
        self.program, self.name, self.is_public = program, name, is_public
        self.ranges = {}  # Symbols and their bounds.
        self._numbers = {}
        self.arguments = []  # Buffers, with whether the function consumes them.
        self.body = Block(self, None)

    def fresh(self, prefix):
        """A name that the function does not have."""
        number = self._numbers[prefix] = self._numbers.get(prefix, -1) + 1
        return f"{prefix}{number}"

    def symbol(self, prefix, lower, upper):
        name = self.fresh(prefix)
        self.ranges[name] = (lower, upper)
        return name

    def upper(self, size):
        return size.const + sum(f * self.ranges[n][1] for n, f in size.terms.items())

    def text(self, results):
        arguments = ", ".join(f"{b.name}: {b.type}" + (" {wrapper.consumed}" if consumed else "")
                              for b, consumed in self.arguments)
        types = ", ".join(str(b.type) for b in results)
        ranges = ", ".join(f"{n} = #sym.range<{lo}, {hi}>" for n, (lo, hi) in self.ranges.items())
        attributes = f" attributes {{sym.symbols = {{{ranges}}}}}" if ranges else ""
        kind = "" if self.is_public else "private "
        given = f" -> ({types})" if results else ""
        end = "wrapper.return" + (f" {', '.join(b.name for b in results)} : {types}" if results else "")
        return "\n".join([f"wrapper.func {kind}@{self.name}({arguments}){given}{attributes} {{",
                          *("  " + line for line in [*self.body.lines, end]), "}"])


class Block:
    """A block that is being written. What outer blocks define is visible."""

    def __init__(self, function, parent, ends_outside=False):
        self.function, self.parent = function, parent
        # Whether storage of the parent may end here, as it does in branches.
        self.ends_outside = ends_outside
        self.buffers, self.symbols, self.bools, self.floats, self.lines = [], [], [], [], []
        self.depth = parent.depth + 1 if parent else 0

    def emit(self, line):
        self.lines.append(line)

    def _chain(self, what):
        block = self
        while block:
            yield from getattr(block, what)
            block = block.parent

    def visible(self, accepts=lambda b: True):
        return [b for b in self._chain("buffers") if not b.storage.dead and accepts(b)]

    def all_symbols(self):
        return list(self._chain("symbols"))

    def all_bools(self):
        return list(self._chain("bools"))

    def all_floats(self):
        return list(self._chain("floats"))

    def value(self):
        return self.function.fresh("%v")

    def define(self, type, storage=None, at_start=True):
        """A buffer of a new name; new storage is this block's."""
        buffer = Buffer(self.value(), type, storage or Storage("own", self), at_start)
        self.buffers.append(buffer)
        return buffer

    def alloc(self, type):
        """Storage that whoever calls this writes before anything reads it."""
        buffer = self.define(type)
        self.emit(f"{buffer.name} = wrapper.alloc : {type}")
        return buffer

    def launch(self, op, inputs, output, reduced=False):
        kernel, symbols = self.function.program.kernels.get(
            op, [b.type for b in inputs], output.type, reduced)
        ins = f" ins({operands(inputs)})" if inputs else ""
        self.emit(f"wrapper.launch @{kernel}{text_list(symbols)}{ins} outs({operands([output])})")

    def computed(self, op, inputs, type, reduced=False):
        output = self.alloc(type)
        self.launch(op, inputs, output, reduced)
        return output

    def copied(self, source):
        """A contiguous buffer of its own with the elements of another."""
        type = Type(source.dims, source.dtype, device=source.type.device)
        if source.type.is_contiguous():
            output = self.alloc(type)
            self.emit(f"wrapper.copy {source.name} to {output.name} : {type}")
            return output
        name = {"f32": "clamp", "i1": "both"}.get(source.dtype, "iadd_" + source.dtype)
        arity = 1 if name == "clamp" else 2
        return self.computed(name, [source] * arity, type)

    def view(self, source, dims, strides, offset):
        buffer = self.define(Type(dims, source.dtype, strides, source.type.device), source.storage,
                             source.at_start and offset == Size(0))
        self.emit(f"{buffer.name} = wrapper.reinterpret {source.name} at <{offset}> : {source.type} to "
                  f"{buffer.type}")
        return buffer

    def can_write(self, buffer):
        """Whether steps may write a buffer; on a GPU results begin at a multiple of 16 bytes."""
        return buffer.storage.kind == "own" and (buffer.at_start or not self.function.program.gpu)

    def owns(self, buffer):
        """Whether this block may end the life of a buffer's storage through it."""
        storage = buffer.storage
        if storage.kind != "own" or storage.dead or not buffer.at_start:
            return False
        return storage.block is self

    def owns_or_may_end(self, buffer):
        storage = buffer.storage
        return self.owns(buffer) or (
            self.ends_outside and storage.kind == "own" and not storage.dead and buffer.at_start
            and storage.block is self.parent)

    def region(self, child):
        self.lines += ["  " + line for line in child.lines]


def operands(buffers):
    return (", ".join(b.name for b in buffers) + " : " + ", ".join(str(b.type) for b in buffers))


class Program:
    def __init__(self, gpu=False):
        self.gpu = gpu
        self.kernels = Kernels(alignment=gpu)
        self.functions = []

    def text(self, parts):
        return "\n".join([*self.kernels.lines, *parts]) + "\n"


__all__ = ["Block", "Buffer", "Function", "LARGEST", "Program", "Size", "Storage", "Type", "contiguous",
           "operands", "text_list"]
