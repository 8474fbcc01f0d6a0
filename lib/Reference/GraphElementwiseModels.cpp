//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of `graph`'s elementwise operators, as the framework's
// CPU kernels compute them: f16 and bf16 in float, rounded once; f32 in float,
// f64 in double; integers modulo their width. Written apart from the operators'
// scalar bodies, which the lowering uses.
//
//===----------------------------------------------------------------------===//

#include "GraphModels.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Runtime/Special.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::reference;

namespace {

/// How elements are computed: integers in 64 bits, signed or not, and wrapped
/// when stored.
enum class Compute { Float, Double, Signed, Unsigned };

} // namespace

static Compute getCompute(DType dtype) {
  if (dtype == DType::F64)
    return Compute::Double;
  if (isFloat(dtype))
    return Compute::Float;
  return isUnsigned(dtype) || dtype == DType::Bool ? Compute::Unsigned
                                                   : Compute::Signed;
}

template <typename T>
static T get(Scalar s) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(s.f);
  else
    return static_cast<T>(s.i);
}

template <typename T>
static Scalar make(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return makeFloat(value);
  else
    return makeInt(static_cast<int64_t>(value));
}

namespace {

template <typename T>
constexpr bool isFloatType = std::is_floating_point_v<T>;

} // namespace

//===----------------------------------------------------------------------===//
// Binary operators
//===----------------------------------------------------------------------===//

/// `run(x, y, width)` for every computation type that an operator takes.
#define BINARY(name)                                                           \
  struct name {                                                                \
    template <typename T>                                                      \
    static T run(T x, T y, [[maybe_unused]] int64_t width);                    \
  };                                                                           \
  template <typename T>                                                        \
  T name::run(T x, T y, [[maybe_unused]] int64_t width)

