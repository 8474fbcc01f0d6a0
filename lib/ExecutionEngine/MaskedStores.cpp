//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskedStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;

/// The only lane of a constant mask that is set, if there is just one.
static std::optional<unsigned> getOnlyLane(const Value *mask) {
  const auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> lane;
  for (unsigned i = 0; i != type->getNumElements(); ++i) {
    const Constant *element = constant->getAggregateElement(i);
    if (!element || !isa<ConstantInt>(element))
      return std::nullopt;
    if (element->isNullValue())
      continue;
    if (lane)
      return std::nullopt;
    lane = i;
  }
  return lane;
}

void coil::storeSingleLanes(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call || call->getIntrinsicID() != Intrinsic::masked_store)
        continue;
      Value *stored = call->getArgOperand(0), *pointer = call->getArgOperand(1);
      std::optional<unsigned> lane = getOnlyLane(call->getArgOperand(2));
      if (!lane)
        continue;
      IRBuilder<> builder(call);
      Type *type = stored->getType()->getScalarType();
      Align align = commonAlignment(
          call->getParamAlign(1).valueOrOne(),
          *lane * module.getDataLayout().getTypeStoreSize(type));
      builder.CreateAlignedStore(
          builder.CreateExtractElement(stored, *lane),
          builder.CreateConstInBoundsGEP1_64(type, pointer, *lane), align);
      call->eraseFromParent();
    }
}
