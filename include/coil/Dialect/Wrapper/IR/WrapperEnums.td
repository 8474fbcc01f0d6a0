//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enums of the `wrapper` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERENUMS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERENUMS_TD

include "mlir/IR/EnumAttr.td"

def Wrapper_Property : I32EnumAttr<"Property", "number that a buffer carries", [
    I32EnumAttrCase<"Size", 0, "size">,
    I32EnumAttrCase<"Stride", 1, "stride">]> {
  let cppNamespace = "::coil::wrapper";
}

def Wrapper_KeyKind : I32EnumAttr<"KeyKind", "step of a path to a number", [
    I32EnumAttrCase<"Size", 0, "size">,
    I32EnumAttrCase<"Stride", 1, "stride">,
    I32EnumAttrCase<"DivideBy", 2, "divide_by">]> {
  let cppNamespace = "::coil::wrapper";
  let genSpecializedAttr = 0;
}

// The values are those of `coil_post_op` in the runtime.
def Wrapper_PostOp : I32EnumAttr<"PostOp",
    "elementwise function that a library applies to each result", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Relu", 1, "relu">,
    I32EnumAttrCase<"GeluErf", 2, "gelu_erf">,
    I32EnumAttrCase<"GeluTanh", 3, "gelu_tanh">]> {
  let cppNamespace = "::coil::wrapper";
}

// The values are those of `coil_debug_action` in the runtime.
def Wrapper_DebugAction : I32EnumAttr<"DebugAction",
    "what is done with a value that is debugged", [
    I32EnumAttrCase<"Print", 0, "print">,
    I32EnumAttrCase<"Save", 1, "save">,
    I32EnumAttrCase<"NaN", 2, "nan">,
    I32EnumAttrCase<"Finite", 3, "finite">]> {
  let cppNamespace = "::coil::wrapper";
}

def Wrapper_DebugMoment : I32EnumAttr<"DebugMoment",
    "when a value is debugged", [
    I32EnumAttrCase<"Inputs", 0, "inputs">,
    I32EnumAttrCase<"Before", 1, "before">,
    I32EnumAttrCase<"After", 2, "after">,
    I32EnumAttrCase<"Outputs", 3, "outputs">]> {
  let cppNamespace = "::coil::wrapper";
}

// The values are those of `coil_lifetime_check` in the runtime.
def Wrapper_CheckMode : I32EnumAttr<"CheckMode",
    "what is checked of storage", [
    I32EnumAttrCase<"Begin", 0, "begin">,
    I32EnumAttrCase<"Alive", 1, "alive">,
    I32EnumAttrCase<"Exact", 2, "exact">]> {
  let cppNamespace = "::coil::wrapper";
}

/// How a user's kernel takes a parameter.
def Wrapper_ParamKind : I32EnumAttr<"ParamKind", "kind of a parameter", [
    I32EnumAttrCase<"Read", 0, "read">,
    I32EnumAttrCase<"Write", 1, "write">,
    I32EnumAttrCase<"Update", 2, "update">,
    I32EnumAttrCase<"Value", 3, "value">,
    I32EnumAttrCase<"One", 4, "one">,
    I32EnumAttrCase<"ConstExpr", 5, "constexpr">]> {
  let cppNamespace = "::coil::wrapper";
  let genSpecializedAttr = 0;
}

// The names are those that `coil::scatter` takes.
def Wrapper_ScatterReduce : I32EnumAttr<"ScatterReduce",
    "how scattered elements are combined", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Sum", 1, "sum">,
    I32EnumAttrCase<"Prod", 2, "prod">,
    I32EnumAttrCase<"Mean", 3, "mean">,
    I32EnumAttrCase<"AMax", 4, "amax">,
    I32EnumAttrCase<"AMin", 5, "amin">]> {
  let cppNamespace = "::coil::wrapper";
}

def Wrapper_ZeroMode : I32EnumAttr<"ZeroMode",
    "what is in a workspace", [
    I32EnumAttrCase<"Uninitialized", 0, "uninitialized">,
    I32EnumAttrCase<"OnCall", 1, "on_call">,
    I32EnumAttrCase<"PerGraph", 2, "per_graph">]> {
  let cppNamespace = "::coil::wrapper";
}

// The values are those of `coil_collective_kind` in the runtime.
def Wrapper_CollectiveKind : I32EnumAttr<"CollectiveKind",
    "what the ranks of a group do together", [
    I32EnumAttrCase<"AllReduce", 0, "all_reduce">,
    I32EnumAttrCase<"AllGather", 1, "all_gather">,
    I32EnumAttrCase<"ReduceScatter", 2, "reduce_scatter">,
    I32EnumAttrCase<"AllToAll", 3, "all_to_all">,
    I32EnumAttrCase<"Broadcast", 4, "broadcast">]> {
  let cppNamespace = "::coil::wrapper";
}

// The values are those of `coil_collective_reduce` in the runtime.
def Wrapper_CollectiveReduce : I32EnumAttr<"CollectiveReduce",
    "how the elements of ranks are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">,
    I32EnumAttrCase<"Avg", 1, "avg">,
    I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"Prod", 4, "prod">]> {
  let cppNamespace = "::coil::wrapper";
}

// The values are those of `coil_comm_kind` in the runtime.
def Wrapper_CommKind : I32EnumAttr<"CommKind",
    "what a group knows of memory", [
    I32EnumAttrCase<"Registered", 0, "registered">,
    I32EnumAttrCase<"Symmetric", 1, "symmetric">]> {
  let cppNamespace = "::coil::wrapper";
}

// The values of these are those of the driver's enums.
def Wrapper_TensorMapInterleave : I32EnumAttr<"TensorMapInterleave",
    "how channels of a tensor map are interleaved", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"B16", 1, "b16">,
    I32EnumAttrCase<"B32", 2, "b32">]> {
  let cppNamespace = "::coil::wrapper";
}

def Wrapper_TensorMapSwizzle : I32EnumAttr<"TensorMapSwizzle",
    "bytes that a tensor map exchanges in shared memory", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"B32", 1, "b32">,
    I32EnumAttrCase<"B64", 2, "b64">,
    I32EnumAttrCase<"B128", 3, "b128">]> {
  let cppNamespace = "::coil::wrapper";
}

def Wrapper_TensorMapPromotion : I32EnumAttr<"TensorMapPromotion",
    "bytes that the L2 cache fetches for a tensor map", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"B64", 1, "b64">,
    I32EnumAttrCase<"B128", 2, "b128">,
    I32EnumAttrCase<"B256", 3, "b256">]> {
  let cppNamespace = "::coil::wrapper";
}

def Wrapper_TensorMapFill : I32EnumAttr<"TensorMapFill",
    "what a tensor map reads out of bounds", [
    I32EnumAttrCase<"Zero", 0, "zero">,
    I32EnumAttrCase<"NaN", 1, "nan">]> {
  let cppNamespace = "::coil::wrapper";
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERENUMS_TD
