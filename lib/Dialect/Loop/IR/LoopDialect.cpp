//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `loop` dialect: registration, attributes and enums.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/IR/RowOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace coil::loop;

#include "coil/Dialect/Loop/IR/LoopDialect.cpp.inc"
#include "coil/Dialect/Loop/IR/LoopEnums.cpp.inc"
#include "coil/Dialect/Loop/IR/LoopInterfaces.cpp.inc"
#include "coil/Dialect/Loop/IR/LoopOpInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "coil/Dialect/Loop/IR/LoopAttributes.cpp.inc"

void LoopDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "coil/Dialect/Loop/IR/LoopAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "coil/Dialect/Loop/IR/LoopOps.cpp.inc"
      >();
  addOperations<SegmentSumOp>();
}

/// Checks that `value` is from `low` to `high`.
static LogicalResult verifyBetween(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef what, int64_t value, int64_t low,
                                   int64_t high) {
  if (value >= low && value <= high)
    return success();
  return emitError() << what << " is " << value << ", expected " << low
                     << " to " << high;
}

/// What belongs to the strategy `box` alone; `isPlain`: what has to be one is.
static LogicalResult
verifyBox(llvm::function_ref<InFlightDiagnostic()> emitError, bool isPlain,
          int64_t vectorDim, int64_t threads, DenseI64ArrayAttr dims,
          DenseI64ArrayAttr box) { // (C15)
  llvm::SmallDenseSet<int64_t> seen;
  bool isValid = isPlain && !dims.empty() && dims.size() == box.size() &&
                 dims[0] == vectorDim && threads % 32 == 0;
  for (int64_t d : dims.asArrayRef())
    isValid &= d >= 0 && seen.insert(d).second;
  if (!isValid)
    return emitError() << "strategy 'box' needs different dimensions from "
                          "'vector_dim' on, a size for each, whole warps along "
                          "'p' and one of everything else";
  int64_t left = GPUScheduleAttr::kMaxBoxItems * threads;
  for (int64_t size : box.asArrayRef()) {
    if (size <= 0 || size > left)
      return emitError() << "strategy 'box' with " << threads
                         << " threads has 1 to "
                         << GPUScheduleAttr::kMaxBoxItems * threads
                         << " points but 'box' is " << box;
    left /= size;
  }
  return success();
}

