//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structure of a GPU kernel: function, items, loops.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Dialect/Loop/IR/RowOps.h"

#include "MmaEmitter.h"
#include "RegisterUse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// What a target has whose kernels can start before their predecessors end.
/// Those that only write do not: their blocks end sooner than a wait.
static constexpr llvm::StringLiteral kOverlappingLaunches = "dependent_launch";

GPUKernelEmitter::GPUKernelEmitter(KernelOp kernel, GPUScheduleAttr schedule,
                                   const GPUKernelLayout &layout,
                                   bool approximate, const GPUFacts &facts)
    : kernel(kernel), schedule(schedule), layout(layout), dependence(kernel),
      facts(facts), b(kernel.getLoc(), kernel),
      vectorDim(schedule.getVectorDim()), width(schedule.getVectorWidth()),
      form(kernel, layout, schedule.getVectorDim(), schedule.getVectorWidth(),
           schedule.getAlignTo()),
      indexBits(static_cast<unsigned>(schedule.getIndexBits())),
      indexType(IntegerType::get(kernel.getContext(), indexBits)),
      threadsP(schedule.getThreadsP()), threadsR(schedule.getThreadsR()),
      itemsP(schedule.getItemsP()), itemsR(schedule.getItemsR()),
      owners(schedule.getOwners()), persistent(schedule.getPersistent()),
      cluster(schedule.getCluster()), splitR(schedule.getSplitR()),
      prefetch(schedule.getPrefetch()), descending(schedule.getDescending()),
      overlaps(facts.has(kOverlappingLaunches) && !kernel.getInputs().empty()) {
  if (approximate)
    precision.emplace(kernel);
  if (schedule.getStrategy() != GPUStrategy::Transpose)
    return;
  // Nothing is reduced: `r` is the other dimension of the tile.
  transposeDim = schedule.getTransposeDim();
  threadsV = threadsP;
  threadsT = threadsR;
  itemsV = itemsP;
  itemsT = itemsR;
  tileV = width * threadsV * itemsV;
  tileT = threadsT * itemsT;
  threadsP *= threadsR;
  itemsP *= itemsR;
  threadsR = itemsR = 1;
}

void GPUKernelEmitter::analyze() {
  unsigned numDims = kernel.getNumDims();
  parallelSet.resize(numDims);
  reducedSet.resize(numDims);
  for (unsigned d : getGPUReducedDims(kernel, owners > 0))
    reducedSet.set(d);
  parallelSet = reducedSet;
  parallelSet.flip();
  for (unsigned d = 0; d < numDims; ++d)
    (reducedSet[d] ? reducedDims : parallelDims).push_back(d);
  vectorIsReduced =
      vectorDim >= 0 && reducedSet[static_cast<size_t>(vectorDim)];
  reducedIsFast = vectorIsReduced;
  keepsLoads = persistent && schedule.getStrategy() == GPUStrategy::Tile &&
               vectorIsReduced && isKeptAsLoaded(width, itemsP, itemsR);
  // The vector dimension is the innermost of its direction.
  if (vectorDim >= 0) {
    auto &dims = vectorIsReduced ? reducedDims : parallelDims;
    auto *it = llvm::find(dims, static_cast<unsigned>(vectorDim));
    std::rotate(it, it + 1, dims.end());
  }
  auto getTotal = [&](ArrayRef<unsigned> dims) {
    ExprAttr total = sym::constant(kernel.getContext(), 1);
    for (unsigned d : dims)
      total = sym::mul(total, form.getContext().getDimExtents()[d]);
    return total;
  };
  totalP = getTotal(parallelDims);
  totalR = getTotal(reducedDims);
  MLIRContext *ctx = kernel.getContext();
  if (owners > 1)
    totalP = sym::mul(totalP, owners);
  numBlocks = sym::ceilDiv(totalP, sym::constant(ctx, threadsP * itemsP));
  numBlocks = sym::mul(numBlocks, cluster);
  llvm::append_range(accumulations, kernel.getBlock()->getOps<AccumulateOp>());
  if (!accumulations.empty())
    numBlocks = sym::ceilDiv(
        totalP, sym::constant(ctx, static_cast<int64_t>(
                                       accumulations.front().getRows())));
  if (splitR)
    numBlocks = sym::mul(
        numBlocks, sym::ceilDiv(totalR, sym::constant(ctx, threadsR * itemsR)));
  if (transposeDim >= 0) {
    numBlocks = sym::constant(ctx, 1);
    for (unsigned d = 0; d < numDims; ++d) {
      ExprAttr count = kernel.getExtent(d);
      if (d == vectorDim || d == transposeDim)
        count = sym::ceilDiv(
            count, sym::constant(ctx, d == vectorDim ? tileV : tileT));
      numBlocks = sym::mul(numBlocks, count);
    }
  }

  if (schedule.getStrategy() == GPUStrategy::Box) {
    numBlocks = sym::constant(ctx, 1);
    SmallVector<int64_t> sizes(numDims, 1);
    for (BoxSide side : getBoxSides())
      sizes[side.dim] = side.size;
    for (unsigned d = 0; d < numDims; ++d)
      numBlocks =
          sym::mul(numBlocks, sym::ceilDiv(kernel.getExtent(d),
                                           sym::constant(ctx, sizes[d])));
  }

  int64_t spread = reducedIsFast ? 1 : threadsP, warp = facts.warpSize;
  lanesR = std::clamp<int64_t>(warp / std::min(spread, warp), 1, threadsR);
  groupsR = threadsR / lanesR;

  // A store waits for what it writes, and loads behind it would wait with it.
  auto isWrite = [](Operation &op) {
    return isa<StoreOp, ScatterOp, AccumulateOp>(op);
  };
  for (bool writes : {false, true})
    for (Operation &op : *kernel.getBlock())
      if (isWrite(op) == writes)
        order.push_back(&op);
  findOnlineSums();
  findCompensated();
  for (Operation &op : *kernel.getBlock()) {
    unsigned phase = 0;
    for (Value v : op.getOperands())
      if (Operation *def = v.getDefiningOp())
        phase = std::max(phase, phaseOf[def] + (isReduction(def) ? 1 : 0));
    if (ReduceOp max = onlineMax.lookup(&op))
      phase = phaseOf[max];
    phaseOf[&op] = phase;
    numPhases = std::max(numPhases, phase + 1);
    hasReductions |= isReduction(&op);
    BoundsPolicy bounds = BoundsPolicy::Trusted;
    if (auto load = dyn_cast<LoadOp>(op))
      bounds = load.getBounds();
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      bounds = scatter.getBounds();
    hasChecks |=
        bounds == BoundsPolicy::Check || bounds == BoundsPolicy::WrapCheck;
  }
}

