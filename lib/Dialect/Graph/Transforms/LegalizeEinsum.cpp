//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of products of tensors whose dimensions are named: einsum,
// tensordot, inner and bilinear products. Operands are multiplied one after the
// other, each pair as one batched matrix product.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// The name of a dimension: letters in the framework's order, dimensions of an
/// ellipsis as negative numbers, counted from the last.
using Label = int64_t;

namespace {

/// A tensor with a name for each dimension.
struct Labelled {
  Value value;
  SmallVector<Label> labels;

  bool has(Label label) const { return llvm::is_contained(labels, label); }
  int64_t find(Label label) const {
    return llvm::find(labels, label) - labels.begin();
  }
  ExprAttr size(Label label) const { return getSizes(value)[find(label)]; }
};

} // namespace

/// Sums over dimensions that nothing else has.
static Labelled sumOut(TensorBuilder &b, const Labelled &x,
                       function_ref<bool(Label)> isNeeded) {
  SmallVector<int64_t> dims;
  SmallVector<Label> left;
  for (auto [d, label] : llvm::enumerate(x.labels)) {
    if (isNeeded(label))
      left.push_back(label);
    else
      dims.push_back(d);
  }
  return {b.reduce(ReduceKind::Sum, x.value, dims, false), left};
}

/// The tensor with its dimensions in the order of `groups`, each of which
/// becomes one dimension.
static Value groupDims(TensorBuilder &b, const Labelled &x,
                       ArrayRef<SmallVector<Label>> groups) {
  SmallVector<int64_t> permutation;
  Sizes sizes;
  for (ArrayRef<Label> group : groups) {
    ExprAttr size = b.size(1);
    for (Label label : group) {
      permutation.push_back(x.find(label));
      size = sym::mul(size, x.size(label));
    }
    sizes.push_back(size);
  }
  return b.reshape(b.permute(x.value, permutation), sizes);
}

/// Drops the dimensions of one element that the other tensor has with more.
static Labelled dropOnes(TensorBuilder &b, const Labelled &x,
                         const Labelled &other) {
  Labelled result;
  Sizes sizes;
  for (auto [label, size] : llvm::zip(x.labels, getSizes(x.value))) {
    if (size.isConstant(1) && other.has(label) &&
        !other.size(label).isConstant(1))
      continue;
    result.labels.push_back(label);
    sizes.push_back(size);
  }
  result.value = b.reshape(x.value, sizes);
  return result;
}

/// The product of two tensors: common dimensions that nothing needs any more
/// are summed over.
static Labelled multiply(TensorBuilder &b, Labelled x, Labelled y,
                         function_ref<bool(Label)> isNeeded) {
  x = dropOnes(b, x, y);
  y = dropOnes(b, y, x);
  x = sumOut(b, x, [&](Label l) { return isNeeded(l) || y.has(l); });
  y = sumOut(b, y, [&](Label l) { return isNeeded(l) || x.has(l); });
  SmallVector<Label> batch, rows, columns, summed;
  for (Label label : x.labels) {
    if (!y.has(label))
      rows.push_back(label);
    else
      (isNeeded(label) ? batch : summed).push_back(label);
  }
  for (Label label : y.labels)
    if (!x.has(label))
      columns.push_back(label);
  // Sizes that are equal at run time, made recognisably so.
  Sizes ySizes = getSizes(y.value);
  for (auto [d, label] : llvm::enumerate(y.labels))
    if (x.has(label))
      ySizes[d] = x.size(label);
  y.value = b.castSizes(y.value, ySizes);

  Labelled result;
  Sizes sizes;
  for (ArrayRef<Label> group : {ArrayRef<Label>(batch), ArrayRef<Label>(rows),
                                ArrayRef<Label>(columns)})
    for (Label label : group) {
      result.labels.push_back(label);
      sizes.push_back(x.has(label) ? x.size(label) : y.size(label));
    }
  Value left = groupDims(b, x, {batch, rows, summed}),
        right = groupDims(b, y, {batch, summed, columns});
  // An outer product is no contraction.
  result.value = b.reshape(summed.empty() ? graph::multiply(b, left, right)
                                          : multiplyMatrices(b, left, right),
                           sizes);
  return result;
}

