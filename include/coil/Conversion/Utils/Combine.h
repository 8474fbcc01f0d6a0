//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of a reduction, as every device computes it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_UTILS_COMBINE_H
#define COIL_CONVERSION_UTILS_COMBINE_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <utility>

namespace coil {

/// Combines two scalars, or two vectors lane by lane. A NaN wins a maximum and
/// a minimum.
mlir::Value combine(mlir::ImplicitLocOpBuilder &b, loop::ReduceKind kind,
                    mlir::Value x, mlir::Value y);

/// The better of two values with its position: `c` at `ci` where it is better
/// than `a` at `ai`, or as good and earlier. A NaN beats a number and ties with
/// a NaN. Positions are integers of any width.
std::pair<mlir::Value, mlir::Value> combineArg(mlir::ImplicitLocOpBuilder &b,
                                               loop::ReduceKind kind,
                                               mlir::Value a, mlir::Value ai,
                                               mlir::Value c, mlir::Value ci);

} // namespace coil

#endif // COIL_CONVERSION_UTILS_COMBINE_H
