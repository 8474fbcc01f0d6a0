//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives functions memory of the caller to write their results into.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Graph/IR/Uninitialized.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERPASSDESTINATIONSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-pass-destinations"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

static constexpr llvm::StringLiteral kName = "coil.name";

namespace {

class DestinationPasser {
public:
  DestinationPasser(FuncOp fn, SymbolTable &table) : fn(fn), table(table) {}

  LogicalResult run();
  LogicalResult checkArrayEntry();

private:
  LogicalResult checkSizes(unsigned result, BufferType type);
  BlockArgument addArgument(unsigned result, BufferType type);
  void checkLayouts(ArrayRef<BlockArgument> added);
  bool replaceAllocation(OpOperand &returned, Value target);
  void copy(OpOperand &returned, Value target);
  KernelOp makeCopyKernel(Location loc, BufferType from, BufferType to);

  FuncOp fn;
  SymbolTable &table;
};

struct WrapperPassDestinations
    : coil::wrapper::impl::WrapperPassDestinationsPassBase<
          WrapperPassDestinations> {
  using WrapperPassDestinationsPassBase::WrapperPassDestinationsPassBase;
  void runOnOperation() override {
    SymbolTable table(getOperation());
    auto fn = table.lookup<FuncOp>(function);
    if (!fn || !fn.isPublic() || fn.isExternal()) { // (C2)
      getOperation().emitError()
          << "the module has no public function '" << function << "'";
      return signalPassFailure();
    }
    if (fn->hasAttr(kMemoryAttrName)) { // (C1)
      emitError(fn.getLoc())
          << "memory of function '" << function << "' is planned already";
      return signalPassFailure();
    }
    if (!suffix.empty()) {
      FuncOp original = fn;
      fn = original.clone();
      fn.setName(function + suffix);
      table.insert(fn, std::next(original->getIterator()));
    }
    DestinationPasser passer(fn, table);
    if (failed(passer.run()) ||
        (arrayEntry && failed(passer.checkArrayEntry())))
      signalPassFailure();
  }
};

} // namespace

/// The symbols of inputs are those that a caller knows.
LogicalResult DestinationPasser::checkSizes(unsigned result, BufferType type) {
  llvm::StringSet<> known;
  for (auto op : fn.getOps<InputSymbolOp>())
    known.insert(op.getSymbol());
  for (ExprAttr size : type.getSizes().getDims()) {
    StringRef unknown;
    sym::walkLeaves(size, [&](ExprAttr leaf) {
      if (!known.contains(leaf.getName()))
        unknown = leaf.getName();
    });
    if (!unknown.empty()) // (C3)
      return fn.getBody().front().getTerminator()->emitOpError()
             << "result " << result << " has the size '" << size.str()
             << "', and '" << unknown
             << "' is no symbol of an input: the caller cannot provide its "
                "memory";
  }
  return success();
}

BlockArgument DestinationPasser::addArgument(unsigned result, BufferType type) {
  Builder b(fn.getContext());
  unsigned number = fn.getNumArguments();
  auto name = fn.getResultAttrOfType<StringAttr>(result, kName);
  if (!name)
    name = b.getStringAttr("out" + std::to_string(result));
  DictionaryAttr attrs = b.getDictionaryAttr(
      {b.getNamedAttr(kName, name),
       b.getNamedAttr(kDestinationAttrName, b.getUnitAttr())});
  (void)fn.insertArgument(
      number, BufferType::get(type.getTensorType(), {}, type.getDevice()),
      attrs, fn.getLoc());
  return fn.getArgument(number);
}

/// Behind the symbols that the layouts mention.
void DestinationPasser::checkLayouts(ArrayRef<BlockArgument> added) {
  Block &body = fn.getBody().front();
  Block::iterator place = body.begin();
  for (Operation &op : body)
    if (isa<InputSymbolOp, AssertLayoutOp>(op))
      place = std::next(op.getIterator());
  OpBuilder b(&body, place);
  for (BlockArgument arg : added)
    AssertLayoutOp::create(
        b, fn.getLoc(), arg,
        fn.getArgAttrOfType<StringAttr>(arg.getArgNumber(), kName));
}

/// Puts the destination in the place of an allocation for the result alone.
bool DestinationPasser::replaceAllocation(OpOperand &returned, Value target) {
  Value result = returned.get();
  auto alloc = getStorage(result).getDefiningOp<AllocOp>();
  // What nothing writes is copied: a destination has to be written.
  if (!alloc || alloc->getBlock() != &fn.getBody().front() ||
      !isAtStorage(result) || alloc->hasAttr(kUninitializedAttrName))
    return false;
  auto type = cast<BufferType>(alloc.getType());
  auto shown = cast<BufferType>(result.getType());
  if (!type.isContiguous() || !shown.isContiguous() ||
      type.getStorageBytes() != shown.getStorageBytes())
    return false;
  // Nobody else may take the storage over.
  bool isTaken = false;
  SmallVector<Value> names = {alloc};
  while (!names.empty()) {
    for (OpOperand &use : names.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<ReinterpretOp>(user))
        names.push_back(user->getResult(0));
      else if (&use != &returned)
        isTaken |= user->hasTrait<OpTrait::IsTerminator>() ||
                   isa<InvokeOp, ReuseOp, FreeOp, WhileOp>(user);
    }
  }
  if (isTaken)
    return false;
  if (target.getType() != type) {
    OpBuilder b(alloc);
    target = ReinterpretOp::create(b, alloc.getLoc(), type, target,
                                   sym::constant(b.getContext(), 0));
  }
  alloc.replaceAllUsesWith(target);
  alloc.erase();
  return true;
}

