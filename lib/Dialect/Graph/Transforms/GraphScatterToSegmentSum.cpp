//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of rows at positions, many of which may be equal, in groups of equal
// positions.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Segment.h"
#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"

#include "LiveBytes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

#define DEBUG_TYPE "graph-scatter-to-segment-sum"

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHSCATTERTOSEGMENTSUMPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// Fewest and most places of a chunk. In between there are about as many chunks
/// as a chunk has places, so that neither a chunk nor a row of all chunks takes
/// long; rather more chunks, since almost two chunks' places may be on a row's
/// way one by one.
static constexpr int64_t kMinChunk = 64, kMaxChunk = 1024;
/// Keys are 16 bits or 32; two more than there are rows.
static constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max() - 2;

namespace {

/// `zeros[index] += values`, whole rows at a time.
struct RowSum {
  Operation *op = nullptr;
  /// Of rank one, as the source has rows.
  Value index;
  /// `[places, ...]`; 16-bit floats where these are what is added.
  Value source;
  /// Which rows are not added, `[places]`, or null.
  Value skipped;
  int64_t rows = 0, places = 0, width = 0;
  Type sum, rounded;
};

} // namespace

static int64_t getBytes(Type type) { return type.getIntOrFloatBitWidth() / 8; }

static bool isZeroAttr(Attribute value) {
  if (auto real = dyn_cast<FloatAttr>(value))
    return real.getValue().isPosZero();
  return false;
}

/// Whether all elements of a value are 0.0.
static bool isZero(Value v) {
  while (Operation *op = v.getDefiningOp()) {
    if (!isa<BroadcastOp, ReshapeOp, ConvertOp>(op))
      break;
    v = op->getOperand(0);
  }
  if (auto full = v.getDefiningOp<FullOp>())
    return isZeroAttr(full.getValue());
  SplatElementsAttr splat;
  return matchPattern(v, m_Constant(&splat)) && splat &&
         isZeroAttr(splat.getSplatValue<Attribute>());
}

/// The product of constant sizes, nothing if there are others.
static std::optional<int64_t> getProduct(SizesRef sizes) {
  int64_t product = 1;
  for (ExprAttr size : sizes) {
    std::optional<int64_t> constant = size.getConstant();
    if (!constant || llvm::MulOverflow(product, *constant, product))
      return std::nullopt;
  }
  return product;
}

/// Whether a tensor has one element for each row of `rows` and is otherwise of
/// size one.
static bool isOfRows(SizesRef sizes, ExprAttr rows) {
  return !sizes.empty() && sizes.front() == rows &&
         llvm::all_of(sizes.drop_front(),
                      [](ExprAttr size) { return size.isConstant(1); });
}

/// The index of whole rows that `op` has, as a tensor of any shape; null where
/// it has none.
static Value getRowIndex(Operation *op, unsigned &rank) {
  if (auto put = dyn_cast<IndexPutOp>(op)) {
    if (put.getIndices().size() != 1 || put.getDims() != ArrayRef<int64_t>{0})
      return {};
    rank = static_cast<unsigned>(getSizes(put.getIndices()[0]).size());
    return put.getIndices()[0];
  }
  auto scatter = cast<ScatterOp>(op);
  Sizes target = getSizes(scatter.getInput()),
        index = getSizes(scatter.getIndex());
  rank = 1;
  if (scatter.getDim() != 0 || index != getSizes(scatter.getSource()) ||
      SizesRef(index).drop_front() != SizesRef(target).drop_front())
    return {};
  if (index.size() == 1)
    return scatter.getIndex();
  auto broadcast = scatter.getIndex().getDefiningOp<BroadcastOp>();
  if (!broadcast || getSizes(broadcast.getInput()).size() != index.size() ||
      !isOfRows(getSizes(broadcast.getInput()), index.front()))
    return {};
  return broadcast.getInput();
}

/// Bytes of a key: of 16 bits where these count all rows and two more.
static int64_t getKeyBytes(int64_t rows) {
  return rows + 2 <= (int64_t(1) << 16) ? 2 : 4;
}

