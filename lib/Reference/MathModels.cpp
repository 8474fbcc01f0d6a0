//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of `math` scalars.
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"
#include "coil/Reference/Models.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::reference;

namespace {

/// libm functions are overloaded for float and double, so that f32 is computed
/// in float precision.
#define FLOAT_OP(name, expression)                                             \
  struct name {                                                                \
    template <typename T>                                                      \
    static T run(T x, [[maybe_unused]] T y, [[maybe_unused]] T z) {            \
      return expression;                                                       \
    }                                                                          \
  };

FLOAT_OP(Abs, std::fabs(x))
FLOAT_OP(Ceil, std::ceil(x))
FLOAT_OP(Floor, std::floor(x))
FLOAT_OP(Trunc, std::trunc(x))
FLOAT_OP(Round, std::round(x))
FLOAT_OP(RoundEven, std::nearbyint(x))
FLOAT_OP(Sqrt, std::sqrt(x))
FLOAT_OP(Rsqrt, 1 / std::sqrt(x))
FLOAT_OP(Cbrt, std::cbrt(x))
FLOAT_OP(Exp, std::exp(x))
FLOAT_OP(Exp2, std::exp2(x))
FLOAT_OP(ExpM1, std::expm1(x))
FLOAT_OP(Log, std::log(x))
FLOAT_OP(Log2, std::log2(x))
FLOAT_OP(Log10, std::log10(x))
FLOAT_OP(Log1p, std::log1p(x))
FLOAT_OP(Sin, std::sin(x))
FLOAT_OP(Cos, std::cos(x))
FLOAT_OP(Tan, std::tan(x))
FLOAT_OP(Asin, std::asin(x))
FLOAT_OP(Acos, std::acos(x))
FLOAT_OP(Atan, std::atan(x))
FLOAT_OP(Sinh, std::sinh(x))
FLOAT_OP(Cosh, std::cosh(x))
FLOAT_OP(Tanh, std::tanh(x))
FLOAT_OP(Asinh, std::asinh(x))
FLOAT_OP(Acosh, std::acosh(x))
FLOAT_OP(Atanh, std::atanh(x))
FLOAT_OP(Erf, std::erf(x))
FLOAT_OP(Erfc, std::erfc(x))
FLOAT_OP(Atan2, std::atan2(x, y))
FLOAT_OP(CopySign, std::copysign(x, y))
FLOAT_OP(PowF, std::pow(x, y))
FLOAT_OP(Fma, std::fma(x, y, z))
#undef FLOAT_OP

#define FLOAT_PREDICATE(name, expression)                                      \
  struct name {                                                                \
    static bool run(double x, double) { return expression; }                   \
  };
FLOAT_PREDICATE(IsNaN, std::isnan(x))
FLOAT_PREDICATE(IsInf, std::isinf(x))
FLOAT_PREDICATE(IsFinite, std::isfinite(x))
#undef FLOAT_PREDICATE

struct AbsI {
  template <unsigned W>
  static int64_t run(int64_t x, int64_t, bool &) {
    uint64_t bits = static_cast<uint64_t>(x);
    return static_cast<int64_t>(asSigned<W>(x) < 0 ? -bits : bits);
  }
};
struct CountLeadingZeros {
  template <unsigned W>
  static int64_t run(int64_t x, int64_t, bool &) {
    return llvm::countl_zero(asUnsigned<W>(x)) - (64 - int(W));
  }
};
struct CountTrailingZeros {
  template <unsigned W>
  static int64_t run(int64_t x, int64_t, bool &) {
    return std::min<int64_t>(llvm::countr_zero(asUnsigned<W>(x)), W);
  }
};
struct CtPop {
  template <unsigned W>
  static int64_t run(int64_t x, int64_t, bool &) {
    return llvm::popcount(asUnsigned<W>(x));
  }
};

/// A negative power of zero is undefined.
struct IPowI {
  template <unsigned W>
  static int64_t run(int64_t x, int64_t y, bool &undefined) {
    int64_t base = asSigned<W>(x), exponent = asSigned<W>(y);
    if (exponent < 0) {
      undefined |= base == 0;
      if (base == 1)
        return 1;
      return base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    }
    uint64_t result = 1, square = static_cast<uint64_t>(base);
    for (uint64_t rest = exponent; rest; rest >>= 1, square *= square)
      if (rest & 1)
        result *= square;
    return static_cast<int64_t>(result);
  }
};

struct FPowI {
  template <DType T>
  static Scalar run(Scalar x, Scalar y, Scalar, bool &) {
    return makeFloat(roundTo(T, std::pow(x.f, static_cast<double>(y.i))));
  }
  static ScalarFunction get(math::FPowIOp op) {
    return dispatchFloat(op.getType(), [](auto type) -> ScalarFunction {
      return run<decltype(type)::value>;
    });
  }
};

} // namespace

