//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One weight of a set: what is checked of it, and where its elements are.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_WEIGHTVALUE_H
#define COIL_LIB_EXECUTIONENGINE_WEIGHTVALUE_H

#include "coil/ExecutionEngine/ModelContainer.h"

#include <map>
#include <mutex>

namespace coil {

/// What the program knows of a weight.
struct WeightSpec {
  std::string name;
  int32_t dtype;
  llvm::SmallVector<int64_t, 4> sizes;
  /// Row by row.
  llvm::SmallVector<int64_t, 4> strides;
  /// Whether the program writes to it: sets have memory of their own for it.
  bool isUpdated = false;
};

/// A weight that a program on GPUs writes to, in the memory of each GPU that it
/// runs on. Sets of weights share it as long as nobody gives another value.
class DeviceState {
public:
  /// The weight on a GPU, for input number `input` of the engine; it begins
  /// with `value`.
  llvm::Expected<coil_tensor> get(const Engine &engine, unsigned input,
                                  const coil_tensor &value, int32_t device);
  /// Waits for calls, and copies what the weight is now on a GPU to host
  /// memory, row by row: on `device` if it is there, else on any. Does nothing
  /// where it is on none.
  llvm::Error download(int32_t device, void *to);

private:
  struct Copy {
    unsigned input;
    DeviceTensors tensors;
  };
  std::mutex mutex;
  std::map<int32_t, Copy> copies;
};

/// A weight of one set.
struct WeightValue {
  void *data = nullptr;
  std::shared_ptr<const void> owner;
  /// Of weights that programs on GPUs write to; `data` is then what it began
  /// with, or was when somebody looked.
  std::shared_ptr<DeviceState> state;
};

/// The bytes of a tensor's elements.
uint64_t getBytes(const coil_tensor &tensor);

/// The bytes behind the first element that a tensor reaches; nothing when it
/// also reaches before it.
std::optional<uint64_t> getReach(const coil_tensor &tensor);

/// Whether a weight is the one that the program knows; an InputError names it.
llvm::Error checkWeight(const WeightSpec &spec, const NamedWeight &given);

/// The elements of a weight that was checked, row by row: where they are, or a
/// copy. `inPlace` makes a copy of what has an owner an InputError.
llvm::Expected<WeightValue> takeWeight(const WeightSpec &spec,
                                       const NamedWeight &given, bool inPlace);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_WEIGHTVALUE_H
