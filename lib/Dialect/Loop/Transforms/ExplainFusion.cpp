//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-explain-fusion`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "Fuser.h"
#include "FusionCost.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

#include <algorithm>

#define DEBUG_TYPE "loop-explain-fusion"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPEXPLAINFUSIONPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;

namespace {

/// Two kernels that share memory, and what one kernel for both would save.
struct Pair {
  KernelOp first, second;
  bool isProducer = false;
  double bytes = 0, seconds = 0;
  std::string why;
};

struct LoopExplainFusionPass
    : coil::loop::impl::LoopExplainFusionPassBase<LoopExplainFusionPass> {
  using LoopExplainFusionPassBase::LoopExplainFusionPassBase;

  void runOnOperation() override {
    // Nobody listens: the program stays as it is in any case.
    if (getOperation().isExternal() || !getContext().getRemarkEngine())
      return;
    target = target::getProgramTarget(getOperation());
    ReductionCounts counts = getReductionCounts(target);
    SmallVector<Pair> pairs;
    for (Block *block : getFusionBlocks(getOperation())) {
      Fuser fuser(getOperation(), *block, /*maxOps=*/0, library,
                  counts.enoughResults, counts.fusedRowPiece);
      collect(fuser, pairs);
    }
    llvm::stable_sort(pairs, [](const Pair &a, const Pair &b) {
      return std::tie(a.seconds, a.bytes) > std::tie(b.seconds, b.bytes);
    });
    if (maxPairs > 0 && pairs.size() > maxPairs)
      pairs.resize(maxPairs);
    for (Pair &pair : pairs)
      report(pair);
  }

private:
  void collect(Fuser &fuser, SmallVectorImpl<Pair> &pairs);
  Pair measure(Fuser &fuser, KernelOp first, KernelOp second);
  void report(Pair &pair);

  target::TargetAttrInterface target;
};

} // namespace

/// What one kernel would save: of what the first computes, the read by the
/// second, and the write where nobody else needs it; and one of two reads of
/// what both read.
Pair LoopExplainFusionPass::measure(Fuser &fuser, KernelOp first,
                                    KernelOp second) {
  Pair pair;
  pair.first = first;
  pair.second = second;
  for (Value v : second.getInputs()) {
    if (llvm::is_contained(first.getInputs(), v)) {
      pair.bytes += getBytes(v, fuser.hints);
    } else if (v.getDefiningOp() == first) {
      bool isOnly = llvm::all_of(
          v.getUsers(), [&](Operation *user) { return user == second; });
      pair.bytes += (isOnly ? 2 : 1) * getBytes(v, fuser.hints);
    }
  }
  KernelWork a = getWork(first, fuser.hints), b = getWork(second, fuser.hints);
  KernelWork both;
  both.bytes = std::max(0.0, a.bytes + b.bytes - pair.bytes);
  both.operations = a.operations + b.operations;
  double saved = getTimeInBytes(a, target) + getTimeInBytes(b, target) -
                 getTimeInBytes(both, target);
  pair.seconds = saved / getBandwidth(target);
  return pair;
}

void LoopExplainFusionPass::collect(Fuser &fuser,
                                    SmallVectorImpl<Pair> &pairs) {
  DenseSet<std::pair<Operation *, Operation *>> seen;
  auto add = [&](KernelOp first, KernelOp second, bool isProducer) {
    if (!seen.insert({first, second}).second)
      return;
    fuser.why.clear();
    bool canFuse = isProducer ? fuser.plan(first, second).has_value()
                              : fuser.canMergeSiblings(first, second);
    Pair pair = measure(fuser, first, second);
    pair.isProducer = isProducer;
    pair.why = canFuse ? "it was not possible when both were looked at, and "
                         "nobody looked again"
                       : fuser.why;
    pairs.push_back(std::move(pair));
  };
  // Pairs of a producer and its reader first: both may read a third value, too.
  for (auto consumer : fuser.block.getOps<KernelOp>())
    for (Value v : consumer.getInputs())
      if (auto producer = v.getDefiningOp<KernelOp>();
          producer && producer->getBlock() == &fuser.block)
        add(producer, consumer, /*isProducer=*/true);
  llvm::SetVector<Value> read;
  for (auto kernel : fuser.block.getOps<KernelOp>())
    read.insert(kernel.getInputs().begin(), kernel.getInputs().end());
  for (Value v : read) {
    SmallVector<KernelOp> readers = fuser.getReaders(v);
    if (readers.size() < 2 || getBytes(v, fuser.hints) < kMinSharedBytes)
      continue;
    for (size_t i = 0; i < readers.size(); ++i)
      for (size_t j = i + 1; j < readers.size(); ++j)
        if (!Fuser::isReader(readers[j], readers[i]))
          add(readers[i], readers[j], /*isProducer=*/false);
  }
}

/// The line of the source that a kernel is of.
static std::string describeLine(KernelOp kernel) {
  FileLineColLoc file;
  kernel->getLoc()->walk([&](Location inner) {
    file = dyn_cast<FileLineColLoc>(inner);
    return file ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!file)
    return "unknown line";
  return (llvm::sys::path::filename(file.getFilename()) + ":" +
          Twine(file.getLine()))
      .str();
}

static std::string describeBytes(double bytes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (bytes < 1e3)
    os << static_cast<int64_t>(bytes) << " bytes";
  else if (bytes < 1e6)
    os << llvm::format("%.1f kB", bytes / 1e3);
  else
    os << llvm::format("%.1f MB", bytes / 1e6);
  return text;
}

void LoopExplainFusionPass::report(Pair &pair) {
  std::string time;
  llvm::raw_string_ostream(time) << llvm::format("%.1f us", pair.seconds * 1e6);
  remark::missed(pair.second.getLoc(), remark::RemarkOpts::name("WouldSave")
                                           .category(DEBUG_TYPE)
                                           .function(getOperation().getName()))
      << remark::add("one kernel would save {0} and about {1}: '{2}' ({3}) {4} "
                     "'{5}' ({6}): {7}",
                     describeBytes(pair.bytes), time, pair.first.getName(),
                     describeLine(pair.first),
                     pair.isProducer ? "into" : "with", pair.second.getName(),
                     describeLine(pair.second), pair.why);
}
