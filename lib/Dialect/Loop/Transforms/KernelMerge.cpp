//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splicing kernel bodies.
//
//===----------------------------------------------------------------------===//

#include "KernelMerge.h"

#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

std::string coil::loop::mergeNames(StringRef a, StringRef b) {
  constexpr size_t kMaxParts = 6;
  SmallVector<StringRef> parts, more;
  a.split(parts, '+');
  b.split(more, '+');
  for (StringRef p : more)
    if (!llvm::is_contained(parts, p))
      parts.push_back(p);
  if (parts.size() > kMaxParts)
    parts.resize(kMaxParts);
  return llvm::join(parts, "+");
}

void coil::loop::shareValues(KernelOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
}

void coil::loop::mergeEqualInputs(KernelOp kernel) {
  llvm::SmallDenseMap<Value, unsigned> first;
  for (unsigned i = 0; i < kernel.getInputs().size();) {
    auto [it, isNew] = first.try_emplace(kernel.getInputs()[i], i);
    if (isNew) {
      ++i;
      continue;
    }
    Block *body = kernel.getBlock();
    body->getArgument(i).replaceAllUsesWith(body->getArgument(it->second));
    body->eraseArgument(i);
    kernel->eraseOperand(i);
  }
}

void coil::loop::dropUnusedInputs(KernelOp kernel) {
  Block *body = kernel.getBlock();
  for (unsigned i = body->getNumArguments(); i-- > 0;) {
    if (!body->getArgument(i).use_empty())
      continue;
    body->eraseArgument(i);
    kernel->eraseOperand(i);
  }
}

void coil::loop::dropUnusedOps(KernelOp kernel) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*kernel.getBlock())))
    if (isOpTriviallyDead(&op))
      op.erase();
  dropUnusedInputs(kernel);
}

KernelOp coil::loop::dropUnusedResults(KernelOp kernel) {
  SmallVector<int64_t> newNumber;
  SmallVector<Type> types;
  for (Value v : kernel.getResults()) {
    newNumber.push_back(v.use_empty() ? -1
                                      : static_cast<int64_t>(types.size()));
    if (!v.use_empty())
      types.push_back(v.getType());
  }
  // A kernel nobody reads is left to dead code elimination.
  if (types.size() == kernel.getNumResults() || types.empty())
    return kernel;
  OpBuilder b(kernel);
  auto smaller =
      KernelOp::create(b, kernel.getLoc(), kernel.getName(),
                       kernel.getDims().getDims(), kernel.getInputs(), types);
  smaller.setConvAttr(kernel.getConvAttr());
  smaller.setScheduleAttr(kernel.getScheduleAttr());
  smaller.getBody().takeBody(kernel.getBody());
  Block *body = smaller.getBlock();
  auto renumber = [&](auto write) {
    int64_t number = newNumber[write.getOutput()];
    if (number < 0)
      write.erase();
    else
      write.setOutput(static_cast<uint64_t>(number));
  };
  for (Operation &op : llvm::make_early_inc_range(*body)) {
    if (auto store = dyn_cast<StoreOp>(op))
      renumber(store);
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      renumber(scatter);
    else if (auto accumulate = dyn_cast<AccumulateOp>(op))
      renumber(accumulate);
  }
  for (auto [old, number] : llvm::zip_equal(kernel.getResults(), newNumber))
    if (number >= 0)
      old.replaceAllUsesWith(smaller.getResult(static_cast<unsigned>(number)));
  kernel.erase();
  dropUnusedOps(smaller);
  return smaller;
}

