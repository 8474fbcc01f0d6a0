//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of the `loop` dialect's ops on scalars.
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Reference/Models.h"
#include "coil/Runtime/Special.h"
#include "coil/Support/Philox.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using namespace coil::reference;

namespace {

/// The function of `loop.special`, in double or float.
struct SpecialModel
    : ReferenceScalarOpInterface::ExternalModel<SpecialModel, SpecialOp> {
  ScalarFunction getScalarFunction(Operation *op) const {
    auto special = cast<SpecialOp>(op);
    bool isDouble = special.getType().isF64();
#define UNARY(Case, name)                                                      \
  case SpecialFunction::Case:                                                  \
    if (isDouble)                                                              \
      return [](Scalar x, Scalar, Scalar, bool &) {                            \
        return makeFloat(coil_special_##name(x.f));                            \
      };                                                                       \
    return [](Scalar x, Scalar, Scalar, bool &) {                              \
      return makeFloat(coil_special_##name##f(static_cast<float>(x.f)));       \
    };
#define BINARY(Case, name)                                                     \
  case SpecialFunction::Case:                                                  \
    if (isDouble)                                                              \
      return [](Scalar x, Scalar y, Scalar, bool &) {                          \
        return makeFloat(coil_special_##name(x.f, y.f));                       \
      };                                                                       \
    return [](Scalar x, Scalar y, Scalar, bool &) {                            \
      return makeFloat(coil_special_##name##f(static_cast<float>(x.f),         \
                                              static_cast<float>(y.f)));       \
    };
    switch (special.getFunction()) {
      UNARY(LGamma, lgamma)
      UNARY(Digamma, digamma)
      UNARY(ErfInv, erfinv)
      BINARY(NextAfter, nextafter)
      UNARY(I0, i0)
      UNARY(I0e, i0e)
      UNARY(I1, i1)
      UNARY(I1e, i1e)
      UNARY(NdtrI, ndtri)
      UNARY(LogNdtr, log_ndtr)
      BINARY(IGamma, igamma)
      BINARY(IGammaC, igammac)
      BINARY(Zeta, zeta)
      UNARY(Erfcx, erfcx)
      UNARY(Trigamma, trigamma)
      UNARY(BesselJ0, bessel_j0)
      UNARY(BesselJ1, bessel_j1)
      UNARY(BesselY0, bessel_y0)
      UNARY(BesselY1, bessel_y1)
      UNARY(K0, k0)
      UNARY(K0e, k0e)
      UNARY(K1, k1)
      UNARY(K1e, k1e)
      UNARY(AiryAi, airy_ai)
      BINARY(ChebyshevT, chebyshev_t)
      BINARY(ChebyshevU, chebyshev_u)
      BINARY(ChebyshevV, chebyshev_v)
      BINARY(ChebyshevW, chebyshev_w)
      BINARY(ShiftedChebyshevT, shifted_chebyshev_t)
      BINARY(ShiftedChebyshevU, shifted_chebyshev_u)
      BINARY(ShiftedChebyshevV, shifted_chebyshev_v)
      BINARY(ShiftedChebyshevW, shifted_chebyshev_w)
      BINARY(HermiteH, hermite_h)
      BINARY(HermiteHe, hermite_he)
      BINARY(LaguerreL, laguerre_l)
      BINARY(LegendreP, legendre_p)
    }
#undef UNARY
#undef BINARY
    llvm_unreachable("unknown function");
  }
};

struct PhiloxModel
    : ReferenceScalarOpInterface::ExternalModel<PhiloxModel, PhiloxOp> {
  ScalarFunction getScalarFunction(Operation *) const {
    return [](Scalar key, Scalar counter, Scalar word, bool &) {
      uint64_t number = uint64_t(word.i);
      uint32_t bits = getPhilox(uint64_t(key.i), uint64_t(counter.i),
                                number / 4)[number % 4];
      return makeInt(wrapTo(DType::I32, int64_t(bits)));
    };
  }
};

} // namespace

void reference::registerLoopScalarModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LoopDialect *) {
    SpecialOp::attachInterface<SpecialModel>(*context);
    PhiloxOp::attachInterface<PhiloxModel>(*context);
  });
}
