//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_ROUNDINGS_H
#define COIL_DIALECT_LOOP_ANALYSIS_ROUNDINGS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace coil::loop {

/// Whether `type` holds each value that the float `v` can have, NaNs aside, so
/// that a rounding to it changes nothing: `v` comes from values of `type` by
/// operations that choose, move the sign, or make integers of them.
bool isRepresentable(mlir::Value v, mlir::FloatType type);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_ROUNDINGS_H
