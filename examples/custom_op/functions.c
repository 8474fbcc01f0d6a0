/*===----------------------------------------------------------------------===*\
|*
|* Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A custom operator in C: mylib::rms_norm(x, weight=None, eps=1e-6). Programs
|* that call it find it by its name; nothing of PyTorch is needed.
|*
\*===----------------------------------------------------------------------===*/

#include "coil/Runtime/Functions.h"

#include <math.h>

/* Rows of one result, spread over the runtime's threads. */
struct work {
  const float *x, *weight;
  float *y;
  int64_t width;
  double eps;
};

static int32_t normalise(void *context, int64_t begin, int64_t end) {
  const struct work *w = context;
  for (int64_t row = begin; row < end; ++row) {
    const float *x = w->x + row * w->width;
    float *y = w->y + row * w->width;
    double sum = 0;
    for (int64_t i = 0; i < w->width; ++i)
      sum += (double)x[i] * x[i];
    double factor = 1 / sqrt(sum / (double)w->width + w->eps);
    for (int64_t i = 0; i < w->width; ++i)
      y[i] = (float)(x[i] * factor) * (w->weight ? w->weight[i] : 1);
  }
  return COIL_OK;
}

static int32_t rmsNorm(coil_call *call, void *user) {
  (void)user;
  /* Arguments come under the names of the operator's schema. What equals a
     default is left out of an exported program, and looks like an absent
     optional argument here. */
  const coil_tensor *x = coil_argument_tensor(call, coil_call_named(call, "x"));
  const coil_tensor *weight =
      coil_argument_tensor(call, coil_call_named(call, "weight"));
  const double *eps = coil_argument_float(call, coil_call_named(call, "eps"));
  if (!x || x->rank == 0 || x->dtype != COIL_F32)
    return coil_call_fail(call, "x is not a tensor of floats with rows");
  int64_t width = x->sizes[x->rank - 1], rows = 1;
  for (int32_t d = 0; d + 1 < x->rank; ++d)
    rows *= x->sizes[d];
  if (weight && (weight->dtype != COIL_F32 || weight->rank != 1 ||
                 weight->sizes[0] != width))
    return coil_call_fail(call, "weight is not as wide as x");

  /* Where the result goes: often memory that the program has planned. Operands
     of imported programs, and their results, lie row by row. */
  const coil_tensor *y = 0;
  int32_t status = coil_call_result(call, 0, x->dtype, x->rank, x->sizes, &y);
  if (status)
    return status;
  struct work work = {x->data, weight ? weight->data : 0, y->data, width,
                      eps ? *eps : 1e-6};
  return coil_parallel_for(rows, 16, normalise, &work);
}

/* What coil-run --functions=... and coil.load_functions call. */
int32_t coil_register_functions(void) {
  coil_function function = {
      sizeof(coil_function), 0, "mylib::rms_norm", COIL_CPU, 0, rmsNorm, 0};
  return coil_register_function(&function);
}
