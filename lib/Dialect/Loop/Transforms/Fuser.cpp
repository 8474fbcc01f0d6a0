//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides about pairs of kernels.
//
//===----------------------------------------------------------------------===//

#include "Fuser.h"

#include "FusionCost.h"
#include "coil/Dialect/Loop/Analysis/OnlineSum.h"
#include "coil/Dialect/Loop/Analysis/Phases.h"
#include "coil/Dialect/Loop/Analysis/SelectArms.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

namespace {

/// A path is looked for among this many kernels; further is "may exist".
constexpr unsigned kMaxPathSearch = 128;
/// Most times that a cheap producer is recomputed for each of its elements.
constexpr double kMaxCheapRecompute = 16;
/// Share of the consumer's work that recomputing may add.
constexpr double kNegligible = 0.2;
/// The same for any producer: a little padding, say.
constexpr double kMaxRecompute = 1.5;
/// Kernels with more operands and results than this do not grow.
constexpr size_t kMaxBuffers = 64;
/// Most reductions of a kernel that need one another: every further one has the
/// values between them computed once more. More of them where threads keep a
/// row, which they do in as many registers whatever is reduced.
constexpr unsigned kMaxReductionDepth = 3, kMaxKeptDepth = 8;
/// Elements of a row that the threads of a warp keep.
constexpr double kKeptRow = 1024;

} // namespace

SmallVector<Block *> loop::getFusionBlocks(func::FuncOp func) {
  SmallVector<Block *> blocks{&func.getBody().front()};
  func->walk([&](Operation *op) {
    if (!isa<func::FuncOp, KernelOp>(op))
      for (Region &region : op->getRegions())
        blocks.push_back(&region.front());
  });
  return blocks;
}

void loop::fuseThreadBlocks(
    func::FuncOp func, int64_t maxOps, StringRef library,
    llvm::function_ref<void(Fuser &, const ReductionCounts &)> fuse) {
  if (func.isExternal())
    return;
  target::TargetAttrInterface target = target::getProgramTarget(func);
  if (!target || !target.getFact("multiprocessors"))
    return;
  ReductionCounts counts = getReductionCounts(target);
  for (Block *block : getFusionBlocks(func)) {
    Fuser fuser(func, *block, maxOps, library, counts.enoughResults,
                counts.fusedRowPiece);
    fuse(fuser, counts);
  }
}

bool Fuser::hasPathThroughThird(Operation *from, Operation *to) {
  SmallVector<Operation *> stack{from};
  DenseSet<Operation *> seen;
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val();
    for (Operation *inner : op->getUsers()) {
      Operation *user = inBlock(inner);
      if (user == to) {
        if (op != from)
          return true;
        continue;
      }
      if (user->isBeforeInBlock(to) && seen.insert(user).second)
        stack.push_back(user);
    }
    if (seen.size() > kMaxPathSearch)
      return true;
  }
  return false;
}

