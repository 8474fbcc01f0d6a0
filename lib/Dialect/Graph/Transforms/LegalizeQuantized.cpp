//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of quantized matrices: integers, integers times floats, and floats
// of 8 bits with scales. They are products in a wider type and factors. And
// floats that are rounded to the numbers that quantized integers have.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"
#include "coil/Dialect/Target/IR/Target.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// Sums of products of 8-bit integers in 32 bits.
static LogicalResult legalizeIntMm(AtenCall &c) {
  Type type = c.resultElementType();
  Value x = c.operand("self", type), y = c.operand("mat2", type);
  if (!x || !y || getRank(x) != 2 || getRank(y) != 2)
    return c.fail("its operands are not matrices");
  return c.replace(c.b.matmul(x, y));
}

/// self @ mat2^T * scales: a scale for each row of the integers.
static LogicalResult legalizeInt8PackMm(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type), y = c.operand("mat2", type),
        scales = c.operand("scales", type);
  if (!x || !y || !scales || getRank(x) != 2 || getRank(y) != 2)
    return c.fail("an operand is missing");
  TensorBuilder &b = c.b;
  return c.replace(b.mul(b.matmul(x, b.transpose(y, 0, 1)), scales));
}

/// The product of floats of 8 bits, times scales of rows and columns or of the
/// whole, with a bias.
static LogicalResult legalizeScaledMm(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = Float32Type::get(b.getContext());
  Value x = c.operand("self", type), y = c.operand("mat2", type),
        xScale = c.operand("scale_a", type),
        yScale = c.operand("scale_b", type);
  if (!x || !y || !xScale || !yScale || getRank(x) != 2 || getRank(y) != 2)
    return c.fail("an operand is missing");
  // One number, or one for each row of the left and column of the right.
  auto fits = [&](Value scale, int64_t dim) {
    Sizes sizes = getSizes(scale), result = c.resultSizes();
    if (llvm::all_of(sizes, [](sym::ExprAttr s) { return s.isConstant(1); }))
      return true;
    return sizes.size() == 2 && sizes[dim] == result[dim] &&
           sizes[1 - dim].isConstant(1);
  };
  if (!fits(xScale, 0) || !fits(yScale, 1))
    return c.fail("its scales are neither one number nor one for each row and "
                  "column");
  Value result = b.mul(b.mul(b.matmul(x, y), xScale), yScale);
  if (Value bias = c.operand("bias", type))
    result = b.add(result, bias);
  // Results of 8 bits are scaled, too.
  if (Value scale = c.operand("scale_result", type);
      scale && c.resultElementType().getIntOrFloatBitWidth() == 8)
    result = b.mul(result, scale);
  return c.replace(b.castSizes(result, c.resultSizes()));
}

/// The scales of a matrix in `_scaled_mm_v2`, spread over its [rows, columns];
/// null for those that are not known. `dim` is the dimension that is not
/// summed. Scales of blocks have this dimension first if a block has one row of
/// it, else last, and blocks are of 128.
static Value spreadScale(AtenCall &c, Value scale, int64_t recipe, Value x,
                         int64_t dim) {
  enum { Whole = 0, Row = 1, Block1x128 = 4, Block128x128 = 5 };
  TensorBuilder &b = c.b;
  Positions p(b);
  Sizes sizes = getSizes(x), given = getSizes(scale);
  auto blocks = [&](Value v, ExprAttr size, int64_t at) -> Value {
    return b.index(v, floorDiv(p.iota(size), 128), at);
  };
  switch (recipe) {
  case Whole:
    return b.reshape(scale, {});
  case Row: {
    Sizes wanted(2, b.size(1));
    wanted[dim] = sizes[dim];
    return b.reshape(scale, wanted);
  }
  case Block1x128:
  case Block128x128: {
    if (given.size() != 2)
      return {};
    int64_t summed = recipe == Block1x128 ? 1 : 0;
    Value all = blocks(scale, sizes[1 - dim], summed);
    if (recipe == Block128x128)
      all = blocks(all, sizes[dim], 1);
    // Dimension `dim` of the matrix is 1 - summed here.
    return dim == 1 - summed ? all : b.transpose(all, 0, 1);
  }
  default:
    return {};
  }
}