void reference::registerMathModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
#define ATTACH(model, op, fn)                                                  \
  math::op::attachInterface<model<math::op, fn>>(*context);
    ATTACH(FloatModel, AbsFOp, Abs)
    ATTACH(FloatModel, CeilOp, Ceil)
    ATTACH(FloatModel, FloorOp, Floor)
    ATTACH(FloatModel, TruncOp, Trunc)
    ATTACH(FloatModel, RoundOp, Round)
    ATTACH(FloatModel, RoundEvenOp, RoundEven)
    ATTACH(FloatModel, SqrtOp, Sqrt)
    ATTACH(FloatModel, RsqrtOp, Rsqrt)
    ATTACH(FloatModel, CbrtOp, Cbrt)
    ATTACH(FloatModel, ExpOp, Exp)
    ATTACH(FloatModel, Exp2Op, Exp2)
    ATTACH(FloatModel, ExpM1Op, ExpM1)
    ATTACH(FloatModel, LogOp, Log)
    ATTACH(FloatModel, Log2Op, Log2)
    ATTACH(FloatModel, Log10Op, Log10)
    ATTACH(FloatModel, Log1pOp, Log1p)
    ATTACH(FloatModel, SinOp, Sin)
    ATTACH(FloatModel, CosOp, Cos)
    ATTACH(FloatModel, TanOp, Tan)
    ATTACH(FloatModel, AsinOp, Asin)
    ATTACH(FloatModel, AcosOp, Acos)
    ATTACH(FloatModel, AtanOp, Atan)
    ATTACH(FloatModel, SinhOp, Sinh)
    ATTACH(FloatModel, CoshOp, Cosh)
    ATTACH(FloatModel, TanhOp, Tanh)
    ATTACH(FloatModel, AsinhOp, Asinh)
    ATTACH(FloatModel, AcoshOp, Acosh)
    ATTACH(FloatModel, AtanhOp, Atanh)
    ATTACH(FloatModel, ErfOp, Erf)
    ATTACH(FloatModel, ErfcOp, Erfc)
    ATTACH(FloatModel, Atan2Op, Atan2)
    ATTACH(FloatModel, CopySignOp, CopySign)
    ATTACH(FloatModel, PowFOp, PowF)
    ATTACH(FloatModel, FmaOp, Fma)
    ATTACH(FloatPredicateModel, IsNaNOp, IsNaN)
    ATTACH(FloatPredicateModel, IsInfOp, IsInf)
    ATTACH(FloatPredicateModel, IsFiniteOp, IsFinite)
    ATTACH(IntModel, AbsIOp, AbsI)
    ATTACH(IntModel, CountLeadingZerosOp, CountLeadingZeros)
    ATTACH(IntModel, CountTrailingZerosOp, CountTrailingZeros)
    ATTACH(IntModel, CtPopOp, CtPop)
    ATTACH(IntModel, IPowIOp, IPowI)
    ATTACH(CustomModel, FPowIOp, FPowI)
#undef ATTACH
  });
}
