//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list that needs no memory of its own while it is short.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PYTHON_EXTENSION_BUFFER_H
#define COIL_PYTHON_EXTENSION_BUFFER_H

#include <cstddef>
#include <cstring>
#include <memory>

namespace coil {

/// Elements without an end that is known before: few of them need no memory of
/// their own. Only for what can be copied as bytes.
template <typename T, std::size_t few>
class Buffer {
public:
  T *data() { return memory ? memory.get() : first; }
  const T *data() const { return memory ? memory.get() : first; }
  T &operator[](std::size_t i) { return data()[i]; }
  std::size_t size() const { return used; }
  /// More elements, which are for the caller to fill in.
  T *grow(std::size_t count) {
    if (count > room - used) {
      std::size_t larger = 2 * room > used + count ? 2 * room : used + count;
      std::unique_ptr<T[]> moved(new T[larger]);
      std::memcpy(moved.get(), data(), used * sizeof(T));
      memory = std::move(moved);
      room = larger;
    }
    used += count;
    return data() + used - count;
  }

private:
  std::size_t used = 0, room = few;
  T first[few];
  std::unique_ptr<T[]> memory;
};

} // namespace coil

#endif // COIL_PYTHON_EXTENSION_BUFFER_H
