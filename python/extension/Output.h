//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outputs of runs as objects of Python, and what its objects share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PYTHON_EXTENSION_OUTPUT_H
#define COIL_PYTHON_EXTENSION_OUTPUT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "coil-c/Coil.h"

namespace coil {

/// An output of a run, or any other memory: `owner` keeps it.
struct Output {
  PyObject_HEAD const coil_tensor *tensor;
  PyObject *owner;
};

/// The type of outputs, of which there is one for each process.
extern PyTypeObject *outputType;

/// Makes that type; null with an exception.
PyObject *makeOutputType();

PyObject *makeOutput(PyTypeObject *type, const coil_tensor *tensor,
                     PyObject *owner);

/// The tensor of an output; null with an exception if a call has taken it.
const coil_tensor *getTensor(PyObject *self);

/// A new object of a type that Python has made of a specification.
PyObject *allocate(PyTypeObject *type);

/// Frees such an object, whose references are dropped already.
void destroy(PyObject *self);

} // namespace coil

#endif // COIL_PYTHON_EXTENSION_OUTPUT_H
