# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes, and how Python's values become attributes of operations."""

import ctypes

from coil.ir import _context
from coil.ir._capi import NamedAttribute, capi, pointers, string_ref, take_text
from coil.ir._types import ComplexType, F32Type, F64Type, FloatType, IndexType, IntegerType, ShapedType, Type

_classes = {}  # By MLIR's type identifier.


class Attribute:
    """An attribute. `Attribute.parse("#sym.expr<n + 1>")` reads one; what is known of it
    more closely is an instance of a subclass."""

    def __init__(self, cast_from_attr):
        self._check(cast_from_attr)
        self.context, self._ptr = cast_from_attr.context, cast_from_attr._ptr

    @classmethod
    def _make(cls, context, pointer):
        made = cls.__new__(cls)
        made.context, made._ptr = context, pointer
        return made

    @staticmethod
    def _wrap(context, pointer):
        if not _classes:
            _classes.update({getattr(capi, f"mlir{name}AttrGetTypeID")(): found for name, found in _FINDERS.items()})
        find = _classes.get(capi.mlirAttributeGetTypeID(pointer), lambda _: Attribute)
        return find(pointer)._make(context, pointer)

    @classmethod
    def _check(cls, given):
        if not cls.isinstance(given):
            raise ValueError(f"cannot cast attribute to {cls.__name__} (from {given!r})")

    @classmethod
    def isinstance(cls, given):
        """Whether an attribute is of this class."""
        return isinstance(given, cls)

    @classmethod
    def parse(cls, asm, context=None):
        """Reads an attribute; raises MLIRError for text that is none."""
        context = _context.resolve_context(context)
        with context._diagnostics() as found:
            pointer = capi.mlirAttributeParseGet(context._ptr, string_ref(asm))
        if not pointer:
            found.fail(f"cannot parse attribute '{asm}'")
        made = Attribute._wrap(context, pointer)
        cls._check(made)
        return made

    @property
    def type(self):
        """The type of a typed attribute; `none` for others."""
        return Type._wrap(self.context, capi.mlirAttributeGetType(self._ptr))

    def __eq__(self, other):
        return isinstance(other, Attribute) and self._ptr == other._ptr

    def __hash__(self):
        return hash(self._ptr)

    def __str__(self):
        return take_text(capi.coil_ir_print_attribute(self._ptr))

    def __repr__(self):
        return f"{type(self).__name__}({self})"


class AffineMapAttr(Attribute):
    """An affine map; only its text is known here."""


class UnitAttr(Attribute):
    @classmethod
    def get(cls, context=None):
        context = _context.resolve_context(context)
        return cls._make(context, capi.mlirUnitAttrGet(context._ptr))


class StringAttr(Attribute):
    @classmethod
    def get(cls, value, context=None):
        context = _context.resolve_context(context)
        return cls._make(context, capi.mlirStringAttrGet(context._ptr, string_ref(value)))

    @property
    def value(self):
        return capi.mlirStringAttrGetValue(self._ptr).text()


class SymbolRefAttr(Attribute):
    @property
    def value(self):
        """The names from the outermost symbol on."""
        return [name.lstrip("@").strip('"') for name in str(self).split("::")]


class FlatSymbolRefAttr(SymbolRefAttr):
    @classmethod
    def get(cls, value, context=None):
        context = _context.resolve_context(context)
        return cls._make(context, capi.mlirFlatSymbolRefAttrGet(context._ptr, string_ref(value)))

    @property
    def value(self):
        return capi.mlirSymbolRefAttrGetRootReference(self._ptr).text()


class TypeAttr(Attribute):
    @classmethod
    def get(cls, value):
        return cls._make(value.context, capi.mlirTypeAttrGet(value._ptr))

    @property
    def value(self):
        return Type._wrap(self.context, capi.mlirTypeAttrGetValue(self._ptr))


