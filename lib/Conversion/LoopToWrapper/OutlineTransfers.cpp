//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments and results that are not on the program's device. What a model
// computes on the host in between is computed on the device: elements are the
// same, and nothing has to move there and back.
//
//===----------------------------------------------------------------------===//

#include "Outliner.h"
#include "coil/Dialect/Loop/Analysis/Layout.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "convert-loop-to-wrapper"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

DeviceAttr Outliner::getPlace(DictionaryAttr attrs, const Twine &what) {
  Attribute attr = attrs ? attrs.get(kPlacedAttrName) : Attribute();
  if (!attr) {
    auto index = attrs ? attrs.getAs<IntegerAttr>(graph::kDeviceIndexAttrName)
                       : IntegerAttr();
    return index ? getDevice(index.getInt()) : home;
  }
  auto kind = dyn_cast<StringAttr>(attr);
  auto *dialect = b.getContext()->getLoadedDialect<WrapperDialect>();
  if (!kind || !dialect->lookupDevice(kind)) {
    fn.emitError() << what << " is on " << attr
                   << ", which is not registered as a device";
    return {};
  }
  return kind == home.getKind() ? home
                                : DeviceAttr::get(b.getContext(), kind, 0);
}

/// Whether the host alone looks at a value.
static bool isOnlyRead(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    return isa<graph::ItemOp>(use.getOwner()) ||
           (isa<graph::IfOp>(use.getOwner()) && use.getOperandNumber() == 0);
  });
}

void Outliner::moveArguments() {
  for (BlockArgument arg : fn.getArguments()) {
    Value buffer = buffers[arg];
    BufferType type = getType(buffer);
    if (type.getDevice().getKind() == home.getKind())
      continue;
    passed[arg] = buffer;
    if (isOnlyRead(arg))
      continue;
    // What one device alone needs goes there at once.
    auto first = arg.use_empty()
                     ? graph::ToDeviceOp()
                     : dyn_cast<graph::ToDeviceOp>(*arg.user_begin());
    bool isElsewhere =
        first && llvm::all_of(arg.getUsers(), [&](Operation *user) {
          auto move = dyn_cast<graph::ToDeviceOp>(user);
          return move && move.getIndex() == first.getIndex();
        });
    AtDevice scope(
        *this,
        isElsewhere ? getDevice(static_cast<int64_t>(first.getIndex())) : home);
    remark::analysis(
        arg.getLoc(),
        remark::RemarkOpts::name("ArgumentMoved").category(DEBUG_TYPE))
        << remark::add("argument {0} is on '{1}' and moved to '{2}': {3} bytes",
                       arg.getArgNumber(), type.getDevice().getKind(),
                       device.getKind(), type.getStorageBytes().str());
    Value moved = alloc(arg.getLoc(), arg.getType());
    TransferOp::create(b, arg.getLoc(), buffer, moved);
    buffers[arg] = moved;
  }
}

Value Outliner::getForHost(Value value) {
  Value buffer = passed.lookup(value);
  return buffer ? buffer : buffers[value];
}

void Outliner::convertItem(graph::ItemOp item) {
  remark::analysis(item.getLoc(),
                   remark::RemarkOpts::name("HostRead").category(DEBUG_TYPE))
      << remark::add("read {0} of the host: '{1}', a number that data decides; "
                     "the host waits for the device",
                     ++numHostReads, item.getSymbol());
  ItemOp::create(b, item.getLoc(), Type(), item.getSymbolAttr(),
                 getForHost(item.getSource()), IntegerAttr());
}

