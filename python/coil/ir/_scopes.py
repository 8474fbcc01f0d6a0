# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which handles are valid.

A scope is a tree of operations, such as a module, with the handles of Python into it. What
changes the tree goes through these handles or through a pass manager, so a scope knows what
is erased: erased operations and blocks are marked in their handles, and a pass manager ends
all handles but that of the operation it ran on. No handle refers to what is gone.
"""

import weakref

from coil.ir._capi import capi
from coil.ir._context import InvalidHandleError


class Scope:
    def __init__(self, context, root, *, owned=False, created=None):
        self.context, self.root = context, root
        self.owner = context._owner.retain() if owned else None
        # Operations that were created in the scope, where no others may be changed; else None.
        self.created = created
        self.closed = None  # Why no handle is valid, or None.
        self.operations = weakref.WeakValueDictionary()
        self.blocks = weakref.WeakValueDictionary()

    def __del__(self, destroy=capi.mlirOperationDestroy):
        if self.owner is not None:
            destroy(self.root)
            self.owner.release()

    def check(self):
        if self.closed:
            raise InvalidHandleError(self.closed)

    def end(self, why):
        """Ends all handles for good."""
        self.closed = why

    def operation(self, pointer):
        from coil.ir._operations import Operation

        found = self.operations.get(pointer)
        if found is None:
            found = self.operations[pointer] = Operation._make(self, pointer)
        return found

    def view(self, pointer):
        return self.operation(pointer).opview

    def block(self, pointer):
        from coil.ir._blocks import Block

        found = self.blocks.get(pointer)
        if found is None:
            found = self.blocks[pointer] = Block._make(self, pointer)
        return found

    def value(self, pointer):
        from coil.ir._values import BlockArgument, OpResult

        if capi.mlirValueIsABlockArgument(pointer):
            return BlockArgument(self.block(capi.mlirBlockArgumentGetOwner(pointer)),
                                 capi.mlirBlockArgumentGetArgNumber(pointer))
        return OpResult(self.operation(capi.mlirOpResultGetOwner(pointer)),
                        capi.mlirOpResultGetResultNumber(pointer))

    def may_change(self, pointer, what):
        """Raises unless an operation may be erased or moved."""
        if pointer == self.root:
            raise ValueError(f"the operation is the root of what is handled here; it cannot be {what}")
        if self.created is not None and pointer not in self.created:
            raise ValueError(f"an operation that existed before the legalization cannot be {what}")

    def check_unused(self, operations, blocks):
        """Raises if anything outside of operations and blocks that are about to go uses values
        or blocks in them."""
        own, values, targets = set(operations), [], []
        waiting_operations, waiting_blocks = list(operations), list(blocks)
        while waiting_operations or waiting_blocks:
            if waiting_blocks:
                block = waiting_blocks.pop()
                targets.append(block)
                values += [capi.mlirBlockGetArgument(block, i) for i in range(capi.mlirBlockGetNumArguments(block))]
                inner = capi.mlirBlockGetFirstOperation(block)
                while inner:
                    own.add(inner)
                    waiting_operations.append(inner)
                    inner = capi.mlirOperationGetNextInBlock(inner)
                continue
            operation = waiting_operations.pop()
            values += [capi.mlirOperationGetResult(operation, i)
                       for i in range(capi.mlirOperationGetNumResults(operation))]
            for i in range(capi.mlirOperationGetNumRegions(operation)):
                block = capi.mlirRegionGetFirstBlock(capi.mlirOperationGetRegion(operation, i))
                while block:
                    waiting_blocks.append(block)
                    block = capi.mlirBlockGetNextInRegion(block)
        for value in values:
            use = capi.mlirValueGetFirstUse(value)
            while use:
                user = capi.mlirOpOperandGetOwner(use)
                if user not in own:
                    raise ValueError(f"'{self.operation(user).name}' uses a value of what is to be erased")
                use = capi.mlirOpOperandGetNextUse(use)
        inside = set(targets)
        for block in targets:
            for i in range(capi.mlirBlockGetNumPredecessors(block)):
                if capi.mlirBlockGetPredecessor(block, i) not in inside:
                    raise ValueError("a block of what is to be erased is the successor of another one")

    def forget_operation(self, pointer, why):
        """Ends the handles of an operation that is about to go, and of all inside it."""
        for i in range(capi.mlirOperationGetNumRegions(pointer)):
            block = capi.mlirRegionGetFirstBlock(capi.mlirOperationGetRegion(pointer, i))
            while block:
                self.forget_block(block, why)
                block = capi.mlirBlockGetNextInRegion(block)
        handle = self.operations.pop(pointer, None)
        if handle is not None:
            handle._gone = why
        if self.created is not None:
            self.created.discard(pointer)

    def forget_block(self, pointer, why):
        inner = capi.mlirBlockGetFirstOperation(pointer)
        while inner:
            self.forget_operation(inner, why)
            inner = capi.mlirOperationGetNextInBlock(inner)
        handle = self.blocks.pop(pointer, None)
        if handle is not None:
            handle._gone = why

    def forget_all_but(self, pointer, why):
        """Ends all handles but that of one operation."""
        for handle in [*self.operations.values(), *self.blocks.values()]:
            if handle._ptr != pointer:
                handle._gone = why
        kept = self.operations.get(pointer)
        self.operations.clear()
        self.blocks.clear()
        if kept is not None:
            self.operations[pointer] = kept


def same_scope(a, b, what):
    if a is not b:
        raise ValueError(f"{what} belongs to another module")