LogicalResult GPUScheduleAttr::verify(
    llvm::function_ref<InFlightDiagnostic()> emitError, GPUStrategy strategy,
    int64_t vectorDim, int64_t vectorWidth, int64_t transposeDim,
    int64_t threadsP, int64_t threadsR, int64_t itemsP, int64_t itemsR,
    bool persistent, int64_t minBlocks, int64_t indexBits, int64_t owners,
    bool splitR, int64_t alignTo, bool prefetch, bool descending,
    int64_t stages, int64_t blocks, MmaAttr mma, DenseI64ArrayAttr boxDims,
    DenseI64ArrayAttr box, int64_t cluster) {
  bool isBox = strategy == GPUStrategy::Box;
  for (auto [name, value] :
       {std::pair("vector_width", vectorWidth),
        std::pair("threads_p", isBox && threadsP > 0 ? 1 : threadsP),
        std::pair("threads_r", threadsR), std::pair("items_p", itemsP)}) // (C1)
    if (value <= 0 || !llvm::isPowerOf2_64(static_cast<uint64_t>(value)))
      return emitError() << "'" << name
                         << "' must be a positive power of two but is "
                         << value;
  if (itemsR <= 0) // (C1)
    return emitError() << "'items_r' must be positive but is " << itemsR;
  if (threadsP > 1024 || threadsR > 1024 / threadsP) // (C2)
    return emitError() << "a block has at most 1024 threads but 'threads_p' "
                          "and 'threads_r' are "
                       << threadsP << " and " << threadsR;
  if (isBox != bool(boxDims) || isBox != bool(box)) // (C15)
    return emitError() << "strategy '" << stringifyGPUStrategy(strategy)
                       << (isBox ? "' needs" : "' has no")
                       << " parameters 'box_dims' and 'box'";
  bool isPlain =
      vectorWidth == 1 && threadsR == 1 && itemsP == 1 && itemsR == 1;
  if (isBox &&
      failed(verifyBox(emitError, isPlain, vectorDim, threadsP, boxDims, box)))
    return failure();
  if (vectorDim < 0 && vectorWidth != 1) // (C3)
    return emitError() << "'vector_width' is " << vectorWidth
                       << " but there is no vector dimension";
  if ((indexBits != 32 && indexBits != 64) || minBlocks < 0) // (C4)
    return emitError() << "expected 'index_bits' of 32 or 64 and 'min_blocks' "
                          "of at least 0 but got "
                       << indexBits << " and " << minBlocks;
  bool isTranspose = strategy == GPUStrategy::Transpose;
  if (isTranspose
          ? vectorDim < 0 || transposeDim < 0 || vectorDim == transposeDim
          : transposeDim >= 0) // (C5)
    return emitError() << "strategy '" << stringifyGPUStrategy(strategy)
                       << "' does not go with 'vector_dim' " << vectorDim
                       << " and 'transpose_dim' " << transposeDim;
  if (isTranspose &&
      !llvm::isPowerOf2_64(static_cast<uint64_t>(itemsR))) // (C6)
    return emitError() << "strategy 'transpose' needs a power of two as "
                          "'items_r' but got "
                       << itemsR;
  if (owners < 0 ||
      (owners > 0 &&
       (!llvm::isPowerOf2_64(static_cast<uint64_t>(owners)) || isTranspose ||
        threadsR != 1 || itemsR != 1 || persistent))) // (C7)
    return emitError() << "'owners' is " << owners
                       << ", expected 0 or a power of two with one thread and "
                          "item along 'r'";
  bool isScan = strategy == GPUStrategy::Scan;
  if ((isScan && itemsP != 1) || (splitR && (!isScan || !persistent))) // (C8)
    return emitError() << "strategy '" << stringifyGPUStrategy(strategy)
                       << "' does not go with 'items_p' " << itemsP
                       << " and 'split_r' " << (splitR ? "true" : "false");
  if ((strategy == GPUStrategy::Mma) != bool(mma)) // (C9)
    return emitError() << "strategy '" << stringifyGPUStrategy(strategy)
                       << (mma ? "' has no" : "' needs a")
                       << " parameter 'mma'";
  if (mma && (threadsP != mma.getNumWarps() * 32 || threadsR != 1 ||
              itemsR != 1)) // (C9)
    return emitError() << "strategy 'mma' with " << mma.getNumWarps()
                       << " warps needs 'threads_p' of "
                       << mma.getNumWarps() * 32
                       << " and nothing along 'r' but got " << threadsP << ", "
                       << threadsR << " and " << itemsR;
  if (mma && vectorWidth > mma.getN()) // (C9)
    return emitError() << "strategy 'mma' has vectors of " << vectorWidth
                       << ", longer than its tile of " << mma.getN()
                       << " results";
  if (alignTo >= 0 && (strategy != GPUStrategy::Tile || vectorWidth == 1 ||
                       itemsP != 1)) // (C10)
    return emitError()
           << "'align_to' goes with a vector and one item along 'p' "
              "of the strategy 'tile'";
  if (prefetch && (strategy != GPUStrategy::Tile || owners > 0)) // (C11)
    return emitError()
           << "'prefetch' goes with the strategy 'tile', without 'owners'";
  if (descending && strategy != GPUStrategy::Tile) // (C12)
    return emitError() << "'descending' goes with the strategy 'tile' but it "
                          "is '"
                       << stringifyGPUStrategy(strategy) << "'";
  if (stages != 0 &&
      (stages < 2 || !splitR || threadsP != 1 || threadsR % 32 != 0)) // (C13)
    return emitError() << "'stages' is " << stages
                       << ", expected 0, or at least 2 with 'split_r', one "
                          "thread along 'p' and whole warps along 'r'";
  if (stages > 0 ? blocks <= 0 : blocks != 0) // (C13)
    return emitError() << "'blocks' is " << blocks << ", expected "
                       << (stages > 0 ? "at least 1 with" : "0 without")
                       << " 'stages'";
  if (cluster != 1 && cluster != 2 && cluster != 4 && cluster != 8) // (C16)
    return emitError() << "'cluster' is " << cluster
                       << ", expected 1, 2, 4 or 8 blocks";
  if (cluster > 1 &&
      (strategy != GPUStrategy::Tile || !persistent || threadsP != 1 ||
       itemsP != 1 || threadsR % 32 != 0)) // (C16)
    return emitError() << "a 'cluster' of " << cluster
                       << " blocks goes with 'persistent' and the strategy "
                          "'tile', whole warps along 'r', and one thread and "
                          "one item along 'p'";
  constexpr int64_t maxPoints = 4096;
  int64_t left = maxPoints;
  for (int64_t count : {vectorWidth, itemsP, itemsR}) { // (C14)
    if (count > left)
      return emitError() << "a thread has at most " << maxPoints
                         << " points but 'vector_width', 'items_p' and "
                            "'items_r' are "
                         << vectorWidth << ", " << itemsP << " and " << itemsR;
    left /= count;
  }
  constexpr int64_t max = std::numeric_limits<int32_t>::max();
  return failure( // (C14)
      failed(verifyBetween(emitError, "min_blocks", minBlocks, 0, 32)) ||
      failed(verifyBetween(emitError, "stages", stages, 0, 64)) ||
      failed(verifyBetween(emitError, "owners", owners, 0, 1 << 20)) ||
      failed(verifyBetween(emitError, "blocks", blocks, 0, max)) ||
      failed(verifyBetween(emitError, "vector_dim", vectorDim, -1, max)) ||
      failed(
          verifyBetween(emitError, "transpose_dim", transposeDim, -1, max)) ||
      failed(verifyBetween(emitError, "align_to", alignTo, -1, max)));
}

