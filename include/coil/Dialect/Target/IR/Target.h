//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the `target` dialect, and how passes find their target.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_TARGET_IR_TARGET_H
#define COIL_DIALECT_TARGET_IR_TARGET_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include <cstdint>
#include <optional>
#include <string>

namespace coil::target {

/// The entry that lists features.
inline constexpr llvm::StringLiteral kFeaturesEntry = "features";

namespace detail {
std::optional<int64_t> findFact(mlir::DataLayoutEntryListRef entries,
                                llvm::StringRef name);
bool findFeature(mlir::DataLayoutEntryListRef entries, llvm::StringRef name);
} // namespace detail

// Upstream's interface names these without their namespace, in declarations
// that interfaces built on it get.
using mlir::DataLayoutEntryInterface;
using mlir::StringAttr;

} // namespace coil::target

#include "coil/Dialect/Target/IR/TargetInterfaces.h.inc"

#include "coil/Dialect/Target/IR/TargetDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "coil/Dialect/Target/IR/TargetAttributes.h.inc"

namespace coil::target {

/// The target of a text: that of the option `target`, see `parseTarget`. The
/// dialect has to be loaded, also for the following functions.
llvm::Expected<TargetAttrInterface> makeTarget(mlir::MLIRContext *context,
                                               llvm::StringRef text);

/// What the enclosing module says of a kind of device; without, what the kind
/// takes for modules that say nothing. Null for a kind that is not registered.
TargetAttrInterface getTarget(mlir::Operation *op, llvm::StringRef kind);

/// The target that the program as a whole is for: the first one of the module.
/// Without, that of the option `target` without a value.
TargetAttrInterface getProgramTarget(mlir::Operation *op);

} // namespace coil::target

#endif // COIL_DIALECT_TARGET_IR_TARGET_H
