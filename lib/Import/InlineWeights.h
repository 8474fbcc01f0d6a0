//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights that become constants of a module.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_IMPORT_INLINEWEIGHTS_H
#define COIL_LIB_IMPORT_INLINEWEIGHTS_H

#include "coil/Import/Import.h"

#include "llvm/ADT/StringSet.h"

namespace coil::import {

/// Makes constants of the arguments of `@main` that are the weights of the
/// given names, or all weights if `names` is null.
llvm::Error inlineWeights(mlir::ModuleOp module, const WeightStore &weights,
                          const llvm::StringSet<> *names);

} // namespace coil::import

#endif // COIL_LIB_IMPORT_INLINEWEIGHTS_H
