//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether events order all that streams do to a buffer: a clock for each stream
// says how far it knows every other one.
//
// A branch or a loop has come to its end when the main stream knows all that
// side streams did in it. So it counts for what is behind it as something that
// the main stream does.
//
//===----------------------------------------------------------------------===//

#include "VerifyStreams.h"

#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

/// How many steps of each stream one knows; the main stream is the first.
using Clock = SmallVector<int64_t, 4>;

/// The last step of each stream that read storage, or wrote it.
struct Accesses {
  struct Step {
    int64_t time = 0;
    Operation *op = nullptr;
  };
  llvm::SmallMapVector<unsigned, Step, 2> reads, writes;
};

class StreamVerifier {
public:
  explicit StreamVerifier(FuncOp fn) : fn(fn) {}
  LogicalResult run();

private:
  struct State {
    std::vector<Clock> clocks;
    llvm::DenseMap<Value, Accesses> accesses;
  };

  LogicalResult visit(Block &block);
  LogicalResult visit(Operation &op);
  /// A region that may run or not, or several times.
  LogicalResult visitApart(ArrayRef<Region *> regions);
  LogicalResult access(Operation &op, Value storage, bool writes);
  LogicalResult access(Operation &op);
  std::string describe(unsigned stream) const;
  unsigned getStream(DeviceAttr device, uint64_t number) const {
    const auto *found =
        llvm::find(streams, std::pair(device, static_cast<int64_t>(number)));
    return 1 + static_cast<unsigned>(found - streams.begin());
  }
  static void join(Clock &clock, const Clock &other) {
    for (auto [mine, theirs] : llvm::zip(clock, other))
      mine = std::max(mine, theirs);
  }

  FuncOp fn;
  /// Side streams, from number 1 on.
  llvm::SetVector<std::pair<DeviceAttr, int64_t>> streams;
  State now;
  llvm::DenseMap<Value, Clock> tokens;
  unsigned current = 0;
  /// What the regions that are being visited touched.
  SmallVector<llvm::SetVector<Value> *> touched;
};

} // namespace

std::string StreamVerifier::describe(unsigned stream) const {
  return stream == 0 ? "the main stream"
                     : "stream " + std::to_string(streams[stream - 1].second);
}

LogicalResult StreamVerifier::access(Operation &op, Value v, bool writes) {
  Value memory = isa<PoolType>(v.getType()) ? v : getStorage(v);
  Accesses &known = now.accesses[memory];
  Clock &clock = now.clocks[current];
  auto check = [&](const auto &steps) -> LogicalResult {
    for (const auto &[stream, step] : steps) {
      if (stream == current || clock[stream] >= step.time)
        continue;
      InFlightDiagnostic diag = op.emitOpError() // (C18)
                                << (endsStorage(&op) ? "ends"
                                    : writes         ? "writes"
                                                     : "reads")
                                << " a buffer on " << describe(current)
                                << ", which does not wait for what "
                                << describe(stream) << " does with it";
      diag.attachNote(step.op->getLoc()) << "that is here";
      return diag;
    }
    return success();
  };
  if (failed(check(known.writes)) || (writes && failed(check(known.reads))))
    return failure();
  (writes ? known.writes : known.reads)[current] = {clock[current], &op};
  for (llvm::SetVector<Value> *set : touched)
    set->insert(memory);
  return success();
}

/// What an op does to its operands.
LogicalResult StreamVerifier::access(Operation &op) {
  if (isa<ViewLikeOpInterface>(op))
    return success();
  // What touches nothing is no step.
  if (llvm::any_of(op.getOperands(), isStorage) ||
      llvm::any_of(op.getResults(), isStorage))
    ++now.clocks[current][current];
  SmallVector<MemoryEffects::EffectInstance> instances;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (effects)
    effects.getEffects(instances);
  SmallVector<OpOperand *> taken = getTakenOperands(&op);
  for (OpOperand &operand : op.getOpOperands()) {
    if (!isStorage(operand.get()))
      continue;
    bool reads = false, writes = llvm::is_contained(taken, &operand);
    for (const auto &effect : instances)
      if (effect.getEffectValue<OpOperand *>() == &operand) {
        reads |= isa<MemoryEffects::Read>(effect.getEffect());
        writes |= !isa<MemoryEffects::Read>(effect.getEffect());
      }
    // Of ops without effects, whatever they are given may change.
    if (!effects && !isMemoryEffectFree(&op))
      writes = true;
    if ((reads || writes) && failed(access(op, operand.get(), writes)))
      return failure();
  }
  for (Value v : op.getResults()) {
    // What is made is the main stream's.
    if (auto reuse = dyn_cast<ReuseOp>(op)) {
      Accesses before = now.accesses.lookup(getStorage(reuse.getSource()));
      now.accesses[v] = before;
    }
    if (isStorage(v) && failed(access(op, v, /*writes=*/true)))
      return failure();
  }
  return success();
}

