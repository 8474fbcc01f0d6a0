//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of reductions over segments of a dimension: of lengths or
// between offsets (segment_reduce), or bags of rows of a table (embedding_bag).
// The segment of each element is found by a search, and elements are combined
// at it.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// `v` with dimensions of one element behind, up to `rank`.
static Num withDimsBehind(Num v, int64_t rank) {
  while (getRank(v) < rank)
    v = v.unsqueeze(getRank(v));
  return v;
}

namespace {

/// The segments of a dimension, and for each element the one that it is in.
struct Segments {
  /// The sizes of `data` up to the dimension.
  Sizes keys;
  ExprAttr count;
  std::optional<Num> starts, ends;
};

/// What is known of each element.
struct Member {
  /// The index of its segment, or of the last one.
  Value segment;
  Num isMember;
};

} // namespace

/// Reads lengths or offsets. Fails with a reason.
static FailureOr<Segments> readSegments(AtenCall &c, Value data, int64_t axis) {
  TensorBuilder &b = c.b;
  Value lengths = c.tensor("lengths"), offsets = c.tensor("offsets");
  if (!data || (!lengths && !offsets) || axis < 0 || axis >= getRank(data))
    return c.fail("it has neither lengths nor offsets");
  Positions p(b);
  Segments s;
  if (offsets) {
    Num all(b, b.convert(offsets, p.type()));
    if (getRank(all) != axis + 1)
      return c.fail("its offsets have another rank");
    ExprAttr count = sym::add(getSizes(all)[axis], -1);
    s.starts = Num(b, b.slice(all, axis, b.size(0), count));
    s.ends = Num(b, b.slice(all, axis, b.size(1), count));
  } else {
    Num all(b, b.convert(lengths, p.type()));
    if (getRank(all) != axis + 1)
      return c.fail("its lengths have another rank");
    s.ends = Num(b, ScanOp::create(b.getBuilder(), b.getLoc(), ScanKind::Sum,
                                   all, static_cast<uint64_t>(axis))
                        .getResult());
    s.starts = *s.ends - all;
  }
  s.count = getSizes(*s.ends)[axis];
  s.keys = Sizes(SizesRef(getSizes(data)).take_front(axis + 1));
  return s;
}

/// The first segment that ends behind each element; none for what is behind
/// all.
static Member findSegments(AtenCall &c, const Segments &s, int64_t axis) {
  TensorBuilder &b = c.b;
  Positions p(b);
  Num element(b, b.broadcast(p.iota(s.keys[axis]), s.keys));
  Num segment = bisect(c, s.count, [&](Num position) -> Num {
    Value at = b.broadcast(position, s.keys);
    return Num(b, gatherAlong(b, *s.ends, at, axis)) <= element;
  });
  Value at = b.broadcast(p.clamp(segment, s.count), s.keys);
  Num isMember = (segment < p.size(s.count)) &
                 (Num(b, gatherAlong(b, *s.starts, at, axis)) <= element);
  return {at, isMember};
}

static LogicalResult legalizeSegmentReduce(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value data = c.operand("data", type);
  StringRef kind = c.stringOr("reduce", "");
  int64_t axis = c.intOr("axis", 0);
  FailureOr<Segments> s = readSegments(c, data, axis);
  if (failed(s))
    return failure();
  Sizes sizes = getSizes(data), out = sizes;
  out[axis] = s->count;
  std::optional<double> initial = c.getFloat("initial");
  bool isMean = kind == "mean";
  double neutral = kind == "max"    ? -kInfinity
                   : kind == "min"  ? kInfinity
                   : kind == "prod" ? 1
                                    : 0;
  ReduceKind combine = kind == "max"    ? ReduceKind::Max
                       : kind == "min"  ? ReduceKind::Min
                       : kind == "prod" ? ReduceKind::Prod
                                        : ReduceKind::Sum;
  if (!isMean && kind != "sum" && kind != "max" && kind != "min" &&
      kind != "prod")
    return c.fail("its reduction '" + kind + "' is not known");
  Num start(b, filled(b, initial.value_or(neutral), type, out));
  if (s->count.isConstant(0) || sizes[axis].isConstant(0)) {
    if (isMean && !initial)
      start = start.number(std::numeric_limits<double>::quiet_NaN());
    return c.replace(b.broadcast(start, out));
  }
  Member member = findSegments(c, *s, axis);
  int64_t rank = sizes.size();
  Num values =
      select(withDimsBehind(member.isMember, rank), Num(b, data), neutral);
  Value index = b.broadcast(withDimsBehind({b, member.segment}, rank), sizes);
  Num result(b, scatterAlong(b, combine, start, index, values, axis));
  if (isMean) {
    Num count = withDimsBehind(*s->ends - *s->starts, rank);
    Num mean = result / max(count, 1).to(type);
    result = initial ? mean
                     : select(count == 0,
                              std::numeric_limits<double>::quiet_NaN(), mean);
  }
  return c.replace(result);
}

