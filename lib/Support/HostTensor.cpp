//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of host tensors.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/HostTensor.h"

#include <cstdlib>
#include <cstring>

using namespace coil;

std::optional<int64_t> coil::getTensorBytes(int32_t dtype,
                                            llvm::ArrayRef<int64_t> sizes) {
  constexpr int64_t limit = int64_t(1) << 47;
  int64_t bytes = coil_dtype_size(dtype);
  if (bytes == 0)
    return std::nullopt;
  bool empty = false;
  for (int64_t size : sizes) {
    if (size < 0 || size > limit)
      return std::nullopt;
    if (size == 0)
      empty = true;
    else if (bytes > limit / size)
      return std::nullopt;
    else
      bytes *= size;
  }
  return empty ? 0 : bytes;
}

std::optional<HostTensor> HostTensor::create(int32_t dtype,
                                             llvm::ArrayRef<int64_t> sizes) {
  std::optional<int64_t> bytes = getTensorBytes(dtype, sizes);
  if (!bytes)
    return std::nullopt;
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  tensor.strides.resize(sizes.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    tensor.strides[d] = stride;
    stride *= sizes[d] ? sizes[d] : 1;
  }
  void *data = nullptr;
  if (posix_memalign(&data, 64, size_t(*bytes ? *bytes : 1)))
    return std::nullopt;
  memset(data, 0, size_t(*bytes));
  tensor.data.reset(static_cast<char *>(data));
  return tensor;
}

int64_t HostTensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

int64_t HostTensor::getNumBytes() const {
  return getNumElements() * coil_dtype_size(dtype);
}
