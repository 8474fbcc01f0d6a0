//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of operators that draw random numbers. They draw what the
// framework's CUDA kernels would, from a state that is an argument of the
// function; see docs/Random.md.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using sym::ExprAttr;

/// Blocks of 256 threads that run at once on the GPU whose numbers are drawn:
/// 8 on each of 132 multiprocessors.
static constexpr int64_t kBlocks = 1056;

/// Words that a group of the generator has.
static constexpr int64_t kGroup = 4;

/// The state of the generator, an argument of the function, which is made when
/// it is not there; moves its offset by what `n` elements take. Returns the
/// groups that were drawn before.
static std::pair<Value, ExprAttr> takeState(AtenCall &c, ExprAttr n) {
  auto func = c.op->getParentOfType<func::FuncOp>();
  MLIRContext *ctx = c.b.getContext();
  Builder builder(ctx);
  unsigned number = 0;
  while (number < func.getNumArguments() &&
         !func.getArgAttr(number, kRandomStateAttrName))
    ++number;
  if (number == func.getNumArguments()) {
    NamedAttrList attrs;
    attrs.set(kRandomStateAttrName, sym::constant(ctx, 0));
    attrs.set("coil.name", builder.getStringAttr("random_state"));
    (void)func.insertArgument(number,
                              RankedTensorType::get({2}, builder.getI64Type()),
                              attrs.getDictionary(ctx), func.getLoc());
  }
  auto before = cast<ExprAttr>(func.getArgAttr(number, kRandomStateAttrName));
  ExprAttr groups = RandomBitsOp::getNumGroups(n, kBlocks);
  func.setArgAttr(
      number, kRandomStateAttrName,
      c.getContext().simplify(sym::add(before, sym::mul(groups, kGroup))));
  return {func.getArgument(number), c.getContext().simplify(sym::floorDiv(
                                        before, sym::constant(ctx, kGroup)))};
}

/// How far the generator moves is decided when a program is compiled, but not
/// how often an op of a branch or loop runs.
static bool isConditional(AtenCall &c) {
  return !isa<func::FuncOp>(c.op->getParentOp());
}
static LogicalResult failConditional(AtenCall &c) {
  return c.fail("random numbers are not drawn in branches and loops");
}

static Value drawBits(AtenCall &c, SizesRef sizes, ExprAttr vector) {
  ExprAttr n = sym::product(c.b.getContext(), sizes);
  auto [state, skip] = takeState(c, n);
  OpBuilder &builder = c.b.getBuilder();
  Type word = IntegerType::get(c.b.getContext(), 32, IntegerType::Unsigned);
  return RandomBitsOp::create(builder, c.b.getLoc(),
                              sym::getTensorType(sizes, word), state, skip,
                              vector, builder.getI64IntegerAttr(kBlocks));
}

/// Floats in (0, 1], as the CUDA library makes them of words.
static Value drawUniform(AtenCall &c, SizesRef sizes, ExprAttr vector) {
  TensorBuilder &b = c.b;
  Type f32 = b.getBuilder().getF32Type();
  Value bits = b.convert(drawBits(c, sizes, vector), f32);
  return b.add(b.mul(bits, b.scalar(0x1p-32, f32)), b.scalar(0x1p-33, f32));
}

static ExprAttr single(AtenCall &c) { return c.b.size(1); }

/// Elements that a thread of the dropout kernel takes at once: 16 bytes, or
/// less to divide their number.
static ExprAttr getDropoutVector(AtenCall &c, SizesRef sizes, Type type) {
  MLIRContext *ctx = c.b.getContext();
  ExprAttr n = sym::product(ctx, sizes), vector = sym::constant(ctx, 1);
  int64_t most = 128 / static_cast<int64_t>(type.getIntOrFloatBitWidth());
  for (int64_t v = 2; v <= most; v *= 2) {
    // Twice as many if `v` divides the number.
    ExprAttr rest =
        sym::min(sym::mod(n, sym::constant(ctx, v)), sym::constant(ctx, 1));
    vector = sym::mul(vector, sym::sub(sym::constant(ctx, 2), rest));
  }
  return c.getContext().simplify(vector);
}

