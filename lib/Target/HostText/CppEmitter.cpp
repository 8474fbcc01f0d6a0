//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of host programs as statements of C++.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"

#include "coil/Runtime/Runtime.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// The name of each coil_dtype in C.
static constexpr StringLiteral kDTypes[] = {
    "COIL_BOOL", "COIL_I8",  "COIL_U8",  "COIL_I16",      "COIL_U16",
    "COIL_I32",  "COIL_U32", "COIL_I64", "COIL_U64",      "COIL_F16",
    "COIL_BF16", "COIL_F32", "COIL_F64", "COIL_F8E4M3FN", "COIL_F8E5M2"};

/// Parameters of the functions of devices.
static constexpr StringLiteral kAllocate = "coil_run *, int64_t, void **",
                               kFree = "coil_run *, void *",
                               kItem = "coil_run *, const void *, int32_t, "
                                       "void *",
                               kCopy = "coil_run *, void *, const void *, "
                                       "int64_t",
                               kFill = "coil_run *, void *, int32_t, int64_t",
                               kConstant = "coil_run *, const void *, int64_t, "
                                           "void **";

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

std::string CppEmitter::defineAddress(Value v) {
  if (!isInFrame())
    return "void *" + define(v);
  std::string place = "f.addresses[" + std::to_string(frame.addresses++) + "]";
  setName(v, place);
  return place;
}

std::string CppEmitter::defineScalar(Value v) {
  bool isBool = v.getType().isInteger(1);
  if (!isInFrame())
    return (isBool ? "bool " : "double ") + define(v);
  std::string place = isBool
                          ? "f.bools[" + std::to_string(frame.bools++) + "]"
                          : "f.floats[" + std::to_string(frame.floats++) + "]";
  setName(v, place);
  return place;
}

std::string CppEmitter::defineSymbol(StringRef name) {
  if (!isInFrame())
    return "int64_t " + bindSymbol(name);
  std::string place = bindSymbol(name, "f.");
  frame.symbols.push_back(StringRef(place).drop_front(2).str());
  return place;
}

std::string CppEmitter::handleType(const DeviceInfo &device) {
  return "coil::Buffer<" + deviceFunction(device.freeFunction, kFree) + ">";
}

std::string CppEmitter::defineHandle(Value v, const std::string &type) {
  handles.insert(v);
  if (!isInFrame()) {
    std::string name = define(v);
    out.line(type + " " + name + ";");
    return name;
  }
  auto entry = llvm::find_if(
      frame.handles, [&](const auto &each) { return each.first == type; });
  if (entry == frame.handles.end())
    entry = frame.handles.insert(entry, {type, 0});
  std::string place = "f.buffers" +
                      std::to_string(entry - frame.handles.begin()) + "[" +
                      std::to_string(entry->second++) + "]";
  setName(v, place);
  return place;
}

std::string CppEmitter::address(Value v) {
  return handles.contains(v) ? name(v) + ".get()" : name(v);
}

std::string CppEmitter::printCall(StringRef function,
                                  ArrayRef<std::string> arguments) {
  return ("COIL_TRY(" + function + "(run, " + llvm::join(arguments, ", ") +
          "));")
      .str();
}

std::string CppEmitter::list(ArrayRef<ExprAttr> exprs) {
  return "coil::List<int64_t, " + std::to_string(exprs.size()) + ">{{" +
         printList(exprs) + "}}.values";
}

std::string CppEmitter::addressList(ValueRange values) {
  SmallVector<std::string> parts;
  for (Value v : values)
    parts.push_back(address(v));
  return "coil::List<void *, " + std::to_string(parts.size()) + ">{{" +
         llvm::join(parts, ", ") + "}}.values";
}

std::string CppEmitter::elementAddress(Value v, ExprAttr offset) {
  if (!offset || offset.isConstant(0))
    return address(v);
  return "coil::offset(" + address(v) + ", " + print(offset) + ", " +
         std::to_string(type(v).getElementBytes()) + ")";
}

