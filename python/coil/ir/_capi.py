# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C API of the IR through ctypes.

Objects of MLIR's C API are structures of one pointer, which calling conventions of
Coil's hosts (System V, AAPCS64) pass as that pointer; so they are `c_void_p` here.

Functions are called with the GIL held (`PyDLL`), so that threads of Python take turns
in a context, but for the ones that run passes: these may take long, and call Python on
other threads.
"""

import ctypes
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int32, c_int64, c_size_t, c_ssize_t
from ctypes import c_uint, c_uint64, c_void_p

from coil._library import _find, check


class StringRef(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t)]

    def text(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


class NamedAttribute(ctypes.Structure):
    _fields_ = [("name", c_void_p), ("attribute", c_void_p)]


class OperationState(ctypes.Structure):
    """MlirOperationState; functions of MLIR fill it in."""

    _fields_ = [("name", StringRef), ("location", c_void_p), ("n_results", c_ssize_t), ("results", c_void_p),
                ("n_operands", c_ssize_t), ("operands", c_void_p), ("n_regions", c_ssize_t), ("regions", c_void_p),
                ("n_successors", c_ssize_t), ("successors", c_void_p), ("n_attributes", c_ssize_t),
                ("attributes", c_void_p), ("infers", c_bool)]


class LogicalResult(ctypes.Structure):
    _fields_ = [("value", ctypes.c_int8)]


class Diagnostic(ctypes.Structure):
    _fields_ = [("severity", c_int32), ("is_note", c_int32), ("message", c_char_p), ("location", c_void_p)]


BeforePass = ctypes.CFUNCTYPE(c_int32, c_char_p, c_void_p, c_int32, c_void_p)
AfterPass = ctypes.CFUNCTYPE(None, c_char_p, c_void_p, c_int32, c_void_p)
RunPass = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p)
Legalize = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p)


class PassHooks(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("user", c_void_p), ("before", BeforePass), ("after", AfterPass)]


# Types by letters: p a pointer, s a MlirStringRef, t a C string, n an intptr_t, i an int64_t,
# b a bool, d a double, u an unsigned, w an int32_t, z a size_t, x a uint64_t, v nothing, l a
# MlirLogicalResult, e where an error message goes, h hooks, r and k callbacks; capital letters
# stand for pointers to such, but for O, an operation state, and N, a named attribute.
_TYPES = {
    "p": c_void_p, "s": StringRef, "t": c_char_p, "n": c_ssize_t, "i": c_int64, "b": c_bool, "d": c_double,
    "u": c_uint, "w": c_int32, "z": c_size_t, "x": c_uint64, "v": None, "P": POINTER(c_void_p),
    "e": POINTER(c_void_p), "S": POINTER(OperationState), "I": POINTER(c_int64), "D": POINTER(c_double),
    "A": POINTER(NamedAttribute), "W": POINTER(c_int32), "B": POINTER(c_int32), "l": LogicalResult,
    "O": OperationState, "N": NamedAttribute, "g": POINTER(Diagnostic), "h": POINTER(PassHooks), "r": RunPass,
    "k": Legalize,
}

# Functions by their signature: the result, a colon, the arguments.
_FUNCTIONS = {
    "w:Pe": "coil_ir_context_create",
    "w:ptztPe": "coil_ir_module_parse",
    "w:ptPe": "coil_ir_module_load",
    "t:p": "coil_ir_module_stage",
    "w:psw": "coil_ir_knows_operation",
    "p:spnPnAn": "coil_ir_operation_create_inferred",
    "p:pp": "coil_ir_print_operation",
    "p:p": """coil_ir_print_type coil_ir_print_attribute coil_ir_pass_manager_print coil_ir_print_value
        coil_ir_diagnostics_begin
        coil_ir_pass_manager_get coil_ir_aten_call_operation mlirModuleGetBody mlirModuleGetOperation
        mlirModuleFromOperation mlirModuleCreateEmpty mlirOperationClone mlirOperationGetLocation
        mlirOperationGetBlock mlirOperationGetParentOperation mlirOperationGetNextInBlock mlirRegionGetFirstBlock
        mlirBlockGetParentOperation mlirBlockGetParentRegion mlirBlockGetNextInRegion mlirBlockGetFirstOperation
        mlirBlockGetTerminator mlirBlockArgumentGetOwner mlirOpResultGetOwner mlirValueGetType mlirValueGetFirstUse
        mlirValueGetLocation mlirOpOperandGetOwner mlirOpOperandGetNextUse mlirTypeGetContext mlirTypeGetTypeID
        mlirTypeGetDialect mlirAttributeGetContext mlirAttributeGetType mlirAttributeGetTypeID
        mlirAttributeGetDialect mlirLocationGetAttribute mlirLocationFromAttribute mlirLocationUnknownGet
        mlirIndexTypeGet mlirNoneTypeGet mlirComplexTypeGet mlirComplexTypeGetElementType mlirShapedTypeGetElementType
        mlirRankedTensorTypeGetEncoding mlirMemRefTypeGetLayout mlirMemRefTypeGetMemorySpace mlirBF16TypeGet
        mlirF16TypeGet mlirF32TypeGet mlirF64TypeGet mlirFloat8E4M3FNTypeGet mlirFloat8E5M2TypeGet mlirTypeAttrGet
        mlirTypeAttrGetValue mlirUnitAttrGet mlirDenseElementsAttrGetSplatValue mlirLocationNameGetChildLoc
        mlirLocationCallSiteGetCallee mlirLocationCallSiteGetCaller mlirUnrankedTensorTypeGet
        mlirDenseElementsAttrGetRawData mlirOperationGetContext mlirOperationGetName""",
    "z:p": "coil_ir_diagnostics_count",
    "v:pzg": "coil_ir_diagnostics_get",
    "v:p": """mlirContextLoadAllAvailableDialects coil_ir_diagnostics_end coil_ir_pass_manager_destroy
        mlirContextDestroy mlirModuleDestroy
        mlirOperationDestroy mlirOperationRemoveFromParent mlirBlockDestroy mlirBlockDetach
        mlirOpPrintingFlagsDestroy mlirOpPrintingFlagsPrintGenericOpForm mlirOpPrintingFlagsUseLocalScope
        mlirOpPrintingFlagsAssumeVerified mlirOpPrintingFlagsSkipRegions mlirOpPrintingFlagsPrintNameLocAsPrefix
        mlirPassManagerEnableTiming coil_string_free""",
    "p:pth": "coil_ir_pass_manager_create",
    "w:pte": "coil_ir_pass_manager_add",
    "w:tttrpe": "coil_ir_pass_register",
    "w:ttte": "coil_ir_pipeline_extension_register",
    "w:tkpe": "coil_ir_aten_legalization_register",
    "n:pt": "coil_ir_aten_call_num_tensors",
    "p:ptn": "coil_ir_aten_call_get_tensor",
    "p:ptp": "coil_ir_aten_call_operand",
    "p:pt": "coil_ir_aten_call_argument",
    "w:ptI": "coil_ir_aten_call_int",
    "w:ptD": "coil_ir_aten_call_float",
    "n:ptIn": "coil_ir_aten_call_ints",
    "w:pPn": "coil_ir_aten_call_replace",
    "v:pt": "coil_ir_aten_call_fail mlirEmitError",
    "v:pb": "mlirContextSetAllowUnregisteredDialects mlirContextEnableMultithreading mlirPassManagerEnableVerifier",
    "b:p": """mlirContextGetAllowUnregisteredDialects mlirValueIsABlockArgument mlirShapedTypeHasRank
        mlirShapedTypeHasStaticShape mlirIntegerTypeIsSignless mlirIntegerTypeIsSigned mlirIntegerTypeIsUnsigned
        mlirTypeIsAFloat mlirTypeIsAShaped mlirAttributeIsABool mlirAttributeIsADenseBoolArray
        mlirAttributeIsADenseI8Array mlirAttributeIsADenseI16Array mlirAttributeIsADenseI32Array
        mlirAttributeIsADenseI64Array mlirAttributeIsADenseF32Array mlirAttributeIsADenseF64Array
        mlirBoolAttrGetValue mlirDenseElementsAttrIsSplat mlirLocationIsAFileLineColRange mlirLocationIsAName
        mlirLocationIsAFused mlirLocationIsACallSite mlirAttributeIsAFlatSymbolRef
        mlirAttributeIsADenseElements mlirAttributeIsALocation""",
    "p:ps": """mlirContextGetOrLoadDialect mlirTypeParseGet mlirAttributeParseGet mlirOperationGetAttributeByName
        mlirIdentifierGet mlirStringAttrGet mlirFlatSymbolRefAttrGet mlirDictionaryAttrGetElementByName""",
    "s:p": """mlirDialectGetNamespace mlirIdentifierStr mlirStringAttrGetValue mlirSymbolRefAttrGetLeafReference
        mlirSymbolRefAttrGetRootReference""",
    "p:psuu": "mlirLocationFileLineColGet",
    "p:psp": "mlirLocationNameGet",
    "p:pnPp": "mlirLocationFusedGet",
    "n:p": """mlirOperationGetNumRegions mlirOperationGetNumOperands mlirOperationGetNumResults
        mlirOperationGetNumSuccessors mlirOperationGetNumAttributes mlirBlockGetNumArguments
        mlirBlockGetNumPredecessors
        mlirBlockArgumentGetArgNumber mlirOpResultGetResultNumber mlirArrayAttrGetNumElements
        mlirDictionaryAttrGetNumElements mlirDenseArrayGetNumElements mlirFunctionTypeGetNumInputs
        mlirFunctionTypeGetNumResults mlirTupleTypeGetNumTypes""",
    "i:p": """mlirShapedTypeGetRank mlirIntegerAttrGetValueInt mlirIntegerAttrGetValueSInt
        mlirElementsAttrGetNumElements""",
    "x:p": "mlirIntegerAttrGetValueUInt",
    "i:pn": """mlirShapedTypeGetDimSize mlirDenseI64ArrayGetElement""",
    "b:pn": "mlirShapedTypeIsDynamicDim mlirDenseBoolArrayGetElement",
    "w:pn": "mlirDenseI32ArrayGetElement",
    "d:pn": "mlirDenseF64ArrayGetElement",
    "i:v": "mlirShapedTypeGetDynamicSize",
    "u:p": """mlirOpOperandGetOperandNumber mlirIntegerTypeGetWidth mlirFloatTypeGetWidth
        mlirLocationFusedGetNumLocations""",
    "w:p": "mlirLocationFileLineColRangeGetStartLine mlirLocationFileLineColRangeGetStartColumn",
    "p:pn": """mlirOperationGetRegion mlirOperationGetOperand mlirOperationGetResult mlirOperationGetSuccessor
        mlirBlockGetArgument mlirBlockGetPredecessor mlirArrayAttrGetElement mlirFunctionTypeGetInput
        mlirFunctionTypeGetResult
        mlirTupleTypeGetType""",
    "N:pn": "mlirOperationGetAttribute mlirDictionaryAttrGetElement",
    "v:pnp": """mlirOperationSetOperand mlirBlockInsertOwnedOperation mlirRegionInsertOwnedBlock
        mlirOperationSetSuccessor""",
    "v:psp": "mlirOperationSetAttributeByName",
    "b:ps": "mlirOperationRemoveAttributeByName",
    "O:sp": "mlirOperationStateGet",
    "v:SnP": """mlirOperationStateAddResults mlirOperationStateAddOperands mlirOperationStateAddOwnedRegions
        mlirOperationStateAddSuccessors""",
    "v:SnA": "mlirOperationStateAddAttributes",
    "p:S": "mlirOperationCreate",
    "p:v": """mlirRegionCreate mlirOpPrintingFlagsCreate mlirIntegerTypeGetTypeID mlirIndexTypeGetTypeID
        mlirBFloat16TypeGetTypeID mlirFloat16TypeGetTypeID mlirFloat32TypeGetTypeID mlirFloat64TypeGetTypeID
        mlirFloat8E4M3FNTypeGetTypeID mlirFloat8E5M2TypeGetTypeID mlirNoneTypeGetTypeID mlirComplexTypeGetTypeID
        mlirVectorTypeGetTypeID mlirRankedTensorTypeGetTypeID mlirUnrankedTensorTypeGetTypeID mlirMemRefTypeGetTypeID
        mlirTupleTypeGetTypeID mlirFunctionTypeGetTypeID mlirAffineMapAttrGetTypeID mlirArrayAttrGetTypeID
        mlirDictionaryAttrGetTypeID mlirFloatAttrGetTypeID mlirIntegerAttrGetTypeID mlirStringAttrGetTypeID
        mlirSymbolRefAttrGetTypeID mlirTypeAttrGetTypeID mlirUnitAttrGetTypeID mlirDenseArrayAttrGetTypeID
        mlirDenseIntOrFPElementsAttrGetTypeID""",
    "v:pp": """mlirOperationSetLocation mlirOperationMoveAfter mlirOperationMoveBefore mlirRegionAppendOwnedBlock
        mlirBlockAppendOwnedOperation mlirValueSetType mlirValueReplaceAllUsesOfWith""",
    "v:ppp": "mlirBlockInsertOwnedOperationBefore mlirBlockInsertOwnedOperationAfter mlirOperationReplaceUsesOfWith",
    "b:pp": "mlirOperationIsBeforeInBlock",
    "p:nPP": "mlirBlockCreate",
    "p:ppp": "mlirBlockAddArgument",
    "v:pu": "mlirBlockEraseArgument",
    "s:v": "mlirSymbolTableGetSymbolAttributeName",
    "v:pn": "mlirOpPrintingFlagsElideLargeElementsAttrs mlirOpPrintingFlagsElideLargeResourceString",
    "v:pbb": "mlirOpPrintingFlagsEnableDebugInfo",
    "p:pu": "mlirIntegerTypeGet mlirIntegerTypeSignedGet mlirIntegerTypeUnsignedGet",
    "p:pnIpp": "mlirRankedTensorTypeGetChecked",
    "p:pnIp": "mlirVectorTypeGetChecked",
    "p:pnPnP": "mlirFunctionTypeGet",
    "p:pnP": "mlirTupleTypeGet mlirArrayAttrGet",
    "p:pnA": "mlirDictionaryAttrGet",
    "p:ppd": "mlirFloatAttrDoubleGet",
    "d:p": "mlirFloatAttrGetValueDouble",
    "p:pi": "mlirIntegerAttrGet",
    "p:pw": "mlirBoolAttrGet",
    "p:pnI": "mlirDenseI64ArrayGet",
    "p:pnW": "mlirDenseI32ArrayGet",
    "p:pnB": "mlirDenseBoolArrayGet",
    "p:pnD": "mlirDenseF64ArrayGet",
    "p:pzp": "mlirDenseElementsAttrRawBufferGet",
    "l:p": "mlirOperationVerify",
    "v:pw": "mlirPassManagerEnableStatistics",
    "w:pptte": "coil_ir_pass_manager_add_stages",
}

# These run passes, without the GIL.
_WITHOUT_GIL = {"w:ppe": "coil_ir_pass_manager_run"}


def _declare(library, functions):
    found = {}
    for signature, names in functions.items():
        result, arguments = signature.split(":")
        for name in names.split():
            function = getattr(library, name)
            function.restype = _TYPES[result]
            function.argtypes = [_TYPES[letter] for letter in arguments if letter != "v"]
            found[name] = function
    return found


class _Functions:
    """The functions as attributes."""

    def __init__(self):
        path = _find()
        self.__dict__.update(_declare(ctypes.PyDLL(path), _FUNCTIONS))
        self.__dict__.update(_declare(ctypes.CDLL(path), _WITHOUT_GIL))


capi = _Functions()


def string_ref(text):
    """A MlirStringRef that keeps its text as long as it lives itself."""
    data = text.encode()
    reference = StringRef(ctypes.cast(ctypes.c_char_p(data), c_void_p), len(data))
    reference.kept = data
    return reference


def pointers(values):
    """An array of pointers."""
    return (c_void_p * len(values))(*values)


def take_text(pointer):
    """The text that a function returned, which is freed."""
    text = ctypes.string_at(pointer).decode()
    capi.coil_string_free(pointer)
    return text


def checked(function, *arguments):
    """Calls a function whose last argument receives an error message."""
    error = c_void_p()
    check(function(*arguments, ctypes.byref(error)), error)
