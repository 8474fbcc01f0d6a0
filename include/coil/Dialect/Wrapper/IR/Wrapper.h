//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the `wrapper` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPER_H
#define COIL_DIALECT_WRAPPER_IR_WRAPPER_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/CallArguments.h"
#include "coil/Dialect/Sym/IR/Sym.h"
#include "coil/Dialect/Wrapper/IR/Device.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringMap.h"

#include "coil/Dialect/Wrapper/IR/WrapperDialect.h.inc"
#include "coil/Dialect/Wrapper/IR/WrapperEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperTypes.h.inc"

namespace coil::wrapper {

/// Trait of ops whose results have layouts that are data-dependent.
template <typename ConcreteOp>
class GivesLayouts : public mlir::OpTrait::TraitBase<ConcreteOp, GivesLayouts> {
};

/// The device of the buffers of an op, the CPU if it has none.
DeviceAttr getCallDevice(mlir::Operation *op);

} // namespace coil::wrapper

#include "coil/Dialect/Wrapper/IR/WrapperInterfaces.h.inc"

namespace coil::wrapper {
class ProfileRangeOp; // In WrapperRuntime.h; `wrapper.yield` ends its region.
} // namespace coil::wrapper

#define GET_OP_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperOps.h.inc"

namespace coil::wrapper {

/// The attribute of a step that holds a `#wrapper.cost`.
inline constexpr llvm::StringLiteral kCostAttrName = "wrapper.cost";

/// Marks an argument of a function whose storage the function owns.
inline constexpr llvm::StringLiteral kConsumedAttrName = "wrapper.consumed";

/// Marks an argument of a function that is memory for a result.
inline constexpr llvm::StringLiteral kDestinationAttrName =
    "wrapper.destination";

/// Marks a function that C++ gets with arrays for arguments.
inline constexpr llvm::StringLiteral kArrayEntryAttrName =
    "wrapper.array_entry";

/// Host state that symbols are, for ops that bind one.
struct SymbolResource : mlir::SideEffects::Resource::Base<SymbolResource> {
  llvm::StringRef getName() final { return "<symbols>"; }
};

/// Whatever host functions do outside of the program.
struct HostResource : mlir::SideEffects::Resource::Base<HostResource> {
  llvm::StringRef getName() final { return "<host functions>"; }
};

/// Where the output of debugging goes.
struct DebugResource : mlir::SideEffects::Resource::Base<DebugResource> {
  llvm::StringRef getName() final { return "<debug output>"; }
};

/// Whether a value is the result of an op whose results have layouts that only
/// a run knows.
bool hasRunLayout(mlir::Value v);

/// The symbols that an op binds for the ops after it.
llvm::SmallVector<llvm::StringRef> getBoundSymbols(mlir::Operation *op);

/// Whether `v` is the address at which its storage begins, under another type
/// perhaps.
bool isAtStorage(mlir::Value v);

/// The buffer that owns the storage of `buffer`: views are looked through.
mlir::Value getStorage(mlir::Value buffer);

/// The op that carved the storage of `buffer` from a pool, perhaps for a buffer
/// that handed it over; null for other storage.
PoolAllocOp getCarving(mlir::Value buffer);

/// What allocated storage for a process group; null for other storage.
CommAllocOp getCommAlloc(mlir::Value buffer);

/// Whether storage has to end in the block that made it: it is part of a pool,
/// or belongs to a process group.
bool staysInBlock(mlir::Value buffer);

/// Whether an op does nothing but end the life of storage.
bool endsStorage(mlir::Operation *op);

/// What the function of a partition binds at its begin; null for others.
ParamSymbolsOp getParamSymbols(FuncOp fn);

/// The device of a buffer or a pool.
DeviceAttr getDevice(mlir::Type type);

/// The alignment of a device's memory, for what is not registered that of the
/// host.
int64_t getAlignment(DeviceAttr device);

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPER_H
