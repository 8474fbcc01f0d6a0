//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of host functions: their arguments, results and errors.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include "coil/Runtime/CUDA.h"
#include "coil/Runtime/HostABI.h"

#include <cinttypes>
#include <cstring>

using namespace coil::rt;

int32_t coil_call::fail(std::string why) {
  if (!failed)
    message = std::move(why);
  failed = true;
  return COIL_ASSERTION_FAILED;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static int32_t allocate(coil_call &call, int64_t bytes, void **out) {
  return call.site->device_type == COIL_CUDA
             ? coil_rt_alloc_cuda(call.run, bytes, out)
             : coil_rt_alloc(call.run, bytes, out);
}

static void release(coil_call &call, void *pointer) {
  if (call.site->device_type == COIL_CUDA)
    (void)coil_rt_free_cuda(call.run, pointer);
  else
    (void)coil_rt_free(call.run, pointer);
}

static std::string describe(const int64_t *sizes, int32_t rank) {
  std::string text = "[";
  for (int32_t d = 0; d < rank; ++d)
    text += (d ? ", " : "") + std::to_string(sizes[d]);
  return text + "]";
}

static std::string describe(int32_t dtype, const int64_t *sizes, int32_t rank) {
  const char *name = coil_dtype_name(dtype);
  return std::string(name ? name : "unknown") + " " + describe(sizes, rank);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static const char *kindName(int32_t kind) {
  static const char *const names[] = {
      "absent",   "a tensor", "an integer",      "a float",  "a bool",
      "a string", "a list",   "an element type", "an object"};
  return kind >= 0 && kind <= COIL_ARGUMENT_OBJECT ? names[kind] : "unknown";
}

/// The argument if it is of a kind; null if it is absent, or wrong, which the
/// call remembers.
static const coil_argument *take(coil_call *call, const coil_argument *argument,
                                 int32_t kind) {
  if (!argument || argument->kind == COIL_ARGUMENT_NONE)
    return nullptr;
  if (argument->kind == kind)
    return argument;
  std::string which = "an element of a list";
  ptrdiff_t index = argument - call->arguments;
  if (index >= 0 && index < call->numArguments)
    which = "argument " + std::to_string(index);
  call->fail(which + " is " + kindName(argument->kind) + ", expected " +
             kindName(kind));
  return nullptr;
}

extern "C" {

coil_run *coil_call_get_run(coil_call *call) { return call->run; }

const char *coil_call_name(const coil_call *call) { return call->site->name; }

int32_t coil_call_device_type(const coil_call *call) {
  return call->site->device_type;
}

int32_t coil_call_device_index(const coil_call *call) {
  return call->deviceIndex;
}

void *coil_call_stream(coil_call *call) { return call->stream; }

int32_t coil_call_num_arguments(const coil_call *call) {
  return call->numArguments;
}

const coil_argument *coil_call_argument(const coil_call *call, int32_t index) {
  return index >= 0 && index < call->numArguments ? call->arguments + index
                                                  : nullptr;
}

const char *coil_call_argument_name(const coil_call *call, int32_t index) {
  return call->site->names && index >= 0 && index < call->numArguments
             ? call->site->names[index]
             : nullptr;
}

const coil_argument *coil_call_named(const coil_call *call, const char *name) {
  for (int32_t i = 0; i < call->numArguments; ++i)
    if (const char *given = coil_call_argument_name(call, i);
        given && !strcmp(given, name))
      return call->arguments + i;
  return nullptr;
}

const coil_tensor *coil_argument_tensor(coil_call *call,
                                        const coil_argument *argument) {
  argument = take(call, argument, COIL_ARGUMENT_TENSOR);
  return argument ? argument->value.tensor : nullptr;
}

const int64_t *coil_argument_int(coil_call *call,
                                 const coil_argument *argument) {
  argument = take(call, argument, COIL_ARGUMENT_INT);
  return argument ? &argument->value.integer : nullptr;
}

const double *coil_argument_float(coil_call *call,
                                  const coil_argument *argument) {
  if (argument && argument->kind == COIL_ARGUMENT_INT) {
    double number = double(argument->value.integer);
    return guarded([&]() -> int32_t {
      call->numbers.push_back(number);
      return COIL_OK;
    })
               ? nullptr
               : &call->numbers.back();
  }
  argument = take(call, argument, COIL_ARGUMENT_FLOAT);
  return argument ? &argument->value.number : nullptr;
}

const int64_t *coil_argument_bool(coil_call *call,
                                  const coil_argument *argument) {
  argument = take(call, argument, COIL_ARGUMENT_BOOL);
  return argument ? &argument->value.integer : nullptr;
}

const char *coil_argument_string(coil_call *call,
                                 const coil_argument *argument) {
  argument = take(call, argument, COIL_ARGUMENT_STRING);
  return argument ? argument->value.string : nullptr;
}

const coil_argument *coil_argument_list(coil_call *call,
                                        const coil_argument *argument,
                                        int64_t *count) {
  static const coil_argument empty = {};
  argument = take(call, argument, COIL_ARGUMENT_LIST);
  *count = argument ? argument->count : -1;
  if (!argument)
    return nullptr;
  return argument->count ? argument->value.elements : &empty;
}

const coil_tensor *coil_call_tensor(coil_call *call, int32_t index) {
  return coil_argument_tensor(call, coil_call_argument(call, index));
}

const coil_tensor *coil_call_mutable_tensor(coil_call *call, int32_t index) {
  const coil_argument *argument = coil_call_argument(call, index);
  const coil_tensor *tensor = coil_argument_tensor(call, argument);
  if (!tensor || argument->is_mutable)
    return tensor;
  call->fail("argument " + std::to_string(index) +
             " is not the function's to write");
  return nullptr;
}

coil_object *coil_call_object(coil_call *call, int32_t index) {
  const coil_argument *argument =
      take(call, coil_call_argument(call, index), COIL_ARGUMENT_OBJECT);
  return argument ? argument->value.object : nullptr;
}

const int64_t *coil_call_int(coil_call *call, int32_t index) {
  return coil_argument_int(call, coil_call_argument(call, index));
}

const double *coil_call_float(coil_call *call, int32_t index) {
  return coil_argument_float(call, coil_call_argument(call, index));
}

const int64_t *coil_call_bool(coil_call *call, int32_t index) {
  return coil_argument_bool(call, coil_call_argument(call, index));
}

const char *coil_call_string(coil_call *call, int32_t index) {
  return coil_argument_string(call, coil_call_argument(call, index));
}

const coil_argument *coil_call_list(coil_call *call, int32_t index,
                                    int64_t *count) {
  return coil_argument_list(call, coil_call_argument(call, index), count);
}

int64_t coil_call_ints(coil_call *call, int32_t index, int64_t *values,
                       int64_t capacity) {
  int64_t count = 0;
  const coil_argument *elements = coil_call_list(call, index, &count);
  for (int64_t i = 0; i < count && i < capacity; ++i)
    if (const int64_t *value = coil_argument_int(call, elements + i))
      values[i] = *value;
  return count;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

int32_t coil_call_num_results(const coil_call *call) {
  return call->numOutputs + call->numResults;
}

int32_t coil_call_result_type(const coil_call *call, int32_t index,
                              int32_t *dtype, int32_t *rank) {
  if (index < 0 || index >= coil_call_num_results(call))
    return fail(COIL_INVALID_ARGUMENT, "there is no result %d", index);
  const coil_tensor &tensor = index < call->numOutputs
                                  ? call->outputs[index]
                                  : call->results[index - call->numOutputs];
  *dtype = tensor.dtype;
  *rank = tensor.rank;
  return COIL_OK;
}

int32_t coil_call_result(coil_call *call, int32_t index, int32_t dtype,
                         int32_t rank, const int64_t *sizes,
                         const coil_tensor **out) {
  return guarded([&]() -> int32_t {
    *out = nullptr;
    std::string result = "result " + std::to_string(index);
    if (index < 0 || index >= coil_call_num_results(call))
      return call->fail("there is no " + result + ", the program expects " +
                        std::to_string(coil_call_num_results(call)));
    if (call->isTaken[size_t(index)])
      return call->fail(result + " is given twice");
    int32_t wantedType = 0, wantedRank = 0;
    coil_call_result_type(call, index, &wantedType, &wantedRank);
    if (dtype != wantedType || rank != wantedRank)
      return call->fail(
          result + " is " + describe(dtype, sizes, rank) +
          ", but the program expects " +
          (coil_dtype_name(wantedType) ? coil_dtype_name(wantedType) : "?") +
          " of rank " + std::to_string(wantedRank));
    if (index < call->numOutputs) {
      const coil_tensor &place = call->outputs[index];
      for (int32_t d = 0; d < rank; ++d)
        if (sizes[d] != place.sizes[d])
          return call->fail(result + " has the sizes " + describe(sizes, rank) +
                            ", but the program expects " +
                            describe(place.sizes, rank));
      call->isTaken[size_t(index)] = true;
      *out = &place;
      return COIL_OK;
    }
    coil_tensor &tensor = call->results[index - call->numOutputs];
    int64_t bytes = coil_dtype_size(dtype);
    bool fits = true;
    for (int32_t d = rank; d-- > 0;) {
      fits &= sizes[d] >= 0 && !__builtin_mul_overflow(bytes, sizes[d], &bytes);
      // The caller left room for them.
      const_cast<int64_t *>(tensor.sizes)[d] = sizes[d];
    }
    if (!fits)
      return call->fail(result + " has the sizes " + describe(sizes, rank) +
                        ", which no tensor has");
    int64_t stride = 1;
    for (int32_t d = rank; d-- > 0;) {
      const_cast<int64_t *>(tensor.strides)[d] = stride;
      stride *= sizes[d] > 1 ? sizes[d] : 1;
    }
    if (int32_t status = allocate(*call, bytes, &tensor.data)) {
      call->fail(coil_last_error());
      return status;
    }
    tensor.device_index = call->deviceIndex;
    call->isTaken[size_t(index)] = true;
    *out = &tensor;
    return COIL_OK;
  });
}

int32_t coil_call_scratch(coil_call *call, int64_t bytes, void **out) {
  return guarded([&]() -> int32_t {
    call->scratch.reserve(call->scratch.size() + 1);
    int32_t status = allocate(*call, bytes, out);
    if (status)
      call->fail(coil_last_error());
    else
      call->scratch.push_back(*out);
    return status;
  });
}

int32_t coil_call_fail(coil_call *call, const char *message) {
  int32_t status =
      guarded([&]() -> int32_t { return call->fail(message ? message : ""); });
  call->failed = true;
  return status ? status : COIL_ASSERTION_FAILED;
}

} // extern "C"

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Calls the function, and checks what it gave.
static int32_t invoke(coil_call &call) {
  int32_t status = COIL_INTERNAL;
  // A function that is C++ may throw what C cannot.
  status = guarded([&]() -> int32_t {
    return call.function->call(&call, call.function->user);
  });
  forgetCudaContext(call.run);
  if (status && !call.failed) {
    const char *why = coil_last_error();
    call.fail(*why ? why : coil_status_name(status));
  }
  if (!call.failed)
    for (size_t i = 0; i < call.isTaken.size(); ++i)
      if (!call.isTaken[i])
        call.fail("it gives no result " + std::to_string(i));
  for (void *pointer : call.scratch)
    release(call, pointer);
  call.scratch.clear();
  if (!call.failed)
    return COIL_OK;
  for (int32_t i = 0; i < call.numResults; ++i) {
    if (call.results[i].data)
      release(call, call.results[i].data);
    call.results[i].data = nullptr;
  }
  return status ? status : int32_t(COIL_ASSERTION_FAILED);
}

extern "C" int32_t coil_rt_call(coil_run *run, coil_call_site *site,
                                int64_t num_arguments,
                                const coil_argument *arguments,
                                int64_t num_outputs, const coil_tensor *outputs,
                                int64_t num_results, coil_tensor *results) {
  return guarded([&]() -> int32_t {
    TraceStep step(run, COIL_TRACE_LIBRARY, site->name);
    ++run->stats.library_calls;
    auto *function = static_cast<const coil_function *>(
        __atomic_load_n(&site->state, __ATOMIC_ACQUIRE));
    if (!function) {
      function = lookupFunction(site->name, site->device_type);
      if (!function) {
        // Says what there is instead.
        int32_t status =
            coil_find_function(site->name, site->device_type, nullptr);
        if (status)
          return step.finish(nameFailure(status, "call", site->where), nullptr,
                             0);
        function = lookupFunction(site->name, site->device_type);
      }
      // Functions stay, so any thread may remember this one.
      __atomic_store_n(&site->state, const_cast<coil_function *>(function),
                       __ATOMIC_RELEASE);
    }
    coil_call call;
    call.run = run;
    call.site = site;
    call.function = function;
    call.numArguments = int32_t(num_arguments);
    call.arguments = arguments;
    call.numOutputs = int32_t(num_outputs);
    call.outputs = outputs;
    call.numResults = int32_t(num_results);
    call.results = results;
    call.isTaken.resize(size_t(num_outputs + num_results));
    for (int64_t i = 0; i < num_results; ++i)
      results[i].data = nullptr;
    int32_t status = COIL_OK;
    if (site->device_type == COIL_CUDA)
      status = callOnCuda(call, invoke);
    else if (!(status = refuseInGraph(run, site->name)))
      status = invoke(call);
    if (status && call.failed) {
      bool hasPlace = site->where && *site->where;
      fail(static_cast<coil_status>(status),
           "the function '%s'%s%s%s failed: %s", site->name,
           hasPlace ? " (" : "", hasPlace ? site->where : "",
           hasPlace ? ")" : "", call.message.c_str());
    }
    const void *address = num_outputs   ? outputs[0].data
                          : num_results ? results[0].data
                                        : nullptr;
    return step.finish(status, address, 0);
  });
}