/// The same with a recipe for the scales of each operand, of which blocks may
/// have their own; with these, operands are scaled before they are multiplied.
static LogicalResult legalizeScaledMmV2(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = Float32Type::get(b.getContext());
  Value x = c.operand("self", type), y = c.operand("mat2", type);
  auto xScales = c.tensors("scale_a"), yScales = c.tensors("scale_b");
  auto xRecipes = c.getInts("recipe_a"), yRecipes = c.getInts("recipe_b");
  if (!x || !y || !xRecipes || !yRecipes || getRank(x) != 2 || getRank(y) != 2)
    return c.fail("an operand is missing");
  if (xScales.size() != 1 || yScales.size() != 1 || xRecipes->size() != 1 ||
      yRecipes->size() != 1)
    return c.fail("its operands have scales of several levels");
  for (StringRef name : {"swizzle_a", "swizzle_b"})
    if (auto orders = c.getInts(name);
        orders && llvm::any_of(*orders, [](int64_t o) { return o != 0; }))
      return c.fail("its scales are swizzled");
  Value xScale = spreadScale(c, b.convert(xScales[0], type), (*xRecipes)[0], x,
                             /*dim=*/0),
        yScale = spreadScale(c, b.convert(yScales[0], type), (*yRecipes)[0], y,
                             /*dim=*/1);
  if (!xScale || !yScale)
    return c.fail("its scales are neither of the whole, of rows, nor of blocks "
                  "of 128");
  auto isOfBlocks = [](int64_t recipe) { return recipe > 1; };
  Value result;
  if (isOfBlocks((*xRecipes)[0]) || isOfBlocks((*yRecipes)[0]))
    result = b.matmul(b.mul(x, xScale), b.mul(y, yScale));
  else
    result = b.mul(b.mul(b.matmul(x, y), xScale), yScale);
  if (Value bias = c.operand("bias", type))
    result = b.add(result, bias);
  return c.replace(b.castSizes(result, c.resultSizes()));
}

//===----------------------------------------------------------------------===//
// Weights of 4 bits that PyTorch packs for processors
//===----------------------------------------------------------------------===//
//
// The layout is that of the vectors of the processor: rows are in blocks, and a
// byte has two rows of one column. In a complete block these are half a block
// apart, in the remaining rows they are neighbours.

/// Rows of a block: 64 for vectors of 512 bits, 32 for those of AVX2. Nothing
/// where the program is not for a processor.
static std::optional<int64_t> getBlock(AtenCall &c) {
  target::TargetAttrInterface target = target::getProgramTarget(c.op);
  std::optional<int64_t> bits;
  if (target)
    bits = target.getFact("vector_bits");
  if (!bits)
    return std::nullopt;
  return *bits >= 512 ? 64 : 32;
}

namespace {

/// Where rows of `rows` x `columns` numbers are.
struct PackedLayout {
  Positions p;
  int64_t block;
  ExprAttr rows, columns;

  /// The rows of the block that is `first` rows from the front.
  Num heightAt(Num first) const {
    return min(p.size(rows) - first, static_cast<double>(block));
  }
};

} // namespace

/// The numbers of a packed matrix, 0 to 15, as [rows, columns] of `i32`.
static Num unpack(TensorBuilder &b, const PackedLayout &layout, Value packed) {
  const Positions &p = layout.p;
  auto block = static_cast<double>(layout.block);
  Num row = p.iota(layout.rows).unsqueeze(1), column = p.iota(layout.columns);
  Num first = floorDiv(row, block) * block, within = row - first,
      height = layout.heightAt(first), half = floorDiv(height, 2);
  Num isComplete = height == block, isLower = within < half;
  Num pair = select(isComplete, select(isLower, within, within - half),
                    floorDiv(within, 2));
  Num isHigh = select(isComplete, (!isLower).to(p.type()),
                      mod(within, within.number(2)));
  Num byte = floorDiv(first * p.size(layout.columns), 2) + column * half + pair;
  Num value(b, b.index(flatten(b, packed), byte, 0));
  value = value.to(b.getBuilder().getI32Type());
  return select(isHigh != 0, floorDiv(value, 16), mod(value, value.number(16)));
}

