//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recurrent networks: LSTM, GRU and the plain ones. What input and weights
// contribute to all steps is one product; the steps themselves are a loop, or
// one after the other where there are few (`kMostUnrolled`).
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;
using Pred = ComparePredicate;

namespace {

/// So many steps of one layer and direction are unrolled: about as many kernels
/// as a loop saves launches and copies for.
constexpr int64_t kMostUnrolled = 16;

enum class CellKind { Lstm, Gru, Tanh, Relu };

/// The weights of one layer in one direction; biases and the projection may be
/// null.
struct CellWeights {
  Value input, hidden, inputBias, hiddenBias, projection;
};

/// What a cell carries from step to step; only an LSTM has a cell state.
struct CellState {
  Value hidden, cell;
};

/// One layer in one direction.
class Layer {
public:
  Layer(TensorBuilder &b, CellKind kind, const CellWeights &weights, Type type)
      : b(b), kind(kind), weights(weights), type(type),
        wide(getAccumulationType(type)) {}

  /// x times the transpose of a weight, and a bias.
  Value multiply(Value x, Value weight, Value bias) {
    Value product = b.matmul(x, b.transpose(weight, 0, 1));
    return bias ? b.add(product, bias) : product;
  }
  /// What the input contributes, for all steps at once: [steps, rows, gates].
  Value multiplyInput(Value input);
  /// One step, of the input's contribution [rows, gates].
  CellState step(Value gates, CellState state);

private:
  /// Gate number `i` of the last dimension, as wide as the hidden state.
  Value gate(Value gates, int64_t i, ExprAttr width) {
    return b.convert(b.slice(gates, 1, sym::mul(width, i), width), wide);
  }

  TensorBuilder &b;
  CellKind kind;
  CellWeights weights;
  Type type, wide;
};

} // namespace

Value Layer::multiplyInput(Value input) {
  Sizes sizes = getSizes(input);
  ExprAttr rows = sym::product(b.getContext(), SizesRef(sizes).drop_back());
  Value flat = b.reshape(input, {rows, sizes.back()});
  Value gates = multiply(flat, weights.input, weights.inputBias);
  sizes.back() = getSizes(gates).back();
  return b.reshape(gates, sizes);
}

