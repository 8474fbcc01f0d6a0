//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks and copies of weights.
//
//===----------------------------------------------------------------------===//

#include "WeightValue.h"

#include "coil/Runtime/CUDA.h"
#include "coil/Runtime/HostABI.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace coil;
using llvm::Error;
using llvm::Expected;

static Error makeInputError(const llvm::Twine &message) {
  return llvm::make_error<InputError>(message.str());
}

/// "4x8xf32".
static std::string getType(int32_t dtype, llvm::ArrayRef<int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  const char *name = coil_dtype_name(dtype);
  return text + (name ? name : "unknown");
}

uint64_t coil::getBytes(const coil_tensor &tensor) {
  auto bytes = uint64_t(coil_dtype_size(tensor.dtype));
  for (int32_t d = 0; d < tensor.rank; ++d)
    bytes *= uint64_t(tensor.sizes[d]);
  return bytes;
}

/// Whether the elements lie row by row, without gaps.
static bool isRowMajor(const coil_tensor &tensor) {
  int64_t step = 1;
  bool same = true;
  for (int32_t d = tensor.rank; d-- > 0;) {
    if (tensor.sizes[d] == 0)
      return true;
    same &= tensor.sizes[d] == 1 || tensor.strides[d] == step;
    step *= tensor.sizes[d];
  }
  return same;
}

/// Copies elements to lie row by row; returns where they end.
static char *copyRows(const coil_tensor &tensor, int32_t dim, const char *from,
                      char *to) {
  int64_t bytes = coil_dtype_size(tensor.dtype);
  if (dim == tensor.rank) {
    std::memcpy(to, from, size_t(bytes));
    return to + bytes;
  }
  for (int64_t i = 0; i < tensor.sizes[dim]; ++i)
    to = copyRows(tensor, dim + 1, from + i * tensor.strides[dim] * bytes, to);
  return to;
}

static int32_t copyRows(const coil_tensor &tensor, void *to) {
  if (isRowMajor(tensor))
    std::memcpy(to, tensor.data, size_t(getBytes(tensor)));
  else
    copyRows(tensor, 0, static_cast<const char *>(tensor.data),
             static_cast<char *>(to));
  return COIL_OK;
}

std::optional<uint64_t> coil::getReach(const coil_tensor &tensor) {
  int64_t last = 0;
  for (int32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.sizes[d] == 0)
      return 0;
    int64_t distance;
    if (tensor.strides[d] < 0 && tensor.sizes[d] > 1)
      return std::nullopt;
    if (llvm::MulOverflow(tensor.sizes[d] - 1, tensor.strides[d], distance) ||
        llvm::AddOverflow(last, distance, last))
      return std::nullopt;
  }
  int64_t bytes;
  if (llvm::AddOverflow(last, int64_t(1), last) ||
      llvm::MulOverflow(last, coil_dtype_size(tensor.dtype), bytes))
    return std::nullopt;
  return uint64_t(bytes);
}

/// Copies a tensor from the memory of a GPU to lie row by row.
static int32_t download(coil_run *run, const coil_tensor &tensor, void *to) {
  if (getBytes(tensor) == 0)
    return COIL_OK;
  std::optional<uint64_t> reach = getReach(tensor);
  if (!reach)
    return coil_rt_fail(run, COIL_INVALID_ARGUMENT,
                        "the tensor has negative strides on a GPU");
  void *copy = to;
  int32_t status = coil_run_set_cuda_device(run, tensor.device_index);
  if (status == COIL_OK && !isRowMajor(tensor))
    status = coil_rt_alloc(run, int64_t(*reach), &copy);
  if (status == COIL_OK)
    status = coil_rt_download_cuda(run, copy, tensor.data, int64_t(*reach));
  if (status == COIL_OK)
    status = coil_run_synchronize(run);
  if (status != COIL_OK || copy == to)
    return status;
  coil_tensor onHost = tensor;
  onHost.data = copy;
  return copyRows(onHost, to);
}

