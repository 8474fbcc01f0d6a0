//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of operators that create tensors, and of assertions.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include "coil/Dialect/Graph/IR/Uninitialized.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using sym::ExprAttr;

/// A tensor of one number, of the result's type.
static AtenHandler fill(int64_t number) {
  return [=](AtenCall &c) -> LogicalResult {
    OpBuilder &builder = c.b.getBuilder();
    return c.replace(c.b.full(
        convertScalar(builder.getI64IntegerAttr(number), c.resultElementType()),
        c.resultSizes()));
  };
}

/// A tensor that nobody has written to. What other operators read of it are
/// zeros, so that programs are reproducible; a result is only allocated.
static LogicalResult legalizeEmpty(AtenCall &c) {
  OpBuilder &builder = c.b.getBuilder();
  Value zeros = c.b.full(
      convertScalar(builder.getI64IntegerAttr(0), c.resultElementType()),
      c.resultSizes());
  zeros.getDefiningOp()->setDiscardableAttr(kUninitializedAttrName,
                                            builder.getUnitAttr());
  return c.replace(zeros);
}

/// A tensor of the number in an argument.
static AtenHandler fillWith(StringRef name) {
  return [=](AtenCall &c) -> LogicalResult {
    Value value = c.operand(name, c.resultElementType());
    if (!value || getRank(value) != 0)
      return c.fail("its value is not a known number");
    return c.replace(c.broadcastTo(value, c.resultSizes()));
  };
}

/// arange: start + i * step.
static LogicalResult legalizeArange(AtenCall &c) {
  OpBuilder &builder = c.b.getBuilder();
  Type type = c.resultElementType();
  if (c.resultType().getRank() != 1 || type.isInteger(1))
    return c.fail("its result is not a vector of numbers");
  Type numberType = isa<FloatType>(type) ? Type(builder.getF64Type())
                                         : Type(builder.getI64Type());
  // The result has as many elements as the end says.
  (void)c.tensor("end");
  auto read = [&](StringRef name, int64_t otherwise) -> TypedAttr {
    Attribute attr = c.op.getArgument(name);
    if (c.op.isNumber(name))
      return TypedAttr();
    if (!attr)
      attr = builder.getI64IntegerAttr(otherwise);
    if (auto expr = dyn_cast<ExprAttr>(attr))
      attr = expr.isConstant() ? builder.getI64IntegerAttr(expr.getValue())
                               : Attribute();
    return attr ? convertScalar(attr, numberType) : TypedAttr();
  };
  TypedAttr start = read("start", 0), step = read("step", 1);
  if (!step) {
    Value first = c.has("start") ? c.operand("start", numberType)
                                 : c.b.scalar(read("", 0));
    Value distance = c.operand("step", numberType);
    if (!first || !distance)
      return c.fail("its start or step is not a number");
    Value i = c.b.convert(Positions(c.b).iota(c.resultSizes()[0]), numberType);
    return c.replace(c.b.add(first, c.b.mul(i, distance)));
  }
  TypedAttr origin = start ? start : read("", 0);
  Value result = IotaOp::create(builder, c.b.getLoc(),
                                sym::getTensorType(c.resultSizes(), type),
                                origin, step, builder.getI64IntegerAttr(0));
  if (!start) {
    Value first = c.operand("start", type);
    if (!first)
      return c.fail("its start is not a number");
    result = c.b.add(result, first);
  }
  return c.replace(result);
}

Value graph::spaced(TensorBuilder &b, Num start, Num end, ExprAttr count,
                    Type stepType) {
  Positions p(b);
  Type type = start.type();
  // From the nearer end, so that both ends are exact; one element is the start.
  Num i = p.iota(count), last = p.size(sym::add(count, -1));
  Num step = (end - start) / max(last, 1).to(type);
  if (stepType)
    step = step.to(stepType).to(type);
  Num half = max(floorDiv(last + 1, 2), 1);
  return select(i < half, start + step * i.to(type),
                end - step * (last - i).to(type));
}

/// Exponents of powers of 16 bits on CUDA devices, where each operation is
/// rounded to the type of the result.
static Num roundedExponents(TensorBuilder &b, Num start, Num end,
                            ExprAttr count, Type narrow) {
  Positions p(b);
  Type wide = start.type();
  auto round = [&](Num x) { return x.to(narrow).to(wide); };
  Num i = p.iota(count), last = p.size(sym::add(count, -1));
  Num step = round(round(end - start) / round(max(last, 1).to(wide)));
  auto times = [&](Num n) { return round(step * round(n.to(wide))); };
  Num half = max(floorDiv(last + 1, 2), 1);
  return select(i < half, round(start + times(i)),
                round(end - times(last - i)));
}

