//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The path of a call from Python: reads the inputs, runs the program, makes the
// outputs. Everything else of the package is Python over ctypes; a call through
// that would cost more than replaying a program on a GPU.
//
// Keeps to Python's stable ABI of 3.10.
//
//===----------------------------------------------------------------------===//

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "Buffer.h"
#include "CallOptions.h"
#include "DLPack.h"
#include "Docs.h"
#include "FitOutputs.h"
#include "TorchMemory.h"

#include <new>
#include <utility>

using namespace coil;

namespace {

/// Of each type that was seen: the capsule of its exchange table, or None.
PyObject *tables;
PyTypeObject *outputType, *resultType, *boundType;
/// What gives a result of `run(strides=)` memory of its own, and other strides.
PyObject *ownResult, *fitResult;

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// Owns a program, and calls it.
struct Runner {
  PyObject_HEAD coil_program *program;
  /// The subclass of Output that outputs are.
  PyTypeObject *type;
  /// Describes an object that has no exchange table, raises the errors of the C
  /// API, and says what ends inputs that are handed over.
  PyObject *read, *fail, *handOver;
  /// Of the last run.
  coil_run_stats stats;
};

/// The outputs of a run, and what they may point into.
struct Result {
  PyObject_HEAD coil_result *result;
  PyObject *runner, *inputs, *keep;
};

/// A call that is bound to its memory: launches it, and gives its outputs.
struct Bound {
  PyObject_HEAD PyObject *result, *outputs;
  bool waits;
};

/// One of them, or any other memory: `owner` keeps it.
struct Output {
  PyObject_HEAD const coil_tensor *tensor;
  PyObject *owner;
};

void destroy(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  auto free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(self);
  Py_DECREF(type);
}

PyObject *allocate(PyTypeObject *type) {
  auto alloc = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  return alloc(type, 0);
}

void destroyResult(PyObject *self) {
  auto *result = reinterpret_cast<Result *>(self);
  coil_result_destroy(result->result);
  Py_CLEAR(result->keep);
  Py_CLEAR(result->inputs);
  Py_CLEAR(result->runner);
  destroy(self);
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

PyObject *makeOutput(PyTypeObject *type, const coil_tensor *tensor,
                     PyObject *owner) {
  PyObject *self = allocate(type);
  if (!self)
    return nullptr;
  auto *output = reinterpret_cast<Output *>(self);
  output->tensor = tensor;
  Py_INCREF(owner);
  output->owner = owner;
  return self;
}

PyObject *newOutput(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  PyObject *address, *owner;
  if (kwargs && PyDict_Size(kwargs) != 0) {
    PyErr_SetString(PyExc_TypeError, "expected no keyword arguments");
    return nullptr;
  }
  if (!PyArg_ParseTuple(args, "OO", &address, &owner))
    return nullptr;
  void *tensor = PyLong_AsVoidPtr(address);
  if (!tensor) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "expected the address of a tensor");
    return nullptr;
  }
  return makeOutput(type, static_cast<const coil_tensor *>(tensor), owner);
}

void destroyOutput(PyObject *self) {
  Py_CLEAR(reinterpret_cast<Output *>(self)->owner);
  destroy(self);
}

/// The tensor of an output; null with an exception if a call has taken it.
const coil_tensor *getTensor(PyObject *self) {
  const coil_tensor *tensor = reinterpret_cast<Output *>(self)->tensor;
  if (!tensor)
    PyErr_SetString(PyExc_ValueError,
                    "the tensor was donated to a call (donate), which has "
                    "ended it");
  return tensor;
}

PyObject *getAddress(PyObject *self, void *) {
  const coil_tensor *tensor = getTensor(self);
  return tensor ? PyLong_FromVoidPtr(const_cast<coil_tensor *>(tensor))
                : nullptr;
}

