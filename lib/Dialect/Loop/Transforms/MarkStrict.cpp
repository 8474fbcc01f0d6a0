//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-mark-strict`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "coil/Dialect/Loop/Analysis/Precision.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPMARKSTRICTPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;

namespace {

/// Lines of a file, or all of it.
struct Place {
  StringRef file;
  unsigned first = 0, last = UINT_MAX;
};

struct LoopMarkStrictPass
    : coil::loop::impl::LoopMarkStrictPassBase<LoopMarkStrictPass> {
  using LoopMarkStrictPassBase::LoopMarkStrictPassBase;
  void runOnOperation() override;

private:
  LogicalResult parsePlaces();
  bool isStrict(Operation *op);

  SmallVector<Place> parsed;
};

} // namespace

LogicalResult LoopMarkStrictPass::parsePlaces() {
  SmallVector<StringRef> texts;
  StringRef(places).split(texts, '+', -1, /*KeepEmpty=*/false);
  for (StringRef text : texts) {
    Place &place = parsed.emplace_back();
    auto [file, lines] = text.rsplit(':');
    place.file = file;
    if (lines.empty())
      continue;
    auto [first, last] = lines.split('-');
    if (first.getAsInteger(10, place.first) ||
        (last.empty() ? lines : last).getAsInteger(10, place.last) ||
        file.empty() || place.first > place.last)
      return getOperation().emitError()
             << "'" << text
             << "' is no place of strict lines: expected a file, file:line or "
                "file:first-last, or '*'";
  }
  return success();
}

/// Whether a location says that what is there is strict.
static bool isMarked(Location location) {
  return location
      ->walk([](Location inner) {
        auto fused = dyn_cast<FusedLoc>(inner);
        auto mark = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata())
                          : StringAttr();
        return mark && mark == kStrictAttrName ? WalkResult::interrupt()
                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

bool LoopMarkStrictPass::isStrict(Operation *op) {
  if (op->hasAttr(kStrictAttrName) || isMarked(op->getLoc()))
    return true;
  auto matches = [&](FileLineColLoc at) {
    return llvm::any_of(parsed, [&](const Place &place) {
      StringRef file = at.getFilename().getValue();
      // The end of a path, from a folder on.
      bool isFile = file == place.file ||
                    (file.consume_back(place.file) && file.ends_with("/"));
      return isFile && at.getLine() >= place.first &&
             at.getLine() <= place.last;
    });
  };
  return llvm::any_of(parsed,
                      [](const Place &place) { return place.file == "*"; }) ||
         op->getLoc()
             ->walk([&](Location inner) {
               auto at = dyn_cast<FileLineColLoc>(inner);
               return at && matches(at) ? WalkResult::interrupt()
                                        : WalkResult::advance();
             })
             .wasInterrupted();
}

void LoopMarkStrictPass::runOnOperation() {
  if (failed(parsePlaces()))
    return signalPassFailure();
  Builder b(&getContext());
  getOperation()->walk([&](Operation *op) {
    bool isScalar =
        isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
        op->getParentOfType<KernelOp>();
    if ((!isScalar && op->getDialect()->getNamespace() != "graph") ||
        llvm::none_of(op->getResultTypes(),
                      [](Type type) {
                        return isa<FloatType>(getElementTypeOrSelf(type));
                      }) ||
        !isStrict(op))
      return;
    op->setAttr(kStrictAttrName, b.getUnitAttr());
    // What it becomes has its location.
    if (!isMarked(op->getLoc()))
      op->setLoc(FusedLoc::get(&getContext(), {op->getLoc()},
                               b.getStringAttr(kStrictAttrName)));
    ++numMarked;
  });
}
