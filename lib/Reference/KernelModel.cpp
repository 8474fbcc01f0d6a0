//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reference semantics of kernels, run point by point. A kernel's body becomes a
// flat list of instructions; each group of stores over the same dimensions runs
// the part of it that it needs.
//
//===----------------------------------------------------------------------===//

#include "KernelModel.h"

#include "Accumulator.h"
#include "IndexProgram.h"
#include "ScalarFunctions.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "coil/Reference/Models.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using namespace coil::reference;

namespace {

/// One operation of a body. Registers are numbered over the body's values.
struct Instruction {
  enum Kind : uint8_t {
    Compute,
    Load,
    Index,
    Reduce,
    ArgReduce,
    Moments,
    Scan,
    ArgScan,
    GatherSum
  } kind;
  /// Whether the value differs between points of the reduced dimensions.
  bool inner = false;
  /// Number of reductions that lie before.
  unsigned phase = 0;
  ScalarFunction function = nullptr;
  unsigned x = 0, y = 0, z = 0, result = 0;
  /// Into `accesses`, `accumulators` or `scanners`.
  unsigned aux = 0;
  Operation *op = nullptr;
  /// The instructions that give the operands.
  SmallVector<unsigned, 4> operands;
};

/// What a load or store touches.
struct Access {
  Tensor tensor;
  DType dtype;
  SmallVector<IndexProgram, 4> indices;
  SmallVector<unsigned, 2> args;
  BoundsPolicy bounds = BoundsPolicy::Trusted;
  bool masked = false;
  unsigned mask = 0, other = 0;
  Operation *op = nullptr;
  /// Of a sum of rows: the summed dimension, and where its positions are.
  unsigned summed = 0;
  std::optional<Tensor> positions;
};

} // namespace

/// Elements of an unsigned tensor are signless in a body.
static DType getSignless(DType dtype) {
  switch (dtype) {
  case DType::U8:
    return DType::I8;
  case DType::U16:
    return DType::I16;
  case DType::U32:
    return DType::I32;
  case DType::U64:
    return DType::I64;
  default:
    return dtype;
  }
}

/// The value of a literal of a body.
static Scalar toScalar(Attribute literal) {
  if (auto value = dyn_cast<FloatAttr>(literal))
    return fromBits(*reference::getDType(value.getType()),
                    value.getValue().bitcastToAPInt().getZExtValue());
  auto value = cast<IntegerAttr>(literal);
  return makeInt(value.getType().isInteger(1)
                     ? value.getValue().getZExtValue()
                     : value.getValue().getSExtValue());
}

namespace {

class KernelRunner {
public:
  KernelRunner(KernelOp kernel, Frame &frame, ArrayRef<Tensor> operands)
      : kernel(kernel), frame(frame), inputs(operands), dependence(kernel) {}

