//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outputs as objects of another library; for torch.compile with memory of their
// own and given strides.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PYTHON_EXTENSION_FITOUTPUTS_H
#define COIL_PYTHON_EXTENSION_FITOUTPUTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "DLPack.h"
#include "Overlap.h"
#include "TorchMemory.h"

#include <algorithm>
#include <memory>
#include <new>

namespace coil {

/// Drops what an exported tensor holds, in whatever thread it dies.
inline void release(dlpack::Managed *self) {
  if (Py_IsInitialized()) {
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(static_cast<PyObject *>(self->context));
    PyGILState_Release(state);
  }
  delete self;
}

inline PyObject *exportTensor(dlpack::ExchangeTable *table,
                              const coil_tensor &tensor, PyObject *owner) {
  auto *managed = new (std::nothrow) dlpack::Managed{};
  if (!managed)
    return PyErr_NoMemory();
  managed->major = 1;
  managed->minor = table->minor;
  Py_INCREF(owner);
  managed->context = owner;
  managed->deleter = release;
  bool isOnGPU = tensor.device_type == COIL_CUDA;
  managed->tensor.data = tensor.data;
  managed->tensor.deviceType = isOnGPU ? dlpack::kCUDA : dlpack::kCPU;
  managed->tensor.deviceId = tensor.device_index;
  managed->tensor.rank = tensor.rank;
  dlpack::setType(managed->tensor, tensor.dtype);
  managed->tensor.sizes = const_cast<int64_t *>(tensor.sizes);
  managed->tensor.strides = const_cast<int64_t *>(tensor.strides);
  void *object = nullptr;
  if (table->managedToObject(managed, &object)) {
    release(managed);
    return nullptr;
  }
  return static_cast<PyObject *>(object);
}

/// A tensor with memory of its own, which ends with it.
struct OwnedTensor {
  dlpack::Managed managed{};
  void *memory;
  std::unique_ptr<int64_t[]> shape;
};

/// Frees what an exported tensor owns, in whatever thread it dies.
inline void releaseOwned(dlpack::Managed *self) {
  auto *owned = static_cast<OwnedTensor *>(self->context);
  coil_free(owned->memory);
  delete owned;
}

/// An object of an output whose memory is taken out of the result, so that it
/// is free when the object is; null without an exception where the output has
/// none of its own. `copy` is set where the object is no tensor of PyTorch's
/// allocator, as those on a GPU have to be, if that gives memory.
inline PyObject *takeOutput(dlpack::ExchangeTable *table, coil_result *result,
                            size_t number, bool &copy) {
  const coil_tensor &tensor = *coil_result_output(result, number);
  bool isOnGPU = tensor.device_type == COIL_CUDA, isTaken = false;
  copy = isOnGPU && hasTorchMemory(table);
  if (copy) {
    if (PyObject *object = takeTorchOutput(result, number, isTaken)) {
      copy = false;
      return object;
    }
    if (PyErr_Occurred())
      return nullptr;
  }
  auto rank = static_cast<size_t>(tensor.rank);
  std::unique_ptr<OwnedTensor> owned(new (std::nothrow) OwnedTensor);
  if (!owned)
    return nullptr;
  owned->shape.reset(new (std::nothrow) int64_t[2 * rank + 1]);
  if (!owned->shape ||
      (!isTaken && coil_result_take_output(result, number) != COIL_API_OK))
    return nullptr;
  std::copy_n(tensor.sizes, rank, owned->shape.get());
  std::copy_n(tensor.strides, rank, owned->shape.get() + rank);
  owned->memory = tensor.data;
  dlpack::Managed &managed = owned->managed;
  managed.major = 1;
  managed.minor = table->minor;
  managed.context = owned.get();
  managed.deleter = releaseOwned;
  managed.tensor.data = tensor.data;
  managed.tensor.deviceType = isOnGPU ? dlpack::kCUDA : dlpack::kCPU;
  managed.tensor.deviceId = tensor.device_index;
  managed.tensor.rank = tensor.rank;
  dlpack::setType(managed.tensor, tensor.dtype);
  managed.tensor.sizes = owned->shape.get();
  managed.tensor.strides = owned->shape.get() + rank;
  void *object = nullptr;
  if (table->managedToObject(&managed, &object)) {
    releaseOwned(&owned.release()->managed);
    return nullptr;
  }
  owned.release();
  return static_cast<PyObject *>(object);
}

/// Finds outputs that are the inputs whose final values they are: `updates` has
/// the number of an input for each output, -1 for those that are the final
/// value of none. Returns false with an exception.
inline bool findUpdated(const coil_tensor *inputs, size_t numInputs,
                        const coil_tensor *outputs, size_t numOutputs,
                        PyObject *updates, unsigned char *shares) {
  if (!PyTuple_Check(updates) ||
      static_cast<size_t>(PyTuple_Size(updates)) != numOutputs) {
    PyErr_SetString(PyExc_TypeError,
                    "'updates' is no tuple of a number for each result");
    return false;
  }
  for (size_t i = 0; i < numOutputs; ++i) {
    long number =
        PyLong_AsLong(PyTuple_GetItem(updates, static_cast<Py_ssize_t>(i)));
    if (number == -1 && PyErr_Occurred())
      return false;
    if (number >= 0 && static_cast<size_t>(number) < numInputs &&
        inputs[number].data == outputs[i].data)
      shares[i] = isUpdatedInput;
  }
  return true;
}

/// Makes results that share no memory with an input or each other, and have the
/// strides that are listed, those of one result behind those of another; -1 is
/// any. Results that are an updated input stay None. Takes over `outputs`,
/// which may be null with an exception. `ownResult` gives a result memory of
/// its own, `fitResult` other strides.
inline PyObject *fitOutputs(PyObject *outputs, const coil_result *result,
                            const unsigned char *shares, PyObject *strides,
                            PyObject *ownResult, PyObject *fitResult) {
  if (!outputs)
    return nullptr;
  auto fail = [&] {
    Py_DECREF(outputs);
    return nullptr;
  };
  if (!PyTuple_Check(strides) || !ownResult) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple of strides");
    return fail();
  }
  auto count = static_cast<size_t>(PyTuple_Size(outputs));
  const coil_tensor *tensors = coil_result_output(result, 0);
  Py_ssize_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    const coil_tensor &tensor = tensors[i];
    Py_ssize_t first = next;
    next += tensor.rank;
    if (next > PyTuple_Size(strides)) {
      PyErr_SetString(PyExc_ValueError, "there are too few strides");
      return fail();
    }
    if (shares[i] == isUpdatedInput)
      continue;
    bool fits = true;
    for (int32_t d = 0; d < tensor.rank; ++d) {
      long long stride = PyLong_AsLongLong(PyTuple_GetItem(strides, first + d));
      if (stride == -1 && PyErr_Occurred())
        return fail();
      // What has no elements is PyTorch's to resize (`out=`).
      fits &=
          tensor.sizes[d] != 0 && (stride == -1 || stride == tensor.strides[d]);
    }
    if (fits && !shares[i])
      continue;
    auto number = static_cast<Py_ssize_t>(i);
    PyObject *made = PyTuple_GetItem(outputs, number);
    Py_INCREF(made);
    if (shares[i]) {
      PyObject *own = PyObject_CallFunctionObjArgs(ownResult, made, nullptr);
      Py_DECREF(made);
      made = own;
    }
    if (made && !fits) {
      PyObject *wanted = PyTuple_GetSlice(strides, first, next);
      PyObject *fit = wanted ? PyObject_CallFunctionObjArgs(fitResult, made,
                                                            wanted, nullptr)
                             : nullptr;
      Py_XDECREF(wanted);
      Py_DECREF(made);
      made = fit;
    }
    if (!made || PyTuple_SetItem(outputs, number, made))
      return fail();
  }
  return outputs;
}

} // namespace coil

#endif // COIL_PYTHON_EXTENSION_FITOUTPUTS_H
