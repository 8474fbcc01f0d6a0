//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of cuDNN; graphs, the search for engines, and the cache of plans.
//
//===----------------------------------------------------------------------===//

#include "CuDnn.h"

#include "../Error.h"
#include "Graph.h"
#include "VendorLibrary.h"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>

using namespace coil::rt;
using namespace coil::rt::cuda;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

static VendorLibrary &library() {
  static VendorLibrary *instance =
      new VendorLibrary("cudnn", "COIL_CUDNN_LIBRARY", {"libcudnn.so.9"},
                        {
#define COIL_NAME(result, name, params) #name,
                            COIL_CUDNN_FUNCTIONS(COIL_NAME)
#undef COIL_NAME
                        });
  return *instance;
}

const CuDnn *CuDnn::get() {
  // The structure is nothing but the functions in the order of their names.
  return reinterpret_cast<const CuDnn *>(library().get());
}

bool CuDnn::isPresent() { return library().isPresent(); }

void CuDnn::setFile(const char *file) { library().setFile(file); }

int coil::rt::cuda::getDnnType(int32_t dtype) {
  switch (dtype) {
  case COIL_F32:
    return CUDNN_DATA_FLOAT;
  case COIL_F64:
    return CUDNN_DATA_DOUBLE;
  case COIL_F16:
    return CUDNN_DATA_HALF;
  case COIL_BF16:
    return CUDNN_DATA_BFLOAT16;
  default:
    return -1;
  }
}

/// Records what a status of the library means.
static int32_t checkDnn(const CuDnn &lib, cudnnStatus_t status,
                        const char *what) {
  if (status == CUDNN_STATUS_SUCCESS)
    return COIL_OK;
  char text[256] = "";
  lib.cudnnGetLastErrorString(text, sizeof(text));
  text[sizeof(text) - 1] = 0;
  if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)
    return fail(COIL_OUT_OF_MEMORY, "out of memory in library 'cudnn' (%s)",
                what);
  if (status >= CUDNN_STATUS_NOT_SUPPORTED &&
      status < CUDNN_STATUS_INTERNAL_ERROR)
    return fail(COIL_UNSUPPORTED, "library 'cudnn' has no %s of this form: %s",
                what, text);
  return fail(COIL_INTERNAL, "library 'cudnn' failed with status %d (%s): %s",
              status, what, text);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

DnnTensor DnnTensor::real(int type, const void *data,
                          std::vector<int64_t> sizes,
                          std::vector<int64_t> strides) {
  DnnTensor result;
  result.type = type;
  result.kind = Real;
  result.alignment = int64_t(1) << __builtin_ctzll(toDevice(data) | 16);
  result.sizes = std::move(sizes);
  result.strides = std::move(strides);
  return result;
}

DnnTensor DnnTensor::dense(int type, Kind kind, std::vector<int64_t> sizes) {
  DnnTensor result;
  result.type = type;
  result.kind = kind;
  result.strides.resize(sizes.size());
  int64_t next = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    result.strides[i] = next;
    next *= sizes[i];
  }
  result.sizes = std::move(sizes);
  return result;
}