namespace {

BINARY(Add) {
  if constexpr (isFloatType<T>)
    return x + y;
  else
    return static_cast<T>(uint64_t(x) + uint64_t(y));
}

BINARY(Sub) {
  if constexpr (isFloatType<T>)
    return x - y;
  else
    return static_cast<T>(uint64_t(x) - uint64_t(y));
}

BINARY(Mul) {
  if constexpr (isFloatType<T>)
    return x * y;
  else
    return static_cast<T>(uint64_t(x) * uint64_t(y));
}

BINARY(Div) {
  if constexpr (isFloatType<T>)
    return x / y;
  else
    return 0; // Not an operator of integers.
}

BINARY(TruncDiv) {
  if constexpr (isFloatType<T>) {
    return std::trunc(x / y);
  } else {
    if (y == 0)
      return 0;
    if (std::is_signed_v<T> && y == T(-1))
      return static_cast<T>(-uint64_t(x));
    return x / y;
  }
}

BINARY(Fmod) {
  if constexpr (isFloatType<T>)
    return std::fmod(x, y);
  else
    return y == 0 || (std::is_signed_v<T> && y == T(-1)) ? 0 : x % y;
}

BINARY(Remainder) {
  T rest = Fmod::run<T>(x, y, width);
  if (rest != 0 && (rest < 0) != (y < 0))
    rest += y;
  return rest;
}

BINARY(FloorDiv) {
  if constexpr (isFloatType<T>) {
    // x - x % y is a multiple of y, up to the rounding of that difference.
    if (y == 0)
      return x / y;
    T multiple = (x - std::fmod(x, y)) / y;
    T rest = std::fmod(x, y);
    if (rest != 0 && (rest < 0) != (y < 0))
      multiple -= 1;
    if (multiple == 0)
      return std::copysign(T(0), x / y);
    T down = std::floor(multiple);
    return multiple - down > T(0.5) ? down + 1 : down;
  } else {
    T quotient = TruncDiv::run<T>(x, y, width);
    T rest = Fmod::run<T>(x, y, width);
    return y != 0 && rest != 0 && (rest < 0) != (y < 0) ? quotient - 1
                                                        : quotient;
  }
}

BINARY(Pow) {
  if constexpr (isFloatType<T>) {
    return std::pow(x, y);
  } else {
    if (y < 0) {
      if (x == 1)
        return 1;
      return x == T(-1) ? (y % 2 ? T(-1) : 1) : 0;
    }
    uint64_t result = 1, power = uint64_t(x);
    for (uint64_t rest = uint64_t(y); rest; rest /= 2, power *= power)
      if (rest % 2)
        result *= power;
    return static_cast<T>(result);
  }
}

BINARY(Maximum) {
  if constexpr (isFloatType<T>) {
    if (std::isnan(x) || std::isnan(y))
      return std::numeric_limits<T>::quiet_NaN();
    if (x == 0 && y == 0)
      return std::signbit(x) ? y : x;
  }
  return x < y ? y : x;
}

BINARY(Minimum) {
  if constexpr (isFloatType<T>) {
    if (std::isnan(x) || std::isnan(y))
      return std::numeric_limits<T>::quiet_NaN();
    if (x == 0 && y == 0)
      return std::signbit(x) ? x : y;
  }
  return y < x ? y : x;
}

BINARY(BitwiseAnd) { return static_cast<T>(uint64_t(x) & uint64_t(y)); }
BINARY(BitwiseOr) { return static_cast<T>(uint64_t(x) | uint64_t(y)); }
BINARY(BitwiseXor) { return static_cast<T>(uint64_t(x) ^ uint64_t(y)); }
BINARY(ShiftLeft) {
  if (uint64_t(y) >= uint64_t(width))
    return 0;
  return static_cast<T>(uint64_t(x) << uint64_t(y));
}

BINARY(ShiftRight) {
  if constexpr (isFloatType<T>)
    return 0; // Not an operator of floats.
  else if (uint64_t(y) >= uint64_t(width))
    return x < 0 ? T(-1) : 0;
  else
    return x >> uint64_t(y);
}

#undef BINARY

#define FLOAT_BINARY(name, expression)                                         \
  struct name {                                                                \
    template <typename T>                                                      \
    static T run(T x, T y, int64_t) {                                          \
      if constexpr (isFloatType<T>)                                            \
        return expression;                                                     \
      else                                                                     \
        return 0;                                                              \
    }                                                                          \
  };

FLOAT_BINARY(Fmax, std::fmax(x, y))
FLOAT_BINARY(Fmin, std::fmin(x, y))
FLOAT_BINARY(Atan2, std::atan2(x, y))
FLOAT_BINARY(Copysign, std::copysign(x, y))
FLOAT_BINARY(Hypot, std::hypot(x, y))
#undef FLOAT_BINARY

//===----------------------------------------------------------------------===//
// Unary operators
//===----------------------------------------------------------------------===//

#define UNARY(name)                                                            \
  struct name {                                                                \
    template <typename T>                                                      \
    static T run(T x, T, int64_t);                                             \
  };                                                                           \
  template <typename T>                                                        \
  T name::run(T x, T, int64_t)

UNARY(Abs) {
  if constexpr (isFloatType<T>)
    return std::fabs(x);
  else
    return x < 0 ? static_cast<T>(-uint64_t(x)) : x;
}

UNARY(Neg) {
  if constexpr (isFloatType<T>)
    return -x;
  else
    return static_cast<T>(-uint64_t(x));
}

UNARY(Sign) { return x > 0 ? T(1) : x < 0 ? T(-1) : T(0); }
UNARY(Relu) {
  if constexpr (isFloatType<T>)
    if (std::isnan(x))
      return x;
  return x > 0 ? x : T(0);
}

UNARY(BitwiseNot) { return static_cast<T>(~uint64_t(x)); }
#undef UNARY

#define FLOAT_UNARY(name, expression)                                          \
  struct name {                                                                \
    template <typename T>                                                      \
    static T run(T x, T, int64_t) {                                            \
      if constexpr (isFloatType<T>)                                            \
        return expression;                                                     \
      else                                                                     \
        return 0;                                                              \
    }                                                                          \
  };

FLOAT_UNARY(Ceil, std::ceil(x))
FLOAT_UNARY(Floor, std::floor(x))
FLOAT_UNARY(Trunc, std::trunc(x))
FLOAT_UNARY(Round, std::nearbyint(x))
FLOAT_UNARY(Sqrt, std::sqrt(x))
FLOAT_UNARY(Exp, std::exp(x))
FLOAT_UNARY(Exp2, std::exp2(x))
FLOAT_UNARY(Expm1, std::expm1(x))
FLOAT_UNARY(Log, std::log(x))
FLOAT_UNARY(Log2, std::log2(x))
FLOAT_UNARY(Log10, std::log10(x))
FLOAT_UNARY(Log1p, std::log1p(x))
FLOAT_UNARY(Sin, std::sin(x))
FLOAT_UNARY(Cos, std::cos(x))
FLOAT_UNARY(Tan, std::tan(x))
FLOAT_UNARY(Asin, std::asin(x))
FLOAT_UNARY(Acos, std::acos(x))
FLOAT_UNARY(Atan, std::atan(x))
FLOAT_UNARY(Sinh, std::sinh(x))
FLOAT_UNARY(Cosh, std::cosh(x))
FLOAT_UNARY(Tanh, std::tanh(x))
FLOAT_UNARY(Asinh, std::asinh(x))
FLOAT_UNARY(Acosh, std::acosh(x))
FLOAT_UNARY(Atanh, std::atanh(x))
FLOAT_UNARY(Erf, std::erf(x))
FLOAT_UNARY(Erfc, std::erfc(x))
FLOAT_UNARY(Rsqrt, 1 / std::sqrt(x))
FLOAT_UNARY(Reciprocal, 1 / x)
FLOAT_UNARY(Sigmoid, 1 / (1 + std::exp(-x)))
#undef FLOAT_UNARY

struct IsNan {
  static bool run(double x) { return std::isnan(x); }
};

struct IsInf {
  static bool run(double x) { return std::isinf(x); }
};

struct SignBit {
  static bool run(double x) { return std::signbit(x); }
};

} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The third argument of an operator with one or two operands is the width of
/// its elements in bits.
template <typename Op, typename T>
static Scalar thunk(Scalar x, Scalar y, Scalar z, bool &) {
  return make<T>(Op::template run<T>(get<T>(x), get<T>(y), z.i));
}

