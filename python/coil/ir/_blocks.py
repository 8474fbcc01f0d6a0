# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions, blocks, and where operations are inserted."""

from coil.ir import _context
from coil.ir._capi import capi, pointers
from coil.ir._context import InvalidHandleError
from coil.ir._scopes import same_scope
from coil.ir._values import BlockArgument, BlockArgumentList, _List


class Region:
    """Region number `index` of an operation: a list of blocks."""

    def __init__(self, operation, index):
        self._operation, self._index, self._scope = operation, index, operation._scope

    def _pointer(self):
        return capi.mlirOperationGetRegion(self._operation._pointer(), self._index)

    def __eq__(self, other):
        return isinstance(other, Region) and (self._operation, self._index) == (other._operation, other._index)

    def __hash__(self):
        return hash((self._operation, self._index))

    @property
    def owner(self):
        return self._operation.opview

    @property
    def blocks(self):
        """The list of blocks, as it is now."""
        found, block = [], capi.mlirRegionGetFirstBlock(self._pointer())
        while block:
            found.append(self._scope.block(block))
            block = capi.mlirBlockGetNextInRegion(block)
        return found

    def __iter__(self):
        return iter(self.blocks)

    def __len__(self):
        return len(self.blocks)

    def __getitem__(self, index):
        return self.blocks[index]

    def append_block(self, *arguments, arg_locs=None):
        """Appends a block with arguments of these types."""
        block = _create_block(arguments, arg_locs, self._scope.context)
        capi.mlirRegionAppendOwnedBlock(self._pointer(), block)
        return self._scope.block(block)


class RegionSequence(_List):
    """The regions of an operation."""

    def __init__(self, operation):
        super().__init__(lambda: capi.mlirOperationGetNumRegions(operation._pointer()),
                         lambda i: Region(operation, i))


def _create_block(types, locations, context):
    locations = [_context.resolve_location(None, context)] * len(types) if locations is None else list(locations)
    if len(locations) != len(types):
        raise ValueError(f"expected {len(types)} locations of arguments, got {len(locations)}")
    _context.same_context(context, *types, *locations)
    return capi.mlirBlockCreate(len(types), pointers([each._ptr for each in types]),
                                pointers([each._ptr for each in locations]))


class Block:
    """A list of operations behind arguments."""

    @classmethod
    def _make(cls, scope, pointer):
        made = cls.__new__(cls)
        made._scope, made._ptr, made._gone = scope, pointer, None
        return made

    def _pointer(self):
        if self._gone:
            raise InvalidHandleError(f"the block {self._gone}")
        self._scope.check()
        return self._ptr

    def __eq__(self, other):
        return isinstance(other, Block) and self._pointer() == other._pointer()

    def __hash__(self):
        return hash(self._ptr)

    @staticmethod
    def create_at_start(parent, arg_types=(), arg_locs=None):
        """Inserts a block at the start of a region."""
        block = _create_block(list(arg_types), arg_locs, parent._scope.context)
        capi.mlirRegionInsertOwnedBlock(parent._pointer(), 0, block)
        return parent._scope.block(block)

    @property
    def owner(self):
        """The operation that the block is in."""
        return self._scope.view(capi.mlirBlockGetParentOperation(self._pointer()))

    @property
    def region(self):
        operation = self._scope.operation(capi.mlirBlockGetParentOperation(self._pointer()))
        wanted = capi.mlirBlockGetParentRegion(self._pointer())
        return next(region for region in operation.regions if region._pointer() == wanted)

    @property
    def arguments(self):
        return BlockArgumentList(self)

    def add_argument(self, type, loc=None):
        """Appends an argument."""
        location = _context.resolve_location(loc, self._scope.context)
        _context.same_context(self._scope.context, type, location)
        capi.mlirBlockAddArgument(self._pointer(), type._ptr, location._ptr)
        return BlockArgument(self, len(self.arguments) - 1)

    def erase_argument(self, index):
        """Erases an argument that has no uses."""
        argument = self.arguments[index]
        if argument.uses:
            raise ValueError(f"argument {index} has uses, the first in {argument.uses[0].owner.operation.name}")
        capi.mlirBlockEraseArgument(self._pointer(), index)

    @property
    def operations(self):
        """The list of operations, as it is now."""
        found, operation = [], capi.mlirBlockGetFirstOperation(self._pointer())
        while operation:
            found.append(self._scope.view(operation))
            operation = capi.mlirOperationGetNextInBlock(operation)
        return found

    def __iter__(self):
        return iter(self.operations)

    @property
    def terminator(self):
        """The operation that ends the block, or None."""
        pointer = capi.mlirBlockGetTerminator(self._pointer())
        return self._scope.view(pointer) if pointer else None

    def append(self, operation):
        """Moves an operation of the same module to the end of the block."""
        operation.operation._move(self, None)

    def erase(self):
        """Erases the block with all operations in it; nothing outside may use their results."""
        pointer = self._pointer()
        if self._scope.created is not None:
            raise ValueError("a legalization cannot erase blocks")
        if capi.mlirBlockGetParentOperation(pointer) == self._scope.root and len(self.region) == 1:
            raise ValueError("the only block of the root of what is handled here cannot be erased")
        self._scope.check_unused([], [pointer])
        self._scope.forget_block(pointer, "is erased")
        capi.mlirBlockDetach(pointer)
        capi.mlirBlockDestroy(pointer)

    def __str__(self):
        return f"Block of '{self.owner.operation.name}' with {len(self.operations)} operations"

    __repr__ = __str__


