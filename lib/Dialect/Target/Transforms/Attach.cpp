//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `target-attach`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Target/Transforms/Passes.h"

#include "coil/Dialect/Target/IR/Target.h"
#include "coil/Dialect/Target/IR/TargetKind.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"

namespace coil::target {
#define GEN_PASS_DEF_TARGETATTACHPASS
#include "coil/Dialect/Target/Transforms/Passes.h.inc"
} // namespace coil::target

using namespace mlir;
using namespace coil;
using namespace coil::target;

namespace {
struct TargetAttachPass
    : coil::target::impl::TargetAttachPassBase<TargetAttachPass> {
  using TargetAttachPassBase::TargetAttachPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    StringRef text =
        target.empty() ? getDefaultTargetKind() : StringRef(target);
    llvm::Expected<TargetAttrInterface> wanted = makeTarget(context, text);
    if (!wanted) { // (C1)
      module.emitError() << toString(wanted.takeError());
      return signalPassFailure();
    }
    auto key = StringAttr::get(context, wanted->getKind());
    SmallVector<DataLayoutEntryInterface> entries = {
        DataLayoutEntryAttr::get(key, *wanted)};
    if (TargetSystemSpecInterface system = module.getTargetSystemSpec())
      for (DataLayoutEntryInterface entry : system.getEntries()) {
        if (entry.getKey() != DataLayoutEntryKey(key)) {
          entries.push_back(entry);
          continue;
        }
        auto found = dyn_cast<TargetAttrInterface>(entry.getValue());
        if (!found || found.getChips() != wanted->getChips()) { // (C2)
          module.emitError("the module is compiled for ")
              << entry.getValue() << ", not for "
              << static_cast<Attribute>(*wanted);
          return signalPassFailure();
        }
        entries.front() = entry;
      }
    module->setAttr(DLTIDialect::kTargetSystemDescAttrName,
                    TargetSystemSpecAttr::get(context, entries));
  }
};
} // namespace