template <typename Op>
static ScalarFunction pick(DType dtype) {
  switch (getCompute(dtype)) {
  case Compute::Float:
    return thunk<Op, float>;
  case Compute::Double:
    return thunk<Op, double>;
  case Compute::Signed:
    return thunk<Op, int64_t>;
  case Compute::Unsigned:
    return thunk<Op, uint64_t>;
  }
  llvm_unreachable("unknown computation");
}

template <typename Op>
static Scalar floatPredicateThunk(Scalar x, Scalar, Scalar, bool &) {
  return makeInt(Op::run(x.f));
}

template <graph::ComparePredicate P, typename T>
static Scalar compareThunk(Scalar a, Scalar b, Scalar, bool &) {
  T x = get<T>(a), y = get<T>(b);
  switch (P) {
  case graph::ComparePredicate::Eq:
    return makeInt(x == y);
  case graph::ComparePredicate::Ne:
    return makeInt(x != y);
  case graph::ComparePredicate::Lt:
    return makeInt(x < y);
  case graph::ComparePredicate::Le:
    return makeInt(x <= y);
  case graph::ComparePredicate::Gt:
    return makeInt(x > y);
  case graph::ComparePredicate::Ge:
    return makeInt(x >= y);
  }
  llvm_unreachable("unknown predicate");
}

