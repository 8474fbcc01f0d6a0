//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and verifiers of kernels, launches and library calls.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> args;
  if (parser.parseSymbolName(name) ||
      parser.parseArgumentList(args, AsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addAttribute("sym_name", name);
  // Kernels of users have none of these.
  if (result.attributes.get("parameters"))
    for (StringRef empty : {"input_strides", "output_strides", "symbols"})
      if (!result.attributes.get(empty))
        result.addAttribute(empty, parser.getBuilder().getArrayAttr({}));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, args))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << '(';
  llvm::interleaveComma(getBody().getArguments(), p,
                        [&](BlockArgument arg) { p.printRegionArgument(arg); });
  p << ')';
  SmallVector<StringRef> elided = {"sym_name"};
  if (isUserKernel())
    for (StringRef name : {"input_strides", "output_strides", "symbols"})
      if (cast<ArrayAttr>((*this)->getAttr(name)).empty())
        elided.push_back(name);
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), elided);
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                /*printBlockTerminators=*/true, /*printEmptyBlock=*/true);
}

loop::KernelOp KernelOp::getLoopKernel() {
  Block *block = getBlock();
  return block->empty() ? loop::KernelOp()
                        : dyn_cast<loop::KernelOp>(block->front());
}

bool KernelOp::isInPlace(unsigned input, unsigned output) {
  ArrayRef<int64_t> pairs = getInPlace().value_or(ArrayRef<int64_t>());
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    if (pairs[i] == input && pairs[i + 1] == output)
      return true;
  return false;
}

/// Whether the elements of a tensor are less than 2^56 bytes apart, as far as
/// sizes and strides are constants.
static bool fitsAddressSpace(RankedTensorType type,
                             ArrayRef<ExprAttr> strides) {
  constexpr uint64_t most = uint64_t(1) << 56;
  uint64_t elements = 0;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides)) {
    // What a run decides may be two.
    int64_t count = ShapedType::isDynamic(size) ? 2 : size;
    if (!stride.isConstant() || count == 0)
      continue;
    elements = llvm::SaturatingAdd(
        elements,
        llvm::SaturatingMultiply(static_cast<uint64_t>(count - 1),
                                 llvm::AbsoluteValue(stride.getValue())));
  }
  uint64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8u);
  return llvm::SaturatingMultiply(elements, bytes) <= most;
}

