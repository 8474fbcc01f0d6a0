//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which products of `f32` may round their factors to TF32.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHSETPRECISIONPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;

/// Whether a precision, by PyTorch's name, allows TF32; nothing for a name that
/// there is not.
static std::optional<bool> allowsTF32(StringRef precision) {
  return llvm::StringSwitch<std::optional<bool>>(precision)
      .Case("highest", false)
      .Cases({"high", "medium"}, true)
      .Default(std::nullopt);
}

namespace {

struct GraphSetPrecision
    : graph::impl::GraphSetPrecisionPassBase<GraphSetPrecision> {
  using GraphSetPrecisionPassBase::GraphSetPrecisionPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto read = [&](StringRef what, StringRef precision, bool &allowed) {
      std::optional<bool> found = allowsTF32(precision);
      if (!found) {
        emitError(UnknownLoc::get(context), "unknown precision '")
            << precision << "' of " << what
            << ", expected 'highest', 'high' or 'medium'";
        return failure();
      }
      allowed = *found;
      return success();
    };
    return success(
        succeeded(read("matrix multiplications", matmul, matmulTF32)) &&
        succeeded(read("convolutions", conv, convTF32)));
  }

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<MatmulOp, AttentionOp>([&](auto op) { set(op, matmulTF32); })
          .Case([&](ConvOp op) { set(op, convTF32); });
    });
  }

private:
  template <typename OpTy>
  static void set(OpTy op, bool allowed) {
    if (allowed && graph::getElementType(op->getOperand(0)).isF32())
      op.setTf32(true);
  }

  bool matmulTF32 = false, convTF32 = false;
};

} // namespace
