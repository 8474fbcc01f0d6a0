//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers every pass and pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_INITALLPASSES_H
#define COIL_INITALLPASSES_H

namespace coil {

/// Registers every pass and pipeline.
void registerAllPasses();

} // namespace coil

#endif // COIL_INITALLPASSES_H
