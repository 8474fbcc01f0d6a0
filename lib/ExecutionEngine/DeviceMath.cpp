//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lazy linking: only the functions that are called are read.
//
//===----------------------------------------------------------------------===//

#include "DeviceMath.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace coil;
using namespace llvm;

alignas(8) static const unsigned char bitcode[] = {
#include "DeviceLibrary.inc"
};

StringRef coil::getDeviceMathBitcode() {
  return StringRef(reinterpret_cast<const char *>(bitcode), sizeof(bitcode));
}

static bool isMissing(const Function &function) {
  return function.isDeclaration() && !function.isIntrinsic();
}

Error coil::linkDeviceMath(Module &module) {
  // Left behind where a call was replaced by another.
  for (Function &function : make_early_inc_range(module))
    if (isMissing(function) && function.use_empty())
      function.eraseFromParent();
  if (none_of(module, isMissing))
    return Error::success();
  Expected<std::unique_ptr<Module>> library = getLazyBitcodeModule(
      MemoryBufferRef(getDeviceMathBitcode(), "device library"),
      module.getContext(), /*ShouldLazyLoadMetadata=*/true);
  if (!library)
    return library.takeError();
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  // What came in is for this module alone: unused bodies go after inlining.
  auto internalize = [](Module &linked, const StringSet<> &names) {
    // Compiled for an old chip; what the kernel is for counts.
    for (Function &function : linked)
      if (names.contains(function.getName()))
        for (StringRef name : {"target-cpu", "target-features"})
          function.removeFnAttr(name);
    internalizeModule(linked, [&](const GlobalValue &value) {
      return !value.hasName() || !names.contains(value.getName());
    });
  };
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded,
                          internalize))
    return createStringError(inconvertibleErrorCode(),
                             "the device library cannot be linked");
  for (const Function &function : module)
    if (isMissing(function))
      return createStringError(inconvertibleErrorCode(),
                               "calls '" + function.getName() +
                                   "', which no device code defines");
  return Error::success();
}
