//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Approximate functions. Hardware only bounds their errors: they are computed
// in f64 and rounded, or, when COIL_CUDA_SIM_APPROX=worst, off by the largest
// error that the PTX manual states, up or down by a hash of the argument.
//
//===----------------------------------------------------------------------===//

#include "FloatFormat.h"
#include "FloatOps.h"

using namespace coil::cudasim;

namespace {

enum class Fn : uint8_t {
  Ex2,
  Lg2,
  Rcp,
  Rsqrt,
  Sqrt,
  Sin,
  Cos,
  Tanh,
  DivApprox,
  DivFull
};

double evaluate(Fn fn, double a, double b) {
  switch (fn) {
  case Fn::Ex2:
    return std::exp2(a);
  case Fn::Lg2:
    return std::log2(a);
  case Fn::Rcp:
    return 1 / a;
  case Fn::Rsqrt:
    return 1 / std::sqrt(a);
  case Fn::Sqrt:
    return std::sqrt(a);
  case Fn::Sin:
    return std::sin(a);
  case Fn::Cos:
    return std::cos(a);
  case Fn::Tanh:
    return std::tanh(a);
  case Fn::DivApprox:
    // The reciprocal of a huge divisor is flushed to zero.
    if (std::fabs(b) >= 0x1p126 && std::fabs(b) < INFINITY)
      return a * std::copysign(0.0, b);
    return a / b;
  case Fn::DivFull:
    return a / b;
  }
  return 0;
}

/// The largest error, relative unless `absolute`.
double bound(Fn fn, Ty type, double a, bool &absolute) {
  absolute = false;
  bool f16 = type == Ty::F16 || type == Ty::F16x2;
  bool bf16 = type == Ty::BF16 || type == Ty::BF16x2;
  switch (fn) {
  case Fn::Ex2:
    return f16 ? 0x1p-9 : bf16 ? 0x1p-7 : 0x1p-22;
  case Fn::Lg2:
    absolute = a > 0.5 && a < 2;
    return 0x1.6p-23;
  case Fn::Rcp:
    return type == Ty::F64 ? 0x1p-20 : 0x1p-23;
  case Fn::Rsqrt:
    return type == Ty::F64 ? 0x1p-20 : 0x1.12p-23;
  case Fn::Sqrt:
    return 0x1p-23;
  case Fn::Sin:
  case Fn::Cos:
    absolute = true;
    return 0x1.7p-21;
  case Fn::Tanh:
    absolute = f16;
    return bf16 ? 0x1p-8 : 0x1.03p-11;
  case Fn::DivApprox:
  case Fn::DivFull:
    return 0x1p-22;
  }
  return 0;
}

double worsen(Fn fn, Ty type, double a, double b, double r) {
  if (!(std::fabs(r) < INFINITY) || r == 0)
    return r;
  bool absolute;
  double error = bound(fn, type, a, absolute);
  uint64_t hash =
      (bitCast<uint64_t>(a) ^ bitCast<uint64_t>(b) * 3) * 0x9E3779B97F4A7C15ull;
  if (hash >> 63)
    error = -error;
  return absolute ? r + error : r * (1 + error);
}

template <Fn F, bool Worst>
double value(Ty type, double a, double b) {
  double r = evaluate(F, a, b);
  return Worst ? worsen(F, type, a, b, r) : r;
}

/// mode: 1 flush subnormals.
template <Fn F, bool Worst>
void approxF32(Warp &w, const Inst &inst, uint32_t mask) {
  const float *a = w.reg<const float>(inst.a),
              *b = inst.b == None ? a : w.reg<const float>(inst.b);
  bool ftz = inst.mode;
  mapActive<float>(w, inst.d, mask, [=](unsigned i) {
    float x = ftz ? flush(a[i]) : a[i], y = ftz ? flush(b[i]) : b[i];
    float r = static_cast<float>(value<F, Worst>(Ty::F32, x, y));
    return canonical(ftz ? flush(r) : r);
  });
}

/// The lower half of the result is zero.
template <Fn F, bool Worst>
void approxF64(Warp &w, const Inst &inst, uint32_t mask) {
  const double *a = w.reg<const double>(inst.a);
  mapActive<double>(w, inst.d, mask, [=](unsigned i) {
    double x = std::fabs(a[i]) < 0x1p-1022 ? std::copysign(0.0, a[i]) : a[i];
    double r = value<F, Worst>(Ty::F64, x, 0);
    r = bitCast<double>(bitCast<uint64_t>(r) & ~0xFFFFFFFFull);
    return std::fabs(r) < 0x1p-1022 ? std::copysign(0.0, r) : r;
  });
}

template <Fn F, bool Worst, bool BF16>
uint16_t approxHalf(uint16_t v) {
  // bf16 flushes, f16 does not.
  double x = BF16 ? flush(decodeBF16(v)) : decodeF16(v);
  double r = value<F, Worst>(BF16 ? Ty::BF16 : Ty::F16, x, 0);
  return static_cast<uint16_t>(encode(r, BF16 ? BF16Format : F16Format));
}
template <Fn F, bool Worst, bool BF16>
void approx16(Warp &w, const Inst &inst, uint32_t mask) {
  const uint16_t *a = w.reg<const uint16_t>(inst.a);
  mapActive<uint16_t>(w, inst.d, mask, [=](unsigned i) {
    return approxHalf<F, Worst, BF16>(a[i]);
  });
}
template <Fn F, bool Worst, bool BF16>
void approx16x2(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a);
  mapActive<uint32_t>(w, inst.d, mask, [=](unsigned i) {
    return uint32_t(approxHalf<F, Worst, BF16>(uint16_t(a[i]))) |
           uint32_t(approxHalf<F, Worst, BF16>(uint16_t(a[i] >> 16))) << 16;
  });
}

