//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All polynomials are weighted minimax fits (Lawson's iteration on Chebyshev
// points), rounded to f32 from the lowest coefficient up with the rest fitted
// again after each. With n = round(x / ln 2), r = x - n ln 2 and
// |r| <= ln 2 / 2:
//
//   exp    2^n * e^r, e^r = 1 + r + r^2 q(r) (relative error 1.1e-8);
//   erf    -expm1(-L(|x|)) with L = -log(erfc), which is smooth and grows like
//          x^2, so that one polynomial serves small and large arguments; in
//          vectors of 16, x * p(|x|) with p in 16 pieces, half as many
//          instructions;
//   log    of m * 2^e, sqrt(1/2) <= m < sqrt(2): e ln 2 + log(1 + f) with
//          f = m - 1 and log(1 + f) = f - f^2 / 2 + f^3 p(f) (5.8e-9).
//
//===----------------------------------------------------------------------===//

#include "InlineMath.h"

#include "MathBuilder.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <functional>
#include <limits>

using namespace coil;
using namespace llvm;

namespace {

/// Builds arithmetic on vectors of floats.
class Emitter {
public:
  Emitter(IRBuilder<> &b, FixedVectorType *type)
      : b(b), type(type),
        ints(FixedVectorType::get(b.getInt32Ty(), type->getNumElements())) {}

  Value *exp(Value *x, bool hasAVX512);
  /// e^x to 17 bits; zero below about 2^-126.
  Value *expNarrow(Value *x);
  Value *erf(Value *x, bool hasAVX512);
  Value *log(Value *x);

private:
  /// x = n ln 2 + r. `bits` is n + 1.5 * 2^23 as a float: n is in its low bits.
  struct Reduced {
    Value *n, *r, *bits;
  };

  Value *constant(double value) { return ConstantFP::get(type, value); }
  Value *integer(int32_t value) { return ConstantInt::getSigned(ints, value); }
  Value *fma(Value *x, Value *y, Value *z) {
    return b.CreateIntrinsic(Intrinsic::fma, {type}, {x, y, z});
  }
  Value *abs(Value *x) { return b.CreateUnaryIntrinsic(Intrinsic::fabs, x); }
  Value *copySign(Value *magnitude, Value *sign) {
    return b.CreateBinaryIntrinsic(Intrinsic::copysign, magnitude, sign);
  }
  /// The lesser of `x` and a constant; NaN stays NaN.
  Value *atMost(Value *x, double limit) {
    Value *c = constant(limit);
    return b.CreateSelect(b.CreateFCmpOGT(x, c), c, x);
  }
  Value *atLeast(Value *x, double limit) {
    Value *c = constant(limit);
    return b.CreateSelect(b.CreateFCmpOLT(x, c), c, x);
  }
  /// The polynomial with the given coefficients, highest first.
  Value *polynomial(Value *x, ArrayRef<double> coefficients) {
    Value *p = constant(coefficients.front());
    for (double c : coefficients.drop_front())
      p = fma(p, x, constant(c));
    return p;
  }

  Reduced reduce(Value *x);
  /// 2^(n + offset) for n of a reduced argument, in the range of normal
  /// numbers.
  Value *power(const Reduced &reduced, int32_t offset);
  /// e^r - 1.
  Value *fraction(Value *r);
  /// erf with the coefficients looked up by a permutation of 16 lanes.
  Value *erfByPieces(Value *x);
  /// 1 - e^y for y in [-20, 0].
  Value *oneMinusExp(Value *y);
  /// p * 2^n for a whole number n in [-160, 160], `bits` being n as an integer.
  /// Two factors, as 2^n itself may be out of range.
  Value *scale(Value *p, Value *bits);
  /// log(1 + f) + e ln 2.
  Value *logOfParts(Value *f, Value *e);
  /// `value`, but the logarithm's limits where `x` is not a positive number.
  Value *logLimits(Value *x, Value *value);

