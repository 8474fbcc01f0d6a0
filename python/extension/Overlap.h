//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which outputs of a run share memory with an input or with another output.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PYTHON_EXTENSION_OVERLAP_H
#define COIL_PYTHON_EXTENSION_OVERLAP_H

#include "Buffer.h"
#include "coil-c/Coil.h"

#include <algorithm>

namespace coil {

/// The bytes between the first and the last element of a tensor.
struct ByteRange {
  uintptr_t begin, end;
  /// Number of the output; that of no output for an input.
  std::size_t output;
};

inline ByteRange getRange(const coil_tensor &tensor, std::size_t output) {
  // In the order of coil_dtype.
  constexpr unsigned char bytes[] = {1, 1, 1, 2, 2, 4, 4, 8,
                                     8, 2, 2, 4, 8, 1, 1};
  auto begin = reinterpret_cast<uintptr_t>(tensor.data);
  ByteRange range{begin, begin, output};
  uintptr_t reach = 1;
  for (int32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.sizes[d] == 0)
      return range;
    auto steps = static_cast<uintptr_t>(tensor.sizes[d] - 1);
    if (tensor.strides[d] < 0)
      range.begin -= steps * static_cast<uintptr_t>(-tensor.strides[d]) *
                     bytes[tensor.dtype];
    else
      reach += steps * static_cast<uintptr_t>(tensor.strides[d]);
  }
  range.end = begin + reach * bytes[tensor.dtype];
  return range;
}

/// How an output shares memory with others.
enum Sharing : unsigned char {
  /// It does not.
  sharesNone = 0,
  /// It has to be copied.
  sharesMemory = 1,
  /// It is an input that the program has updated in its own memory.
  isUpdatedInput = 2
};

/// Sets `shares` to `sharesMemory` for outputs that have to be copied so that
/// none shares memory with an input or with another output, to `sharesNone` for
/// others.
inline void findShared(const coil_tensor *inputs, std::size_t numInputs,
                       const coil_tensor *outputs, std::size_t numOutputs,
                       unsigned char *shares) {
  std::fill_n(shares, numOutputs, static_cast<unsigned char>(sharesNone));
  Buffer<ByteRange, 32> ranges;
  for (std::size_t i = 0; i < numInputs + numOutputs; ++i) {
    bool isOutput = i >= numInputs;
    ByteRange range = getRange(isOutput ? outputs[i - numInputs] : inputs[i],
                               isOutput ? i - numInputs : numOutputs);
    if (range.begin != range.end)
      *ranges.grow(1) = range;
  }
  std::sort(ranges.data(), ranges.data() + ranges.size(),
            [](const ByteRange &a, const ByteRange &b) {
              return a.begin != b.begin ? a.begin < b.begin
                                        : a.output > b.output;
            });
  // Of all ranges so far the one that ends last.
  const ByteRange *last = nullptr;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const ByteRange &range = ranges[i];
    if (last && range.begin < last->end) {
      if (range.output < numOutputs)
        shares[range.output] = sharesMemory;
      else if (last->output < numOutputs)
        shares[last->output] = sharesMemory;
    }
    if (!last || range.end > last->end)
      last = &range;
  }
}

} // namespace coil

#endif // COIL_PYTHON_EXTENSION_OVERLAP_H