CellState Layer::step(Value gates, CellState state) {
  Value fromHidden = multiply(state.hidden, weights.hidden, weights.hiddenBias);
  ExprAttr total = getSizes(gates).back();
  auto sigmoid = [&](Value x) { return b.unary<SigmoidOp>(x); };
  CellState next;
  switch (kind) {
  case CellKind::Tanh:
  case CellKind::Relu: {
    Value sum = b.add(b.convert(gates, wide), b.convert(fromHidden, wide));
    next.hidden =
        kind == CellKind::Tanh ? b.unary<TanhOp>(sum) : b.unary<ReluOp>(sum);
    break;
  }
  case CellKind::Lstm: {
    ExprAttr width = sym::floorDiv(total, b.size(4));
    auto sum = [&](int64_t i) {
      return b.add(gate(gates, i, width), gate(fromHidden, i, width));
    };
    Value kept = b.mul(sigmoid(sum(1)), b.convert(state.cell, wide));
    Value cell = b.add(kept, b.mul(sigmoid(sum(0)), b.unary<TanhOp>(sum(2))));
    next.hidden = b.mul(sigmoid(sum(3)), b.unary<TanhOp>(cell));
    next.cell = b.convert(cell, type);
    break;
  }
  case CellKind::Gru: {
    ExprAttr width = sym::floorDiv(total, b.size(3));
    auto both = [&](int64_t i) {
      return b.add(gate(gates, i, width), gate(fromHidden, i, width));
    };
    Value reset = sigmoid(both(0)), update = sigmoid(both(1));
    Value proposal = b.unary<TanhOp>(
        b.add(gate(gates, 2, width), b.mul(reset, gate(fromHidden, 2, width))));
    Value hidden = b.convert(state.hidden, wide);
    next.hidden = b.add(b.mul(b.sub(hidden, proposal), update), proposal);
    break;
  }
  }
  next.hidden = b.convert(next.hidden, type);
  if (weights.projection)
    next.hidden = multiply(next.hidden, weights.projection, Value());
  return next;
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

namespace {

/// A sequence: [steps, rows, features], or packed, where the rows that a step
/// has lie behind those of the step before: [all rows, features].
struct Sequence {
  Value data;
  /// Packed: how many rows each step has, and how many there are before it.
  Value batchSizes, offsets;
  ExprAttr steps;
};

} // namespace

/// The state, where a step is not for all rows: the others keep theirs.
static CellState selectRows(TensorBuilder &b, Value isValid, CellState next,
                            CellState state) {
  if (!isValid)
    return next;
  Value rows = b.unsqueeze(isValid, 1);
  CellState result = {b.select(rows, next.hidden, state.hidden), Value()};
  if (next.cell)
    result.cell = b.select(rows, next.cell, state.cell);
  return result;
}

/// Runs one layer over the steps of a sequence: gives what it makes at each, in
/// the form of the sequence, and the last state.
static std::pair<Value, CellState> runLayer(TensorBuilder &b, Layer &layer,
                                            const Sequence &sequence,
                                            bool reversed, CellState state) {
  OpBuilder &builder = b.getBuilder();
  Value gates = layer.multiplyInput(sequence.data);
  Sizes hiddenSizes = getSizes(state.hidden);
  ExprAttr rows = hiddenSizes[0];
  bool isPacked = sequence.batchSizes != nullptr;
  Type i64 = builder.getI64Type();
  auto sameSizes = [&](Value x, Value like) {
    return b.castSizes(x, getSizes(like));
  };

  std::optional<int64_t> steps = sequence.steps.getConstant();
  if (steps && !isPacked && *steps <= kMostUnrolled) {
    SmallVector<Value> outputs(*steps);
    for (int64_t i = 0; i < *steps; ++i) {
      int64_t t = reversed ? *steps - 1 - i : i;
      CellState next = layer.step(b.at(gates, 0, b.size(t)), state);
      state = {sameSizes(next.hidden, state.hidden),
               next.cell ? sameSizes(next.cell, state.cell) : Value()};
      outputs[t] = b.unsqueeze(state.hidden, 0);
    }
    if (outputs.empty()) {
      Sizes none = hiddenSizes;
      none.insert(none.begin(), b.size(0));
      return {b.full(cast<TypedAttr>(
                         builder.getZeroAttr(getElementType(state.hidden))),
                     none),
              state};
    }
    return {b.cat(outputs, 0), state};
  }

  // Carried: the number of steps done, the state, and what was made. Rows that
  // a packed step does not have are written behind all others.
  Sizes outputSizes = hiddenSizes;
  if (isPacked)
    outputSizes[0] = sym::add(getSizes(sequence.data)[0], rows);
  else
    outputSizes.insert(outputSizes.begin(), sequence.steps);
  Value zeros =
      b.full(cast<TypedAttr>(builder.getZeroAttr(getElementType(state.hidden))),
             outputSizes);
  Value zero = b.scalar(builder.getI64IntegerAttr(0));
  SmallVector<Value> inits = {zero, state.hidden};
  if (state.cell)
    inits.push_back(state.cell);
  inits.push_back(zeros);
  Value count = b.expr(sequence.steps, i64);
  auto loop =
      WhileOp::create(builder, b.getLoc(), ValueRange(inits).getTypes(), inits);
  SmallVector<Location> locs(inits.size(), b.getLoc());
  OpBuilder::InsertionGuard guard(builder);
  Block *condition = builder.createBlock(&loop.getCondition(), {},
                                         ValueRange(inits).getTypes(), locs);
  ConditionOp::create(builder, b.getLoc(),
                      b.compare(Pred::Lt, condition->getArgument(0), count));
  Block *body = builder.createBlock(&loop.getBody(), {},
                                    ValueRange(inits).getTypes(), locs);
  Value done = body->getArgument(0), made = body->getArguments().back();
  CellState current = {body->getArgument(1),
                       state.cell ? body->getArgument(2) : Value()};
  Value one = b.scalar(builder.getI64IntegerAttr(1));
  Value t = reversed ? b.sub(b.sub(count, one), done) : done;
  Value at = b.unsqueeze(t, 0);
  Value input, isValid, positions;
  if (isPacked) {
    // Row r of the step is row offset + r of the data.
    Value row = b.iota(0, 1, rows);
    isValid = b.compare(Pred::Lt, row, b.index(sequence.batchSizes, at, {0}));
    Value place = b.add(row, b.index(sequence.offsets, at, {0}));
    Value all = b.expr(getSizes(sequence.data)[0], i64);
    input = b.index(gates, b.select(isValid, place, zero), {0});
    positions = b.select(isValid, place, b.add(row, all));
  } else {
    input = b.index(gates, at, {0});
    Sizes sizes = getSizes(input);
    input = b.reshape(input, SizesRef(sizes).drop_front());
  }
  CellState next = selectRows(b, isValid, layer.step(input, current), current);
  Value hidden = sameSizes(next.hidden, current.hidden);
  Value written = isPacked ? hidden : b.unsqueeze(hidden, 0);
  made = IndexPutOp::create(builder, b.getLoc(), made.getType(),
                            ReduceKindAttr(), made, isPacked ? positions : at,
                            written, builder.getDenseI64ArrayAttr({0}));
  SmallVector<Value> yielded = {b.add(done, one), hidden};
  if (next.cell)
    yielded.push_back(sameSizes(next.cell, current.cell));
  yielded.push_back(made);
  YieldOp::create(builder, b.getLoc(), yielded);
  builder.setInsertionPointAfter(loop);
  Value output = loop.getResults().back();
  if (isPacked)
    output = b.slice(output, 0, b.size(0), getSizes(sequence.data)[0]);
  return {output,
          {loop.getResult(1), state.cell ? Value(loop.getResult(2)) : Value()}};
}

//===----------------------------------------------------------------------===//
// The operators
//===----------------------------------------------------------------------===//

static LogicalResult legalizeNetwork(AtenCall &c, CellKind kind) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  if (!isa<FloatType>(type))
    return c.fail("its elements are no floats");
  if (c.floatOr("dropout", 0) != 0 && c.boolOr("train", false))
    return c.fail("dropout between its layers draws random numbers; eval() the "
                  "model");
  bool isLstm = kind == CellKind::Lstm,
       isPacked = c.has("data") || c.tensor("data");
  SmallVector<Value> params = c.tensors("params"), hx = c.tensors("hx");
  Value input = c.operand(isPacked ? "data" : "input", type);
  int64_t layers = c.intOr("num_layers", 1);
  bool bidirectional = c.boolOr("bidirectional", false);
  bool hasBiases = c.boolOr("has_biases", true);
  int64_t directions = bidirectional ? 2 : 1;
  if (!input || hx.size() != (isLstm ? 2u : 1u) || layers < 1 || layers > 4096)
    return c.fail("an operand is missing");
  auto each = static_cast<int64_t>(params.size()) / (layers * directions);
  int64_t expected = hasBiases ? 4 : 2;
  bool hasProjection = isLstm && each == expected + 1;
  if (each * layers * directions != static_cast<int64_t>(params.size()) ||
      (each != expected && !hasProjection))
    return c.fail("the number of its parameters is not that of its layers");
  for (Value &value : params)
    value = b.convert(value, type);
  for (Value &value : hx)
    value = b.convert(value, type);

  bool batchFirst = !isPacked && c.boolOr("batch_first", false);
  Sequence sequence;
  sequence.data = batchFirst ? b.transpose(input, 0, 1) : input;
  if (isPacked) {
    sequence.batchSizes = c.tensor("batch_sizes");
    if (!sequence.batchSizes || getRank(sequence.batchSizes) != 1 ||
        !getElementType(sequence.batchSizes).isInteger(64))
      return c.fail("the sizes of its batches are missing");
    sequence.steps = getSizes(sequence.batchSizes)[0];
    // How many rows are before a step: the sum of those up to it, less its own.
    Value sums = ScanOp::create(b.getBuilder(), b.getLoc(),
                                sequence.batchSizes.getType(), ScanKind::Sum,
                                sequence.batchSizes, 0);
    sequence.offsets = b.sub(sums, sequence.batchSizes);
  } else {
    if (getRank(sequence.data) != 3)
      return c.fail("its input has no three dimensions");
    sequence.steps = getSizes(sequence.data)[0];
  }

  SmallVector<Value> lastHidden, lastCell;
  for (int64_t layer = 0; layer < layers; ++layer) {
    SmallVector<Value> outputs;
    for (int64_t direction = 0; direction < directions; ++direction) {
      int64_t number = layer * directions + direction;
      ArrayRef<Value> own = ArrayRef(params).slice(number * each, each);
      CellWeights weights = {own[0], own[1], hasBiases ? own[2] : Value(),
                             hasBiases ? own[3] : Value(),
                             hasProjection ? own.back() : Value()};
      CellState state = {b.at(hx[0], 0, b.size(number)),
                         isLstm ? b.at(hx[1], 0, b.size(number)) : Value()};
      Layer cell(b, kind, weights, type);
      auto [output, last] = runLayer(b, cell, sequence, direction == 1, state);
      outputs.push_back(output);
      lastHidden.push_back(b.unsqueeze(last.hidden, 0));
      if (isLstm)
        lastCell.push_back(b.unsqueeze(last.cell, 0));
    }
    sequence.data = b.cat(outputs, isPacked ? 1 : 2);
  }
  Value output = batchFirst ? b.transpose(sequence.data, 0, 1) : sequence.data;
  SmallVector<Value> results = {output, b.cat(lastHidden, 0)};
  if (isLstm)
    results.push_back(b.cat(lastCell, 0));
  // The exporter may give the last states a dimension of size one more.
  for (unsigned i = 1; i < results.size(); ++i)
    if (c.resultSizes(i).size() == 4 && c.resultSizes(i)[1].isConstant(1))
      results[i] = b.unsqueeze(results[i], 1);
  return c.replace(results);
}

