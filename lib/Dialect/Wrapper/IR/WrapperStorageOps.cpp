//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that change what storage a tensor has.
//
//===----------------------------------------------------------------------===//

#include "VerifyUtils.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static LogicalResult verifySame(Operation *op, BufferType a, BufferType b) {
  if (a.getElementType() == b.getElementType() &&
      a.getDevice() == b.getDevice())
    return success();
  return op->emitOpError() << "has " << a << " and " << b
                           << ", expected one element type and one device";
}

//===----------------------------------------------------------------------===//
// ResizeStorageOp
//===----------------------------------------------------------------------===//

/// The old name dies. What the caller keeps is the caller's under the new one.
void ResizeStorageOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Free::get(), &getSourceMutable());
  if (!getCallersArgument(getSource()))
    effects.emplace_back(MemoryEffects::Allocate::get(),
                         getOperation()->getResult(0));
}

LogicalResult ResizeStorageOp::verify() {
  auto from = cast<BufferType>(getSource().getType()),
       to = cast<BufferType>(getType());
  if (failed(verifySame(*this, from, to))) // (C1)
    return failure();
  if (!from.isContiguous() || !to.isContiguous()) // (C2)
    return emitOpError("expected contiguous buffers");
  auto arg = dyn_cast<BlockArgument>(getSource());
  auto fn = arg ? dyn_cast<FuncOp>(arg.getOwner()->getParentOp()) : FuncOp();
  bool isForeign = fn && !fn.isConsumed(arg.getArgNumber()) &&
                   !getCallersArgument(getSource());
  if (getStorage(getSource()) != getSource() || getCarving(getSource()) ||
      isForeign) // (C3)
    return emitOpError("resizes a view, a part of a pool, or memory that "
                       "neither the function nor a caller of the program owns");
  return success();
}

//===----------------------------------------------------------------------===//
// SetStorageOp
//===----------------------------------------------------------------------===//

void SetStorageOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Free::get(), &getTargetMutable());
  // Calls see what the caller's tensors are.
  addHostEffect(effects);
}

LogicalResult SetStorageOp::verify() {
  auto isArgument = [](Value v) {
    return isa<BlockArgument>(v) && getCallersArgument(v);
  };
  if (!isArgument(getTarget()) || !isArgument(getSource()) ||
      getTarget() == getSource()) // (C1)
    return emitOpError("expected two different arguments of a public function");
  return verifySame(*this, cast<BufferType>(getTarget().getType()), // (C2)
                    cast<BufferType>(getSource().getType()));
}
