//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises matrix products and convolutions in kernels.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Contraction.h"

#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Support/Libraries.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

llvm::StringRef coil::loop::stringifyPostOp(PostOp op) {
  switch (op) {
  case PostOp::None:
    return "none";
  case PostOp::Relu:
    return "relu";
  case PostOp::GeluErf:
    return "gelu_erf";
  }
  return "none";
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {
/// What a body computes: the sum over `k` of `lhs * rhs`, then the epilogue.
struct Body {
  LoadOp lhs, rhs, bias;
  PostOp postOp = PostOp::None;
  ReduceOp reduce;
  StoreOp store;
};
} // namespace

static bool refuse(std::string *why, const llvm::Twine &reason) {
  if (why)
    *why = reason.str();
  return false;
}

/// Looks through a widening of a float.
static Value stripExt(Value v) {
  if (auto ext = v.getDefiningOp<arith::ExtFOp>())
    return ext.getIn();
  return v;
}

/// The load behind `v`, if nothing but a widening is between.
static LoadOp getLoad(Value v) { return stripExt(v).getDefiningOp<LoadOp>(); }

static bool isFloatConstant(Value v, double expected) {
  APFloat value(0.0);
  if (!matchPattern(v, m_ConstantFloat(&value)))
    return false;
  // Compared in the constant's own precision.
  bool lossy;
  APFloat e(expected);
  e.convert(value.getSemantics(), APFloat::rmNearestTiesToEven, &lossy);
  return value.bitwiseIsEqual(e);
}

static bool isZero(Value v) {
  APFloat value(0.0);
  return matchPattern(v, m_ConstantFloat(&value)) && value.isZero();
}

/// Matches `x * 0.5 * (1 + erf(x * sqrt(0.5)))` with the factors in any order.
static Value matchGeluErf(Value v) {
  SmallVector<Value> factors, work{v};
  while (!work.empty()) {
    Value f = work.pop_back_val();
    if (auto mul = f.getDefiningOp<arith::MulFOp>();
        mul && factors.size() < 4) {
      work.push_back(mul.getLhs());
      work.push_back(mul.getRhs());
    } else {
      factors.push_back(f);
    }
  }
  if (factors.size() != 3)
    return {};
  Value x, erfPlusOne;
  bool half = false;
  for (Value f : factors) {
    if (isFloatConstant(f, 0.5))
      half = true;
    else if (f.getDefiningOp<arith::AddFOp>() && !erfPlusOne &&
             (f.getDefiningOp<arith::AddFOp>()
                  .getLhs()
                  .getDefiningOp<math::ErfOp>() ||
              f.getDefiningOp<arith::AddFOp>()
                  .getRhs()
                  .getDefiningOp<math::ErfOp>()))
      erfPlusOne = f;
    else
      x = f;
  }
  if (!half || !x || !erfPlusOne)
    return {};
  auto add = erfPlusOne.getDefiningOp<arith::AddFOp>();
  auto erf = add.getLhs().getDefiningOp<math::ErfOp>();
  Value one = add.getRhs();
  if (!erf) {
    erf = add.getRhs().getDefiningOp<math::ErfOp>();
    one = add.getLhs();
  }
  auto scaled = erf.getOperand().getDefiningOp<arith::MulFOp>();
  if (!isFloatConstant(one, 1.0) || !scaled)
    return {};
  constexpr double kSqrtHalf = 0.70710678118654752440;
  bool matches =
      (scaled.getLhs() == x && isFloatConstant(scaled.getRhs(), kSqrtHalf)) ||
      (scaled.getRhs() == x && isFloatConstant(scaled.getLhs(), kSqrtHalf));
  return matches ? x : Value();
}

/// Matches everything about a body but its indices.
static bool matchBody(KernelOp kernel, Body &body, std::string *why) {
  if (kernel.getNumResults() != 1)
    return refuse(why, "it has more than one result");
  if (kernel.isSequential())
    return refuse(why, "it scans or scatters");
  unsigned numReductions = 0;
  for (Operation &op : *kernel.getBlock()) {
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      body.reduce = reduce;
      ++numReductions;
    } else if (isReduction(&op)) {
      ++numReductions;
    }
  }
  if (numReductions != 1 || !body.reduce ||
      body.reduce.getKind() != ReduceKind::Sum ||
      !body.reduce.getType().isF32())
    return refuse(why, "its only reduction is not a sum in f32");
  body.store = kernel.getStore(0);

  auto product = body.reduce.getValue().getDefiningOp<arith::MulFOp>();
  if (!product)
    return refuse(why, "it does not sum multiplications");
  body.lhs = getLoad(product.getLhs());
  body.rhs = getLoad(product.getRhs());
  if (!body.lhs || !body.rhs)
    return refuse(why, "a factor of the contraction is not an element");

  // The epilogue, from the store back to the sum.
  Value v = body.store.getValue();
  if (auto trunc = v.getDefiningOp<arith::TruncFOp>())
    v = trunc.getIn();
  if (auto max = v.getDefiningOp<arith::MaximumFOp>()) {
    Value other = isZero(max.getRhs())   ? max.getLhs()
                  : isZero(max.getLhs()) ? max.getRhs()
                                         : Value();
    if (!other)
      return refuse(why, "its epilogue is not a bias and a known function");
    body.postOp = PostOp::Relu;
    v = other;
  } else if (Value x = matchGeluErf(v)) {
    body.postOp = PostOp::GeluErf;
    v = x;
  }
  if (auto add = v.getDefiningOp<arith::AddFOp>()) {
    bool sumIsLhs = add.getLhs() == body.reduce.getResult();
    Value other = sumIsLhs ? add.getRhs() : add.getLhs();
    if ((sumIsLhs || add.getRhs() == body.reduce.getResult()))
      body.bias = getLoad(other);
    if (!body.bias)
      return refuse(why, "its epilogue is not a bias and a known function");
    v = body.reduce.getResult();
  }
  if (v != body.reduce.getResult())
    return refuse(why, "its epilogue is not a bias and a known function");

  auto plain = [](LoadOp load) {
    return !load || (!load.getMask() && load.getArgs().empty());
  };
  if (!plain(body.bias))
    return refuse(why, "the bias is masked or indirect");

  // Types that libraries take: all f32, or factors of 16 bits.
  Type a = body.lhs.getType(), b = body.rhs.getType(),
       c = body.store.getValue().getType();
  if (a != b || !(a.isF32() || a.isBF16() || a.isF16()) ||
      !(c.isF32() || c == a) ||
      (body.bias && !body.bias.getType().isF32() && body.bias.getType() != a))
    return refuse(why, "its element types are not all f32, f16 or bf16");
  return true;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

namespace {
/// A dimension of the contraction in the making: one or more merged dimensions
/// of the kernel. Strides are those of a, b, c and the bias.
struct Group {
  ExprAttr extent;
  ExprAttr stride[4];
  bool has(unsigned operand) const { return !stride[operand].isConstant(0); }
};
} // namespace

/// Merges pairs of groups that are one evenly spaced run in every operand.
static void mergeGroups(SmallVector<Group> &groups) {
  auto nests = [](const Group &outer, const Group &inner) {
    for (unsigned o = 0; o < 4; ++o)
      if (outer.stride[o] != sym::mul(inner.extent, inner.stride[o]))
        return false;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < groups.size() && !changed; ++i) {
      for (size_t j = 0; j < groups.size() && !changed; ++j) {
        if (i == j || !nests(groups[i], groups[j]))
          continue;
        groups[j].extent = sym::mul(groups[i].extent, groups[j].extent);
        groups.erase(groups.begin() + static_cast<ptrdiff_t>(i));
        changed = true;
      }
    }
  }
}

