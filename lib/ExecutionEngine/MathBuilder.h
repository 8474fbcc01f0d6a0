//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mathematics as LLVM IR, written like C++: the same text makes code for
// scalars and vectors, for f32 and f64. There are no branches but for what is
// rare: what depends on an argument is selected.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_MATHBUILDER_H
#define COIL_LIB_EXECUTIONENGINE_MATHBUILDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"

namespace coil {

/// Values of one type: f32, f64, or a vector of one of them.
class MathBuilder {
public:
  /// A number, or one in each lane; `Bits` are integers as wide.
  struct Num {
    MathBuilder *m;
    llvm::Value *v;
  };
  struct Bits {
    MathBuilder *m;
    llvm::Value *v;
  };
  struct Cond {
    MathBuilder *m;
    llvm::Value *v;
  };
  /// The unevaluated sum of a rounded value and the rest.
  struct Pair {
    Num hi, lo;
  };

  MathBuilder(llvm::IRBuilder<> &b, llvm::Type *type)
      : b(b), type(type), isDouble(type->getScalarType()->isDoubleTy()),
        ints(b.getIntNTy(isDouble ? 64 : 32)) {
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      ints = llvm::FixedVectorType::get(ints, vector->getNumElements());
  }

  Num num(llvm::Value *v) { return {this, v}; }
  Num num(double value) { return {this, llvm::ConstantFP::get(type, value)}; }
  /// The constant of the type.
  Num num(float single, double wide) { return num(isDouble ? wide : single); }
  Bits integer(int64_t value) {
    return {this, llvm::ConstantInt::getSigned(ints, value)};
  }

  Num fma(Num x, Num y, Num z) {
    return num(
        b.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {x.v, y.v, z.v}));
  }
  Num abs(Num x) {
    return num(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x.v));
  }
  Num sqrt(Num x) {
    return num(b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x.v));
  }
  Num copySign(Num magnitude, Num sign) {
    return num(b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude.v,
                                       sign.v));
  }
  Num select(Cond c, Num x, Num y) {
    return num(b.CreateSelect(c.v, x.v, y.v));
  }
  Num select(Cond c, Num x, double y) { return select(c, x, num(y)); }
  /// The lesser of `x` and a limit, and the greater; NaN stays.
  Num atMost(Num x, double limit) {
    return select({this, b.CreateFCmpOGT(x.v, num(limit).v)}, num(limit), x);
  }
  Num atLeast(Num x, double limit) {
    return select({this, b.CreateFCmpOLT(x.v, num(limit).v)}, num(limit), x);
  }
  /// `compute()`, which is only reached where the condition holds in any lane.
  template <typename Compute>
  Num whereAny(Cond c, Num otherwise, Compute compute) {
    llvm::Value *any = type->isVectorTy() ? b.CreateOrReduce(c.v) : c.v;
    llvm::BasicBlock *entry = b.GetInsertBlock();
    llvm::Function *function = entry->getParent();
    llvm::LLVMContext &context = function->getContext();
    auto *rare = llvm::BasicBlock::Create(context, "rare", function);
    auto *done = llvm::BasicBlock::Create(context, "done", function);
    b.CreateCondBr(any, rare, done,
                   llvm::MDBuilder(context).createBranchWeights(1, 1 << 20));
    b.SetInsertPoint(rare);
    llvm::Value *value = compute().v;
    llvm::BasicBlock *end = b.GetInsertBlock();
    b.CreateBr(done);
    b.SetInsertPoint(done);
    llvm::PHINode *phi = b.CreatePHI(type, 2);
    phi->addIncoming(otherwise.v, entry);
    phi->addIncoming(value, end);
    return num(phi);
  }
  Bits bits(Num x) { return {this, b.CreateBitCast(x.v, ints)}; }
  Num fromBits(Bits x) { return num(b.CreateBitCast(x.v, type)); }
  Bits add(Bits x, Bits y) { return {this, b.CreateAdd(x.v, y.v)}; }
  Bits sub(Bits x, Bits y) { return {this, b.CreateSub(x.v, y.v)}; }
  Bits shl(Bits x, unsigned n) { return {this, b.CreateShl(x.v, n)}; }
  Bits lshr(Bits x, unsigned n) { return {this, b.CreateLShr(x.v, n)}; }
  Bits mask(Bits x, Bits y) { return {this, b.CreateAnd(x.v, y.v)}; }
  Bits flip(Bits x, Bits y) { return {this, b.CreateXor(x.v, y.v)}; }
  Cond isNonZero(Bits x) {
    return {this, b.CreateICmpNE(x.v, llvm::Constant::getNullValue(ints))};
  }

  /// Whether the sign bit is set.
  Cond isNegative(Num x) {
    return {this,
            b.CreateICmpSLT(bits(x).v, llvm::Constant::getNullValue(ints))};
  }

  /// Bits of the significand, without the first.
  unsigned getMantissaBits() const { return isDouble ? 52 : 23; }
  unsigned getWidth() const { return isDouble ? 64 : 32; }
  int64_t getBias() const { return isDouble ? 1023 : 127; }
  /// 1.5 * 2^mantissa bits: in a sum with it, the low bits are a whole number.
  double getMagic() const { return isDouble ? 0x1.8p52 : 0x1.8p23; }

  llvm::IRBuilder<> &b;
  llvm::Type *type;
  bool isDouble;
  llvm::Type *ints;
};

