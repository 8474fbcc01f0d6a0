//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of users, by the functions that say what they compute.
//
//===----------------------------------------------------------------------===//

#include "HostActivation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::reference;
using namespace coil::wrapper;

/// The number that is passed for a parameter.
FailureOr<Tensor>
HostActivation::getNumber(LaunchUserOp op, const LaunchUserOp::Passed &passed) {
  // Parameters that are numbers are i32, i64, f32 or f64.
  DType dtype = *getDType(passed.parameter.getType());
  if (auto number = dyn_cast<FloatAttr>(passed.argument))
    return Tensor::scalar(dtype,
                          makeFloat(roundTo(dtype, number.getValueAsDouble())));
  if (passed.operand) {
    Scalar value = values[passed.operand].scalar;
    if (isFloat(dtype))
      value = makeFloat(roundTo(dtype, value.f));
    return Tensor::scalar(dtype, value);
  }
  auto number = evaluate(op, cast<sym::ExprAttr>(passed.argument));
  if (failed(number))
    return failure();
  return Tensor::scalar(dtype, makeInt(wrapTo(dtype, number->front())));
}

LogicalResult HostActivation::run(LaunchUserOp op) {
  auto kernel =
      SymbolTable::lookupNearestSymbolFrom<KernelOp>(op, op.getCalleeAttr());
  auto reference =
      kernel && kernel.getReference()
          ? kernel.lookupSymbol<func::FuncOp>(*kernel.getReference())
          : func::FuncOp();
  if (!reference)
    return op.emitError() << "kernel '" << op.getCallee()
                          << "' is a user's, and has no reference function "
                             "that says what it computes";
  SmallVector<Tensor> inputs, numbers, outputs;
  SmallVector<Value> written;
  for (const LaunchUserOp::Passed &each : op.getPassed(kernel)) {
    if (each.isNull())
      continue;
    if (!each.parameter.isBuffer()) {
      FailureOr<Tensor> number = getNumber(op, each);
      if (failed(number))
        return failure();
      numbers.push_back(*number);
      continue;
    }
    if (each.parameter.getKind() != ParamKind::Read)
      written.push_back(each.operand);
    if (each.parameter.getKind() == ParamKind::Write)
      continue;
    FailureOr<Tensor> tensor = read(op, each.operand);
    if (failed(tensor))
      return failure();
    inputs.push_back(*tensor);
  }
  llvm::append_range(inputs, numbers);
  if (reference.getNumArguments() != inputs.size() ||
      reference.getNumResults() != written.size())
    return op.emitError() << "the reference of kernel '" << op.getCallee()
                          << "' takes " << reference.getNumArguments()
                          << " tensors and gives " << reference.getNumResults()
                          << " but the launch has " << inputs.size() << " and "
                          << written.size();
  Frame inner(interpreter);
  if (failed(inner.call(op, reference, inputs, outputs)))
    return failure();
  for (auto [v, tensor] : llvm::zip(written, outputs)) {
    auto type = cast<BufferType>(v.getType());
    FailureOr<HostShape> shape = getShape(op, type);
    if (failed(shape))
      return failure();
    if (getDType(type.getElementType()) != tensor.getDType())
      return op.emitError()
             << "the reference of kernel '" << op.getCallee()
             << "' gives a tensor of other elements than a buffer that the "
                "kernel writes, which has "
             << type.getElementType();
    if (ArrayRef<int64_t>(shape->sizes) != tensor.getSizes())
      return op.emitError() << "the reference of kernel '" << op.getCallee()
                            << "' gives a tensor of other sizes than a buffer "
                               "that the kernel writes";
    if (failed(write(op, v, tensor)))
      return failure();
  }
  return success();
}

/// What a run can find wrong with a layout, as the runtime does. The map itself
/// is nothing: references work on the buffers of a launch.
LogicalResult HostActivation::run(TMADescriptorOp op) {
  FailureOr<HostView> buffer = view(op, op.getSource());
  if (failed(buffer))
    return failure();
  const HostShape &shape = buffer->shape;
  int64_t bytes = op.getBufferType().getElementBytes();
  int64_t unit = op.getInterleave() == TensorMapInterleave::B32 ? 32 : 16;
  for (size_t i = 0, rank = shape.sizes.size(); i < rank; ++i) {
    int64_t size = shape.sizes[i], stride = shape.strides[i];
    if (size < 1 || size > int64_t(1) << 32)
      return op.emitError() << "dimension " << i << " has the size " << size
                            << ", but a tensor map takes 1 to 2^32";
    if (size == 1 || i + 1 == rank)
      continue;
    if (stride <= 0 || stride >= (int64_t(1) << 40) / bytes ||
        stride * bytes % unit != 0)
      return op.emitError()
             << "dimension " << i << " has a stride of " << stride
             << " elements of " << bytes
             << " bytes, but a tensor map needs a positive multiple of " << unit
             << " bytes, less than 2^40";
  }
  return success();
}
