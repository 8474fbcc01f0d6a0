//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowering of loop kernels to CPU code.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_LOOPTOCPU_LOOPTOCPU_H
#define COIL_CONVERSION_LOOPTOCPU_LOOPTOCPU_H

#include "coil/Dialect/Sym/IR/Sym.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/Pass/Pass.h"

namespace coil {

/// Status that a kernel returns when an index is out of range; everything else
/// that a kernel can detect would get further values.
inline constexpr int kKernelIndexOutOfRange = 1;

/// Where the buffers of a kernel keep their elements.
struct CPUKernelLayout {
  /// Element strides of every input, then of every output.
  llvm::SmallVector<llvm::SmallVector<sym::ExprAttr>> strides;
  /// Symbols in the order of the `symbols` argument.
  llvm::SmallVector<mlir::StringAttr> symbols;
};

#define GEN_PASS_DECL_CONVERTLOOPTOCPUPASS
#define GEN_PASS_DECL_CONVERTCPUKERNELTOLLVMPASS
#include "coil/Conversion/Passes.h.inc"

} // namespace coil

#endif // COIL_CONVERSION_LOOPTOCPU_LOOPTOCPU_H