#define COIL_MATH_OPERATOR(op, create)                                         \
  inline MathBuilder::Num operator op(MathBuilder::Num x,                      \
                                      MathBuilder::Num y) {                    \
    return x.m->num(x.m->b.create(x.v, y.v));                                  \
  }                                                                            \
  inline MathBuilder::Num operator op(MathBuilder::Num x, double y) {          \
    return x op x.m->num(y);                                                   \
  }                                                                            \
  inline MathBuilder::Num operator op(double x, MathBuilder::Num y) {          \
    return y.m->num(x) op y;                                                   \
  }
COIL_MATH_OPERATOR(+, CreateFAdd)
COIL_MATH_OPERATOR(-, CreateFSub)
COIL_MATH_OPERATOR(*, CreateFMul)
COIL_MATH_OPERATOR(/, CreateFDiv)
#undef COIL_MATH_OPERATOR
inline MathBuilder::Num operator-(MathBuilder::Num x) {
  return x.m->num(x.m->b.CreateFNeg(x.v));
}

/// Ordered comparisons: false for NaN.
#define COIL_MATH_COMPARISON(op, create)                                       \
  inline MathBuilder::Cond operator op(MathBuilder::Num x,                     \
                                       MathBuilder::Num y) {                   \
    return {x.m, x.m->b.create(x.v, y.v)};                                     \
  }                                                                            \
  inline MathBuilder::Cond operator op(MathBuilder::Num x, double y) {         \
    return x op x.m->num(y);                                                   \
  }
COIL_MATH_COMPARISON(<, CreateFCmpOLT)
COIL_MATH_COMPARISON(<=, CreateFCmpOLE)
COIL_MATH_COMPARISON(>, CreateFCmpOGT)
COIL_MATH_COMPARISON(>=, CreateFCmpOGE)
COIL_MATH_COMPARISON(==, CreateFCmpOEQ)
#undef COIL_MATH_COMPARISON
inline MathBuilder::Cond operator&(MathBuilder::Cond x, MathBuilder::Cond y) {
  return {x.m, x.m->b.CreateAnd(x.v, y.v)};
}

/// Makes the body of a function of one argument at the end of a function.
using MathBody = MathBuilder::Num (*)(MathBuilder &, MathBuilder::Num);
/// The body for a function of C, by its name: `tanf`, `tan`; null if there is
/// none.
MathBody findMathBody(llvm::StringRef name);
/// The same for functions of two arguments.
using MathBody2 = MathBuilder::Num (*)(MathBuilder &, MathBuilder::Num,
                                       MathBuilder::Num);
MathBody2 findMathBody2(llvm::StringRef name);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_MATHBUILDER_H
