//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call of a host function.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CALL_H
#define COIL_LIB_RUNTIME_CALL_H

#include "Run.h"

#include "coil/Runtime/Functions.h"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace coil::rt {
class RecordedCollectives;
} // namespace coil::rt

struct coil_call {
  coil_run *run = nullptr;
  const coil_call_site *site = nullptr;
  const coil_function *function = nullptr;
  int32_t numArguments = 0;
  const coil_argument *arguments = nullptr;
  int32_t numOutputs = 0;
  const coil_tensor *outputs = nullptr;
  int32_t numResults = 0;
  coil_tensor *results = nullptr;
  /// Which of outputs and results the function has taken.
  std::vector<bool> isTaken;
  /// Why the call fails, if it does; the first reason counts.
  bool failed = false;
  std::string message;
  std::vector<void *> scratch;
  /// Integers that the function has asked for as floats.
  std::deque<double> numbers;
  /// On a CUDA device.
  void *stream = nullptr;
  int32_t deviceIndex = 0;
  /// Not null where the call becomes part of a CUDA graph.
  coil::rt::RecordedCollectives *recorded = nullptr;

  /// Notes why the call fails.
  int32_t fail(std::string why);
};

namespace coil::rt {

/// A registered function, or null. It stays where it is.
const coil_function *lookupFunction(const char *name, int32_t device);

/// Whether a name has the form "namespace::name", of letters, digits, '_' and
/// '.'.
bool isFunctionName(std::string_view name);

/// Registers the functions that the runtime has itself.
void registerFallbacks();

/// Calls `body` with the state of the run's CUDA device: its stream, context
/// and recording, in which only a capturable function can be (CUDA/Call.cpp).
int32_t callOnCuda(coil_call &call, int32_t (*body)(coil_call &call));

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_CALL_H