  IRBuilder<> &b;
  FixedVectorType *type;
  FixedVectorType *ints;
};

/// Bits of sqrt(1/2): a mantissa at least as large belongs to this exponent.
constexpr int32_t kSqrtHalf = 0x3f3504f3;

/// erf(x) / x around i * 33/128 as polynomials of degree 5 in the distance, for
/// i from 0 to 15; lowest coefficients first.
constexpr float kErfPieces[6][16] = {
    {1.12837923f, 1.1038698f, 1.03587496f, 0.938614726f, 0.829354465f,
     0.722771823f, 0.627912462f, 0.548181295f, 0.483133942f, 0.430531293f,
     0.387775481f, 0.352595717f, 0.323228389f, 0.298367649f, 0.277056187f,
     0.25858584f},
    {-2.25043896e-05f, -0.186386243f, -0.331496447f, -0.411455214f,
     -0.426451117f, -0.394537538f, -0.339271635f, -0.279677242f, -0.226473317f,
     -0.183316648f, -0.149841666f, -0.124203354f, -0.104452439f, -0.0890189931f,
     -0.076759465f, -0.0668665469f},
    {-0.374741226f, -0.33286652f, -0.222038776f, -0.0883910134f, 0.0239576437f,
     0.0918834209f, 0.116226971f, 0.111516446f, 0.0937721506f, 0.0738242865f,
     0.0566564761f, 0.0434377603f, 0.0336900018f, 0.0265506599f, 0.021263117f,
     0.0172934327f},
    {-0.0299588293f, 0.107480884f, 0.168798715f, 0.166801989f, 0.118682757f,
     0.0574023314f, 0.00896842405f, -0.0175389554f, -0.0260121897f,
     -0.0245481711f, -0.0196476337f, -0.0146739455f, -0.0107363984f,
     -0.00789007265f, -0.00588595076f, -0.00447118329f},
    {0.378047079f, 0.0874465555f, 0.028101109f, -0.0293050837f, -0.0584874861f,
     -0.0563033335f, -0.0365682319f, -0.0154959084f, -0.00214870623f,
     0.00392379519f, 0.00503219292f, 0.00412323792f, 0.00288681523f,
     0.00200053165f, 0.00168827863f, 0.000973469811f},
    {-0.826252878f, -0.036576163f, -0.0496997088f, -0.0354001708f,
     -0.00921339821f, 0.0110345948f, 0.0173749961f, 0.0135444384f,
     0.00734967738f, 0.00232904265f, -4.43028512e-05f, -0.000735404203f,
     -0.000698198157f, -0.000538281049f, -0.000430901855f, -0.000239761386f},
};

} // namespace

Emitter::Reduced Emitter::reduce(Value *x) {
  // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits.
  Value *magic = constant(12582912.0);
  Value *shifted = fma(x, constant(1.4426950216293335), magic);
  Value *n = b.CreateFSub(shifted, magic);
  Value *r = fma(n, constant(-0.693145751953125), x);
  r = fma(n, constant(-1.428606765330187e-06), r);
  return {n, r, b.CreateBitCast(shifted, ints)};
}

Value *Emitter::power(const Reduced &reduced, int32_t offset) {
  // The shift drops the bits of the constant that rounded.
  Value *exponent = b.CreateShl(reduced.bits, integer(23));
  return b.CreateBitCast(b.CreateAdd(exponent, integer((127 + offset) << 23)),
                         type);
}

Value *Emitter::fraction(Value *r) {
  Value *q = polynomial(r, {0.0013869948452338576, 0.008366253226995468,
                            0.04166744276881218, 0.1666654646396637,
                            0.4999999701976776});
  return fma(b.CreateFMul(r, r), q, r);
}

Value *Emitter::oneMinusExp(Value *y) {
  Reduced reduced = reduce(y);
  Value *scale = power(reduced, 0);
  return fma(b.CreateFNeg(scale), fraction(reduced.r),
             b.CreateFSub(constant(1), scale));
}