/// A kernel that gives elements the places of another layout.
KernelOp DestinationPasser::makeCopyKernel(Location loc, BufferType from,
                                           BufferType to) {
  OpBuilder b(fn);
  MLIRContext *ctx = b.getContext();
  RankedTensorType tensor = to.getTensorType();
  llvm::SetVector<Attribute> symbols;
  AttrTypeWalker walker;
  walker.addWalk([&](ExprAttr e) {
    if (e.isSymbol())
      symbols.insert(b.getStringAttr(e.getName()));
  });
  walker.walk(from);
  SmallVector<Attribute> names(symbols.begin(), symbols.end());
  llvm::sort(names, [](Attribute x, Attribute y) {
    return cast<StringAttr>(x).getValue() < cast<StringAttr>(y).getValue();
  });
  OperationState state(loc, KernelOp::getOperationName());
  auto &properties = state.getOrAddProperties<KernelOp::Properties>();
  properties.sym_name = b.getStringAttr("copy_to_destination");
  properties.input_strides = b.getArrayAttr({from.getStrides()});
  properties.output_strides = b.getArrayAttr({to.getStrides()});
  properties.symbols = b.getArrayAttr(names);
  properties.device = to.getDevice();
  if (auto ranges = fn->getAttrOfType<DictionaryAttr>("sym.symbols")) {
    SmallVector<NamedAttribute> known;
    for (Attribute name : names)
      if (Attribute range = ranges.get(cast<StringAttr>(name)))
        known.push_back({cast<StringAttr>(name), range});
    state.addAttribute("sym.symbols", b.getDictionaryAttr(known));
  }
  state.addRegion();
  auto kernel = cast<KernelOp>(b.create(state));
  Block *block = b.createBlock(&kernel.getBody());
  Value input = block->addArgument(tensor, loc);
  SmallVector<ExprAttr> dims;
  for (unsigned d = 0; d < to.getRank(); ++d)
    dims.push_back(sym::dim(ctx, d));
  auto loop = loop::KernelOp::create(b, loc, "copy", sym::getSizes(tensor),
                                     input, TypeRange(tensor));
  OpBuilder body = OpBuilder::atBlockEnd(loop.getBlock());
  auto load =
      loop::LoadOp::create(body, loc, loop.getBlock()->getArgument(0), dims);
  loop::StoreOp::create(body, loc, load, 0, sym::ShapeAttr::get(ctx, dims));
  YieldOp::create(b, loc, loop->getResults());
  table.insert(kernel);
  return kernel;
}

void DestinationPasser::copy(OpOperand &returned, Value target) {
  Operation *op = returned.getOwner();
  OpBuilder b(op);
  auto from = cast<BufferType>(returned.get().getType()),
       to = cast<BufferType>(target.getType());
  remark::missed(op->getLoc(),
                 remark::RemarkOpts::name("ResultCopied").category(DEBUG_TYPE))
      << remark::add("result {0} is copied to its destination",
                     returned.getOperandNumber());
  if (from == to) {
    CopyOp::create(b, op->getLoc(), returned.get(), target);
    return;
  }
  KernelOp kernel = makeCopyKernel(op->getLoc(), from, to);
  SmallVector<ExprAttr> symbols;
  for (auto name : kernel.getSymbols().getAsRange<StringAttr>())
    symbols.push_back(sym::symbol(b.getContext(), name.getValue()));
  LaunchOp::create(b, op->getLoc(),
                   FlatSymbolRefAttr::get(kernel.getSymNameAttr()),
                   sym::ShapeAttr::get(b.getContext(), symbols),
                   ValueRange(returned.get()), ValueRange(target));
}

LogicalResult DestinationPasser::run() {
  auto ret = cast<ReturnOp>(fn.getBody().front().getTerminator());
  for (OpOperand &operand : ret->getOpOperands())
    if (failed(checkSizes(operand.getOperandNumber(),
                          cast<BufferType>(operand.get().getType()))))
      return failure();
  SmallVector<BlockArgument> added;
  for (OpOperand &operand : ret->getOpOperands())
    added.push_back(addArgument(operand.getOperandNumber(),
                                cast<BufferType>(operand.get().getType())));
  checkLayouts(added);
  for (auto [operand, target] : llvm::zip(ret->getOpOperands(), added))
    if (!replaceAllocation(operand, target))
      copy(operand, target);
  ret->setOperands({});
  llvm::BitVector all(fn.getNumResults(), true);
  return fn.eraseResults(all);
}

LogicalResult DestinationPasser::checkArrayEntry() {
  auto *dialect = fn.getContext()->getLoadedDialect<WrapperDialect>();
  for (BlockArgument arg : fn.getArguments()) { // (C4)
    auto type = cast<BufferType>(arg.getType());
    auto fail = [&](const Twine &reason) {
      return emitError(fn.getLoc()) << "function '" << fn.getName()
                                    << "' cannot take arrays: argument "
                                    << arg.getArgNumber() << " " << reason;
    };
    for (ExprAttr size : type.getSizes().getDims())
      if (!size.isConstant())
        return fail("has the size '" + size.str() + "', which is not constant");
    if (!type.isContiguous())
      return fail("has strides");
    const DeviceInfo *device =
        dialect->lookupDevice(type.getDevice().getKind());
    if (!device || !device->usesHostStack)
      return fail("is on device '" + type.getDevice().getKind() + "'");
  }
  fn->setAttr(kArrayEntryAttrName, UnitAttr::get(fn.getContext()));
  return success();
}
