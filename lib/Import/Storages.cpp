//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Reads and writes of views.
//
//===----------------------------------------------------------------------===//

#include "Storages.h"
#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Import/Limits.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;

Attribute coil::import::getSizeAttr(Builder &builder, sym::ExprAttr size) {
  if (std::optional<int64_t> number = size.getConstant())
    return builder.getI64IntegerAttr(*number);
  return size;
}

Attribute coil::import::getSizesAttr(Builder &builder, RankedTensorType type) {
  if (type.hasStaticShape())
    return builder.getDenseI64ArrayAttr(type.getShape());
  return sym::ShapeAttr::get(builder.getContext(), sym::getSizes(type));
}

bool coil::import::hasSameStrides(const TensorMeta &a, const TensorMeta &b) {
  return llvm::equal(
      a.strides, b.strides, [](const SymInt &a, const SymInt &b) {
        return a.expr == b.expr && (a.isSymbolic() || a.value == b.value);
      });
}

//===----------------------------------------------------------------------===//
// Storages
//===----------------------------------------------------------------------===//

View *Storages::create(Value value, Storage::Owner owner, StringRef name) {
  Storage &storage = storages.emplace_back();
  storage.owner = owner;
  storage.name = name;
  storage.aliasSet = aliasSets.size();
  aliasSets.push_back({&storage});
  View &root = views.emplace_back();
  root.storage = &storage;
  root.value = value;
  if (value)
    root.type = cast<RankedTensorType>(value.getType());
  storage.root = &root;
  return &root;
}

void Storages::join(Storage *a, Storage *b) {
  unsigned into = a->aliasSet, from = b->aliasSet;
  if (into == from)
    return;
  if (aliasSets[into].size() < aliasSets[from].size())
    std::swap(into, from);
  for (Storage *member : aliasSets[from])
    member->aliasSet = into;
  append_range(aliasSets[into], aliasSets[from]);
  aliasSets[from].clear();
}

SmallVector<Storage *> Storages::getOthers(const Storage *storage) const {
  SmallVector<Storage *> others;
  for (Storage *member : aliasSets[storage->aliasSet])
    if (member != storage)
      others.push_back(member);
  return others;
}

