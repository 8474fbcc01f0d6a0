//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts of a target, and schedules that they make illegal.
//
//===----------------------------------------------------------------------===//

#include "GPUFacts.h"

#include "VectorForm.h"
#include "coil/Conversion/Utils/CodeTarget.h"
#include "coil/Dialect/Loop/Analysis/Clusters.h"

#include <algorithm>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

FailureOr<GPUFacts> GPUFacts::get(wrapper::KernelOp kernel) {
  GPUFacts facts;
  facts.target = getCodeTarget(kernel);
  struct {
    StringRef name;
    int64_t &value;
  } required[] = {{"multiprocessors", facts.multiprocessors},
                  {"warp_size", facts.warpSize},
                  {"block_threads", facts.blockThreads},
                  {"multiprocessor_threads", facts.threads},
                  {"multiprocessor_blocks", facts.blocks},
                  {"registers", facts.registers},
                  {"multiprocessor_shared_bytes", facts.sharedBytes},
                  {"shared_bytes", facts.blockSharedBytes},
                  {"static_shared_bytes", facts.staticSharedBytes}};
  for (auto &[name, value] : required) {
    FailureOr<int64_t> fact = facts.target.requireFact(kernel, name);
    if (failed(fact))
      return failure();
    value = *fact;
  }
  facts.reservedSharedBytes =
      facts.target.getFact("reserved_shared_bytes").value_or(0);
  return facts;
}

int64_t GPUFacts::countBlocks(int64_t blockThreads, int64_t bytes) const {
  return std::min(
      {blocks, threads / blockThreads,
       sharedBytes / std::max<int64_t>(1, bytes + reservedSharedBytes)});
}

LogicalResult loop::verifyGPUSchedule(KernelOp kernel, GPUScheduleAttr schedule,
                                      const GPUFacts &facts) {
  auto refuse = [&]() { return kernel.emitOpError("has a schedule with "); };
  auto target = static_cast<Attribute>(facts.target);
  int64_t threads = schedule.getThreadsP() * schedule.getThreadsR();
  if (threads > facts.blockThreads) // (C14)
    return refuse() << threads << " threads, but a block of " << target
                    << " has at most " << facts.blockThreads;
  int64_t minBlocks = schedule.getMinBlocks();
  if (minBlocks > facts.blocks || minBlocks * threads > facts.threads) // (C14)
    return refuse() << "'min_blocks' " << minBlocks << " of " << threads
                    << " threads, but an SM of " << target << " can hold "
                    << facts.blocks << " blocks and " << facts.threads
                    << " threads";
  // (C16)
  if (auto accumulations = kernel.getBlock()->getOps<AccumulateOp>();
      !accumulations.empty()) {
    int64_t vectorDim = schedule.getVectorDim();
    if (schedule.getStrategy() != GPUStrategy::Tile ||
        !schedule.getPersistent() || schedule.getItemsP() != 1 ||
        schedule.getAlignTo() >= 0 || schedule.getOwners() > 0 ||
        (vectorDim >= 0 &&
         !llvm::is_contained(kernel.getColumnDims(),
                             static_cast<unsigned>(vectorDim))))
      return kernel.emitOpError(
          "accumulates columns, which takes a schedule with 'persistent' of "
          "the "
          "strategy 'tile', with vectors along columns, one item along 'p' and "
          "neither 'align_to' nor 'owners'");
    auto rows = static_cast<int64_t>((*accumulations.begin()).getRows());
    if (rows % schedule.getThreadsP() != 0)
      return refuse() << schedule.getThreadsP()
                      << " rows at a time, which chunks of " << rows
                      << " rows are not a multiple of";
  }
  auto require = [&](StringRef what, StringRef feature) -> LogicalResult {
    if (facts.has(feature))
      return success();
    target::TargetAttrInterface described = facts.target;
    return refuse() << what << ", which needs the feature '" << feature
                    << "' of the target " << described.describeFeatures();
  };
  if (schedule.getCluster() > 1) { // (C17)
    if (failed(require("a 'cluster'", kClusters)))
      return failure();
    SmallVector<unsigned> over = getGPUReducedDims(kernel, /*ordered=*/false);
    if (!llvm::is_contained(over,
                            static_cast<unsigned>(schedule.getVectorDim())) ||
        !kernel.getColumnDims().empty())
      return refuse() << "a 'cluster' of " << schedule.getCluster()
                      << " blocks, which share a row: vectors go along a "
                         "reduced dimension, and no columns are accumulated";
  }
  MmaAttr mma = schedule.getMma();
  if (!mma)
    return success();
  // (C15)
  if (failed(require("the strategy 'mma'", "ptx")))
    return failure();
  if (mma.getInstruction() == MmaInstruction::Wgmma)
    return require("the instruction 'wgmma'", "wgmma");
  if (mma.getInstruction() != MmaInstruction::Fma)
    if (failed(require(("the instruction '" +
                        stringifyMmaInstruction(mma.getInstruction()) + "'")
                           .str(),
                       "matrix_units")))
      return failure();
  return mma.getAsync() ? require("'async'", "async_copies") : success();
}