static bool isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() >= 16 &&
         !type.isF64();
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// dropout, native_dropout
static LogicalResult legalizeDropout(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("input");
  if (!x)
    return c.fail("its operand is missing");
  OpBuilder &builder = b.getBuilder();
  bool withMask = c.op.getOutputs().size() > 1;
  auto fullMask = [&](int64_t value) {
    return b.full(
        convertScalar(builder.getI64IntegerAttr(value), c.resultElementType(1)),
        c.resultSizes(1));
  };
  double p = c.floatOr("p", 0.5);
  bool isIdentity = !c.boolOr("train", true) || (p == 0 && !withMask);
  if (isIdentity)
    return withMask ? c.replace({x, fullMask(1)}) : c.replace(x);
  Type type = getElementType(x);
  if (!isa<FloatType>(type) || type.getIntOrFloatBitWidth() < 16)
    return c.fail("its elements are not floats");
  if (!(p >= 0 && p <= 1))
    return c.fail("its probability is not between 0 and 1");
  Type compute = getAccumulationType(type);
  if (p == 1) {
    if (withMask)
      return c.replace(
          {b.full(convertScalar(builder.getI64IntegerAttr(0), type),
                  c.resultSizes()),
           fullMask(0)});
    return c.replace(b.mul(x, b.scalar(0, type)));
  }
  Sizes sizes = getSizes(x);
  if (isConditional(c))
    return failConditional(c);
  Value u = drawUniform(c, sizes, getDropoutVector(c, sizes, type));
  // In the type that the kernel computes with.
  double keep = 1 - p;
  if (compute.isF32())
    keep = static_cast<float>(keep);
  Value kept =
      b.compare(Pred::Lt, b.convert(u, compute), b.scalar(keep, compute));
  Value result = b.mul(b.mul(b.convert(x, compute), b.convert(kept, compute)),
                       b.scalar(1 / keep, compute));
  if (withMask)
    return c.replace({result, kept});
  return c.replace(result);
}

/// Dropout of whole features and the self-normalising one, outside of training.
static LogicalResult legalizeOtherDropout(AtenCall &c) {
  Value x = c.tensor("input");
  if (!x)
    return c.fail("its operand is missing");
  if (c.boolOr("train", true) && c.floatOr("p", 0.5) != 0)
    return c.fail("it draws other random numbers than dropout does; export the "
                  "model in evaluation mode");
  return c.replace(x);
}

//===----------------------------------------------------------------------===//
// Distributions
//===----------------------------------------------------------------------===//

/// rand, rand_like, uniform
static LogicalResult legalizeUniform(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  if (!isNarrowFloat(type))
    return c.fail("random elements of 64 bits or integers are not drawn from a "
                  "uniform distribution");
  double from = c.floatOr("from", 0), to = c.floatOr("to", 1);
  Type f32 = b.getBuilder().getF32Type();
  if (isConditional(c))
    return failConditional(c);
  Value u = drawUniform(c, c.resultSizes(), single(c));
  Value range =
      b.scalar(static_cast<float>(to) - static_cast<float>(from), f32);
  Value value = b.convert(b.add(b.mul(u, range), b.scalar(from, f32)), type);
  // The interval is open at the other end.
  return c.replace(b.select(b.compare(Pred::Eq, value, b.scalar(to, type)),
                            b.scalar(from, type), value));
}

static LogicalResult legalizeBernoulli(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  std::optional<double> p = c.getFloat("p");
  if (!isNarrowFloat(type))
    return c.fail("random elements of 64 bits or integers are not drawn from a "
                  "Bernoulli distribution");
  if (!p || !(*p >= 0 && *p <= 1))
    return c.fail("its probability is not a number between 0 and 1");
  Type f32 = b.getBuilder().getF32Type();
  if (isConditional(c))
    return failConditional(c);
  Value u = drawUniform(c, c.resultSizes(), single(c));
  return c.replace(b.convert(b.compare(Pred::Lt, u, b.scalar(*p, f32)), type));
}

/// randint, randint_like
static LogicalResult legalizeRandInt(AtenCall &c) {
  TensorBuilder &b = c.b;
  auto low = c.getInt("low"), high = c.getInt("high");
  if (c.op.getArgument("low") && !low)
    return c.fail("its bounds are not constant");
  int64_t first = low.value_or(0);
  constexpr int64_t kMostNumbers = int64_t(1) << 28;
  if (!high || *high <= first || *high - first >= kMostNumbers)
    return c.fail("its bounds are not constants less than 2^28 apart");
  Type i64 = b.getBuilder().getI64Type();
  if (isConditional(c))
    return failConditional(c);
  Value bits = b.convert(drawBits(c, c.resultSizes(), single(c)), i64);
  Value value = b.binary<RemainderOp>(
      bits, b.scalar(b.getBuilder().getI64IntegerAttr(*high - first)));
  value = b.add(value, b.scalar(b.getBuilder().getI64IntegerAttr(first)));
  return c.replace(value);
}

void graph::populateRandomLegalizations(AtenLegalizations &t) {
  t.add("dropout native_dropout", legalizeDropout);
  t.add("feature_dropout alpha_dropout feature_alpha_dropout",
        legalizeOtherDropout);
  t.add("rand rand_like uniform", legalizeUniform);
  t.add("bernoulli.p", legalizeBernoulli);
  t.add("randint randint.low randint_like randint_like.low_dtype",
        legalizeRandInt);
  t.add("randn randn_like randperm bernoulli bernoulli.Tensor multinomial "
        "normal.Tensor_Tensor normal.Tensor_float normal.float_Tensor "
        "normal.float_float normal_functional exponential poisson "
        "rrelu_with_noise _fused_dropout",
        [](AtenCall &c) {
          return c.fail("random numbers of its distribution are not drawn");
        });
}