/// Ends the tensor: its memory goes with the last output of its run.
PyObject *endOutput(PyObject *self, PyObject *) {
  auto *output = reinterpret_cast<Output *>(self);
  output->tensor = nullptr;
  Py_CLEAR(output->owner);
  Py_RETURN_NONE;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// The exchange table of a type, null if it has none of our version. Returns
/// false with an exception.
bool getTable(PyObject *type, dlpack::ExchangeTable *&table) {
  // Most calls have one type. `tables` keeps it.
  static PyObject *lastType = nullptr;
  static dlpack::ExchangeTable *lastTable = nullptr;
  table = lastTable;
  if (type == lastType)
    return true;
  table = nullptr;
  PyObject *capsule = PyDict_GetItemWithError(tables, type);
  if (!capsule) {
    if (PyErr_Occurred())
      return false;
    PyObject *found = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
    if (!found) {
      if (!PyErr_ExceptionMatches(PyExc_AttributeError))
        return false;
      PyErr_Clear();
    } else if (!PyCapsule_IsValid(found, "dlpack_exchange_api")) {
      Py_CLEAR(found);
    }
    capsule = found ? found : Py_None;
    bool known = PyDict_SetItem(tables, type, capsule) == 0;
    Py_XDECREF(found); // The dictionary has it.
    if (!known)
      return false;
  }
  if (capsule == Py_None)
    return true;
  table = static_cast<dlpack::ExchangeTable *>(
      PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  while (table && table->major != 1)
    table = table->previous;
  lastType = type;
  lastTable = table;
  return true;
}

/// The inputs of a call.
class Inputs {
public:
  /// `stream` is one of GPU `index`, and `address` that of it.
  Inputs(Runner *runner, PyObject *stream, void *address, int32_t index)
      : runner(runner), stream(stream), address(address), index(index) {}
  ~Inputs() { Py_XDECREF(keep); }
  Inputs(const Inputs &) = delete;
  Inputs &operator=(const Inputs &) = delete;

  /// Returns false with an exception. `mayEnd`: tensors of runs may end before
  /// the call does.
  bool read(PyObject *objects, bool mayEnd);

  Buffer<coil_tensor, 8> tensors;
  bool onGPU = false;
  /// Whether another library has a tensor there.
  bool isOthers = false;
  /// What keeps memory alive beside the objects themselves, null or a list.
  PyObject *keep = nullptr;

private:
  /// Returns whether the table described the object, in the tensor number
  /// `i`.
  bool exchange(dlpack::ExchangeTable *table, PyObject *object, size_t i);
  bool readSlowly(PyObject *object, size_t i);
  /// Keeps sizes and strides of tensor number `i`.
  void keepShape(size_t i, const int64_t *sizes, const int64_t *strides,
                 size_t rank);

  Runner *runner;
  PyObject *stream;
  void *address;
  int32_t index;
  /// Sizes and strides, and where those of each tensor begin.
  Buffer<int64_t, 64> shapes;
  Buffer<ptrdiff_t, 8> places;
  /// The device whose stream was compared last.
  int32_t checked = -1;
};

bool Inputs::exchange(dlpack::ExchangeTable *table, PyObject *object,
                      size_t i) {
  dlpack::Tensor from;
  if (!table->fromObject)
    return false;
  if (table->fromObject(object, &from)) {
    // The slow way says what is wrong, unless it can do it.
    PyErr_Clear();
    return false;
  }
  int32_t dtype = dlpack::getType(from);
  bool onHost =
      from.deviceType == dlpack::kCPU || from.deviceType == dlpack::kCUDAHost;
  bool isOnGPU = from.deviceType == dlpack::kCUDA ||
                 from.deviceType == dlpack::kCUDAManaged;
  auto rank = static_cast<size_t>(from.rank);
  // Absent strides would have to be made up.
  if (dtype < 0 || !(onHost || isOnGPU) || (rank && !from.strides))
    return false;
  if (isOnGPU && from.deviceId != checked) {
    // Only the library can order its stream with another.
    void *current = nullptr;
    if (!table->currentStream)
      return false;
    if (table->currentStream(dlpack::kCUDA, from.deviceId, &current)) {
      PyErr_Clear();
      return false;
    }
    // On other GPUs a run works behind the legacy default stream.
    if (current != (from.deviceId == index ? address : nullptr))
      return false;
    checked = from.deviceId;
  }
  keepShape(i, from.sizes, from.strides, rank);
  tensors[i] = {static_cast<char *>(from.data) + from.byteOffset,
                nullptr,
                nullptr,
                from.rank,
                dtype,
                isOnGPU ? COIL_CUDA : COIL_CPU,
                isOnGPU ? from.deviceId : 0};
  return true;
}

void Inputs::keepShape(size_t i, const int64_t *sizes, const int64_t *strides,
                       size_t rank) {
  places[i] = static_cast<ptrdiff_t>(shapes.size());
  int64_t *shape = shapes.grow(2 * rank);
  for (size_t d = 0; d < rank; ++d) {
    shape[d] = sizes[d];
    shape[rank + d] = strides[d];
  }
}

bool Inputs::readSlowly(PyObject *object, size_t i) {
  PyObject *pair =
      PyObject_CallFunction(runner->read, "OOi", object, stream, int(index));
  if (!pair)
    return false;
  void *tensor = nullptr;
  if (PyTuple_Check(pair) && PyTuple_Size(pair) == 2)
    tensor = PyLong_AsVoidPtr(PyTuple_GetItem(pair, 0));
  if (tensor && !keep)
    keep = PyList_New(0);
  bool ok = tensor && keep && PyList_Append(keep, pair) == 0;
  Py_DECREF(pair);
  if (ok)
    tensors[i] = *static_cast<const coil_tensor *>(tensor);
  else if (!PyErr_Occurred())
    PyErr_SetString(PyExc_TypeError, "expected the address of a tensor");
  return ok;
}

bool Inputs::read(PyObject *objects, bool mayEnd) {
  auto count = static_cast<size_t>(PyTuple_Size(objects));
  tensors.grow(count);
  places.grow(count);
  PyTypeObject *type = nullptr;
  dlpack::ExchangeTable *table = nullptr;
  bool isOurs = false;
  for (size_t i = 0; i < count; ++i) {
    PyObject *object = PyTuple_GetItem(objects, static_cast<Py_ssize_t>(i));
    places[i] = -1;
    if (type != Py_TYPE(object)) {
      type = Py_TYPE(object);
      isOurs = PyType_IsSubtype(type, outputType);
      if (!isOurs && !getTable(reinterpret_cast<PyObject *>(type), table))
        return false;
    }
    if (isOurs) {
      const coil_tensor *given = getTensor(object);
      if (!given)
        return false;
      tensors[i] = *given;
      if (mayEnd)
        keepShape(i, given->sizes, given->strides,
                  static_cast<size_t>(given->rank));
    } else {
      if (!(table && exchange(table, object, i)) && !readSlowly(object, i))
        return false;
    }
    bool isThere = tensors[i].device_type == COIL_CUDA;
    onGPU |= isThere;
    isOthers |= isThere && !isOurs;
  }
  for (size_t i = 0; i < count; ++i) {
    if (places[i] < 0)
      continue;
    tensors[i].sizes = shapes.data() + places[i];
    tensors[i].strides = tensors[i].sizes + tensors[i].rank;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Runner
//===----------------------------------------------------------------------===//

PyObject *newRunner(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *address, *outputs, *read, *fail, *handOver;
  if (!PyArg_ParseTuple(args, "OOOOO", &address, &outputs, &read, &fail,
                        &handOver))
    return nullptr;
  if (!PyType_Check(outputs) ||
      !PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(outputs),
                        outputType)) {
    PyErr_SetString(PyExc_TypeError, "expected a subclass of Output");
    return nullptr;
  }
  void *program = PyLong_AsVoidPtr(address);
  if (!program) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "expected the address of a program");
    return nullptr;
  }
  PyObject *self = allocate(type);
  if (!self)
    return nullptr;
  auto *runner = reinterpret_cast<Runner *>(self);
  runner->program = static_cast<coil_program *>(program);
  Py_INCREF(outputs);
  runner->type = reinterpret_cast<PyTypeObject *>(outputs);
  Py_INCREF(read);
  runner->read = read;
  Py_INCREF(fail);
  runner->fail = fail;
  Py_INCREF(handOver);
  runner->handOver = handOver;
  return self;
}

void destroyRunner(PyObject *self) {
  auto *runner = reinterpret_cast<Runner *>(self);
  coil_program_destroy(runner->program);
  Py_CLEAR(runner->type);
  Py_CLEAR(runner->read);
  Py_CLEAR(runner->fail);
  Py_CLEAR(runner->handOver);
  destroy(self);
}

/// The outputs as objects of `like`, or as ours where that is null.
/// Where `shares` says that they share no memory, they get their own.
PyObject *makeOutputs(Runner *runner, PyObject *owner,
                      dlpack::ExchangeTable *like,
                      unsigned char *shares = nullptr) {
  coil_result *result = reinterpret_cast<Result *>(owner)->result;
  auto count = static_cast<Py_ssize_t>(coil_result_num_outputs(result));
  PyObject *outputs = PyTuple_New(count);
  if (!outputs)
    return nullptr;
  const coil_tensor *tensors = coil_result_output(result, 0);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (shares && shares[i] == isUpdatedInput) {
      Py_INCREF(Py_None);
      PyTuple_SetItem(outputs, i, Py_None);
      continue;
    }
    bool copy = false;
    PyObject *output =
        shares && !shares[i]
            ? takeOutput(like, result, static_cast<size_t>(i), copy)
            : nullptr;
    if (copy)
      shares[i] = sharesMemory;
    if (!output && !PyErr_Occurred())
      output = like ? exportTensor(like, tensors[i], owner)
                    : makeOutput(runner->type, &tensors[i], owner);
    if (!output) {
      Py_DECREF(outputs);
      return nullptr;
    }
    PyTuple_SetItem(outputs, i, output);
  }
  return outputs;
}

