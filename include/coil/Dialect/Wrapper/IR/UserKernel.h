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

/// \name Functions of files with kernels for operators (wrapper-map-operators)
/// @{
/// The operator of a framework that a function is for: "mylib::rms_norm".
inline constexpr llvm::StringLiteral kOperatorAttrName = "wrapper.operator";
/// Arguments of the operator that a function is for one value of, by name.
inline constexpr llvm::StringLiteral kWhenAttrName = "wrapper.when";
/// On a launch: arguments of the operator, by name, and the number of the
/// launch's argument that they replace.
inline constexpr llvm::StringLiteral kNumbersAttrName = "wrapper.numbers";
/// @}

/// Puts the texts of files into the kernels that name them; names that are not
/// absolute begin at `folder`.
mlir::LogicalResult loadKernels(mlir::ModuleOp module, llvm::StringRef folder);

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_IR_USERKERNEL_H
