//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Normal form, solving and evaluation of symbolic expressions.
//
// A sum is kept as `Add` with a constant (`value`) and sorted terms; a product
// as `Mul` with a constant coefficient (`value`) and sorted atoms. All other
// nodes are atoms.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Sym/IR/Expr.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace coil::sym {

static ExprAttr node(MLIRContext *ctx, ExprKind kind, int64_t value,
                     StringRef name = {}, ArrayRef<ExprAttr> operands = {}) {
  return ExprAttr::get(ctx, kind, value, name, operands);
}

ExprAttr constant(MLIRContext *ctx, int64_t value) {
  return node(ctx, ExprKind::Constant, value);
}
ExprAttr dim(MLIRContext *ctx, unsigned position) {
  return node(ctx, ExprKind::Dim, position);
}
ExprAttr arg(MLIRContext *ctx, unsigned position) {
  return node(ctx, ExprKind::Arg, position);
}
ExprAttr symbol(MLIRContext *ctx, StringRef name) {
  return node(ctx, ExprKind::Symbol, 0, name);
}

/// A total order that does not depend on addresses.
static int compare(ExprAttr a, ExprAttr b) {
  if (a == b)
    return 0;
  if (a.getKind() != b.getKind())
    return a.getKind() < b.getKind() ? -1 : 1;
  if (a.getValue() != b.getValue())
    return a.getValue() < b.getValue() ? -1 : 1;
  if (int c = a.getName().compare(b.getName()))
    return c;
  ArrayRef<ExprAttr> x = a.getOperands(), y = b.getOperands();
  if (x.size() != y.size())
    return x.size() < y.size() ? -1 : 1;
  for (auto [p, q] : llvm::zip_equal(x, y))
    if (int c = compare(p, q))
      return c;
  return 0;
}

static bool less(ExprAttr a, ExprAttr b) { return compare(a, b) < 0; }

/// Wrapping arithmetic: well defined for any constants in the input.
static int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
static int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

static int64_t floorDivInt(int64_t a, int64_t b) {
  if (b == -1)
    return wrapMul(a, -1);
  int64_t q = a / b, r = a % b;
  return (r != 0 && ((r < 0) != (b < 0))) ? q - 1 : q;
}

SmallVector<Term> getTerms(ExprAttr e) {
  SmallVector<Term> terms;
  MLIRContext *ctx = e.getContext();
  auto addTerm = [&](ExprAttr t) {
    if (t.getKind() == ExprKind::Mul) {
      ExprAttr product = t.getOperands().size() == 1
                             ? t.getOperands().front()
                             : node(ctx, ExprKind::Mul, 1, {}, t.getOperands());
      terms.push_back({product, t.getValue()});
    } else {
      terms.push_back({t, 1});
    }
  };
  if (e.isConstant()) {
    if (e.getValue() != 0)
      terms.push_back({constant(ctx, 1), e.getValue()});
  } else if (e.getKind() == ExprKind::Add) {
    for (ExprAttr t : e.getOperands())
      addTerm(t);
    if (e.getValue() != 0)
      terms.push_back({constant(ctx, 1), e.getValue()});
  } else {
    addTerm(e);
  }
  return terms;
}

/// The atoms of a coefficient-free product.
static SmallVector<ExprAttr> atomsOf(ExprAttr product) {
  if (product.isConstant())
    return {};
  if (product.getKind() == ExprKind::Mul)
    return llvm::to_vector(product.getOperands());
  return {product};
}

static ExprAttr makeProduct(MLIRContext *ctx, ArrayRef<ExprAttr> atoms) {
  if (atoms.empty())
    return constant(ctx, 1);
  if (atoms.size() == 1)
    return atoms.front();
  return node(ctx, ExprKind::Mul, 1, {}, atoms);
}