KernelOp coil::loop::storeRows(KernelOp kernel, ResultSlice &slice) {
  MLIRContext *ctx = kernel.getContext();
  DimDependence dependence(kernel);
  SmallVector<SmallVector<ExprAttr>> indices;
  SmallVector<Type> types(kernel->getResultTypes());
  for (Value v : slice.rows) {
    llvm::SmallBitVector varies = dependence[v];
    SmallVector<ExprAttr> sizes, &index = indices.emplace_back();
    bool isRow = llvm::none_of(kernel.getReducedDims(),
                               [&](unsigned d) { return varies[d]; });
    for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
      if (isRow && llvm::is_contained(kernel.getReducedDims(), d))
        continue;
      sizes.push_back(kernel.getExtent(d));
      index.push_back(sym::dim(ctx, d));
    }
    types.push_back(sym::getTensorType(sizes, v.getType()));
  }
  OpBuilder b(kernel);
  auto larger =
      KernelOp::create(b, kernel.getLoc(), kernel.getName(),
                       kernel.getDims().getDims(), kernel.getInputs(), types);
  larger.setConvAttr(kernel.getConvAttr());
  larger.setScheduleAttr(kernel.getScheduleAttr());
  larger.getBody().takeBody(kernel.getBody());
  b.setInsertionPointToEnd(larger.getBlock());
  uint64_t output = kernel.getNumResults();
  for (auto [v, index] : llvm::zip_equal(slice.rows, indices))
    slice.stored.push_back(StoreOp::create(b, v.getLoc(), v, output++,
                                           sym::ShapeAttr::get(ctx, index)));
  slice.rows.clear();
  kernel->replaceAllUsesWith(
      larger->getResults().take_front(kernel.getNumResults()));
  kernel.erase();
  return larger;
}

KernelOp coil::loop::extractResult(KernelOp kernel, unsigned result,
                                   const ResultSlice &slice) {
  // The dimensions that it varies over.
  DimDependence dependence(kernel);
  llvm::SmallBitVector over(kernel.getNumDims());
  for (Operation *op : slice.ops) {
    if (auto load = dyn_cast<LoadOp>(op))
      over |= dependence.of(load.getIndices().getDims());
    else if (auto store = dyn_cast<StoreOp>(op))
      over |= dependence.of(store.getIndices().getDims());
    else if (auto index = dyn_cast<IndexOp>(op))
      over |= dependence.of(index.getExpr());
  }
  SmallVector<Value> inputs(kernel.getInputs());
  for (StoreOp store : slice.stored) {
    over |= dependence.of(store.getIndices().getDims());
    inputs.push_back(
        kernel.getResult(static_cast<unsigned>(store.getOutput())));
  }
  MLIRContext *ctx = kernel.getContext();
  SmallVector<ExprAttr> extents, dims(kernel.getNumDims());
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    dims[d] = over[d] ? sym::dim(ctx, static_cast<unsigned>(extents.size()))
                      : sym::constant(ctx, 0);
    if (over[d])
      extents.push_back(kernel.getExtent(d));
  }
  OpBuilder b(kernel);
  b.setInsertionPointAfter(kernel);
  auto alone =
      KernelOp::create(b, kernel.getLoc(), kernel.getName(), extents, inputs,
                       TypeRange{kernel.getResult(result).getType()});
  b.setInsertionPointToEnd(alone.getBlock());
  IRMapping mapping;
  size_t numInputs = kernel.getInputs().size();
  mapping.map(kernel.getBody().getArguments(),
              alone.getBody().getArguments().take_front(numInputs));
  for (auto [stored, source] :
       llvm::zip_equal(slice.stored,
                       alone.getBody().getArguments().drop_front(numInputs))) {
    StoreOp store = stored;
    mapping.map(store.getValue(),
                LoadOp::create(
                    b, store.getLoc(), source,
                    sym::substituteDims(store.getIndices(), dims).getDims()));
  }
  for (Operation *op : slice.ops) {
    Operation *clone = b.clone(*op, mapping);
    if (auto load = dyn_cast<LoadOp>(clone)) {
      load.setIndicesAttr(sym::substituteDims(load.getIndices(), dims));
    } else if (auto store = dyn_cast<StoreOp>(clone)) {
      store.setIndicesAttr(sym::substituteDims(store.getIndices(), dims));
      store.setOutput(0);
    } else if (auto index = dyn_cast<IndexOp>(clone)) {
      index.setExprAttr(sym::substituteDims(index.getExpr(), dims));
    }
  }
  dropUnusedInputs(alone);
  return alone;
}

