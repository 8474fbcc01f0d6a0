//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuDNN 9, loaded at first need, by its binary interface: the few types,
// functions and numbers below are all that is used of it. Problems are stated
// as graphs of operations on tensors; the library finds an engine for a graph,
// and what it finds is kept as a plan.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_CUDNN_H
#define COIL_LIB_RUNTIME_CUDA_CUDNN_H

#include "RunState.h"

#include <functional>
#include <memory>
#include <vector>

namespace coil::rt::cuda {

using cudnnStatus_t = int;
using cudnnHandle_t = struct cudnnContext *;
using cudnnBackendDescriptor_t = void *;

/// cudnnStatus_t; the thousands are the kind of error.
enum : int {
  CUDNN_STATUS_SUCCESS = 0,
  CUDNN_STATUS_NOT_SUPPORTED = 3000,
  CUDNN_STATUS_INTERNAL_ERROR = 4000,
  CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED = 4003,
  CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED = 4004
};
/// cudnnDataType_t
enum : int {
  CUDNN_DATA_FLOAT = 0,
  CUDNN_DATA_DOUBLE = 1,
  CUDNN_DATA_HALF = 2,
  CUDNN_DATA_INT32 = 4,
  CUDNN_DATA_BFLOAT16 = 9,
  CUDNN_DATA_BOOLEAN = 11
};
/// cudnnBackendDescriptorType_t
enum : int {
  CUDNN_BACKEND_POINTWISE_DESCRIPTOR = 0,
  CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR = 1,
  CUDNN_BACKEND_ENGINE_DESCRIPTOR = 2,
  CUDNN_BACKEND_ENGINECFG_DESCRIPTOR = 3,
  CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR = 4,
  CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR = 5,
  CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR = 10,
  CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR = 13,
  CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR = 15,
  CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR = 16,
  CUDNN_BACKEND_TENSOR_DESCRIPTOR = 17,
  CUDNN_BACKEND_MATMUL_DESCRIPTOR = 18,
  CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR = 19,
  CUDNN_BACKEND_REDUCTION_DESCRIPTOR = 21,
  CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR = 22
};
/// cudnnBackendAttributeName_t
enum : int {
  CUDNN_ATTR_POINTWISE_MODE = 0,
  CUDNN_ATTR_POINTWISE_MATH_PREC = 1,
  CUDNN_ATTR_POINTWISE_AXIS = 9,
  CUDNN_ATTR_CONVOLUTION_COMP_TYPE = 100,
  CUDNN_ATTR_CONVOLUTION_CONV_MODE = 101,
  CUDNN_ATTR_CONVOLUTION_DILATIONS = 102,
  CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES = 103,
  CUDNN_ATTR_CONVOLUTION_POST_PADDINGS = 104,
  CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS = 105,
  CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS = 106,
  CUDNN_ATTR_ENGINEHEUR_MODE = 200,
  CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH = 201,
  CUDNN_ATTR_ENGINEHEUR_RESULTS = 202,
  CUDNN_ATTR_ENGINECFG_ENGINE = 300,
  CUDNN_ATTR_EXECUTION_PLAN_HANDLE = 400,
  CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG = 401,
  CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE = 402,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA = 700,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA = 701,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC = 702,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W = 703,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X = 704,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y = 705,
  CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR = 750,
  CUDNN_ATTR_OPERATION_POINTWISE_XDESC = 751,
  CUDNN_ATTR_OPERATION_POINTWISE_BDESC = 752,
  CUDNN_ATTR_OPERATION_POINTWISE_YDESC = 753,
  CUDNN_ATTR_OPERATION_POINTWISE_TDESC = 758,
  CUDNN_ATTR_OPERATIONGRAPH_HANDLE = 800,
  CUDNN_ATTR_OPERATIONGRAPH_OPS = 801,
  CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT = 900,
  CUDNN_ATTR_TENSOR_DATA_TYPE = 901,
  CUDNN_ATTR_TENSOR_DIMENSIONS = 902,
  CUDNN_ATTR_TENSOR_STRIDES = 903,
  CUDNN_ATTR_TENSOR_UNIQUE_ID = 906,
  CUDNN_ATTR_TENSOR_IS_VIRTUAL = 907,
  CUDNN_ATTR_TENSOR_IS_BY_VALUE = 908,
  CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS = 1000,
  CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS = 1001,
  CUDNN_ATTR_VARIANT_PACK_WORKSPACE = 1003,
  CUDNN_ATTR_ENGINE_NUMERICAL_NOTE = 1303,
  CUDNN_ATTR_MATMUL_COMP_TYPE = 1500,
  CUDNN_ATTR_OPERATION_MATMUL_ADESC = 1520,
  CUDNN_ATTR_OPERATION_MATMUL_BDESC = 1521,
  CUDNN_ATTR_OPERATION_MATMUL_CDESC = 1522,
  CUDNN_ATTR_OPERATION_MATMUL_DESC = 1523,
  CUDNN_ATTR_REDUCTION_OPERATOR = 1600,
  CUDNN_ATTR_REDUCTION_COMP_TYPE = 1601,
  CUDNN_ATTR_OPERATION_REDUCTION_XDESC = 1610,
  CUDNN_ATTR_OPERATION_REDUCTION_YDESC = 1611,
  CUDNN_ATTR_OPERATION_REDUCTION_DESC = 1612
};
/// cudnnBackendAttributeType_t
enum : int {
  CUDNN_TYPE_HANDLE = 0,
  CUDNN_TYPE_DATA_TYPE = 1,
  CUDNN_TYPE_BOOLEAN = 2,
  CUDNN_TYPE_INT64 = 3,
  CUDNN_TYPE_FLOAT = 4,
  CUDNN_TYPE_VOID_PTR = 6,
  CUDNN_TYPE_CONVOLUTION_MODE = 7,
  CUDNN_TYPE_HEUR_MODE = 8,
  CUDNN_TYPE_NUMERICAL_NOTE = 11,
  CUDNN_TYPE_POINTWISE_MODE = 14,
  CUDNN_TYPE_BACKEND_DESCRIPTOR = 15,
  CUDNN_TYPE_REDUCTION_OPERATOR_TYPE = 18
};
/// cudnnConvolutionMode_t
enum : int { CUDNN_CROSS_CORRELATION = 1 };
/// cudnnBackendHeurMode_t
enum : int { CUDNN_HEUR_MODE_FALLBACK = 2, CUDNN_HEUR_MODE_A = 3 };
/// cudnnBackendNumericalNote_t
enum : int {
  CUDNN_NUMERICAL_NOTE_TENSOR_CORE = 0,
  CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS = 1,
  CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION = 2,
  CUDNN_NUMERICAL_NOTE_FFT = 3,
  CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC = 4,
  CUDNN_NUMERICAL_NOTE_WINOGRAD = 5,
  CUDNN_NUMERICAL_NOTE_TYPE_COUNT = 10
};
/// cudnnPointwiseMode_t
enum : int {
  CUDNN_POINTWISE_ADD = 0,
  CUDNN_POINTWISE_MUL = 1,
  CUDNN_POINTWISE_DIV = 6,
  CUDNN_POINTWISE_SUB = 9,
  CUDNN_POINTWISE_EXP = 13,
  CUDNN_POINTWISE_LOG = 15,
  CUDNN_POINTWISE_RELU_FWD = 100,
  CUDNN_POINTWISE_CMP_GE = 303,
  CUDNN_POINTWISE_GEN_INDEX = 501,
  CUDNN_POINTWISE_BINARY_SELECT = 601
};
/// cudnnReduceTensorOp_t
enum : int { CUDNN_REDUCE_TENSOR_ADD = 0, CUDNN_REDUCE_TENSOR_MAX = 3 };

/// X(result, exported name, parameters)
#define COIL_CUDNN_FUNCTIONS(X)                                                \
  X(cudnnStatus_t, cudnnCreate, (cudnnHandle_t * handle))                      \
  X(cudnnStatus_t, cudnnSetStream, (cudnnHandle_t handle, CUstream stream))    \
  X(void, cudnnGetLastErrorString, (char *text, size_t size))                  \
  X(cudnnStatus_t, cudnnBackendCreateDescriptor,                               \
    (int type, cudnnBackendDescriptor_t *descriptor))                          \
  X(cudnnStatus_t, cudnnBackendDestroyDescriptor,                              \
    (cudnnBackendDescriptor_t descriptor))                                     \
  X(cudnnStatus_t, cudnnBackendFinalize,                                       \
    (cudnnBackendDescriptor_t descriptor))                                     \
  X(cudnnStatus_t, cudnnBackendSetAttribute,                                   \
    (cudnnBackendDescriptor_t descriptor, int name, int type, int64_t count,   \
     const void *elements))                                                    \
  X(cudnnStatus_t, cudnnBackendGetAttribute,                                   \
    (cudnnBackendDescriptor_t descriptor, int name, int type,                  \
     int64_t requested, int64_t *count, void *elements))                       \
  X(cudnnStatus_t, cudnnBackendExecute,                                        \
    (cudnnHandle_t handle, cudnnBackendDescriptor_t plan,                      \
     cudnnBackendDescriptor_t variantPack))

/// The library's functions.
struct CuDnn {
#define COIL_MEMBER(result, name, params) result(*name) params = nullptr;
  COIL_CUDNN_FUNCTIONS(COIL_MEMBER)
#undef COIL_MEMBER

