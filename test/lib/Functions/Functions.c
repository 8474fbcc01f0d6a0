/*===----------------------------------------------------------------------===*\
|*
|* Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Host functions for the corpus. Each does its work on the host; on a GPU it
|* copies elements there and back, with any strides.
|*
\*===----------------------------------------------------------------------===*/

#include "coil/Runtime/Functions.h"
#include "coil/Runtime/CUDA.h"
#include "coil/Runtime/Collectives.h"
#include "coil/Runtime/Objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Elements -------------------------------------------------------------- */

static int64_t count(const coil_tensor *tensor) {
  int64_t n = 1;
  for (int32_t d = 0; d < tensor->rank; ++d)
    n *= tensor->sizes[d];
  return n;
}

/* Bytes from the first element to the end of the last. */
static int64_t extent(const coil_tensor *tensor) {
  int64_t last = 0;
  for (int32_t d = 0; d < tensor->rank; ++d) {
    if (tensor->sizes[d] == 0)
      return 0;
    last += (tensor->sizes[d] - 1) * tensor->strides[d];
  }
  return (last + 1) * coil_dtype_size(tensor->dtype);
}

/* The offset of the element at a row-major position. */
static int64_t offset(const coil_tensor *tensor, int64_t position) {
  int64_t at = 0;
  for (int32_t d = tensor->rank; d-- > 0;) {
    at += position % tensor->sizes[d] * tensor->strides[d];
    position /= tensor->sizes[d];
  }
  return at;
}

/* The memory of a tensor on the host: its own, or a copy. */
static char *borrow(coil_call *call, const coil_tensor *tensor) {
  if (tensor->device_type == COIL_CPU)
    return tensor->data;
  coil_run *run = coil_call_get_run(call);
  if (tensor->device_index != coil_call_device_index(call)) {
    fprintf(stderr, "a call on GPU %d was given a tensor of GPU %d\n",
            coil_call_device_index(call), tensor->device_index);
    abort();
  }
  int64_t bytes = extent(tensor);
  char *copy = malloc((size_t)bytes + 1);
  if (bytes && (coil_rt_download_cuda(run, copy, tensor->data, bytes) ||
                coil_run_synchronize(run)))
    abort();
  return copy;
}

static void giveBack(coil_call *call, const coil_tensor *tensor, char *memory,
                     int isWritten) {
  if (tensor->device_type == COIL_CPU)
    return;
  coil_run *run = coil_call_get_run(call);
  int64_t bytes = extent(tensor);
  if (isWritten && bytes &&
      (coil_rt_upload_cuda(run, tensor->data, memory, bytes) ||
       coil_run_synchronize(run)))
    abort();
  free(memory);
}

/* The elements of a tensor of floats, row by row. */
static float *get(coil_call *call, const coil_tensor *tensor) {
  int64_t n = count(tensor);
  float *elements = malloc(sizeof(float) * (size_t)(n + 1));
  char *memory = borrow(call, tensor);
  for (int64_t i = 0; i < n; ++i)
    elements[i] = ((const float *)memory)[offset(tensor, i)];
  giveBack(call, tensor, memory, 0);
  return elements;
}

/* Writes them, and frees them. */
static void put(coil_call *call, const coil_tensor *tensor, float *elements) {
  char *memory = borrow(call, tensor);
  for (int64_t i = 0, n = count(tensor); i < n; ++i)
    ((float *)memory)[offset(tensor, i)] = elements[i];
  giveBack(call, tensor, memory, 1);
  free(elements);
}

static const coil_tensor *result(coil_call *call, int32_t index,
                                 const coil_tensor *like) {
  const coil_tensor *tensor = NULL;
  coil_call_result(call, index, like->dtype, like->rank, like->sizes, &tensor);
  return tensor;
}

/* -- Functions ------------------------------------------------------------- */

/* scale(x, factor, bias?): x * factor + bias. */
static int32_t scaleBy(coil_call *call, const coil_tensor *x, double factor,
                       const coil_tensor *bias) {
  const coil_tensor *y = result(call, 0, x);
  if (!y)
    return COIL_INVALID_ARGUMENT;
  float *a = get(call, x), *b = bias ? get(call, bias) : NULL;
  for (int64_t i = 0, n = count(x); i < n; ++i)
    a[i] = (float)(a[i] * factor) + (b ? b[i] : 0);
  free(b);
  put(call, y, a);
  return COIL_OK;
}