bool coil::loop::canReadIndirectly(KernelOp producer, unsigned result,
                                   LoadOp read) {
  StoreOp store = producer.getStore(result);
  llvm::SmallBitVector indirect(producer.getNumDims());
  for (auto [stored, at] : llvm::zip_equal(store.getIndices().getDims(),
                                           read.getIndices().getDims())) {
    if (!sym::isIndirect(at))
      continue;
    if (at.getKind() != sym::ExprKind::Arg || !stored.isDim())
      return false;
    indirect.set(static_cast<unsigned>(stored.getValue()));
  }
  DimDependence dependence(producer);
  bool checks = read.getBounds() == BoundsPolicy::Check ||
                read.getBounds() == BoundsPolicy::WrapCheck;
  llvm::SmallBitVector checked(producer.getNumDims());
  for (Operation &op : *producer.getBlock()) {
    // A number that depends on what was loaded is no expression of positions.
    if (auto index = dyn_cast<IndexOp>(op))
      if (dependence.of(index.getExpr()).anyCommon(indirect))
        return false;
    auto load = dyn_cast<LoadOp>(op);
    if (!load)
      continue;
    auto tensor = cast<RankedTensorType>(load.getSource().getType());
    for (auto [index, size] :
         llvm::zip_equal(load.getIndices().getDims(), sym::getSizes(tensor))) {
      if (!dependence.of(index).anyCommon(indirect))
        continue;
      // The bounds are those of the tensor that is read now.
      if (!index.isDim() || !load.getArgs().empty() ||
          (checks && load.getMask()) ||
          size != producer.getExtent(static_cast<unsigned>(index.getValue())))
        return false;
      checked.set(static_cast<unsigned>(index.getValue()));
    }
  }
  return !checks || checked == indirect;
}

namespace {

/// Copies bodies into a new kernel.
class Splicer {
public:
  Splicer(KernelOp target)
      : b(OpBuilder::atBlockEnd(target.getBlock())), target(target) {}

  /// Copies the body of `from`. `inputs[i]` is the target's argument for
  /// operand i, or null when its loads are replaced by `stored`. Stores go to
  /// output `firstOutput + n`, or nowhere if `firstOutput` is negative; either
  /// way the stored values are collected in `values`. Loads whose index becomes
  /// an indirect one have `args` and `bounds`.
  void copy(KernelOp from, ArrayRef<Value> inputs, ArrayRef<ExprAttr> dims,
            int64_t firstOutput, SmallVectorImpl<Value> &values,
            llvm::function_ref<Value(LoadOp, IRMapping &)> stored,
            Value mask = {}, ValueRange args = {},
            BoundsPolicy bounds = BoundsPolicy::Trusted) {
    IRMapping mapping;
    auto rewrite = [&](sym::ShapeAttr exprs) {
      return sym::substituteDims(exprs, dims);
    };
    auto rewriteDims = [&](ArrayRef<int64_t> reduced) {
      SmallVector<int64_t> result;
      for (int64_t d : reduced)
        result.push_back(dims[d].getValue());
      llvm::sort(result);
      return result;
    };
    values.assign(from.getNumResults(), Value());
    for (Operation &op : *from.getBlock()) {
      if (auto store = dyn_cast<StoreOp>(op)) {
        Value v = mapping.lookup(store.getValue());
        values[store.getOutput()] = v;
        if (firstOutput >= 0)
          StoreOp::create(b, store.getLoc(), v,
                          static_cast<uint64_t>(firstOutput) +
                              store.getOutput(),
                          rewrite(store.getIndices()));
        continue;
      }
      if (auto load = dyn_cast<LoadOp>(op)) {
        unsigned i = cast<BlockArgument>(load.getSource()).getArgNumber();
        if (!inputs[i]) {
          mapping.map(load.getResult(), stored(load, mapping));
          continue;
        }
        mapping.map(load.getSource(), inputs[i]);
        Operation *clone = b.clone(op, mapping);
        auto copy = cast<LoadOp>(clone);
        copy.setIndicesAttr(rewrite(load.getIndices()));
        if (load.getArgs().empty() &&
            llvm::any_of(copy.getIndices().getDims(), sym::isIndirect)) {
          copy.getArgsMutable().assign(args);
          copy.setBounds(bounds);
        }
        if (mask) {
          Value own = copy.getMask();
          if (own) {
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPoint(copy);
            copy.getMaskMutable().assign(
                arith::AndIOp::create(b, load.getLoc(), own, mask));
          } else {
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPoint(copy);
            copy.getMaskMutable().assign(mask);
            copy.getOtherMutable().assign(arith::ConstantOp::create(
                b, load.getLoc(), b.getZeroAttr(load.getType())));
          }
        }
        continue;
      }
      if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
        AccumulateOp::create(
            b, accumulate.getLoc(), accumulate.getKind(),
            mapping.lookup(accumulate.getValue()),
            static_cast<uint64_t>(firstOutput) + accumulate.getOutput(),
            rewriteDims(accumulate.getColumns()), accumulate.getRows());
        continue;
      }
      auto scatter = dyn_cast<ScatterOp>(op);
      if (scatter)
        mapping.map(
            scatter.getTarget(),
            inputs[cast<BlockArgument>(scatter.getTarget()).getArgNumber()]);
      auto sum = dyn_cast<SegmentSumOp>(op);
      if (sum)
        for (Value tensor : {sum.getSource(), sum.getPositions()})
          if (tensor)
            mapping.map(tensor,
                        inputs[cast<BlockArgument>(tensor).getArgNumber()]);
      Operation *clone = b.clone(op, mapping);
      if (sum) {
        auto copy = cast<SegmentSumOp>(clone);
        copy.setIndicesAttr(rewrite(sum.getIndices()));
        if (mask) {
          // Where nobody wants the sum, there is nothing to read.
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPoint(copy);
          copy.getHiMutable().assign(arith::SelectOp::create(
              b, sum.getLoc(), mask, copy.getHi(), copy.getLo()));
        }
      }
      if (scatter) {
        auto copy = cast<ScatterOp>(clone);
        copy.setIndicesAttr(rewrite(scatter.getIndices()));
        copy.setOutput(static_cast<uint64_t>(firstOutput) +
                       scatter.getOutput());
      }
      if (auto index = dyn_cast<IndexOp>(clone))
        index.setExprAttr(sym::substituteDims(index.getExpr(), dims));
      else if (auto over = dyn_cast<OverDimsOpInterface>(clone))
        over.setDims(rewriteDims(over.getDims()));
    }
  }