static ExprAttr fromTerms(MLIRContext *ctx, SmallVector<Term> terms) {
  llvm::sort(terms, [](const Term &a, const Term &b) {
    return less(a.product, b.product);
  });
  int64_t constantPart = 0;
  SmallVector<ExprAttr> ops;
  for (size_t i = 0; i < terms.size();) {
    int64_t c = 0;
    size_t j = i;
    for (; j < terms.size() && terms[j].product == terms[i].product; ++j)
      c = wrapAdd(c, terms[j].coefficient);
    if (terms[i].product.isConstant()) {
      constantPart =
          wrapAdd(constantPart, wrapMul(c, terms[i].product.getValue()));
    } else if (c == 1) {
      ops.push_back(terms[i].product);
    } else if (c != 0) {
      ops.push_back(node(ctx, ExprKind::Mul, c, {}, atomsOf(terms[i].product)));
    }
    i = j;
  }
  if (ops.empty())
    return constant(ctx, constantPart);
  if (ops.size() == 1 && constantPart == 0)
    return ops.front();
  return node(ctx, ExprKind::Add, constantPart, {}, ops);
}

ExprAttr add(ExprAttr a, ExprAttr b) {
  if (a.isConstant(0))
    return b;
  if (b.isConstant(0))
    return a;
  SmallVector<Term> terms = getTerms(a);
  llvm::append_range(terms, getTerms(b));
  return fromTerms(a.getContext(), std::move(terms));
}

ExprAttr mul(ExprAttr a, ExprAttr b) {
  if (a.isConstant(1) || b.isConstant(0))
    return b;
  if (b.isConstant(1) || a.isConstant(0))
    return a;
  SmallVector<Term> terms, rhs = getTerms(b);
  for (Term x : getTerms(a)) {
    for (Term y : rhs) {
      SmallVector<ExprAttr> atoms = atomsOf(x.product);
      llvm::append_range(atoms, atomsOf(y.product));
      llvm::sort(atoms, less);
      terms.push_back({makeProduct(a.getContext(), atoms),
                       wrapMul(x.coefficient, y.coefficient)});
    }
  }
  return fromTerms(a.getContext(), std::move(terms));
}

ExprAttr neg(ExprAttr a) { return mul(a, constant(a.getContext(), -1)); }
ExprAttr sub(ExprAttr a, ExprAttr b) {
  return a == b ? constant(a.getContext(), 0) : add(a, neg(b));
}
ExprAttr add(ExprAttr a, int64_t b) {
  return add(a, constant(a.getContext(), b));
}
ExprAttr mul(ExprAttr a, int64_t b) {
  return mul(a, constant(a.getContext(), b));
}
ExprAttr product(MLIRContext *ctx, ArrayRef<ExprAttr> factors) {
  ExprAttr result = constant(ctx, 1);
  for (ExprAttr f : factors)
    result = mul(result, f);
  return result;
}

/// Divides the product `p` by the product `d`, or returns null.
static ExprAttr divideProduct(ExprAttr p, ExprAttr d) {
  SmallVector<ExprAttr> atoms = atomsOf(p);
  for (ExprAttr f : atomsOf(d)) {
    auto *it = llvm::find(atoms, f);
    if (it == atoms.end())
      return {};
    atoms.erase(it);
  }
  return makeProduct(p.getContext(), atoms);
}

namespace {
/// `a == quotient * b + rest` after exact division, with factors common to
/// `rest` and `b` cancelled: `a floordiv b == quotient + rest floordiv
/// divisor` and `a mod b == scale * (rest mod divisor)`.
struct Division {
  ExprAttr quotient, rest, divisor;
  ExprAttr scale;
};
} // namespace