template <Fn F, bool Worst>
Handler pickFor(Ty type) {
  switch (type) {
  case Ty::F32:
    return approxF32<F, Worst>;
  case Ty::F64:
    return F == Fn::Rcp || F == Fn::Rsqrt ? approxF64<F, Worst> : nullptr;
  case Ty::F16:
    return approx16<F, Worst, false>;
  case Ty::BF16:
    return approx16<F, Worst, true>;
  case Ty::F16x2:
    return approx16x2<F, Worst, false>;
  case Ty::BF16x2:
    return approx16x2<F, Worst, true>;
  default:
    return nullptr;
  }
}

template <Fn F>
Handler pick(Ty type) {
  bool hasHalf = F == Fn::Ex2 || F == Fn::Tanh;
  if (type != Ty::F32 && type != Ty::F64 && !hasHalf)
    return nullptr;
  return options().worstApproximation ? pickFor<F, true>(type)
                                      : pickFor<F, false>(type);
}

} // namespace

bool coil::cudasim::lowerApprox(Lowering &l) {
  std::string_view name = l.root();
  bool full = name == "div" && l.take("full");
  if (!full && !l.take("approx"))
    return false;
  l.inst.mode = l.take("ftz");
  Ty type = l.takeType();
  bool two = name == "div";
  if (!l.operands(two ? 3 : 2))
    return false;
  l.inst.fn = name == "ex2"     ? pick<Fn::Ex2>(type)
              : name == "lg2"   ? pick<Fn::Lg2>(type)
              : name == "rcp"   ? pick<Fn::Rcp>(type)
              : name == "rsqrt" ? pick<Fn::Rsqrt>(type)
              : name == "sqrt"  ? pick<Fn::Sqrt>(type)
              : name == "sin"   ? pick<Fn::Sin>(type)
              : name == "cos"   ? pick<Fn::Cos>(type)
              : name == "tanh"  ? pick<Fn::Tanh>(type)
              : full            ? pick<Fn::DivFull>(type)
                                : pick<Fn::DivApprox>(type);
  l.inst.a = l.src(1, type);
  if (two)
    l.inst.b = l.src(2, type);
  l.inst.d = l.dst(0, type);
  return l.inst.fn != nullptr && (!two || type == Ty::F32);
}

void coil::cudasim::registerApproxOps(Registry &r) {
  for (const char *name : {"ex2", "lg2", "rsqrt", "sin", "cos", "tanh"})
    r[name] = lowerApprox;
}