std::string CppEmitter::where(Operation *op) {
  std::string place = findPlace(op->getLoc());
  return place.empty() ? "nullptr" : quote(place);
}

std::optional<std::string> CppEmitter::dtypeName(Operation *op, Type type) {
  std::optional<int32_t> dtype = getDType(op, type);
  if (!dtype)
    return std::nullopt;
  return kDTypes[*dtype].str();
}

std::string CppEmitter::deviceFunction(const std::string &name,
                                       StringRef parameters) {
  // The runtime's own are in its headers.
  if (!StringRef(name).starts_with("coil_rt_") &&
      !StringRef(name).starts_with("coil_run_"))
    now.declarations[name] =
        ("extern \"C\" int32_t " + name + "(" + parameters + ");").str();
  return name;
}

const DeviceInfo *CppEmitter::requireLibrary(Operation *op, DeviceAttr attr,
                                             std::string DeviceInfo::*function,
                                             StringRef what) {
  const DeviceInfo *device = getDevice(op, attr);
  if (device && (device->*function).empty()) {
    op->emitOpError() << "device '" << device->kind << "' has no library for "
                      << what;
    return nullptr;
  }
  return device;
}

std::string CppEmitter::printFloatLiteral(double value) {
  if (std::isnan(value))
    return "__builtin_nan(\"\")";
  if (std::isinf(value))
    return value < 0 ? "-__builtin_inf()" : "__builtin_inf()";
  return printFloat(value);
}

void CppEmitter::emitScalar(Value result, const std::string &text) {
  // The op may read what has the same name no more.
  out.line(defineScalar(result) + " = " + text + ";");
}

void CppEmitter::emitRange(StringRef symbol, const std::string &variable,
                           const Twine &origin) {
  sym::Bounds range = getRange(symbol);
  std::string what = ("symbol '" + symbol + "'" + origin + " is ").str();
  auto check = [&](StringRef relation, int64_t bound, StringRef text) {
    std::string number =
        bound == INT64_MIN ? "INT64_MIN" : std::to_string(bound);
    out.line("COIL_CHECK(run, " + variable + " " + relation + " " + number +
             ", " + quote(what + text.str()) + ", " + variable + ", " + number +
             ");");
  };
  if (range.lo != INT64_MIN)
    check(">=", range.lo, "below its lower bound");
  if (range.hi != INT64_MAX)
    check("<=", range.hi, "above its upper bound");
}

void CppEmitter::emitMultiple(const std::string &variable, int64_t divisor,
                              const Twine &what) {
  std::string by = std::to_string(divisor);
  out.line("COIL_CHECK(run, " + variable + " % " + by + " == 0, " +
           quote((what + " is not a multiple of its divisor").str()) + ", " +
           variable + ", " + by + ");");
}

//===----------------------------------------------------------------------===//
// Symbols and checks
//===----------------------------------------------------------------------===//

LogicalResult CppEmitter::emit(InputSymbolOp op) {
  StringRef property = stringifyProperty(op.getProperty());
  unsigned number = cast<BlockArgument>(op.getSource()).getArgNumber();
  std::string given = ("inputs[" + Twine(number) + "]." + property + "s[" +
                       Twine(op.getDim()) + "]")
                          .str();
  std::string solution = printSolution(op, given);
  out.line(defineSymbol(op.getSymbol()) + " = " + solution + ";");
  emitRange(op.getSymbol(), symbol(op.getSymbol()),
            " (" + property + " " + Twine(op.getDim()) + " of input '" +
                inputName(currentFunction, number) + "')");
  return success();
}

LogicalResult CppEmitter::emit(SymExprOp op) {
  std::string value = print(op.getExpr());
  out.line(defineSymbol(op.getSymbol()) + " = " + value + ";");
  return success();
}