/// Address of a load or store as strides over the kernel's dimensions. What
/// splits an index into parts of a dense operand joins up in the address.
static std::optional<StridedView> getAccess(KernelOp kernel,
                                            const sym::Context &facts,
                                            ArrayRef<ExprAttr> indices,
                                            ArrayRef<ExprAttr> strides) {
  return getLinearAddress(
      facts.simplify(sym::getAddress(kernel.getContext(), indices, strides)),
      kernel.getNumDims());
}

std::optional<Contraction> coil::loop::matchContraction(KernelOp kernel,
                                                        std::string *why) {
  Body body;
  if (!matchBody(kernel, body, why))
    return std::nullopt;
  auto fail = [&](const llvm::Twine &reason) {
    refuse(why, reason);
    return std::nullopt;
  };
  if (body.lhs.getMask() || body.rhs.getMask() || !body.lhs.getArgs().empty() ||
      !body.rhs.getArgs().empty())
    return fail("an operand is masked or indirect");

  MLIRContext *ctx = kernel.getContext();
  ExprAttr zero = sym::constant(ctx, 0), one = sym::constant(ctx, 1);
  sym::Context facts = sym::Context::forOp(kernel);
  facts.setDimExtents(kernel.getDims().getDims());
  StridedView access[4];
  LoadOp loads[4] = {body.lhs, body.rhs, {}, body.bias};
  for (unsigned o = 0; o < 4; ++o) {
    std::optional<StridedView> a;
    if (o == 2) {
      auto type = cast<RankedTensorType>(kernel.getResult(0).getType());
      a = getAccess(kernel, facts, body.store.getIndices().getDims(),
                    sym::getContiguousStrides(ctx, sym::getSizes(type)));
    } else if (loads[o]) {
      auto arg = cast<BlockArgument>(loads[o].getSource());
      Value input = kernel.getInputs()[arg.getArgNumber()];
      a = getAccess(kernel, facts, loads[o].getIndices().getDims(),
                    getLayout(input).strides);
    } else {
      a = StridedView{SmallVector<ExprAttr>(kernel.getNumDims(), zero), zero};
    }
    if (!a)
      return fail("the elements of an operand are not evenly spaced");
    access[o] = std::move(*a);
  }

  // Classify the dimensions.
  SmallVector<Group> batch, m, n, k;
  SmallVector<unsigned> reduced = kernel.getReducedDims();
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    ExprAttr extent = kernel.getExtent(d);
    if (extent.isConstant(1))
      continue;
    Group g{extent,
            {access[0].strides[d], access[1].strides[d], access[2].strides[d],
             access[3].strides[d]}};
    if (llvm::is_contained(reduced, d)) {
      if (g.has(3))
        return fail("the bias varies over a summed dimension");
      k.push_back(g);
      continue;
    }
    if (!g.has(2))
      return fail("a dimension is neither summed nor part of the result");
    if (g.has(0) == g.has(1))
      batch.push_back(g);
    else
      (g.has(0) ? m : n).push_back(g);
  }
  if (m.empty() || n.empty())
    return fail("an operand has no dimension of its own: every element is used "
                "once, and a loop is as fast");
  for (SmallVector<Group> *groups : {&batch, &m, &n, &k})
    mergeGroups(*groups);
  if (k.size() > 1)
    return fail("the summed dimensions are not one evenly spaced run");

  // The largest run is the matrix dimension, the others are batches.
  Hints hints(kernel);
  auto choose = [&](SmallVector<Group> &groups) {
    if (groups.empty())
      return Group{one, {zero, zero, zero, zero}};
    auto *best = llvm::max_element(groups, [&](const Group &x, const Group &y) {
      return hints(x.extent) < hints(y.extent);
    });
    Group g = *best;
    groups.erase(best);
    llvm::append_range(batch, groups);
    return g;
  };
  Group gm = choose(m), gn = choose(n);
  Group gk = k.empty() ? Group{one, {zero, zero, zero, zero}} : k.front();
  mergeGroups(batch);
  if (batch.size() > kMaxContractionBatch)
    return fail("it has more than " + llvm::Twine(kMaxContractionBatch) +
                " batch dimensions");
  if (llvm::any_of(batch, [](const Group &g) { return g.has(3); }) ||
      (gm.has(3) && gn.has(3)))
    return fail("the bias varies over more than one dimension");

  // Results are written row by row: what is dense in the result is n.
  unsigned a = 0, b = 1;
  if (gm.stride[2].isConstant(1) && !gn.stride[2].isConstant(1)) {
    std::swap(gm, gn);
    std::swap(a, b);
  }

  Contraction result;
  result.postOp = body.postOp;
  result.tf32 = body.reduce.getTf32() && body.lhs.getType().isF32();
  SmallVector<Group> dims = std::move(batch);
  dims.append({gm, gn, gk});
  for (const Group &g : dims)
    result.dims.push_back(g.extent);
  auto makeOperand = [&](unsigned o) {
    ContractionOperand operand;
    if (loads[o])
      operand.input = cast<BlockArgument>(loads[o].getSource()).getArgNumber();
    for (const Group &g : dims)
      operand.strides.push_back(g.stride[o]);
    operand.offset = access[o].offset;
    return operand;
  };
  result.a = makeOperand(a);
  result.b = makeOperand(b);
  result.c = makeOperand(2);
  if (body.bias)
    result.bias = makeOperand(3);
  return result;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

