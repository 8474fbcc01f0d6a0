//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `wrapper` dialect: registration, devices, attributes and types.
//
//===----------------------------------------------------------------------===//

#include "VerifyUtils.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Combination.h"
#include "coil/Dialect/Wrapper/IR/TensorMap.h"
#include "coil/Dialect/Wrapper/IR/Transfer.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "coil/Support/Registration.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <mutex>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

#include "coil/Dialect/Wrapper/IR/WrapperDialect.cpp.inc"
#include "coil/Dialect/Wrapper/IR/WrapperEnums.cpp.inc"
#include "coil/Dialect/Wrapper/IR/WrapperInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperTypes.cpp.inc"

void WrapperDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "coil/Dialect/Wrapper/IR/WrapperAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "coil/Dialect/Wrapper/IR/WrapperTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "coil/Dialect/Wrapper/IR/WrapperOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "coil/Dialect/Wrapper/IR/WrapperRuntimeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "coil/Dialect/Wrapper/IR/WrapperTransferOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "coil/Dialect/Wrapper/IR/WrapperCombinationOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "coil/Dialect/Wrapper/IR/WrapperTensorMapOps.cpp.inc"
      >();
  DeviceInfo cpu;
  cpu.kind = "cpu";
  cpu.runtimeType = 0; // COIL_CPU
  cpu.allocFunction = "coil_rt_alloc";
  cpu.freeFunction = "coil_rt_free";
  cpu.launchFunction = "coil_rt_launch_cpu";
  cpu.contractionFunction = "coil_rt_contraction";
  cpu.convolutionFunction = "coil_rt_convolution";
  cpu.sortFunction = "coil_rt_sort";
  cpu.itemFunction = "coil_rt_item";
  cpu.debugFunction = "coil_rt_debug_value";
  cpu.commAllocFunction = "coil_rt_comm_alloc";
  cpu.commFreeFunction = "coil_rt_comm_free";
  cpu.torchDevice = "cpu";
  cpu.hostAccessible = true;
  cpu.usesHostStack = true;
  registerDevice(std::move(cpu));
  // Kernels are compiled for it; no runtime serves it.
  DeviceInfo rocm;
  rocm.kind = "rocm";
  rocm.launchByGeometry = true;
  rocm.alignment = 256; // As hipMalloc.
  registerDevice(std::move(rocm));
  DeviceInfo cuda;
  cuda.kind = "cuda";
  cuda.runtimeType = 1; // COIL_CUDA
  cuda.allocFunction = "coil_rt_alloc_cuda";
  cuda.freeFunction = "coil_rt_free_cuda";
  cuda.launchFunction = "coil_rt_launch_cuda";
  cuda.launchByGeometry = true;
  cuda.contractionFunction = "coil_rt_contraction_cuda";
  cuda.convolutionFunction = "coil_rt_convolution_cuda";
  cuda.attentionFunction = "coil_rt_attention_cuda";
  cuda.sortFunction = "coil_rt_sort_cuda";
  cuda.inputFunction = "coil_rt_input_cuda";
  cuda.itemFunction = "coil_rt_item_cuda";
  cuda.debugFunction = "coil_rt_debug_value_cuda";
  cuda.alignment = 512; // As cuMemAlloc.
  cuda.copyFunction = "coil_rt_copy_cuda";
  cuda.fillFunction = "coil_rt_fill_cuda";
  cuda.constantFunction = "coil_rt_constant_cuda";
  cuda.launchUserFunction = "coil_rt_launch_user_cuda";
  cuda.tensorMapFunction = "coil_rt_tensor_map_cuda";
  cuda.guardFunction = "coil_run_set_cuda_device";
  cuda.streamFunction = "coil_run_set_stream";
  cuda.synchronizeFunction = "coil_run_synchronize";
  cuda.enterStreamFunction = "coil_rt_enter_stream_cuda";
  cuda.leaveStreamFunction = "coil_rt_leave_stream_cuda";
  cuda.recordEventFunction = "coil_rt_record_event_cuda";
  cuda.waitEventFunction = "coil_rt_wait_event_cuda";
  cuda.commAllocFunction = "coil_rt_comm_alloc_cuda";
  cuda.commFreeFunction = "coil_rt_comm_free_cuda";
  cuda.torchDevice = "cuda";
  cuda.python.guard = "torch.cuda.device({})";
  cuda.python.stream = "torch.cuda.current_stream({}).cuda_stream";
  cuda.python.synchronize = "torch.cuda.synchronize({})";
  cuda.python.makeStream = "torch.cuda.Stream({})";
  cuda.python.onStream = "torch.cuda.stream({})";
  cuda.python.recordEvent = "torch.cuda.current_stream({}).record_event()";
  cuda.python.waitEvent = "torch.cuda.current_stream({}).wait_event";
  cuda.kernelOptions = "target=cuda";
  cuda.partitionFunction = "coil_rt_partition_cuda";
  cuda.enterFunction = "coil_rt_enter_device_cuda";
  cuda.leaveFunction = "coil_rt_leave_device_cuda";
  registerDevice(std::move(cuda));
}

