//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two functions that follow each other: `valueAt` gives an integer tensor's
// element as an expression of the position, `holdsAt` gives a mask's element as
// a conjunction of expressions that are not negative.
//
//===----------------------------------------------------------------------===//

#include "AttentionMask.h"

#include "AttentionLibrary.h"

#include "coil/Dialect/Graph/IR/TypeInference.h"

#include <optional>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using sym::ExprAttr;

namespace {

/// Visits of operators between a mask and what it counts. Real masks have a
/// few dozen operators, some of them visited several times; more are not worth
/// the time.
constexpr unsigned kMaxOperators = 512;

class Positions {
public:
  Positions(MLIRContext *ctx, sym::Context &context)
      : ctx(ctx), context(context) {}

  std::optional<ExprAttr> valueAt(Value v, ArrayRef<ExprAttr> index);
  /// Adds expressions to `nonNegative`; the element is true, or false if
  /// `isNegated`, where none of them is negative.
  bool holdsAt(Value v, ArrayRef<ExprAttr> index,
               SmallVectorImpl<ExprAttr> &nonNegative, bool isNegated = false);

  /// Whether the element is true, if it is the same everywhere.
  std::optional<bool> decide(Value v, ArrayRef<ExprAttr> index);

  /// The position in an operand that broadcasts to the shape `index` is in.
  SmallVector<ExprAttr> broadcastIndex(Value operand, ArrayRef<ExprAttr> index);

private:
  /// What the two operands of an operator are.
  struct Sides {
    ExprAttr lhs, rhs;
  };
  std::optional<Sides> sidesAt(Operation *op, ArrayRef<ExprAttr> index);
  std::optional<bool> decide(Pred predicate, Sides sides);

  /// The operand of a view and the position in it.
  struct Source {
    Value value;
    SmallVector<ExprAttr> index;
  };
  std::optional<Source> throughView(Operation *op, ArrayRef<ExprAttr> index);
  std::optional<Source> throughReshape(ReshapeOp op, ArrayRef<ExprAttr> index);
  /// The position in the table of an index into all of its dimensions.
  std::optional<Source> throughIndex(IndexOp op, ArrayRef<ExprAttr> index);
  /// Operands whose elements go on counting each other's.
  std::optional<ExprAttr> valueAtCat(CatOp op, ArrayRef<ExprAttr> index);
  /// A position of its own, anywhere below `size`.
  ExprAttr addDim(ExprAttr size);
  /// `e` where the type of `v` holds all its values.
  std::optional<ExprAttr> inRange(ExprAttr e, Value v);

  MLIRContext *ctx;
  sym::Context &context;
  unsigned operators = 0;
};

} // namespace

SmallVector<ExprAttr> Positions::broadcastIndex(Value operand,
                                                ArrayRef<ExprAttr> index) {
  auto sizes = getSizes(operand);
  SmallVector<ExprAttr> result(index.take_back(sizes.size()));
  for (auto [i, size] : llvm::zip(result, sizes))
    if (size.isConstant(1))
      i = sym::constant(ctx, 0);
  return result;
}

std::optional<Positions::Source>
Positions::throughReshape(ReshapeOp op, ArrayRef<ExprAttr> index) {
  // Only dimensions of one element come and go.
  auto to = getSizes(op.getResult()), from = getSizes(op.getInput());
  Source source{op.getInput(), {}};
  size_t next = 0;
  auto skipOnes = [&] {
    while (next < to.size() && to[next].isConstant(1))
      ++next;
  };
  for (ExprAttr size : from) {
    if (size.isConstant(1)) {
      source.index.push_back(sym::constant(ctx, 0));
      continue;
    }
    skipOnes();
    if (next == to.size() || to[next] != size)
      return std::nullopt;
    source.index.push_back(index[next++]);
  }
  skipOnes();
  return next == to.size() ? std::optional(source) : std::nullopt;
}

