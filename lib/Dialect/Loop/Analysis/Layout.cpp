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

/// The dimension of `view` that each dimension of its operand is, when it only
/// permutes them; nothing otherwise.
static std::optional<SmallVector<unsigned>> getPermutation(ViewOp view) {
  llvm::SmallBitVector taken(view.getIndices().size());
  if (cast<RankedTensorType>(view.getType()).getRank() !=
      static_cast<int64_t>(view.getIndices().size()))
    return std::nullopt;
  SmallVector<unsigned> dims;
  for (ExprAttr index : view.getIndices().getDims()) {
    if (!index.isDim() || taken[static_cast<unsigned>(index.getValue())])
      return std::nullopt;
    dims.push_back(static_cast<unsigned>(index.getValue()));
    taken.set(dims.back());
  }
  auto sizes = sym::getSizes(cast<RankedTensorType>(view.getType()));
  auto from = sym::getSizes(cast<RankedTensorType>(view.getInput().getType()));
  for (auto [d, size] : llvm::zip_equal(dims, from))
    if (sizes[d] != size)
      return std::nullopt;
  return dims;
}

/// The strides of `use`, of a returned value or of a permutation of it that is
/// returned and has no other user; nothing for other uses.
static SmallVector<ExprAttr> getStridesOfUse(OpOperand &use,
                                             FunctionOpInterface fn) {
  Operation *user = use.getOwner();
  if (user->hasTrait<OpTrait::ReturnLike>() && user->getParentOp() == fn) {
    if (auto strides = fn.getResultAttrOfType<sym::ShapeAttr>(
            use.getOperandNumber(), "coil.strides"))
      return llvm::to_vector(strides.getDims());
    return sym::getContiguousStrides(
        fn.getContext(),
        sym::getSizes(cast<RankedTensorType>(use.get().getType())));
  }
  auto view = dyn_cast<ViewOp>(user);
  if (!view || !view->hasOneUse())
    return {};
  std::optional<SmallVector<unsigned>> dims = getPermutation(view);
  OpOperand &next = *view->getUses().begin();
  if (!dims || isa<ViewOp>(next.getOwner()))
    return {};
  SmallVector<ExprAttr> strides = getStridesOfUse(next, fn);
  if (strides.size() != dims->size())
    return {};
  SmallVector<ExprAttr> result;
  for (unsigned d : *dims)
    result.push_back(strides[d]);
  return result;
}

/// The dimension of a kernel along which an access walks elements one by one,
/// or -1.
static int64_t getContiguousDim(KernelOp kernel, ArrayRef<ExprAttr> indices,
                                ArrayRef<ExprAttr> strides) {
  ExprAttr address = sym::getAddress(kernel.getContext(), indices, strides);
  for (unsigned d = 0; d < kernel.getNumDims(); ++d)
    if (auto split =
            sym::splitLinear(address, sym::dim(kernel.getContext(), d));
        split && split->first.isConstant(1) &&
        !kernel.getExtent(d).isConstant(1))
      return d;
  return -1;
}

/// Whether a kernel that stores result number `result` with `strides` walks its
/// operands and that along two dimensions at most. A tile of two serves those;
/// with three, some would be walked element by element, and to copy the result
/// takes less.
static bool walksTwoDims(KernelOp kernel, unsigned result,
                         ArrayRef<ExprAttr> strides) {
  StoreOp store = kernel.getStore(result);
  if (!store)
    return false;
  llvm::SmallBitVector dims(kernel.getNumDims());
  auto add = [&](int64_t dim) {
    if (dim >= 0)
      dims.set(static_cast<unsigned>(dim));
  };
  add(getContiguousDim(kernel, store.getIndices().getDims(), strides));
  for (LoadOp load : kernel.getBlock()->getOps<LoadOp>())
    add(getContiguousDim(kernel, load.getIndices().getDims(),
                         getOperandStrides(kernel, load.getSource())));
  return dims.count() <= 2;
}

SmallVector<ExprAttr> coil::loop::getReturnedStrides(OpResult value) {
  // Libraries are called for contiguous results.
  auto kernel = dyn_cast<KernelOp>(value.getOwner());
  auto schedule = kernel
                      ? dyn_cast_or_null<ScheduleAttr>(kernel.getScheduleAttr())
                      : ScheduleAttr();
  if (!kernel || (schedule && schedule.getLibrary()) || value.use_empty())
    return {};
  auto fn = kernel->getParentOfType<FunctionOpInterface>();
  if (!fn)
    return {};
  SmallVector<ExprAttr> wanted;
  bool isPermuted = false;
  for (OpOperand &use : value.getUses()) {
    isPermuted |= isa<ViewOp>(use.getOwner());
    // Rows that are reduced are walked along their elements: in another order
    // they would be written one by one.
    if (isa<ViewOp>(use.getOwner()) && !kernel.getReducedDims().empty())
      return {};
    SmallVector<ExprAttr> strides = getStridesOfUse(use, fn);
    if (strides.empty() || (!wanted.empty() && wanted != strides))
      return {};
    wanted = std::move(strides);
  }
  SmallVector<ExprAttr> sizes =
      sym::getSizes(cast<RankedTensorType>(value.getType()));
  if (wanted.size() != sizes.size() || !isDense(sizes, wanted) ||
      (isPermuted && !walksTwoDims(kernel, value.getResultNumber(), wanted)))
    return {};
  return wanted;
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