/// The diagonal of dimensions that have the same name.
static FailureOr<Labelled> takeDiagonals(TensorBuilder &b, Labelled x) {
  for (size_t i = 0; i < x.labels.size(); ++i)
    for (size_t j = i + 1; j < x.labels.size(); ++j) {
      if (x.labels[i] != x.labels[j])
        continue;
      Sizes sizes = getSizes(x.value);
      if (provablyDiffer(sizes[i], sizes[j]))
        return failure();
      // Next to each other, so that the diagonal takes their place.
      auto order = allDims(x.value);
      order.erase(order.begin() + j);
      order.insert(order.begin() + i + 1, j);
      Value position = b.iota(0, 1, sizes[i]);
      int64_t at = i;
      x.value = b.index(b.permute(x.value, order), {position, position},
                        {at, at + 1});
      x.labels.erase(x.labels.begin() + j);
      --j;
    }
  return x;
}

/// Multiplies all operands; the result has the dimensions of `output`.
static FailureOr<Value> contract(TensorBuilder &b,
                                 MutableArrayRef<Labelled> operands,
                                 ArrayRef<Label> output) {
  llvm::MapVector<Label, ExprAttr> sizes;
  for (Labelled &x : operands) {
    FailureOr<Labelled> diagonal = takeDiagonals(b, x);
    if (failed(diagonal))
      return failure();
    x = *diagonal;
    for (auto [label, size] : llvm::zip(x.labels, getSizes(x.value))) {
      ExprAttr &known = sizes[label];
      if (!known || known.isConstant(1))
        known = size;
      else if (!size.isConstant(1) && provablyDiffer(known, size))
        return failure();
    }
  }
  Labelled result = operands.front();
  for (size_t i = 1; i < operands.size(); ++i)
    result = multiply(b, result, operands[i], [&](Label label) {
      return llvm::is_contained(output, label) ||
             llvm::any_of(operands.drop_front(i + 1),
                          [&](const Labelled &x) { return x.has(label); });
    });
  result = sumOut(b, result, [&](Label label) {
    return llvm::is_contained(output, label);
  });
  SmallVector<int64_t> permutation;
  for (Label label : output) {
    if (!result.has(label))
      return failure();
    permutation.push_back(result.find(label));
  }
  return b.permute(result.value, permutation);
}

//===----------------------------------------------------------------------===//
// einsum
//===----------------------------------------------------------------------===//

/// The labels of one operand or of the output; an ellipsis stands for `dots`
/// dimensions.
static std::optional<SmallVector<Label>> parseLabels(StringRef text,
                                                     int64_t dots) {
  SmallVector<Label> labels;
  for (size_t i = 0; i < text.size(); ++i) {
    char letter = text[i];
    if (letter == ' ')
      continue;
    if (text.substr(i).starts_with("...")) {
      for (int64_t d = dots; d > 0; --d)
        labels.push_back(-d);
      i += 2;
      continue;
    }
    if (!llvm::isAlpha(letter))
      return std::nullopt;
    // Upper case comes before lower case.
    labels.push_back(letter);
  }
  return labels;
}

static int64_t countLetters(StringRef text) {
  return llvm::count_if(text, llvm::isAlpha);
}