LogicalResult KernelOp::verifyRegions() {
  if (isUserKernel())
    return verifyUserKernel();
  Block *block = getBlock();
  loop::KernelOp kernel = getLoopKernel();
  if (kernel) { // (C1)
    auto yield = dyn_cast<YieldOp>(block->back());
    if (!yield || kernel->getNextNode() != yield)
      return emitOpError("expected one 'loop.kernel' and a 'wrapper.yield'");
    if (!llvm::equal(kernel.getInputs(), block->getArguments()))
      return kernel.emitOpError("expected the arguments of the enclosing "
                                "'wrapper.kernel' in order as operands");
    if (!llvm::equal(yield.getValues(), kernel.getResults()))
      return yield.emitOpError("expected the results of the 'loop.kernel' in "
                               "order");
  } else { // (C2)
    if (block->getNumArguments() != 0)
      return emitOpError("has arguments but no 'loop.kernel'");
    for (Operation &op : *block)
      if (!isa<SymbolOpInterface>(op))
        return op.emitOpError("expected a symbol in the body of a lowered "
                              "kernel");
  }

  // (C3)
  auto verifyStrides = [&](ArrayAttr strides, TypeRange types,
                           StringRef what) -> LogicalResult {
    if (strides.size() != types.size())
      return emitOpError() << "has strides for " << strides.size() << ' '
                           << what << "s but " << types.size() << ' ' << what
                           << 's';
    for (auto [i, list, type] : llvm::enumerate(strides, types)) {
      size_t rank = static_cast<size_t>(cast<RankedTensorType>(type).getRank());
      if (cast<sym::ShapeAttr>(list).size() != rank)
        return emitOpError()
               << "has " << cast<sym::ShapeAttr>(list).size() << " strides for "
               << what << ' ' << i << " of rank " << rank;
      if (!fitsAddressSpace(cast<RankedTensorType>(type),
                            cast<sym::ShapeAttr>(list).getDims())) // (C12)
        return emitOpError() << "has strides for " << what << ' ' << i
                             << " that reach beyond 2^56 bytes";
    }
    return success();
  };
  if (kernel &&
      (failed(verifyStrides(getInputStrides(), kernel.getInputs().getTypes(),
                            "input")) ||
       failed(verifyStrides(getOutputStrides(), kernel.getResultTypes(),
                            "output"))))
    return failure();

  // (C4)
  llvm::StringSet<> known;
  for (Attribute name : getSymbols())
    known.insert(cast<StringAttr>(name).getValue());
  std::string missing;
  AttrTypeWalker walker;
  walker.addWalk([&](ExprAttr e) {
    if (e.isSymbol() && !known.contains(e.getName()))
      missing = e.getName().str();
  });
  walker.walk(getInputStrides());
  walker.walk(getOutputStrides());
  if (getTotal())
    walker.walk(*getTotal());
  if (getGeometry())
    walker.walk(*getGeometry());
  if (kernel) {
    walker.walk(kernel->getAttrDictionary());
    for (Operation &op : *kernel.getBlock())
      walker.walk(op.getAttrDictionary());
    for (TypeRange types : {TypeRange(kernel->getOperandTypes()),
                            TypeRange(kernel->getResultTypes())})
      for (Type type : types)
        walker.walk(type);
  }
  if (!missing.empty())
    return emitOpError() << "mentions symbol '" << missing
                         << "', which it does not list";

  // (C5)
  ArrayRef<int64_t> pairs = getInPlace().value_or(ArrayRef<int64_t>());
  bool valid = pairs.size() % 2 == 0;
  for (size_t i = 0; valid && i < pairs.size(); i += 2)
    valid = pairs[i] >= 0 && pairs[i] < getNumInputs() && pairs[i + 1] >= 0 &&
            pairs[i + 1] < getNumOutputs();
  if (!valid)
    return emitOpError("'in_place' is not a list of pairs of an existing input "
                       "and output");

  // (C6)
  if (std::optional<ArrayRef<int64_t>> alignment = getAlignment())
    if (alignment->size() != getNumInputs() ||
        !llvm::all_of(*alignment, [](int64_t bytes) {
          return bytes >= 1 && bytes <= 16 &&
                 llvm::isPowerOf2_64(static_cast<uint64_t>(bytes));
        }))
      return emitOpError("'alignment' is not a list of a power of two from 1 "
                         "to 16 for each input");

  // (C7)
  if (std::optional<uint64_t> batch = getBatch()) {
    if (*batch < 1 || !getGeometry() ||
        !getGeometry()->getGrid()[1].isConstant(static_cast<int64_t>(*batch)))
      return emitOpError("'batch' is not the number of blocks along the second "
                         "dimension of its geometry");
    if (getNumInputs() % *batch != 0 || getNumOutputs() % *batch != 0)
      return emitOpError() << "has " << getNumInputs() << " inputs and "
                           << getNumOutputs() << " outputs for a batch of "
                           << *batch;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto kernel =
      tables.lookupNearestSymbolFrom<KernelOp>(*this, getCalleeAttr());
  if (!kernel) // (C1)
    return emitOpError() << "'" << getCallee() << "' is not a kernel";
  if (kernel.isUserKernel())
    return emitOpError() << "'" << getCallee()
                         << "' is a user's kernel, which "
                            "'wrapper.launch_user' launches";
  auto note = [&](InFlightDiagnostic diag) -> LogicalResult {
    diag.attachNote(kernel.getLoc()) << "kernel defined here";
    return diag;
  };
  auto count = [&](size_t given, size_t expected, StringRef what) {
    if (given == expected)
      return success();
    return note(emitOpError() << "has " << given << ' ' << what
                              << " but the kernel has " << expected);
  };
  if (failed(count(getInputs().size(), kernel.getNumInputs(), "inputs")) ||
      failed(count(getOutputs().size(), kernel.getNumOutputs(), "outputs")) ||
      failed(count(getSymbols().size(), kernel.getSymbols().size(), "symbols")))
    return failure(); // (C2)

  // (C3)
  bool renamed = false;
  llvm::StringMap<ExprAttr> values;
  for (auto [name, value] :
       llvm::zip(kernel.getSymbols(), getSymbols().getDims())) {
    StringRef s = cast<StringAttr>(name).getValue();
    values[s] = value;
    renamed |= !value.isSymbol() || value.getName() != s;
  }
  auto translate = [&](sym::ShapeAttr list) {
    if (!renamed)
      return list;
    SmallVector<ExprAttr> exprs;
    for (ExprAttr e : list.getDims())
      exprs.push_back(sym::substitute(e, [&](ExprAttr leaf) -> ExprAttr {
        return leaf.isSymbol() ? values.lookup(leaf.getName()) : ExprAttr();
      }));
    return sym::ShapeAttr::get(getContext(), exprs);
  };
  loop::KernelOp body = kernel.getLoopKernel();
  auto check = [&](size_t i, Value buffer, Attribute strides, Type tensor,
                   StringRef what) -> LogicalResult {
    auto type = cast<BufferType>(buffer.getType());
    bool fits = translate(cast<sym::ShapeAttr>(strides)) == type.getStrides();
    if (tensor) {
      auto ranked = cast<RankedTensorType>(tensor);
      fits &=
          ranked.getElementType() == type.getElementType() &&
          translate(sym::ShapeAttr::get(getContext(), sym::getSizes(ranked))) ==
              type.getSizes();
    }
    if (fits)
      return success();
    return note(emitOpError()
                << what << ' ' << i << " has type " << buffer.getType()
                << ", which is not what the kernel has for it");
  };
  for (size_t i = 0; i < getInputs().size(); ++i)
    if (failed(check(i, getInputs()[i], kernel.getInputStrides()[i],
                     body ? body.getInputs()[i].getType() : Type(), "input")))
      return failure();
  for (size_t i = 0; i < getOutputs().size(); ++i)
    if (failed(check(i, getOutputs()[i], kernel.getOutputStrides()[i],
                     body ? body.getResult(i).getType() : Type(), "output")))
      return failure();
  return success();
}

std::string LaunchOp::getComputeName() { return getCallee().str(); }

bool LaunchOp::mayShareStorage(OpOperand &read, OpOperand &written,
                               SymbolTableCollection &tables) {
  auto kernel =
      tables.lookupNearestSymbolFrom<KernelOp>(*this, getCalleeAttr());
  if (!kernel)
    return false;
  unsigned numInputs = static_cast<unsigned>(getInputs().size());
  unsigned i = read.getOperandNumber(), o = written.getOperandNumber();
  return i < numInputs && o >= numInputs && kernel.isInPlace(i, o - numInputs);
}

//===----------------------------------------------------------------------===//
// Library calls
//===----------------------------------------------------------------------===//

/// Factors share a type that libraries take; result and bias have it or `f32`.
static LogicalResult verifyElementTypes(Operation *op, Value a, Value b,
                                        Value bias, Value c) {
  auto element = [](Value v) {
    return cast<BufferType>(v.getType()).getElementType();
  };
  Type type = element(a);
  auto wide = [&](Type t) { return t.isF32() || t == type; };
  if ((type.isF32() || type.isF16() || type.isBF16()) && element(b) == type &&
      wide(element(c)) && (!bias || wide(element(bias))))
    return success();
  return op->emitOpError(
      "expected factors of one type, f32, f16 or bf16, and a "
      "result and bias of that or f32");
}

/// Only factors of f32 can be rounded to TF32.
static LogicalResult verifyTF32(Operation *op, bool tf32, Value factor) {
  Type type = cast<BufferType>(factor.getType()).getElementType();
  if (!tf32 || type.isF32())
    return success();
  return op->emitOpError() << "'tf32' goes with factors of f32 but got "
                           << type;
}

/// The lowest and the highest sum of an index times `strides`, counted from
/// `first`, of `sizes`; none where not all are constants, or if there is no
/// index. What is beyond 64 bits is saturated.
static std::optional<std::pair<int64_t, int64_t>>
getConstantReach(ArrayRef<ExprAttr> sizes, ArrayRef<ExprAttr> strides,
                 ExprAttr first) {
  std::pair<int64_t, int64_t> reach;
  if (first) {
    if (!first.isConstant())
      return std::nullopt;
    reach = {first.getValue(), first.getValue()};
  }
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    if (!size.isConstant() || !stride.isConstant() || size.getValue() < 1)
      return std::nullopt;
    int64_t last = stride.getValue(), count = size.getValue() - 1;
    if (llvm::MulOverflow(last, count, last))
      last = stride.getValue() < 0 ? std::numeric_limits<int64_t>::min()
                                   : std::numeric_limits<int64_t>::max();
    int64_t &end = last < 0 ? reach.first : reach.second;
    if (llvm::AddOverflow(end, last, end))
      end = last < 0 ? std::numeric_limits<int64_t>::min()
                     : std::numeric_limits<int64_t>::max();
  }
  return reach;
}