wrapper::GeometryAttr GPUKernelEmitter::getGeometry() const {
  MLIRContext *ctx = totalP.getContext();
  ExprAttr one = sym::constant(ctx, 1);
  int64_t block[] = {threadsP * threadsR, 1, 1};
  return wrapper::GeometryAttr::get(
      ctx, sym::ShapeAttr::get(ctx, {numBlocks, one, one}), block, dynamicBytes,
      hasChecks, scratchBytes);
}

LogicalResult GPUKernelEmitter::checkSharedBytes(int64_t bytes, int64_t most) {
  if (bytes <= most)
    return success();
  return kernel.emitOpError("has a schedule that takes ") // (C5)
         << bytes << " bytes of shared memory, more than " << most
         << " of a block of " << static_cast<Attribute>(facts.target);
}

FailureOr<std::unique_ptr<MmaEmitter>> GPUKernelEmitter::getMmaEmitter() {
  MmaAttr mma = schedule.getMma();
  if (!mma)
    return std::unique_ptr<MmaEmitter>();
  bool isHalf = mma.getInstruction() == MmaInstruction::M16N8K16 ||
                mma.getInstruction() == MmaInstruction::Wgmma;
  std::string why;
  std::optional<ContractionForm> contractionForm = ContractionForm::match(
      kernel, layout, mma.getAsync(), /*widen=*/!isHalf, &why);
  if (contractionForm && isHalf && !contractionForm->isHalf)
    why = "its factors are not both bf16 or f16, extended to f32";
  if (contractionForm && mma.getInstruction() == MmaInstruction::M8N8K4 &&
      !contractionForm->reduce.getType().isF64())
    why = "its sums are not f64";
  if (contractionForm && mma.getInstruction() == MmaInstruction::M16N8K8) {
    if (contractionForm->isHalf || !contractionForm->reduce.getType().isF32())
      why = "its factors are not f32";
    else if (!contractionForm->reduce.getTf32())
      why = "its sum does not allow 'tf32'";
  }
  if (!why.empty()) { // (C10)
    kernel.emitOpError("has a schedule with the instruction '")
        << stringifyMmaInstruction(mma.getInstruction()) << "', but " << why;
    return failure();
  }
  if (schedule.getVectorDim() != contractionForm->vectorDim) { // (C10)
    kernel.emitOpError("has a schedule of a contraction with vectors along ")
        << schedule.getVectorDim() << ", but its results are rows along "
        << contractionForm->vectorDim;
    return failure();
  }
  // Sums lie as their points are counted, without gaps between rows.
  unsigned rowDim = static_cast<unsigned>(schedule.getVectorDim());
  if (width > 1 && contractionForm->b.dims.size() > 1 &&
      !isDivisible(kernel.getExtent(rowDim), width)) { // (C10)
    kernel.emitOpError("has a schedule of a contraction with vectors of ")
        << width << ", which cut its rows of "
        << kernel.getExtent(rowDim).str();
    return failure();
  }
  contractionForm->width = width;
  auto emitter =
      std::make_unique<MmaEmitter>(*this, std::move(*contractionForm));
  numBlocks = emitter->getNumBlocks();
  dynamicBytes = emitter->getSharedBytes();
  if (failed(checkSharedBytes(dynamicBytes, facts.blockSharedBytes)))
    return failure();
  return emitter;
}

