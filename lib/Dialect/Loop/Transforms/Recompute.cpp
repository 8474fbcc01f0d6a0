//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-recompute`: which values go through memory between two
// kernels, by a minimum cut.
//
//===----------------------------------------------------------------------===//

#include "Fuser.h"
#include "FusionCost.h"
#include "TargetCounts.h"
#include "coil/Dialect/Loop/Transforms/Passes.h"
#include "coil/Support/MinCut.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#define DEBUG_TYPE "loop-fuse"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPRECOMPUTEPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;

namespace {

/// The part of the bytes of both kernels that has to be saved: less is within
/// what the model knows of times.
constexpr double kMinSaved = 0.02;

/// How much longer operations take than at the rate of the multiprocessors:
/// these issue in seven of ten cycles (Nsight Compute, an H200: the median of
/// 98 kernels of random_kernels.py --programs=chains that they bound).
constexpr double kWaiting = 1 / 0.7;

/// Which values of a producer a reader computes, and which it reads.
struct Cut {
  /// The results that it reads now, and need not.
  SmallVector<unsigned> results;
  DenseSet<Value> computed;
  double saved = 0, total = 0;
};

/// The graph of one producer and one of its readers. A value has a node that
/// says whether the reader needs it, and one whether it computes it; those for
/// which it is so are on the side of the source.
class CutGraph {
public:
  CutGraph(Fuser &fuser, KernelOp producer, KernelOp reader)
      : fuser(fuser), producer(producer), reader(reader), dependence(producer),
        reduced(producer.getNumDims()), wide(producer.getNumDims()) {
    for (unsigned d : producer.getReducedDims())
      reduced.set(d);
    for (unsigned d = 0; d < producer.getNumDims(); ++d)
      if (!producer.getExtent(d).isConstant(1))
        wide.set(d);
    opsPerByte =
        static_cast<double>(getOpsPerByte(target::getProgramTarget(producer)));
    source = cut.addNode();
    sink = cut.addNode();
  }

  std::optional<Cut> solve();

  /// The store of a result, other than `except`, that has `v` at each point at
  /// which it is one.
  StoreOp findStore(Value v, std::optional<unsigned> except) const;

private:
  double countElements(Value v) const {
    return fuser.points(producer, dependence[v]);
  }
  double countBytes(Value v) const {
    return countElements(v) *
           std::max(1u, v.getType().getIntOrFloatBitWidth() / 8);
  }
  bool isStorable(Value v) const;
  double getStoreCost(Value v) const;
  void addOperation(Operation *op);
  unsigned needed(Value v);

  Fuser &fuser;
  mutable KernelOp producer;
  KernelOp reader;
  DimDependence dependence;
  llvm::SmallBitVector reduced, wide;
  double opsPerByte, repeats = 1;
  MinCut cut;
  unsigned source, sink;
  llvm::MapVector<Value, unsigned> need;
  llvm::MapVector<Operation *, unsigned> compute;
  DenseMap<Value, unsigned> tensors;
};

} // namespace

/// (C3)
bool CutGraph::isStorable(Value v) const {
  if (!isa<IntegerType, FloatType>(v.getType()))
    return false;
  llvm::SmallBitVector varies = dependence[v];
  varies &= wide;
  llvm::SmallBitVector rows = wide;
  rows.reset(reduced);
  return varies == wide || varies == rows;
}

StoreOp CutGraph::findStore(Value v, std::optional<unsigned> except) const {
  for (Operation *user : v.getUsers())
    if (auto store = dyn_cast<StoreOp>(user);
        store && store.getOutput() != except && storesEach(store, dependence))
      return store;
  return nullptr;
}

/// Bytes that move where the reader finds `v` in memory.
double CutGraph::getStoreCost(Value v) const {
  double bytes = countBytes(v);
  StoreOp store = findStore(v, /*result=*/std::numeric_limits<unsigned>::max());
  if (!store)
    return isStorable(v) ? 2 * bytes : MinCut::kNever;
  auto result = cast<OpResult>(
      producer.getResult(static_cast<unsigned>(store.getOutput())));
  if (isKept(result, fuser.library))
    return bytes;
  // Readers share what it takes to write it.
  llvm::SmallPtrSet<Operation *, 4> readers(result.user_begin(),
                                            result.user_end());
  if (!readers.contains(reader))
    return bytes;
  return bytes + bytes / static_cast<double>(readers.size());
}