Value *Emitter::scale(Value *p, Value *bits) {
  Value *half = b.CreateAShr(bits, integer(1));
  for (Value *n : {half, b.CreateSub(bits, half)}) {
    Value *exponent = b.CreateShl(b.CreateAdd(n, integer(127)), integer(23));
    p = b.CreateFMul(p, b.CreateBitCast(exponent, type));
  }
  return p;
}

Value *Emitter::exp(Value *x, bool hasAVX512) {
  // Beyond these the result is infinity and zero.
  Reduced reduced = reduce(atLeast(atMost(x, 89.0), -104.5));
  Value *r = reduced.r;
  Value *q = polynomial(
      r, {0.00139262131, 0.00836320315, 0.0416665561, 0.166665763, 0.5});
  Value *p = b.CreateFAdd(fma(b.CreateFMul(r, r), q, r), constant(1));
  if (hasAVX512 && type->getNumElements() == 16) {
    Value *all = b.getInt16(-1), *nearest = b.getInt32(4);
    return b.CreateIntrinsic(
        Intrinsic::x86_avx512_mask_scalef_ps_512, {},
        {p, reduced.n, Constant::getNullValue(type), all, nearest});
  }
  Value *magic = b.CreateBitCast(constant(12582912.0), ints);
  return scale(p, b.CreateSub(reduced.bits, magic));
}

Value *Emitter::expNarrow(Value *x) {
  // Beyond these the result is zero and infinity.
  Value *y = b.CreateFMul(x, constant(0x1.715476p+0));
  y = atLeast(atMost(y, 129), -126);
  // Rounds y to n and leaves n + 126 in the low bits. The polynomial is twice
  // 2^r, so that 2^(n - 1) is a number for the largest results and its bits are
  // those of zero for n = -126.
  Value *magic = constant(0x1.8p23 + 126), *sum = b.CreateFAdd(y, magic);
  Value *r = b.CreateFSub(y, b.CreateFSub(sum, magic));
  Value *p = polynomial(r, {0x1.399f14p-6, 0x1.ca13e4p-4, 0x1.ec06b2p-2,
                            0x1.62e0dep+0, 0x1.ffffe8p+0});
  Value *bits = b.CreateShl(b.CreateBitCast(sum, ints), integer(23));
  return b.CreateFMul(p, b.CreateBitCast(bits, type));
}

Value *Emitter::erf(Value *x, bool hasAVX512) {
  if (hasAVX512 && type->getNumElements() == 16)
    return erfByPieces(x);
  Value *near = fma(x,
                    polynomial(b.CreateFMul(x, x),
                               {0x1.5d955cp-14, -0x1.aa7e38p-11, 0x1.54cfb6p-8,
                                -0x1.b80f72p-6, 0x1.ce2e14p-4, -0x1.812744p-2,
                                0x1.06eba8p-3}),
                    x);
  // -log(erfc(a)) from 0.92 on. erf(4) is 1 but for 1.5e-8, a quarter of a unit
  // in the last place.
  Value *a = atMost(abs(x), 4.0);
  Value *y = polynomial(a, {-0x1.b9314p-20, 0x1.835e5p-15, -0x1.3963c6p-11,
                            0x1.382f88p-8, -0x1.b10bbap-6, 0x1.c2f26ep-4,
                            0x1.437d32p-1, 0x1.21574p+0, -0x1.5001dep-12});
  return b.CreateSelect(b.CreateFCmpOLT(a, constant(0.93)), near,
                        copySign(oneMinusExp(b.CreateFNeg(y)), x));
}

