//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access to the arguments and results of a framework operator.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/AtenRegistry.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

int64_t graph::getRank(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

bool graph::isHalf(Type elementType) {
  return elementType.isF16() || elementType.isBF16();
}

Value graph::toBool(TensorBuilder &b, Value x) {
  return b.convert(x, b.getBuilder().getI1Type());
}

//===----------------------------------------------------------------------===//
// AtenCall
//===----------------------------------------------------------------------===//

SmallVector<Value> AtenCall::optionalTensors(StringRef name) {
  SmallVector<Value> result;
  for (auto [operandName, operand] : llvm::zip(
           op.getOperandNames().getAsRange<StringAttr>(), op.getInputs())) {
    auto [base, position] = operandName.getValue().split('.');
    unsigned i;
    if (base != name)
      continue;
    if (position.getAsInteger(10, i))
      i = result.size();
    if (i > 64) // No tensor has so many dimensions.
      return {};
    if (result.size() <= i)
      result.resize(i + 1);
    result[i] = operand;
  }
  return result;
}

Value AtenCall::operand(StringRef name, Type elementType) {
  if (Value value = tensor(name))
    return b.convert(value, elementType);
  Attribute attr = op.getArgument(name);
  readExprs.insert(name);
  if (auto expr = dyn_cast_or_null<ExprAttr>(attr))
    return b.expr(expr, elementType);
  if (TypedAttr value = convertScalar(attr, elementType))
    return b.scalar(value);
  return nullptr;
}

std::optional<int64_t> AtenCall::getInt(StringRef name) {
  Attribute attr = op.getArgument(name);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                          : integer.getInt();
  if (auto expr = dyn_cast_or_null<ExprAttr>(attr)) {
    if (!expr.isConstant())
      wantedConstants.insert(name);
    return expr.getConstant();
  }
  if (op.isNumber(name))
    wantedConstants.insert(name);
  return std::nullopt;
}

int64_t AtenCall::intOr(StringRef name, int64_t value) {
  return getInt(name).value_or(value);
}

std::optional<double> AtenCall::getFloat(StringRef name) {
  if (auto real = dyn_cast_or_null<FloatAttr>(op.getArgument(name)))
    return real.getValueAsDouble();
  if (std::optional<int64_t> integer = getInt(name))
    return static_cast<double>(*integer);
  return std::nullopt;
}

double AtenCall::floatOr(StringRef name, double value) {
  return getFloat(name).value_or(value);
}

bool AtenCall::boolOr(StringRef name, bool value) {
  return getInt(name).value_or(value) != 0;
}

StringRef AtenCall::stringOr(StringRef name, StringRef value) {
  auto string = dyn_cast_or_null<StringAttr>(op.getArgument(name));
  return string ? string.getValue() : value;
}

std::optional<SmallVector<int64_t>> graph::getConstants(SizesRef exprs) {
  SmallVector<int64_t> numbers;
  for (ExprAttr expr : exprs) {
    auto number = expr.getConstant();
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<SmallVector<int64_t>> AtenCall::getInts(StringRef name) {
  if (auto bools = dyn_cast_or_null<DenseBoolArrayAttr>(op.getArgument(name)))
    return SmallVector<int64_t>(bools.asArrayRef());
  std::optional<Sizes> exprs = getExprs(name);
  return exprs ? getConstants(*exprs) : std::nullopt;
}

std::optional<SmallVector<double>> AtenCall::getFloats(StringRef name) {
  Attribute attr = op.getArgument(name);
  if (auto array = dyn_cast_or_null<DenseF64ArrayAttr>(attr))
    return SmallVector<double>(array.asArrayRef());
  if (auto array = dyn_cast_or_null<ArrayAttr>(attr)) {
    SmallVector<double> result;
    for (Attribute element : array) {
      if (auto real = dyn_cast<FloatAttr>(element))
        result.push_back(real.getValueAsDouble());
      else if (auto integer = dyn_cast<IntegerAttr>(element))
        result.push_back(static_cast<double>(integer.getInt()));
      else
        return std::nullopt;
    }
    return result;
  }
  if (std::optional<double> single = getFloat(name))
    return SmallVector<double>{*single};
  std::optional<SmallVector<int64_t>> integers = getInts(name);
  if (!integers)
    return std::nullopt;
  return SmallVector<double>(integers->begin(), integers->end());
}

std::optional<Sizes> AtenCall::getExprs(StringRef name) {
  Attribute attr = op.getArgument(name);
  readExprs.insert(name);
  if (auto shape = dyn_cast_or_null<sym::ShapeAttr>(attr))
    return Sizes(shape.getDims());
  Sizes result;
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attr)) {
    for (int64_t i : array.asArrayRef())
      result.push_back(b.size(i));
    return result;
  }
  if (auto array = dyn_cast_or_null<ArrayAttr>(attr)) {
    for (Attribute element : array) {
      if (auto expr = dyn_cast<ExprAttr>(element))
        result.push_back(expr);
      else if (auto integer = dyn_cast<IntegerAttr>(element))
        result.push_back(b.size(integer.getInt()));
      else
        return std::nullopt;
    }
    return result;
  }
  if (ExprAttr single = getExpr(name))
    return Sizes{single};
  return std::nullopt;
}

ExprAttr AtenCall::getExpr(StringRef name) {
  Attribute attr = op.getArgument(name);
  readExprs.insert(name);
  if (auto expr = dyn_cast_or_null<ExprAttr>(attr))
    return expr;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return b.size(integer.getInt());
  return nullptr;
}

/// Counts a dimension from the front. A tensor of rank zero accepts the
/// dimensions of rank one.
static std::optional<int64_t> normalizeDim(int64_t dim, int64_t rank) {
  rank = std::max<int64_t>(rank, 1);
  if (dim < -rank || dim >= rank)
    return std::nullopt;
  return dim < 0 ? dim + rank : dim;
}

std::optional<int64_t> AtenCall::getDim(StringRef name, int64_t rank) {
  std::optional<int64_t> dim = getInt(name);
  if (!dim)
    return std::nullopt;
  return normalizeDim(*dim, rank);
}

std::optional<SmallVector<int64_t>> AtenCall::getDims(StringRef name,
                                                      int64_t rank) {
  std::optional<SmallVector<int64_t>> dims = SmallVector<int64_t>();
  if (has(name))
    dims = getInts(name);
  if (!dims)
    return std::nullopt;
  if (dims->empty())
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  for (int64_t &dim : *dims) {
    std::optional<int64_t> normal = normalizeDim(dim, rank);
    if (!normal)
      return std::nullopt;
    dim = *normal;
  }
  llvm::sort(*dims);
  dims->erase(llvm::unique(*dims), dims->end());
  if (rank == 0)
    dims->clear();
  return dims;
}

RankedTensorType AtenCall::resultType(unsigned i) {
  return cast<RankedTensorType>(op.getOutputs()[i].getType());
}

const sym::Context &AtenCall::getContext() {
  if (!context)
    context = sym::Context::forOp(op);
  return *context;
}

//===----------------------------------------------------------------------===//
// Sizes that data decides
//===----------------------------------------------------------------------===//

ExprAttr AtenCall::getUnboundSymbol() {
  for (StringRef name : op.getBoundSymbols())
    if (!bound.contains(name))
      return sym::symbol(b.getContext(), name);
  return nullptr;
}

ExprAttr AtenCall::bindSize(Value count, ExprAttr declared, ExprAttr most) {
  OpBuilder &builder = b.getBuilder();
  Type i64 = builder.getI64Type();
  count = b.convert(b.reshape(count, {}), i64);
  Operation *function = op->getParentOfType<FunctionOpInterface>();
  auto known =
      function ? function->getAttrOfType<DictionaryAttr>(sym::kSymbolsAttrName)
               : DictionaryAttr();
  NamedAttrList symbols(known);
  StringAttr name;
  if (declared && declared.isSymbol() &&
      llvm::is_contained(op.getBoundSymbols(), declared.getName()) &&
      bound.insert(declared.getName()).second) {
    name = builder.getStringAttr(declared.getName());
  } else {
    unsigned number = 0;
    do
      name = builder.getStringAttr("n" + Twine(number++));
    while (symbols.get(name));
  }
  // A larger number than there are elements would be ours to explain; one that
  // is negative is how operators say that their operands are wrong.
  int64_t hi = most ? getContext().bounds(most).hi : sym::RangeAttr::kInf;
  auto range = dyn_cast_or_null<sym::RangeAttr>(symbols.get(name));
  int64_t lo = range ? std::max<int64_t>(range.getMin(), 0) : 0;
  hi = range ? std::min(range.getMax(), hi) : hi;
  if (lo <= hi) {
    std::optional<int64_t> hint = range ? range.getHint() : std::nullopt;
    if (hint && (*hint < lo || *hint > hi))
      hint = std::nullopt;
    symbols.set(name, sym::RangeAttr::get(b.getContext(), lo, hi, hint));
  }
  if (function)
    function->setAttr(sym::kSymbolsAttrName,
                      symbols.getDictionary(b.getContext()));
  context = std::nullopt;
  ItemOp::create(builder, b.getLoc(), name, count);
  return sym::symbol(b.getContext(), name);
}

std::string AtenCall::getUnread() {
  if (ExprAttr symbol = getUnboundSymbol())
    return "data decides the size '" + symbol.getName().str() +
           "' of a result, and it is not known how";
  for (const auto &name : wantedConstants)
    if (!readExprs.contains(name.getKey()))
      return "its argument '" + name.getKey().str() +
             "' is not constant, which it has to be";
  if (op.getNumbers())
    for (auto name : op.getNumbers()->getAsValueRange<StringAttr>())
      if (!readExprs.contains(name))
        return "its argument '" + name.str() +
               "' is a number that data gives, which is not supported there";
  return "";
}

std::optional<Selections::Selection> Selections::find(Value mask,
                                                      Operation *at) const {
  auto it = noted.find(mask);
  if (it == noted.end())
    return std::nullopt;
  // What a region has bound is not visible outside of it.
  Value order = it->second.order;
  Region *made = order.getParentRegion();
  if (!made->isAncestor(at->getParentRegion()))
    return std::nullopt;
  return it->second;
}

void Selections::truncate(size_t count) {
  while (order.size() > count)
    noted.erase(order.pop_back_val());
}

LogicalResult AtenCall::stateAtMost(ExprAttr a, ExprAttr b, StringRef text) {
  if (a.isConstant() && b.isConstant())
    return success(a.getValue() <= b.getValue());
  if (!getContext().isLessOrEqual(a, b))
    sym::AssertOp::create(this->b.getBuilder(), this->b.getLoc(), a,
                          sym::Predicate::Le, b,
                          this->b.getBuilder().getStringAttr(text));
  return success();
}

LogicalResult AtenCall::stateNotEmpty(ExprAttr size) {
  if (failed(stateAtMost(b.size(1), size, "a dimension is not empty")))
    return fail("the dimension has size zero");
  return success();
}

LogicalResult AtenCall::stateSlice(ExprAttr start, ExprAttr count, int64_t step,
                                   ExprAttr size) {
  // Nothing is taken of an empty slice, wherever it is.
  if (count.isConstant(0))
    return success();
  ExprAttr last = sym::add(start, sym::mul(sym::add(count, -1), step));
  if (failed(stateAtMost(sym::add(last, 1), size,
                         "a slice has as many elements as when the program "
                         "was exported")))
    return fail("its slice ends outside of the dimension");
  return success();
}

Value AtenCall::broadcastTo(Value x, SizesRef sizes) {
  Sizes from = getSizes(x);
  if (from.size() > sizes.size())
    return x;
  for (auto [have, want] : llvm::zip(from, sizes.take_back(from.size())))
    if (!have.isConstant(1))
      have = want;
  return b.broadcast(b.castSizes(x, from), sizes);
}

LogicalResult AtenCall::replace(ValueRange values) {
  if (values.size() != op.getOutputs().size())
    return fail("it has " + Twine(op.getOutputs().size()) +
                " results instead of " + Twine(values.size()));
  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(values)) {
    Value old = op.getOutputs()[i];
    if (!value) {
      if (!old.use_empty())
        return fail("its result " + Twine(i) + " is not computed");
      results.push_back(nullptr);
      continue;
    }
    Sizes computed = getSizes(value), expected = resultSizes(i);
    bool fits = computed.size() == expected.size();
    if (fits)
      for (auto [a, b] : llvm::zip(computed, expected))
        fits &= !provablyDiffer(a, b);
    if (!fits)
      return fail("result " + Twine(i) + " is declared with sizes " +
                  toString(expected) + " but computed with " +
                  toString(computed));
    value = b.convert(value, resultElementType(i));
    results.push_back(b.castSizes(value, expected));
  }
  for (auto [old, value] : llvm::zip(op.getOutputs(), results))
    if (value)
      old.replaceAllUsesWith(value);
  return success();
}

