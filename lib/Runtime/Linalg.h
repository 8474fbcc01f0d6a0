//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dense linear algebra as host functions of the runtime, and what they are
// written in: stacks of matrices in any layout, which LAPACK gets column by
// column.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_LINALG_H
#define COIL_LIB_RUNTIME_LINALG_H

#include "Call.h"
#include "Lapack.h"
#include "Threads.h"

#include "coil/Runtime/Functions.h"

#include <algorithm>
#include <string>
#include <vector>

namespace coil::rt {

/// Registers `coil::linalg_lu` and the others.
void registerLinalg();
void registerFactorizations();
void registerDecompositions();

/// Copies a matrix between layouts, in tiles of which both sides stay in the
/// L1 cache: rows of one become columns of the other in most calls.
template <typename T>
void copyMatrix(int64_t rows, int64_t columns, const T *from, int64_t fromRow,
                int64_t fromColumn, T *to, int64_t toRow, int64_t toColumn) {
  if (fromRow == 1 && toRow == 1) {
    for (int64_t y = 0; y < columns; ++y)
      std::copy_n(from + y * fromColumn, rows, to + y * toColumn);
    return;
  }
  if (fromColumn == 1 && toColumn == 1) {
    for (int64_t x = 0; x < rows; ++x)
      std::copy_n(from + x * fromRow, columns, to + x * toRow);
    return;
  }
  // A line of the cache in each direction.
  constexpr int64_t tile = std::max<int64_t>(1, 64 / int64_t(sizeof(T)));
  for (int64_t j = 0; j < columns; j += tile)
    for (int64_t i = 0; i < rows; i += tile) {
      int64_t lastRow = std::min(rows, i + tile);
      int64_t lastColumn = std::min(columns, j + tile);
      for (int64_t y = j; y < lastColumn; ++y)
        for (int64_t x = i; x < lastRow; ++x)
          to[x * toRow + y * toColumn] = from[x * fromRow + y * fromColumn];
    }
}

/// A stack of matrices or vectors of T.
template <typename T>
struct Stack {
  T *data = nullptr;
  std::vector<int64_t> batch, batchStrides;
  int64_t rows = 0, columns = 1, rowStride = 1, columnStride = 1;

