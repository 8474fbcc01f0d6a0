//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wrapper-lower-user-kernel`: compares a user's kernel with its
// parameters and makes it launchable.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/UserKernel/UserKernel.h"

#include "PTXText.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/TensorMap.h"
#include "coil/Dialect/Wrapper/IR/UserKernel.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace coil {
#define GEN_PASS_DEF_WRAPPERLOWERUSERKERNELPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

struct WrapperLowerUserKernel
    : coil::impl::WrapperLowerUserKernelPassBase<WrapperLowerUserKernel> {
  using WrapperLowerUserKernelPassBase::WrapperLowerUserKernelPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel.isUserKernel() || kernel.getGeometry() || kernel.getTotal())
      return;
    DeviceAttr device = kernel.getDeviceAttr();
    StringRef kind = device ? device.getKind() : "cpu";
    auto *dialect = kernel.getContext()->getLoadedDialect<WrapperDialect>();
    const DeviceInfo *info = dialect->lookupDevice(kind);
    if (!info) { // (C1)
      kernel.emitOpError() << "device '" << kind << "' is not registered";
      return signalPassFailure();
    }
    bool isForHost = !info->launchByGeometry;
    if (isForHost != StringRef(chip).empty())
      return; // Another device's pipeline takes it.
    passed.clear();
    for (auto each : kernel.getParameters()->getAsRange<ParamAttr>())
      if (each.isPassed())
        passed.push_back(each);
    if (info->tensorMapFunction.empty())
      for (ParamAttr each : passed)
        if (each.isTensorMap()) { // (C7)
          kernel.emitOpError() << "parameter '" << each.getName()
                               << "' takes a tensor map, which device '" << kind
                               << "' does not have";
          return signalPassFailure();
        }
    // What it means has been asked for all the time.
    if (FlatSymbolRefAttr reference = kernel.getReferenceAttr()) {
      kernel.lookupSymbol(reference.getAttr())->erase();
      kernel.removeReferenceAttr();
    }
    if (failed(isForHost ? lowerForHost(kernel, kind)
                         : lowerForGPU(kernel, kind)))
      signalPassFailure();
  }

private:
  LogicalResult lowerForHost(KernelOp kernel, StringRef kind);
  LogicalResult lowerForGPU(KernelOp kernel, StringRef kind);
  LogicalResult checkText(KernelOp kernel);
  LogicalResult checkModule(KernelOp kernel, gpu::GPUModuleOp module);
  /// Fails unless the function takes tensor maps by value.
  LogicalResult checkMaps(KernelOp kernel, FunctionOpInterface entry);
  /// Compares a function's parameters with those that are passed.
  LogicalResult checkTypes(KernelOp kernel, TypeRange types,
                           unsigned numBlockNumbers);
  std::string listPassed() const;

  SmallVector<ParamAttr> passed;
};

} // namespace

std::string WrapperLowerUserKernel::listPassed() const {
  std::string text;
  for (ParamAttr each : passed)
    text += (text.empty() ? "'" : ", '") + each.getName().str() + "'";
  return text.empty() ? "none" : text;
}