//===----------------------------------------------------------------------===//
// Type promotion
//===----------------------------------------------------------------------===//

static Type promote(Type a, Type b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  if (a.isInteger(1))
    return b;
  if (b.isInteger(1))
    return a;
  auto aComplex = dyn_cast<ComplexType>(a), bComplex = dyn_cast<ComplexType>(b);
  if (aComplex || bComplex) {
    Type aPart = aComplex ? aComplex.getElementType() : a;
    Type bPart = bComplex ? bComplex.getElementType() : b;
    return ComplexType::get(promote(aPart, bPart));
  }
  bool aFloat = isa<FloatType>(a), bFloat = isa<FloatType>(b);
  unsigned aWidth = a.getIntOrFloatBitWidth();
  unsigned bWidth = b.getIntOrFloatBitWidth();
  if (aFloat != bFloat)
    return aFloat ? a : b;
  if (aFloat && aWidth == bWidth) // f16 and bf16
    return Float32Type::get(a.getContext());
  if (aFloat || a.isUnsignedInteger() == b.isUnsignedInteger())
    return aWidth > bWidth ? a : b;
  // The signed type has to hold the unsigned one.
  Type isSigned = a.isUnsignedInteger() ? b : a;
  unsigned unsignedWidth = a.isUnsignedInteger() ? aWidth : bWidth;
  if (isSigned.getIntOrFloatBitWidth() > unsignedWidth || unsignedWidth == 64)
    return isSigned;
  return IntegerType::get(a.getContext(), unsignedWidth * 2);
}

