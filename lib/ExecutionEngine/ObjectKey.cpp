//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The key of an object: the module that it is made from, and for what.
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"
#include "coil/Support/CPUTarget.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;
using namespace llvm;

std::string ObjectCache::getKey(const Module &module, const CPUTarget &target,
                                unsigned optLevel) {
  SmallString<0> bytes;
  raw_svector_ostream os(bytes);
  os << LLVM_VERSION_STRING << '\0' << target.triple << '\0' << target.cpu
     << '\0' << target.features << '\0' << target.vectorBits << '\0' << optLevel
     << '\0';
  WriteBitcodeToFile(module, os);
  return getKey(bytes);
}
