//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes scalar functions of loop bodies from one template for each operation.
// Values are as `Scalar` says, integers signless: sign-extended, and i1 is 0
// or 1.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_REFERENCE_SCALARFUNCTIONS_H
#define COIL_LIB_REFERENCE_SCALARFUNCTIONS_H

#include "coil/Interfaces/ReferenceInterface.h"
#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <cmath>

namespace coil::reference {

/// What an integer poison value becomes: visible in a comparison, and allowed
/// where a select drops it.
inline constexpr int64_t kPoison = int64_t(0xa5a5a5a5a5a5a5a5ull);

template <unsigned Width>
int64_t canonicalize(int64_t value) {
  if constexpr (Width == 1)
    return value & 1;
  else if constexpr (Width == 64)
    return value;
  else
    return static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - Width)) >>
           (64 - Width);
}
/// The value that the bits have as a signed integer.
template <unsigned Width>
int64_t asSigned(int64_t value) {
  return Width == 1 ? -value : value;
}
/// The value that the bits have as an unsigned integer.
template <unsigned Width>
uint64_t asUnsigned(int64_t value) {
  if constexpr (Width == 64)
    return static_cast<uint64_t>(value);
  else
    return static_cast<uint64_t>(value) & ((uint64_t(1) << Width) - 1);
}

/// log(exp(x) + exp(y)).
inline double logAddExp(double x, double y) {
  if (std::isnan(x) || x == y)
    return x + std::log(2.0);
  if (std::isnan(y))
    return y;
  return std::max(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
}

/// Computes `Op::run<T>(x, y, z)` in float (double for f64) and rounds once.
template <typename Op, DType Type>
Scalar floatThunk(Scalar x, Scalar y, Scalar z, bool &) {
  using T = std::conditional_t<Type == DType::F64, double, float>;
  T result = Op::template run<T>(static_cast<T>(x.f), static_cast<T>(y.f),
                                 static_cast<T>(z.f));
  if constexpr (Type != DType::F32 && Type != DType::F64)
    return makeFloat(roundTo(Type, result));
  else
    return makeFloat(result);
}

/// Computes `Op::run<Width>(x, y, undefined)` and wraps.
template <typename Op, unsigned Width>
Scalar intThunk(Scalar x, Scalar y, Scalar, bool &undefined) {
  return makeInt(
      canonicalize<Width>(Op::template run<Width>(x.i, y.i, undefined)));
}

/// Computes a predicate of floats.
template <typename Op>
Scalar floatPredicateThunk(Scalar x, Scalar y, Scalar, bool &) {
  return makeInt(Op::run(x.f, y.f));
}

template <typename Op>
ScalarFunction pickFloat(mlir::Type type) {
  if (type.isF16())
    return floatThunk<Op, DType::F16>;
  if (type.isBF16())
    return floatThunk<Op, DType::BF16>;
  if (type.isF32())
    return floatThunk<Op, DType::F32>;
  if (type.isF64())
    return floatThunk<Op, DType::F64>;
  return nullptr;
}

/// Calls `fn` with an integral constant for the width of a signless integer.
template <typename FnT>
ScalarFunction dispatchWidth(mlir::Type type, FnT fn) {
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  switch (integer ? integer.getWidth() : type.isIndex() ? 64 : 0) {
  case 1:
    return fn(std::integral_constant<unsigned, 1>());
  case 8:
    return fn(std::integral_constant<unsigned, 8>());
  case 16:
    return fn(std::integral_constant<unsigned, 16>());
  case 32:
    return fn(std::integral_constant<unsigned, 32>());
  case 64:
    return fn(std::integral_constant<unsigned, 64>());
  default:
    return nullptr;
  }
}

template <typename Op>
ScalarFunction pickInt(mlir::Type type) {
  return dispatchWidth(type, [](auto width) -> ScalarFunction {
    return intThunk<Op, decltype(width)::value>;
  });
}

/// Calls `fn` with an integral constant for a float type.
template <typename FnT>
ScalarFunction dispatchFloat(mlir::Type type, FnT fn) {
  if (type.isF16())
    return fn(std::integral_constant<DType, DType::F16>());
  if (type.isBF16())
    return fn(std::integral_constant<DType, DType::BF16>());
  if (type.isF32())
    return fn(std::integral_constant<DType, DType::F32>());
  if (type.isF64())
    return fn(std::integral_constant<DType, DType::F64>());
  if (llvm::isa<mlir::Float8E4M3FNType>(type))
    return fn(std::integral_constant<DType, DType::F8E4M3FN>());
  if (llvm::isa<mlir::Float8E5M2Type>(type))
    return fn(std::integral_constant<DType, DType::F8E5M2>());
  return nullptr;
}

/// \name Models
/// `FloatModel<AddFOp, Add>` attaches `Add::run` to `arith.addf`.
/// @{
template <typename OpTy, typename Fn>
struct FloatModel
    : ReferenceScalarOpInterface::ExternalModel<FloatModel<OpTy, Fn>, OpTy> {
  ScalarFunction getScalarFunction(mlir::Operation *op) const {
    return pickFloat<Fn>(op->getResult(0).getType());
  }
};
template <typename OpTy, typename Fn>
struct IntModel
    : ReferenceScalarOpInterface::ExternalModel<IntModel<OpTy, Fn>, OpTy> {
  ScalarFunction getScalarFunction(mlir::Operation *op) const {
    return pickInt<Fn>(op->getResult(0).getType());
  }
};
template <typename OpTy, typename Fn>
struct FloatPredicateModel
    : ReferenceScalarOpInterface::ExternalModel<FloatPredicateModel<OpTy, Fn>,
                                                OpTy> {
  ScalarFunction getScalarFunction(mlir::Operation *op) const {
    if (!llvm::isa<mlir::FloatType>(op->getOperand(0).getType()))
      return nullptr;
    return floatPredicateThunk<Fn>;
  }
};
/// `Fn::get(op)` returns the function.
template <typename OpTy, typename Fn>
struct CustomModel
    : ReferenceScalarOpInterface::ExternalModel<CustomModel<OpTy, Fn>, OpTy> {
  ScalarFunction getScalarFunction(mlir::Operation *op) const {
    return Fn::get(llvm::cast<OpTy>(op));
  }
};
/// @}

} // namespace coil::reference

#endif // COIL_LIB_REFERENCE_SCALARFUNCTIONS_H
