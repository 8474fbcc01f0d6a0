//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that move elements between devices, and what marks values of the host in
// functions for a device.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_TRANSFER_H
#define COIL_DIALECT_WRAPPER_IR_TRANSFER_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"

#define GET_OP_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperTransferOps.h.inc"

namespace coil::wrapper {

/// Names the device of an argument or result of a function that is not on the
/// function's own: `coil.device = "cpu"`.
inline constexpr llvm::StringLiteral kPlacedAttrName = "coil.device";

/// The device type by which a buffer is described to `coil_rt_transfer`: memory
/// that the host can access is the host's, whatever it is called.
int32_t getTransferType(const DeviceInfo &device);

/// Fails unless all buffers of a function that are on devices of one kind are
/// on one device: a run, which is what native programs and C++ have, is bound
/// to one of each kind.
mlir::LogicalResult checkOneOfEachKind(FuncOp fn);

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_IR_TRANSFER_H
