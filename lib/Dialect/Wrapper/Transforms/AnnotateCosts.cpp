//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// States what each step of a host program has to move and compute at least.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "StepCost.h"
#include "coil/Dialect/Loop/Analysis/Cost.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERANNOTATECOSTSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {

/// Computes the costs of one function's steps.
class Annotator {
public:
  Annotator(FuncOp fn, SymbolTable &kernels)
      : fn(fn), kernels(kernels), context(fn.getContext()),
        facts(sym::Context::forOp(fn)) {}

  void run();
  /// The cost of a step, or null where none is known.
  CostAttr get(Operation *op);

private:
  CostAttr getCost(LaunchOp op);
  CostAttr getCost(ContractionOp op);
  CostAttr getCost(ConvolutionOp op);
  CostAttr getCost(AttentionOp op);
  CostAttr getCost(SortOp op);
  CostAttr getCost(HostCallOpInterface op);

  const loop::Cost &getKernelCost(KernelOp kernel, loop::KernelOp body);
  CostAttr get(ExprAttr bytes, ExprAttr flops, ExprAttr matrix) {
    return CostAttr::get(context, bytes, flops,
                         matrix.isConstant(0) ? ExprAttr() : matrix);
  }
  /// All bytes of a buffer; none of one that is not there.
  ExprAttr getBytes(Value buffer);
  /// Those of a library's call, which takes products of 16-bit floats to the
  /// units for them.
  CostAttr getLibraryCost(ArrayRef<Value> buffers, Value factor,
                          ExprAttr flops);

  FuncOp fn;
  SymbolTable &kernels;
  MLIRContext *context;
  sym::Context facts;
  llvm::DenseMap<Operation *, loop::Cost> known;
};

struct WrapperAnnotateCosts
    : coil::wrapper::impl::WrapperAnnotateCostsPassBase<WrapperAnnotateCosts> {
  void runOnOperation() override {
    SymbolTable kernels(getOperation());
    for (auto fn : getOperation().getOps<FuncOp>())
      if (!fn.isDeclaration())
        Annotator(fn, kernels).run();
  }
};

} // namespace

static BufferType getType(Value buffer) {
  return cast<BufferType>(buffer.getType());
}

static ExprAttr getStoredBytes(BufferType type) {
  return sym::mul(loop::getStoredElements(type.getContext(),
                                          type.getSizes().getDims(),
                                          type.getStrides().getDims()),
                  type.getElementBytes());
}

ExprAttr Annotator::getBytes(Value buffer) {
  return buffer ? getStoredBytes(getType(buffer)) : sym::constant(context, 0);
}