LogicalResult ContractionOp::verify() {
  size_t rank = getDims().size();
  if (rank < 3 || rank > 7) // (C1)
    return emitOpError() << "expected three to seven dimensions but got "
                         << rank;
  struct {
    StringRef name;
    Value buffer;
    sym::ShapeAttr strides;
    ExprAttr offset;
  } operands[] = {
      {"a", getA(), getAStrides(), getAOffsetAttr()},
      {"b", getB(), getBStrides(), getBOffsetAttr()},
      {"c", getC(), getCStrides(), getCOffsetAttr()},
      {"bias", getBias(), getBiasStridesAttr(), getBiasOffsetAttr()}};
  if (static_cast<bool>(getBias()) != static_cast<bool>(getBiasStridesAttr()))
    return emitOpError("bias and its strides come together"); // (C3)
  SmallVector<ExprAttr> exprs(getDims().getDims());
  for (const auto &o : operands) {
    if (o.strides && o.strides.size() != rank) // (C1)
      return emitOpError() << "has " << o.strides.size() << " strides of '"
                           << o.name << "' for " << rank << " dimensions";
    if (o.strides)
      llvm::append_range(exprs, o.strides.getDims());
    if (o.offset)
      exprs.push_back(o.offset);
  }
  for (ExprAttr e : exprs) { // (C5)
    bool ok = true;
    sym::walkLeaves(e, [&](ExprAttr leaf) { ok &= leaf.isSymbol(); });
    if (!ok)
      return emitOpError() << "expression '" << e.str()
                           << "' mentions a dimension or an indirect index";
  }
  size_t m = rank - 3, n = rank - 2, k = rank - 1;
  auto constant = [&](sym::ShapeAttr strides, size_t dim, StringRef operand,
                      StringRef name) -> LogicalResult {
    if (strides[dim].isConstant(0))
      return success();
    return emitOpError() << "'" << operand << "' varies over " << name;
  };
  if (failed(constant(getAStrides(), n, "a", "n")) || // (C2)
      failed(constant(getBStrides(), m, "b", "m")) ||
      failed(constant(getCStrides(), k, "c", "k")))
    return failure();
  if (getBias()) { // (C3)
    sym::ShapeAttr s = getBiasStridesAttr();
    for (size_t d = 0; d < rank; ++d)
      if (d != m && d != n &&
          failed(constant(s, d, "bias", "a batch dimension or k")))
        return failure();
    if (!s[m].isConstant(0) && !s[n].isConstant(0))
      return emitOpError("'bias' varies over m and n");
  }
  if (failed(verifyTF32(*this, getTf32(), getA())) || // (C6)
      failed(verifyElementTypes(*this, getA(), getB(), getBias(),
                                getC()))) // (C4)
    return failure();
  for (const auto &o : operands) { // (C7)
    if (!o.buffer)
      continue;
    auto type = cast<BufferType>(o.buffer.getType());
    auto holds = getConstantReach(type.getSizes().getDims(),
                                  type.getStrides().getDims(), ExprAttr());
    auto touched =
        getConstantReach(getDims().getDims(), o.strides.getDims(), o.offset);
    if (holds && touched &&
        (touched->first < holds->first || touched->second > holds->second))
      return emitOpError() << "touches the elements " << touched->first
                           << " to " << touched->second << " of '" << o.name
                           << "', whose buffer has " << holds->first << " to "
                           << holds->second;
  }
  return success();
}

