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

#include "Inputs.h"

#include "Output.h"

using namespace coil;

/// Of each type that was seen: the capsule of its exchange table, or None.
static PyObject *tables;

bool coil::initializeTables() {
  tables = PyDict_New();
  return tables != nullptr;
}

bool coil::getTable(PyObject *type, dlpack::ExchangeTable *&table) {
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
      PyObject_CallFunction(describe, "OOi", object, stream, int(index));
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
