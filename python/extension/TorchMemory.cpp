//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch's caching allocator through the C functions of libtorch, whose
// interface is stable. They work on the current device and stream of the
// thread, so that memory for another one is asked for under a guard.
//
// Temporary memory is raw. What may become a result is the storage of a tensor
// from the start: only PyTorch makes storages that its allocator knows, which
// record_stream, CUDA graphs and whoever resizes a tensor need.
//
//===----------------------------------------------------------------------===//

#include "TorchMemory.h"

#include "coil/Runtime/DeviceMemory.h"

#include <atomic>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <unordered_map>
#include <utility>

using namespace coil;

namespace {

using Handle = void *;

/// X(member, symbol, parameters): functions that return 0, or something else
/// after they have printed why.
#define COIL_TORCH_FUNCTIONS(X)                                                \
  X(rawAlloc, aoti_torch_cuda_caching_allocator_raw_alloc,                     \
    (uint64_t bytes, void **address))                                          \
  X(rawDelete, aoti_torch_cuda_caching_allocator_raw_delete, (void *address))  \
  X(getStream, aoti_torch_get_current_cuda_stream,                             \
    (int32_t device, void **stream))                                           \
  X(getDevice, aoti_torch_get_current_device_index, (int32_t *device))         \
  X(createGuard, aoti_torch_create_cuda_stream_guard,                          \
    (void *stream, int32_t device, Handle *guard))                             \
  X(deleteGuard, aoti_torch_delete_cuda_stream_guard, (Handle guard))          \
  X(emptyStrided, aoti_torch_empty_strided,                                    \
    (int64_t rank, const int64_t *sizes, const int64_t *strides,               \
     int32_t dtype, int32_t deviceType, int32_t device, Handle *tensor))       \
  X(allocFromPool, aoti_torch__alloc_from_pool,                                \
    (Handle pool, int64_t offset, int32_t dtype, int64_t rank,                 \
     const int64_t *sizes, const int64_t *strides, Handle *tensor))            \
  X(getData, aoti_torch_get_data_ptr, (Handle tensor, void **data))            \
  X(deleteTensor, aoti_torch_delete_tensor_object, (Handle tensor))

/// In the order of coil_dtype.
constexpr const char *dtypeNames[] = {
    "bool",     "int8",    "uint8",   "int16",         "uint16",
    "int32",    "uint32",  "int64",   "uint64",        "float16",
    "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"};
constexpr size_t numDtypes = sizeof(dtypeNames) / sizeof(*dtypeNames);

/// What the process has loaded; lives until it ends.
struct Torch {
#define COIL_DECLARE(member, name, params) int32_t(*member) params;
  COIL_TORCH_FUNCTIONS(COIL_DECLARE)
#undef COIL_DECLARE
  int32_t dtypes[numDtypes];
  int32_t cuda;

  /// Tensors whose memory programs use, by their address.
  std::mutex mutex;
  std::unordered_map<void *, Handle> tensors;

