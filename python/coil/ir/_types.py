# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types."""

import ctypes

from coil.ir import _context
from coil.ir._capi import capi, pointers, string_ref, take_text

_classes = {}  # By MLIR's type identifier.


class Type:
    """A type. `Type.parse("tensor<4xf32>")` reads one; what is known of it more closely is
    an instance of a subclass."""

    def __init__(self, cast_from_type):
        self._check(cast_from_type)
        self.context, self._ptr = cast_from_type.context, cast_from_type._ptr

    @classmethod
    def _make(cls, context, pointer):
        made = cls.__new__(cls)
        made.context, made._ptr = context, pointer
        return made

    @staticmethod
    def _wrap(context, pointer):
        if not _classes:
            _classes.update({getattr(capi, f"mlir{each._id}TypeGetTypeID")(): each for each in _leaves()})
        return _classes.get(capi.mlirTypeGetTypeID(pointer), _fallback(pointer))._make(context, pointer)

    @classmethod
    def _check(cls, given):
        if not cls.isinstance(given):
            raise ValueError(f"cannot cast type to {cls.__name__} (from {given!r})")

    @classmethod
    def isinstance(cls, given):
        """Whether a type is of this class."""
        return isinstance(given, cls)

    @classmethod
    def parse(cls, asm, context=None):
        """Reads a type; raises MLIRError for text that is none."""
        context = _context.resolve_context(context)
        with context._diagnostics() as found:
            pointer = capi.mlirTypeParseGet(context._ptr, string_ref(asm))
        if not pointer:
            found.fail(f"cannot parse type '{asm}'")
        made = Type._wrap(context, pointer)
        cls._check(made)
        return made

    def __eq__(self, other):
        return isinstance(other, Type) and self._ptr == other._ptr

    def __hash__(self):
        return hash(self._ptr)

    def __str__(self):
        return take_text(capi.coil_ir_print_type(self._ptr))

    def __repr__(self):
        return f"{type(self).__name__}({self})"


class IntegerType(Type):
    _id = "Integer"

    @classmethod
    def _of_width(cls, get, width, context):
        if not 0 <= width < 1 << 24:  # IntegerType::kMaxWidth
            raise ValueError(f"an integer type has a width from 0 to {(1 << 24) - 1}, got {width}")
        context = _context.resolve_context(context)
        return cls._make(context, get(context._ptr, width))

    @classmethod
    def get_signless(cls, width, context=None):
        return cls._of_width(capi.mlirIntegerTypeGet, width, context)

    @classmethod
    def get_signed(cls, width, context=None):
        return cls._of_width(capi.mlirIntegerTypeSignedGet, width, context)

    @classmethod
    def get_unsigned(cls, width, context=None):
        return cls._of_width(capi.mlirIntegerTypeUnsignedGet, width, context)

    @property
    def width(self):
        return capi.mlirIntegerTypeGetWidth(self._ptr)

    @property
    def is_signless(self):
        return capi.mlirIntegerTypeIsSignless(self._ptr)

    @property
    def is_signed(self):
        return capi.mlirIntegerTypeIsSigned(self._ptr)

    @property
    def is_unsigned(self):
        return capi.mlirIntegerTypeIsUnsigned(self._ptr)


class _Simple(Type):
    """A type without parameters."""

    @classmethod
    def get(cls, context=None):
        context = _context.resolve_context(context)
        return cls._make(context, getattr(capi, f"mlir{cls._get}TypeGet")(context._ptr))


class IndexType(_Simple):
    _id = _get = "Index"


class NoneType(_Simple):
    _id = _get = "None"


class FloatType(Type):
    """A float of any format."""

    @property
    def width(self):
        return capi.mlirFloatTypeGetWidth(self._ptr)


class BF16Type(FloatType, _Simple):
    _id, _get = "BFloat16", "BF16"


class F16Type(FloatType, _Simple):
    _id, _get = "Float16", "F16"


class F32Type(FloatType, _Simple):
    _id, _get = "Float32", "F32"


class F64Type(FloatType, _Simple):
    _id, _get = "Float64", "F64"


class Float8E4M3FNType(FloatType, _Simple):
    _id = _get = "Float8E4M3FN"


class Float8E5M2Type(FloatType, _Simple):
    _id = _get = "Float8E5M2"


class ComplexType(Type):
    _id = "Complex"

    @classmethod
    def get(cls, element_type):
        if not isinstance(element_type, (FloatType, IntegerType)):
            raise ValueError(f"a complex type has elements that are integers or floats, got {element_type}")
        return cls._make(element_type.context, capi.mlirComplexTypeGet(element_type._ptr))

    @property
    def element_type(self):
        return Type._wrap(self.context, capi.mlirComplexTypeGetElementType(self._ptr))