template <typename T>
static ScalarFunction pickCompare(graph::ComparePredicate predicate) {
  using graph::ComparePredicate;
  switch (predicate) {
  case ComparePredicate::Eq:
    return compareThunk<ComparePredicate::Eq, T>;
  case ComparePredicate::Ne:
    return compareThunk<ComparePredicate::Ne, T>;
  case ComparePredicate::Lt:
    return compareThunk<ComparePredicate::Lt, T>;
  case ComparePredicate::Le:
    return compareThunk<ComparePredicate::Le, T>;
  case ComparePredicate::Gt:
    return compareThunk<ComparePredicate::Gt, T>;
  case ComparePredicate::Ge:
    return compareThunk<ComparePredicate::Ge, T>;
  }
  llvm_unreachable("unknown predicate");
}

static Scalar selectThunk(Scalar condition, Scalar x, Scalar y, bool &) {
  return condition.i ? x : y;
}

/// The integer nearest to zero's side of a float; an unspecified one out of
/// range.
static int64_t truncateToInt(double x) {
  double value = std::trunc(x);
  if (value >= 0x1p63 && value < 0x1p64)
    return static_cast<int64_t>(static_cast<uint64_t>(value));
  if (value >= -0x1p63 && value < 0x1p63)
    return static_cast<int64_t>(value);
  return INT64_MIN;
}

/// Conversion between computation types. To f16 and bf16 the framework goes
/// through float; the tensor rounds and wraps the rest of the way.
template <typename From>
static ScalarFunction pickConvert(DType to) {
  if (to == DType::Bool)
    return [](Scalar x, Scalar, Scalar, bool &) {
      return makeInt(get<From>(x) != 0);
    };
  if (to == DType::F64)
    return [](Scalar x, Scalar, Scalar, bool &) {
      return makeFloat(static_cast<double>(get<From>(x)));
    };
  if (isFloat(to))
    return [](Scalar x, Scalar, Scalar, bool &) {
      return makeFloat(static_cast<float>(get<From>(x)));
    };
  return [](Scalar x, Scalar, Scalar, bool &) {
    if constexpr (isFloatType<From>)
      return makeInt(truncateToInt(x.f));
    else
      return x;
  };
}

static ScalarFunction pickConvert(DType from, DType to) {
  switch (getCompute(from)) {
  case Compute::Float:
    return pickConvert<float>(to);
  case Compute::Double:
    return pickConvert<double>(to);
  case Compute::Signed:
    return pickConvert<int64_t>(to);
  case Compute::Unsigned:
    return pickConvert<uint64_t>(to);
  }
  llvm_unreachable("unknown computation");
}

/// The neighbour of a 16-bit float on the way to another, by stepping its bits,
/// which order as the magnitudes do.
template <DType T>
static Scalar nextAfter16(Scalar x, Scalar y, Scalar, bool &) {
  if (std::isnan(x.f) || std::isnan(y.f))
    return makeFloat(std::numeric_limits<double>::quiet_NaN());
  if (x.f == y.f)
    return y;
  if (x.f == 0)
    return makeFloat(
        std::copysign(fromBits(T, 1).f, y.f)); // The least subnormal.
  uint64_t bits = toBits(T, x);
  bool away = (x.f < y.f) == (x.f > 0);
  return fromBits(T, away ? bits + 1 : bits - 1);
}

