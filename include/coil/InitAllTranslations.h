//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers every translation that coil-translate offers.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_INITALLTRANSLATIONS_H
#define COIL_INITALLTRANSLATIONS_H

namespace coil {

/// Registers the translations of Coil's own formats and the ones from and to
/// LLVM IR.
void registerAllTranslations();

} // namespace coil

#endif // COIL_INITALLTRANSLATIONS_H
