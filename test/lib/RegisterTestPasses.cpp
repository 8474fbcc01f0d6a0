//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the passes that only tests use.
//
//===----------------------------------------------------------------------===//

namespace coil::test {

void registerTestBreakProgram();
void registerTestContraction();
void registerTestExprLowering();
void registerTestSchedules();

void registerTestPasses() {
  registerTestBreakProgram();
  registerTestContraction();
  registerTestExprLowering();
  registerTestSchedules();
}

} // namespace coil::test