  int64_t count() const {
    int64_t result = 1;
    for (int64_t size : batch)
      result *= size;
    return result;
  }
  T *at(int64_t number) const {
    T *result = data;
    for (size_t d = batch.size(); d-- > 0;) {
      result += number % batch[d] * batchStrides[d];
      number /= batch[d];
    }
    return result;
  }
  /// Copies one matrix to memory with columns `ld` apart.
  void load(int64_t number, T *to, int64_t ld) const {
    copyMatrix(rows, columns, at(number), rowStride, columnStride, to, 1, ld);
  }
  void store(int64_t number, const T *from, int64_t ld) const {
    copyMatrix(rows, columns, from, 1, ld, at(number), rowStride, columnStride);
  }
};

/// Reads a tensor of matrices (`dims` 2), vectors (1) or numbers (0). Complex
/// ones have their parts as the last dimension. False, with the call failed,
/// for one that is no such tensor.
template <typename T>
bool readStack(coil_call *call, const coil_tensor *tensor, int32_t dims,
               Stack<T> &out) {
  constexpr int32_t parts = isComplexElement<T> ? 1 : 0;
  if (!tensor || tensor->rank < dims + parts) {
    coil_call_fail(call, "an operand has too few dimensions");
    return false;
  }
  int32_t rank = tensor->rank - parts;
  bool isPacked =
      !parts || (tensor->sizes[rank] == 2 && tensor->strides[rank] == 1);
  std::vector<int64_t> strides(tensor->strides, tensor->strides + rank);
  for (int64_t &stride : strides) {
    isPacked &= !parts || stride % 2 == 0;
    stride /= 1 + parts;
  }
  if (!isPacked) {
    coil_call_fail(call, "the parts of complex numbers are not neighbours");
    return false;
  }
  out.data = static_cast<T *>(tensor->data);
  out.batch.assign(tensor->sizes, tensor->sizes + rank - dims);
  out.batchStrides.assign(strides.begin(), strides.end() - dims);
  if (dims == 2) {
    out.rows = tensor->sizes[rank - 2];
    out.columns = tensor->sizes[rank - 1];
    out.rowStride = strides[size_t(rank - 2)];
    out.columnStride = strides[size_t(rank - 1)];
  } else {
    out.rows = dims ? tensor->sizes[rank - 1] : 1;
    out.rowStride = dims ? strides[size_t(rank - 1)] : 1;
    out.columns = 1;
  }
  if (out.rows > INT32_MAX || out.columns > INT32_MAX) {
    coil_call_fail(call, "a matrix is too large for LAPACK");
    return false;
  }
  return true;
}

/// The runtime's number of a real type.
template <typename T>
constexpr int32_t dtypeOf() {
  return std::is_same_v<T, blasint>       ? COIL_I32
         : std::is_same_v<T, int64_t>     ? COIL_I64
         : std::is_same_v<Real<T>, float> ? COIL_F32
                                          : COIL_F64;
}

/// Makes result `index`: `batch`, then `sizes`.
template <typename T>
bool makeResult(coil_call *call, int32_t index,
                const std::vector<int64_t> &batch,
                std::initializer_list<int64_t> sizes, Stack<T> &out) {
  std::vector<int64_t> all(batch);
  all.insert(all.end(), sizes);
  if (isComplexElement<T>)
    all.push_back(2);
  const coil_tensor *tensor;
  if (coil_call_result(call, index, dtypeOf<T>(),
                       static_cast<int32_t>(all.size()), all.data(), &tensor))
    return false;
  return readStack(call, tensor, static_cast<int32_t>(sizes.size()), out);
}

/// Right sides of a system that may have a broadcast stack.
template <typename T>
int64_t broadcastNumber(const Stack<T> &stack,
                        const std::vector<int64_t> &batch, int64_t number) {
  // The position in `batch`, without dimensions that `stack` lacks or has once.
  int64_t result = 0, step = 1;
  size_t skip = batch.size() - stack.batch.size();
  for (size_t d = batch.size(); d-- > 0;) {
    int64_t position = number % batch[d];
    number /= batch[d];
    if (d < skip)
      continue;
    int64_t size = stack.batch[d - skip];
    if (size != 1)
      result += position * step;
    step *= size;
  }
  return result;
}

/// The stack of what two stacks broadcast to.
inline bool broadcast(coil_call *call, const std::vector<int64_t> &x,
                      const std::vector<int64_t> &y,
                      std::vector<int64_t> &out) {
  out = x.size() > y.size() ? x : y;
  for (const auto *each : {&x, &y})
    for (size_t i = 0; i < each->size(); ++i) {
      int64_t size = (*each)[each->size() - 1 - i];
      int64_t &result = out[out.size() - 1 - i];
      if (result == 1)
        result = size;
      else if (size != 1 && size != result) {
        coil_call_fail(call, "the stacks of matrices do not broadcast");
        return false;
      }
    }
  return true;
}

/// The status of a call that has failed.
inline int32_t failed(coil_call *call) {
  return coil_call_fail(call, "its arguments are not those of the function");
}

/// Arguments (factor, b) or (factor, pivots, b) of a function that solves
/// systems, and its result: square matrices or what they were factorized into,
/// right sides and solutions, in stacks that broadcast to `batch`.
template <typename T>
struct LinearSystem {
  Stack<T> factor, b, x;
  Stack<blasint> pivots;
  std::vector<int64_t> batch;

