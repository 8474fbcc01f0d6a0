//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits launches and library calls of host programs.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "coil/Runtime/Library.h"

#include <cstddef>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// Numbers of scratch memory: 0 and 1 are for what one call needs; pointers
/// and descriptors have their own (see LowerControl.cpp, too).
static constexpr unsigned kSymbols = 1, kBuffers = 2, kDescriptor = 3;

LogicalResult HostLowering::lower(LaunchOp op) {
  auto kernel = module.lookup<KernelOp>(op.getCallee());
  auto buffers = llvm::to_vector(op.getInputs());
  llvm::append_range(buffers, op.getOutputs());
  DeviceAttr deviceAttr = kernel.getDeviceAttr();
  if (!deviceAttr)
    deviceAttr = DeviceAttr::get(b.getContext(), "cpu", 0);
  const DeviceInfo *device = getDevice(op, deviceAttr);
  if (!device)
    return failure();
  bool byGeometry = device->launchByGeometry;
  if (byGeometry ? !kernel.getGeometry()
                 : !kernel.getTotal() || !kernel.getGrain()) { // (C1)
    InFlightDiagnostic diag = op.emitOpError()
                              << "kernel '" << op.getCallee()
                              << "' was not lowered for its device";
    diag.attachNote(kernel.getLoc()) << "kernel defined here";
    return diag;
  }
  if (device->launchFunction.empty())
    return op.emitOpError()
           << "device '" << device->kind << "' cannot run kernels";

  Value pointers = null();
  if (!buffers.empty()) {
    pointers = scratch(kBuffers, static_cast<unsigned>(buffers.size()));
    for (auto [i, v] : llvm::enumerate(buffers))
      store(buffer(v), pointers, static_cast<unsigned>(i), ptrType);
  }
  Value numbers = array(op.getSymbols().getDims(), kSymbols);
  llvm::StringMap<ExprAttr> arguments;
  for (auto [name, e] :
       llvm::zip(kernel.getSymbols(), op.getSymbols().getDims()))
    arguments[cast<StringAttr>(name).getValue()] = e;
  auto atLaunch = [&](ExprAttr e) {
    return value(sym::substitute(
        e, [&](ExprAttr leaf) { return arguments.lookup(leaf.getName()); }));
  };
  SmallVector<Value> args = {now.run, kernelAddress(kernel), pointers, numbers};
  if (byGeometry) {
    for (ExprAttr blocks : kernel.getGeometry()->getGrid().getDims())
      args.push_back(atLaunch(blocks));
  } else {
    args.push_back(atLaunch(*kernel.getTotal()));
    args.push_back(i64(static_cast<int64_t>(*kernel.getGrain())));
  }
  call(device->launchFunction, args);
  return success();
}

