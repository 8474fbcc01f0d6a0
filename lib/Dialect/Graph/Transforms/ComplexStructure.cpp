//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that do the same to the real and to the imaginary part: views,
// copies, sums and what else is linear over the real numbers. They are called
// once for each part.
//
//===----------------------------------------------------------------------===//

#include "ComplexCall.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

/// Schema arguments that are positions, masks and sizes, not data.
static bool isPosition(StringRef name) {
  name = name.split('.').first;
  return name == "index" || name == "indices" || name == "mask" ||
         name == "condition" || name == "dims" || name == "repeats";
}

/// Schema arguments that are data if they are numbers. (`start` and `end` are
/// positions of a slice, but numbers of a range.)
static bool isDataNumber(StringRef op, StringRef name) {
  if (name == "start" || name == "end")
    return op.starts_with("aten.linspace");
  return name == "value" || name == "fill_value" || name == "other" ||
         name == "self";
}

/// The call for the real (`number` 0) or the imaginary part.
static FailureOr<SmallVector<Value>> clonePart(ComplexCall &c,
                                               unsigned number) {
  Type type;
  for (Value result : c.op.getOutputs())
    if (Type part = getPartType(getElementType(result)))
      type = part;
  SmallVector<Value> operands;
  for (auto [name, operand] : llvm::zip(
           c.op.getOperandNames().getAsRange<StringAttr>(), c.op.getInputs())) {
    if (!ComplexCall::isComplex(operand) && isPosition(name.getValue())) {
      operands.push_back(operand);
      continue;
    }
    Type element = getElementType(operand), part = getPartType(element);
    ComplexParts parts = c.partsOf(operand, part ? part : type);
    operands.push_back(number == 0 ? parts.re : parts.im);
  }
  SmallVector<NamedAttribute> arguments;
  for (NamedAttribute argument : c.op.getArguments()) {
    Attribute value = argument.getValue();
    if (auto typeAttr = dyn_cast<TypeAttr>(value)) {
      if (Type part = getPartType(typeAttr.getValue()))
        value = TypeAttr::get(part);
    } else if (auto numbers = getNumber(value)) {
      if (isDataNumber(c.op.getName(), argument.getName()))
        value = number == 0 ? numbers->first : numbers->second;
      else if (isa<DictionaryAttr>(value)) {
        (void)c.fail("its argument '" + argument.getName().getValue() +
                     "' is complex");
        return failure();
      }
    }
    arguments.emplace_back(argument.getName(), value);
  }
  return c.clone(operands, DictionaryAttr::get(c.op.getContext(), arguments));
}

/// An operator without complex results looks at the sizes of complex operands
/// alone (`expand_as`), or gives zeros and the like of another type.
static LogicalResult expandBySizes(ComplexCall &c) {
  SmallVector<Value> operands;
  for (Value operand : c.op.getInputs())
    operands.push_back(ComplexCall::isComplex(operand)
                           ? c.partsOf(operand, c.getComputeType()).re
                           : operand);
  SmallVector<ComplexParts> results;
  for (Value result : c.clone(operands, c.op.getArguments()))
    results.push_back({result, nullptr});
  return c.replace(results);
}

static LogicalResult expandByParts(ComplexCall &c) {
  if (llvm::none_of(c.op.getOutputs(), ComplexCall::isComplex))
    return expandBySizes(c);
  FailureOr<SmallVector<Value>> re = clonePart(c, 0), im = clonePart(c, 1);
  if (failed(re) || failed(im))
    return failure();
  SmallVector<ComplexParts> results;
  for (auto [real, imaginary] : llvm::zip(*re, *im))
    results.push_back({real, imaginary});
  return c.replace(results);
}

/// Conversion of element types; other arguments do not matter here.
static LogicalResult expandConversion(ComplexCall &c) {
  Value self = c.op.getTensor("self");
  if (!self)
    self = c.op.getTensor("tensor");
  if (!self)
    return c.fail("its operand is missing");
  Type to = c.resultType().getElementType();
  if (Type part = getPartType(to))
    return c.replace(c.partsOf(self, part));
  ComplexParts parts = c.partsOf(self, c.getComputeType());
  return c.replaceReal(to.isInteger(1) ? c.math.toBool(parts) : parts.re);
}

/// Transposition with conjugation.
static LogicalResult expandAdjoint(ComplexCall &c) {
  ComplexParts x = c.get("self");
  int64_t rank = getSizes(x.re).size();
  if (rank < 2)
    return c.replace(c.math.conj(x));
  return c.replace(c.math.conj({c.b.transpose(x.re, rank - 2, rank - 1),
                                c.b.transpose(x.im, rank - 2, rank - 1)}));
}

