//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who reads the weights and constants of a program: the last call on each
// stream. Whoever frees them waits for it, by events, since streams are the
// caller's to destroy.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_READERS_H
#define COIL_LIB_RUNTIME_CUDA_READERS_H

#include "Driver.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace coil::rt::cuda {

class Device;
struct RunState;

class Readers {
public:
  Readers() = default;
  Readers(const Readers &) = delete;
  Readers &operator=(const Readers &) = delete;
  ~Readers();

  /// Memory is read from now on.
  void begin() { isRead.store(true, std::memory_order_relaxed); }
  /// A call has put its work on the stream of a run.
  void note(RunState &state);
  void wait();

private:
  struct Reader {
    Device *device;
    CUstream stream;
    CUevent done;
  };
  std::atomic<bool> isRead{false};
  std::mutex mutex;
  std::vector<Reader> readers;
};

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_READERS_H
