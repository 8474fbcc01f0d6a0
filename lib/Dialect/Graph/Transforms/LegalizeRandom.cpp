//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of the random generator, draws from it, and dropout. Operators draw
// what the framework's CUDA kernels would, from a state that is an argument of
// the function; see docs/concepts/Random.md.
//
//===----------------------------------------------------------------------===//

#include "RandomDraws.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using sym::ExprAttr;

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

/// The state of the generator where the operator is; moves it by `groups`.
/// Returns the groups that were drawn of it before.
static std::pair<Value, ExprAttr> takeState(AtenCall &c, ExprAttr groups) {
  RandomStates::Position *position = c.states.find(c.op->getBlock());
  ExprAttr before = position->drawn;
  position->drawn =
      c.getContext().simplify(sym::add(before, sym::mul(groups, kGroup)));
  return {position->state,
          c.getContext().simplify(
              sym::floorDiv(before, sym::constant(c.b.getContext(), kGroup)))};
}

LogicalResult graph::checkDraws(AtenCall &c) {
  if (c.states.find(c.op->getBlock()))
    return success();
  return c.fail("random numbers are not drawn in the condition of a loop");
}

Type graph::getDrawnType(Type elementType) {
  return elementType.isF64() ? elementType
                             : Float32Type::get(elementType.getContext());
}

bool graph::isDrawnFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() >= 16;
}

Value graph::drawBits(AtenCall &c, SizesRef sizes, ExprAttr vector,
                      int64_t blocks, ExprAttr groups) {
  if (!groups)
    groups = RandomBitsOp::getNumGroups(sym::product(c.b.getContext(), sizes),
                                        blocks);
  auto [state, skip] = takeState(c, groups);
  OpBuilder &builder = c.b.getBuilder();
  Type word = IntegerType::get(c.b.getContext(), 32, IntegerType::Unsigned);
  return RandomBitsOp::create(builder, c.b.getLoc(),
                              sym::getTensorType(sizes, word), state, skip,
                              vector, builder.getI64IntegerAttr(blocks));
}

GroupDraw graph::takeGroups(AtenCall &c, ExprAttr groups) {
  auto [state, skip] = takeState(c, groups);
  return {state, skip};
}

Value graph::drawGroups(TensorBuilder &b, const GroupDraw &draw, Value state,
                        SizesRef sizes) {
  OpBuilder &builder = b.getBuilder();
  Sizes all(sizes);
  all.push_back(b.size(kGroup));
  Type word = IntegerType::get(b.getContext(), 32, IntegerType::Unsigned);
  return RandomBitsOp::create(
      builder, b.getLoc(), sym::getTensorType(all, word), state, draw.skip,
      b.size(kGroup), builder.getI64IntegerAttr(kManyBlocks));
}

/// `f32` in (0, 1], as the CUDA library makes them of words.
static Value makeUniform(TensorBuilder &b, Value bits) {
  Type f32 = b.getBuilder().getF32Type();
  return b.add(b.mul(b.convert(bits, f32), b.scalar(0x1p-32, f32)),
               b.scalar(0x1p-33, f32));
}

Value graph::drawUniform(AtenCall &c, SizesRef sizes, ExprAttr vector,
                         int64_t blocks, ExprAttr groups) {
  return makeUniform(c.b, drawBits(c, sizes, vector, blocks, groups));
}

GroupDraw graph::takeWords(AtenCall &c, ExprAttr count) {
  return takeGroups(c, sym::ceilDiv(count, c.b.size(kGroup)));
}

Value graph::drawUniformOfStream(TensorBuilder &b, const GroupDraw &draw,
                                 SizesRef sizes) {
  OpBuilder &builder = b.getBuilder();
  MLIRContext *ctx = b.getContext();
  Type word = IntegerType::get(ctx, 32, IntegerType::Unsigned);
  // One thread takes all elements.
  ExprAttr vector = sym::max(sym::product(ctx, sizes), sym::constant(ctx, 1));
  return makeUniform(
      b, RandomBitsOp::create(
             builder, b.getLoc(), sym::getTensorType(sizes, word), draw.state,
             draw.skip, vector, builder.getI64IntegerAttr(/*blocks=*/1)));
}

