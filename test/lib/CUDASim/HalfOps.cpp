//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of f16 and bf16, single and in pairs.
//
//===----------------------------------------------------------------------===//

#include "FloatFormat.h"

using namespace coil::cudasim;

namespace {

struct F16 {
  static float decode(uint16_t v) { return decodeF16(v); }
  static constexpr const FloatFormat &format = F16Format;
  static constexpr uint16_t one = 0x3C00;
};
struct BF16 {
  static float decode(uint16_t v) { return decodeBF16(v); }
  static constexpr const FloatFormat &format = BF16Format;
  static constexpr uint16_t one = 0x3F80;
};

enum : uint8_t { Ftz = 1, Sat = 2, Relu = 4, NaN = 8, XorSign = 16 };

template <class H>
uint16_t round(double r, uint8_t mode) {
  uint16_t v = static_cast<uint16_t>(encode(r, H::format));
  uint16_t magnitude = v & 0x7FFF;
  if ((mode & Ftz) && magnitude < 1u << H::format.mantissa)
    v &= 0x8000;
  if (mode & Sat)
    return magnitude > H::format.infinity || (v & 0x8000)
               ? 0
               : (magnitude > H::one ? H::one : v);
  if ((mode & Relu) && (v & 0x8000) && magnitude <= H::format.infinity)
    return 0;
  return v;
}

template <class H>
uint16_t input(uint16_t v, uint8_t mode) {
  if ((mode & Ftz) && (v & 0x7FFF) < 1u << H::format.mantissa)
    return v & 0x8000;
  return v;
}

// f64 holds sums and products of these formats so that a second rounding does
// no harm.
struct Add {
  template <class H>
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t, uint8_t mode) {
    return round<H>(double(H::decode(a)) + H::decode(b), mode);
  }
};
struct Sub {
  template <class H>
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t, uint8_t mode) {
    return round<H>(double(H::decode(a)) - H::decode(b), mode);
  }
};
struct Mul {
  template <class H>
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t, uint8_t mode) {
    return round<H>(double(H::decode(a)) * H::decode(b), mode);
  }
};
struct Fma {
  template <class H>
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t c, uint8_t mode) {
    return round<H>(fmaToOdd(H::decode(a), H::decode(b), H::decode(c)), mode);
  }
};
struct Neg {
  template <class H>
  static uint16_t apply(uint16_t a, uint16_t, uint16_t, uint8_t) {
    return a ^ 0x8000;
  }
};
struct Abs {
  template <class H>
  static uint16_t apply(uint16_t a, uint16_t, uint16_t, uint8_t) {
    return a & 0x7FFF;
  }
};
template <bool IsMin>
struct MinMax {
  template <class H>
  static uint16_t apply(uint16_t a, uint16_t b, uint16_t, uint8_t mode) {
    constexpr uint16_t nan = 0x7FFF;
    uint16_t sign = (a ^ b) & 0x8000;
    if (mode & XorSign) {
      a &= 0x7FFF;
      b &= 0x7FFF;
    }
    bool nanA = (a & 0x7FFF) > H::format.infinity,
         nanB = (b & 0x7FFF) > H::format.infinity;
    uint16_t r;
    if ((nanA && nanB) || ((mode & NaN) && (nanA || nanB))) {
      return nan;
    } else if (nanA || nanB) {
      r = nanA ? b : a;
    } else {
      float x = H::decode(a), y = H::decode(b);
      bool first = x == y ? bool(a & 0x8000) == IsMin : (x < y) == IsMin;
      r = first ? a : b;
    }
    return mode & XorSign ? r | sign : r;
  }
};

template <class H, class Op>
void single(Warp &w, const Inst &inst, uint32_t mask) {
  const uint16_t *a = w.reg<const uint16_t>(inst.a),
                 *b = inst.b == None ? a : w.reg<const uint16_t>(inst.b),
                 *c = inst.c == None ? a : w.reg<const uint16_t>(inst.c);
  uint8_t mode = inst.mode;
  mapActive<uint16_t>(w, inst.d, mask, [=](unsigned i) {
    return input<H>(Op::template apply<H>(input<H>(a[i], mode),
                                          input<H>(b[i], mode),
                                          input<H>(c[i], mode), mode),
                    mode);
  });
}

template <class H, class Op>
void pair(Warp &w, const Inst &inst, uint32_t mask) {
  const uint32_t *a = w.reg<const uint32_t>(inst.a),
                 *b = inst.b == None ? a : w.reg<const uint32_t>(inst.b),
                 *c = inst.c == None ? a : w.reg<const uint32_t>(inst.c);
  uint8_t mode = inst.mode;
  mapActive<uint32_t>(w, inst.d, mask, [=](unsigned i) {
    uint32_t r = 0;
    for (unsigned half = 0; half < 32; half += 16)
      r |= uint32_t(input<H>(Op::template apply<H>(
                                 input<H>(uint16_t(a[i] >> half), mode),
                                 input<H>(uint16_t(b[i] >> half), mode),
                                 input<H>(uint16_t(c[i] >> half), mode), mode),
                             mode))
           << half;
    return r;
  });
}

template <class Op>
Handler pick(Ty type) {
  switch (type) {
  case Ty::F16:
    return single<F16, Op>;
  case Ty::BF16:
    return single<BF16, Op>;
  case Ty::F16x2:
    return pair<F16, Op>;
  case Ty::BF16x2:
    return pair<BF16, Op>;
  default:
    return nullptr;
  }
}

bool lowerHalf(Lowering &l) {
  std::string_view name = l.root();
  if (l.take("rn") && (name == "neg" || name == "abs"))
    return false;
  if (l.take("ftz"))
    l.inst.mode |= Ftz;
  if (l.take("sat"))
    l.inst.mode |= Sat;
  if (l.take("relu"))
    l.inst.mode |= Relu;
  if (l.take("NaN"))
    l.inst.mode |= NaN;
  if (l.take("xorsign")) {
    if (!l.take("abs"))
      return false;
    l.inst.mode |= XorSign;
  }
  Ty type = l.takeType();
  unsigned sources = name == "fma" ? 3 : name == "neg" || name == "abs" ? 1 : 2;
  if (!l.operands(sources + 1))
    return false;
  l.inst.fn = name == "add"   ? pick<Add>(type)
              : name == "sub" ? pick<Sub>(type)
              : name == "mul" ? pick<Mul>(type)
              : name == "fma" ? pick<Fma>(type)
              : name == "neg" ? pick<Neg>(type)
              : name == "abs" ? pick<Abs>(type)
              : name == "min" ? pick<MinMax<true>>(type)
                              : pick<MinMax<false>>(type);
  l.inst.a = l.src(1, type);
  if (sources > 1)
    l.inst.b = l.src(2, type);
  if (sources > 2)
    l.inst.c = l.src(3, type);
  l.inst.d = l.dst(0, type);
  return l.inst.fn != nullptr;
}

} // namespace

void coil::cudasim::registerHalfOps(Registry &r) {
  for (const char *name :
       {"add.h", "sub.h", "mul.h", "fma.h", "neg.h", "abs.h", "min.h", "max.h"})
    r[name] = lowerHalf;
}