Expected<coil_tensor> DeviceState::get(const Engine &engine, unsigned input,
                                       const coil_tensor &value,
                                       int32_t device) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = copies.find(device);
  if (found == copies.end()) {
    SymbolValues unknown(engine.getSignature().getSymbols().size());
    Expected<DeviceTensors> made =
        engine.upload({input}, {value}, unknown, device);
    if (!made)
      return made.takeError();
    found = copies.try_emplace(device, Copy{input, std::move(*made)}).first;
  }
  if (found->second.input != input)
    return makeInputError("weight '" +
                          engine.getSignature().getInputs()[input].weight +
                          "', which the program updates, is passed twice");
  return found->second.tensors.getTensors().front();
}

Error DeviceState::download(int32_t device, void *to) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = copies.find(device);
  if (found == copies.end())
    found = copies.begin();
  if (found == copies.end())
    return Error::success();
  const DeviceTensors &copy = found->second.tensors;
  copy.waitForReaders();
  coil_run *run = nullptr;
  int32_t status = coil_run_create(&run);
  if (status == COIL_OK)
    status = ::download(run, copy.getTensors().front(), to);
  std::string message = status == COIL_OK ? "" : coil_last_error();
  coil_run_destroy(run);
  return status == COIL_OK ? Error::success()
                           : llvm::make_error<RunError>(status, message);
}

Error coil::checkWeight(const WeightSpec &spec, const NamedWeight &given) {
  const coil_tensor &tensor = given.tensor;
  auto refuse = [&](const llvm::Twine &text) {
    return makeInputError("weight '" + spec.name + "': " + text);
  };
  if (tensor.rank < 0 || (tensor.rank > 0 && !tensor.sizes))
    return refuse("the tensor has no sizes");
  llvm::ArrayRef<int64_t> sizes(tensor.sizes, size_t(tensor.rank));
  if (tensor.dtype != spec.dtype || sizes != llvm::ArrayRef(spec.sizes))
    return refuse("expected " + getType(spec.dtype, spec.sizes) + " but got " +
                  getType(tensor.dtype, sizes));
  if (tensor.rank > 0 && !tensor.strides)
    return refuse("the tensor has no strides");
  if (tensor.device_type != COIL_CPU && tensor.device_type != COIL_CUDA)
    return refuse("the tensor is on an unknown device");
  uint64_t bytes = getBytes(tensor);
  if (bytes && !tensor.data)
    return refuse("the tensor has no memory");
  if (!given.bytes || !bytes)
    return Error::success();
  std::optional<uint64_t> reach = getReach(tensor);
  if (!reach)
    return refuse("expected memory from its first element on");
  if (*reach > *given.bytes)
    return refuse("expected " + llvm::Twine(*reach) + " bytes but got " +
                  llvm::Twine(*given.bytes));
  return Error::success();
}

Expected<WeightValue> coil::takeWeight(const WeightSpec &spec,
                                       const NamedWeight &given, bool inPlace) {
  const coil_tensor &tensor = given.tensor;
  auto address = reinterpret_cast<uintptr_t>(tensor.data);
  bool onHost = tensor.device_type == COIL_CPU;
  bool fits = onHost && isRowMajor(tensor) &&
              address % uintptr_t(coil_dtype_size(tensor.dtype)) == 0;
  if (given.owner && fits && !spec.isUpdated)
    return WeightValue{tensor.data, given.owner, /*state=*/nullptr};
  if (given.owner && inPlace && spec.isUpdated)
    return makeInputError("weight '" + spec.name +
                          "' cannot be used where it is: the program writes "
                          "to it");
  if (given.owner && inPlace)
    return makeInputError(
        "weight '" + spec.name +
        "' cannot be used where it is: its elements are not in host memory, "
        "do not lie row by row, or not at a multiple of their size");
  coil_run *run = nullptr;
  void *memory = nullptr;
  int32_t status = coil_run_create(&run);
  if (status == COIL_OK)
    status = coil_rt_alloc(run, int64_t(getBytes(tensor)), &memory);
  if (status == COIL_OK)
    status = onHost ? copyRows(tensor, memory) : download(run, tensor, memory);
  if (status == COIL_OK)
    status = coil_run_take(run, memory);
  std::string message = status == COIL_OK ? "" : coil_last_error();
  coil_run_destroy(run);
  if (status != COIL_OK)
    return llvm::make_error<RunError>(status,
                                      "weight '" + spec.name + "': " + message);
  return WeightValue{memory,
                     std::shared_ptr<const void>(
                         memory, [](void *memory) { coil_free(memory); }),
                     /*state=*/nullptr};
}