Value *Emitter::erfByPieces(Value *x) {
  // The nearest multiple of the width; the permutation takes the low bits of
  // the sum as they are. Behind the last piece erf rounds to 1.
  constexpr double width = 33.0 / 128;
  Value *a = atMost(abs(x), 15.4999 * width);
  Value *magic = constant(12582912.0);
  Value *shifted = fma(a, constant(1 / width), magic);
  Value *t = fma(b.CreateFSub(shifted, magic), constant(-width), a);
  Value *index = b.CreateBitCast(shifted, ints);
  auto coefficient = [&](unsigned k) -> Value * {
    Value *table =
        ConstantDataVector::get(b.getContext(), ArrayRef(kErfPieces[k]));
    return b.CreateIntrinsic(Intrinsic::x86_avx512_permvar_sf_512, {},
                             {table, index});
  };
  Value *p = coefficient(5);
  for (unsigned k = 5; k-- > 1;)
    p = fma(p, t, coefficient(k));
  // a (c + t p): what the product with the first coefficient has lost is put
  // back.
  Value *first = coefficient(0), *product = b.CreateFMul(a, first);
  Value *lo = fma(a, first, b.CreateFNeg(product));
  p = b.CreateFAdd(product, fma(b.CreateFMul(a, t), p, lo));
  // From here on erf rounds to one, and has to be one: GELU multiplies what is
  // left of one by its argument.
  Value *isOne = b.CreateFCmpOGT(abs(x), constant(3.92));
  return copySign(b.CreateSelect(isOne, constant(1), p), x);
}

Value *Emitter::logOfParts(Value *f, Value *e) {
  Value *p = polynomial(f, {-0.07636389881372452, 0.12762384116649628,
                            -0.13159695267677307, 0.14201569557189941,
                            -0.16623403131961823, 0.2000124156475067,
                            -0.2500081956386566, 0.3333333134651184});
  Value *rest = fma(b.CreateFMul(f, f), fma(f, p, constant(-0.5)),
                    b.CreateFMul(e, constant(-1.9046542121259336e-09)));
  return fma(e, constant(0.6931471824645996), b.CreateFAdd(f, rest));
}

Value *Emitter::logLimits(Value *x, Value *value) {
  double infinity = std::numeric_limits<double>::infinity();
  Value *zero = constant(0), *inf = constant(infinity);
  Value *nan = constant(std::numeric_limits<double>::quiet_NaN());
  Value *limit =
      b.CreateSelect(b.CreateFCmpOEQ(x, zero), constant(-infinity),
                     b.CreateSelect(b.CreateFCmpOEQ(x, inf), inf, nan));
  Value *inside =
      b.CreateAnd(b.CreateFCmpOGT(x, zero), b.CreateFCmpOLT(x, inf));
  return b.CreateSelect(inside, value, limit);
}

Value *Emitter::log(Value *x) {
  Value *subnormal =
      b.CreateFCmpOLT(x, constant(std::numeric_limits<float>::min()));
  Value *scaled =
      b.CreateSelect(subnormal, b.CreateFMul(x, constant(0x1p23)), x);
  Value *bits = b.CreateBitCast(scaled, ints);
  Value *e = b.CreateAShr(b.CreateSub(bits, integer(kSqrtHalf)), integer(23));
  Value *m =
      b.CreateBitCast(b.CreateSub(bits, b.CreateShl(e, integer(23))), type);
  e = b.CreateSub(e, b.CreateSelect(subnormal, integer(23), integer(0)));
  Value *y = logOfParts(b.CreateFSub(m, constant(1)), b.CreateSIToFP(e, type));
  return logLimits(x, y);
}

/// Gives a function that is declared a body to be inlined.
static void define(Function &function, MathBody body, MathBody2 body2) {
  function.setLinkage(GlobalValue::InternalLinkage);
  function.addFnAttr(Attribute::AlwaysInline);
  IRBuilder<> b(BasicBlock::Create(function.getContext(), "", &function));
  MathBuilder math(b, function.getReturnType());
  MathBuilder::Num first = math.num(function.getArg(0));
  b.CreateRet(body ? body(math, first).v
                   : body2(math, first, math.num(function.getArg(1))).v);
}

