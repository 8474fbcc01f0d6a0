//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor in host memory that owns its elements, as tools pass it to a
// program.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_HOSTTENSOR_H
#define COIL_SUPPORT_HOSTTENSOR_H

#include "coil/Runtime/Runtime.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>

namespace coil {

/// The bytes of a row-major tensor, or nothing when a size is negative or the
/// product does not fit in 47 bits.
std::optional<int64_t> getTensorBytes(int32_t dtype,
                                      llvm::ArrayRef<int64_t> sizes);

/// A row-major tensor on the host. Move-only.
class HostTensor {
public:
  HostTensor() = default;

  /// A tensor of zeros, or nothing when the sizes are no tensor's or there is
  /// no memory.
  static std::optional<HostTensor> create(int32_t dtype,
                                          llvm::ArrayRef<int64_t> sizes);

  int32_t getDType() const { return dtype; }
  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }
  llvm::ArrayRef<int64_t> getStrides() const { return strides; }
  int64_t getNumElements() const;
  int64_t getNumBytes() const;
  char *getData() const { return data.get(); }

  /// The view that the runtime takes. Points into this object.
  coil_tensor getView() const {
    return {data.get(),
            sizes.data(),
            strides.data(),
            int32_t(sizes.size()),
            dtype,
            COIL_CPU,
            0};
  }

private:
  struct Free {
    void operator()(char *pointer) const { free(pointer); }
  };
  int32_t dtype = COIL_F32;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<int64_t, 4> strides;
  std::unique_ptr<char, Free> data;
};

} // namespace coil

#endif // COIL_SUPPORT_HOSTTENSOR_H
