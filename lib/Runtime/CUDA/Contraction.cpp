//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions by cuBLASLt. The library counts columns first, so a row-major
// result is computed as its transpose: C' = B' A'. What the library chooses for
// a problem is kept, with its descriptors.
//
//===----------------------------------------------------------------------===//

#include "BlasLt.h"
#include "Graph.h"
#include "Pack.h"
#include "RunState.h"

#include "coil/Runtime/Library.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

using namespace coil::rt;
using namespace coil::rt::cuda;

namespace {

/// A factor in the library's terms: columns first, perhaps transposed.
struct Factor {
  const void *data = nullptr;
  int32_t transposed = 0;
  int64_t ld = 1;
  int64_t batchStride = 0;
};

/// Everything that the choice of an algorithm depends on, and nothing else.
struct Problem {
  int32_t device;
  int32_t type;
  int32_t resultType;
  int32_t epilogue;
  int32_t transposed[2];
  int32_t alignment[3]; ///< log2, of the factors and the result.
  int32_t compute;      ///< A cublasComputeType_t.
  int64_t rows, cols, depth;
  int64_t ld[3];
  int64_t batch;
  int64_t batchStride[3];
  int64_t workspace; ///< That an algorithm may ask for.

  bool operator<(const Problem &other) const {
    return memcmp(this, &other, sizeof(Problem)) < 0;
  }
};
static_assert(sizeof(Problem) == 10 * 4 + 11 * 8, "no holes: it is compared");

/// Descriptors and algorithm of a problem. Setting the bias changes the
/// descriptor, so one thread at a time uses it.
struct Plan {
  std::mutex mutex;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t layout[3] = {};
  cublasLtMatmulAlgo_t algo = {};
  size_t workspace = 0;
};

struct Plans {
  std::mutex mutex;
  const BlasLt *library = nullptr;
  cublasLtHandle_t handles[maxDevices] = {};
  std::map<Problem, std::unique_ptr<Plan>> plans;
};

} // namespace

/// Never destroyed: the library may be gone before static destructors run.
static Plans &plans() {
  static Plans *instance = new Plans;
  return *instance;
}

/// The most scratch memory that an algorithm may ask for.
static constexpr int64_t maxWorkspace = int64_t(32) << 20;

static bool getType(int32_t dtype, int &type) {
  switch (dtype) {
  case COIL_F32:
    type = CUDA_R_32F;
    return true;
  case COIL_F64:
    type = CUDA_R_64F;
    return true;
  case COIL_F16:
    type = CUDA_R_16F;
    return true;
  case COIL_BF16:
    type = CUDA_R_16BF;
    return true;
  default:
    return false;
  }
}

/// log2 of what an address is aligned to, at most 256 bytes.
static int32_t getAlignment(const void *pointer) {
  uint64_t bits = toDevice(pointer) | 256;
  return int32_t(__builtin_ctzll(bits));
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static int32_t makeLayout(const BlasLt &lib, cublasLtMatrixLayout_t &layout,
                          int type, int64_t rows, int64_t cols, int64_t ld,
                          int64_t batch, int64_t stride) {
  if (int32_t status =
          checkBlasLt(lib.cublasLtMatrixLayoutCreate(
                          &layout, type, uint64_t(rows), uint64_t(cols), ld),
                      "contraction"))
    return status;
  if (batch == 1)
    return COIL_OK;
  int32_t count = int32_t(batch);
  if (int32_t status =
          checkBlasLt(lib.cublasLtMatrixLayoutSetAttribute(
                          layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                          sizeof(count)),
                      "contraction"))
    return status;
  return checkBlasLt(lib.cublasLtMatrixLayoutSetAttribute(
                         layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                         &stride, sizeof(stride)),
                     "contraction");
}

static int32_t chooseAlgorithm(const BlasLt &lib, cublasLtHandle_t handle,
                               const Problem &problem, Plan &plan) {
  cublasLtMatmulPreference_t preference = nullptr;
  if (int32_t status = checkBlasLt(
          lib.cublasLtMatmulPreferenceCreate(&preference), "contraction"))
    return status;
  auto set = [&](int attribute, auto value) {
    return lib.cublasLtMatmulPreferenceSetAttribute(preference, attribute,
                                                    &value, sizeof(value));
  };
  cublasStatus_t result = set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                              uint64_t(problem.workspace));
  const int alignments[] = {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES};
  for (int i = 0; i < 3 && !result; ++i)
    result = set(alignments[i], uint32_t(1) << problem.alignment[i]);
  if (!result)
    result = set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
                 uint32_t(1) << problem.alignment[2]);
  cublasLtMatmulHeuristicResult_t found = {};
  int count = 0;
  if (!result)
    result = lib.cublasLtMatmulAlgoGetHeuristic(
        handle, plan.desc, plan.layout[0], plan.layout[1], plan.layout[2],
        plan.layout[2], preference, 1, &found, &count);
  lib.cublasLtMatmulPreferenceDestroy(preference);
  if (!result && count == 0)
    result = CUBLAS_STATUS_NOT_SUPPORTED;
  if (int32_t status = checkBlasLt(result, "contraction"))
    return status;
  plan.algo = found.algo;
  plan.workspace = found.workspaceSize;
  return COIL_OK;
}

