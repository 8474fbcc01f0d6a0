//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel for a GPU whose blocks do the work of several kernels.
//
//===----------------------------------------------------------------------===//

#include "ComboKernel.h"

#include "CodeRegisters.h"
#include "RegisterUse.h"
#include "coil/Conversion/Utils/ExprLowering.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include <algorithm>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

static constexpr unsigned kSharedSpace = 3;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

static gpu::GPUModuleOp getModule(KernelOp kernel) {
  return *kernel.getBlock()->getOps<gpu::GPUModuleOp>().begin();
}

static gpu::GPUFuncOp getFunc(KernelOp kernel) {
  return *getModule(kernel).getOps<gpu::GPUFuncOp>().begin();
}

/// Bytes of a global in shared memory whose contents nothing defines; none for
/// another global.
static std::optional<int64_t> getSharedBytes(LLVM::GlobalOp global) {
  auto array = dyn_cast<LLVM::LLVMArrayType>(global.getType());
  if (!array || !array.getElementType().isInteger(8) ||
      global.getAddrSpace() != kSharedSpace || global.getValueOrNull() ||
      !global.getInitializerRegion().empty())
    return std::nullopt;
  return static_cast<int64_t>(array.getNumElements());
}

/// The uses of the table of a batch: where the addresses of its inputs and of
/// its outputs begin. Nothing, if code uses it in another way.
static std::optional<SmallVector<LLVM::GEPOp>> getTableUses(KernelOp kernel,
                                                            Value table) {
  SmallVector<LLVM::GEPOp> found;
  for (Operation *user : table.getUsers()) {
    auto gep = dyn_cast<LLVM::GEPOp>(user);
    if (!gep || !gep.getDynamicIndices().empty() ||
        gep.getRawConstantIndices().size() != 1 ||
        !isa<LLVM::LLVMPointerType>(gep.getElemType()))
      return std::nullopt;
    auto at = static_cast<unsigned>(gep.getRawConstantIndices()[0]);
    // Only these two say by themselves whether they are of inputs.
    if (at != 0 && at != kernel.getNumInputs())
      return std::nullopt;
    found.push_back(gep);
  }
  return found;
}

