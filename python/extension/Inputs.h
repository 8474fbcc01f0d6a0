//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inputs of a call, of any library that exchanges tensors.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PYTHON_EXTENSION_INPUTS_H
#define COIL_PYTHON_EXTENSION_INPUTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "Buffer.h"
#include "DLPack.h"

#include <cstddef>
#include <cstdint>

namespace coil {

/// Makes what remembers the tables of types. Returns false with an exception.
bool initializeTables();

/// The exchange table of a type, null if it has none of our version. Returns
/// false with an exception.
bool getTable(PyObject *type, dlpack::ExchangeTable *&table);

/// The inputs of a call.
class Inputs {
public:
  /// `describe` describes an object that has no exchange table. `stream` is one
  /// of GPU `index`, and `address` that of it.
  Inputs(PyObject *describe, PyObject *stream, void *address, int32_t index)
      : describe(describe), stream(stream), address(address), index(index) {}
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

  PyObject *describe, *stream;
  void *address;
  int32_t index;
  /// Sizes and strides, and where those of each tensor begin.
  Buffer<int64_t, 64> shapes;
  Buffer<ptrdiff_t, 8> places;
  /// The device whose stream was compared last.
  int32_t checked = -1;
};

} // namespace coil

#endif // COIL_PYTHON_EXTENSION_INPUTS_H
