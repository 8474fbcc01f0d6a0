//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pads matrices whose rows begin anywhere, for libraries that want whole
// vectors.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"
#include "coil/Dialect/Loop/Analysis/VectorCost.h"
#include "coil/Dialect/Target/IR/Target.h"
#include "coil/Support/Libraries.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

#define DEBUG_TYPE "graph-align-matmuls"

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHALIGNMATMULSPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// Bytes of a vector of the library's loads and stores.
static constexpr int64_t kVector = 16;

/// Bytes that memory moves in the time of one operation of matrix units, on an
/// H200: 4.2 TB/s, and 700 TFLOP/s of cuBLAS for large matrices of 16 bits. An
/// A100 (1.5 TB/s, 250) and an RTX 4090 (0.9, 165) have the same ratio.
static constexpr double kBytesPerOperation = 4.2 / 700;

/// Operations of f32 that are rounded to TF32 take twice as long (there, too).
static constexpr double kWideFactor = 2;

/// How much longer cuBLAS takes where rows are known to begin only at multiples
/// of 2, or of 4 or 8 bytes (benchmarks/results/gpu-gemm.md).
static double getSlowdown(int64_t alignment) {
  return alignment <= 2 ? 5.5 : 2.5;
}

/// What a copy has to save at least, in its own time: estimates are no closer.
static constexpr double kWorth = 1.5;

namespace {

/// A factor as it lies in memory.
struct Factor {
  Value stored;
  /// Whether the last two dimensions are swapped for the multiplication.
  bool isTransposed = false;

  explicit Factor(Value v) : stored(v) {
    auto permute = v.getDefiningOp<PermuteOp>();
    if (!permute)
      return;
    ArrayRef<int64_t> order = permute.getPermutation();
    size_t rank = order.size();
    for (size_t d = 0; d + 2 < rank; ++d)
      if (order[d] != static_cast<int64_t>(d))
        return;
    if (order[rank - 1] != static_cast<int64_t>(rank) - 2)
      return;
    stored = permute.getInput();
    isTransposed = true;
  }
};

struct GraphAlignMatmuls
    : graph::impl::GraphAlignMatmulsPassBase<GraphAlignMatmuls> {
  using GraphAlignMatmulsPassBase::GraphAlignMatmulsPassBase;

  void runOnOperation() override {
    auto target = target::getProgramTarget(getOperation());
    std::optional<int64_t> bandwidth =
        target ? target.getFact("bandwidth") : std::nullopt;
    if (!hasLibrary(library, "cublaslt") || !bandwidth)
      return;
    launch = loop::kLaunchSeconds * static_cast<double>(*bandwidth);
    getOperation()->walk([&](MatmulOp op) { align(op); });
  }

private:
  void align(MatmulOp op);

  /// Bytes that a copy of a tensor moves, and those of its launch.
  double getCopyBytes(Value v) const {
    return launch + 2 * static_cast<double>(*countBytes(v));
  }

  static std::optional<int64_t> countBytes(Value v) {
    int64_t bytes = graph::getElementType(v).getIntOrFloatBitWidth() / 8;
    for (ExprAttr size : getSizes(v)) {
      std::optional<int64_t> constant = size.getConstant();
      if (!constant || llvm::MulOverflow(bytes, *constant, bytes))
        return std::nullopt;
    }
    return bytes;
  }

  /// Bytes that it takes to pad a factor: none where the kernel that computes
  /// it writes it so.
  double getPaddingBytes(const Factor &factor) const {
    Operation *op = factor.stored.getDefiningOp();
    return isa_and_present<ElementwiseOpInterface>(op) && op->hasOneUse()
               ? 0
               : getCopyBytes(factor.stored);
  }

  /// Whether somebody wants `v`, or a view of it, without gaps.
  static bool wantsRows(Value v) {
    return llvm::any_of(v.getUsers(), [](Operation *user) {
      return isa<func::ReturnOp>(user) ||
             (isa<ReshapeOp, PermuteOp>(user) && wantsRows(user->getResult(0)));
    });
  }

  double launch = 0;
};

} // namespace

