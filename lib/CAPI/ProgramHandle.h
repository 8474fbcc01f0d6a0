//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a coil_program is: of the compiler, or of a package.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CAPI_PROGRAMHANDLE_H
#define COIL_LIB_CAPI_PROGRAMHANDLE_H

#include "coil-c/Program.h"
#include "coil/ExecutionEngine/ModelContainer.h"

#include <cstring>
#include <map>
#include <optional>
#include <string>

struct coil_program {
  /// `container` keeps whatever it is a part of.
  coil_program(std::shared_ptr<coil::ModelContainer> container,
               std::string stats);
  coil_program(const coil_program &) = delete;
  ~coil_program();

  std::shared_ptr<coil::ModelContainer> container;
  std::string signature;
  std::string stats;
  /// What runs have around them.
  coil_hook_fn hook = nullptr;
  void *hookUser = nullptr;
  std::optional<coil_generator> generator;
  std::map<std::string, coil_object *> objects;
};

namespace coil::capi {

/// Copies options of a caller that may be older than this library: fields that
/// it does not know keep their defaults. Fails for a newer one.
template <typename T>
bool readOptions(const T *from, T &to) {
  if (from->struct_size < sizeof(size_t) || from->struct_size > sizeof(T))
    return false;
  std::memcpy(&to, from, from->struct_size);
  return true;
}

} // namespace coil::capi

#endif // COIL_LIB_CAPI_PROGRAMHANDLE_H
