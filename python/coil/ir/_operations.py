# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations."""

import ctypes
import enum
import functools
import importlib.util
import sys

from coil.ir import _context
from coil.ir._attributes import Attribute, DenseI32ArrayAttr, named_attributes, to_attribute
from coil.ir._blocks import InsertionPoint, RegionSequence
from coil.ir._capi import capi, pointers, string_ref, take_text
from coil.ir._context import InvalidHandleError, Location, MLIRError
from coil.ir._scopes import same_scope
from coil.ir._values import OpOperandList, OpResultList, Value, to_value


class WalkOrder(enum.Enum):
    PRE_ORDER = 0
    POST_ORDER = 1


class WalkResult(enum.Enum):
    ADVANCE = 0
    INTERRUPT = 1
    SKIP = 2


_op_classes = {}  # Subclasses of OpView by the names of their operations.


def register_operation(dialect_class, replace=False):
    """Makes the decorated class the one of its operation's views."""

    def register(op_class):
        name = op_class.OPERATION_NAME
        if name in _op_classes and not replace:
            raise RuntimeError(f"there is a class of '{name}' already")
        _op_classes[name] = op_class
        return op_class

    return register


def _find_class(name):
    """The class of an operation, whose module in coil.dialects is imported if there is one."""
    found = _op_classes.get(name)
    if found is None:
        _import_dialect(name.partition(".")[0])
        found = _op_classes.get(name, OpView)
    return found


@functools.lru_cache(None)
def _import_dialect(namespace):
    if importlib.util.find_spec(f"coil.dialects.{namespace}") is not None:
        importlib.import_module(f"coil.dialects.{namespace}")


def _missing_attribute(operation):
    """What the verifier says of an attribute that the operation needs and lacks; or None. There
    are no operations that lack one, since verifiers of others rely on it."""
    pointer = operation._pointer()
    with operation.context._diagnostics() as found:
        capi.mlirOperationVerify(pointer)
    return next((each.message for each in found.errors if "requires attribute" in each.message), None)


class OpAttributeMap:
    """The attributes of an operation by name."""

    def __init__(self, operation):
        self._operation = operation

    def _items(self):
        pointer = self._operation._pointer()
        found = [capi.mlirOperationGetAttribute(pointer, i)
                 for i in range(capi.mlirOperationGetNumAttributes(pointer))]
        return [(capi.mlirIdentifierStr(each.name).text(), each.attribute) for each in found]

    def _find(self, name):
        return capi.mlirOperationGetAttributeByName(self._operation._pointer(), string_ref(name))

    def __len__(self):
        return capi.mlirOperationGetNumAttributes(self._operation._pointer())

    def __iter__(self):
        return iter([name for name, _ in self._items()])

    def __contains__(self, name):
        return bool(self._find(name))

    def __getitem__(self, name):
        pointer = self._find(name)
        if not pointer:
            raise KeyError(f"'{self._operation.name}' has no attribute '{name}'")
        return Attribute._wrap(self._operation.context, pointer)

    def get(self, name, default=None):
        return self[name] if name in self else default

    def __setitem__(self, name, value):
        """Sets an attribute; Python's values become the nearest ones."""
        attribute, before = to_attribute(value, self._operation.context), self._find(name)
        capi.mlirOperationSetAttributeByName(self._operation._pointer(), string_ref(name), attribute._ptr)
        if self._find(name) != attribute._ptr:  # MLIR drops what a property cannot be.
            if before:
                capi.mlirOperationSetAttributeByName(self._operation._pointer(), string_ref(name), before)
            raise ValueError(f"the attribute '{name}' of '{self._operation.name}' cannot be {attribute}")

    def __delitem__(self, name):
        before = self._find(name)
        if not capi.mlirOperationRemoveAttributeByName(self._operation._pointer(), string_ref(name)):
            raise KeyError(f"'{self._operation.name}' has no attribute '{name}'")
        missing = _missing_attribute(self._operation)
        if missing:
            capi.mlirOperationSetAttributeByName(self._operation._pointer(), string_ref(name), before)
            raise ValueError(missing)

    def items(self):
        return [(name, Attribute._wrap(self._operation.context, pointer)) for name, pointer in self._items()]

    def __repr__(self):
        return repr(dict(self.items()))


