//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters and faults of the CUDA driver for tests.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_UNIT_RUNTIME_FAKECUDA_H
#define COIL_TEST_UNIT_RUNTIME_FAKECUDA_H

#include <cstddef>

struct FakeCuda {
  size_t memoryLimit; ///< 0 for none.
  size_t memoryUsed;
  int broken; ///< The error that every call returns from now on.
  int driverAllocations;
  int launches;    ///< cuLaunchKernel, also while a stream is captured.
  int overlapping; ///< Those of them that may start before the one before ends.
  int launchedOn;  ///< The device whose context was current at the last.
  int executed;    ///< Kernels that ran.
  int copies;
  int synchronisations;
  int waits;
  int modules;
  int instances;
  int patches;
  int graphLaunches;
  int contextCalls; ///< What asks for the current context, or changes it.
  int captureCalls; ///< cuStreamIsCapturing.
  /// Calls of what records and runs graphs from now on; the one of this number,
  /// from 1 on, fails.
  int graphCalls;
  int failGraphCall;
};

extern "C" FakeCuda *fake_cuda();

#endif // COIL_TEST_UNIT_RUNTIME_FAKECUDA_H
