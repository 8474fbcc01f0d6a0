//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of `arith` scalars.
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"
#include "coil/Reference/Models.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::reference;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

#define FLOAT_OP(name, expression)                                             \
  struct name {                                                                \
    template <typename T>                                                      \
    static T run([[maybe_unused]] T x, [[maybe_unused]] T y, T) {              \
      return expression;                                                       \
    }                                                                          \
  };

namespace {

FLOAT_OP(AddF, x + y)
FLOAT_OP(SubF, x - y)
FLOAT_OP(MulF, x *y)
FLOAT_OP(DivF, x / y)
FLOAT_OP(RemF, std::fmod(x, y))
FLOAT_OP(NegF, -x)
FLOAT_OP(MaximumF,
         std::isnan(x) || x > y || (x == y && !std::signbit(x)) ? x : y)
FLOAT_OP(MinimumF,
         std::isnan(x) || x < y || (x == y && std::signbit(x)) ? x : y)
FLOAT_OP(MaxNumF, std::fmax(x, y))
FLOAT_OP(MinNumF, std::fmin(x, y))
#undef FLOAT_OP

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

#define INT_OP(name, expression)                                               \
  struct name {                                                                \
    template <unsigned W>                                                      \
    static int64_t run([[maybe_unused]] int64_t x, [[maybe_unused]] int64_t y, \
                       [[maybe_unused]] bool &undefined) {                     \
      [[maybe_unused]] uint64_t ux = asUnsigned<W>(x), uy = asUnsigned<W>(y);  \
      [[maybe_unused]] int64_t sx = asSigned<W>(x), sy = asSigned<W>(y);       \
      return static_cast<int64_t>(expression);                                 \
    }                                                                          \
  };

} // namespace

/// Division by zero and the overflow of a signed division are undefined.
template <unsigned W>
static bool checkDivS(int64_t x, int64_t y, bool &undefined) {
  int64_t least = asSigned<W>(
      canonicalize<W>(static_cast<int64_t>(uint64_t(1) << (W - 1))));
  undefined |= y == 0 || (y == -1 && x == least);
  return !undefined;
}

static bool checkDivU(uint64_t y, bool &undefined) {
  undefined |= y == 0;
  return !undefined;
}

