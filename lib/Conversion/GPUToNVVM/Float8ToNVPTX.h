//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions from and to floats of 8 bits as instructions.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_GPUTONVVM_FLOAT8TONVPTX_H
#define COIL_LIB_CONVERSION_GPUTONVVM_FLOAT8TONVPTX_H

#include "mlir/IR/PatternMatch.h"

namespace coil {

/// What a target has that has instructions for floats of 8 bits.
constexpr llvm::StringLiteral kFloat8Conversions = "float8_conversions";

/// Adds patterns that convert two elements by one instruction, exactly as the
/// expansion to operations on bits does, which takes what these leave.
void populateFloat8ToNVPTXPatterns(mlir::RewritePatternSet &patterns);

} // namespace coil

#endif // COIL_LIB_CONVERSION_GPUTONVVM_FLOAT8TONVPTX_H
