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

#include "CallOptions.h"
#include "Docs.h"
#include "FitOutputs.h"
#include "Inputs.h"
#include "Output.h"
#include "TorchMemory.h"

#include <new>
#include <utility>

using namespace coil;

namespace {

PyTypeObject *resultType, *boundType;
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

void destroyResult(PyObject *self) {
  auto *result = reinterpret_cast<Result *>(self);
  coil_result_destroy(result->result);
  Py_CLEAR(result->keep);
  Py_CLEAR(result->inputs);
  Py_CLEAR(result->runner);
  destroy(self);
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
  Inputs inputs(runner->read, given.stream, stream, options.device);
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
  bool hasTables = initializeTables();
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
  PyObject *output = makeOutputType();
  PyObject *result = PyType_FromSpec(&resultSpec);
  PyObject *bound = PyType_FromSpec(&boundSpec);
  PyObject *runner = PyType_FromSpec(&runnerSpec);
  if (!hasTables || !output || !result || !bound || !runner) {
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
