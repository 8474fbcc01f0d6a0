//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Which results lie in the memory of an operand, and what they take of it.
//
// The schemas say which results may be views. Of operators that return a view
// or a copy (`reshape`, `contiguous`, `to`), the strides in the file tell what
// PyTorch did when it exported the program.
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Attribute ModuleBuilder::Call::getArgument(StringRef name) const {
  for (const NamedAttribute &argument : arguments)
    if (argument.getName() == name)
      return argument.getValue();
  return {};
}

std::optional<unsigned> ModuleBuilder::Call::getVariable(StringRef name) const {
  for (auto [attr, variable] : zip_equal(operandNames, variables))
    if (cast<StringAttr>(attr).getValue() == name)
      return variable;
  return std::nullopt;
}

static std::optional<int64_t> getInt(Attribute attr) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                          : integer.getInt();
  if (auto expr = dyn_cast_or_null<ExprAttr>(attr))
    return expr.getConstant();
  return std::nullopt;
}

/// A dimension, counted from the front.
static std::optional<int64_t> getDim(Attribute attr, int64_t rank) {
  std::optional<int64_t> dim = getInt(attr);
  if (dim && *dim < 0)
    *dim += rank;
  return dim && *dim >= 0 && *dim < rank ? dim : std::nullopt;
}