unsigned CutGraph::needed(Value v) {
  auto [it, isNew] = need.try_emplace(v, 0);
  if (!isNew)
    return it->second;
  unsigned node = it->second = cut.addNode();
  Operation *op = v.getDefiningOp();
  double stored = getStoreCost(v);
  if (!op || !isPointwise(*op) || op->getNumResults() != 1) {
    cut.addEdge(node, sink, stored);
    return node;
  }
  if (!compute.contains(op))
    addOperation(op);
  cut.addEdge(node, compute[op], stored);
  return node;
}

void CutGraph::addOperation(Operation *op) {
  unsigned node = cut.addNode();
  compute[op] = node;
  Value v = op->getResult(0);
  double operations =
      static_cast<double>(getWeight(*op, false)) * countElements(v) * repeats;
  cut.addEdge(node, sink, kWaiting * operations / opsPerByte);
  if (auto load = dyn_cast<LoadOp>(op)) {
    Value tensor =
        producer
            .getInputs()[cast<BlockArgument>(load.getSource()).getArgNumber()];
    auto [it, isNew] = tensors.try_emplace(tensor, 0);
    if (isNew) {
      it->second = cut.addNode();
      if (!llvm::is_contained(reader.getInputs(), tensor))
        cut.addEdge(it->second, sink, getBytes(tensor, fuser.hints));
    }
    cut.addEdge(node, it->second, MinCut::kNever);
  }
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp())
      cut.addEdge(node, needed(operand), MinCut::kNever);
}

std::optional<Cut> CutGraph::solve() {
  Cut found;
  double now = 0;
  SmallVector<std::pair<unsigned, Value>> targets;
  for (auto [i, v] : llvm::enumerate(reader.getInputs())) {
    if (v.getDefiningOp() != producer)
      continue;
    unsigned number = cast<OpResult>(v).getResultNumber();
    StoreOp store = producer.getStore(number);
    // (C2)
    double times = 0;
    bool isPlain = store != nullptr;
    DimDependence at(reader);
    for (Operation *user :
         reader.getBody().getArgument(static_cast<unsigned>(i)).getUsers()) {
      auto load = dyn_cast<LoadOp>(user);
      isPlain &= load && load.getArgs().empty();
      if (load)
        times += fuser.points(reader, at[load.getResult()]);
    }
    if (isPlain)
      for (sym::ExprAttr index : store.getIndices().getDims())
        isPlain &= index.isDim() || index.isConstant(0);
    if (!isPlain)
      continue;
    repeats = std::max(repeats, times / countElements(store.getValue()));
    targets.push_back({number, store.getValue()});
  }
  for (auto [number, v] : targets) {
    // Two results may have one value.
    if (need.contains(v))
      continue;
    now += getStoreCost(v);
    cut.addEdge(source, needed(v), MinCut::kNever);
  }
  if (targets.empty())
    return std::nullopt;
  found.saved = now - cut.solve(source, sink);
  for (KernelOp each : {producer, reader})
    for (ValueRange values :
         {ValueRange(each.getInputs()), ValueRange(each.getResults())})
      for (Value v : values)
        found.total += getBytes(v, fuser.hints);
  if (found.saved < kMinSaved * found.total)
    return std::nullopt;
  for (auto [op, node] : compute)
    if (cut.isSource(node))
      found.computed.insert(op->getResult(0));
  for (auto [number, v] : targets)
    if (found.computed.contains(v))
      found.results.push_back(number);
  if (found.results.empty())
    return std::nullopt;
  return found;
}