Type graph::getPromotedType(AtenCall &call, ArrayRef<StringRef> names) {
  // Tensors with dimensions, tensors of rank zero, numbers: a later group
  // matters only when it is of a higher kind (bool < integer < float <
  // complex).
  Type groups[3];
  MLIRContext *ctx = call.b.getContext();
  for (StringRef name : names) {
    if (Value tensor = call.op.getTensor(name)) {
      bool isNumber = call.op.isNumber(name);
      Type &group = groups[isNumber ? 2 : getRank(tensor) == 0 ? 1 : 0];
      Type type = getElementType(tensor);
      if (isNumber && isa<FloatType>(type))
        type = Float32Type::get(ctx); // As for a literal.
      group = promote(group, type);
      continue;
    }
    Attribute attr = call.op.getArgument(name);
    Type type;
    if (isa_and_nonnull<FloatAttr>(attr))
      type = Float32Type::get(ctx);
    else if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
      type = integer.getType();
    else if (isa_and_nonnull<ExprAttr>(attr))
      type = IntegerType::get(ctx, 64);
    else if (isa_and_nonnull<DictionaryAttr>(attr)) // The parts of a number.
      type = ComplexType::get(Float32Type::get(ctx));
    else
      continue;
    groups[2] = promote(groups[2], type);
  }
  auto combine = [](Type higher, Type lower) -> Type {
    if (!higher || !lower)
      return higher ? higher : lower;
    // A complex number has the parts that a tensor of floats calls for.
    if (isa<ComplexType>(lower) && isa<FloatType>(higher))
      return ComplexType::get(higher);
    if (isa<FloatType, ComplexType>(higher))
      return higher;
    if (higher.isInteger(1) || isa<ComplexType>(lower) || isa<FloatType>(lower))
      return promote(higher, lower);
    return higher;
  };
  return combine(groups[0], combine(groups[1], groups[2]));
}