void DnnTensor::describe(std::vector<int64_t> &key) const {
  key.insert(key.end(),
             {type, int64_t(kind), alignment, int64_t(sizes.size())});
  key.insert(key.end(), sizes.begin(), sizes.end());
  key.insert(key.end(), strides.begin(), strides.end());
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace coil::rt::cuda {

/// What the library found for a graph, with all that it is made of.
struct DnnPlan {
  explicit DnnPlan(const CuDnn &lib) : lib(lib) {}
  ~DnnPlan() {
    for (auto it = descriptors.rbegin(); it != descriptors.rend(); ++it)
      lib.cudnnBackendDestroyDescriptor(*it);
  }
  DnnPlan(const DnnPlan &) = delete;
  DnnPlan &operator=(const DnnPlan &) = delete;

  const CuDnn &lib;
  cudnnHandle_t handle = nullptr;
  cudnnBackendDescriptor_t plan = nullptr;
  int64_t workspace = 0;
  std::vector<cudnnBackendDescriptor_t> descriptors;
};

} // namespace coil::rt::cuda

DnnGraph::~DnnGraph() {
  for (auto it = descriptors.rbegin(); it != descriptors.rend(); ++it)
    lib.cudnnBackendDestroyDescriptor(*it);
}

void DnnGraph::check(cudnnStatus_t result) {
  if (!status)
    status = checkDnn(lib, result, what);
}

cudnnBackendDescriptor_t DnnGraph::create(int type) {
  cudnnBackendDescriptor_t result = nullptr;
  if (status)
    return result;
  check(lib.cudnnBackendCreateDescriptor(type, &result));
  if (result)
    descriptors.push_back(result);
  return result;
}

void DnnGraph::set(cudnnBackendDescriptor_t descriptor, int name, int type,
                   int64_t count, const void *elements) {
  if (!status)
    check(
        lib.cudnnBackendSetAttribute(descriptor, name, type, count, elements));
}

void DnnGraph::setTensor(cudnnBackendDescriptor_t descriptor, int name,
                         Tensor tensor) {
  if (tensor)
    set(descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &tensor);
}

void DnnGraph::finalize(cudnnBackendDescriptor_t descriptor) {
  if (!status)
    check(lib.cudnnBackendFinalize(descriptor));
}

DnnGraph::Tensor DnnGraph::add(const DnnTensor &tensor) {
  Tensor t = create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  int64_t number = ++numTensors, rank = int64_t(tensor.sizes.size());
  set(t, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &tensor.type);
  set(t, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, rank,
      tensor.sizes.data());
  set(t, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, rank,
      tensor.strides.data());
  set(t, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &number);
  set(t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1,
      &tensor.alignment);
  bool yes = true;
  if (tensor.kind == DnnTensor::Virtual)
    set(t, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &yes);
  if (tensor.kind == DnnTensor::ByValue)
    set(t, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &yes);
  finalize(t);
  return t;
}

void DnnGraph::addConvolution(Tensor x, Tensor w, Tensor y, int64_t spatial,
                              const int64_t *strides, const int64_t *paddingLow,
                              const int64_t *paddingHigh,
                              const int64_t *dilations) {
  cudnnBackendDescriptor_t c = create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  int compute = CUDNN_DATA_FLOAT, mode = CUDNN_CROSS_CORRELATION;
  set(c, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
  set(c, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1,
      &mode);
  set(c, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &spatial);
  set(c, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, spatial,
      dilations);
  set(c, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, spatial,
      strides);
  set(c, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, spatial,
      paddingLow);
  set(c, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, spatial,
      paddingHigh);
  finalize(c);
  cudnnBackendDescriptor_t op =
      create(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  float alpha = 1, beta = 0;
  setTensor(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, c);
  setTensor(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x);
  setTensor(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w);
  setTensor(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y);
  set(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1,
      &alpha);
  set(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1,
      &beta);
  finalize(op);
  operations.push_back(op);
}

void DnnGraph::addPointwise(int mode, int compute, Tensor x, Tensor b, Tensor t,
                            Tensor y, int64_t axis) {
  cudnnBackendDescriptor_t p = create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  set(p, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
  set(p, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &compute);
  if (axis >= 0)
    set(p, CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, 1, &axis);
  finalize(p);
  cudnnBackendDescriptor_t op =
      create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  setTensor(op, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, p);
  setTensor(op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  setTensor(op, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
  setTensor(op, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, t);
  setTensor(op, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  finalize(op);
  operations.push_back(op);
}

void DnnGraph::addMatmul(Tensor a, Tensor b, Tensor c) {
  cudnnBackendDescriptor_t m = create(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  int compute = CUDNN_DATA_FLOAT;
  set(m, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
  finalize(m);
  cudnnBackendDescriptor_t op =
      create(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  setTensor(op, CUDNN_ATTR_OPERATION_MATMUL_DESC, m);
  setTensor(op, CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
  setTensor(op, CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
  setTensor(op, CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
  finalize(op);
  operations.push_back(op);
}

void DnnGraph::addReduction(int kind, Tensor x, Tensor y) {
  cudnnBackendDescriptor_t r = create(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  int compute = CUDNN_DATA_FLOAT;
  set(r, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1,
      &kind);
  set(r, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute);
  finalize(r);
  cudnnBackendDescriptor_t op =
      create(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  setTensor(op, CUDNN_ATTR_OPERATION_REDUCTION_DESC, r);
  setTensor(op, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
  setTensor(op, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
  finalize(op);
  operations.push_back(op);
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

/// The most workspace that an engine may ask for where there is enough memory.
static constexpr int64_t usualWorkspace = int64_t(512) << 20;
/// Configurations that are looked at for each way to find some.
static constexpr int64_t maxConfigs = 32;

/// Whether a configuration computes less exactly, or less repeatably, than our
/// own kernels would.
bool DnnGraph::isRefused(cudnnBackendDescriptor_t config,
                         DnnPrecision precision) {
  cudnnBackendDescriptor_t engine = nullptr;
  if (lib.cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINE_DESCRIPTOR,
                                       &engine))
    return true;
  int64_t count = 0;
  int notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT] = {};
  cudnnStatus_t result = lib.cudnnBackendGetAttribute(
      config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
      &count, &engine);
  if (!result)
    result = lib.cudnnBackendGetAttribute(
        engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
        CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &count, notes);
  lib.cudnnBackendDestroyDescriptor(engine);
  if (result)
    return true;
  count = std::min<int64_t>(count, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  return std::any_of(notes, notes + count, [&](int note) {
    switch (note) {
    case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
    case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION:
    case CUDNN_NUMERICAL_NOTE_FFT:
    case CUDNN_NUMERICAL_NOTE_WINOGRAD:
      return true;
    case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
      return precision == DnnPrecision::Exact;
    // To floats of 16 bits.
    case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
      return precision != DnnPrecision::Narrow;
    default:
      return false;
    }
  });
}

/// Takes the first configuration of one way to find some that is a plan.
bool DnnGraph::tryEngines(cudnnHandle_t handle, cudnnBackendDescriptor_t graph,
                          int mode, DnnPrecision precision, DnnPlan &plan) {
  cudnnBackendDescriptor_t heuristics =
      create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  setTensor(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  finalize(heuristics);
  cudnnBackendDescriptor_t configs[maxConfigs] = {};
  for (cudnnBackendDescriptor_t &config : configs)
    config = create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  if (status)
    return false;
  int64_t count = 0;
  check(lib.cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                     CUDNN_TYPE_BACKEND_DESCRIPTOR, maxConfigs,
                                     &count, configs));
  for (int64_t i = 0; !status && i < std::min(count, maxConfigs); ++i) {
    if (isRefused(configs[i], precision))
      continue;
    cudnnBackendDescriptor_t made =
        create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    set(made, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    setTensor(made, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configs[i]);
    if (status)
      return false;
    int64_t workspace = 0, number = 0;
    // An engine may find out only now that it does not fit.
    if (lib.cudnnBackendFinalize(made) ||
        lib.cudnnBackendGetAttribute(
            made, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
            &number, &workspace) ||
        workspace > maxWorkspace)
      continue;
    plan.handle = handle;
    plan.plan = made;
    plan.workspace = workspace;
    return true;
  }
  return false;
}

int32_t DnnGraph::findPlan(cudnnHandle_t handle, DnnPrecision precision,
                           DnnPlan &plan) {
  cudnnBackendDescriptor_t graph =
      create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
  set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
      int64_t(operations.size()), operations.data());
  finalize(graph);
  if (status)
    return status;
  int32_t first = 0;
  for (int mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    status = COIL_OK;
    if (tryEngines(handle, graph, mode, precision, plan)) {
      plan.descriptors = std::move(descriptors);
      descriptors.clear();
      return COIL_OK;
    }
    first = first ? first : status;
  }
  return first ? first
               : fail(COIL_UNSUPPORTED,
                      "library 'cudnn' has no engine for this %s with at most "
                      "%lld bytes of workspace",
                      what, static_cast<long long>(maxWorkspace));
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace coil::rt::cuda {

/// The plans that were used last. A recorded graph keeps those that it uses.
class DnnPlans {
public:
  static DnnPlans &get() {
    // Never destroyed: the library may be gone before static destructors run.
    static DnnPlans *instance = new DnnPlans;
    return *instance;
  }

  int32_t find(const CuDnn &lib, Device &device, const char *what,
               const std::vector<int64_t> &key, DnnPrecision precision,
               int64_t workspace, const std::function<void(DnnGraph &)> &build,
               std::shared_ptr<DnnPlan> &plan);

  /// A handle serves one stream at a time.
  std::mutex execution;

private:
  using List =
      std::list<std::pair<std::vector<int64_t>, std::shared_ptr<DnnPlan>>>;
  static constexpr size_t maxPlans = 512;

  std::mutex mutex;
  const CuDnn *library = nullptr;
  cudnnHandle_t handles[maxDevices] = {};
  List plans; ///< The last used first.
  std::map<std::vector<int64_t>, List::iterator> byKey;
};

} // namespace coil::rt::cuda

int32_t DnnPlans::find(const CuDnn &lib, Device &device, const char *what,
                       const std::vector<int64_t> &key, DnnPrecision precision,
                       int64_t workspace,
                       const std::function<void(DnnGraph &)> &build,
                       std::shared_ptr<DnnPlan> &plan) {
  std::lock_guard<std::mutex> lock(mutex);
  if (library != &lib) {
    // Another file was chosen; what the old one made is of no use.
    byKey.clear();
    plans.clear();
    std::fill(std::begin(handles), std::end(handles), nullptr);
    library = &lib;
  }
  auto found = byKey.find(key);
  if (found != byKey.end()) {
    plans.splice(plans.begin(), plans, found->second);
    plan = found->second->second;
    return COIL_OK;
  }
  cudnnHandle_t &handle = handles[device.index];
  if (!handle)
    if (int32_t status = checkDnn(lib, lib.cudnnCreate(&handle), "start"))
      return status;
  auto made = std::make_shared<DnnPlan>(lib);
  DnnGraph graph(lib, what, workspace);
  build(graph);
  if (graph.status)
    return graph.status;
  if (int32_t status = graph.findPlan(handle, precision, *made))
    return status;
  if (plans.size() >= maxPlans) {
    byKey.erase(plans.back().first);
    plans.pop_back();
  }
  plans.emplace_front(key, made);
  byKey[key] = plans.begin();
  plan = std::move(made);
  return COIL_OK;
}

/// Runs a plan with tensors at these places.
static int32_t execute(RunState &state, const CuDnn &lib, const char *what,
                       const DnnPlan &plan,
                       const std::vector<DnnBinding> &bindings,
                       void *workspace) {
  std::vector<int64_t> numbers;
  std::vector<const void *> data;
  for (const DnnBinding &binding : bindings) {
    numbers.push_back(binding.number);
    data.push_back(binding.data);
  }
  int64_t count = int64_t(bindings.size());
  cudnnBackendDescriptor_t pack = nullptr;
  cudnnStatus_t result = lib.cudnnBackendCreateDescriptor(
      CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack);
  auto set = [&](int name, int type, int64_t size, const void *elements) {
    if (!result)
      result = lib.cudnnBackendSetAttribute(pack, name, type, size, elements);
  };
  set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count,
      numbers.data());
  set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count,
      data.data());
  set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  if (!result)
    result = lib.cudnnBackendFinalize(pack);
  if (!result)
    result = lib.cudnnSetStream(plan.handle, state.stream);
  if (!result)
    result = lib.cudnnBackendExecute(plan.handle, plan.plan, pack);
  int32_t status = checkDnn(lib, result, what);
  if (pack)
    lib.cudnnBackendDestroyDescriptor(pack);
  return status;
}

int32_t coil::rt::cuda::runDnn(RunState &state, const CuDnn &lib,
                               const char *what, std::vector<int64_t> key,
                               DnnPrecision precision,
                               const std::function<void(DnnGraph &)> &build,
                               const std::vector<DnnBinding> &bindings) {
  key.push_back(state.device.index);
  key.push_back(static_cast<int64_t>(precision));
  int64_t most = state.limitWorkspace(usualWorkspace);
  key.push_back(most);
  DnnPlans &plans = DnnPlans::get();
  std::shared_ptr<DnnPlan> plan;
  std::lock_guard<std::mutex> lock(plans.execution);
  if (int32_t status = plans.find(lib, state.device, what, key, precision, most,
                                  build, plan))
    return status;
  DeviceBlock *workspace = nullptr;
  if (plan->workspace)
    if (int32_t status = state.allocate(plan->workspace, workspace))
      return status;
  int32_t status = execute(state, lib, what, *plan, bindings,
                           workspace ? toPointer(workspace->address) : nullptr);
  if (workspace)
    state.free(workspace);
  // The graph's kernels are the plan's.
  if (state.recording)
    state.recording->keep(std::move(plan));
  return status;
}
