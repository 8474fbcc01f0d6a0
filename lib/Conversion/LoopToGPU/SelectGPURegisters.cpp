//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a multiprocessor, by the registers that threads want.
//
//===----------------------------------------------------------------------===//

#include "GPUScheduleSelector.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Blocks of a multiprocessor, at most, whatever they are of.
static constexpr int64_t kMaxBlocks = 32;
/// Threads of which each can have all registers that an instruction can name.
static constexpr int64_t kFewThreads = 256;

/// 32-bit words of an element's value; none of what is not one for each
/// element.
static double getWords(Value v, bool isVector, const DimDependence &dependence,
                       const llvm::SmallBitVector &reduced) {
  Type type = v.getType();
  if (!type.isIntOrFloat() || !dependence[v].anyCommon(reduced) ||
      isa_and_present<IndexOp>(v.getDefiningOp()))
    return 0;
  double bits = type.getIntOrFloatBitWidth();
  // Masks are predicates.
  if (bits == 1)
    return 0;
  return isVector ? bits / 32 : std::max(1.0, bits / 32);
}

LiveWords loop::countLiveWords(KernelOp kernel, bool isVector,
                               const llvm::SmallBitVector &over) {
  DimDependence dependence(kernel);
  DenseMap<Value, unsigned> phase;
  DenseMap<Value, std::pair<size_t, size_t>> life;
  SmallVector<double> kept, now;
  size_t at = 0;
  for (Operation &op : *kernel.getBlock()) {
    unsigned p = 0;
    for (Value v : op.getOperands()) {
      p = std::max(p, phase.lookup(v));
      if (auto it = life.find(v); it != life.end())
        it->second.second = at;
    }
    // Threads meet for what they combine, and have all of their items then.
    p += isReduction(&op) || isa<ScanOp, ArgScanOp>(op);
    kept.resize(std::max<size_t>(kept.size(), p + 1), 0);
    for (Value v : op.getResults()) {
      phase[v] = p;
      life[v] = {at, at};
    }
    ++at;
  }
  now.resize(at, 0);
  for (Operation &op : *kernel.getBlock())
    for (Value v : op.getResults()) {
      double words = getWords(v, isVector, dependence, over);
      if (words == 0)
        continue;
      for (size_t i = life[v].first; i < life[v].second; ++i)
        now[i] += words;
      // The last phase in which something is computed of it. Loads are done
      // early, whatever needs them.
      unsigned last = isa<LoadOp>(op) ? kept.size() - 1 : phase[v];
      for (Operation *user : v.getUsers()) {
        unsigned p = 0;
        for (Value operand : user->getOperands())
          p = std::max(p, phase.lookup(operand));
        last = std::max(last, p);
      }
      for (unsigned p = phase[v] + 1; p <= last; ++p)
        kept[p] += words;
    }
  LiveWords words;
  for (double w : kept)
    words.kept = std::max(words.kept, w);
  for (double w : now)
    words.most = std::max(words.most, w);
  return words;
}

double Selector::countRegisters(const LiveWords &words, int64_t items,
                                bool keeps) const {
  // Threads that keep a row have all of it at a barrier, others what is under
  // way: a vector that is computed, and what was loaded for the next.
  auto vectors = static_cast<double>(items);
  auto elements = static_cast<double>(width);
  double wanted =
      keeps
          ? elements * (vectors * words.kept + words.most)
          : elements * (words.most +
                        (vectors - 1) * static_cast<double>(countLargeLoads()) *
                            static_cast<double>(widest) / 4);
  return wanted + kBaseRegisters;
}

LiveWords Selector::countLive() const {
  return countLiveWords(kernel, width > 1,
                        reduced.any()
                            ? reduced
                            : llvm::SmallBitVector(kernel.getNumDims(), true));
}

bool Selector::keepsInRegisters(int64_t threads, int64_t items) const {
  if (kernel.getBlock()->getOperations().size() <= kFewOps)
    return true;
  return countRegisters(countLive(), items, /*keeps=*/true) <=
         static_cast<double>(
             getThreadRegisters(facts.registers, threads, /*minBlocks=*/1));
}

void Selector::requireBlocks() {
  if (kernel.getBlock()->getOperations().size() <= kFewOps)
    return;
  int64_t threads = threadsP * threadsR;
  auto wanted = static_cast<int64_t>(
      std::ceil(countRegisters(countLive(), itemsR * itemsP, persistent)));
  int64_t blocks =
      std::min({facts.registers / (threads * wanted),
                busyThreads / std::min(threads, busyThreads), kMaxBlocks});
  if (blocks > 1)
    minBlocks = blocks;
}

bool Selector::fitRegisters() {
  if (kernel.getBlock()->getOperations().size() <= kFewOps)
    return true;
  LiveWords words = countLive();
  for (;;) {
    bool keeps = persistent && (scans || !isReduced(dim) ||
                                !isKeptAsLoaded(width, itemsP, itemsR));
    double wanted = countRegisters(words, itemsR * itemsP, keeps);
    int64_t threads = threadsP * threadsR;
    auto most = static_cast<double>(
        getThreadRegisters(facts.registers, threads, minBlocks));
    if (wanted <= most)
      return true;
    if (minBlocks > 1) {
      minBlocks /= 2;
      continue;
    }
    // Fewer threads have more registers for elements in all.
    bool isAlone = threadsP == 1 && itemsP == 1;
    if (!scans && threads > kFewThreads && threadsR > 1 &&
        (isAlone || !persistent)) {
      threadsR /= 2;
      if (persistent)
        itemsR = llvm::divideCeil(mostR, threadsR);
      minBlocks = 0;
      continue;
    }
    minBlocks = 0;
    return !persistent;
  }
}
