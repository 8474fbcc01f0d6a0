//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results as torch.compile wants them: memory of their own and given strides.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PYTHON_EXTENSION_FITOUTPUTS_H
#define COIL_PYTHON_EXTENSION_FITOUTPUTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "Overlap.h"

namespace coil {

/// Makes results that share no memory with an input or each other, and have the
/// strides that are listed, those of one result behind those of another; -1 is
/// any. Takes over `outputs`, which may be null with an exception. `ownResult`
/// gives a result memory of its own, `fitResult` other strides.
inline PyObject *fitOutputs(PyObject *outputs, const coil_result *result,
                            const coil_tensor *inputs, size_t numInputs,
                            PyObject *strides, PyObject *ownResult,
                            PyObject *fitResult) {
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
  Buffer<unsigned char, 16> shares;
  findShared(inputs, numInputs, tensors, count, shares.grow(count));
  Py_ssize_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    const coil_tensor &tensor = tensors[i];
    Py_ssize_t first = next;
    next += tensor.rank;
    if (next > PyTuple_Size(strides)) {
      PyErr_SetString(PyExc_ValueError, "there are too few strides");
      return fail();
    }
    bool fits = true;
    for (int32_t d = 0; d < tensor.rank; ++d) {
      long long stride = PyLong_AsLongLong(PyTuple_GetItem(strides, first + d));
      if (stride == -1 && PyErr_Occurred())
        return fail();
      fits &= stride == -1 || stride == tensor.strides[d];
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