static int32_t makePlan(const BlasLt &lib, cublasLtHandle_t handle,
                        const Problem &p, Plan &plan) {
  int scale = p.type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F;
  if (int32_t status = checkBlasLt(
          lib.cublasLtMatmulDescCreate(&plan.desc, p.compute, scale),
          "contraction"))
    return status;
  struct {
    int attribute;
    int32_t value;
  } settings[] = {{CUBLASLT_MATMUL_DESC_TRANSA, p.transposed[0]},
                  {CUBLASLT_MATMUL_DESC_TRANSB, p.transposed[1]},
                  {CUBLASLT_MATMUL_DESC_EPILOGUE, p.epilogue}};
  for (auto [attribute, value] : settings)
    if (int32_t status =
            checkBlasLt(lib.cublasLtMatmulDescSetAttribute(
                            plan.desc, attribute, &value, sizeof(value)),
                        "contraction"))
      return status;
  const int64_t shape[3][2] = {
      {p.rows, p.depth}, {p.depth, p.cols}, {p.rows, p.cols}};
  for (int i = 0; i < 3; ++i) {
    bool swapped = i < 2 && p.transposed[i];
    if (int32_t status =
            makeLayout(lib, plan.layout[i], i == 2 ? p.resultType : p.type,
                       shape[i][swapped], shape[i][!swapped], p.ld[i], p.batch,
                       p.batchStride[i]))
      return status;
  }
  return chooseAlgorithm(lib, handle, p, plan);
}

static void destroyPlan(const BlasLt &lib, Plan &plan) {
  if (plan.desc)
    lib.cublasLtMatmulDescDestroy(plan.desc);
  for (cublasLtMatrixLayout_t layout : plan.layout)
    if (layout)
      lib.cublasLtMatrixLayoutDestroy(layout);
}

/// Finds or makes the plan of a problem. Plans stay for good: there are as many
/// as a process has shapes.
static int32_t getPlan(const BlasLt &lib, Device &device,
                       const Problem &problem, cublasLtHandle_t &handle,
                       Plan *&plan) {
  Plans &state = plans();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.library != &lib) {
    // Another file was chosen; what the old one made is of no use.
    state.plans.clear();
    std::fill(std::begin(state.handles), std::end(state.handles), nullptr);
    state.library = &lib;
  }
  cublasLtHandle_t &own = state.handles[device.index];
  if (!own)
    if (int32_t status = checkBlasLt(lib.cublasLtCreate(&own), "start"))
      return status;
  handle = own;
  auto found = state.plans.find(problem);
  if (found != state.plans.end()) {
    plan = found->second.get();
    return COIL_OK;
  }
  auto made = std::make_unique<Plan>();
  if (int32_t status = makePlan(lib, handle, problem, *made)) {
    destroyPlan(lib, *made);
    return status;
  }
  plan = (state.plans[problem] = std::move(made)).get();
  return COIL_OK;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Whether a dimension of this size may have any stride.
static bool fits(int64_t size, int64_t stride, int64_t wanted) {
  return size == 1 || stride == wanted;
}

/// Describes `data[row, col]` columns first, if one of the two is dense.
static bool describe(const void *data, int64_t rows, int64_t cols,
                     int64_t rowStride, int64_t colStride, Factor &factor) {
  factor.data = data;
  if (fits(rows, rowStride, 1) && (cols == 1 || colStride >= rows)) {
    factor.transposed = 0;
    factor.ld = cols == 1 ? rows : colStride;
    return true;
  }
  if (fits(cols, colStride, 1) && (rows == 1 || rowStride >= cols)) {
    factor.transposed = 1;
    factor.ld = rows == 1 ? cols : rowStride;
    return true;
  }
  return false;
}