LogicalResult
MmaAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                MmaInstruction instruction, int64_t m, int64_t n, int64_t k,
                int64_t warpsM, int64_t warpsN, int64_t warpsK, int64_t stages,
                bool, int64_t group) {
  constexpr int64_t max = 1 << 12;
  for (auto [name, value] :
       {std::pair("m", m), std::pair("n", n), std::pair("k", k),
        std::pair("warps_m", warpsM), std::pair("warps_n", warpsN),
        std::pair("warps_k", warpsK)}) // (C1)
    if (value <= 0 || value > max ||
        !llvm::isPowerOf2_64(static_cast<uint64_t>(value)))
      return emitError() << "'" << name
                         << "' must be a positive power of two up to " << max
                         << " but is " << value;
  if (group <= 0) // (C1)
    return emitError() << "'group' must be positive but is " << group;
  if (group > std::numeric_limits<int32_t>::max()) // (C1)
    return emitError() << "'group' is " << group << ", more than a grid has";
  if (stages < 2 || stages > 16) // (C2)
    return emitError() << "expected 2 to 16 stages but got " << stages;
  int64_t least[3] = {4, 8, 4};
  if (instruction == MmaInstruction::M16N8K16)
    std::fill_n(least, 3, 16);
  else if (instruction == MmaInstruction::M8N8K4)
    least[0] = 8;
  else if (instruction == MmaInstruction::M16N8K8) {
    least[0] = least[1] = 16;
    least[2] = 8;
  }
  if (m / warpsM < least[0] || n / warpsN < least[1] || k / warpsK < least[2])
    return emitError() << "a warp's part of the tile is " << m / warpsM << " x "
                       << n / warpsN << " x " << k / warpsK
                       << ", less than instruction '"
                       << stringifyMmaInstruction(instruction)
                       << "' multiplies"; // (C3)
  if (instruction == MmaInstruction::Wgmma &&
      (k != 64 || warpsK != 1 || warpsM % 4 != 0 || m / warpsM != 16 ||
       n / warpsN < 64 || n / warpsN > 256)) // (C4)
    return emitError() << "instruction 'wgmma' does not go with a tile of " << m
                       << " x " << n << " x " << k << " and " << warpsM << " x "
                       << warpsN << " x " << warpsK << " warps";
  return success();
}

