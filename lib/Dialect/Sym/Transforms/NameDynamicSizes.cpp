//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `sym-name-dynamic-sizes`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Sym/Transforms/IndexValues.h"
#include "coil/Dialect/Sym/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Traits.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace coil::sym {
#define GEN_PASS_DEF_SYMNAMEDYNAMICSIZESPASS
#include "coil/Dialect/Sym/Transforms/Passes.h.inc"
} // namespace coil::sym

using namespace mlir;
using namespace coil;
using namespace coil::sym;

/// Rounds in which constants that the analysis finds make types static.
static constexpr unsigned kMaxRounds = 4;

static bool hasUnnamedSize(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::is_contained(getSizes(tensor), ExprAttr());
}

//===----------------------------------------------------------------------===//
// Sizes of all tensors of a function
//===----------------------------------------------------------------------===//

namespace {

class SizeAnalysis {
public:
  SizeAnalysis(func::FuncOp fn, Bounds bounds);

  /// Fails with a diagnostic at the operation whose sizes are unknown or
  /// contradictory.
  LogicalResult run();

  /// The size of a tensor of the function.
  ExprAttr getSize(Value tensor, int64_t dim) const;
  /// The value of an integer; null if it is none of sizes.
  ExprAttr getNumber(OpFoldResult value) const;
  /// Symbols that types of arguments mention, in order.
  ArrayRef<StringRef> getSymbols() const { return symbols; }

private:
  LogicalResult visit(Operation *op);
  LogicalResult visitLinalg(linalg::LinalgOp op);
  LogicalResult visitBroadcast(Operation *op);
  LogicalResult reify(Operation *op);
  /// `sizes` as far as they are known, else what the type says.
  LogicalResult define(Operation *op, Value tensor, ArrayRef<ExprAttr> sizes);
  /// States that two sizes are the same number.
  LogicalResult equate(Operation *op, ExprAttr a, ExprAttr b);
  ExprAttr resolve(ExprAttr e) const;
  SmallVector<ExprAttr> getSizesOf(Value tensor) const;

  mutable func::FuncOp fn;
  Context context;
  DenseMap<Value, SmallVector<ExprAttr>> sizes;
  /// What symbols turned out to be.
  llvm::StringMap<ExprAttr> substitution;
  SmallVector<StringRef> symbols;
  llvm::StringMap<char> names;
};

} // namespace

SizeAnalysis::SizeAnalysis(func::FuncOp fn, Bounds bounds)
    : fn(fn), context(Context::forOp(fn)) {
  if (auto known = fn->getAttrOfType<DictionaryAttr>(kSymbolsAttrName))
    for (NamedAttribute each : known)
      names.try_emplace(each.getName().getValue());
  unsigned next = 0;
  for (BlockArgument arg : fn.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (!type)
      continue;
    SmallVector<ExprAttr> dims = coil::sym::getSizes(type);
    for (ExprAttr &dim : dims) {
      if (dim)
        continue;
      std::string name;
      do
        name = "s" + std::to_string(next++);
      while (names.contains(name));
      auto entry = names.try_emplace(name).first;
      symbols.push_back(entry->getKey());
      dim = symbol(fn.getContext(), name);
      context.setSymbol(name, bounds);
    }
    sizes[arg] = dims;
  }
}

ExprAttr SizeAnalysis::resolve(ExprAttr e) const {
  if (!e)
    return e;
  // What replaces a symbol has been resolved before; one that is replaced
  // later may occur in it.
  ExprAttr last;
  while (e != last) {
    last = e;
    e = substitute(e, [&](ExprAttr leaf) -> ExprAttr {
      return leaf.isSymbol() ? substitution.lookup(leaf.getName()) : ExprAttr();
    });
  }
  return context.simplify(e);
}