LogicalResult CppEmitter::emit(wrapper::AssertOp op) {
  out.line("COIL_CHECK(run, " +
           printCompare(op.getLhs(), op.getPredicate(), op.getRhs()) + ", " +
           quote(op.getMessage()) + ", " + print(op.getLhs()) + ", " +
           print(op.getRhs()) + ");");
  return success();
}

LogicalResult CppEmitter::emit(AssertLayoutOp op) {
  BufferType t = type(op.getSource());
  // Arrays have the layout that the signature says.
  if (t.getRank() == 0 ||
      (isArrayEntry(currentFunction) && isa<BlockArgument>(op.getSource())))
    return success();
  std::string layout =
      list(t.getSizes().getDims()) + ", " + list(t.getStrides().getDims());
  auto arg = dyn_cast<BlockArgument>(op.getSource());
  if (arg && op.copiesOtherLayouts())
    out.line(printCall("coil_rt_match_layout",
                       {"&inputs[" + std::to_string(arg.getArgNumber()) + "]",
                        quote(op.getName()), layout, "&" + name(arg)}));
  else if (arg)
    out.line(printCall("coil_rt_check_layout",
                       {"&inputs[" + std::to_string(arg.getArgNumber()) + "]",
                        quote(op.getName()), layout}));
  else
    out.line(printCall("coil::checkResult",
                       {shapes.at(op.getSource()), std::to_string(t.getRank()),
                        quote(op.getName()), layout}));
  return success();
}

LogicalResult CppEmitter::emit(CompareOp op) {
  std::string text = printCompare(op.getLhs(), op.getPredicate(), op.getRhs());
  emitScalar(op, text);
  return success();
}

LogicalResult CppEmitter::emitRead(Operation *op, Value source,
                                   const std::string &to) {
  const DeviceInfo *device = getDevice(op, type(source).getDevice());
  auto dtype = dtypeName(op, type(source).getElementType());
  if (!device || !dtype)
    return failure();
  if (device->itemFunction.empty())
    return op->emitOpError() << "the host cannot read elements of device '"
                             << device->kind << "'";
  out.line(printCall(deviceFunction(device->itemFunction, kItem),
                     {address(source), *dtype, "&" + to}));
  return success();
}

LogicalResult CppEmitter::emit(ItemOp op) {
  Value result = op.getResult();
  if (result && result.getType().isF64()) {
    std::string variable = defineScalar(result);
    if (!isInFrame())
      out.line(variable + ";");
    return emitRead(op, op.getSource(), name(result));
  }
  if (result) {
    std::string element = getLocals().numbered("element");
    out.line("int64_t " + element + ";");
    if (failed(emitRead(op, op.getSource(), element)))
      return failure();
    emitScalar(result, element + " != 0");
    return success();
  }
  StringRef symbol = *op.getSymbol();
  std::string what =
      ("the element that symbol '" + symbol + "' is read from").str();
  std::string variable = defineSymbol(symbol);
  if (!isInFrame())
    out.line(variable + ";");
  variable = this->symbol(symbol);
  if (failed(emitRead(op, op.getSource(), variable)))
    return failure();
  if (type(op.getSource()).getElementType().isUnsignedInteger(64))
    out.line("COIL_CHECK(run, " + variable + " >= 0, " +
             quote(what + " does not fit") + ", " + variable + ", 0);");
  if (std::optional<uint64_t> divisor = op.getDivideBy()) {
    auto d = static_cast<int64_t>(*divisor);
    emitMultiple(variable, d, what);
    out.line(variable + " /= " + Twine(d) + ";");
  }
  emitRange(symbol, variable, " (an element)");
  return success();
}

