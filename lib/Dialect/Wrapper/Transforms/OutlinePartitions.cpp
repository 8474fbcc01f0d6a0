//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes functions of partitions.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/Analysis/Dependences.h"
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "coil/Dialect/Wrapper/IR/TensorMap.h"
#include "coil/Dialect/Wrapper/IR/Updated.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPEROUTLINEPARTITIONSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {

struct WrapperOutlinePartitions
    : coil::wrapper::impl::WrapperOutlinePartitionsPassBase<
          WrapperOutlinePartitions> {
  void runOnOperation() override;
};

/// One partition, and what its function is like.
class Outliner {
public:
  Outliner(PartitionOp op, FuncOp parent) : op(op), parent(parent) {}
  LogicalResult run(SymbolTable &table, unsigned number);

private:
  struct Input {
    Value storage;
    bool isWritten = false, isEnded = false;
    bool livesOn = false;
    /// Whether it is the caller's, which the parent updates.
    bool isForeign = false;
    bool isUpdated() const { return isWritten && isForeign; }
    bool isConsumed() const {
      return isEnded || (isWritten && livesOn && !isForeign);
    }
    bool isReturned() const {
      return isWritten && livesOn && !isEnded && !isForeign;
    }
  };

  LogicalResult collect();
  void cloneViews();
  /// Uses another value for storage behind the partition, through views, too.
  void replaceBehind(Value storage, Value result);
  DictionaryAttr getRanges(ArrayRef<StringAttr> symbols);

  PartitionOp op;
  FuncOp parent;
  SmallVector<Input> inputs;
};

} // namespace

/// Views, tensor maps and literals from outside are made again where they are
/// used.
void Outliner::cloneViews() {
  Block &body = op.getBody().front();
  llvm::DenseMap<Value, Value> copies;
  std::function<Value(Value, Operation *)> get = [&](Value v, Operation *user) {
    Operation *def = v.getDefiningOp();
    if (!def || op->isProperAncestor(def) ||
        !isa<ReinterpretOp, ConstantOp, TMADescriptorOp>(def))
      return v;
    if (Value known = copies.lookup(v))
      return known;
    Operation *copy = OpBuilder(user).clone(*def);
    for (OpOperand &operand : copy->getOpOperands())
      operand.set(get(operand.get(), copy));
    return copies[v] = copy->getResult(0);
  };
  SmallVector<Operation *> users;
  body.walk([&](Operation *user) { users.push_back(user); });
  for (Operation *user : users) {
    // A stream's region uses what is made in front of it.
    Operation *place = body.findAncestorOpInBlock(*user);
    for (OpOperand &operand : user->getOpOperands())
      operand.set(get(operand.get(), place));
  }
}

