//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges of expressions and the simplifications that they allow.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Sym/IR/Expr.h"

#include "Proofs.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace coil::sym {

static constexpr int64_t kMin = INT64_MIN, kMax = INT64_MAX;
/// Proof steps nest by eliminated leaves; more than this many is given up on.
static constexpr unsigned kMaxProofDepth = 24;

Context Context::forOp(Operation *op) {
  Context result;
  for (; op; op = op->getParentOp()) {
    auto dict = op->getAttrOfType<DictionaryAttr>(kSymbolsAttrName);
    if (!dict)
      continue;
    result.source = dict;
    for (NamedAttribute entry : dict)
      if (auto range = dyn_cast<RangeAttr>(entry.getValue()))
        result.symbols[entry.getName().strref()] = {range.getMin(),
                                                    range.getMax()};
    break;
  }
  return result;
}

void Context::setSymbol(StringRef name, Bounds bounds) {
  symbols[name] = bounds;
  isShared = false;
  proofs.reset();
}

void Context::setDimExtents(ArrayRef<ExprAttr> extents) {
  dims.assign(extents.begin(), extents.end());
  proofs.reset();
}

Proofs &Context::getProofs(MLIRContext *context) const {
  if (!proofs && isShared && !llvm::is_contained(dims, ExprAttr()))
    proofs = context->getLoadedDialect<SymDialect>()->getProofs(
        source, ShapeAttr::get(context, dims));
  if (!proofs)
    proofs = std::make_shared<Proofs>();
  return *proofs;
}

static int64_t satAdd(int64_t a, int64_t b) {
  if (a == kMin || b == kMin)
    return kMin;
  if (a == kMax || b == kMax)
    return kMax;
  int64_t r;
  if (llvm::AddOverflow(a, b, r))
    return a < 0 ? kMin : kMax;
  return r;
}

static int64_t satMul(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  bool negative = (a < 0) != (b < 0);
  if (a == kMin || a == kMax || b == kMin || b == kMax)
    return negative ? kMin : kMax;
  int64_t r;
  if (llvm::MulOverflow(a, b, r))
    return negative ? kMin : kMax;
  return r;
}

static Bounds mulBounds(Bounds a, Bounds b) {
  int64_t c[] = {satMul(a.lo, b.lo), satMul(a.lo, b.hi), satMul(a.hi, b.lo),
                 satMul(a.hi, b.hi)};
  return {*std::min_element(c, c + 4), *std::max_element(c, c + 4)};
}

static int64_t satFloorDiv(int64_t a, int64_t b) {
  if (a == kMin || a == kMax)
    return b == kMax ? (a < 0 ? -1 : 0) : a;
  if (b == kMax)
    return a < 0 ? -1 : 0;
  int64_t q = a / b, r = a % b;
  return r < 0 ? q - 1 : q;
}

