//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of special functions: those that the runtime and the device
// library have, and those that are made of them.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using F = loop::SpecialFunction;
using Pred = ComparePredicate;

/// The operand, which the framework calls `self`, of some operators `x`.
static Value getOperand(AtenCall &c, Type type) {
  return c.operand(c.tensor("x") ? "x" : "self", type);
}

static AtenHandler unary(F function) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = getOperand(c, c.resultElementType());
    return x ? c.replace(c.b.special(function, x))
             : c.fail("its operand is missing");
  };
}

static AtenHandler binary(F function, StringRef lhs = "self",
                          StringRef rhs = "other") {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = c.resultElementType();
    Value args[] = {c.operand(lhs, type), c.operand(rhs, type)};
    return args[0] && args[1] ? c.replace(c.b.special(function, args))
                              : c.fail("an operand is missing");
  };
}

/// The derivative of order n of digamma: digamma, trigamma, and beyond
/// (-1)^(n + 1) n! zeta(n + 1, x).
static LogicalResult legalizePolygamma(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type);
  std::optional<int64_t> n = c.getInt("n");
  if (!x || !n)
    return c.fail("its operand or its order is missing");
  if (*n < 0)
    return c.fail("its order is negative");
  if (*n == 0)
    return c.replace(c.b.special(F::Digamma, x));
  if (*n == 1)
    return c.replace(c.b.special(F::Trigamma, x));
  double factor = std::exp(std::lgamma(*n + 1.0)) * (*n % 2 ? 1 : -1);
  Value args[] = {c.b.scalar(*n + 1.0, type), x};
  return c.replace(
      c.b.mul(c.b.scalar(factor, type), c.b.special(F::Zeta, args)));
}

/// p (p - 1) / 4 log(pi) + sum over j < p of lgamma(x - j / 2).
static LogicalResult legalizeMultigammaln(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type);
  std::optional<int64_t> p = c.getInt("p");
  if (!x || !p)
    return c.fail("its operand or its order is missing");
  if (*p < 1 || *p > 1024)
    return c.fail("its order is not between 1 and 1024");
  TensorBuilder &b = c.b;
  Value sum = b.scalar(*p * (*p - 1) * 0.25 * std::log(M_PI), type);
  for (int64_t j = 0; j < *p; ++j)
    sum = b.add(sum, b.special(F::LGamma, b.sub(x, b.scalar(j * 0.5, type))));
  return c.replace(sum);
}

/// sin(x) / x; near zero by its power series, which has no quotient of
/// rounded numbers.
static LogicalResult legalizeSphericalBesselJ0(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = getOperand(c, type);
  if (!x)
    return c.fail("its operand is missing");
  TensorBuilder &b = c.b;
  Value square = b.mul(x, x), series = b.scalar(0, type);
  // Coefficients (-1)^k / (2k + 1)!, from the highest power on.
  for (int k = 8; k >= 0; --k) {
    double coefficient = (k % 2 ? -1 : 1) / std::tgamma(2 * k + 2.0);
    series = b.add(b.mul(series, square), b.scalar(coefficient, type));
  }
  Value quotient = b.div(b.unary<SinOp>(x), x);
  Value isSmall = b.compare(Pred::Lt, b.unary<AbsOp>(x), b.scalar(0.5, type));
  Value result = b.select(isSmall, series, quotient);
  return c.replace(b.select(b.unary<IsInfOp>(x, /*predicate=*/true),
                            b.scalar(0, type), result));
}

void graph::populateSpecialLegalizations(AtenLegalizations &t) {
  t.add("lgamma special_gammaln", unary(F::LGamma));
  t.add("digamma special_digamma special_psi", unary(F::Digamma));
  t.add("polygamma special_polygamma", legalizePolygamma);
  t.add("mvlgamma special_multigammaln", legalizeMultigammaln);
  t.add("erfinv special_erfinv", unary(F::ErfInv));
  t.add("special_erfcx", unary(F::Erfcx));
  t.add("special_ndtri", unary(F::NdtrI));
  t.add("special_log_ndtr", unary(F::LogNdtr));
  t.add("nextafter", binary(F::NextAfter));
  t.add("igamma special_gammainc", binary(F::IGamma));
  t.add("igammac special_gammaincc", binary(F::IGammaC));
  t.add("special_zeta special_zeta.self_scalar special_zeta.other_scalar",
        binary(F::Zeta));

  t.add("i0 special_i0 special_modified_bessel_i0", unary(F::I0));
  t.add("special_i0e", unary(F::I0e));
  t.add("special_i1 special_modified_bessel_i1", unary(F::I1));
  t.add("special_i1e", unary(F::I1e));
  t.add("special_bessel_j0", unary(F::BesselJ0));
  t.add("special_bessel_j1", unary(F::BesselJ1));
  t.add("special_bessel_y0", unary(F::BesselY0));
  t.add("special_bessel_y1", unary(F::BesselY1));
  t.add("special_spherical_bessel_j0", legalizeSphericalBesselJ0);
  t.add("special_airy_ai", unary(F::AiryAi));

  t.add("special_modified_bessel_k0", unary(F::K0));
  t.add("special_modified_bessel_k1", unary(F::K1));
  t.add("special_scaled_modified_bessel_k0", unary(F::K0e));
  t.add("special_scaled_modified_bessel_k1", unary(F::K1e));

  const std::pair<StringRef, F> polynomials[] = {
      {"chebyshev_polynomial_t", F::ChebyshevT},
      {"chebyshev_polynomial_u", F::ChebyshevU},
      {"chebyshev_polynomial_v", F::ChebyshevV},
      {"chebyshev_polynomial_w", F::ChebyshevW},
      {"shifted_chebyshev_polynomial_t", F::ShiftedChebyshevT},
      {"shifted_chebyshev_polynomial_u", F::ShiftedChebyshevU},
      {"shifted_chebyshev_polynomial_v", F::ShiftedChebyshevV},
      {"shifted_chebyshev_polynomial_w", F::ShiftedChebyshevW},
      {"hermite_polynomial_h", F::HermiteH},
      {"hermite_polynomial_he", F::HermiteHe},
      {"laguerre_polynomial_l", F::LaguerreL},
      {"legendre_polynomial_p", F::LegendreP}};
  for (auto [name, function] : polynomials)
    for (StringRef overload : {".default", ".x_scalar", ".n_scalar"})
      t.add(("special_" + name + overload).str(), binary(function, "x", "n"));
}
