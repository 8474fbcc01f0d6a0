//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises contractions and decides how their tiles are loaded.
//
//===----------------------------------------------------------------------===//

#include "ContractionForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

ExprAttr coil::loop::getNumPoints(KernelOp kernel, ArrayRef<unsigned> dims) {
  ExprAttr total = sym::constant(kernel.getContext(), 1);
  for (unsigned d : dims)
    total = sym::mul(total, kernel.getExtent(d));
  return total;
}

/// Moves `d` to the end of the list, if it is in it.
static void makeInnermost(SmallVector<unsigned> &dims, int64_t d) {
  auto *it = llvm::find(dims, static_cast<unsigned>(d));
  if (d >= 0 && it != dims.end())
    std::rotate(it, it + 1, dims.end());
}

static bool contains(ArrayRef<unsigned> dims, int64_t d) {
  return d >= 0 && llvm::is_contained(dims, static_cast<unsigned>(d));
}

/// The load behind `v` that varies over most dimensions.
static LoadOp findLoad(const DimDependence &dependence, Value v) {
  LoadOp best;
  DenseSet<Operation *> seen;
  SmallVector<Value> stack{v};
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto load = dyn_cast<LoadOp>(op))
      if (!best || dependence[load.getResult()].count() >
                       dependence[best.getResult()].count())
        best = load;
    llvm::append_range(stack, op->getOperands());
  }
  return best;
}

static bool isZeroConstant(Value v) {
  return matchPattern(v, m_AnyZeroFloat()) || matchPattern(v, m_Zero());
}

namespace {
class Matcher {
public:
  Matcher(KernelOp kernel, const GPUKernelLayout &layout, bool allowAsync,
          bool widen)
      : kernel(kernel), layout(layout), dependence(kernel),
        allowAsync(allowAsync), widen(widen) {}

  bool match(std::string *why);
  ContractionForm form;

private:
  bool matchSum(std::string *why);
  void orderResults();
  void planFactor(FactorForm &factor, ArrayRef<unsigned> candidates);
  void planResult();
  /// Whether vectors of `width` along `d` never reach over a row of its group.
  bool isWhole(int64_t d, int64_t width) const;
  bool isAsync(const FactorForm &factor, const VectorForm &vectors,
               int64_t width) const;
  ArrayRef<unsigned> getGroup(int64_t d) const;

  mutable KernelOp kernel;
  const GPUKernelLayout &layout;
  DimDependence dependence;
  bool allowAsync, widen;
};
} // namespace

bool Matcher::matchSum(std::string *why) {
  auto refuse = [&](const char *reason) {
    if (why)
      *why = reason;
    return false;
  };
  if (kernel.isSequential())
    return refuse("it scans or scatters");
  SmallVector<unsigned> reducedDims = kernel.getReducedDims();
  llvm::SmallBitVector reduced(kernel.getNumDims());
  for (unsigned d : reducedDims)
    reduced.set(d);
  for (Operation &op : *kernel.getBlock()) {
    if (isReduction(&op) && (form.reduce || !isa<ReduceOp>(op)))
      return refuse("it reduces more than multiplications");
    if (auto reduce = dyn_cast<ReduceOp>(op))
      form.reduce = reduce;
    if (auto store = dyn_cast<StoreOp>(op))
      if (dependence.of(store.getIndices().getDims()).anyCommon(reduced))
        return refuse("it stores what varies over a summed dimension");
  }
  if (!form.reduce || form.reduce.getKind() != ReduceKind::Sum)
    return refuse("it sums nothing");
  Type sum = form.reduce.getType();
  Operation *product = form.reduce.getValue().getDefiningOp();
  if (!isa_and_present<arith::MulFOp, arith::MulIOp>(product))
    return refuse("it does not sum multiplications");
  if (!sum.isF32() && !sum.isF64() && !sum.isInteger(32) && !sum.isInteger(64))
    return refuse("its sums have another type than f32, f64, i32 and i64");

  FactorForm factors[2];
  llvm::SmallBitVector over[2];
  for (unsigned i = 0; i < 2; ++i) {
    factors[i].value = product->getOperand(i);
    over[i] = dependence[factors[i].value];
  }
  if (sum.isF32()) {
    Value narrow[2];
    for (unsigned i = 0; i < 2; ++i)
      if (auto ext = factors[i].value.getDefiningOp<arith::ExtFOp>())
        narrow[i] = ext.getIn();
    form.isHalf = narrow[0] && narrow[1] &&
                  narrow[0].getType() == narrow[1].getType() &&
                  (narrow[0].getType().isBF16() || narrow[0].getType().isF16());
    if (form.isHalf && !widen)
      for (unsigned i = 0; i < 2; ++i)
        factors[i].value = narrow[i];
  }
  for (FactorForm &f : factors) {
    f.element = f.value.getType();
    f.load = findLoad(dependence, f.value);
  }
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    if (kernel.getExtent(d).isConstant(1))
      continue;
    if (reduced[d])
      form.k.push_back(d);
    else if (over[0][d] == over[1][d])
      form.batch.push_back(d);
    else
      factors[over[1][d]].dims.push_back(d);
  }
  if (form.k.empty())
    return refuse("there is nothing to sum");
  form.a = std::move(factors[0]);
  form.b = std::move(factors[1]);
  return true;
}

/// Results are written along the columns: those are what is dense in the
/// largest result.
void Matcher::orderResults() {
  for (Operation &op : *kernel.getBlock()) {
    if (!isa<StoreOp>(op))
      continue;
    for (bool isA : {true, false})
      for (unsigned d : (isA ? form.a : form.b).dims)
        if (VectorForm(kernel, layout, d, 2).isContiguous(&op)) {
          if (isA)
            std::swap(form.a, form.b);
          makeInnermost(form.b.dims, d);
          form.vectorDim = d;
          return;
        }
  }
  if (!form.b.dims.empty())
    form.vectorDim = form.b.dims.back();
}

