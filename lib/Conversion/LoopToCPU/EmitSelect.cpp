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
    if (kept.contains(op) || phases.isInner(op) != phases.isInner(user) ||
        onceATask.contains(op) != onceATask.contains(user))
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

LogicalResult
KernelEmitter::emitBranch(Value condition, Value result,
                          llvm::function_ref<LogicalResult(bool)> emitSide) {
  Location loc = b.getLoc();
  Type type = result.getType();
  unsigned n = 1;
  if (variesOverVector(result)) {
    type = VectorType::get(width, type);
    n = copies;
  }
  auto branch = scf::IfOp::create(b, SmallVector<Type>(n, type), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool holds : {true, false}) {
    b.setInsertionPointToStart(holds ? branch.thenBlock() : branch.elseBlock());
    if (failed(emitSide(holds)))
      return failure();
    b.setLoc(loc);
    SmallVector<Value> results;
    for (unsigned copy = 0; copy < n; ++copy) {
      Value v = lookup(result, copy);
      results.push_back(isa<VectorType>(type) ? broadcast(v) : v);
    }
    scf::YieldOp::create(b, results);
  }
  values[result] =
      Copies(branch.getResults().begin(), branch.getResults().end());
  return success();
}

LogicalResult KernelEmitter::emitArm(const SelectArm &arm) {
  return emitBranch(
      emitAny(arm.condition, arm.isTrue), arm.value, [&](bool isTaken) {
        if (!isTaken) { // By no lane.
          values[arm.value] = {
              arith::ConstantOp::create(b, b.getZeroAttr(arm.value.getType()))};
          return success();
        }
        for (Operation *op : arm.ops)
          if (failed(emitWithArms(op)))
            return failure();
        return success();
      });
}

LogicalResult KernelEmitter::emitMaskedLoad(LoadOp load) {
  return emitBranch(emitAny(load.getMask(), /*isTrue=*/true), load.getResult(),
                    [&](bool isActive) {
                      if (isActive)
                        return emitLoad(load);
                      values[load.getResult()] =
                          Copies(lookup(load.getOther()));
                      return success();
                    });
}