  LogicalResult run(SmallVectorImpl<Tensor> &results) {
    for (sym::ExprAttr extent : kernel.getDims().getDims()) {
      FailureOr<int64_t> value = frame.evaluate(kernel, extent);
      if (failed(value))
        return failure();
      if (*value < 0)
        return kernel.emitError("has a negative extent");
      extents.push_back(*value);
    }
    // Sets of dimensions are words.
    if (extents.size() > 64)
      return kernel.emitError("has more than 64 dimensions");
    point.assign(extents.size(), 0);
    for (Type type : kernel.getOutputs().getTypes()) {
      FailureOr<Tensor> tensor = frame.allocate(kernel, type);
      if (failed(tensor))
        return failure();
      results.push_back(*tensor);
      written.emplace_back(tensor->getNumElements(), false);
    }
    // What a scatter writes into is complete from the start.
    for (ScatterOp scatter : kernel.getBlock()->getOps<ScatterOp>()) {
      auto target = cast<BlockArgument>(scatter.getTarget());
      const Tensor &from = inputs[target.getArgNumber()];
      const Tensor &to = results[scatter.getOutput()];
      std::memcpy(to.getData(), from.getData(),
                  from.getNumElements() * getByteSize(from.getDType()));
      written[scatter.getOutput()].assign(to.getNumElements(), true);
    }
    for (unsigned dim : kernel.getReducedDims())
      reduced.push_back(dim);
    if (failed(compile(results)))
      return failure();
    // What is accumulated starts from what changes nothing.
    for (AccumulateOp op : kernel.getBlock()->getOps<AccumulateOp>()) {
      Tensor &to = results[op.getOutput()];
      Scalar neutral =
          toScalar(getNeutralElement(op.getKind(), op.getValue().getType()));
      for (int64_t i = 0; i < to.getNumElements(); ++i)
        Tensor::store(getSignless(to.getDType()), to.getData(), i, neutral);
      written[op.getOutput()].assign(to.getNumElements(), true);
    }
    // Stores over the same dimensions share their part of the body.
    llvm::MapVector<uint64_t, SmallVector<unsigned>> groups;
    for (auto [i, store] : llvm::enumerate(stores))
      groups[store.dims].push_back(i);
    for (auto &[dims, members] : groups)
      if (failed(runGroup(dims, members)))
        return failure();
    for (auto [i, flags] : llvm::enumerate(written))
      if (!llvm::all_of(flags, [](bool flag) { return flag; }))
        return kernel.emitError()
               << "does not write every element of result " << i;
    return success();
  }

private:
  struct Store {
    unsigned access, value, output;
    uint64_t dims;
    /// The instruction that gives the value, or -1 for a constant.
    int producer;
    /// Of a scatter: the instructions that give the indices, and into
    /// `accumulators` if it combines, else -1.
    SmallVector<unsigned, 2> indexProducers;
    int combination = -1;
  };

  template <typename FnT>
  static void forEachProducer(const Store &s, FnT fn) {
    if (s.producer >= 0)
      fn(static_cast<unsigned>(s.producer));
    for (unsigned i : s.indexProducers)
      fn(i);
  }

  LogicalResult compile(ArrayRef<Tensor> results);
  LogicalResult compileAccess(Operation *op, const Tensor &tensor,
                              sym::ShapeAttr indices, unsigned &index);
  LogicalResult runGroup(uint64_t dims, ArrayRef<unsigned> members);
  LogicalResult runInstruction(const Instruction &instruction);
  /// Sets `position` to the row-major position that an access touches.
  LogicalResult locate(const Access &access, int64_t &position);
  LogicalResult runStore(const Store &store);

  /// Calls `fn` at every point of `dims`.
  template <typename FnT>
  LogicalResult forEachPoint(ArrayRef<unsigned> dims, FnT fn) {
    for (unsigned d : dims) {
      point[d] = 0;
      if (extents[d] == 0)
        return success();
    }
    while (true) {
      if (failed(fn()))
        return failure();
      size_t k = dims.size();
      while (k > 0 && ++point[dims[k - 1]] == extents[dims[k - 1]])
        point[dims[--k]] = 0;
      if (k == 0)
        return success();
    }
  }

  KernelOp kernel;
  Frame &frame;
  ArrayRef<Tensor> inputs;
  DimDependence dependence;
  SmallVector<int64_t> extents, point;
  SmallVector<unsigned> reduced;
  std::vector<Scalar> registers;
  std::vector<Instruction> instructions;
  std::vector<Access> accesses;
  std::vector<Accumulator> accumulators;
  std::vector<MomentsAccumulator> moments;
  std::vector<Scanner> scanners;
  std::vector<IndexProgram> indexPrograms;
  std::vector<Store> stores;
  std::vector<std::vector<bool>> written;
};

} // namespace

