//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the `sym` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_SYM_IR_SYM_H
#define COIL_DIALECT_SYM_IR_SYM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace coil::sym {
class Proofs;
class ProofTable;
class ShapeAttr;
} // namespace coil::sym

#include "coil/Dialect/Sym/IR/SymDialect.h.inc"
#include "coil/Dialect/Sym/IR/SymEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "coil/Dialect/Sym/IR/SymAttributes.h.inc"

#define GET_OP_CLASSES
#include "coil/Dialect/Sym/IR/SymOps.h.inc"

#endif // COIL_DIALECT_SYM_IR_SYM_H
