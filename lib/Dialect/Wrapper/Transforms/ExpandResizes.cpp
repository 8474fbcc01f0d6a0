//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes allocations and copies of resized storage.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/Builders.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPEREXPANDRESIZESPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {
struct WrapperExpandResizes
    : coil::wrapper::impl::WrapperExpandResizesPassBase<WrapperExpandResizes> {
  void runOnOperation() override;
};
} // namespace

static void expand(ResizeStorageOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  MLIRContext *ctx = op.getContext();
  auto from = cast<BufferType>(op.getSource().getType()),
       to = cast<BufferType>(op.getType());
  Value alloc = AllocOp::create(b, loc, to);
  ExprAttr count = sym::min(sym::product(ctx, from.getSizes().getDims()),
                            sym::product(ctx, to.getSizes().getDims()));
  if (!count.isConstant(0)) {
    auto prefix =
        BufferType::get(ctx, sym::ShapeAttr::get(ctx, {count}),
                        sym::ShapeAttr::get(ctx, {sym::constant(ctx, 1)}),
                        to.getElementType(), to.getDevice());
    auto view = [&](Value v) -> Value {
      if (v.getType() == prefix)
        return v;
      return ReinterpretOp::create(b, loc, prefix, v, sym::constant(ctx, 0));
    };
    Value source = view(op.getSource()), target = view(alloc);
    CopyOp::create(b, loc, source, target);
  }
  op.replaceAllUsesWith(alloc);
  op.erase();
}

void WrapperExpandResizes::runOnOperation() {
  FuncOp fn = getOperation();
  SmallVector<ResizeStorageOp> ops;
  fn.walk([&](ResizeStorageOp op) {
    if (!getCallersArgument(op.getSource()))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  if (fn->hasAttr(kMemoryAttrName)) { // (C1)
    emitError(fn.getLoc()) << "memory of function '" << fn.getName()
                           << "' is planned already";
    return signalPassFailure();
  }
  for (ResizeStorageOp op : ops)
    expand(op);
}