/// Raises what the C API said.
PyObject *raise(Runner *runner, int32_t status, char *error) {
  PyObject *none = PyObject_CallFunction(runner->fail, "is", int(status),
                                         error ? error : "unknown error");
  coil_string_free(error);
  Py_XDECREF(none);
  if (!PyErr_Occurred())
    PyErr_SetString(PyExc_RuntimeError, "the run failed");
  return nullptr;
}

/// Calls what ends an input, in whatever thread the run is at its last use.
void releaseInput(void *user, size_t input) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *ends = static_cast<PyObject *>(user);
  PyObject *end = PyTuple_GetItem(ends, static_cast<Py_ssize_t>(input));
  PyObject *result =
      end && end != Py_None ? PyObject_CallFunction(end, nullptr) : nullptr;
  if (PyErr_Occurred())
    PyErr_WriteUnraisable(end);
  Py_XDECREF(result);
  PyGILState_Release(state);
}

/// Runs the program, or binds a call of it to its memory; gives the outputs.
PyObject *start(Runner *runner, PyObject *objects, Options given,
                PyObject *ends, bool bind) {
  bool hasStream = given.stream != Py_None;
  void *stream = hasStream ? PyLong_AsVoidPtr(given.stream) : nullptr;
  if (!stream && PyErr_Occurred())
    return nullptr;
  coil_run_options options;
  coil_run_options_init(&options);
  long device = given.device ? PyLong_AsLong(given.device) : 0;
  if (device == -1 && PyErr_Occurred())
    return nullptr;
  if (device != static_cast<int32_t>(device))
    return PyErr_Format(PyExc_OverflowError, "no device has the number %ld",
                        device);
  options.device = static_cast<int32_t>(device);
  dlpack::ExchangeTable *like = nullptr;
  if (given.strides == Py_None)
    given.strides = nullptr;
  if (given.updates == Py_None)
    given.updates = nullptr;
  if (given.updates && !given.strides) {
    PyErr_SetString(PyExc_TypeError, "'updates' needs 'strides'");
    return nullptr;
  }
  if (given.strides && given.like == Py_None) {
    PyErr_SetString(PyExc_TypeError, "'strides' needs 'like'");
    return nullptr;
  }
  if (given.like != Py_None) {
    if (!getTable(given.like, like))
      return nullptr;
    if (!like || !like->managedToObject) {
      PyErr_SetString(PyExc_TypeError,
                      "'like' has no '__dlpack_c_exchange_api__' of version 1");
      return nullptr;
    }
  }
  Inputs inputs(runner, given.stream, stream, options.device);
  if (!inputs.read(objects, /*mayEnd=*/ends != nullptr))
    return nullptr;
  if (ends) {
    options.release_input = releaseInput;
    options.release_user = ends;
  }
  if (hasStream || inputs.onGPU) {
    // Without a stream of the caller's the legacy default stream, which
    // producers of inputs know how to order.
    options.use_stream = 1;
    options.stream = stream;
    options.wait = !hasStream;
  }
  if (inputs.isOthers && !chooseMemory())
    return nullptr;
  coil_result *result = nullptr;
  char *error = nullptr;
  int32_t status;
  Py_BEGIN_ALLOW_THREADS status =
      (bind ? coil_program_bind : coil_program_run_with)(
          runner->program, inputs.tensors.data(), inputs.tensors.size(),
          &options, &result, &error);
  Py_END_ALLOW_THREADS if (status != COIL_API_OK) return raise(runner, status,
                                                               error);
  if (!bind)
    coil_result_get_stats(result, &runner->stats);
  PyObject *owner = allocate(resultType);
  if (!owner) {
    coil_result_destroy(result);
    return nullptr;
  }
  auto *held = reinterpret_cast<Result *>(owner);
  held->result = result;
  held->runner = reinterpret_cast<PyObject *>(runner);
  Py_INCREF(held->runner);
  Py_INCREF(objects);
  held->inputs = objects;
  std::swap(held->keep, inputs.keep);
  PyObject *outputs;
  if (given.strides) {
    Buffer<unsigned char, 16> shares;
    size_t count = coil_result_num_outputs(result);
    findShared(inputs.tensors.data(), inputs.tensors.size(),
               coil_result_output(result, 0), count, shares.grow(count));
    outputs = nullptr;
    if (!given.updates ||
        findUpdated(inputs.tensors.data(), inputs.tensors.size(),
                    coil_result_output(result, 0), count, given.updates,
                    shares.data()))
      outputs =
          fitOutputs(makeOutputs(runner, owner, like, shares.data()), result,
                     shares.data(), given.strides, ownResult, fitResult);
    // Nothing points into an input any more.
    Py_CLEAR(held->inputs);
  } else if (!bind && hasTorchMemory(like)) {
    // Those that have memory of their own are tensors as PyTorch makes them.
    Buffer<unsigned char, 16> shares;
    size_t count = coil_result_num_outputs(result);
    findShared(inputs.tensors.data(), inputs.tensors.size(),
               coil_result_output(result, 0), count, shares.grow(count));
    outputs = makeOutputs(runner, owner, like, shares.data());
  } else {
    outputs = makeOutputs(runner, owner, like);
  }
  if (!bind || !outputs) {
    Py_DECREF(owner);
    return outputs;
  }
  PyObject *object = allocate(boundType);
  if (!object) {
    Py_DECREF(owner);
    Py_DECREF(outputs);
    return nullptr;
  }
  auto *bound = reinterpret_cast<Bound *>(object);
  bound->result = owner;
  bound->outputs = outputs;
  bound->waits = !hasStream;
  return object;
}

