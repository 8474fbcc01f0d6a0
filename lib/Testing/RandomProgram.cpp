//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs: values, inputs, and the choice of operators. Every value
// carries an interval that its elements lie in, so that operators stay inside
// their domains: outside, results are infinities and NaNs, which compare equal
// whatever went wrong before.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using namespace coil::testing;
using reference::DType;
using reference::Tensor;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Tensor Generator::randomTensor(DType dtype, ArrayRef<int64_t> shape, double lo,
                               double hi) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    if (reference::isFloat(dtype)) {
      // Sixteenths: sums are exact and ties happen.
      double value =
          lo + below(static_cast<int64_t>((hi - lo) * 16) + 1) / 16.0;
      if (special && chance(4))
        value = any<double>({NAN, HUGE_VAL, -HUGE_VAL, -0.0});
      tensor.set(i, reference::makeFloat(value));
    } else {
      auto least = static_cast<int64_t>(lo), most = static_cast<int64_t>(hi);
      tensor.set(i, reference::makeInt(least + below(most - least + 1)));
    }
  }
  return tensor;
}

Item Generator::argument(DType dtype, const Sizes &sizes, double lo,
                         double hi) {
  RankedTensorType tensorType = sym::getTensorType(sizes, type(dtype));
  Value value = block->addArgument(tensorType, loc);
  inputs.push_back(randomTensor(dtype, *evaluate(sizes), lo, hi));
  add(value, lo, hi);
  return items.back();
}

std::optional<Item> Generator::partner(const Item &x, DType dtype) {
  auto compatible = [&](const Item &y) {
    if (y.dtype != dtype)
      return false;
    SmallVector<Sizes> shapes = {x.sizes, y.sizes};
    FailureOr<Sizes> joined = broadcastSizes(shapes);
    if (failed(joined))
      return false;
    // Sizes must agree now, and not only for lucky symbols.
    for (const Sizes &sizes : shapes)
      for (auto [size, result] :
           llvm::zip(sizes, SizesRef(*joined).take_back(sizes.size())))
        if (size != result && !size.isConstant(1))
          return false;
    std::optional<SmallVector<int64_t>> shape = evaluate(*joined);
    return shape && *Tensor::countElements(*shape) <= options.maxElements;
  };
  if (chance(70))
    if (const Item *y = find(compatible))
      return *y;
  // A new argument that broadcasts.
  Sizes sizes;
  for (ExprAttr size : x.sizes)
    sizes.push_back(chance(20) ? t.size(1) : size);
  if (chance(20) && !sizes.empty())
    sizes.erase(sizes.begin(), sizes.begin() + 1 + below(sizes.size()));
  return argument(dtype, sizes);
}

Item Generator::clamp(const Item &x, double lo, double hi) {
  if (x.lo >= lo && x.hi <= hi && !special)
    return x;
  Value v = t.binary<MaximumOp>(x.value, constant(lo, x.dtype));
  v = t.binary<MinimumOp>(v, constant(hi, x.dtype));
  // Constants are rounded to the type.
  add(v, reference::roundTo(x.dtype, lo), reference::roundTo(x.dtype, hi));
  return items.back();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

bool Generator::emitOne() {
  // Weights by repetition.
  switch (below(options.ordered ? 44 : 40)) {
  case 0:
  case 1:
  case 2:
  case 3:
    return emitFloatUnary();
  case 4:
  case 5:
    return emitUnary();
  case 6:
  case 7:
  case 8:
  case 9:
  case 10:
  case 11:
    return emitArithmetic();
  case 12:
    return emitFloatBinary();
  case 13:
    return emitBitwise();
  case 14:
  case 15:
    return emitCompare();
  case 16:
  case 17:
    return emitSelect();
  case 18:
  case 19:
    return emitConvert();
  case 20:
    return emitBitcast();
  case 21:
    return emitSpecial();
  case 22:
  case 23:
  case 24:
  case 25:
    return emitReduce();
  case 26:
    return options.sorts && chance(50) ? emitSort() : emitArgReduce();
  case 27:
  case 28:
    return emitReshape();
  case 29:
    return emitPermute();
  case 30:
    return emitBroadcast();
  case 31:
    return emitSlice();
  case 32:
    return emitCat();
  case 33:
    return emitPad();
  case 34:
    return emitGather();
  case 35:
    return emitIndex();
  case 36:
    return emitCreation();
  case 37:
    return emitMatmul();
  case 40:
    return emitScatter();
  case 41:
    return emitIndexPut();
  case 42:
  case 43:
    return chance(75) ? emitScan() : emitArgScan();
  case 38:
    switch (below(3)) {
    case 0:
      return emitSoftmax();
    case 1:
      return emitLayerNorm();
    default:
      return emitNormalized();
    }
  default:
    if (chance(40))
      return chance(60) ? emitChannelGate() : emitProjections();
    switch (below(3)) {
    case 0:
      return emitConv();
    case 1:
      return emitPool();
    default:
      return emitAttention();
    }
  }
}

RandomProgram Generator::run() {
  RandomProgram program;
  program.module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(program.module->getBody());
  auto function = func::FuncOp::create(builder, loc, "main",
                                       builder.getFunctionType({}, {}));
  block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);

  NamedAttrList ranges;
  if (options.symbols && chance(60))
    for (StringRef name : {"s0", "s1"}) {
      // Few programs allow a size of zero.
      int64_t least = chance(10) ? 0 : chance(50) ? 1 : 2;
      int64_t value = any<int64_t>({0, 1, 2, 3, 5, 7, 8, 13, 16, 17});
      symbols[name] = std::max(value, least);
      ranges.append(name, sym::RangeAttr::get(context, least, 64,
                                              std::optional<int64_t>()));
    }
  // An argument whose sizes are the symbols, so that they can be solved.
  if (!symbols.empty()) {
    function->setAttr(sym::kSymbolsAttrName, ranges.getDictionary(context));
    DType dtype = randomDType();
    Sizes sizes = {sym::symbol(context, "s0"), sym::symbol(context, "s1")};
    argument(dtype, sizes);
  }
  argument(randomDType(), randomSizes(below(4)));

  unsigned wanted = 1 + below(options.maxOps), made = 0;
  for (unsigned tries = 0; made < wanted && tries < 20 * wanted; ++tries)
    made += emitOne();

  // What nothing uses is a result, and one value besides.
  SmallVector<Value> results;
  for (const Item &item : llvm::reverse(items))
    if (item.value.use_empty() && !isa<BlockArgument>(item.value) &&
        results.size() < 6)
      results.push_back(item.value);
  const Item &other = items[below(items.size())];
  if (results.empty() || (chance(30) && !isa<BlockArgument>(other.value)))
    if (!llvm::is_contained(results, other.value))
      results.push_back(other.value);
  func::ReturnOp::create(builder, loc, results);
  function.setFunctionType(builder.getFunctionType(
      block->getArgumentTypes(), ValueRange(results).getTypes()));
  program.inputs = std::move(inputs);
  return program;
}

RandomProgram coil::testing::generateProgram(MLIRContext *context,
                                             uint64_t seed,
                                             const ProgramOptions &options) {
  context->loadDialect<GraphDialect, func::FuncDialect>();
  return Generator(context, seed, options).run();
}
