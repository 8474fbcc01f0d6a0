//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that do the same to the real and to the imaginary part: views,
// copies, sums and what else is linear over the real numbers. They are called
// once for each part. And random numbers, which are drawn as such parts.
//
//===----------------------------------------------------------------------===//

#include "ComplexCall.h"
#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

/// Schema arguments that are positions, masks and sizes, not data.
static bool isPosition(StringRef name) {
  name = name.split('.').first;
  return name == "index" || name == "indices" || name == "mask" ||
         name == "condition" || name == "dims" || name == "repeats" ||
         name == "spacing";
}

/// Schema arguments that are data if they are numbers. (`start` and `end` are
/// positions of a slice, but numbers of a range.)
static bool isDataNumber(StringRef op, StringRef name) {
  if (name == "start" || name == "end")
    return op.starts_with("aten.linspace");
  return name == "value" || name == "fill_value" || name == "fill" ||
         name == "other" || name == "self" || name == "s" ||
         name == "padding_value";
}

/// The call for the real (`number` 0) or the imaginary part.
static FailureOr<SmallVector<Value>> clonePart(ComplexCall &c,
                                               unsigned number) {
  Type type;
  bool hasRealResults = false;
  for (Value result : c.op.getOutputs()) {
    Type part = getPartType(getElementType(result));
    hasRealResults |= !part;
    type = part ? part : type;
  }
  SmallVector<Value> operands;
  for (auto [name, operand] : llvm::zip(
           c.op.getOperandNames().getAsRange<StringAttr>(), c.op.getInputs())) {
    if (!ComplexCall::isComplex(operand) && isPosition(name.getValue())) {
      operands.push_back(operand);
      continue;
    }
    Type element = getElementType(operand), part = getPartType(element);
    if (!part && hasRealResults) {
      operands.push_back(operand);
      continue;
    }
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
  SmallVector<Value> made =
      c.clone(operands, DictionaryAttr::get(c.op.getContext(), arguments));
  if (Attribute isRowByRow = c.op->getAttr(kRowByRowAttrName))
    made.front().getDefiningOp()->setAttr(kRowByRowAttrName, isRowByRow);
  return made;
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

LogicalResult graph::expandByParts(ComplexCall &c) {
  if (llvm::none_of(c.op.getOutputs(), ComplexCall::isComplex))
    return expandBySizes(c);
  FailureOr<SmallVector<Value>> re = clonePart(c, 0), im = clonePart(c, 1);
  if (failed(re) || failed(im))
    return failure();
  SmallVector<ComplexParts> results;
  // Several tensors, such as those that are broadcast, need not all be complex.
  for (auto [real, imaginary, output] : llvm::zip(*re, *im, c.op.getOutputs()))
    results.push_back(
        {real, ComplexCall::isComplex(output) ? imaginary : Value()});
  return c.replace(results);
}

/// Gives the elements of a loss, their mean or their sum.
static LogicalResult replaceByLoss(ComplexCall &c, ComplexParts loss) {
  auto number = dyn_cast_or_null<IntegerAttr>(c.op.getArgument("reduction"));
  int64_t reduction = number ? number.getInt() : 1;
  if (reduction == 0)
    return c.replace(loss);
  auto reduce = [&](Value part) {
    SmallVector<int64_t> dims = allDims(part);
    return reduction == 1 ? c.b.mean(part, dims, false)
                          : c.b.reduce(ReduceKind::Sum, part, dims, false);
  };
  return c.replace(ComplexParts{reduce(loss.re), reduce(loss.im)});
}

/// soft_margin_loss: log(1 + exp(-y x)).
static LogicalResult expandSoftMargin(ComplexCall &c) {
  ComplexParts x = c.get("self"), y = c.get("target");
  if (!x.re || !y.re)
    return c.fail("an operand is missing");
  return replaceByLoss(c,
                       c.math.log1p(c.math.exp(c.math.neg(c.math.mul(x, y)))));
}

/// hinge_embedding_loss: complex are targets alone, which are compared.
static LogicalResult expandHingeEmbedding(ComplexCall &c) {
  TensorBuilder &b = c.b;
  Value self = c.op.getTensor("self");
  ComplexParts target = c.get("target");
  if (!self || !target.re || ComplexCall::isComplex(self))
    return c.fail("its operand is complex");
  Type type = c.getComputeType();
  auto is = [&](double number) {
    return b.convert(c.math.equal(target, c.math.number(number, 0, type)),
                     type);
  };
  return c.replaceReal(
      c.clone({self, b.sub(is(1), is(-1))}, c.op.getArguments()).front());
}

/// poisson_nll_loss: exp(x) - y x, or x - y log(x + eps).
static LogicalResult expandPoissonLoss(ComplexCall &c) {
  ComplexParts x = c.get("input"), y = c.get("target"), eps = c.get("eps");
  auto isLog = dyn_cast_or_null<BoolAttr>(c.op.getArgument("log_input")),
       isFull = dyn_cast_or_null<BoolAttr>(c.op.getArgument("full"));
  if (!x.re || !y.re || !eps.re || !isLog || !isFull)
    return c.fail("an operand is missing");
  if (isFull.getValue()) // Which compares.
    return c.fail("it adds an approximation of what is constant");
  ComplexParts loss =
      isLog.getValue()
          ? c.math.sub(c.math.exp(x), c.math.mul(y, x))
          : c.math.sub(x, c.math.mul(y, c.math.log(c.math.add(x, eps))));
  return replaceByLoss(c, loss);
}

/// Sums and means of what is no NaN: an element is one if either part is.
static LogicalResult expandOfNumbers(ComplexCall &c) {
  TensorBuilder &b = c.b;
  if (llvm::none_of(c.op.getOutputs(), ComplexCall::isComplex))
    return c.fail("its result is real");
  ComplexParts x = c.get("self");
  if (!x.re)
    return c.fail("an operand is missing");
  Type type = c.getComputeType();
  Value isNan = c.math.isNan(x), zero = b.scalar(0, type);
  SmallVector<NamedAttribute> arguments;
  for (NamedAttribute argument : c.op.getArguments())
    if (argument.getName() != "dtype")
      arguments.push_back(argument);
  auto sum = [&](Value part) {
    return c.call("aten.nansum.default", {{"self", part}}, arguments,
                  c.resultSizes(), type);
  };
  ComplexParts total = {sum(b.select(isNan, zero, x.re)),
                        sum(b.select(isNan, zero, x.im))};
  if (!c.op.getName().starts_with("aten.nanmean."))
    return c.replace(total);
  Value count = sum(b.select(isNan, zero, b.scalar(1, type)));
  return c.replace(c.math.div(total, {count, b.sub(count, count)}));
}

/// Positions in memory are those of elements, however they are taken apart.
static LogicalResult expandStrided(ComplexCall &c) {
  Value self = c.op.getTensor("self");
  if (self && isContiguous(self))
    c.op->setAttr(kRowByRowAttrName, c.b.getBuilder().getUnitAttr());
  return expandByParts(c);
}

/// A gradient is linear in the values, but not in the distances.
static LogicalResult expandGradient(ComplexCall &c) {
  for (auto [name, operand] : llvm::zip(
           c.op.getOperandNames().getAsRange<StringAttr>(), c.op.getInputs()))
    if (isPosition(name.getValue()) && ComplexCall::isComplex(operand))
      return expandGradientAtPlaces(c);
  return expandByParts(c);
}

/// A function of the real parts, as which complex numbers are converted to the
/// real type that is asked for.
static LogicalResult expandOfReal(ComplexCall &c) {
  Type type = c.resultType().getElementType();
  if (getPartType(type))
    return c.fail("its result is complex");
  SmallVector<Value> operands;
  for (Value operand : c.op.getInputs())
    operands.push_back(ComplexCall::isComplex(operand)
                           ? c.partsOf(operand, type).re
                           : operand);
  return c.replaceReal(c.clone(operands, c.op.getArguments()).front());
}

/// Random integers as many as there are elements; none are complex.
static LogicalResult expandRandomIntegers(ComplexCall &c) {
  if (llvm::any_of(c.op.getOutputs(), ComplexCall::isComplex))
    return c.fail("its result is complex");
  return expandBySizes(c);
}

/// rrelu_with_noise of real operands outside of training, where the noise,
/// which may be complex, has no effect.
static LogicalResult expandRandomRelu(ComplexCall &c) {
  Value self = c.op.getTensor("self"), noise = c.op.getTensor("noise");
  auto training = dyn_cast_or_null<BoolAttr>(c.op.getArgument("training"));
  if (!self || !noise || ComplexCall::isComplex(self) || !training ||
      training.getValue())
    return c.fail("its operand is complex, or it is in training mode");
  ComplexParts given = c.partsOf(noise, c.getComputeType());
  Value result = c.clone({self, given.re}, c.op.getArguments()).front();
  if (c.op.getOutputs().size() == 1)
    return c.replaceReal(result);
  return c.replace({{result, nullptr}, given});
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

/// Real numbers as complex ones.
static LogicalResult expandReal(ComplexCall &c) {
  if (!ComplexCall::isComplex(c.op.getOutputs().front()))
    return expandBySizes(c);
  FailureOr<SmallVector<Value>> re = clonePart(c, 0);
  if (failed(re))
    return failure();
  Value im =
      c.b.full(c.b.getBuilder().getFloatAttr(getElementType((*re)[0]), 0),
               c.resultSizes());
  return c.replace(ComplexParts{(*re)[0], im});
}

/// Dropout, which does nothing outside of training.
static LogicalResult expandDropout(ComplexCall &c) {
  auto train = dyn_cast_or_null<BoolAttr>(c.op.getArgument("train"));
  auto p = dyn_cast_or_null<FloatAttr>(c.op.getArgument("p"));
  if (p && p.getValue().isZero())
    return c.replace(c.get("input"));
  bool isOff = train && !train.getValue();
  if (isOff)
    return c.replace(c.get("input"));
  if (!p || p.getValueAsDouble() != 1)
    return c.fail("it is in training mode");
  return c.replace(
      c.math.mul(c.get("input"), c.math.number(0, 0, c.getComputeType())));
}

/// native_dropout: both parts of an element are kept, or neither.
static LogicalResult expandNativeDropout(ComplexCall &c) {
  ComplexParts x = c.get("input");
  if (!x.re || c.op.getInputs().size() != 1)
    return c.fail("an operand is missing");
  Value mask = c.clone(x.re, c.op.getArguments()).back();
  auto train = dyn_cast_or_null<BoolAttr>(c.op.getArgument("train"));
  if (!train || train.getValue()) {
    auto p = dyn_cast_or_null<FloatAttr>(c.op.getArgument("p"));
    if (!p)
      return c.fail("its probability is not constant");
    double dropped = p.getValueAsDouble();
    Type type = c.getComputeType();
    Value kept = c.b.convert(mask, type);
    x = c.math.mul(x, {kept, c.b.sub(kept, kept)});
    x = c.math.mul(
        x, c.math.number(dropped == 1 ? 0 : 1 / (1 - dropped), 0, type));
  }
  return c.replace({x, {mask, nullptr}});
}

/// Operators of bools: whether an element is zero.
static LogicalResult expandOfBool(ComplexCall &c) {
  SmallVector<Value> operands;
  for (Value operand : c.op.getInputs())
    operands.push_back(
        ComplexCall::isComplex(operand)
            ? c.math.toBool(c.partsOf(operand, c.getComputeType()))
            : operand);
  SmallVector<ComplexParts> results;
  for (Value result : c.clone(operands, c.op.getArguments()))
    results.push_back({result, nullptr});
  return c.replace(results);
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// Parts are real random numbers, twice as many. Of normal ones each has half
/// of the variance, and the mean.
static ComplexHandler random(bool isNormal) {
  return [=](ComplexCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Type part = getPartType(c.resultType().getElementType());
    if (!part) // As many real numbers.
      return expandBySizes(c);
    SmallVector<std::pair<StringRef, Value>> operands;
    if (Value self = c.op.getTensor("self"))
      operands.emplace_back("self", pack(b, c.partsOf(self, part)));
    SmallVector<NamedAttribute> arguments;
    Attribute mean;
    for (NamedAttribute argument : c.op.getArguments()) {
      StringRef name = argument.getName();
      if (isa<TypeAttr>(argument.getValue()))
        argument.setValue(TypeAttr::get(part));
      if (name == "mean") {
        mean = argument.getValue();
        argument.setValue(b.getBuilder().getF64FloatAttr(0));
      }
      arguments.push_back(argument);
    }
    Sizes sizes = c.resultSizes();
    sizes.push_back(b.size(2));
    ComplexParts x =
        unpack(b, c.call(c.op.getName(), operands, arguments, sizes, part));
    if (!isNormal)
      return c.replace(x);
    constexpr double kSqrtHalf = 0.70710678118654752440;
    Value factor = b.scalar(kSqrtHalf, part);
    x = {b.mul(x.re, factor), b.mul(x.im, factor)};
    if (TypedAttr shift = convertScalar(mean, part))
      x = {b.add(x.re, b.scalar(shift)), b.add(x.im, b.scalar(shift))};
    return c.replace(x);
  };
}

/// normal of tensors: complex numbers where the means are, with deviations that
/// are real.
static LogicalResult expandNormal(ComplexCall &c) {
  TensorBuilder &b = c.b;
  Type part = getPartType(c.resultType().getElementType());
  Value mean = c.op.getTensor("mean"), deviation = c.op.getTensor("std");
  if (!part || !mean || (deviation && ComplexCall::isComplex(deviation)))
    return c.fail("its means are not complex, or its deviations are");
  Sizes sizes = c.resultSizes();
  sizes.push_back(b.size(2));
  Builder &builder = b.getBuilder();
  Value like = b.full(builder.getFloatAttr(part, 0), sizes);
  constexpr double kSqrtHalf = 0.70710678118654752440;
  ComplexParts x = unpack(
      b,
      c.call("aten.normal_functional.default", {{"self", like}},
             {builder.getNamedAttr("mean", builder.getF64FloatAttr(0)),
              builder.getNamedAttr("std", builder.getF64FloatAttr(kSqrtHalf))},
             sizes, part));
  Value scale = deviation ? b.convert(deviation, part) : Value();
  if (Attribute number = c.op.getArgument("std"); number && !deviation)
    scale = b.scalar(convertScalar(number, part));
  if (scale)
    x = c.math.scale(x, scale);
  return c.replace(c.math.add(x, c.partsOf(mean, part)));
}

/// view: under other sizes by parts; under another element type, the parts as
/// the numbers of a last dimension.
static LogicalResult expandView(ComplexCall &c) {
  StringRef name = c.op.getName();
  if (name != "aten.view.dtype" && name != "aten.view_copy.dtype")
    return expandByParts(c);
  TensorBuilder &b = c.b;
  Value x = c.op.getTensor("self");
  if (!x)
    return c.fail("its operand is missing");
  Type to = c.resultType().getElementType();
  auto fromParts = dyn_cast<ComplexType>(getElementType(x));
  auto toParts = dyn_cast<ComplexType>(to);
  // Two parts beside one another are two elements.
  auto merge = [&](Sizes sizes) {
    sizes.push_back(b.size(2));
    sym::ExprAttr last = sizes.pop_back_val();
    if (!sizes.empty())
      last = sym::mul(last, sizes.pop_back_val());
    sizes.push_back(last);
    return sizes;
  };
  if (fromParts) {
    Sizes sizes = getSizes(x);
    x = b.reshape(pack(b, c.partsOf(x, fromParts.getElementType())),
                  merge(sizes));
  } else if (getSizes(x).empty()) {
    x = b.reshape(x, {b.size(1)});
  }
  Sizes sizes = c.resultSizes();
  Sizes flat = toParts ? merge(sizes) : sizes;
  if (flat.empty())
    flat.push_back(b.size(1));
  Type real = toParts ? toParts.getElementType() : to;
  x = c.call("aten.view.dtype", {{"self", x}},
             c.b.getBuilder().getNamedAttr("dtype", TypeAttr::get(real)), flat,
             real);
  if (!toParts)
    return c.replaceReal(b.reshape(x, sizes));
  sizes.push_back(b.size(2));
  return c.replace(unpack(b, b.reshape(x, sizes)));
}

void graph::populateComplexStructure(ComplexExpansions &t) {
  // Views and copies.
  t.add("view view_copy", expandView);
  t.add(
      "reshape _unsafe_view _reshape_alias permute transpose t mT "
      "swapaxes swapdims "
      "movedim moveaxis numpy_T expand expand_as view_as reshape_as "
      "broadcast_to slice select unsqueeze squeeze "
      "flatten unflatten ravel narrow diagonal alias detach clone contiguous "
      "lift_fresh_copy lift_fresh lift unfold im2col col2im cartesian_prod "
      "combinations "
      "narrow_copy _chunk_cat _unsafe_masked_index "
      "_unsafe_masked_index_put_accumulate "
      "flip fliplr flipud "
      "roll rot90 "
      "repeat tile repeat_interleave gather index_select index take "
      "take_along_dim constant_pad_nd pad diag diag_embed diagflat tril triu "
      "cat concat concatenate stack hstack vstack dstack column_stack "
      "row_stack "
      "block_diag split split_with_sizes unsafe_split unsafe_split_with_sizes "
      "unsafe_chunk chunk tensor_split hsplit vsplit dsplit unbind "
      "where masked_fill masked_scatter masked_select index_put _unsafe_index "
      "_unsafe_index_put "
      "index_copy index_fill scatter_add select_scatter "
      "slice_scatter diagonal_scatter put fill meshgrid broadcast_tensors "
      "atleast_1d atleast_2d atleast_3d channel_shuffle pixel_shuffle "
      "pixel_unshuffle "
      "permute_copy transpose_copy t_copy expand_copy slice_copy "
      "select_copy unsqueeze_copy squeeze_copy diagonal_copy unfold_copy "
      "copy alias_copy detach_copy split_copy split_with_sizes_copy "
      "unbind_copy "
      "square_copy squeeze_multiple positive trace constant_pad "
      "linalg_diagonal flatten_dense_tensors "
      "unflatten_dense_tensors native_channel_shuffle adaptive_avg_pool1d "
      "adaptive_avg_pool2d adaptive_avg_pool3d _adaptive_avg_pool2d "
      "_adaptive_avg_pool3d embedding pad_sequence "
      "select_backward slice_backward diagonal_backward trace_backward "
      "unfold_backward masked_scatter_backward _pack_padded_sequence_backward "
      "reflection_pad1d_backward reflection_pad2d_backward "
      "reflection_pad3d_backward replication_pad1d_backward "
      "replication_pad2d_backward replication_pad3d_backward "
      "reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d "
      "replication_pad2d replication_pad3d _pad_circular _pad_enum",
      expandByParts);
  t.add("numpy_T T", expandByParts);
  t.add("soft_margin_loss", expandSoftMargin);
  t.add("poisson_nll_loss", expandPoissonLoss);
  t.add("hinge_embedding_loss", expandHingeEmbedding);
  t.add("as_strided as_strided_copy as_strided_scatter resize", expandStrided);
  t.add("gradient", expandGradient);
  t.add("softmax log_softmax special_softmax special_log_softmax _softmax "
        "_log_softmax",
        expandOfReal);
  // Numbers.
  t.add("full full_like new_full zeros zeros_like new_zeros zero empty "
        "empty_like new_empty empty_strided new_empty_strided "
        "empty_permuted scalar_tensor linspace _efficientzerotensor",
        expandByParts);
  // Complex windows have at most one element.
  t.add("ones ones_like new_ones eye hann_window hamming_window "
        "blackman_window bartlett_window kaiser_window",
        expandReal);
  // Sums.
  t.add("neg negative sum mean cumsum diff nan_to_num sum_to_size "
        "fft_fftshift fft_ifftshift",
        expandByParts);

  t.add("nansum nanmean", expandOfNumbers);
  t.add("to _to_copy to_dense type_as _conj_physical_to float double half "
        "chalf cfloat "
        "cdouble",
        expandConversion);
  t.add("adjoint mH matrix_H", expandAdjoint);
  t.add("var std var_mean std_mean", expandVariance);
  t.add("logical_not logical_and logical_or logical_xor any all count_nonzero "
        "nonzero argwhere nonzero_numpy nonzero_static",
        expandOfBool);
  t.add("dropout alpha_dropout feature_dropout feature_alpha_dropout",
        expandDropout);
  t.add("native_dropout", expandNativeDropout);
  t.add("uniform rand rand_like", random(/*isNormal=*/false));
  t.add("normal_functional randn randn_like", random(/*isNormal=*/true));
  t.add("normal", expandNormal);
  t.add("randint randint_like", expandRandomIntegers);
  t.add("rrelu_with_noise rrelu_with_noise_functional", expandRandomRelu);
}
