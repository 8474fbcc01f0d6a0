//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outputs of runs as objects of Python.
//
//===----------------------------------------------------------------------===//

#include "Output.h"

using namespace coil;

PyTypeObject *coil::outputType;

void coil::destroy(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  auto free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(self);
  Py_DECREF(type);
}

PyObject *coil::allocate(PyTypeObject *type) {
  auto alloc = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  return alloc(type, 0);
}

PyObject *coil::makeOutput(PyTypeObject *type, const coil_tensor *tensor,
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

const coil_tensor *coil::getTensor(PyObject *self) {
  const coil_tensor *tensor = reinterpret_cast<Output *>(self)->tensor;
  if (!tensor)
    PyErr_SetString(PyExc_ValueError,
                    "the tensor was donated to a call (donate), which has "
                    "ended it");
  return tensor;
}

namespace {

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

} // namespace

PyObject *coil::makeOutputType() { return PyType_FromSpec(&outputSpec); }