LogicalResult KernelRunner::compileAccess(Operation *op, const Tensor &tensor,
                                          sym::ShapeAttr indices,
                                          unsigned &index) {
  Access access;
  access.tensor = tensor;
  access.dtype = getSignless(tensor.getDType());
  access.op = op;
  for (sym::ExprAttr expr : indices.getDims()) {
    FailureOr<IndexProgram> program = IndexProgram::compile(op, frame, expr);
    if (failed(program))
      return failure();
    access.indices.push_back(std::move(*program));
  }
  index = accesses.size();
  accesses.push_back(std::move(access));
  return success();
}

LogicalResult KernelRunner::compile(ArrayRef<Tensor> results) {
  DenseMap<Value, unsigned> registerOf;
  DenseMap<Value, unsigned> producerOf;
  auto define = [&](Value value) {
    registerOf[value] = registers.size();
    registers.push_back(makeInt(0));
    return registers.size() - 1;
  };
  Block *body = kernel.getBlock();
  uint64_t reducedMask = 0;
  for (unsigned d : reduced)
    reducedMask |= uint64_t(1) << d;

  for (Operation &op : *body) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      Store s;
      if (failed(compileAccess(&op, results[store.getOutput()],
                               store.getIndices(), s.access)))
        return failure();
      s.value = registerOf.lookup(store.getValue());
      auto producer = producerOf.find(store.getValue());
      s.producer = producer == producerOf.end() ? -1 : int(producer->second);
      s.output = store.getOutput();
      s.dims = 0;
      llvm::SmallBitVector over = dependence.of(store.getIndices().getDims());
      for (unsigned d : over.set_bits())
        s.dims |= uint64_t(1) << d;
      stores.push_back(s);
      continue;
    }
    if (auto scatter = dyn_cast<ScatterOp>(op)) {
      Store s;
      if (failed(compileAccess(&op, results[scatter.getOutput()],
                               scatter.getIndices(), s.access)))
        return failure();
      Access &access = accesses[s.access];
      access.bounds = scatter.getBounds();
      s.value = registerOf.lookup(scatter.getValue());
      auto producer = producerOf.find(scatter.getValue());
      s.producer = producer == producerOf.end() ? -1 : int(producer->second);
      for (Value arg : scatter.getArgs()) {
        access.args.push_back(registerOf.lookup(arg));
        if (auto it = producerOf.find(arg); it != producerOf.end())
          s.indexProducers.push_back(it->second);
      }
      s.output = scatter.getOutput();
      // It runs at every point.
      s.dims = extents.empty() ? 0 : ~uint64_t(0) >> (64 - extents.size());
      if (std::optional<ReduceKind> kind = scatter.getKind()) {
        s.combination = accumulators.size();
        accumulators.emplace_back(*kind, access.dtype);
      }
      stores.push_back(s);
      continue;
    }
    if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
      Store s;
      if (failed(
              compileAccess(&op, results[accumulate.getOutput()],
                            sym::ShapeAttr::get(op.getContext(),
                                                accumulate.getResultIndices()),
                            s.access)))
        return failure();
      s.value = registerOf.lookup(accumulate.getValue());
      auto producer = producerOf.find(accumulate.getValue());
      s.producer = producer == producerOf.end() ? -1 : int(producer->second);
      s.output = accumulate.getOutput();
      // Every point is part of an element.
      s.dims = ~uint64_t(0) >> (64 - extents.size());
      s.combination = accumulators.size();
      accumulators.emplace_back(accumulate.getKind(), accesses[s.access].dtype);
      stores.push_back(s);
      continue;
    }
    Attribute literal;
    if (matchPattern(&op, m_Constant(&literal))) {
      unsigned target = define(op.getResult(0));
      if (!isa<FloatAttr, IntegerAttr>(literal))
        return op.emitError("has an unsupported literal");
      registers[target] = toScalar(literal);
      continue;
    }

    Instruction instruction;
    instruction.op = &op;
    SmallVector<unsigned, 4> sources;
    for (Value operand : op.getOperands()) {
      auto it = registerOf.find(operand);
      sources.push_back(it == registerOf.end() ? 0 : it->second);
      auto producer = producerOf.find(operand);
      if (producer == producerOf.end())
        continue;
      instruction.operands.push_back(producer->second);
      instruction.phase =
          std::max(instruction.phase, instructions[producer->second].phase);
    }
    sources.resize(std::max<size_t>(sources.size(), 3), 0);
    instruction.x = sources[0];
    instruction.y = sources[1];
    instruction.z = sources[2];
    for (unsigned d : dependence[op.getResult(0)].set_bits())
      instruction.inner |= reducedMask >> d & 1;
    for (Value result : op.getResults()) {
      unsigned target = define(result);
      if (result == op.getResult(0))
        instruction.result = target;
      producerOf[result] = instructions.size();
    }

    if (auto load = dyn_cast<LoadOp>(op)) {
      instruction.kind = Instruction::Load;
      auto argument = cast<BlockArgument>(load.getSource());
      if (failed(compileAccess(&op, inputs[argument.getArgNumber()],
                               load.getIndices(), instruction.aux)))
        return failure();
      Access &access = accesses[instruction.aux];
      access.bounds = load.getBounds();
      for (Value arg : load.getArgs())
        access.args.push_back(registerOf.lookup(arg));
      if (load.getMask()) {
        access.masked = true;
        access.mask = registerOf.lookup(load.getMask());
        access.other = registerOf.lookup(load.getOther());
      }
    } else if (auto sum = dyn_cast<SegmentSumOp>(op)) {
      instruction.kind = Instruction::GatherSum;
      instruction.x = registerOf.lookup(sum.getLo());
      instruction.y = registerOf.lookup(sum.getHi());
      if (sum.getInit()) {
        instruction.z = registerOf.lookup(sum.getInit());
      } else {
        instruction.z = registers.size();
        registers.push_back(makeFloat(0));
      }
      auto number = [](Value v) {
        return cast<BlockArgument>(v).getArgNumber();
      };
      if (failed(compileAccess(&op, inputs[number(sum.getSource())],
                               sum.getIndices(), instruction.aux)))
        return failure();
      Access &access = accesses[instruction.aux];
      access.summed = sum.getSummedDim();
      if (sum.getPositions())
        access.positions = inputs[number(sum.getPositions())];
      // The place, which the access reads as any other argument.
      access.args.push_back(registers.size());
      registers.push_back(makeInt(0));
    } else if (auto index = dyn_cast<IndexOp>(op)) {
      instruction.kind = Instruction::Index;
      FailureOr<IndexProgram> program =
          IndexProgram::compile(&op, frame, index.getExpr());
      if (failed(program))
        return failure();
      instruction.aux = indexPrograms.size();
      indexPrograms.push_back(std::move(*program));
    } else if (auto reduce = dyn_cast<loop::ReduceOp>(op)) {
      instruction.kind = Instruction::Reduce;
      instruction.aux = accumulators.size();
      accumulators.emplace_back(reduce.getKind(),
                                *reference::getDType(reduce.getType()));
      ++instruction.phase;
    } else if (auto reduce = dyn_cast<ArgReduceOp>(op)) {
      instruction.kind = Instruction::ArgReduce;
      instruction.aux = accumulators.size();
      accumulators.emplace_back(
          reduce.getKind(), *reference::getDType(reduce.getValue().getType()));
      ++instruction.phase;
    } else if (isa<loop::WelfordOp>(op)) {
      instruction.kind = Instruction::Moments;
      instruction.aux = moments.size();
      moments.emplace_back();
      ++instruction.phase;
    } else if (auto scan = dyn_cast<loop::ScanOp>(op)) {
      instruction.kind = Instruction::Scan;
      instruction.aux = scanners.size();
      scanners.emplace_back(scan);
    } else if (auto scan = dyn_cast<loop::ArgScanOp>(op)) {
      instruction.kind = Instruction::ArgScan;
      instruction.aux = scanners.size();
      scanners.emplace_back(scan);
    } else {
      instruction.kind = Instruction::Compute;
      auto model = dyn_cast<ReferenceScalarOpInterface>(op);
      if (model && op.getNumOperands() <= 3 && op.getNumResults() == 1)
        instruction.function = model.getScalarFunction();
      if (!instruction.function)
        return op.emitError() << "'" << op.getName()
                              << "' has no reference semantics for its types";
    }
    instructions.push_back(std::move(instruction));
  }
  return success();
}