/// One step of a network.
static LogicalResult legalizeCell(AtenCall &c, CellKind kind) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  bool isLstm = kind == CellKind::Lstm;
  SmallVector<Value> hx = c.tensors("hx");
  Value input = c.operand("input", type);
  CellWeights weights = {c.operand("w_ih", type), c.operand("w_hh", type),
                         c.operand("b_ih", type), c.operand("b_hh", type),
                         Value()};
  if (!input || !weights.input || !weights.hidden ||
      hx.size() != (isLstm ? 2u : 1u))
    return c.fail("an operand is missing");
  if (getRank(input) != 2)
    return c.fail("its input is no matrix");
  Layer cell(b, kind, weights, type);
  CellState next = cell.step(
      cell.multiplyInput(input),
      {b.convert(hx[0], type), isLstm ? b.convert(hx[1], type) : Value()});
  SmallVector<Value> results = {next.hidden};
  if (isLstm)
    results.push_back(next.cell);
  return c.replace(results);
}

void graph::populateRnnLegalizations(AtenLegalizations &t) {
  const std::pair<StringRef, CellKind> kinds[] = {{"lstm", CellKind::Lstm},
                                                  {"gru", CellKind::Gru},
                                                  {"rnn_tanh", CellKind::Tanh},
                                                  {"rnn_relu", CellKind::Relu}};
  for (auto [name, kind] : kinds) {
    t.add((name + ".input " + name + ".data").str(),
          [kind = kind](AtenCall &c) { return legalizeNetwork(c, kind); });
    t.add((name + "_cell").str(),
          [kind = kind](AtenCall &c) { return legalizeCell(c, kind); });
  }
}
