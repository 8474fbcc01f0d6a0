//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The toy dialect, its passes and its device.
//
//===----------------------------------------------------------------------===//

#include "Toy.h"

#include "coil/Conversion/Passes.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Wrapper/IR/Device.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
namespace wrapper = coil::wrapper;

#include "ToyDialect.cpp.inc"

#define GET_OP_CLASSES
#include "ToyOps.cpp.inc"

void toy::ToyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ToyOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {

/// %1 = toy.twice %0   ->   %1 = graph.add %0, %0
struct ToyExpand : PassWrapper<ToyExpand, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToyExpand)
  StringRef getArgument() const override { return "toy-expand"; }
  StringRef getDescription() const override {
    return "rewrite toy.twice into graph.add";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<coil::graph::GraphDialect>();
  }
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](toy::TwiceOp op) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<coil::graph::AddOp>(
          op, op.getType(), op.getInput(), op.getInput());
    });
  }
};

/// Kernels, and buffers that no caller sees, go to the device. It runs the
/// host's instructions, so the code generator for the CPU serves it.
struct ToyPlace : PassWrapper<ToyPlace, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToyPlace)
  StringRef getArgument() const override { return "toy-place"; }
  StringRef getDescription() const override {
    return "move kernels and the buffers between them to the toy device";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<wrapper::WrapperDialect>();
    buildCodeGenerator().getDependentDialects(registry);
  }
  void runOnOperation() override {
    auto device = wrapper::DeviceAttr::get(&getContext(), "toy", 0);
    // What a caller receives stays where the caller expects it.
    llvm::DenseSet<Value> returned;
    getOperation().walk([&](wrapper::ReturnOp op) {
      for (Value value : op.getOperands()) {
        while (auto reuse = value.getDefiningOp<wrapper::ReuseOp>()) {
          returned.insert(value);
          value = reuse.getSource();
        }
        returned.insert(value);
      }
    });
    getOperation().walk([&](Operation *op) {
      if (!isa<wrapper::AllocOp, wrapper::ReuseOp>(op) ||
          returned.contains(op->getResult(0)))
        return;
      auto type = cast<wrapper::BufferType>(op->getResult(0).getType());
      op->getResult(0).setType(wrapper::BufferType::get(
          &getContext(), type.getSizes(), type.getStrides(),
          type.getElementType(), device));
    });
    OpPassManager codeGenerator = buildCodeGenerator();
    for (auto kernel : getOperation().getOps<wrapper::KernelOp>()) {
      if (failed(runPipeline(codeGenerator, kernel)))
        return signalPassFailure();
      kernel.setDeviceAttr(device);
    }
  }
  static OpPassManager buildCodeGenerator() {
    OpPassManager pm(wrapper::KernelOp::getOperationName());
    pm.addPass(coil::createConvertLoopToCPUPass());
    return pm;
  }
};

} // namespace

std::unique_ptr<Pass> toy::createToyExpandPass() {
  return std::make_unique<ToyExpand>();
}

std::unique_ptr<Pass> toy::createToyPlacePass() {
  return std::make_unique<ToyPlace>();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

void toy::registerToy(DialectRegistry &registry) {
  registry.insert<ToyDialect>();
  registry.addExtension(+[](MLIRContext *, wrapper::WrapperDialect *dialect) {
    wrapper::DeviceInfo info;
    info.kind = "toy";
    info.runtimeType = 100;
    info.allocFunction = "toy_alloc";
    info.freeFunction = "toy_free";
    info.launchFunction = "toy_launch";
    dialect->registerDevice(std::move(info));
  });
}
