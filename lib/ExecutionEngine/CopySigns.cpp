//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopySigns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// Whether the code generator may move a conversion past a copy of a sign.
static bool meetsConversion(const IntrinsicInst &copy) {
  return isa<FPExtInst, FPTruncInst>(copy.getArgOperand(1)) ||
         any_of(copy.users(),
                [](const User *user) { return isa<FPTruncInst>(user); });
}

void coil::expandCopySigns(Module &module) {
  SmallVector<IntrinsicInst *> copies;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *copy = dyn_cast<IntrinsicInst>(&instruction);
          copy && copy->getIntrinsicID() == Intrinsic::copysign &&
          meetsConversion(*copy))
        copies.push_back(copy);
  for (IntrinsicInst *copy : copies) {
    IRBuilder<> builder(copy);
    Type *type = copy->getType();
    unsigned width = type->getScalarSizeInBits();
    Type *bits = type->getWithNewType(builder.getIntNTy(width));
    Constant *mask = ConstantInt::get(bits, APInt::getSignMask(width));
    Value *sign = builder.CreateAnd(
        builder.CreateBitCast(copy->getArgOperand(1), bits), mask);
    Value *magnitude =
        builder.CreateAnd(builder.CreateBitCast(copy->getArgOperand(0), bits),
                          ConstantExpr::getNot(mask));
    copy->replaceAllUsesWith(
        builder.CreateBitCast(builder.CreateOr(magnitude, sign), type));
    copy->eraseFromParent();
  }
}