Operation *GPUKernelEmitter::emit(OpBuilder &builder, StringRef name) {
  analyze();
  if (persistent && !splitR) { // (C4)
    int64_t vectors = cluster * threadsR * itemsR;
    ExprAttr capacity = sym::constant(kernel.getContext(), vectors);
    if (!form.getContext().isLessOrEqual(totalR, capacity)) {
      kernel.emitOpError("has a persistent schedule for ")
          << vectors << " reduced vectors but reduces up to " << totalR.str();
      return nullptr;
    }
  }
  if (schedule.getAlignTo() >= 0 &&
      !(form.getShift() && isOnlyReduced(vectorDim))) {
    kernel.emitOpError(
        "has a schedule that cuts vectors at addresses of buffer ")
        << schedule.getAlignTo()
        << ", which is not contiguous along the only reduced dimension";
    return nullptr;
  }
  bool isCut = vectorIsReduced && !form.isExact() && !isOnlyReduced(vectorDim);
  bool walksRows = !kernel.getColumnDims().empty();
  if (prefetch && (reducedDims.empty() || (isCut && !persistent) ||
                   (persistent && !walksRows))) { // (C11)
    kernel.emitOpError("has a schedule with 'prefetch', but ")
        << (reducedDims.empty() ? "it reduces nothing"
            : persistent        ? "a block has one row, which it keeps"
                                : "each of its rows has a vector that is cut");
    return nullptr;
  }
  FailureOr<std::unique_ptr<MmaEmitter>> mma = getMmaEmitter();
  if (failed(mma) || (schedule.getStages() > 0 && failed(prepareRing())))
    return nullptr;
  contraction = mma->get();
  MLIRContext *ctx = kernel.getContext();
  b.setInsertionPoint(builder.getInsertionBlock(), builder.getInsertionPoint());
  auto ptr = LLVM::LLVMPointerType::get(ctx, 1);
  size_t numInputs = kernel.getInputs().size();
  SmallVector<Type> types(layout.strides.size(), ptr);
  types.append(layout.symbols.size(), b.getI64Type());
  if (splitR)
    types.push_back(ptr);
  if (hasChecks)
    types.push_back(ptr);

  auto module = gpu::GPUModuleOp::create(b, name);
  b.setInsertionPointToStart(module.getBody());
  auto func =
      gpu::GPUFuncOp::create(b, name, b.getFunctionType(types, TypeRange()));
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(
      {static_cast<int32_t>(threadsP * threadsR), 1, 1}));
  if (cluster > 1)
    func.setKnownClusterSizeAttr(
        b.getDenseI32ArrayAttr({static_cast<int32_t>(cluster), 1, 1}));
  if (schedule.getMinBlocks() > 0 && facts.has(kPTX))
    func->setAttr("nvvm.minctasm", b.getI32IntegerAttr(static_cast<int32_t>(
                                       schedule.getMinBlocks())));
  for (unsigned i = 0; i < layout.strides.size(); ++i) {
    func.setArgAttr(i, "llvm.align", b.getI64IntegerAttr(layout.alignment[i]));
    if (layout.mayAlias[i])
      continue;
    func.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
    // Where the kernel before may still write, nothing is read-only throughout.
    if (i < numInputs && !overlaps)
      func.setArgAttr(i, "llvm.readonly", b.getUnitAttr());
    else if (i >= numInputs &&
             kernel.getStore(i - static_cast<unsigned>(numInputs)))
      func.setArgAttr(i, "llvm.writeonly", b.getUnitAttr());
  }
  Block *entry = &func.getBody().front();
  b.setInsertionPointToStart(entry);
  for (unsigned i = 0; i < layout.strides.size(); ++i)
    buffers.push_back(entry->getArgument(i));
  for (auto [i, symbol] : llvm::enumerate(layout.symbols))
    symbolValues[symbol.strref()] =
        entry->getArgument(static_cast<unsigned>(layout.strides.size() + i));
  if (hasChecks)
    errorWord = entry->getArguments().back();
  if (splitR)
    scratch =
        entry->getArgument(entry->getNumArguments() - (hasChecks ? 2 : 1));

  if (overlaps) {
    // Blocks that find room while the kernel before ends get here; from here on
    // what follows this kernel may do the same.
    inlinePTX("griddepcontrol.wait;", "~{memory}", {});
    inlinePTX("griddepcontrol.launch_dependents;", "~{memory}", {});
  }
  if (failed(emitBody())) {
    module.erase();
    return nullptr;
  }
  b.setInsertionPointToEnd(entry);
  gpu::ReturnOp::create(b);
  if ((!keptLoads.empty() || ring || !accumulations.empty() ||
       !stagedLoads.empty()) &&
      sharedBytes > facts.staticSharedBytes)
    dynamicBytes = sharedBytes;
  if (failed(checkSharedBytes(sharedBytes, dynamicBytes
                                               ? facts.blockSharedBytes
                                               : facts.staticSharedBytes))) {
    module.erase();
    return nullptr;
  }
  if (sharedBase) {
    // The size is known only now.
    b.setInsertionPointToStart(module.getBody());
    auto array = LLVM::LLVMArrayType::get(
        b.getI8Type(), dynamicBytes ? 0 : static_cast<uint64_t>(sharedBytes));
    auto global = LLVM::GlobalOp::create(
        b, array, /*isConstant=*/false,
        dynamicBytes ? LLVM::Linkage::External : LLVM::Linkage::Internal,
        (name + "_shared").str(), Attribute(),
        /*alignment=*/dynamicBytes ? 1024 : 16, /*addrSpace=*/3);
    auto address = cast<LLVM::AddressOfOp>(sharedBase.getDefiningOp());
    address.setGlobalName(global.getSymName());
  }
  return module;
}