SmallVector<ExprAttr> SizeAnalysis::getSizesOf(Value tensor) const {
  if (auto found = sizes.find(tensor); found != sizes.end())
    return llvm::map_to_vector(found->second,
                               [&](ExprAttr e) { return resolve(e); });
  return coil::sym::getSizes(cast<RankedTensorType>(tensor.getType()));
}

ExprAttr SizeAnalysis::getSize(Value tensor, int64_t dim) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return {};
  return getSizesOf(tensor)[static_cast<size_t>(dim)];
}

ExprAttr SizeAnalysis::getNumber(OpFoldResult value) const {
  ExprAttr e = IndexValues::evaluate(
      value, fn.getContext(), context,
      [&](Value tensor, int64_t dim) { return getSize(tensor, dim); }, nullptr);
  return e ? resolve(e) : e;
}

LogicalResult SizeAnalysis::equate(Operation *op, ExprAttr a, ExprAttr b) {
  if (!a || !b)
    return success();
  a = resolve(a);
  b = resolve(b);
  if (a == b)
    return success();
  // (C3)
  if (a.isConstant() && b.isConstant())
    return op->emitOpError() << "needs equal sizes, but they are " << a.str()
                             << " and " << b.str();
  // The symbol that is younger, and a symbol rather than anything else.
  auto isOurs = [&](ExprAttr e) {
    return e.isSymbol() && llvm::is_contained(symbols, e.getName());
  };
  auto getAge = [&](ExprAttr e) {
    return llvm::find(symbols, e.getName()) - symbols.begin();
  };
  if (isOurs(a) && isOurs(b) && getAge(a) < getAge(b))
    std::swap(a, b);
  if (!isOurs(a))
    std::swap(a, b);
  // Sizes that are only equal at run time are for whoever relies on that.
  if (isOurs(a) && !mentions(b, a))
    substitution[a.getName()] = b;
  return success();
}

LogicalResult SizeAnalysis::define(Operation *op, Value tensor,
                                   ArrayRef<ExprAttr> known) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<ExprAttr> result = coil::sym::getSizes(type);
  for (auto [d, size] : llvm::enumerate(result)) {
    ExprAttr found = d < known.size() ? known[d] : ExprAttr();
    if (size) {
      if (failed(equate(op, size, found)))
        return failure();
      continue;
    }
    // (C2)
    if (!found)
      return op->emitOpError()
             << "has a result whose size " << d
             << " cannot be computed from the sizes of the function's "
                "arguments";
    size = found;
  }
  sizes[tensor] = result;
  return success();
}

LogicalResult SizeAnalysis::visitLinalg(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return success(); // The conversion says why that is not supported.
  // Operands agree along each loop that one of them walks by itself.
  SmallVector<ExprAttr> extents(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<ExprAttr> dims = getSizesOf(operand.get());
    for (auto [expr, size] : llvm::zip(map.getResults(), dims)) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      ExprAttr &extent = extents[dim.getPosition()];
      if (!extent)
        extent = size;
      else if (failed(equate(op, extent, size)))
        return failure();
    }
  }
  return success();
}

LogicalResult SizeAnalysis::visitBroadcast(Operation *op) {
  SmallVector<ExprAttr> result(
      cast<RankedTensorType>(op->getResult(0).getType()).getRank());
  for (Value v : op->getOperands()) {
    if (!isa<RankedTensorType>(v.getType()))
      continue;
    SmallVector<ExprAttr> dims = getSizesOf(v);
    MutableArrayRef<ExprAttr> last =
        MutableArrayRef(result).take_back(dims.size());
    for (auto [known, size] : llvm::zip(last, dims)) {
      // A size of one is repeated; others are the same.
      if (!known || known.isConstant(1))
        known = size;
      else if (!size.isConstant(1) && failed(equate(op, known, size)))
        return failure();
    }
  }
  return define(op, op->getResult(0), result);
}

