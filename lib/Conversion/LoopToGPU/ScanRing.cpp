//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of a scan whose tiles pass through a ring in shared memory.
//
//===----------------------------------------------------------------------===//

#include "ScanRing.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Tiles for which there is room to say what each combined.
static constexpr int64_t kMaxTiles = int64_t(1) << 20;

/// The only scan of the body, if its value fits into a word with a mark.
static ScanOp findScan(KernelOp kernel, std::string &why) {
  ScanOp found;
  for (Operation &op : *kernel.getBlock()) {
    auto scan = dyn_cast<ScanOp>(op);
    if (!scan && !isa<ArgScanOp>(op))
      continue;
    if (found || !scan) {
      why = "it has more than one scan, or one with positions";
      return {};
    }
    found = scan;
  }
  if (!found)
    why = "it scans nothing";
  else if (found.getType().getIntOrFloatBitWidth() > 32)
    why = "its scan is of more than 32 bits";
  else
    return found;
  return {};
}

/// The only load that the scan's operand varies with along `dim`.
static LoadOp findLoad(KernelOp kernel, ScanOp scan, unsigned dim,
                       std::string &why) {
  DimDependence dependence(kernel);
  LoadOp found;
  SmallVector<Operation *> stack = {scan};
  DenseSet<Operation *> seen;
  while (!stack.empty())
    for (Value v : stack.pop_back_val()->getOperands()) {
      Operation *def = v.getDefiningOp();
      if (!def || !seen.insert(def).second)
        continue;
      stack.push_back(def);
      auto load = dyn_cast<LoadOp>(def);
      if (!load || !dependence[load.getResult()].test(dim))
        continue;
      if (found) {
        why = "its scan is of more than one load";
        return {};
      }
      found = load;
    }
  if (!found)
    why = "its scan is of no load";
  else if (found.getMask() || !found.getArgs().empty())
    why = "what its scan loads has a mask, or an address that is loaded";
  else
    return found;
  return {};
}

std::optional<ScanRing>
ScanRing::match(KernelOp kernel, const GPUKernelLayout &layout,
                const VectorForm &form, int64_t vectorDim, int64_t width,
                int64_t tile, const GPUFacts &facts, std::string &why) {
  auto refuse = [&](const Twine &reason) {
    why = reason.str();
    return std::nullopt;
  };
  if (!facts.has(kBulkCopies)) {
    target::TargetAttrInterface target = facts.target;
    return refuse("copies that one thread starts need the feature '" +
                  kBulkCopies + "' of the target " + target.describeFeatures());
  }
  ScanRing ring;
  ring.scan = findScan(kernel, why);
  if (!ring.scan)
    return std::nullopt;
  MLIRContext *ctx = kernel.getContext();
  ExprAttr one = sym::constant(ctx, 1);
  ExprAttr row = one, rows = one;
  // Behind the dimensions comes the lane.
  ArrayRef<ExprAttr> extents =
      form.getContext().getDimExtents().take_front(kernel.getNumDims());
  SmallVector<unsigned> reduced = kernel.getReducedDims();
  bool isAlong = width > 1;
  for (auto [d, extent] : llvm::enumerate(extents)) {
    bool isReduced = llvm::is_contained(reduced, static_cast<unsigned>(d));
    isAlong &= isReduced == (static_cast<int64_t>(d) == vectorDim) ||
               (isReduced && extent.isConstant(1));
    ExprAttr &total = isReduced ? row : rows;
    total = sym::mul(total, extent);
  }
  if (!isAlong)
    return refuse("vectors do not go along the only dimension that it scans "
                  "over");

  unsigned dim = static_cast<unsigned>(vectorDim);
  ring.load = findLoad(kernel, ring.scan, dim, why);
  if (!ring.load)
    return std::nullopt;
  LaneAddress address = form.getAddress(ring.load);
  int64_t bytes = std::max(1u, ring.load.getType().getIntOrFloatBitWidth() / 8);
  unsigned number = cast<BlockArgument>(ring.load.getSource()).getArgNumber();
  ring.rowBegin = sym::substitute(address.base, [&](ExprAttr leaf) {
    return leaf == sym::dim(ctx, dim) ? sym::constant(ctx, 0) : ExprAttr();
  });
  if (!address.isContiguous())
    return refuse("what it loads is not contiguous along its rows");
  if (layout.alignment[number] % kCopyBytes != 0 ||
      (bytes < kCopyBytes && !isDivisible(ring.rowBegin, kCopyBytes / bytes)))
    return refuse("its rows do not begin at multiples of " + Twine(kCopyBytes) +
                  " bytes");

  ring.tilesOfRow = sym::ceilDiv(row, sym::constant(ctx, tile));
  ring.tiles = sym::mul(rows, ring.tilesOfRow);
  ring.mostTiles = form.getContext().bounds(ring.tiles).hi;
  if (ring.mostTiles > kMaxTiles)
    return refuse("it may have more than " + Twine(kMaxTiles) + " tiles");
  return ring;
}