void WrapperDialect::registerDevice(DeviceInfo info) {
  // Every context registers its devices, from the same origins.
  static std::mutex mutex;
  static llvm::StringMap<std::string> origins;
  std::string origin = getRegistrationOrigin(__builtin_return_address(0));
  std::lock_guard<std::mutex> lock(mutex);
  std::string kind = info.kind;
  if (devices.count(kind)) {
    reportRegistrationError("device '" + llvm::Twine(kind) +
                            "' is registered twice: by '" + origins[kind] +
                            "' and by '" + origin + "'");
    return;
  }
  origins[kind] = std::move(origin);
  devices[kind] = std::move(info);
}

const DeviceInfo *WrapperDialect::lookupDevice(StringRef kind) const {
  auto it = devices.find(kind);
  return it == devices.end() ? nullptr : &it->second;
}

bool coil::wrapper::isAtStorage(Value v) {
  bool isAtStart = true;
  v = followDefinitions(v, [&](Value v) -> Value {
    auto view = v.getDefiningOp<ReinterpretOp>();
    if (!view)
      return {};
    isAtStart &= view.getOffset().isConstant(0);
    return view.getSource();
  });
  return isAtStart && !v.getDefiningOp<ViewLikeOpInterface>();
}

Value coil::wrapper::getStorage(Value buffer) {
  return followDefinitions(buffer, [](Value v) -> Value {
    auto view = v.getDefiningOp<ViewLikeOpInterface>();
    return view ? view.getViewSource() : Value();
  });
}

PoolAllocOp coil::wrapper::getCarving(Value buffer) {
  return followDefinitions(getStorage(buffer),
                           [](Value v) -> Value {
                             auto reuse = v.getDefiningOp<ReuseOp>();
                             return reuse ? getStorage(reuse.getSource())
                                          : Value();
                           })
      .getDefiningOp<PoolAllocOp>();
}

DeviceAttr coil::wrapper::getDevice(Type type) {
  if (auto pool = dyn_cast<PoolType>(type))
    return pool.getDevice();
  return cast<BufferType>(type).getDevice();
}

int64_t coil::wrapper::getAlignment(DeviceAttr device) {
  auto *dialect = device.getContext()->getLoadedDialect<WrapperDialect>();
  const DeviceInfo *info = dialect->lookupDevice(device.getKind());
  return info ? info->alignment : DeviceInfo().alignment;
}

//===----------------------------------------------------------------------===//
// DeviceAttr
//===----------------------------------------------------------------------===//

Attribute DeviceAttr::parse(AsmParser &parser, Type) {
  std::string kind;
  int64_t index = 0;
  if (parser.parseLess() || parser.parseString(&kind))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseInteger(index))
    return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), kind, index);
}

void DeviceAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getKind());
  if (getIndex() != 0)
    printer << ", " << getIndex();
  printer << '>';
}

//===----------------------------------------------------------------------===//
// GeometryAttr
//===----------------------------------------------------------------------===//