//===----------------------------------------------------------------------===//
// AtenLegalizations
//===----------------------------------------------------------------------===//

void AtenLegalizations::add(StringRef names, AtenHandler handler) {
  add(names, Entry{std::move(handler), /*hasResults=*/true});
}

void AtenLegalizations::addEffect(StringRef names, AtenHandler handler) {
  add(names, Entry{std::move(handler), /*hasResults=*/false});
}

/// The overloads that Coil has legalizations of.
static llvm::StringSet<> &getOwnOverloads() {
  static auto *names = new llvm::StringSet<>;
  return *names;
}

bool graph::hasOwnLegalization(StringRef overload) {
  (void)getAtenLegalizations();
  return getOwnOverloads().contains(overload);
}

SmallVector<std::string> graph::getOverloads(StringRef names) {
  SmallVector<StringRef> list;
  names.split(list, ' ', -1, /*KeepEmpty=*/false);
  SmallVector<std::string> overloads;
  for (StringRef name : list) {
    // Names of other namespaces than `aten` begin with that.
    auto [space, rest] = name.split("::");
    overloads.push_back(rest.empty() ? ("aten." + name).str()
                                     : (space + "." + rest).str());
    if (!name.contains('.'))
      overloads.back() += ".default";
  }
  return overloads;
}