static Division divide(ExprAttr a, ExprAttr b) {
  MLIRContext *ctx = a.getContext();
  ExprAttr one = constant(ctx, 1);
  SmallVector<Term> divisorTerms = getTerms(b);
  if (divisorTerms.size() != 1 || divisorTerms[0].coefficient <= 0)
    return a == b ? Division{one, constant(ctx, 0), b, one}
                  : Division{constant(ctx, 0), a, b, one};
  Term d = divisorTerms[0];
  SmallVector<Term> quotient, rest;
  for (Term t : getTerms(a)) {
    ExprAttr q = divideProduct(t.product, d.product);
    if (q && t.coefficient % d.coefficient == 0) {
      quotient.push_back({q, t.coefficient / d.coefficient});
    } else if (q && t.product == d.product) {
      // Only constants (and multiples of the divisor's product) can be split.
      int64_t whole = floorDivInt(t.coefficient, d.coefficient);
      quotient.push_back({q, whole});
      rest.push_back({t.product, t.coefficient - whole * d.coefficient});
    } else {
      rest.push_back(t);
    }
  }
  // Cancel factors shared by the divisor and every term of the rest.
  int64_t g = d.coefficient;
  for (Term t : rest)
    if (!t.product.isConstant())
      g = std::gcd(g, t.coefficient);
  SmallVector<ExprAttr> shared;
  if (!rest.empty()) {
    for (ExprAttr atom : atomsOf(d.product)) {
      SmallVector<Term> reduced;
      bool everywhere = true;
      for (Term t : rest) {
        ExprAttr q = divideProduct(t.product, atom);
        if (!q) {
          everywhere = false;
          break;
        }
        reduced.push_back({q, t.coefficient});
      }
      if (!everywhere)
        continue;
      shared.push_back(atom);
      rest = std::move(reduced);
      d.product = divideProduct(d.product, atom);
    }
  }
  int64_t constantRest = 0;
  bool onlyExact = true;
  for (Term &t : rest) {
    if (t.product.isConstant())
      constantRest = t.coefficient;
  }
  if (g > 1 && constantRest % g != 0)
    onlyExact = false;
  ExprAttr scale = makeProduct(ctx, shared);
  if (g > 1 && onlyExact) {
    for (Term &t : rest)
      t.coefficient /= g;
    d.coefficient /= g;
    scale = mul(scale, g);
  }
  return {fromTerms(ctx, quotient), fromTerms(ctx, rest),
          mul(d.product, d.coefficient), scale};
}

ExprAttr floorDiv(ExprAttr a, ExprAttr b) {
  MLIRContext *ctx = a.getContext();
  if (b.isConstant(1) || a.isConstant(0))
    return a;
  if (a.isConstant() && b.isConstant() && b.getValue() > 0)
    return constant(ctx, floorDivInt(a.getValue(), b.getValue()));
  Division d = divide(a, b);
  if (d.divisor.isConstant(1))
    return add(d.quotient, d.rest);
  if (d.rest.isConstant() && d.divisor.isConstant() && d.divisor.getValue() > 0)
    return add(d.quotient,
               floorDivInt(d.rest.getValue(), d.divisor.getValue()));
  if (d.rest.isConstant(0))
    return d.quotient;
  // Merge `(x floordiv m) floordiv n`.
  if (d.rest.getKind() == ExprKind::FloorDiv)
    return add(d.quotient, floorDiv(d.rest.getOperands()[0],
                                    mul(d.rest.getOperands()[1], d.divisor)));
  // `(x mod (m * n)) floordiv m == (x floordiv m) mod n`: digits stay digits.
  if (d.rest.getKind() == ExprKind::Mod && d.divisor.isConstant() &&
      d.divisor.getValue() > 0) {
    ExprAttr whole = d.rest.getOperands()[1];
    if (whole.isConstant() && whole.getValue() % d.divisor.getValue() == 0)
      return add(d.quotient,
                 mod(floorDiv(d.rest.getOperands()[0], d.divisor),
                     constant(ctx, whole.getValue() / d.divisor.getValue())));
  }
  return add(d.quotient,
             node(ctx, ExprKind::FloorDiv, 0, {}, {d.rest, d.divisor}));
}

ExprAttr ceilDiv(ExprAttr a, ExprAttr b) {
  return floorDiv(add(a, add(b, -1)), b);
}

ExprAttr mod(ExprAttr a, ExprAttr b) {
  MLIRContext *ctx = a.getContext();
  if (b.isConstant(1))
    return constant(ctx, 0);
  Division d = divide(a, b);
  if (d.divisor.isConstant(1) || d.rest.isConstant(0))
    return constant(ctx, 0);
  if (d.rest.isConstant() && d.divisor.isConstant() &&
      d.divisor.getValue() > 0) {
    int64_t m = d.divisor.getValue(), v = d.rest.getValue();
    return mul(d.scale, v - floorDivInt(v, m) * m);
  }
  // `(x mod (m * n)) mod n == x mod n`.
  if (d.rest.getKind() == ExprKind::Mod &&
      divide(d.rest.getOperands()[1], d.divisor).rest.isConstant(0))
    return mul(d.scale, mod(d.rest.getOperands()[0], d.divisor));
  return mul(d.scale, node(ctx, ExprKind::Mod, 0, {}, {d.rest, d.divisor}));
}