/// Bytes that atomic additions move beyond what sums of groups do.
static int64_t getSavedBytes(const RowSum &sum) {
  int64_t table = sum.rows * sum.width, source = sum.places * sum.width;
  int64_t wide = getBytes(sum.sum), narrow = getBytes(sum.rounded);
  // Zeros, a read and a write of each row that something is added to, and what
  // is read and written again to be rounded.
  int64_t atomic = wide * table + 2 * wide * source;
  if (narrow < wide)
    atomic += (wide + narrow) * table;
  else
    narrow = wide;
  int64_t grouped = narrow * table;
  // A source that would be computed on the way has to be in memory.
  Operation *def = sum.source.getDefiningOp();
  if (def && (isa<ElementwiseOpInterface>(def) || isa<BroadcastOp>(def)))
    grouped += 2 * getBytes(getElementType(sum.source)) * source;
  return atomic - grouped;
}

/// Whether what is added would be computed on the way by atomic additions, but
/// has to be in memory for sums of groups.
static bool isComputed(const RowSum &sum) {
  Operation *def = sum.source.getDefiningOp();
  return def && !isStored(def);
}

static int64_t getSourceBytes(const RowSum &sum) {
  return sum.places * sum.width * getBytes(getElementType(sum.source));
}

/// Memory that atomic additions need besides source and result: the sums,
/// where these are rounded to something narrower. What they add is computed on
/// the way.
static int64_t getAtomicBytes(const RowSum &sum) {
  bool isRounded = getBytes(sum.rounded) < getBytes(sum.sum);
  return isRounded ? sum.rows * sum.width * getBytes(sum.sum) : 0;
}

/// Places that the registers of a block hold, and those of 64 blocks; more are
/// sorted in memory.
static constexpr int64_t kSortedInBlock = 4096, kSortedTogether = 262144;

/// The workspace of the sort of so many keys of at most 32 bits, no less than
/// `coil_cub_sort_workspace` gives: two keys and two positions of 32 bits
/// for each, and counters of 32 bits. Blocks of one launch have 512 each;
/// CUB has one for each tile of keys and each of 256 digits, of which less than
/// a byte is one key's, and those of all keys.
static int64_t getSortBytes(int64_t places) {
  constexpr int64_t ofKeys = 4 * 4, ofBlocks = 64 * 512 * 4 + 2048,
                    ofAll = 16384;
  if (places <= kSortedInBlock)
    return 0;
  return places <= kSortedTogether ? ofKeys * places + ofBlocks
                                   : (ofKeys + 1) * places + ofAll;
}

/// The same for sums of groups, where `chunks` are summed first: the most of
/// what is in memory for the sort and for the sums, see `GroupBuilder`.
static int64_t getScratchBytes(const RowSum &sum, int64_t chunks) {
  constexpr int64_t position = 8, entry = 4;
  int64_t keys = sum.places * getKeyBytes(sum.rows);
  int64_t sorted = keys + position * sum.places;
  int64_t table = 3 * entry * (sum.rows + sum.places);
  // Partial sums, and the ranges that they are of.
  int64_t partial =
      chunks < 2 ? 0 : chunks * (sum.width * getBytes(sum.sum) + 2 * position);
  return sorted + std::max(keys + getSortBytes(sum.places), table + partial);
}

namespace {

struct GraphScatterToSegmentSumPass
    : graph::impl::GraphScatterToSegmentSumPassBase<
          GraphScatterToSegmentSumPass> {
  using GraphScatterToSegmentSumPassBase::GraphScatterToSegmentSumPassBase;

  void runOnOperation() override {
    if (chunk < 0 || (chunk > 0 && !llvm::isPowerOf2_64(chunk))) {
      getOperation()->emitError()
          << "'chunk' must be a power of two or 0 but is "
          << static_cast<int64_t>(chunk);
      return signalPassFailure();
    }
    if (sort.empty())
      return;
    SmallVector<Operation *> sums;
    getOperation()->walk([&](Operation *op) {
      if (isa<IndexPutOp, ScatterOp>(op))
        sums.push_back(op);
    });
    for (Operation *op : sums) {
      std::string why;
      std::optional<RowSum> sum = match(op, why);
      auto options = remark::RemarkOpts::name(sum ? "Grouped" : "NotGrouped")
                         .category(DEBUG_TYPE)
                         .function(getOperation().getName());
      if (!sum) {
        remark::missed(op->getLoc(), options)
            << remark::add("not grouped: {0}", why);
        continue;
      }
      remark::passed(op->getLoc(), options)
          << remark::add("sums of {0} rows are grouped by their {1} positions",
                         sum->rows, sum->places);
      rewrite(*sum);
    }
  }

  std::optional<RowSum> match(Operation *op, std::string &why);
  void rewrite(const RowSum &sum);
  int64_t getChunk(int64_t places);
  /// Memory that sums of groups need beyond what atomic additions do.
  int64_t getExtraBytes(const RowSum &sum);
  /// Whether the program needs more memory elsewhere than it does for these.
  bool fitsBelowPeak(const RowSum &sum);
};

} // namespace