/// linspace, logspace: ends are numbers or tensors, which become elements of
/// the result's type first. Integers are cut off.
static AtenHandler progression(bool ofPowers) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Type type = c.resultElementType();
    if (c.resultType().getRank() != 1)
      return c.fail("its result is not a vector of numbers");
    if (type.isInteger(1)) {
      // The framework has but the first of them.
      auto count = c.resultSizes()[0].getConstant();
      Value first = c.operand("start", b.getBuilder().getF64Type());
      if (ofPowers || !count || *count > 1 || !first || getRank(first) != 0)
        return c.fail("its result is not a vector of numbers");
      return c.replace(c.broadcastTo(Num(b, first) != 0, c.resultSizes()));
    }
    // Between integers the framework computes in f64, on CUDA devices in f32.
    bool isOnCuda = c.stringOr("device", "").starts_with("cuda");
    Type wide = isa<FloatType>(type) ? getAccumulationType(type)
                : isOnCuda           ? Type(b.getBuilder().getF32Type())
                                     : Type(b.getBuilder().getF64Type());
    Type endType = type;
    // One power alone is of the number as it is.
    if (ofPowers && c.resultSizes()[0].isConstant(1))
      endType = wide = b.getBuilder().getF64Type();
    auto read = [&](StringRef name) -> Value {
      Value v = c.operand(name, endType);
      return v && getRank(v) == 0 ? b.convert(v, wide) : Value();
    };
    Value start = read("start"), end = read("end");
    if (!start || !end)
      return c.fail("its ends are not numbers");
    if (ofPowers && isOnCuda && isHalf(type) && !wide.isF64()) {
      Num exponents =
          roundedExponents(b, {b, start}, {b, end}, c.resultSizes()[0], type);
      Num base = exponents.number(c.floatOr("base", 10)).to(type).to(wide);
      return c.replace(base.binary<PowOp>(exponents));
    }
    // The framework has the step as a number of the result's type.
    Num result(b, spaced(b, {b, start}, {b, end}, c.resultSizes()[0],
                         isHalf(type) && !ofPowers ? type : Type()));
    if (ofPowers)
      result = result.number(c.floatOr("base", 10)).binary<PowOp>(result);
    return c.replace(result);
  };
}

static LogicalResult legalizeEye(AtenCall &c) {
  Sizes sizes = c.resultSizes();
  if (sizes.size() != 2)
    return c.fail("its result is not a matrix");
  Value row = c.b.unsqueeze(c.b.iota(0, 1, sizes[0]), 1);
  Value column = c.b.iota(0, 1, sizes[1]);
  return c.replace(c.b.compare(Pred::Eq, row, column));
}

/// min <= size <= max
static LogicalResult legalizeConstrainRange(AtenCall &c) {
  ExprAttr size = c.getExpr("size");
  if (!size)
    return c.fail("it constrains a value that is not a size");
  OpBuilder &builder = c.b.getBuilder();
  auto state = [&](ExprAttr a, ExprAttr b) {
    if (!c.getContext().isLessOrEqual(a, b))
      sym::AssertOp::create(
          builder, c.b.getLoc(), a, sym::Predicate::Le, b,
          builder.getStringAttr("a size is inside its declared range"));
  };
  if (auto min = c.getInt("min"))
    state(c.b.size(*min), size);
  if (auto max = c.getInt("max"))
    state(size, c.b.size(*max));
  return success();
}

/// An assertion on a number; only a constant one can be decided here.
static LogicalResult legalizeAssertScalar(AtenCall &c) {
  auto condition = c.getInt("self");
  if (!condition)
    condition = c.getInt("condition");
  if (condition && *condition)
    return success();
  return c.fail(condition ? "the assertion does not hold"
                          : "its condition is not known");
}

void graph::populateCreationLegalizations(AtenLegalizations &t) {
  t.add("zeros zeros_like new_zeros zeros.names zero _efficientzerotensor",
        fill(0));
  t.add("empty.memory_format empty_like new_empty empty_strided "
        "new_empty_strided empty_permuted",
        legalizeEmpty);
  t.add("ones ones_like new_ones", fill(1));
  t.add("full full_like new_full", fillWith("fill_value"));
  t.add("fill.Scalar fill.Tensor", fillWith("value"));
  t.add("scalar_tensor", fillWith("s"));
  t.add("arange arange.start arange.start_step range range.step",
        legalizeArange);
  t.add("linspace linspace.Tensor_Tensor linspace.Tensor_Scalar "
        "linspace.Scalar_Tensor",
        progression(/*ofPowers=*/false));
  t.add("logspace logspace.Tensor_Tensor logspace.Tensor_Scalar "
        "logspace.Scalar_Tensor",
        progression(/*ofPowers=*/true));
  t.add("eye eye.m", legalizeEye);
  t.addEffect("sym_constrain_range sym_constrain_range_for_size",
              legalizeConstrainRange);
  t.addEffect("_assert_scalar _functional_assert_scalar", legalizeAssertScalar);
  // Sizes and types are in the IR's types already.
  t.addEffect("_assert_tensor_metadata", [](AtenCall &) { return success(); });
}