/// _segment_reduce_backward: each element has the gradient of its segment, of
/// which extrema are given to the elements that are equal to it.
static LogicalResult legalizeSegmentReduceBackward(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value data = c.operand("data", type), grad = c.operand("grad", type),
        output = c.operand("output", type);
  StringRef kind = c.stringOr("reduce", "");
  int64_t axis = c.intOr("axis", 0);
  FailureOr<Segments> s = readSegments(c, data, axis);
  if (failed(s))
    return failure();
  Sizes sizes = getSizes(data), out = sizes;
  out[axis] = s->count;
  auto rank = static_cast<int64_t>(sizes.size());
  if (!grad || !output || getRank(grad) != rank || getRank(output) != rank)
    return c.fail("its operands have different ranks");
  if (s->count.isConstant(0) || sizes[axis].isConstant(0))
    return c.replace(filled(b, 0, type, sizes));
  Member member = findSegments(c, *s, axis);
  Value index = b.broadcast(withDimsBehind({b, member.segment}, rank), sizes);
  Num isMember = withDimsBehind(member.isMember, rank);
  // What a segment has, for each of its elements, and the other way.
  auto spread = [&](Value v) { return Num(b, gatherAlong(b, v, index, axis)); };
  auto combine = [&](ReduceKind how, Num v, double neutral) {
    v = select(isMember, v, neutral);
    return spread(
        scatterAlong(b, how, filled(b, neutral, type, out), index, v, axis));
  };
  Num x(b, data), g = spread(grad);
  Num result = g;
  if (kind == "mean") {
    Value length = *s->ends - *s->starts;
    Num count(b, gatherAlong(b, length, member.segment, axis));
    result = g / withDimsBehind(count.to(type), rank);
  } else if (kind == "max" || kind == "min") {
    Num isIt = isNan(x) | (x == spread(output));
    Num count = combine(ReduceKind::Sum, isIt.to(type), 0);
    // The framework divides positive gradients only.
    result = select(isIt, select((count > 1) & (g > 0), g / count, g), 0);
  } else if (kind == "prod") {
    // The product of the others, where division does not give it.
    Num isSpecial = isNan(x) | (x == 0);
    Num others = combine(ReduceKind::Sum, isSpecial.to(type), 0) - 1;
    Num rest = combine(ReduceKind::Prod, select(isSpecial, 1, x), 1) *
               c.floatOr("initial", 1);
    Num nan = combine(ReduceKind::Max, isNan(x).to(type), 0);
    Num lost =
        select(nan > 0, rest.number(std::numeric_limits<double>::quiet_NaN()),
               rest.number(0));
    result = select(isSpecial, g * select(others > 0, lost, rest),
                    g * spread(output) / x);
  } else if (kind != "sum") {
    return c.fail("its reduction '" + kind + "' is not known");
  }
  return c.replace(select(isMember, result, 0));
}

//===----------------------------------------------------------------------===//
// embedding_bag
//===----------------------------------------------------------------------===//

/// The framework's numbers.
enum class BagMode : int64_t { Sum = 0, Mean = 1, Max = 2 };

namespace {

/// Bags: the index of each element and its bag, its row, what the rows of each
/// bag are combined to, and how many there are.
struct Bags {
  Value indices, bag;
  Num rows, combined, members;
  bool isMax;
};

} // namespace

/// What the framework saves for gradients: the bag of each element, the sizes
/// of the bags, and the rows that maxima were taken from. Some are declared
/// empty where the gradients need none.
static void appendSavedOfBags(AtenCall &c, const Bags &bags,
                              SmallVectorImpl<Value> &results) {
  TensorBuilder &b = c.b;
  Positions p(b);
  for (unsigned i = 1; i < c.op.getOutputs().size(); ++i) {
    bool isUsed = !c.op.getOutputs()[i].use_empty();
    Sizes sizes = c.resultSizes(i);
    bool isEmpty =
        llvm::any_of(sizes, [](ExprAttr size) { return size.isConstant(0); });
    if (!isUsed) {
      results.push_back(Value());
    } else if (isEmpty || (i == 3 && !bags.isMax)) {
      results.push_back(filled(b, 0, c.resultElementType(i), sizes));
    } else if (i == 1) {
      results.push_back(bags.bag);
    } else if (i == 2) {
      results.push_back(bags.members);
    } else {
      // The first element of each bag that is as large as its maximum.
      ExprAttr count = getSizes(bags.indices)[0];
      Num largest(b, b.index(bags.combined, bags.bag, 0));
      Num number = select(bags.rows == largest, p.iota(count).unsqueeze(1),
                          p.size(count));
      Num first(b, putAt(b, ReduceKind::Min,
                         b.broadcast(p.size(count), getSizes(bags.combined)),
                         bags.bag, number, 0));
      Num row(b, b.index(b.convert(bags.indices, p.type()),
                         Value(p.clamp(first, count)), 0));
      results.push_back(select(first < p.size(count), row, 0));
    }
  }
}