class _OperationBase:
    """What operations and their views have in common. `self.operation` is the handle."""

    def _pointer(self):
        return self.operation._pointer()

    @property
    def _scope(self):
        return self.operation._tree

    def __eq__(self, other):
        return isinstance(other, _OperationBase) and self._pointer() == other._pointer()

    def __hash__(self):
        return hash(self.operation._ptr)

    @property
    def is_valid(self):
        """Whether the operation is still there."""
        return self.operation._gone is None and not self._scope.closed

    @property
    def context(self):
        return self._scope.context

    @property
    def name(self):
        return capi.mlirIdentifierStr(capi.mlirOperationGetName(self._pointer())).text()

    @property
    def location(self):
        return Location(self.context, capi.mlirOperationGetLocation(self._pointer()))

    @location.setter
    def location(self, loc):
        _context.same_context(self.context, loc)
        capi.mlirOperationSetLocation(self._pointer(), loc._ptr)

    @property
    def parent(self):
        """The operation that this one is in; None for the root of what is handled."""
        pointer = self._pointer()
        outer = None if pointer == self._scope.root else capi.mlirOperationGetParentOperation(pointer)
        return self._scope.view(outer) if outer else None

    @property
    def block(self):
        """The block that the operation is in; raises ValueError for the root."""
        pointer = self._pointer()
        block = None if pointer == self._scope.root else capi.mlirOperationGetBlock(pointer)
        if not block:
            raise ValueError("the root of what is handled here is in no block")
        return self._scope.block(block)

    @property
    def operands(self):
        return OpOperandList(self.operation)

    @property
    def results(self):
        return OpResultList(self.operation)

    @property
    def result(self):
        """The only result."""
        if len(self.results) != 1:
            raise ValueError(f"'{self.operation.name}' has {len(self.results)} results, expected 1")
        return self.results[0]

    @property
    def regions(self):
        return RegionSequence(self.operation)

    @property
    def successors(self):
        pointer = self._pointer()
        return [self._scope.block(capi.mlirOperationGetSuccessor(pointer, i))
                for i in range(capi.mlirOperationGetNumSuccessors(pointer))]

    @property
    def attributes(self):
        return OpAttributeMap(self.operation)

    # -- Text and verification -----------------------------------------------------------

    def get_asm(self, *, enable_debug_info=False, pretty_debug_info=False, print_generic_op_form=False,
                use_local_scope=False, assume_verified=False, skip_regions=False, large_elements_limit=None):
        """The text of the operation.

        Args:
          enable_debug_info: with locations, in short form with `pretty_debug_info`.
          print_generic_op_form: the form that all operations have in common.
          use_local_scope: without aliases, as if there were nothing around.
          assume_verified: does not verify to choose the form; for valid operations alone.
          skip_regions: leaves regions out.
          large_elements_limit: constants with more elements are elided.
        """
        pointer, flags = self._pointer(), capi.mlirOpPrintingFlagsCreate()
        try:
            if large_elements_limit is not None:
                capi.mlirOpPrintingFlagsElideLargeElementsAttrs(flags, large_elements_limit)
                capi.mlirOpPrintingFlagsElideLargeResourceString(flags, large_elements_limit)
            if enable_debug_info:
                capi.mlirOpPrintingFlagsEnableDebugInfo(flags, True, pretty_debug_info)
            for wanted, function in ((print_generic_op_form, capi.mlirOpPrintingFlagsPrintGenericOpForm),
                                     (use_local_scope, capi.mlirOpPrintingFlagsUseLocalScope),
                                     (assume_verified, capi.mlirOpPrintingFlagsAssumeVerified),
                                     (skip_regions, capi.mlirOpPrintingFlagsSkipRegions)):
                if wanted:
                    function(flags)
            with self.context._diagnostics():  # The form depends on the verifier.
                return take_text(capi.coil_ir_print_operation(pointer, flags))
        finally:
            capi.mlirOpPrintingFlagsDestroy(flags)

    def print(self, file=None, **options):
        """Prints the text to a file, the standard output by default."""
        print(self.get_asm(**options), file=file if file is not None else sys.stdout)

    def __str__(self):
        return self.get_asm()

    def __repr__(self):
        if not self.is_valid:
            return f"<{type(self).__name__}: gone>"
        return f"<{type(self).__name__} '{self.operation.name}'>"

    def verify(self):
        """Returns True, or raises MLIRError with what is wrong."""
        pointer = self._pointer()
        with self.context._diagnostics() as found:
            result = capi.mlirOperationVerify(pointer)
        if not result.value:
            found.fail("verification failed")
        return True

    # -- Walks ----------------------------------------------------------------------------

    def walk(self, callback, walk_order=WalkOrder.POST_ORDER):
        """Calls `callback` with the handle of this operation and of each one inside; it may
        erase the operation that it is given. It may return a `WalkResult`: INTERRUPT ends the walk,
        and SKIP (in PRE_ORDER) leaves out what is inside."""
        return self._walk(callback, walk_order == WalkOrder.PRE_ORDER)

    def _walk(self, callback, is_pre_order):
        if is_pre_order:
            result = callback(self.operation)
            if result == WalkResult.INTERRUPT or result == WalkResult.SKIP or not self.is_valid:
                return WalkResult.INTERRUPT if result == WalkResult.INTERRUPT else WalkResult.ADVANCE
        for region in self.regions:
            for block in region.blocks:
                for inner in block.operations:
                    if inner.is_valid and inner._walk(callback, is_pre_order) == WalkResult.INTERRUPT:
                        return WalkResult.INTERRUPT
        if is_pre_order:
            return WalkResult.ADVANCE
        interrupts = callback(self.operation) == WalkResult.INTERRUPT
        return WalkResult.INTERRUPT if interrupts else WalkResult.ADVANCE

    # -- Changes --------------------------------------------------------------------------

    def erase(self):
        """Erases the operation, whose results must have no uses; handles of it and of what
        is inside raise InvalidHandleError from then on."""
        pointer = self._pointer()
        self._scope.may_change(pointer, "erased")
        self._scope.check_unused([pointer], [])
        self._scope.forget_operation(pointer, "is erased")
        capi.mlirOperationDestroy(pointer)

    def replace_with(self, values):
        """Makes users of the results use other values, and erases the operation. An
        operation stands for its results."""
        values = list(values.results) if isinstance(values, _OperationBase) else (
            [values] if isinstance(values, Value) else [to_value(each) for each in values])
        if len(values) != len(self.results):
            raise ValueError(f"'{self.operation.name}' has {len(self.results)} results, got {len(values)} values")
        self._scope.may_change(self._pointer(), "erased")
        for result, value in zip(self.results, values):
            result.replace_all_uses_with(value)
        self.erase()

    def replace_uses_of_with(self, of, with_):
        """Replaces a value among the operands of the operation."""
        of, with_ = to_value(of), to_value(with_)
        same_scope(self._scope, with_._scope, "the value")
        if of != with_:
            capi.mlirOperationReplaceUsesOfWith(self._pointer(), of._pointer(), with_._pointer())

    def move_before(self, other):
        self.operation._move(other.block, other.operation)

    def move_after(self, other):
        following = InsertionPoint.after(other)
        self.operation._move(following._block, following._before)

    def clone(self, ip=None):
        """Inserts a copy."""
        ip = ip if ip is not None else InsertionPoint.current()
        same_scope(self._scope, ip._scope, "the operation")
        ip._check_values(())
        return ip._insert_new(capi.mlirOperationClone(self._pointer())).opview