static int32_t scale(coil_call *call, void *user) {
  (void)user;
  const coil_tensor *x = coil_call_tensor(call, 0);
  const double *factor = coil_call_float(call, 1);
  if (!x || !factor)
    return coil_call_fail(call, "expected a tensor and a factor");
  return scaleBy(call, x, *factor, coil_call_tensor(call, 2));
}

/* The next version takes a missing factor, and names of arguments. */
static int32_t scaleV2(coil_call *call, void *user) {
  (void)user;
  const coil_tensor *x = coil_argument_tensor(call, coil_call_named(call, "x"));
  const double *factor =
      coil_argument_float(call, coil_call_named(call, "factor"));
  if (!x)
    return coil_call_fail(call, "there is no argument 'x'");
  return scaleBy(call, x, factor ? *factor : 3,
                 coil_argument_tensor(call, coil_call_named(call, "bias")));
}

/* accumulate(x, out!): out += x. */
static int32_t accumulate(coil_call *call, void *user) {
  (void)user;
  const coil_tensor *x = coil_call_tensor(call, 0),
                    *out = coil_call_mutable_tensor(call, 1);
  if (!x || !out)
    return coil_call_fail(call, "expected a tensor, and one to write");
  float *a = get(call, x), *b = get(call, out);
  for (int64_t i = 0, n = count(x); i < n; ++i)
    b[i] += a[i];
  free(a);
  put(call, out, b);
  return COIL_OK;
}

/* split(x) -> the positive part, the negative part. */
static int32_t split(coil_call *call, void *user) {
  (void)user;
  const coil_tensor *x = coil_call_tensor(call, 0);
  if (!x)
    return coil_call_fail(call, "expected a tensor");
  for (int32_t which = 0; which < 2; ++which) {
    const coil_tensor *y = result(call, which, x);
    if (!y)
      return COIL_INVALID_ARGUMENT;
    float *a = get(call, x);
    for (int64_t i = 0, n = count(x); i < n; ++i)
      a[i] = (a[i] > 0) == (which == 0) ? a[i] : 0;
    put(call, y, a);
  }
  return COIL_OK;
}

/* nonzero(x) -> positions of elements that are not zero, [n, 1]. */
static int32_t nonzero(coil_call *call, void *user) {
  (void)user;
  const coil_tensor *x = coil_call_tensor(call, 0), *y = NULL;
  if (!x || x->rank != 1)
    return coil_call_fail(call, "expected a vector");
  float *a = get(call, x);
  int64_t n = count(x), found = 0, *positions = malloc(8 * (size_t)(n + 1));
  for (int64_t i = 0; i < n; ++i)
    if (a[i] != 0)
      positions[found++] = i;
  free(a);
  int64_t sizes[] = {found, 1};
  coil_call_result(call, 0, COIL_I64, 2, sizes, &y);
  if (y) {
    char *memory = borrow(call, y);
    memcpy(memory, positions, 8 * (size_t)found);
    giveBack(call, y, memory, 1);
  }
  free(positions);
  return y ? COIL_OK : COIL_INVALID_ARGUMENT;
}

/* halves(x) -> the first n / 2 elements, the others. */
static int32_t halves(coil_call *call, void *user) {
  (void)user;
  const coil_tensor *x = coil_call_tensor(call, 0);
  if (!x || x->rank != 1)
    return coil_call_fail(call, "expected a vector");
  int64_t n = count(x), half = n / 2;
  for (int32_t which = 0; which < 2; ++which) {
    int64_t size = which ? n - half : half;
    const coil_tensor *y = NULL;
    coil_call_result(call, which, COIL_F32, 1, &size, &y);
    if (!y)
      return COIL_INVALID_ARGUMENT;
    float *a = get(call, x);
    memmove(a, a + (which ? half : 0), sizeof(float) * (size_t)size);
    put(call, y, a);
  }
  return COIL_OK;
}

/* check(x, limit): x, unless an element is above the limit. */
static int32_t check(coil_call *call, void *user) {
  (void)user;
  const coil_tensor *x = coil_call_tensor(call, 0);
  const double *limit = coil_call_float(call, 1);
  void *scratch = NULL;
  if (!x || !limit || coil_call_scratch(call, 64, &scratch))
    return coil_call_fail(call, "expected a tensor and a limit");
  const coil_tensor *y = result(call, 0, x);
  if (!y)
    return COIL_INVALID_ARGUMENT;
  float *a = get(call, x);
  for (int64_t i = 0, n = count(x); i < n; ++i)
    if (a[i] > *limit) {
      char text[64];
      snprintf(text, sizeof(text), "element %d is above %g", (int)i, *limit);
      free(a);
      return coil_call_fail(call, text);
    }
  put(call, y, a);
  return COIL_OK;
}

