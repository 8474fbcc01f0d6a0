# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values and lists of them."""

from typing import Generic, TypeVar

from coil.ir._capi import capi, take_text
from coil.ir._context import same_context
from coil.ir._scopes import same_scope
from coil.ir._types import Type

T = TypeVar("T", bound=Type)


class OpOperand:
    """A use of a value: operand number `operand_number` of `owner`."""

    def __init__(self, owner, operand_number):
        self.owner, self.operand_number = owner, operand_number

    def get(self):
        """The value."""
        return self.owner.operands[self.operand_number]

    def set(self, value):
        """Uses another value."""
        self.owner.operands[self.operand_number] = value


class Value(Generic[T]):
    """A result of an operation or an argument of a block."""

    def __eq__(self, other):
        return isinstance(other, Value) and self._pointer() == other._pointer()

    def __hash__(self):
        return hash(self._pointer())

    @property
    def context(self):
        return self._scope.context

    @property
    def type(self):
        return Type._wrap(self.context, capi.mlirValueGetType(self._pointer()))

    def set_type(self, type):
        """Changes the type, without a check: `verify` finds what does not fit."""
        same_context(self.context, type)
        capi.mlirValueSetType(self._pointer(), type._ptr)

    @property
    def location(self):
        from coil.ir._context import Location

        return Location(self.context, capi.mlirValueGetLocation(self._pointer()))

    @property
    def uses(self):
        """A list of `OpOperand`."""
        found, use = [], capi.mlirValueGetFirstUse(self._pointer())
        while use:
            found.append(OpOperand(self._scope.view(capi.mlirOpOperandGetOwner(use)),
                                   capi.mlirOpOperandGetOperandNumber(use)))
            use = capi.mlirOpOperandGetNextUse(use)
        return found

    def replace_all_uses_with(self, value):
        """Makes all users use another value."""
        value = to_value(value)
        same_scope(self._scope, value._scope, "the value")
        if value != self:  # MLIR would not come to an end.
            capi.mlirValueReplaceAllUsesOfWith(self._pointer(), value._pointer())

    def get_name(self):
        """What the value is called among operands in the text of its function, such as %0."""
        return take_text(capi.coil_ir_print_value(self._pointer()))

    def __str__(self):
        return f"{type(self).__name__}({self.get_name()} : {self.type})"

    __repr__ = __str__


class OpResult(Value[T]):
    """A result of an operation."""

    def __init__(self, operation, result_number):
        self._operation, self._scope, self.result_number = operation, operation._scope, result_number

    def _pointer(self):
        return capi.mlirOperationGetResult(self._operation._pointer(), self.result_number)

    @property
    def owner(self):
        return self._operation.opview


class BlockArgument(Value[T]):
    """An argument of a block."""

    def __init__(self, block, arg_number):
        self._block, self._scope, self.arg_number = block, block._scope, arg_number

    def _pointer(self):
        block = self._block._pointer()
        if self.arg_number >= capi.mlirBlockGetNumArguments(block):
            from coil.ir._context import InvalidHandleError

            raise InvalidHandleError(f"the block has no argument {self.arg_number} any more")
        return capi.mlirBlockGetArgument(block, self.arg_number)

    @property
    def owner(self):
        """The block."""
        return self._block


def to_value(given):
    """The value, or the only result of an operation."""
    from coil.ir._operations import _OperationBase

    if isinstance(given, Value):
        return given
    if isinstance(given, _OperationBase):
        return given.result
    raise TypeError(f"expected a Value, got {given!r}, a {type(given).__name__}")


class _List(Generic[T]):
    """Something of an operation or a block by number."""

    def __init__(self, size, at):
        self._size, self._at = size, at

    def __len__(self):
        return self._size()

    def __getitem__(self, index):
        size = len(self)
        if isinstance(index, slice):
            return [self._at(i) for i in range(*index.indices(size))]
        if not -size <= index < size:
            raise IndexError(f"there is no element {index} of {size}")
        return self._at(index % size)

    def __iter__(self):
        return iter([self._at(i) for i in range(len(self))])

    def __eq__(self, other):
        return list(self) == list(other)

    def __repr__(self):
        return repr(list(self))

    @property
    def types(self):
        return [each.type for each in self]


class OpOperandList(_List[T]):
    """The operands of an operation; elements can be assigned."""

    def __init__(self, operation):
        self._operation = operation
        super().__init__(lambda: capi.mlirOperationGetNumOperands(operation._pointer()),
                         lambda i: operation._scope.value(capi.mlirOperationGetOperand(operation._pointer(), i)))

    def __setitem__(self, index, value):
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"there is no operand {index} of {size}")
        value = to_value(value)
        same_scope(self._operation._scope, value._scope, "the value")
        capi.mlirOperationSetOperand(self._operation._pointer(), index % size, value._pointer())


class OpResultList(_List[T]):
    """The results of an operation."""

    def __init__(self, operation):
        self.owner = operation
        super().__init__(lambda: capi.mlirOperationGetNumResults(operation._pointer()),
                         lambda i: OpResult(operation, i))


class BlockArgumentList(_List[T]):
    """The arguments of a block."""

    def __init__(self, block):
        super().__init__(lambda: capi.mlirBlockGetNumArguments(block._pointer()), lambda i: BlockArgument(block, i))
