//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts ops of a host program into a region that runs where it is.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_INPLACEREGION_H
#define COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_INPLACEREGION_H

#include "mlir/IR/Builders.h"

namespace coil::wrapper {

/// Moves the ops from `first` to `last`, of one block, into the region of the
/// op that `create` makes with the types of its results: what is used behind.
/// The region owns what it makes, so views are made again behind it.
void wrapInPlace(
    mlir::Operation *first, mlir::Operation *last,
    llvm::function_ref<mlir::Operation *(mlir::OpBuilder &, mlir::TypeRange)>
        create);

} // namespace coil::wrapper

#endif // COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_INPLACEREGION_H
