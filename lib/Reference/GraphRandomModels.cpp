//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of `graph`'s random numbers.
//
//===----------------------------------------------------------------------===//

#include "GraphModels.h"
#include "IndexProgram.h"
#include "coil/Dialect/Graph/IR/Random.h"
#include "coil/Reference/Models.h"
#include "coil/Support/Philox.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::reference;
using graph::Distribution;

namespace {

struct RandomBitsModel
    : ReferenceOpInterface::ExternalModel<RandomBitsModel,
                                          graph::RandomBitsOp> {
  LogicalResult evaluate(Operation *, Frame &, ArrayRef<Tensor>,
                         SmallVectorImpl<Tensor> &) const;
};

struct RandomModel
    : ReferenceOpInterface::ExternalModel<RandomModel, graph::RandomOp> {
  LogicalResult evaluate(Operation *, Frame &, ArrayRef<Tensor>,
                         SmallVectorImpl<Tensor> &) const;
};

} // namespace

/// Threads of the framework's kernel for `n` elements.
static int64_t getNumThreads(int64_t n, uint64_t blocks) {
  return 256 * std::min<int64_t>(static_cast<int64_t>(blocks),
                                 (std::max<int64_t>(n, 1) + 255) / 256);
}

/// What the verifiers check where the numbers are constant.
static LogicalResult checkSkip(Operation *op, int64_t skip, bool undefined) {
  if (undefined)
    return op->emitError("draws with numbers that have no value");
  if (skip < 0)
    return op->emitError() << "cannot skip " << skip << " groups";
  return success();
}

LogicalResult
RandomBitsModel::evaluate(Operation *operation, Frame &frame,
                          ArrayRef<Tensor> operands,
                          SmallVectorImpl<Tensor> &results) const {
  auto op = cast<graph::RandomBitsOp>(operation);
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  FailureOr<IndexProgram> skip = IndexProgram::compile(op, frame, op.getSkip());
  FailureOr<IndexProgram> vector =
      IndexProgram::compile(op, frame, op.getVector());
  if (failed(result) || failed(skip) || failed(vector) ||
      failed(frame.spend(op, result->getNumElements())))
    return failure();
  bool undefined = false;
  int64_t first = skip->evaluate(nullptr, nullptr, undefined);
  int64_t each = vector->evaluate(nullptr, nullptr, undefined);
  if (failed(checkSkip(op, first, undefined)))
    return failure();
  if (each < 1)
    return op.emitError()
           << "expected a vector of at least one element but got " << each;
  uint64_t seed = uint64_t(operands[0].get(0).i);
  uint64_t offset = uint64_t(operands[0].get(1).i);
  int64_t n = result->getNumElements();
  int64_t threads = getNumThreads(n, op.getBlocks());
  for (int64_t e = 0; e < n; ++e) {
    int64_t group = e / each, stream = group % threads;
    int64_t words = each == 1 ? 1 : std::max<int64_t>(each, 4);
    int64_t word = group / threads * words + e % each;
    uint32_t bits = getPhilox(seed, offset / 4 + uint64_t(first + word / 4),
                              uint64_t(stream))[word % 4];
    result->set(e, makeInt(int64_t(bits)));
  }
  results.push_back(*result);
  return success();
}

//===----------------------------------------------------------------------===//
// Distributions
//===----------------------------------------------------------------------===//

/// Numbers in (0, 1], of the type that the framework's kernel computes with.
static float toUniform(uint32_t word) {
  return static_cast<float>(word) * 0x1p-32F + 0x1p-33F;
}
static double toUniform(uint32_t low, uint32_t high) {
  uint64_t bits = low ^ (uint64_t(high) << 21);
  return static_cast<double>(bits) * 0x1p-53 + 0x1p-54;
}

/// A function of doubles, rounded to `T`.
template <typename T>
static T apply(double (*function)(double), T x) {
  return static_cast<T>(function(static_cast<double>(x)));
}

