//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes allocations and fills of workspaces.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPEREXPANDWORKSPACESPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {
struct WrapperExpandWorkspaces
    : coil::wrapper::impl::WrapperExpandWorkspacesPassBase<
          WrapperExpandWorkspaces> {
  void runOnOperation() override;

private:
  LogicalResult share(ArrayRef<WorkspaceOp> ops);
};
} // namespace

/// An allocation, filled with zeros or not.
static Value allocate(OpBuilder &b, WorkspaceOp op, bool isZero) {
  auto alloc = AllocOp::create(b, op.getLoc(), op.getType());
  alloc->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  if (isZero)
    FillOp::create(b, op.getLoc(), alloc, 0);
  return alloc;
}

/// One allocation for all workspaces of a name.
LogicalResult WrapperExpandWorkspaces::share(ArrayRef<WorkspaceOp> ops) {
  WorkspaceOp first = ops.front();
  for (WorkspaceOp other : ops)
    if (other.getType() != first.getType()) { // (C1)
      InFlightDiagnostic diag = other.emitOpError()
                                << "'" << *other.getName() << "' has the type "
                                << other.getType() << " here";
      diag.attachNote(first.getLoc()) << "and " << first.getType() << " here";
      return diag;
    }
  Block &body = getOperation().getBody().front();
  Operation *place = body.findAncestorOpInBlock(*first);
  // Symbols that ops in front of the place bind are known there.
  llvm::StringSet<> known;
  for (Operation &op : body) {
    if (&op == place)
      break;
    for (StringRef name : getBoundSymbols(&op))
      known.insert(name);
  }
  std::string unknown;
  AttrTypeWalker walker;
  walker.addWalk([&](sym::ExprAttr e) {
    if (e.isSymbol() && !known.contains(e.getName()))
      unknown = e.getName().str();
  });
  walker.walk(first.getType());
  if (!unknown.empty()) // (C2)
    return first.emitOpError()
           << "'" << *first.getName() << "' is shared, but its size mentions '"
           << unknown << "', which a region binds";
  OpBuilder b(place);
  Value memory = allocate(b, first, /*isZero=*/true);
  for (WorkspaceOp op : ops) {
    op.replaceAllUsesWith(memory);
    op.erase();
  }
  return success();
}

void WrapperExpandWorkspaces::runOnOperation() {
  FuncOp fn = getOperation();
  SmallVector<WorkspaceOp> single;
  llvm::MapVector<StringAttr, SmallVector<WorkspaceOp>> shared;
  fn.walk<WalkOrder::PreOrder>([&](WorkspaceOp op) {
    if (StringAttr name = op.getNameAttr())
      shared[name].push_back(op);
    else
      single.push_back(op);
  });
  if (single.empty() && shared.empty())
    return;
  if (fn->hasAttr(kMemoryAttrName)) { // (C3)
    emitError(fn.getLoc()) << "memory of function '" << fn.getName()
                           << "' is planned already";
    return signalPassFailure();
  }
  for (WorkspaceOp op : single) {
    OpBuilder b(op);
    op.replaceAllUsesWith(allocate(b, op, op.getZero() == ZeroMode::OnCall));
    op.erase();
  }
  for (auto &[name, ops] : shared)
    if (failed(share(ops)))
      return signalPassFailure();
}