LogicalResult KernelRunner::locate(const Access &access, int64_t &position) {
  SmallVector<int64_t, 4> args;
  for (unsigned arg : access.args)
    args.push_back(registers[arg].i);
  bool undefined = false;
  position = 0;
  ArrayRef<int64_t> sizes = access.tensor.getSizes();
  for (auto [d, program] : llvm::enumerate(access.indices)) {
    int64_t index = program.evaluate(point.data(), args.data(), undefined);
    int64_t given = index;
    if (program.isWholeArg()) {
      if (access.bounds == BoundsPolicy::WrapCheck && index < 0)
        index += sizes[d];
      if (access.bounds == BoundsPolicy::Clamp)
        index = std::max<int64_t>(std::min(index, sizes[d] - 1), 0);
    }
    if (undefined)
      return access.op->emitError("divides by a number that is not positive");
    if (index < 0 || index >= sizes[d])
      return access.op->emitError()
             << "index " << given << " is out of range for dimension " << d
             << " of size " << sizes[d];
    position = position * sizes[d] + index;
  }
  return success();
}

LogicalResult KernelRunner::runInstruction(const Instruction &instruction) {
  Scalar &result = registers[instruction.result];
  switch (instruction.kind) {
  case Instruction::Compute: {
    bool undefined = false;
    result =
        instruction.function(registers[instruction.x], registers[instruction.y],
                             registers[instruction.z], undefined);
    if (LLVM_UNLIKELY(undefined))
      return instruction.op->emitError(
          "has undefined behaviour for these operands (division by zero or "
          "signed overflow)");
    return success();
  }
  case Instruction::Load: {
    const Access &access = accesses[instruction.aux];
    if (access.masked && !registers[access.mask].i) {
      result = registers[access.other];
      return success();
    }
    int64_t position;
    if (failed(locate(access, position)))
      return failure();
    result = Tensor::load(access.dtype, access.tensor.getData(), position);
    return success();
  }
  case Instruction::GatherSum: {
    const Access &access = accesses[instruction.aux];
    int64_t size = access.tensor.getSizes()[access.summed];
    int64_t places =
        access.positions ? access.positions->getNumElements() : size;
    int64_t lo = std::max<int64_t>(registers[instruction.x].i, 0);
    int64_t hi = size == 0 ? 0 : std::min(registers[instruction.y].i, places);
    bool narrow = getByteSize(access.dtype) < 8;
    double sum = registers[instruction.z].f;
    for (int64_t k = lo; k < hi; ++k) {
      int64_t row = access.positions ? access.positions->get(k).i : k, position;
      registers[access.args[0]] =
          makeInt(std::clamp<int64_t>(row, 0, size - 1));
      if (failed(locate(access, position)))
        return failure();
      sum += Tensor::load(access.dtype, access.tensor.getData(), position).f;
      if (narrow)
        sum = static_cast<float>(sum);
    }
    registers[instruction.result] = makeFloat(sum);
    return success();
  }
  case Instruction::Index: {
    bool undefined = false;
    result.i = indexPrograms[instruction.aux].evaluate(point.data(), nullptr,
                                                       undefined);
    if (undefined)
      return instruction.op->emitError(
          "divides by a number that is not positive");
    return success();
  }
  case Instruction::Reduce:
    accumulators[instruction.aux].add(registers[instruction.x]);
    return success();
  case Instruction::ArgReduce:
    accumulators[instruction.aux].add(registers[instruction.x],
                                      registers[instruction.y].i);
    return success();
  case Instruction::Moments:
    moments[instruction.aux].add(registers[instruction.x].f,
                                 registers[instruction.y].f,
                                 registers[instruction.z].f);
    return success();
  case Instruction::Scan:
    result = scanners[instruction.aux].step(registers[instruction.x]);
    return success();
  case Instruction::ArgScan: {
    int64_t at = registers[instruction.y].i;
    result = scanners[instruction.aux].step(registers[instruction.x], at);
    registers[instruction.result + 1].i = at;
    return success();
  }
  }
  llvm_unreachable("unknown instruction");
}