LogicalResult
ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                     StringAttr library, int64_t vectorDim, int64_t vectorWidth,
                     int64_t unroll, int64_t block, int64_t grain, int64_t rows,
                     DenseI64ArrayAttr keep, DenseI64ArrayAttr stream,
                     int64_t transposeDim, int64_t transposeBlock) {
  constexpr int64_t max = std::numeric_limits<int32_t>::max();
  if (transposeDim >= 0 &&
      (vectorWidth < 2 || vectorWidth > 64 ||
       !llvm::isPowerOf2_64(vectorWidth) || unroll != 1 || rows != 0)) // (C4)
    return emitError() << "'transpose_dim' takes a 'vector_width' that is a "
                          "power of two from 2 to 64, 'unroll' 1 and 'rows' 0";
  return failure(
      failed(verifyBetween(emitError, "vector_dim", vectorDim, -1, max)) ||
      failed(verifyBetween(emitError, "vector_width", vectorWidth, 1, 1024)) ||
      failed(verifyBetween(emitError, "unroll", unroll, 1, 256)) ||
      failed(verifyBetween(emitError, "block", block, 1, max)) ||
      failed(verifyBetween(emitError, "grain", grain, 1, max)) ||
      failed(verifyBetween(emitError, "rows", rows, 0, 16)) ||
      failed(
          verifyBetween(emitError, "transpose_dim", transposeDim, -1, max)) ||
      failed(
          verifyBetween(emitError, "transpose_block", transposeBlock, 1, max)));
}

LogicalResult ConvAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> stride,
                               ArrayRef<int64_t> padding,
                               ArrayRef<int64_t> dilation, int64_t groups,
                               bool channelsLast) {
  if (stride.size() != padding.size() ||
      stride.size() != dilation.size()) // (C1)
    return emitError() << "convolution has " << stride.size() << " strides, "
                       << padding.size() << " paddings and " << dilation.size()
                       << " dilations";
  // Libraries count in 32 bits.
  constexpr int64_t max = std::numeric_limits<int32_t>::max();
  auto positive = [](int64_t v) { return v > 0 && v <= max; };
  auto nonNegative = [](int64_t v) { return v >= 0 && v <= max; };
  if (!llvm::all_of(stride, positive) || !llvm::all_of(dilation, positive) ||
      !llvm::all_of(padding, nonNegative) || !positive(groups)) // (C2)
    return emitError()
           << "expected positive strides, dilations and groups, and no "
              "negative padding, all below 2^31";
  return success();
}

Type coil::loop::getScalarType(Type type) {
  if (auto i = dyn_cast<IntegerType>(type); i && !i.isSignless())
    return IntegerType::get(type.getContext(), i.getWidth());
  return type;
}

TypedAttr coil::loop::getNeutralElement(ReduceKind kind, Type type) {
  Builder b(type.getContext());
  if (auto f = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &sem = f.getFloatSemantics();
    switch (kind) {
    case ReduceKind::Prod:
      return b.getFloatAttr(type, 1.0);
    case ReduceKind::Max:
      return b.getFloatAttr(type, APFloat::getInf(sem, /*Negative=*/true));
    case ReduceKind::Min:
      return b.getFloatAttr(type, APFloat::getInf(sem));
    default:
      return b.getFloatAttr(type, 0.0);
    }
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  switch (kind) {
  case ReduceKind::Prod:
    return b.getIntegerAttr(type, APInt(bits, 1));
  case ReduceKind::Max:
    return b.getIntegerAttr(type, APInt::getSignedMinValue(bits));
  case ReduceKind::Min:
    return b.getIntegerAttr(type, APInt::getSignedMaxValue(bits));
  case ReduceKind::UMin:
  case ReduceKind::And:
    return b.getIntegerAttr(type, APInt::getAllOnes(bits));
  default:
    return b.getIntegerAttr(type, APInt::getZero(bits));
  }
}

unsigned coil::loop::getNumArgs(SpecialFunction function) {
  switch (function) {
  case SpecialFunction::NextAfter:
  case SpecialFunction::IGamma:
  case SpecialFunction::IGammaC:
  case SpecialFunction::Zeta:
  case SpecialFunction::ChebyshevT:
  case SpecialFunction::ChebyshevU:
  case SpecialFunction::ChebyshevV:
  case SpecialFunction::ChebyshevW:
  case SpecialFunction::ShiftedChebyshevT:
  case SpecialFunction::ShiftedChebyshevU:
  case SpecialFunction::ShiftedChebyshevV:
  case SpecialFunction::ShiftedChebyshevW:
  case SpecialFunction::HermiteH:
  case SpecialFunction::HermiteHe:
  case SpecialFunction::LaguerreL:
  case SpecialFunction::LegendreP:
    return 2;
  default:
    return 1;
  }
}