LogicalResult GeometryAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   sym::ShapeAttr grid, ArrayRef<int64_t> block,
                                   int64_t shared, bool, int64_t scratch) {
  if (grid.size() != 3 || block.size() != 3) // (C1)
    return emitError() << "expected three sizes of the grid and of a block but "
                          "got "
                       << grid.size() << " and " << block.size();
  for (ExprAttr e : grid.getDims()) { // (C2)
    bool onlySymbols = true;
    sym::walkLeaves(e, [&](ExprAttr l) { onlySymbols &= l.isSymbol(); });
    if (!onlySymbols)
      return emitError() << "grid has a size '" << e.str()
                         << "' that is not an expression over symbols";
  }
  int64_t threads = 1;
  for (int64_t n : block)
    threads = n > 0 && n <= 1024 ? threads * n : 1025;
  if (threads > 1024 || shared < 0 ||
      shared > std::numeric_limits<int32_t>::max()) // (C3)
    return emitError() << "a block of [" << block << "] threads with " << shared
                       << " bytes of shared memory is impossible";
  if (scratch < 0 || scratch % 16 != 0 ||
      scratch > std::numeric_limits<int32_t>::max()) // (C4)
    return emitError() << "'scratch' must be a multiple of 16 that is not "
                          "negative and below 2^31 but is "
                       << scratch;
  return success();
}

Attribute GeometryAttr::parse(AsmParser &parser, Type) {
  SmallVector<ExprAttr> grid;
  SmallVector<int64_t> block;
  int64_t shared = 0, scratch = 0;
  StringRef errors;
  SMLoc loc = parser.getCurrentLocation();
  auto parseSize = [&]() { return parser.parseInteger(block.emplace_back()); };
  if (parser.parseLess() || parser.parseKeyword("grid") ||
      parser.parseEqual() || sym::parseExprList(parser, grid) ||
      parser.parseComma() || parser.parseKeyword("block") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSize) ||
      parser.parseComma() || parser.parseKeyword("shared") ||
      parser.parseEqual() || parser.parseInteger(shared) ||
      parser.parseComma() || parser.parseKeyword("errors") ||
      parser.parseEqual() || parser.parseKeyword(&errors))
    return {};
  if (errors != "true" && errors != "false") {
    parser.emitError(parser.getCurrentLocation(), "expected 'true' or 'false'");
    return {};
  }
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("scratch") || parser.parseEqual() ||
       parser.parseInteger(scratch)))
    return {};
  if (parser.parseGreater())
    return {};
  MLIRContext *ctx = parser.getContext();
  return parser.getChecked<GeometryAttr>(loc, ctx,
                                         sym::ShapeAttr::get(ctx, grid), block,
                                         shared, errors == "true", scratch);
}

void GeometryAttr::print(AsmPrinter &printer) const {
  printer << "<grid = ";
  sym::printExprList(printer.getStream(), getGrid().getDims());
  printer << ", block = [";
  llvm::interleaveComma(getBlock(), printer);
  printer << "], shared = " << getShared()
          << ", errors = " << (getErrors() ? "true" : "false");
  if (getScratch() != 0)
    printer << ", scratch = " << getScratch();
  printer << '>';
}

//===----------------------------------------------------------------------===//
// CostAttr
//===----------------------------------------------------------------------===//

LogicalResult CostAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ExprAttr bytes, ExprAttr flops,
                               ExprAttr matrix) {
  for (ExprAttr e : {bytes, flops, matrix}) { // (C1)
    bool onlySymbols = true;
    if (e)
      sym::walkLeaves(e, [&](ExprAttr l) { onlySymbols &= l.isSymbol(); });
    if (!onlySymbols)
      return emitError() << "cost has a number '" << e.str()
                         << "' that is not an expression over symbols";
  }
  return success();
}

LogicalResult WrapperDialect::verifyOperationAttribute(Operation *op,
                                                       NamedAttribute attr) {
  if (attr.getName() == kCostAttrName &&
      (!isa<CostAttr>(attr.getValue()) || !isa<ComputeOpInterface>(op))) // (C2)
    return op->emitOpError() << "'" << kCostAttrName
                             << "' is the cost of a launch or library call";
  if (attr.getName() == kCombinationAttrName &&
      (!isa<FlatSymbolRefAttr>(attr.getValue()) || !isa<LaunchOp>(op))) // (C3)
    return op->emitOpError()
           << "'" << kCombinationAttrName << "' is the combination of a launch";
  return success();
}

//===----------------------------------------------------------------------===//
// BufferType
//===----------------------------------------------------------------------===//

