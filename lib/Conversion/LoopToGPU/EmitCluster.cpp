//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of several blocks. Where a row is too long for the registers of one
// block, the blocks of a cluster have a part of it each. What a part combines
// to, each block writes into the shared memory of all of them, at a place of
// its own; behind the barrier of the cluster every thread combines the parts in
// the same order. No place is written twice, so nobody waits before a write,
// and nobody writes to a block that has ended: all have been at the barrier
// behind the last write.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

void GPUKernelEmitter::enterCluster() {
  clusterRank = NVVM::ClusterId::create(b, b.getI32Type());
  rowThread = arith::AddIOp::create(
      b, arith::MulIOp::create(b, clusterRank, constantI32(threadsR)), threadR);
  // Blocks begin at any time, and only one that has begun may be written to.
  NVVM::ClusterArriveRelaxedOp::create(b, UnitAttr());
  awaitsCluster = true;
}

void GPUKernelEmitter::reduceCluster(MutableArrayRef<Partial> partials) {
  Type shared = LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  Type remote = LLVM::LLVMPointerType::get(
      b.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  if (awaitsCluster)
    NVVM::ClusterWaitOp::create(b, UnitAttr());
  awaitsCluster = false;
  // A place for each block in each of them, of what differs between blocks.
  struct Places {
    Value *part;
    Type memory;
    int64_t offset;
    unsigned bytes;
  };
  SmallVector<Places> all;
  for (Partial &partial : partials)
    for (Values &item : partial.items)
      for (Value &part : item) {
        if (!partial.isSum && isConstant(part))
          continue;
        Type memory = getMemoryType(part.getType());
        unsigned bytes = memory.getIntOrFloatBitWidth() / 8;
        all.push_back({&part, memory, sharedBytes, bytes});
        sharedBytes += static_cast<int64_t>(
            llvm::alignTo(static_cast<uint64_t>(cluster * bytes), 16));
      }
  // The base must not be created inside of the branch.
  SmallVector<Value> own;
  for (const Places &places : all)
    own.push_back(sharedPointer(places.offset, places.memory, clusterRank));
  Value thread = emitThreadId();
  Value writes = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread,
                                       constantI32(cluster));
  (void)emitIf(writes, [&]() {
    for (auto [places, pointer] : llvm::zip_equal(all, own)) {
      assert(pointer.getType() == shared);
      Value there = NVVM::MapaOp::create(b, remote, pointer, thread);
      LLVM::StoreOp::create(b, toMemory(*places.part), there, places.bytes);
    }
    return success();
  });
  NVVM::ClusterArriveOp::create(b, UnitAttr());
  NVVM::ClusterWaitOp::create(b, UnitAttr());
  auto next = all.begin();
  for (Partial &partial : partials) {
    b.setLoc(partial.op->getLoc());
    for (Values &item : partial.items) {
      SmallVector<Values> blocks(static_cast<size_t>(cluster));
      for (Value &part : item) {
        if (next == all.end() || next->part != &part) {
          for (Values &each : blocks)
            each.push_back(part);
          continue;
        }
        for (auto [number, each] : llvm::enumerate(blocks)) {
          Value pointer =
              sharedPointer(next->offset, next->memory,
                            constantI32(static_cast<int64_t>(number)));
          Value v = LLVM::LoadOp::create(b, next->memory, pointer, next->bytes);
          each.push_back(fromMemory(v, part.getType()));
        }
        ++next;
      }
      item = combineTree(partial, std::move(blocks));
    }
  }
}
