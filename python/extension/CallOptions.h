//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a call is given beside its inputs, by name.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PYTHON_EXTENSION_CALLOPTIONS_H
#define COIL_PYTHON_EXTENSION_CALLOPTIONS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace coil {

/// What a call is given beside its inputs.
struct Options {
  PyObject *stream = Py_None, *device = nullptr, *like = Py_None,
           *donate = nullptr, *strides = nullptr, *updates = nullptr;

  /// Reads what has names, `values` in the order of `names`. Returns false with
  /// an exception. Bound calls keep their inputs.
  bool read(PyObject *names, PyObject *const *values, bool bind) {
    Py_ssize_t count = names ? PyTuple_Size(names) : 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject *name = PyTuple_GetItem(names, i);
      PyObject **place = find(name, [](PyObject *a, PyObject *b) {
        return a == b; // Names in code are interned.
      });
      if (!place)
        place = find(name, [](PyObject *a, PyObject *b) {
          return PyUnicode_Compare(a, b) == 0;
        });
      if (!place || (bind && (place == &donate || place == &strides ||
                              place == &updates))) {
        PyErr_Format(PyExc_TypeError,
                     "%s() got an unexpected keyword argument '%U'",
                     bind ? "bind" : "run", name);
        return false;
      }
      *place = values[i];
    }
    return true;
  }

  /// The names, interned.
  static PyObject *streamName, *deviceName, *likeName, *donateName,
      *stridesName, *updatesName;

private:
  template <typename Equal>
  PyObject **find(PyObject *name, Equal equal) {
    if (equal(name, streamName))
      return &stream;
    if (equal(name, likeName))
      return &like;
    if (equal(name, deviceName))
      return &device;
    if (equal(name, stridesName))
      return &strides;
    if (equal(name, updatesName))
      return &updates;
    return equal(name, donateName) ? &donate : nullptr;
  }
};
inline PyObject *Options::streamName, *Options::deviceName, *Options::likeName,
    *Options::donateName, *Options::stridesName, *Options::updatesName;

} // namespace coil

#endif // COIL_PYTHON_EXTENSION_CALLOPTIONS_H
