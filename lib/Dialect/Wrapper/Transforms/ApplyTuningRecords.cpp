//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives kernels the schedules that measuring found.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Dialect/Wrapper/Transforms/TuningRecords.h"
#include "coil/Version.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERAPPLYTUNINGRECORDSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-apply-tuning-records"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

struct WrapperApplyTuningRecords
    : coil::wrapper::impl::WrapperApplyTuningRecordsPassBase<
          WrapperApplyTuningRecords> {
  using WrapperApplyTuningRecordsPassBase::WrapperApplyTuningRecordsPassBase;
  void runOnOperation() override;

private:
  LogicalResult apply(KernelOp kernel, const TuningRecord &record);
};

} // namespace

LogicalResult WrapperApplyTuningRecords::apply(KernelOp kernel,
                                               const TuningRecord &record) {
  loop::KernelOp body = kernel.getLoopKernel();
  loop::ScheduleAttrInterface before = body.getScheduleAttr();
  std::string why;
  {
    ScopedDiagnosticHandler collect(&getContext(), [&](Diagnostic &diagnostic) {
      why += (why.empty() ? "" : "; ") + diagnostic.str();
    });
    auto schedule = dyn_cast_or_null<loop::ScheduleAttrInterface>(
        parseAttribute(record.schedule, &getContext()));
    if (!schedule && why.empty()) // (C1)
      why = "it is no schedule";
    else if (schedule && schedule.getTypeID() != before.getTypeID()) // (C2)
      why = "it is one for another device";
    if (why.empty()) {
      body.setScheduleAttr(schedule);
      if (succeeded(verify(kernel))) // (C3)
        return success();
      body.setScheduleAttr(before);
    }
  }
  return kernel.emitOpError() << "cannot have the schedule of '" << fileName
                              << "' line " << record.line << ": " << why;
}

void WrapperApplyTuningRecords::runOnOperation() {
  ModuleOp module = getOperation();
  llvm::Expected<std::vector<TuningRecord>> records =
      readTuningRecords(fileName);
  if (!records) {
    module.emitError() << toString(records.takeError());
    return signalPassFailure();
  }
  llvm::Expected<std::string> target = getTuningTarget(module, codeOptions);
  if (!target) {
    module.emitError() << toString(target.takeError());
    return signalPassFailure();
  }
  llvm::StringMap<const TuningRecord *> byKernel;
  unsigned others = 0, old = 0;
  for (const TuningRecord &record : *records) {
    if (record.version != COIL_VERSION_STRING)
      ++old;
    else if (record.target != *target)
      ++others;
    else
      byKernel[record.kernel] = &record; // The last one counts.
  }
  unsigned kernels = 0, found = 0;
  for (auto kernel : module.getOps<KernelOp>()) {
    std::string why;
    if (failed(canTune(kernel, why)))
      continue;
    ++kernels;
    const TuningRecord *record = byKernel.lookup(getTuningHash(kernel));
    if (!record)
      continue;
    ++found;
    if (failed(apply(kernel, *record)))
      return signalPassFailure();
    remark::passed(kernel.getLoc(),
                   remark::RemarkOpts::name("Tuned").category(DEBUG_TYPE))
        << remark::add("schedule of '{0}' line {1}: {2} ns, {3} ns as selected",
                       fileName.getValue(), record->line,
                       static_cast<int64_t>(record->nanoseconds),
                       static_cast<int64_t>(record->defaultNanoseconds));
  }
  if (found == kernels && others == 0 && old == 0)
    return;
  remark::missed(module.getLoc(),
                 remark::RemarkOpts::name("NotTuned").category(DEBUG_TYPE))
      << remark::add("'{0}' has records of {1} of {2} kernels; passed over {3} "
                     "of other targets and {4} of other versions",
                     fileName.getValue(), found, kernels, others, old);
}
