//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes of coil-reduce.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REDUCER_PASSES_H
#define COIL_REDUCER_PASSES_H

#include "mlir/Pass/Pass.h"

namespace coil {

#define GEN_PASS_DECL
#include "coil/Reducer/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "coil/Reducer/Passes.h.inc"

} // namespace coil

#endif // COIL_REDUCER_PASSES_H