std::optional<Positions::Source>
Positions::throughView(Operation *op, ArrayRef<ExprAttr> index) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return throughReshape(reshape, index);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return Source{broadcast.getInput(),
                  broadcastIndex(broadcast.getInput(), index)};
  if (auto permute = dyn_cast<PermuteOp>(op)) {
    Source source{permute.getInput(), SmallVector<ExprAttr>(index.size())};
    for (auto [to, from] : llvm::enumerate(permute.getPermutation()))
      source.index[static_cast<size_t>(from)] = index[to];
    return source;
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    Source source{slice.getInput(), {}};
    for (auto [i, start, step] :
         llvm::zip(index, slice.getStarts().getDims(), slice.getSteps()))
      source.index.push_back(sym::add(start, sym::mul(i, step)));
    return source;
  }
  return std::nullopt;
}

ExprAttr Positions::addDim(ExprAttr size) {
  SmallVector<ExprAttr> extents(context.getDimExtents());
  auto dim = static_cast<unsigned>(extents.size());
  extents.push_back(size);
  context.setDimExtents(extents);
  return sym::dim(ctx, dim);
}

std::optional<ExprAttr> Positions::inRange(ExprAttr e, Value v) {
  auto type = dyn_cast<IntegerType>(getElementType(v));
  if (!type || type.getWidth() == 1)
    return std::nullopt;
  e = context.simplify(e);
  sym::Bounds bounds = context.bounds(e);
  unsigned width = type.getWidth();
  if (type.isUnsigned()) {
    if (bounds.lo < 0 || (width < 63 && bounds.hi >> width != 0))
      return std::nullopt;
    return e;
  }
  if (bounds.lo == std::numeric_limits<int64_t>::min() ||
      bounds.hi == std::numeric_limits<int64_t>::max() ||
      !llvm::isIntN(width, bounds.lo) || !llvm::isIntN(width, bounds.hi))
    return std::nullopt;
  return e;
}

std::optional<ExprAttr> Positions::valueAt(Value v, ArrayRef<ExprAttr> index) {
  Operation *op = v.getDefiningOp();
  if (!op || ++operators > kMaxOperators)
    return std::nullopt;
  auto number = [](Attribute attr) -> std::optional<int64_t> {
    auto integer = dyn_cast<IntegerAttr>(attr);
    if (!integer || integer.getValue().getSignificantBits() > 62)
      return std::nullopt;
    return integer.getType().isUnsignedInteger()
               ? static_cast<int64_t>(integer.getValue().getZExtValue())
               : integer.getValue().getSExtValue();
  };
  if (auto source = throughView(op, index))
    return valueAt(source->value, source->index);
  if (auto lookup = dyn_cast<IndexOp>(op)) {
    std::optional<Source> source = throughIndex(lookup, index);
    return source ? valueAt(source->value, source->index) : std::nullopt;
  }
  if (auto cat = dyn_cast<CatOp>(op))
    return valueAtCat(cat, index);
  if (auto scan = dyn_cast<ScanOp>(op)) {
    // A sum of nothing but zeros: at every place along the dimension.
    auto dim = static_cast<size_t>(scan.getDim());
    SmallVector<ExprAttr> anywhere(index);
    anywhere[dim] = addDim(getSizes(scan.getInput())[dim]);
    std::optional<ExprAttr> value = valueAt(scan.getInput(), anywhere);
    return scan.getKind() == ScanKind::Sum && value && value->isConstant(0)
               ? value
               : std::nullopt;
  }
  if (auto full = dyn_cast<FullOp>(op)) {
    std::optional<int64_t> value = number(full.getValue());
    return value ? inRange(sym::constant(ctx, *value), v) : std::nullopt;
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    std::optional<int64_t> start = number(iota.getStart()),
                           step = number(iota.getStep());
    if (!start || !step)
      return std::nullopt;
    ExprAttr i = index[static_cast<size_t>(iota.getDim())];
    return inRange(sym::add(sym::mul(i, *step), *start), v);
  }
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    Value input = convert.getInput();
    SmallVector<ExprAttr> place = broadcastIndex(input, index);
    if (getElementType(input).isInteger(1)) {
      std::optional<bool> value = decide(input, place);
      return value ? inRange(sym::constant(ctx, *value), v) : std::nullopt;
    }
    std::optional<ExprAttr> value = valueAt(input, place);
    return value ? inRange(*value, v) : std::nullopt;
  }
  if (!isa<AddOp, SubOp>(op))
    return std::nullopt;
  std::optional<Sides> sides = sidesAt(op, index);
  if (!sides)
    return std::nullopt;
  return inRange(isa<AddOp>(op) ? sym::add(sides->lhs, sides->rhs)
                                : sym::sub(sides->lhs, sides->rhs),
                 v);
}

