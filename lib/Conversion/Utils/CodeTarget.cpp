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

#include "coil/Conversion/Utils/CodeTarget.h"

#include "coil/Dialect/Wrapper/IR/Device.h"

using namespace mlir;
using namespace coil;

const target::TargetKind *coil::getCodeTargetKind(wrapper::KernelOp kernel) {
  std::optional<wrapper::DeviceAttr> device = kernel.getDevice();
  if (!device)
    return target::lookupTargetKind(target::getDefaultTargetKind());
  if (const target::TargetKind *kind =
          target::lookupTargetKind(device->getKind()))
    return kind;
  auto *dialect =
      kernel.getContext()->getLoadedDialect<wrapper::WrapperDialect>();
  const wrapper::DeviceInfo *info = dialect->lookupDevice(device->getKind());
  return info ? target::lookupTargetKind(info->codeDevice) : nullptr;
}

bool coil::hasKernelForm(wrapper::KernelOp kernel, target::KernelForm form) {
  const target::TargetKind *kind = getCodeTargetKind(kernel);
  return kind && kind->form == form;
}

target::TargetAttrInterface coil::getCodeTarget(wrapper::KernelOp kernel) {
  const target::TargetKind *kind = getCodeTargetKind(kernel);
  return kind ? target::getTarget(kernel, kind->name)
              : target::TargetAttrInterface();
}