Value graph::draw(AtenCall &c, Distribution distribution, SizesRef sizes,
                  Type elementType) {
  ExprAttr n = sym::product(c.b.getContext(), sizes);
  auto [state, skip] =
      takeState(c, RandomOp::getNumGroups(n, elementType, kRandomBlocks));
  OpBuilder &builder = c.b.getBuilder();
  return RandomOp::create(
      builder, c.b.getLoc(), sym::getTensorType(sizes, elementType),
      DistributionAttr::get(builder.getContext(), distribution), state, skip,
      builder.getI64IntegerAttr(kRandomBlocks));
}

Value graph::drawUniformFor(AtenCall &c, SizesRef sizes, Type type) {
  if (type.isF64())
    return draw(c, Distribution::Uniform, sizes, type);
  return drawUniform(c, sizes, c.b.size(1));
}

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

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// `x` times zero, whatever its elements are.
static Value dropAll(TensorBuilder &b, Value x) {
  Type type = getElementType(x);
  return isa<FloatType>(type)
             ? b.mul(x, b.scalar(0, type))
             : b.full(cast<TypedAttr>(b.getBuilder().getZeroAttr(type)),
                      getSizes(x));
}

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
  if (!(p >= 0 && p <= 1))
    return c.fail("its probability is not between 0 and 1");
  if (p == 1) {
    if (withMask)
      return c.replace({dropAll(b, x), fullMask(0)});
    return c.replace(dropAll(b, x));
  }
  if (!isDrawnFloat(type))
    return c.fail("its elements are not floats");
  Type compute = getAccumulationType(type);
  Sizes sizes = getSizes(x);
  if (failed(checkDraws(c)))
    return failure();
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

/// Dropout of whole features, and the self-normalising one.
static AtenHandler otherDropout(bool ofFeatures, bool isAlpha) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Value x = c.tensor("input");
    if (!x)
      return c.fail("its operand is missing");
    double p = c.floatOr("p", 0.5);
    if (!c.boolOr("train", true) || p == 0)
      return c.replace(x);
    Type type = getElementType(x);
    if (!(p >= 0 && p <= 1))
      return c.fail("its probability is not between 0 and 1");
    if (p == 1)
      return c.replace(dropAll(b, x));
    if (!isDrawnFloat(type))
      return c.fail("its elements are not floats");
    Sizes sizes = getSizes(x);
    if (ofFeatures && sizes.size() < 2)
      return c.fail("its operand has no features: fewer than two dimensions");
    for (size_t d = 2; ofFeatures && d < sizes.size(); ++d)
      sizes[d] = b.size(1);
    if (failed(checkDraws(c)))
      return failure();
    Value u = drawUniformFor(c, sizes, type);
    Value kept = b.convert(
        b.compare(Pred::Lt, u, b.scalar(1 - p, getElementType(u))), type);
    // Numbers are not rounded to narrow floats, results are.
    Type wide = getAccumulationType(type);
    auto scale = [&](Value v, double factor, double shift = 0) {
      Value result = b.mul(b.convert(v, wide), b.scalar(factor, wide));
      if (shift != 0)
        result = b.add(b.convert(b.convert(result, type), wide),
                       b.scalar(shift, wide));
      return b.convert(result, type);
    };
    if (!isAlpha)
      return c.replace(b.mul(x, scale(kept, 1 / (1 - p))));
    // The value far below that the activation goes to, and what keeps mean and
    // variance.
    constexpr double kAlpha = 1.7580993408473766;
    double a = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
    Value shift =
        scale(b.add(kept, b.scalar(-1, type)), kAlpha * a, kAlpha * a * p);
    return c.replace(b.add(b.mul(x, scale(kept, a)), shift));
  };
}

/// native_dropout_backward
static LogicalResult legalizeDropoutBackward(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value grad = c.operand("grad_output", type), mask = c.operand("mask", type);
  if (!grad || !mask)
    return c.fail("an operand is missing");
  return c.replace(
      b.mul(b.mul(grad, mask), b.scalar(c.floatOr("scale", 1), type)));
}

void graph::populateRandomLegalizations(AtenLegalizations &t) {
  t.add("dropout native_dropout", legalizeDropout);
  t.add("native_dropout_backward", legalizeDropoutBackward);
  t.add("feature_dropout", otherDropout(/*ofFeatures=*/true, false));
  t.add("alpha_dropout", otherDropout(false, /*isAlpha=*/true));
  t.add("feature_alpha_dropout", otherDropout(true, true));
  populateDistributionLegalizations(t);
  populateRejectionLegalizations(t);
}