  /// Loads the library at the first call: what coil_library_set_file or the
  /// environment variable COIL_CUDNN_LIBRARY names, else libcudnn.so.9. Null,
  /// with the error recorded, when that fails.
  static const CuDnn *get();
  /// Whether get() will find the library, without loading it if its file is
  /// where the system's loader looks first.
  static bool isPresent();
  static void setFile(const char *file);
};

/// The library's number of an element type, or -1.
int getDnnType(int32_t dtype);

/// A tensor of a graph. What is virtual exists only between operations; what is
/// by value is an `f32` on the host.
struct DnnTensor {
  enum Kind { Real, Virtual, ByValue };

  int type = CUDNN_DATA_FLOAT;
  Kind kind = Virtual;
  int64_t alignment = 16; ///< Of a real one's address, in bytes.
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;

  static DnnTensor real(int type, const void *data, std::vector<int64_t> sizes,
                        std::vector<int64_t> strides);
  /// Dense, the last dimension innermost.
  static DnnTensor dense(int type, Kind kind, std::vector<int64_t> sizes);
  /// Appends all of it to the key of a plan.
  void describe(std::vector<int64_t> &key) const;
};

/// Which engines a problem may have.
enum class DnnPrecision {
  Exact,  ///< f32 that is never rounded.
  TF32,   ///< f32 that tensor cores may round to TF32, to nothing narrower.
  Narrow, ///< Floats of 16 bits.
};

/// A graph of operations in the making. The first error stays.
class DnnGraph {
public:
  /// `what` is what errors call the problem; an engine may ask for `workspace`
  /// bytes.
  DnnGraph(const CuDnn &lib, const char *what, int64_t workspace)
      : lib(lib), what(what), maxWorkspace(workspace) {}
  ~DnnGraph();
  DnnGraph(const DnnGraph &) = delete;
  DnnGraph &operator=(const DnnGraph &) = delete;