/// Finds the storage from outside, and what becomes of it.
LogicalResult Outliner::collect() {
  llvm::DenseMap<Value, size_t> numbers;
  auto getInput = [&](Value v) -> Input & {
    auto [it, isNew] = numbers.try_emplace(v, inputs.size());
    if (isNew)
      inputs.push_back({v});
    return inputs[it->second];
  };
  SmallVector<Operation *> members;
  op.getBody().walk([&](Operation *inner) { members.push_back(inner); });
  for (Operation *member : members) {
    Operation &inner = *member;
    SmallVector<MemoryEffects::EffectInstance> instances;
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(inner))
      effects.getEffects(instances);
    for (OpOperand &operand : inner.getOpOperands()) {
      Value v = operand.get();
      if (op->isAncestor(v.getParentBlock()->getParentOp()))
        continue;
      if (isa<PoolType>(v.getType())) // (C1)
        return inner.emitOpError("uses a pool from outside of a partition");
      Input &input = getInput(v);
      for (const auto &effect : instances)
        if (effect.getEffectValue<OpOperand *>() == &operand)
          input.isWritten |= isa<MemoryEffects::Write>(effect.getEffect());
      // A view of it may be written.
      if (isa<ViewLikeOpInterface>(inner))
        forEachUse(inner.getResult(0), [&](OpOperand &use) {
          SmallVector<MemoryEffects::EffectInstance> list;
          if (auto effects = dyn_cast<MemoryEffectOpInterface>(use.getOwner()))
            effects.getEffects(list);
          for (const auto &effect : list)
            if (effect.getEffectValue<OpOperand *>() == &use)
              input.isWritten |= isa<MemoryEffects::Write>(effect.getEffect());
        });
      input.isEnded |= llvm::is_contained(getTakenOperands(&inner), &operand);
    }
  }
  Block *block = op->getBlock();
  for (Input &input : inputs) {
    bool isHere =
        isOwned(input.storage) && input.storage.getParentBlock() == block;
    // Whether anything ends it, here or elsewhere.
    bool isTaken = false;
    forEachUse(input.storage, [&](OpOperand &use) {
      isTaken |= llvm::is_contained(getTakenOperands(use.getOwner()), &use);
      Operation *here = block->findAncestorOpInBlock(*use.getOwner());
      input.livesOn |= here && op->isBeforeInBlock(here);
    });
    auto arg = dyn_cast<BlockArgument>(input.storage);
    input.isForeign = arg && arg.getOwner() == &parent.getBody().front() &&
                      arg.getOwner() == block &&
                      isUpdated(parent, arg.getArgNumber());
    if ((input.isEnded || (input.isWritten && !input.isForeign)) &&
        (!isHere || staysInBlock(input.storage))) // (C1)
      return op.emitOpError("writes or ends storage from outside that does not "
                            "belong to its block");
    // Without a plan, what nothing uses any more ends here.
    if (isHere && !isTaken && !input.livesOn &&
        !isa<PoolType>(input.storage.getType()) && !staysInBlock(input.storage))
      input.isEnded = true;
    if (input.isWritten && !input.isEnded)
      input.livesOn = true;
  }
  return success();
}

void Outliner::replaceBehind(Value storage, Value result) {
  auto isBehind = [&](OpOperand &use) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
    return here && op->isBeforeInBlock(here);
  };
  // Views and tensor maps that were made in front are made again.
  auto isOfBuffer = [](Operation *user) {
    return isa<ReinterpretOp, TMADescriptorOp>(user);
  };
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  SmallVector<std::pair<Value, Value>> pairs = {{storage, result}};
  while (!pairs.empty()) {
    Value old, now;
    std::tie(old, now) = pairs.pop_back_val();
    for (Operation *user : llvm::to_vector(old.getUsers())) {
      if (!isOfBuffer(user) || user->getBlock() != op->getBlock() ||
          !user->isBeforeInBlock(op))
        continue;
      Operation *copy = b.clone(*user);
      copy->setOperand(0, now);
      pairs.push_back({user->getResult(0), copy->getResult(0)});
    }
    old.replaceUsesWithIf(now, [&](OpOperand &use) {
      return use.getOwner() != now.getDefiningOp() && isBehind(use);
    });
  }
  for (Operation *next = op->getNextNode(); isOfBuffer(next);) {
    Operation *unused = next;
    next = next->getNextNode();
    if (unused->use_empty())
      unused->erase();
  }
}

DictionaryAttr Outliner::getRanges(ArrayRef<StringAttr> symbols) {
  auto all = parent->getAttrOfType<DictionaryAttr>("sym.symbols");
  SmallVector<NamedAttribute> ranges;
  for (StringAttr name : symbols)
    if (Attribute range = all ? all.get(name) : Attribute())
      ranges.push_back({name, range});
  return ranges.empty() ? DictionaryAttr()
                        : DictionaryAttr::get(op.getContext(), ranges);
}