LogicalResult StreamVerifier::visit(Operation &op) {
  if (auto wait = dyn_cast<WaitEventOp>(op)) {
    join(now.clocks[current], tokens[wait.getToken()]);
    return success();
  }
  if (auto wait = dyn_cast<WaitOp>(op))
    join(now.clocks[current], tokens[wait.getToken()]);
  if (isa<IfOp, WhileOp>(op)) {
    SmallVector<Region *> regions;
    for (Region &region : op.getRegions())
      regions.push_back(&region);
    return failure(failed(access(op)) || failed(visitApart(regions)));
  }
  if (auto event = dyn_cast<RecordEventOp>(op); event && event.getStream()) {
    tokens[event.getToken()] =
        now.clocks[getStream(event.getDevice(), *event.getStream())];
    return success();
  }
  if (isa<PartitionOp, DeviceScopeOp, StreamOp>(op)) {
    unsigned outer = current;
    if (auto stream = dyn_cast<StreamOp>(op))
      current = getStream(stream.getDevice(), stream.getNumber());
    for (Operation &inner : op.getRegion(0).front())
      if (failed(visit(inner)))
        return failure();
    current = outer;
    // Results are other names of what the region yields.
    for (auto [result, yielded] :
         llvm::zip(op.getResults(),
                   op.getRegion(0).front().getTerminator()->getOperands()))
      if (isStorage(result)) {
        Accesses before = now.accesses.lookup(getStorage(yielded));
        now.accesses[result] = before;
      }
    return success();
  }
  if (failed(access(op)))
    return failure();
  for (Value v : op.getResults())
    if (isa<TokenType>(v.getType()))
      tokens[v] = now.clocks[current];
  return success();
}

/// The main stream has waited for all that side streams did in the block.
LogicalResult StreamVerifier::visit(Block &block) {
  std::vector<Clock> before = now.clocks;
  // The caller's stream, or what is around the block, has made these.
  for (BlockArgument arg : block.getArguments())
    if (isStorage(arg))
      now.accesses[arg].writes[0] = {before[0][0], block.getParentOp()};
  for (Operation &op : block)
    if (failed(visit(op)))
      return failure();
  for (unsigned s = 1; s < now.clocks.size(); ++s)
    if (now.clocks[s][s] > before[s][s] &&
        now.clocks[0][s] < now.clocks[s][s]) { // (C19)
      Operation *last = nullptr;
      for (Operation &op : block)
        op.walk([&](StreamOp each) {
          if (std::pair(each.getDevice(),
                        static_cast<int64_t>(each.getNumber())) ==
              streams[s - 1])
            last = each;
        });
      InFlightDiagnostic diag =
          block.getTerminator()->emitOpError()
          << "ends the block, but the main stream has not waited for all of "
          << describe(s);
      if (last)
        diag.attachNote(last->getLoc()) << "the stream is given work here";
      return diag;
    }
  return success();
}

LogicalResult StreamVerifier::visitApart(ArrayRef<Region *> regions) {
  State before = now;
  llvm::SetVector<Value> inside;
  Clock known;
  for (Region *region : regions) {
    now = before;
    touched.push_back(&inside);
    LogicalResult result = visit(region->front());
    touched.pop_back();
    if (failed(result))
      return failure();
    // What is known on all ways.
    const Clock &main = now.clocks[0];
    if (known.empty())
      known = main;
    for (auto [mine, theirs] : llvm::zip(known, main))
      mine = std::min(mine, theirs);
  }
  now = before;
  Clock &main = now.clocks[0];
  for (unsigned s = 1; s < main.size(); ++s)
    main[s] = std::max(main[s], std::min(known[s], before.clocks[s][s]));
  ++main[0];
  for (Value v : inside)
    now.accesses[v].writes[0] = {main[0], regions.front()->getParentOp()};
  return success();
}

LogicalResult StreamVerifier::run() {
  fn.walk([&](Operation *op) {
    if (auto stream = dyn_cast<StreamOp>(op))
      streams.insert(
          {stream.getDevice(), static_cast<int64_t>(stream.getNumber())});
    auto event = dyn_cast<RecordEventOp>(op);
    if (event && event.getStream())
      streams.insert(
          {event.getDevice(), static_cast<int64_t>(*event.getStream())});
  });
  if (streams.empty())
    return success();
  now.clocks.assign(streams.size() + 1, Clock(streams.size() + 1, 0));
  now.clocks[0][0] = 1;
  return visit(fn.getBody().front());
}

LogicalResult coil::wrapper::verifyStreams(FuncOp fn) {
  return StreamVerifier(fn).run();
}
