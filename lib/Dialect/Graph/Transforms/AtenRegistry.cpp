//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalizations of framework operators from outside of Coil.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/AtenRegistry.h"

#include "coil/Support/Registration.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

/// Handlers are never moved or destroyed: passes keep pointers.
static NamedRegistry<const AtenHandler *> &getRegistry() {
  static auto *registry = new NamedRegistry<const AtenHandler *>(
      "the legalization of the operator");
  return *registry;
}

void graph::registerAtenLegalization(StringRef names, AtenHandler handler) {
  const void *caller = __builtin_return_address(0);
  auto *kept = new AtenHandler(std::move(handler));
  for (const std::string &key : getOverloads(names)) {
    if (hasOwnLegalization(key))
      reportRegistrationError("the legalization of the operator '" + key +
                              "' is registered twice: by 'Coil' and by '" +
                              getRegistrationOrigin(caller) + "'");
    else
      getRegistry().add(key, kept, caller);
  }
}

const AtenHandler *graph::findRegisteredLegalization(AtenOp op) {
  return getRegistry().lookup(op.getName());
}

bool graph::hasRegisteredLegalization(StringRef overload) {
  return getRegistry().lookup(overload) != nullptr;
}