LogicalResult CppEmitter::emit(BindSymbolOp op) {
  auto keys = op.getPath().getAsRange<KeyAttr>();
  KeyAttr first = *keys.begin();
  std::string origin = (stringifyKeyKind(first.getKind()) + " " +
                        Twine(first.getValue()) + " of a result")
                           .str();
  int64_t index = first.getValue();
  if (first.getKind() != KeyKind::Size)
    index += type(op.getSource()).getRank();
  out.line(defineSymbol(op.getSymbol()) + " = (" + shapes.at(op.getSource()) +
           ")[" + Twine(index) + "];");
  std::string variable = symbol(op.getSymbol());
  for (KeyAttr key : llvm::drop_begin(keys)) {
    emitMultiple(variable, key.getValue(), origin);
    out.line(variable + " /= " + Twine(key.getValue()) + ";");
  }
  emitRange(op.getSymbol(), variable, " (" + origin + ")");
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult CppEmitter::emit(AllocOp op) {
  auto t = cast<BufferType>(op.getType());
  const DeviceInfo *device = getDevice(op, t.getDevice());
  if (!device)
    return failure();
  if (device->allocFunction.empty() || device->freeFunction.empty())
    return op.emitOpError()
           << "device '" << device->kind << "' cannot allocate";
  ExprAttr bytes = t.getStorageBytes();
  std::string name = defineHandle(op, *device);
  out.line(
      "COIL_TRY(" + name + ".allocate(" +
      deviceFunction(device->allocFunction, kAllocate) + ", run, " +
      (isBounded(bytes) ? print(bytes) : print(bytes, "coil::Checked(", ")")) +
      "));");
  return success();
}

LogicalResult CppEmitter::emit(ConstantOp op) {
  auto t = cast<BufferType>(op.getType());
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  const DeviceInfo *device = getDevice(op, t.getDevice());
  if (!device)
    return failure();
  if (!elements ||
      (!device->hostAccessible && device->constantFunction.empty()))
    return op.emitOpError("has elements that cannot be put into the program");
  SmallVector<std::string> values;
  StringRef elementType;
  Type element = t.getElementType();
  int64_t count = elements.getNumElements();
  if (count <= 64 && element.isF32()) {
    elementType = "float";
    for (const APFloat &v : elements.getValues<APFloat>()) {
      if (!v.isFinite())
        elementType = "";
      values.push_back(printFloat(v.convertToFloat()) + "f");
    }
  } else if (count <= 64 && element.isInteger(32)) {
    elementType = element.isUnsignedInteger() ? "uint32_t" : "int32_t";
    for (const APInt &v : elements.getValues<APInt>()) {
      if (v.isMinSignedValue())
        elementType = "";
      values.push_back(llvm::toString(v, 10, !element.isUnsignedInteger()));
    }
  }
  if (elementType.empty()) {
    // The bytes as words, in lines of a bounded number.
    values.clear();
    elementType = "uint64_t";
    std::vector<char> bytes = getElementBytes(elements);
    bytes.resize((bytes.size() + 7) / 8 * 8);
    for (size_t i = 0; i < bytes.size(); i += 8) {
      uint64_t word = 0;
      for (size_t k = 0; k < 8; ++k)
        word |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i + k]))
                << (8 * k);
      values.push_back("0x" + llvm::utohexstr(word, /*LowerCase=*/true));
    }
  }
  if (values.empty())
    values.push_back("0");
  std::string array = getLocals().numbered("constant");
  out.line("alignas(64) static const " + elementType + " " + array + "[] = {");
  out.indent();
  size_t perLine = std::max<size_t>(6, values.size() / 256 + 1);
  for (size_t i = 0; i < values.size(); i += perLine)
    out.line(llvm::join(ArrayRef(values).slice(
                            i, std::min(perLine, values.size() - i)),
                        ", ") +
             ",");
  out.outdent();
  out.line("};");
  std::string variable = defineAddress(op);
  if (device->hostAccessible) {
    out.line(variable + " = coil::constant(" + array + ");");
    return success();
  }
  if (!isInFrame())
    out.line(variable + ";");
  out.line(printCall(deviceFunction(device->constantFunction, kConstant),
                     {array, print(t.getStorageBytes()), "&" + name(op)}));
  return success();
}

LogicalResult CppEmitter::emit(FreeOp op) {
  out.line("COIL_TRY(" + handle(op.getSource()) + ".free());");
  return success();
}