static ExprAttr minMax(ExprKind kind, ExprAttr a, ExprAttr b) {
  if (a == b)
    return a;
  ExprAttr difference = sub(a, b);
  if (difference.isConstant())
    return ((difference.getValue() < 0) == (kind == ExprKind::Min)) ? a : b;
  if (less(b, a))
    std::swap(a, b);
  return node(a.getContext(), kind, 0, {}, {a, b});
}
ExprAttr min(ExprAttr a, ExprAttr b) { return minMax(ExprKind::Min, a, b); }
ExprAttr max(ExprAttr a, ExprAttr b) { return minMax(ExprKind::Max, a, b); }

void walkLeaves(ExprAttr e, llvm::function_ref<void(ExprAttr)> fn) {
  if (e.getOperands().empty()) {
    if (!e.isConstant())
      fn(e);
    return;
  }
  for (ExprAttr o : e.getOperands())
    walkLeaves(o, fn);
}

bool mentions(ExprAttr e, ExprAttr leaf) {
  if (e == leaf)
    return true;
  return llvm::any_of(e.getOperands(),
                      [&](ExprAttr o) { return mentions(o, leaf); });
}

bool isIndirect(ExprAttr e) {
  return e.getKind() == ExprKind::Arg ||
         llvm::any_of(e.getOperands(), isIndirect);
}

std::optional<std::pair<ExprAttr, ExprAttr>> splitLinear(ExprAttr e,
                                                         ExprAttr d) {
  SmallVector<Term> coefficient, rest;
  for (Term t : getTerms(e)) {
    if (!mentions(t.product, d)) {
      rest.push_back(t);
      continue;
    }
    ExprAttr q = divideProduct(t.product, d);
    if (!q || mentions(q, d))
      return std::nullopt;
    coefficient.push_back({q, t.coefficient});
  }
  return std::make_pair(fromTerms(e.getContext(), coefficient),
                        fromTerms(e.getContext(), rest));
}

/// Rebuilds `e` with new operands.
static ExprAttr rebuild(ExprAttr e, ArrayRef<ExprAttr> ops) {
  switch (e.getKind()) {
  case ExprKind::FloorDiv:
    return floorDiv(ops[0], ops[1]);
  case ExprKind::Mod:
    return mod(ops[0], ops[1]);
  case ExprKind::Min:
    return min(ops[0], ops[1]);
  case ExprKind::Max:
    return max(ops[0], ops[1]);
  case ExprKind::Mul: {
    ExprAttr r = constant(e.getContext(), e.getValue());
    for (ExprAttr o : ops)
      r = mul(r, o);
    return r;
  }
  case ExprKind::Add: {
    SmallVector<Term> terms;
    for (ExprAttr o : ops)
      llvm::append_range(terms, getTerms(o));
    if (e.getValue() != 0)
      terms.push_back({constant(e.getContext(), 1), e.getValue()});
    return fromTerms(e.getContext(), std::move(terms));
  }
  default:
    return e;
  }
}

ExprAttr substitute(ExprAttr e, llvm::function_ref<ExprAttr(ExprAttr)> fn) {
  if (e.getOperands().empty()) {
    if (e.isConstant())
      return e;
    ExprAttr r = fn(e);
    return r ? r : e;
  }
  SmallVector<ExprAttr> ops;
  bool changed = false;
  for (ExprAttr o : e.getOperands()) {
    ops.push_back(substitute(o, fn));
    changed |= ops.back() != o;
  }
  return changed ? rebuild(e, ops) : e;
}

ExprAttr substituteDims(ExprAttr e, ArrayRef<ExprAttr> dims,
                        ArrayRef<ExprAttr> args) {
  return substitute(e, [&](ExprAttr leaf) -> ExprAttr {
    size_t i = static_cast<size_t>(leaf.getValue());
    if (leaf.isDim() && i < dims.size())
      return dims[i];
    if (leaf.getKind() == ExprKind::Arg && i < args.size())
      return args[i];
    return {};
  });
}