/// A call's arguments as a tuple, and what has names.
PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t count,
               PyObject *names, bool bind) {
  auto *runner = reinterpret_cast<Runner *>(self);
  Options options;
  if (!options.read(names, args + count, bind))
    return nullptr;
  PyObject *objects = PyTuple_New(count);
  if (!objects)
    return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    Py_INCREF(args[i]);
    PyTuple_SetItem(objects, i, args[i]);
  }
  int donates = options.donate ? PyObject_IsTrue(options.donate) : 0;
  PyObject *ends = nullptr;
  if (donates > 0) {
    ends = PyObject_CallFunctionObjArgs(
        runner->handOver, objects, options.donate, options.stream, nullptr);
    if (ends && (!PyTuple_Check(ends) || PyTuple_Size(ends) != count)) {
      PyErr_SetString(PyExc_TypeError, "expected what ends each input");
      Py_CLEAR(ends);
    }
  }
  PyObject *outputs = donates < 0 || (donates > 0 && !ends)
                          ? nullptr
                          : start(runner, objects, options, ends, bind);
  Py_XDECREF(ends);
  Py_DECREF(objects);
  return outputs;
}

PyObject *run(PyObject *self, PyObject *const *args, Py_ssize_t count,
              PyObject *names) {
  return call(self, args, count, names, /*bind=*/false);
}