LogicalResult Outliner::run(SymbolTable &table, unsigned number) {
  cloneViews();
  if (failed(collect()))
    return failure();
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  Block &body = op.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());

  // What it mentions, in the order of the text.
  llvm::SetVector<StringAttr> symbols = getMentionedSymbols(op);
  for (const Input &input : inputs) {
    AttrTypeWalker walker;
    walker.addWalk([&](ExprAttr e) {
      if (e.isSymbol())
        symbols.insert(StringAttr::get(context, e.getName()));
    });
    walker.walk(input.storage.getType());
  }
  SmallVector<StringAttr> names = symbols.takeVector();

  SmallVector<Type> argumentTypes, resultTypes(op.getResultTypes());
  SmallVector<Value> operands;
  SmallVector<int64_t> consumed;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Attribute> operandAttributes;
  bool hasUpdates = false;
  OpBuilder b(context);
  for (auto [i, input] : llvm::enumerate(inputs)) {
    argumentTypes.push_back(input.storage.getType());
    operands.push_back(input.storage);
    NamedAttrList attrs;
    if (input.isConsumed()) {
      consumed.push_back(static_cast<int64_t>(i));
      attrs.set(kConsumedAttrName, b.getUnitAttr());
    }
    NamedAttrList passed;
    if (input.isUpdated()) {
      attrs.set(kUpdatedAttrName, b.getUnitAttr());
      passed.set(kUpdatedAttrName, b.getUnitAttr());
      hasUpdates = true;
    }
    operandAttributes.push_back(passed.getDictionary(context));
    attributes.push_back(attrs.getDictionary(context));
    if (input.isReturned())
      resultTypes.push_back(input.storage.getType());
  }

  std::string name = (parent.getName() + "_partition" + Twine(number)).str();
  b.setInsertionPointAfter(parent);
  auto fn = FuncOp::create(b, loc, name,
                           b.getFunctionType(argumentTypes, resultTypes),
                           ArrayAttr(), ArrayAttr());
  fn.setPrivate();
  if (DictionaryAttr ranges = getRanges(names))
    fn->setAttr("sym.symbols", ranges);
  table.insert(fn);
  Block &entry = fn.getBody().emplaceBlock();
  SmallVector<Location> locs(argumentTypes.size(), loc);
  entry.addArguments(argumentTypes, locs);
  for (auto [i, attrs] : llvm::enumerate(attributes))
    if (!attrs.empty())
      fn.setArgAttrs(static_cast<unsigned>(i), attrs);

  // The call, whose results take the places of the region's.
  b.setInsertionPoint(op);
  SmallVector<ExprAttr> given;
  SmallVector<StringRef> strings;
  for (StringAttr each : names) {
    given.push_back(sym::symbol(context, each.getValue()));
    strings.push_back(each.getValue());
  }
  auto call = PartitionCallOp::create(
      b, loc, resultTypes, fn.getName(), operands,
      given.empty() ? sym::ShapeAttr() : sym::ShapeAttr::get(context, given),
      consumed.empty() ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(consumed),
      hasUpdates ? b.getArrayAttr(operandAttributes) : ArrayAttr(),
      /*res_attrs=*/ArrayAttr());
  unsigned next = op->getNumResults();
  for (auto [i, input] : llvm::enumerate(inputs)) {
    Value argument = entry.getArgument(static_cast<unsigned>(i));
    if (input.isReturned())
      replaceBehind(input.storage, call.getResult(next++));
    input.storage.replaceUsesWithIf(argument, [&](OpOperand &use) {
      return op->isProperAncestor(use.getOwner());
    });
  }
  for (auto [old, result] : llvm::zip(op.getResults(), call.getResults()))
    old.replaceAllUsesWith(result);

  SmallVector<Value> returned(yield.getValues());
  for (auto [i, input] : llvm::enumerate(inputs))
    if (input.isReturned())
      returned.push_back(entry.getArgument(static_cast<unsigned>(i)));
  b.setInsertionPointToStart(&entry);
  if (!strings.empty())
    ParamSymbolsOp::create(b, loc, b.getStrArrayAttr(strings));
  for (Operation &inner : llvm::make_early_inc_range(body.without_terminator()))
    inner.moveBefore(&entry, entry.end());
  b.setInsertionPointToEnd(&entry);
  ReturnOp::create(b, yield.getLoc(), returned);
  op.erase();
  return success();
}

void WrapperOutlinePartitions::runOnOperation() {
  SymbolTable table(getOperation());
  for (FuncOp fn : llvm::to_vector(getOperation().getOps<FuncOp>())) {
    SmallVector<PartitionOp> partitions;
    fn.walk([&](PartitionOp op) { partitions.push_back(op); });
    for (auto [i, op] : llvm::enumerate(partitions))
      if (failed(Outliner(op, fn).run(table, static_cast<unsigned>(i))))
        return signalPassFailure();
  }
}