FailureOr<Value> Outliner::moveResult(func::ReturnOp op, unsigned i,
                                      DeviceAttr place,
                                      ArrayRef<ExprAttr> strides) {
  Location loc = op.getLoc();
  Value value = op.getOperand(i);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<ExprAttr> sizes = sym::getSizes(type);
  if (!loop::isDense(sizes, strides))
    return fn.emitError() << "result " << i << " is on '" << place.getKind()
                          << "' and has strides with gaps";
  // A layout on the device as it shall be there. What is dense is also one row,
  // whatever its order.
  Value source = buffers[value];
  if (!hasStrides(source, sizes, strides)) {
    SmallVector<ExprAttr> dims;
    for (unsigned d = 0; d < sizes.size(); ++d)
      dims.push_back(sym::dim(b.getContext(), d));
    source = copy(loc, value, dims, type, strides);
  }
  Value target = alloc(loc, type, strides, place), row = target;
  if (source.getType() != BufferType::get(type, {}, device) ||
      !getType(target).isContiguous()) {
    auto flat = sym::getTensorType(sym::product(b.getContext(), sizes),
                                   type.getElementType());
    ExprAttr zero = sym::constant(b.getContext(), 0);
    source = ReinterpretOp::create(b, loc, BufferType::get(flat, {}, device),
                                   source, zero);
    row = ReinterpretOp::create(b, loc, BufferType::get(flat, {}, place),
                                target, zero);
  }
  remark::analysis(loc,
                   remark::RemarkOpts::name("ResultMoved").category(DEBUG_TYPE))
      << remark::add("result {0} is on '{1}' and moved there: {2} bytes", i,
                     place.getKind(), getType(row).getStorageBytes().str());
  TransferOp::create(b, loc, source, row);
  return target;
}

//===----------------------------------------------------------------------===//
// Several devices
//===----------------------------------------------------------------------===//

DeviceAttr Outliner::getDevice(int64_t index) {
  auto *dialect = b.getContext()->getLoadedDialect<WrapperDialect>();
  const DeviceInfo *info = dialect->lookupDevice(home.getKind());
  // Memory that the host shares has one place.
  if (index == 0 || (info && info->hostAccessible))
    return home;
  return DeviceAttr::get(b.getContext(), home.getKind(),
                         home.getIndex() + index);
}

void Outliner::findDevices() {
  if (getDevice(1) == home)
    return;
  isSeveral = fn.walk([](graph::ToDeviceOp) {
                  return WalkResult::interrupt();
                }).wasInterrupted();
  for (unsigned i = 0; i < fn.getNumArguments(); ++i)
    isSeveral |= !!fn.getArgAttr(i, graph::kDeviceIndexAttrName);
  for (unsigned i = 0; i < fn.getNumResults(); ++i)
    isSeveral |= !!fn.getResultAttr(i, graph::kDeviceIndexAttrName);
}

DeviceAttr Outliner::findDevice(Operation &op) {
  if (!isSeveral)
    return home;
  if (auto move = dyn_cast<graph::ToDeviceOp>(op))
    return getDevice(static_cast<int64_t>(move.getIndex()));
  auto getPlaceOf = [&](Value v) -> DeviceAttr {
    Value buffer = buffers.lookup(v);
    if (!buffer || getType(buffer).getDevice().getKind() != home.getKind())
      return {};
    return getType(buffer).getDevice();
  };
  auto isFree = [](Value v) {
    Operation *made = v.getDefiningOp();
    return made && made->getNumOperands() == 0;
  };
  // What has no operands itself has no reason to be where it is.
  DeviceAttr found;
  auto look = [&](Operation &each) {
    for (Value v : each.getOperands())
      if (DeviceAttr place = getPlaceOf(v)) {
        found = place;
        if (!isFree(v))
          return true;
      }
    return false;
  };
  if (look(op) || found)
    return found;
  for (Operation *user : op.getUsers()) {
    if (auto move = dyn_cast<graph::ToDeviceOp>(user))
      return getDevice(static_cast<int64_t>(move.getIndex()));
    if (look(*user))
      return found;
  }
  return home;
}

Value Outliner::moveTo(Location loc, Value value, DeviceAttr place) {
  Value known = moved.lookup({value, place});
  if (known)
    return known;
  remark::analysis(loc,
                   remark::RemarkOpts::name("ValueMoved").category(DEBUG_TYPE))
      << remark::add(
             "moved to device {0}: {1} bytes",
             place.getIndex() - home.getIndex(),
             BufferType::get(cast<RankedTensorType>(value.getType()), {}, place)
                 .getStorageBytes()
                 .str());
  Value target = alloc(loc, value.getType(), {}, place);
  TransferOp::create(b, loc, buffers[value], target);
  // What is made in a region is known there alone.
  if (isa<FuncOp>(b.getInsertionBlock()->getParentOp()))
    moved[{value, place}] = target;
  return target;
}

LogicalResult Outliner::convertToDevice(graph::ToDeviceOp op) {
  Value value = op.getInput(), buffer = buffers[value];
  if (getType(buffer).getDevice() != device)
    buffer = moveTo(op.getLoc(), value, device);
  buffers[op.getResult()] = buffer;
  return success();
}
