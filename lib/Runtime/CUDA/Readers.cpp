//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who reads the weights and constants of a program.
//
//===----------------------------------------------------------------------===//

#include "Readers.h"

#include "RunState.h"

#include <algorithm>

using namespace coil::rt::cuda;

Readers::~Readers() {
  for (Reader &reader : readers) {
    ContextGuard guard(*reader.device);
    reader.device->driver.eventDestroy(reader.done);
  }
}

void Readers::note(RunState &state) {
  // Who captures a call keeps the program as long as the graph.
  if (!isRead.load(std::memory_order_relaxed) || state.isRecordedElsewhere())
    return;
  Device &device = state.device;
  ContextGuard guard(device, state.inContext);
  std::lock_guard<std::mutex> lock(mutex);
  auto found =
      std::find_if(readers.begin(), readers.end(), [&](const Reader &reader) {
        return reader.device == &device && reader.stream == state.stream;
      });
  if (found == readers.end()) {
    CUevent done = nullptr;
    if (device.driver.eventCreate(&done, CU_EVENT_DISABLE_TIMING)) {
      device.driver.streamSynchronize(state.stream);
      return;
    }
    found = readers.insert(found, {&device, state.stream, done});
  }
  if (device.driver.eventRecord(found->done, state.stream))
    device.driver.streamSynchronize(state.stream);
}

void Readers::wait() {
  std::lock_guard<std::mutex> lock(mutex);
  for (Reader &reader : readers) {
    ContextGuard guard(*reader.device);
    reader.device->driver.eventSynchronize(reader.done);
  }
}