std::optional<RowSum> GraphScatterToSegmentSumPass::match(Operation *op,
                                                          std::string &why) {
  auto no = [&](const Twine &reason) {
    why = reason.str();
    return std::nullopt;
  };
  auto put = dyn_cast<IndexPutOp>(op);
  auto scatter = dyn_cast<ScatterOp>(op);
  std::optional<ReduceKind> kind = put ? put.getKind() : scatter.getKind();
  RowSum sum;
  sum.op = op;
  sum.sum = sum.rounded = getElementType(op->getResult(0));
  if (kind != ReduceKind::Sum || !(sum.sum.isF32() || sum.sum.isF64()) ||
      !isZero(op->getOperand(0)))
    return no("it is no sum of f32 or f64 into zeros"); // (C1)
  unsigned rank = 0;
  sum.index = getRowIndex(op, rank);
  Value values = put ? put.getValues() : scatter.getSource();
  if (!sum.index || getSizes(values).size() <= rank) // (C2)
    return no("its index does not choose whole rows");
  Sizes sizes = getSizes(values);
  std::optional<int64_t> rows = getProduct(getSizes(op->getResult(0))[0]),
                         places = getProduct(SizesRef(sizes).take_front(rank)),
                         width = getProduct(SizesRef(sizes).drop_front(rank));
  if (!rows || !places || !width) // (C3)
    return no("its sizes are not constants");
  if (*rows == 0 || *places == 0 || *width == 0 || *rows > kMaxRows ||
      *places > kMaxRows)
    return no("it has no elements, or too many");
  sum.rows = *rows;
  sum.places = *places;
  sum.width = *width;
  // Rows that are replaced by zero are not added at all.
  if (auto select = values.getDefiningOp<SelectOp>()) {
    Operation *op = select;
    Value condition = op->getOperand(0);
    Sizes mask = getSizes(condition);
    std::optional<int64_t> elements = getProduct(mask);
    if (isZero(op->getOperand(1)) && getSizes(op->getOperand(2)) == sizes &&
        mask.size() == sizes.size() && elements == places &&
        SizesRef(mask).take_front(rank) == SizesRef(sizes).take_front(rank)) {
      sum.skipped = condition;
      values = op->getOperand(2);
    }
  }
  // Views in between say nothing: rows are what they are.
  while (auto view = values.getDefiningOp<ReshapeOp>())
    values = view.getInput();
  sum.source = values;
  if (auto widened = values.getDefiningOp<ConvertOp>()) {
    Type from = getElementType(widened.getInput());
    // A conversion may broadcast, too.
    if (sum.sum.isF32() && (from.isF16() || from.isBF16()) &&
        getSizes(widened.getInput()) == getSizes(values))
      sum.source = widened.getInput();
  }
  if (op->hasOneUse())
    if (auto convert = dyn_cast<ConvertOp>(*op->user_begin())) {
      Type to = getElementType(convert.getResult());
      if (isa<FloatType>(to) && getBytes(to) < getBytes(sum.sum))
        sum.rounded = to;
    }
  int64_t bytes = sum.width * getBytes(getElementType(sum.source));
  if (bytes < minRowBytes) // (C4)
    return no("its rows have " + Twine(bytes) + " bytes, fewer than " +
              Twine(minRowBytes));
  int64_t saved = getSavedBytes(sum);
  if (saved < minSavedBytes) // (C5)
    return no("it would save " + Twine(saved) + " bytes, fewer than " +
              Twine(minSavedBytes));
  int64_t extra = getExtraBytes(sum);
  if (extra > maxExtraBytes && !fitsBelowPeak(sum)) // (C6)
    return no("it would need " + Twine(extra) +
              " bytes of memory more than atomic additions, and the program's "
              "peak may be there");
  return sum;
}

int64_t GraphScatterToSegmentSumPass::getExtraBytes(const RowSum &sum) {
  int64_t extra = getScratchBytes(sum, sum.places / getChunk(sum.places)) -
                  getAtomicBytes(sum);
  if (!isComputed(sum))
    return extra;
  // What is there for longer than the sum may be so at another peak.
  if (!LiveBytes::isMadeBeside(sum.source, sum.op))
    extra = std::max<int64_t>(extra, 0);
  return extra + getSourceBytes(sum);
}