static LogicalResult legalizeEinsum(AtenCall &c) {
  TensorBuilder &b = c.b;
  auto [inputs, outputs] = c.stringOr("equation", "").split("->");
  bool isExplicit = c.stringOr("equation", "").contains("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  SmallVector<Value> tensors = c.tensors("tensors");
  if (terms.size() != tensors.size() || tensors.empty())
    return c.fail("its equation does not have a term for each operand");
  SmallVector<Labelled> operands;
  int64_t mostDots = 0;
  for (auto [term, x] : llvm::zip(terms, tensors)) {
    int64_t dots = getRank(x) - countLetters(term);
    auto labels = parseLabels(term, dots);
    if (!labels || static_cast<int64_t>(labels->size()) != getRank(x))
      return c.fail("the term '" + term +
                    "' of its equation does not fit its "
                    "operand");
    mostDots = std::max(mostDots, dots);
    // Bools are counted, and what is not zero is true.
    Type type = c.resultElementType();
    if (type.isInteger(1))
      type = b.getBuilder().getI32Type();
    operands.push_back({b.convert(x, type), *labels});
  }
  SmallVector<Label> output;
  if (isExplicit) {
    auto labels = parseLabels(outputs, mostDots);
    if (!labels)
      return c.fail("the output of its equation is invalid");
    output = *labels;
  } else {
    // Dimensions of ellipses, then the letters that occur once, in order.
    for (int64_t d = mostDots; d > 0; --d)
      output.push_back(-d);
    SmallVector<Label> letters;
    for (char letter : inputs)
      if (llvm::isAlpha(letter) && inputs.count(letter) == 1)
        letters.push_back(letter);
    llvm::sort(letters);
    output.append(letters);
  }
  FailureOr<Value> result = contract(b, operands, output);
  return succeeded(result) ? c.replace(*result)
                           : c.fail("its operands do not fit its equation");
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// The sum over pairs of dimensions of two tensors.
static LogicalResult contractDims(AtenCall &c, Value x, Value y,
                                  ArrayRef<int64_t> xDims,
                                  ArrayRef<int64_t> yDims) {
  Type type = c.resultElementType();
  Labelled operands[2];
  SmallVector<Label> output;
  operands[0].value = c.b.convert(x, type);
  operands[1].value = c.b.convert(y, type);
  for (int64_t d = 0; d < getRank(x); ++d)
    operands[0].labels.push_back(d);
  for (int64_t d = 0; d < getRank(y); ++d)
    operands[1].labels.push_back(getRank(x) + d);
  for (auto [i, j] : llvm::zip(xDims, yDims)) {
    int64_t from = i < 0 ? i + getRank(x) : i, to = j < 0 ? j + getRank(y) : j;
    if (from < 0 || to < 0 || from >= getRank(x) || to >= getRank(y))
      return c.fail("its dimensions are invalid");
    operands[1].labels[to] = from;
  }
  for (int64_t d = 0; d < getRank(x); ++d)
    if (!operands[1].has(d))
      output.push_back(d);
  for (Label label : operands[1].labels)
    if (label >= getRank(x))
      output.push_back(label);
  FailureOr<Value> result = contract(c.b, operands, output);
  return succeeded(result) ? c.replace(*result)
                           : c.fail("its operands do not fit");
}

static LogicalResult legalizeTensordot(AtenCall &c) {
  Value x = c.tensor("self"), y = c.tensor("other");
  auto xDims = c.getInts("dims_self"), yDims = c.getInts("dims_other");
  if (!x || !y || !xDims || !yDims || xDims->size() != yDims->size())
    return c.fail("its dimensions are not constant");
  return contractDims(c, x, y, *xDims, *yDims);
}

static LogicalResult legalizeInner(AtenCall &c) {
  Value x = c.tensor("self"), y = c.tensor("other");
  if (!x || !y)
    return c.fail("an operand is missing");
  if (getRank(x) == 0 || getRank(y) == 0)
    return c.replace(c.b.mul(c.b.convert(x, c.resultElementType()),
                             c.b.convert(y, c.resultElementType())));
  return contractDims(c, x, y, -1, -1);
}

/// bilinear: `input1 W[o] input2 + bias` for each output o.
static LogicalResult legalizeBilinear(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  Value x = c.operand("input1", type), y = c.operand("input2", type),
        weight = c.operand("weight", type);
  if (!x || !y || !weight || getRank(weight) != 3 || getRank(x) < 1 ||
      getRank(x) != getRank(y))
    return c.fail("its operands have other ranks");
  SmallVector<Label> batch, output;
  for (int64_t d = 0; d < getRank(x) - 1; ++d)
    batch.push_back(d);
  Label i = 100, j = 101, o = 102;
  Labelled operands[3] = {{x, batch}, {weight, {o, i, j}}, {y, batch}};
  operands[0].labels.push_back(i);
  operands[2].labels.push_back(j);
  output = batch;
  output.push_back(o);
  FailureOr<Value> result = contract(b, operands, output);
  if (failed(result))
    return c.fail("its operands do not fit");
  if (Value bias = c.operand("bias", type))
    result = b.add(*result, bias);
  return c.replace(*result);
}

/// linalg_multi_dot: the order of products that takes the fewest operations,
/// where sizes are known, else from the left.
static LogicalResult legalizeMultiDot(AtenCall &c) {
  SmallVector<Value> m = c.tensors("tensors");
  if (m.empty())
    m = c.tensors("matrices");
  int64_t n = m.size();
  if (n == 1 && c.op.getName() == "aten.chain_matmul.default")
    return c.replace(m);
  if (n < 2)
    return c.fail("it has fewer than two operands");
  TensorBuilder &b = c.b;
  for (Value &x : m)
    x = b.convert(x, c.resultElementType());
  if (getRank(m.front()) == 1)
    m.front() = b.unsqueeze(m.front(), 0);
  if (getRank(m.back()) == 1)
    m.back() = b.unsqueeze(m.back(), 1);
  SmallVector<double> sizes;
  for (Value x : m) {
    if (getRank(x) != 2)
      return c.fail("its operands are not matrices");
    sizes.push_back(getSizes(x)[0].getConstant().value_or(1));
  }
  sizes.push_back(getSizes(m.back())[1].getConstant().value_or(1));
  // split[i][j]: where the product of operands i..j is divided.
  SmallVector<SmallVector<double>> cost(n, SmallVector<double>(n, 0));
  SmallVector<SmallVector<int64_t>> split(n, SmallVector<int64_t>(n, 0));
  for (int64_t length = 1; length < n; ++length)
    for (int64_t i = 0; i + length < n; ++i) {
      int64_t j = i + length;
      for (int64_t k = j - 1; k >= i; --k) {
        double total = cost[i][k] + cost[k + 1][j] +
                       sizes[i] * sizes[k + 1] * sizes[j + 1];
        if (k == j - 1 || total < cost[i][j]) {
          cost[i][j] = total;
          split[i][j] = k;
        }
      }
    }
  bool fits = true;
  std::function<Value(int64_t, int64_t)> product = [&](int64_t i, int64_t j) {
    if (i == j)
      return m[i];
    Value x = product(i, split[i][j]), y = product(split[i][j] + 1, j);
    if (!fits || provablyDiffer(getSizes(x)[1], getSizes(y)[0])) {
      fits = false;
      return x;
    }
    return multiplyMatrices(b, x,
                            b.castSizes(y, {getSizes(x)[1], getSizes(y)[1]}));
  };
  Value result = product(0, n - 1);
  if (!fits)
    return c.fail("its operands do not fit");
  return c.replace(b.reshape(result, c.resultSizes()));
}

/// _trilinear, which `bilinear` decomposes to: the product of three operands
/// that get further dimensions of size one, summed over some.
static LogicalResult legalizeTrilinear(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value product;
  for (StringRef number : {"1", "2", "3"}) {
    Value x = c.operand(("i" + number).str(), type);
    auto dims = c.getInts(("expand" + number).str());
    if (!x || !dims)
      return c.fail("an operand is missing");
    llvm::sort(*dims);
    for (int64_t d : *dims) {
      if (d < 0 || d > getRank(x))
        return c.fail("its dimensions are invalid");
      x = b.unsqueeze(x, d);
    }
    product = product ? b.mul(product, x) : x;
  }
  auto summed = c.getInts("sumdim");
  if (!summed || llvm::any_of(*summed, [&](int64_t d) {
        return d < 0 || d >= getRank(product);
      }))
    return c.fail("its dimensions are invalid");
  llvm::sort(*summed);
  if (summed->empty())
    return c.replace(product);
  return c.replace(b.reduce(ReduceKind::Sum, product, *summed, false));
}

void graph::populateEinsumLegalizations(AtenLegalizations &t) {
  t.add("_trilinear", legalizeTrilinear);
  t.add("einsum", legalizeEinsum);
  t.add("tensordot", legalizeTensordot);
  t.add("inner", legalizeInner);
  t.add("bilinear", legalizeBilinear);
  t.add("linalg_multi_dot chain_matmul", legalizeMultiDot);
}