  int32_t read(coil_call *call, bool hasPivots) {
    if (!readStack(call, coil_call_tensor(call, 0), 2, factor) ||
        (hasPivots && !readStack(call, coil_call_tensor(call, 1), 1, pivots)) ||
        !readStack(call, coil_call_tensor(call, hasPivots ? 2 : 1), 2, b) ||
        !broadcast(call, factor.batch, b.batch, batch) ||
        !makeResult(call, 0, batch, {b.rows, b.columns}, x))
      return failed(call);
    if (factor.rows != factor.columns || b.rows != factor.rows ||
        (hasPivots &&
         (pivots.rows != factor.rows || pivots.batch != factor.batch)))
      return coil_call_fail(call, "the sizes of the matrices do not agree");
    return COIL_OK;
  }
};

/// Calls `body(number)` for each matrix of a stack: small ones on all threads,
/// large ones one after the other, each with all threads of the library.
template <typename Body>
int32_t forEachMatrix(int64_t count, int64_t size, Body &&body) {
  auto each = [&](int64_t begin, int64_t end) -> int32_t {
    return guarded([&]() -> int32_t {
      for (int64_t i = begin; i < end; ++i)
        if (int32_t status = body(i))
          return status;
      return COIL_OK;
    });
  };
  if (count > 1 && size <= 128)
    return parallelFor(
        count, std::max<int64_t>(1, 64 / std::max<int64_t>(size, 1)), each);
  ThreadCountScope scope;
  return each(0, count);
}

/// A flag among the arguments.
inline bool getFlag(coil_call *call, int32_t index) {
  const int64_t *flag = coil_call_bool(call, index);
  return flag && *flag;
}

/// What an iteration that does not converge is.
inline int32_t failToConverge(coil_call *call) {
  return coil_call_fail(call, "the algorithm did not converge: the matrix is "
                              "ill-conditioned or has too many repeated "
                              "values");
}

/// What the input of a Cholesky factorization without one is.
inline int32_t failNotPositive(coil_call *call, blasint order) {
  std::string why = "the input is not positive-definite (the leading minor of "
                    "order " +
                    std::to_string(order) + " is not)";
  return coil_call_fail(call, why.c_str());
}

/// Calls `function.operator()<T>(call)` for the element type of argument 0; the
/// last argument says whether it is complex.
template <typename Function>
int32_t dispatch(coil_call *call, Function &&function) {
  const coil_tensor *tensor = coil_call_tensor(call, 0);
  if (!tensor)
    return failed(call);
  bool isComplex = getFlag(call, coil_call_num_arguments(call) - 1);
  return guarded([&]() -> int32_t {
    if (tensor->dtype == COIL_F32)
      return isComplex ? function(call, std::complex<float>())
                       : function(call, float());
    if (tensor->dtype == COIL_F64)
      return isComplex ? function(call, std::complex<double>())
                       : function(call, double());
    return coil_call_fail(call, "elements are neither f32 nor f64");
  });
}

/// Memory of at least one element, so that it has an address.
template <typename T>
std::vector<T> makeBuffer(int64_t count) {
  return std::vector<T>(static_cast<size_t>(std::max<int64_t>(count, 1)));
}

/// A size as LAPACK takes leading dimensions: at least 1.
inline blasint atLeastOne(int64_t size) {
  return static_cast<blasint>(std::max<int64_t>(size, 1));
}

/// What a query for the size of work memory has answered.
template <typename T>
blasint getWorkSize(T answer) {
  // A float may have been rounded down.
  double size = static_cast<double>(std::real(answer));
  return static_cast<blasint>(std::max(1.0, size * (1 + 2e-7)));
}

/// Adds functions of a table to the registry.
struct NamedFunction {
  const char *name;
  coil_function_pointer call;
};
inline void registerAll(std::initializer_list<NamedFunction> functions,
                        int32_t device = COIL_CPU) {
  for (const NamedFunction &function : functions) {
    coil_function each = {
        sizeof(coil_function), 0,      function.name, device, 0,
        function.call,         nullptr};
    (void)coil_register_function(&each);
  }
}

/// A function for the element types, as `dispatch` calls it.
#define COIL_LINALG_FUNCTION(name, function)                                   \
  NamedFunction {                                                              \
    name, [](coil_call *call, void *) -> int32_t {                             \
      return dispatch(call, [](coil_call *c, auto element) {                   \
        return function<decltype(element)>(c);                                 \
      });                                                                      \
    }                                                                          \
  }

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_LINALG_H