static ScalarFunction pickSpecial(loop::SpecialFunction function, DType dtype) {
  using loop::SpecialFunction;
  bool isDouble = dtype == DType::F64;
#define SPECIAL(Case, name, ...)                                               \
  case SpecialFunction::Case:                                                  \
    if (isDouble)                                                              \
      return [](Scalar x, [[maybe_unused]] Scalar y, Scalar, bool &) {         \
        using T = double;                                                      \
        return makeFloat(coil_special_##name(__VA_ARGS__));                    \
      };                                                                       \
    return [](Scalar x, [[maybe_unused]] Scalar y, Scalar, bool &) {           \
      using T = float;                                                         \
      return makeFloat(coil_special_##name##f(__VA_ARGS__));                   \
    };
  switch (function) {
    SPECIAL(LGamma, lgamma, get<T>(x))
    SPECIAL(Digamma, digamma, get<T>(x))
    SPECIAL(ErfInv, erfinv, get<T>(x))
    SPECIAL(I0, i0, get<T>(x))
    SPECIAL(I0e, i0e, get<T>(x))
    SPECIAL(I1, i1, get<T>(x))
    SPECIAL(I1e, i1e, get<T>(x))
    SPECIAL(NdtrI, ndtri, get<T>(x))
    SPECIAL(LogNdtr, log_ndtr, get<T>(x))
    SPECIAL(Erfcx, erfcx, get<T>(x))
    SPECIAL(IGamma, igamma, get<T>(x), get<T>(y))
    SPECIAL(IGammaC, igammac, get<T>(x), get<T>(y))
    SPECIAL(Zeta, zeta, get<T>(x), get<T>(y))
    SPECIAL(Trigamma, trigamma, get<T>(x))
    SPECIAL(BesselJ0, bessel_j0, get<T>(x))
    SPECIAL(BesselJ1, bessel_j1, get<T>(x))
    SPECIAL(BesselY0, bessel_y0, get<T>(x))
    SPECIAL(BesselY1, bessel_y1, get<T>(x))
    SPECIAL(K0, k0, get<T>(x))
    SPECIAL(K0e, k0e, get<T>(x))
    SPECIAL(K1, k1, get<T>(x))
    SPECIAL(K1e, k1e, get<T>(x))
    SPECIAL(AiryAi, airy_ai, get<T>(x))
    SPECIAL(ChebyshevT, chebyshev_t, get<T>(x), get<T>(y))
    SPECIAL(ChebyshevU, chebyshev_u, get<T>(x), get<T>(y))
    SPECIAL(ChebyshevV, chebyshev_v, get<T>(x), get<T>(y))
    SPECIAL(ChebyshevW, chebyshev_w, get<T>(x), get<T>(y))
    SPECIAL(ShiftedChebyshevT, shifted_chebyshev_t, get<T>(x), get<T>(y))
    SPECIAL(ShiftedChebyshevU, shifted_chebyshev_u, get<T>(x), get<T>(y))
    SPECIAL(ShiftedChebyshevV, shifted_chebyshev_v, get<T>(x), get<T>(y))
    SPECIAL(ShiftedChebyshevW, shifted_chebyshev_w, get<T>(x), get<T>(y))
    SPECIAL(HermiteH, hermite_h, get<T>(x), get<T>(y))
    SPECIAL(HermiteHe, hermite_he, get<T>(x), get<T>(y))
    SPECIAL(LaguerreL, laguerre_l, get<T>(x), get<T>(y))
    SPECIAL(LegendreP, legendre_p, get<T>(x), get<T>(y))
  case SpecialFunction::NextAfter:
    if (dtype == DType::F16)
      return nextAfter16<DType::F16>;
    if (dtype == DType::BF16)
      return nextAfter16<DType::BF16>;
    if (isDouble)
      return [](Scalar x, Scalar y, Scalar, bool &) {
        return makeFloat(std::nextafter(x.f, y.f));
      };
    return [](Scalar x, Scalar y, Scalar, bool &) {
      return makeFloat(std::nextafter(get<float>(x), get<float>(y)));
    };
  }
#undef SPECIAL
  llvm_unreachable("unknown function");
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Applies a scalar function to broadcast operands.
static LogicalResult apply(Operation *op, Frame &frame,
                           ArrayRef<Tensor> operands, ScalarFunction function,
                           SmallVectorImpl<Tensor> &results) {
  FailureOr<Tensor> result = frame.allocate(op, op->getResult(0).getType());
  if (failed(result) || failed(frame.spend(op, result->getNumElements())))
    return failure();
  ArrayRef<int64_t> sizes = result->getSizes();
  SmallVector<SmallVector<int64_t>, 3> strides;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    FailureOr<SmallVector<int64_t>> s = getBroadcastStrides(op, operand, sizes);
    if (failed(s))
      return failure();
    strides.push_back(std::move(*s));
  }
  Scalar width = makeInt(getBitWidth(operands[0].getDType()));
  SmallVector<int64_t> point(sizes.size());
  int64_t offsets[3] = {0, 0, 0};
  size_t count = operands.size();
  bool undefined = false;
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    Scalar x = operands[0].get(offsets[0]);
    Scalar y = count > 1 ? operands[1].get(offsets[1]) : makeInt(0);
    Scalar z = count > 2 ? operands[2].get(offsets[2]) : width;
    result->set(i, function(x, y, z, undefined));
    for (size_t d = sizes.size(); d-- > 0;) {
      for (size_t k = 0; k < count; ++k)
        offsets[k] += strides[k][d];
      if (++point[d] < sizes[d])
        break;
      for (size_t k = 0; k < count; ++k)
        offsets[k] -= point[d] * strides[k][d];
      point[d] = 0;
    }
  }
  results.push_back(*result);
  return success();
}

namespace {

template <typename OpTy, typename Fn>
struct ElementwiseModel
    : ReferenceOpInterface::ExternalModel<ElementwiseModel<OpTy, Fn>, OpTy> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    return apply(op, frame, operands, pick<Fn>(operands[0].getDType()),
                 results);
  }
};