/// The number of elements in each bag, if it is a constant and the same for
/// all: the offsets are its multiples, as those of indices with two dimensions.
static std::optional<int64_t> getConstantBagSize(Value offsets, ExprAttr bags,
                                                 ExprAttr count) {
  auto iota = offsets.getDefiningOp<IotaOp>();
  auto start = iota ? dyn_cast<IntegerAttr>(iota.getStart()) : IntegerAttr();
  auto step = iota ? dyn_cast<IntegerAttr>(iota.getStep()) : IntegerAttr();
  if (!start || !step || start.getInt() != 0 || step.getInt() < 1 ||
      sym::mul(bags, step.getInt()) != count)
    return std::nullopt;
  return step.getInt();
}

static LogicalResult legalizeEmbeddingBag(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value weight = c.operand("weight", type), indices = c.tensor("indices"),
        offsets = c.tensor("offsets");
  int64_t mode = c.intOr("mode", 0);
  if (!weight || !indices || !offsets || getRank(weight) != 2 ||
      getRank(indices) != 1 || getRank(offsets) != 1 || mode < 0 || mode > 2)
    return c.fail("its operands have other ranks");
  Positions p(b);
  Num begins(b, b.convert(offsets, p.type()));
  ExprAttr bags = c.resultSizes()[0], count = getSizes(indices)[0];
  // The last offset, where it is included, is the end.
  begins = {b, b.slice(begins, 0, b.size(0), bags)};
  Sizes out = {bags, getSizes(weight)[1]};
  auto bagMode = static_cast<BagMode>(mode);
  if (bags.isConstant(0) || count.isConstant(0)) {
    SmallVector<Value> results = {filled(b, 0, type, out)};
    for (unsigned i = 1; i < c.op.getOutputs().size(); ++i)
      results.push_back(filled(b, 0, c.resultElementType(i), c.resultSizes(i)));
    return c.replace(results);
  }
  Num element = p.iota(count);
  std::optional<int64_t> bagSize = getConstantBagSize(offsets, bags, count);
  auto findBags = [&]() -> Num {
    if (bagSize)
      return floorDiv(element, static_cast<double>(*bagSize));
    Num number = bisect(c, bags, [&](Num position) -> Num {
      Value at = b.broadcast(position, count);
      return Num(b, b.index(begins, at, 0)) <= element;
    });
    return p.clamp(number - 1, bags);
  };
  Num at(b, b.broadcast(findBags(), count));
  // What the elements of each bag are combined to.
  auto combine = [&](ReduceKind kind, Num v, double neutral) -> Num {
    Sizes sizes = getSizes(v);
    if (bagSize) {
      sizes[0] = b.size(*bagSize);
      sizes.insert(sizes.begin(), bags);
      return Num(b, b.reshape(v, sizes)).reduce(kind, 1);
    }
    sizes[0] = bags;
    return {b, putAt(b, kind, filled(b, neutral, v.type(), sizes), Value(at), v,
                     0)};
  };
  Num rows(b, b.index(weight, toIndex(b, indices), 0));
  std::optional<Num> isCounted;
  // What comes after the last offset, where it is included, is in no bag.
  if (c.boolOr("include_last_offset", false) && !bagSize)
    isCounted = element < Num(b, b.at(b.convert(offsets, p.type()), 0, bags));
  // From the end where the operator is the user's; the internal one has no row
  // of padding then.
  bool isUsers = c.op.getName() == "aten.embedding_bag.padding_idx";
  if (auto padding = c.getInt("padding_idx");
      padding && (*padding >= 0 || isUsers)) {
    Num row = p.number(static_cast<double>(*padding));
    if (*padding < 0)
      row = p.size(getSizes(weight)[0]) + row;
    Num isOther = Num(b, b.convert(indices, p.type())) != row;
    isCounted = isCounted ? *isCounted & isOther : isOther;
  }
  if (Value samples = c.operand("per_sample_weights", type))
    rows = rows * Num(b, samples).unsqueeze(1);
  bool isMax = bagMode == BagMode::Max;
  if (isCounted)
    rows = select(isCounted->unsqueeze(1), rows, isMax ? -kInfinity : 0);
  Num result = isMax ? combine(ReduceKind::Max, rows, -kInfinity)
                     : combine(ReduceKind::Sum, rows, 0);
  Num one(b, b.broadcast(p.number(1), count));
  if (isCounted)
    one = isCounted->to(p.type());
  Num members = combine(ReduceKind::Sum, one, 0);
  SmallVector<Value> results(1);
  appendSavedOfBags(c, {indices, at, rows, result, members, isMax}, results);
  if (bagMode != BagMode::Sum) {
    Num size = members.unsqueeze(1);
    // A bag without members is zero.
    result =
        isMax ? select(size == 0, 0, result) : result / max(size, 1).to(type);
  }
  results[0] = result;
  return c.replace(results);
}

void graph::populateSegmentLegalizations(AtenLegalizations &t) {
  t.add("segment_reduce", legalizeSegmentReduce);
  t.add("_segment_reduce_backward", legalizeSegmentReduceBackward);
  t.add("embedding_bag embedding_bag.padding_idx _embedding_bag "
        "_embedding_bag_forward_only",
        legalizeEmbeddingBag);
}