Bounds Context::bounds(ExprAttr e) const {
  switch (e.getKind()) {
  case ExprKind::Constant:
    return {e.getValue(), e.getValue()};
  case ExprKind::Dim: {
    size_t i = static_cast<size_t>(e.getValue());
    if (i >= dims.size() || !dims[i])
      return {0, kMax};
    int64_t hi = bounds(dims[i]).hi;
    return {0, hi == kMax ? kMax : std::max<int64_t>(hi - 1, 0)};
  }
  case ExprKind::Arg:
    return {};
  case ExprKind::Symbol: {
    auto it = symbols.find(e.getName());
    return it == symbols.end() ? Bounds{0, kMax} : it->second;
  }
  case ExprKind::Add: {
    Bounds r{e.getValue(), e.getValue()};
    for (ExprAttr o : e.getOperands()) {
      Bounds b = bounds(o);
      r = {satAdd(r.lo, b.lo), satAdd(r.hi, b.hi)};
    }
    return r;
  }
  case ExprKind::Mul: {
    Bounds r{e.getValue(), e.getValue()};
    for (ExprAttr o : e.getOperands())
      r = mulBounds(r, bounds(o));
    return r;
  }
  case ExprKind::FloorDiv: {
    Bounds a = bounds(e.getOperands()[0]), b = bounds(e.getOperands()[1]);
    int64_t lo = std::max<int64_t>(b.lo, 1), hi = std::max<int64_t>(b.hi, 1);
    int64_t c[] = {satFloorDiv(a.lo, lo), satFloorDiv(a.lo, hi),
                   satFloorDiv(a.hi, lo), satFloorDiv(a.hi, hi)};
    return {*std::min_element(c, c + 4), *std::max_element(c, c + 4)};
  }
  case ExprKind::Mod: {
    Bounds a = bounds(e.getOperands()[0]), b = bounds(e.getOperands()[1]);
    int64_t hi = b.hi == kMax ? kMax : std::max<int64_t>(b.hi - 1, 0);
    if (a.lo >= 0)
      hi = std::min(hi, a.hi);
    return {0, hi};
  }
  case ExprKind::Min:
  case ExprKind::Max: {
    ExprAttr x = e.getOperands()[0], y = e.getOperands()[1];
    Bounds a = bounds(x), b = bounds(y);
    bool isMax = e.getKind() == ExprKind::Max;
    Bounds r = isMax ? Bounds{std::max(a.lo, b.lo), std::max(a.hi, b.hi)}
                     : Bounds{std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    // The larger of two is at least their mean, as an absolute value, which is
    // that of a number and its negative, is at least zero.
    if (std::optional<int64_t> sum = add(x, y).getConstant()) {
      int64_t mean = satFloorDiv(*sum, 2);
      if (isMax)
        r.lo = std::max(r.lo, mean + (*sum & 1));
      else
        r.hi = std::min(r.hi, mean);
    }
    return r;
  }
  }
  return {};
}

/// Finds an atom of `e` to eliminate: dimensions first, then remainders, then
/// symbols.
static ExprAttr pickAtom(ExprAttr e, ExprKind kind) {
  for (const Term &t : getTerms(e)) {
    if (t.product.getKind() == kind)
      return t.product;
    if (t.product.getKind() == ExprKind::Mul)
      for (ExprAttr a : t.product.getOperands())
        if (a.getKind() == kind)
          return a;
  }
  return {};
}

/// The largest number in `e`, by its absolute value.
static double getLargestNumber(ExprAttr e) {
  double most = 1;
  for (const Term &t : getTerms(e)) {
    most = std::max(most, std::abs(static_cast<double>(t.coefficient)));
    for (ExprAttr o : t.product.getOperands())
      most = std::max(most, getLargestNumber(o));
  }
  return most;
}

/// Whether `a * b` can be multiplied out without an overflow, with as much to
/// spare as a sum of two such products needs.
static bool canMultiply(ExprAttr a, ExprAttr b) {
  double terms = static_cast<double>(getTerms(a).size() + 1) *
                 static_cast<double>(getTerms(b).size() + 1);
  return getLargestNumber(a) * getLargestNumber(b) * terms < 0x1p61;
}

bool Context::isNonNegative(ExprAttr e) const {
  // Bounds are cheap. What nested steps find is not kept: it depends on how
  // deep they are.
  if (bounds(e).lo >= 0)
    return true;
  Proofs &proofs = getProofs(e.getContext());
  if (std::optional<bool> known = proofs.isNonNegative(e))
    return *known;
  bool result = isNonNegative(e, 0);
  proofs.setNonNegative(e, result);
  return result;
}

bool Context::isNonNegative(ExprAttr e, unsigned depth) const {
  if (bounds(e).lo >= 0)
    return true;
  if (depth > kMaxProofDepth)
    return false;
  MLIRContext *ctx = e.getContext();
  // Replace one atom by the end of its range that makes `e` smallest. That end
  // is known when the sign of its coefficient is.
  for (ExprKind kind :
       {ExprKind::Dim, ExprKind::Mod, ExprKind::FloorDiv, ExprKind::Symbol}) {
    ExprAttr atom = pickAtom(e, kind);
    if (!atom)
      continue;
    auto split = splitLinear(e, atom);
    if (!split)
      continue;
    auto [coefficient, rest] = *split;
    bool positive = isNonNegative(coefficient, depth + 1);
    if (!positive && !isNonNegative(neg(coefficient), depth + 1))
      continue;
    ExprAttr end;
    if (kind == ExprKind::Dim) {
      size_t i = static_cast<size_t>(atom.getValue());
      if (positive)
        end = constant(ctx, 0);
      else if (i < dims.size() && dims[i])
        end = add(dims[i], -1);
    } else if (kind == ExprKind::Mod) {
      end = positive ? constant(ctx, 0) : add(atom.getOperands()[1], -1);
    } else if (kind == ExprKind::FloorDiv) {
      // x floordiv m lies in [(x - m + 1) / m, x / m]: scale by m > 0.
      ExprAttr x = atom.getOperands()[0], m = atom.getOperands()[1];
      if (!canMultiply(coefficient, x) || !canMultiply(coefficient, m) ||
          !canMultiply(rest, m))
        return false;
      ExprAttr bound = positive ? add(sub(x, m), 1) : x;
      return isNonNegative(add(mul(coefficient, bound), mul(rest, m)),
                           depth + 1);
    } else {
      Bounds b = bounds(atom);
      int64_t v = positive ? b.lo : b.hi;
      if (v != kMin && v != kMax)
        end = constant(ctx, v);
    }
    if (!end || !canMultiply(coefficient, end))
      continue;
    return isNonNegative(add(mul(coefficient, end), rest), depth + 1);
  }
  return false;
}

/// Splits `x` as `g * multiple + part` so that `0 <= part < g` and `g` divides
/// the coefficient of the divisor `m`; then `x floordiv m` and `x mod m` only
/// depend on `multiple` (and `part`). Returns false when no `g > 1` exists.
static bool splitSmallPart(const Context &ctx, ExprAttr x, ExprAttr m,
                           int64_t &g, ExprAttr &multiple, ExprAttr &part) {
  SmallVector<Term> divisor = getTerms(m);
  if (divisor.size() != 1)
    return false;
  int64_t c = divisor[0].coefficient;
  SmallVector<Term> terms = getTerms(x);
  SmallVector<int64_t> candidates;
  for (const Term &t : terms)
    if (!t.product.isConstant() &&
        !llvm::is_contained(candidates, std::gcd(t.coefficient, c)))
      candidates.push_back(std::gcd(t.coefficient, c));
  for (int64_t candidate : candidates) {
    if (candidate <= 1)
      continue;
    ExprAttr zero = constant(x.getContext(), 0);
    multiple = part = zero;
    for (const Term &t : terms) {
      if (t.coefficient % candidate == 0)
        multiple = add(multiple, mul(t.product, t.coefficient / candidate));
      else
        part = add(part, mul(t.product, t.coefficient));
    }
    g = candidate;
    if (part == zero || multiple == zero)
      continue;
    if (ctx.isNonNegative(part) &&
        ctx.isLess(part, constant(x.getContext(), candidate)))
      return true;
  }
  return false;
}

/// The atoms of `e` that are of a kind, in the order of its terms.
static SmallVector<ExprAttr> getAtoms(ExprAttr e, ExprKind kind) {
  SmallVector<ExprAttr> atoms;
  for (const Term &t : getTerms(e)) {
    ArrayRef<ExprAttr> factors = t.product.getKind() == ExprKind::Mul
                                     ? t.product.getOperands()
                                     : ArrayRef(t.product);
    for (ExprAttr f : factors)
      if (f.getKind() == kind)
        atoms.push_back(f);
  }
  return atoms;
}

/// Joins `c * (x mod m) + c * m * ((y + x floordiv m) mod n)`, two digits of a
/// number, to `c * ((x + m * y) mod (m * n))`. `low` is `x mod m`, `c` its
/// coefficient in `e`, `rest` what there is beside it.
static ExprAttr joinDigits(ExprAttr low, ExprAttr c, ExprAttr rest) {
  ExprAttr x = low.getOperands()[0], m = low.getOperands()[1];
  ExprAttr quotient = floorDiv(x, m);
  for (ExprAttr high : getAtoms(rest, ExprKind::Mod)) {
    ExprAttr z = high.getOperands()[0], n = high.getOperands()[1];
    ExprAttr y = sub(z, quotient);
    if (getTerms(y).size() >= getTerms(z).size() && !y.isConstant())
      continue;
    auto split = splitLinear(rest, high);
    if (split && split->first == mul(c, m))
      return add(mul(c, mod(add(x, mul(m, y)), mul(m, n))), split->second);
  }
  return {};
}

/// Joins `c * (x mod m) + c * m * (x floordiv m)` to `c * x`, also where the
/// quotient is cut to its lower digits.
static ExprAttr joinDivMod(ExprAttr e) {
  if (e.getKind() != ExprKind::Add)
    return e;
  for (ExprAttr atom : getAtoms(e, ExprKind::Mod)) {
    auto split = splitLinear(e, atom);
    if (!split)
      continue;
    ExprAttr x = atom.getOperands()[0], m = atom.getOperands()[1];
    // `divide` may have taken exact parts out of the quotient; rebuild it.
    ExprAttr rest =
        sub(split->second, mul(split->first, mul(m, floorDiv(x, m))));
    if (getTerms(rest).size() < getTerms(split->second).size())
      return joinDivMod(add(mul(split->first, x), rest));
    if (ExprAttr joined = joinDigits(atom, split->first, split->second))
      return joinDivMod(joined);
  }
  return e;
}

ExprAttr Context::simplify(ExprAttr e) const {
  if (e.getOperands().empty())
    return e;
  Proofs &proofs = getProofs(e.getContext());
  if (ExprAttr known = proofs.getSimplified(e))
    return known;
  ExprAttr result = deriveSimplified(e);
  proofs.setSimplified(e, result);
  return result;
}

ExprAttr Context::deriveSimplified(ExprAttr e) const {
  // Simplify operands bottom-up, then apply what the ranges allow.
  SmallVector<ExprAttr> ops;
  for (ExprAttr o : e.getOperands())
    ops.push_back(simplify(o));
  ExprAttr r;
  MLIRContext *ctx = e.getContext();
  ExprAttr zero = constant(ctx, 0);
  int64_t g;
  ExprAttr multiple, part;
  switch (e.getKind()) {
  case ExprKind::FloorDiv: {
    ExprAttr x = ops[0], m = ops[1];
    if (isNonNegative(x) && isLess(x, m))
      r = zero;
    else if (isLess(x, zero) && isNonNegative(add(x, m)))
      r = constant(ctx, -1);
    else if (splitSmallPart(*this, x, m, g, multiple, part))
      r = simplify(floorDiv(multiple, floorDiv(m, constant(ctx, g))));
    else
      r = floorDiv(x, m);
    break;
  }
  case ExprKind::Mod: {
    ExprAttr x = ops[0], m = ops[1];
    if (isNonNegative(x) && isLess(x, m))
      r = x;
    else if (splitSmallPart(*this, x, m, g, multiple, part))
      r = add(mul(simplify(mod(multiple, floorDiv(m, constant(ctx, g)))), g),
              part);
    else
      r = mod(x, m);
    break;
  }
  case ExprKind::Min:
    r = isLessOrEqual(ops[0], ops[1])   ? ops[0]
        : isLessOrEqual(ops[1], ops[0]) ? ops[1]
                                        : min(ops[0], ops[1]);
    break;
  case ExprKind::Max:
    r = isLessOrEqual(ops[0], ops[1])   ? ops[1]
        : isLessOrEqual(ops[1], ops[0]) ? ops[0]
                                        : max(ops[0], ops[1]);
    break;
  case ExprKind::Mul:
    r = constant(ctx, e.getValue());
    for (ExprAttr o : ops)
      r = mul(r, o);
    break;
  default:
    r = constant(ctx, e.getValue());
    for (ExprAttr o : ops)
      r = add(r, o);
    r = joinDivMod(r);
    break;
  }
  // Rebuilding may expose new opportunities (`mod` of a product, say).
  return r == e ? r : simplify(r);
}

} // namespace coil::sym
