//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels as text.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TARGET_PTX_H
#define COIL_TARGET_PTX_H

namespace coil {

/// Registers the translations `kernels-to-ptx`, `kernels-to-sass` and
/// `kernels-to-resources` of modules whose kernels are lowered.
void registerPTXTranslations();

} // namespace coil

#endif // COIL_TARGET_PTX_H