LogicalResult SizeAnalysis::reify(Operation *op) {
  OpBuilder builder(op);
  ReifiedRankedShapedTypeDims shapes;
  // What it builds is only read, and removed as soon as that is done.
  Operation *before = op->getPrevNode();
  LogicalResult known = reifyResultShapes(builder, op, shapes);
  SmallVector<SmallVector<ExprAttr>> results;
  if (succeeded(known))
    for (auto &shape : shapes)
      results.push_back(llvm::map_to_vector(
          shape, [&](OpFoldResult v) { return getNumber(v); }));
  while (Operation *made = op->getPrevNode()) {
    if (made == before)
      break;
    made->erase();
  }
  results.resize(op->getNumResults());
  for (auto [tensor, found] : llvm::zip(op->getResults(), results))
    if (isa<RankedTensorType>(tensor.getType()) &&
        failed(define(op, tensor, found)))
      return failure();
  return success();
}

LogicalResult SizeAnalysis::visit(Operation *op) {
  if (auto ret = dyn_cast<func::ReturnOp>(op)) {
    for (auto [value, type] :
         llvm::zip(ret.getOperands(), fn.getFunctionType().getResults()))
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        for (auto [have, want] :
             llvm::zip(getSizesOf(value), coil::sym::getSizes(tensor)))
          if (failed(equate(op, have, want)))
            return failure();
    return success();
  }
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    if (failed(visitLinalg(structured)))
      return failure();
  if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return success();
  bool isKnown = llvm::none_of(op->getResultTypes(), hasUnnamedSize);
  auto numbers = [&](ArrayRef<OpFoldResult> values) {
    return llvm::map_to_vector(values,
                               [&](OpFoldResult v) { return getNumber(v); });
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tensor::CastOp cast) {
        return define(op, cast.getDest(),
                      isa<RankedTensorType>(cast.getSource().getType())
                          ? getSizesOf(cast.getSource())
                          : SmallVector<ExprAttr>());
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        return define(op, expand.getResult(),
                      numbers(expand.getMixedOutputShape()));
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        SmallVector<ExprAttr> from = getSizesOf(collapse.getSrc()), to;
        for (ArrayRef<int64_t> group : collapse.getReassociationIndices()) {
          ExprAttr size = constant(fn.getContext(), 1);
          for (int64_t d : group)
            size = mul(size, from[static_cast<size_t>(d)]);
          to.push_back(size);
        }
        return define(op, collapse.getResult(), to);
      })
      .Case([&](tensor::GenerateOp generate) {
        SmallVector<ExprAttr> found;
        auto type = llvm::cast<RankedTensorType>(generate.getType());
        unsigned next = 0;
        for (int64_t size : type.getShape())
          found.push_back(ShapedType::isDynamic(size)
                              ? getNumber(generate.getDynamicExtents()[next++])
                              : constant(fn.getContext(), size));
        return define(op, generate.getResult(), found);
      })
      .Case([&](DestinationStyleOpInterface destination) {
        for (OpOperand &init : destination.getDpsInitsMutable())
          if (isa<RankedTensorType>(init.get().getType()))
            if (failed(define(op, destination.getTiedOpResult(&init),
                              getSizesOf(init.get()))))
              return failure();
        return success();
      })
      .Case([&](ReifyRankedShapedTypeOpInterface) { return reify(op); })
      .Default([&](Operation *) {
        if (OpTrait::hasElementwiseMappableTraits(op)) {
          SmallVector<ExprAttr> shape;
          for (Value v : op->getOperands()) {
            if (!isa<RankedTensorType>(v.getType()))
              continue;
            SmallVector<ExprAttr> each = getSizesOf(v);
            if (shape.empty())
              shape = each;
            for (auto [a, b] : llvm::zip(shape, each))
              if (failed(equate(op, a, b)))
                return failure();
          }
          return define(op, op->getResult(0), shape);
        }
        if (isKnown)
          return success();
        if (op->hasTrait<OpTrait::ResultsBroadcastableShape>() &&
            op->getNumResults() == 1)
          return visitBroadcast(op);
        return LogicalResult(op->emitOpError(
            "has results with dynamic sizes, which are not known for this "
            "operation"));
      });
}