Value GPUKernelEmitter::emitThreadId() {
  return arith::IndexCastUIOp::create(
      b, b.getI32Type(), gpu::ThreadIdOp::create(b, gpu::Dimension::x));
}

LogicalResult GPUKernelEmitter::emitBody() {
  if (transposeDim >= 0)
    return emitTransposed();
  if (schedule.getStrategy() == GPUStrategy::Box)
    return emitBox();
  if (contraction)
    return contraction->emit();
  auto id = [&](Value v, IntegerType type) -> Value {
    return arith::IndexCastUIOp::create(b, type, v);
  };
  Value thread = emitThreadId();
  // The fast direction has the low bits of the thread's number.
  int64_t fast = reducedIsFast ? threadsR : threadsP;
  int64_t slow = reducedIsFast ? threadsP : threadsR;
  Value low = thread, high;
  if (slow == 1) {
    high = constantI32(0);
  } else {
    high = arith::ShRUIOp::create(
        b, thread, constantI32(llvm::Log2_64(static_cast<uint64_t>(fast))));
    low = arith::AndIOp::create(b, thread, constantI32(fast - 1));
  }
  if (fast == 1)
    low = constantI32(0);
  threadP = reducedIsFast ? high : low;
  threadR = rowThread = reducedIsFast ? low : high;
  if (ring)
    return emitRing();
  if (!accumulations.empty())
    return emitChunk();

  bool isMany = !totalP.isConstant() || totalP.getValue() > threadsP * itemsP;
  Value block;
  if (splitR) {
    // The tiles of a row are blocks one after the other.
    block = id(gpu::BlockIdOp::create(b, gpu::Dimension::x), indexType);
    Value tilesOfRow = symbolExpr(
        sym::ceilDiv(totalR, sym::constant(b.getContext(), threadsR * itemsR)));
    tileNumber = arith::RemUIOp::create(b, block, tilesOfRow);
    block = arith::DivUIOp::create(b, block, tilesOfRow);
  } else if (isMany) {
    block = id(gpu::BlockIdOp::create(b, gpu::Dimension::x), indexType);
    if (descending)
      block =
          arith::SubIOp::create(b, symbolExpr(sym::add(numBlocks, -1)), block);
    if (cluster > 1)
      block = arith::DivUIOp::create(b, block, constant(cluster));
  }
  if (cluster > 1)
    enterCluster();
  Value point = toIndex(threadP);
  if (isMany) {
    auto flags =
        arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
    Value first =
        arith::MulIOp::create(b, block, constant(threadsP * itemsP), flags);
    point = arith::AddIOp::create(b, first, point, flags);
    blockPoint = first;
  }
  findStaged();
  bool exact = isDivisible(totalP, threadsP * itemsP);
  bool partial = vectorDim >= 0 && !vectorIsReduced && !form.isExact();
  // A warp of which no thread is needed may end: no other waits for it.
  bool independent =
      !splitR && cluster == 1 && stagedLoads.empty() &&
      (threadsR == 1 || (groupsR == 1 && reducedIsFast && lanesR == 32));
  if (itemsP == 1 && independent) {
    if (exact && !partial) {
      pItems = {getItem(point, parallelDims, totalP, false, false)};
      return emitPhases();
    }
    Item item = getItem(point, parallelDims, totalP, !exact, partial);
    Value active = item.active, full = item.full;
    item.active = item.full = Value();
    return emitIf(active, [&]() -> LogicalResult {
      if (!partial) {
        pItems = {item};
        return emitPhases();
      }
      Value lanes = item.lanes;
      auto choice = scf::IfOp::create(b, full, /*withElseRegion=*/true);
      for (bool whole : {true, false}) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(whole ? choice.thenBlock()
                                         : choice.elseBlock());
        values.clear();
        twoValues.clear();
        item.lanes = whole ? Value() : lanes;
        pItems = {item};
        if (failed(emitPhases()))
          return failure();
      }
      return success();
    });
  }
  pItems.clear();
  for (int64_t i = 0; i < itemsP; ++i)
    pItems.push_back(getItem(getPointBehind(point, i * threadsP), parallelDims,
                             totalP, !exact, partial));
  return emitPhases();
}

