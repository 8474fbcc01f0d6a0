//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code of the random generator, for scalars and vectors.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/Utils/Philox.h"

#include "coil/Support/Philox.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;

static Type withElement(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), element);
  return element;
}

static Value constant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  APInt number(bits, static_cast<uint64_t>(value), /*isSigned=*/false,
               /*implicitTrunc=*/true);
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

/// The low and the high half of a number of 64 bits.
static std::pair<Value, Value> split(ImplicitLocOpBuilder &b, Value v) {
  Type word = withElement(v.getType(), b.getI32Type());
  Value high = arith::ShRUIOp::create(b, v, constant(b, v.getType(), 32));
  return {arith::TruncIOp::create(b, word, v),
          arith::TruncIOp::create(b, word, high)};
}

std::array<Value, 4> coil::emitPhilox(ImplicitLocOpBuilder &b, Value key,
                                      Value counter, Value stream) {
  auto [c0, c1] = split(b, counter);
  auto [c2, c3] = split(b, stream);
  auto [k0, k1] = split(b, key);
  Type word = c0.getType();
  Value multipliers[2] = {constant(b, word, philox::kMultipliers[0]),
                          constant(b, word, philox::kMultipliers[1])};
  for (unsigned round = 0; round < philox::kRounds; ++round) {
    if (round > 0) {
      k0 = arith::AddIOp::create(b, k0, constant(b, word, philox::kWeyl[0]));
      k1 = arith::AddIOp::create(b, k1, constant(b, word, philox::kWeyl[1]));
    }
    auto p0 = arith::MulUIExtendedOp::create(b, multipliers[0], c0);
    auto p1 = arith::MulUIExtendedOp::create(b, multipliers[1], c2);
    auto mix = [&](Value high, Value c, Value k) -> Value {
      return arith::XOrIOp::create(b, arith::XOrIOp::create(b, high, c), k);
    };
    c0 = mix(p1.getHigh(), c1, k0);
    c2 = mix(p0.getHigh(), c3, k1);
    c1 = p1.getLow();
    c3 = p0.getLow();
  }
  return {c0, c1, c2, c3};
}

Value coil::selectWord(ImplicitLocOpBuilder &b,
                       const std::array<Value, 4> &words, Value number) {
  Type type = number.getType();
  auto hasBit = [&](int64_t bit) -> Value {
    Value masked = arith::AndIOp::create(b, number, constant(b, type, bit));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                                 constant(b, type, 0));
  };
  Value odd = hasBit(1), high = hasBit(2);
  return arith::SelectOp::create(
      b, high, arith::SelectOp::create(b, odd, words[3], words[2]),
      arith::SelectOp::create(b, odd, words[1], words[0]));
}
