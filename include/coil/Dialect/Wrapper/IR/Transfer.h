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

/// Fails where a function would return storage of its own by an address in
/// the middle of it: who takes a result over knows no other.
mlir::LogicalResult checkHandedOver(mlir::OpOperand &result);

/// Which device a run, which is what native programs and C++ have, works on at
/// each op. A function begins and ends on the first device of a kind; a private
/// one that has buffers on another alone is called with that one selected.
class DeviceSelection {
public:
  explicit DeviceSelection(FuncOp fn);

  /// Fails where a step needs two devices of a kind at once, or a function two
  /// of a kind of which a run has one.
  mlir::LogicalResult verify();
  /// The device to select for an op, an argument or a result, and to leave
  /// after it; null for the one that is.
  DeviceAttr get(mlir::Operation *op) const;
  DeviceAttr get(mlir::Type type) const;
  DeviceAttr get(DeviceAttr device) const {
    return isSeveral && device.getIndex() != 0 && device != home ? device
                                                                 : DeviceAttr();
  }

private:
  FuncOp fn;
  /// Not null where all of a private function is on that one.
  DeviceAttr home;
  bool isSeveral = false;
};

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_IR_TRANSFER_H
