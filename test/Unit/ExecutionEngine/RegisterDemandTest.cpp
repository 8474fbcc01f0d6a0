//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/ExecutionEngine/RegisterDemand.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace coil;
using namespace llvm;

namespace {

class RegisterDemand : public testing::Test {
protected:
  Function &parse(StringRef text) {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    if (!module)
      error.print("RegisterDemandTest", errs());
    return *module->getFunction("f");
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};

TEST_F(RegisterDemand, ValuesAreLiveUntilTheirLastUse) {
  // %a, %b and %c at one time; a double is two words, a condition is none.
  LiveWords live = countLiveWords(parse(R"(
    define float @f(ptr addrspace(1) %p, float %x) {
      %a = load float, ptr addrspace(1) %p
      %b = load double, ptr addrspace(1) %p
      %c = fcmp olt float %a, %x
      %d = fptrunc double %b to float
      %e = select i1 %c, float %a, float %d
      ret float %e
    })"));
  EXPECT_EQ(live.most, 3u);
  EXPECT_EQ(live.acrossBarriers, 0u);
}

TEST_F(RegisterDemand, AddressesAtConstantDistancesAreTheirBases) {
  LiveWords live = countLiveWords(parse(R"(
    define float @f(ptr addrspace(1) %p, i64 %i) {
      %a = getelementptr float, ptr addrspace(1) %p, i64 %i
      %b = getelementptr float, ptr addrspace(1) %a, i64 1
      %c = getelementptr float, ptr addrspace(1) %a, i64 2
      %x = load float, ptr addrspace(1) %b
      %y = load float, ptr addrspace(1) %c
      %z = fadd float %x, %y
      ret float %z
    })"));
  // The address, and the first element while the second is loaded.
  EXPECT_EQ(live.most, 3u);
}

TEST_F(RegisterDemand, WhatALoopNeedsAgainIsLiveAllAlong) {
  LiveWords live = countLiveWords(parse(R"(
    declare void @llvm.nvvm.barrier0() convergent
    define float @f(ptr addrspace(1) %p, float %x) {
    entry:
      %v = load <4 x float>, ptr addrspace(1) %p
      br label %loop
    loop:
      %i = phi i32 [0, %entry], [%next, %loop]
      %sum = phi <4 x float> [zeroinitializer, %entry], [%more, %loop]
      call void @llvm.nvvm.barrier0()
      %more = fadd <4 x float> %sum, %v
      %next = add i32 %i, 1
      %again = icmp ult i32 %next, 8
      br i1 %again, label %loop, label %exit
    exit:
      %r = extractelement <4 x float> %more, i32 0
      ret float %r
    })"));
  // Behind the barrier: %v, %sum and %i.
  EXPECT_EQ(live.acrossBarriers, 9u);
  EXPECT_EQ(live.most, 9u);
}

/// A kernel that keeps `words` floats across a barrier.
std::string makeKernel(unsigned words, unsigned blocks) {
  std::string text = "declare void @llvm.nvvm.barrier0() convergent\n"
                     "define void @f(ptr addrspace(1) %p) #0 {\n";
  for (unsigned i = 0; i < words; ++i)
    text += "  %v" + std::to_string(i) +
            " = load volatile float, ptr addrspace(1) %p\n";
  text += "  call void @llvm.nvvm.barrier0()\n";
  for (unsigned i = 0; i < words; ++i)
    text += "  store volatile float %v" + std::to_string(i) +
            ", ptr addrspace(1) %p\n";
  return text +
         "  ret void\n}\nattributes #0 = { \"nvvm.maxntid\"=\"128,1,1\" "
         "\"nvvm.minctasm\"=\"" +
         std::to_string(blocks) + "\" }\n";
}

TEST_F(RegisterDemand, BlocksAreAsManyAsRegistersAllow) {
  auto fit = [&](unsigned words, unsigned blocks) {
    Function &kernel = parse(makeKernel(words, blocks));
    fitBlocksToRegisters(*module, "sm_90a");
    return kernel.getFnAttributeAsParsedInteger("nvvm.minctasm", 0);
  };
  // 12 blocks of 128 threads have 40 registers each.
  EXPECT_EQ(fit(30, 12), 12u);
  EXPECT_EQ(fit(60, 12), 12u);
  // 65536 / 128 / (0.9 * 80) registers.
  EXPECT_EQ(fit(80, 12), 7u);
  EXPECT_EQ(fit(400, 12), 1u);
  EXPECT_EQ(fit(400, 1), 1u);
}

} // namespace