/// _convert_weight_to_int4pack_for_cpu: integers of 0 to 15 become bytes.
static LogicalResult legalizePack(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type i32 = b.getBuilder().getI32Type();
  Value self = c.operand("self", i32);
  std::optional<int64_t> block = getBlock(c);
  if (!self || getRank(self) != 2)
    return c.fail("its operand is no matrix");
  if (!block)
    return c.fail("its layout is that of a processor");
  Positions p(b);
  PackedLayout layout{p, *block, getSizes(self)[0], getSizes(self)[1]};
  Num columns = p.size(layout.columns);
  Num byte = p.iota(sym::floorDiv(
      sym::getNumElements(cast<RankedTensorType>(self.getType())), b.size(2)));
  Num first = floorDiv(byte, floorDiv(columns * double(*block), 2)) *
              double(*block),
      height = layout.heightAt(first), half = floorDiv(height, 2);
  Num within = byte - floorDiv(first * columns, 2),
      column = floorDiv(within, half), pair = mod(within, half);
  Num isComplete = height == double(*block);
  Num low = first + select(isComplete, pair, pair * 2),
      high = select(isComplete, low + half, low + 1);
  auto at = [&](Num row) {
    return Num(b, b.index(flatten(b, self), row * columns + column, 0));
  };
  Num bytes = (at(low) + at(high) * 16).to(c.resultElementType());
  return c.replace(b.reshape(bytes, c.resultSizes()));
}

/// _weight_int4pack_mm_for_cpu: a matrix times the transpose of a packed one,
/// of which groups of a row have a scale and what its number 8 stands for.
static LogicalResult legalizeInt4PackMm(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type), packed = c.tensor("mat2"),
        scales = c.operand("qScaleAndZeros", type);
  auto group = c.getInt("qGroupSize");
  std::optional<int64_t> block = getBlock(c);
  if (!x || !packed || !scales || !group || *group <= 0 || getRank(x) != 2 ||
      getRank(packed) != 2 || getRank(scales) != 3)
    return c.fail("its operands are no matrices with scales of groups");
  if (!block)
    return c.fail("its layout is that of a processor");
  Positions p(b);
  PackedLayout layout{p, *block, getSizes(packed)[0], getSizes(x)[1]};
  Num row = p.iota(layout.rows).unsqueeze(1),
      number = floorDiv(p.iota(layout.columns), static_cast<double>(*group));
  auto ofGroup = [&](double which) {
    Num at = (number * p.size(layout.rows) + row) * 2 + which;
    return Num(b, b.index(flatten(b, scales), at, 0));
  };
  Num weight =
      (unpack(b, layout, packed) - 8).to(type) * ofGroup(0) + ofGroup(1);
  return c.replace(
      b.castSizes(b.matmul(x, b.transpose(weight, 0, 1)), c.resultSizes()));
}

/// A number for each part of `x` along dimension `axis`.
static Value alongAxis(TensorBuilder &b, Value v, Value x, int64_t axis) {
  Sizes sizes(getRank(x), b.size(1));
  sizes[axis] = getSizes(x)[axis];
  return b.reshape(v, sizes);
}

//===----------------------------------------------------------------------===//
// Fake quantization
//===----------------------------------------------------------------------===//

namespace {

/// What floats are rounded to: multiples of a scale, as many as an integer
/// between two bounds, less its zero, says.
struct Quantizer {
  Num scale, zero;
  double low, high;