Value GPUKernelEmitter::getPointBehind(Value point, int64_t distance) {
  if (distance == 0)
    return point;
  return arith::AddIOp::create(b, point, constant(distance),
                               arith::IntegerOverflowFlags::nsw |
                                   arith::IntegerOverflowFlags::nuw);
}

GPUKernelEmitter::Item
GPUKernelEmitter::getItem(Value point, ArrayRef<unsigned> dims, ExprAttr total,
                          bool mayBeOutside, bool partial) {
  Item item;
  item.positions.resize(kernel.getNumDims());
  if (mayBeOutside)
    item.active = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, point,
                                        symbolExpr(total));
  if (owners > 1 && dims.data() == parallelDims.data()) {
    // All points of one owner are next to each other.
    Value points = symbolExpr(
        sym::floorDiv(totalP, sym::constant(b.getContext(), owners)));
    points = arith::MaxSIOp::create(b, points, constant(1));
    item.owner = arith::DivUIOp::create(b, point, points);
    point = arith::RemUIOp::create(b, point, points);
  }
  // Cut the number into positions, innermost dimension first.
  ArrayRef<ExprAttr> extents = form.getContext().getDimExtents();
  unsigned left = 0;
  for (unsigned d : dims)
    left += !extents[d].isConstant(1);
  for (unsigned d : llvm::reverse(dims)) {
    if (extents[d].isConstant(1)) {
      item.positions[d] = constant(0);
      continue;
    }
    if (--left == 0) {
      item.positions[d] = point;
      continue;
    }
    Value n = symbolExpr(extents[d]);
    // Nothing may trap where a dimension is empty.
    if (form.getContext().bounds(extents[d]).lo < 1)
      n = arith::MaxSIOp::create(b, n, constant(1));
    item.positions[d] = arith::RemUIOp::create(b, point, n);
    point = arith::DivUIOp::create(b, point, n);
  }
  if (partial && vectorDim >= 0 &&
      llvm::is_contained(dims, static_cast<unsigned>(vectorDim)))
    cutLanes(item);
  return item;
}

void GPUKernelEmitter::cutLanes(Item &item) {
  Value extent = symbolExpr(kernel.getExtent(static_cast<unsigned>(vectorDim)));
  Value begin = arith::MulIOp::create(
      b, item.positions[static_cast<size_t>(vectorDim)], constant(width));
  if (form.getShift())
    begin = arith::SubIOp::create(b, begin, symbolExpr(form.getShift()));
  Value rest = arith::SubIOp::create(b, extent, begin);
  auto isAtLeast = [&](Value x, int64_t least) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, x,
                                 constant(least));
  };
  item.full = isAtLeast(rest, width);
  if (form.getShift())
    item.full = both(item.full, isAtLeast(begin, 0));
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < width; ++lane) {
    Value in = isAtLeast(rest, lane + 1);
    if (form.getShift())
      in = both(in, isAtLeast(begin, -lane));
    lanes.push_back(both(in, item.active));
  }
  item.lanes = fromLanes(lanes);
  item.full = both(item.full, item.active);
}
