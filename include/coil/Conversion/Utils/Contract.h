//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contracts of stages: a conversion to a level leaves nothing of another.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_UTILS_CONTRACT_H
#define COIL_CONVERSION_UTILS_CONTRACT_H

#include "mlir/Transforms/DialectConversion.h"

namespace coil {

/// Fails where an op in `root` (which is not looked at) is not legal for
/// `target`, with a diagnostic at each kind of op that says to which stage it
/// does not belong, and what would make it: "'linalg.matmul' op does not belong
/// to the stage 'loop': <hint>". Conversions of Coil that walk over the IR end
/// with this; it is what `applyFullConversion` demands, in words for users.
mlir::LogicalResult verifyStage(mlir::Operation *root,
                                const mlir::ConversionTarget &target,
                                llvm::StringRef stage, llvm::StringRef hint);

} // namespace coil

#endif // COIL_CONVERSION_UTILS_CONTRACT_H
