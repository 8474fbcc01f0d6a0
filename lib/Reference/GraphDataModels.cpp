//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of `graph`'s views, copies, indexing and creation.
//
//===----------------------------------------------------------------------===//

#include "GraphModels.h"
#include "IndexProgram.h"
#include "coil/Dialect/Graph/IR/Device.h"
#include "coil/Reference/Models.h"

#include <cstring>

using namespace mlir;
using namespace coil;
using namespace coil::reference;

/// Copies one element.
static void copy(const Tensor &to, int64_t position, const Tensor &from,
                 int64_t offset) {
  unsigned bytes = getByteSize(to.getDType());
  std::memcpy(to.getData() + position * bytes, from.getData() + offset * bytes,
              bytes);
}

/// The result is read from the operand with these strides.
static LogicalResult readStrided(Operation *op, Frame &frame,
                                 const Tensor &input, ArrayRef<int64_t> strides,
                                 int64_t start,
                                 SmallVectorImpl<Tensor> &results) {
  FailureOr<Tensor> result = frame.allocate(op, op->getResult(0).getType());
  if (failed(result) || failed(frame.spend(op, result->getNumElements())))
    return failure();
  forEachElement(result->getSizes(), strides, start,
                 [&](int64_t position, int64_t offset) {
                   copy(*result, position, input, offset);
                 });
  results.push_back(*result);
  return success();
}

/// Base of the models: `OpTy` and its arguments.
#define MODEL(name, OpTy)                                                      \
  struct name : ReferenceOpInterface::ExternalModel<name, OpTy> {              \
    LogicalResult evaluate(Operation *op, Frame &frame,                        \
                           ArrayRef<Tensor> operands,                          \
                           SmallVectorImpl<Tensor> &results) const {           \
      return run(cast<OpTy>(op), frame, operands, results);                    \
    }                                                                          \
    static LogicalResult run(OpTy op, Frame &frame, ArrayRef<Tensor> operands, \
                             SmallVectorImpl<Tensor> &results);                \
  };                                                                           \
  LogicalResult name::run(OpTy op, [[maybe_unused]] Frame &frame,              \
                          [[maybe_unused]] ArrayRef<Tensor> operands,          \
                          SmallVectorImpl<Tensor> &results)

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

namespace {

MODEL(ReshapeModel, graph::ReshapeOp) {
  FailureOr<SmallVector<int64_t>> sizes = frame.getSizes(op, op.getType());
  if (failed(sizes))
    return failure();
  if (Tensor::countElements(*sizes) != operands[0].getNumElements())
    return op.emitError() << "reshapes " << operands[0].getNumElements()
                          << " elements to another number";
  results.push_back(operands[0].reshape(*sizes));
  return success();
}

MODEL(PermuteModel, graph::PermuteOp) {
  SmallVector<int64_t> from = getContiguousStrides(operands[0].getSizes());
  SmallVector<int64_t> strides;
  for (int64_t d : op.getPermutation())
    strides.push_back(from[d]);
  return readStrided(op, frame, operands[0], strides, 0, results);
}

MODEL(BroadcastModel, graph::BroadcastOp) {
  FailureOr<SmallVector<int64_t>> sizes = frame.getSizes(op, op.getType());
  if (failed(sizes))
    return failure();
  FailureOr<SmallVector<int64_t>> strides =
      getBroadcastStrides(op, operands[0], *sizes);
  if (failed(strides))
    return failure();
  return readStrided(op, frame, operands[0], *strides, 0, results);
}

MODEL(SliceModel, graph::SliceOp) {
  FailureOr<SmallVector<int64_t>> sizes = frame.getSizes(op, op.getType());
  if (failed(sizes))
    return failure();
  ArrayRef<int64_t> inputSizes = operands[0].getSizes();
  SmallVector<int64_t> from = getContiguousStrides(inputSizes), strides;
  int64_t start = 0;
  for (auto [d, step] : llvm::enumerate(op.getSteps())) {
    FailureOr<int64_t> first = frame.evaluate(op, op.getStarts()[d]);
    if (failed(first))
      return failure();
    int64_t last = *first + ((*sizes)[d] - 1) * step;
    bool empty = llvm::is_contained(*sizes, 0);
    if (!empty &&
        (std::min(*first, last) < 0 || std::max(*first, last) >= inputSizes[d]))
      return op.emitError()
             << "reads elements " << *first << " to " << last
             << " of dimension " << d << " of size " << inputSizes[d];
    start += *first * from[d];
    strides.push_back(step * from[d]);
  }
  return readStrided(op, frame, operands[0], strides, start, results);
}

} // namespace

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {

MODEL(CatModel, graph::CatOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result) || failed(frame.spend(op, result->getNumElements())))
    return failure();
  int64_t dim = op.getDim();
  ArrayRef<int64_t> sizes = result->getSizes();
  SmallVector<int64_t> strides = getContiguousStrides(sizes);
  int64_t start = 0;
  for (const Tensor &input : operands) {
    forEachElement(input.getSizes(), strides, start * strides[dim],
                   [&](int64_t position, int64_t offset) {
                     copy(*result, offset, input, position);
                   });
    start += input.getSizes()[dim];
  }
  results.push_back(*result);
  return success();
}

} // namespace