/// The first place in a file that an op's location mentions, or null.
Value HostLowering::place(Operation *op) {
  FileLineColLoc found;
  op->getLoc()->walk([&](Location inner) {
    found = dyn_cast<FileLineColLoc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found)
    return null();
  return string(found.getFilename().getValue().str() + ":" +
                std::to_string(found.getLine()));
}

LogicalResult HostLowering::lower(ContractionOp op) {
  auto elementType = [](Value v) {
    return cast<BufferType>(v.getType()).getElementType();
  };
  const DeviceInfo *device =
      getDevice(op, cast<BufferType>(op.getC().getType()).getDevice());
  if (!device)
    return failure();
  if (device->contractionFunction.empty())
    return op.emitOpError()
           << "device '" << device->kind << "' has no library for contractions";
  std::optional<int32_t> a = getDType(op, elementType(op.getA())),
                         bType = getDType(op, elementType(op.getB())),
                         c = getDType(op, elementType(op.getC())), bias = 0;
  if (op.getBias())
    bias = getDType(op, elementType(op.getBias()));
  if (!a || !bType || !c || !bias)
    return failure();

  Value desc = scratch(kDescriptor, sizeof(coil_contraction) / 8);
  auto set32 = [&](size_t offset, int64_t v) {
    store(i32(static_cast<int32_t>(v)), desc, static_cast<unsigned>(offset / 4),
          i32Type);
  };
  auto set = [&](size_t offset, size_t index, ExprAttr e) {
    store(value(e), desc, static_cast<unsigned>(offset / 8 + index), i64Type);
  };
  ArrayRef<ExprAttr> dims = op.getDims().getDims();
  size_t batch = dims.size() - 3, m = batch, n = batch + 1, k = batch + 2;
  bool alongM = op.getBias() && !(*op.getBiasStrides())[m].isConstant(0);
  set32(offsetof(coil_contraction, struct_size), sizeof(coil_contraction));
  set32(offsetof(coil_contraction, a_dtype), *a);
  set32(offsetof(coil_contraction, b_dtype), *bType);
  set32(offsetof(coil_contraction, bias_dtype), *bias);
  set32(offsetof(coil_contraction, c_dtype), *c);
  set32(offsetof(coil_contraction, batch_rank), static_cast<int64_t>(batch));
  set32(offsetof(coil_contraction, bias_axis),
        alongM ? COIL_BIAS_ALONG_M : COIL_BIAS_ALONG_N);
  set32(offsetof(coil_contraction, post_op),
        static_cast<int64_t>(op.getPost()));
  set32(offsetof(coil_contraction, tf32), op.getTf32());
  set32(offsetof(coil_contraction, reserved), 0);
  set(offsetof(coil_contraction, m), 0, dims[m]);
  set(offsetof(coil_contraction, n), 0, dims[n]);
  set(offsetof(coil_contraction, k), 0, dims[k]);
  sym::ShapeAttr sa = op.getAStrides(), sb = op.getBStrides(),
                 sc = op.getCStrides();
  set(offsetof(coil_contraction, a_strides), 0, sa[m]);
  set(offsetof(coil_contraction, a_strides), 1, sa[k]);
  set(offsetof(coil_contraction, b_strides), 0, sb[k]);
  set(offsetof(coil_contraction, b_strides), 1, sb[n]);
  set(offsetof(coil_contraction, c_strides), 0, sc[m]);
  set(offsetof(coil_contraction, c_strides), 1, sc[n]);
  set(offsetof(coil_contraction, bias_stride), 0,
      op.getBias() ? (*op.getBiasStrides())[alongM ? m : n]
                   : sym::constant(b.getContext(), 0));
  for (size_t i = 0; i < batch; ++i) {
    set(offsetof(coil_contraction, batch_sizes), i, dims[i]);
    set(offsetof(coil_contraction, a_batch_strides), i, sa[i]);
    set(offsetof(coil_contraction, b_batch_strides), i, sb[i]);
    set(offsetof(coil_contraction, c_batch_strides), i, sc[i]);
  }
  store(place(op), desc, offsetof(coil_contraction, where) / 8, ptrType);
  auto address = [&](Value v, ExprAttr offset) {
    return element(buffer(v), offset, cast<BufferType>(v.getType()));
  };
  Value biasAddress =
      op.getBias() ? address(op.getBias(), op.getBiasOffsetAttr()) : null();
  call(device->contractionFunction,
       {now.run, desc, address(op.getA(), op.getAOffsetAttr()),
        address(op.getB(), op.getBOffsetAttr()), biasAddress,
        address(op.getC(), op.getCOffsetAttr())});
  return success();
}

LogicalResult HostLowering::lower(ConvolutionOp op) {
  auto type = [](Value v) { return cast<BufferType>(v.getType()); };
  BufferType x = type(op.getX()), w = type(op.getW()), y = type(op.getY());
  const DeviceInfo *device = getDevice(op, y.getDevice());
  if (!device)
    return failure();
  if (device->convolutionFunction.empty())
    return op.emitOpError()
           << "device '" << device->kind << "' has no library for convolutions";
  std::optional<int32_t> xType = getDType(op, x.getElementType()),
                         wType = getDType(op, w.getElementType()),
                         yType = getDType(op, y.getElementType()), bias = 0;
  if (op.getBias())
    bias = getDType(op, type(op.getBias()).getElementType());
  if (!xType || !wType || !yType || !bias)
    return failure();

  Value desc = scratch(kDescriptor, sizeof(coil_convolution) / 8);
  auto set32 = [&](size_t offset, int64_t v) {
    store(i32(static_cast<int32_t>(v)), desc, static_cast<unsigned>(offset / 4),
          i32Type);
  };
  auto set = [&](size_t offset, size_t index, ExprAttr e) {
    store(value(e), desc, static_cast<unsigned>(offset / 8 + index), i64Type);
  };
  auto constant = [&](int64_t v) { return sym::constant(b.getContext(), v); };
  size_t spatial = x.getRank() - 2;
  set32(offsetof(coil_convolution, struct_size), sizeof(coil_convolution));
  set32(offsetof(coil_convolution, x_dtype), *xType);
  set32(offsetof(coil_convolution, w_dtype), *wType);
  set32(offsetof(coil_convolution, bias_dtype), *bias);
  set32(offsetof(coil_convolution, y_dtype), *yType);
  set32(offsetof(coil_convolution, spatial_rank),
        static_cast<int64_t>(spatial));
  set32(offsetof(coil_convolution, transposed), 0);
  set32(offsetof(coil_convolution, post_op),
        static_cast<int64_t>(op.getPost()));
  set32(offsetof(coil_convolution, tf32), op.getTf32());
  set32(offsetof(coil_convolution, reserved), 0);
  set(offsetof(coil_convolution, batch), 0, x.getSizes()[0]);
  set(offsetof(coil_convolution, in_channels), 0, x.getSizes()[1]);
  set(offsetof(coil_convolution, out_channels), 0, y.getSizes()[1]);
  set(offsetof(coil_convolution, groups), 0,
      constant(static_cast<int64_t>(op.getGroups())));
  set(offsetof(coil_convolution, bias_stride), 0,
      op.getBias() ? type(op.getBias()).getStrides()[0] : constant(0));
  for (size_t i = 0; i < spatial; ++i) {
    ExprAttr in = x.getSizes()[i + 2], kernel = w.getSizes()[i + 2],
             out = y.getSizes()[i + 2];
    int64_t stride = op.getStride()[i], dilation = op.getDilation()[i],
            padding = op.getPadding()[i];
    set(offsetof(coil_convolution, in_sizes), i, in);
    set(offsetof(coil_convolution, kernel_sizes), i, kernel);
    set(offsetof(coil_convolution, out_sizes), i, out);
    set(offsetof(coil_convolution, strides), i, constant(stride));
    set(offsetof(coil_convolution, padding_lo), i, constant(padding));
    set(offsetof(coil_convolution, padding_hi), i, constant(padding));
    set(offsetof(coil_convolution, dilations), i, constant(dilation));
  }
  for (size_t i = 0; i < spatial + 2; ++i) {
    set(offsetof(coil_convolution, x_strides), i, x.getStrides()[i]);
    set(offsetof(coil_convolution, w_strides), i, w.getStrides()[i]);
    set(offsetof(coil_convolution, y_strides), i, y.getStrides()[i]);
  }
  store(place(op), desc, offsetof(coil_convolution, where) / 8, ptrType);
  call(device->convolutionFunction,
       {now.run, desc, buffer(op.getX()), buffer(op.getW()),
        op.getBias() ? buffer(op.getBias()) : null(), buffer(op.getY())});
  return success();
}

LogicalResult HostLowering::lower(AttentionOp op) {
  auto type = [](Value v) { return cast<BufferType>(v.getType()); };
  BufferType q = type(op.getQ()), k = type(op.getK()), v = type(op.getV()),
             o = type(op.getO());
  const DeviceInfo *device = getDevice(op, o.getDevice());
  if (!device)
    return failure();
  if (device->attentionFunction.empty())
    return op.emitOpError()
           << "device '" << device->kind << "' has no library for attention";
  std::optional<int32_t> dtype = getDType(op, o.getElementType());
  if (!dtype)
    return failure();
  Value desc = scratch(kDescriptor, sizeof(coil_attention) / 8);
  auto set32 = [&](size_t offset, int64_t value) {
    store(i32(static_cast<int32_t>(value)), desc,
          static_cast<unsigned>(offset / 4), i32Type);
  };
  auto set = [&](size_t offset, ExprAttr e) {
    store(value(e), desc, static_cast<unsigned>(offset / 8), i64Type);
  };
  auto setStrides = [&](size_t offset, BufferType buffer) {
    for (size_t i = 0; i < 4; ++i)
      set(offset + 8 * i, buffer.getStrides()[i]);
  };
  set32(offsetof(coil_attention, struct_size), sizeof(coil_attention));
  set32(offsetof(coil_attention, dtype), *dtype);
  set32(offsetof(coil_attention, causal), op.getCausal());
  set32(offsetof(coil_attention, reserved), 0);
  store(LLVM::ConstantOp::create(b, b.getF64Type(), op.getScaleAttr()), desc,
        offsetof(coil_attention, scale) / 8, b.getF64Type());
  set(offsetof(coil_attention, batch), q.getSizes()[0]);
  set(offsetof(coil_attention, heads), q.getSizes()[1]);
  set(offsetof(coil_attention, kv_heads), k.getSizes()[1]);
  set(offsetof(coil_attention, queries), q.getSizes()[2]);
  set(offsetof(coil_attention, keys), k.getSizes()[2]);
  set(offsetof(coil_attention, width), q.getSizes()[3]);
  set(offsetof(coil_attention, value_width), v.getSizes()[3]);
  setStrides(offsetof(coil_attention, q_strides), q);
  setStrides(offsetof(coil_attention, k_strides), k);
  setStrides(offsetof(coil_attention, v_strides), v);
  setStrides(offsetof(coil_attention, mask_strides),
             op.getMask() ? type(op.getMask()) : q);
  setStrides(offsetof(coil_attention, o_strides), o);
  store(place(op), desc, offsetof(coil_attention, where) / 8, ptrType);
  call(device->attentionFunction,
       {now.run, desc, buffer(op.getQ()), buffer(op.getK()), buffer(op.getV()),
        op.getMask() ? buffer(op.getMask()) : null(), buffer(op.getO())});
  return success();
}

LogicalResult HostLowering::lower(SortOp op) {
  auto type = cast<BufferType>(op.getX().getType());
  const DeviceInfo *device = getDevice(op, type.getDevice());
  if (!device)
    return failure();
  if (device->sortFunction.empty())
    return op.emitOpError()
           << "device '" << device->kind << "' has no library for sorting";
  std::optional<int32_t> dtype = getDType(op, type.getElementType());
  if (!dtype)
    return failure();
  Value result = op.getValues() ? op.getValues() : op.getIndices();
  ArrayRef<ExprAttr> sizes = type.getSizes().getDims();
  size_t dim = op.getDim();
  Value desc = scratch(kDescriptor, sizeof(coil_sort) / 8);
  auto set32 = [&](size_t offset, int64_t value) {
    store(i32(static_cast<int32_t>(value)), desc,
          static_cast<unsigned>(offset / 4), i32Type);
  };
  auto set = [&](size_t offset, ExprAttr e) {
    store(value(e), desc, static_cast<unsigned>(offset / 8), i64Type);
  };
  set32(offsetof(coil_sort, struct_size), sizeof(coil_sort));
  set32(offsetof(coil_sort, dtype), *dtype);
  set32(offsetof(coil_sort, descending), op.getDescending());
  set32(offsetof(coil_sort, unordered), op.getUnordered());
  MLIRContext *ctx = b.getContext();
  set(offsetof(coil_sort, outer), sym::product(ctx, sizes.take_front(dim)));
  set(offsetof(coil_sort, size), sizes[dim]);
  set(offsetof(coil_sort, inner), sym::product(ctx, sizes.drop_front(dim + 1)));
  set(offsetof(coil_sort, count),
      cast<BufferType>(result.getType()).getSizes()[dim]);
  store(place(op), desc, offsetof(coil_sort, where) / 8, ptrType);
  call(device->sortFunction,
       {now.run, desc, buffer(op.getX()),
        op.getValues() ? buffer(op.getValues()) : null(),
        op.getIndices() ? buffer(op.getIndices()) : null()});
  return success();
}