PyObject *bind(PyObject *self, PyObject *const *args, Py_ssize_t count,
               PyObject *names) {
  return call(self, args, count, names, /*bind=*/true);
}

//===----------------------------------------------------------------------===//
// Bound calls
//===----------------------------------------------------------------------===//

PyObject *launchBound(PyObject *self, PyObject *args, PyObject *kwargs) {
  auto *bound = reinterpret_cast<Bound *>(self);
  if (PyTuple_Size(args) != 0 || (kwargs && PyDict_Size(kwargs) != 0)) {
    PyErr_SetString(PyExc_TypeError, "a bound call takes no arguments");
    return nullptr;
  }
  auto *held = reinterpret_cast<Result *>(bound->result);
  char *error = nullptr;
  int32_t status;
  if (bound->waits) {
    Py_BEGIN_ALLOW_THREADS status =
        coil_result_launch(held->result, /*wait=*/1, &error);
    Py_END_ALLOW_THREADS
  } else {
    // Shorter than to give the interpreter away and get it back.
    status = coil_result_launch(held->result, /*wait=*/0, &error);
  }
  if (status != COIL_API_OK)
    return raise(reinterpret_cast<Runner *>(held->runner), status, error);
  Py_INCREF(bound->outputs);
  return bound->outputs;
}

