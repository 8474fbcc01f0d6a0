//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors of the inlined vector mathematics against the C library in double
// precision. Bit patterns are taken evenly over all floats, so every exponent,
// NaN, infinities and subnormal numbers are among them; COIL_INLINE_MATH_STRIDE
// sets their distance.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Sym/IR/Sym.h"
#include "coil/ExecutionEngine/Engine.h"
#include "coil/Runtime/Special.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace coil;
using namespace mlir;

namespace {

struct InlineFunction {
  const char *name;
  double (*reference)(double);
  /// Bound of the error in units in the last place: what every 17th float
  /// shows, rounded up.
  double error;
};

class InlineMathTest : public testing::TestWithParam<InlineFunction> {
protected:
  using Pointer = void (*)(const float *, float *);

  InlineMathTest() {
    context.loadDialect<LLVM::LLVMDialect, sym::SymDialect>();
  }

  /// Compiles `function` for vectors of `lanes`; null when this machine has
  /// none.
  Pointer compile(unsigned lanes) {
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    if (!features["fma"] || (lanes == 16 && !features["avx512f"]))
      return nullptr;
    char isa = lanes == 4 ? 'b' : lanes == 8 ? 'd' : 'e';
    std::string n = std::to_string(lanes);
    // What no vector library has is named by its lanes.
    llvm::StringRef function = GetParam().name;
    std::string name = (function.starts_with("coil_special_")
                            ? "@" + function + ".v" + n
                            : llvm::Twine("@_ZGV") + llvm::Twine(isa) + "N" +
                                  n + "v_" + function)
                           .str();
    std::string type = "vector<" + n + "xf32>";
    std::string text = "llvm.func " + name + "(" + type + ") -> " + type +
                       "\nllvm.func @coil_main(%x: !llvm.ptr, %y: !llvm.ptr) {"
                       "\n%v = llvm.load %x {alignment = 4 : i64} : !llvm.ptr"
                       " -> " +
                       type + "\n%e = llvm.call " + name + "(%v) : (" + type +
                       ") -> " + type +
                       "\nllvm.store %e, %y {alignment = 4 : i64} : " + type +
                       ", !llvm.ptr\nllvm.return }";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << text;
      return nullptr;
    }
    Signature signature = llvm::cantFail(
        Signature::create(TypeRange(), TypeRange(), DictionaryAttr()));
    engines.push_back(
        llvm::cantFail(Engine::create(*module, std::move(signature))));
    return reinterpret_cast<Pointer>(engines.back()->lookup("coil_main"));
  }

  /// Error of `actual` in units in the last place of the exact result; 0 where
  /// both are NaN or the same infinity, infinite where only one is.
  static double getError(float actual, double exact) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (std::isnan(exact) || std::isnan(actual))
      return std::isnan(exact) && std::isnan(actual) ? 0 : infinity;
    float rounded = static_cast<float>(exact);
    if (std::isinf(rounded) || std::isinf(actual))
      return rounded == actual ? 0 : infinity;
    // Signs count for zeros, too; an underflow may lose it only to zero.
    if (rounded == 0 && actual == 0)
      return std::signbit(rounded) == std::signbit(actual) ? 0 : infinity;
    int exponent = std::max(std::ilogb(rounded == 0 ? 1e-45f : rounded), -126);
    return std::abs(actual - exact) / std::ldexp(1.0, exponent - 23);
  }

  MLIRContext context;
  std::vector<std::unique_ptr<Engine>> engines;
};

