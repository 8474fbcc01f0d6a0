//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors on a command line: how tools spell inputs and print outputs.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_TENSORTEXT_H
#define COIL_SUPPORT_TENSORTEXT_H

#include "coil/Support/HostTensor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace coil {

/// The runtime's number of an element type by the name that IR uses, or
/// nothing. "i1" is another name for "bool".
std::optional<int32_t> parseDType(llvm::StringRef name);

/// Reads a tensor:
///
///   @x.npy            a file ("@-": the standard input)
///   5, -1.5, true     a scalar of type `scalarType`
///   2x3xi32=1 2 3 4 5 6      elements in row-major order; brackets and
///   2x3xi32=[[1 2 3][4 5 6]] commas separate like spaces
///   4xf32=0.5         one element for all
///   2x3xf16=@x.bin    the bytes of a file
///   i64=5             a scalar
llvm::Expected<HostTensor> parseTensor(llvm::StringRef text,
                                       int32_t scalarType = COIL_F32);

/// Prints "2x3xi32=[[1 2 3][4 5 6]]" with at most `maxElements` elements; what
/// is left out is "...". Floats have the digits that tell them apart.
void printTensor(llvm::raw_ostream &os, const coil_tensor &tensor,
                 int64_t maxElements = 1024);

} // namespace coil

#endif // COIL_SUPPORT_TENSORTEXT_H
