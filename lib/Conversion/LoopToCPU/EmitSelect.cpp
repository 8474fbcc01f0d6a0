//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choices by position of a CPU kernel: what only one side needs is computed,
// and what is under a mask is loaded, in a branch that vectors take of which at
// least one lane goes that way.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

void KernelEmitter::findArms() {
  arms.emplace(kernel, [&](Operation *op, Operation *user) {
    if (kept.contains(op) || phases.isInner(op) != phases.isInner(user))
      return false;
    return phases.isInner(op) || phases[op] == phases[user];
  });
}

LogicalResult KernelEmitter::emitStep(Operation *op) {
  if (arms->contains(op))
    return success();
  return emitWithArms(op);
}

LogicalResult KernelEmitter::emitWithArms(Operation *op) {
  for (const SelectArm &arm : arms->get(op))
    if (failed(emitArm(arm)))
      return failure();
  return emitOp(op);
}

Value KernelEmitter::emitAny(Value condition, bool isTrue) {
  Value any;
  for (Value each : Copies(lookup(condition))) {
    if (!isTrue) {
      Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
      each =
          arith::XOrIOp::create(b, each, isVector(each) ? broadcast(yes) : yes);
    }
    any = any ? arith::OrIOp::create(b, any, each).getResult() : each;
  }
  if (isVector(any))
    any = vector::ReductionOp::create(b, vector::CombiningKind::OR, any);
  return any;
}

LogicalResult KernelEmitter::emitArm(const SelectArm &arm) {
  Location loc = b.getLoc();
  Value any = emitAny(arm.condition, arm.isTrue);
  Value value = arm.value;
  Type type = value.getType();
  unsigned n = 1;
  if (variesOverVector(value)) {
    type = VectorType::get(width, type);
    n = copies;
  }
  auto branch = scf::IfOp::create(b, SmallVector<Type>(n, type), any,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (Operation *op : arm.ops)
      if (!onceATask.contains(op) && failed(emitWithArms(op)))
        return failure();
    SmallVector<Value> results;
    for (unsigned copy = 0; copy < n; ++copy) {
      Value v = lookup(value, copy);
      results.push_back(isa<VectorType>(type) ? broadcast(v) : v);
    }
    b.setLoc(loc);
    scf::YieldOp::create(b, results);
    // No lane takes them.
    b.setInsertionPointToStart(branch.elseBlock());
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    scf::YieldOp::create(b, SmallVector<Value>(n, zero));
  }
  values[value] =
      Copies(branch.getResults().begin(), branch.getResults().end());
  return success();
}

LogicalResult KernelEmitter::emitMaskedLoad(LoadOp load) {
  Value any = emitAny(load.getMask(), /*isTrue=*/true);
  Type type = load.getType();
  unsigned n = 1;
  if (variesOverVector(load.getResult())) {
    type = VectorType::get(width, type);
    n = copies;
  }
  auto branch = scf::IfOp::create(b, SmallVector<Type>(n, type), any,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  if (failed(emitLoad(load)))
    return failure();
  scf::YieldOp::create(b, lookup(load.getResult()));
  b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> others;
  for (unsigned copy = 0; copy < n; ++copy) {
    Value other =
        load.getOther()
            ? lookup(load.getOther(), copy)
            : arith::ConstantOp::create(b, b.getZeroAttr(load.getType()))
                  .getResult();
    others.push_back(isa<VectorType>(type) ? broadcast(other) : other);
  }
  scf::YieldOp::create(b, others);
  values[load.getResult()] =
      Copies(branch.getResults().begin(), branch.getResults().end());
  return success();
}