  int32_t allocate(int32_t device, int64_t bytes, void *stream, int32_t use,
                   void **address);
  int32_t free(void *address);
  /// The tensor at an address, which is not known any more; null for others.
  Handle take(void *address);

private:
  int32_t allocateHere(int32_t device, int64_t bytes, int32_t use,
                       void **address);
  int32_t allocateOn(int32_t device, int64_t bytes, void *stream, int32_t use,
                     void **address);
};

std::atomic<Torch *> torch;
PyObject *wrapHandle, *memoryHook;
/// That of PyTorch's tensors.
dlpack::ExchangeTable *torchTable;

int32_t fail(const char *why) {
  return coil_rt_fail(nullptr, COIL_OUT_OF_MEMORY, why);
}

/// The status of what another thread does, with its message.
template <typename Body>
int32_t inThread(Body &&body) {
  struct Task {
    Body &body;
    int32_t status;
    std::string why;
  } task = {body, COIL_OUT_OF_MEMORY, ""};
  pthread_t thread;
  auto run = [](void *data) -> void * {
    auto *given = static_cast<Task *>(data);
    given->status = given->body();
    if (given->status)
      given->why = coil_last_error();
    return nullptr;
  };
  if (pthread_create(&thread, nullptr, run, &task))
    return fail("there is no thread to ask for it");
  pthread_join(thread, nullptr);
  return task.status ? fail(task.why.c_str()) : COIL_OK;
}

/// On the current device and stream.
int32_t Torch::allocateHere(int32_t device, int64_t bytes, int32_t use,
                            void **address) {
  constexpr const char *why =
      "it had emptied its cache, and has printed the reason above";
  if (use != COIL_MEMORY_RESULT)
    return rawAlloc(uint64_t(bytes), address) ? fail(why) : COIL_OK;
  int64_t stride = 1;
  Handle tensor = nullptr;
  if (emptyStrided(1, &bytes, &stride, dtypes[COIL_U8], cuda, device, &tensor))
    return fail(why);
  if (getData(tensor, address) || !*address) {
    deleteTensor(tensor);
    return fail("a tensor of it has no memory");
  }
  std::lock_guard<std::mutex> lock(mutex);
  tensors.emplace(*address, tensor);
  return COIL_OK;
}

int32_t Torch::allocateOn(int32_t device, int64_t bytes, void *stream,
                          int32_t use, void **address) {
  Handle guard = nullptr;
  if (createGuard(stream, device, &guard))
    return fail("the stream cannot be made the current one");
  int32_t status = allocateHere(device, bytes, use, address);
  deleteGuard(guard);
  return status;
}

int32_t Torch::allocate(int32_t device, int64_t bytes, void *stream,
                        int32_t use, void **address) {
  // Whoever records CUDA graphs lets the memory of a thread come from a pool of
  // theirs, which ends with them. What is kept is asked for in another thread.
  if (use == COIL_MEMORY_KEPT)
    return inThread(
        [&] { return allocateOn(device, bytes, stream, use, address); });
  int32_t currentDevice = -1;
  void *current = nullptr;
  if (!getDevice(&currentDevice) && currentDevice == device &&
      !getStream(device, &current) && current == stream)
    return allocateHere(device, bytes, use, address);
  return allocateOn(device, bytes, stream, use, address);
}

Handle Torch::take(void *address) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = tensors.find(address);
  if (found == tensors.end())
    return nullptr;
  Handle tensor = found->second;
  tensors.erase(found);
  return tensor;
}

int32_t Torch::free(void *address) {
  // The memory remembers the stream that it was allocated on.
  Handle tensor = take(address);
  return (tensor ? deleteTensor(tensor) : rawDelete(address)) ? COIL_INTERNAL
                                                              : COIL_OK;
}

int32_t allocate(void *context, int32_t device, int64_t bytes, void *stream,
                 int32_t use, void **address) {
  return static_cast<Torch *>(context)->allocate(device, bytes, stream, use,
                                                 address);
}

int32_t freeMemory(void *context, int32_t, void *address, int64_t, void *) {
  return static_cast<Torch *>(context)->free(address);
}