ComboForm wrapper::getComboForm(KernelOp kernel) {
  ComboForm form;
  auto refuse = [&](const Twine &why) {
    form.why = why.str();
    return form;
  };
  if (kernel.isUserKernel())
    return refuse("its code is the user's");
  if (!kernel.getGeometry())
    return refuse("it does not run in blocks of threads");
  GeometryAttr geometry = *kernel.getGeometry();
  if (geometry.getErrors())
    return refuse("it checks indices, and a failed check names its launch");
  if (geometry.getScratch() != 0)
    return refuse("its blocks share scratch memory");
  auto modules = kernel.getBlock()->getOps<gpu::GPUModuleOp>();
  if (!llvm::hasSingleElement(modules) ||
      !llvm::hasSingleElement((*modules.begin()).getOps<gpu::GPUFuncOp>()))
    return refuse("its code is not one function");
  if (!geometry.getGrid()[2].isConstant(1) || geometry.getBlock()[1] != 1 ||
      geometry.getBlock()[2] != 1)
    return refuse("its blocks have more than one dimension");

  gpu::GPUFuncOp func = getFunc(kernel);
  if (!llvm::hasSingleElement(func.getBody()) ||
      func.getNumWorkgroupAttributions() > 0 ||
      func.getNumPrivateAttributions() > 0)
    return refuse("its function is not one block of code");
  for (NamedAttribute attr : func->getAttrs()) {
    StringRef name = attr.getName();
    if (name == "known_cluster_size" ||
        (name.contains('.') && name != "nvvm.minctasm" &&
         name != gpu::GPUDialect::getKernelFuncAttrName()))
      return refuse("its function has the attribute '" + name + "'");
  }
  size_t numBuffers =
      kernel.getBatch() ? 1 : kernel.getNumInputs() + kernel.getNumOutputs();
  if (func.getNumArguments() != numBuffers + kernel.getSymbols().size())
    return refuse("its function takes more than buffers and symbols");
  if (kernel.getBatch() && !getTableUses(kernel, func.getArgument(0)))
    return refuse("it is a combination, or its table is read in another way");

  form.threads = geometry.getBlock()[0];
  form.dynamicShared = geometry.getShared();
  for (Operation &op : *getModule(kernel).getBody()) {
    if (&op == func)
      continue;
    auto global = dyn_cast<LLVM::GlobalOp>(op);
    std::optional<int64_t> bytes =
        global ? getSharedBytes(global) : std::nullopt;
    if (!bytes)
      return refuse("its module has more than a function and shared memory");
    form.staticShared += *bytes;
  }
  WalkResult walk = func.walk([&](Operation *op) {
    if (isa<gpu::BarrierOp>(op)) {
      form.hasBarriers = true;
    } else if (isa<NVVM::BarrierOp, NVVM::Barrier0Op>(op)) {
      form.hasBarriers = true;
      form.canCountThreads = false;
    } else if (isa<gpu::GridDimOp, gpu::BlockDimOp, gpu::BlockIdOp>(op)) {
      return WalkResult::advance();
    } else if (isa<gpu::ClusterIdOp, gpu::ClusterDimOp, gpu::ClusterBlockIdOp,
                   gpu::GlobalIdOp>(op)) {
      return WalkResult::interrupt();
    } else if (auto code = dyn_cast<LLVM::InlineAsmOp>(op)) {
      StringRef text = code.getAsmString();
      form.overlaps |= text.contains("griddepcontrol.wait");
      if (text.contains("ctaid") || text.contains("cluster"))
        return WalkResult::interrupt();
      if (text.contains("bar.") || text.contains("barrier")) {
        form.hasBarriers = true;
        form.canCountThreads = false;
      }
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return refuse("its blocks run in clusters or read their number in PTX");
  form.registers = countRegisters(func);
  return form;
}

std::string wrapper::getConflict(const ComboForm &a, const ComboForm &b,
                                 const loop::GPUFacts &facts) {
  if (a.overlaps != b.overlaps)
    return "only one of both waits for the kernel before it";
  int64_t bytes = std::max(a.staticShared, b.staticShared),
          dynamic = std::max(a.dynamicShared, b.dynamicShared);
  if (dynamic > 0 ? bytes + dynamic > facts.blockSharedBytes
                  : bytes > facts.staticSharedBytes)
    return "their blocks need more shared memory than one block has";
  if (a.threads == b.threads)
    return {};
  const ComboForm &small = a.threads < b.threads ? a : b;
  if (small.threads % facts.warpSize != 0)
    return "the blocks of one have other threads, and not whole warps";
  // Each part alone has what its own blocks leave it.
  int64_t largest = std::max(a.threads, b.threads);
  int64_t left = loop::getThreadRegisters(facts.registers, largest,
                                          /*minBlocks=*/1);
  if (small.registers > left)
    return "the blocks of one have " + std::to_string(largest) +
           " threads, which leaves " + std::to_string(left) + " of the " +
           std::to_string(small.registers) +
           " registers that those of the other want";
  if (small.hasBarriers && !(small.canCountThreads && facts.has("ptx")))
    return "the blocks of one have fewer threads, which wait for a whole block";
  return {};
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {

/// Creates the function of a combination.
class ComboEmitter {
public:
  ComboEmitter(ArrayRef<ComboPart> parts, unsigned numSymbols)
      : parts(parts), numSymbols(numSymbols),
        b(KernelOp(parts.front().kernel).getContext()) {}

  /// Fills the module of \p combo.
  void emit(KernelOp combo, gpu::GPUModuleOp module, int64_t threads);

  /// Symbol number \p i of the combination.
  sym::ExprAttr getSymbol(unsigned i) {
    return sym::symbol(b.getContext(), ("c" + Twine(i)).str());
  }
  /// An expression over symbols of a part.
  sym::ExprAttr translate(const ComboPart &part, sym::ExprAttr e) {
    KernelOp kernel = part.kernel;
    return sym::substitute(e, [&](sym::ExprAttr leaf) -> sym::ExprAttr {
      if (!leaf.isSymbol())
        return {};
      for (auto [name, i] : llvm::zip(kernel.getSymbols(), part.symbols))
        if (cast<StringAttr>(name).getValue() == leaf.getName())
          return getSymbol(i);
      return {};
    });
  }
  /// Number of blocks of a part.
  sym::ExprAttr countBlocks(const ComboPart &part) {
    KernelOp kernel = part.kernel;
    ArrayRef<sym::ExprAttr> grid = kernel.getGeometry()->getGrid().getDims();
    return translate(part, sym::mul(grid[0], grid[1]));
  }

private:
  void createShared(gpu::GPUModuleOp module, StringRef name);
  void emitPart(size_t i, Value block, int64_t threads);
  void replaceId(const ComboPart &part, Operation *op, Value block);
  Value lower(sym::ExprAttr e) {
    return lowerExpr(b, loc(), e, [&](sym::ExprAttr leaf) -> Value {
      for (unsigned i = 0; i < numSymbols; ++i)
        if (leaf == getSymbol(i))
          return entry->getArgument(1 + i);
      return {};
    });
  }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc(), b.getI64Type(), value);
  }
  Location loc() { return b.getUnknownLoc(); }

  ArrayRef<ComboPart> parts;
  unsigned numSymbols;
  OpBuilder b;
  Block *entry = nullptr;
  /// The memory that stands for static and dynamic shared memory of all parts.
  LLVM::GlobalOp staticShared, dynamicShared;
  /// Where addresses of inputs and outputs of the next part are in the table.
  unsigned input = 0, output = 0;
};

} // namespace

/// A block does the work of one part, so parts have the same shared memory.
void ComboEmitter::createShared(gpu::GPUModuleOp module, StringRef name) {
  int64_t largest = 0;
  uint64_t alignment[2] = {1, 1};
  bool isDynamic = false;
  for (const ComboPart &part : parts)
    for (auto global : getModule(part.kernel).getOps<LLVM::GlobalOp>()) {
      int64_t bytes = *getSharedBytes(global);
      isDynamic |= bytes == 0;
      largest = std::max(largest, bytes);
      uint64_t &least = alignment[bytes == 0];
      least = std::max<uint64_t>(least, global.getAlignment().value_or(1));
    }
  b.setInsertionPointToStart(module.getBody());
  auto create = [&](int64_t bytes, StringRef suffix) {
    auto type =
        LLVM::LLVMArrayType::get(b.getI8Type(), static_cast<uint64_t>(bytes));
    return LLVM::GlobalOp::create(b, loc(), type, /*isConstant=*/false,
                                  bytes == 0 ? LLVM::Linkage::External
                                             : LLVM::Linkage::Internal,
                                  (name + suffix).str(), Attribute(),
                                  alignment[bytes == 0], kSharedSpace);
  };
  if (largest > 0)
    staticShared = create(largest, "_shared");
  if (isDynamic)
    dynamicShared = create(0, "_dynamic");
}

/// Replaces an op that says which block this is, or how many there are.
void ComboEmitter::replaceId(const ComboPart &part, Operation *op,
                             Value block) {
  KernelOp kernel = part.kernel;
  GeometryAttr geometry = *kernel.getGeometry();
  ArrayRef<sym::ExprAttr> grid = geometry.getGrid().getDims();
  auto lowerSize = [&](size_t d) { return lower(translate(part, grid[d])); };
  Value with;
  if (auto dim = dyn_cast<gpu::GridDimOp>(op)) {
    with = lowerSize(static_cast<size_t>(dim.getDimension()));
  } else if (auto dim = dyn_cast<gpu::BlockDimOp>(op)) {
    with =
        constant(geometry.getBlock()[static_cast<size_t>(dim.getDimension())]);
  } else {
    // Blocks of a batch are counted along the second dimension.
    gpu::Dimension along = cast<gpu::BlockIdOp>(op).getDimension();
    bool isBatch = !grid[1].isConstant(1);
    if (along == gpu::Dimension::z || (along == gpu::Dimension::y && !isBatch))
      with = constant(0);
    else if (!isBatch)
      with = block;
    else if (along == gpu::Dimension::x)
      with = arith::RemUIOp::create(b, loc(), block, lowerSize(0));
    else
      with = arith::DivUIOp::create(b, loc(), block, lowerSize(0));
  }
  op->getResult(0).replaceAllUsesWith(
      arith::IndexCastUIOp::create(b, loc(), b.getIndexType(), with));
  op->erase();
}

/// Copies the code of part number `i` to the insertion point.
void ComboEmitter::emitPart(size_t i, Value block, int64_t threads) {
  const ComboPart &part = parts[i];
  KernelOp kernel = part.kernel;
  gpu::GPUFuncOp func = getFunc(kernel);
  int64_t own = kernel.getGeometry()->getBlock()[0];
  if (own < threads) {
    Value thread = arith::IndexCastUIOp::create(
        b, loc(), b.getI64Type(),
        gpu::ThreadIdOp::create(b, loc(), gpu::Dimension::x));
    Value runs = arith::CmpIOp::create(b, loc(), arith::CmpIPredicate::ult,
                                       thread, constant(own));
    auto isThere = scf::IfOp::create(b, loc(), runs, /*withElseRegion=*/false);
    b.setInsertionPointToStart(isThere.thenBlock());
  }
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value table = entry->getArgument(0);
  IRMapping mapping;
  Block &body = func.getBody().front();
  auto getAddress = [&](unsigned at, Type type) -> Value {
    return LLVM::GEPOp::create(
        b, loc(), pointer, type, table,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(at)});
  };
  unsigned next = 1;
  if (!kernel.getBatch()) {
    next = kernel.getNumInputs() + kernel.getNumOutputs();
    for (unsigned k = 0; k < next; ++k) {
      unsigned at = k < kernel.getNumInputs()
                        ? input + k
                        : output + k - kernel.getNumInputs();
      Type type = func.getArgument(k).getType();
      mapping.map(func.getArgument(k),
                  LLVM::LoadOp::create(b, loc(), type, getAddress(at, type),
                                       /*alignment=*/8, /*isVolatile=*/false,
                                       /*isNonTemporal=*/false,
                                       /*isInvariant=*/true)
                      .getResult());
    }
  } else {
    mapping.map(func.getArgument(0), table);
    SmallVector<LLVM::GEPOp> starts =
        *getTableUses(kernel, func.getArgument(0));
    for (LLVM::GEPOp gep : starts) {
      bool isInput =
          gep.getRawConstantIndices()[0] == 0 && kernel.getNumInputs() > 0;
      mapping.map(gep.getResult(),
                  getAddress(isInput ? input : output, gep.getElemType()));
    }
  }
  for (auto [k, symbol] : llvm::enumerate(part.symbols))
    mapping.map(func.getArgument(next + static_cast<unsigned>(k)),
                entry->getArgument(1 + symbol));
  input += kernel.getNumInputs();
  output += kernel.getNumOutputs();

  SymbolTable globals(getModule(kernel));
  // What depends on the number of the block stays where that is known.
  OpBuilder::InsertPoint end = b.saveInsertionPoint();
  SmallVector<Operation *> copies;
  for (Operation &op : body.without_terminator()) {
    if (op.getNumResults() == 1 && mapping.contains(op.getResult(0)))
      continue;
    copies.push_back(b.clone(op, mapping));
  }
  SmallVector<Operation *> found;
  for (Operation *copy : copies)
    copy->walk([&](Operation *op) {
      if (isa<LLVM::AddressOfOp, gpu::BarrierOp, gpu::BlockIdOp, gpu::GridDimOp,
              gpu::BlockDimOp>(op))
        found.push_back(op);
    });
  for (Operation *op : found) {
    b.setInsertionPoint(op);
    if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
      auto global = globals.lookup<LLVM::GlobalOp>(address.getGlobalName());
      bool isDynamic = *getSharedBytes(global) == 0;
      address.setGlobalName(
          (isDynamic ? dynamicShared : staticShared).getSymName());
    } else if (!isa<gpu::BarrierOp>(op)) {
      replaceId(part, op, block);
    } else if (own < threads) {
      // The other threads of the block never come.
      auto number = [&](int64_t n) -> Value {
        return arith::ConstantIntOp::create(b, loc(), b.getI32Type(), n);
      };
      // Not `nvvm.barrier`, whose text with locations cannot be read again.
      LLVM::CallIntrinsicOp::create(
          b, op->getLoc(),
          b.getStringAttr("llvm.nvvm.barrier.cta.sync.aligned.count"),
          ValueRange{number(0), number(own)});
      op->erase();
    }
  }
  b.restoreInsertionPoint(end);
}