/// erfc of scalars: the C library's is off by 2 ulp, a lane of its vector
/// version by 1.
static void defineByVector(Function &function, StringRef vectorName,
                           unsigned lanes) {
  Type *scalar = function.getReturnType();
  auto *type = FixedVectorType::get(scalar, lanes);
  FunctionCallee callee = function.getParent()->getOrInsertFunction(
      vectorName, FunctionType::get(type, {type}, false));
  auto *vector = cast<Function>(callee.getCallee());
  vector->setDoesNotAccessMemory();
  vector->setDoesNotThrow();
  vector->setWillReturn();
  function.setLinkage(GlobalValue::InternalLinkage);
  function.addFnAttr(Attribute::AlwaysInline);
  IRBuilder<> b(BasicBlock::Create(function.getContext(), "", &function));
  Value *x = b.CreateVectorSplat(lanes, function.getArg(0));
  b.CreateRet(b.CreateExtractElement(b.CreateCall(vector, {x}), uint64_t(0)));
}

/// The function of the C library or the runtime that one of vectors computes:
/// `_ZGVeN16v_sinf` by the names of vector libraries,
/// `coil_special_lgammaf.v16` for what no library has.
static StringRef getScalarName(StringRef vectorName) {
  if (vectorName.consume_front("_ZGV"))
    return vectorName.split('_').second;
  auto [name, lanes] = vectorName.rsplit(".v");
  return lanes.empty() ? StringRef() : name;
}

void coil::addInlineMath(Module &module, bool hasAVX512, bool onlyMissing) {
  using Body = std::function<Value *(Emitter &, Value *)>;
  const std::pair<StringRef, Body> bodies[] = {
      {"expf", [=](Emitter &e, Value *x) { return e.exp(x, hasAVX512); }},
      {"expf_narrow", [](Emitter &e, Value *x) { return e.expNarrow(x); }},
      {"erff", [=](Emitter &e, Value *x) { return e.erf(x, hasAVX512); }},
      {"logf", [](Emitter &e, Value *x) { return e.log(x); }},
  };
  for (const auto &[name, body] : bodies) {
    if (onlyMissing)
      break;
    for (StringRef version : {"_ZGVbN4v_", "_ZGVdN8v_", "_ZGVeN16v_"}) {
      Function *function = module.getFunction((version + name).str());
      if (!function || !function->isDeclaration())
        continue;
      function->setLinkage(GlobalValue::InternalLinkage);
      function->addFnAttr(Attribute::AlwaysInline);
      IRBuilder<> b(BasicBlock::Create(module.getContext(), "", function));
      Emitter emitter(b, cast<FixedVectorType>(function->getReturnType()));
      b.CreateRet(body(emitter, function->getArg(0)));
    }
  }
  // Scalars under another name, so that a body can call the C library's
  // function, and before the vectors, whose bodies do.
  SmallVector<Function *> declared;
  for (Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        (function.arg_size() == 1 || function.arg_size() == 2) &&
        llvm::all_of(function.args(),
                     [&](Argument &argument) {
                       return argument.getType() == function.getReturnType();
                     }) &&
        function.getReturnType()->getScalarType()->isFloatingPointTy())
      declared.push_back(&function);
  for (bool vectors : {false, true})
    for (Function *function : declared) {
      if (function->getReturnType()->isVectorTy() != vectors ||
          !function->isDeclaration())
        continue;
      StringRef name = function->getName();
      if (onlyMissing && (!vectors || name.starts_with("_ZGV")))
        continue;
      if (vectors)
        name = getScalarName(name);
      bool isErfc = !vectors && (name == "erfc" || name == "erfcf");
      bool isUnary = function->arg_size() == 1;
      MathBody body = isUnary ? findMathBody(name) : nullptr;
      MathBody2 body2 = isUnary ? nullptr : findMathBody2(name);
      if (!body && !body2 && !isErfc)
        continue;
      std::string library = name.str();
      if (!vectors)
        function->setName("coil." + library);
      if (isErfc)
        defineByVector(*function,
                       library == "erfc" ? "_ZGVbN2v_erfc" : "_ZGVbN4v_erfcf",
                       library == "erfc" ? 2 : 4);
      else
        define(*function, body, body2);
    }
}
