//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a reduction reduces, computed by a kernel of its own.
//
//===----------------------------------------------------------------------===//

#include "ReduceApart.h"

#include "KernelMerge.h"
#include "coil/Dialect/Loop/Analysis/Phases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

SmallVector<Value> coil::loop::getReducedElements(KernelOp kernel) {
  DimDependence dependence(kernel);
  llvm::SetVector<Value> found;
  Phases phases(kernel);
  for (Operation &op : *kernel.getBlock()) {
    if (!isReduction(&op) || phases[&op] != 0)
      continue;
    Value value = op.getOperand(0);
    // The narrower type is what is stored.
    if (auto widened = value.getDefiningOp<arith::ExtFOp>())
      value = widened.getIn();
    Operation *def = value.getDefiningOp();
    bool isEach = true;
    for (unsigned d = 0; d < kernel.getNumDims(); ++d)
      isEach &= dependence[value][d] || kernel.getExtent(d).isConstant(1);
    if (def && !isa<LoadOp, IndexOp>(def) && isEach &&
        value.getType().isIntOrFloat())
      found.insert(value);
  }
  return found.takeVector();
}

ReducedApart coil::loop::reduceApart(KernelOp kernel, Value elements) {
  MLIRContext *ctx = kernel.getContext();
  OpBuilder b(kernel);
  SmallVector<unsigned> reduced = kernel.getReducedDims();
  SmallVector<sym::ExprAttr> sizes, index;
  for (bool inner : {false, true})
    for (unsigned d = 0; d < kernel.getNumDims(); ++d)
      if (llvm::is_contained(reduced, d) == inner) {
        sizes.push_back(kernel.getExtent(d));
        index.push_back(sym::dim(ctx, d));
      }
  auto type = sym::getTensorType(sizes, elements.getType());

  ReducedApart apart;
  apart.elements = KernelOp::create(
      b, kernel.getLoc(), (kernel.getName() + "_elements").str(),
      kernel.getDims().getDims(), kernel.getInputs(), TypeRange(type));
  {
    llvm::SetVector<Operation *> needed;
    needed.insert(elements.getDefiningOp());
    for (size_t i = 0; i < needed.size(); ++i)
      for (Value v : needed[i]->getOperands())
        if (Operation *def = v.getDefiningOp())
          needed.insert(def);
    OpBuilder body = OpBuilder::atBlockEnd(apart.elements.getBlock());
    IRMapping mapping;
    mapping.map(kernel.getBody().getArguments(),
                apart.elements.getBody().getArguments());
    for (Operation &op : *kernel.getBlock())
      if (needed.contains(&op))
        body.clone(op, mapping);
    StoreOp::create(body, elements.getLoc(), mapping.lookup(elements), 0,
                    sym::ShapeAttr::get(ctx, index));
    dropUnusedInputs(apart.elements);
  }

  SmallVector<Value> inputs(kernel.getInputs());
  inputs.push_back(apart.elements.getResult(0));
  apart.rest = KernelOp::create(b, kernel.getLoc(), kernel.getName(),
                                kernel.getDims().getDims(), inputs,
                                kernel->getResultTypes());
  OpBuilder body = OpBuilder::atBlockEnd(apart.rest.getBlock());
  IRMapping mapping;
  mapping.map(kernel.getBody().getArguments(),
              apart.rest.getBody().getArguments().drop_back());
  for (Operation &op : *kernel.getBlock()) {
    if (&op == elements.getDefiningOp())
      mapping.map(elements,
                  LoadOp::create(body, elements.getLoc(),
                                 apart.rest.getBody().getArguments().back(),
                                 index)
                      .getResult());
    else
      body.clone(op, mapping);
  }
  dropUnusedOps(apart.rest);
  return apart;
}
