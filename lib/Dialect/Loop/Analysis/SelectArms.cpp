//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the ops that only one operand of a choice by position needs: from the
// last op to the first, each belongs to the innermost arm that all its users
// belong to.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/SelectArms.h"

#include "coil/Dialect/Loop/Analysis/VectorCost.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Instructions of an arm that are worth a branch for whole vectors: as many as
/// an elementary function has. The branch takes three or four, to bring the
/// conditions of lanes together, to test and to jump.
static constexpr int64_t kMinInstructions = 12;

bool coil::loop::isOfPositions(Value condition) {
  SmallVector<Value> stack{condition};
  DenseSet<Value> seen;
  while (!stack.empty()) {
    Value v = stack.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    Operation *op = v.getDefiningOp();
    if (!op || !(isa<IndexOp, arith::ConstantOp>(op) ||
                 (isa<arith::ArithDialect>(op->getDialect()) &&
                  op->getResult(0).getType().isSignlessInteger())))
      return false;
    llvm::append_range(stack, op->getOperands());
  }
  return true;
}

/// Whether nothing is lost when `op` is not computed at some points: it has no
/// effect, combines no points, and reports no index that is out of range.
static bool canStay(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getBounds() == BoundsPolicy::Trusted ||
           load.getBounds() == BoundsPolicy::Clamp;
  return !isReduction(op) && !isa<OverDimsOpInterface, StoreOp, ScatterOp,
                                  SegmentSumOp, arith::ConstantOp, IndexOp>(op);
}

/// The operands that `op` chooses from by position, with the condition and
/// whether they are taken where it holds.
static SmallVector<std::tuple<OpOperand *, Value, bool>>
getChoices(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (isOfPositions(select.getCondition()))
      return {{&select.getTrueValueMutable(), select.getCondition(), true},
              {&select.getFalseValueMutable(), select.getCondition(), false}};
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    if (load.getMask() && load.getOther() && isOfPositions(load.getMask()))
      return {{&*load.getOtherMutable().begin(), load.getMask(), false}};
  }
  return {};
}

/// What not computing `op` saves. The addresses of a load under a mask may
/// belong to no memory, from which processors take long to recover even where
/// no lane is active.
static int64_t getInstructions(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  return load && load.getMask() ? kMinInstructions : getVectorInstructions(*op);
}

SelectArms::SelectArms(
    KernelOp kernel,
    llvm::function_ref<bool(Operation *, Operation *)> isTogether) {
  // A choice and the number of its operand; none for what is always computed.
  using Place = std::pair<Operation *, unsigned>;
  DenseMap<Operation *, Place> places;
  // The arms around an op, from the innermost to the outermost.
  auto getAround = [&](Place place) {
    SmallVector<Place> around;
    for (; place.first; place = places.lookup(place.first))
      around.push_back(place);
    return around;
  };
  for (Operation &op : llvm::reverse(*kernel.getBlock())) {
    if (!canStay(&op) || op.use_empty())
      continue;
    std::optional<SmallVector<Place>> common;
    for (OpOperand &use : op.getUses()) {
      Operation *user = use.getOwner();
      SmallVector<Place> around;
      if (isTogether(&op, user)) {
        bool isChosen = llvm::any_of(getChoices(user), [&](const auto &choice) {
          return std::get<0>(choice) == &use;
        });
        around = getAround(isChosen ? Place{user, use.getOperandNumber()}
                                    : places.lookup(user));
      }
      if (!common)
        common = around;
      else
        llvm::erase_if(*common, [&](Place each) {
          return !llvm::is_contained(around, each);
        });
    }
    if (!common->empty())
      places[&op] = common->front();
  }

  DenseMap<Operation *, llvm::SmallDenseMap<unsigned, SmallVector<Operation *>>>
      lists;
  for (Operation &op : *kernel.getBlock())
    if (Place place = places.lookup(&op); place.first)
      lists[place.first][place.second].push_back(&op);
  // An arm that is not worth a branch goes to the one around it, which comes
  // later in the kernel.
  for (Operation &op : *kernel.getBlock()) {
    for (auto [operand, condition, isTrue] : getChoices(&op)) {
      SmallVector<Operation *> ops =
          std::move(lists[&op][operand->getOperandNumber()]);
      int64_t cost = 0;
      for (Operation *each : ops) {
        cost += getInstructions(each);
        for (const SelectArm &inner : get(each))
          for (Operation *more : inner.ops)
            cost += getInstructions(more);
      }
      if (cost >= kMinInstructions) {
        for (Operation *each : ops)
          armOf[each] = {&op, operand->getOperandNumber()};
        arms[&op].push_back({condition, operand->get(), isTrue, ops});
        continue;
      }
      Place around = places.lookup(&op);
      if (!around.first || ops.empty())
        continue;
      SmallVector<Operation *> &list = lists[around.first][around.second];
      llvm::append_range(list, ops);
      llvm::sort(list, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
    }
  }
}