std::optional<Convolution> coil::loop::matchConvolution(KernelOp kernel,
                                                        std::string *why) {
  auto fail = [&](const llvm::Twine &reason) {
    refuse(why, reason);
    return std::nullopt;
  };
  ConvAttr conv = kernel.getConvAttr();
  if (!conv)
    return fail("it has no 'conv' attribute");
  Body body;
  if (!matchBody(kernel, body, why))
    return std::nullopt;
  if (kernel.getInputs().size() < 2)
    return fail("it has less than two operands");

  MLIRContext *ctx = kernel.getContext();
  SmallVector<ExprAttr> x =
      sym::getSizes(cast<RankedTensorType>(kernel.getInputs()[0].getType()));
  SmallVector<ExprAttr> w =
      sym::getSizes(cast<RankedTensorType>(kernel.getInputs()[1].getType()));
  SmallVector<ExprAttr> y =
      sym::getSizes(cast<RankedTensorType>(kernel.getResult(0).getType()));
  size_t spatial = conv.getStride().size();
  if (spatial < 1 || spatial > 3 || x.size() != spatial + 2 ||
      w.size() != x.size() || y.size() != x.size() ||
      conv.getPadding().size() != spatial ||
      conv.getDilation().size() != spatial)
    return fail("its operands do not have the shapes of a convolution");
  sym::Context facts = sym::Context::forOp(kernel);
  auto same = [&](ExprAttr p, ExprAttr q) {
    return p == q || facts.simplify(sym::sub(p, q)).isConstant(0);
  };
  size_t channel = conv.getChannelsLast() ? spatial + 1 : 1,
         space = conv.getChannelsLast() ? 1 : 2;
  bool fits = same(x[0], y[0]) && same(w[0], y[channel]) &&
              same(x[channel], sym::mul(w[channel], conv.getGroups()));
  for (size_t i = 0; fits && i < spatial; ++i) {
    ExprAttr window = sym::add(
        sym::mul(sym::add(w[i + space], -1), conv.getDilation()[i]), 1);
    ExprAttr room =
        sym::sub(sym::add(x[i + space], 2 * conv.getPadding()[i]), window);
    fits = same(
        y[i + space],
        sym::add(sym::floorDiv(room, sym::constant(ctx, conv.getStride()[i])),
                 1));
  }
  if (!fits)
    return fail("its operands do not have the shapes of a convolution");
  auto number = [](LoadOp load) {
    return cast<BlockArgument>(load.getSource()).getArgNumber();
  };
  unsigned p = number(body.lhs), q = number(body.rhs);
  if (!((p == 0 && q == 1) || (p == 1 && q == 0)))
    return fail("its first two operands are not the factors");

  // Equal sizes do not say which dimension is which, nor which way it runs: a
  // view that turns the weight around may be part of its indices.
  LoadOp xLoad = p == 0 ? body.lhs : body.rhs,
         wLoad = p == 0 ? body.rhs : body.lhs;
  sym::ShapeAttr stored = body.store.getIndices();
  facts.setDimExtents(kernel.getDims().getDims());
  // The index of a dimension of one element may be zero.
  auto sameIndex = [&](ExprAttr p, ExprAttr q) {
    auto difference = facts.bounds(sym::sub(p, q));
    return p == q || (difference.lo == 0 && difference.hi == 0);
  };
  bool ordered = sameIndex(xLoad.getIndices()[0], stored[0]) &&
                 sameIndex(wLoad.getIndices()[0], stored[channel]);
  sym::ShapeAttr xIndex = xLoad.getIndices(), wIndex = wLoad.getIndices();
  auto isPlain = [](ExprAttr index) {
    return index.isDim() || index.isConstant(0);
  };
  for (size_t i = 0; ordered && i < spatial; ++i) {
    ExprAttr element =
        sym::add(sym::add(sym::mul(stored[i + space], conv.getStride()[i]),
                          sym::mul(wIndex[i + space], conv.getDilation()[i])),
                 -conv.getPadding()[i]);
    ordered = isPlain(wIndex[i + space]) && same(xIndex[i + space], element);
  }
  ExprAttr inGroup = wIndex[channel], inAll = inGroup;
  if (conv.getGroups() != 1)
    inAll = sym::add(
        sym::mul(sym::floorDiv(
                     stored[channel],
                     sym::floorDiv(w[0], sym::constant(ctx, conv.getGroups()))),
                 w[channel]),
        inGroup);
  ordered = ordered && isPlain(inGroup) && same(xIndex[channel], inAll);
  if (!ordered)
    return fail("its dimensions are not in the order of a convolution");

  Convolution result;
  result.x = 0;
  result.w = 1;
  result.postOp = body.postOp;
  result.tf32 = body.reduce.getTf32() && body.lhs.getType().isF32();
  if (body.bias) {
    // The bias must be one element for each output channel.
    unsigned bias = number(body.bias);
    auto type = cast<RankedTensorType>(kernel.getInputs()[bias].getType());
    if (type.getRank() != 1 || !same(sym::getSizes(type)[0], y[channel]) ||
        !sameIndex(body.bias.getIndices()[0], stored[channel]))
      return fail("the bias is not one element for each output channel");
    result.bias = bias;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

/// Up to this many products a call of a GPU's library costs more than a kernel
/// that has the operations around it fused in: neither fills the device, and
/// the library's launch is the dearer one.
static constexpr int64_t kMaxSmallContraction = int64_t(1) << 22;

/// Whether it is known that the product of some sizes is at most `limit`.
static bool isProductAtMost(ArrayRef<ExprAttr> sizes, int64_t limit) {
  int64_t product = 1;
  for (ExprAttr e : sizes) {
    std::optional<int64_t> size = e.getConstant();
    if (!size || llvm::MulOverflow(product, *size, product))
      return false;
  }
  return product <= limit;
}

/// Whether it is known that there are few products to sum.
static bool isSmall(ArrayRef<ExprAttr> dims) {
  return isProductAtMost(dims, kMaxSmallContraction);
}

static Type getElementType(Value v) {
  return cast<RankedTensorType>(v.getType()).getElementType();
}

/// Whether it is known of all rows of a matrix that they begin at addresses of
/// whole vectors, or (`wanted` is false) of some that they do not.
static bool hasRows(ArrayRef<ExprAttr> strides, Type element, bool wanted) {
  constexpr int64_t kVectorBits = 128;
  int64_t each = kVectorBits / element.getIntOrFloatBitWidth();
  auto is = [&](ExprAttr stride) {
    std::optional<int64_t> value = stride.getConstant();
    return value &&
           (*value == 0 || *value == 1 || *value % each == 0) == wanted;
  };
  return wanted ? llvm::all_of(strides, is) : llvm::any_of(strides, is);
}

/// Whether only the rows of the result begin anywhere, as logits over an odd
/// vocabulary do. The library then computes with narrow loads of its factors,
/// too: 94 TFLOP/s on an H200 where a kernel of ours has 363.
static bool hasOnlyOddResult(KernelOp kernel, const Contraction &c) {
  Type type = getElementType(kernel.getResult(0));
  if (type.getIntOrFloatBitWidth() != 16)
    return false;
  return hasRows(c.c.strides, type, /*wanted=*/false) &&
         hasRows(c.a.strides, getElementType(kernel.getInputs()[c.a.input]),
                 /*wanted=*/true) &&
         hasRows(c.b.strides, getElementType(kernel.getInputs()[c.b.input]),
                 /*wanted=*/true);
}

static bool isCublasLtKernel(KernelOp kernel) {
  std::optional<Contraction> c = matchContraction(kernel);
  if (!c || isSmall(c->dims) || hasOnlyOddResult(kernel, *c) ||
      (c->postOp != PostOp::None && c->postOp != PostOp::Relu))
    return false;
  bool denseN = c->c.strides[c->getN()].isConstant(1),
       denseM = c->c.strides[c->getM()].isConstant(1);
  if (!c->bias)
    return denseN || denseM;
  const ContractionOperand &bias = *c->bias;
  return getElementType(kernel.getInputs()[bias.input]) ==
             getElementType(kernel.getResult(0)) &&
         ((denseN && bias.strides[c->getN()].isConstant(1)) ||
          (denseM && bias.strides[c->getM()].isConstant(1)));
}

/// The sizes of a convolution's weights, if each of its groups has one or two
/// output channels; else nothing.
static SmallVector<ExprAttr> getThinWeights(KernelOp kernel,
                                            const Convolution &c) {
  constexpr int64_t kThin = 2;
  SmallVector<ExprAttr> weight =
      sym::getSizes(cast<RankedTensorType>(kernel.getInputs()[c.w].getType()));
  int64_t groups = kernel.getConvAttr().getGroups();
  std::optional<int64_t> out = weight[0].getConstant();
  if (groups > 1 && out && *out <= kThin * groups)
    return weight;
  return {};
}

/// Whether the groups of a convolution have so few channels, and its windows so
/// few elements, that memory is its bound: a kernel of ours, fused with its
/// neighbours, is faster than cuDNN then, unless channels are last. Measured on
/// an H100, 21 convolutions in one to three element types: up to 18 products
/// for a result 1.2 to 8 times as fast, with 25 products 0.9 to 2.7 times, with
/// 49 half as fast in 16 bits.
static bool isBoundByMemory(KernelOp kernel, const Convolution &c) {
  constexpr int64_t kMaxProducts = 25;
  if (!kernel.getConv() || kernel.getConvAttr().getChannelsLast())
    return false;
  SmallVector<ExprAttr> weight = getThinWeights(kernel, c);
  return !weight.empty() &&
         isProductAtMost(ArrayRef(weight).drop_front(), kMaxProducts);
}

static bool isCudnnKernel(KernelOp kernel) {
  std::optional<Convolution> c = matchConvolution(kernel);
  if (!c || isSmall(kernel.getDims().getDims()) ||
      (c->postOp != PostOp::None && c->postOp != PostOp::Relu) ||
      isBoundByMemory(kernel, *c))
    return false;
  // ReLU comes behind a bias, unless channels are last.
  if (c->postOp == PostOp::Relu && !c->bias &&
      !kernel.getConvAttr().getChannelsLast())
    return false;
  Type type = getElementType(kernel.getResult(0));
  return llvm::all_of(kernel.getInputs(),
                      [&](Value v) { return getElementType(v) == type; });
}

/// Whether each group of a convolution has one or two output channels, and is
/// none of those that oneDNN has a kernel for: it has vectors of channels, and
/// computes others with one or two lanes, in four to ten times the time of a
/// kernel with vectors of positions. Its own kernel is for groups of one
/// channel in two dimensions, and brings channels side by side first. Measured
/// on one core of a Zen 4, ours beside it: windows of 3x3 0.4 to 1.0 of its
/// time, 5x5 and 7x7 3 to 5 times; in one dimension 0.11 to 0.25 (3 to 31
/// elements).
static bool hasThinGroups(KernelOp kernel, const Convolution &c) {
  constexpr int64_t kMaxWindow = 9;
  SmallVector<ExprAttr> weight = getThinWeights(kernel, c);
  if (weight.empty())
    return false;
  std::optional<int64_t> in = weight[1].getConstant();
  if (!in)
    return false;
  bool hasKernel = weight.size() == 4 && *in == 1 &&
                   weight[0].getValue() == kernel.getConvAttr().getGroups();
  return !hasKernel ||
         isProductAtMost(ArrayRef(weight).drop_front(2), kMaxWindow);
}

LibraryCall coil::loop::getLibraryCall(KernelOp kernel, StringRef library) {
  if (library == "onednn" &&
      !(kernel.getConv() && kernel.getConvAttr().getChannelsLast())) {
    // A convolution with a window of one element is both.
    if (std::optional<Convolution> c = matchConvolution(kernel)) {
      if (!kernel.getConv() || !hasThinGroups(kernel, *c))
        return LibraryCall::Convolution;
    } else if (matchContraction(kernel)) {
      return LibraryCall::Contraction;
    }
  }
  if (library == "cublaslt" && isCublasLtKernel(kernel))
    return LibraryCall::Contraction;
  if (library == "cudnn" && isCudnnKernel(kernel))
    return LibraryCall::Convolution;
  return LibraryCall::None;
}

/// Whether a convolution skips elements of its input. As a contraction these
/// are many small ones.
static bool isStrided(KernelOp kernel) {
  return kernel.getConv() &&
         llvm::any_of(kernel.getConvAttr().getStride(),
                      [](int64_t stride) { return stride != 1; });
}

StringRef coil::loop::findLibrary(KernelOp kernel, StringRef libraries) {
  SmallVector<StringRef> names = splitLibraries(libraries);
  auto *cudnn = llvm::find(names, "cudnn");
  if (isStrided(kernel) && cudnn != names.end())
    std::rotate(names.begin(), cudnn, std::next(cudnn));
  for (StringRef name : names)
    if (getLibraryCall(kernel, name) != LibraryCall::None)
      return name;
  return "";
}