/* mix([x?, ...], [weight?, ...], mode, doubled, [offset, ...]) -> a sum for
   each tensor: of its elements, by its weight (1), and its offset. */
static int32_t mix(coil_call *call, void *user) {
  (void)user;
  int64_t n = 0, weights = 0, offsets[8] = {0};
  const coil_argument *xs = coil_call_list(call, 0, &n),
                      *ws = coil_call_list(call, 1, &weights);
  const char *mode = coil_call_string(call, 2);
  const int64_t *doubled = coil_call_bool(call, 3);
  if (!xs || n > 8 || !mode || !doubled ||
      coil_call_ints(call, 4, offsets, 8) > 8)
    return coil_call_fail(call, "expected lists, a mode and a bool");
  const coil_tensor *y = NULL;
  coil_call_result(call, 0, COIL_F32, 1, &n, &y);
  if (!y)
    return COIL_INVALID_ARGUMENT;
  float *sums = malloc(sizeof(float) * (size_t)(n + 1));
  for (int64_t i = 0; i < n; ++i) {
    const coil_tensor *x = coil_argument_tensor(call, xs + i);
    const double *weight =
        i < weights ? coil_argument_float(call, ws + i) : NULL;
    float sum = 0;
    if (x) {
      float *a = get(call, x);
      for (int64_t k = 0; k < count(x); ++k)
        sum += a[k];
      free(a);
    }
    sum = sum * (weight ? (float)*weight : 1) * (*doubled ? 2 : 1);
    sums[i] = (strcmp(mode, "minus") ? sum : -sum) + (float)offsets[i];
  }
  put(call, y, sums);
  return COIL_OK;
}

/* fill([size, ...], value, dtype): a tensor that no operand says the sizes of.
 */
static int32_t fill(coil_call *call, void *user) {
  (void)user;
  int64_t sizes[8];
  int64_t rank = coil_call_ints(call, 0, sizes, 8);
  const double *value = coil_call_float(call, 1);
  const coil_argument *dtype = coil_call_argument(call, 2);
  if (rank < 0 || rank > 8 || !value || !dtype ||
      dtype->kind != COIL_ARGUMENT_DTYPE || dtype->value.integer != COIL_F32)
    return coil_call_fail(call, "expected sizes, a value and f32");
  const coil_tensor *y = NULL;
  coil_call_result(call, 0, COIL_F32, (int32_t)rank, sizes, &y);
  if (!y)
    return COIL_INVALID_ARGUMENT;
  int64_t n = count(y);
  float *a = malloc(sizeof(float) * (size_t)(n + 1));
  for (int64_t i = 0; i < n; ++i)
    a[i] = (float)*value;
  put(call, y, a);
  return COIL_OK;
}

/* wrong(x, how): breaks the contract of functions. */
static int32_t wrong(coil_call *call, void *user) {
  (void)user;
  const coil_tensor *x = coil_call_tensor(call, 0), *y = NULL;
  const char *how = coil_call_string(call, 1);
  int64_t size = 3;
  if (!x || !how)
    return coil_call_fail(call, "expected a tensor and a text");
  if (!strcmp(how, "write"))
    return coil_call_mutable_tensor(call, 0) ? COIL_OK : COIL_INVALID_ARGUMENT;
  if (!strcmp(how, "kind")) {
    coil_call_int(call, 0);
    result(call, 0, x);
    return COIL_OK; /* The call fails all the same. */
  }
  if (!strcmp(how, "size"))
    return coil_call_result(call, 0, x->dtype, 1, &size, &y);
  if (!strcmp(how, "type"))
    return coil_call_result(call, 0, COIL_I8, x->rank, x->sizes, &y);
  if (!strcmp(how, "twice")) {
    coil_call_result(call, 0, x->dtype, x->rank, x->sizes, &y);
    return coil_call_result(call, 0, x->dtype, x->rank, x->sizes, &y);
  }
  return COIL_OK; /* Without a result. */
}

/* copy(x): what may be part of a graph, as it only uses the stream. */
static int32_t copy(coil_call *call, void *user) {
  (void)user;
  const coil_tensor *x = coil_call_tensor(call, 0);
  const coil_tensor *y = x ? result(call, 0, x) : NULL;
  if (!y)
    return COIL_INVALID_ARGUMENT;
  if (x->device_type == COIL_CUDA)
    return coil_rt_copy_cuda(coil_call_get_run(call), y->data, x->data,
                             extent(x));
  memcpy(y->data, x->data, (size_t)extent(x));
  return COIL_OK;
}

