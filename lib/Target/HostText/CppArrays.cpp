//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries that take arrays, and storage on the stack.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"

#include "coil/Dialect/Wrapper/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

/// The C type of an element; floats that C does not have are their bits.
static std::string elementType(Type type) {
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isInteger(1))
    return "bool";
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isSigned = isa<IntegerType>(type) && !type.isUnsignedInteger();
  return (isSigned ? "int" : "uint") + std::to_string(bits) + "_t";
}

static bool isDestination(BlockArgument arg) {
  return cast<FuncOp>(arg.getOwner()->getParentOp())
      .isDestination(arg.getArgNumber());
}

std::string CppEmitter::arrayParameters(FuncOp fn,
                                        ArrayRef<std::string> names) {
  std::string text;
  for (auto [arg, name] : llvm::zip(fn.getArguments(), names))
    text += ", " + std::string(isDestination(arg) ? "" : "const ") +
            elementType(type(arg).getElementType()) + " *" + name;
  return text;
}

std::string CppEmitter::arrayPrototype(FuncOp fn) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < fn.getNumArguments(); ++i)
    names.push_back("array" + std::to_string(i));
  return "int32_t " + entryName(fn) + "(coil_run *run" +
         arrayParameters(fn, names) + ")";
}

/// The text behind reads addresses where other functions have them.
void CppEmitter::beginArrayEntry(FuncOp fn) {
  unsigned count = fn.getNumArguments();
  out.line("coil_tensor inputs[" + Twine(std::max(count, 1u)) + "] = {};");
  out.line("coil_tensor *const outputs = nullptr;");
  out.line("(void)run, (void)inputs, (void)outputs;");
  for (unsigned i = 0; i < count; ++i)
    out.line("inputs[" + Twine(i) + "].data = coil::constant(array" + Twine(i) +
             ");");
}

void CppEmitter::writeArrayHeader(FuncOp fn, raw_ostream &os) {
  NameTable table(reserved);
  std::vector<std::string> names;
  os << "\n/* Takes arrays, row by row, and writes to the last "
     << llvm::count_if(fn.getArguments(), isDestination)
     << ", which share no byte with others:\n";
  for (BlockArgument arg : fn.getArguments()) {
    names.push_back(table.unique(inputName(fn, arg.getArgNumber())));
    os << "     " << elementType(type(arg).getElementType()) << ' '
       << names.back();
    for (sym::ExprAttr size : type(arg).getSizes().getDims())
      os << '[' << size.getValue() << ']';
    os << '\n';
  }
  auto memory = fn->getAttrOfType<DictionaryAttr>(kMemoryAttrName);
  auto count =
      memory ? memory.getAs<IntegerAttr>("allocations") : IntegerAttr();
  os << "   Floats of 16 and 8 bits are their bits. ";
  if (count && count.getInt() == 0)
    os << "Nothing is allocated. */\n";
  else if (count)
    os << "A call allocates " << count.getInt()
       << " times: for what is above the limit of the stack. */\n";
  else
    os << "*/\n";
  os << "int32_t " << entryName(fn) << "(coil_run *run"
     << arrayParameters(fn, names) << ");\n";
}

void CppEmitter::writeArrayWrappers(raw_ostream &os) {
  bool isFirst = true;
  for (FuncOp fn : module.getOps<FuncOp>()) {
    if (!isArrayEntry(fn))
      continue;
    if (std::exchange(isFirst, false))
      os << "\n#ifdef __cplusplus\n#include \"coil/Runtime/ArrayRef.h\"\n\n"
         << "/* The same with sizes in the types. */\nnamespace "
         << options.name << " {\n";
    SmallVector<std::string> parameters, arguments;
    for (BlockArgument arg : fn.getArguments()) {
      std::string text = isDestination(arg) ? "" : "const ";
      text += elementType(type(arg).getElementType());
      for (sym::ExprAttr size : type(arg).getSizes().getDims())
        text += ", " + std::to_string(size.getValue());
      std::string name = "array" + std::to_string(arg.getArgNumber());
      parameters.push_back("coil::ArrayRef<" + text + "> " + name);
      arguments.push_back(name + ".data()");
    }
    parameters.insert(parameters.begin(), "coil_run *run");
    arguments.insert(arguments.begin(), "run");
    os << "inline int32_t " << fn.getName() << '('
       << llvm::join(parameters, ", ") << ") {\n  return " << entryName(fn)
       << '(' << llvm::join(arguments, ", ") << ");\n}\n";
  }
  if (!isFirst)
    os << "} // namespace " << options.name << "\n#endif\n";
}

LogicalResult CppEmitter::emitStackPool(PoolOp op, const DeviceInfo &device) {
  if (!device.usesHostStack)
    return op.emitOpError() << "memory of device '" << device.kind
                            << "' cannot be on the stack of the host";
  int64_t bytes = std::max<int64_t>(op.getBytes().getValue(), 1);
  if (isInFrame()) {
    std::string place = "f.pool" + std::to_string(frame.pools.size());
    frame.pools.push_back(bytes);
    out.line(defineAddress(op) + " = " + place + ";");
    return success();
  }
  std::string memory = getLocals().numbered("stack");
  out.line("alignas(" + Twine(device.alignment) + ") unsigned char " + memory +
           "[" + Twine(bytes) + "];");
  out.line(defineAddress(op) + " = " + memory + ";");
  return success();
}