LogicalResult WrapperLowerUserKernel::checkTypes(KernelOp kernel,
                                                 TypeRange types,
                                                 unsigned numBlockNumbers) {
  if (types.size() != passed.size() + numBlockNumbers) { // (C4)
    InFlightDiagnostic diag = kernel.emitOpError()
                              << "its function '" << kernel.getEntryName()
                              << "' takes " << types.size() << " arguments but "
                              << passed.size() << " are passed ("
                              << listPassed() << ")";
    if (numBlockNumbers != 0)
      diag << " and the number of a block along x, y and z";
    return diag;
  }
  for (auto [i, type] : llvm::enumerate(types)) {
    bool isNumber = i >= passed.size();
    bool fits = isNumber               ? type.isInteger(64)
                : passed[i].isBuffer() ? isa<LLVM::LLVMPointerType>(type)
                                       : type == passed[i].getType();
    if (fits)
      continue;
    InFlightDiagnostic diag = // (C4)
        kernel.emitOpError()
        << "argument " << i << " of its function '" << kernel.getEntryName()
        << "' has type " << type << " but ";
    if (isNumber)
      return diag << "numbers of blocks are i64";
    diag << "'" << passed[i].getName() << "' is ";
    if (passed[i].isBuffer())
      return diag << "an address, !llvm.ptr";
    return diag << passed[i].getType();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The host's processor
//===----------------------------------------------------------------------===//

LogicalResult WrapperLowerUserKernel::lowerForHost(KernelOp kernel,
                                                   StringRef kind) {
  if (kernel.getPtx() || !kernel.getBlock()->getOps<gpu::GPUModuleOp>().empty())
    return kernel.emitOpError() // (C2)
           << "is code for a GPU, but device '" << kind
           << "' runs functions on the CPU of the host";
  MLIRContext *context = kernel.getContext();
  auto entry = kernel.lookupSymbol<FunctionOpInterface>(kernel.getEntryName());
  if (!isa_and_nonnull<func::FuncOp, LLVM::LLVMFuncOp>(entry) ||
      entry.isExternal())
    return kernel.emitOpError() << "its function '" << kernel.getEntryName()
                                << "' is no 'func.func' or 'llvm.func' with a "
                                   "body"; // (C3)
  if (failed(checkTypes(kernel, entry.getArgumentTypes(), 3)))
    return failure();
  bool returnsNothing =
      entry.getNumResults() == 0 ||
      (entry.getNumResults() == 1 &&
       isa<LLVM::LLVMVoidType>(entry.getResultTypes().front()));
  if (!returnsNothing)
    return kernel.emitOpError() << "its function '" << kernel.getEntryName()
                                << "' returns something"; // (C4)

  // Functions of several kernels may have the same names.
  StringRef name = kernel.getSymName();
  std::string inner = kernel.getEntryName().str();
  if (inner == name) {
    inner += ".block";
    SymbolTable table(kernel);
    if (failed(table.rename(entry, inner)))
      return failure();
  }
  LLVMTypeConverter converter(context);
  RewritePatternSet patterns(context);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addIllegalDialect<func::FuncDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  if (failed(applyPartialConversion(kernel, target, std::move(patterns))))
    return failure();
  for (auto function : kernel.getBlock()->getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      function.setLinkage(LLVM::Linkage::Internal);

  // What the device launches goes over the blocks that it is given.
  ImplicitLocOpBuilder b(kernel.getLoc(), context);
  b.setInsertionPointToEnd(kernel.getBlock());
  Type ptr = LLVM::LLVMPointerType::get(context), i64 = b.getI64Type();
  auto function = LLVM::LLVMFuncOp::create(
      b, name,
      LLVM::LLVMFunctionType::get(b.getI32Type(), {ptr, ptr, i64, i64}));
  Block *body = function.addEntryBlock(b);
  b.setInsertionPointToStart(body);
  Value arguments = body->getArgument(0), grid = body->getArgument(1);
  auto load = [&](Value base, unsigned index, Type type, Type slot) {
    Value address = LLVM::GEPOp::create(
        b, ptr, slot, base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    return LLVM::LoadOp::create(b, type, address).getResult();
  };
  SmallVector<Value> values;
  for (auto [i, parameter] : llvm::enumerate(passed)) {
    Value place = load(arguments, static_cast<unsigned>(i), ptr, ptr);
    values.push_back(LLVM::LoadOp::create(
        b, parameter.isBuffer() ? ptr : parameter.getType(), place));
  }
  Value sizeX = load(grid, 0, i64, i64), sizeY = load(grid, 1, i64, i64);
  Value step = arith::ConstantIntOp::create(b, 1, 64);
  auto loop =
      scf::ForOp::create(b, body->getArgument(2), body->getArgument(3), step);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value number = loop.getInductionVar();
    Value x = arith::RemUIOp::create(b, number, sizeX);
    Value row = arith::DivUIOp::create(b, number, sizeX);
    Value y = arith::RemUIOp::create(b, row, sizeY);
    Value z = arith::DivUIOp::create(b, row, sizeY);
    values.append({x, y, z});
    LLVM::CallOp::create(b, TypeRange(), inner, values);
  }
  Value ok = LLVM::ConstantOp::create(b, b.getI32Type(), 0);
  LLVM::ReturnOp::create(b, ok);
  kernel.setTotalAttr(sym::constant(context, 1));
  kernel.setGrain(1);
  return success();
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

LogicalResult WrapperLowerUserKernel::checkText(KernelOp kernel) {
  llvm::Expected<PTXText> text = parsePTX(*kernel.getPtx());
  if (!text) // (C3)
    return kernel.emitOpError() << llvm::toString(text.takeError());
  for (StringRef each : llvm::split(StringRef(chip), '+'))
    if (!runsOn(text->chip, each)) // (C5)
      return kernel.emitOpError() << "the PTX is for chip '" << text->chip
                                  << "' and does not run on '" << each << "'";
  std::string names;
  const PTXEntry *entry = nullptr;
  for (const PTXEntry &each : text->entries) {
    names += (names.empty() ? "'" : ", '") + each.name + "'";
    if (each.name == kernel.getEntryName())
      entry = &each;
  }
  if (!entry) // (C3)
    return kernel.emitOpError()
           << "the PTX has no entry '" << kernel.getEntryName() << "', it has "
           << (names.empty() ? "none" : names);
  if (entry->parameters.size() != passed.size()) // (C4)
    return kernel.emitOpError()
           << "the entry '" << entry->name << "' takes "
           << entry->parameters.size() << " arguments but " << passed.size()
           << " are passed (" << listPassed() << ")";
  for (auto [i, parameter] : llvm::enumerate(passed)) {
    unsigned bytes = parameter.isTensorMap() ? kTensorMapBytes
                     : parameter.isBuffer()
                         ? 8
                         : parameter.getType().getIntOrFloatBitWidth() / 8;
    if (entry->parameters[i] != bytes) // (C4)
      return kernel.emitOpError()
             << "argument " << i << " of the entry '" << entry->name << "' has "
             << entry->parameters[i] << " bytes but '" << parameter.getName()
             << "' has " << bytes;
    if (parameter.isTensorMap() &&
        entry->alignments[i] % kTensorMapAlignment != 0) // (C8)
      return kernel.emitOpError()
             << "argument " << i << " of the entry '" << entry->name
             << "' is the tensor map '" << parameter.getName()
             << "', which needs '.align 64'";
  }
  return success();
}

LogicalResult WrapperLowerUserKernel::checkModule(KernelOp kernel,
                                                  gpu::GPUModuleOp module) {
  auto entry = module.lookupSymbol<FunctionOpInterface>(kernel.getEntryName());
  if (!entry || entry.isExternal()) // (C3)
    return kernel.emitOpError() << "the 'gpu.module' has no function '"
                                << kernel.getEntryName() << "' with a body";
  if (auto function = dyn_cast<gpu::GPUFuncOp>(*entry)) {
    if (!function.isKernel()) // (C3)
      return kernel.emitOpError() << "the function '" << kernel.getEntryName()
                                  << "' is not marked as a kernel";
  } else if (!entry->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName())) {
    return kernel.emitOpError() << "the function '" << kernel.getEntryName()
                                << "' is not marked as a kernel";
  }
  return failure(failed(checkTypes(kernel, entry.getArgumentTypes(), 0)) ||
                 failed(checkMaps(kernel, entry)));
}

LogicalResult WrapperLowerUserKernel::checkMaps(KernelOp kernel,
                                                FunctionOpInterface entry) {
  for (auto [i, parameter] : llvm::enumerate(passed)) {
    if (!parameter.isTensorMap())
      continue;
    auto number = static_cast<unsigned>(i);
    auto type = entry.getArgAttrOfType<TypeAttr>(
        number, LLVM::LLVMDialect::getByValAttrName());
    auto bytes =
        type ? dyn_cast<LLVM::LLVMArrayType>(type.getValue()) : nullptr;
    auto align = entry.getArgAttrOfType<IntegerAttr>(
        number, LLVM::LLVMDialect::getAlignAttrName());
    bool isByValue =
        bytes && bytes.getElementType().isInteger(8) &&
        bytes.getNumElements() == kTensorMapBytes && align &&
        align.getInt() % kTensorMapAlignment == 0 &&
        entry.getArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName());
    if (!isByValue) // (C8)
      return kernel.emitOpError()
             << "argument " << i << " of its function '"
             << kernel.getEntryName() << "' is the tensor map '"
             << parameter.getName()
             << "', which an 'llvm.func' takes with {llvm.byval = "
                "!llvm.array<128 x i8>, llvm.align = 64, nvvm.grid_constant}";
  }
  return success();
}

LogicalResult WrapperLowerUserKernel::lowerForGPU(KernelOp kernel,
                                                  StringRef kind) {
  auto modules = kernel.getBlock()->getOps<gpu::GPUModuleOp>();
  if (auto file = kernel->getAttrOfType<StringAttr>(kPtxFileAttrName)) // (C3)
    return kernel.emitOpError()
           << "its file '" << file.getValue()
           << "' was not read, which 'wrapper-load-kernels' does";
  if (!kernel.getPtx() && modules.empty()) // (C2)
    return kernel.emitOpError()
           << "is code for the CPU of the host, but device '" << kind
           << "' runs PTX or a 'gpu.module'";
  if (!kernel.getThreads()) // (C6)
    return kernel.emitOpError()
           << "does not say of how many 'threads' a block is";
  if (failed(kernel.getPtx() ? checkText(kernel)
                             : checkModule(kernel, *modules.begin())))
    return failure();
  // Each launch brings its grid.
  MLIRContext *context = kernel.getContext();
  SmallVector<sym::ExprAttr> ones(3, sym::constant(context, 1));
  auto grid = sym::ShapeAttr::get(context, ones);
  auto shared = static_cast<int64_t>(kernel.getShared().value_or(0));
  if (failed(GeometryAttr::verify([&] { return kernel.emitOpError(); }, grid,
                                  *kernel.getThreads(), shared,
                                  /*errors=*/false, /*scratch=*/0)))
    return failure();
  kernel.setGeometryAttr(GeometryAttr::get(context, grid, *kernel.getThreads(),
                                           shared, /*errors=*/false,
                                           /*scratch=*/0));
  return success();
}
