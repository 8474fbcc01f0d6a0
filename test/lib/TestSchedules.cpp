//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives the kernels of a host program schedules that are drawn at random.
//
//===----------------------------------------------------------------------===//

#include "RandomSchedule.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace coil;

namespace {
struct TestSchedules : PassWrapper<TestSchedules, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestSchedules)
  TestSchedules() = default;
  TestSchedules(const TestSchedules &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "test-coil-draw-schedules"; }
  StringRef getDescription() const final {
    return "give kernels other schedules, drawn at random";
  }
  void runOnOperation() override {
    testing::drawSchedules(getOperation(), seed);
  }

  Option<uint64_t> seed{*this, "seed",
                        llvm::cl::desc("equal seeds give equal schedules"),
                        llvm::cl::init(0)};
};
} // namespace

namespace coil::test {
void registerTestSchedules() { PassRegistration<TestSchedules>(); }
} // namespace coil::test
