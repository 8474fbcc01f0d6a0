//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code of users that lies in files.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_USERKERNEL_H
#define COIL_DIALECT_WRAPPER_IR_USERKERNEL_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace coil::wrapper {

/// The attribute of a user's kernel that names a file with its PTX.
inline constexpr llvm::StringLiteral kPtxFileAttrName = "wrapper.ptx_file";

/// Puts the texts of files into the kernels that name them; names that are not
/// absolute begin at `folder`.
mlir::LogicalResult loadKernels(mlir::ModuleOp module, llvm::StringRef folder);

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_IR_USERKERNEL_H