/// Finds the functions; returns the name of one that there is not.
std::string load(void *library, Torch &into) {
#define COIL_LOAD(member, name, params)                                        \
  into.member =                                                                \
      reinterpret_cast<decltype(into.member)>(dlsym(library, #name));          \
  if (!into.member)                                                            \
    return #name;
  COIL_TORCH_FUNCTIONS(COIL_LOAD)
#undef COIL_LOAD
  std::string missing;
  auto getNumber = [&](const std::string &name) {
    auto *function = reinterpret_cast<int32_t (*)()>(
        dlsym(library, ("aoti_torch_" + name).c_str()));
    if (!function)
      missing = "aoti_torch_" + name;
    return function ? function() : -1;
  };
  for (size_t i = 0; i < numDtypes; ++i)
    into.dtypes[i] = getNumber(std::string("dtype_") + dtypeNames[i]);
  into.cuda = getNumber("device_type_cuda");
  return missing;
}

} // namespace

PyObject *coil::setMemoryHook(PyObject *, PyObject *hook) {
  Py_XDECREF(std::exchange(memoryHook, Py_NewRef(hook)));
  Py_RETURN_NONE;
}

bool coil::chooseMemory() {
  if (!memoryHook)
    return true;
  PyObject *isChosen = PyObject_CallFunctionObjArgs(memoryHook, nullptr);
  if (!isChosen)
    return false;
  if (PyObject_IsTrue(isChosen) == 1)
    Py_CLEAR(memoryHook);
  Py_DECREF(isChosen);
  return true;
}

bool coil::hasTorchMemory(const dlpack::ExchangeTable *table) {
  return table && table == torchTable && torch.load(std::memory_order_acquire);
}

PyObject *coil::installTorchMemory(PyObject *, PyObject *args) {
  PyObject *name, *wrap, *type;
  if (!PyArg_ParseTuple(args, "UOO", &name, &wrap, &type))
    return nullptr;
  PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
  if (!capsule)
    return nullptr;
  auto *table = static_cast<dlpack::ExchangeTable *>(
      PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  Py_DECREF(capsule); // The type has it.
  if (!table)
    return nullptr;
  while (table && table->major != 1)
    table = table->previous;
  // One library for each process; its memory outlives whoever uses it.
  static Torch *loaded = nullptr;
  if (!loaded) {
    PyObject *bytes = PyUnicode_EncodeFSDefault(name);
    if (!bytes)
      return nullptr;
    void *library =
        dlopen(PyBytes_AsString(bytes), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    Py_DECREF(bytes);
    if (!library) {
      PyErr_Format(PyExc_ImportError, "the process has not loaded '%U'", name);
      return nullptr;
    }
    auto made = std::make_unique<Torch>();
    if (std::string missing = load(library, *made); !missing.empty()) {
      PyErr_Format(PyExc_ImportError, "'%U' has no function '%s'", name,
                   missing.c_str());
      return nullptr;
    }
    loaded = made.release();
  }
  coil_device_allocator allocator = {
      sizeof(allocator),     0,        loaded,
      "PyTorch's allocator", allocate, freeMemory};
  if (coil_cuda_set_allocator(&allocator)) {
    PyErr_SetString(PyExc_RuntimeError, coil_last_error());
    return nullptr;
  }
  Py_XDECREF(std::exchange(wrapHandle, Py_NewRef(wrap)));
  torchTable = table;
  torch.store(loaded, std::memory_order_release);
  Py_RETURN_NONE;
}

PyObject *coil::removeTorchMemory(PyObject *, PyObject *) {
  coil_cuda_set_allocator(nullptr);
  torch.store(nullptr, std::memory_order_release);
  Py_RETURN_NONE;
}

PyObject *coil::takeTorchOutput(coil_result *result, size_t number,
                                bool &taken) {
  taken = false;
  Torch *from = torch.load(std::memory_order_acquire);
  const coil_tensor &tensor = *coil_result_output(result, number);
  if (!from || tensor.device_type != COIL_CUDA ||
      coil_result_take_output(result, number) != COIL_API_OK)
    return nullptr;
  Handle storage = from->take(tensor.data);
  if (!storage) {
    taken = true; // It was allocated as temporary memory.
    return nullptr;
  }
  coil_cuda_disown(tensor.data);
  Handle made = nullptr;
  int32_t status =
      from->allocFromPool(storage, 0, from->dtypes[tensor.dtype], tensor.rank,
                          tensor.sizes, tensor.strides, &made);
  from->deleteTensor(storage);
  if (status) {
    PyErr_SetString(PyExc_RuntimeError, "PyTorch made no tensor of a result");
    return nullptr;
  }
  PyObject *capsule = PyCapsule_New(made, nullptr, nullptr);
  PyObject *object =
      capsule ? PyObject_CallFunctionObjArgs(wrapHandle, capsule, nullptr)
              : nullptr;
  // PyTorch's function gives a tensor of its own: the handle stays ours,
  // whatever its name says (test/python/torch-handles.test).
  from->deleteTensor(made);
  Py_XDECREF(capsule);
  return object;
}