  OpBuilder b;
  KernelOp target;
};

} // namespace

/// Appends `v` to `list` unless it is there; returns its position.
static unsigned insertUnique(SmallVectorImpl<Value> &list, Value v) {
  auto *it = llvm::find(list, v);
  if (it == list.end()) {
    list.push_back(v);
    return static_cast<unsigned>(list.size() - 1);
  }
  return static_cast<unsigned>(it - list.begin());
}

static SmallVector<ExprAttr> identityDims(KernelOp kernel) {
  SmallVector<ExprAttr> dims;
  for (unsigned i = 0; i < kernel.getNumDims(); ++i)
    dims.push_back(sym::dim(kernel.getContext(), i));
  return dims;
}

/// Where a merged kernel comes from. What reads nothing (a constant, a range)
/// is shared by all that need it, wherever that is: its place in the source is
/// that of the first of them and says nothing about the others.
static Location mergeLocations(KernelOp producer, KernelOp consumer) {
  if (producer.getInputs().empty() && !isa<UnknownLoc>(consumer.getLoc()))
    return consumer.getLoc();
  return FusedLoc::get(producer.getContext(),
                       {producer.getLoc(), consumer.getLoc()});
}

KernelOp coil::loop::mergeProducer(KernelOp producer, KernelOp consumer,
                                   const MergePlan &plan) {
  SmallVector<Value> inputs;
  SmallVector<int> producerInputs, consumerInputs;
  for (Value v : producer.getInputs())
    producerInputs.push_back(static_cast<int>(insertUnique(inputs, v)));
  for (Value v : consumer.getInputs())
    consumerInputs.push_back(v.getDefiningOp() == producer
                                 ? -1
                                 : static_cast<int>(insertUnique(inputs, v)));
  SmallVector<Type> outputs(consumer->getResultTypes());
  if (plan.keepResults)
    llvm::append_range(outputs, producer->getResultTypes());

  OpBuilder builder(consumer);
  auto merged =
      KernelOp::create(builder, mergeLocations(producer, consumer),
                       mergeNames(producer.getName(), consumer.getName()),
                       plan.extents, inputs, outputs);
  Splicer splicer(merged);
  auto toArgs = [&](ArrayRef<int> positions) {
    SmallVector<Value> args;
    for (int p : positions)
      args.push_back(
          p < 0 ? Value()
                : merged.getBody().getArgument(static_cast<unsigned>(p)));
    return args;
  };
  SmallVector<Value> producerArgs = toArgs(producerInputs),
                     consumerArgs = toArgs(consumerInputs);
  int64_t numConsumerOutputs = consumer.getNumResults();
  auto none = [](LoadOp, IRMapping &) { return Value(); };

  // A plan with dimensions runs the producer once, in front; without, at every
  // place that reads it.
  SmallVector<Value> produced, ignored;
  if (!plan.producerDims.empty() || producer.getNumDims() == 0)
    splicer.copy(producer, producerArgs, plan.producerDims,
                 plan.keepResults ? numConsumerOutputs : -1, produced, none);
  // Reads for which the producer runs at equal points share a copy. Its results
  // need not be stored by the same permutation of its dimensions.
  struct Copy {
    SmallVector<ExprAttr> dims;
    BoundsPolicy bounds;
    SmallVector<Value> args;
    Value mask;
    SmallVector<Value> values;
  };
  SmallVector<Copy> copies;
  splicer.copy(
      consumer, consumerArgs, identityDims(consumer), 0, ignored,
      [&](LoadOp load, IRMapping &mapping) -> Value {
        unsigned i = cast<BlockArgument>(load.getSource()).getArgNumber();
        unsigned result =
            cast<OpResult>(consumer.getInputs()[i]).getResultNumber();
        Value mask = load.getMask() ? mapping.lookup(load.getMask()) : Value();
        Value v;
        if (!produced.empty()) {
          v = produced[result];
        } else {
          SmallVector<Value> args = llvm::map_to_vector(
              load.getArgs(), [&](Value arg) { return mapping.lookup(arg); });
          // Invert the store's index: it is a permutation of dimensions.
          SmallVector<ExprAttr> dims(producer.getNumDims());
          for (auto [stored, at] :
               llvm::zip_equal(producer.getStore(result).getIndices().getDims(),
                               load.getIndices().getDims()))
            if (stored.isDim())
              dims[stored.getValue()] = at;
          for (ExprAttr &d : dims)
            if (!d)
              d = sym::constant(producer.getContext(), 0);
          auto *copy = llvm::find_if(copies, [&](const Copy &c) {
            return c.dims == dims && c.mask == mask && c.args == args &&
                   c.bounds == load.getBounds();
          });
          if (copy == copies.end()) {
            copies.push_back({dims, load.getBounds(), args, mask, {}});
            copy = &copies.back();
            splicer.copy(producer, producerArgs, dims, -1, copy->values, none,
                         mask, args, load.getBounds());
          }
          v = copy->values[result];
        }
        if (!mask)
          return v;
        return arith::SelectOp::create(splicer.b, load.getLoc(), mask, v,
                                       mapping.lookup(load.getOther()));
      });
  if (consumer.getConvAttr() && consumer.getNumDims() == plan.extents.size() &&
      plan.producerDims.empty())
    merged.removeConvAttr();
  if (producer.getConvAttr() && plan.keepResults == false &&
      !plan.producerDims.empty())
    merged.setConvAttr(producer.getConvAttr());

  consumer->replaceAllUsesWith(
      merged->getResults().take_front(consumer.getNumResults()));
  consumer.erase();
  if (plan.keepResults)
    producer->replaceAllUsesWith(
        merged->getResults().take_back(producer.getNumResults()));
  if (producer->use_empty())
    producer.erase();
  dropUnusedInputs(merged);
  return merged;
}