template <typename OpTy, typename Fn>
struct PredicateModel
    : ReferenceOpInterface::ExternalModel<PredicateModel<OpTy, Fn>, OpTy> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    // Only `signbit` takes integers.
    ScalarFunction function = floatPredicateThunk<Fn>;
    if (!isFloat(operands[0].getDType()))
      function = isUnsigned(operands[0].getDType())
                     ? compareThunk<graph::ComparePredicate::Lt, uint64_t>
                     : compareThunk<graph::ComparePredicate::Lt, int64_t>;
    return apply(op, frame, operands, function, results);
  }
};

struct CompareModel
    : ReferenceOpInterface::ExternalModel<CompareModel, graph::CompareOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    graph::ComparePredicate p = cast<graph::CompareOp>(op).getPredicate();
    DType dtype = operands[0].getDType();
    ScalarFunction function = isFloat(dtype) ? pickCompare<double>(p)
                              : getCompute(dtype) == Compute::Signed
                                  ? pickCompare<int64_t>(p)
                                  : pickCompare<uint64_t>(p);
    return apply(op, frame, operands, function, results);
  }
};

struct SelectModel
    : ReferenceOpInterface::ExternalModel<SelectModel, graph::SelectOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    return apply(op, frame, operands, selectThunk, results);
  }
};

struct ConvertModel
    : ReferenceOpInterface::ExternalModel<ConvertModel, graph::ConvertOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    DType to = *reference::getDType(
        cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
    return apply(op, frame, operands, pickConvert(operands[0].getDType(), to),
                 results);
  }
};

struct BitcastModel
    : ReferenceOpInterface::ExternalModel<BitcastModel, graph::BitcastOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    DType to = *reference::getDType(
        cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
    Tensor cast = operands[0].bitcast(to);
    return apply(
        op, frame, cast, [](Scalar x, Scalar, Scalar, bool &) { return x; },
        results);
  }
};

struct SpecialModel
    : ReferenceOpInterface::ExternalModel<SpecialModel, graph::SpecialOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    return apply(op, frame, operands,
                 pickSpecial(cast<graph::SpecialOp>(op).getFunction(),
                             operands[0].getDType()),
                 results);
  }
};

} // namespace

FailureOr<SmallVector<int64_t>>
reference::getBroadcastStrides(Operation *op, const Tensor &tensor,
                               ArrayRef<int64_t> sizes) {
  ArrayRef<int64_t> from = tensor.getSizes();
  assert(from.size() <= sizes.size() && "the verifiers compare the ranks");
  SmallVector<int64_t> strides(sizes.size(), 0);
  SmallVector<int64_t> contiguous = getContiguousStrides(from);
  size_t lead = sizes.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != sizes[lead + d])
      return op->emitError() << "cannot broadcast size " << from[d] << " to "
                             << sizes[lead + d];
    strides[lead + d] = from[d] == 1 ? 0 : contiguous[d];
  }
  return strides;
}