bool GraphScatterToSegmentSumPass::fitsBelowPeak(const RowSum &sum) {
  if (isComputed(sum) && !LiveBytes::isMadeBeside(sum.source, sum.op))
    return false;
  LiveBytes live(getOperation(), library, releaseInputs);
  SmallVector<Value> read{sum.source, sum.index};
  if (sum.skipped)
    read.push_back(sum.skipped);
  std::optional<int64_t> most = live.getMost(sum.op, read);
  return most &&
         *most + getScratchBytes(sum, sum.places / getChunk(sum.places)) <=
             live.getLeastPeak(sum.op);
}

int64_t GraphScatterToSegmentSumPass::getChunk(int64_t places) {
  if (chunk > 0)
    return chunk;
  uint64_t half = llvm::PowerOf2Ceil(llvm::divideCeil(
      static_cast<uint64_t>(places), static_cast<uint64_t>(2)));
  int64_t root = int64_t(1) << (llvm::Log2_64(half) / 2);
  return std::clamp(root, kMinChunk, kMaxChunk);
}

namespace {

/// Of each row, `[rows]`: where its range begins and ends, and the position of
/// the first place of it.
struct Ranges {
  Value lo, hi, firstPosition;
};

/// Builds what takes the place of a sum.
class GroupBuilder {
public:
  GroupBuilder(OpBuilder &builder, const RowSum &sum)
      : builder(builder), b(builder, sum.op->getLoc()), sum(sum),
        rows(b.size(sum.rows)), places(b.size(sum.places)),
        i64(builder.getI64Type()) {}

  Value makeKeys();
  Ranges makeRanges(Value keys, Value positions);
  /// The sums, where chunks have `length` places.
  Value sumRanges(Value keys, Value positions, Ranges ranges, int64_t length);

private:
  using Pred = ComparePredicate;

  Value number(int64_t value) {
    return b.scalar(builder.getI64IntegerAttr(value));
  }
  /// Every `step`-th of `count` keys.
  Value getKeys(Value keys, int64_t start, int64_t count, int64_t step) {
    return b.slice(keys, 0, b.size(start), b.size(count), step);
  }
  Value sumRows(Value x, Value from, Value to, Value at, Value init = {}) {
    Sizes sizes{getSizes(from)[0], b.size(sum.width)};
    return SegmentReduceOp::create(
        builder, b.getLoc(), sym::getTensorType(sizes, sum.sum),
        ReduceKindAttr::get(b.getContext(), ReduceKind::Sum), x, from, to, at,
        init);
  }

  OpBuilder &builder;
  TensorBuilder b;
  const RowSum &sum;
  ExprAttr rows, places;
  Type i64;
};

} // namespace

/// The keys: rows, then what is not added, then what is out of range.
Value GroupBuilder::makeKeys() {
  Value index = b.convert(b.reshape(sum.index, places), i64);
  index = b.select(b.compare(Pred::Lt, index, number(0)),
                   b.add(index, number(sum.rows)), index);
  Value valid =
      b.binary<BitwiseAndOp>(b.compare(Pred::Ge, index, number(0)),
                             b.compare(Pred::Lt, index, number(sum.rows)));
  Value key = index;
  if (sum.skipped)
    key = b.select(b.reshape(sum.skipped, places), number(sum.rows), key);
  key = b.select(valid, key, number(sum.rows + 1));
  auto bits = static_cast<unsigned>(8 * getKeyBytes(sum.rows));
  return b.convert(key, builder.getIntegerType(bits, /*isSigned=*/false));
}

