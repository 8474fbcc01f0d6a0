//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The signature of a program as JSON: names, element types, sizes, weights and
// the ranges of symbols. This is what the C API and coil-translate show.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TARGET_SIGNATUREJSON_H
#define COIL_TARGET_SIGNATUREJSON_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace coil {

class Signature;
struct SymbolSpec;
struct TensorSpec;

/// \returns {"inputs": [...], "outputs": [...], "symbols": [...]}. A size is
/// an integer, or a string when symbols occur in it.
llvm::json::Value toJSON(const Signature &signature);

/// The same for some of the inputs.
llvm::json::Value toJSON(llvm::ArrayRef<TensorSpec> inputs,
                         llvm::ArrayRef<TensorSpec> outputs,
                         llvm::ArrayRef<SymbolSpec> symbols);

/// Registers the translation `signature-to-json`: the signature of the
/// function `main` or `coil_main` of a module at any level.
void registerSignatureTranslation();

} // namespace coil

#endif // COIL_TARGET_SIGNATUREJSON_H
