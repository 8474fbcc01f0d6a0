//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and sizes of the types of PTX.
//
//===----------------------------------------------------------------------===//

#include "Types.h"

#include <unordered_map>

using namespace coil::cudasim;

Ty coil::cudasim::parseType(std::string_view text) {
  static const std::unordered_map<std::string_view, Ty> types = {
      {"pred", Ty::Pred},     {"b8", Ty::B8},         {"u8", Ty::U8},
      {"s8", Ty::S8},         {"b16", Ty::B16},       {"u16", Ty::U16},
      {"s16", Ty::S16},       {"f16", Ty::F16},       {"bf16", Ty::BF16},
      {"b32", Ty::B32},       {"u32", Ty::U32},       {"s32", Ty::S32},
      {"f32", Ty::F32},       {"tf32", Ty::TF32},     {"f16x2", Ty::F16x2},
      {"bf16x2", Ty::BF16x2}, {"u16x2", Ty::U16x2},   {"s16x2", Ty::S16x2},
      {"b64", Ty::B64},       {"u64", Ty::U64},       {"s64", Ty::S64},
      {"f64", Ty::F64},       {"b128", Ty::B128},     {"e4m3", Ty::E4M3},
      {"e5m2", Ty::E5M2},     {"e4m3x2", Ty::E4M3x2}, {"e5m2x2", Ty::E5M2x2},
      {"f32x2", Ty::F32x2}};
  auto it = types.find(text);
  return it == types.end() ? Ty::None : it->second;
}

unsigned coil::cudasim::widthOf(Ty type) {
  if (type == Ty::None || type == Ty::Pred)
    return 0;
  if (type <= Ty::E5M2)
    return 1;
  if (type <= Ty::E5M2x2)
    return 2;
  if (type <= Ty::S16x2)
    return 4;
  return type == Ty::B128 ? 16 : 8;
}