void AtenLegalizations::add(StringRef names, const Entry &entry) {
  for (const std::string &key : getOverloads(names)) {
    getOwnOverloads().insert(key);
    bool isNew = entries.try_emplace(key, entry).second;
    assert(isNew && "two families have a rule for one operator");
    (void)isNew;
  }
}

const AtenHandler *AtenLegalizations::find(AtenOp op) const {
  auto it = entries.find(op.getName());
  if (it == entries.end() || it->second.hasResults == op.getOutputs().empty())
    return nullptr;
  return &it->second.handler;
}

const AtenLegalizations &graph::getAtenLegalizations() {
  static const AtenLegalizations table = [] {
    AtenLegalizations t;
    populateRefusals(t);
    populateRandomLegalizations(t);
    populateUnaryLegalizations(t);
    populateBinaryLegalizations(t);
    populateSpecialLegalizations(t);
    populateActivationLegalizations(t);
    populateReductionLegalizations(t);
    populateSortLegalizations(t);
    populateViewLegalizations(t);
    populateDataLegalizations(t);
    populateScatterLegalizations(t);
    populateCreationLegalizations(t);
    populateContractionLegalizations(t);
    populateConvolutionLegalizations(t);
    populateConvolutionBackwardLegalizations(t);
    populateLinalgLegalizations(t);
    populateNormalizationLegalizations(t);
    populateActivationBackwardLegalizations(t);
    populateNormalizationBackwardLegalizations(t);
    populateLossBackwardLegalizations(t);
    populateViewBackwardLegalizations(t);
    populateAttentionLegalizations(t);
    populateAttentionBackwardLegalizations(t);
    populateEmbeddingBackwardLegalizations(t);
    populateFftLegalizations(t);
    populateRnnLegalizations(t);
    populateQuantizedLegalizations(t);
    populateFusedLegalizations(t);
    populateQuantizedDecomposedLegalizations(t);
    populateGroupedMatmulLegalizations(t);
    populateLossLegalizations(t);
    populateNormLegalizations(t);
    populatePoolingLegalizations(t);
    populateWindowLegalizations(t);
    populateSignalWindowLegalizations(t);
    populatePadLegalizations(t);
    populateResampleLegalizations(t);
    populateGridLegalizations(t);
    populateDiagonalLegalizations(t);
    populateRearrangeLegalizations(t);
    populateEinsumLegalizations(t);
    populateDistanceLegalizations(t);
    populateSearchLegalizations(t);
    populateSelectionLegalizations(t);
    populateSegmentLegalizations(t);
    populateMarginLossLegalizations(t);
    populateNonzeroLegalizations(t);
    populateUniqueLegalizations(t);
    return t;
  }();
  return table;
}
