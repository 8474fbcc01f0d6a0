//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What host programs that were emitted as C++ use in addition to the runtime's
// C interface: handles that own memory, and integers as Coil computes with
// them. Header only; no exceptions, no framework.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_HOSTPROGRAM_H
#define COIL_RUNTIME_HOSTPROGRAM_H

#include "coil/Runtime/CUDA.h"
#include "coil/Runtime/Collectives.h"
#include "coil/Runtime/Functions.h"
#include "coil/Runtime/HostABI.h"
#include "coil/Runtime/Library.h"
#include "coil/Runtime/Objects.h"
#include "coil/Runtime/RunContext.h"
#include "coil/Runtime/Transfer.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

/// Returns from a function with the status of a call that is not COIL_OK.
#define COIL_TRY(...)                                                          \
  do {                                                                         \
    if (int32_t coil_status_ = (__VA_ARGS__))                                  \
      return coil_status_;                                                     \
  } while (false)

/// Fails with a message and two numbers unless a condition holds.
#define COIL_CHECK(run, condition, message, lhs, rhs)                          \
  do {                                                                         \
    if (!(condition))                                                          \
      return coil_rt_assert_fail(run, message, lhs, rhs);                      \
  } while (false)

namespace coil {

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Quotient rounded toward minus infinity. A divisor of zero counts as one.
constexpr int64_t floordiv(int64_t a, int64_t b) {
  if (b == 0)
    return a;
  if (b ==
      -1) // The quotient of the least number wraps, as the multiplication does.
    return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

/// `a - floordiv(a, b) * b`: has the sign of `b`.
constexpr int64_t floormod(int64_t a, int64_t b) {
  if (b == 0 || b == -1)
    return 0;
  return a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0);
}

constexpr int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t max(int64_t a, int64_t b) { return a < b ? b : a; }

/// An integer that remembers whether the arithmetic after it overflowed.
struct Checked {
  int64_t value;
  bool overflowed = false;

  Checked(int64_t value) : value(value) {}
  Checked(int64_t value, bool overflowed)
      : value(value), overflowed(overflowed) {}

