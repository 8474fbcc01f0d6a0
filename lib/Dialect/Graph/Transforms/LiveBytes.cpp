//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds of the memory that a function needs, from the lifetimes of its
// tensors. Both err on one side: what may be there for the upper bound, what is
// there in any order and however kernels are merged for the lower one.
//
//===----------------------------------------------------------------------===//

#include "LiveBytes.h"

#include "coil/Dialect/Graph/IR/Device.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/Segment.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

/// Allocations on GPUs are multiples of this.
static constexpr int64_t kAlignment = 512;
/// A product of matrices with so many multiplications is a library's wherever
/// there is one: kernels of our own compute some that have a 256th of it.
static constexpr int64_t kLibraryProducts = int64_t(1) << 30;
/// Most dimensions of a product of matrices that a library computes.
static constexpr int64_t kLibraryRank = 6;
/// Rows of 16-bit floats that are no multiple of this are left to kernels.
static constexpr int64_t kLibraryRow = 8;

/// Stands for the bytes of an argument of any size; many of them can be added.
static constexpr int64_t kUnknown = int64_t(1) << 48;

/// Marks arguments that are weights: what depends on them alone may be computed
/// once, not by each call.
static constexpr StringLiteral kWeight = "graph.weight";

std::optional<int64_t> coil::graph::getBytes(Value v) {
  auto type = dyn_cast<RankedTensorType>(v.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  Type element = type.getElementType();
  unsigned parts = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    parts = 2;
  }
  int64_t bytes = parts * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

/// Contractions and what libraries do as a whole. Their results are in memory,
/// as they are or behind an epilogue.
static bool isHeavy(Operation *op) {
  return isa<MatmulOp, ConvOp, AttentionOp, SortOp, TopKOp>(op);
}

/// What is no kernel, so that fusion neither moves it nor computes its
/// operands.
static bool isAlone(Operation *op) {
  return isa<AttentionOp, SortOp, TopKOp, ToDeviceOp>(op) ||
         op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>() ||
         !isPure(op);
}

static bool isConstant(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>();
}

/// The same elements as another shape, in another order, or as other types.
static bool isView(Operation *op) {
  return isa<ReshapeOp, PermuteOp, BitcastOp>(op);
}

bool coil::graph::isStored(Operation *op) {
  return isHeavy(op) || isAlone(op) || isConstant(op) ||
         isa<ScatterOp, IndexPutOp>(op);
}

//===----------------------------------------------------------------------===//
// The upper bound
//===----------------------------------------------------------------------===//

/// Whether a value may be computed together with what reads it.
static bool movesToReader(Value v) {
  Operation *op = v.getDefiningOp();
  // Of a contraction that is what may be its epilogue.
  if (isa<MatmulOp, ConvOp>(op))
    return v.hasOneUse() && !isStored(*v.user_begin());
  return !isStored(op);
}

std::optional<int64_t> LiveBytes::getMost(Operation *op, ValueRange read) {
  Block &block = func.front();
  // Inside of a region nothing is known of what is around it, and each device
  // has a memory of its own.
  if (op->getBlock() != &block ||
      func->walk([](ToDeviceOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return std::nullopt;
  auto isOwn = [](Value v) {
    return v.getDefiningOp() && !isConstant(v.getDefiningOp());
  };
  llvm::SetVector<Value> live, late;
  for (Value v : read)
    if (isOwn(v))
      late.insert(v);
  Liveness liveness(func);
  const LivenessBlockInfo *info = liveness.getLiveness(&block);
  for (Operation &before : llvm::make_range(block.begin(), op->getIterator()))
    for (Value v : before.getResults()) {
      if (!isOwn(v) || !op->isBeforeInBlock(info->getEndOperation(v, &before)))
        continue;
      live.insert(v);
      if (llvm::any_of(v.getUsers(), [&](Operation *user) {
            Operation *here = block.findAncestorOpInBlock(*user);
            return op->isBeforeInBlock(here) && !isAlone(here);
          }))
        late.insert(v);
    }
  // What is computed as late as its reader keeps its operands until then.
  for (size_t i = 0; i < late.size(); ++i) {
    Value v = late[i];
    live.insert(v);
    if (movesToReader(v))
      for (Value operand : v.getDefiningOp()->getOperands())
        if (isOwn(operand))
          late.insert(operand);
  }
  // A merged kernel stands right behind the last of its operands, and the one
  // that makes the results may make what is computed from them.
  DenseSet<Value> early, merged;
  merged.insert_range(op->getResults());
  live.insert_range(op->getResults());
  for (Operation &behind :
       llvm::make_range(std::next(op->getIterator()), block.end())) {
    auto isMerged = [&](Value v) { return merged.contains(v); };
    auto isThere = [&](Value v) {
      Operation *def = v.getDefiningOp();
      return !def || isa<FullOp>(def) || isConstant(def) ||
             def->isBeforeInBlock(op) || early.contains(v) || isMerged(v);
    };
    bool follows = llvm::any_of(behind.getOperands(), isMerged);
    if ((follows ? isStored(&behind) : isAlone(&behind)) ||
        behind.getNumOperands() == 0 ||
        !llvm::all_of(behind.getOperands(), isThere))
      continue;
    (follows ? merged : early).insert_range(behind.getResults());
    live.insert_range(behind.getResults());
    // What only a part of the kernel reads is not in memory.
    if (isa<ElementwiseOpInterface>(behind) || isView(&behind))
      for (Value v : behind.getOperands())
        if (isMerged(v) && v.hasOneUse() &&
            getBytes(v) <= getBytes(behind.getResult(0)))
          live.remove(v);
  }
  // A part of a tensor keeps all of it.
  for (size_t i = 0; i < live.size(); ++i) {
    Operation *def = live[i].getDefiningOp();
    while (isView(def) && isOwn(def->getOperand(0)))
      def = def->getOperand(0).getDefiningOp();
    if (isa<SliceOp>(def) && isOwn(def->getOperand(0)))
      live.insert(def->getOperand(0));
  }
  int64_t sum = 0;
  for (Value v : live) {
    std::optional<int64_t> bytes = getBytes(v);
    if (!bytes ||
        llvm::AddOverflow(
            sum, static_cast<int64_t>(llvm::alignTo(*bytes, kAlignment)), sum))
      return std::nullopt;
  }
  return sum;
}

bool LiveBytes::isMadeBeside(Value v, Operation *op) {
  // The last op that has to be before it.
  Operation *last = nullptr;
  llvm::SetVector<Operation *> seen;
  if (Operation *def = v.getDefiningOp())
    seen.insert(def);
  for (size_t i = 0; i < seen.size(); ++i) {
    Operation *def = seen[i];
    if (def->getBlock() != op->getBlock())
      continue;
    if (!isStored(def)) {
      for (Value operand : def->getOperands())
        if (Operation *next = operand.getDefiningOp())
          seen.insert(next);
    } else if (!isConstant(def) && (!last || last->isBeforeInBlock(def))) {
      last = def;
    }
  }
  auto begin = last ? std::next(last->getIterator()) : op->getBlock()->begin();
  return llvm::none_of(
      llvm::make_range(begin, op->getIterator()),
      [](Operation &other) { return isStored(&other) && !isConstant(&other); });
}

//===----------------------------------------------------------------------===//
// The lower bound
//===----------------------------------------------------------------------===//

/// Operators that compute what they give from their operands, and keep nothing
/// of these.
static bool isKernel(Operation *op) {
  return isa<ElementwiseOpInterface, ReduceOp, ArgReduceOp, WelfordOp, ScanOp,
             ArgScanOp, PoolOp, GatherOp, IndexOp, ScatterOp, IndexPutOp,
             SegmentReduceOp>(op);
}

bool LiveBytes::isLibraryCall(Operation *op) const {
  if (isa<AttentionOp, SortOp, TopKOp>(op))
    return true;
  // Which convolutions a library computes is decided later.
  auto matmul = dyn_cast<MatmulOp>(op);
  if (!matmul || !llvm::is_contained(llvm::split(libraries, ','), "cublaslt"))
    return false;
  auto lhs = cast<RankedTensorType>(matmul.getLhs().getType()),
       type = cast<RankedTensorType>(matmul.getResult().getType());
  Type element = type.getElementType();
  if (!lhs.hasStaticShape() || !type.hasStaticShape() ||
      type.getRank() > kLibraryRank ||
      !(element.isF32() || element.isF16() || element.isBF16()))
    return false;
  if (!element.isF32() &&
      llvm::any_of(type.getShape().take_back(2),
                   [](int64_t size) { return size % kLibraryRow != 0; }))
    return false;
  int64_t products = lhs.getShape().back();
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(products, size, products))
      return true;
  return products >= kLibraryProducts;
}

namespace {

/// Values of which one at least is in memory, from `maker` or the first of
/// `readers` on to the last of `readers`. Ops are numbers in the block.
struct Buffer {
  int64_t bytes = 0;
  std::optional<unsigned> maker;
  SmallVector<unsigned> readers;
};

/// The values of a function that are in memory for sure, and which op depends
/// on which.
class Buffers {
public:
  Buffers(func::FuncOp func, llvm::function_ref<bool(Operation *)> isLibrary);

  /// The bytes that exist while op `at` runs, in whatever order ops run that
  /// do not depend on one another. `inputsEnd`: less those of arguments that
  /// may have ended by then.
  int64_t getBytesAt(unsigned at, bool inputsEnd) const;

  /// The ops at which most is in memory for sure.
  SmallVector<std::pair<unsigned, Operation *>> points;

private:
  void addOp(Operation &op, const DenseMap<Operation *, unsigned> &numbers,
             bool isLibrary);
  void addResults(Operation *op, unsigned number);
  void addReads(Operation *op, unsigned number, bool isLibrary);
  Buffer *find(Value v) {
    auto it = bufferOf.find(v);
    return it == bufferOf.end() ? nullptr : &buffers[it->second];
  }

  SmallVector<Buffer, 0> buffers;
  DenseMap<Value, size_t> bufferOf;
  /// The ops that each op needs the results of.
  SmallVector<SmallVector<unsigned, 2>, 0> needs;
  /// Arguments that are no weights.
  SmallVector<Buffer, 0> inputs;
  /// What depends on them.
  DenseSet<Value> varying;
};

} // namespace

Buffers::Buffers(func::FuncOp func,
                 llvm::function_ref<bool(Operation *)> isLibrary) {
  Block &block = func.front();
  DenseMap<Operation *, unsigned> numbers;
  for (auto [number, op] : llvm::enumerate(block))
    numbers[&op] = static_cast<unsigned>(number);
  for (BlockArgument arg : block.getArguments()) {
    if (func.getArgAttr(arg.getArgNumber(), kWeight))
      continue;
    varying.insert(arg);
    Buffer &input = inputs.emplace_back();
    input.bytes = getBytes(arg).value_or(kUnknown);
    for (Operation *user : arg.getUsers())
      input.readers.push_back(numbers[block.findAncestorOpInBlock(*user)]);
  }
  for (Operation &op : block)
    addOp(op, numbers, isLibrary(&op));
}

void Buffers::addOp(Operation &op,
                    const DenseMap<Operation *, unsigned> &numbers,
                    bool isLibrary) {
  unsigned number = numbers.lookup(&op);
  SmallVector<unsigned, 2> &defs = needs.emplace_back();
  bool varies = !isPure(&op);
  op.walk([&](Operation *inner) {
    for (Value v : inner->getOperands()) {
      varies |= varying.contains(v);
      Operation *def = v.getDefiningOp();
      def = def ? op.getBlock()->findAncestorOpInBlock(*def) : nullptr;
      if (def && def != &op)
        defs.push_back(numbers.lookup(def));
      // What reads it in a region may give it on.
      if (Buffer *buffer = inner == &op ? nullptr : find(v))
        buffer->bytes = 0;
    }
  });
  if (varies)
    varying.insert_range(op.getResults());
  addReads(&op, number, isLibrary);
  if (varies && op.getNumResults() != 0)
    addResults(&op, number);
  // A sort may write over its operand.
  if (op.hasTrait<OpTrait::IsTerminator>() ||
      (isHeavy(&op) && !isa<SortOp, TopKOp>(op)))
    points.emplace_back(number, &op);
}

void Buffers::addReads(Operation *op, unsigned number, bool isLibrary) {
  for (Value v : op->getOperands()) {
    Buffer *buffer = find(v);
    if (!buffer)
      continue;
    if (isHeavy(op)) {
      // A kernel of ours may compute its operands, but no contraction.
      if (isLibrary || buffer->maker)
        buffer->readers.push_back(number);
    } else if (isa<func::ReturnOp>(op)) {
      buffer->readers.push_back(number);
    } else if (!isKernel(op) && !isView(op) && !isa<BroadcastOp>(op)) {
      // Others may make it a part of something larger, or need a part of it.
      buffer->bytes = 0;
    }
  }
}

void Buffers::addResults(Operation *op, unsigned number) {
  bool isPointwise = isa<ElementwiseOpInterface>(op);
  // A view has the elements of its operand; what is pointwise may take the
  // place of what only it reads.
  for (Value v : op->getOperands()) {
    Buffer *buffer = find(v);
    if (!buffer)
      continue;
    Value result = op->getResult(0);
    auto hasAllElements = [&] {
      return cast<RankedTensorType>(v.getType()).getShape() ==
             cast<RankedTensorType>(result.getType()).getShape();
    };
    if (!isView(op) &&
        !(isPointwise && buffer->maker && v.hasOneUse() && hasAllElements()))
      continue;
    buffer->bytes = std::min(buffer->bytes, getBytes(result).value_or(0));
    size_t shared = bufferOf[v];
    bufferOf[result] = shared;
    return;
  }
  if (isView(op) || !(isHeavy(op) || isKernel(op) || isa<CatOp, PadOp>(op)))
    return;
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    bufferOf[result] = buffers.size();
    Buffer &buffer = buffers.emplace_back();
    buffer.bytes = getBytes(result).value_or(0);
    if (isHeavy(op))
      buffer.maker = number;
  }
}

int64_t Buffers::getBytesAt(unsigned at, bool inputsEnd) const {
  auto count = static_cast<unsigned>(needs.size());
  // What runs before it in any order, and what behind it.
  llvm::BitVector before(count), behind(count);
  before.set(at);
  behind.set(at);
  behind.set(count - 1);
  for (unsigned i = at + 1; i-- > 0;)
    if (before[i])
      for (unsigned need : needs[i])
        before.set(need);
  for (unsigned i = at + 1; i < count; ++i)
    if (llvm::any_of(needs[i], [&](unsigned need) { return behind[need]; }))
      behind.set(i);
  auto isIn = [](const llvm::BitVector &set) {
    return [&](unsigned i) { return set[i]; };
  };
  int64_t sum = 0;
  for (const Buffer &buffer : buffers) {
    bool begins = (buffer.maker && before[*buffer.maker]) ||
                  llvm::any_of(buffer.readers, isIn(before));
    bool isNeeded =
        buffer.maker == at || llvm::any_of(buffer.readers, isIn(behind));
    if (begins && isNeeded)
      sum += buffer.bytes;
  }
  if (inputsEnd)
    for (const Buffer &input : inputs)
      if (llvm::none_of(input.readers, isIn(behind)))
        sum -= input.bytes;
  return sum;
}

int64_t LiveBytes::getLeastPeak(Operation *op) {
  Buffers buffers(func, [&](Operation *op) { return isLibraryCall(op); });
  // Inputs that `op` finds are there before it, too.
  Operation *here = func.front().findAncestorOpInBlock(*op);
  auto runsBefore = [&](Operation *point) {
    return point->isBeforeInBlock(here) &&
           llvm::none_of(point->getResults(), movesToReader);
  };
  int64_t most = 0;
  for (auto [number, point] : buffers.points)
    most = std::max(
        most, buffers.getBytesAt(number, releaseInputs && !runsBefore(point)));
  return most;
}
