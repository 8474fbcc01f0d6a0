//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of a thread that reduces a whole window, as in pooling: all elements
// of all lanes are known at once, so that each is read only once and those next
// to each other are read together. Elements in the padding are read from the
// border and replaced, which needs no branch.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

bool GPUKernelEmitter::isWindowLoad(LoadOp load) const {
  if (!persistent || threadsR != 1 || vectorIsReduced || itemsP != 1 ||
      !totalR.isConstant(itemsR) || itemsR == 1)
    return false;
  // Beside the elements of an alias another thread may be writing.
  if (mayAlias(load))
    return false;
  const Item &item = pItems.front();
  return !item.active && !item.lanes && load.getArgs().empty() &&
         dependence[load.getResult()].anyCommon(reducedSet);
}

ExprAttr GPUKernelEmitter::atReducedItem(ExprAttr e, unsigned ir,
                                         int64_t lane) const {
  MLIRContext *ctx = e.getContext();
  ArrayRef<ExprAttr> extents = form.getContext().getDimExtents();
  return form.getContext().simplify(
      sym::substitute(e, [&](ExprAttr leaf) -> ExprAttr {
        if (leaf == form.getLane())
          return sym::constant(ctx, lane);
        if (!leaf.isDim() || !reducedSet[static_cast<size_t>(leaf.getValue())])
          return {};
        // The item's number counts the innermost dimension first.
        int64_t number = ir;
        for (unsigned d : llvm::reverse(reducedDims)) {
          int64_t extent = extents[d].getValue();
          if (d == leaf.getValue())
            return sym::constant(ctx, number % extent);
          number /= extent;
        }
        return {};
      }));
}

GPUKernelEmitter::Decision GPUKernelEmitter::decideMask(Value mask, unsigned ir,
                                                        int64_t lane) {
  Decision result;
  if (!mask) {
    result.known = true;
    return result;
  }
  APInt bit;
  if (matchPattern(mask, m_ConstantInt(&bit))) {
    result.known = !bit.isZero();
    return result;
  }
  Operation *op = mask.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op)) {
    Decision x = decideMask(op->getOperand(0), ir, lane);
    Decision y = decideMask(op->getOperand(1), ir, lane);
    if (x.known)
      return *x.known ? y : x;
    if (y.known)
      return *y.known ? x : y;
    result.value = both(x.value, y.value);
    return result;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  auto getExpr = [&](Value v) -> ExprAttr {
    APInt value;
    if (matchPattern(v, m_ConstantInt(&value)))
      return sym::constant(v.getContext(), value.getSExtValue());
    if (auto index = v.getDefiningOp<IndexOp>())
      return atReducedItem(form.atPoint(index.getExpr()), ir, lane);
    return {};
  };
  ExprAttr lhs, rhs;
  if (compare) {
    lhs = getExpr(compare.getLhs());
    rhs = getExpr(compare.getRhs());
  }
  if (!lhs || !rhs) {
    result.value = extract(lookup(mask, 0, ir), lane);
    return result;
  }
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  // `less` or its opposite, perhaps with the sides swapped.
  ExprAttr small = lhs, large = rhs;
  bool swapped = predicate == Predicate::sgt || predicate == Predicate::sle;
  if (swapped)
    std::swap(small, large);
  bool holdsIfLess = predicate == Predicate::slt || predicate == Predicate::sgt;
  bool isOrder =
      holdsIfLess || predicate == Predicate::sge || predicate == Predicate::sle;
  const sym::Context &context = form.getContext();
  if (isOrder && context.isLess(small, large))
    result.known = holdsIfLess;
  else if (isOrder && context.isLessOrEqual(large, small))
    result.known = !holdsIfLess;
  if (result.known)
    return result;
  bool narrow = indexBits == 32 && fits32(context, lhs) && fits32(context, rhs);
  unsigned bits = narrow ? 32 : 64;
  result.value = arith::CmpIOp::create(
      b, predicate, scalarExpr(lhs, 0, ir, bits), scalarExpr(rhs, 0, ir, bits));
  return result;
}

