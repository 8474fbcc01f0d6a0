//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands for a vendor's library: a function of the type
// `coil_function_pointer` that computes the error function.
//
//===----------------------------------------------------------------------===//

#include "coil/Runtime/Functions.h"

#include <cmath>

extern "C" __attribute__((visibility("default"))) int32_t
accelmath_erf(coil_call *call, void *) {
  const coil_tensor *x = coil_call_tensor(call, 0);
  const coil_tensor *y;
  if (!x)
    return COIL_INVALID_ARGUMENT;
  if (int32_t status =
          coil_call_result(call, 0, x->dtype, x->rank, x->sizes, &y))
    return status;
  int64_t count = 1;
  for (int32_t i = 0; i < x->rank; ++i)
    count *= x->sizes[i];
  for (int64_t i = 0; i < count; ++i)
    static_cast<float *>(y->data)[i] =
        std::erf(static_cast<const float *>(x->data)[i]);
  return COIL_OK;
}
