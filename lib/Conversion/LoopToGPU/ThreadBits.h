//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on the bits of thread numbers and of places in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_THREADBITS_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_THREADBITS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace coil::loop {

/// Arithmetic on thread numbers, which are i32 and not negative.
class Bits {
public:
  Bits(mlir::ImplicitLocOpBuilder &b) : b(b) {}
  mlir::Value shl(mlir::Value x, int64_t by) {
    return by == 0
               ? x
               : mlir::arith::ShLIOp::create(b, x, constant(by)).getResult();
  }
  mlir::Value shr(mlir::Value x, int64_t by) {
    return by == 0
               ? x
               : mlir::arith::ShRUIOp::create(b, x, constant(by)).getResult();
  }
  mlir::Value low(mlir::Value x, int64_t size) {
    return mlir::arith::AndIOp::create(b, x, constant(size - 1));
  }
  mlir::Value join(mlir::Value x, mlir::Value y) {
    return mlir::arith::OrIOp::create(b, x, y);
  }
  mlir::Value flip(mlir::Value x, mlir::Value y) {
    return mlir::arith::XOrIOp::create(b, x, y);
  }
  mlir::Value flip(mlir::Value x, int64_t y) {
    return y == 0 ? x : flip(x, constant(y));
  }
  mlir::Value constant(int64_t x) {
    return mlir::arith::ConstantIntOp::create(b, b.getI32Type(), x);
  }

private:
  mlir::ImplicitLocOpBuilder &b;
};

/// The bytes of shared memory that one thread uses: those of its first element,
/// and how others are found from there.
class Places {
public:
  template <typename PlaceFn>
  Places(int64_t numThreads, PlaceFn placeOfThread) {
    for (int64_t bit = 1; bit < numThreads; bit *= 2)
      used |= placeOfThread(bit);
  }
  mlir::Value first;
  /// Splits a constant distance into what must be flipped in `first` and what
  /// can be added to it.
  std::pair<int64_t, int64_t> split(int64_t by) const {
    return {by & used, by & ~used};
  }

private:
  /// Bits that depend on the thread.
  int64_t used = 0;
};

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_THREADBITS_H