/// The value of a scalar attribute.
static Scalar getScalar(Attribute attribute) {
  if (auto value = dyn_cast<FloatAttr>(attribute))
    return fromBits(*reference::getDType(value.getType()),
                    value.getValue().bitcastToAPInt().getZExtValue());
  auto value = cast<IntegerAttr>(attribute);
  return fromBits(*reference::getDType(value.getType()),
                  value.getValue().getZExtValue());
}

namespace {

MODEL(PadModel, graph::PadOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result) || failed(frame.spend(op, result->getNumElements())))
    return failure();
  const Tensor &input = operands[0];
  Scalar value = getScalar(op.getValue());
  SmallVector<int64_t> strides = getContiguousStrides(input.getSizes());
  SmallVector<int64_t> point(strides.size());
  ArrayRef<int64_t> sizes = result->getSizes();
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    int64_t offset = 0;
    bool inside = true;
    for (int64_t d = 0; d < result->getRank(); ++d) {
      int64_t index = point[d] - op.getLow()[d];
      inside &= index >= 0 && index < input.getSizes()[d];
      offset += index * strides[d];
    }
    if (inside)
      copy(*result, i, input, offset);
    else
      result->set(i, value);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++point[d] < sizes[d])
        break;
      point[d] = 0;
    }
  }
  results.push_back(*result);
  return success();
}

} // namespace

/// Counts a negative index from the end, and checks it.
static FailureOr<int64_t> wrapIndex(Operation *op, int64_t index, int64_t size,
                                    int64_t dim) {
  int64_t wrapped = index < 0 ? index + size : index;
  if (wrapped >= 0 && wrapped < size)
    return wrapped;
  return op->emitError() << "index " << index
                         << " is out of range for dimension " << dim
                         << " of size " << size;
}

namespace {

MODEL(GatherModel, graph::GatherOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result) || failed(frame.spend(op, result->getNumElements())))
    return failure();
  const Tensor &input = operands[0], &index = operands[1];
  int64_t dim = op.getDim();
  SmallVector<int64_t> strides = getContiguousStrides(input.getSizes());
  for (int64_t d = 0; d < input.getRank(); ++d)
    if (d != dim && index.getSizes()[d] > input.getSizes()[d])
      return op.emitError() << "reads outside of dimension " << d;
  int64_t along = strides[dim];
  strides[dim] = 0;
  LogicalResult status = success();
  forEachElement(
      index.getSizes(), strides, 0, [&](int64_t position, int64_t offset) {
        if (failed(status))
          return;
        FailureOr<int64_t> i =
            wrapIndex(op, index.get(position).i, input.getSizes()[dim], dim);
        status = success(succeeded(i));
        if (succeeded(i))
          copy(*result, position, input, offset + *i * along);
      });
  results.push_back(*result);
  return status;
}

} // namespace

