//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random words of a GPU kernel. Four words cost as much as one, some sixty
// instructions, so the lanes of a vector share them where index expressions
// show that they are of one group.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Conversion/Utils/Philox.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

void GPUKernelEmitter::emitRandom(PhiloxOp op) {
  Copies copies = makeCopies(op.getResult());
  bool isVectorOp = form.isVector(op.getResult());
  auto index = op.getWord().getDefiningOp<IndexOp>();
  // The counter is a number that all lanes share, or that and an index.
  IndexOp counterIndex;
  if (auto add = op.getCounter().getDefiningOp<arith::AddIOp>())
    for (auto [x, y] : {std::pair(add.getLhs(), add.getRhs()),
                        std::pair(add.getRhs(), add.getLhs())})
      if (auto found = x.getDefiningOp<IndexOp>(); found && !form.isVector(y))
        counterIndex = found;
  bool sharesCounter = !form.isVector(op.getCounter()) || counterIndex;
  auto atLane = [&](ExprAttr e, int64_t lane) {
    ExprAttr number = sym::constant(e.getContext(), lane);
    return form.getContext().simplify(
        sym::substitute(form.atPoint(e), [&](ExprAttr leaf) -> ExprAttr {
          return leaf == form.getLane() ? number : ExprAttr();
        }));
  };
  forEachCopy(copies.overP, copies.overR, [&](unsigned ip, unsigned ir) {
    Value key = extract(lookup(op.getKey(), ip, ir), 0);
    Value counter = lookup(op.getCounter(), ip, ir);
    Value word = lookup(op.getWord(), ip, ir);
    DenseMap<std::pair<ExprAttr, ExprAttr>, std::array<Value, 4>> groups;
    auto draw = [&](int64_t lane) -> Value {
      Value number = extract(word, lane);
      auto make = [&] {
        Value stream = arith::ShRUIOp::create(
            b, number, arith::ConstantIntOp::create(b, number.getType(), 2));
        return emitPhilox(b, key, extract(counter, lane), stream);
      };
      if (!index || !sharesCounter)
        return selectWord(b, make(), number);
      MLIRContext *ctx = op.getContext();
      ExprAttr four = sym::constant(ctx, 4);
      ExprAttr group = atLane(sym::floorDiv(index.getExpr(), four), lane);
      ExprAttr place =
          counterIndex ? atLane(counterIndex.getExpr(), lane) : four;
      auto [it, isNew] = groups.try_emplace({group, place});
      if (isNew)
        it->second = make();
      ExprAttr part = atLane(sym::mod(index.getExpr(), four), lane);
      if (std::optional<int64_t> known = part.getConstant())
        return it->second[static_cast<size_t>(*known)];
      return selectWord(b, it->second, number);
    };
    SmallVector<Value> lanes;
    for (int64_t lane = 0; lane < (isVectorOp ? width : 1); ++lane)
      lanes.push_back(draw(lane));
    copies.values.push_back(isVectorOp ? fromLanes(lanes) : lanes.front());
  });
  values[op.getResult()] = std::move(copies);
}