class Operation(_OperationBase):
    """The handle of an operation. `opview` is the same as an instance of the class of its
    dialect's operation."""

    @classmethod
    def _make(cls, scope, pointer):
        made = cls.__new__(cls)
        made._tree, made._ptr, made._gone = scope, pointer, None
        return made

    def _pointer(self):
        if self._gone:
            raise InvalidHandleError(f"the operation {self._gone}")
        self._tree.check()
        return self._ptr

    @property
    def operation(self):
        return self

    @property
    def opview(self):
        return _find_class(self.name)._view(self)

    def _move(self, block, before):
        pointer = self._pointer()
        same_scope(self._tree, block._scope, "the block")
        self._tree.may_change(pointer, "moved")
        ancestor = block.owner
        while ancestor is not None:
            if ancestor == self:
                raise ValueError(f"'{self.operation.name}' cannot be moved into itself")
            ancestor = ancestor.parent
        if before is not None and before._pointer() == pointer:
            return
        if before is not None:
            capi.mlirOperationMoveBefore(pointer, before._pointer())
            return
        last = block.operations[-1] if block.operations else None
        if last is None:
            block._pointer()
            capi.mlirOperationRemoveFromParent(pointer)
            capi.mlirBlockAppendOwnedOperation(block._pointer(), pointer)
        elif last != self:
            capi.mlirOperationMoveAfter(pointer, last._pointer())

    @staticmethod
    def create(name, results=None, operands=None, attributes=None, successors=None, regions=0, loc=None, ip=None):
        """Creates an operation.

        Args:
          name: such as "graph.add".
          results: the types of the results; None infers them, where the operation can.
          operands: values.
          attributes: a dictionary of attributes.
          successors: blocks.
          regions: how many regions, without blocks, it has.
          loc: the location; the current one by default.
          ip: the insertion point; the current one by default.

        Raises MLIRError for operands and attributes from which types cannot be inferred, for an
        attribute that is missing, and for an unknown operation.
        """
        made = Operation._build(name, results, operands, attributes, successors, regions, loc, ip)
        missing = _missing_attribute(made)
        if missing:
            made.erase()
            raise MLIRError(missing)
        return made

    @staticmethod
    def _build(name, results, operands, attributes, successors, regions, loc, ip):
        ip = ip if ip is not None else InsertionPoint.current()
        operands = [to_value(each) for each in operands or ()]
        ip._check_values(operands)
        context = ip.context
        location = _context.resolve_location(loc, context)
        _context.same_context(context, location, *(results or ()))
        if not context.is_registered_operation(name) and not context.allow_unregistered_dialects:
            raise MLIRError(f"there is no operation '{name}'" + (
                "" if context._loads_dialects else ", or its dialect is not loaded in this compilation"))
        attributes = {key: to_attribute(value, context) for key, value in (attributes or {}).items()}
        values = pointers([each._pointer() for each in operands])
        with context._diagnostics() as found:
            if results is None:
                pointer = capi.coil_ir_operation_create_inferred(
                    string_ref(name), location._ptr, len(operands), values, len(attributes),
                    named_attributes(attributes, context), regions)
            else:
                pointer = _create(name, location, list(results), values, attributes, successors or (), regions, context)
        if not pointer:
            found.fail(f"cannot create '{name}'")
        made = ip._insert_new(pointer)
        for key, attribute in attributes.items():
            if capi.mlirOperationGetAttributeByName(pointer, string_ref(key)) != attribute._ptr:
                made.erase()
                raise ValueError(f"the attribute '{key}' of '{name}' cannot be {attribute}")
        return made


