//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that are linear in each of several operands: matrix products,
// convolutions, `einsum`. They are called for each combination of parts, with
// the sign that the power of i has.
//
//===----------------------------------------------------------------------===//

#include "ComplexCall.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

using Multiply = llvm::function_ref<Value(ArrayRef<Value>)>;

/// The product of all factors: `multiply` for each choice of parts. Factors
/// without an imaginary part are real.
static ComplexParts multiplyParts(TensorBuilder &b,
                                  ArrayRef<ComplexParts> factors,
                                  Multiply multiply) {
  ComplexParts sum = {};
  for (unsigned choice = 0; choice < (1u << factors.size()); ++choice) {
    SmallVector<Value> operands;
    for (auto [i, factor] : llvm::enumerate(factors))
      operands.push_back((choice >> i) & 1 ? factor.im : factor.re);
    if (llvm::is_contained(operands, Value()))
      continue;
    Value product = multiply(operands);
    unsigned power = llvm::popcount(choice);
    Value &part = power % 2 ? sum.im : sum.re;
    bool isNegative = power % 4 >= 2;
    if (!part)
      part = isNegative ? Value(b.unary<NegOp>(product)) : product;
    else
      part = isNegative ? b.sub(part, product) : b.add(part, product);
  }
  return sum;
}

/// The operand's parts; a real one has no imaginary part.
static ComplexParts getFactor(ComplexCall &c, Value value) {
  if (ComplexCall::isComplex(value))
    return c.partsOf(value, c.getComputeType());
  return {c.b.convert(value, c.getComputeType()), nullptr};
}

/// An operator all of whose operands are factors.
static LogicalResult expandMultilinear(ComplexCall &c) {
  if (c.op.getInputs().size() > 6)
    return c.fail("it has more than six operands");
  SmallVector<ComplexParts> factors;
  for (Value operand : c.op.getInputs())
    factors.push_back(getFactor(c, operand));
  ComplexParts result =
      multiplyParts(c.b, factors, [&](ArrayRef<Value> operands) {
        return c.clone(operands, c.op.getArguments()).front();
      });
  return c.replace(result);
}

/// `vdot` and `vecdot` conjugate their first factor.
static LogicalResult expandConjugated(ComplexCall &c, bool isVdot) {
  SmallVector<ComplexParts> factors;
  for (auto [i, operand] : llvm::enumerate(c.op.getInputs())) {
    ComplexParts factor = getFactor(c, operand);
    factors.push_back(i == 0 && factor.im ? c.math.conj(factor) : factor);
  }
  return c.replace(multiplyParts(c.b, factors, [&](ArrayRef<Value> operands) {
    if (isVdot)
      return c.call("aten.dot.default",
                    {{"self", operands[0]}, {"tensor", operands[1]}}, {}, {},
                    c.getComputeType());
    return c.clone(operands, c.op.getArguments()).front();
  }));
}

/// beta * self + alpha * product: the product is the operator `name` of the
/// operands that are called `lhs` and `rhs`.
static ComplexHandler scaledProduct(StringRef name, StringRef lhs,
                                    StringRef rhs, bool sumsBatch = false) {
  return [=](ComplexCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Value left = c.op.getTensor(lhs), right = c.op.getTensor(rhs);
    if (!left || !right || !c.op.getTensor("self"))
      return c.fail("an operand is missing");
    ComplexParts factors[] = {getFactor(c, left), getFactor(c, right)};
    Sizes sizes = c.resultSizes();
    if (sumsBatch)
      sizes.insert(sizes.begin(), getSizes(left)[0]);
    else if (name == "aten.mm.default")
      sizes = {getSizes(left)[0], getSizes(right)[1]};
    ComplexParts product =
        multiplyParts(b, factors, [&](ArrayRef<Value> operands) {
          Value result = c.call(name,
                                {{"self", operands[0]},
                                 {name == "aten.mv.default"      ? "vec"
                                  : name == "aten.outer.default" ? "vec2"
                                                                 : "mat2",
                                  operands[1]}},
                                {}, sizes, c.getComputeType());
          return sumsBatch ? b.reduce(ReduceKind::Sum, result, {0},
                                      /*keepdims=*/false)
                           : result;
        });
    if (!product.im)
      product.im = b.full(b.getBuilder().getFloatAttr(c.getComputeType(), 0),
                          getSizes(product.re));
    auto scale = [&](ComplexParts x, StringRef factor) {
      Attribute attr = c.op.getArgument(factor);
      auto number = getNumber(attr);
      Type type = c.getComputeType();
      bool isOne =
          number && !isa<DictionaryAttr>(attr) &&
          convertScalar(attr, type) == b.getBuilder().getFloatAttr(type, 1);
      return !number || isOne ? x : c.math.mul(x, c.get(factor));
    };
    auto beta = getNumber(c.op.getArgument("beta"));
    bool ignoresSelf = beta && !isa<DictionaryAttr>(c.op.getArgument("beta")) &&
                       convertScalar(beta->first, c.getComputeType()) ==
                           b.getBuilder().getFloatAttr(c.getComputeType(), 0);
    product = scale(product, "alpha");
    if (!ignoresSelf)
      product = c.math.add(scale(c.get("self"), "beta"), product);
    return c.replace(product);
  };
}

