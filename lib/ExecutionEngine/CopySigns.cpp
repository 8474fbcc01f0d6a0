//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopySigns.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

void coil::keepSignOperands(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call || call->getIntrinsicID() != Intrinsic::copysign ||
          !isa<FPExtInst, FPTruncInst>(call->getArgOperand(1)))
        continue;
      IRBuilder<> builder(call);
      Type *type = call->getType();
      Type *bits =
          type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()));
      // Other bits do not matter; that they are gone makes it no bitcast of a
      // bitcast, which is nothing.
      Value *sign = builder.CreateAnd(
          builder.CreateBitCast(call->getArgOperand(1), bits),
          ConstantInt::get(bits,
                           APInt::getSignMask(type->getScalarSizeInBits())));
      call->setArgOperand(1, builder.CreateBitCast(sign, type));
    }
}