  Num clamp(Num v) const { return min(max(v, low), high); }
  /// The integer of each element, before it is kept within the bounds.
  Num quantize(Num x, bool isZeroWhole = true) const {
    Num steps = x * (1.0 / scale);
    return isZeroWhole ? steps.unary<RoundOp>() + zero
                       : (steps + zero).unary<RoundOp>();
  }
  Num dequantize(Num q) const { return (clamp(q) - zero) * scale; }
  Num isInside(Num q) const { return (q >= low) & (q <= high); }
};

} // namespace

/// Rounds floats as a `Quantizer` says. A second result says what is within the
/// bounds. Zeros that are learned are rounded and kept within the bounds first.
static FailureOr<Quantizer> readQuantizer(AtenCall &c, Value self, Type type,
                                          std::optional<int64_t> &axis) {
  TensorBuilder &b = c.b;
  Value scale = c.operand("scale", type), zero = c.operand("zero_point", type);
  auto low = c.getFloat("quant_min"), high = c.getFloat("quant_max");
  if (!self || !scale || !zero || !low || !high)
    return c.fail("its scale, zero or bounds are missing");
  if (c.has("axis")) {
    axis = c.getDim("axis", getRank(self));
    if (!axis || getRank(self) == 0)
      return c.fail("its axis is not constant, or none of its operand");
    scale = alongAxis(b, scale, self, *axis);
    zero = alongAxis(b, zero, self, *axis);
  } else {
    scale = b.reshape(scale, {});
    zero = b.reshape(zero, {});
  }
  Quantizer q = {{b, scale}, {b, zero}, *low, *high};
  if (c.op.getName().contains("_learnable_"))
    q.zero = q.clamp(q.zero.unary<RoundOp>());
  return q;
}

static LogicalResult legalizeFakeQuantize(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value self = c.operand("self", type);
  std::optional<int64_t> axis;
  FailureOr<Quantizer> quantizer = readQuantizer(c, self, type, axis);
  if (failed(quantizer))
    return failure();
  // Zeros that are floats are part of what is rounded.
  Value given = c.tensor("zero_point");
  bool isZeroWhole = c.op.getName().contains("_learnable_") || !given ||
                     !isa<FloatType>(getElementType(given));
  Num x(b, self), q = quantizer->quantize(x, isZeroWhole);
  Num result = quantizer->dequantize(q), isInside = quantizer->isInside(q);
  // A tensor says whether it is done at all.
  if (Value enabled = c.tensor("fake_quant_enabled")) {
    Num isOff(b, b.reshape(enabled, {}));
    isOff = isOff == 0;
    result = select(isOff, x, result);
    isInside = isOff | isInside;
  }
  if (c.op.getOutputs().size() == 1)
    return c.replace(result);
  return c.replace({result, isInside});
}

/// The gradient of what was within the bounds.
static LogicalResult legalizeFakeQuantizeBackward(AtenCall &c) {
  Type type = c.resultElementType();
  Value grad = c.operand("grad", type), mask = c.operand("mask", type);
  if (!grad || !mask)
    return c.fail("an operand is missing");
  return c.replace(c.b.mul(grad, mask));
}

/// Gradients of the operand, the scale and the zero. Outside of the bounds the
/// result is a bound, which moves with scale and zero; inside of them the scale
/// changes by how far an element is from what it was rounded to.
static LogicalResult legalizeLearnableBackward(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value self = c.operand("self", type), given = c.operand("grad", type);
  std::optional<int64_t> axis;
  FailureOr<Quantizer> quantizer = readQuantizer(c, self, type, axis);
  if (failed(quantizer))
    return failure();
  if (!given)
    return c.fail("its gradient is missing");
  double factor = c.floatOr("grad_factor", 1);
  Num x(b, self), grad(b, given), q = quantizer->quantize(x);
  Num isInside = quantizer->isInside(q);
  Num bound = select(q < quantizer->low, quantizer->low - quantizer->zero,
                     quantizer->high - quantizer->zero);
  Num inner = (quantizer->dequantize(q) - x) * (1.0 / quantizer->scale);
  Num ofScale = select(isInside, inner, bound) * grad * factor;
  Num ofZero = select(isInside, 0, grad * (-1.0 * quantizer->scale) * factor);
  SmallVector<int64_t> dims = allDims(self);
  if (axis)
    dims.erase(dims.begin() + *axis);
  auto sum = [&](Num v, unsigned number) {
    Value total = dims.empty() ? Value(v) : v.reduce(ReduceKind::Sum, dims);
    return b.reshape(total, c.resultSizes(number));
  };
  return c.replace(
      {select(isInside, grad, 0), sum(ofScale, 1), sum(ofZero, 2)});
}

