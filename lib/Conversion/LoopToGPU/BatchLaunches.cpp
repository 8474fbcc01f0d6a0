//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins independent launches of one GPU kernel.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/LoopToGPU/LoopToGPU.h"

#include "ComboKernel.h"
#include "LaunchMotion.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace coil {
#define GEN_PASS_DEF_WRAPPERBATCHGPULAUNCHESPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

/// Buffers of the program's own that may live longer than planned.
static constexpr int64_t kMaxMovedBytes = int64_t(1) << 20;

namespace {

/// Launches that become one, the first of which stays where it is.
struct Batch {
  SmallVector<LaunchOp> launches;
  /// The number of the first in its block.
  int64_t position = 0;
};

/// Finds batches in a block, in one pass forward.
class Finder {
public:
  Finder(SymbolTable &symbols) : symbols(symbols) {}

  SmallVector<Batch> run(Block &block);

private:
  SymbolTable &symbols;
};

struct WrapperBatchGPULaunchesPass
    : coil::impl::WrapperBatchGPULaunchesPassBase<WrapperBatchGPULaunchesPass> {
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

size_t wrapper::getBatchLimit(KernelOp kernel) {
  if (!kernel || !kernel.getGeometry() || kernel.getBatch())
    return 1;
  GeometryAttr geometry = *kernel.getGeometry();
  auto modules = kernel.getBlock()->getOps<gpu::GPUModuleOp>();
  if (geometry.getErrors() || geometry.getScratch() != 0 ||
      !geometry.getGrid()[1].isConstant(1) ||
      !geometry.getGrid()[2].isConstant(1) ||
      !llvm::hasSingleElement(modules) ||
      !llvm::hasSingleElement((*modules.begin()).getOps<gpu::GPUFuncOp>()))
    return 1;
  uint64_t buffers = kernel.getNumInputs() + kernel.getNumOutputs();
  uint64_t words = kMaxArgumentBytes / 8 - kernel.getSymbols().size();
  return buffers == 0 ? 1 : std::max<uint64_t>(words / buffers, 1);
}

SmallVector<Batch> Finder::run(Block &block) {
  LaunchMotion motion(block, [](sym::ExprAttr bytes) {
    return bytes.isConstant() && bytes.getValue() <= kMaxMovedBytes;
  });
  SmallVector<Batch> batches;
  // The last batch of each kernel and symbols.
  llvm::DenseMap<std::pair<Attribute, Attribute>, size_t> open;
  for (Operation &op : block) {
    int64_t number = motion.enter(op);
    if (!getBoundSymbols(&op).empty())
      open.clear(); // Nothing moves to where its symbols are not bound.
    auto launch = dyn_cast<LaunchOp>(op);
    size_t limit =
        launch ? getBatchLimit(symbols.lookup<KernelOp>(launch.getCallee()))
               : 1;
    if (limit < 2) {
      motion.record(op, number);
      continue;
    }
    std::pair<Attribute, Attribute> key = {launch.getCalleeAttr(),
                                           launch.getSymbolsAttr()};
    auto found = open.find(key);
    if (found != open.end()) {
      Batch &batch = batches[found->second];
      if (batch.launches.size() < limit &&
          motion.canMove(launch, batch.position)) {
        batch.launches.push_back(launch);
        motion.record(op, batch.position);
        continue;
      }
    }
    open[key] = batches.size();
    batches.push_back({{launch}, number});
    motion.record(op, number);
  }
  llvm::erase_if(batches, [](const Batch &b) { return b.launches.size() < 2; });
  return batches;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Makes `func` find its buffers in a table.
static void useTable(gpu::GPUFuncOp func, unsigned numInputs,
                     unsigned numOutputs, unsigned count) {
  MLIRContext *ctx = func.getContext();
  Location loc = func.getLoc();
  Block *entry = &func.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(entry);
  unsigned numBuffers = numInputs + numOutputs;
  Type element = entry->getArgument(0).getType();
  auto pointer = LLVM::LLVMPointerType::get(ctx);
  Value table = entry->insertArgument(0u, pointer, loc);

  Value y = arith::IndexCastUIOp::create(
      b, loc, b.getI64Type(),
      gpu::BlockIdOp::create(b, loc, gpu::Dimension::y));
  auto getRow = [&](unsigned first, unsigned width) -> Value {
    Value offset = arith::MulIOp::create(
        b, loc, y, arith::ConstantIntOp::create(b, loc, b.getI64Type(), width));
    Value start = LLVM::GEPOp::create(
        b, loc, pointer, element, table,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(first)});
    return LLVM::GEPOp::create(b, loc, pointer, element, start,
                               ArrayRef<LLVM::GEPArg>{offset});
  };
  Value inputs = getRow(0, numInputs),
        outputs = getRow(count * numInputs, numOutputs);
  for (unsigned i = 0; i < numBuffers; ++i) {
    bool isInput = i < numInputs;
    Value place = LLVM::GEPOp::create(
        b, loc, pointer, element, isInput ? inputs : outputs,
        ArrayRef<LLVM::GEPArg>{
            static_cast<int32_t>(isInput ? i : i - numInputs)});
    Value buffer = LLVM::LoadOp::create(
        b, loc, element, place, /*alignment=*/8, /*isVolatile=*/false,
        /*isNonTemporal=*/false, /*isInvariant=*/true);
    entry->getArgument(1 + i).replaceAllUsesWith(buffer);
  }
  entry->eraseArguments(1, numBuffers);

  SmallVector<DictionaryAttr> attrs;
  auto array = LLVM::LLVMArrayType::get(element, uint64_t(count) * numBuffers);
  attrs.push_back(b.getDictionaryAttr(
      {b.getNamedAttr("llvm.byval", TypeAttr::get(array)),
       b.getNamedAttr("llvm.align", b.getI64IntegerAttr(8))}));
  for (unsigned i = numBuffers; i < func.getNumArguments(); ++i)
    attrs.push_back(func.getArgAttrDict(i) ? func.getArgAttrDict(i)
                                           : b.getDictionaryAttr({}));
  func.setFunctionType(
      b.getFunctionType(entry->getArgumentTypes(), TypeRange()));
  func.setAllArgAttrs(attrs);
}

KernelOp wrapper::createBatchKernel(KernelOp kernel, unsigned count,
                                    SymbolTable &symbols) {
  OpBuilder b(kernel);
  b.setInsertionPointAfter(kernel);
  auto copy = cast<KernelOp>(b.clone(*kernel));
  copy.setSymName((kernel.getSymName() + "_x" + Twine(count)).str());
  symbols.insert(copy);
  auto module = *copy.getBlock()->getOps<gpu::GPUModuleOp>().begin();
  auto func = *module.getOps<gpu::GPUFuncOp>().begin();
  module.setSymName(copy.getSymName());
  SymbolTable::setSymbolName(func, copy.getSymName());
  unsigned numInputs = kernel.getNumInputs(),
           numOutputs = kernel.getNumOutputs();
  useTable(func, numInputs, numOutputs, count);

  auto repeat = [&](ArrayAttr list) {
    SmallVector<Attribute> all;
    for (unsigned k = 0; k < count; ++k)
      llvm::append_range(all, list);
    return b.getArrayAttr(all);
  };
  copy.setInputStridesAttr(repeat(kernel.getInputStrides()));
  copy.setOutputStridesAttr(repeat(kernel.getOutputStrides()));
  SmallVector<int64_t> pairs, alignment;
  for (unsigned k = 0; k < count; ++k) {
    ArrayRef<int64_t> own = kernel.getInPlace().value_or(ArrayRef<int64_t>());
    for (size_t i = 0; i + 1 < own.size(); i += 2) {
      pairs.push_back(own[i] + int64_t(k) * numInputs);
      pairs.push_back(own[i + 1] + int64_t(k) * numOutputs);
    }
    llvm::append_range(alignment,
                       kernel.getAlignment().value_or(ArrayRef<int64_t>()));
  }
  if (kernel.getInPlace())
    copy.setInPlaceAttr(b.getDenseI64ArrayAttr(pairs));
  if (kernel.getAlignment())
    copy.setAlignmentAttr(b.getDenseI64ArrayAttr(alignment));
  copy.setBatchAttr(b.getI64IntegerAttr(count));
  GeometryAttr geometry = *kernel.getGeometry();
  SmallVector<sym::ExprAttr> grid(geometry.getGrid().getDims());
  grid[1] = sym::constant(b.getContext(), count);
  copy.setGeometryAttr(GeometryAttr::get(
      b.getContext(), sym::ShapeAttr::get(b.getContext(), grid),
      geometry.getBlock(), geometry.getShared(), geometry.getErrors(),
      geometry.getScratch()));
  return copy;
}

void WrapperBatchGPULaunchesPass::runOnOperation() {
  SymbolTable symbols(getOperation());
  llvm::DenseMap<std::pair<Operation *, size_t>, KernelOp> made;
  llvm::SetVector<Operation *> changed;
  SmallVector<Block *> blocks;
  for (auto fn : getOperation().getOps<FuncOp>())
    llvm::append_range(blocks, getLaunchBlocks(fn));
  for (Block *block : blocks)
    for (const Batch &batch : Finder(symbols).run(*block)) {
      size_t count = batch.launches.size();
      LaunchOp first = batch.launches.front();
      auto kernel = symbols.lookup<KernelOp>(first.getCallee());
      changed.insert(kernel);
      KernelOp &joined = made[{kernel, count}];
      if (!joined)
        joined =
            createBatchKernel(kernel, static_cast<unsigned>(count), symbols);
      joinLaunches(batch.launches, joined, first.getSymbols());
    }
  for (Operation *kernel : changed)
    if (SymbolTable::symbolKnownUseEmpty(kernel, getOperation()))
      symbols.erase(kernel);
}