std::optional<Positions::Sides> Positions::sidesAt(Operation *op,
                                                   ArrayRef<ExprAttr> index) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  std::optional<ExprAttr> a = valueAt(lhs, broadcastIndex(lhs, index)),
                          b = valueAt(rhs, broadcastIndex(rhs, index));
  return a && b ? std::optional(Sides{*a, *b}) : std::nullopt;
}

std::optional<Positions::Source>
Positions::throughIndex(IndexOp op, ArrayRef<ExprAttr> index) {
  auto sizes = getSizes(op.getInput());
  if (op.getDims().size() != sizes.size())
    return std::nullopt;
  Source source{op.getInput(), {}};
  for (auto [position, size] : llvm::zip(op.getIndices(), sizes)) {
    std::optional<ExprAttr> i =
        valueAt(position, broadcastIndex(position, index));
    // Negative positions count from the end.
    if (!i || !context.isNonNegative(*i) || !context.isLess(*i, size))
      return std::nullopt;
    source.index.push_back(*i);
  }
  return source;
}

std::optional<ExprAttr> Positions::valueAtCat(CatOp op,
                                              ArrayRef<ExprAttr> index) {
  auto dim = static_cast<size_t>(op.getDim());
  ExprAttr at = index[dim];
  SmallVector<ExprAttr> local(index);
  // The operands' elements as functions of the position in the result: of a
  // single element only its value at its place is known.
  struct Single {
    Value value;
    ExprAttr offset;
  };
  SmallVector<Single> singles;
  Single rest{};
  std::optional<ExprAttr> result;
  ExprAttr offset = sym::constant(ctx, 0);
  for (Value input : op.getInputs()) {
    ExprAttr size = getSizes(input)[dim];
    if (size.isConstant(1)) {
      singles.push_back({input, offset});
    } else {
      local[dim] = sym::sub(at, offset);
      std::optional<ExprAttr> value = valueAt(input, local);
      if (!value || (result && *result != *value))
        return std::nullopt;
      result = value;
      rest = {input, offset};
    }
    offset = sym::add(offset, size);
  }
  for (const Single &single : singles) {
    if (!result)
      return std::nullopt;
    local[dim] = sym::constant(ctx, 0);
    std::optional<ExprAttr> value = valueAt(single.value, local);
    local[dim] = sym::sub(single.offset, rest.offset);
    if (!value || valueAt(rest.value, local) != value)
      return std::nullopt;
  }
  return result;
}

std::optional<bool> Positions::decide(Value v, ArrayRef<ExprAttr> index) {
  Operation *op = v.getDefiningOp();
  if (!op || ++operators > kMaxOperators)
    return std::nullopt;
  if (auto source = throughView(op, index))
    return decide(source->value, source->index);
  auto compare = dyn_cast<CompareOp>(op);
  std::optional<Sides> sides = compare ? sidesAt(compare, index) : std::nullopt;
  return sides ? decide(compare.getPredicate(), *sides) : std::nullopt;
}

std::optional<bool> Positions::decide(Pred predicate, Sides sides) {
  auto [a, b] = sides;
  bool less = context.isLess(a, b), greater = context.isLess(b, a);
  bool atMost = context.isLessOrEqual(a, b),
       atLeast = context.isLessOrEqual(b, a);
  auto answer = [](bool yes, bool no) -> std::optional<bool> {
    return yes || no ? std::optional(yes) : std::nullopt;
  };
  switch (predicate) {
  case Pred::Eq:
    return answer(atMost && atLeast, less || greater);
  case Pred::Ne:
    return answer(less || greater, atMost && atLeast);
  case Pred::Lt:
    return answer(less, atLeast);
  case Pred::Le:
    return answer(atMost, greater);
  case Pred::Gt:
    return answer(greater, atMost);
  case Pred::Ge:
    return answer(atLeast, less);
  }
  return std::nullopt;
}

