//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports what the library matcher finds in each kernel, as remarks.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace coil;

static std::string str(ArrayRef<sym::ExprAttr> exprs) {
  std::string s;
  llvm::raw_string_ostream os(s);
  sym::printExprList(os, exprs);
  return s;
}

namespace {
struct TestContraction : PassWrapper<TestContraction, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestContraction)
  StringRef getArgument() const final { return "test-coil-contraction"; }
  StringRef getDescription() const final {
    return "report what the library matcher finds in each kernel";
  }
  void runOnOperation() override {
    getOperation()->walk([](loop::KernelOp kernel) {
      std::string why;
      if (kernel.getConv()) {
        if (std::optional<loop::Convolution> c =
                loop::matchConvolution(kernel, &why)) {
          InFlightDiagnostic remark = kernel.emitRemark()
                                      << "convolution of " << c->x << " with "
                                      << c->w;
          if (c->bias)
            remark << ", bias " << *c->bias;
          remark << ", post " << loop::stringifyPostOp(c->postOp);
        } else {
          kernel.emitRemark() << "no convolution: " << why;
        }
        return;
      }
      std::optional<loop::Contraction> c = loop::matchContraction(kernel, &why);
      if (!c) {
        kernel.emitRemark() << "no contraction: " << why;
        return;
      }
      InFlightDiagnostic remark = kernel.emitRemark()
                                  << "contraction " << str(c->dims);
      auto print = [&](StringRef name, const loop::ContractionOperand &o,
                       bool numbered) {
        remark << "; " << name;
        if (numbered)
          remark << " = " << o.input;
        remark << ' ' << str(o.strides);
        if (!o.offset.isConstant(0))
          remark << " at " << o.offset.str();
      };
      print("a", c->a, true);
      print("b", c->b, true);
      print("c", c->c, false);
      if (c->bias)
        print("bias", *c->bias, true);
      remark << "; post " << loop::stringifyPostOp(c->postOp);
    });
  }
};
} // namespace

namespace coil::test {
void registerTestContraction() { PassRegistration<TestContraction>(); }
} // namespace coil::test
