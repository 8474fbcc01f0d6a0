//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementary functions, for f32 and f64, where the vector library (up to 4 ulp)
// or the C library is too coarse: bodies whose error is at most twice that of
// PyTorch eager. Their text is lib/Device/MathText.h. Special functions of f32
// (NarrowText.h) are computed in f64 and rounded.
//
// The CPU engine uses them for scalars, too: an element has the same value
// whether it is in a vector or in what is left over.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

using namespace coil;

namespace {
using M = MathBuilder;
#define COIL_MATH_TEXT [[maybe_unused]] static
#include "../Device/MathText.h"

#include "../Device/NarrowText.h"
} // namespace

//===----------------------------------------------------------------------===//
// Arguments that are too large
//===----------------------------------------------------------------------===//

/// A function that calls the C library for each lane whose magnitude is not
/// below the limit. It is not inlined: such arguments are rare.
static llvm::Function *getSlowFunction(M &m, llvm::StringRef name) {
  llvm::Module &module = *m.b.GetInsertBlock()->getModule();
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(m.type);
  llvm::Type *scalar = m.type->getScalarType();
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      name, llvm::FunctionType::get(scalar, {scalar}, false));
  auto *library = llvm::cast<llvm::Function>(callee.getCallee());
  library->setDoesNotAccessMemory();
  library->setDoesNotThrow();
  library->setWillReturn();
  if (!vector)
    return library;
  std::string slowName =
      ("coil.large." + name + ".v" + llvm::Twine(vector->getNumElements()))
          .str();
  if (llvm::Function *found = module.getFunction(slowName))
    return found;
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(vector, {vector, vector}, false),
      llvm::GlobalValue::InternalLinkage, slowName, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  llvm::IRBuilder<> b(
      llvm::BasicBlock::Create(module.getContext(), "", function));
  llvm::Value *x = function->getArg(0), *result = function->getArg(1);
  M lanes(b, scalar);
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    Num lane = lanes.num(b.CreateExtractElement(x, i));
    Num fast = lanes.num(b.CreateExtractElement(result, i));
    Num slow = lanes.num(b.CreateCall(library, {lane.v}));
    Cond isLarge = lanes.abs(lane) >= getAngleLimit(lanes);
    result =
        b.CreateInsertElement(result, lanes.select(isLarge, slow, fast).v, i);
  }
  b.CreateRet(result);
  return function;
}

/// `fast`, but what the C library gives where |x| reaches the limit.
static Num orLibrary(M &m, Num x, Num fast, llvm::StringRef name) {
  llvm::Function *slow = getSlowFunction(m, name);
  bool isVector = m.type->isVectorTy();
  return m.whereAny(m.abs(x) >= getAngleLimit(m), fast, [&] {
    return m.num(isVector ? m.b.CreateCall(slow, {x.v, fast.v})
                          : m.b.CreateCall(slow, {x.v}));
  });
}

template <MathBody Body>
static Num withLibrary(M &m, Num x, const char *name) {
  std::string full = m.isDouble ? name : std::string(name) + "f";
  return orLibrary(m, x, Body(m, x), full);
}
static Num anySin(M &m, Num x) { return withLibrary<sin>(m, x, "sin"); }
static Num anyCos(M &m, Num x) { return withLibrary<cos>(m, x, "cos"); }
static Num anyTan(M &m, Num x) { return withLibrary<tan>(m, x, "tan"); }

/// A function of f32 that is computed in f64.
template <MathBody Body>
static Num narrow(M &m, Num x) {
  llvm::Type *wideType = m.type->getWithNewType(m.b.getDoubleTy());
  M wide(m.b, wideType);
  Num result = Body(wide, wide.num(m.b.CreateFPExt(x.v, wideType)));
  return m.num(m.b.CreateFPTrunc(result.v, m.type));
}
static Num besselJ0(M &m, Num x) {
  return orLibrary(m, x, narrow<narrowBesselJY<0, false>>(m, x),
                   "coil_special_bessel_j0f");
}
static Num besselJ1(M &m, Num x) {
  return orLibrary(m, x, narrow<narrowBesselJY<1, false>>(m, x),
                   "coil_special_bessel_j1f");
}
static Num besselY0(M &m, Num x) {
  return orLibrary(m, x, narrow<narrowBesselJY<0, true>>(m, x),
                   "coil_special_bessel_y0f");
}
static Num besselY1(M &m, Num x) {
  return orLibrary(m, x, narrow<narrowBesselJY<1, true>>(m, x),
                   "coil_special_bessel_y1f");
}

MathBody coil::findMathBody(llvm::StringRef name) {
  static const llvm::StringMap<MathBody> bodies = {
      {"exp", exp},
      {"exp2", exp2},
      {"log", log},
      {"log2", log2},
      {"log2f", log2},
      {"log10", log10},
      {"log10f", log10},
      {"log1pf", log1p},
      {"expm1f", expm1},
      {"sin", anySin},
      {"sinf", anySin},
      {"cos", anyCos},
      {"cosf", anyCos},
      {"tan", anyTan},
      {"tanf", anyTan},
      {"asin", asin},
      {"asinf", asin},
      {"acos", acos},
      {"acosf", acos},
      {"atan", atan},
      {"atanf", atan},
      {"sinhf", sinh},
      {"sinh", sinh},
      {"cosh", cosh},
      {"expm1", expm1},
      {"log1p", log1p},
      {"coshf", cosh},
      {"tanh", tanh},
      {"tanhf", tanh},
      {"atanh", atanh},
      {"atanhf", atanh},
      {"erf", erf},
      {"coil_special_erfinvf", narrow<narrowErfinv>},
      {"coil_special_ndtrif", narrow<narrowNdtri>},
      {"coil_special_log_ndtrf", narrow<narrowLogNdtr>},
      {"coil_special_lgammaf", narrow<narrowLgamma>},
      {"coil_special_digammaf", narrow<narrowDigamma>},
      {"coil_special_trigammaf", narrow<narrowTrigamma>},
      {"coil_special_i0f", narrow<narrowBesselI<0, false>>},
      {"coil_special_i0ef", narrow<narrowBesselI<0, true>>},
      {"coil_special_i1f", narrow<narrowBesselI<1, false>>},
      {"coil_special_i1ef", narrow<narrowBesselI<1, true>>},
      {"coil_special_k0f", narrow<narrowBesselK<0, false>>},
      {"coil_special_k0ef", narrow<narrowBesselK<0, true>>},
      {"coil_special_k1f", narrow<narrowBesselK<1, false>>},
      {"coil_special_k1ef", narrow<narrowBesselK<1, true>>},
      {"coil_special_bessel_j0f", besselJ0},
      {"coil_special_bessel_j1f", besselJ1},
      {"coil_special_bessel_y0f", besselY0},
      {"coil_special_bessel_y1f", besselY1},
  };
  auto found = bodies.find(name);
  return found == bodies.end() ? nullptr : found->second;
}

MathBody2 coil::findMathBody2(llvm::StringRef name) {
  return name == "atan2" || name == "atan2f" ? angle : nullptr;
}
