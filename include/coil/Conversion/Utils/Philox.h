//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code of the random generator.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_UTILS_PHILOX_H
#define COIL_CONVERSION_UTILS_PHILOX_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <array>

namespace coil {

/// The four words of `loop.philox` for a key, a counter and a stream, all `i64`
/// or vectors of it.
std::array<mlir::Value, 4> emitPhilox(mlir::ImplicitLocOpBuilder &b,
                                      mlir::Value key, mlir::Value counter,
                                      mlir::Value stream);

/// Word number `number` of four, an `i64` or a vector of it, of which the last
/// two bits count.
mlir::Value selectWord(mlir::ImplicitLocOpBuilder &b,
                       const std::array<mlir::Value, 4> &words,
                       mlir::Value number);

} // namespace coil

#endif // COIL_CONVERSION_UTILS_PHILOX_H
