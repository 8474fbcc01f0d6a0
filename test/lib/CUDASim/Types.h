//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types of PTX instructions and registers.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_TYPES_H
#define COIL_TEST_LIB_CUDASIM_TYPES_H

#include <cstdint>
#include <string_view>

namespace coil::cudasim {

enum class Ty : uint8_t {
  None,
  Pred,
  B8,
  U8,
  S8,
  E4M3,
  E5M2,
  B16,
  U16,
  S16,
  F16,
  BF16,
  E4M3x2,
  E5M2x2,
  B32,
  U32,
  S32,
  F32,
  TF32,
  F16x2,
  BF16x2,
  U16x2,
  S16x2,
  B64,
  U64,
  S64,
  F64,
  F32x2,
  B128
};

/// The type that a suffix such as "u32" names, or None.
Ty parseType(std::string_view text);

/// Size in bytes; 0 for None and Pred.
unsigned widthOf(Ty type);

inline bool isSigned(Ty t) {
  return t == Ty::S8 || t == Ty::S16 || t == Ty::S32 || t == Ty::S64;
}
inline bool isInt(Ty t) {
  return isSigned(t) || t == Ty::U8 || t == Ty::U16 || t == Ty::U32 ||
         t == Ty::U64 || t == Ty::B8 || t == Ty::B16 || t == Ty::B32 ||
         t == Ty::B64;
}
inline bool isFloat(Ty t) {
  return t == Ty::F16 || t == Ty::BF16 || t == Ty::F32 || t == Ty::F64;
}

} // namespace coil::cudasim

#endif // COIL_TEST_LIB_CUDASIM_TYPES_H
