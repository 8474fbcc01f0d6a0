//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention that is spelled as products and a softmax, found by what it
// computes.
//
// The softmax is the anchor. From its probabilities forward there is the
// product with the values, from its scores backward the product of queries and
// keys. Views on the way change layouts, not values: all tensors are placed
// over one set of axes, and the roles of the axes decide.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "AttentionLibrary.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using sym::ExprAttr;

/// Operators between softmax and products. Real models have some ten; more are
/// not worth the time.
static constexpr unsigned kMaxSteps = 64;

using AxisSet = llvm::SmallDenseSet<unsigned, 8>;

static bool isView(Operation *op) {
  return isa<ReshapeOp, PermuteOp, BroadcastOp>(op);
}

static bool isFloatConvert(Operation *op) {
  return isa<ConvertOp>(op) &&
         isa<FloatType>(graph::getElementType(op->getOperand(0))) &&
         isa<FloatType>(graph::getElementType(op->getResult(0)));
}

/// The number that all elements of a float tensor are.
static std::optional<double> getUniform(Value v) {
  auto type = dyn_cast<FloatType>(graph::getElementType(v));
  Operation *op = v.getDefiningOp();
  if (!type || !op)
    return std::nullopt;
  std::optional<double> value;
  if (isView(op) || isa<SliceOp>(op) || isFloatConvert(op)) {
    value = getUniform(op->getOperand(0));
  } else if (auto full = dyn_cast<FullOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(full.getValue()))
      value = number.getValue().convertToDouble();
  } else if (isa<SqrtOp, RsqrtOp, ReciprocalOp, NegOp>(op)) {
    value = getUniform(op->getOperand(0));
    if (value)
      value = isa<SqrtOp>(op)         ? std::sqrt(*value)
              : isa<RsqrtOp>(op)      ? 1 / std::sqrt(*value)
              : isa<ReciprocalOp>(op) ? 1 / *value
                                      : -*value;
  }
  if (!value)
    return std::nullopt;
  APFloat rounded(*value);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return rounded.convertToDouble();
}

/// A factor that a constant operand of a product or quotient is.
static std::optional<double> getFactor(Operation *op, unsigned constant) {
  std::optional<double> number = getUniform(op->getOperand(constant));
  if (!number)
    return std::nullopt;
  double factor = isa<DivOp>(op) ? 1 / *number : *number;
  if (!std::isfinite(factor) || factor == 0)
    return std::nullopt;
  return factor;
}

static bool holdsAllOf(Type wide, Type narrow) {
  auto w = cast<FloatType>(wide), n = cast<FloatType>(narrow);
  return w == n || APFloat::isRepresentableBy(n.getFloatSemantics(),
                                              w.getFloatSemantics());
}

namespace {

class Matcher {
public:
  Matcher(Operation *exponential, AttentionMiss &miss)
      : exponential(exponential), miss(miss), match(exponential->getContext()) {
  }

  std::optional<AttentionMatch> run();

private:
  /// A step between the first product and the softmax, from the latter inwards.
  struct Step {
    Operation *op = nullptr;
    unsigned scores = 0;
    AxisLayout layout;
  };

  bool fail(const Twine &why) {
    if (miss.why.empty())
      miss.why = why.str();
    return false;
  }

  bool matchSoftmax();
  bool findProbabilities();
  bool isRowOf(OpOperand &operand, const AxisLayout &layout, ReduceKind kind,
               Value reduced);
  bool isReciprocalOfSum(OpOperand &operand);
  void acceptEmptyRows();
  bool findSecondProduct();
  bool placeSecondProduct(MatmulOp product, OpOperand &use,
                          const AxisLayout &layout);
  bool divideLater();
  bool findScores(Value v, const AxisLayout &layout,
                  SmallVectorImpl<Step> &steps);
  bool placeFirstProduct(MatmulOp product, const AxisLayout &layout);
  bool readSteps(ArrayRef<Step> steps);
  void multiply(double factor);
  bool readFactor(const Step &step, OpOperand &other);
  bool readMask(const Step &step, OpOperand &other);
  bool readSelect(const Step &step);
  void hideByAddition(MaskStep &mask);
  void stripOperand(PlacedValue &operand, Type type, bool scales);
  bool chooseTypes();
  void chooseRoles();
  bool isNear();