/// What is made of a number in (0, 1] alone.
template <typename T>
static T transform(Distribution distribution, T u) {
  constexpr T epsilon = std::numeric_limits<T>::epsilon();
  switch (distribution) {
  case Distribution::Log:
    return apply(std::log, u);
  case Distribution::Exponential:
    return u >= 1 - epsilon / 2 ? epsilon / 2 : -apply(std::log, u);
  case Distribution::Cauchy:
    if (std::is_same_v<T, float>)
      u = std::clamp(u, epsilon, 1 - epsilon);
    return apply(std::tan, static_cast<T>(M_PI) * (u - static_cast<T>(0.5)));
  default:
    return u;
  }
}

/// Element `part` of a group of words.
static float draw(Distribution distribution, std::array<uint32_t, 4> words,
                  size_t part) {
  if (distribution != Distribution::Normal)
    return transform(distribution, toUniform(words[part]));
  size_t pair = part & 2;
  float l = apply(std::log, toUniform(words[pair]));
  float radius = apply(std::sqrt, -2 * l);
  constexpr float step = 0x1p-32F * 6.2831855F;
  float angle = std::fma(static_cast<float>(words[pair + 1]), step, step / 2);
  return radius * (part % 2 ? apply(std::cos, angle) : apply(std::sin, angle));
}
static double drawWide(Distribution distribution, std::array<uint32_t, 4> words,
                       size_t part) {
  if (distribution != Distribution::Normal)
    return transform(distribution,
                     toUniform(words[2 * part], words[2 * part + 1]));
  double radius = std::sqrt(-2 * std::log(toUniform(words[0], words[1])));
  // sin(pi v) and cos(pi v) for v in (0, 2], the nearest quarters of a turn
  // taken off, which is exact: what is left has no zero that pi could miss.
  double v = 2 * toUniform(words[2], words[3]);
  double quarters = std::nearbyint(2 * v);
  double angle = M_PI * (v - quarters / 2);
  int quarter = static_cast<int>(quarters) + (part ? 1 : 0);
  double wave = quarter % 2 ? std::cos(angle) : std::sin(angle);
  if (quarter % 4 >= 2)
    wave = -wave;
  return radius * wave;
}

LogicalResult RandomModel::evaluate(Operation *operation, Frame &frame,
                                    ArrayRef<Tensor> operands,
                                    SmallVectorImpl<Tensor> &results) const {
  auto op = cast<graph::RandomOp>(operation);
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  FailureOr<IndexProgram> skip = IndexProgram::compile(op, frame, op.getSkip());
  if (failed(result) || failed(skip) ||
      failed(frame.spend(op, result->getNumElements())))
    return failure();
  bool undefined = false;
  int64_t first = skip->evaluate(nullptr, nullptr, undefined);
  if (failed(checkSkip(op, first, undefined)))
    return failure();
  uint64_t seed = uint64_t(operands[0].get(0).i);
  uint64_t begin = uint64_t(operands[0].get(1).i) / 4 + uint64_t(first);
  int64_t n = result->getNumElements();
  int64_t threads = getNumThreads(n, op.getBlocks());
  int64_t each = op.getGroupSize();
  for (int64_t e = 0; e < n; ++e) {
    int64_t before = e / threads;
    std::array<uint32_t, 4> words =
        getPhilox(seed, begin + uint64_t(before / each), uint64_t(e % threads));
    auto part = static_cast<size_t>(before % each);
    if (op.getDistribution() == Distribution::Bits)
      result->set(e,
                  makeInt(static_cast<int64_t>(uint64_t(words[2 * part]) << 32 |
                                               words[2 * part + 1])));
    else if (each == 2)
      result->set(e, makeFloat(drawWide(op.getDistribution(), words, part)));
    else
      result->set(e, makeFloat(static_cast<double>(
                         draw(op.getDistribution(), words, part))));
  }
  results.push_back(*result);
  return success();
}

void reference::registerGraphRandomModels(MLIRContext *context) {
  graph::RandomBitsOp::attachInterface<RandomBitsModel>(*context);
  graph::RandomOp::attachInterface<RandomModel>(*context);
}
