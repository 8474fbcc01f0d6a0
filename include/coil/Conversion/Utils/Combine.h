//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of a reduction or a scan, as every device computes it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_UTILS_COMBINE_H
#define COIL_CONVERSION_UTILS_COMBINE_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <utility>

namespace coil {

/// How `loop.reduce` or `loop.arg_reduce` combines.
loop::ReduceKind getReduceKind(mlir::Operation *reduction);

/// Combines two scalars, or two vectors lane by lane. A NaN wins a maximum and
/// a minimum.
mlir::Value combine(mlir::ImplicitLocOpBuilder &b, loop::ReduceKind kind,
                    mlir::Value x, mlir::Value y);

/// The better of two values with its position: `c` at `ci` where it is better
/// than `a` at `ai`, or as good and earlier. A NaN beats a number and ties with
/// a NaN. Positions are integers of any width.
std::pair<mlir::Value, mlir::Value> combineArg(mlir::ImplicitLocOpBuilder &b,
                                               loop::ReduceKind kind,
                                               mlir::Value a, mlir::Value ai,
                                               mlir::Value c, mlir::Value ci);

/// The same where all positions so far are smaller than the later one: it wins
/// only when it is better, and no positions are compared.
std::pair<mlir::Value, mlir::Value>
combineLaterArg(mlir::ImplicitLocOpBuilder &b, loop::ReduceKind kind,
                mlir::Value first, mlir::Value firstAt, mlir::Value later,
                mlir::Value laterAt);

/// The positions of the values that are the minimum or maximum of all, `best`;
/// the largest position there is for others. Scalars or vectors.
mlir::Value getCandidates(mlir::ImplicitLocOpBuilder &b, mlir::Value values,
                          mlir::Value positions, mlir::Value best);

/// The best of the lanes of vectors of values and positions, as scalars.
std::pair<mlir::Value, mlir::Value>
combineArgLanes(mlir::ImplicitLocOpBuilder &b, loop::ReduceKind kind,
                mlir::Value lanes, mlir::Value positions);

/// How `vector.reduction` combines lanes.
mlir::vector::CombiningKind getCombiningKind(loop::ReduceKind kind,
                                             bool isFloat);

/// Values of which a mean and a sum of squared deviations are made, see
/// `loop.welford`: scalars, or vectors lane by lane.
struct Sample {
  mlir::Value mean;
  /// Null for zero.
  mlir::Value m2;
  /// Null for one.
  mlir::Value count;

  llvm::SmallVector<mlir::Value> getValues() const { return {mean, m2, count}; }
};

/// Joins two samples by what the second moves the mean: right however many
/// values the first has. No member of the results is null.
Sample mergeSamples(mlir::ImplicitLocOpBuilder &b, Sample x, Sample y);

/// Joins a few samples at once: their mean first, deviations from it then.
Sample mergeSamples(mlir::ImplicitLocOpBuilder &b,
                    llvm::ArrayRef<Sample> samples);

/// Parts of that, for those who join them with others': the number of values,
/// their sum, and what they deviate from a mean.
/// @{
mlir::Value countSamples(mlir::ImplicitLocOpBuilder &b,
                         llvm::ArrayRef<Sample> samples);
mlir::Value sumSamples(mlir::ImplicitLocOpBuilder &b,
                       llvm::ArrayRef<Sample> samples);
mlir::Value sumDeviations(mlir::ImplicitLocOpBuilder &b,
                          llvm::ArrayRef<Sample> samples, mlir::Value mean);
/// @}

/// Joins the lanes of a sample of vectors.
Sample mergeLanes(mlir::ImplicitLocOpBuilder &b, Sample sample);

/// Makes mean and sum NaN where a value was not finite.
Sample finishSample(mlir::ImplicitLocOpBuilder &b, Sample sample);

/// The reduction whose partial results a scan gives, and whose neutral element
/// it starts from. `logaddexp` starts where a maximum does.
loop::ReduceKind getReduction(loop::ScanKind kind);

/// Combines what comes first with what comes later.
mlir::Value combineScan(mlir::ImplicitLocOpBuilder &b, loop::ScanKind kind,
                        mlir::Value x, mlir::Value y);

/// The better of two values with its position: the later of equals, and the
/// later of two NaNs.
std::pair<mlir::Value, mlir::Value>
combineArgScan(mlir::ImplicitLocOpBuilder &b, loop::ReduceKind kind,
               mlir::Value first, mlir::Value firstAt, mlir::Value later,
               mlir::Value laterAt);

} // namespace coil

#endif // COIL_CONVERSION_UTILS_COMBINE_H