  friend Checked operator+(Checked a, Checked b) {
    Checked r(0, a.overflowed || b.overflowed);
    r.overflowed |= __builtin_add_overflow(a.value, b.value, &r.value);
    return r;
  }
  friend Checked operator-(Checked a, Checked b) {
    Checked r(0, a.overflowed || b.overflowed);
    r.overflowed |= __builtin_sub_overflow(a.value, b.value, &r.value);
    return r;
  }
  friend Checked operator*(Checked a, Checked b) {
    Checked r(0, a.overflowed || b.overflowed);
    r.overflowed |= __builtin_mul_overflow(a.value, b.value, &r.value);
    return r;
  }
  friend Checked operator-(Checked a) { return Checked(0) - a; }
};

inline Checked floordiv(Checked a, Checked b) {
  return {floordiv(a.value, b.value), a.overflowed || b.overflowed};
}
inline Checked floormod(Checked a, Checked b) {
  return {floormod(a.value, b.value), a.overflowed || b.overflowed};
}
inline Checked min(Checked a, Checked b) {
  return {min(a.value, b.value), a.overflowed || b.overflowed};
}
inline Checked max(Checked a, Checked b) {
  return {max(a.value, b.value), a.overflowed || b.overflowed};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Calls a function with the run on the way out.
template <int32_t (*Function)(coil_run *)>
struct Leave {
  coil_run *run;
  ~Leave() { (void)Function(run); }
};

/// A range for profilers, which ends with `end`, or when the program stops
/// half-way.
class Range {
public:
  explicit Range(coil_run *run) : run(run) {}
  Range(const Range &) = delete;
  Range &operator=(const Range &) = delete;
  ~Range() { (void)end(); }
  int32_t begin(const char *name) {
    isOpen = true;
    return coil_rt_begin_range(run, name);
  }
  int32_t end() {
    return std::exchange(isOpen, false) ? coil_rt_end_range(run)
                                        : static_cast<int32_t>(COIL_OK);
  }

private:
  coil_run *run;
  bool isOpen = false;
};

/// Owns memory of a run that `Free` gives back. What a program that stops
/// half-way still owns is freed on the way out.
template <int32_t (*Free)(coil_run *, void *)>
class Buffer {
public:
  Buffer() = default;
  /// Takes over memory.
  Buffer(coil_run *run, void *data) : run(run), data(data) {}
  Buffer(Buffer &&other) noexcept : run(other.run), data(other.release()) {}
  Buffer &operator=(Buffer &&other) noexcept {
    if (this != &other) {
      (void)free();
      run = other.run;
      data = other.release();
    }
    return *this;
  }
  ~Buffer() { (void)free(); }

  /// Gets memory from a function with the signature of coil_rt_alloc.
  int32_t allocate(int32_t (*allocate)(coil_run *, int64_t, void **),
                   coil_run *owner, Checked bytes) {
    if (bytes.overflowed)
      return coil_rt_fail(owner, COIL_OUT_OF_MEMORY,
                          "the size of a buffer overflows");
    COIL_TRY(free());
    run = owner;
    return allocate(owner, bytes.value, &data);
  }
  int32_t free() {
    void *old = release();
    return old ? Free(run, old) : static_cast<int32_t>(COIL_OK);
  }
  void *get() const { return data; }
  /// Releases the ownership of the memory without freeing it.
  void *release() { return std::exchange(data, nullptr); }

private:
  coil_run *run = nullptr;
  void *data = nullptr;
};

/// The address `elements` elements of `bytes` bytes after another.
inline void *offset(void *data, int64_t elements, int64_t bytes) {
  return static_cast<char *>(data) + elements * bytes;
}

/// The elements of a constant, which nobody writes.
template <typename T>
void *constant(const T *elements) {
  return const_cast<T *>(elements);
}

inline void copy(void *to, const void *from, int64_t bytes) {
  if (bytes > 0)
    std::memcpy(to, from, static_cast<size_t>(bytes));
}

inline void fill(void *to, int byte, int64_t bytes) {
  if (bytes > 0)
    std::memset(to, byte, static_cast<size_t>(bytes));
}

/// A list of numbers or addresses as an argument of a function.
template <typename T, size_t N>
struct List {
  T values[N ? N : 1];
};

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// What all calls of a function share on GPUs: literals, uploaded once for each
/// device, and graphs. Ends with the library that has the function.
class Program {
public:
  /// Whether calls may be one graph as a whole; their partitions always may.
  explicit Program(bool isWhole) {
    if (coil_cuda_program_create(&program) == COIL_OK)
      coil_cuda_program_set_whole_calls(program, isWhole);
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  ~Program() { coil_cuda_program_destroy(program); }
  coil_cuda_program *get() const { return program; }

private:
  coil_cuda_program *program = nullptr;
};

/// Calls a function in its program.
inline int32_t call(coil_cuda_program *program, coil_run *run,
                    coil_entry_point body, const coil_tensor *inputs,
                    size_t num_inputs, coil_tensor *outputs,
                    size_t num_outputs) {
  if (!program)
    return coil_rt_fail(run, COIL_OUT_OF_MEMORY, "out of memory");
  return coil_cuda_program_call(program, run, body, inputs,
                                static_cast<int32_t>(num_inputs), outputs,
                                static_cast<int32_t>(num_outputs));
}

inline int32_t setGraphs(coil_cuda_program *program, int32_t limit) {
  if (!program)
    return coil_rt_fail(nullptr, COIL_OUT_OF_MEMORY, "out of memory");
  coil_cuda_program_set_graph_limit(program, limit);
  return COIL_OK;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Checks the layout of a call's result, whose sizes and strides lie after one
/// another.
inline int32_t checkResult(coil_run *run, const int64_t *shape, int32_t rank,
                           const char *name, const int64_t *sizes,
                           const int64_t *strides) {
  coil_tensor tensor = {};
  tensor.sizes = shape;
  tensor.strides = shape + rank;
  tensor.rank = rank;
  return coil_rt_check_layout(run, &tensor, name, sizes, strides);
}

/// Gives a result to a caller that has space for its shape.
inline void setResult(coil_tensor &result, void *data, const int64_t *sizes,
                      const int64_t *strides) {
  result.data = data;
  for (int32_t d = 0; d < result.rank; ++d) {
    const_cast<int64_t *>(result.sizes)[d] = sizes[d];
    const_cast<int64_t *>(result.strides)[d] = strides[d];
  }
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

inline int32_t boundObject(coil_run *run, const char *name,
                           const char *className, void *&object) {
  coil_object *found = nullptr;
  int32_t status = coil_rt_bound_object(run, name, className, &found);
  object = found;
  return status;
}

inline int32_t dropObject(coil_run *run, void *object) {
  return coil_rt_drop_object(run, static_cast<coil_object *>(object));
}

//===----------------------------------------------------------------------===//
// Arguments of host functions
//===----------------------------------------------------------------------===//

inline coil_argument makeArgument(coil_argument_kind kind, int64_t integer) {
  coil_argument argument = {};
  argument.kind = kind;
  argument.value.integer = integer;
  return argument;
}
inline coil_argument noArgument() {
  return makeArgument(COIL_ARGUMENT_NONE, 0);
}
inline coil_argument intArgument(int64_t value) {
  return makeArgument(COIL_ARGUMENT_INT, value);
}
inline coil_argument boolArgument(bool value) {
  return makeArgument(COIL_ARGUMENT_BOOL, value);
}
inline coil_argument dtypeArgument(int32_t dtype) {
  return makeArgument(COIL_ARGUMENT_DTYPE, dtype);
}
inline coil_argument floatArgument(double value) {
  coil_argument argument = {};
  argument.kind = COIL_ARGUMENT_FLOAT;
  argument.value.number = value;
  return argument;
}
inline coil_argument stringArgument(const char *value) {
  coil_argument argument = {};
  argument.kind = COIL_ARGUMENT_STRING;
  argument.value.string = value;
  return argument;
}
inline coil_argument tensorArgument(const coil_tensor &tensor, bool isMutable) {
  coil_argument argument = {};
  argument.kind = COIL_ARGUMENT_TENSOR;
  argument.is_mutable = isMutable;
  argument.value.tensor = &tensor;
  return argument;
}
inline coil_argument objectArgument(void *object) {
  coil_argument argument = {};
  argument.kind = COIL_ARGUMENT_OBJECT;
  argument.value.object = static_cast<coil_object *>(object);
  return argument;
}
inline coil_argument listArgument(const coil_argument *elements,
                                  int64_t count) {
  coil_argument argument = {};
  argument.kind = COIL_ARGUMENT_LIST;
  argument.count = count;
  argument.value.elements = elements;
  return argument;
}

} // namespace coil

#endif // COIL_RUNTIME_HOSTPROGRAM_H