PyObject *getOutputs(PyObject *self, void *) {
  PyObject *outputs = reinterpret_cast<Bound *>(self)->outputs;
  Py_INCREF(outputs);
  return outputs;
}

void destroyBound(PyObject *self) {
  auto *bound = reinterpret_cast<Bound *>(self);
  Py_CLEAR(bound->outputs);
  Py_CLEAR(bound->result);
  destroy(self);
}

PyObject *getStats(PyObject *self, void *) {
  const coil_run_stats &stats = reinterpret_cast<Runner *>(self)->stats;
  return Py_BuildValue(
      "(LLLLLLLLL)", (long long)stats.live_bytes, (long long)stats.peak_bytes,
      (long long)stats.allocated_bytes, (long long)stats.live_allocations,
      (long long)stats.allocations, (long long)stats.launches,
      (long long)stats.library_calls, (long long)stats.input_copies,
      (long long)stats.input_copy_bytes);
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

PyGetSetDef outputGetSet[] = {
    {"_address", getAddress, nullptr, "Where the `coil_tensor` is.", nullptr},
    {}};
PyMethodDef outputMethods[] = {
    {"_end", endOutput, METH_NOARGS, "Ends the tensor."}, {}};
PyType_Slot outputSlots[] = {
    {Py_tp_methods, outputMethods},
    {Py_tp_doc, const_cast<char *>("Memory with sizes, strides and a type.")},
    {Py_tp_new, reinterpret_cast<void *>(newOutput)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyOutput)},
    {Py_tp_getset, outputGetSet},
    {}};
PyType_Spec outputSpec = {"coil._call.Output", sizeof(Output), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          outputSlots};

PyType_Slot resultSlots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyResult)}, {}};
PyType_Spec resultSpec = {"coil._call.Result", sizeof(Result), 0,
                          Py_TPFLAGS_DEFAULT, resultSlots};