KernelOp coil::loop::mergeSiblings(KernelOp first, KernelOp second) {
  SmallVector<Value> inputs;
  SmallVector<unsigned> firstInputs, secondInputs;
  for (Value v : first.getInputs())
    firstInputs.push_back(insertUnique(inputs, v));
  for (Value v : second.getInputs())
    secondInputs.push_back(insertUnique(inputs, v));
  SmallVector<Type> outputs(first->getResultTypes());
  llvm::append_range(outputs, second->getResultTypes());
  OpBuilder builder(second);
  auto merged = KernelOp::create(
      builder, builder.getFusedLoc({first.getLoc(), second.getLoc()}),
      mergeNames(first.getName(), second.getName()), first.getDims().getDims(),
      inputs, outputs);
  Splicer splicer(merged);
  auto toArgs = [&](ArrayRef<unsigned> positions) {
    SmallVector<Value> args;
    for (unsigned p : positions)
      args.push_back(merged.getBody().getArgument(p));
    return args;
  };
  SmallVector<Value> ignored;
  auto none = [](LoadOp, IRMapping &) { return Value(); };
  splicer.copy(first, toArgs(firstInputs), identityDims(first), 0, ignored,
               none);
  splicer.copy(second, toArgs(secondInputs), identityDims(second),
               first.getNumResults(), ignored, none);
  first->replaceAllUsesWith(
      merged->getResults().take_front(first.getNumResults()));
  second->replaceAllUsesWith(
      merged->getResults().take_back(second.getNumResults()));
  first.erase();
  second.erase();
  return merged;
}