/// The scale and the zero with which integers between two bounds hold numbers
/// from `low` to `high`, in `f32`; the computation is PyTorch's, with its
/// precision. The zero is that of the end at which the error is smaller.
static std::pair<Num, Num> chooseParameters(Num low, Num high, int64_t least,
                                            int64_t most, bool isSymmetric) {
  TensorBuilder &b = *low.b;
  Type f32 = low.type(), f64 = Float64Type::get(f32.getContext());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double smallest = 6.1e-5f;
  auto count = static_cast<double>(most - least);
  if (isSymmetric) {
    auto below = static_cast<double>(-((most - least) / 2 + 1)),
         above = static_cast<double>((most - least) / 2);
    Num crosses = (low < 0) & (high > 0);
    Num step = max(abs(low / below), abs(high / above)).to(f64);
    low = select(crosses, (step * below).to(f32), low);
    high = select(crosses, (step * above).to(f32), high);
  }
  low = min(low, 0);
  high = max(high, 0);
  Num scale = (high.to(f64) - low.to(f64)) / count;
  Num narrow = scale.to(f32);
  Num isNone = (narrow == 0) | (abs(1.0 / narrow) == infinity);
  scale = select(isNone, 0.1, scale);
  // Small scales would overflow when they are inverted.
  Num isSmall = scale < smallest;
  double range = static_cast<float>(smallest * count);
  Num factor = smallest / scale.to(f32);
  Num isLowZero = low == 0, isHighZero = high == 0;
  Num widerLow =
      select(isLowZero, low, select(isHighZero, -range, low * factor));
  Num widerHigh =
      select(isLowZero, range, select(isHighZero, high, high * factor));
  scale = select(isSmall, smallest, scale);
  low = select(isSmall, widerLow, low);
  high = select(isSmall, widerHigh, high);
  Num fromLow = low.to(f64) / scale, fromHigh = high.to(f64) / scale;
  auto first = static_cast<double>(least), last = static_cast<double>(most);
  Num isLowNearer =
      std::abs(first) + abs(fromLow) < std::abs(last) + abs(fromHigh);
  Num zero = select(isLowNearer, first - fromLow, last - fromHigh);
  if (isSymmetric)
    zero = select((low < 0) & (high > 0), (first + last) / 2, zero);
  zero = min(max(zero, first), last).unary<RoundOp>();
  return {{b, b.convert(scale, f32)}, zero};
}