ExprAttr GPUKernelEmitter::getWindowAddress(LoadOp load, unsigned ir,
                                            int64_t lane, bool mayBeOutside) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  const sym::Context &context = form.getContext();
  SmallVector<ExprAttr> indices;
  for (auto [index, size] : llvm::zip_equal(
           load.getIndices().getDims(),
           sym::getSizes(cast<RankedTensorType>(load.getSource().getType())))) {
    ExprAttr at = atReducedItem(form.atPoint(index), ir, lane);
    bool before = mayBeOutside && !context.isNonNegative(at);
    bool behind = mayBeOutside && !context.isLess(at, size);
    if ((before || behind) && context.bounds(size).lo < 1)
      return {}; // Without a border.
    if (before)
      at = sym::max(at, sym::constant(at.getContext(), 0));
    if (behind)
      at = sym::min(at, sym::add(size, -1));
    indices.push_back(at);
  }
  return context.simplify(
      sym::getAddress(load.getContext(), indices, layout.strides[number]));
}

void GPUKernelEmitter::loadRuns(LoadOp load, ExprAttr base,
                                std::map<int64_t, Value> &elements) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  Type scalar = load.getType();
  Type memory = getMemoryType(scalar);
  int64_t bytes = memory.getIntOrFloatBitWidth() / 8;
  int64_t widest = std::max<int64_t>(
      1, std::min<int64_t>(16, layout.alignment[number]) / bytes);
  for (const sym::Term &t : sym::getTerms(base))
    widest = std::gcd(widest, t.coefficient);
  int64_t first = elements.begin()->first;
  Value pointer = elementPointer(number, memory, sym::add(base, first), 0, 0,
                                 {}, /*lane=*/0);
  for (auto it = elements.begin(); it != elements.end();) {
    // As many as are wanted, follow each other and begin at a multiple.
    int64_t begin = it->first, run = 1;
    for (auto next = std::next(it);
         next != elements.end() && next->first == begin + run && run < widest;
         ++next)
      ++run;
    int64_t size = widest;
    while (size > run || begin % size != 0)
      size /= 2;
    Value from = advance(pointer, memory, begin - first);
    Type type = memory;
    if (size > 1)
      type = VectorType::get(size, memory);
    Value v =
        loadElements(from, type, static_cast<unsigned>(size * bytes), number);
    v = fromMemory(v, scalar);
    for (int64_t i = 0; i < size; ++i, ++it)
      it->second = extract(v, i);
  }
}

bool GPUKernelEmitter::emitWindowLoad(LoadOp load) {
  int64_t lanes = form.isVector(load.getResult()) ? width : 1;
  struct Element {
    Decision inside;
    ExprAttr base;
    int64_t at = 0;
  };
  SmallVector<Element> wanted;
  llvm::MapVector<ExprAttr, std::map<int64_t, Value>> groups;
  for (unsigned ir = 0; ir < rItems.size(); ++ir) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Element &e = wanted.emplace_back();
      e.inside = decideMask(load.getMask(), ir, lane);
      if (e.inside.known && !*e.inside.known)
        continue;
      ExprAttr address =
          getWindowAddress(load, ir, lane, /*mayBeOutside=*/!e.inside.known);
      if (!address)
        return false;
      for (const sym::Term &t : sym::getTerms(address))
        if (t.product.isConstant())
          e.at += t.coefficient * t.product.getValue();
      e.base = sym::add(address, -e.at);
      groups[e.base][e.at] = Value();
    }
  }
  for (auto &[base, elements] : groups)
    loadRuns(load, base, elements);

  Copies copies = makeCopies(load.getResult());
  const Element *e = wanted.begin();
  for (unsigned ir = 0; ir < rItems.size(); ++ir) {
    SmallVector<Value> parts;
    for (int64_t lane = 0; lane < lanes; ++lane, ++e) {
      Value other;
      if (!e->inside.known || !*e->inside.known)
        other = load.getOther() ? extract(lookupOther(load, 0, ir), lane)
                                : zero(load.getType());
      if (!e->base) {
        parts.push_back(other);
        continue;
      }
      Value v = groups[e->base][e->at];
      if (!e->inside.known)
        v = arith::SelectOp::create(b, e->inside.value, v, other);
      parts.push_back(v);
    }
    copies.values.push_back(lanes == 1 ? parts[0] : fromLanes(parts));
  }
  values[load.getResult()] = std::move(copies);
  return true;
}