ShapeAttr substituteDims(ShapeAttr exprs, ArrayRef<ExprAttr> dims) {
  SmallVector<ExprAttr> result;
  for (ExprAttr e : exprs.getDims())
    result.push_back(substituteDims(e, dims));
  return ShapeAttr::get(exprs.getContext(), result);
}

ExprAttr getAddress(MLIRContext *ctx, ArrayRef<ExprAttr> indices,
                    ArrayRef<ExprAttr> strides) {
  ExprAttr address = constant(ctx, 0);
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    address = add(address, mul(index, stride));
  return address;
}

std::optional<int64_t>
evaluate(ExprAttr e,
         llvm::function_ref<std::optional<int64_t>(ExprAttr)> leaf) {
  if (e.isConstant())
    return e.getValue();
  if (e.getOperands().empty())
    return leaf(e);
  SmallVector<int64_t> v;
  for (ExprAttr o : e.getOperands()) {
    std::optional<int64_t> x = evaluate(o, leaf);
    if (!x)
      return std::nullopt;
    v.push_back(*x);
  }
  int64_t r = e.getValue();
  switch (e.getKind()) {
  case ExprKind::Add:
    for (int64_t x : v)
      if (llvm::AddOverflow(r, x, r))
        return std::nullopt;
    return r;
  case ExprKind::Mul:
    for (int64_t x : v)
      if (llvm::MulOverflow(r, x, r))
        return std::nullopt;
    return r;
  case ExprKind::FloorDiv:
    if (v[1] <= 0)
      return std::nullopt;
    return floorDivInt(v[0], v[1]);
  case ExprKind::Mod:
    if (v[1] <= 0)
      return std::nullopt;
    return v[0] - floorDivInt(v[0], v[1]) * v[1];
  case ExprKind::Min:
    return std::min(v[0], v[1]);
  case ExprKind::Max:
    return std::max(v[0], v[1]);
  default:
    return std::nullopt;
  }
}

ExprAttr solve(ExprAttr e, ExprAttr rhs, ExprAttr unknown) {
  std::optional<std::pair<ExprAttr, ExprAttr>> split = splitLinear(e, unknown);
  if (!split || split->first.isConstant(0))
    return {};
  auto [coefficient, rest] = *split;
  ExprAttr numerator = sub(rhs, rest);
  if (coefficient.isConstant() && coefficient.getValue() < 0) {
    numerator = neg(numerator);
    coefficient = neg(coefficient);
  }
  return floorDiv(numerator, coefficient);
}

RankedTensorType getTensorType(ArrayRef<ExprAttr> sizes, Type elementType) {
  SmallVector<int64_t> shape;
  bool dynamic = false;
  for (ExprAttr e : sizes) {
    shape.push_back(e.getConstant().value_or(ShapedType::kDynamic));
    dynamic |= !e.isConstant();
  }
  Attribute encoding;
  if (dynamic)
    encoding = ShapeAttr::get(elementType.getContext(), sizes);
  return RankedTensorType::get(shape, elementType, encoding);
}

SmallVector<ExprAttr> getSizes(RankedTensorType type) {
  if (auto shape = dyn_cast_or_null<ShapeAttr>(type.getEncoding()))
    return llvm::to_vector(shape.getDims());
  SmallVector<ExprAttr> sizes;
  for (int64_t d : type.getShape())
    sizes.push_back(ShapedType::isDynamic(d) ? ExprAttr()
                                             : constant(type.getContext(), d));
  return sizes;
}

ExprAttr getNumElements(RankedTensorType type) {
  return product(type.getContext(), getSizes(type));
}

SmallVector<ExprAttr> getContiguousStrides(MLIRContext *ctx,
                                           ArrayRef<ExprAttr> sizes) {
  SmallVector<ExprAttr> strides(sizes.size());
  ExprAttr running = constant(ctx, 1);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = running;
    running = mul(running, sizes[i]);
  }
  return strides;
}

} // namespace coil::sym