/// A variance is the sum of those of the parts, a deviation its root.
static LogicalResult expandVariance(ComplexCall &c) {
  ComplexParts x = c.get("self");
  StringRef name = c.op.getName();
  name.consume_front("aten.");
  bool isRoot = name.consume_front("std");
  bool withMean = name.starts_with("_mean") || name.starts_with("var_mean");
  std::string variance =
      isRoot ? ("aten.var" + name).str() : c.op.getName().str();
  SmallVector<Value> re = c.clone(x.re, c.op.getArguments(), variance);
  SmallVector<Value> im = c.clone(x.im, c.op.getArguments(), variance);
  Value sum = c.b.add(re[0], im[0]);
  if (isRoot)
    sum = c.b.unary<SqrtOp>(sum);
  if (!withMean)
    return c.replaceReal(sum);
  return c.replace({{sum, nullptr}, {re[1], im[1]}});
}

/// Operators of magnitudes.
static LogicalResult expandOfMagnitude(ComplexCall &c) {
  SmallVector<Value> operands;
  for (Value operand : c.op.getInputs()) {
    if (!ComplexCall::isComplex(operand))
      return c.fail("an operand is not complex");
    operands.push_back(c.math.abs(c.partsOf(operand, c.getComputeType())));
  }
  SmallVector<NamedAttribute> arguments;
  for (NamedAttribute argument : c.op.getArguments()) {
    if (auto type = dyn_cast<TypeAttr>(argument.getValue()))
      if (Type part = getPartType(type.getValue()))
        argument.setValue(TypeAttr::get(part));
    arguments.push_back(argument);
  }
  SmallVector<Value> made =
      c.clone(operands, DictionaryAttr::get(c.op.getContext(), arguments));
  return c.replaceReal(made.front());
}

/// Operators of bools: whether an element is zero.
static LogicalResult expandOfBool(ComplexCall &c) {
  SmallVector<Value> operands;
  for (Value operand : c.op.getInputs())
    operands.push_back(
        ComplexCall::isComplex(operand)
            ? c.math.toBool(c.partsOf(operand, c.getComputeType()))
            : operand);
  return c.replaceReal(c.clone(operands, c.op.getArguments()).front());
}

//===----------------------------------------------------------------------===//
// Products along a dimension
//===----------------------------------------------------------------------===//

static ComplexParts slice(TensorBuilder &b, ComplexParts x, int64_t dim,
                          int64_t start, int64_t count) {
  auto part = [&](Value v) {
    return b.slice(v, dim, b.size(start), b.size(count));
  };
  return {part(x.re), part(x.im)};
}

static ComplexParts cat(TensorBuilder &b, ComplexParts x, ComplexParts y,
                        int64_t dim) {
  return {b.cat({x.re, y.re}, dim), b.cat({x.im, y.im}, dim)};
}

/// The product along one dimension: halves are multiplied until one is left.
static FailureOr<ComplexParts> multiplyAlong(ComplexCall &c, ComplexParts x,
                                             int64_t dim) {
  TensorBuilder &b = c.b;
  std::optional<int64_t> size = getSizes(x.re)[dim].getConstant();
  if (!size) {
    (void)c.fail("products of complex numbers need a constant size");
    return failure();
  }
  if (*size == 0) {
    Sizes sizes = getSizes(x.re);
    sizes[dim] = b.size(1);
    ComplexParts one = c.math.number(1, 0, getElementType(x.re));
    return ComplexParts{b.broadcast(one.re, sizes), b.broadcast(one.im, sizes)};
  }
  for (int64_t n = *size; n > 1;) {
    int64_t half = n / 2;
    ComplexParts product =
        c.math.mul(slice(b, x, dim, 0, half), slice(b, x, dim, half, half));
    x = n % 2 ? cat(b, product, slice(b, x, dim, n - 1, 1), dim) : product;
    n = half + n % 2;
  }
  return x;
}

static std::optional<int64_t> getDim(ComplexCall &c, int64_t rank) {
  auto attr = dyn_cast_or_null<IntegerAttr>(c.op.getArgument("dim"));
  if (!attr)
    return std::nullopt;
  int64_t dim = attr.getInt() < 0 ? attr.getInt() + std::max<int64_t>(rank, 1)
                                  : attr.getInt();
  return dim >= 0 && dim < std::max<int64_t>(rank, 1) ? std::optional(dim)
                                                      : std::nullopt;
}