/// One call of the library: a matrix for each index of one batch dimension.
struct Call {
  int64_t rows, cols, depth, batch;
  Factor a, b;
  void *c;
  int64_t ldc, batchStrideC;
  const void *bias;
  int32_t epilogue;
  int type, resultType, compute;
};

static int32_t run(RunState &state, const BlasLt &lib, const Call &call) {
  Problem problem = {};
  problem.device = state.device.index;
  problem.type = call.type;
  problem.resultType = call.resultType;
  problem.epilogue = call.epilogue;
  problem.compute = call.compute;
  problem.transposed[0] = call.a.transposed;
  problem.transposed[1] = call.b.transposed;
  problem.alignment[0] = getAlignment(call.a.data);
  problem.alignment[1] = getAlignment(call.b.data);
  problem.alignment[2] = getAlignment(call.c);
  problem.rows = call.rows;
  problem.cols = call.cols;
  problem.depth = call.depth;
  problem.ld[0] = call.a.ld;
  problem.ld[1] = call.b.ld;
  problem.ld[2] = call.ldc;
  problem.batch = call.batch;
  problem.workspace = state.limitWorkspace(maxWorkspace);
  if (call.batch > 1) {
    problem.batchStride[0] = call.a.batchStride;
    problem.batchStride[1] = call.b.batchStride;
    problem.batchStride[2] = call.batchStrideC;
  }
  cublasLtHandle_t handle = nullptr;
  Plan *plan = nullptr;
  if (int32_t status = getPlan(lib, state.device, problem, handle, plan))
    return status;
  DeviceBlock *workspace = nullptr;
  if (plan->workspace)
    if (int32_t status = state.allocate(int64_t(plan->workspace), workspace))
      return status;
  int32_t status = COIL_OK;
  {
    std::lock_guard<std::mutex> lock(plan->mutex);
    if (call.bias)
      status = checkBlasLt(lib.cublasLtMatmulDescSetAttribute(
                               plan->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                               &call.bias, sizeof(call.bias)),
                           "contraction");
    const float one = 1, zero = 0;
    const double one64 = 1, zero64 = 0;
    bool wide = call.type == CUDA_R_64F;
    if (!status)
      status = checkBlasLt(
          lib.cublasLtMatmul(
              handle, plan->desc, wide ? (const void *)&one64 : &one,
              call.a.data, plan->layout[0], call.b.data, plan->layout[1],
              wide ? (const void *)&zero64 : &zero, call.c, plan->layout[2],
              call.c, plan->layout[2], &plan->algo,
              workspace ? toPointer(workspace->address) : nullptr,
              plan->workspace, state.stream),
          "contraction");
  }
  if (workspace)
    state.free(workspace);
  return status;
}

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

namespace {

/// A contraction whose operands may have to be packed.
class Contraction {
public:
  Contraction(RunState &state, const coil_contraction &desc)
      : state(state), d(desc) {}
  ~Contraction() {
    for (DeviceBlock *block : scratch)
      state.free(block);
  }

  int32_t run(const BlasLt &lib, const void *a, const void *b, const void *bias,
              void *c);

private:
  int32_t prepare(const void *data, int64_t rows, int64_t cols,
                  int64_t rowStride, int64_t colStride,
                  const int64_t *batchStrides, Factor &factor,
                  int64_t *newBatchStrides);

  RunState &state;
  const coil_contraction &d;
  std::vector<DeviceBlock *> scratch;
};

} // namespace

/// Describes a factor; packs it first if neither dimension is dense.
int32_t Contraction::prepare(const void *data, int64_t rows, int64_t cols,
                             int64_t rowStride, int64_t colStride,
                             const int64_t *batchStrides, Factor &factor,
                             int64_t *newBatchStrides) {
  std::copy(batchStrides, batchStrides + d.batch_rank, newBatchStrides);
  if (describe(data, rows, cols, rowStride, colStride, factor))
    return COIL_OK;
  // Dimensions along which nothing varies stay unpacked.
  PackShape shape;
  int64_t size = rows * cols;
  for (int32_t i = d.batch_rank; i-- > 0;) {
    newBatchStrides[i] = batchStrides[i] == 0 ? 0 : size;
    if (batchStrides[i] != 0)
      size *= d.batch_sizes[i];
  }
  for (int32_t i = 0; i < d.batch_rank; ++i)
    if (batchStrides[i] != 0)
      shape.add(d.batch_sizes[i], batchStrides[i]);
  shape.add(cols, colStride);
  shape.add(rows, rowStride);
  int64_t element = coil_dtype_size(d.a_dtype);
  DeviceBlock *block = nullptr;
  if (int32_t status = state.allocate(size * element, block))
    return status;
  scratch.push_back(block);
  if (int32_t status =
          pack(state, toPointer(block->address), data, element, shape))
    return status;
  describe(toPointer(block->address), rows, cols, 1, rows, factor);
  return COIL_OK;
}

