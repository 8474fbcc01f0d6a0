//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that the runtime has itself, for operators that no kernel is
// generated for: scatters in place, in a fixed order, for all element types.
//
//   coil::scatter(self!, dim, index, src, reduce, include_self)
//   coil::index_put(self!, indices, values, accumulate)
//
// Both go through the index in row-major order, so that the last of several
// writes to an element counts and sums are the same on every run. Each step is
// rounded to the element type.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Scalar.h"

#include <cmath>
#include <cstring>

using namespace coil::rt;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// `value` of one type as another one, as the framework converts numbers.
static Scalar convert(Scalar value, int32_t from, int32_t to) {
  if (isFloat(from) == isFloat(to))
    return value;
  Scalar result;
  if (isFloat(to))
    result.f = from == COIL_U64 ? double(uint64_t(value.i)) : double(value.i);
  else if (to == COIL_BOOL)
    result.i = value.f != 0;
  else
    result.i = int64_t(value.f);
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {

enum class Reduce { None, Sum, Prod, Mean, Max, Min };

} // namespace

static bool parse(const char *name, Reduce &reduce) {
  static const char *const names[] = {"none", "sum",  "prod",
                                      "mean", "amax", "amin"};
  for (size_t i = 0; i < 6; ++i)
    if (!strcmp(name, names[i])) {
      reduce = Reduce(i);
      return true;
    }
  return false;
}

static Scalar combine(Reduce reduce, int32_t dtype, Scalar a, Scalar b) {
  Scalar result = b;
  bool isUnsigned = dtype == COIL_U64;
  auto isLess = [&](Scalar x, Scalar y) {
    return isUnsigned ? uint64_t(x.i) < uint64_t(y.i) : x.i < y.i;
  };
  switch (reduce) {
  case Reduce::None:
    return b;
  case Reduce::Sum:
  case Reduce::Mean:
    if (isFloat(dtype))
      result.f = a.f + b.f;
    else
      result.i = int64_t(uint64_t(a.i) + uint64_t(b.i));
    return result;
  case Reduce::Prod:
    if (isFloat(dtype))
      result.f = a.f * b.f;
    else
      result.i = int64_t(uint64_t(a.i) * uint64_t(b.i));
    return result;
  case Reduce::Max:
    if (isFloat(dtype))
      result = std::isnan(a.f) || a.f > b.f ? a : b;
    else
      result = isLess(b, a) ? a : b;
    return result;
  case Reduce::Min:
    if (isFloat(dtype))
      result = std::isnan(a.f) || a.f < b.f ? a : b;
    else
      result = isLess(a, b) ? a : b;
    return result;
  }
  return result;
}

/// Sums of floats of 16 bits and less round twice, harmlessly: first to f32,
/// where nothing is lost that the second rounding could see.
static Scalar divide(int32_t dtype, Scalar sum, int64_t count) {
  if (isFloat(dtype)) {
    sum.f /= double(count);
    return sum;
  }
  if (dtype == COIL_U64) {
    sum.i = int64_t(uint64_t(sum.i) / uint64_t(count));
    return sum;
  }
  // Toward minus infinity.
  int64_t quotient = sum.i / count;
  sum.i = quotient - (sum.i % count < 0);
  return sum;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Counts through all positions below `sizes` in row-major order, until `body`
/// returns a status.
template <typename Body>
static int32_t forEach(const std::vector<int64_t> &sizes, Body body) {
  for (int64_t size : sizes)
    if (size <= 0)
      return COIL_OK;
  std::vector<int64_t> position(sizes.size());
  while (true) {
    if (int32_t status = body(position))
      return status;
    size_t d = sizes.size();
    while (d > 0 && ++position[d - 1] == sizes[d - 1])
      position[--d] = 0;
    if (d == 0)
      return COIL_OK;
  }
}

static char *elementAt(const coil_tensor &tensor, int64_t offset) {
  return static_cast<char *>(tensor.data) +
         offset * coil_dtype_size(tensor.dtype);
}

static int64_t offsetOf(const coil_tensor &tensor,
                        const std::vector<int64_t> &position) {
  int64_t offset = 0;
  for (size_t d = 0; d < position.size(); ++d)
    offset += position[d] * tensor.strides[d];
  return offset;
}

static int64_t numElements(const coil_tensor &tensor) {
  int64_t count = 1;
  for (int32_t d = 0; d < tensor.rank; ++d)
    count *= tensor.sizes[d];
  return count;
}

static int32_t failIndex(coil_call *call, int64_t index, int64_t dim,
                         int64_t size) {
  std::string why = "index " + std::to_string(index) +
                    " is out of bounds for dimension " + std::to_string(dim) +
                    " with size " + std::to_string(size);
  return coil_call_fail(call, why.c_str());
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

/// The value of an argument that is a number.
static bool getNumber(const coil_argument *argument, int32_t dtype,
                      Scalar &value) {
  if (!argument)
    return false;
  if (argument->kind == COIL_ARGUMENT_FLOAT) {
    value.f = argument->value.number;
    value = convert(value, COIL_F64, dtype);
    return true;
  }
  if (argument->kind != COIL_ARGUMENT_INT &&
      argument->kind != COIL_ARGUMENT_BOOL)
    return false;
  value.i = argument->value.integer;
  value = convert(value, COIL_I64, dtype);
  return true;
}

static int32_t scatter(coil_call *call, void *) {
  const coil_tensor *self = coil_call_mutable_tensor(call, 0),
                    *index = coil_call_tensor(call, 2);
  const int64_t *dim = coil_call_int(call, 1),
                *includeSelf = coil_call_bool(call, 5);
  const char *name = coil_call_string(call, 4);
  Reduce reduce;
  if (!self || !dim || !index || !name || !parse(name, reduce))
    return coil_call_fail(call, "expected a tensor, a dimension, an index, a "
                                "source, a reduction and a bool");
  const coil_argument *argument = coil_call_argument(call, 3);
  const coil_tensor *src = nullptr;
  Scalar number = {};
  if (argument && argument->kind == COIL_ARGUMENT_TENSOR)
    src = argument->value.tensor;
  else if (!getNumber(argument, self->dtype, number))
    return coil_call_fail(call, "expected a tensor or a number as source");
  if (index->rank != self->rank || (src && src->rank != self->rank) ||
      *dim < 0 || *dim >= std::max(self->rank, 1))
    return coil_call_fail(call, "the ranks of its operands do not fit");
  if ((index->dtype != COIL_I64 && index->dtype != COIL_I32) ||
      (src && src->dtype != self->dtype))
    return coil_call_fail(call, "the element types of its operands do not fit");
  std::vector<int64_t> sizes(index->sizes, index->sizes + index->rank);
  for (int32_t d = 0; d < self->rank; ++d)
    if ((src && sizes[size_t(d)] > src->sizes[d]) ||
        (d != *dim && sizes[size_t(d)] > self->sizes[d]))
      return coil_call_fail(call, "the index is larger than its operands");

  // How often each element was combined, for means and where what was there
  // before does not count.
  bool keepsSelf = !includeSelf || *includeSelf != 0;
  bool counts =
      reduce == Reduce::Mean || (reduce != Reduce::None && !keepsSelf);
  std::vector<int64_t> count;
  std::vector<int64_t> dense(size_t(self->rank));
  if (counts) {
    count.resize(size_t(numElements(*self)), keepsSelf ? 1 : 0);
    int64_t stride = 1;
    for (int32_t d = self->rank; d-- > 0; stride *= self->sizes[d])
      dense[size_t(d)] = stride;
  }
  std::vector<int64_t> target;
  auto body = [&](const std::vector<int64_t> &position) -> int32_t {
    target = position;
    if (self->rank != 0) {
      int64_t to =
          load(elementAt(*index, offsetOf(*index, position)), index->dtype).i;
      if (to < 0 || to >= self->sizes[*dim])
        return failIndex(call, to, *dim, self->sizes[*dim]);
      target[size_t(*dim)] = to;
    } else if (int64_t to = load(index->data, index->dtype).i) {
      return failIndex(call, to, 0, 1);
    }
    char *at = elementAt(*self, offsetOf(*self, target));
    Scalar value =
        src ? load(elementAt(*src, offsetOf(*src, position)), src->dtype)
            : number;
    bool isFirst = false;
    if (counts) {
      size_t i = 0;
      for (size_t d = 0; d < target.size(); ++d)
        i += size_t(target[d] * dense[d]);
      isFirst = count[i]++ == 0;
    }
    store(at, self->dtype,
          isFirst ? value
                  : combine(reduce, self->dtype, load(at, self->dtype), value));
    return COIL_OK;
  };
  if (int32_t status = forEach(sizes, body))
    return status;
  if (reduce != Reduce::Mean)
    return COIL_OK;
  size_t i = 0;
  return forEach(std::vector<int64_t>(self->sizes, self->sizes + self->rank),
                 [&](const std::vector<int64_t> &position) -> int32_t {
                   if (int64_t n = count[i++]; n > 1) {
                     char *at = elementAt(*self, offsetOf(*self, position));
                     store(at, self->dtype,
                           divide(self->dtype, load(at, self->dtype), n));
                   }
                   return COIL_OK;
                 });
}

//===----------------------------------------------------------------------===//
// Index put
//===----------------------------------------------------------------------===//

namespace {

/// An index of one dimension: where its elements are, broadcast.
struct Index {
  int64_t dim;
  int32_t dtype = COIL_I64;
  const void *data = nullptr;
  std::vector<int64_t> sizes, strides;
  /// Positions that a mask stands for.
  std::vector<int64_t> owned;

  int64_t at(const std::vector<int64_t> &position) const {
    size_t skip = position.size() - sizes.size();
    int64_t offset = 0;
    for (size_t d = 0; d < sizes.size(); ++d)
      offset += sizes[d] == 1 ? 0 : position[skip + d] * strides[d];
    return load(static_cast<const char *>(data) +
                    offset * coil_dtype_size(dtype),
                dtype)
        .i;
  }
};

} // namespace

/// A mask stands for the positions where it holds, one index for each of its
/// dimensions.
static int32_t addMask(coil_call *call, const coil_tensor &mask,
                       const coil_tensor &self, int64_t dim,
                       std::vector<Index> &indices) {
  size_t first = indices.size();
  std::vector<int64_t> sizes(mask.sizes, mask.sizes + mask.rank);
  for (int32_t d = 0; d < mask.rank; ++d) {
    if (dim + d >= self.rank || self.sizes[dim + d] != sizes[size_t(d)])
      return coil_call_fail(call, "a mask has other sizes than its operand");
    indices.push_back({dim + d, COIL_I64, nullptr, {}, {1}, {}});
  }
  forEach(sizes, [&](const std::vector<int64_t> &position) -> int32_t {
    if (load(elementAt(mask, offsetOf(mask, position)), mask.dtype).i)
      for (size_t d = 0; d < position.size(); ++d)
        indices[first + d].owned.push_back(position[d]);
    return COIL_OK;
  });
  for (size_t i = first; i < indices.size(); ++i)
    indices[i].sizes = {int64_t(indices[i].owned.size())};
  return COIL_OK;
}

static int32_t indexPut(coil_call *call, void *) {
  const coil_tensor *self = coil_call_mutable_tensor(call, 0),
                    *values = coil_call_tensor(call, 2);
  int64_t numIndices = 0;
  const coil_argument *list = coil_call_list(call, 1, &numIndices);
  const int64_t *accumulate = coil_call_bool(call, 3);
  if (!self || !values || !list || !accumulate)
    return coil_call_fail(
        call, "expected a tensor, a list of indices, values and a bool");
  if (values->dtype != self->dtype)
    return coil_call_fail(call, "the element types of its operands do not fit");

  std::vector<Index> indices;
  int64_t dim = 0;
  for (int64_t i = 0; i < numIndices; ++i) {
    const coil_tensor *index = coil_argument_tensor(call, list + i);
    if (!index) { // All of the dimension.
      ++dim;
      continue;
    }
    if (index->dtype == COIL_BOOL || index->dtype == COIL_U8) {
      if (int32_t status = addMask(call, *index, *self, dim, indices))
        return status;
      dim += index->rank;
      continue;
    }
    if (index->dtype != COIL_I64 && index->dtype != COIL_I32)
      return coil_call_fail(call, "an index is neither integers nor a mask");
    indices.push_back(
        {dim++,
         index->dtype,
         index->data,
         std::vector<int64_t>(index->sizes, index->sizes + index->rank),
         std::vector<int64_t>(index->strides, index->strides + index->rank),
         {}});
  }
  if (dim > self->rank)
    return coil_call_fail(call, "there are more indices than dimensions");
  // What indices own does not move any more.
  for (Index &index : indices)
    if (!index.data)
      index.data = index.owned.data();

  // Indices broadcast together; where they are next to each other, what they
  // select stays in its place, else it comes first.
  std::vector<int64_t> common;
  for (const Index &index : indices) {
    if (index.sizes.size() > common.size())
      common.insert(common.begin(), index.sizes.size() - common.size(), 1);
    for (size_t d = 0; d < index.sizes.size(); ++d) {
      int64_t &size = common[common.size() - index.sizes.size() + d];
      if (size == 1)
        size = index.sizes[d];
      else if (index.sizes[d] != 1 && index.sizes[d] != size)
        return coil_call_fail(call, "the indices do not broadcast");
    }
  }
  bool isAdjacent = true;
  for (size_t i = 1; i < indices.size(); ++i)
    isAdjacent &= indices[i].dim == indices[i - 1].dim + 1;
  std::vector<bool> isIndexed(size_t(self->rank));
  for (const Index &index : indices)
    isIndexed[size_t(index.dim)] = true;
  std::vector<int64_t> sizes;
  std::vector<int64_t> place; // Of dimensions that are not indexed.
  size_t first = 0;           // Where the common dimensions begin.
  bool isPlaced = !isAdjacent || indices.empty();
  if (isPlaced)
    sizes = common;
  for (int64_t d = 0; d < self->rank; ++d) {
    if (isIndexed[size_t(d)]) {
      if (!isPlaced) {
        first = sizes.size();
        sizes.insert(sizes.end(), common.begin(), common.end());
        isPlaced = true;
      }
      place.push_back(-1);
      continue;
    }
    place.push_back(int64_t(sizes.size()));
    sizes.push_back(self->sizes[d]);
  }
  if (size_t(values->rank) > sizes.size())
    return coil_call_fail(call, "the values do not broadcast to the indices");
  size_t skip = sizes.size() - size_t(values->rank);
  for (int32_t d = 0; d < values->rank; ++d)
    if (values->sizes[d] != 1 && values->sizes[d] != sizes[skip + size_t(d)])
      return coil_call_fail(call, "the values do not broadcast to the indices");

  std::vector<int64_t> target(size_t(self->rank)), selected(common.size());
  return forEach(sizes, [&](const std::vector<int64_t> &position) -> int32_t {
    for (size_t d = 0; d < common.size(); ++d)
      selected[d] = position[first + d];
    for (size_t d = 0; d < target.size(); ++d)
      if (place[d] >= 0)
        target[d] = position[size_t(place[d])];
    for (const Index &index : indices) {
      int64_t to = index.at(selected), size = self->sizes[index.dim];
      if (to < -size || to >= size)
        return failIndex(call, to, index.dim, size);
      target[size_t(index.dim)] = to < 0 ? to + size : to;
    }
    int64_t offset = 0;
    for (int32_t d = 0; d < values->rank; ++d)
      if (values->sizes[d] != 1)
        offset += position[skip + size_t(d)] * values->strides[d];
    char *at = elementAt(*self, offsetOf(*self, target));
    Scalar value = load(elementAt(*values, offset), values->dtype);
    store(at, self->dtype,
          combine(*accumulate ? Reduce::Sum : Reduce::None, self->dtype,
                  load(at, self->dtype), value));
    return COIL_OK;
  });
}

void coil::rt::registerFallbacks() {
  for (const auto &[name, function] :
       {std::pair<const char *, coil_function_pointer>("coil::scatter",
                                                       scatter),
        std::pair<const char *, coil_function_pointer>("coil::index_put",
                                                       indexPut)}) {
    coil_function each = {
        sizeof(coil_function), 0, name, COIL_CPU, 0, function, nullptr};
    (void)coil_register_function(&each);
  }
}
