//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether events order all that streams do to a buffer.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_VERIFYSTREAMS_H
#define COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_VERIFYSTREAMS_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"

namespace coil::wrapper {

/// Checks the constraints of `wrapper-verify-memory` on streams.
mlir::LogicalResult verifyStreams(FuncOp fn);

} // namespace coil::wrapper

#endif // COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_VERIFYSTREAMS_H
