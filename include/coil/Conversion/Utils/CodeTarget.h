//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By which conversions a kernel gets its code.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_UTILS_CODETARGET_H
#define COIL_CONVERSION_UTILS_CODETARGET_H

#include "coil/Dialect/Target/IR/Target.h"
#include "coil/Dialect/Target/IR/TargetKind.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"

namespace coil {

/// The kind of target whose code a kernel's device runs: the device's own or,
/// for one that runs the instructions of another, that one. Null where there is
/// none, so that a pass of someone else makes the code. A kernel without a
/// device is the host's.
const target::TargetKind *getCodeTargetKind(wrapper::KernelOp kernel);

/// Whether that kind is of a form.
bool hasKernelForm(wrapper::KernelOp kernel, target::KernelForm form);

/// What the module says of that kind.
target::TargetAttrInterface getCodeTarget(wrapper::KernelOp kernel);

} // namespace coil

#endif // COIL_CONVERSION_UTILS_CODETARGET_H
