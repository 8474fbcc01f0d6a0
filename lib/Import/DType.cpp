//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element types by the numbers that exported programs have for them.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/ExportedProgram.h"

using namespace llvm;
using namespace coil::import;

namespace {
struct DTypeInfo {
  DType dtype;
  unsigned bytes;
  const char *name;
};
} // namespace

static constexpr DTypeInfo dtypes[] = {
    {DType::UInt8, 1, "ui8"},
    {DType::Int8, 1, "i8"},
    {DType::Int16, 2, "i16"},
    {DType::Int32, 4, "i32"},
    {DType::Int64, 8, "i64"},
    {DType::Float16, 2, "f16"},
    {DType::Float32, 4, "f32"},
    {DType::Float64, 8, "f64"},
    {DType::ComplexFloat16, 4, "complex<f16>"},
    {DType::ComplexFloat32, 8, "complex<f32>"},
    {DType::ComplexFloat64, 16, "complex<f64>"},
    {DType::Bool, 1, "i1"},
    {DType::BFloat16, 2, "bf16"},
    {DType::UInt16, 2, "ui16"},
    {DType::Float8E4M3FN, 1, "f8E4M3FN"},
    {DType::Float8E5M2, 1, "f8E5M2"},
    {DType::Float8E4M3FNUZ, 1, "f8E4M3FNUZ"},
    {DType::Float8E5M2FNUZ, 1, "f8E5M2FNUZ"},
};

std::optional<DType> coil::import::getDType(int64_t number) {
  for (const DTypeInfo &info : dtypes)
    if (int64_t(info.dtype) == number)
      return info.dtype;
  return std::nullopt;
}

static const DTypeInfo &getInfo(DType dtype) {
  for (const DTypeInfo &info : dtypes)
    if (info.dtype == dtype)
      return info;
  llvm_unreachable("unknown element type");
}

unsigned coil::import::getByteSize(DType dtype) { return getInfo(dtype).bytes; }

StringRef coil::import::getName(DType dtype) { return getInfo(dtype).name; }
