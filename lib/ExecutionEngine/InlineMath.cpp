//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exponential: e^x = 2^n * e^r with n = round(x / ln 2), |r| <= ln 2 / 2,
// and e^r = 1 + r + r^2 * q(r), q interpolated at the Chebyshev points
// (relative error 1.1e-8, a sixth of a rounding).
//
//===----------------------------------------------------------------------===//

#include "InlineMath.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

using namespace coil;
using namespace llvm;

namespace {

/// Builds arithmetic on vectors of floats.
struct Emitter {
  IRBuilder<> &b;
  FixedVectorType *type;

  Value *constant(double value) const { return ConstantFP::get(type, value); }
  Value *fma(Value *x, Value *y, Value *z) const {
    return b.CreateIntrinsic(Intrinsic::fma, {type}, {x, y, z});
  }

  /// p * 2^n for a whole number n in [-160, 160], `bits` being n as an integer.
  /// Two factors, as 2^n itself may be out of range.
  Value *scale(Value *p, Value *bits) const {
    Type *ints = bits->getType();
    Value *half = b.CreateAShr(bits, ConstantInt::get(ints, 1));
    for (Value *n : {half, b.CreateSub(bits, half)}) {
      Value *exponent = b.CreateShl(b.CreateAdd(n, ConstantInt::get(ints, 127)),
                                    ConstantInt::get(ints, 23));
      p = b.CreateFMul(p, b.CreateBitCast(exponent, type));
    }
    return p;
  }
};

} // namespace

static void emitExp(Function &function, bool hasScalef) {
  auto *type = cast<FixedVectorType>(function.getReturnType());
  IRBuilder<> b(BasicBlock::Create(function.getContext(), "", &function));
  Emitter e{b, type};
  Value *x = function.getArg(0);
  // Beyond these the result is infinity and zero. NaN fails both comparisons.
  Value *high = e.constant(89.0), *low = e.constant(-104.5);
  x = b.CreateSelect(b.CreateFCmpOGT(x, high), high, x);
  x = b.CreateSelect(b.CreateFCmpOLT(x, low), low, x);
  // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits.
  Value *magic = e.constant(12582912.0);
  Value *shifted = e.fma(x, e.constant(1.4426950216293335), magic);
  Value *n = b.CreateFSub(shifted, magic);
  Value *r = e.fma(n, e.constant(-0.693145751953125), x);
  r = e.fma(n, e.constant(-1.428606765330187e-06), r);
  Value *q = e.constant(0.00139262131);
  for (double coefficient : {0.00836320315, 0.0416665561, 0.166665763, 0.5})
    q = e.fma(q, r, e.constant(coefficient));
  Value *one = e.constant(1.0);
  Value *p = b.CreateFAdd(e.fma(b.CreateFMul(r, r), q, r), one);
  if (hasScalef && type->getNumElements() == 16) {
    Value *all = b.getInt16(-1), *nearest = b.getInt32(4);
    b.CreateRet(
        b.CreateIntrinsic(Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                          {p, n, Constant::getNullValue(type), all, nearest}));
    return;
  }
  auto *ints = FixedVectorType::get(b.getInt32Ty(), type->getNumElements());
  Value *bits =
      b.CreateSub(b.CreateBitCast(shifted, ints), b.CreateBitCast(magic, ints));
  b.CreateRet(e.scale(p, bits));
}

void coil::addInlineMath(Module &module, bool hasScalef) {
  for (const char *name :
       {"_ZGVbN4v_expf", "_ZGVdN8v_expf", "_ZGVeN16v_expf"}) {
    Function *function = module.getFunction(name);
    if (!function || !function->isDeclaration())
      continue;
    function->setLinkage(GlobalValue::InternalLinkage);
    function->addFnAttr(Attribute::AlwaysInline);
    emitExp(*function, hasScalef);
  }
}