LogicalResult CppEmitter::emit(ReuseOp op) {
  const DeviceInfo *device = getDevice(op, type(op.getSource()).getDevice());
  if (!device)
    return failure();
  std::string from = handle(op.getSource());
  if (!handles.contains(getStorage(op.getSource()))) {
    // Storage that is a pool's has no handle of its own.
    out.line(defineAddress(op) + " = " + from + "; // reuse");
    return success();
  }
  if (isInFrame()) {
    std::string to = defineHandle(op, *device);
    out.line(to + " = std::move(" + from + "); // reuse");
    return success();
  }
  handles.insert(op);
  out.line(handleType(*device) + " " + define(op) + " = std::move(" + from +
           "); // reuse");
  return success();
}

LogicalResult CppEmitter::emit(ReinterpretOp op) {
  std::string text = elementAddress(op.getSource(), op.getOffset());
  out.line(defineAddress(op) + " = " + text + ";");
  return success();
}

LogicalResult CppEmitter::emit(CopyOp op) {
  if (getStorage(op.getSource()) == getStorage(op.getTarget()))
    return success();
  BufferType t = type(op.getSource());
  const DeviceInfo *device = getDevice(op, t.getDevice());
  if (!device)
    return failure();
  SmallVector<std::string> arguments = {address(op.getTarget()),
                                        address(op.getSource()),
                                        print(t.getStorageBytes())};
  if (device->hostAccessible) {
    out.line("coil::copy(" + llvm::join(arguments, ", ") + ");");
    return success();
  }
  if (device->copyFunction.empty())
    return op.emitOpError()
           << "the host cannot access device '" << device->kind << "'";
  out.line(printCall(deviceFunction(device->copyFunction, kCopy), arguments));
  return success();
}

LogicalResult CppEmitter::emit(FillOp op) {
  BufferType t = type(op.getTarget());
  const DeviceInfo *device = getDevice(op, t.getDevice());
  if (!device)
    return failure();
  std::string target = address(op.getTarget()),
              byte = std::to_string(op.getValue()),
              bytes = print(t.getStorageBytes());
  if (device->hostAccessible) {
    out.line("coil::fill(" + target + ", " + byte + ", " + bytes + ");");
    return success();
  }
  if (device->fillFunction.empty())
    return op.emitOpError()
           << "memory of device '" << device->kind << "' cannot be filled";
  out.line(printCall(deviceFunction(device->fillFunction, kFill),
                     {target, byte, bytes}));
  return success();
}

LogicalResult CppEmitter::emit(PoolOp op) {
  const DeviceInfo *device =
      getDevice(op, cast<PoolType>(op.getType()).getDevice());
  if (!device)
    return failure();
  if (op.getOnStack())
    return emitStackPool(op, *device);
  if (device->allocFunction.empty() || device->freeFunction.empty())
    return op.emitOpError()
           << "device '" << device->kind << "' cannot allocate";
  std::string bytes = isBounded(op.getBytes())
                          ? print(op.getBytes())
                          : print(op.getBytes(), "coil::Checked(", ")");
  std::string name = defineHandle(op, *device);
  out.line("COIL_TRY(" + name + ".allocate(" +
           deviceFunction(device->allocFunction, kAllocate) + ", run, " +
           bytes + "));");
  return success();
}

LogicalResult CppEmitter::emit(PoolAllocOp op) {
  std::string text = "coil::offset(" + address(op.getPool()) + ", " +
                     print(op.getOffset()) + ", 1)";
  out.line(defineAddress(op) + " = " + text + ";");
  return success();
}

/// The storage stays the pool's.
LogicalResult CppEmitter::emit(PoolReleaseOp) { return success(); }

LogicalResult CppEmitter::emit(PoolFreeOp op) {
  if (op.getPool().getDefiningOp<PoolOp>().getOnStack())
    return success();
  out.line("COIL_TRY(" + name(op.getPool()) + ".free());");
  return success();
}
