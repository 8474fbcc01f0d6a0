//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decisions on schedules from outside of Coil.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_TRANSFORMS_SCHEDULESTRATEGY_H
#define COIL_DIALECT_LOOP_TRANSFORMS_SCHEDULESTRATEGY_H

#include "coil/Dialect/Loop/IR/Loop.h"

#include <functional>

namespace coil::loop {

/// Decides how a kernel runs on the device that its code is generated for
/// (a kind of target: "cpu", "cuda" or a registered one): gives the schedule
/// attribute of the device, or null to leave the kernel to the next strategy,
/// and in the end to Coil's. Called on several threads.
using ScheduleStrategy = std::function<ScheduleAttrInterface(
    KernelOp kernel, llvm::StringRef device)>;

/// Asks `strategy` for each kernel that has no schedule and that no library
/// computes, after those that were registered before. A second strategy of a
/// name is an error (`checkRegistrations`).
void registerScheduleStrategy(llvm::StringRef name, ScheduleStrategy strategy);

/// The first schedule that a registered strategy gives, or null. Says in a
/// remark of `category`, a pass, which strategy it was.
ScheduleAttrInterface askScheduleStrategies(KernelOp kernel,
                                            llvm::StringRef device,
                                            llvm::StringRef category);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_TRANSFORMS_SCHEDULESTRATEGY_H
