//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts ops of a host program into a region that runs where it is.
//
//===----------------------------------------------------------------------===//

#include "InPlaceRegion.h"

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "llvm/ADT/SetVector.h"

#include <functional>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

void wrapper::wrapInPlace(
    Operation *first, Operation *last,
    llvm::function_ref<Operation *(OpBuilder &, TypeRange)> create) {
  Block *block = first->getBlock();
  llvm::SetVector<Operation *> inside;
  for (Operation *op = first; op != last; op = op->getNextNode())
    inside.insert(op);
  inside.insert(last);
  SmallVector<OpOperand *> outside;
  for (Operation *op : inside)
    for (OpOperand &use : op->getUses())
      if (!inside.contains(block->findAncestorOpInBlock(*use.getOwner())))
        outside.push_back(&use);
  auto getView = [&](Value v) {
    auto view = v.getDefiningOp<ReinterpretOp>();
    return view && inside.contains(view) ? view : ReinterpretOp();
  };
  llvm::SetVector<Value> yielded;
  for (OpOperand *use : outside) {
    Value v = use->get();
    while (ReinterpretOp view = getView(v))
      v = view.getSource();
    if (v.getDefiningOp() && inside.contains(v.getDefiningOp()))
      yielded.insert(v);
  }

  OpBuilder b(block->getParentOp()->getContext());
  b.setInsertionPointAfter(last);
  SmallVector<Type> types;
  for (Value v : yielded)
    types.push_back(v.getType());
  Operation *region = create(b, types);
  Block &body = region->getRegion(0).emplaceBlock();
  for (Operation *op : inside)
    op->moveBefore(&body, body.end());
  b.setInsertionPointToEnd(&body);
  YieldOp::create(b, last->getLoc(), yielded.getArrayRef());
  b.setInsertionPointAfter(region);
  llvm::DenseMap<Value, Value> remade;
  std::function<Value(Value)> remake = [&](Value v) -> Value {
    auto *it = llvm::find(yielded, v);
    if (it != yielded.end())
      return region->getResult(static_cast<unsigned>(it - yielded.begin()));
    ReinterpretOp view = getView(v);
    if (!view)
      return v;
    Value &again = remade[v];
    if (!again) {
      Value source = remake(view.getSource());
      Value made = ReinterpretOp::create(b, view.getLoc(), view.getType(),
                                         source, view.getOffset());
      return remade[v] = made;
    }
    return again;
  };
  for (OpOperand *use : outside)
    use->set(remake(use->get()));
}