class ShapedType(Type):
    """A type with elements and, unless it is unranked, a shape."""

    @staticmethod
    def get_dynamic_size():
        """What stands in shapes for a size that only a run knows."""
        return capi.mlirShapedTypeGetDynamicSize()

    @property
    def element_type(self):
        return Type._wrap(self.context, capi.mlirShapedTypeGetElementType(self._ptr))

    @property
    def has_rank(self):
        return capi.mlirShapedTypeHasRank(self._ptr)

    def _need_rank(self):
        if not self.has_rank:
            raise ValueError(f"{self} has no rank")

    @property
    def rank(self):
        self._need_rank()
        return capi.mlirShapedTypeGetRank(self._ptr)

    @property
    def shape(self):
        return [capi.mlirShapedTypeGetDimSize(self._ptr, i) for i in range(self.rank)]

    @property
    def has_static_shape(self):
        return self.has_rank and capi.mlirShapedTypeHasStaticShape(self._ptr)

    def is_dynamic_dim(self, dim):
        if not 0 <= dim < self.rank:
            raise IndexError(f"{self} has no dimension {dim}")
        return capi.mlirShapedTypeIsDynamicDim(self._ptr, dim)


def _sizes(shape):
    return (ctypes.c_int64 * len(shape))(*shape)


def _checked(what, context, make):
    """Makes a type that verifies itself."""
    with context._diagnostics() as found:
        pointer = make()
    if not pointer:
        found.fail(f"cannot make {what}")
    return pointer


class RankedTensorType(ShapedType):
    _id = "RankedTensor"

    @classmethod
    def get(cls, shape, element_type, encoding=None, loc=None):
        shape, context = list(shape), element_type.context
        location = _context.resolve_location(loc, context)
        _context.same_context(context, encoding, location)
        return cls._make(context, _checked(f"a tensor of {element_type}", context, lambda: (
            capi.mlirRankedTensorTypeGetChecked(location._ptr, len(shape), _sizes(shape), element_type._ptr,
                                                encoding._ptr if encoding is not None else None))))

    @property
    def encoding(self):
        """The attribute that says more, such as #sym.shape; None where there is none."""
        from coil.ir._attributes import Attribute

        pointer = capi.mlirRankedTensorTypeGetEncoding(self._ptr)
        return Attribute._wrap(self.context, pointer) if pointer else None


class UnrankedTensorType(ShapedType):
    _id = "UnrankedTensor"


class VectorType(ShapedType):
    _id = "Vector"

    @classmethod
    def get(cls, shape, element_type, loc=None):
        shape, context = list(shape), element_type.context
        location = _context.resolve_location(loc, context)
        _context.same_context(context, location)
        return cls._make(context, _checked(f"a vector of {element_type}", context, lambda: (
            capi.mlirVectorTypeGetChecked(location._ptr, len(shape), _sizes(shape), element_type._ptr))))


class MemRefType(ShapedType):
    _id = "MemRef"

    @property
    def memory_space(self):
        from coil.ir._attributes import Attribute

        pointer = capi.mlirMemRefTypeGetMemorySpace(self._ptr)
        return Attribute._wrap(self.context, pointer) if pointer else None


class FunctionType(Type):
    _id = "Function"

    @classmethod
    def get(cls, inputs, results, context=None):
        inputs, results = list(inputs), list(results)
        context = (inputs + results)[0].context if inputs or results else _context.resolve_context(context)
        _context.same_context(context, *inputs, *results)
        return cls._make(context, capi.mlirFunctionTypeGet(
            context._ptr, len(inputs), pointers([each._ptr for each in inputs]), len(results),
            pointers([each._ptr for each in results])))

    @property
    def inputs(self):
        return [Type._wrap(self.context, capi.mlirFunctionTypeGetInput(self._ptr, i))
                for i in range(capi.mlirFunctionTypeGetNumInputs(self._ptr))]

    @property
    def results(self):
        return [Type._wrap(self.context, capi.mlirFunctionTypeGetResult(self._ptr, i))
                for i in range(capi.mlirFunctionTypeGetNumResults(self._ptr))]


class TupleType(Type):
    _id = "Tuple"

    @property
    def types(self):
        return [Type._wrap(self.context, capi.mlirTupleTypeGetType(self._ptr, i))
                for i in range(capi.mlirTupleTypeGetNumTypes(self._ptr))]


def _leaves():
    found, waiting = [], [Type]
    while waiting:
        subclasses = waiting.pop().__subclasses__()
        found += [each for each in subclasses if hasattr(each, "_id") and each not in found]
        waiting += subclasses
    return found


def _fallback(pointer):
    if capi.mlirTypeIsAFloat(pointer):
        return FloatType
    return ShapedType if capi.mlirTypeIsAShaped(pointer) else Type
