//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generator of random programs: its state, and operators by family.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_TESTING_GENERATOR_H
#define COIL_LIB_TESTING_GENERATOR_H

#include "RandomNumbers.h"
#include "RandomProgram.h"

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"
#include "coil/Dialect/Sym/IR/Expr.h"

#include <cmath>
#include <optional>

namespace coil::testing {

/// A tensor of the program.
struct Item {
  mlir::Value value;
  reference::DType dtype;
  graph::Sizes sizes;
  llvm::SmallVector<int64_t> shape;
  /// What the elements lie between.
  double lo, hi;

  int64_t rank() const { return shape.size(); }
  bool isFloat() const { return reference::isFloat(dtype); }
  bool isBool() const { return dtype == reference::DType::Bool; }
  int64_t count() const { return *reference::Tensor::countElements(shape); }
};

class Generator : RandomNumbers {
public:
  Generator(mlir::MLIRContext *context, uint64_t seed,
            const ProgramOptions &options)
      : RandomNumbers(seed), context(context), builder(context),
        loc(mlir::UnknownLoc::get(context)), options(options),
        special(seed % 16 == 0), t(builder, loc) {}

  RandomProgram run();

private:
  //===--------------------------------------------------------------------===//
  // Random numbers
  //===--------------------------------------------------------------------===//

