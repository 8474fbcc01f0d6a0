//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces through which operations say what they compute.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_INTERFACES_REFERENCEINTERFACE_H
#define COIL_INTERFACES_REFERENCEINTERFACE_H

#include "coil/Reference/Tensor.h"
#include "mlir/IR/OpDefinition.h"

namespace coil::reference {
class Frame;

/// Computes a scalar operation. Sets `undefined` when the operation has
/// undefined behaviour for these operands.
using ScalarFunction = Scalar (*)(Scalar x, Scalar y, Scalar z,
                                  bool &undefined);
} // namespace coil::reference

#include "coil/Interfaces/ReferenceInterface.h.inc"

#endif // COIL_INTERFACES_REFERENCEINTERFACE_H
