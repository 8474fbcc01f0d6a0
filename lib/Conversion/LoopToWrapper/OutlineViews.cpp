//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of values that lie elsewhere than they have to, views, and what
// functions return.
//
//===----------------------------------------------------------------------===//

#include "Outliner.h"
#include "coil/Dialect/Loop/Analysis/Layout.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "convert-loop-to-wrapper"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// Makes one dimension of those that are next to each other in all layouts:
/// replaces the extents, and the positions of the old dimensions.
static void joinDims(ArrayRef<ArrayRef<ExprAttr>> layouts,
                     SmallVector<ExprAttr> &extents,
                     SmallVector<ExprAttr> &positions) {
  SmallVector<ExprAttr> joined;
  for (size_t begin = 0, end; begin < extents.size(); begin = end) {
    ExprAttr extent = extents[begin];
    for (end = begin + 1; end < extents.size(); ++end) {
      bool follows =
          !extents[end].isConstant(0) &&
          llvm::all_of(layouts, [&](ArrayRef<ExprAttr> strides) {
            return strides[end - 1] == sym::mul(strides[end], extents[end]);
          });
      if (!follows)
        break;
      extent = sym::mul(extent, extents[end]);
    }
    ExprAttr rest =
        sym::dim(extent.getContext(), static_cast<unsigned>(joined.size()));
    for (size_t d = end; --d > begin;) {
      positions[d] = sym::mod(rest, extents[d]);
      rest = sym::floorDiv(rest, extents[d]);
    }
    positions[begin] = rest;
    joined.push_back(extent);
  }
  extents = std::move(joined);
}

/// Replaces dimensions by those of a walk through memory: in the order in which
/// elements lie in the last layout, joined where that can be done in all, and
/// without those that are one element in all. Returns the positions.
static SmallVector<ExprAttr> walkInOrder(ArrayRef<ArrayRef<ExprAttr>> layouts,
                                         SmallVector<ExprAttr> &extents) {
  auto isRepeated = [&](unsigned d) {
    return llvm::all_of(layouts, [&](ArrayRef<ExprAttr> strides) {
      return strides[d].isConstant(0);
    });
  };
  SmallVector<unsigned> order;
  SmallVector<ExprAttr> positions(extents.size());
  for (unsigned d = 0; d < extents.size(); ++d) {
    // An empty tensor has no element at all.
    if (isRepeated(d) && extents[d].isConstant() && extents[d].getValue() > 0)
      positions[d] = sym::constant(extents[d].getContext(), 0);
    else
      order.push_back(d);
  }
  ArrayRef<ExprAttr> last = layouts.back();
  if (llvm::all_of(order, [&](unsigned d) { return last[d].isConstant(); }))
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(-last[a].getValue(), a) <
             std::pair(-last[b].getValue(), b);
    });
  SmallVector<ExprAttr> walked, walkedPositions(order.size());
  SmallVector<SmallVector<ExprAttr>> walkedLayouts(layouts.size());
  for (unsigned d : order) {
    walked.push_back(extents[d]);
    for (auto [from, to] : llvm::zip_equal(layouts, walkedLayouts))
      to.push_back(from[d]);
  }
  joinDims(SmallVector<ArrayRef<ExprAttr>>(walkedLayouts.begin(),
                                           walkedLayouts.end()),
           walked, walkedPositions);
  for (auto [d, position] : llvm::zip_equal(order, walkedPositions))
    positions[d] = position;
  extents = std::move(walked);
  return positions;
}

Value Outliner::copy(Location loc, Value source, ArrayRef<ExprAttr> indices,
                     RankedTensorType type, ArrayRef<ExprAttr> strides) {
  OpBuilder old(&fn.getBody().front(), std::prev(fn.getBody().front().end()));
  AtDevice scope(*this, getType(buffers[source]).getDevice());
  Value buffer = alloc(loc, type, strides);
  SmallVector<ExprAttr> extents = sym::getSizes(type), from(indices), to;
  for (unsigned d = 0; d < extents.size(); ++d)
    to.push_back(sym::dim(b.getContext(), d));
  if (from == to) {
    ArrayRef<ExprAttr> layouts[] = {
        getType(buffers[source]).getStrides().getDims(),
        getType(buffer).getStrides().getDims()};
    to = walkInOrder(layouts, extents);
    from = to;
  }
  auto kernel = loop::KernelOp::create(old, loc, "copy", extents, source,
                                       TypeRange(type));
  OpBuilder body = OpBuilder::atBlockEnd(kernel.getBlock());
  auto load =
      loop::LoadOp::create(body, loc, kernel.getBlock()->getArgument(0), from);
  loop::StoreOp::create(body, loc, load, 0,
                        sym::ShapeAttr::get(b.getContext(), to));
  launch(kernel, buffer);
  return buffer;
}

