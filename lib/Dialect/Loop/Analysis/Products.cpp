//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;

bool loop::isCutOff(ReduceOp op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<arith::TruncFOp>(user) &&
           user->getResult(0).getType().getIntOrFloatBitWidth() <= 16;
  });
}
