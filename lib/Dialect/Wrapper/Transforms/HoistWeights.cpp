//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves what depends on weights alone into a function that runs once.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERHOISTWEIGHTSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-hoist-weights"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

static constexpr llvm::StringLiteral kWeight = "graph.weight";
static constexpr llvm::StringLiteral kName = "coil.name";

/// A result that is larger than what it was made of is kept only up to this.
static constexpr int64_t kSmallBytes = 65536;

std::string coil::wrapper::getPrepareName(StringRef function) {
  return (function + ".prepare").str();
}

/// Bytes of a buffer's storage, if every run has the same.
static std::optional<int64_t> getBytes(Value v) {
  auto type = cast<BufferType>(v.getType());
  return type.getStorageBytes().getConstant();
}

/// Whether an op is the same at every run but for its operands.
static bool isFixed(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  AttrTypeWalker walker;
  walker.addWalk([](sym::ExprAttr e) {
    return e.isSymbol() ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walker.walk(op->getAttrDictionary()).wasInterrupted())
    return false;
  for (Type type : op->getOperandTypes())
    if (walker.walk(type).wasInterrupted())
      return false;
  for (Type type : op->getResultTypes())
    if (walker.walk(type).wasInterrupted())
      return false;
  return true;
}

namespace {

class Hoister {
public:
  explicit Hoister(FuncOp fn) : fn(fn) {}
  void run();

private:
  void collect();
  /// Whether `op` only makes new buffers of ones that are fixed.
  bool isHoistable(Operation *op);
  void split(ArrayRef<Value> roots);

  FuncOp fn;
  /// Buffers that hold the same elements at every run, by their storage.
  DenseSet<Value> fixed;
  /// Of those, what depends on a weight.
  DenseSet<Value> weighted;
  /// Ops that can run once, in order, with their buffers.
  llvm::SetVector<Operation *> ops;
};

} // namespace

bool Hoister::isHoistable(Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface || !isFixed(op))
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  SmallVector<Value> written;
  int64_t readBytes = 0, writtenBytes = 0;
  bool readsWeight = false;
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value v = effect.getValue();
    if (!v)
      return false;
    Value storage = getStorage(v);
    std::optional<int64_t> bytes = getBytes(storage);
    if (!bytes)
      return false;
    if (isa<MemoryEffects::Read>(effect.getEffect())) {
      if (!fixed.contains(storage))
        return false;
      readsWeight |= weighted.contains(storage);
      readBytes += *bytes;
    } else if (isa<MemoryEffects::Write>(effect.getEffect())) {
      if (!storage.getDefiningOp<AllocOp>())
        return false;
      written.push_back(storage);
      writtenBytes += *bytes;
    } else {
      return false;
    }
  }
  if (written.empty() || !readsWeight ||
      writtenBytes > std::max(readBytes, kSmallBytes))
    return false;
  for (Value storage : written) {
    bool isOnlyWriter = true, leaves = false;
    forEachUse(storage, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      // In a region or handed over: somebody else decides about it.
      leaves |= user->getBlock() != op->getBlock() || isa<ReturnOp>(user) ||
                user->getNumRegions() != 0 ||
                llvm::is_contained(getTakenOperands(user), &use);
      isOnlyWriter &=
          user == op || !hasEffect<MemoryEffects::Write>(user, use.get());
    });
    if (leaves || !isOnlyWriter)
      return false;
  }
  for (Value storage : written) {
    fixed.insert(storage);
    weighted.insert(storage);
  }
  return true;
}

void Hoister::collect() {
  llvm::StringSet<> changed;
  for (unsigned i = 0; i < fn.getNumResults(); ++i)
    for (StringRef kind : {"coil.buffer_mutation", "coil.parameter_mutation"})
      if (auto target = fn.getResultAttrOfType<StringAttr>(i, kind))
        changed.insert(target.getValue());
  for (BlockArgument arg : fn.getBody().getArguments())
    if (auto name =
            fn.getArgAttrOfType<StringAttr>(arg.getArgNumber(), kWeight);
        name && !changed.contains(name.getValue()) && getBytes(arg)) {
      fixed.insert(arg);
      weighted.insert(arg);
    }
  for (Operation &op : fn.getBody().front()) {
    if (auto constant = dyn_cast<ConstantOp>(op))
      fixed.insert(constant.getResult());
    else if (!isa<ViewLikeOpInterface, AllocOp>(op) && isHoistable(&op))
      ops.insert(&op);
  }
}