void reference::registerGraphElementwiseModels(MLIRContext *context) {
#define ATTACH(Op, Fn)                                                         \
  graph::Op::attachInterface<ElementwiseModel<graph::Op, Fn>>(*context);
  ATTACH(AddOp, Add)
  ATTACH(SubOp, Sub)
  ATTACH(MulOp, Mul)
  ATTACH(DivOp, Div)
  ATTACH(TruncDivOp, TruncDiv)
  ATTACH(FloorDivOp, FloorDiv)
  ATTACH(FmodOp, Fmod)
  ATTACH(RemainderOp, Remainder)
  ATTACH(PowOp, Pow)
  ATTACH(MaximumOp, Maximum)
  ATTACH(MinimumOp, Minimum)
  ATTACH(FmaxOp, Fmax)
  ATTACH(FminOp, Fmin)
  ATTACH(Atan2Op, Atan2)
  ATTACH(CopysignOp, Copysign)
  ATTACH(HypotOp, Hypot)
  ATTACH(BitwiseAndOp, BitwiseAnd)
  ATTACH(BitwiseOrOp, BitwiseOr)
  ATTACH(BitwiseXorOp, BitwiseXor)
  ATTACH(ShiftLeftOp, ShiftLeft)
  ATTACH(ShiftRightOp, ShiftRight)
  ATTACH(AbsOp, Abs)
  ATTACH(NegOp, Neg)
  ATTACH(SignOp, Sign)
  ATTACH(ReluOp, Relu)
  ATTACH(BitwiseNotOp, BitwiseNot)
  ATTACH(CeilOp, Ceil)
  ATTACH(FloorOp, Floor)
  ATTACH(TruncOp, Trunc)
  ATTACH(RoundOp, Round)
  ATTACH(SqrtOp, Sqrt)
  ATTACH(ExpOp, Exp)
  ATTACH(Exp2Op, Exp2)
  ATTACH(Expm1Op, Expm1)
  ATTACH(LogOp, Log)
  ATTACH(Log2Op, Log2)
  ATTACH(Log10Op, Log10)
  ATTACH(Log1pOp, Log1p)
  ATTACH(SinOp, Sin)
  ATTACH(CosOp, Cos)
  ATTACH(TanOp, Tan)
  ATTACH(AsinOp, Asin)
  ATTACH(AcosOp, Acos)
  ATTACH(AtanOp, Atan)
  ATTACH(SinhOp, Sinh)
  ATTACH(CoshOp, Cosh)
  ATTACH(TanhOp, Tanh)
  ATTACH(AsinhOp, Asinh)
  ATTACH(AcoshOp, Acosh)
  ATTACH(AtanhOp, Atanh)
  ATTACH(ErfOp, Erf)
  ATTACH(ErfcOp, Erfc)
  ATTACH(RsqrtOp, Rsqrt)
  ATTACH(ReciprocalOp, Reciprocal)
  ATTACH(SigmoidOp, Sigmoid)
#undef ATTACH
  graph::IsNanOp::attachInterface<PredicateModel<graph::IsNanOp, IsNan>>(
      *context);
  graph::IsInfOp::attachInterface<PredicateModel<graph::IsInfOp, IsInf>>(
      *context);
  graph::SignBitOp::attachInterface<PredicateModel<graph::SignBitOp, SignBit>>(
      *context);
  graph::CompareOp::attachInterface<CompareModel>(*context);
  graph::SelectOp::attachInterface<SelectModel>(*context);
  graph::ConvertOp::attachInterface<ConvertModel>(*context);
  graph::BitcastOp::attachInterface<BitcastModel>(*context);
  graph::SpecialOp::attachInterface<SpecialModel>(*context);
}