  AxisSet setOf(const AxisLayout &layout) {
    SmallVector<unsigned> axes = match.axes.flatten(layout);
    return AxisSet(axes.begin(), axes.end());
  }
  AxisSet setOf(ArrayRef<unsigned> dim) {
    SmallVector<unsigned> axes = match.axes.expand(dim);
    return AxisSet(axes.begin(), axes.end());
  }

  Operation *exponential;
  AttentionMiss &miss;
  AttentionMatch match;

  /// Scores, their layout, and the dimensions of the softmax.
  Value scores;
  AxisLayout layout;
  SmallVector<int64_t> dims;
  /// What of the softmax reads the scores.
  llvm::SmallPtrSet<Operation *, 4> readers;
  Value probabilities;
  /// Whether the sum of exponentials divides behind the second product.
  bool isDividedLater = false;
  /// Operands of the first product and what it adds to columns.
  Type firstType, secondType;
  unsigned visited = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Whether an operand of an operator whose result has a layout is the reduction
/// of `reduced`, which has the scores' layout, in its place.
bool Matcher::isRowOf(OpOperand &operand, const AxisLayout &at, ReduceKind kind,
                      Value reduced) {
  std::optional<AxisLayout> row = match.axes.toOperand(at, operand);
  Value v = operand.get();
  while (row) {
    Operation *op = v.getDefiningOp();
    if (!op)
      return false;
    if (isView(op) || isFloatConvert(op)) {
      row = match.axes.toOperand(*row, op->getOpOperand(0));
      v = op->getOperand(0);
      continue;
    }
    SmallVector<int64_t> over;
    bool keepdims = false;
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (reduce.getKind() != kind)
        return false;
      llvm::append_range(over, reduce.getDims());
      keepdims = reduce.getKeepdims();
    } else if (auto reduce = dyn_cast<ArgReduceOp>(op)) {
      if (kind != ReduceKind::Max || reduce.getKind() != kind ||
          v != reduce.getValues())
        return false;
      over.push_back(reduce.getDim());
      keepdims = reduce.getKeepdims();
    } else {
      return false;
    }
    if (op->getOperand(0) != reduced || (!dims.empty() && over != dims))
      return false;
    AxisLayout expected;
    for (auto [d, dim] : llvm::enumerate(layout)) {
      bool isReduced = llvm::is_contained(over, static_cast<int64_t>(d));
      if (!isReduced)
        expected.push_back(dim);
      else if (keepdims)
        expected.emplace_back();
    }
    if (match.axes.expand(*row) != match.axes.expand(expected))
      return false;
    dims = over;
    readers.insert(op);
    return true;
  }
  return false;
}

bool Matcher::isReciprocalOfSum(OpOperand &operand) {
  std::optional<AxisLayout> at = match.axes.toOperand(layout, operand);
  Value v = operand.get();
  while (at) {
    Operation *op = v.getDefiningOp();
    if (!op)
      return false;
    if (isa<ReciprocalOp>(op))
      return isRowOf(op->getOpOperand(0), *at, ReduceKind::Sum,
                     exponential->getResult(0));
    if (isa<DivOp>(op))
      return getUniform(op->getOperand(0)) == 1 &&
             isRowOf(op->getOpOperand(1), *at, ReduceKind::Sum,
                     exponential->getResult(0));
    if (!isView(op) && !isFloatConvert(op))
      return false;
    at = match.axes.toOperand(*at, op->getOpOperand(0));
    v = op->getOperand(0);
  }
  return false;
}

bool Matcher::matchSoftmax() {
  auto shift = exponential->getOperand(0).getDefiningOp<SubOp>();
  if (!shift || shift.getType() != exponential->getResult(0).getType())
    return fail("its exponentials are not of differences from the largest "
                "score of a row");
  scores = shift->getOperand(0);
  if (getSizes(scores) != getSizes(shift.getResult()))
    return fail("its scores are broadcast");
  layout = match.axes.addDims(getSizes(scores));
  readers.insert(shift);
  if (!isRowOf(shift->getOpOperand(1), layout, ReduceKind::Max, scores))
    return fail("its exponentials are not of differences from the largest "
                "score of a row");
  if (!findProbabilities())
    return false;
  acceptEmptyRows();
  for (Operation *user : scores.getUsers())
    if (!readers.contains(user))
      return fail("its scores have another user, '" +
                  user->getName().getStringRef() + "'");
  return true;
}

/// What is made of the exponentials: their quotient by their sum, before or
/// after the second product, or the exponentials of logarithms of it.
bool Matcher::findProbabilities() {
  Value e = exponential->getResult(0);
  ReduceOp sum;
  OpOperand *other = nullptr;
  for (OpOperand &use : e.getUses()) {
    auto reduce = dyn_cast<ReduceOp>(use.getOwner());
    if (reduce && reduce.getKind() == ReduceKind::Sum &&
        reduce.getDims() == ArrayRef<int64_t>(dims)) {
      if (sum)
        return fail("its exponentials are summed twice");
      sum = reduce;
      continue;
    }
    if (other)
      return fail("its exponentials have several users");
    other = &use;
  }
  if (!sum)
    return fail("its exponentials are not divided by their sum along the same "
                "dimension");
  if (!other) {
    // exp(shifted - log(sum))
    Value shifted = exponential->getOperand(0);
    for (Operation *user : shifted.getUsers()) {
      auto difference = dyn_cast<SubOp>(user);
      if (!difference || difference->getOperand(0) != shifted ||
          !difference->hasOneUse() || !isa<ExpOp>(exponential))
        continue;
      std::optional<AxisLayout> at =
          match.axes.toOperand(layout, difference->getOpOperand(1));
      Operation *log = difference->getOperand(1).getDefiningOp();
      while (at && log && (isView(log) || isFloatConvert(log))) {
        at = match.axes.toOperand(*at, log->getOpOperand(0));
        log = log->getOperand(0).getDefiningOp();
      }
      Operation *again = *difference->user_begin();
      if (at && isa_and_present<LogOp>(log) && isa<ExpOp>(again) &&
          isRowOf(log->getOpOperand(0), *at, ReduceKind::Sum, e)) {
        probabilities = again->getResult(0);
        return true;
      }
    }
    return fail("its exponentials are not divided by their sum");
  }
  Operation *user = other->getOwner();
  unsigned number = other->getOperandNumber();
  if (isa<DivOp>(user) && number == 0 &&
      isRowOf(user->getOpOperand(1), layout, ReduceKind::Sum, e)) {
    probabilities = user->getResult(0);
    return true;
  }
  if (isa<MulOp>(user) && isReciprocalOfSum(user->getOpOperand(1 - number))) {
    probabilities = user->getResult(0);
    return true;
  }
  isDividedLater = true;
  probabilities = e;
  return true;
}

/// select(all(scores == -inf), 0, probabilities): rows that see nothing give
/// zeros.
void Matcher::acceptEmptyRows() {
  if (!probabilities.hasOneUse())
    return;
  auto select = dyn_cast<SelectOp>(*probabilities.user_begin());
  if (!select || select.getFalseValue() != probabilities ||
      getUniform(select.getTrueValue()) != 0.0)
    return;
  std::optional<AxisLayout> at =
      match.axes.toOperand(layout, select.getConditionMutable());
  Operation *op = select.getCondition().getDefiningOp();
  while (at && op && isView(op)) {
    at = match.axes.toOperand(*at, op->getOpOperand(0));
    op = op->getOperand(0).getDefiningOp();
  }
  auto all = dyn_cast_or_null<ReduceOp>(op);
  auto compare = all ? all.getInput().getDefiningOp<CompareOp>() : CompareOp();
  if (!at || !compare || all.getKind() != ReduceKind::All ||
      all.getDims() != ArrayRef<int64_t>(dims) ||
      compare.getPredicate() != Pred::Eq || compare->getOperand(0) != scores ||
      getUniform(compare->getOperand(1)) !=
          -std::numeric_limits<double>::infinity())
    return;
  readers.insert(compare);
  probabilities = select.getResult();
  match.nanRows = false;
}

//===----------------------------------------------------------------------===//
// The second product
//===----------------------------------------------------------------------===//

bool Matcher::findSecondProduct() {
  Value v = probabilities;
  AxisLayout at = layout;
  unsigned others = isDividedLater ? 1 : 0; // The sum.
  for (unsigned i = 0; i < kMaxSteps; ++i) {
    OpOperand *use = nullptr;
    unsigned uses = 0;
    for (OpOperand &candidate : v.getUses()) {
      if (others && isa<ReduceOp>(candidate.getOwner()))
        continue;
      use = &candidate;
      ++uses;
    }
    others = 0;
    if (uses != 1)
      return fail(uses == 0 ? "its probabilities have no user"
                            : "its probabilities have another user");
    Operation *user = use->getOwner();
    if (auto product = dyn_cast<MatmulOp>(user))
      return placeSecondProduct(product, *use, at) &&
             (!isDividedLater || divideLater());
    if (!isView(user) && !isFloatConvert(user))
      return fail("its probabilities are changed by '" +
                  user->getName().getStringRef() +
                  "' before they multiply values");
    std::optional<AxisLayout> next = match.axes.toResult(at, user);
    if (!next)
      return fail("the dimensions of its probabilities are regrouped in a way "
                  "that is not understood");
    at = *next;
    v = user->getResult(0);
  }
  return fail("its probabilities are far from a product");
}

bool Matcher::placeSecondProduct(MatmulOp product, OpOperand &use,
                                 const AxisLayout &at) {
  unsigned number = use.getOperandNumber();
  if (number > 1 || product.getBias() || product.getLhs() == product.getRhs())
    return fail("its probabilities multiply something else than values");
  size_t rank = at.size(), summed = number == 0 ? rank - 1 : rank - 2;
  AxisSet keys;
  for (int64_t d : dims)
    keys.insert_range(setOf(layout[static_cast<size_t>(d)]));
  if (keys.empty() || keys != setOf(at[summed]))
    return fail("the softmax is not over the dimension that the second product "
                "sums");
  Value value = product->getOperand(1 - number);
  Sizes sizes = getSizes(value);
  AxisLayout valueLayout = at, result = at;
  for (size_t d = 0; d + 2 < rank; ++d) {
    if (sizes[d].isConstant(1))
      valueLayout[d].clear();
    else if (at[d].empty())
      return fail("its values have a batch dimension that its probabilities "
                  "lack");
  }
  std::swap(valueLayout[rank - 2], valueLayout[rank - 1]);
  size_t free = number == 0 ? rank - 1 : rank - 2;
  valueLayout[free].clear();
  if (!sizes[free].isConstant(1))
    valueLayout[free].push_back(match.axes.add(sizes[free]));
  result[summed] = valueLayout[free];
  match.valueWidth.assign(valueLayout[free].begin(), valueLayout[free].end());
  match.value = {value, valueLayout};
  match.result = {product.getResult(), result};
  secondType = graph::getElementType(value);
  match.tf32 = product.getTf32();
  if (graph::getElementType(product.getResult()) != secondType)
    return fail("its second product has a result of a wider type");
  if (!match.axes.fits(valueLayout, sizes) ||
      !match.axes.fits(result, getSizes(product.getResult())))
    return fail("sizes of probabilities and values are not recognisably equal");
  return true;
}

/// (exponentials @ values) / sum
bool Matcher::divideLater() {
  PlacedValue at = match.result;
  for (unsigned i = 0; i < kMaxSteps && at.value.hasOneUse(); ++i) {
    OpOperand &use = *at.value.use_begin();
    Operation *user = use.getOwner();
    if (isa<DivOp>(user) && use.getOperandNumber() == 0 &&
        getSizes(user->getResult(0)) == getSizes(at.value)) {
      if (!isRowOf(user->getOpOperand(1), at.layout, ReduceKind::Sum,
                   exponential->getResult(0)))
        break;
      match.result = {user->getResult(0), at.layout};
      return true;
    }
    if (!isView(user) && !isFloatConvert(user))
      break;
    std::optional<AxisLayout> next = match.axes.toResult(at.layout, user);
    if (!next)
      break;
    at = {user->getResult(0), *next};
  }
  return fail("its exponentials are not divided by their sum");
}

//===----------------------------------------------------------------------===//
// The first product
//===----------------------------------------------------------------------===//

bool Matcher::findScores(Value v, const AxisLayout &at,
                         SmallVectorImpl<Step> &steps) {
  Operation *op = v.getDefiningOp();
  if (!op || ++visited > kMaxSteps)
    return false;
  // What else reads scores would compute them once more.
  if (v != scores && !v.hasOneUse()) {
    if (isa<MatmulOp>(op) || isView(op) || isa<ElementwiseOpInterface>(op))
      (void)fail("its scores have another user");
    return false;
  }
  if (auto product = dyn_cast<MatmulOp>(op))
    return placeFirstProduct(product, at);
  auto follow = [&](unsigned number, bool isStep) {
    std::optional<AxisLayout> operand =
        match.axes.toOperand(at, op->getOpOperand(number));
    if (!operand)
      return fail("the dimensions of its scores are regrouped in a way that is "
                  "not understood");
    size_t before = steps.size();
    if (isStep)
      steps.push_back({op, number, at});
    if (findScores(op->getOperand(number), *operand, steps))
      return true;
    steps.truncate(before);
    return false;
  };
  if (isView(op) || isFloatConvert(op))
    return follow(0, /*isStep=*/false);
  if (isa<DivOp, SubOp, NegOp, TanhOp>(op))
    return follow(0, /*isStep=*/true);
  if (isa<AddOp, MulOp>(op))
    return follow(0, /*isStep=*/true) || follow(1, /*isStep=*/true);
  if (isa<SelectOp>(op))
    return follow(1, /*isStep=*/true) || follow(2, /*isStep=*/true);
  return fail("its scores are computed by '" + op->getName().getStringRef() +
              "'");
}

bool Matcher::placeFirstProduct(MatmulOp product, const AxisLayout &at) {
  AxisSet keys;
  for (int64_t d : dims)
    keys.insert_range(setOf(layout[static_cast<size_t>(d)]));
  size_t rank = at.size();
  bool isSwapped = false;
  if (setOf(at[rank - 1]) != keys) {
    if (setOf(at[rank - 2]) != keys)
      return fail("the softmax is not over a dimension of the keys");
    isSwapped = true;
  }
  if (product.getBias() || product.getLhs() == product.getRhs())
    return fail("its first product is not one of queries and keys");
  Sizes lhsSizes = getSizes(product.getLhs()),
        rhsSizes = getSizes(product.getRhs());
  AxisLayout lhs = Axes::narrow(at, lhsSizes), rhs = Axes::narrow(at, rhsSizes);
  SmallVector<unsigned, 2> width;
  if (!lhsSizes[rank - 1].isConstant(1))
    width.push_back(match.axes.add(lhsSizes[rank - 1]));
  lhs[rank - 2] = at[rank - 2];
  lhs[rank - 1] = width;
  rhs[rank - 2] = width;
  rhs[rank - 1] = at[rank - 1];
  if (!match.axes.fits(lhs, lhsSizes) || !match.axes.fits(rhs, rhsSizes))
    return fail("sizes of queries and keys are not recognisably equal");
  match.query = {product.getLhs(), lhs};
  match.key = {product.getRhs(), rhs};
  if (isSwapped)
    std::swap(match.query, match.key);
  match.width.assign(width.begin(), width.end());
  auto &rows = at[isSwapped ? rank - 1 : rank - 2];
  match.rows.assign(rows.begin(), rows.end());
  auto &columns = at[isSwapped ? rank - 2 : rank - 1];
  match.columns.assign(columns.begin(), columns.end());
  firstType = graph::getElementType(product.getLhs());
  match.tf32 &= product.getTf32();
  return true;
}

//===----------------------------------------------------------------------===//
// Scales and masks
//===----------------------------------------------------------------------===//

/// Scores as they are so far, masked or not, times a number.
void Matcher::multiply(double factor) {
  (match.softcap ? *match.softcap : match.scale) *= factor;
  for (MaskStep &mask : match.masks)
    (mask.kind == MaskStep::Add ? mask.factor : mask.fill) *= factor;
}

bool Matcher::readSteps(ArrayRef<Step> steps) {
  for (const Step &step : llvm::reverse(steps)) {
    Operation *op = step.op;
    if (isa<TanhOp>(op)) {
      if (match.softcap || !match.masks.empty())
        return fail("its scores are capped after they are masked");
      match.softcap = 1;
      continue;
    }
    bool isRead = true;
    if (isa<NegOp>(op)) {
      multiply(-1);
    } else if (isa<SelectOp>(op)) {
      isRead = readSelect(step);
    } else {
      OpOperand &other = op->getOpOperand(1 - step.scores);
      isRead = isa<MulOp, DivOp>(op) ? readFactor(step, other)
                                     : readMask(step, other);
    }
    if (!isRead)
      return false;
  }
  // exp2(x) is exp(x log 2).
  if (isa<Exp2Op>(exponential)) {
    constexpr double log2 = 0.693147180559945309;
    multiply(log2);
  }
  if (match.softcap) {
    // c tanh(x a) is the cap c of x a c.
    if (*match.softcap < 0) {
      match.softcap = -*match.softcap;
      match.scale = -match.scale;
    }
    match.scale *= *match.softcap;
  }
  for (MaskStep &mask : match.masks)
    hideByAddition(mask);
  return true;
}

bool Matcher::readFactor(const Step &step, OpOperand &other) {
  if (std::optional<double> factor =
          getFactor(step.op, other.getOperandNumber())) {
    multiply(*factor);
    return true;
  }
  if (getUniform(other.get()))
    return fail("its scores are multiplied by zero or a number that is not "
                "finite");
  // A number for each row scales the query, one for each column the key.
  std::optional<AxisLayout> at = match.axes.toOperand(step.layout, other);
  if (!at)
    return fail("a factor of its scores has a layout that is not understood");
  if (match.softcap || !match.masks.empty())
    return fail("its scores are multiplied by a tensor after they are masked");
  if (secondType.isF16())
    return fail("its scores are multiplied by a tensor of f16, which the rows "
                "of a query may not have the range for");
  AxisSet axes = setOf(*at);
  auto has = [&](ArrayRef<unsigned> dim) {
    return llvm::any_of(match.axes.expand(dim),
                        [&](unsigned axis) { return axes.contains(axis); });
  };
  RowFactor factor{{other.get(), *at}, isa<DivOp>(step.op)};
  if (!has(match.columns))
    match.queryFactors.push_back(factor);
  else if (!has(match.rows))
    match.keyFactors.push_back(factor);
  else
    return fail(
        "its scores are multiplied by a tensor that varies over queries "
        "and keys");
  return true;
}

bool Matcher::readMask(const Step &step, OpOperand &other) {
  std::optional<AxisLayout> at = match.axes.toOperand(step.layout, other);
  if (!at)
    return fail("what is added to its scores has a layout that is not "
                "understood");
  MaskStep mask;
  mask.operand = {other.get(), *at};
  mask.factor = isa<SubOp>(step.op) ? -1 : 1;
  mask.type = graph::getElementType(other.get());
  match.masks.push_back(mask);
  return true;
}

bool Matcher::readSelect(const Step &step) {
  auto select = cast<SelectOp>(step.op);
  Value other =
      step.scores == 1 ? select.getFalseValue() : select.getTrueValue();
  std::optional<AxisLayout> at =
      match.axes.toOperand(step.layout, select.getConditionMutable());
  std::optional<double> fill = getUniform(other);
  if (!at || !fill || std::isnan(*fill))
    return fail("its scores are replaced by a tensor");
  MaskStep mask;
  mask.kind = MaskStep::Hide;
  mask.operand = {select.getCondition(), *at};
  mask.keepsTrue = step.scores == 1;
  mask.fill = *fill;
  mask.type = graph::getElementType(select.getResult());
  match.masks.push_back(mask);
  return true;
}

/// Adding zero or a number that absorbs any score is hiding.
void Matcher::hideByAddition(MaskStep &mask) {
  if (mask.kind != MaskStep::Add || mask.factor <= 0)
    return;
  PlacedValue at = mask.operand;
  Operation *op = at.value.getDefiningOp();
  while (op && (isView(op) || isFloatConvert(op))) {
    std::optional<AxisLayout> operand =
        match.axes.toOperand(at.layout, op->getOpOperand(0));
    if (!operand)
      return;
    at = {op->getOperand(0), *operand};
    op = at.value.getDefiningOp();
  }
  auto select = dyn_cast_or_null<SelectOp>(op);
  if (!select)
    return;
  std::optional<double> onTrue = getUniform(select.getTrueValue()),
                        onFalse = getUniform(select.getFalseValue());
  std::optional<AxisLayout> condition =
      match.axes.toOperand(at.layout, select.getConditionMutable());
  if (!onTrue || !onFalse || !condition)
    return;
  bool keepsTrue = *onTrue == 0;
  double fill = (keepsTrue ? *onFalse : *onTrue) * mask.factor;
  if ((keepsTrue ? *onTrue : *onFalse) != 0 || !(fill <= kHidden))
    return;
  mask.kind = MaskStep::Hide;
  mask.operand = {select.getCondition(), *condition};
  mask.keepsTrue = keepsTrue;
  mask.fill = fill;
}

//===----------------------------------------------------------------------===//
// Types and roles
//===----------------------------------------------------------------------===//

/// Replaces an operand by what it was before it was repeated, scaled by a
/// number or, without loss, converted to a type wider than `type`.
void Matcher::stripOperand(PlacedValue &operand, Type type, bool scales) {
  PlacedValue at = operand;
  double scale = 1;
  for (unsigned i = 0; i < kMaxSteps; ++i) {
    Operation *op = at.value.getDefiningOp();
    if (!op)
      return;
    unsigned from = 0;
    bool commits = isa<BroadcastOp>(op);
    if (isFloatConvert(op)) {
      Type have = graph::getElementType(op->getResult(0)),
           before = graph::getElementType(op->getOperand(0));
      if (have == type || !holdsAllOf(type, before) ||
          !holdsAllOf(have, before))
        return;
      commits = true;
    } else if (scales && isa<MulOp, DivOp>(op)) {
      std::optional<double> factor = getFactor(op, 1);
      if (!factor && isa<MulOp>(op) && (factor = getFactor(op, 0)))
        from = 1;
      if (!factor ||
          getSizes(op->getOperand(from)) != getSizes(op->getResult(0)))
        return;
      scale *= *factor;
      commits = true;
    } else if (!isView(op)) {
      return;
    }
    std::optional<AxisLayout> next =
        match.axes.toOperand(at.layout, op->getOpOperand(from));
    if (!next)
      return;
    at = {op->getOperand(from), *next};
    if (commits) {
      operand = at;
      match.scale *= scale;
      scale = 1;
    }
  }
}

bool Matcher::chooseTypes() {
  match.type = secondType;
  if (!isa<FloatType>(firstType) || !isa<FloatType>(secondType))
    return fail("its operands are no floats");
  for (PlacedValue *operand : {&match.query, &match.key})
    stripOperand(*operand, match.type, /*scales=*/true);
  stripOperand(match.value, match.type, /*scales=*/false);
  for (PlacedValue *operand : {&match.query, &match.key, &match.value})
    if (!holdsAllOf(match.type, graph::getElementType(operand->value)))
      return fail("queries and keys are of a wider type than probabilities and "
                  "values");
  return true;
}

/// Rows are axes of the query alone that every mask either has or lacks as a
/// whole and that values lack; all other axes of scores are batches.
void Matcher::chooseRoles() {
  match.rows = match.axes.expand(match.rows);
  match.columns = match.axes.expand(match.columns);
  AxisSet values = setOf(match.value.layout);
  SmallVector<unsigned> rows;
  for (unsigned axis : match.rows)
    if (!values.contains(axis))
      rows.push_back(axis);
  SmallVector<unsigned> joined = rows;
  for (const MaskStep &mask : match.masks) {
    AxisSet axes = setOf(mask.operand.layout);
    auto lacks = [&](unsigned axis) { return !axes.contains(axis); };
    if (!llvm::all_of(joined, lacks))
      llvm::erase_if(joined, lacks);
    else if (!joined.empty() && !llvm::all_of(rows, lacks))
      joined.clear();
  }
  if (joined.empty() && !rows.empty())
    joined.push_back(rows.back());
  match.rows = joined;
  for (unsigned axis : match.axes.flatten(layout))
    if (!llvm::is_contained(match.rows, axis) &&
        !llvm::is_contained(match.columns, axis))
      match.batch.push_back(axis);
}

/// Whether a search from a value through elementwise operators and views meets
/// a product, along uses or against them.
static bool meetsProduct(Value from, bool forward) {
  llvm::SetVector<Value> values;
  values.insert(from);
  for (size_t i = 0; i < values.size() && i < kMaxSteps; ++i) {
    auto visit = [&](Operation *op) {
      if (isa<MatmulOp>(op))
        return true;
      if (!isView(op) && !isa<ElementwiseOpInterface, ReduceOp>(op))
        return false;
      if (forward)
        values.insert_range(op->getResults());
      else
        values.insert_range(op->getOperands());
      return false;
    };
    if (forward) {
      for (Operation *user : values[i].getUsers())
        if (visit(user))
          return true;
    } else if (Operation *op = values[i].getDefiningOp(); op && visit(op)) {
      return true;
    }
  }
  return false;
}

/// Whether exponentials between two products are summed.
bool Matcher::isNear() {
  Value e = exponential->getResult(0);
  return llvm::any_of(e.getUsers(),
                      [](Operation *user) {
                        auto reduce = dyn_cast<ReduceOp>(user);
                        return reduce && reduce.getKind() == ReduceKind::Sum;
                      }) &&
         meetsProduct(exponential->getOperand(0), /*forward=*/false) &&
         meetsProduct(e, /*forward=*/true);
}

std::optional<AttentionMatch> Matcher::run() {
  SmallVector<Step> steps;
  bool isFound = matchSoftmax() && findSecondProduct() &&
                 findScores(scores, layout, steps);
  // Of a search that found something, dead ends say nothing.
  if (isFound)
    miss.why.clear();
  if (!isFound || !readSteps(steps) || !chooseTypes()) {
    if (miss.why.empty())
      miss.why = "its scores are no product of queries and keys";
    miss.isNear = isNear();
    return std::nullopt;
  }
  chooseRoles();
  return std::move(match);
}

std::optional<AttentionMatch> graph::matchAttention(Operation *op,
                                                    AttentionMiss &miss) {
  return Matcher(op, miss).run();
}