/// `linear` and convolutions: the same without the bias, which is added along
/// dimension `dim` of the result.
static ComplexHandler biasedProduct(bool alongChannels) {
  return [=](ComplexCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    SmallVector<ComplexParts> factors;
    SmallVector<Attribute> names;
    ComplexParts bias = {};
    for (auto [name, operand] :
         llvm::zip(c.op.getOperandNames().getAsRange<StringAttr>(),
                   c.op.getInputs())) {
      if (name.getValue() == "bias") {
        bias = c.partsOf(operand, c.getComputeType());
        continue;
      }
      factors.push_back(getFactor(c, operand));
      names.push_back(name);
    }
    ComplexParts result =
        multiplyParts(b, factors, [&](ArrayRef<Value> operands) {
          auto made = AtenOp::create(
              b.getBuilder(), c.op.getLoc(),
              TypeRange(c.resultType().clone(c.getComputeType())),
              c.op.getNameAttr(), operands, b.getBuilder().getArrayAttr(names),
              c.op.getArguments());
          return made.getOutputs().front();
        });
    if (bias.re) {
      // What a file declares need not be so.
      if (!result.im || !bias.im)
        return c.fail("its operands are real and its result is complex");
      if (alongChannels) {
        // [channels, 1...]; a result without a batch has one dimension less.
        int64_t spatial = getSizes(c.op.getTensor("weight")).size() - 2;
        Sizes sizes = getSizes(bias.re);
        sizes.append(spatial, b.size(1));
        bias = {b.reshape(bias.re, sizes), b.reshape(bias.im, sizes)};
      }
      result = c.math.add(result, bias);
    }
    return c.replace(result);
  };
}

/// _trilinear, bilinear: linear in each of three operands, so the sum of what
/// the combinations of their parts give.
static ComplexHandler expandTrilinear(StringRef first, StringRef second,
                                      StringRef third) {
  return [=](ComplexCall &c) -> LogicalResult {
    Type type = c.getComputeType();
    ComplexParts x = c.get(first), y = c.get(second), z = c.get(third);
    if (!x.re || !y.re || !z.re)
      return c.fail("an operand is missing");
    auto call = [&](Value u, Value v, Value w) {
      return c.call(c.op.getName(), {{first, u}, {second, v}, {third, w}},
                    c.op.getArguments().getValue(), c.resultSizes(), type);
    };
    auto product = [&](Value u, ComplexParts v, ComplexParts w) {
      return ComplexParts{c.b.sub(call(u, v.re, w.re), call(u, v.im, w.im)),
                          c.b.add(call(u, v.re, w.im), call(u, v.im, w.re))};
    };
    ComplexParts sum =
        c.math.add(product(x.re, y, z), c.math.timesI(product(x.im, y, z)));
    if (ComplexParts bias = c.get("bias"); bias.re)
      sum = c.math.add(sum, bias);
    return c.replace(sum);
  };
}

void graph::populateComplexProducts(ComplexExpansions &t) {
  t.add("mm bmm matmul mv dot outer ger inner kron tensordot einsum cross "
        "linalg_cross linalg_matmul linalg_multi_dot chain_matmul",
        expandMultilinear);
  t.add("trapezoid trapz cumulative_trapezoid", [](ComplexCall &c) {
    return isa_and_nonnull<DictionaryAttr>(c.op.getArgument("dx"))
               ? c.fail("its distance is complex")
               : expandMultilinear(c);
  });
  t.add("vdot",
        [](ComplexCall &c) { return expandConjugated(c, /*isVdot=*/true); });
  t.add("_trilinear", expandTrilinear("i1", "i2", "i3"));
  t.add("bilinear", expandTrilinear("input1", "input2", "weight"));
  t.add("linalg_vecdot",
        [](ComplexCall &c) { return expandConjugated(c, /*isVdot=*/false); });
  t.add("addmm", scaledProduct("aten.mm.default", "mat1", "mat2"));
  t.add("baddbmm", scaledProduct("aten.bmm.default", "batch1", "batch2"));
  t.add("addbmm", scaledProduct("aten.bmm.default", "batch1", "batch2",
                                /*sumsBatch=*/true));
  t.add("addmv", scaledProduct("aten.mv.default", "mat", "vec"));
  t.add("addr", scaledProduct("aten.outer.default", "vec1", "vec2"));
  t.add("linear", biasedProduct(/*alongChannels=*/false));
  t.add("convolution _convolution conv1d conv2d conv3d conv_transpose1d "
        "conv_transpose2d conv_transpose3d",
        biasedProduct(/*alongChannels=*/true));
}