BufferType BufferType::get(RankedTensorType tensor, ArrayRef<ExprAttr> strides,
                           DeviceAttr device) {
  MLIRContext *ctx = tensor.getContext();
  SmallVector<ExprAttr> sizes = sym::getSizes(tensor);
  SmallVector<ExprAttr> dense;
  if (strides.empty()) {
    dense = sym::getContiguousStrides(ctx, sizes);
    strides = dense;
  }
  return get(ctx, sym::ShapeAttr::get(ctx, sizes),
             sym::ShapeAttr::get(ctx, strides), tensor.getElementType(),
             device);
}

bool BufferType::isContiguous() const {
  return llvm::ArrayRef<ExprAttr>(sym::getContiguousStrides(
             getContext(), getSizes().getDims())) == getStrides().getDims();
}

RankedTensorType BufferType::getTensorType() const {
  return sym::getTensorType(getSizes().getDims(), getElementType());
}

int64_t BufferType::getElementBytes() const {
  return (getElementType().getIntOrFloatBitWidth() + 7) / 8;
}

ExprAttr BufferType::getStorageBytes() const {
  if (isContiguous())
    return sym::mul(sym::product(getContext(), getSizes().getDims()),
                    getElementBytes());
  ExprAttr last = sym::constant(getContext(), 1);
  for (auto [size, stride] :
       llvm::zip(getSizes().getDims(), getStrides().getDims()))
    last = sym::add(last, sym::mul(sym::add(size, -1), stride));
  return sym::mul(last, getElementBytes());
}

LogicalResult ObjectType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef className) {
  if (!isFunctionName(className)) // (C1)
    return emitError() << "object has the class '" << className
                       << "', expected a name of the form 'namespace::name'";
  return success();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 sym::ShapeAttr sizes, sym::ShapeAttr strides,
                                 Type elementType, DeviceAttr) {
  if (sizes.size() != strides.size()) // (C1)
    return emitError() << "buffer has " << sizes.size() << " sizes but "
                       << strides.size() << " strides";
  for (sym::ShapeAttr list : {sizes, strides}) { // (C2)
    for (ExprAttr e : list.getDims()) {
      bool onlySymbols = true;
      if (e)
        sym::walkLeaves(e, [&](ExprAttr l) { onlySymbols &= l.isSymbol(); });
      if (!e || !onlySymbols)
        return emitError() << "buffer has a size or stride '"
                           << (e ? e.str() : std::string("?"))
                           << "' that is not an expression over symbols";
    }
  }
  if (!elementType.isIntOrFloat() || // (C3)
      (elementType.getIntOrFloatBitWidth() % 8 != 0 &&
       !elementType.isInteger(1)))
    return emitError() << "buffer cannot have elements of type " << elementType;
  return success();
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<ExprAttr> sizes, strides;
  Type elementType;
  Attribute device;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || sym::parseExprList(parser, sizes) ||
      parser.parseComma())
    return {};
  if (succeeded(parser.parseOptionalKeyword("strides"))) {
    if (parser.parseEqual() || sym::parseExprList(parser, strides) ||
        parser.parseComma())
      return {};
  } else {
    strides = sym::getContiguousStrides(parser.getContext(), sizes);
  }
  if (parser.parseType(elementType) || parser.parseComma())
    return {};
  SMLoc deviceLoc = parser.getCurrentLocation();
  if (parser.parseAttribute(device))
    return {};
  auto deviceAttr = dyn_cast<DeviceAttr>(device);
  if (!deviceAttr) {
    parser.emitError(deviceLoc, "expected a device such as "
                                "'#wrapper.device<\"cpu\">'");
    return {};
  }
  if (parser.parseGreater())
    return {};
  MLIRContext *ctx = parser.getContext();
  return parser.getChecked<BufferType>(
      loc, ctx, sym::ShapeAttr::get(ctx, sizes),
      sym::ShapeAttr::get(ctx, strides), elementType, deviceAttr);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<';
  sym::printExprList(printer.getStream(), getSizes().getDims());
  if (!isContiguous()) {
    printer << ", strides = ";
    sym::printExprList(printer.getStream(), getStrides().getDims());
  }
  printer << ", " << getElementType() << ", " << getDevice() << '>';
}