class IntegerAttr(Attribute):
    @classmethod
    def get(cls, type, value):
        if not isinstance(type, (IntegerType, IndexType)):
            raise ValueError(f"an integer attribute has a type of integers or of indices, got {type}")
        width = type.width if isinstance(type, IntegerType) else 64
        if not (-(1 << width - 1) if width else 0) <= value < 1 << min(width, 64) or not -(1 << 63) <= value < 1 << 64:
            raise ValueError(f"{value} is no {type}")
        return cls._make(type.context, capi.mlirIntegerAttrGet(type._ptr, ctypes.c_int64(value).value))

    @property
    def value(self):
        type = self.type
        if not isinstance(type, IntegerType) or type.is_signless:
            return capi.mlirIntegerAttrGetValueInt(self._ptr)
        if type.is_signed:
            return capi.mlirIntegerAttrGetValueSInt(self._ptr)
        return capi.mlirIntegerAttrGetValueUInt(self._ptr)

    def __int__(self):
        return self.value


class BoolAttr(IntegerAttr):
    @classmethod
    def get(cls, value, context=None):
        context = _context.resolve_context(context)
        return cls._make(context, capi.mlirBoolAttrGet(context._ptr, bool(value)))

    @property
    def value(self):
        return capi.mlirBoolAttrGetValue(self._ptr)

    def __bool__(self):
        return self.value


class FloatAttr(Attribute):
    @classmethod
    def get(cls, type, value):
        if not isinstance(type, FloatType):
            raise ValueError(f"a float attribute has a type of floats, got {type}")
        return cls._make(type.context, capi.mlirFloatAttrDoubleGet(type.context._ptr, type._ptr, value))

    @classmethod
    def get_f32(cls, value, context=None):
        return cls.get(F32Type.get(context), value)

    @classmethod
    def get_f64(cls, value, context=None):
        return cls.get(F64Type.get(context), value)

    @property
    def value(self):
        return capi.mlirFloatAttrGetValueDouble(self._ptr)

    def __float__(self):
        return self.value