/// A method that takes arguments as they lie on the interpreter's stack.
template <typename Function>
PyMethodDef makeMethod(const char *name, Function *function, const char *doc) {
  return {name,
          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
          METH_FASTCALL | METH_KEYWORDS, doc};
}
PyMethodDef runnerMethods[] = {
    makeMethod("run", run, runDoc), makeMethod("bind", bind, bindDoc), {}};
PyGetSetDef boundGetSet[] = {{"outputs", getOutputs, nullptr,
                              "What every launch writes: a tuple.", nullptr},
                             {}};
PyType_Slot boundSlots[] = {
    {Py_tp_doc, const_cast<char *>(
                    "A call that is bound to its memory. Calling it launches "
                    "it, and returns its outputs.")},
    {Py_tp_call, reinterpret_cast<void *>(launchBound)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyBound)},
    {Py_tp_getset, boundGetSet},
    {}};
PyType_Spec boundSpec = {"coil._call.Bound", sizeof(Bound), 0,
                         Py_TPFLAGS_DEFAULT, boundSlots};
PyGetSetDef runnerGetSet[] = {{"_stats", getStats, nullptr,
                               "The `coil_run_stats` of the last run.",
                               nullptr},
                              {}};
PyType_Slot runnerSlots[] = {
    {Py_tp_doc, const_cast<char *>("Owns a program, and calls it.")},
    {Py_tp_new, reinterpret_cast<void *>(newRunner)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyRunner)},
    {Py_tp_methods, runnerMethods},
    {Py_tp_getset, runnerGetSet},
    {}};
PyType_Spec runnerSpec = {"coil._call.Runner", sizeof(Runner), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          runnerSlots};

PyObject *setResultHooks(PyObject *, PyObject *args) {
  PyObject *own, *fit;
  if (!PyArg_ParseTuple(args, "OO", &own, &fit))
    return nullptr;
  Py_XDECREF(std::exchange(ownResult, Py_NewRef(own)));
  Py_XDECREF(std::exchange(fitResult, Py_NewRef(fit)));
  Py_RETURN_NONE;
}

PyMethodDef moduleMethods[] = {
    {"set_result_hooks", setResultHooks, METH_VARARGS,
     "Sets what gives results of `run(strides=)` memory of their own, and "
     "other "
     "strides."},
    {"set_memory_hook", setMemoryHook, METH_O,
     "Sets what is called before runs on tensors of another library on a GPU, "
     "until it returns true."},
    {"install_torch_memory", installTorchMemory, METH_VARARGS,
     "Makes PyTorch's allocator that of device memory."},
    {"remove_torch_memory", removeTorchMemory, METH_NOARGS,
     "Makes the runtime's own allocator that of device memory."},
    {}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "coil_call",
                          "The path of a call, in C.",
                          -1,
                          moduleMethods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

} // namespace

PyMODINIT_FUNC PyInit_coil_call() {
  PyObject *module = PyModule_Create(&definition);
  if (!module)
    return nullptr;
  tables = PyDict_New();
  for (auto [place, name] : {std::pair(&Options::streamName, "stream"),
                             std::pair(&Options::deviceName, "device"),
                             std::pair(&Options::likeName, "like"),
                             std::pair(&Options::donateName, "donate"),
                             std::pair(&Options::stridesName, "strides"),
                             std::pair(&Options::updatesName, "updates")})
    if (!(*place = PyUnicode_InternFromString(name))) {
      Py_DECREF(module);
      return nullptr;
    }
  PyObject *output = PyType_FromSpec(&outputSpec);
  PyObject *result = PyType_FromSpec(&resultSpec);
  PyObject *bound = PyType_FromSpec(&boundSpec);
  PyObject *runner = PyType_FromSpec(&runnerSpec);
  if (!tables || !output || !result || !bound || !runner) {
    Py_DECREF(module);
    return nullptr;
  }
  outputType = reinterpret_cast<PyTypeObject *>(output);
  resultType = reinterpret_cast<PyTypeObject *>(result);
  boundType = reinterpret_cast<PyTypeObject *>(bound);
  Py_INCREF(output); // Both the module and this file have one.
  if (PyModule_AddObject(module, "Output", output) ||
      PyModule_AddObject(module, "Runner", runner)) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