LogicalResult ConvolutionOp::verify() {
  auto rank = [](Value v) { return cast<BufferType>(v.getType()).getRank(); };
  unsigned r = rank(getX());
  if (r < 3 || r > 5 || rank(getW()) != r || rank(getY()) != r) // (C1)
    return emitOpError("expected operands of the same rank, three to five");
  size_t spatial = r - 2;
  auto all = [&](ArrayRef<int64_t> list, int64_t least) {
    return list.size() == spatial && llvm::all_of(list, [&](int64_t v) {
             return v >= least && v <= std::numeric_limits<int32_t>::max();
           });
  };
  if (!all(getStride(), 1) || !all(getDilation(), 1) || !all(getPadding(), 0) ||
      getGroups() < 1 ||
      getGroups() > uint64_t(std::numeric_limits<int32_t>::max())) // (C2)
    return emitOpError() << "expected a positive stride and dilation and a "
                            "padding for each of "
                         << spatial
                         << " spatial dimensions, and positive groups, all "
                            "below 2^31";
  if (getBias() && rank(getBias()) != 1) // (C3)
    return emitOpError("expected a bias of rank one");
  if (failed(verifyTF32(*this, getTf32(), getX()))) // (C5)
    return failure();
  return verifyElementTypes(*this, getX(), getW(), getBias(), getY()); // (C4)
}

