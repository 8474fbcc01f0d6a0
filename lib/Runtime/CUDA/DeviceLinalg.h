//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What linear algebra on a GPU is written in: matrices column by column in
// memory of the call, libraries' handles on its stream, and small kernels.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_DEVICELINALG_H
#define COIL_LIB_RUNTIME_CUDA_DEVICELINALG_H

#include "../Linalg.h"
#include "BlasLt.h"
#include "CuSolver.h"
#include "Pack.h"

#include <mutex>

namespace coil::rt::cuda {

/// Registers `coil::linalg_lu` and the others for GPUs.
void registerLinalg();
void registerFactorizations();
void registerDecompositions();

/// What the libraries call an element type.
template <typename T>
constexpr int cudaTypeOf() {
  return std::is_same_v<T, float>                 ? CUDA_R_32F
         : std::is_same_v<T, double>              ? CUDA_R_64F
         : std::is_same_v<T, std::complex<float>> ? CUDA_C_32F
                                                  : CUDA_C_64F;
}

/// The one of four functions that is for T.
template <typename T, typename Function>
Function forType(Function s, Function d, Function c, Function z) {
  return std::is_same_v<T, float>                 ? s
         : std::is_same_v<T, double>              ? d
         : std::is_same_v<T, std::complex<float>> ? c
                                                  : z;
}
#define COIL_SOLVER_FOR(T, lib, real, complex)                                 \
  forType<T>((lib).cusolverDnS##real, (lib).cusolverDnD##real,                 \
             (lib).cusolverDnC##complex, (lib).cusolverDnZ##complex)
#define COIL_BLAS_FOR(T, lib, name)                                            \
  forType<T>((lib).cublasS##name, (lib).cublasD##name, (lib).cublasC##name,    \
             (lib).cublasZ##name)

/// Matrices in memory of the call, dense, column by column.
template <typename T>
struct Matrices {
  T *data = nullptr;
  int64_t count = 0, rows = 0, columns = 0;

  T *at(int64_t number) const { return data + number * rows * columns; }
  int64_t ld() const { return std::max<int64_t>(rows, 1); }
};

/// One call of a function for linear algebra: the libraries on its stream.
class LinalgCall {
public:
  explicit LinalgCall(coil_call *call);

  /// Whether the libraries are there and work on the call's stream; else the
  /// error is recorded. Another call waits until this one is over.
  int32_t prepare();

  coil_call *call;
  RunState &state;
  const CuSolver *solver = nullptr;
  const CuBlas *blas = nullptr;
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  cublasHandle_t blasHandle = nullptr;

  /// Memory for the time of the call, of at least one element.
  template <typename T>
  int32_t allocate(int64_t count, T *&out) {
    void *memory = nullptr;
    int32_t status = coil_call_scratch(
        call, std::max<int64_t>(count, 1) * int64_t(sizeof(T)), &memory);
    out = static_cast<T *>(memory);
    return status;
  }

  template <typename T>
  int32_t allocate(int64_t count, int64_t rows, int64_t columns,
                   Matrices<T> &out) {
    out.count = count;
    out.rows = rows;
    out.columns = columns;
    return allocate(count * rows * columns, out.data);
  }

  /// What a factorization says of each matrix: zeros at first.
  int32_t allocateInfo(int64_t count, Matrices<blasint> &out) {
    if (int32_t status = allocate(count, 1, 1, out))
      return status;
    return clear(out.data, count * int64_t(sizeof(blasint)));
  }

  /// Copies a stack, which may be broadcast to `batch`.
  template <typename T>
  int32_t load(const Stack<T> &from, const std::vector<int64_t> &batch,
               Matrices<T> &out) {
    int64_t count = 1;
    for (int64_t size : batch)
      count *= size;
    if (int32_t status = allocate(count, from.rows, from.columns, out))
      return status;
    std::vector<int64_t> strides(batch.size(), 0);
    size_t skip = batch.size() - from.batch.size();
    for (size_t d = skip; d < batch.size(); ++d)
      if (from.batch[d - skip] != 1)
        strides[d] = from.batchStrides[d - skip];
    return move(out, batch, from, strides, /*isLoad=*/true);
  }
  template <typename T>
  int32_t load(const Stack<T> &from, Matrices<T> &out) {
    return load(from, from.batch, out);
  }
  /// Copies the first rows and columns of matrices, as many as a stack has.
  template <typename T>
  int32_t store(const Matrices<T> &from, const Stack<T> &to) {
    return move(from, to.batch, to, to.batchStrides, /*isLoad=*/false);
  }

  /// Addresses of the matrices, on the device.
  template <typename T>
  int32_t getPointers(const Matrices<T> &matrices, void **&out) {
    if (int32_t status = allocate(matrices.count, out))
      return status;
    std::vector<void *> pointers;
    for (int64_t i = 0; i < matrices.count; ++i)
      pointers.push_back(matrices.at(i));
    return upload(out, pointers.data(),
                  matrices.count * int64_t(sizeof(void *)));
  }

  /// Numbers of 32 bits as ones of 64, and back.
  int32_t widen(const int32_t *from, int64_t count, int64_t *to);
  int32_t narrow(const int64_t *from, int64_t count, int32_t *to);
  int32_t clear(void *to, int64_t bytes);
  int32_t upload(void *to, const void *from, int64_t bytes);

  /// Waits for numbers of the device.
  int32_t download(const int32_t *from, int64_t count,
                   std::vector<int32_t> &out);

  /// Zeros above (or, of an upper triangle, below) the diagonal.
  template <typename T>
  int32_t keepTriangle(const Matrices<T> &matrices, bool isUpper) {
    return clearTriangle(matrices.data, matrices.count, matrices.rows,
                         matrices.columns, sizeof(T), isUpper);
  }

  /// Runs a function that has memory of its own: `size(device, host)` says how
  /// much, `run(deviceWork, device, hostWork, host, i)` is called for each of
  /// `count` matrices.
  template <typename Size, typename Run>
  int32_t forEach(const char *what, int64_t count, Size &&size, Run &&run) {
    size_t deviceBytes = 0, hostBytes = 0;
    if (int32_t status = checkCuSolver(size(&deviceBytes, &hostBytes), what))
      return status;
    char *deviceWork = nullptr;
    if (int32_t status = allocate(int64_t(deviceBytes), deviceWork))
      return status;
    std::vector<char> hostWork(std::max<size_t>(hostBytes, 1));
    for (int64_t i = 0; i < count; ++i)
      if (int32_t status = checkCuSolver(
              run(deviceWork, deviceBytes, hostWork.data(), hostBytes, i),
              what))
        return status;
    return COIL_OK;
  }

  /// Whether many small matrices are worth a function for stacks of them.
  static bool isStack(int64_t count, int64_t size) {
    // Those functions give a matrix to a block of threads; larger ones keep the
    // whole device busy alone.
    return count > 1 && size <= 512;
  }

private:
  template <typename T>
  int32_t move(const Matrices<T> &dense, const std::vector<int64_t> &batch,
               const Stack<T> &stack, const std::vector<int64_t> &strides,
               bool isLoad) {
    std::vector<int64_t> sizes(batch), denseStrides(batch.size()),
        stackStrides(strides);
    int64_t step = dense.rows * dense.columns;
    for (size_t d = batch.size(); d-- > 0;) {
      denseStrides[d] = step;
      step *= batch[d];
    }
    sizes.insert(sizes.end(), {stack.columns, stack.rows});
    denseStrides.insert(denseStrides.end(), {dense.rows, 1});
    stackStrides.insert(stackStrides.end(),
                        {stack.columnStride, stack.rowStride});
    if (isLoad)
      return copyElements(state, dense.data, denseStrides, stack.data,
                          stackStrides, sizes, sizeof(T));
    return copyElements(state, stack.data, stackStrides, dense.data,
                        denseStrides, sizes, sizeof(T));
  }

  int32_t clearTriangle(void *data, int64_t count, int64_t rows,
                        int64_t columns, int64_t element, bool isUpper);

  std::unique_lock<std::mutex> lock;
};

/// The order of rows that exchanging each with its pivot leads to, of dense
/// pivots and into dense memory.
int32_t computeOrder(RunState &state, const int32_t *pivots, int64_t count,
                     int64_t numPivots, int64_t rows, int64_t *order);

/// Multiplies `count` floats of 4 or 8 bytes.
int32_t scaleElements(RunState &state, void *data, int64_t count,
                      int64_t element, double factor);

/// A stack with rows for columns.
template <typename T>
Stack<T> transposed(Stack<T> stack) {
  std::swap(stack.rows, stack.columns);
  std::swap(stack.rowStride, stack.columnStride);
  return stack;
}

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_DEVICELINALG_H