void GraphAlignMatmuls::align(MatmulOp op) {
  Type type = graph::getElementType(op.getLhs());
  bool isWide = type.isF32() && op.getTf32();
  if (!type.isF16() && !type.isBF16() && !isWide)
    return;
  // (C1)
  if (!countBytes(op.getLhs()) || !countBytes(op.getRhs()) ||
      !countBytes(op.getResult()))
    return;
  Sizes lhsSizes = getSizes(op.getLhs()), sizes = getSizes(op.getResult());
  size_t rank = sizes.size();
  int64_t m = *sizes[rank - 2].getConstant(),
          n = *sizes[rank - 1].getConstant(),
          k = *lhsSizes[rank - 1].getConstant();
  if (m == 0 || n == 0 || k == 0)
    return;
  Factor lhs(op.getLhs()), rhs(op.getRhs());
  int64_t bytes = type.getIntOrFloatBitWidth() / 8, vector = kVector / bytes;
  int64_t alignment = kVector;
  auto getMissing = [&](int64_t size, bool isRow) -> int64_t {
    if (!isRow || size == 1 || size % vector == 0)
      return 0;
    alignment = std::min(alignment, std::gcd(size * bytes, kVector));
    return vector - size % vector;
  };
  int64_t moreM = getMissing(m, lhs.isTransposed),
          moreK = getMissing(k, !lhs.isTransposed || rhs.isTransposed),
          moreN = getMissing(n, true);
  if (alignment == kVector)
    return;
  double operations = 2.0 * static_cast<double>(k);
  for (ExprAttr size : sizes)
    operations *= static_cast<double>(*size.getConstant());
  double saved = operations * kBytesPerOperation * (isWide ? kWideFactor : 1) *
                 (getSlowdown(alignment) - 1);
  double cost = 0;
  if (moreM || moreK)
    cost += getPaddingBytes(lhs);
  if (moreN || moreK)
    cost += getPaddingBytes(rhs);
  if (moreN && op.getBias())
    cost += launch;
  if (moreN && wantsRows(op.getResult()))
    cost += getCopyBytes(op.getResult());
  // (C2)
  if (saved < cost * kWorth)
    return;

  OpBuilder builder(op);
  TensorBuilder b(builder, op.getLoc());
  auto pad = [&](const Factor &factor, int64_t moreRows, int64_t moreColumns) {
    SmallVector<int64_t> low(rank), high(rank);
    high[rank - 2] = factor.isTransposed ? moreColumns : moreRows;
    high[rank - 1] = factor.isTransposed ? moreRows : moreColumns;
    Value v = factor.stored;
    if (moreRows || moreColumns)
      v = b.pad(v, low, high, builder.getFloatAttr(type, 0));
    return factor.isTransposed ? b.transpose(v, static_cast<int64_t>(rank) - 2,
                                             static_cast<int64_t>(rank) - 1)
                               : v;
  };
  Value bias = op.getBias();
  if (bias && moreN)
    bias = b.pad(bias, {0}, {moreN},
                 builder.getFloatAttr(graph::getElementType(bias), 0));
  Sizes padded = sizes;
  padded[rank - 2] = b.size(m + moreM);
  padded[rank - 1] = b.size(n + moreN);
  auto product = MatmulOp::create(
      builder, op.getLoc(),
      sym::getTensorType(padded, op.getType().getElementType()),
      pad(lhs, moreM, moreK), pad(rhs, moreK, moreN), bias, op.getTf32());
  Value result = product;
  if (moreM)
    result = b.slice(result, static_cast<int64_t>(rank) - 2, b.size(0),
                     sizes[rank - 2]);
  if (moreN)
    result = b.slice(result, static_cast<int64_t>(rank) - 1, b.size(0),
                     sizes[rank - 1]);
  remark::passed(op.getLoc(), remark::RemarkOpts::name("Aligned")
                                  .category(DEBUG_TYPE)
                                  .function(getOperation().getName()))
      << remark::add("a matrix multiplication of {0} by {1} by {2} is one of "
                     "{3} by {4} by {5}, whose rows are whole vectors",
                     m, n, k, m + moreM, n + moreN, k + moreK);
  op.replaceAllUsesWith(result);
  op.erase();
}