TEST_P(InlineMathTest, ErrorOverAllFloats) {
  uint64_t stride = 4099;
  if (const char *text = std::getenv("COIL_INLINE_MATH_STRIDE"))
    stride = std::max<uint64_t>(std::strtoull(text, nullptr, 10), 1);
  for (unsigned lanes : {4u, 8u, 16u}) {
    Pointer function = compile(lanes);
    if (!function)
      continue;
    double worst = 0;
    float worstAt = 0, xs[16], ys[16];
    unsigned filled = 0;
    auto flush = [&] {
      for (unsigned i = filled; i < lanes; ++i)
        xs[i] = 1;
      function(xs, ys);
      for (unsigned i = 0; i < filled; ++i) {
        double error = getError(ys[i], GetParam().reference(double(xs[i])));
        if (error > worst) {
          worst = error;
          worstAt = xs[i];
        }
      }
      filled = 0;
    };
    auto add = [&](float x) {
      xs[filled++] = x;
      if (filled == lanes)
        flush();
    };
    float infinity = std::numeric_limits<float>::infinity();
    for (float x : {0.f, -0.f, infinity, -infinity, NAN, 1.f, -1.f, 1e-45f,
                    -1e-45f, 1.17549435e-38f, 88.72283f, 88.72284f, -87.33655f,
                    -103.97f, -104.f, std::numeric_limits<float>::max(),
                    std::numeric_limits<float>::lowest()})
      add(x);
    for (uint64_t bits = 0; bits <= 0xffffffffu; bits += stride) {
      uint32_t word = static_cast<uint32_t>(bits);
      float x;
      std::memcpy(&x, &word, sizeof x);
      add(x);
    }
    flush();
    RecordProperty("error" + std::to_string(lanes), std::to_string(worst));
    if (stride < 4099)
      std::printf("%s, %u lanes: %.3f ulp at %a\n", GetParam().name, lanes,
                  worst, double(worstAt));
    // Where a function is as far as it goes it is exactly there: differences
    // with its limit are multiplied by large numbers.
    for (float &x : xs)
      x = infinity;
    function(xs, ys);
    double limit = GetParam().reference(infinity);
    if (std::abs(limit) == 1)
      EXPECT_EQ(ys[0], static_cast<float>(limit));
    EXPECT_LE(worst, GetParam().error)
        << lanes << " lanes at " << std::hexfloat << worstAt;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, InlineMathTest,
    testing::Values(InlineFunction{"expf", std::exp, 1.1},
                    InlineFunction{"expm1f", std::expm1, 1.4},
                    InlineFunction{"erff", std::erf, 2.0},
                    InlineFunction{"logf", std::log, 0.9},
                    InlineFunction{"log2f", std::log2, 0.8},
                    InlineFunction{"log10f", std::log10, 0.8},
                    InlineFunction{"log1pf", std::log1p, 0.9},
                    InlineFunction{"sinf", std::sin, 0.9},
                    InlineFunction{"cosf", std::cos, 0.9},
                    InlineFunction{"tanf", std::tan, 1.1},
                    InlineFunction{"asinf", std::asin, 1.2},
                    InlineFunction{"acosf", std::acos, 1.0},
                    InlineFunction{"atanf", std::atan, 0.9},
                    InlineFunction{"sinhf", std::sinh, 0.9},
                    InlineFunction{"coshf", std::cosh, 1.0},
                    InlineFunction{"tanhf", std::tanh, 1.1},
                    InlineFunction{"atanhf", std::atanh, 1.0}),
    [](const testing::TestParamInfo<InlineFunction> &info) {
      return std::string(info.param.name);
    });

// What is computed in f64 and rounded to f32.
INSTANTIATE_TEST_SUITE_P(
    SpecialFunctions, InlineMathTest,
    testing::Values(
        InlineFunction{"coil_special_digammaf", coil_special_digamma, 0.51},
        InlineFunction{"coil_special_erfinvf", coil_special_erfinv, 0.51},
        InlineFunction{"coil_special_i0f", coil_special_i0, 0.51},
        InlineFunction{"coil_special_i0ef", coil_special_i0e, 0.51},
        InlineFunction{"coil_special_i1f", coil_special_i1, 0.51},
        InlineFunction{"coil_special_i1ef", coil_special_i1e, 0.51},
        InlineFunction{"coil_special_k0f", coil_special_k0, 0.51},
        InlineFunction{"coil_special_k0ef", coil_special_k0e, 0.51},
        InlineFunction{"coil_special_k1f", coil_special_k1, 0.51},
        InlineFunction{"coil_special_k1ef", coil_special_k1e, 0.51},
        InlineFunction{"coil_special_lgammaf", coil_special_lgamma, 0.51},
        InlineFunction{"coil_special_log_ndtrf", coil_special_log_ndtr, 0.51},
        InlineFunction{"coil_special_ndtrif", coil_special_ndtri, 0.51},
        InlineFunction{"coil_special_trigammaf", coil_special_trigamma, 0.51},
        InlineFunction{"coil_special_bessel_j0f", coil_special_bessel_j0, 0.52},
        InlineFunction{"coil_special_bessel_j1f", coil_special_bessel_j1, 0.52},
        InlineFunction{"coil_special_bessel_y0f", coil_special_bessel_y0, 0.52},
        InlineFunction{"coil_special_bessel_y1f", coil_special_bessel_y1,
                       0.52}),
    [](const testing::TestParamInfo<InlineFunction> &info) {
      return std::string(info.param.name);
    });

} // namespace