/// Calls `fn` for each element of a tensor of shape `sizes`, which indexing
/// `input` gives, with its position and that of the element of `input`.
template <typename FnT>
static LogicalResult
forEachIndexed(Operation *op, const Tensor &input, ArrayRef<Tensor> indices,
               ArrayRef<int64_t> dims, ArrayRef<int64_t> sizes, FnT fn) {
  size_t rank = 0;
  for (const Tensor &index : indices)
    rank = std::max(rank, index.getSizes().size());
  // Where the indices' shape stands in the result.
  bool adjacent =
      dims.back() - dims.front() + 1 == static_cast<int64_t>(dims.size());
  size_t place = adjacent ? dims.front() : 0;
  assert(sizes.size() == rank + input.getRank() - dims.size() &&
         "the verifier infers the result's rank");
  // Sizes that only a run knows may differ from what the result has for them.
  ArrayRef<int64_t> shape = sizes.slice(place, rank);
  SmallVector<SmallVector<int64_t>> indexStrides;
  for (const Tensor &index : indices) {
    FailureOr<SmallVector<int64_t>> strides =
        getBroadcastStrides(op, index, shape);
    if (failed(strides))
      return failure();
    indexStrides.push_back(*strides);
  }
  SmallVector<int64_t> inputStrides = getContiguousStrides(input.getSizes());
  // Strides in the input of the dimensions that are not indexed.
  SmallVector<int64_t> strides(sizes.size(), 0);
  size_t next = 0;
  for (int64_t d = 0; d < input.getRank(); ++d) {
    if (llvm::is_contained(dims, d))
      continue;
    if (next == place)
      next += shape.size();
    strides[next++] = inputStrides[d];
  }
  SmallVector<int64_t> point(sizes.size());
  for (int64_t i = 0, n = *Tensor::countElements(sizes); i < n; ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < sizes.size(); ++d)
      offset += point[d] * strides[d];
    for (size_t k = 0; k < indices.size(); ++k) {
      int64_t position = 0;
      for (size_t d = 0; d < shape.size(); ++d)
        position += point[place + d] * indexStrides[k][d];
      FailureOr<int64_t> index = wrapIndex(op, indices[k].get(position).i,
                                           input.getSizes()[dims[k]], dims[k]);
      if (failed(index))
        return failure();
      offset += *index * inputStrides[dims[k]];
    }
    fn(i, offset);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++point[d] < sizes[d])
        break;
      point[d] = 0;
    }
  }
  return success();
}

namespace {

MODEL(IndexModel, graph::IndexOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result) || failed(frame.spend(op, result->getNumElements())))
    return failure();
  const Tensor &input = operands[0];
  LogicalResult status =
      forEachIndexed(op, input, operands.drop_front(), op.getDims(),
                     result->getSizes(), [&](int64_t position, int64_t offset) {
                       copy(*result, position, input, offset);
                     });
  results.push_back(*result);
  return status;
}

} // namespace

/// A tensor that starts as a copy of `input`.
static FailureOr<Tensor> allocateCopy(Operation *op, Frame &frame,
                                      const Tensor &input) {
  FailureOr<Tensor> result = frame.allocate(op, op->getResult(0).getType());
  if (succeeded(result))
    std::memcpy(result->getData(), input.getData(),
                input.getNumElements() * getByteSize(input.getDType()));
  return result;
}

/// Writes an element, or combines it with what is there.
static void write(std::optional<graph::ReduceKind> kind, const Tensor &to,
                  int64_t position, Scalar value) {
  if (kind)
    value = combine(*kind, to.getDType(), to.get(position), value);
  to.set(position, value);
}

namespace {

MODEL(ScatterModel, graph::ScatterOp) {
  FailureOr<Tensor> result = allocateCopy(op, frame, operands[0]);
  const Tensor &index = operands[1], &source = operands[2];
  if (failed(result) || failed(frame.spend(op, index.getNumElements())))
    return failure();
  int64_t dim = op.getDim();
  ArrayRef<int64_t> sizes = result->getSizes();
  SmallVector<int64_t> strides = getContiguousStrides(sizes);
  SmallVector<int64_t> from = getContiguousStrides(source.getSizes());
  for (int64_t d = 0; d < result->getRank(); ++d)
    if (index.getSizes()[d] > source.getSizes()[d] ||
        (d != dim && index.getSizes()[d] > sizes[d]))
      return op.emitError()
             << "writes " << index.getSizes()[d] << " elements along dimension "
             << d << ", where the source has " << source.getSizes()[d]
             << " and the operand " << sizes[d];
  int64_t along = strides[dim];
  strides[dim] = 0;
  LogicalResult status = success();
  SmallVector<int64_t> offsets;
  forEachElement(index.getSizes(), from, 0,
                 [&](int64_t, int64_t offset) { offsets.push_back(offset); });
  forEachElement(index.getSizes(), strides, 0,
                 [&](int64_t position, int64_t offset) {
                   if (failed(status))
                     return;
                   FailureOr<int64_t> i =
                       wrapIndex(op, index.get(position).i, sizes[dim], dim);
                   status = success(succeeded(i));
                   if (succeeded(i))
                     write(op.getKind(), *result, offset + *i * along,
                           source.get(offsets[position]));
                 });
  results.push_back(*result);
  return status;
}

MODEL(IndexPutModel, graph::IndexPutOp) {
  FailureOr<Tensor> result = allocateCopy(op, frame, operands[0]);
  const Tensor &values = operands.back();
  if (failed(result) || failed(frame.spend(op, values.getNumElements())))
    return failure();
  LogicalResult status = forEachIndexed(
      op, operands[0], operands.drop_front().drop_back(), op.getDims(),
      values.getSizes(), [&](int64_t position, int64_t offset) {
        write(op.getKind(), *result, offset, values.get(position));
      });
  results.push_back(*result);
  return status;
}

} // namespace

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