/// Whether every element is a float for which `test` holds.
static bool isFull(Value v, function_ref<bool(const APFloat &)> test) {
  Operation *op = v.getDefiningOp();
  while (isa_and_present<ReshapeOp, PermuteOp, BroadcastOp, SliceOp, ConvertOp>(
      op))
    op = op->getOperand(0).getDefiningOp();
  auto full = dyn_cast_or_null<FullOp>(op);
  auto value = full ? dyn_cast<FloatAttr>(full.getValue()) : FloatAttr();
  return value && test(value.getValue());
}

/// The number that every element is, of a bool, an integer or a float.
static std::optional<double> getNumber(Value v) {
  Operation *op = v.getDefiningOp();
  while (isa_and_present<ReshapeOp, PermuteOp, BroadcastOp, SliceOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto full = dyn_cast_or_null<FullOp>(op);
  if (!full)
    return std::nullopt;
  if (auto real = dyn_cast<FloatAttr>(full.getValue()))
    return real.getValue().convertToDouble();
  auto integer = dyn_cast<IntegerAttr>(full.getValue());
  if (!integer || integer.getValue().getSignificantBits() > 53)
    return std::nullopt;
  return integer.getType().isInteger(1)
             ? !integer.getValue().isZero()
             : integer.getValue().signedRoundToDouble();
}

static bool compare(Pred predicate, double a, double b) {
  switch (predicate) {
  case Pred::Eq:
    return a == b;
  case Pred::Ne:
    return a != b;
  case Pred::Lt:
    return a < b;
  case Pred::Le:
    return a <= b;
  case Pred::Gt:
    return a > b;
  case Pred::Ge:
    return a >= b;
  }
  return false;
}

static Pred negate(Pred predicate) {
  switch (predicate) {
  case Pred::Eq:
    return Pred::Ne;
  case Pred::Ne:
    return Pred::Eq;
  case Pred::Lt:
    return Pred::Ge;
  case Pred::Le:
    return Pred::Gt;
  case Pred::Gt:
    return Pred::Le;
  case Pred::Ge:
    return Pred::Lt;
  }
  return predicate;
}

/// Of a condition that depends on a select of two numbers (ones and zeros, of
/// which a triangle was kept, compared with zero), whether it is true where the
/// select's condition is, and where it is not.
static std::optional<std::pair<bool, bool>> decideBySelect(Operation *op,
                                                           SelectOp &select) {
  auto readSelect = [&](Value v) {
    select = v.getDefiningOp<SelectOp>();
    return select && getNumber(select.getTrueValue()) &&
           getNumber(select.getFalseValue());
  };
  if (isa<SelectOp>(op)) {
    select = cast<SelectOp>(op);
    std::optional<double> yes = getNumber(select.getTrueValue()),
                          no = getNumber(select.getFalseValue());
    if (!yes || !no)
      return std::nullopt;
    return std::pair(*yes != 0, *no != 0);
  }
  auto compareOp = dyn_cast<CompareOp>(op);
  if (!compareOp)
    return std::nullopt;
  for (unsigned operand = 0; operand < 2; ++operand) {
    std::optional<double> number = getNumber(op->getOperand(1 - operand));
    if (!number || !readSelect(op->getOperand(operand)))
      continue;
    auto holds = [&](Value v) {
      double value = *getNumber(v);
      return operand == 0 ? compare(compareOp.getPredicate(), value, *number)
                          : compare(compareOp.getPredicate(), *number, value);
    };
    return std::pair(holds(select.getTrueValue()),
                     holds(select.getFalseValue()));
  }
  return std::nullopt;
}

bool Positions::holdsAt(Value v, ArrayRef<ExprAttr> index,
                        SmallVectorImpl<ExprAttr> &nonNegative,
                        bool isNegated) {
  Operation *op = v.getDefiningOp();
  if (!op || ++operators > kMaxOperators)
    return false;
  if (auto source = throughView(op, index))
    return holdsAt(source->value, source->index, nonNegative, isNegated);
  if (isa<FloatType>(getElementType(v))) {
    // What is added to scores: nothing where the condition holds, else what
    // makes their exponentials zero in every row that sees something.
    if (isNegated)
      return false;
    if (auto convert = dyn_cast<ConvertOp>(op);
        convert && isa<FloatType>(getElementType(convert.getInput())))
      return holdsAt(convert.getInput(),
                     broadcastIndex(convert.getInput(), index), nonNegative);
    auto select = dyn_cast<SelectOp>(op);
    if (!select)
      return false;
    auto isZero = [](const APFloat &x) { return x.isZero(); };
    auto isHiding = [](const APFloat &x) {
      return x.convertToDouble() <= kHidden;
    };
    Value condition = select.getCondition();
    Value onTrue = select.getTrueValue(), onFalse = select.getFalseValue();
    bool keepsTrue = isFull(onTrue, isZero) && isFull(onFalse, isHiding);
    if (!keepsTrue && !(isFull(onTrue, isHiding) && isFull(onFalse, isZero)))
      return false;
    return holdsAt(condition, broadcastIndex(condition, index), nonNegative,
                   !keepsTrue);
  }
  if (!getElementType(v).isInteger(1))
    return false;
  if (isNegated ? isa<BitwiseOrOp>(op) : isa<BitwiseAndOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value side) {
      return holdsAt(side, broadcastIndex(side, index), nonNegative, isNegated);
    });
  if (isa<BitwiseNotOp>(op)) {
    Value other = op->getOperand(0);
    return holdsAt(other, broadcastIndex(other, index), nonNegative,
                   !isNegated);
  }
  if (isa<FullOp>(op))
    return getNumber(v) == (isNegated ? 0.0 : 1.0);
  SelectOp select;
  if (auto decided = decideBySelect(op, select)) {
    auto [yes, no] = *decided;
    if (yes == no)
      return yes != isNegated;
    SmallVector<ExprAttr> at(index);
    if (select != op)
      at = broadcastIndex(select.getResult(), index);
    Value condition = select.getCondition();
    return holdsAt(condition, broadcastIndex(condition, at), nonNegative,
                   yes == isNegated);
  }
  auto compare = dyn_cast<CompareOp>(op);
  if (!compare)
    return false;
  std::optional<Sides> sides = sidesAt(compare, index);
  if (!sides)
    return false;
  Pred predicate = compare.getPredicate();
  if (isNegated)
    predicate = negate(predicate);
  if (decide(predicate, *sides) == true)
    return true;
  auto [a, b] = *sides;
  switch (predicate) {
  case Pred::Le:
    nonNegative.push_back(sym::sub(b, a));
    return true;
  case Pred::Lt:
    nonNegative.push_back(sym::add(sym::sub(b, a), -1));
    return true;
  case Pred::Ge:
    nonNegative.push_back(sym::sub(a, b));
    return true;
  case Pred::Gt:
    nonNegative.push_back(sym::add(sym::sub(a, b), -1));
    return true;
  default:
    return false;
  }
}

MaskKind graph::classifyMask(AttentionOp op) {
  MLIRContext *ctx = op.getContext();
  auto scores = getSizes(op.getQuery());
  auto keys = getSizes(op.getKey());
  scores.back() = keys[keys.size() - 2];
  sym::Context context = sym::Context::forOp(op);
  context.setDimExtents(scores);
  SmallVector<ExprAttr> index;
  for (unsigned d = 0; d < scores.size(); ++d)
    index.push_back(sym::dim(ctx, d));

  Positions positions(ctx, context);
  SmallVector<ExprAttr> nonNegative;
  Value mask = op.getMask();
  // What is hidden by another number takes part in the softmax.
  if (op.getFill() && op.getFill()->convertToDouble() > kHidden)
    return MaskKind::General;
  if (!positions.holdsAt(mask, positions.broadcastIndex(mask, index),
                         nonNegative))
    return MaskKind::General;
  ExprAttr past = sym::sub(index[index.size() - 2], index.back());
  MaskKind kind = MaskKind::Everything;
  for (ExprAttr e : nonNegative) {
    if (context.isNonNegative(e))
      continue;
    if (context.simplify(e) != past)
      return MaskKind::General;
    kind = MaskKind::Causal;
  }
  return kind;
}