class InsertionPoint:
    """Where operations are inserted: before an operation, or at the end of a block. `with
    InsertionPoint(...):` makes it the one that builders use."""

    def __init__(self, before_or_block):
        if isinstance(before_or_block, Block):
            self._block, self._before = before_or_block, None
        else:
            self._before = before_or_block.operation
            self._block = self._before.block
        self.location = None

    @classmethod
    def at_block_begin(cls, block):
        operations = block.operations
        return cls(operations[0] if operations else block)

    @classmethod
    def at_block_terminator(cls, block):
        terminator = block.terminator
        if terminator is None:
            raise ValueError("the block has no terminator")
        return cls(terminator)

    @classmethod
    def after(cls, operation):
        """After an operation."""
        pointer = capi.mlirOperationGetNextInBlock(operation._pointer())
        return cls(operation._scope.operation(pointer) if pointer else operation.block)

    @classmethod
    def current(cls):
        """The one that `with` made current."""
        found = _context.current_insertion_point()
        if found is None:
            raise ValueError("there is no current insertion point: write 'with InsertionPoint(...):', or pass 'ip'")
        return found

    @property
    def context(self):
        return self._block._scope.context

    @property
    def block(self):
        return self._block

    @property
    def ref_operation(self):
        """The operation before which others are inserted, or None."""
        return self._before.opview if self._before is not None else None

    @property
    def _scope(self):
        return self._block._scope

    def __enter__(self):
        return _context._enter(self)

    def __exit__(self, *_):
        _context._leave(self)

    def insert(self, operation):
        """Moves an operation of the same module here."""
        operation.operation._move(self._block, self._before)

    def _insert_new(self, pointer):
        """Inserts an operation that is in no block."""
        block, before = self._block._pointer(), self._before._pointer() if self._before is not None else None
        if before is None:
            capi.mlirBlockAppendOwnedOperation(block, pointer)
        else:
            capi.mlirBlockInsertOwnedOperationBefore(capi.mlirOperationGetBlock(before), before, pointer)
        if self._scope.created is not None:
            self._scope.created.add(pointer)
        return self._scope.operation(pointer)

    def _check_values(self, values):
        self._block._pointer()
        if self._before is not None:
            self._before._pointer()
        for value in values:
            same_scope(self._scope, value._scope, "an operand")
