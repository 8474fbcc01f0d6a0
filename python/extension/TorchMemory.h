//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch's caching allocator as the allocator of device memory, and results of
// programs as tensors that own memory of it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PYTHON_EXTENSION_TORCHMEMORY_H
#define COIL_PYTHON_EXTENSION_TORCHMEMORY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "DLPack.h"

namespace coil {

/// A function of the module: (library, wrap, type). Finds PyTorch's C functions
/// in a library that the process has loaded, and installs its allocator. `wrap`
/// makes a tensor, of the type, of a capsule with its handle, whose owner it
/// becomes.
PyObject *installTorchMemory(PyObject *, PyObject *args);

/// A function of the module: back to the runtime's own allocator.
PyObject *removeTorchMemory(PyObject *, PyObject *);

/// A function of the module: (hook). What is called before runs on tensors of
/// another library on a GPU, until it returns true.
PyObject *setMemoryHook(PyObject *, PyObject *hook);

/// Calls it. Returns false with an exception.
bool chooseMemory();

/// Whether that is installed, and results of a table are PyTorch's tensors.
bool hasTorchMemory(const dlpack::ExchangeTable *table);

/// A tensor that owns the memory of an output on a GPU, as PyTorch's own do.
/// Null without an exception where it cannot: then the result has the memory as
/// before, or `taken` says that it is the caller's to free (coil_free).
PyObject *takeTorchOutput(coil_result *result, size_t number, bool &taken);

} // namespace coil

#endif // COIL_PYTHON_EXTENSION_TORCHMEMORY_H