/* -- Registration ---------------------------------------------------------- */

/* -- Objects --------------------------------------------------------------- */

static float factorOf(const coil_object *self) {
  return *(const float *)coil_object_data(self);
}

/* apply(self, x): `x` times the factor that the object holds. */
static int32_t scaleApply(coil_call *call, void *user) {
  (void)user;
  coil_object *self = coil_call_object(call, 0);
  const coil_tensor *x = coil_call_tensor(call, 1);
  if (!self || !x)
    return COIL_INVALID_ARGUMENT;
  return scaleBy(call, x, factorOf(self), NULL);
}

/* accumulate(self, x, y, times): adds `x` times the factor to `y`, in place. */
static int32_t scaleAccumulate(coil_call *call, void *user) {
  (void)user;
  coil_object *self = coil_call_object(call, 0);
  const coil_tensor *x = coil_call_tensor(call, 1);
  const coil_tensor *y = coil_call_mutable_tensor(call, 2);
  const int64_t *times = coil_call_int(call, 3);
  if (!self || !x || !y || !times)
    return COIL_INVALID_ARGUMENT;
  float *a = get(call, x), *b = get(call, y);
  for (int64_t i = 0, n = count(x); i < n; ++i)
    b[i] += a[i] * factorOf(self) * (float)*times;
  free(a);
  put(call, y, b);
  return COIL_OK;
}

/* first(self, x): as many elements of `x` as the factor is. */
static int32_t scaleFirst(coil_call *call, void *user) {
  (void)user;
  coil_object *self = coil_call_object(call, 0);
  const coil_tensor *x = coil_call_tensor(call, 1), *y = NULL;
  if (!self || !x)
    return COIL_INVALID_ARGUMENT;
  int64_t size = (int64_t)factorOf(self);
  int32_t status = coil_call_result(call, 0, x->dtype, 1, &size, &y);
  if (status)
    return status;
  put(call, y, get(call, x)); /* Of them, the first `size`. */
  return COIL_OK;
}

/* The class test::Scale, and objects under the names "triple" and "half". */
static int32_t registerObjects(void) {
  coil_class scale = {sizeof(coil_class), 0, "test::Scale", NULL, NULL};
  coil_class empty = {sizeof(coil_class), 0, "test::Empty", NULL, NULL};
  static float factors[] = {3.0f, 0.5f};
  static const char *const names[] = {"triple", "half"};
  int32_t status = coil_register_class(&scale);
  if (!status)
    status = coil_register_class(&empty);
  for (int i = 0; i < 3 && !status; ++i) {
    coil_object *object = NULL;
    status = coil_object_create(i < 2 ? "test::Scale" : "test::Empty",
                                i < 2 ? &factors[i] : NULL, &object);
    if (!status)
      status = coil_bind_object(i < 2 ? names[i] : "empty", object);
    coil_object_release(object);
  }
  return status;
}

int32_t coil_register_functions(void) {
  static const struct {
    const char *name;
    coil_function_pointer function;
  } functions[] = {{"test::scale", scale},
                   {"test::scale_v2", scaleV2},
                   {"test::accumulate", accumulate},
                   {"test::split", split},
                   {"test::nonzero", nonzero},
                   {"test::halves", halves},
                   {"test::check", check},
                   {"test::mix", mix},
                   {"test::fill", fill},
                   {"test::wrong", wrong},
                   {"test::copy", copy},
                   {"test::Scale.apply", scaleApply},
                   {"test::Scale.accumulate", scaleAccumulate},
                   {"test::Scale.first", scaleFirst}};
  for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); ++i)
    for (int32_t device = COIL_CPU; device <= COIL_CUDA; ++device) {
      coil_function function = {
          sizeof(coil_function), 0,   functions[i].name, device, 0,
          functions[i].function, NULL};
      int32_t status = coil_register_function(&function);
      if (status)
        return status;
    }
  /* A group of one rank, for programs that say what all ranks do. */
  coil_local_groups *groups = NULL;
  int32_t status = coil_local_groups_create(1, "test::world", 10000, &groups);
  for (int32_t device = COIL_CPU; !status && device <= COIL_CUDA; ++device) {
    coil_process_group group;
    status = coil_local_groups_get(groups, 0, device, &group);
    if (!status)
      status = coil_register_process_group(&group);
  }
  if (!status)
    status = registerObjects();
  return status;
}