namespace {

MODEL(FullModel, graph::FullOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result) || failed(frame.spend(op, result->getNumElements())))
    return failure();
  Scalar value = getScalar(op.getValue());
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->set(i, value);
  results.push_back(*result);
  return success();
}

MODEL(IotaModel, graph::IotaOp) {
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(result) || failed(frame.spend(op, result->getNumElements())))
    return failure();
  Scalar start = getScalar(op.getStart()), step = getScalar(op.getStep());
  ArrayRef<int64_t> sizes = result->getSizes();
  int64_t inner = 1, size = sizes[op.getDim()];
  for (int64_t s : sizes.drop_front(op.getDim() + 1))
    inner *= s;
  bool isFloatStep = isa<FloatAttr>(op.getStart());
  bool isFloatResult = isFloat(result->getDType());
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    int64_t position = i / inner % size;
    if (isFloatStep) {
      double value = start.f + static_cast<double>(position) * step.f;
      if (getByteSize(result->getDType()) == 2)
        value = static_cast<float>(value);
      result->set(i, makeFloat(value));
    } else {
      auto value = static_cast<int64_t>(uint64_t(start.i) +
                                        uint64_t(position) * uint64_t(step.i));
      result->set(i, isFloatResult ? makeFloat(toStickyDouble(value))
                                   : makeInt(value));
    }
  }
  results.push_back(*result);
  return success();
}

MODEL(ExprModel, graph::ExprOp) {
  FailureOr<int64_t> value = frame.evaluate(op, op.getExpr());
  FailureOr<Tensor> result = frame.allocate(op, op.getType());
  if (failed(value) || failed(result))
    return failure();
  result->set(0, isFloat(result->getDType()) ? makeFloat(toStickyDouble(*value))
                                             : makeInt(*value));
  results.push_back(*result);
  return success();
}

MODEL(ToDeviceModel, graph::ToDeviceOp) {
  results.push_back(operands.front());
  return success();
}

} // namespace

#undef MODEL

void reference::registerGraphDataModels(MLIRContext *context) {
  graph::ReshapeOp::attachInterface<ReshapeModel>(*context);
  graph::PermuteOp::attachInterface<PermuteModel>(*context);
  graph::BroadcastOp::attachInterface<BroadcastModel>(*context);
  graph::SliceOp::attachInterface<SliceModel>(*context);
  graph::CatOp::attachInterface<CatModel>(*context);
  graph::PadOp::attachInterface<PadModel>(*context);
  graph::GatherOp::attachInterface<GatherModel>(*context);
  graph::IndexOp::attachInterface<IndexModel>(*context);
  graph::ScatterOp::attachInterface<ScatterModel>(*context);
  graph::IndexPutOp::attachInterface<IndexPutModel>(*context);
  graph::FullOp::attachInterface<FullModel>(*context);
  graph::IotaOp::attachInterface<IotaModel>(*context);
  graph::ExprOp::attachInterface<ExprModel>(*context);
  graph::ToDeviceOp::attachInterface<ToDeviceModel>(*context);
}

void reference::registerGraphModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, graph::GraphDialect *) {
    registerGraphElementwiseModels(context);
    registerGraphReductionModels(context);
    registerGraphCallModels(context);
    registerGraphControlModels(context);
    registerGraphSortModels(context);
    registerGraphDataModels(context);
    registerGraphRandomModels(context);
  });
}
