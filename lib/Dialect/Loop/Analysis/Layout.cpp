//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of tensors are.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Layout.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

bool coil::loop::isDense(ArrayRef<ExprAttr> sizes, ArrayRef<ExprAttr> strides) {
  llvm::SmallBitVector left(static_cast<unsigned>(sizes.size()));
  for (unsigned d = 0; d < sizes.size(); ++d)
    left[d] = !sizes[d].isConstant(1);
  if (left.none())
    return true;
  ExprAttr next = sym::constant(sizes.front().getContext(), 1);
  while (left.any()) {
    auto dims = left.set_bits();
    auto it =
        llvm::find_if(dims, [&](unsigned d) { return strides[d] == next; });
    if (it == dims.end())
      return false;
    next = sym::mul(next, sizes[*it]);
    left.reset(*it);
  }
  return true;
}

/// The strides that an outlined kernel states of operand or result `number`.
static ArrayRef<ExprAttr> getOutlinedStrides(Operation *kernel, StringRef name,
                                             unsigned number) {
  auto all = kernel ? kernel->getAttrOfType<ArrayAttr>(name) : ArrayAttr();
  if (!all || number >= all.size())
    return {};
  auto strides = dyn_cast<sym::ShapeAttr>(all[number]);
  return strides ? strides.getDims() : ArrayRef<ExprAttr>();
}

ArrayRef<ExprAttr> coil::loop::getReturnedStrides(OpResult value) {
  // Libraries are called for contiguous results.
  auto kernel = dyn_cast<KernelOp>(value.getOwner());
  auto schedule = kernel
                      ? dyn_cast_or_null<ScheduleAttr>(kernel.getScheduleAttr())
                      : ScheduleAttr();
  if (!kernel || (schedule && schedule.getLibrary()) || value.use_empty())
    return {};
  auto fn = kernel->getParentOfType<FunctionOpInterface>();
  sym::ShapeAttr wanted;
  for (OpOperand &use : value.getUses()) {
    sym::ShapeAttr strides;
    if (fn && use.getOwner()->hasTrait<OpTrait::ReturnLike>() &&
        use.getOwner()->getParentOp() == fn)
      strides = fn.getResultAttrOfType<sym::ShapeAttr>(use.getOperandNumber(),
                                                       "coil.strides");
    if (!strides || (wanted && wanted != strides))
      return {};
    wanted = strides;
  }
  SmallVector<ExprAttr> sizes =
      sym::getSizes(cast<RankedTensorType>(value.getType()));
  if (wanted.size() != sizes.size() || !isDense(sizes, wanted.getDims()))
    return {};
  return wanted.getDims();
}

std::optional<StridedView> coil::loop::getLinearAddress(ExprAttr address,
                                                        unsigned rank) {
  MLIRContext *ctx = address.getContext();
  StridedView result;
  ExprAttr rest = address;
  for (unsigned d = 0; d < rank; ++d) {
    auto split = sym::splitLinear(rest, sym::dim(ctx, d));
    if (!split)
      return std::nullopt;
    result.strides.push_back(split->first);
    rest = split->second;
  }
  result.offset = rest;
  auto hasOnlySymbols = [](ExprAttr e) {
    bool ok = true;
    sym::walkLeaves(e, [&](ExprAttr leaf) { ok &= leaf.isSymbol(); });
    return ok;
  };
  if (!hasOnlySymbols(rest) || !llvm::all_of(result.strides, hasOnlySymbols))
    return std::nullopt;
  return result;
}

std::optional<StridedView>
coil::loop::getStridedView(ViewOp view, ArrayRef<ExprAttr> input) {
  auto type = cast<RankedTensorType>(view.getResult().getType());
  sym::Context facts = sym::Context::forOp(view);
  facts.setDimExtents(sym::getSizes(type));
  std::optional<StridedView> result = getLinearAddress(
      facts.simplify(sym::getAddress(view.getContext(),
                                     view.getIndices().getDims(), input)),
      static_cast<unsigned>(type.getRank()));
  // Neither libraries nor frameworks have tensors of negative strides.
  if (result && llvm::any_of(result->strides, [&](ExprAttr stride) {
        return !stride.isConstant(0) &&
               facts.isNonNegative(sym::mul(stride, -1));
      }))
    return std::nullopt;
  return result;
}

Layout coil::loop::getLayout(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  MLIRContext *ctx = type.getContext();
  Layout layout;
  layout.sizes = sym::getSizes(type);
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto fn =
        dyn_cast_or_null<FunctionOpInterface>(arg.getOwner()->getParentOp());
    if (fn && arg.getOwner()->isEntryBlock())
      if (auto strides = fn.getArgAttrOfType<sym::ShapeAttr>(arg.getArgNumber(),
                                                             "coil.strides"))
        layout.strides.assign(strides.getDims().begin(),
                              strides.getDims().end());
    if (arg.getOwner()->isEntryBlock() && !fn)
      llvm::append_range(layout.strides,
                         getOutlinedStrides(arg.getOwner()->getParentOp(),
                                            "input_strides",
                                            arg.getArgNumber()));
  } else if (auto kernel = value.getDefiningOp<KernelOp>()) {
    llvm::append_range(layout.strides,
                       getReturnedStrides(cast<OpResult>(value)));
    if (layout.strides.empty() && value.hasOneUse() &&
        value.getUsers().begin()->hasTrait<OpTrait::IsTerminator>())
      llvm::append_range(
          layout.strides,
          getOutlinedStrides(kernel->getParentOp(), "output_strides",
                             value.getUses().begin()->getOperandNumber()));
  } else if (auto view = value.getDefiningOp<ViewOp>()) {
    if (std::optional<StridedView> strided =
            getStridedView(view, getLayout(view.getInput()).strides))
      layout.strides = std::move(strided->strides);
  }
  if (layout.strides.size() != layout.sizes.size())
    layout.strides = sym::getContiguousStrides(ctx, layout.sizes);
  return layout;
}

SmallVector<ExprAttr> coil::loop::getOperandStrides(KernelOp kernel,
                                                    Value tensor) {
  auto arg = dyn_cast<BlockArgument>(tensor);
  if (arg && arg.getOwner() == kernel.getBlock() &&
      arg.getArgNumber() < kernel.getInputs().size())
    tensor = kernel.getInputs()[arg.getArgNumber()];
  return getLayout(tensor).strides;
}