  template <typename T>
  T any(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  mlir::Type type(reference::DType dtype) {
    return reference::getType(dtype, context);
  }
  /// Beyond this, values are not made.
  double limit(reference::DType dtype) {
    if (dtype == reference::DType::F16)
      return 1000;
    if (reference::isFloat(dtype))
      return 1e5;
    return std::ldexp(1.0, reference::getBitWidth(dtype) - 1) - 1;
  }
  void leastAndGreatest(reference::DType dtype, double &lo, double &hi) {
    double top = std::ldexp(1.0, reference::getBitWidth(dtype) - 1);
    bool noSign = reference::isUnsigned(dtype);
    lo = noSign ? 0 : -top;
    hi = (noSign ? 2 * top : top) - 1;
    if (dtype == reference::DType::Bool)
      lo = 0, hi = 1;
  }
  bool fits(const Item &item) { return item.count() <= options.maxElements; }

  std::optional<int64_t> evaluate(sym::ExprAttr expr) {
    return sym::evaluate(
        expr, [&](sym::ExprAttr leaf) -> std::optional<int64_t> {
          auto it = symbols.find(leaf.getName());
          return it == symbols.end() ? std::nullopt : std::optional(it->second);
        });
  }
  std::optional<llvm::SmallVector<int64_t>> evaluate(graph::SizesRef sizes) {
    llvm::SmallVector<int64_t> shape;
    for (sym::ExprAttr size : sizes) {
      std::optional<int64_t> value = evaluate(size);
      if (!value || *value < 0)
        return std::nullopt;
      shape.push_back(*value);
    }
    return shape;
  }

  /// Adds a value. Integer intervals that leave the type have wrapped.
  bool add(mlir::Value value, double lo, double hi) {
    Item item;
    item.value = value;
    auto tensorType = llvm::cast<mlir::RankedTensorType>(value.getType());
    item.dtype = *reference::getDType(tensorType.getElementType());
    item.sizes = graph::getSizes(value);
    item.shape = *evaluate(item.sizes);
    if (!item.isFloat()) {
      double least, greatest;
      leastAndGreatest(item.dtype, least, greatest);
      if (!(lo >= least && hi <= greatest))
        lo = least, hi = greatest;
    }
    item.lo = lo;
    item.hi = hi;
    items.push_back(item);
    return true;
  }

  reference::DType randomDType() {
    if (!options.dtypes.empty())
      return options.dtypes[below(options.dtypes.size())];
    // Floats more often than the rest.
    return chance(60) ? any({reference::DType::F32, reference::DType::F32,
                             reference::DType::F64, reference::DType::F16,
                             reference::DType::BF16})
                      : any({reference::DType::Bool, reference::DType::I8,
                             reference::DType::U8, reference::DType::I16,
                             reference::DType::U16, reference::DType::I32,
                             reference::DType::U32, reference::DType::I64,
                             reference::DType::U64});
  }
  bool allowed(reference::DType dtype) {
    return options.dtypes.empty() || llvm::is_contained(options.dtypes, dtype);
  }
  reference::DType randomFloat() {
    for (int i = 0; i < 10; ++i)
      if (reference::DType d = randomDType(); reference::isFloat(d))
        return d;
    return reference::DType::F32;
  }

  sym::ExprAttr randomSize() {
    if (options.symbols && !symbols.empty() && chance(45)) {
      sym::ExprAttr s = sym::symbol(context, chance(60) ? "s0" : "s1");
      return chance(80) ? s : chance(50) ? sym::mul(s, 2) : sym::add(s, 1);
    }
    if (chance(3))
      return t.size(0);
    return t.size(any<int64_t>({1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33}));
  }
  graph::Sizes randomSizes(int64_t rank) {
    graph::Sizes sizes;
    for (int64_t i = 0; i < rank; ++i)
      sizes.push_back(randomSize());
    while (*reference::Tensor::countElements(*evaluate(sizes)) >
           options.maxElements)
      sizes[below(rank)] = t.size(1 + below(3));
    return sizes;
  }

  reference::Tensor randomTensor(reference::DType dtype,
                                 llvm::ArrayRef<int64_t> shape, double lo,
                                 double hi);
  /// A new argument of the function.
  Item argument(reference::DType dtype, const graph::Sizes &sizes, double lo,
                double hi);
  Item argument(reference::DType dtype, const graph::Sizes &sizes) {
    if (dtype == reference::DType::Bool)
      return argument(dtype, sizes, 0, 1);
    return argument(dtype, sizes, reference::isUnsigned(dtype) ? 0 : -2,
                    reference::isFloat(dtype) ? 2 : 9);
  }

  template <typename FnT>
  const Item *find(FnT accept) {
    for (int i = 0; i < 12; ++i) {
      // Late values, so that programs are deep.
      int64_t back = std::min(below(items.size()), below(items.size()));
      const Item &item = items[items.size() - 1 - back];
      if (accept(item))
        return &item;
    }
    return nullptr;
  }
  const Item *findAny() {
    return find([](const Item &) { return true; });
  }
  const Item *findFloat() {
    return find([](const Item &i) { return i.isFloat(); });
  }
  const Item *findNumber() {
    return find([](const Item &i) { return !i.isBool(); });
  }
  /// A value of the type of `x` that broadcasts with it.
  std::optional<Item> partner(const Item &x, reference::DType dtype);
  mlir::Value constant(double value, reference::DType dtype) {
    return t.scalar(value, type(dtype));
  }
  /// `x` moved into an interval.
  Item clamp(const Item &x, double lo, double hi);

  //===--------------------------------------------------------------------===//
  // Operators; each returns false when it finds no operand.
  //===--------------------------------------------------------------------===//

  bool emitFloatUnary();
  bool emitUnary();
  bool emitFloatBinary();
  bool emitArithmetic();
  bool emitBitwise();
  bool emitCompare();
  bool emitSelect();
  bool emitConvert();
  bool emitBitcast();
  bool emitSpecial();
  bool emitReduce();
  bool emitArgReduce();
  bool emitSort();
  bool emitReshape();
  bool emitPermute();
  bool emitBroadcast();
  bool emitSlice();
  bool emitCat();
  bool emitPad();
  bool emitGather();
  /// An item, indices of some of its dimensions, and what they select.
  struct Indexed {
    Item into;
    llvm::SmallVector<int64_t> dims;
    llvm::SmallVector<mlir::Value> indices;
    graph::Sizes sizes;
  };
  /// `broadcasts`: indices may have sizes of one where others have more.
  std::optional<Indexed> chooseIndexed(bool broadcasts);
  bool emitIndex();
  bool emitScan();
  bool emitArgScan();
  bool emitScatter();
  bool emitIndexPut();
  bool addWritten(mlir::Value value, std::optional<graph::ReduceKind> kind,
                  const Item &into, const Item &written);
  std::optional<graph::ReduceKind> randomWriteKind(const Item &item);
  bool emitCreation();
  bool emitMatmul();
  bool emitConv();
  bool emitPool();
  bool emitAttention();
  bool emitSoftmax();
  bool emitLayerNorm();
  /// A float tensor of batch, channels and positions.
  std::optional<Item> channelTensor();
  /// `x` or one of the functions that models put between contractions.
  Item activation(const Item &x);
  /// A contraction of the channels to `channels` others, position by position:
  /// a convolution of windows of one element or a matrix multiplication.
  std::optional<Item> project(const Item &x, int64_t channels);
  /// Squeeze and excite: positions are reduced, contracted and broadcast back.
  bool emitChannelGate();
  /// Contractions of one another, and their sum with what came first.
  bool emitProjections();
  /// Division by what is reduced over any dimensions.
  bool emitNormalized();
  bool emitOne();

  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  mlir::Location loc;
  const ProgramOptions &options;
  bool special;
  graph::TensorBuilder t;
  llvm::StringMap<int64_t> symbols;
  mlir::Block *block = nullptr;
  std::vector<Item> items;
  std::vector<reference::Tensor> inputs;
};

} // namespace coil::testing

#endif // COIL_LIB_TESTING_GENERATOR_H