class _Sequence(Attribute):
    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self._at(i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no element {index} of {len(self)}")
        return self._at(index % len(self))


class ArrayAttr(_Sequence):
    @classmethod
    def get(cls, attributes, context=None):
        attributes = list(attributes)
        context = attributes[0].context if attributes else _context.resolve_context(context)
        _context.same_context(context, *attributes)
        return cls._make(context, capi.mlirArrayAttrGet(context._ptr, len(attributes),
                                                        pointers([each._ptr for each in attributes])))

    def __len__(self):
        return capi.mlirArrayAttrGetNumElements(self._ptr)

    def _at(self, index):
        return Attribute._wrap(self.context, capi.mlirArrayAttrGetElement(self._ptr, index))


class DictAttr(Attribute):
    @classmethod
    def get(cls, value, context=None):
        context = _context.resolve_context(context)
        return cls._make(context, capi.mlirDictionaryAttrGet(context._ptr, len(value),
                                                             named_attributes(value, context)))

    def __len__(self):
        return capi.mlirDictionaryAttrGetNumElements(self._ptr)

    def __contains__(self, name):
        return bool(capi.mlirDictionaryAttrGetElementByName(self._ptr, string_ref(name)))

    def __getitem__(self, name):
        pointer = capi.mlirDictionaryAttrGetElementByName(self._ptr, string_ref(name))
        if not pointer:
            raise KeyError(name)
        return Attribute._wrap(self.context, pointer)

    def __iter__(self):
        return (name for name, _ in self.items())

    def items(self):
        """The names and attributes in order."""
        found = [capi.mlirDictionaryAttrGetElement(self._ptr, i) for i in range(len(self))]
        return [(capi.mlirIdentifierStr(each.name).text(), Attribute._wrap(self.context, each.attribute))
                for each in found]


class _DenseArray(_Sequence):
    @classmethod
    def get(cls, values, context=None):
        values, context = list(values), _context.resolve_context(context)
        return cls._make(context, getattr(capi, f"mlirDense{cls._name}ArrayGet")(
            context._ptr, len(values), (cls._element * len(values))(*values)))

    def __len__(self):
        return capi.mlirDenseArrayGetNumElements(self._ptr)

    def _at(self, index):
        return getattr(capi, f"mlirDense{self._name}ArrayGetElement")(self._ptr, index)


class DenseI64ArrayAttr(_DenseArray):
    _name, _element = "I64", ctypes.c_int64


class DenseI32ArrayAttr(_DenseArray):
    _name, _element = "I32", ctypes.c_int32


class DenseBoolArrayAttr(_DenseArray):
    # The C API takes integers.
    _name, _element = "Bool", ctypes.c_int32


class DenseF64ArrayAttr(_DenseArray):
    _name, _element = "F64", ctypes.c_double


class DenseElementsAttr(Attribute):
    """The elements of a tensor of constants."""

    @classmethod
    def get(cls, data, type):
        """The elements in memory as `type` has them, row by row: bytes, or anything with a
        buffer, such as an array of NumPy. One element stands for all."""
        if not isinstance(type, ShapedType) or not type.has_static_shape:
            raise ValueError(f"constants need a static shape, got {type}")
        if not isinstance(type.element_type, (IntegerType, IndexType, FloatType, ComplexType)):
            raise ValueError(f"there are no constants of {type}")
        data = bytes(memoryview(data).cast("B")) if not isinstance(data, bytes) else data
        pointer = capi.mlirDenseElementsAttrRawBufferGet(type._ptr, len(data), ctypes.cast(data, ctypes.c_void_p))
        if not pointer:
            raise ValueError(f"{len(data)} bytes are not the elements of {type}, nor one of them")
        return cls._make(type.context, pointer)

    @property
    def is_splat(self):
        return capi.mlirDenseElementsAttrIsSplat(self._ptr)

    def get_splat_value(self):
        """The element that all are equal to."""
        if not self.is_splat:
            raise ValueError("the elements differ")
        return Attribute._wrap(self.context, capi.mlirDenseElementsAttrGetSplatValue(self._ptr))

    def __len__(self):
        return capi.mlirElementsAttrGetNumElements(self._ptr)


class DenseIntElementsAttr(DenseElementsAttr):
    """Elements that are integers."""


class DenseFPElementsAttr(DenseElementsAttr):
    """Elements that are floats."""


def _find_array(pointer):
    for each in (DenseI64ArrayAttr, DenseI32ArrayAttr, DenseBoolArrayAttr, DenseF64ArrayAttr):
        if getattr(capi, f"mlirAttributeIsADense{each._name}Array")(pointer):
            return each
    return Attribute


def _find_elements(pointer):
    element = Type._wrap(None, capi.mlirShapedTypeGetElementType(capi.mlirAttributeGetType(pointer)))
    return DenseFPElementsAttr if isinstance(element, FloatType) else (
        DenseIntElementsAttr if isinstance(element, (IntegerType, IndexType)) else DenseElementsAttr)


_FINDERS = {
    "AffineMap": lambda _: AffineMapAttr, "Array": lambda _: ArrayAttr, "Dictionary": lambda _: DictAttr,
    "Float": lambda _: FloatAttr, "String": lambda _: StringAttr, "Type": lambda _: TypeAttr,
    "Unit": lambda _: UnitAttr, "DenseArray": _find_array, "DenseIntOrFPElements": _find_elements,
    "Integer": lambda p: BoolAttr if capi.mlirAttributeIsABool(p) else IntegerAttr,
    "SymbolRef": lambda p: FlatSymbolRefAttr if capi.mlirAttributeIsAFlatSymbolRef(p) else SymbolRefAttr,
}


def named_attributes(attributes, context):
    """An array of named attributes."""
    _context.same_context(context, *attributes.values())
    return (NamedAttribute * len(attributes))(*(
        NamedAttribute(capi.mlirIdentifierGet(context._ptr, string_ref(name)), attribute._ptr)
        for name, attribute in attributes.items()))


# -- Attributes from Python's values -------------------------------------------------------


class AttrBuilder:
    """What makes attributes of Python's values in builders of operations, by the name of the
    attribute's constraint in ODS."""

    _builders = {}

    @classmethod
    def contains(cls, kind):
        return kind in cls._builders

    @classmethod
    def get(cls, kind):
        return cls._builders[kind]

    @classmethod
    def insert(cls, kind, builder, replace=False):
        if kind in cls._builders and not replace:
            raise RuntimeError(f"there is a builder of '{kind}' already")
        cls._builders[kind] = builder


def register_attribute_builder(kind, replace=False):
    """Registers the decorated function, of a value and a context, for a constraint of ODS."""

    def register(builder):
        AttrBuilder.insert(kind, builder, replace)
        return builder

    return register


def to_attribute(value, context):
    """The attribute that is nearest to a value of Python."""
    if isinstance(value, (Attribute, Type)):
        _context.same_context(context, value)
    if isinstance(value, Attribute):
        return value
    if isinstance(value, Type):
        return TypeAttr.get(value)
    if isinstance(value, bool):
        return BoolAttr.get(value, context)
    if isinstance(value, int):
        return IntegerAttr.get(IntegerType.get_signless(64, context), int(value))
    if isinstance(value, float):
        return FloatAttr.get_f64(value, context)
    if isinstance(value, str):
        return StringAttr.get(value, context)
    if isinstance(value, dict):
        return DictAttr.get({name: to_attribute(each, context) for name, each in value.items()}, context)
    if isinstance(value, (list, tuple)):
        if value and all(type(each) is int for each in value):
            return DenseI64ArrayAttr.get(value, context)
        return ArrayAttr.get([to_attribute(each, context) for each in value], context)
    raise TypeError(f"there is no attribute for {value!r}, a {type(value).__name__}")


def _integers(width):
    return lambda value, context: IntegerAttr.get(IntegerType.get_signless(width, context), int(value))


def _array_of(make):
    return lambda values, context: ArrayAttr.get([make(each, context) for each in values], context)


def _keep(value, context):
    return to_attribute(value, context)


for _kind, _builder in {
    "AnyAttr": _keep, "TypedAttrInterface": _keep, "ElementsAttr": _keep, "DictionaryAttr": _keep,
    "ArrayAttr": _array_of(_keep), "DictArrayAttr": _array_of(_keep), "StrArrayAttr": _array_of(_keep),
    "BoolAttr": lambda value, context: BoolAttr.get(value, context),
    "UnitAttr": lambda value, context: UnitAttr.get(context),
    "I1Attr": _integers(1), "I8Attr": _integers(8), "I16Attr": _integers(16), "I32Attr": _integers(32),
    "I64Attr": _integers(64), "I64ArrayAttr": _array_of(_integers(64)), "I32ArrayAttr": _array_of(_integers(32)),
    "IndexAttr": lambda value, context: IntegerAttr.get(IndexType.get(context), value),
    "F32Attr": lambda value, context: FloatAttr.get_f32(value, context),
    "F64Attr": lambda value, context: FloatAttr.get_f64(value, context),
    "StrAttr": lambda value, context: StringAttr.get(value, context),
    "Builtin_StringAttr": lambda value, context: StringAttr.get(value, context),
    "SymbolNameAttr": lambda value, context: StringAttr.get(value, context),
    "FlatSymbolRefAttr": lambda value, context: FlatSymbolRefAttr.get(value, context),
    "SymbolRefAttr": lambda value, context: FlatSymbolRefAttr.get(value, context),
    "TypeAttr": lambda value, context: TypeAttr.get(value),
    "DenseI64ArrayAttr": lambda value, context: DenseI64ArrayAttr.get(value, context),
    "DenseI32ArrayAttr": lambda value, context: DenseI32ArrayAttr.get(value, context),
    "DenseBoolArrayAttr": lambda value, context: DenseBoolArrayAttr.get(value, context),
    "DenseF64ArrayAttr": lambda value, context: DenseF64ArrayAttr.get(value, context),
    "AffineMapAttr": lambda value, context: AffineMapAttr.parse(value, context),
}.items():
    AttrBuilder.insert(_kind, _builder)
