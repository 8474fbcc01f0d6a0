//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NumPy's .npy files. The reader takes nothing in a header on trust.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_NPY_H
#define COIL_SUPPORT_NPY_H

#include "coil/Support/HostTensor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace coil {

/// Reads an array: versions 1 to 3 of the format, either byte order, row- or
/// column-major (the result is row-major). Element types are those of the
/// runtime; bf16 is the two-byte void type that NumPy writes for it. Complex
/// numbers become a last dimension of their real and imaginary parts.
llvm::Expected<HostTensor> parseNpy(llvm::StringRef bytes);

/// Reads a file; "-" is the standard input.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path);

/// Writes version 1 of the format. Strides count elements. With `isComplex` the
/// last dimension is the parts of complex numbers.
llvm::Error writeNpy(llvm::raw_ostream &os, const coil_tensor &tensor,
                     bool isComplex = false);

/// Writes a file; "-" is the standard output.
llvm::Error writeNpy(llvm::StringRef path, const coil_tensor &tensor,
                     bool isComplex = false);

} // namespace coil

#endif // COIL_SUPPORT_NPY_H