/// fused_moving_avg_obs_fake_quant: observes the extrema of the operand, if it
/// is asked to, and rounds it by the scale that follows from them, if it is
/// asked to. Results are the rounded operand, a mask of what was within the
/// bounds, and what the state becomes.
static LogicalResult legalizeObservedFakeQuantize(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type f32 = b.getBuilder().getF32Type();
  Value self = c.operand("self", f32), observes = c.tensor("observer_on"),
        rounds = c.tensor("fake_quant_on"),
        oldLow = c.operand("running_min", f32),
        oldHigh = c.operand("running_max", f32),
        oldScale = c.operand("scale", f32),
        oldZero = c.operand("zero_point", f32);
  auto weight = c.getFloat("averaging_const");
  auto least = c.getInt("quant_min"), most = c.getInt("quant_max");
  if (!self || !observes || !rounds || !oldLow || !oldHigh || !oldScale ||
      !oldZero || !weight || !least || !most || *least >= *most)
    return c.fail("an operand or a bound is missing");
  std::optional<int64_t> axis;
  Sizes sizes;
  SmallVector<int64_t> dims = allDims(self);
  if (c.boolOr("per_row_fake_quant", false)) {
    axis = c.getDim("ch_axis", getRank(self));
    if (!axis || getRank(self) == 0)
      return c.fail("its axis is not constant, or none of its operand");
    sizes = {getSizes(self)[*axis]};
    dims.erase(dims.begin() + *axis);
  }
  // State that has no elements yet gets other sizes in the first call.
  for (Value state : {oldLow, oldHigh, oldScale, oldZero})
    if (provablyDiffer(
            sym::getNumElements(cast<RankedTensorType>(state.getType())),
            axis ? sizes[0] : b.size(1)))
      return c.fail("its state does not have an element for each channel");
  auto read = [&](Value v) -> Num {
    if (axis)
      return {b, b.castSizes(flatten(b, v), sizes)};
    return {b, b.reshape(v, sizes)};
  };
  auto write = [&](Value v, unsigned number) {
    Sizes wanted = c.resultSizes(number);
    return wanted.size() == sizes.size() ? b.castSizes(v, wanted)
                                         : b.reshape(v, wanted);
  };
  Num isObserved = Num(b, b.reshape(observes, {})) != 0,
      isRounded = Num(b, b.reshape(rounds, {})) != 0;
  auto observe = [&](ReduceKind kind, Value old) {
    Num now = dims.empty() ? Num(b, self) : Num(b, self).reduce(kind, dims);
    Num before = read(old);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Num moved =
        select(abs(before) == infinity, now, before + *weight * (now - before));
    return select(isObserved, moved, before);
  };
  Num low = observe(ReduceKind::Min, oldLow),
      high = observe(ReduceKind::Max, oldHigh);
  auto [newScale, newZero] = chooseParameters(
      low, high, *least, *most, c.boolOr("symmetric_quant", false));
  Num scale = select(isRounded, newScale, read(oldScale)),
      zero = select(isRounded, newZero.to(f32), read(oldZero));
  auto spread = [&](Value v) {
    return Num(b, axis ? alongAxis(b, v, self, *axis) : v);
  };
  Quantizer quantizer = {spread(scale), spread(zero),
                         static_cast<double>(*least),
                         static_cast<double>(*most)};
  Num x(b, self), q = quantizer.quantize(x);
  Value results[] = {select(isRounded, quantizer.dequantize(q), x),
                     !isRounded | quantizer.isInside(q),
                     write(low, 2),
                     write(high, 3),
                     write(scale, 4),
                     write(zero, 5)};
  return c.replace(results);
}

void graph::populateQuantizedLegalizations(AtenLegalizations &t) {
  t.add("fake_quantize_per_tensor_affine "
        "fake_quantize_per_tensor_affine.tensor_qparams "
        "fake_quantize_per_tensor_affine_cachemask "
        "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams "
        "fake_quantize_per_channel_affine "
        "fake_quantize_per_channel_affine_cachemask "
        "_fake_quantize_learnable_per_tensor_affine "
        "_fake_quantize_learnable_per_channel_affine",
        legalizeFakeQuantize);
  t.add("fake_quantize_per_tensor_affine_cachemask_backward "
        "fake_quantize_per_channel_affine_cachemask_backward",
        legalizeFakeQuantizeBackward);
  t.add("_fake_quantize_learnable_per_tensor_affine_backward "
        "_fake_quantize_learnable_per_channel_affine_backward",
        legalizeLearnableBackward);
  t.add("_fused_moving_avg_obs_fq_helper_functional",
        legalizeObservedFakeQuantize);
  t.add("_int_mm", legalizeIntMm);
  t.add("_weight_int8pack_mm", legalizeInt8PackMm);
  t.add("_convert_weight_to_int4pack_for_cpu", legalizePack);
  t.add("_weight_int4pack_mm_for_cpu", legalizeInt4PackMm);
  t.add("_scaled_mm", legalizeScaledMm);
  t.add("_scaled_mm_v2", legalizeScaledMmV2);
}