int32_t Contraction::run(const BlasLt &lib, const void *a, const void *b,
                         const void *bias, void *c) {
  int type = 0, resultType = 0;
  if (d.a_dtype != d.b_dtype || !getType(d.a_dtype, type) ||
      !getType(d.c_dtype, resultType) ||
      (resultType != type && resultType != CUDA_R_32F) ||
      (resultType != type && type == CUDA_R_64F))
    return fail(COIL_UNSUPPORTED,
                "library 'cublaslt' has no contraction of %s and %s to %s",
                coil_dtype_name(d.a_dtype), coil_dtype_name(d.b_dtype),
                coil_dtype_name(d.c_dtype));
  if (d.batch_rank < 0 || d.batch_rank > COIL_MAX_BATCH_RANK)
    return fail(COIL_INVALID_ARGUMENT, "contraction with %d batch dimensions",
                d.batch_rank);
  int64_t batch = 1;
  for (int32_t i = 0; i < d.batch_rank; ++i)
    batch *= d.batch_sizes[i];
  if (d.m == 0 || d.n == 0 || batch == 0)
    return COIL_OK;

  // The result's dense dimension is the library's first.
  bool transposed =
      !(fits(d.m, d.c_strides[0], 1) && (d.n == 1 || d.c_strides[1] >= d.m)) ||
      (bias && d.bias_axis == COIL_BIAS_ALONG_N &&
       fits(d.n, d.c_strides[1], 1));
  int64_t rows = transposed ? d.n : d.m, cols = transposed ? d.m : d.n;
  int64_t rowStride = d.c_strides[transposed],
          colStride = d.c_strides[!transposed];
  if (!fits(rows, rowStride, 1) || (cols > 1 && colStride < rows))
    return fail(COIL_UNSUPPORTED, "library 'cublaslt' needs a result that is "
                                  "dense along its rows or columns");
  Call call = {};
  call.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  if (d.post_op == COIL_POST_RELU)
    call.epilogue = CUBLASLT_EPILOGUE_RELU;
  else if (d.post_op == COIL_POST_GELU_TANH)
    call.epilogue = CUBLASLT_EPILOGUE_GELU;
  else if (d.post_op != COIL_POST_NONE)
    return fail(COIL_UNSUPPORTED,
                "library 'cublaslt' has no function number %d after a "
                "contraction",
                d.post_op);
  if (bias) {
    bool alongRows = (d.bias_axis == COIL_BIAS_ALONG_N) == transposed;
    if (!alongRows || !fits(rows, d.bias_stride, 1) ||
        d.bias_dtype != d.c_dtype)
      return fail(COIL_UNSUPPORTED,
                  "library 'cublaslt' needs a dense bias of the result's type "
                  "along its dense dimension");
    call.epilogue = call.epilogue == CUBLASLT_EPILOGUE_DEFAULT
                        ? int32_t(CUBLASLT_EPILOGUE_BIAS)
                        : call.epilogue | int32_t(CUBLASLT_EPILOGUE_BIAS);
  }
  if (d.k == 0) {
    if (bias)
      return fail(COIL_UNSUPPORTED,
                  "library 'cublaslt' needs something to sum before a bias");
    // An empty sum; every function that the library has keeps it.
    PackShape shape;
    for (int32_t i = 0; i < d.batch_rank; ++i)
      shape.add(d.batch_sizes[i], d.c_batch_strides[i]);
    shape.add(cols, colStride);
    shape.add(rows, rowStride);
    return clear(state, c, coil_dtype_size(d.c_dtype), shape);
  }

  int64_t batchA[COIL_MAX_BATCH_RANK], batchB[COIL_MAX_BATCH_RANK];
  const int64_t *batchC = d.c_batch_strides;
  // In the library's terms: rows x depth, depth x cols.
  int32_t status = transposed
                       ? prepare(b, rows, d.k, d.b_strides[1], d.b_strides[0],
                                 d.b_batch_strides, call.a, batchA)
                       : prepare(a, rows, d.k, d.a_strides[0], d.a_strides[1],
                                 d.a_batch_strides, call.a, batchA);
  if (!status)
    status = transposed ? prepare(a, d.k, cols, d.a_strides[1], d.a_strides[0],
                                  d.a_batch_strides, call.b, batchB)
                        : prepare(b, d.k, cols, d.b_strides[0], d.b_strides[1],
                                  d.b_batch_strides, call.b, batchB);
  if (status)
    return status;
  call.rows = rows;
  call.cols = cols;
  call.depth = d.k;
  call.ldc = cols == 1 ? rows : colStride;
  call.bias = bias;
  call.type = type;
  call.resultType = resultType;
  call.compute = type == CUDA_R_64F             ? CUBLAS_COMPUTE_64F
                 : type == CUDA_R_32F && d.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                : CUBLAS_COMPUTE_32F;

  // Batch dimensions that nest evenly are one; the others are looped over.
  int32_t rank = 0;
  int64_t sizes[COIL_MAX_BATCH_RANK];
  int64_t stride[3][COIL_MAX_BATCH_RANK];
  for (int32_t i = 0; i < d.batch_rank; ++i) {
    if (d.batch_sizes[i] == 1)
      continue;
    const int64_t own[3] = {batchA[i], batchB[i], batchC[i]};
    bool joins = rank > 0;
    for (int o = 0; o < 3 && joins; ++o)
      joins = stride[o][rank - 1] == own[o] * d.batch_sizes[i];
    if (joins) {
      sizes[rank - 1] *= d.batch_sizes[i];
    } else {
      sizes[rank++] = d.batch_sizes[i];
    }
    for (int o = 0; o < 3; ++o)
      stride[o][rank - 1] = own[o];
  }
  call.batch = 1;
  int64_t outer = 1;
  if (rank > 0) {
    --rank;
    call.batch = sizes[rank];
    call.a.batchStride = stride[0][rank];
    call.b.batchStride = stride[1][rank];
    call.batchStrideC = stride[2][rank];
    for (int32_t i = 0; i < rank; ++i)
      outer *= sizes[i];
  }
  if (call.batch > INT32_MAX)
    return fail(COIL_UNSUPPORTED, "contraction of %" PRId64 " matrices",
                call.batch);
  int64_t element = coil_dtype_size(d.a_dtype),
          resultElement = coil_dtype_size(d.c_dtype);
  const char *baseA = static_cast<const char *>(call.a.data),
             *baseB = static_cast<const char *>(call.b.data);
  for (int64_t index = 0; index < outer; ++index) {
    int64_t rest = index, offset[3] = {0, 0, 0};
    for (int32_t i = rank; i-- > 0;) {
      for (int o = 0; o < 3; ++o)
        offset[o] += rest % sizes[i] * stride[o][i];
      rest /= sizes[i];
    }
    call.a.data = baseA + offset[0] * element;
    call.b.data = baseB + offset[1] * element;
    call.c = static_cast<char *>(c) + offset[2] * resultElement;
    if (int32_t failed = ::run(state, lib, call))
      return failed;
  }
  return COIL_OK;
}

extern "C" int32_t coil_rt_contraction_cuda(coil_run *run,
                                            const coil_contraction *desc,
                                            const void *a, const void *b,
                                            const void *bias, void *c) {
  return guarded([&]() -> int32_t {
    TraceStep step(run, COIL_TRACE_LIBRARY, "contraction");
    ++run->stats.library_calls;
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    if (desc->struct_size != sizeof(coil_contraction))
      return fail(COIL_INVALID_ARGUMENT,
                  "a contraction was compiled for another version of the "
                  "runtime");
    int32_t status = state->prepare();
    const BlasLt *lib = status ? nullptr : BlasLt::get();
    if (!lib)
      return step.finish(nameFailure(status ? status : COIL_UNAVAILABLE,
                                     "contraction", desc->where),
                         c, 0);
    // The library's kernels keep addresses where nobody can patch them.
    if (state->recording)
      for (const void *pointer : {a, b, bias, (const void *)c})
        state->recording->pin(toDevice(pointer));
    ContextGuard guard(state->device);
    StepTimer timer(*state, nullptr, "contraction");
    status = Contraction(*state, *desc).run(*lib, a, b, bias, c);
    return step.finish(nameFailure(status, "contraction", desc->where), c, 0);
  });
}