/// What the reader computes of one result.
static ResultSlice getSlice(KernelOp producer, unsigned result, const Cut &cut,
                            const CutGraph &graph) {
  StoreOp store = producer.getStore(result);
  ResultSlice slice;
  DenseSet<Operation *> needed{store};
  DenseSet<Value> read;
  for (Operation &op : llvm::reverse(*producer.getBlock())) {
    if (!needed.contains(&op))
      continue;
    bool isComputed =
        isa<StoreOp>(op) ||
        (op.getNumResults() == 1 && cut.computed.contains(op.getResult(0)));
    if (!isComputed) {
      for (Value v : op.getResults()) {
        if (!read.contains(v))
          continue;
        if (StoreOp stored = graph.findStore(v, result))
          slice.stored.push_back(stored);
        else
          slice.rows.push_back(v);
      }
      continue;
    }
    slice.ops.push_back(&op);
    for (Value v : op.getOperands()) {
      read.insert(v);
      if (Operation *def = v.getDefiningOp())
        needed.insert(def);
    }
  }
  std::reverse(slice.ops.begin(), slice.ops.end());
  return slice;
}

namespace {

struct LoopRecomputePass
    : coil::loop::impl::LoopRecomputePassBase<LoopRecomputePass> {
  using LoopRecomputePassBase::LoopRecomputePassBase;

  void runOnOperation() override {
    fuseThreadBlocks(
        getOperation(), maxOps, library,
        [&](Fuser &fuser, const ReductionCounts &) {
          Block &block = fuser.block;
          // Kernels that replace others stand where these did.
          for (Operation *op = block.empty() ? nullptr : &block.front(); op;) {
            auto reader = dyn_cast<KernelOp>(op);
            if (reader && canRead(fuser, reader))
              reader = cutAll(fuser, reader);
            op = (reader ? reader.getOperation() : op)->getNextNode();
          }
          for (KernelOp kernel : llvm::to_vector(block.getOps<KernelOp>()))
            dropUnusedResults(kernel);
        });
  }

private:
  /// (C1)
  static bool canMake(Fuser &fuser, KernelOp kernel) {
    return !scatters(kernel) && !sumsRows(kernel) &&
           !kernel.getScheduleAttr() && !kernel.getConvAttr() &&
           kernel.getColumnDims().empty() && !fuser.isLibraryKernel(kernel);
  }
  static bool canRead(Fuser &fuser, KernelOp kernel) {
    return canMake(fuser, kernel) && !kernel.isSequential() &&
           !fuser.isLongReduction(kernel);
  }

  KernelOp cutAll(Fuser &fuser, KernelOp reader) {
    DenseSet<Operation *> done;
    for (bool changed = true; changed;) {
      changed = false;
      for (Value v : reader.getInputs()) {
        auto producer = v.getDefiningOp<KernelOp>();
        if (!producer || producer->getBlock() != reader->getBlock() ||
            !canMake(fuser, producer) || !done.insert(producer).second)
          continue;
        CutGraph graph(fuser, producer, reader);
        std::optional<Cut> cut = graph.solve();
        if (!cut)
          continue;
        Location loc = reader.getLoc();
        std::string names =
            ("'" + reader.getName() + "' computes " +
             Twine(cut->results.size()) + " results of '" + producer.getName() +
             "' again, which saves " + Twine(static_cast<int64_t>(cut->saved)) +
             " of " + Twine(static_cast<int64_t>(cut->total)) + " bytes")
                .str();
        auto [made, merged, count] =
            apply(fuser, producer, reader, *cut, graph);
        reader = merged;
        done.insert(made);
        if (count == 0)
          continue;
        remark::passed(loc, remark::RemarkOpts::name("Recomputed")
                                .category(DEBUG_TYPE)
                                .function(getOperation().getName()))
            << remark::add("{0}", names);
        changed = true;
        break;
      }
    }
    return reader;
  }

  struct Applied {
    KernelOp producer, reader;
    unsigned results;
  };

  Applied apply(Fuser &fuser, KernelOp producer, KernelOp reader,
                const Cut &cut, const CutGraph &graph) {
    unsigned count = 0;
    for (unsigned number : cut.results) {
      ResultSlice slice = getSlice(producer, number, cut, graph);
      if (!slice.rows.empty())
        producer = storeRows(producer, slice);
      Value v = producer.getResult(number);
      KernelOp alone = extractResult(producer, number, slice);
      std::optional<MergePlan> plan = fuser.planInPlaceOf(v, alone, reader);
      if (!plan)
        continue;
      Operation *last = fuser.lastOperand(alone, reader);
      reader = mergeProducer(alone, reader, *plan);
      shareValues(reader);
      if (last)
        reader->moveAfter(last);
      ++count;
    }
    return {producer, reader, count};
  }
};

} // namespace