void Storages::separate(Storage *storage) {
  SmallVector<Storage *, 1> &members = aliasSets[storage->aliasSet];
  if (members.size() == 1)
    return;
  llvm::erase(members, storage);
  storage->aliasSet = aliasSets.size();
  aliasSets.push_back({storage});
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Value Storages::createAten(StringRef name, RankedTensorType type,
                           ArrayRef<Value> operands,
                           ArrayRef<StringRef> operandNames,
                           ArrayRef<NamedAttribute> arguments, Location loc) {
  auto op =
      graph::AtenOp::create(builder, loc, type, builder.getStringAttr(name),
                            operands, builder.getStrArrayAttr(operandNames),
                            builder.getDictionaryAttr(arguments));
  noteDroppable(op);
  if (!operands.empty())
    onMade(op.getResult(0), operands.front());
  return op.getResult(0);
}

void Storages::dropUnused(llvm::function_ref<void(Value)> onDropped) {
  if (!isWritten())
    return;
  // Users come after what they use.
  for (Operation *op : llvm::reverse(droppable)) {
    if (!op->use_empty())
      continue;
    for (Value result : op->getResults())
      onDropped(result);
    op->erase();
  }
  droppable.clear();
}

Value Storages::apply(const ViewOp &op, RankedTensorType type, Value value,
                      Location loc) {
  if (op.kind == ViewKind::Identity)
    return value;
  Value result = createAten(op.name, type, value, op.operandName.getValue(),
                            llvm::to_vector(op.arguments), loc);
  // Positions count the elements of a view that is made for that.
  if (op.kind == ViewKind::Gather && op.name == "aten.as_strided.default")
    result.getDefiningOp()->setAttr(graph::kRowByRowAttrName,
                                    builder.getUnitAttr());
  return result;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static ViewOp getReshape(Builder &builder, RankedTensorType type) {
  NamedAttribute size =
      builder.getNamedAttr("size", getSizesAttr(builder, type));
  return {ViewKind::Reshape, builder.getStringAttr("aten.view.default"),
          builder.getStringAttr("self"), builder.getDictionaryAttr(size)};
}

static ArrayRef<int64_t> getPermutation(const ViewOp &op) {
  return op.arguments.getAs<DenseI64ArrayAttr>("dims").asArrayRef();
}

static ViewOp getPermute(Builder &builder, ArrayRef<int64_t> dims) {
  NamedAttribute attr =
      builder.getNamedAttr("dims", builder.getDenseI64ArrayAttr(dims));
  return {ViewKind::Permute, builder.getStringAttr("aten.permute.default"),
          builder.getStringAttr("self"), builder.getDictionaryAttr(attr)};
}

Expected<View *> Storages::getView(View *parent, const ViewOp &given,
                                   RankedTensorType type, Value value) {
  ViewOp op = given;
  // Equal views should be one node, whatever names they came by.
  while (parent->op.kind == ViewKind::Identity && parent->parent)
    parent = parent->parent;
  if (op.kind == ViewKind::Reshape) {
    if (parent->op.kind == ViewKind::Reshape && parent->parent)
      parent = parent->parent;
    op = getReshape(builder, type);
  } else if (op.kind == ViewKind::Permute &&
             parent->op.kind == ViewKind::Permute &&
             getPermutation(op).size() ==
                 static_cast<size_t>(parent->type.getRank())) {
    SmallVector<int64_t> dims;
    for (int64_t d : getPermutation(op))
      dims.push_back(getPermutation(parent->op)[d]);
    op = getPermute(builder, dims);
    parent = parent->parent;
  }
  // What the file says of a result has to be what the operator gives.
  if (op.kind == ViewKind::Permute) {
    SmallVector<sym::ExprAttr> sizes = sym::getSizes(parent->type), expected;
    for (int64_t d : getPermutation(op))
      if (d >= 0 && static_cast<size_t>(d) < sizes.size())
        expected.push_back(sizes[d]);
    if (expected.size() != sizes.size() || sym::getSizes(type) != expected)
      return makeError("its result does not have the sizes of its operand in "
                       "another order");
  }
  if (op.kind == ViewKind::Identity && type != parent->type)
    return makeError("its result has another type than its operand, whose "
                     "memory it is");
  bool isIdentity =
      (op.kind == ViewKind::Reshape && type == parent->type) ||
      (op.kind == ViewKind::Permute && llvm::is_sorted(getPermutation(op)));
  if (isIdentity)
    op = ViewOp();

  Attribute key = builder.getArrayAttr(
      {op.kind == ViewKind::Identity ? Attribute(builder.getUnitAttr())
                                     : Attribute(op.name),
       op.arguments ? op.arguments : builder.getDictionaryAttr({}),
       TypeAttr::get(type)});
  auto [it, isNew] = known.try_emplace({parent, key});
  if (isNew) {
    if (parent->depth == kMaxDepth)
      return makeError(
          "it is a view of a view of a view, and so on, more than " +
          Twine(kMaxDepth) + " times");
    View &view = views.emplace_back();
    view.storage = parent->storage;
    view.parent = parent;
    view.op = op;
    view.type = type;
    view.depth = parent->depth + 1;
    view.generation = view.storage->generation - 1; // Stale.
    it->second = &view;
  }
  View *view = it->second;
  if (value && view->generation != view->storage->generation) {
    view->value = value;
    view->generation = view->storage->generation;
    view->writer = nullptr;
  }
  return view;
}

Value Storages::read(View *view, Location loc) {
  SmallVector<View *> stale;
  View *at = view;
  for (; at->generation != at->storage->generation; at = at->parent)
    stale.push_back(at);
  for (View *next : llvm::reverse(stale)) {
    next->value = apply(next->op, next->type, next->parent->value, loc);
    next->generation = next->storage->generation;
    next->writer = nullptr;
  }
  return view->value;
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

Value Storages::put(ArrayRef<View *> path, Value whole, Value value,
                    Location loc) {
  // Number the elements, and see where the view takes which number from.
  auto type = cast<RankedTensorType>(whole.getType());
  Type i64 = builder.getI64Type();
  sym::ExprAttr count = sym::getNumElements(type);
  Value index =
      createAten("aten.arange.default", sym::getTensorType(count, i64), {}, {},
                 {builder.getNamedAttr("dtype", TypeAttr::get(i64)),
                  builder.getNamedAttr("end", getSizeAttr(builder, count))},
                 loc);
  onMade(index, whole);
  SmallVector<sym::ExprAttr> sizes = sym::getSizes(type);
  RankedTensorType shaped = sym::getTensorType(sizes, i64);
  if (shaped != index.getType())
    index = apply(getReshape(builder, shaped), shaped, index, loc);
  for (View *view : path)
    index = apply(view->op, sym::getTensorType(sym::getSizes(view->type), i64),
                  index, loc);
  return createAten(
      "aten.put.default", type, {whole, index, value},
      {"self", "index", "source"},
      builder.getNamedAttr("accumulate", builder.getBoolAttr(false)), loc);
}

Expected<Value> Storages::invert(View *view, Value value, Location loc) {
  View *parent = view->parent;
  auto scatter = [&](StringRef name) {
    return createAten(
        name, parent->type,
        {parent->writer == view ? parent->unwritten : parent->value, value},
        {"self", "src"}, llvm::to_vector(view->op.arguments), loc);
  };
  auto undo = [&](StringRef name, ArrayRef<NamedAttribute> arguments = {}) {
    return createAten(name, parent->type, value, StringRef("self"), arguments,
                      loc);
  };
  auto join = [&](StringRef first, StringRef second, bool isReal) {
    auto part = sym::getTensorType(sym::getSizes(view->type),
                                   view->type.getElementType());
    Value kept = createAten(isReal ? "aten.imag.default" : "aten.real.default",
                            part, parent->value, StringRef("self"), {}, loc);
    SmallVector<Value> parts = {value, kept};
    if (!isReal)
      std::swap(parts[0], parts[1]);
    return createAten("aten.complex.default", parent->type, parts,
                      {first, second}, {}, loc);
  };
  switch (view->op.kind) {
  case ViewKind::Identity:
    return value;
  case ViewKind::Reshape: {
    ViewOp back = getReshape(builder, parent->type);
    return apply(back, parent->type, value, loc);
  }
  case ViewKind::Permute: {
    ArrayRef<int64_t> dims = getPermutation(view->op);
    SmallVector<int64_t> inverse(dims.size());
    for (auto [to, from] : enumerate(dims))
      inverse[from] = static_cast<int64_t>(to);
    return apply(getPermute(builder, inverse), parent->type, value, loc);
  }
  case ViewKind::Slice:
    return scatter("aten.slice_scatter.default");
  case ViewKind::Select:
    return scatter("aten.select_scatter.default");
  case ViewKind::Diagonal:
    return scatter("aten.diagonal_scatter.default");
  case ViewKind::Bitcast:
    return undo("aten.view.dtype",
                builder.getNamedAttr(
                    "dtype", TypeAttr::get(parent->type.getElementType())));
  case ViewKind::Conjugate:
    return undo("aten.conj_physical.default");
  case ViewKind::AsReal:
    return undo("aten.view_as_complex.default");
  case ViewKind::AsComplex:
    return undo("aten.view_as_real.default");
  case ViewKind::Real:
  case ViewKind::Imaginary:
    return join("real", "imag", view->op.kind == ViewKind::Real);
  case ViewKind::Expand:
  case ViewKind::Gather:
    break;
  }
  llvm_unreachable("undone together with the views below");
}

Error Storages::write(View *view, Value value, Location loc) {
  Storage *storage = view->storage;
  // `x[0] += y` ends with a copy of what is there already.
  if (view->generation == storage->generation && view->value == value)
    return Error::success();

  // Where elements occur several times, what the view writes goes to where it
  // takes them from, past all views between.
  View *top = nullptr;
  for (View *at = view; at->parent; at = at->parent)
    if (at->op.kind == ViewKind::Expand || at->op.kind == ViewKind::Gather)
      top = at;

  struct Step {
    View *view;
    Value value;
    View *writer;
    Value unwritten;
  };
  SmallVector<Step> steps = {{view, value, nullptr, {}}};
  for (View *at = view; at->parent; at = steps.back().view) {
    Value now = steps.back().value;
    if (top) {
      SmallVector<View *> path;
      for (View *v = at; v != top->parent; v = v->parent) {
        path.push_back(v);
        if (v->type.getElementType() != v->parent->type.getElementType())
          return makeError("it updates a view that repeats elements and has "
                           "them under another type, which is not supported");
      }
      std::reverse(path.begin(), path.end());
      View *whole = top->parent;
      Value old = read(whole, loc);
      steps.push_back({whole, put(path, old, now, loc), nullptr, {}});
      top = nullptr;
      continue;
    }
    View *parent = at->parent;
    Value old = read(parent, loc);
    if (parent->writer == at)
      old = parent->unwritten;
    Expected<Value> whole = invert(at, now, loc);
    if (!whole)
      return whole.takeError();
    steps.push_back({parent, *whole, at, old});
  }
  ++storage->generation;
  ++numWrites;
  for (const Step &step : steps) {
    step.view->value = step.value;
    step.view->generation = storage->generation;
    step.view->writer = step.writer;
    step.view->unwritten = step.unwritten;
  }
  return Error::success();
}
