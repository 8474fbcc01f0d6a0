//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of products of many numbers.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_PRODUCTS_H
#define COIL_DIALECT_LOOP_ANALYSIS_PRODUCTS_H

#include "coil/Dialect/Loop/IR/Loop.h"

namespace coil::loop {

/// Whether all that reads the result rounds it to 16 bits or less: digits that
/// are cut off say nothing.
bool isCutOff(ReduceOp op);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_PRODUCTS_H
