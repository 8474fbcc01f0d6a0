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

//===----------------------------------------------------------------------===//
// RandomStates
//===----------------------------------------------------------------------===//

/// A state that is `words` of its offset further.
static Value advance(OpBuilder &builder, Location loc, Value state,
                     ExprAttr words) {
  if (words.isConstant(0))
    return state;
  TensorBuilder b(builder, loc);
  MLIRContext *ctx = builder.getContext();
  Value step = b.mul(b.iota(0, 1, sym::constant(ctx, 2)),
                     b.expr(words, builder.getI64Type()));
  return b.add(state, step);
}

RandomStates::Position *RandomStates::enterFunction(Block *block) {
  auto func = cast<func::FuncOp>(block->getParentOp());
  MLIRContext *ctx = func.getContext();
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
  return &positions.insert({block, {func.getArgument(number), before}})
              .first->second;
}

RandomStates::Position *RandomStates::find(Block *block) {
  if (auto *found = positions.find(block); found != positions.end())
    return &found->second;
  Operation *parent = block->getParentOp();
  if (isa<func::FuncOp>(parent))
    return enterFunction(block);
  auto loop = dyn_cast<WhileOp>(parent);
  if (!loop && !isa<IfOp>(parent))
    return nullptr;
  if (loop && block != &loop.getBody().front())
    return nullptr;
  Position *outer = find(parent->getBlock());
  if (!outer)
    return nullptr;
  isThreaded = true;
  OpBuilder builder(parent);
  Location loc = parent->getLoc();
  Value given = advance(builder, loc, outer->state, outer->drawn);
  // The op is made again with a result more; its blocks move.
  OperationState made(loc, parent->getName());
  made.addOperands(parent->getOperands());
  if (loop)
    made.addOperands(given);
  made.addTypes(parent->getResultTypes());
  made.addTypes(given.getType());
  made.addAttributes(parent->getAttrs());
  for (Region &region : parent->getRegions())
    made.addRegion()->takeBody(region);
  Operation *again = builder.create(made);
  ExprAttr none = sym::constant(builder.getContext(), 0);
  for (Region &region : again->getRegions()) {
    Block *inner = &region.front();
    Value state =
        loop ? Value(inner->addArgument(given.getType(), loc)) : given;
    Operation *end = inner->getTerminator();
    if (!isa<YieldOp>(end)) // A condition passes on what it is given.
      continue;
    // What it yields is known when all of the block is.
    cast<YieldOp>(end).getValuesMutable().append(state);
    positions.insert({inner, {state, none}});
  }
  parent->replaceAllUsesWith(again->getResults().drop_back());
  parent->erase();
  outer = &positions.find(again->getBlock())->second;
  *outer = {again->getResults().back(), none};
  return &positions.find(block)->second;
}

void RandomStates::finish(Operation *function) {
  auto func = cast<func::FuncOp>(function);
  sym::Context context = sym::Context::forOp(func);
  MLIRContext *ctx = func.getContext();
  for (auto &[block, position] : positions) {
    ExprAttr drawn = context.simplify(position.drawn);
    if (block->getParentOp() != func) {
      auto yield = cast<YieldOp>(block->getTerminator());
      OpBuilder builder(yield);
      Value state = advance(builder, yield.getLoc(), position.state, drawn);
      MutableOperandRange values = yield.getValuesMutable();
      values.slice(values.size() - 1, 1).assign(state);
      continue;
    }
    unsigned number = 0;
    while (!func.getArgAttr(number, kRandomStateAttrName))
      ++number;
    if (!isThreaded) {
      func.setArgAttr(number, kRandomStateAttrName, drawn);
      continue;
    }
    // Only the run knows how far.
    func.setArgAttr(number, kRandomStateAttrName, sym::constant(ctx, 0));
    auto end = cast<func::ReturnOp>(block->getTerminator());
    OpBuilder builder(end);
    Value state = advance(builder, end.getLoc(), position.state, drawn);
    end.getOperandsMutable().append(state);
    NamedAttrList attrs;
    attrs.set(kRandomStateAttrName, UnitAttr::get(ctx));
    attrs.set("coil.name", builder.getStringAttr("random_state"));
    (void)func.insertResult(func.getNumResults(), state.getType(),
                            attrs.getDictionary(ctx));
  }
}

//===----------------------------------------------------------------------===//
// Draws
//===----------------------------------------------------------------------===//

/// The state of the generator where the operator is; moves it by what `n`
/// elements take. Returns the groups that were drawn of it before.
static std::pair<Value, ExprAttr> takeState(AtenCall &c, ExprAttr n) {
  RandomStates::Position *position = c.states.find(c.op->getBlock());
  ExprAttr before = position->drawn;
  ExprAttr groups = RandomBitsOp::getNumGroups(n, kBlocks);
  position->drawn =
      c.getContext().simplify(sym::add(before, sym::mul(groups, kGroup)));
  return {position->state,
          c.getContext().simplify(
              sym::floorDiv(before, sym::constant(c.b.getContext(), kGroup)))};
}

/// What a condition draws could not be handed on.
static bool isConditional(AtenCall &c) {
  return !c.states.find(c.op->getBlock());
}
static LogicalResult failConditional(AtenCall &c) {
  return c.fail("random numbers are not drawn in the condition of a loop");
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