void Hoister::split(ArrayRef<Value> roots) {
  OpBuilder b(fn);
  std::string name = getPrepareName(fn.getSymName());
  // Weights that are read, and ops with what defines their operands.
  llvm::SetVector<Operation *> slice;
  llvm::SetVector<Value> weights;
  std::function<void(Value)> need = [&](Value v) {
    if (auto arg = dyn_cast<BlockArgument>(v)) {
      weights.insert(arg);
    } else if (Operation *def = v.getDefiningOp(); slice.insert(def)) {
      for (Value operand : def->getOperands())
        need(operand);
    }
  };
  for (Operation *op : ops)
    if (slice.insert(op))
      for (Value operand : op->getOperands())
        need(operand);
  SmallVector<Value> inputs;
  SmallVector<Type> inputTypes, resultTypes;
  SmallVector<Attribute> inputAttrs;
  for (BlockArgument arg : fn.getBody().getArguments())
    if (weights.contains(arg)) {
      inputs.push_back(arg);
      inputTypes.push_back(arg.getType());
      inputAttrs.push_back(fn.getArgAttrDict(arg.getArgNumber()));
    }
  for (Value root : roots)
    resultTypes.push_back(root.getType());

  OperationState state(fn.getLoc(), FuncOp::getOperationName());
  auto &properties = state.getOrAddProperties<FuncOp::Properties>();
  properties.sym_name = b.getStringAttr(name);
  properties.function_type =
      TypeAttr::get(b.getFunctionType(inputTypes, resultTypes));
  Block *block = new Block;
  state.addRegion()->push_back(block);
  b.setInsertionPointAfter(fn);
  auto prepare = cast<FuncOp>(b.create(state));
  IRMapping mapping;
  b.setInsertionPointToStart(block);
  for (auto [i, input] : llvm::enumerate(inputs)) {
    mapping.map(input, block->addArgument(input.getType(), input.getLoc()));
    prepare.setArgAttrs(static_cast<unsigned>(i),
                        cast<DictionaryAttr>(inputAttrs[i]));
  }
  for (Operation &op : fn.getBody().front())
    if (slice.contains(&op) ||
        (isa<AssertLayoutOp>(op) && mapping.contains(op.getOperand(0))))
      b.clone(op, mapping);
  SmallVector<Value> results;
  for (Value root : roots)
    results.push_back(mapping.lookup(root));
  ReturnOp::create(b, fn.getLoc(), results);

  // The function takes the results instead.
  OpBuilder asserts(fn.getContext());
  asserts.setInsertionPointToStart(&fn.getBody().front());
  for (auto [i, root] : llvm::enumerate(roots)) {
    StringAttr weight = b.getStringAttr(name + ":" + Twine(i));
    unsigned number = fn.getBody().getNumArguments();
    (void)fn.insertArgument(
        number, root.getType(),
        b.getDictionaryAttr(
            {b.getNamedAttr(kName, weight), b.getNamedAttr(kWeight, weight)}),
        root.getLoc());
    BlockArgument arg = fn.getBody().getArgument(number);
    AllocOp alloc = root.getDefiningOp<AllocOp>();
    remark::passed(root.getLoc(),
                   remark::RemarkOpts::name("Hoisted").category(DEBUG_TYPE))
        << remark::add("computed once, from weights: {0}", weight.getValue());
    // The ops that go leave with their operands.
    Value(root).replaceUsesWithIf(
        arg, [&](OpOperand &use) { return !ops.contains(use.getOwner()); });
    AssertLayoutOp::create(asserts, alloc.getLoc(), arg, weight);
  }
  for (Operation *op : llvm::reverse(ops.getArrayRef()))
    op->erase();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(fn.getBody().front())))
    if (slice.contains(&op) && op.use_empty())
      op.erase();
  // Weights that nothing else reads.
  llvm::BitVector unused(fn.getBody().getNumArguments());
  for (BlockArgument arg : fn.getBody().getArguments()) {
    if (!weights.contains(arg) ||
        !llvm::all_of(arg.getUsers(), llvm::IsaPred<AssertLayoutOp>))
      continue;
    for (Operation *user : llvm::make_early_inc_range(arg.getUsers()))
      user->erase();
    unused.set(arg.getArgNumber());
  }
  (void)fn.eraseArguments(unused);
}

void Hoister::run() {
  collect();
  if (ops.empty())
    return;
  // What the rest of the function reads.
  SmallVector<Value> roots;
  for (Operation &op : fn.getBody().front()) {
    auto alloc = dyn_cast<AllocOp>(op);
    if (!alloc || !fixed.contains(alloc))
      continue;
    bool isRead = false;
    forEachUse(alloc, [&](OpOperand &use) {
      isRead |= !ops.contains(use.getOwner()) &&
                !isa<ViewLikeOpInterface>(use.getOwner());
    });
    if (isRead)
      roots.push_back(alloc);
  }
  split(roots);
}

namespace {
struct WrapperHoistWeights
    : wrapper::impl::WrapperHoistWeightsPassBase<WrapperHoistWeights> {
  void runOnOperation() override {
    for (FuncOp fn :
         llvm::make_early_inc_range(getOperation().getOps<FuncOp>()))
      if (!fn.isPrivate() && !fn->hasAttr(kMemoryAttrName) &&
          !getOperation().lookupSymbol(getPrepareName(fn.getSymName())))
        Hoister(fn).run();
  }
};
} // namespace
