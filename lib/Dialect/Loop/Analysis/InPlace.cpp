//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which results of a kernel may be written over which operands.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/InPlace.h"

#include "coil/Dialect/Graph/IR/Uninitialized.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

static ExprAttr getAddress(const sym::Context &facts, sym::ShapeAttr indices,
                           sym::ShapeAttr strides) {
  ExprAttr address = sym::constant(indices.getContext(), 0);
  for (auto [i, s] : llvm::zip(indices.getDims(), strides.getDims()))
    address = sym::add(address, sym::mul(i, s));
  return facts.simplify(address);
}

static unsigned getBytes(Type tensor) {
  Type element = cast<RankedTensorType>(tensor).getElementType();
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

std::optional<unsigned> coil::loop::getInPlaceTarget(ScatterOp scatter) {
  auto target = cast<BlockArgument>(scatter.getTarget());
  if (!target.hasOneUse())
    return std::nullopt;
  return target.getArgNumber();
}

SmallVector<std::pair<unsigned, unsigned>>
coil::loop::getInPlacePairs(KernelOp kernel,
                            ArrayRef<sym::ShapeAttr> inputStrides,
                            ArrayRef<sym::ShapeAttr> outputStrides) {
  sym::Context facts = sym::Context::forOp(kernel);
  facts.setDimExtents(kernel.getDims().getDims());
  // The address at which each operand is read, null when there are several,
  // and the last read of each.
  unsigned numInputs = static_cast<unsigned>(kernel.getInputs().size());
  SmallVector<ExprAttr> addresses(numInputs);
  SmallVector<bool> single(numInputs, true);
  SmallVector<unsigned> lastRead(numInputs, 0);
  SmallVector<std::pair<StoreOp, unsigned>> stores;
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  for (ScatterOp scatter : kernel.getBlock()->getOps<ScatterOp>())
    if (std::optional<unsigned> i = getInPlaceTarget(scatter))
      pairs.push_back({*i, static_cast<unsigned>(scatter.getOutput())});
  unsigned position = 0;
  for (Operation &op : *kernel.getBlock()) {
    ++position;
    // Several loops over the points.
    if (isReduction(&op))
      return pairs;
    if (auto store = dyn_cast<StoreOp>(op))
      stores.push_back({store, position});
    // Other points read the same rows.
    if (auto sum = dyn_cast<SegmentSumOp>(op))
      for (Value tensor : {sum.getSource(), sum.getPositions()})
        if (tensor)
          single[cast<BlockArgument>(tensor).getArgNumber()] = false;
    auto load = dyn_cast<LoadOp>(op);
    if (!load)
      continue;
    unsigned i = cast<BlockArgument>(load.getSource()).getArgNumber();
    ExprAttr address =
        getAddress(facts, load.getIndicesAttr(), inputStrides[i]);
    single[i] &=
        load.getArgs().empty() && (!addresses[i] || addresses[i] == address);
    addresses[i] = address;
    lastRead[i] = position;
  }

  for (auto [store, stored] : stores) {
    unsigned o = static_cast<unsigned>(store.getOutput());
    ExprAttr address =
        getAddress(facts, store.getIndicesAttr(), outputStrides[o]);
    // A kernel writes all elements of a result; with as many points as elements
    // each point has an element of its own, which no other one reads.
    auto type = cast<RankedTensorType>(kernel.getResult(o).getType());
    ExprAttr points =
        sym::product(kernel.getContext(), kernel.getDims().getDims());
    if (!facts.simplify(sym::sub(points, sym::getNumElements(type)))
             .isConstant(0))
      continue;
    for (unsigned i = 0; i < numInputs; ++i)
      if (single[i] && addresses[i] == address && lastRead[i] < stored &&
          getBytes(kernel.getInputs()[i].getType()) ==
              getBytes(kernel.getResult(o).getType()))
        pairs.push_back({i, o});
  }
  return pairs;
}

/// Whether a kernel only writes to the operand.
static bool isWrittenAlone(OpOperand &use) {
  auto kernel = dyn_cast<KernelOp>(use.getOwner());
  return kernel &&
         llvm::all_of(
             kernel.getBlock()->getArgument(use.getOperandNumber()).getUsers(),
             [](Operation *user) {
               auto scatter = dyn_cast<ScatterOp>(user);
               return scatter && !scatter.getKind();
             });
}

bool loop::isUninitialized(KernelOp kernel) {
  return kernel->hasAttr(kUninitializedAttrName) &&
         kernel.getInputs().empty() && kernel->getNumResults() == 1 &&
         llvm::all_of(kernel->getUses(), [](OpOperand &use) {
           Operation *user = use.getOwner();
           return isWrittenAlone(use) ||
                  (user->hasTrait<OpTrait::ReturnLike>() &&
                   isa<FunctionOpInterface>(user->getParentOp()));
         });
}
