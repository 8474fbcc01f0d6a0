//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions that go through oneDNN's primitives.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CONTRACTION_H
#define COIL_LIB_RUNTIME_CONTRACTION_H

#include "OneDNN.h"

#include "coil/Runtime/Library.h"

namespace coil::rt {

/// Runs a non-empty contraction of types that sgemm does not take.
int32_t contractByPrimitive(coil_run *run, const OneDNN &dnnl,
                            const coil_contraction &desc, const void *a,
                            const void *b, const void *bias, void *c);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_CONTRACTION_H
