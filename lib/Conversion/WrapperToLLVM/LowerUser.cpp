//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits launches of kernels that users supply.
//
//===----------------------------------------------------------------------===//

#include "HostLowering.h"

#include "coil/Runtime/CUDA.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// Numbers of scratch memory (see LowerCompute.cpp): what is passed, where it
/// is, and the sizes of the grid.
static constexpr unsigned kPassed = 6, kPlaces = 7, kGrid = 8, kMap = 9;

/// The number that is passed, of the parameter's type.
Value HostLowering::userNumber(const LaunchUserOp::Passed &passed) {
  Type type = passed.parameter.getType();
  if (auto number = dyn_cast<FloatAttr>(passed.argument)) {
    APFloat converted = number.getValue();
    bool losesInfo = false;
    converted.convert(cast<FloatType>(type).getFloatSemantics(),
                      APFloat::rmNearestTiesToEven, &losesInfo);
    return LLVM::ConstantOp::create(b, type, b.getFloatAttr(type, converted));
  }
  if (!passed.operand) {
    Value number = value(cast<ExprAttr>(passed.argument));
    return type.isInteger(32) ? LLVM::TruncOp::create(b, type, number) : number;
  }
  Value number = buffer(passed.operand);
  if (isa<IntegerType>(type)) // A bool.
    return LLVM::ZExtOp::create(b, type, number);
  return type.isF32() ? LLVM::FPTruncOp::create(b, type, number) : number;
}

LogicalResult HostLowering::lower(LaunchUserOp op) {
  auto kernel = module.lookup<KernelOp>(op.getCallee());
  auto grid = module.lookup<GridOp>(op.getGrid());
  DeviceAttr deviceAttr = kernel.getDeviceAttr();
  if (!deviceAttr)
    deviceAttr = DeviceAttr::get(b.getContext(), "cpu", 0);
  const DeviceInfo *device = getDevice(op, deviceAttr);
  if (!device)
    return failure();
  bool byGeometry = device->launchByGeometry;
  if (byGeometry ? !kernel.getGeometry() : !kernel.getTotal()) { // (C1)
    InFlightDiagnostic diag = op.emitOpError()
                              << "kernel '" << op.getCallee()
                              << "' was not lowered for its device";
    diag.attachNote(kernel.getLoc()) << "kernel defined here";
    return diag;
  }
  const std::string &function =
      byGeometry ? device->launchUserFunction : device->launchFunction;
  if (function.empty()) // (C2)
    return op.emitOpError()
           << "device '" << device->kind << "' cannot run user-defined kernels";

  auto passed = op.getPassed(kernel);
  Value places = null();
  if (!passed.empty()) {
    auto count = static_cast<unsigned>(passed.size());
    Value values = scratch(kPassed, count);
    places = scratch(kPlaces, count);
    for (unsigned i = 0; i < count; ++i) {
      const LaunchUserOp::Passed &each = passed[i];
      if (each.map) { // Its bytes are passed, not their address.
        store(buffer(each.map), places, i, ptrType);
        continue;
      }
      Value argument = each.isNull()               ? null()
                       : each.parameter.isBuffer() ? buffer(each.operand)
                                                   : userNumber(each);
      Value place =
          LLVM::GEPOp::create(b, ptrType, i64Type, values,
                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(b, argument, place);
      store(place, places, i, ptrType);
    }
  }
  sym::ShapeAttr sizes = op.resolveGrid(grid);
  SmallVector<Value> args = {now.run, kernelAddress(kernel), places};
  if (byGeometry) {
    for (ExprAttr blocks : sizes.getDims())
      args.push_back(value(blocks));
  } else {
    args.push_back(array(sizes.getDims(), kGrid));
    args.push_back(value(sym::product(b.getContext(), sizes.getDims())));
    args.push_back(i64(1));
  }
  call(function, args);
  return success();
}

LogicalResult HostLowering::lower(TMADescriptorOp op) {
  BufferType type = op.getBufferType();
  const DeviceInfo *device = getDevice(op, type.getDevice());
  if (!device)
    return failure();
  std::optional<int32_t> dtype = getDType(op, type.getElementType());
  if (!dtype)
    return failure();
  Value desc = scratch(kMap, sizeof(coil_tensor_map) / 8);
  auto set32 = [&](size_t offset, int64_t v) {
    store(i32(static_cast<int32_t>(v)), desc, static_cast<unsigned>(offset / 4),
          i32Type);
  };
  set32(offsetof(coil_tensor_map, struct_size), sizeof(coil_tensor_map));
  set32(offsetof(coil_tensor_map, dtype), *dtype);
  set32(offsetof(coil_tensor_map, rank), type.getRank());
  set32(offsetof(coil_tensor_map, interleave),
        static_cast<int64_t>(op.getInterleave()));
  set32(offsetof(coil_tensor_map, swizzle),
        static_cast<int64_t>(op.getSwizzle()));
  set32(offsetof(coil_tensor_map, promotion),
        static_cast<int64_t>(op.getPromotion()));
  set32(offsetof(coil_tensor_map, fill), static_cast<int64_t>(op.getFill()));
  set32(offsetof(coil_tensor_map, reserved), 0);
  SmallVector<int64_t> elementStrides = op.getElementStrides();
  for (unsigned i = 0; i < type.getRank(); ++i) {
    auto set = [&](size_t offset, Value v) {
      store(v, desc, static_cast<unsigned>(offset / 8 + i), i64Type);
    };
    set(offsetof(coil_tensor_map, sizes), value(type.getSizes()[i]));
    set(offsetof(coil_tensor_map, strides), value(type.getStrides()[i]));
    set(offsetof(coil_tensor_map, box), i64(op.getBox()[i]));
    set(offsetof(coil_tensor_map, element_strides), i64(elementStrides[i]));
  }
  store(place(op), desc, offsetof(coil_tensor_map, where) / 8, ptrType);
  Value slot = scratch(0, 1);
  call(device->tensorMapFunction,
       {now.run, desc, buffer(op.getSource()), slot});
  setBuffer(op, LLVM::LoadOp::create(b, ptrType, slot));
  return success();
}