/// The first place with a key writes to two thirds of a table, the place behind
/// the last to the other. All others write behind these, each to an element of
/// its own, so that no two write one.
Ranges GroupBuilder::makeRanges(Value keys, Value positions) {
  ExprAttr one = b.size(1), three = b.size(3);
  Value around = b.pad(keys, 1, 1, builder.getI64IntegerAttr(-1));
  auto neighbours = [&](int64_t start) {
    return b.reshape(b.slice(around, 0, b.size(start), places), {one, places});
  };
  Value before = neighbours(0), behind = neighbours(2);
  Value isEdge = b.compare(Pred::Ne, b.reshape(keys, {one, places}),
                           b.cat(ValueRange{before, behind, before}, 0));
  Value third = b.reshape(b.iota(0, 1, three), {three, one});
  Value isRow = b.compare(Pred::Lt, keys, number(sum.rows));
  Value isBad = b.compare(Pred::Gt, keys, number(sum.rows));
  Value place = b.iota(0, 1, places);
  int64_t elements = 3 * (sum.rows + sum.places);
  Value unused = b.add(b.add(place, number(3 * sum.rows)),
                       b.mul(third, number(sum.places)));
  Value target = b.select(b.binary<BitwiseAndOp>(isEdge, isRow),
                          b.add(keys, b.mul(third, number(sum.rows))), unused);
  target = b.select(isBad, number(elements), target);
  // Entries are less than 2^31.
  auto asEntry = [&](Value v) {
    return b.reshape(b.convert(v, builder.getI32Type()), {one, places});
  };
  Value entries =
      b.cat(ValueRange{asEntry(place), asEntry(b.add(place, number(1))),
                       asEntry(positions)},
            0);
  Value table = b.full(builder.getI32IntegerAttr(0), b.size(elements));
  // A maximum has no order: also where results have to be the same on every
  // run, places are parallel.
  table = IndexPutOp::create(
      builder, b.getLoc(), table.getType(),
      ReduceKindAttr::get(b.getContext(), ReduceKind::Max), table,
      ValueRange(target), entries, builder.getDenseI64ArrayAttr({0}));
  auto getThird = [&](int64_t i) {
    return b.slice(table, 0, b.size(i * sum.rows), rows);
  };
  return {b.convert(getThird(0), i64), b.convert(getThird(1), i64),
          getThird(2)};
}

Value GroupBuilder::sumRanges(Value keys, Value positions, Ranges ranges,
                              int64_t length) {
  Value source = b.reshape(sum.source, {places, b.size(sum.width)});
  // Most ranges are short: the first row of each is known without the list, so
  // that it is one wait for memory less away.
  Value itself = b.iota(0, 1, rows), hi = ranges.hi;
  Value isAny = b.convert(b.compare(Pred::Lt, ranges.lo, hi), i64);
  Value result =
      sumRows(source, itself, b.add(itself, isAny), ranges.firstPosition);
  Value lo = b.binary<MinimumOp>(b.add(ranges.lo, number(1)), hi);
  int64_t chunks = sum.places / length;
  if (chunks < 2)
    return sumRows(source, lo, hi, positions, result);
  // Chunks that are of one row as a whole; others sum nothing.
  Value first = getKeys(keys, 0, chunks, length),
        last = getKeys(keys, length - 1, chunks, length);
  Value isWhole =
      b.binary<BitwiseAndOp>(b.compare(Pred::Eq, first, last),
                             b.compare(Pred::Lt, first, number(sum.rows)));
  Value begin = b.iota(0, length, b.size(chunks));
  Value end = b.select(isWhole, b.add(begin, number(length)), begin);
  Value partial = sumRows(source, begin, end, positions);
  // What is left of a row is what is in front of its whole chunks, these, and
  // what is behind.
  Value shift = number(llvm::Log2_64(length));
  Value from = b.binary<ShiftRightOp>(b.add(lo, number(length - 1)), shift);
  Value to = b.binary<ShiftRightOp>(hi, shift);
  Value hasWhole = b.compare(Pred::Lt, from, to);
  Value front = b.select(hasWhole, b.binary<ShiftLeftOp>(from, shift), hi);
  Value behind = b.select(hasWhole, b.binary<ShiftLeftOp>(to, shift), hi);
  // One after the other, so that a kernel keeps one sum at a time.
  result = sumRows(source, lo, front, positions, result);
  result = sumRows(partial, from, to, Value(), result);
  return sumRows(source, behind, hi, positions, result);
}

void GraphScatterToSegmentSumPass::rewrite(const RowSum &sum) {
  OpBuilder builder(sum.op);
  GroupBuilder group(builder, sum);
  auto sorted =
      SortOp::create(builder, sum.op->getLoc(), group.makeKeys(), /*dim=*/0,
                     /*descending=*/false, /*stable=*/true);
  sorted.setLibrary(sort);
  TensorBuilder b(builder, sum.op->getLoc());
  Value keys = b.convert(sorted.getValues(), builder.getI64Type());
  Value positions = sorted.getIndices();
  Value result = group.sumRanges(
      keys, positions, group.makeRanges(keys, positions), getChunk(sum.places));
  result = b.reshape(result, getSizes(sum.op->getResult(0)));
  sum.op->getResult(0).replaceAllUsesWith(result);
  sum.op->erase();
}
