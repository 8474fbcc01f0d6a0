//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// as_strided and its like, which see a tensor by where its elements lie in
// memory.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using sym::ExprAttr;

static std::optional<int64_t> getInt(Attribute attr) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attr);
  return integer ? std::optional(integer.getInt()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Memory without gaps
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>>
coil::import::getHints(ArrayRef<SymInt> values) {
  SmallVector<int64_t> hints;
  for (const SymInt &value : values) {
    if (value.isSymbolic() && !value.hint)
      return std::nullopt;
    hints.push_back(value.isSymbolic() ? *value.hint : value.value);
  }
  return hints;
}

/// All elements of the storage, in the order in which they lie.
Expected<View *> ModuleBuilder::getFlatView(Storage *storage, bool allowGaps) {
  View *root = storage->root;
  const TensorMeta &meta = *storage->meta;
  auto dims = to_vector(llvm::seq<int64_t>(0, root->type.getRank()));
  if (std::optional<SmallVector<int64_t>> strides = getHints(meta.strides))
    llvm::stable_sort(dims, [&](int64_t a, int64_t b) {
      return (*strides)[a] > (*strides)[b];
    });
  SmallVector<SymInt> sizes, strides;
  SmallVector<ExprAttr> types;
  for (int64_t d : dims) {
    sizes.push_back(meta.sizes[d]);
    strides.push_back(meta.strides[d]);
    types.push_back(sym::getSizes(root->type)[d]);
  }
  Expected<Attribute> gaps = getStrides(sizes, strides);
  if (!gaps)
    return gaps.takeError();
  if (*gaps && allowGaps)
    return getSpreadView(storage);
  if (*gaps)
    return makeError("its memory has gaps or repeats elements, which is not "
                     "supported");
  Type element = root->type.getElementType();
  ViewOp permute = getViewOp(
      ViewKind::Permute, "aten.permute.default",
      builder.getNamedAttr("dims", builder.getDenseI64ArrayAttr(dims)));
  Expected<View *> ordered =
      storages.getView(root, permute, sym::getTensorType(types, element));
  if (!ordered)
    return ordered.takeError();
  return storages.getView(
      *ordered, getViewOp(ViewKind::Reshape, "", {}),
      sym::getTensorType(sym::getNumElements(root->type), element));
}

//===----------------------------------------------------------------------===//
// Memory with gaps
//===----------------------------------------------------------------------===//

namespace {
/// A dimension in memory: so many elements, so far apart.
struct Extent {
  int64_t dim, size, stride;
};
} // namespace

/// The dimensions of more than one element of a tensor, from the longest stride
/// on, where each stride steps over all elements of the dimensions behind it.
/// Nothing for other tensors, and where a size or a stride is a symbol.
static std::optional<SmallVector<Extent>> getNest(const TensorMeta &meta) {
  SmallVector<Extent> nest;
  for (auto [d, size, stride] : enumerate(meta.sizes, meta.strides)) {
    if (size.isSymbolic() || stride.isSymbolic() || size.value < 1)
      return std::nullopt;
    if (size.value > 1)
      nest.push_back({static_cast<int64_t>(d), size.value, stride.value});
  }
  llvm::stable_sort(nest,
                    [](Extent a, Extent b) { return a.stride > b.stride; });
  int64_t length = 1;
  for (const Extent &e : llvm::reverse(nest))
    if (e.stride < length || llvm::MulOverflow(e.size, e.stride, length))
      return std::nullopt;
  return nest;
}

/// Whether an element of the tensor lies at \p place of its memory.
static bool isElement(ArrayRef<Extent> nest, int64_t place) {
  for (const Extent &e : nest) {
    if (place / e.stride >= e.size)
      return false;
    place %= e.stride;
  }
  return place == 0;
}

/// Whether elements lie at all places that a strided view has. They are
/// enumerated, which costs no more than a run of the program, which reads them.
static bool areElements(ArrayRef<Extent> nest, int64_t offset,
                        ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  if (sizes.empty())
    return offset >= 0 && isElement(nest, offset);
  for (int64_t i = 0; i < sizes.front(); ++i)
    if (!areElements(nest, offset + i * strides.front(), sizes.drop_front(),
                     strides.drop_front()))
      return false;
  return true;
}

/// The memory of a storage, with something in the gaps between its elements:
/// from the innermost dimension on, each element is filled up to the stride and
/// laid beside the next one. For sizes 2x2 and strides 5, 2:
///
///     [[a b] [c d]]  ->  [[a . b .] [c . d .]]  ->  [a . b . . c . d . .]
Expected<View *> ModuleBuilder::getSpreadView(Storage *storage) {
  View *view = storage->root;
  std::optional<SmallVector<Extent>> nest = getNest(*storage->meta);
  if (!nest)
    return makeError("its memory repeats elements, or has gaps whose sizes are "
                     "symbols, which is not supported");
  Type element = view->type.getElementType();
  SmallVector<int64_t> order, sizes, permuted;
  for (const Extent &e : *nest) {
    order.push_back(e.dim);
    sizes.push_back(e.size);
  }
  for (int64_t d = 0; d < view->type.getRank(); ++d)
    if (!is_contained(order, d))
      order.push_back(d);
  for (int64_t d : order)
    permuted.push_back(view->type.getDimSize(d));
  auto follow = [&](ViewOp op, ArrayRef<int64_t> shape) -> Error {
    Expected<View *> next =
        storages.getView(view, op, RankedTensorType::get(shape, element));
    if (!next)
      return next.takeError();
    view = *next;
    return Error::success();
  };
  ViewOp reshape = getViewOp(ViewKind::Reshape, "", {});
  if (Error error =
          follow(getViewOp(ViewKind::Permute, "aten.permute.default",
                           builder.getNamedAttr(
                               "dims", builder.getDenseI64ArrayAttr(order))),
                 permuted))
    return error;
  sizes.push_back(1);
  if (Error error = follow(reshape, sizes))
    return error;
  for (const Extent &e : llvm::reverse(*nest)) {
    int64_t filled = e.stride - sizes.back();
    sizes.back() = e.stride;
    if (filled != 0)
      if (Error error = follow(
              getViewOp(ViewKind::Gather, "aten.constant_pad_nd.default",
                        {builder.getNamedAttr(
                             "pad", builder.getDenseI64ArrayAttr({0, filled})),
                         builder.getNamedAttr("value",
                                              builder.getI64IntegerAttr(0))}),
              sizes))
        return error;
    sizes.pop_back();
    sizes.back() *= e.stride;
    if (Error error = follow(reshape, sizes))
      return error;
  }
  return view;
}

//===----------------------------------------------------------------------===//
// as_strided
//===----------------------------------------------------------------------===//

/// A view without elements, wherever it begins.
Expected<View *> ModuleBuilder::getEmptyView(Storage *storage,
                                             RankedTensorType type) {
  Type element = storage->root->type.getElementType();
  ViewOp reshape = getViewOp(ViewKind::Reshape, "", {});
  Expected<View *> flat = storages.getView(
      storage->root, reshape,
      sym::getTensorType(sym::getNumElements(storage->root->type), element));
  if (!flat)
    return flat.takeError();
  IntegerAttr zero = builder.getI64IntegerAttr(0),
              one = builder.getI64IntegerAttr(1);
  Expected<View *> none =
      storages.getView(*flat,
                       getViewOp(ViewKind::Slice, "aten.slice.Tensor",
                                 {builder.getNamedAttr("dim", zero),
                                  builder.getNamedAttr("end", zero),
                                  builder.getNamedAttr("start", zero),
                                  builder.getNamedAttr("step", one)}),
                       RankedTensorType::get(0, element));
  return none ? storages.getView(*none, reshape, type) : std::move(none);
}

Expected<View *> ModuleBuilder::getAsStrided(const Call &call,
                                             RankedTensorType type) {
  unsigned variable = call.variables[0];
  Storage *storage = getStorage(variable);
  if (storage->root->type.getElementType() != type.getElementType())
    return makeError("it looks at memory under another element type than that "
                     "of the tensor that was made there");
  SmallVector<ExprAttr> sizes = sym::getSizes(type);
  if (llvm::any_of(sizes, [](ExprAttr size) { return size.isConstant(0); }))
    return getEmptyView(storage, type);
  Expected<View *> flat = getFlatView(storage, /*allowGaps=*/true);
  if (!flat)
    return flat.takeError();
  // Positions count from the beginning of the memory; the tensor that stands
  // for it may begin later.
  Expected<ExprAttr> begin = getExpr(storage->meta->storageOffset);
  if (!begin)
    return begin.takeError();
  ExprAttr offset;
  if (Attribute given = call.getArgument("storage_offset")) {
    std::optional<int64_t> number = getInt(given);
    offset =
        number ? sym::constant(context, *number) : dyn_cast<ExprAttr>(given);
  } else {
    Expected<ExprAttr> own = getExpr(variables[variable].meta->storageOffset);
    if (!own)
      return own.takeError();
    offset = *own;
  }
  offset = offset ? sym::sub(offset, *begin) : offset;
  SmallVector<ExprAttr> strides;
  if (auto list =
          dyn_cast_or_null<DenseI64ArrayAttr>(call.getArgument("stride")))
    for (int64_t stride : list.asArrayRef())
      strides.push_back(sym::constant(context, stride));
  else if (auto shape =
               dyn_cast_or_null<sym::ShapeAttr>(call.getArgument("stride")))
    append_range(strides, shape.getDims());
  if (!offset || strides.size() != sizes.size())
    return makeError("its offset or strides are not known numbers");

  // What is between the elements may be any other tensor.
  ExprAttr count = sym::getNumElements((*flat)->type);
  if (count != sym::getNumElements(storage->root->type)) {
    auto fixed = graph::getConstants(sizes),
         steps = graph::getConstants(strides);
    if (!fixed || !steps || !offset.isConstant() ||
        !areElements(*getNest(*storage->meta), offset.getValue(), *fixed,
                     *steps))
      return makeError("it may look at what lies in memory between the "
                       "elements of the tensor that was made there");
  }
  if (offset.isConstant(0) && count == sym::getNumElements(type) &&
      strides == sym::getContiguousStrides(context, sizes))
    return storages.getView(*flat, getViewOp(ViewKind::Reshape, "", {}), type);
  ExprAttr last = offset;
  for (auto [size, stride] : zip_equal(sizes, strides))
    last = sym::add(last, sym::mul(sym::add(size, -1), stride));
  // Where only the run knows, it asserts that (see the legalization).
  if ((offset.isConstant() && offset.getValue() < 0) ||
      (last.isConstant() && count.isConstant() &&
       last.getValue() >= count.getValue()))
    return makeError("it looks at memory beyond the tensor that was made "
                     "there");
  SmallVector<NamedAttribute> arguments = {
      builder.getNamedAttr("size", call.getArgument("size")),
      builder.getNamedAttr("stride", call.getArgument("stride")),
      builder.getNamedAttr("storage_offset", getSizeAttr(builder, offset))};
  return storages.getView(
      *flat, getViewOp(ViewKind::Gather, "aten.as_strided.default", arguments),
      type);
}

Error ModuleBuilder::addAsStrided(const Node &node, const Call &call) {
  if (node.outputs.size() != 1 ||
      node.outputs[0].kind != Argument::Kind::Tensor)
    return makeError("expected one tensor as result");
  StringRef name = node.outputs[0].strings[0];
  Expected<RankedTensorType> type = getType(name);
  if (!type)
    return type.takeError();
  Expected<View *> view = getAsStrided(call, *type);
  if (!view)
    return view.takeError();
  Value value = storages.read(*view, location);
  if (call.name == "aten.as_strided_copy.default")
    return define(name, value);
  return defineView(name, *view);
}

Error ModuleBuilder::notePositions(const Call &call, graph::AtenOp op) {
  if (call.variables.empty() ||
      !is_contained({"aten.as_strided_scatter.default",
                     "aten.as_strided_copy.default", "aten.resize.default",
                     "aten._linalg_det.default",
                     "aten._linalg_slogdet.default"},
                    op.getName()))
    return Error::success();
  const TensorMeta &meta = *variables[call.variables[0]].meta;
  bool isPlace = !op.getName().starts_with("aten._linalg");
  if (isPlace &&
      (meta.storageOffset.isSymbolic() || meta.storageOffset.value != 0))
    return Error::success();
  Expected<Attribute> strides = getStrides(meta.sizes, meta.strides);
  if (!strides)
    return strides.takeError();
  if (!*strides)
    op->setAttr(graph::kRowByRowAttrName, builder.getUnitAttr());
  return Error::success();
}
