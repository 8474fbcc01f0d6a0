//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans whose blocks stay: what they read comes to a ring of tiles in shared
// memory, by copies that one thread starts, see EmitScanRing.cpp. Such copies
// are of whole chunks at aligned addresses, so a kernel must have the form for
// it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_SCANRING_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_SCANRING_H

#include "GPUFacts.h"
#include "VectorForm.h"

#include <optional>
#include <string>

namespace coil::loop {

/// Address and size of a copy that one thread starts are multiples of this.
inline constexpr int64_t kCopyBytes = 16;
/// What a target has that has such copies.
inline constexpr llvm::StringLiteral kBulkCopies = "bulk_copies";

struct ScanRing {
  ScanOp scan;
  /// What the scan is computed from along its row.
  LoadOp load;
  /// Where a row begins, in elements of the load's buffer.
  sym::ExprAttr rowBegin;
  /// Tiles of a row, of all rows, and how many these can be.
  sym::ExprAttr tilesOfRow, tiles;
  int64_t mostTiles;

  /// `form` has the vectors of the schedule along `vectorDim`, `tile` of which
  /// are a tile. `why` receives the reason of a refusal.
  static std::optional<ScanRing>
  match(KernelOp kernel, const GPUKernelLayout &layout, const VectorForm &form,
        int64_t vectorDim, int64_t width, int64_t tile, const GPUFacts &facts,
        std::string &why);
};

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_SCANRING_H