Value Outliner::clone(Location loc, Value source) {
  auto type = cast<RankedTensorType>(source.getType());
  AtDevice scope(*this, getType(buffers[source]).getDevice());
  if (getType(buffers[source]) == BufferType::get(type, {}, device)) {
    Value target = alloc(loc, type);
    CopyOp::create(b, loc, buffers[source], target);
    return target;
  }
  SmallVector<ExprAttr> dims;
  for (unsigned d = 0; d < type.getRank(); ++d)
    dims.push_back(sym::dim(b.getContext(), d));
  return copy(loc, source, dims, type, {});
}

void Outliner::convertView(loop::ViewOp view) {
  auto type = cast<RankedTensorType>(view.getResult().getType());
  Value source = buffers[view.getInput()];
  std::optional<loop::StridedView> strided =
      loop::getStridedView(view, getType(source).getStrides().getDims());
  if (!strided) {
    remark::missed(view.getLoc(),
                   remark::RemarkOpts::name("ViewCopied").category(DEBUG_TYPE))
        << remark::add(
               "copied: the elements of the view are not evenly spaced");
    buffers[view.getResult()] = copy(view.getLoc(), view.getInput(),
                                     view.getIndices().getDims(), type, {});
    return;
  }
  buffers[view.getResult()] = ReinterpretOp::create(
      b, view.getLoc(), BufferType::get(type, strided->strides, device), source,
      strided->offset);
}

LogicalResult Outliner::convertReturn(func::ReturnOp op) {
  SmallVector<Value> results;
  SmallVector<Type> types;
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    auto type = cast<RankedTensorType>(value.getType());
    Value buffer = buffers[value];
    SmallVector<ExprAttr> sizes = sym::getSizes(type);
    SmallVector<ExprAttr> strides =
        sym::getContiguousStrides(b.getContext(), sizes);
    if (auto attr = fn.getResultAttrOfType<sym::ShapeAttr>(
            static_cast<unsigned>(i), kStridesAttrName)) {
      if (failed(checkStrides(fn, attr, type, "result " + Twine(i))))
        return failure();
      strides.assign(attr.getDims().begin(), attr.getDims().end());
    }
    AtDevice scope(*this, getType(buffer).getDevice());
    DeviceAttr place = getPlace(function_interface_impl::getResultAttrDict(
                                    fn, static_cast<unsigned>(i)),
                                "result " + Twine(i));
    if (!place)
      return failure();
    if (place != device) {
      FailureOr<Value> moved =
          moveResult(op, static_cast<unsigned>(i), place, strides);
      if (failed(moved))
        return failure();
      results.push_back(*moved);
      types.push_back(moved->getType());
      continue;
    }
    if (!hasStrides(buffer, sizes, strides) || !isOwned(buffer)) {
      auto wanted = BufferType::get(type, strides, device);
      if (wanted == buffer.getType() && wanted.isContiguous()) {
        Value target = alloc(op.getLoc(), type);
        CopyOp::create(b, op.getLoc(), buffer, target);
        buffer = target;
      } else {
        SmallVector<ExprAttr> dims;
        for (unsigned d = 0; d < type.getRank(); ++d)
          dims.push_back(sym::dim(b.getContext(), d));
        buffer = copy(op.getLoc(), value, dims, type, strides);
      }
    }
    results.push_back(buffer);
    types.push_back(buffer.getType());
  }
  ReturnOp::create(b, op.getLoc(), results);
  result.setFunctionType(b.getFunctionType(result.getArgumentTypes(), types));
  for (unsigned i = 0; i < types.size(); ++i) {
    NamedAttrList attrs(function_interface_impl::getResultAttrs(fn, i));
    attrs.erase(kStridesAttrName);
    attrs.erase(kPlacedAttrName);
    attrs.erase(graph::kDeviceIndexAttrName);
    result.setResultAttrs(i, attrs);
  }
  return success();
}