CostAttr Annotator::getLibraryCost(ArrayRef<Value> buffers, Value factor,
                                   ExprAttr flops) {
  ExprAttr bytes = sym::constant(context, 0);
  for (Value buffer : buffers)
    bytes = sym::add(bytes, getBytes(buffer));
  bool isNarrow =
      getType(factor).getElementType().getIntOrFloatBitWidth() == 16;
  return get(bytes, flops, isNarrow ? flops : sym::constant(context, 0));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

const loop::Cost &Annotator::getKernelCost(KernelOp kernel,
                                           loop::KernelOp body) {
  auto [it, isNew] = known.try_emplace(kernel);
  if (isNew)
    it->second = loop::computeCost(
        body,
        llvm::to_vector(kernel.getInputStrides().getAsRange<sym::ShapeAttr>()));
  return it->second;
}

CostAttr Annotator::getCost(LaunchOp op) {
  auto kernel = kernels.lookup<KernelOp>(op.getCallee());
  loop::KernelOp body = kernel.getLoopKernel();
  if (!body)
    return {};
  const loop::Cost &cost = getKernelCost(kernel, body);
  llvm::StringMap<ExprAttr> values;
  for (auto [name, value] :
       llvm::zip(kernel.getSymbols(), op.getSymbols().getDims()))
    values[cast<StringAttr>(name).getValue()] = value;
  auto atLaunch = [&](ExprAttr e) {
    return sym::substitute(
        e, [&](ExprAttr leaf) { return values.lookup(leaf.getName()); });
  };
  llvm::MapVector<Value, ExprAttr> read;
  for (auto [buffer, bytes] :
       llvm::zip_equal(op.getInputs(), cost.inputBytes)) {
    auto [it, isNew] = read.insert({buffer, atLaunch(bytes)});
    if (!isNew)
      it->second = loop::getSmaller(
          facts, sym::add(it->second, atLaunch(bytes)), getBytes(buffer));
  }
  ExprAttr bytes = sym::constant(context, 0);
  for (auto &[buffer, part] : read)
    bytes = sym::add(bytes, part);
  for (ExprAttr part : cost.outputBytes)
    bytes = sym::add(bytes, atLaunch(part));
  return get(bytes, atLaunch(cost.flops), atLaunch(cost.matrixFlops));
}

//===----------------------------------------------------------------------===//
// Library calls
//===----------------------------------------------------------------------===//

CostAttr Annotator::getCost(ContractionOp op) {
  ArrayRef<ExprAttr> dims = op.getDims().getDims();
  ExprAttr bytes = sym::constant(context, 0);
  auto addOperand = [&](Value buffer, sym::ShapeAttr strides) {
    BufferType type = getType(buffer);
    ExprAttr accessed =
        sym::mul(loop::getStoredElements(context, dims, strides.getDims()),
                 type.getElementBytes());
    bytes = sym::add(bytes,
                     loop::getSmaller(facts, accessed, getStoredBytes(type)));
  };
  addOperand(op.getA(), op.getAStrides());
  addOperand(op.getB(), op.getBStrides());
  if (op.getBias())
    addOperand(op.getBias(), op.getBiasStridesAttr());
  addOperand(op.getC(), op.getCStrides());
  ExprAttr flops = sym::mul(sym::product(context, dims), 2);
  bool isNarrow =
      getType(op.getA()).getElementType().getIntOrFloatBitWidth() == 16;
  return get(bytes, flops, isNarrow ? flops : sym::constant(context, 0));
}

CostAttr Annotator::getCost(ConvolutionOp op) {
  ArrayRef<ExprAttr> window = getType(op.getW()).getSizes().getDims();
  ExprAttr flops = sym::mul(
      sym::mul(sym::product(context, window.drop_front()),
               sym::product(context, getType(op.getY()).getSizes().getDims())),
      2);
  return getLibraryCost({op.getX(), op.getW(), op.getBias(), op.getY()},
                        op.getX(), flops);
}

CostAttr Annotator::getCost(AttentionOp op) {
  ArrayRef<ExprAttr> q = getType(op.getQ()).getSizes().getDims(),
                     v = getType(op.getV()).getSizes().getDims();
  ExprAttr rows = q[2], columns = v[2];
  // Twice the pairs of a row and a column that it sees: row i sees i + 1.
  ExprAttr visible = sym::mul(sym::mul(rows, columns), 2);
  if (op.getCausal()) {
    ExprAttr partly = loop::getSmaller(facts, rows, columns);
    visible = sym::add(sym::mul(partly, sym::add(partly, 1)),
                       sym::mul(sym::mul(sym::sub(rows, partly), columns), 2));
  }
  ExprAttr flops =
      sym::mul(sym::mul(sym::mul(q[0], q[1]), visible), sym::add(q[3], v[3]));
  return getLibraryCost(
      {op.getQ(), op.getK(), op.getV(), op.getMask(), op.getO()}, op.getQ(),
      flops);
}

CostAttr Annotator::getCost(SortOp op) {
  // Comparisons are no operations on floats.
  ExprAttr none = sym::constant(context, 0);
  return get(sym::add(getBytes(op.getX()), sym::add(getBytes(op.getValues()),
                                                    getBytes(op.getIndices()))),
             none, none);
}

/// What a function computes is its own; it has to look at its buffers at least.
CostAttr Annotator::getCost(HostCallOpInterface op) {
  // Checks and the like are no steps; sizes of results are not known in front
  // of the call.
  if (!isa<ComputeOpInterface>(*op) || op->getNumResults() != 0)
    return {};
  ExprAttr bytes = sym::constant(context, 0);
  for (Value operand : op->getOperands())
    if (isa<BufferType>(operand.getType()))
      bytes = sym::add(bytes, getBytes(operand));
  return get(bytes, sym::constant(context, 0), sym::constant(context, 0));
}

CostAttr Annotator::get(Operation *op) {
  return llvm::TypeSwitch<Operation *, CostAttr>(op)
      .Case<LaunchOp, ContractionOp, ConvolutionOp, AttentionOp, SortOp>(
          [&](auto step) { return getCost(step); })
      .Case([&](HostCallOpInterface call) { return getCost(call); })
      .Default([](Operation *) { return CostAttr(); });
}

void Annotator::run() {
  fn.getBody().walk([&](Operation *op) {
    if (CostAttr cost = get(op))
      op->setAttr(kCostAttrName, cost);
  });
}

CostAttr coil::wrapper::computeStepCost(Operation *op) {
  auto fn = op->getParentOfType<FuncOp>();
  SymbolTable kernels(fn->getParentOp());
  return Annotator(fn, kernels).get(op);
}