static std::optional<SmallVector<int64_t>> getDims(Attribute attr,
                                                   int64_t rank) {
  SmallVector<int64_t> dims;
  if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    append_range(dims, list.asArrayRef());
  else if (std::optional<int64_t> single = getInt(attr))
    dims.push_back(*single);
  else
    return std::nullopt;
  for (int64_t &dim : dims) {
    if (dim < 0)
      dim += rank;
    if (dim < 0 || dim >= rank)
      return std::nullopt;
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static bool isAlike(const TensorMeta &a, const TensorMeta &b) {
  return a.dtype == b.dtype && a.device.type == b.device.type &&
         a.device.index.value_or(0) == b.device.index.value_or(0);
}

/// Whether a tensor can be read under other sizes where it lies. Nothing when
/// that is not known.
static std::optional<bool> canReshape(const TensorMeta &from,
                                      const TensorMeta &to) {
  auto sizes = getHints(from.sizes), strides = getHints(from.strides),
       newSizes = getHints(to.sizes);
  if (!sizes || !strides || !newSizes)
    return std::nullopt;
  if (is_contained(*sizes, 0))
    return true;
  // Runs of dimensions that lie like one, the innermost first.
  SmallVector<int64_t> runs;
  int64_t next = 0;
  for (size_t d = sizes->size(); d-- > 0;) {
    if ((*sizes)[d] == 1)
      continue;
    if (runs.empty() || (*strides)[d] != next)
      runs.push_back(1);
    if (llvm::MulOverflow(runs.back(), (*sizes)[d], runs.back()) ||
        llvm::MulOverflow((*strides)[d], (*sizes)[d], next))
      return std::nullopt;
  }
  // The new dimensions have to divide each run.
  ArrayRef<int64_t> rest = runs;
  int64_t filled = 1;
  for (int64_t size : llvm::reverse(*newSizes)) {
    if (size == 1)
      continue;
    // No file is trusted to declare sizes that make sense.
    if (rest.empty() || size < 1 || llvm::MulOverflow(filled, size, filled) ||
        filled > rest.front() || rest.front() % filled != 0)
      return false;
    if (filled == rest.front()) {
      rest = rest.drop_front();
      filled = 1;
    }
  }
  return rest.empty() && filled == 1;
}

/// Whether the elements lie in memory in their order. Nothing when that is not
/// known.
static std::optional<bool> isRowByRow(const TensorMeta &meta) {
  auto sizes = getHints(meta.sizes), strides = getHints(meta.strides);
  if (!sizes || !strides)
    return std::nullopt;
  if (is_contained(*sizes, 0))
    return true;
  int64_t next = 1;
  for (size_t d = sizes->size(); d-- > 0;) {
    if ((*sizes)[d] != 1 && (*strides)[d] != next)
      return false;
    if (llvm::MulOverflow(next, (*sizes)[d], next))
      return std::nullopt;
  }
  return true;
}

/// Whether `contiguous`, `to` and the like gave their operand itself.
static std::optional<bool> isUnchanged(StringRef name, Attribute copy,
                                       Attribute format, const TensorMeta &from,
                                       const TensorMeta &to) {
  if (!isAlike(from, to) || !hasSameStrides(from, to) ||
      getInt(copy).value_or(0) != 0)
    return false;
  // A tensor of one channel has the same strides in several formats, and
  // `to(memory_format=)` copies it where the operand counts as another one.
  auto given = dyn_cast_or_null<StringAttr>(format);
  bool mayCount = name == "to" && given &&
                  given.getValue().starts_with("channels_last") &&
                  any_of(from.sizes, [](const SymInt &size) {
                    return !size.isSymbolic() && size.value == 1;
                  });
  return mayCount ? std::nullopt : std::optional(true);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

ViewOp ModuleBuilder::getViewOp(ViewKind kind, StringRef name,
                                ArrayRef<NamedAttribute> arguments) {
  return {kind, builder.getStringAttr(name), builder.getStringAttr("self"),
          builder.getDictionaryAttr(arguments)};
}

/// The order of dimensions that an operator gives, if it only reorders them.
static std::optional<SmallVector<int64_t>>
getPermutation(StringRef name, int64_t rank,
               llvm::function_ref<Attribute(StringRef)> argument) {
  auto dims = to_vector(llvm::seq<int64_t>(0, rank));
  if (name == "permute")
    return getDims(argument("dims"), rank);
  if (name == "transpose" || name == "swapdims" || name == "swapaxes") {
    bool isAxes = name == "swapaxes";
    auto a = getDim(argument(isAxes ? "axis0" : "dim0"), rank),
         b = getDim(argument(isAxes ? "axis1" : "dim1"), rank);
    if (rank == 0)
      return dims;
    if (!a || !b)
      return std::nullopt;
    std::swap(dims[*a], dims[*b]);
    return dims;
  }
  if (name == "numpy_T") {
    std::reverse(dims.begin(), dims.end());
    return dims;
  }
  if (is_contained({"t", "mT", "mH", "adjoint", "matrix_H"}, name)) {
    if (rank >= 2)
      std::swap(dims[rank - 1], dims[rank - 2]);
    return dims;
  }
  if (name != "movedim" && name != "moveaxis")
    return std::nullopt;
  auto from = getDims(argument("source"), rank),
       to = getDims(argument("destination"), rank);
  if (!from || !to || from->size() != to->size())
    return std::nullopt;
  SmallVector<int64_t> order(rank, -1), rest;
  for (auto [source, target] : zip_equal(*from, *to))
    order[target] = source;
  for (int64_t d : dims)
    if (!is_contained(*from, d))
      rest.push_back(d);
  auto *next = rest.begin();
  for (int64_t &d : order)
    if (d < 0 && next != rest.end())
      d = *next++;
  return order;
}

/// The dimension that an operator splits, or -1.
static int64_t getSplitDim(StringRef name, int64_t rank, Attribute dim) {
  if (name == "hsplit")
    return rank == 1 ? 0 : 1;
  if (name == "vsplit")
    return 0;
  if (name == "dsplit")
    return 2;
  return getDim(dim, rank).value_or(-1);
}

static bool isConjugated(const View *view) {
  bool result = false;
  for (; view->parent; view = view->parent)
    result ^= view->op.kind == ViewKind::Conjugate;
  return result;
}

bool ModuleBuilder::isDense(const TensorMeta &meta) {
  Expected<SmallVector<ExprAttr>> sizes = getExprs(meta.sizes),
                                  strides = getExprs(meta.strides);
  bool isKnown = bool(sizes) && bool(strides);
  if (!sizes)
    consumeError(sizes.takeError());
  if (!strides)
    consumeError(strides.takeError());
  if (!isKnown)
    return false;
  ExprAttr next = sym::constant(context, 1);
  for (auto [size, stride] : llvm::reverse(zip_equal(*sizes, *strides))) {
    if (stride != next)
      return false;
    next = sym::mul(next, size);
  }
  return true;
}

ExprAttr ModuleBuilder::getStartOfPiece(const Call &call, ExprAttr size,
                                        unsigned element) {
  auto [name, overload] = StringRef(call.name).drop_front(5).split('.');
  auto number = [&](StringRef key) {
    return getInt(call.getArgument(key)).value_or(0);
  };
  auto times = [&](ExprAttr length) { return sym::mul(length, element); };
  if (name.ends_with("chunk")) {
    int64_t count = number("chunks");
    return count < 1 ? ExprAttr()
                     : times(sym::ceilDiv(size, sym::constant(context, count)));
  }
  if (name.ends_with("split") &&
      is_contained({"sections", "int", "default"}, overload) &&
      call.getArgument("sections")) {
    // The first pieces have one more element each.
    int64_t count = number("sections");
    if (count < 1)
      return ExprAttr();
    ExprAttr divisor = sym::constant(context, count);
    return sym::add(
        times(sym::floorDiv(size, divisor)),
        sym::min(sym::constant(context, element), sym::mod(size, divisor)));
  }
  Attribute length = call.getArgument("split_size");
  if (auto symbolic = dyn_cast_or_null<ExprAttr>(length))
    return times(symbolic);
  return number("split_size") < 1
             ? ExprAttr()
             : times(sym::constant(context, number("split_size")));
}

ModuleBuilder::Alias ModuleBuilder::getViewOps(const Call &call,
                                               unsigned variable,
                                               unsigned element,
                                               ArrayRef<RankedTensorType> types,
                                               const TensorMeta &meta) {
  auto [name, overload] = StringRef(call.name).drop_front(5).split('.');
  const View *source = variables[variable].view;
  const TensorMeta &from = *variables[variable].meta;
  RankedTensorType type = types[element];
  int64_t rank = source->type.getRank();
  bool isComplex = isa<ComplexType>(source->type.getElementType());
  auto argument = [&](StringRef name) { return call.getArgument(name); };
  auto attr = [&](StringRef name, Attribute value) {
    return builder.getNamedAttr(name, value);
  };
  Alias none, possible, alias;
  possible.kind = Alias::Kind::Possible;
  alias.kind = Alias::Kind::View;
  possible.variable = alias.variable = variable;
  auto is = [&](ViewKind kind, StringRef name = "",
                ArrayRef<NamedAttribute> arguments = {}) {
    alias.ops.push_back(getViewOp(kind, name, arguments));
    return alias;
  };
  auto identity = [&]() { return is(ViewKind::Identity); };
  auto when = [&](std::optional<bool> condition, Alias result) {
    return !condition ? possible : *condition ? std::move(result) : none;
  };
  auto expandTo = [&](RankedTensorType from) {
    if (from == type)
      return alias.ops.empty() ? identity() : alias;
    return is(ViewKind::Expand, "aten.expand.default",
              {attr("implicit", builder.getBoolAttr(false)),
               attr("size", getSizesAttr(builder, type))});
  };
  auto slice = [&](int64_t dim, Attribute start, Attribute end,
                   Attribute step) {
    if (type == source->type)
      return identity();
    SmallVector<NamedAttribute> arguments = {
        attr("dim", builder.getI64IntegerAttr(dim)), attr("step", step)};
    if (start)
      arguments.push_back(attr("start", start));
    if (end)
      arguments.push_back(attr("end", end));
    return is(ViewKind::Slice, "aten.slice.Tensor", arguments);
  };
  Attribute one = builder.getI64IntegerAttr(1);

  // What may give its operand itself.
  if (is_contained({"alias", "detach", "lift_fresh", "lift", "positive"}, name))
    return identity();
  if (is_contained({"contiguous", "to", "to_dense", "type_as",
                    "_autocast_to_full_precision",
                    "_autocast_to_reduced_precision"},
                   name))
    return when(isUnchanged(name, argument("copy"), argument("memory_format"),
                            from, meta),
                identity());
  if (name.ends_with("dropout")) {
    auto p = dyn_cast_or_null<FloatAttr>(argument("p"));
    bool isOff = getInt(argument("train")) == 0 ||
                 (p && p.getValueAsDouble() == 0) ||
                 is_contained(source->type.getShape(), 0);
    return when(isOff, identity());
  }
  if (name == "sum_to_size") // A scalar is a sum, of which there is a copy.
    return when(type == source->type && type.getRank() > 0, identity());
  if (name == "conj_physical")
    return when(!isComplex, identity());
  if (name == "resolve_conj")
    return when(!isComplex || !isConjugated(source), identity());

  // Complex numbers and bits.
  if (name == "conj" || name == "_conj")
    return isComplex ? is(ViewKind::Conjugate, call.name) : identity();
  if (name == "real")
    return isComplex ? is(ViewKind::Real, call.name) : identity();
  if (name == "imag")
    return is(ViewKind::Imaginary, call.name);
  if (name == "view_as_real")
    return is(ViewKind::AsReal, call.name);
  if (name == "view_as_complex")
    return is(ViewKind::AsComplex, call.name);
  if (name == "view" && overload == "dtype")
    return type == source->type
               ? identity()
               : is(ViewKind::Bitcast, call.name, call.arguments);

  // The same elements in the same order.
  if (is_contained({"reshape", "reshape_as", "flatten"}, name)) {
    std::optional<bool> isView = canReshape(from, meta);
    if (!isView && isDense(from))
      isView = true;
    return when(isView, is(ViewKind::Reshape));
  }
  if (name == "flatten_dense_tensors")
    return when(call.operands.size() == 1 ? canReshape(from, meta)
                                          : std::optional(false),
                is(ViewKind::Reshape));
  if (name == "ravel") // Of a contiguous copy, unlike `reshape`.
    return when(isRowByRow(from), is(ViewKind::Reshape));
  if (is_contained({"view", "_unsafe_view", "view_as", "squeeze", "unsqueeze",
                    "unflatten", "atleast_1d", "atleast_2d", "atleast_3d"},
                   name))
    return is(ViewKind::Reshape);
  if (name == "cartesian_prod")
    return when(call.operands.size() == 1, is(ViewKind::Reshape));

  // Dimensions in another order; `mH` of complex numbers conjugates, too.
  if (auto dims = getPermutation(name, rank, argument)) {
    is(ViewKind::Permute, "aten.permute.default",
       attr("dims", builder.getDenseI64ArrayAttr(*dims)));
    if (!isComplex || !is_contained({"mH", "adjoint", "matrix_H"}, name))
      return alias;
    alias.types.push_back(type);
    return is(ViewKind::Conjugate, "aten._conj.default");
  }

  // Parts.
  if (name == "slice" && overload == "Tensor")
    if (auto dim = getDim(argument("dim"), rank))
      return slice(*dim, argument("start"), argument("end"), argument("step"));
  if (name == "narrow" && overload == "default") {
    auto dim = getDim(argument("dim"), rank);
    Attribute start = argument("start");
    std::optional<int64_t> number = getInt(start);
    ExprAttr first = number ? sym::constant(context, *number)
                            : dyn_cast_or_null<ExprAttr>(start);
    if (!dim || !first || type.getRank() != rank)
      return possible;
    if (number && *number < 0)
      first = sym::add(first, sym::getSizes(source->type)[*dim]);
    ExprAttr end = sym::add(first, sym::getSizes(type)[*dim]);
    return slice(*dim, getSizeAttr(builder, first), getSizeAttr(builder, end),
                 one);
  }
  if (name == "select")
    return is(ViewKind::Select, "aten.select.int", call.arguments);
  if (name == "unbind")
    return is(ViewKind::Select, "aten.select.int",
              {attr("dim", argument("dim")),
               attr("index", builder.getI64IntegerAttr(element))});
  // Between neighbours of a list of positions, as slices have them.
  if (name.ends_with("split") && is_contained({"indices", "array"}, overload)) {
    int64_t dim = getSplitDim(name, rank, argument("dim"));
    auto at = dyn_cast_or_null<DenseI64ArrayAttr>(argument("indices"));
    if (dim >= 0 && dim < rank && at &&
        types.size() == static_cast<size_t>(at.size()) + 1) {
      auto position = [&](size_t i) {
        return builder.getI64IntegerAttr(at.asArrayRef()[i]);
      };
      return slice(
          dim, element == 0 ? Attribute() : position(element - 1),
          element == types.size() - 1 ? Attribute() : position(element), one);
    }
  }
  if (name.ends_with("split") || name.ends_with("chunk") ||
      name == "split_with_sizes" || name == "unsafe_split_with_sizes") {
    int64_t dim = getSplitDim(name, rank, argument("dim"));
    if (dim < 0 || dim >= rank)
      return possible;
    ExprAttr size = sym::getSizes(source->type)[dim];
    ExprAttr start = sym::constant(context, 0), total = start;
    for (auto [i, piece] : enumerate(types)) {
      if (piece.getRank() != rank)
        return possible;
      if (i == element)
        start = total;
      total = sym::add(total, sym::getSizes(piece)[dim]);
    }
    // Indices of `tensor_split` may skip elements or take some twice; then the
    // sizes do not tell where a piece starts. Those of symbols need not add up
    // in a way that is seen.
    if (total != size && !name.ends_with("split_with_sizes") &&
        overload != "sizes") {
      start = getStartOfPiece(call, size, element);
      if (!start)
        return possible;
    }
    ExprAttr end = sym::add(start, sym::getSizes(type)[dim]);
    return slice(dim, getSizeAttr(builder, start), getSizeAttr(builder, end),
                 one);
  }
  if (name == "unflatten_dense_tensors") {
    // A piece of the vector for each tensor, in its sizes.
    if (rank != 1)
      return possible;
    ExprAttr start = sym::constant(context, 0);
    for (RankedTensorType before : types.take_front(element))
      start = sym::add(start, sym::getNumElements(before));
    ExprAttr count = sym::getNumElements(type);
    alias.ops.push_back(getViewOp(
        ViewKind::Slice, "aten.slice.Tensor",
        {attr("dim", builder.getI64IntegerAttr(0)),
         attr("end", getSizeAttr(builder, sym::add(start, count))),
         attr("start", getSizeAttr(builder, start)), attr("step", one)}));
    alias.types.push_back(sym::getTensorType(count, type.getElementType()));
    return is(ViewKind::Reshape);
  }
  if (name == "diagonal" || name == "linalg_diagonal")
    return is(ViewKind::Diagonal, "aten.diagonal.default",
              {attr("offset", argument("offset")),
               attr("dim1", argument("dim1")), attr("dim2", argument("dim2"))});

  // Elements several times.
  if (is_contained({"expand", "expand_as", "broadcast_to", "broadcast_tensors"},
                   name))
    return expandTo(source->type);
  if (name == "meshgrid") {
    // Tensor i lies along dimension i, or the first two the other way round.
    auto indexing = dyn_cast_or_null<StringAttr>(argument("indexing"));
    unsigned dim = element;
    if (indexing && indexing.getValue() == "xy" && types.size() > 1 && dim < 2)
      dim = 1 - dim;
    if (dim >= static_cast<unsigned>(type.getRank()))
      return possible;
    SmallVector<ExprAttr> sizes(type.getRank(), sym::constant(context, 1));
    sizes[dim] = sym::getSizes(type)[dim];
    RankedTensorType line = sym::getTensorType(sizes, type.getElementType());
    alias.ops.push_back(getViewOp(ViewKind::Reshape, "", {}));
    alias.types.push_back(line);
    Alias result = expandTo(line);
    if (result.ops.size() == 1)
      result.types.clear();
    return result;
  }

  // Other views of one tensor. A view of none that keeps its elements is none
  // that could be followed up.
  if (call.operands.size() != 1 || types.size() != 1 ||
      type.getElementType() != source->type.getElementType())
    return possible;
  ViewOp gather = getViewOp(ViewKind::Gather, call.name, call.arguments);
  gather.operandName = cast<StringAttr>(call.operandNames[0]);
  alias.ops.push_back(gather);
  return alias;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Operators whose schemas do not say that they may return operands or views
/// of them: composite ones that do under some conditions, and those whose
/// results PyTorch asks programs not to write to.
static bool mayReturnOperand(StringRef name) {
  return is_contained({"flatten_dense_tensors", "unflatten_dense_tensors"},
                      name) ||
         is_contained({"dropout", "feature_dropout", "alpha_dropout",
                       "feature_alpha_dropout", "type_as", "to_dense"},
                      name) ||
         is_contained({"atleast_1d", "atleast_2d", "atleast_3d", "sum_to_size",
                       "conj_physical", "unsafe_chunk", "unsafe_split",
                       "unsafe_split_with_sizes", "broadcast_tensors",
                       "meshgrid", "cartesian_prod", "_unsafe_view"},
                      name);
}

void ModuleBuilder::addEquation(Alias &alias, StringRef equation) {
  auto [given, result] = equation.split("->");
  SmallVector<char> from(given.begin(), given.end()),
      to(result.begin(), result.end());
  auto isBlank = [](char c) { return c == ' '; };
  llvm::erase_if(from, isBlank);
  llvm::erase_if(to, isBlank);
  RankedTensorType type = variables[alias.variable].view->type;
  SmallVector<ExprAttr> sizes = sym::getSizes(type);
  if (from.size() != sizes.size() || !all_of(from, isAlpha))
    return;
  // Without a result it has the letters that occur once, in their order.
  if (!equation.contains("->")) {
    for (char letter : from)
      if (llvm::count(from, letter) == 1)
        to.push_back(letter);
    llvm::sort(to);
  }
  SmallVector<ViewOp, 1> ops;
  SmallVector<RankedTensorType, 0> types;
  for (size_t i = 0; i < from.size(); ++i) {
    auto *again = std::find(from.begin() + i + 1, from.end(), from[i]);
    if (again == from.end())
      continue;
    // The diagonal becomes the last dimension.
    size_t j = again - from.begin();
    char letter = from[i];
    ExprAttr size = sizes[i];
    if (sizes[j] != size)
      return;
    auto number = [&](int64_t v) { return builder.getI64IntegerAttr(v); };
    ops.push_back(getViewOp(ViewKind::Diagonal, "aten.diagonal.default",
                            {builder.getNamedAttr("dim1", number(i)),
                             builder.getNamedAttr("dim2", number(j)),
                             builder.getNamedAttr("offset", number(0))}));
    for (size_t gone : {j, i}) {
      from.erase(from.begin() + gone);
      sizes.erase(sizes.begin() + gone);
    }
    from.push_back(letter);
    sizes.push_back(size);
    types.push_back(sym::getTensorType(sizes, type.getElementType()));
    --i;
  }
  // What the result does not have is summed; a sum is no view. (One of a single
  // element need not be computed.)
  if (to.size() != from.size()) {
    ExprAttr one = sym::constant(context, 1);
    for (auto [letter, size] : zip_equal(from, sizes))
      if (!is_contained(to, letter) && ranges.isLess(one, size))
        alias.kind = Alias::Kind::None;
    return;
  }
  SmallVector<int64_t> dims;
  for (char letter : to) {
    auto *at = llvm::find(from, letter);
    if (at == from.end() || llvm::count(to, letter) != 1)
      return;
    dims.push_back(at - from.begin());
  }
  ops.push_back(getViewOp(
      ViewKind::Permute, "aten.permute.default",
      builder.getNamedAttr("dims", builder.getDenseI64ArrayAttr(dims))));
  alias.kind = Alias::Kind::View;
  alias.ops = std::move(ops);
  alias.types = std::move(types);
}

Expected<ModuleBuilder::Alias> ModuleBuilder::findAlias(
    const Call &call, const OpSchema &schema, unsigned result, unsigned element,
    ArrayRef<RankedTensorType> types, const TensorMeta &meta) {
  if (call.variables.empty() || !StringRef(call.name).starts_with("aten."))
    return Alias();
  StringRef name = StringRef(call.name).drop_front(5).split('.').first;
  StringRef aliasSet = schema.returns[result].aliasSet;
  if (!aliasSet.empty()) {
    auto it = call.aliasSets.find(aliasSet);
    if (it != call.aliasSets.end())
      return getViewOps(call, it->second, element, types, meta);
  }
  // A contraction of one tensor may be but a view of it.
  if (name == "einsum" && call.variables.size() == 1) {
    Alias alias;
    alias.kind = Alias::Kind::Possible;
    alias.variable = call.variables[0];
    if (auto equation =
            dyn_cast_or_null<StringAttr>(call.getArgument("equation")))
      addEquation(alias, equation.getValue());
    return alias;
  }
  if (!mayReturnOperand(name))
    return Alias();
  // Those on lists give an element for each.
  bool isList = schema.arguments[0].type.isList && types.size() > 1;
  size_t operand = isList ? element : 0;
  if (operand >= call.variables.size())
    return makeError("it has more results than operands");
  return getViewOps(call, call.variables[operand], element, types, meta);
}

Expected<View *> ModuleBuilder::getView(const Alias &alias,
                                        RankedTensorType type, Value value) {
  View *view = variables[alias.variable].view;
  for (auto [i, op] : enumerate(alias.ops)) {
    bool isLast = i + 1 == alias.ops.size();
    Expected<View *> next = storages.getView(
        view, op, isLast ? type : alias.types[i], isLast ? value : Value());
    if (!next)
      return next.takeError();
    view = *next;
  }
  return view;
}