ArrayRef<unsigned> Matcher::getGroup(int64_t d) const {
  if (contains(form.k, d))
    return form.k;
  return contains(form.a.dims, d) ? form.a.dims : form.b.dims;
}

bool Matcher::isWhole(int64_t d, int64_t width) const {
  return getGroup(d).size() == 1 ||
         isDivisible(kernel.getExtent(static_cast<unsigned>(d)), width);
}

bool Matcher::isAsync(const FactorForm &f, const VectorForm &vectors,
                      int64_t width) const {
  LoadOp load = f.load;
  if (!allowAsync || load.getResult() != f.value || !load.getArgs().empty() ||
      !vectors.isExact() || width * f.getBytes() < 4)
    return false;
  if (load.getMask() && (vectors.isVector(load.getMask()) ||
                         (load.getOther() && !isZeroConstant(load.getOther()))))
    return false;
  return vectors.getAddress(load).alignment == width;
}

void Matcher::planFactor(FactorForm &f, ArrayRef<unsigned> candidates) {
  f.vectorDim = -1;
  f.width = 1;
  f.alongK = true;
  f.async = false;
  if (!f.load)
    return;
  if (f.getBytes() >= 4 && VectorForm(kernel, layout, -1, 1).isExact())
    f.async = isAsync(f, VectorForm(kernel, layout, -1, 1), 1);
  int64_t strided = -1;
  for (unsigned d : candidates) {
    VectorForm pairs(kernel, layout, d, 2);
    LaneAddress address = pairs.getAddress(f.load);
    if (!pairs.isContiguous(f.load)) {
      if (address.step && !address.isUniform())
        strided = d;
      continue;
    }
    for (int64_t w = f.getChunk(); w >= 1; w /= 2) {
      if (w > 1 && !isWhole(d, w))
        continue;
      VectorForm vectors(kernel, layout, d, w);
      bool async = isAsync(f, vectors, w);
      // Rows at odd addresses are read element by element, by neighbours.
      if (w > 1 && !async && vectors.getAddress(f.load).alignment == 1)
        continue;
      // Copies that need no registers, then wide ones.
      if (f.vectorDim >= 0 &&
          std::pair(async, w) <= std::pair(f.async, f.width))
        continue;
      f.vectorDim = d;
      f.width = w;
      f.async = async;
      f.alongK = contains(form.k, d);
      break;
    }
  }
  // Without neighbours in memory threads go along the shorter distance.
  if (f.vectorDim < 0)
    f.alongK = strided < 0 || contains(form.k, strided);
}

void Matcher::planResult() {
  if (form.vectorDim < 0)
    return;
  unsigned widest = 1;
  for (Operation &op : *kernel.getBlock())
    if (auto store = dyn_cast<StoreOp>(op))
      widest = std::max(widest,
                        store.getValue().getType().getIntOrFloatBitWidth() / 8);
  for (int64_t w = std::max<int64_t>(1, kChunkBytes / widest); w > 1; w /= 2) {
    if (!isWhole(form.vectorDim, w))
      continue;
    VectorForm vectors(kernel, layout, form.vectorDim, w);
    bool good = llvm::all_of(*kernel.getBlock(), [&](Operation &op) {
      if (!isa<StoreOp>(op))
        return true;
      LaneAddress address = vectors.getAddress(&op);
      return address.isContiguous() && address.alignment == w;
    });
    if (good) {
      form.width = w;
      return;
    }
  }
}

bool Matcher::match(std::string *why) {
  if (!matchSum(why))
    return false;
  orderResults();
  FactorForm *factors[] = {&form.a, &form.b};
  // What is innermost among columns and summed points is so for everybody.
  auto candidatesOf = [&](const FactorForm &f, int64_t innerK) {
    SmallVector<unsigned> candidates;
    if (innerK >= 0)
      candidates.push_back(static_cast<unsigned>(innerK));
    else
      candidates.append(form.k);
    if (&f == &form.b && form.vectorDim >= 0)
      candidates.push_back(static_cast<unsigned>(form.vectorDim));
    else
      candidates.append(f.dims);
    return candidates;
  };
  for (FactorForm *f : factors)
    planFactor(*f, candidatesOf(*f, -1));
  int64_t inner[2];
  for (unsigned i = 0; i < 2; ++i)
    inner[i] = factors[i]->alongK ? factors[i]->vectorDim : -1;
  if (inner[0] >= 0 && inner[1] >= 0 && inner[0] != inner[1]) {
    // The one with the wider loads decides.
    unsigned loser = factors[1]->async >= factors[0]->async &&
                             factors[1]->width > factors[0]->width
                         ? 0
                         : 1;
    planFactor(*factors[loser],
               candidatesOf(*factors[loser], inner[1 - loser]));
    inner[loser] = -1;
  }
  for (int64_t d : inner)
    makeInnermost(form.k, d);
  if (!form.a.alongK)
    makeInnermost(form.a.dims, form.a.vectorDim);
  planResult();
  return true;
}

std::optional<ContractionForm>
ContractionForm::match(KernelOp kernel, const GPUKernelLayout &layout,
                       bool allowAsync, bool widen, std::string *why) {
  Matcher matcher(kernel, layout, allowAsync, widen);
  if (!matcher.match(why))
    return std::nullopt;
  return std::move(matcher.form);
}