static bool mentions(KernelOp kernel, const Fuser::Binder &binder) {
  AttrTypeWalker walker;
  walker.addWalk([&](ExprAttr e) {
    return e.isSymbol() && llvm::is_contained(binder.symbols, e.getName())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return kernel
      ->walk([&](Operation *op) {
        // Not all ops have properties.
        Attribute properties = op->getPropertiesAsAttribute();
        if (walker.walk(op->getAttrDictionary()).wasInterrupted() ||
            (properties && walker.walk(properties).wasInterrupted()))
          return WalkResult::interrupt();
        for (TypeRange types : {TypeRange(op->getOperandTypes()),
                                TypeRange(op->getResultTypes())})
          for (Type type : types)
            if (walker.walk(type).wasInterrupted())
              return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

Operation *Fuser::lastOperand(KernelOp first, KernelOp second) {
  Operation *last = nullptr;
  auto add = [&](Operation *def) {
    if (!last || last->isBeforeInBlock(def))
      last = def;
  };
  for (KernelOp kernel : {first, second}) {
    for (Value v : kernel.getInputs())
      if (Operation *def = v.getDefiningOp())
        if (def != first && def->getBlock() == &block)
          add(def);
    for (const Binder &binder : binders)
      if (binder.op->isBeforeInBlock(kernel) && mentions(kernel, binder))
        add(binder.op);
  }
  return last;
}

bool Fuser::readersComeLater(KernelOp first, KernelOp second) {
  Operation *last = lastOperand(first, second);
  return llvm::all_of(first->getUsers(), [&](Operation *user) {
    return user == second || !last ||
           (last != inBlock(user) && last->isBeforeInBlock(inBlock(user)));
  });
}

/// A kernel of copies of both, for the caller to erase.
static KernelOp mergeCopies(KernelOp producer, KernelOp consumer,
                            const MergePlan &plan) {
  OpBuilder b(consumer);
  auto producerCopy = cast<KernelOp>(b.clone(*producer));
  auto consumerCopy = cast<KernelOp>(b.clone(*consumer));
  for (OpOperand &operand : consumerCopy->getOpOperands())
    if (operand.get().getDefiningOp() == producer)
      operand.set(producerCopy->getResult(
          cast<OpResult>(operand.get()).getResultNumber()));
  return mergeProducer(producerCopy, consumerCopy, plan);
}

/// The merged kernel is the consumer's space; the producer runs once in it.
bool Fuser::planSameSpace(KernelOp producer, KernelOp consumer,
                          ArrayRef<LoadOp> reads, MergePlan &plan) {
  // All reads agree on what each dimension of the producer is: a dimension of
  // the consumer, a different one for each.
  plan.producerDims.assign(producer.getNumDims(), ExprAttr());
  plan.extents.assign(consumer.getDims().getDims().begin(),
                      consumer.getDims().getDims().end());
  llvm::SmallBitVector taken(consumer.getNumDims());
  for (LoadOp read : reads) {
    unsigned input = cast<BlockArgument>(read.getSource()).getArgNumber();
    unsigned result =
        cast<OpResult>(consumer.getInputs()[input]).getResultNumber();
    for (auto [s, at] :
         llvm::zip_equal(producer.getStore(result).getIndices().getDims(),
                         read.getIndices().getDims())) {
      if (!s.isDim())
        continue;
      ExprAttr &place = plan.producerDims[s.getValue()];
      if (place == at)
        continue;
      if (place)
        return refuse("the consumer reads it at several indices");
      // A dimension of size one is read at zero.
      ExprAttr extent = producer.getExtent(static_cast<unsigned>(s.getValue()));
      if (!at.isDim() && !(extent.isConstant(1) && at.isConstant(0)))
        return refuse("the consumer reads it at '" + Twine(at.str()) +
                      "', not at a dimension of its own");
      if (at.isDim()) {
        unsigned d = static_cast<unsigned>(at.getValue());
        if (taken[d])
          return refuse("the consumer reads it along a diagonal");
        if (consumer.getExtent(d) != extent)
          return refuse("the consumer reads a part of it");
        taken.set(d);
      }
      place = at;
    }
  }
  // Reduced dimensions of the producer: the consumer's own ones of the same
  // extent, else new ones.
  SmallVector<unsigned> consumerReduced = consumer.getReducedDims();
  SmallVector<unsigned> producerReduced = producer.getReducedDims();
  for (unsigned r : producerReduced) {
    // Results along a reduced dimension have placed it already.
    if (plan.producerDims[r]) {
      if (!plan.producerDims[r].isDim())
        return refuse("a reduced dimension has size one");
      continue;
    }
    ExprAttr match;
    for (unsigned d = 0; d < consumer.getNumDims() && !match; ++d)
      if (!taken[d] && consumer.getExtent(d) == producer.getExtent(r)) {
        taken.set(d);
        match = sym::dim(func.getContext(), d);
      }
    if (!match) {
      match = sym::dim(func.getContext(),
                       static_cast<unsigned>(plan.extents.size()));
      plan.extents.push_back(producer.getExtent(r));
    }
    plan.producerDims[r] = match;
  }
  // What the consumer stores along a dimension that the producer reduces is
  // stored in a loop over all of those.
  sym::Context context = sym::Context::forOp(consumer);
  SmallVector<ExprAttr> loops;
  for (unsigned r : producerReduced)
    loops.push_back(plan.producerDims[r]);
  for (StoreOp store : consumer.getBlock()->getOps<StoreOp>()) {
    llvm::SmallDenseSet<ExprAttr> indices;
    for (ExprAttr index : store.getIndices().getDims())
      sym::walkLeaves(index, [&](ExprAttr leaf) { indices.insert(leaf); });
    auto isIndex = [&](ExprAttr dim) { return indices.contains(dim); };
    if (!llvm::any_of(loops, isIndex))
      continue;
    for (ExprAttr dim : loops)
      if (!isIndex(dim) &&
          context.bounds(plan.extents[static_cast<size_t>(dim.getValue())]).lo <
              1)
        return refuse("nothing would be stored where 'd" +
                      Twine(dim.getValue()) + "', which is reduced, is empty");
  }
  for (unsigned d = 0; d < producer.getNumDims(); ++d)
    if (!plan.producerDims[d])
      plan.producerDims[d] = sym::constant(func.getContext(), 0);

  // (C1) A scatter runs over its dimensions, of which there may be none.
  if (!producerReduced.empty() &&
      (!consumerReduced.empty() || scatters(consumer))) {
    SmallVector<unsigned> mapped;
    for (unsigned r : producerReduced)
      mapped.push_back(static_cast<unsigned>(plan.producerDims[r].getValue()));
    llvm::sort(mapped);
    if (mapped != consumerReduced)
      return refuse("both reduce, over different dimensions");
  }
  // Blocks that scan pieces of a row pass on their sums; what they reduce they
  // do not.
  auto scansFewRows = [&](KernelOp kernel, KernelOp other) {
    return kernel.isSequential() && !scatters(kernel) &&
           hasFewLongRows(kernel) &&
           llvm::any_of(*other.getBlock(),
                        [](Operation &op) { return isReduction(&op); });
  };
  if (runsThreads(consumer) &&
      (scansFewRows(producer, consumer) || scansFewRows(consumer, producer)))
    return refuse("few long rows are scanned in pieces, which reduce nothing");
  unsigned depth = 0;
  for (LoadOp read : reads)
    depth = std::max(
        depth,
        getReductionDepth(
            producer,
            cast<OpResult>(
                consumer.getInputs()[cast<BlockArgument>(read.getSource())
                                         .getArgNumber()])
                .getResultNumber()));
  double row = 1;
  for (unsigned d : consumerReduced)
    row *= hints(consumer.getExtent(d));
  unsigned mostDepth = runsThreads(consumer) && row <= kKeptRow
                           ? kMaxKeptDepth
                           : kMaxReductionDepth;
  if (!producerReduced.empty() && !consumerReduced.empty() &&
      depth + getReductionDepth(consumer) > mostDepth)
    return refuse("more than " + Twine(mostDepth) +
                  " reductions would wait for one another");
  if (!producerReduced.empty() || sumsRows(producer)) {
    // Dimensions that only the consumer has would repeat the reduction.
    for (unsigned d = 0; d < consumer.getNumDims(); ++d)
      if (!taken[d] && !consumer.getExtent(d).isConstant(1))
        return refuse(
            Twine(sumsRows(producer) ? "its sums of rows" : "the reduction") +
            " would be repeated along 'd" + Twine(d) + "' of the consumer");
    if (isLongReduction(producer, consumer)) {
      // What follows for each result alone is computed after the chunks.
      bool isForResults =
          consumerReduced.empty() && llvm::all_of(loops, [&](ExprAttr dim) {
            return dim.getValue() >= consumer.getNumDims();
          });
      if (isForResults ? !takesEpilogues
                       : !runsInChunks(producer, consumer, plan))
        return refuse(
            "a long reduction to few results runs in chunks of its own");
    }
  } else if (!consumerReduced.empty()) {
    // A pointwise producer that does not vary over a parallel dimension of a
    // reduction is recomputed along it.
    llvm::SmallBitVector outer = ~taken;
    for (unsigned r : consumerReduced)
      outer.reset(r);
    double repeats = points(consumer, outer);
    if (repeats > 1 && !isTrivial(producer) &&
        !(isCheap(producer) && repeats <= kMaxCheapRecompute))
      return refuse("it would be recomputed " + Twine(int64_t(repeats)) +
                    " times");
  } else {
    // Relative to what the consumer does anyway, a computation that does not
    // vary over its inner dimensions may be nothing.
    llvm::SmallBitVector outer = ~taken, all(consumer.getNumDims(), true);
    for (unsigned d = consumer.getNumDims(); d-- > 0 && !taken[d];)
      outer.reset(d);
    double repeats = points(consumer, outer);
    double extra =
        repeats *
        points(producer, llvm::SmallBitVector(producer.getNumDims(), true)) *
        static_cast<double>(producer.getBlock()->getOperations().size());
    double own =
        points(consumer, all) *
        static_cast<double>(consumer.getBlock()->getOperations().size());
    if (repeats > 1 && !isCheap(producer) && extra > kNegligible * own)
      return refuse("it would be recomputed " + Twine(int64_t(repeats)) +
                    " times");
  }
  return true;
}

/// Whether both kernels, which reduce over the same dimensions, are one that
/// runs in chunks: a maximum and the sum of exponentials below it.
bool Fuser::runsInChunks(KernelOp producer, KernelOp consumer,
                         MergePlan &plan) {
  auto hasOne = [](KernelOp kernel, ReduceKind kind) {
    return llvm::any_of(
        kernel.getBlock()->getOps<ReduceOp>(),
        [&](ReduceOp reduce) { return reduce.getKind() == kind; });
  };
  if (!hasOne(producer, ReduceKind::Max) || !hasOne(consumer, ReduceKind::Sum))
    return false;
  MergePlan alone = plan;
  alone.keepResults = false;
  KernelOp merged = mergeCopies(producer, consumer, alone);
  shareValues(merged);
  plan.sharesValues = findChunkObstacle(merged).empty();
  merged.erase();
  return plan.sharesValues;
}

/// Whether a load reads no element twice where it differs in a dimension that
/// its place varies over: each index is a dimension of its own, moved.
static bool readsOnce(LoadOp read, const DimDependence &dependence) {
  llvm::SmallBitVector seen;
  for (ExprAttr index : read.getIndices().getDims()) {
    llvm::SmallBitVector dims = dependence.of(index);
    seen.resize(dims.size());
    if (dims.count() > 1 || dims.anyCommon(seen))
      return false;
    seen |= dims;
    if (dims.none())
      continue;
    auto split = sym::splitLinear(
        index,
        sym::dim(index.getContext(), static_cast<unsigned>(dims.find_first())));
    if (!split || !isNeighbour(split->first))
      return false;
  }
  return true;
}

/// The producer, pointwise, is computed wherever the consumer reads it.
bool Fuser::planInline(KernelOp producer, KernelOp consumer,
                       ArrayRef<LoadOp> reads) {
  if (reduces(producer))
    return refuse("a reduction cannot be computed at any index");
  DenseSet<Attribute> places;
  DimDependence dependence(consumer);
  double total = 0;
  llvm::SmallBitVector all(producer.getNumDims(), true);
  for (LoadOp read : reads) {
    if (!places.insert(read.getIndices()).second)
      continue;
    // Points at which this read happens; the inner parallel dimensions that it
    // does not mention repeat it.
    llvm::SmallBitVector bits = dependence.of(read.getIndices().getDims());
    for (Value arg : read.getArgs())
      bits |= dependence[arg];
    for (unsigned d = 0; d < consumer.getNumDims(); ++d)
      if (!llvm::is_contained(consumer.getReducedDims(), d))
        bits.set(d);
    double count = points(consumer, bits);
    // Vectors that lie outside of a window do not compute what they do not
    // take.
    if (Value mask = read.getMask();
        mask && isOfPositions(mask) && read.getArgs().empty() &&
        !runsThreads(consumer) && readsOnce(read, dependence)) {
      llvm::SmallBitVector around = bits;
      around.reset(dependence.of(read.getIndices().getDims()));
      count = std::min(count, points(consumer, around) * points(producer, all));
    }
    total += count;
  }
  double repeats = total / std::max(1.0, points(producer, all));
  if (repeats > 1 && sumsRows(producer))
    return refuse("its sums of rows would be made " + Twine(int64_t(repeats)) +
                  " times");
  bool loads = llvm::any_of(*producer.getBlock(),
                            [](Operation &op) { return isa<LoadOp>(op); });
  // What reads nothing is a few numbers of positions for a core of a GPU; for
  // one of a processor a table of them, if it takes more than a few operations.
  bool readsNothing = !loads && (isCheap(producer) || runsThreads(consumer) ||
                                 repeats <= kMaxCheapRecompute);
  if (repeats > kMaxRecompute && !readsNothing && !isTrivial(producer) &&
      !(isCheap(producer) && repeats <= kMaxCheapRecompute) &&
      !isFasterThanMemory(producer, consumer, repeats, hints))
    return refuse("it would be recomputed " + Twine(int64_t(repeats)) +
                  " times");
  return true;
}

/// What follows a library kernel has to be an epilogue that the library has.
bool Fuser::allowEpilogue(KernelOp producer, KernelOp consumer,
                          const MergePlan &plan) {
  // Try it on copies: the matcher decides.
  KernelOp merged = mergeCopies(producer, consumer, plan);
  bool ok = isLibraryKernel(merged);
  merged.erase();
  if (!ok)
    return refuse("a library computes the producer, and the consumer is not "
                  "an epilogue that it has");
  return true;
}

/// Whether a producer has one result, which kernels read at indices that they
/// know.
bool Fuser::isReadDirectly(KernelOp producer) {
  return producer.getNumResults() == 1 &&
         llvm::all_of(producer.getResult(0).getUses(), [&](OpOperand &use) {
           auto reader = dyn_cast<KernelOp>(use.getOwner());
           return reader && reader->getBlock() == producer->getBlock() &&
                  !isLibraryKernel(reader) &&
                  llvm::all_of(reader.getBody()
                                   .getArgument(use.getOperandNumber())
                                   .getUsers(),
                               [](Operation *user) {
                                 auto load = dyn_cast<LoadOp>(user);
                                 return load && load.getArgs().empty();
                               });
         });
}

/// Whether a producer of several readers need not exist in memory: each
/// computes it from what is no wider than its result. To keep it would cost a
/// store and as much to read again, twice that where bf16 was extended to f32.
SmallVector<KernelOp> Fuser::getReaders(Value v) const {
  constexpr size_t kWindow = 64;
  SmallVector<KernelOp> readers;
  for (Operation *user : v.getUsers())
    if (auto kernel = dyn_cast<KernelOp>(user))
      if (kernel->getBlock() == &block && !llvm::is_contained(readers, kernel))
        readers.push_back(kernel);
  readers.truncate(std::min(readers.size(), kWindow));
  llvm::sort(readers,
             [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
  return readers;
}

bool Fuser::isRecomputedByAll(KernelOp producer) {
  if (!isTrivial(producer) || !isReadDirectly(producer))
    return false;
  auto bits = [](Value v) {
    Type type = cast<RankedTensorType>(v.getType()).getElementType();
    if (auto complex = dyn_cast<ComplexType>(type))
      return 2 * complex.getElementType().getIntOrFloatBitWidth();
    return type.getIntOrFloatBitWidth();
  };
  return llvm::all_of(producer.getInputs(), [&](Value input) {
    return bits(input) <= bits(producer.getResult(0));
  });
}

bool Fuser::isComputedByReaders(KernelOp kernel) {
  llvm::SmallPtrSet<Operation *, 4> readers(kernel->user_begin(),
                                            kernel->user_end());
  return readers.size() > 1 && isRecomputedByAll(kernel);
}

bool Fuser::isTakenByChunks(KernelOp kernel) {
  if (reduces(kernel) || kernel->use_empty() ||
      !llvm::all_equal(kernel->getUsers()))
    return false;
  auto reader = dyn_cast<KernelOp>(*kernel->user_begin());
  return reader && isLongReduction(reader, kernel) &&
         !(takesElements && storesInChunks(reader, hints)) &&
         llvm::any_of(kernel.getInputs(), [&](Value v) {
           auto producer = v.getDefiningOp<KernelOp>();
           return producer && !isOnlyReader(kernel, producer);
         });
}

bool Fuser::isTakenByScatter(KernelOp kernel, KernelOp reduction) {
  if (kernel.getNumResults() != 1 || reduces(kernel) || scatters(kernel))
    return false;
  Value result = kernel.getResult(0);
  auto reader = result.hasOneUse() ? dyn_cast<KernelOp>(*result.user_begin())
                                   : KernelOp();
  double bytes = 0;
  for (Value v : reduction.getResults())
    bytes += getBytes(v, hints);
  return reader && scatters(reader) && bytes < getBytes(result, hints) &&
         plan(kernel, reader);
}

/// A producer that fusion refuses, or whose result others read, too: a kernel
/// of its own for what the consumer reads of it, if that is cheaper than to
/// keep it in memory, and the plan to merge that.
std::optional<std::pair<KernelOp, MergePlan>>
Fuser::planCopy(Value &v, KernelOp consumer) {
  auto result = cast<OpResult>(v);
  auto producer = cast<KernelOp>(result.getOwner());
  bool isWhole = producer.getNumResults() == 1 && !reduces(producer) &&
                 isOnlyReader(consumer, producer);
  if (isWhole || producer->getBlock() != consumer->getBlock() ||
      isLibraryKernel(producer) || isLibraryKernel(consumer))
    return std::nullopt;
  unsigned number = result.getResultNumber();
  // From what is in memory anyway, or from the operands: what reads less.
  std::optional<ResultSlice> slice;
  CopyCost cost;
  for (bool readsStored : {true, false}) {
    std::optional<ResultSlice> other =
        getPointwiseSlice(producer, number, readsStored, consumer);
    if (!other)
      continue;
    CopyCost otherCost = getCopyCost(producer, *other, consumer, hints);
    if (slice && otherCost.read >= cost.read)
      continue;
    slice = std::move(other);
    cost = otherCost;
  }
  // Where rows are reduced: from what that gives for each row. A long reduction
  // is made where the rows are (`loop-fuse-rows`).
  if (!slice && reduces(producer) && runsThreads(producer) &&
      !isLongReduction(consumer) &&
      (slice = getPointwiseSlice(producer, number, /*readsStored=*/false,
                                 consumer, /*storesRows=*/true)))
    cost = getCopyCost(producer, *slice, consumer, hints);
  if (!slice || !isCheaperThanKept(producer, number, *slice, consumer, cost,
                                   isKept(result, library), hints))
    return std::nullopt;
  std::string refusal = why;
  if (!slice->rows.empty()) {
    producer = storeRows(producer, *slice);
    v = producer.getResult(number);
  }
  KernelOp alone = extractResult(producer, number, *slice);
  if (std::optional<MergePlan> found = planInPlaceOf(v, alone, consumer)) {
    // Results of one producer have much in common.
    found->sharesValues = true;
    return std::pair(alone, *found);
  }
  why = refusal;
  return std::nullopt;
}

std::optional<MergePlan> Fuser::planInPlaceOf(Value v, KernelOp alone,
                                              KernelOp consumer) {
  SmallVector<OpOperand *> operands;
  for (OpOperand &operand : consumer->getOpOperands())
    if (operand.get() == v)
      operands.push_back(&operand);
  for (OpOperand *operand : operands)
    operand->set(alone.getResult(0));
  if (std::optional<MergePlan> found = plan(alone, consumer))
    return found;
  for (OpOperand *operand : operands)
    operand->set(v);
  alone.erase();
  return std::nullopt;
}

std::optional<MergePlan> Fuser::plan(KernelOp producer, KernelOp consumer) {
  SmallVector<LoadOp> reads;
  for (auto [i, v] : llvm::enumerate(consumer.getInputs())) {
    if (v.getDefiningOp() != producer)
      continue;
    for (Operation *user :
         consumer.getBody().getArgument(static_cast<unsigned>(i)).getUsers()) {
      if (isa<SegmentSumOp>(user))
        return refuse("the consumer sums its rows"), std::nullopt;
      auto read = dyn_cast<LoadOp>(user);
      if (!read)
        return refuse("the consumer writes over it"), std::nullopt;
      reads.push_back(read);
    }
  }
  if (scatters(producer)) // (C3)
    return refuse("a scatter computes it, and an element is not final before "
                  "the end"),
           std::nullopt;
  if (reads.empty())
    return refuse("the consumer does not read it"), std::nullopt;
  if (producer->getBlock() != consumer->getBlock())
    return refuse("one of them runs under a condition"), std::nullopt;
  if ((sumsRows(producer) && reduces(consumer)) ||
      (sumsRows(consumer) && reduces(producer))) // (C4)
    return refuse("one of them sums rows, the other reduces"), std::nullopt;
  int64_t ops =
      static_cast<int64_t>(producer.getBlock()->getOperations().size() +
                           consumer.getBlock()->getOperations().size());
  if (ops > maxOps)
    return refuse("the kernel would have " + Twine(ops) + " ops, more than " +
                  Twine(maxOps)),
           std::nullopt;
  if (producer.getInputs().size() + producer.getNumResults() +
          consumer.getInputs().size() + consumer.getNumResults() >
      kMaxBuffers)
    return refuse("the kernel would have too many buffers"), std::nullopt;
  bool isElsewhere = false;
  for (LoadOp read : reads)
    isElsewhere |=
        (read.getMask() && !reduces(producer)) || !read.getArgs().empty();
  // What was kept of a row says nothing about the other elements of its kernel.
  for (LoadOp read : reads) {
    unsigned input = cast<BlockArgument>(read.getSource()).getArgNumber();
    StoreOp store = producer.getStore(
        cast<OpResult>(consumer.getInputs()[input]).getResultNumber());
    llvm::SmallBitVector over(producer.getNumDims());
    for (ExprAttr e : store.getIndices().getDims())
      if (e.isDim())
        over.set(static_cast<unsigned>(e.getValue()));
    for (unsigned d : producer.getReducedDims())
      over.set(d);
    for (unsigned d = 0; d < producer.getNumDims(); ++d)
      if (!over[d] && !producer.getExtent(d).isConstant(1))
        return refuse("its result does not vary along 'd" + Twine(d) +
                      "' of its kernel"),
               std::nullopt;
  }
  // Stores at plain distinct dimensions can be inverted.
  for (StoreOp store : producer.getBlock()->getOps<StoreOp>())
    for (ExprAttr e : store.getIndices().getDims())
      if (!e.isDim() && !e.isConstant(0))
        return refuse("its result is written at '" + Twine(e.str()) + "'"),
               std::nullopt;
  for (LoadOp read : reads) {
    unsigned input = cast<BlockArgument>(read.getSource()).getArgNumber();
    if (!read.getArgs().empty() && // (C6)
        !canReadIndirectly(
            producer,
            cast<OpResult>(consumer.getInputs()[input]).getResultNumber(),
            read))
      return refuse("the consumer reads it at an indirect index that its own "
                    "operands do not have"),
             std::nullopt;
  }
  if (isLibraryKernel(consumer))
    return refuse("a library computes the consumer, which takes its operands "
                  "from memory"),
           std::nullopt;

  if (reduces(producer) && isTakenByScatter(consumer, producer)) // (C7)
    return refuse("a scatter takes the consumer, of which there is more, "
                  "without storing it"),
           std::nullopt;

  bool onlyReader = isOnlyReader(consumer, producer);
  bool libraryProducer = isLibraryKernel(producer);
  MergePlan plan;
  if (!isElsewhere && planSameSpace(producer, consumer, reads, plan)) {
    plan.keepResults = !onlyReader;
    if (libraryProducer) {
      if (!onlyReader)
        return refuse("a library computes the producer, and others read it"),
               std::nullopt;
      if (!allowEpilogue(producer, consumer, plan))
        return std::nullopt;
      return plan;
    }
    if (onlyReader)
      return plan;
    if (isRecomputedByAll(producer)) {
      plan.keepResults = false;
      return plan;
    }
    // A long reduction runs in chunks, which store what they read where all of
    // them have one length.
    bool keepsInChunks = takesElements && storesInChunks(consumer, hints);
    if (!reduces(producer) && !keepsInChunks &&
        isLongReduction(consumer, producer)) {
      if (isReadDirectly(producer) && isCheaperForReaders(producer, hints)) {
        plan.keepResults = false;
        return plan;
      }
      return refuse(
                 "others read it, too, and the consumer, a long reduction "
                 "to few results, runs in chunks of different lengths, which "
                 "store nothing"),
             std::nullopt;
    }
    // A kept result is written once for each of its elements.
    llvm::SmallBitVector covered(plan.extents.size());
    for (ExprAttr d : plan.producerDims)
      if (d.isDim())
        covered.set(static_cast<unsigned>(d.getValue()));
    for (auto [d, extent] : llvm::enumerate(plan.extents))
      if (extent.isConstant(1))
        covered.set(static_cast<unsigned>(d));
    // As is what does not vary along dimensions that are reduced, unless these
    // have no points at which it could be.
    sym::Context context = sym::Context::forOp(consumer);
    for (unsigned d : consumer.getReducedDims())
      if (context.bounds(consumer.getExtent(d)).lo > 0)
        covered.set(d);
    bool whole = covered.all();
    bool cycle = hasPathThroughThird(producer, consumer); // (C2)
    if (whole && !reduces(producer) && !keepsInChunks &&
        losesChunks(producer, consumer))
      return refuse("others read it, too, and the consumer has too few results "
                    "to reduce each in one block"),
             std::nullopt;
    if (whole && !cycle && readersComeLater(producer, consumer))
      return plan;
    why = !whole  ? "its result has other readers and another space"
          : cycle ? "a path leads through a third kernel"
                  : "a reader of its result comes before an operand of the "
                    "consumer";
  }
  if (libraryProducer)
    return refuse("a library computes the producer"), std::nullopt;
  std::string sameSpaceReason = why;
  if (reduces(producer))
    return std::nullopt;
  // Computed at each place; kept for other readers when that is cheap.
  if (!onlyReader && !isCheap(producer))
    return std::nullopt;
  if (!planInline(producer, consumer, reads))
    return std::nullopt;
  if (!onlyReader && !isRecomputedByAll(producer) &&
      isLongReduction(consumer, producer))
    return refuse("others read it, too, and the consumer, a long reduction to "
                  "few results, runs in chunks that keep nothing"),
           std::nullopt;
  plan = MergePlan();
  plan.extents.assign(consumer.getDims().getDims().begin(),
                      consumer.getDims().getDims().end());
  return plan;
}

bool Fuser::canMergeSiblings(KernelOp first, KernelOp second,
                             double minShared) {
  if (first.getDims() != second.getDims())
    return refuse("they run over different spaces");
  if (first.getReducedDims() != second.getReducedDims())
    return refuse("they reduce over different dimensions");
  if (isLibraryKernel(first) || isLibraryKernel(second))
    return refuse("a library computes one of them");
  if (first.isSequential() != second.isSequential() || scatters(first) ||
      scatters(second))
    return refuse("one of them scans or scatters");
  if (static_cast<int64_t>(first.getBlock()->getOperations().size() +
                           second.getBlock()->getOperations().size()) > maxOps)
    return refuse("the kernel would have too many ops");
  if (first.getInputs().size() + first.getNumResults() +
          second.getInputs().size() + second.getNumResults() >
      kMaxBuffers)
    return refuse("the kernel would have too many buffers");
  if ((!findChunkObstacle(second).empty() && losesChunks(second, first)) ||
      (!findChunkObstacle(first).empty() && losesChunks(first, second)))
    return refuse("one has too few results to reduce each in one block, and "
                  "the other runs in no chunks");
  double shared = 0;
  for (Value v : first.getInputs()) {
    if (llvm::is_contained(second.getInputs(), v))
      shared += getBytes(v, hints);
  }
  if (shared < minShared)
    return refuse("they share less than " + Twine(int64_t(minShared)) +
                  " bytes");
  if (reaches(first, second))
    return refuse("one depends on the other");
  if (!readersComeLater(first, second))
    return refuse(
        "a reader of the first comes before an operand of the second");
  return true;
}
