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

#include "AttentionMatcher.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

/// Operators between the first product and the result, with those that compute
/// values and masks in between.
static constexpr unsigned kMaxBetween = 512;

//===----------------------------------------------------------------------===//
// The second product
//===----------------------------------------------------------------------===//

bool AttentionMatcher::findSecondProduct() {
  Value v = probabilities;
  AxisLayout at = layout;
  for (unsigned i = 0; i < kMaxSteps; ++i) {
    SmallVector<OpOperand *> uses;
    collectUses(v, uses);
    if (v == exponential->getResult(0))
      llvm::erase_if(uses,
                     [&](OpOperand *use) { return isSum(use->getOwner()); });
    if (uses.size() != 1)
      return fail(uses.empty() ? "its probabilities have no user"
                               : "its probabilities have another user");
    OpOperand *use = uses[0];
    Operation *user = use->getOwner();
    if (auto product = dyn_cast<MatmulOp>(user))
      return placeSecondProduct(product, *use, at) &&
             (!isDividedLater || divideLater());
    if (!isView(user))
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
  return fail("its probabilities are far from a matrix multiplication");
}

bool AttentionMatcher::placeSecondProduct(MatmulOp product, OpOperand &use,
                                          const AxisLayout &at) {
  unsigned number = use.getOperandNumber();
  if (number > 1 || product.getBias() || product.getLhs() == product.getRhs())
    return fail("its probabilities multiply something else than values");
  size_t rank = at.size(), summed = number == 0 ? rank - 1 : rank - 2;
  AxisSet keys;
  for (int64_t d : dims)
    keys.insert_range(setOf(layout[static_cast<size_t>(d)]));
  if (keys.empty() || keys != setOf(at[summed]))
    return fail("the softmax is not over the dimension that the second matrix "
                "multiplication "
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
    return fail(
        "its second matrix multiplication has a result of a wider type");
  if (!match.axes.fits(valueLayout, sizes) ||
      !match.axes.fits(result, getSizes(product.getResult())))
    return fail("sizes of probabilities and values are not recognisably equal");
  return true;
}

/// (exponentials @ values) / sum
bool AttentionMatcher::divideLater() {
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

bool AttentionMatcher::findScores(Value v, const AxisLayout &at,
                                  SmallVectorImpl<Step> &steps) {
  Operation *op = v.getDefiningOp();
  if (!op || ++visited > kMaxSteps)
    return false;
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

bool AttentionMatcher::placeFirstProduct(MatmulOp product,
                                         const AxisLayout &at) {
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
    return fail(
        "its first matrix multiplication is not one of queries and keys");
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
  firstProduct = product;
  return true;
}

//===----------------------------------------------------------------------===//
// Types and roles
//===----------------------------------------------------------------------===//

static bool holdsAllOf(Type wide, Type narrow) {
  auto w = cast<FloatType>(wide), n = cast<FloatType>(narrow);
  return w == n || APFloat::isRepresentableBy(n.getFloatSemantics(),
                                              w.getFloatSemantics());
}

/// Replaces an operand by what it was before it was repeated, scaled by a
/// number or, without loss, converted to a type wider than `type`.
void AttentionMatcher::stripOperand(PlacedValue &operand, Type type,
                                    bool scales) {
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

/// The 16-bit type to which everybody converts `value`, or views of it.
static Type getOnlyNarrowType(Value value) {
  Type type;
  SmallVector<Value> values{value};
  for (unsigned i = 0; i < values.size() && i < kMaxSteps; ++i)
    for (Operation *user : values[i].getUsers()) {
      if (isView(user)) {
        values.push_back(user->getResult(0));
        continue;
      }
      if (!isFloatConvert(user))
        return {};
      Type to = graph::getElementType(user->getResult(0));
      if (to.getIntOrFloatBitWidth() != 16 || (type && type != to))
        return {};
      type = to;
    }
  return values.size() < kMaxSteps ? type : Type();
}

/// Takes operands of `f32` as what they were converted from, if that is the
/// 16-bit type which the result is converted to at once: the attention of
/// frameworks, written out, computes in `f32` between its operands and its
/// result. Their kernels, and the operator, round probabilities to that type.
bool AttentionMatcher::narrowTypes() {
  Type type = getOnlyNarrowType(match.result.value);
  if (!type || !firstType.isF32() || !secondType.isF32())
    return false;
  PlacedValue *operands[] = {&match.query, &match.key, &match.value};
  PlacedValue before[] = {match.query, match.key, match.value};
  double scale = match.scale;
  for (PlacedValue *operand : operands)
    stripOperand(*operand, type, /*scales=*/operand != &match.value);
  if (llvm::all_of(operands, [&](PlacedValue *operand) {
        return graph::getElementType(operand->value) == type;
      })) {
    match.type = type;
    return true;
  }
  for (auto [operand, old] : llvm::zip_equal(operands, before))
    *operand = old;
  match.scale = scale;
  return false;
}

bool AttentionMatcher::chooseTypes() {
  match.type = secondType;
  if (!isa<FloatType>(firstType) || !isa<FloatType>(secondType))
    return fail("its operands are no floats");
  if (narrowTypes())
    return true;
  for (PlacedValue *operand : {&match.query, &match.key})
    stripOperand(*operand, match.type, /*scales=*/true);
  stripOperand(match.value, match.type, /*scales=*/false);
  for (PlacedValue *operand : {&match.query, &match.key, &match.value})
    if (!holdsAllOf(match.type, graph::getElementType(operand->value)))
      return fail("queries and keys are of a wider type than probabilities and "
                  "values");
  return true;
}

/// Whether the first product is of no use but for the result.
bool AttentionMatcher::isSelfContained() {
  Operation *root = match.result.value.getDefiningOp();
  Block *block = root->getBlock();
  if (firstProduct->getBlock() != block || exponential->getBlock() != block)
    return fail("its matrix multiplications are in different regions");
  // Which operators between the product and the result depend on the product.
  llvm::SmallDenseMap<Operation *, bool, 64> depends;
  depends[firstProduct] = true;
  SmallVector<std::pair<Operation *, bool>> worklist{{root, false}};
  while (!worklist.empty()) {
    auto [op, isVisited] = worklist.pop_back_val();
    if (!isVisited && depends.contains(op))
      continue;
    if (depends.size() > kMaxBetween)
      return fail(
          "there are too many operators between its matrix multiplications");
    if (!isVisited) {
      depends[op] = false;
      worklist.push_back({op, true});
    }
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || producer->getBlock() != block ||
          (producer != firstProduct && producer->isBeforeInBlock(firstProduct)))
        continue;
      if (isVisited)
        depends[op] |= depends[producer];
      else
        worklist.push_back({producer, false});
    }
  }
  auto dependsOnScores = [&](Value v) {
    return depends.lookup(v.getDefiningOp());
  };
  if (dependsOnScores(match.value.value))
    return fail("its values depend on its scores");
  for (const MaskStep &mask : match.masks)
    if (dependsOnScores(mask.operand.value))
      return fail("a mask of its scores depends on them");
  for (const auto &factors : {match.queryFactors, match.keyFactors})
    for (const RowFactor &factor : factors)
      if (dependsOnScores(factor.operand.value))
        return fail("a factor of its scores depends on them");
  // The first in order, whatever the order of the map.
  Operation *shared = nullptr, *reader = nullptr;
  for (auto [op, isBetween] : depends) {
    if (!isBetween || op == root || (shared && shared->isBeforeInBlock(op)))
      continue;
    for (Operation *user : op->getUsers())
      if (!depends.lookup(user)) {
        shared = op;
        reader = user;
      }
  }
  if (shared)
    return fail((shared->isBeforeInBlock(exponential)
                     ? "its scores have another user, '"
                     : "its probabilities have another user, '") +
                reader->getName().getStringRef() + "'");
  return true;
}

/// Rows are axes of the query alone that every mask either has or lacks as a
/// whole and that values lack; all other axes of scores are batches.
void AttentionMatcher::chooseRoles() {
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
bool AttentionMatcher::isNear() {
  Value e = exponential->getResult(0);
  SmallVector<OpOperand *> uses;
  collectUses(e, uses);
  return llvm::any_of(uses,
                      [](OpOperand *use) {
                        auto reduce = dyn_cast<ReduceOp>(use->getOwner());
                        return reduce && reduce.getKind() == ReduceKind::Sum;
                      }) &&
         meetsProduct(exponential->getOperand(0), /*forward=*/false) &&
         meetsProduct(e, /*forward=*/true);
}

std::optional<AttentionMatch> AttentionMatcher::run() {
  SmallVector<Step> steps;
  bool isFound = matchSoftmax() && findSecondProduct() &&
                 findScores(scores, layout, steps);
  // Of a search that found something, dead ends say nothing.
  if (isFound)
    miss.why.clear();
  if (!isFound || !readSteps(steps) || !chooseTypes() || !isSelfContained()) {
    if (miss.why.empty())
      miss.why = "its scores are no matrix multiplication of queries and keys";
    miss.isNear = isNear();
    return std::nullopt;
  }
  chooseRoles();
  return std::move(match);
}

std::optional<AttentionMatch> graph::matchAttention(Operation *op,
                                                    AttentionMiss &miss) {
  return AttentionMatcher(op, miss).run();
}
