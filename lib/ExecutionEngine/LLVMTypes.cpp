//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LLVMTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

/// Whether LLVM has the type and values of it have a size.
static bool hasSize(Type type) {
  return LLVM::isCompatibleType(type) && LLVM::isLoadableType(type);
}

mlir::LogicalResult coil::verifyLLVMTypes(Operation *root) {
  WalkResult result = root->walk([&](Operation *op) {
    auto fail = [&](Type type) {
      op->emitOpError("has the type ")
          << type << ", which LLVM does not have here";
      return WalkResult::interrupt();
    };
    Type inMemory = TypeSwitch<Operation *, Type>(op)
                        .Case<LLVM::GEPOp, LLVM::AllocaOp>(
                            [](auto each) { return each.getElemType(); })
                        .Case<LLVM::GlobalOp>(
                            [](auto each) { return each.getGlobalType(); })
                        .Default([](Operation *) { return Type(); });
    if (inMemory && !hasSize(inMemory))
      return fail(inMemory);
    if (!isa<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    for (Type type : op->getResultTypes())
      if (!LLVM::isCompatibleType(type))
        return fail(type);
    // What arguments point to that are passed by value.
    auto function = dyn_cast<ArgAndResultAttrsOpInterface>(op);
    ArrayAttr arguments = function ? function.getArgAttrsAttr() : nullptr;
    if (!arguments)
      return WalkResult::advance();
    for (auto argument : arguments.getAsRange<DictionaryAttr>())
      for (NamedAttribute each : argument)
        if (auto type = dyn_cast<TypeAttr>(each.getValue());
            type && each.getName().strref().starts_with("llvm.") &&
            !hasSize(type.getValue()))
          return fail(type.getValue());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