  using Tensor = cudnnBackendDescriptor_t;

  /// Tensors are numbered from 1 in the order in which they are added.
  Tensor add(const DnnTensor &tensor);
  void addConvolution(Tensor x, Tensor w, Tensor y, int64_t spatial,
                      const int64_t *strides, const int64_t *paddingLow,
                      const int64_t *paddingHigh, const int64_t *dilations);
  /// `compute` is the type to compute in; null operands are absent.
  void addPointwise(int mode, int compute, Tensor x, Tensor b, Tensor t,
                    Tensor y, int64_t axis = -1);
  void addMatmul(Tensor a, Tensor b, Tensor c);
  void addReduction(int op, Tensor x, Tensor y);

private:
  friend class DnnPlans;

  cudnnBackendDescriptor_t create(int type);
  void set(cudnnBackendDescriptor_t descriptor, int name, int type,
           int64_t count, const void *elements);
  void setTensor(cudnnBackendDescriptor_t descriptor, int name, Tensor tensor);
  void finalize(cudnnBackendDescriptor_t descriptor);
  void check(cudnnStatus_t result);
  bool isRefused(cudnnBackendDescriptor_t config, DnnPrecision precision);
  bool tryEngines(cudnnHandle_t handle, cudnnBackendDescriptor_t graph,
                  int mode, DnnPrecision precision, struct DnnPlan &plan);
  int32_t findPlan(cudnnHandle_t handle, DnnPrecision precision,
                   struct DnnPlan &plan);

  const CuDnn &lib;
  const char *const what;
  const int64_t maxWorkspace;
  int32_t status = 0;
  int64_t numTensors = 0;
  std::vector<cudnnBackendDescriptor_t> descriptors;
  std::vector<cudnnBackendDescriptor_t> operations;
};

/// Where a tensor of a plan is: on the device, or a number on the host.
struct DnnBinding {
  int64_t number;
  const void *data;
};

/// Finds the plan of a problem, or makes one of the graph that `build` states,
/// and runs it. `key` is everything that the graph depends on, and nothing
/// else; `what` is what errors call the problem.
int32_t runDnn(RunState &state, const CuDnn &lib, const char *what,
               std::vector<int64_t> key, DnnPrecision precision,
               const std::function<void(DnnGraph &)> &build,
               const std::vector<DnnBinding> &bindings);

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_CUDNN_H