LogicalResult KernelRunner::runStore(const Store &store) {
  const Access &access = accesses[store.access];
  int64_t position;
  if (failed(locate(access, position)))
    return failure();
  Scalar value = registers[store.value];
  if (store.combination >= 0)
    value = accumulators[store.combination].combine(
        Tensor::load(access.dtype, access.tensor.getData(), position), value);
  Tensor::store(access.dtype, access.tensor.getData(), position, value);
  written[store.output][position] = true;
  return success();
}

/// Runs the stores of one group: an outer loop over those of its dimensions
/// that no reduction takes away. At each outer point the phases follow one
/// another: what does not vary inside is computed once, then the reduced
/// dimensions are run through for the reductions of the phase, and after the
/// last phase for the stores that vary inside.
LogicalResult KernelRunner::runGroup(uint64_t dims,
                                     ArrayRef<unsigned> members) {
  auto isReduce = [](const Instruction &i) {
    return i.kind == Instruction::Reduce || i.kind == Instruction::ArgReduce ||
           i.kind == Instruction::Moments;
  };
  // Everything that the group needs.
  std::vector<bool> needed(instructions.size());
  for (unsigned member : members)
    forEachProducer(stores[member], [&](unsigned i) { needed[i] = true; });
  for (size_t i = instructions.size(); i-- > 0;)
    if (needed[i])
      for (unsigned operand : instructions[i].operands)
        needed[operand] = true;

  struct Phase {
    std::vector<unsigned> once, inner, reduces;
  };
  SmallVector<Phase> phases(1);
  auto getPhase = [&](unsigned k) -> Phase & {
    if (phases.size() <= k)
      phases.resize(k + 1);
    return phases[k];
  };
  /// The instructions inside that `roots` need, in order.
  auto closure = [&](ArrayRef<unsigned> roots) {
    std::vector<bool> take(instructions.size());
    std::vector<unsigned> result;
    for (unsigned root : roots)
      take[root] = true;
    for (size_t i = instructions.size(); i-- > 0;) {
      // A root may be a reduction: its operands count, not itself.
      bool isRoot = llvm::is_contained(roots, i) && isReduce(instructions[i]);
      if (!take[i] || (!instructions[i].inner && !isRoot))
        continue;
      if (!isRoot)
        result.push_back(i);
      for (unsigned operand : instructions[i].operands)
        take[operand] = true;
    }
    std::reverse(result.begin(), result.end());
    return result;
  };
  for (auto [i, instruction] : llvm::enumerate(instructions)) {
    if (!needed[i])
      continue;
    if (isReduce(instruction))
      getPhase(instruction.phase - 1).reduces.push_back(i);
    else if (!instruction.inner)
      getPhase(instruction.phase).once.push_back(i);
  }
  for (Phase &phase : phases)
    phase.inner = closure(phase.reduces);
  SmallVector<unsigned> outerStores, innerStores, innerRoots;
  uint64_t reducedMask = 0;
  for (unsigned d : reduced)
    reducedMask |= uint64_t(1) << d;
  for (unsigned member : members) {
    bool inner = dims & reducedMask;
    (inner ? innerStores : outerStores).push_back(member);
    if (inner)
      forEachProducer(stores[member],
                      [&](unsigned i) { innerRoots.push_back(i); });
  }
  std::vector<unsigned> storeBody = closure(innerRoots);
  SmallVector<unsigned> outerDims, storeDims;
  for (unsigned d = 0; d < extents.size(); ++d)
    if (dims >> d & 1)
      (reducedMask >> d & 1 ? storeDims : outerDims).push_back(d);

  // The cost is known beforehand.
  double reducePoints = 1, storePoints = 1, outerPoints = 1, cost = 0;
  for (unsigned d : reduced)
    reducePoints *= double(extents[d]);
  for (unsigned d : storeDims)
    storePoints *= double(extents[d]);
  for (unsigned d : outerDims)
    outerPoints *= double(extents[d]);
  for (const Phase &phase : phases)
    cost += phase.once.size() +
            reducePoints * (phase.inner.size() + phase.reduces.size());
  cost += outerStores.size() +
          storePoints * (storeBody.size() + innerStores.size());
  cost = std::ceil(cost * outerPoints);
  if (failed(frame.spend(kernel, cost < 9e18 ? int64_t(cost) : INT64_MAX)))
    return failure();

  auto runAll = [&](const std::vector<unsigned> &list) -> LogicalResult {
    for (unsigned i : list)
      if (failed(runInstruction(instructions[i])))
        return failure();
    return success();
  };
  auto startScans = [&](const std::vector<unsigned> &list) {
    for (unsigned i : list)
      if (instructions[i].kind == Instruction::Scan ||
          instructions[i].kind == Instruction::ArgScan)
        scanners[instructions[i].aux].start();
  };
  return forEachPoint(outerDims, [&]() -> LogicalResult {
    for (unsigned d : reduced)
      point[d] = 0;
    for (const Phase &phase : phases) {
      if (failed(runAll(phase.once)))
        return failure();
      if (phase.reduces.empty())
        continue;
      for (unsigned i : phase.reduces) {
        if (instructions[i].kind == Instruction::Moments)
          moments[instructions[i].aux].start();
        else
          accumulators[instructions[i].aux].start();
      }
      startScans(phase.inner);
      if (failed(forEachPoint(reduced, [&] {
            return success(succeeded(runAll(phase.inner)) &&
                           succeeded(runAll(phase.reduces)));
          })))
        return failure();
      for (unsigned i : phase.reduces) {
        const Instruction &instruction = instructions[i];
        if (instruction.kind == Instruction::Moments) {
          const MomentsAccumulator &m = moments[instruction.aux];
          DType dtype =
              *reference::getDType(instruction.op->getResult(0).getType());
          double found[] = {m.getMean(), m.getM2(), m.getCount()};
          for (unsigned k = 0; k < 3; ++k)
            registers[instruction.result + k] =
                makeFloat(roundTo(dtype, found[k]));
          continue;
        }
        Accumulator &accumulator = accumulators[instruction.aux];
        if (instruction.kind == Instruction::ArgReduce) {
          if (accumulator.empty())
            return instruction.op->emitError(
                "looks for a minimum or maximum among no values");
          registers[instruction.result + 1].i = accumulator.getPosition();
        }
        registers[instruction.result] = accumulator.finish();
      }
    }
    for (unsigned member : outerStores)
      if (failed(runStore(stores[member])))
        return failure();
    if (innerStores.empty())
      return success();
    for (unsigned d : reduced)
      point[d] = 0;
    startScans(storeBody);
    return forEachPoint(storeDims, [&]() -> LogicalResult {
      if (failed(runAll(storeBody)))
        return failure();
      for (unsigned member : innerStores)
        if (failed(runStore(stores[member])))
          return failure();
      return success();
    });
  });
}

namespace {

struct KernelModel
    : ReferenceOpInterface::ExternalModel<KernelModel, KernelOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor> operands,
                         SmallVectorImpl<Tensor> &results) const {
    return KernelRunner(cast<KernelOp>(op), frame, operands).run(results);
  }
};

} // namespace

void reference::registerKernelModel(MLIRContext *context) {
  KernelOp::attachInterface<KernelModel>(*context);
}
