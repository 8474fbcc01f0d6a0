//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipeline, and what the passes must not do.
//
//===----------------------------------------------------------------------===//

#include "DeviceOptimizer.h"
#include "ModulePasses.h"
#include "RegisterDemand.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constant.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace coil;
using namespace llvm;

/// What of LLVM's O3 changes kernels, in its order, and in two thirds of its
/// time. O3's vectorisers are not here: schedules have vectorised, and what
/// they left scalar stays so. Each pass but `sroa` and `globaldce` is there
/// because the machine code of some kernel of benchmarks, models or tests was
/// another without it; of the others none made one better. Bodies are inlined
/// first, so that one walk over the kernel is enough.
static constexpr StringLiteral pipeline =
    "always-inline,function("
    // What is rare stays behind a branch.
    "lower-expect,"
    // Into registers: user-defined kernels may have variables. Branches of the
    // same outcome become selects.
    "sroa,"
    "simplifycfg<bonus-inst-threshold=1;no-hoist-common-insts;"
    "no-sink-common-insts;keep-loops;speculate-blocks;simplify-cond-branch>,"
    // Threads' numbers have ranges: signs, remainders and bounds of tiles that
    // follow from them go before expressions are put into the usual form.
    "early-cse,sccp,instcombine<max-iterations=1;no-verify-fixpoint>,"
    "early-cse<memssa>,speculative-execution<only-if-divergent-target>,"
    "correlated-propagation,"
    "simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;"
    "no-hoist-common-insts;no-sink-common-insts;keep-loops;speculate-blocks;"
    "simplify-cond-branch>,instcombine<max-iterations=1;no-verify-fixpoint>,"
    "reassociate,constraint-elimination,"
    // Sums of rows and columns are loops that end where they are tested.
    "loop-mssa(loop-rotate<header-duplication>,licm<allowspeculation>),"
    "simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;"
    "no-hoist-common-insts;no-sink-common-insts;keep-loops;speculate-blocks;"
    "simplify-cond-branch>,instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop(indvars),gvn,sccp,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop-mssa(licm<allowspeculation>),"
    "simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;"
    "hoist-common-insts;sink-common-insts;keep-loops;speculate-blocks;"
    "simplify-cond-branch>,"
    // The few loops that schedules leave short are unrolled, and addresses in
    // them folded.
    "infer-alignment,loop-unroll<O3>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,div-rem-pairs,"
    "simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;"
    "switch-to-arithmetic;keep-loops;no-hoist-common-insts;"
    "hoist-loads-stores-with-cond-faulting;no-sink-common-insts;"
    "speculate-blocks;simplify-cond-branch;speculate-unpredictables>),"
    // What is only read can be loaded through the cache of constants.
    "cgscc(function-attrs),globaldce";

/// Takes sums of vectors of 16-bit integers and constants apart: ptxas 13.0
/// (and the driver of that time) loses the upper half of the constant of an
/// `add.s16x2` when only the upper half of the sum is used.
static void splitShortSums(Module &module) {
  SmallVector<BinaryOperator *> sums;
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *sum = dyn_cast<BinaryOperator>(&instruction))
          if (auto *type = dyn_cast<FixedVectorType>(sum->getType()))
            if (type->getElementType()->isIntegerTy(16) &&
                sum->getOpcode() == Instruction::Add &&
                isa<Constant>(sum->getOperand(1)))
              sums.push_back(sum);
  for (BinaryOperator *sum : sums) {
    IRBuilder<> b(sum);
    auto *type = cast<FixedVectorType>(sum->getType());
    Value *result = PoisonValue::get(type);
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      Value *lane = b.CreateAdd(b.CreateExtractElement(sum->getOperand(0), i),
                                b.CreateExtractElement(sum->getOperand(1), i));
      result = b.CreateInsertElement(result, lane, i);
    }
    sum->replaceAllUsesWith(result);
    sum->eraseFromParent();
  }
}

/// Takes back that nobody writes what a kernel reads, where the kernel waits
/// for the one before it: loads that bypass coherence (`ld.global.nc`) could be
/// moved before the wait.
static void forgetReadOnly(Module &module) {
  auto waits = [](const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    return text &&
           StringRef(text->getAsmString()).contains("griddepcontrol.wait");
  };
  for (Function &function : module)
    if (!function.empty() && any_of(function.getEntryBlock(), waits))
      for (Argument &argument : function.args()) {
        argument.removeAttr(Attribute::ReadOnly);
        argument.removeAttr(Attribute::ReadNone);
      }
}

StringRef coil::getDevicePipeline() { return pipeline; }

void coil::optimizeForDevice(Module &module, TargetMachine &machine) {
  runPasses(module, machine, [](PassBuilder &builder) {
    ModulePassManager passes;
    cantFail(builder.parsePassPipeline(passes, pipeline));
    return passes;
  });
  splitShortSums(module);
  forgetReadOnly(module);
  fitBlocksToRegisters(module, machine.getTargetCPU());
}