void ComboEmitter::emit(KernelOp combo, gpu::GPUModuleOp module,
                        int64_t threads) {
  StringRef name = combo.getSymName();
  createShared(module, name);
  for (ComboPart part : parts)
    output += part.kernel.getNumInputs();
  unsigned numBuffers = combo.getNumInputs() + combo.getNumOutputs();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  SmallVector<Type> types = {pointer};
  types.append(numSymbols, b.getI64Type());
  b.setInsertionPointToEnd(module.getBody());
  auto func = gpu::GPUFuncOp::create(b, combo.getLoc(), name,
                                     b.getFunctionType(types, TypeRange()));
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  // Registers are those of the part that needs most: no part asks for fewer.
  auto array = LLVM::LLVMArrayType::get(
      LLVM::LLVMPointerType::get(b.getContext(), 1), numBuffers);
  func.setArgAttr(0, "llvm.byval", TypeAttr::get(array));
  func.setArgAttr(0, "llvm.align", b.getI64IntegerAttr(8));
  entry = &func.getBody().front();
  b.setInsertionPointToStart(entry);
  Value block = arith::IndexCastUIOp::create(
      b, loc(), b.getI64Type(),
      gpu::BlockIdOp::create(b, loc(), gpu::Dimension::x));
  sym::ExprAttr first = sym::constant(b.getContext(), 0);
  for (size_t i = 0; i < parts.size(); ++i) {
    Value own = block;
    if (i > 0)
      own = arith::SubIOp::create(b, loc(), block, lower(first));
    first = sym::add(first, countBlocks(parts[i]));
    if (i + 1 == parts.size()) {
      emitPart(i, own, threads);
      break;
    }
    Value isOwn = arith::CmpIOp::create(b, loc(), arith::CmpIPredicate::ult,
                                        block, lower(first));
    auto choice = scf::IfOp::create(b, loc(), isOwn, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    emitPart(i, own, threads);
    b.setInsertionPointToStart(choice.elseBlock());
  }
  b.setInsertionPointToEnd(entry);
  gpu::ReturnOp::create(b, loc());
}

KernelOp wrapper::createComboKernel(ArrayRef<ComboPart> parts,
                                    unsigned numSymbols, StringRef name,
                                    SymbolTable &symbols) {
  KernelOp last = parts.back().kernel;
  MLIRContext *ctx = last.getContext();
  OpBuilder b(ctx);
  b.setInsertionPointAfter(last);
  ComboEmitter emitter(parts, numSymbols);
  SmallVector<Attribute> inputStrides, outputStrides, names;
  SmallVector<Location> locations;
  SmallVector<int64_t> pairs, alignment;
  int64_t threads = 0, shared = 0;
  sym::ExprAttr total = sym::constant(ctx, 0);
  auto numInputs = [&] { return static_cast<int64_t>(inputStrides.size()); };
  auto numOutputs = [&] { return static_cast<int64_t>(outputStrides.size()); };
  for (const ComboPart &part : parts) {
    KernelOp kernel = part.kernel;
    locations.push_back(kernel.getLoc());
    ArrayRef<int64_t> own = kernel.getInPlace().value_or(ArrayRef<int64_t>());
    for (size_t i = 0; i + 1 < own.size(); i += 2) {
      pairs.push_back(own[i] + numInputs());
      pairs.push_back(own[i + 1] + numOutputs());
    }
    if (std::optional<ArrayRef<int64_t>> given = kernel.getAlignment())
      llvm::append_range(alignment, *given);
    else
      alignment.append(kernel.getNumInputs(), 16);
    auto add = [&](ArrayAttr from, SmallVectorImpl<Attribute> &to) {
      for (auto strides : from.getAsRange<sym::ShapeAttr>()) {
        SmallVector<sym::ExprAttr> dims;
        for (sym::ExprAttr e : strides.getDims())
          dims.push_back(emitter.translate(part, e));
        to.push_back(sym::ShapeAttr::get(ctx, dims));
      }
    };
    add(kernel.getInputStrides(), inputStrides);
    add(kernel.getOutputStrides(), outputStrides);
    GeometryAttr geometry = *kernel.getGeometry();
    threads = std::max(threads, geometry.getBlock()[0]);
    shared = std::max(shared, geometry.getShared());
    total = sym::add(total, emitter.countBlocks(part));
  }
  for (unsigned i = 0; i < numSymbols; ++i)
    names.push_back(b.getStringAttr(emitter.getSymbol(i).getName()));

  OperationState state(b.getFusedLoc(locations), KernelOp::getOperationName());
  state.addRegion();
  auto combo = cast<KernelOp>(b.create(state));
  combo.setSymName(name);
  combo.setInputStridesAttr(b.getArrayAttr(inputStrides));
  combo.setOutputStridesAttr(b.getArrayAttr(outputStrides));
  combo.setSymbolsAttr(b.getArrayAttr(names));
  if (last.getDeviceAttr())
    combo.setDeviceAttr(last.getDeviceAttr());
  if (!pairs.empty())
    combo.setInPlaceAttr(b.getDenseI64ArrayAttr(pairs));
  combo.setAlignmentAttr(b.getDenseI64ArrayAttr(alignment));
  // Its buffers are in a table, and its blocks in one row.
  combo.setBatchAttr(b.getI64IntegerAttr(1));
  sym::ExprAttr one = sym::constant(ctx, 1);
  combo.setGeometryAttr(GeometryAttr::get(
      ctx, sym::ShapeAttr::get(ctx, {total, one, one}), {threads, 1, 1}, shared,
      /*errors=*/false, /*scratch=*/0));
  symbols.insert(combo);
  b.createBlock(&combo.getBody());
  auto module = gpu::GPUModuleOp::create(b, combo.getLoc(), combo.getSymName());
  emitter.emit(combo, module, threads);
  return combo;
}
