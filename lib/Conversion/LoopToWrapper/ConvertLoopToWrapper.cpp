//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns functions of loop kernels into host programs.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/LoopToWrapper/LoopToWrapper.h"

#include "Outliner.h"
#include "coil/Dialect/Graph/IR/Uninitialized.h"
#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Loop/Analysis/InPlace.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

#include <climits>
#include <numeric>

namespace coil {
#define GEN_PASS_DEF_CONVERTLOOPTOWRAPPERPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

#define DEBUG_TYPE "convert-loop-to-wrapper"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {

struct ConvertLoopToWrapper
    : coil::impl::ConvertLoopToWrapperPassBase<ConvertLoopToWrapper> {
  using ConvertLoopToWrapperPassBase::ConvertLoopToWrapperPassBase;
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

LogicalResult wrapper::checkStrides(Operation *op, sym::ShapeAttr strides,
                                    RankedTensorType tensor,
                                    const Twine &what) {
  if (strides.size() != static_cast<size_t>(tensor.getRank()))
    return op->emitError() << what << " has " << strides.size()
                           << " strides but rank " << tensor.getRank();
  for (ExprAttr stride : strides.getDims()) {
    bool isOfSymbols = true;
    sym::walkLeaves(stride,
                    [&](ExprAttr leaf) { isOfSymbols &= leaf.isSymbol(); });
    if (!isOfSymbols)
      return op->emitError() << what << " has a stride '" << stride.str()
                             << "' that is not an expression over symbols";
  }
  return success();
}

LogicalResult Outliner::createFunction() {
  SmallVector<Type> args;
  for (auto [i, type] : llvm::enumerate(fn.getArgumentTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return fn.emitError() << "argument " << i << " is not a ranked tensor";
    if (llvm::is_contained(sym::getSizes(tensor), ExprAttr()))
      return fn.emitError()
             << "argument " << i << " has a dynamic size without an expression";
    auto strides = fn.getArgAttrOfType<sym::ShapeAttr>(static_cast<unsigned>(i),
                                                       kStridesAttrName);
    if (strides &&
        failed(checkStrides(fn, strides, tensor, "argument " + Twine(i))))
      return failure();
    DeviceAttr place = getPlace(
        function_interface_impl::getArgAttrDict(fn, static_cast<unsigned>(i)),
        "argument " + Twine(i));
    if (!place)
      return failure();
    args.push_back(BufferType::get(
        tensor, strides ? strides.getDims() : ArrayRef<ExprAttr>(), place));
  }
  b.setInsertionPointAfter(fn);
  OperationState state(fn.getLoc(), FuncOp::getOperationName());
  auto &properties = state.getOrAddProperties<FuncOp::Properties>();
  properties.sym_name = fn.getSymNameAttr();
  properties.function_type = TypeAttr::get(b.getFunctionType(args, {}));
  for (NamedAttribute attr : fn->getDiscardableAttrs())
    state.addAttribute(attr.getName(), attr.getValue());
  // Results of host programs have no attributes.
  SmallVector<int64_t> complexResults;
  for (unsigned i = 0, e = fn.getNumResults(); i < e; ++i)
    if (fn.getResultAttr(i, "coil.complex"))
      complexResults.push_back(i);
  if (!complexResults.empty())
    state.addAttribute("coil.complex_outputs",
                       b.getDenseI64ArrayAttr(complexResults));
  if (fn.isPrivate())
    state.addAttribute(SymbolTable::getVisibilityAttrName(),
                       b.getStringAttr("private"));
  Block *block = new Block;
  state.addRegion()->push_back(block);
  result = cast<FuncOp>(b.create(state));
  for (auto [type, arg] : llvm::zip(args, fn.getArguments())) {
    BlockArgument buffer = block->addArgument(type, arg.getLoc());
    buffers[arg] = buffer;
    NamedAttrList attrs(
        function_interface_impl::getArgAttrs(fn, arg.getArgNumber()));
    attrs.erase(kStridesAttrName);
    attrs.erase(kPlacedAttrName);
    attrs.erase(graph::kDeviceIndexAttrName);
    result.setArgAttrs(arg.getArgNumber(), attrs);
  }
  b.setInsertionPointToStart(block);
  return success();
}

/// Name of an argument for messages.
static StringAttr getName(FuncOp fn, unsigned i) {
  if (auto name = fn.getArgAttrOfType<StringAttr>(i, "coil.name"))
    return name;
  return StringAttr::get(fn.getContext(), "arg" + std::to_string(i));
}

LogicalResult Outliner::bindSymbols() {
  struct Source {
    BlockArgument arg;
    Property property;
    unsigned dim;
    ExprAttr expr;
  };
  // Symbols by themselves before products, sizes before strides.
  SmallVector<Source> sources[4];
  for (BlockArgument arg : result.getArguments()) {
    BufferType type = getType(arg);
    for (Property property : {Property::Size, Property::Stride}) {
      sym::ShapeAttr list =
          property == Property::Size ? type.getSizes() : type.getStrides();
      for (auto [d, e] : llvm::enumerate(list.getDims()))
        if (!e.isConstant())
          sources[(property == Property::Stride ? 2 : 0) + !e.isSymbol()]
              .push_back({arg, property, static_cast<unsigned>(d), e});
    }
  }
  SmallVector<Source> pending;
  for (auto &list : sources)
    llvm::append_range(pending, list);

  // What an argument holds comes first: sizes and strides need not be solvable
  // for it, and what they are is checked.
  llvm::StringSet<> bound;
  for (auto item : fn.getBody().front().getOps<graph::ItemOp>())
    if (isa<BlockArgument>(item.getSource()) &&
        bound.insert(item.getSymbol()).second)
      convertItem(item);
  auto getUnknown = [&](ExprAttr e, unsigned &count) {
    ExprAttr unknown;
    count = 0;
    sym::walkLeaves(e, [&](ExprAttr leaf) {
      if (!bound.contains(leaf.getName()) && leaf != unknown) {
        unknown = leaf;
        ++count;
      }
    });
    return unknown;
  };
  for (bool progress = true; progress;) {
    progress = false;
    SmallVector<Source> rest;
    for (const Source &s : pending) {
      unsigned count;
      ExprAttr unknown = getUnknown(s.expr, count);
      if (count == 0)
        continue;
      if (count > 1 ||
          !sym::solve(s.expr, sym::constant(b.getContext(), 0), unknown)) {
        rest.push_back(s);
        continue;
      }
      InputSymbolOp::create(b, s.arg.getLoc(), unknown.getName(), s.property,
                            s.dim, s.arg);
      bound.insert(unknown.getName());
      progress = true;
    }
    pending = std::move(rest);
  }
  if (!pending.empty()) { // (C2)
    unsigned count;
    ExprAttr unknown = getUnknown(pending.front().expr, count);
    return fn.emitError() << "symbol '" << unknown.getName()
                          << "' cannot be computed from the sizes and strides "
                             "of the arguments";
  }
  for (BlockArgument arg : result.getArguments())
    AssertLayoutOp::create(b, arg.getLoc(), arg,
                           getName(result, arg.getArgNumber()));
  moveArguments();
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The bytes that the address of a buffer is a multiple of, up to those that
/// storage begins at.
static int64_t getAddressAlignment(Value buffer) {
  int64_t result = loop::kStorageAlignment;
  while (auto view = buffer.getDefiningOp<ReinterpretOp>()) {
    auto type = cast<BufferType>(view.getSource().getType());
    unsigned bytes =
        std::max(1u, type.getElementType().getIntOrFloatBitWidth() / CHAR_BIT);
    for (const sym::Term &term : sym::getTerms(view.getOffset()))
      result = std::gcd(result, term.coefficient * bytes);
    buffer = view.getSource();
  }
  if (auto arg = dyn_cast<BlockArgument>(buffer))
    if (auto fn = dyn_cast<FuncOp>(arg.getOwner()->getParentOp()))
      result = std::min(result, fn.getAlignment(arg.getArgNumber()));
  return result;
}

void Outliner::launch(loop::KernelOp kernel, ValueRange outputs) {
  SmallVector<Value> inputs;
  SmallVector<int64_t> alignment;
  SmallVector<sym::ShapeAttr> inputStrides, outputStrides;
  for (Value v : kernel.getInputs())
    inputs.push_back(buffers[v]);
  for (auto scatter : kernel.getBlock()->getOps<loop::ScatterOp>())
    if (std::optional<unsigned> i = loop::getInPlaceTarget(scatter))
      inputs[*i] = outputs[static_cast<unsigned>(scatter.getOutput())];
  for (Value v : inputs) {
    inputStrides.push_back(getType(v).getStrides());
    alignment.push_back(getAddressAlignment(v));
  }
  // Vectors of the CPU need no alignment, and kernels should be shared.
  if (device.getKind() == "cpu" || llvm::all_of(alignment, [](int64_t bytes) {
        return bytes == loop::kStorageAlignment;
      }))
    alignment.clear();
  for (Value v : outputs)
    outputStrides.push_back(getType(v).getStrides());
  KernelOp callee = kernels.getOrCreate(kernel, device, inputStrides,
                                        outputStrides, alignment, ranges);
  SmallVector<ExprAttr> symbols;
  for (Attribute name : callee.getSymbols())
    symbols.push_back(
        sym::symbol(b.getContext(), cast<StringAttr>(name).getValue()));
  LaunchOp::create(b, kernel.getLoc(), FlatSymbolRefAttr::get(callee),
                   sym::ShapeAttr::get(b.getContext(), symbols), inputs,
                   outputs);
}

LogicalResult Outliner::convertKernel(loop::KernelOp kernel) {
  if (loop::ScheduleAttrInterface schedule = kernel.getScheduleAttr();
      schedule && schedule.getLibrary()) {
    std::string why;
    if (convertToLibrary(kernel, why))
      return success();
    remark::missed(
        kernel.getLoc(),
        remark::RemarkOpts::name("NoLibraryCall").category(DEBUG_TYPE))
        << remark::add("'{0}' is not a call of '{1}': {2}", kernel.getName(),
                       schedule.getLibrary().getValue(), why);
    kernel.removeScheduleAttr();
  }
  SmallVector<Value> outputs(kernel.getNumResults());
  for (auto scatter : kernel.getBlock()->getOps<loop::ScatterOp>()) {
    auto target = cast<BlockArgument>(scatter.getTarget());
    outputs[static_cast<unsigned>(scatter.getOutput())] =
        clone(scatter.getLoc(), kernel.getInputs()[target.getArgNumber()]);
  }
  for (auto [result, output] : llvm::zip_equal(kernel.getResults(), outputs)) {
    if (!output)
      output = alloc(kernel.getLoc(), result.getType(),
                     loop::getReturnedStrides(result));
    buffers[result] = output;
  }
  auto storage = outputs[0].getDefiningOp<AllocOp>();
  if (storage && loop::isUninitialized(kernel))
    storage->setDiscardableAttr(kUninitializedAttrName, b.getUnitAttr());
  else
    launch(kernel, outputs);
  return success();
}

static PostOp getPostOp(loop::PostOp op) {
  switch (op) {
  case loop::PostOp::None:
    return PostOp::None;
  case loop::PostOp::Relu:
    return PostOp::Relu;
  case loop::PostOp::GeluErf:
    return PostOp::GeluErf;
  }
  return PostOp::None;
}

bool Outliner::convertToLibrary(loop::KernelOp kernel, std::string &why) {
  Location loc = kernel.getLoc();
  StringAttr library = kernel.getScheduleAttr().getLibrary();
  auto input = [&](unsigned i) { return buffers[kernel.getInputs()[i]]; };
  // A window of one element is a contraction to libraries that have no others.
  if (loop::getLibraryCall(kernel, library) == loop::LibraryCall::Convolution) {
    if (std::optional<loop::Convolution> conv =
            loop::matchConvolution(kernel, &why)) {
      Value y = alloc(loc, kernel.getResult(0).getType());
      loop::ConvAttr attr = kernel.getConvAttr();
      Value x = input(conv->x), w = input(conv->w), yFirst = y;
      if (attr.getChannelsLast()) {
        x = toChannelsFirst(loc, makeDense(loc, kernel.getInputs()[conv->x]));
        w = toChannelsFirst(loc, makeDense(loc, kernel.getInputs()[conv->w]));
        yFirst = toChannelsFirst(loc, y);
      }
      ConvolutionOp::create(
          b, loc, library, x, w, conv->bias ? input(*conv->bias) : Value(),
          yFirst, b.getDenseI64ArrayAttr(attr.getStride()),
          b.getDenseI64ArrayAttr(attr.getPadding()),
          b.getDenseI64ArrayAttr(attr.getDilation()),
          b.getI64IntegerAttr(attr.getGroups()),
          PostOpAttr::get(b.getContext(), getPostOp(conv->postOp)),
          conv->tf32 ? b.getUnitAttr() : UnitAttr());
      buffers[kernel.getResult(0)] = y;
      return true;
    }
    return false;
  }
  std::optional<loop::Contraction> c = loop::matchContraction(kernel, &why);
  if (!c)
    return false;
  // What was matched are strides of layouts: a buffer has to have its value's.
  for (auto [i, value] : llvm::enumerate(kernel.getInputs())) {
    loop::Layout layout = loop::getLayout(value);
    if (!hasStrides(input(i), layout.sizes, layout.strides)) {
      why = "operand " + std::to_string(i) + " lies in another layout";
      return false;
    }
  }
  Value result = alloc(loc, kernel.getResult(0).getType());
  auto shape = [&](ArrayRef<ExprAttr> list) {
    return sym::ShapeAttr::get(b.getContext(), list);
  };
  auto offset = [](const loop::ContractionOperand &o) {
    return o.offset.isConstant(0) ? ExprAttr() : o.offset;
  };
  ContractionOp::create(
      b, loc, library, shape(c->dims), input(c->a.input), shape(c->a.strides),
      offset(c->a), input(c->b.input), shape(c->b.strides), offset(c->b),
      c->bias ? input(c->bias->input) : Value(),
      c->bias ? shape(c->bias->strides) : sym::ShapeAttr(),
      c->bias ? offset(*c->bias) : ExprAttr(), result, shape(c->c.strides),
      offset(c->c), PostOpAttr::get(b.getContext(), getPostOp(c->postOp)),
      c->tf32 ? b.getUnitAttr() : UnitAttr());
  buffers[kernel.getResult(0)] = result;
  return true;
}

bool Outliner::hasStrides(Value buffer, ArrayRef<ExprAttr> sizes,
                          ArrayRef<ExprAttr> strides) {
  return llvm::all_of(
      llvm::zip(sizes, strides, getType(buffer).getStrides().getDims()),
      [](const auto &dim) {
        auto [size, want, have] = dim;
        return size.isConstant(1) || want == have;
      });
}

/// A buffer of the value whose elements are in the order of its dimensions.
Value Outliner::makeDense(Location loc, Value value) {
  auto tensor = cast<RankedTensorType>(value.getType());
  SmallVector<ExprAttr> sizes = sym::getSizes(tensor), dims,
                        dense =
                            sym::getContiguousStrides(b.getContext(), sizes);
  if (hasStrides(buffers[value], sizes, dense))
    return buffers[value];
  for (unsigned d = 0; d < sizes.size(); ++d)
    dims.push_back(sym::dim(b.getContext(), d));
  return copy(loc, value, dims, tensor, {});
}

/// A view with the channels in front of space; libraries count so, whatever
/// the layout.
Value Outliner::toChannelsFirst(Location loc, Value buffer) {
  BufferType type = getType(buffer);
  auto first = [](ArrayRef<ExprAttr> list) {
    SmallVector<ExprAttr> result(list.drop_back());
    result.insert(result.begin() + 1, list.back());
    return result;
  };
  auto tensor = sym::getTensorType(first(type.getSizes().getDims()),
                                   type.getElementType());
  return ReinterpretOp::create(
      b, loc,
      BufferType::get(tensor, first(type.getStrides().getDims()), device),
      buffer, sym::constant(b.getContext(), 0));
}

void Outliner::convertAttention(loop::AttentionOp op) {
  Value result = alloc(op.getLoc(), op.getResult().getType());
  buffers[op.getResult()] = result;
  // The library counts heads first.
  BufferType type = getType(result);
  ArrayRef<ExprAttr> sizes = type.getSizes().getDims(),
                     strides = type.getStrides().getDims();
  auto swap = [&](ArrayRef<ExprAttr> list) {
    return SmallVector<ExprAttr>{list[0], list[2], list[1], list[3]};
  };
  Value view = ReinterpretOp::create(
      b, op.getLoc(),
      BufferType::get(sym::getTensorType(swap(sizes), type.getElementType()),
                      swap(strides), device),
      result, sym::constant(b.getContext(), 0));
  AttentionOp::create(b, op.getLoc(), op.getLibraryAttr(),
                      buffers[op.getQuery()], buffers[op.getKey()],
                      buffers[op.getValue()],
                      op.getMask() ? buffers[op.getMask()] : Value(), view,
                      op.getCausalAttr(), op.getScaleAttr());
}

void Outliner::convertSort(loop::SortOp op) {
  if (op->use_empty())
    return;
  Value x = makeDense(op.getLoc(), op.getInput());
  // Strides of single elements say nothing.
  if (!getType(x).isContiguous())
    x = ReinterpretOp::create(
        b, op.getLoc(),
        BufferType::get(cast<RankedTensorType>(op.getInput().getType()), {},
                        device),
        x, sym::constant(b.getContext(), 0));
  Value results[2];
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (!result.use_empty())
      buffers[result] = results[i] = alloc(op.getLoc(), result.getType());
  SortOp::create(b, op.getLoc(), op.getLibraryAttr(), x, op.getDimAttr(),
                 op.getDescendingAttr(), op.getUnorderedAttr(), results[0],
                 results[1]);
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

LogicalResult Outliner::convert(Operation &op) {
  AtDevice scope(*this, findDevice(op));
  if (auto move = dyn_cast<graph::ToDeviceOp>(op))
    return convertToDevice(move);
  // Operands that are elsewhere are seen where the op is.
  SmallVector<std::pair<Value, Value>> seen;
  if (isSeveral && !isa<graph::IfOp, graph::WhileOp>(op))
    for (Value v : op.getOperands())
      if (Value buffer = buffers.lookup(v);
          buffer && getType(buffer).getDevice() != device &&
          getType(buffer).getDevice().getKind() == device.getKind()) {
        seen.push_back({v, buffer});
        buffers[v] = moveTo(op.getLoc(), v, device);
      }
  LogicalResult result = convertHere(op);
  for (auto [v, buffer] : seen)
    buffers[v] = buffer;
  return result;
}

LogicalResult Outliner::convertHere(Operation &op) {
  if (auto branch = dyn_cast<graph::IfOp>(op))
    return convertIf(branch);
  if (auto loop = dyn_cast<graph::WhileOp>(op))
    return convertWhile(loop);
  if (auto call = dyn_cast<graph::CustomCallOp>(op))
    return convertCustomCall(call);
  if (auto item = dyn_cast<graph::ItemOp>(op)) {
    // Arguments were read before.
    if (!isa<BlockArgument>(item.getSource()) ||
        item->getBlock() != &fn.getBody().front())
      convertItem(item);
    return success();
  }
  if (auto kernel = dyn_cast<loop::KernelOp>(op))
    return convertKernel(kernel);
  if (auto attention = dyn_cast<loop::AttentionOp>(op)) {
    convertAttention(attention);
    return success();
  }
  if (auto sort = dyn_cast<loop::SortOp>(op)) {
    convertSort(sort);
    return success();
  }
  if (auto view = dyn_cast<loop::ViewOp>(op)) {
    if (!view->use_empty())
      convertView(view);
    return success();
  }
  if (auto assertion = dyn_cast<sym::AssertOp>(op)) {
    wrapper::AssertOp::create(b, op.getLoc(), assertion.getLhs(),
                              assertion.getPredicate(), assertion.getRhs(),
                              assertion.getMessage());
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    if (elements && type) {
      buffers[constant.getResult()] = ConstantOp::create(
          b, op.getLoc(), BufferType::get(type, {}, device), elements);
      return success();
    }
  }
  return op.emitOpError("is not allowed in a host program"); // (C1)
}

LogicalResult Outliner::convertOps(Block &block) {
  // Kernels that copy are added before the function's terminator as we go, and
  // must not be visited.
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops)
    if (failed(convert(*op)))
      return failure();
  return success();
}

LogicalResult Outliner::run() {
  if (!fn.getBody().hasOneBlock())
    return fn.emitError("expected a function of one block");
  findDevices();
  if (failed(createFunction()) || failed(bindSymbols()))
    return failure();
  if (failed(convertOps(fn.getBody().front())))
    return failure();
  Operation *end = fn.getBody().front().getTerminator();
  auto ret = dyn_cast<func::ReturnOp>(end);
  if (!ret)
    return end->emitOpError("is not allowed in a host program");
  return convertReturn(ret);
}

void ConvertLoopToWrapper::runOnOperation() {
  ModuleOp module = getOperation();
  auto deviceAttr = DeviceAttr::get(&getContext(), device, 0);
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  if (functions.empty())
    return;
  // Kernels come before the functions that launch them.
  OpBuilder builder(functions.front());
  KernelTable kernels(builder);
  for (func::FuncOp fn : functions) {
    if (fn.isDeclaration()) {
      fn.emitError("expected a function with a body");
      return signalPassFailure();
    }
    if (failed(Outliner(fn, kernels, deviceAttr).run()))
      return signalPassFailure();
  }
  for (func::FuncOp fn : functions)
    fn.erase();
}
