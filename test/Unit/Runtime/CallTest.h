//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of host functions, as compiled programs make them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_UNIT_RUNTIME_CALLTEST_H
#define COIL_TEST_UNIT_RUNTIME_CALLTEST_H

#include "coil/Runtime/Functions.h"

#include <cstdint>
#include <vector>

inline coil_argument text(const char *value) {
  coil_argument argument = {};
  argument.kind = COIL_ARGUMENT_STRING;
  argument.value.string = value;
  return argument;
}

inline coil_argument number(int64_t value) {
  coil_argument argument = {};
  argument.kind = COIL_ARGUMENT_INT;
  argument.value.integer = value;
  return argument;
}

/// Calls a function of a source, which comes first, and a target, from line 7
/// of a model.
inline int32_t callWith(coil_run *run, int32_t device, const char *name,
                        const coil_tensor &source, const coil_tensor &target,
                        std::vector<coil_argument> more) {
  coil_call_site site = {sizeof(site), device,  name,
                         "model.py:7", nullptr, nullptr};
  coil_argument first = {};
  first.kind = COIL_ARGUMENT_TENSOR;
  first.value.tensor = &source;
  more.insert(more.begin(), first);
  return coil_rt_call(run, &site, int64_t(more.size()), more.data(), 1, &target,
                      0, nullptr);
}

#endif // COIL_TEST_UNIT_RUNTIME_CALLTEST_H