namespace {

INT_OP(AddI, ux + uy)
INT_OP(SubI, ux - uy)
INT_OP(MulI, ux *uy)
INT_OP(AndI, ux &uy)
INT_OP(OrI, ux | uy)
INT_OP(XOrI, ux ^ uy)
INT_OP(ShLI, uy >= W ? kPoison : int64_t(ux << uy))
INT_OP(ShRUI, uy >= W ? kPoison : int64_t(ux >> uy))
INT_OP(ShRSI, uy >= W ? kPoison : sx >> uy)
INT_OP(MaxSI, std::max(sx, sy))
INT_OP(MinSI, std::min(sx, sy))
INT_OP(MaxUI, std::max(ux, uy))
INT_OP(MinUI, std::min(ux, uy))
INT_OP(DivSI, checkDivS<W>(sx, sy, undefined) ? sx / sy : 0)
INT_OP(RemSI, checkDivS<W>(sx, sy, undefined) ? sx % sy : 0)
INT_OP(DivUI, checkDivU(uy, undefined) ? ux / uy : 0)
INT_OP(RemUI, checkDivU(uy, undefined) ? ux % uy : 0)
INT_OP(CeilDivUI, checkDivU(uy, undefined) ? ux / uy + (ux % uy != 0) : 0)
INT_OP(FloorDivSI, checkDivS<W>(sx, sy, undefined)
                       ? sx / sy - (sx % sy != 0 && (sx < 0) != (sy < 0))
                       : 0)
INT_OP(CeilDivSI, checkDivS<W>(sx, sy, undefined)
                      ? sx / sy + (sx % sy != 0 && (sx < 0) == (sy < 0))
                      : 0)
#undef INT_OP

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

struct CmpI {
  template <arith::CmpIPredicate P, unsigned W>
  static Scalar compare(Scalar x, Scalar y, Scalar, bool &) {
    using Predicate = arith::CmpIPredicate;
    int64_t sx = asSigned<W>(x.i), sy = asSigned<W>(y.i);
    uint64_t ux = asUnsigned<W>(x.i), uy = asUnsigned<W>(y.i);
    switch (P) {
    case Predicate::eq:
      return makeInt(ux == uy);
    case Predicate::ne:
      return makeInt(ux != uy);
    case Predicate::slt:
      return makeInt(sx < sy);
    case Predicate::sle:
      return makeInt(sx <= sy);
    case Predicate::sgt:
      return makeInt(sx > sy);
    case Predicate::sge:
      return makeInt(sx >= sy);
    case Predicate::ult:
      return makeInt(ux < uy);
    case Predicate::ule:
      return makeInt(ux <= uy);
    case Predicate::ugt:
      return makeInt(ux > uy);
    case Predicate::uge:
      return makeInt(ux >= uy);
    }
    llvm_unreachable("unknown predicate");
  }
  template <arith::CmpIPredicate P>
  static ScalarFunction pick(Type type) {
    return dispatchWidth(type, [](auto width) -> ScalarFunction {
      return compare<P, decltype(width)::value>;
    });
  }
  static ScalarFunction get(arith::CmpIOp op) {
    Type type = op.getLhs().getType();
    using Predicate = arith::CmpIPredicate;
    switch (op.getPredicate()) {
    case Predicate::eq:
      return pick<Predicate::eq>(type);
    case Predicate::ne:
      return pick<Predicate::ne>(type);
    case Predicate::slt:
      return pick<Predicate::slt>(type);
    case Predicate::sle:
      return pick<Predicate::sle>(type);
    case Predicate::sgt:
      return pick<Predicate::sgt>(type);
    case Predicate::sge:
      return pick<Predicate::sge>(type);
    case Predicate::ult:
      return pick<Predicate::ult>(type);
    case Predicate::ule:
      return pick<Predicate::ule>(type);
    case Predicate::ugt:
      return pick<Predicate::ugt>(type);
    case Predicate::uge:
      return pick<Predicate::uge>(type);
    }
    llvm_unreachable("unknown predicate");
  }
};

struct CmpF {
  /// `Less`, `Equal`, `Greater` and `Unordered` say for which outcomes the
  /// predicate holds.
  template <bool Less, bool Equal, bool Greater, bool Unordered>
  static Scalar compare(Scalar x, Scalar y, Scalar, bool &) {
    if (std::isnan(x.f) || std::isnan(y.f))
      return makeInt(Unordered);
    return makeInt(x.f < y.f ? Less : x.f == y.f ? Equal : Greater);
  }
  static ScalarFunction get(arith::CmpFOp op) {
    using Predicate = arith::CmpFPredicate;
    switch (op.getPredicate()) {
    case Predicate::AlwaysFalse:
      return compare<false, false, false, false>;
    case Predicate::OEQ:
      return compare<false, true, false, false>;
    case Predicate::OGT:
      return compare<false, false, true, false>;
    case Predicate::OGE:
      return compare<false, true, true, false>;
    case Predicate::OLT:
      return compare<true, false, false, false>;
    case Predicate::OLE:
      return compare<true, true, false, false>;
    case Predicate::ONE:
      return compare<true, false, true, false>;
    case Predicate::ORD:
      return compare<true, true, true, false>;
    case Predicate::UEQ:
      return compare<false, true, false, true>;
    case Predicate::UGT:
      return compare<false, false, true, true>;
    case Predicate::UGE:
      return compare<false, true, true, true>;
    case Predicate::ULT:
      return compare<true, false, false, true>;
    case Predicate::ULE:
      return compare<true, true, false, true>;
    case Predicate::UNE:
      return compare<true, false, true, true>;
    case Predicate::UNO:
      return compare<false, false, false, true>;
    case Predicate::AlwaysTrue:
      return compare<true, true, true, true>;
    }
    llvm_unreachable("unknown predicate");
  }
};

struct Select {
  static Scalar run(Scalar x, Scalar y, Scalar z, bool &) {
    return x.i ? y : z;
  }
  static ScalarFunction get(arith::SelectOp op) {
    return op.getCondition().getType().isInteger(1) ? run : nullptr;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

namespace {

/// Values of narrower floats are exact in wider ones, so extension does
/// nothing.
struct ExtF {
  static Scalar run(Scalar x, Scalar, Scalar, bool &) { return x; }
  static ScalarFunction get(Operation *) { return run; }
};

struct TruncF {
  template <DType T>
  static Scalar run(Scalar x, Scalar, Scalar, bool &) {
    return makeFloat(roundTo(T, x.f));
  }
  static ScalarFunction get(arith::TruncFOp op) {
    // Other rounding modes have no user.
    if (op.getRoundingmode() &&
        *op.getRoundingmode() != arith::RoundingMode::to_nearest_even)
      return nullptr;
    return dispatchFloat(op.getType(), [](auto type) -> ScalarFunction {
      return run<decltype(type)::value>;
    });
  }
};

template <bool Signed>
struct ExtI {
  template <unsigned W>
  static Scalar run(Scalar x, Scalar, Scalar, bool &) {
    return makeInt(Signed ? asSigned<W>(x.i)
                          : static_cast<int64_t>(asUnsigned<W>(x.i)));
  }
  template <typename OpTy>
  static ScalarFunction get(OpTy op) {
    return dispatchWidth(op.getIn().getType(),
                         [](auto width) -> ScalarFunction {
                           return run<decltype(width)::value>;
                         });
  }
};

struct TruncI {
  template <unsigned W>
  static int64_t run(int64_t x, int64_t, bool &) {
    return x;
  }
};

/// `index` is 64 bits wide.
template <bool Signed>
struct IndexCast {
  template <unsigned From, unsigned To>
  static Scalar run(Scalar x, Scalar, Scalar, bool &) {
    return makeInt(
        canonicalize<To>(Signed ? asSigned<From>(x.i)
                                : static_cast<int64_t>(asUnsigned<From>(x.i))));
  }
  template <typename OpTy>
  static ScalarFunction get(OpTy op) {
    Type to = op.getType();
    return dispatchWidth(op.getIn().getType(), [&](auto from) {
      return dispatchWidth(to, [&](auto width) -> ScalarFunction {
        return run<decltype(from)::value, decltype(width)::value>;
      });
    });
  }
};

template <bool Signed>
struct IntToFloat {
  template <unsigned W, DType T>
  static Scalar run(Scalar x, Scalar, Scalar, bool &) {
    if constexpr (Signed) {
      int64_t value = asSigned<W>(x.i);
      return makeFloat(T == DType::F64 ? static_cast<double>(value)
                                       : roundTo(T, toStickyDouble(value)));
    } else {
      uint64_t value = asUnsigned<W>(x.i);
      return makeFloat(T == DType::F64 ? static_cast<double>(value)
                                       : roundTo(T, toStickyDouble(value)));
    }
  }
  template <typename OpTy>
  static ScalarFunction get(OpTy op) {
    Type to = op.getType();
    return dispatchWidth(op.getIn().getType(), [&](auto width) {
      return dispatchFloat(to, [&](auto type) -> ScalarFunction {
        return run<decltype(width)::value, decltype(type)::value>;
      });
    });
  }
};

/// Out of range the result is poison.
template <bool Signed>
struct FloatToInt {
  template <unsigned W>
  static Scalar run(Scalar x, Scalar, Scalar, bool &) {
    double value = std::trunc(x.f);
    double limit = std::ldexp(1.0, Signed ? W - 1 : W);
    if (!(value < limit && value >= (Signed ? -limit : 0)))
      return makeInt(canonicalize<W>(kPoison));
    int64_t bits = Signed ? static_cast<int64_t>(value)
                          : static_cast<int64_t>(static_cast<uint64_t>(value));
    return makeInt(canonicalize<W>(bits));
  }
  template <typename OpTy>
  static ScalarFunction get(OpTy op) {
    return dispatchWidth(op.getType(), [](auto width) -> ScalarFunction {
      return run<decltype(width)::value>;
    });
  }
};

struct Bitcast {
  template <DType From, DType To>
  static Scalar run(Scalar x, Scalar, Scalar, bool &) {
    return fromBits(To, toBits(From, x));
  }
  template <DType Float, DType Int>
  static ScalarFunction pick(bool fromFloat, bool toFloat) {
    if (fromFloat)
      return toFloat ? run<Float, Float> : run<Float, Int>;
    return toFloat ? run<Int, Float> : run<Int, Int>;
  }
  static ScalarFunction get(arith::BitcastOp op) {
    Type from = op.getIn().getType(), to = op.getType();
    bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
    switch (from.getIntOrFloatBitWidth()) {
    case 16:
      // bf16 and f16 may be cast into each other.
      if (from.isBF16() && to.isF16())
        return run<DType::BF16, DType::F16>;
      if (from.isF16() && to.isBF16())
        return run<DType::F16, DType::BF16>;
      return from.isBF16() || to.isBF16()
                 ? pick<DType::BF16, DType::I16>(fromFloat, toFloat)
                 : pick<DType::F16, DType::I16>(fromFloat, toFloat);
    case 32:
      return pick<DType::F32, DType::I32>(fromFloat, toFloat);
    case 64:
      return pick<DType::F64, DType::I64>(fromFloat, toFloat);
    case 8:
      if (isa<Float8E4M3FNType>(from) || isa<Float8E4M3FNType>(to))
        return pick<DType::F8E4M3FN, DType::I8>(fromFloat, toFloat);
      return pick<DType::F8E5M2, DType::I8>(fromFloat, toFloat);
    default:
      return nullptr;
    }
  }
};

} // namespace

void reference::registerArithModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
#define ATTACH(model, op, fn)                                                  \
  arith::op::attachInterface<model<arith::op, fn>>(*context);
    ATTACH(FloatModel, AddFOp, AddF)
    ATTACH(FloatModel, SubFOp, SubF)
    ATTACH(FloatModel, MulFOp, MulF)
    ATTACH(FloatModel, DivFOp, DivF)
    ATTACH(FloatModel, RemFOp, RemF)
    ATTACH(FloatModel, NegFOp, NegF)
    ATTACH(FloatModel, MaximumFOp, MaximumF)
    ATTACH(FloatModel, MinimumFOp, MinimumF)
    ATTACH(FloatModel, MaxNumFOp, MaxNumF)
    ATTACH(FloatModel, MinNumFOp, MinNumF)
    ATTACH(IntModel, AddIOp, AddI)
    ATTACH(IntModel, SubIOp, SubI)
    ATTACH(IntModel, MulIOp, MulI)
    ATTACH(IntModel, AndIOp, AndI)
    ATTACH(IntModel, OrIOp, OrI)
    ATTACH(IntModel, XOrIOp, XOrI)
    ATTACH(IntModel, ShLIOp, ShLI)
    ATTACH(IntModel, ShRUIOp, ShRUI)
    ATTACH(IntModel, ShRSIOp, ShRSI)
    ATTACH(IntModel, MaxSIOp, MaxSI)
    ATTACH(IntModel, MinSIOp, MinSI)
    ATTACH(IntModel, MaxUIOp, MaxUI)
    ATTACH(IntModel, MinUIOp, MinUI)
    ATTACH(IntModel, DivSIOp, DivSI)
    ATTACH(IntModel, RemSIOp, RemSI)
    ATTACH(IntModel, DivUIOp, DivUI)
    ATTACH(IntModel, RemUIOp, RemUI)
    ATTACH(IntModel, CeilDivUIOp, CeilDivUI)
    ATTACH(IntModel, CeilDivSIOp, CeilDivSI)
    ATTACH(IntModel, FloorDivSIOp, FloorDivSI)
    ATTACH(IntModel, TruncIOp, TruncI)
    ATTACH(CustomModel, CmpIOp, CmpI)
    ATTACH(CustomModel, CmpFOp, CmpF)
    ATTACH(CustomModel, SelectOp, Select)
    ATTACH(CustomModel, ExtFOp, ExtF)
    ATTACH(CustomModel, TruncFOp, TruncF)
    ATTACH(CustomModel, ExtSIOp, ExtI<true>)
    ATTACH(CustomModel, ExtUIOp, ExtI<false>)
    ATTACH(CustomModel, IndexCastOp, IndexCast<true>)
    ATTACH(CustomModel, IndexCastUIOp, IndexCast<false>)
    ATTACH(CustomModel, SIToFPOp, IntToFloat<true>)
    ATTACH(CustomModel, UIToFPOp, IntToFloat<false>)
    ATTACH(CustomModel, FPToSIOp, FloatToInt<true>)
    ATTACH(CustomModel, FPToUIOp, FloatToInt<false>)
    ATTACH(CustomModel, BitcastOp, Bitcast)
#undef ATTACH
  });
}