LogicalResult AttentionOp::verify() {
  auto type = [](Value v) { return cast<BufferType>(v.getType()); };
  Type element = type(getQ()).getElementType();
  SmallVector<Value> operands{getQ(), getK(), getV(), getO()};
  if (getMask())
    operands.push_back(getMask());
  for (Value v : operands)
    if (type(v).getRank() != 4 || type(v).getElementType() != element ||
        !(element.isF16() || element.isBF16())) // (C1)
      return emitOpError("expected operands of rank four with one element "
                         "type, f16 or bf16");
  auto q = type(getQ()).getSizes(), k = type(getK()).getSizes(),
       v = type(getV()).getSizes(), o = type(getO()).getSizes();
  bool fits = q[0] == k[0] && q[0] == v[0] && q[0] == o[0] && k[1] == v[1] &&
              q[1] == o[1] && q[2] == o[2] && k[2] == v[2] && q[3] == k[3] &&
              v[3] == o[3];
  if (getMask()) {
    auto m = type(getMask()).getSizes();
    fits &= m[0] == q[0] && m[1] == q[1] && m[2] == q[2] && m[3] == k[2];
  }
  if (!fits) // (C2)
    return emitOpError("the sizes of its operands do not fit");
  return success();
}

LogicalResult SortOp::verify() {
  auto type = [](Value v) { return cast<BufferType>(v.getType()); };
  ArrayRef<ExprAttr> from = type(getX()).getSizes().getDims();
  size_t dim = getDim();
  if (dim >= from.size()) // (C1)
    return emitOpError() << "has dimension " << dim
                         << " but its operand has rank " << from.size();
  SmallVector<Value> results;
  for (Value v : {getValues(), getIndices()})
    if (v)
      results.push_back(v);
  if (results.empty()) // (C1)
    return emitOpError("has no result");
  for (Value v : getOperands())
    if (!type(v).isContiguous()) // (C2)
      return emitOpError("expected contiguous buffers");
  for (Value v : results) { // (C3)
    ArrayRef<ExprAttr> to = type(v).getSizes().getDims();
    bool fits = type(v).getSizes() == type(results.front()).getSizes() &&
                to.size() == from.size();
    for (size_t d = 0; fits && d < from.size(); ++d)
      fits = d == dim || to[d] == from[d];
    if (!fits)
      return emitOpError("the sizes of its operands do not fit");
  }
  Type element = type(getX()).getElementType();
  bool fits = !isa<FloatType>(element) || element.getIntOrFloatBitWidth() > 8;
  if (getValues())
    fits &= type(getValues()).getElementType() == element;
  if (getIndices())
    fits &= type(getIndices()).getElementType().isSignlessInteger(64);
  if (!fits) // (C4)
    return emitOpError("expected values of the operand's element type, not a "
                       "float of 8 bits, and positions of 'i64'");
  return success();
}