def _create(name, location, results, values, attributes, successors, regions, context):
    reference = string_ref(name)
    state = capi.mlirOperationStateGet(reference, location._ptr)
    by_reference = ctypes.byref(state)
    kept = [pointers([each._ptr for each in results]), named_attributes(attributes, context),
            pointers([each._pointer() for each in successors]),
            pointers([capi.mlirRegionCreate() for _ in range(regions)])]
    capi.mlirOperationStateAddResults(by_reference, len(results), kept[0])
    capi.mlirOperationStateAddOperands(by_reference, len(values), values)
    capi.mlirOperationStateAddAttributes(by_reference, len(attributes), kept[1])
    capi.mlirOperationStateAddSuccessors(by_reference, len(successors), kept[2])
    capi.mlirOperationStateAddOwnedRegions(by_reference, regions, kept[3])
    return capi.mlirOperationCreate(by_reference)


class OpView(_OperationBase):
    """An operation as its dialect describes it: subclasses, which are generated from ODS, name
    operands, attributes, regions and results."""

    OPERATION_NAME = None
    _ODS_OPERAND_SEGMENTS = None
    _ODS_RESULT_SEGMENTS = None
    _ODS_REGIONS = (0, True)

    def __init__(self, name, ods_regions, ods_operand_segments=None, ods_result_segments=None, *, attributes=None,
                 results=None, operands=None, successors=None, regions=None, loc=None, ip=None):
        ip = ip if ip is not None else InsertionPoint.current()
        attributes = dict(attributes or {})
        if ods_operand_segments is not None:
            operands, sizes = _flatten(name, "operand", operands, ods_operand_segments)
            attributes["operandSegmentSizes"] = DenseI32ArrayAttr.get(sizes, ip.context)
        if ods_result_segments is not None and results is not None:
            results, sizes = _flatten(name, "result", results, ods_result_segments)
            attributes["resultSegmentSizes"] = DenseI32ArrayAttr.get(sizes, ip.context)
        least, is_exact = ods_regions
        count = least if regions is None else regions
        if count < least or (is_exact and count != least):
            raise ValueError(f"'{name}' has {'' if is_exact else 'at least '}{least} regions, got {count}")
        self.operation = Operation._build(name, results, operands, attributes, successors, count, loc, ip)

    @classmethod
    def _view(cls, operation):
        made = cls.__new__(cls)
        made.operation = operation
        return made

    @property
    def opview(self):
        return self


def _flatten(name, what, given, segments):
    """The elements of groups, and how many each group has."""
    flat, sizes = [], []
    for i, (group, segment) in enumerate(zip(given, segments)):
        if segment == 1:
            group = [group]
        elif segment == 0:
            group = [] if group is None else [group]
        elif group is None:
            raise ValueError(f"{what} group {i} of '{name}' is None, expected a sequence")
        flat += group
        sizes.append(len(group))
    return flat, sizes