LogicalResult SizeAnalysis::run() {
  for (Operation &op : llvm::make_early_inc_range(fn.getBody().front()))
    if (failed(visit(&op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Makes sizes of an expansion static that have to be constants, which upstream
/// folds for other operations. Returns whether there was any.
static bool materializeSizes(tensor::ExpandShapeOp op,
                             const SizeAnalysis &analysis) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  OpBuilder builder(op);
  for (auto [d, size] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(size))
      if (auto number = analysis.getSize(op.getResult(), d).getConstant()) {
        size = *number;
        sizes[d] = builder.getIndexAttr(size);
      }
  if (ArrayRef(shape) == type.getShape())
    return false;
  // A dimension that is dynamic is made of one that is.
  for (auto [from, group] : llvm::zip_equal(op.getSrcType().getShape(),
                                            op.getReassociationIndices()))
    if (ShapedType::isDynamic(from) != llvm::any_of(group, [&](int64_t d) {
          return ShapedType::isDynamic(shape[static_cast<size_t>(d)]);
        }))
      return false;
  Value made = tensor::ExpandShapeOp::create(
      builder, op.getLoc(), type.clone(shape), op.getSrc(),
      op.getReassociationIndices(), sizes);
  op.replaceAllUsesWith(
      tensor::CastOp::create(builder, op.getLoc(), type, made).getResult());
  op.erase();
  return true;
}

/// Makes the types of arguments static where a size has to be a constant, and
/// index arithmetic that gives one an `arith.constant`. Returns whether there
/// was any.
static bool materializeConstants(func::FuncOp fn,
                                 const SizeAnalysis &analysis) {
  bool changed = false;
  OpBuilder builder = OpBuilder::atBlockBegin(&fn.getBody().front());
  for (BlockArgument arg : fn.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (!type || type.getEncoding())
      continue;
    SmallVector<int64_t> shape(type.getShape());
    for (auto [d, size] : llvm::enumerate(shape))
      if (ShapedType::isDynamic(size))
        if (auto number = analysis.getSize(arg, d).getConstant())
          size = *number;
    if (ArrayRef(shape) == type.getShape())
      continue;
    changed = true;
    arg.setType(type.clone(shape));
    auto cast = tensor::CastOp::create(builder, arg.getLoc(), type, arg);
    arg.replaceAllUsesExcept(cast, cast);
  }
  for (Operation &op : llvm::make_early_inc_range(fn.getBody().front())) {
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      changed |= materializeSizes(expand, analysis);
      continue;
    }
    if (op.getNumResults() != 1 || !op.getResult(0).getType().isIndex() ||
        op.hasTrait<OpTrait::ConstantLike>() || op.use_empty())
      continue;
    ExprAttr number = analysis.getNumber(op.getResult(0));
    if (!number || !number.isConstant())
      continue;
    changed = true;
    builder.setInsertionPoint(&op);
    op.getResult(0).replaceAllUsesWith(arith::ConstantIndexOp::create(
        builder, op.getLoc(), number.getValue()));
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct SymNameDynamicSizes
    : sym::impl::SymNameDynamicSizesPassBase<SymNameDynamicSizes> {
  using SymNameDynamicSizesPassBase::SymNameDynamicSizesPassBase;

  void runOnOperation() override;
  LogicalResult canonicalize();
};
} // namespace

static void updateFunctionType(func::FuncOp fn) {
  Block &body = fn.getBody().front();
  fn.setFunctionType(
      FunctionType::get(fn.getContext(), body.getArgumentTypes(),
                        body.getTerminator()->getOperandTypes()));
}

LogicalResult SymNameDynamicSizes::canonicalize() {
  OpPassManager pm(func::FuncOp::getOperationName());
  pm.addPass(createCanonicalizerPass());
  return runPipeline(pm, getOperation());
}

/// Whether dynamic sizes of the result's type are operands of the operation, so
/// that a type alone cannot become static.
static bool hasSizeOperands(Operation *op) {
  return isa<tensor::EmptyOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp,
             tensor::GenerateOp, tensor::SplatOp>(op);
}

/// Writes what the analysis found into all types. Fails where a size is a
/// constant that the type does not have and cannot get.
static LogicalResult setTypes(func::FuncOp fn, const SizeAnalysis &analysis) {
  SmallVector<std::pair<Value, Type>> types;
  auto collect = [&](Value v, Operation *op) -> LogicalResult {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    if (!type || !hasUnnamedSize(type))
      return success();
    SmallVector<ExprAttr> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      sizes.push_back(analysis.getSize(v, d));
      if (type.isDynamicDim(static_cast<unsigned>(d)) &&
          sizes.back().isConstant() && hasSizeOperands(op))
        return op->emitOpError()
               << "has a tensor whose size " << d << " is always "
               << sizes.back().str() << ", but not static in its type";
    }
    types.push_back({v, getTensorType(sizes, type.getElementType())});
    return success();
  };
  for (BlockArgument arg : fn.getArguments())
    if (failed(collect(arg, fn)))
      return failure();
  for (Operation &op : fn.getBody().front())
    for (Value v : op.getResults())
      if (failed(collect(v, &op)))
        return failure();
  for (auto [v, type] : types)
    v.setType(type);
  updateFunctionType(fn);
  return success();
}

void SymNameDynamicSizes::runOnOperation() {
  func::FuncOp fn = getOperation();
  if (fn.isExternal())
    return;
  bool isNamed = llvm::none_of(fn.getArgumentTypes(), hasUnnamedSize);
  if (isNamed)
    isNamed = !fn->walk([](Operation *op) {
                   return llvm::any_of(op->getResultTypes(), hasUnnamedSize)
                              ? WalkResult::interrupt()
                              : WalkResult::advance();
                 }).wasInterrupted();
  if (isNamed)
    return;
  // (C1)
  if (!fn.getBody().hasOneBlock()) {
    fn.emitOpError("has dynamic sizes and branches between blocks; sizes are "
                   "named in functions of one block");
    return signalPassFailure();
  }
  Bounds bounds{least, RangeAttr::kInf};
  if (failed(canonicalize()))
    return signalPassFailure();
  for (unsigned round = 0;; ++round) {
    SizeAnalysis analysis(fn, bounds);
    if (failed(analysis.run()))
      return signalPassFailure();
    if (round < kMaxRounds && materializeConstants(fn, analysis)) {
      updateFunctionType(fn);
      if (failed(canonicalize()))
        return signalPassFailure();
      continue;
    }
    if (failed(setTypes(fn, analysis)))
      return signalPassFailure();
    // Symbols that another one replaced are in no type.
    llvm::SmallPtrSet<Attribute, 8> used;
    for (Type type : fn.getArgumentTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        for (ExprAttr size : coil::sym::getSizes(tensor))
          walkLeaves(size, [&](ExprAttr leaf) {
            used.insert(StringAttr::get(&getContext(), leaf.getName()));
          });
    SmallVector<NamedAttribute> attrs;
    if (auto known = fn->getAttrOfType<DictionaryAttr>(kSymbolsAttrName))
      attrs.append(known.begin(), known.end());
    auto range =
        RangeAttr::get(&getContext(), least, RangeAttr::kInf,
                       hint > 0 ? std::optional<int64_t>(hint) : std::nullopt);
    for (StringRef name : analysis.getSymbols())
      if (auto attr = StringAttr::get(&getContext(), name); used.contains(attr))
        attrs.emplace_back(attr, range);
    if (!attrs.empty())
      fn->setAttr(kSymbolsAttrName, DictionaryAttr::get(&getContext(), attrs));
    return;
  }
}
