//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `convert-linalg-to-loop`.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/LinalgToLoop/LinalgToLoop.h"

#include "Lowering.h"
#include "coil/Dialect/Graph/IR/Uninitialized.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace coil {
#define GEN_PASS_DEF_CONVERTLINALGTOLOOPPASS
#include "coil/Conversion/BridgePasses.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using sym::ExprAttr;

/// Whether the conversion has something to do: an operation of another tensor
/// program than ours.
static bool isForeign(Operation *op) {
  if (isa_and_present<linalg::LinalgDialect, tensor::TensorDialect>(
          op->getDialect()))
    return true;
  return isa_and_present<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         !isa<arith::ConstantOp>(op) &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

/// Whether nothing of an operation's dialect is left behind.
static bool isConverted(Operation *op) {
  return isa_and_present<affine::AffineDialect, arith::ArithDialect,
                         cf::ControlFlowDialect, linalg::LinalgDialect,
                         math::MathDialect, scf::SCFDialect,
                         tensor::TensorDialect>(op->getDialect()) &&
         !isa<arith::ConstantOp>(op);
}

/// What a tensor holds that nobody writes to is open.
static void convertEmpty(tensor::EmptyOp op, IRRewriter &rewriter,
                         Failures &failures) {
  if (op->use_empty())
    return;
  RankedTensorType type = op.getType();
  SmallVector<ExprAttr> dims = sym::getSizes(type), at;
  if (llvm::is_contained(dims, ExprAttr()) ||
      !isElementType(type.getElementType())) {
    (void)failures.report(op, "its type has none");
    return;
  }
  for (unsigned d = 0; d < dims.size(); ++d)
    at.push_back(sym::dim(op.getContext(), d));
  rewriter.setInsertionPoint(op);
  KernelWriter k(rewriter, op, "empty", dims, type, failures);
  k.store(k.constant(
              rewriter.getZeroAttr(loop::getScalarType(type.getElementType()))),
          0, at);
  k.kernel->setDiscardableAttr(kUninitializedAttrName, rewriter.getUnitAttr());
  rewriter.replaceOp(op, k.kernel);
}

/// A check of sizes is one that the host program makes.
static void convertAssert(cf::AssertOp op, IRRewriter &rewriter) {
  if (matchPattern(op.getArg(), m_One())) {
    rewriter.eraseOp(op);
    return;
  }
  auto compare = op.getArg().getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return;
  ExprAttr lhs = getExpr(compare.getLhs(), op),
           rhs = getExpr(compare.getRhs(), op);
  if (!lhs || !rhs)
    return;
  sym::Predicate predicate;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
    predicate = sym::Predicate::Eq;
    break;
  case arith::CmpIPredicate::ne:
    predicate = sym::Predicate::Ne;
    break;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sge:
    std::swap(lhs, rhs);
    predicate = compare.getPredicate() == arith::CmpIPredicate::sgt
                    ? sym::Predicate::Lt
                    : sym::Predicate::Le;
    break;
  case arith::CmpIPredicate::slt:
    predicate = sym::Predicate::Lt;
    break;
  case arith::CmpIPredicate::sle:
    predicate = sym::Predicate::Le;
    break;
  default:
    return;
  }
  rewriter.setInsertionPoint(op);
  sym::AssertOp::create(rewriter, op.getLoc(), lhs, predicate, rhs,
                        op.getMsgAttr());
  rewriter.eraseOp(op);
}

namespace {
struct ConvertLinalgToLoop
    : coil::impl::ConvertLinalgToLoopPassBase<ConvertLinalgToLoop> {
  void runOnOperation() override;
};
} // namespace

/// Converts all that has a form; `failures` has what has none.
static void convert(func::FuncOp fn, Failures &failures) {
  RewritePatternSet patterns(fn.getContext());
  populateArgReductionToLoopPatterns(patterns, failures);
  populateElementwiseToLoopPatterns(patterns, failures);
  populateStructuredToLoopPatterns(patterns, failures);
  populateTensorDataToLoopPatterns(patterns, failures);
  populateTensorViewToLoopPatterns(patterns, failures);
  // Types do not change, so one walk converts each op where it stands.
  walkAndApplyPatterns(fn, std::move(patterns));
  if (failures.any())
    return;
  // No device has divisions that round toward either infinity.
  RewritePatternSet divisions(fn.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(divisions);
  walkAndApplyPatterns(fn, std::move(divisions));
  IRRewriter rewriter(fn.getContext());
  for (Block &block : fn.getBody()) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto empty = dyn_cast<tensor::EmptyOp>(op))
        convertEmpty(empty, rewriter, failures);
      else if (auto check = dyn_cast<cf::AssertOp>(op))
        convertAssert(check, rewriter);
    }
    // Index arithmetic has become expressions, scalars are in kernels.
    fn.walk([&](loop::KernelOp kernel) {
      for (Operation &op :
           llvm::make_early_inc_range(llvm::reverse(*kernel.getBlock())))
        if (isOpTriviallyDead(&op))
          rewriter.eraseOp(&op);
    });
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op) || (isa<loop::KernelOp>(op) && op.use_empty()))
        rewriter.eraseOp(&op);
    // Scalars that are left are for one of these, which is what to name.
    auto isScalar = [](Operation &op) {
      return llvm::none_of(llvm::concat<const Type>(op.getOperandTypes(),
                                                    op.getResultTypes()),
                           llvm::IsaPred<RankedTensorType>) ||
             isa<tensor::ExtractOp>(op);
    };
    for (bool scalars : {false, true})
      for (Operation &op : block)
        if (isConverted(&op) && isScalar(op) == scalars && !failures.any())
          (void)failures.report(&op, "no conversion of it is known");
  }
}

void ConvertLinalgToLoop::runOnOperation() {
  func::FuncOp fn = getOperation();
  bool hasForeign = fn->walk([](Operation *op) {
                        return isForeign(op) ? WalkResult::interrupt()
                                             : WalkResult::advance();
                      }).wasInterrupted();
  if (!hasForeign)
    return;
  // Nothing is half converted: where something has no form, all stays.
  OwningOpRef<func::FuncOp> copy = fn.clone();
  Failures failures;
  convert(*copy, failures);
  if (failures.any())
    return signalPassFailure();
  fn.getBody().takeBody(copy->getBody());
}