static LogicalResult expandProd(ComplexCall &c) {
  TensorBuilder &b = c.b;
  ComplexParts x = c.get("self");
  int64_t rank = getSizes(x.re).size();
  if (!c.op.getArgument("dim")) {
    sym::ExprAttr count = sym::product(b.getContext(), getSizes(x.re));
    x = {b.reshape(x.re, {count}), b.reshape(x.im, {count})};
  }
  std::optional<int64_t> dim =
      c.op.getArgument("dim") ? getDim(c, rank) : std::optional<int64_t>(0);
  if (!dim)
    return c.fail("'dim' is not a dimension");
  if (getSizes(x.re).empty())
    return c.replace(x);
  FailureOr<ComplexParts> product = multiplyAlong(c, x, *dim);
  if (failed(product))
    return failure();
  return c.replace(ComplexParts{b.reshape(product->re, c.resultSizes()),
                                b.reshape(product->im, c.resultSizes())});
}

/// Products of all that is before, by doubling.
static LogicalResult expandCumprod(ComplexCall &c) {
  TensorBuilder &b = c.b;
  ComplexParts x = c.get("self");
  int64_t rank = getSizes(x.re).size();
  if (rank == 0)
    return c.replace(x);
  std::optional<int64_t> dim = getDim(c, rank);
  if (!dim)
    return c.fail("'dim' is not a dimension");
  std::optional<int64_t> size = getSizes(x.re)[*dim].getConstant();
  if (!size)
    return c.fail("products of complex numbers need a constant size");
  for (int64_t distance = 1; distance < *size; distance *= 2)
    x = cat(b, slice(b, x, *dim, 0, distance),
            c.math.mul(slice(b, x, *dim, distance, *size - distance),
                       slice(b, x, *dim, 0, *size - distance)),
            *dim);
  return c.replace(x);
}

void graph::populateComplexStructure(ComplexExpansions &t) {
  // Views and copies.
  t.add(
      "view reshape _unsafe_view _reshape_alias permute transpose t mT "
      "swapaxes swapdims "
      "movedim moveaxis numpy_T expand expand_as view_as reshape_as "
      "broadcast_to slice select unsqueeze squeeze "
      "flatten unflatten ravel narrow diagonal alias detach clone contiguous "
      "lift_fresh_copy lift_fresh lift unfold as_strided flip fliplr flipud "
      "roll rot90 "
      "repeat tile repeat_interleave gather index_select index take "
      "take_along_dim constant_pad_nd pad diag diag_embed diagflat tril triu "
      "cat concat concatenate stack hstack vstack dstack column_stack "
      "row_stack "
      "block_diag split split_with_sizes unsafe_split unsafe_split_with_sizes "
      "unsafe_chunk chunk tensor_split hsplit vsplit dsplit unbind "
      "where masked_fill masked_scatter masked_select index_put _unsafe_index "
      "_unsafe_index_put index_add "
      "index_copy index_fill scatter scatter_add select_scatter "
      "slice_scatter diagonal_scatter put fill meshgrid broadcast_tensors "
      "atleast_1d atleast_2d atleast_3d channel_shuffle pixel_shuffle "
      "pixel_unshuffle "
      "view_copy permute_copy transpose_copy t_copy expand_copy slice_copy "
      "select_copy unsqueeze_copy squeeze_copy diagonal_copy unfold_copy "
      "alias_copy detach_copy split_copy split_with_sizes_copy unbind_copy "
      "as_strided_copy "
      "square_copy squeeze_multiple positive trace constant_pad dropout",
      expandByParts);
  t.add("numpy_T T", expandByParts);
  // Numbers.
  t.add("full full_like new_full zeros zeros_like new_zeros ones ones_like "
        "new_ones empty empty_like new_empty empty_strided new_empty_strided "
        "empty_permuted eye scalar_tensor linspace",
        expandByParts);
  // Sums.
  t.add("neg negative sum mean nansum cumsum diff nan_to_num sum_to_size "
        "fft_fftshift fft_ifftshift",
        expandByParts);

  t.add("to _to_copy type_as _conj_physical_to float double half",
        expandConversion);
  t.add("adjoint mH matrix_H", expandAdjoint);
  t.add("var std var_mean std_mean", expandVariance);
  t.add("linalg_vector_norm norm dist", expandOfMagnitude);
  t.add("logical_not logical_and logical_or logical_xor any all count_nonzero "
        "nonzero argwhere nonzero_numpy nonzero_static",
        expandOfBool);
  t.add("prod", expandProd);
  t.add("cumprod", expandCumprod);
}
