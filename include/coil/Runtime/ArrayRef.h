//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays whose sizes are part of their type, for entries of emitted programs
// that take arrays. Header only.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_ARRAYREF_H
#define COIL_RUNTIME_ARRAYREF_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace coil {

/// Refers to `Sizes...` elements, row by row, that somebody else owns. An array
/// of another size does not convert to it.
template <typename T, int64_t... Sizes>
class ArrayRef {
public:
  static constexpr size_t count = (static_cast<size_t>(Sizes) * ... * 1);
  static constexpr size_t rank = sizeof...(Sizes);

  /// The elements at an address that the caller vouches for.
  explicit constexpr ArrayRef(T *data) : elements(data) {}
  template <typename U>
  constexpr ArrayRef(U (&array)[count ? count : 1]) : elements(array) {}
  template <typename U>
  constexpr ArrayRef(std::array<U, count> &array) : elements(array.data()) {}
  template <typename U>
  constexpr ArrayRef(const std::array<U, count> &array)
      : elements(array.data()) {}

  constexpr T *data() const { return elements; }
  static constexpr size_t size() { return count; }
  static constexpr std::array<int64_t, rank> sizes() { return {Sizes...}; }
  /// The element at these indices.
  template <typename... Indices>
  constexpr T &operator()(Indices... indices) const {
    static_assert(sizeof...(indices) == rank, "one index for each dimension");
    int64_t place = 0;
    ((place = place * Sizes + static_cast<int64_t>(indices)), ...);
    return elements[place];
  }

private:
  T *elements;
};

} // namespace coil

#endif // COIL_RUNTIME_ARRAYREF_H
