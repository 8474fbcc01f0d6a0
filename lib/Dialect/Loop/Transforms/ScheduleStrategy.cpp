//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registry of schedule strategies.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/ScheduleStrategy.h"

#include "coil/Support/Registration.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Never destroyed: plugins register at any time.
static NamedRegistry<ScheduleStrategy> &getRegistry() {
  static auto *registry =
      new NamedRegistry<ScheduleStrategy>("schedule strategy");
  return *registry;
}

void loop::registerScheduleStrategy(StringRef name, ScheduleStrategy strategy) {
  getRegistry().add(name, std::move(strategy), __builtin_return_address(0));
}

ScheduleAttrInterface loop::askScheduleStrategies(KernelOp kernel,
                                                  StringRef device,
                                                  StringRef category) {
  for (const auto &entry : getRegistry().getEntries()) {
    ScheduleAttrInterface schedule = entry.value(kernel, device);
    if (!schedule)
      continue;
    remark::passed(kernel.getLoc(),
                   remark::RemarkOpts::name("Schedule").category(category))
        << remark::add("kernel '{0}' is scheduled by the strategy '{1}'",
                       kernel.getName(), entry.name);
    return schedule;
  }
  return {};
}
