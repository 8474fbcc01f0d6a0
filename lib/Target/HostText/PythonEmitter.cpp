//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Python modules, their functions, symbols and memory.
//
//===----------------------------------------------------------------------===//

#include "PythonEmitter.h"

#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Runtime/Runtime.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

static constexpr ExprSyntax kPython = {"//",     "%",    /*areOperators=*/true,
                                       "min",    "max",  "(",
                                       " or 1)", "and",  "or",
                                       "not ",   "True", "False"};

/// Words and names that programs must not use for their own.
static constexpr StringLiteral kReserved[] = {
    "False", "None", "True", "and", "as", "assert", "async", "await", "break",
    "class", "continue", "def", "del", "elif", "else", "except", "finally",
    "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    // What the text uses.
    "torch", "host", "kernels", "empty_strided", "reinterpret_tensor", "args",
    "runner", "min", "max", "bool", "int", "float", "list", "dict", "print",
    "len", "benchmark_compiled_module", "WEIGHTS", "UPDATES", "synchronize"};

/// The name in torch of each coil_dtype.
static constexpr StringLiteral kTorchTypes[] = {
    "bool",     "int8",    "uint8",   "int16",         "uint16",
    "int32",    "uint32",  "int64",   "uint64",        "float16",
    "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"};

/// Longer constants are written as bytes.
static constexpr int64_t kMaxListed = 256;

PythonEmitter::PythonEmitter(ModuleOp module, llvm::raw_ostream &os,
                             const PythonOptions &options, StringRef name)
    : HostEmitter(name, module, os, kPython), options(options) {
  for (StringRef word : kReserved)
    reserved.insert(word);
}

//===----------------------------------------------------------------------===//
// Tools
//===----------------------------------------------------------------------===//

std::string PythonEmitter::tuple(ArrayRef<std::string> parts) {
  return "(" + llvm::join(parts, ", ") + (parts.size() == 1 ? ",)" : ")");
}

std::string PythonEmitter::tuple(ArrayRef<ExprAttr> exprs) {
  return "(" + printList(exprs) + (exprs.size() == 1 ? ",)" : ")");
}

std::optional<std::string> PythonEmitter::torchType(Operation *op, Type type) {
  std::optional<int32_t> dtype = getDType(op, type);
  if (!dtype)
    return std::nullopt;
  return ("torch." + kTorchTypes[*dtype]).str();
}

std::optional<std::string> PythonEmitter::torchDevice(Operation *op,
                                                      DeviceAttr device) {
  const DeviceInfo *info = getDevice(op, device);
  if (!info)
    return std::nullopt;
  if (info->torchDevice.empty()) {
    op->emitOpError() << "is on device '" << device.getKind()
                      << "', which the emitter '" << getEmitterName()
                      << "' has no name for";
    return std::nullopt;
  }
  std::string text = info->torchDevice;
  // Memory that the host shares has one place.
  if (device.getIndex() != 0 || !info->hostAccessible)
    text += ":" + std::to_string(device.getIndex());
  return quote(text);
}

std::optional<std::string> PythonEmitter::layoutArguments(Operation *op,
                                                          BufferType type) {
  auto dtype = torchType(op, type.getElementType());
  auto device = torchDevice(op, type.getDevice());
  if (!dtype || !device)
    return std::nullopt;
  std::string sizes = tuple(type.getSizes().getDims());
  std::string strides = tuple(type.getStrides().getDims());
  return sizes + ", " + strides + ", dtype=" + *dtype + ", device=" + *device;
}

void PythonEmitter::emitRange(StringRef symbol, const Twine &origin) {
  sym::Bounds range = getRange(symbol);
  if (range.lo == INT64_MIN && range.hi == INT64_MAX)
    return;
  auto bound = [](int64_t v, bool isOpen) {
    return isOpen ? std::string("None") : std::to_string(v);
  };
  emitCall("host.assert_range",
           this->symbol(symbol) + ", " +
               bound(range.lo, range.lo == INT64_MIN) + ", " +
               bound(range.hi, range.hi == INT64_MAX) + ", " +
               quote(("symbol '" + symbol + "'" + origin).str()));
}

void PythonEmitter::requireMultiple(StringRef number, int64_t divisor,
                                    const Twine &what) {
  std::string by = std::to_string(divisor);
  out.line("host.check(" + number + " % " + by + " == 0, " +
           quote((what + " is not a multiple of its divisor").str()) + ", " +
           number + ", " + by + ")");
}

void PythonEmitter::assign(ArrayRef<std::string> targets,
                           ArrayRef<std::string> sources) {
  SmallVector<std::string> to, from;
  for (auto [t, s] : llvm::zip(targets, sources))
    if (t != s) {
      to.push_back(t);
      from.push_back(s);
    }
  if (!to.empty())
    out.line(llvm::join(to, ", ") + " = " + llvm::join(from, ", "));
}

std::string PythonEmitter::printFloatLiteral(double value) {
  std::string text = printFloat(value);
  if (std::isfinite(value))
    return text;
  return "float(\"" + text + "\")";
}

//===----------------------------------------------------------------------===//
// Lives of names
//===----------------------------------------------------------------------===//

std::string PythonEmitter::defineBuffer(Value v) {
  if (!scopes.empty())
    scopes.back().push_back(v);
  return define(v);
}

void PythonEmitter::collectEnding(Value v,
                                  SmallVectorImpl<std::string> &names) {
  auto take = [&](Value each) {
    if (dead.contains(each))
      return;
    markDead(each);
    names.push_back(name(each));
  };
  Value storage = getStorage(v);
  take(storage);
  auto found = views.find(storage);
  if (found != views.end())
    for (Value view : found->second)
      take(view);
}

void PythonEmitter::emitDelete(ArrayRef<std::string> names) {
  if (!names.empty())
    out.line("del " + llvm::join(names, ", "));
}

void PythonEmitter::closeScope(ArrayRef<std::string> targets, ValueRange values,
                               ArrayRef<std::string> symbolNames,
                               std::optional<sym::ShapeAttr> symbols) {
  SmallVector<std::string> to(targets), from, gone;
  for (Value v : values)
    from.push_back(name(v));
  llvm::append_range(to, symbolNames);
  if (symbols)
    for (ExprAttr e : symbols->getDims())
      from.push_back(print(e));
  assign(to, from);
  llvm::StringSet<> kept;
  for (const std::string &target : targets)
    kept.insert(target);
  for (Value v : scopes.pop_back_val()) {
    if (dead.insert(v).second)
      gone.push_back(name(v));
    // Views of outer storage end with the region.
    if (Value storage = getStorage(v); storage != v)
      if (auto found = views.find(storage); found != views.end())
        llvm::erase(found->second, v);
  }
  // Names that a loop carries are not the region's; others that were handed
  // over end here.
  for (Value v : values) {
    if (!isa<BufferType>(v.getType()))
      continue;
    SmallVector<std::string> names;
    collectEnding(v, names);
    for (std::string &each : names)
      if (!kept.contains(each))
        gone.push_back(std::move(each));
  }
  emitDelete(gone);
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

void PythonEmitter::emitImports() {
  out.line("import torch");
  out.blank();
  out.line("from coil import host");
  out.blank();
  out.line("empty_strided = torch.empty_strided");
  out.line("reinterpret_tensor = host.reinterpret_tensor");
}

LogicalResult PythonEmitter::emitBegin() {
  out.line("# A host program that Coil emitted" +
           (options.source.empty() ? std::string()
                                   : " from " + cleanComment(options.source)) +
           ".");
  emitImports();
  emitDevices();
  emitStreams();
  emitRequiredFunctions();
  collectPartitions();
  if (!module.getOps<KernelOp>().empty())
    out.line("kernels = host.Kernels()");
  // Constants belong to the module; functions name them.
  LogicalResult result = success();
  module.walk([&](ConstantOp op) {
    auto key = std::pair<Attribute, Type>(op.getValue(), op.getType());
    auto [entry, isNew] = constants.try_emplace(key);
    if (!isNew)
      return WalkResult::advance();
    auto type = cast<BufferType>(op.getType());
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!elements) {
      result =
          op.emitOpError("has elements that cannot be put into the program");
      return WalkResult::interrupt();
    }
    auto dtype = torchType(op, type.getElementType());
    auto device = torchDevice(op, type.getDevice());
    if (!dtype || !device) {
      result = failure();
      return WalkResult::interrupt();
    }
    if (constants.size() == 1)
      out.blank();
    SmallVector<std::string> sizes;
    for (int64_t size : elements.getType().getShape())
      sizes.push_back(std::to_string(size));
    std::string name = defineGlobal("constant");
    Type element = type.getElementType();
    int64_t count = elements.isSplat() ? 1 : elements.getNumElements();
    SmallVector<std::string> values;
    bool isListed = count <= kMaxListed;
    if (isListed && element.isInteger(1)) {
      for (bool v : elements.getValues<bool>())
        values.push_back(v ? "True" : "False");
    } else if (isListed && isa<IntegerType>(element)) {
      for (const APInt &v : elements.getValues<APInt>())
        values.push_back(llvm::toString(v, 10, !element.isUnsignedInteger()));
    } else if (isListed &&
               (element.isF16() || element.isF32() || element.isF64())) {
      for (const APFloat &v : elements.getValues<APFloat>()) {
        isListed &= v.isFinite();
        bool loses = false;
        APFloat wide = v;
        wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &loses);
        if (isListed)
          values.push_back(printFloat(wide.convertToDouble()));
      }
    } else {
      isListed = false;
    }
    if (elements.isSplat() && values.size() > 1)
      values.resize(1);
    std::string data =
        isListed ? "[" + llvm::join(values, ", ") + "]"
                 : "\"" + llvm::encodeBase64(getElementBytes(elements)) + "\"";
    out.line(name + " = host." + (isListed ? "constant(" : "constant_bytes(") +
             data + ", " + tuple(sizes) + ", " + *dtype + ", " + *device + ")");
    entry->second = name;
    return WalkResult::advance();
  });
  return result;
}

LogicalResult PythonEmitter::emitKernel(KernelOp kernel) {
  DeviceAttr device = kernel.getDeviceAttr();
  if (!device)
    device = DeviceAttr::get(kernel.getContext(), "cpu", 0);
  if (!torchDevice(kernel, device))
    return failure();
  if (!kernel.getLoopKernel() && !kernel.isUserKernel())
    return kernel.emitOpError()
           << "was lowered for its device, but the emitter '"
           << getEmitterName() << "' takes kernels as value functions";
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.useLocalScope();
  kernel->print(os, flags);
  out.blank();
  out.line("# " + describeSource(kernel.getLoc()));
  std::string name = global(kernel.getName()).str();
  std::string begin = name + " = " + kernelDefinition(kernel);
  std::string end = deviceArgument(device) + ")";
  if (StringRef(text).contains("'''") || StringRef(text).contains('\\'))
    out.line(begin + quote(text) + end);
  else
    out.raw(begin + "r'''\n" + text + "\n'''" + end + "\n");
  return success();
}

LogicalResult PythonEmitter::emitCombination(CombinationOp combination) {
  SmallVector<std::string> parts, symbols, inputs;
  for (auto [part, list] :
       llvm::zip(combination.getParts().getAsRange<FlatSymbolRefAttr>(),
                 combination.getSymbols().getAsRange<DenseI64ArrayAttr>())) {
    auto kernel = table.lookup<KernelOp>(part.getValue());
    parts.push_back(global(part.getValue()).str());
    inputs.push_back(std::to_string(kernel.getNumInputs()));
    SmallVector<std::string> numbers;
    for (int64_t number : list.asArrayRef())
      numbers.push_back(std::to_string(number));
    symbols.push_back(tuple(numbers));
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.useLocalScope();
  combination->print(os, flags);
  out.blank();
  out.line(global(combination.getSymName()) + " = kernels.combine(" +
           quote(combination.getSymName()) + ", " + quote(text) + ", " +
           tuple(parts) + ", symbols=" + tuple(symbols) +
           ", inputs=" + tuple(inputs) + ")");
  return success();
}

LogicalResult PythonEmitter::emitFunction(FuncOp fn) {
  beginFunction(fn);
  scopes.clear();
  views.clear();
  dead.clear();
  deaths.clear();
  if (fn.isPublic() && (!entry || fn.getName() == "main"))
    entry = fn;
  if (!isCompiled && !module.getOps<KernelOp>().empty()) {
    out.blank();
    out.line("kernels.compile()");
  }
  isCompiled = true;
  out.blank();
  out.blank();
  out.line("def " + global(fn.getName()) + "(args):");
  out.indent();
  SmallVector<std::string> names;
  for (auto [i, arg] : llvm::enumerate(fn.getBody().getArguments())) {
    names.push_back(
        getLocals().unique(inputName(fn, static_cast<unsigned>(i))));
    setName(arg, names.back());
  }
  if (ParamSymbolsOp params = getParamSymbols(fn))
    for (auto each : params.getSymbols().getAsRange<StringAttr>())
      names.push_back(symbol(each.getValue()));
  if (names.empty()) {
    out.line("host.unpack(args, 0)");
  } else {
    out.line(llvm::join(names, ", ") + (names.size() == 1 ? ", " : " ") +
             "= host.unpack(args, " + std::to_string(names.size()) + ")");
  }
  for (auto [i, arg] : llvm::enumerate(fn.getBody().getArguments())) {
    auto buffer = cast<BufferType>(arg.getType());
    auto dtype = torchType(fn, buffer.getElementType());
    auto device = torchDevice(fn, buffer.getDevice());
    if (!dtype || !device)
      return failure();
    // Calls inside the program are verified.
    if (!fn.isPublic())
      continue;
    out.line("host.check_input(" + names[i] + ", " +
             quote(inputName(fn, static_cast<unsigned>(i))) + ", " + *dtype +
             ", " + std::to_string(buffer.getRank()) + ", " + *device + ")");
    if (wantsAligned(buffer.getDevice()))
      out.line(names[i] + " = host.aligned(" + names[i] + ", " +
               Twine(fn.getAlignment(static_cast<unsigned>(i))) + ")");
  }
  isGuarded = openGuard(fn);
  for (Operation &op : fn.getBody().front())
    if (failed(emitOp(op)))
      return failure();
  if (isGuarded)
    out.outdent();
  out.outdent();
  return success();
}

void PythonEmitter::emitWeights() {
  // The weights that a .pt2 file has for arguments.
  SmallVector<std::string> weights;
  for (unsigned i = 0, e = entry.getNumArguments(); i < e; ++i)
    if (auto weight = entry.getArgAttrOfType<StringAttr>(i, "graph.weight"))
      weights.push_back(std::to_string(i) + ": " + quote(weight.getValue()));
  if (!weights.empty()) {
    out.blank();
    out.line("# Which arguments of " + global(entry.getName()) +
             " are weights, by their names in the exported program.");
    out.line("WEIGHTS = {");
    out.indent();
    for (const std::string &weight : weights)
      out.line(weight + ",");
    out.outdent();
    out.line("}");
  }
  SmallVector<std::string> updates;
  for (unsigned i = 0, e = entry.getNumResults(); i < e; ++i)
    if (auto [kind, target] = getUpdated(entry, i); target)
      updates.push_back((Twine(i) + ": (" + quote(kind) + ", " +
                         quote(target.getValue()) + ")")
                            .str());
  if (!updates.empty()) {
    out.blank();
    out.line("# Which results of " + global(entry.getName()) +
             " are new values of arguments and weights.");
    out.line("UPDATES = {");
    out.indent();
    for (const std::string &update : updates)
      out.line(update + ",");
    out.outdent();
    out.line("}");
  }
}

LogicalResult PythonEmitter::emitEnd() {
  emitRunner();
  if (!entry)
    return success();
  beginFunction(entry);
  emitWeights();
  emitSynchronize();
  out.blank();
  out.blank();
  out.line("def benchmark_compiled_module(times=10, repeat=10, profile=False, "
           "memory_snapshot=None):");
  out.indent();
  llvm::StringSet<> bound;
  loop::Hints hints(entry);
  for (Operation &op : entry.getBody().front())
    if (auto symbol = dyn_cast<InputSymbolOp>(op))
      if (bound.insert(symbol.getSymbol()).second)
        out.line(this->symbol(symbol.getSymbol()) + " = " +
                 std::to_string(static_cast<int64_t>(hints(
                     sym::symbol(entry.getContext(), symbol.getSymbol())))));
  out.line("args = [");
  out.indent();
  for (Type type : entry.getArgumentTypes()) {
    auto arguments = layoutArguments(entry, cast<BufferType>(type));
    if (!arguments)
      return failure();
    out.line("host.rand_strided(" + *arguments + "),");
  }
  out.outdent();
  out.line("]");
  out.line("return host.print_performance(lambda: " + global(entry.getName()) +
           "(list(args)), times, repeat" +
           (devices.empty() ? "" : ", synchronize") +
           ", profile=profile, memory_snapshot=memory_snapshot, "
           "module=globals())");
  out.outdent();
  out.blank();
  out.blank();
  out.line("if __name__ == \"__main__\":");
  out.indent();
  out.line("host.run_benchmark(benchmark_compiled_module)");
  out.outdent();
  return success();
}

//===----------------------------------------------------------------------===//
// Symbols and checks
//===----------------------------------------------------------------------===//

LogicalResult PythonEmitter::emit(InputSymbolOp op) {
  StringRef property = stringifyProperty(op.getProperty());
  std::string given =
      (name(op.getSource()) + "." + property + "(" + Twine(op.getDim()) + ")")
          .str();
  out.line(symbol(op.getSymbol()) + " = " + printSolution(op, given));
  unsigned number = cast<BlockArgument>(op.getSource()).getArgNumber();
  emitRange(op.getSymbol(), " (" + property + " " + Twine(op.getDim()) +
                                " of input '" +
                                inputName(currentFunction, number) + "')");
  return success();
}

LogicalResult PythonEmitter::emit(SymExprOp op) {
  std::string value = print(op.getExpr());
  out.line(symbol(op.getSymbol()) + " = " + value);
  return success();
}

LogicalResult PythonEmitter::emit(wrapper::AssertOp op) {
  std::string holds = printCompare(op.getLhs(), op.getPredicate(), op.getRhs());
  std::string lhs = print(op.getLhs()), rhs = print(op.getRhs());
  emitCall("host.check",
           holds + ", " + quote(op.getMessage()) + ", " + lhs + ", " + rhs);
  return success();
}

LogicalResult PythonEmitter::emit(AssertLayoutOp op) {
  BufferType t = type(op.getSource());
  std::string sizes = tuple(t.getSizes().getDims());
  std::string strides = tuple(t.getStrides().getDims());
  std::string arguments = name(op.getSource()) + ", " + sizes + ", " + strides +
                          ", " + quote(op.getName());
  if (op.copiesOtherLayouts())
    return emitMatch(op, arguments);
  emitCall("host.assert_size_stride", arguments);
  return success();
}

LogicalResult PythonEmitter::emitMatch(AssertLayoutOp op, StringRef arguments) {
  out.line(name(op.getSource()) + " = host.match_size_stride(" + arguments +
           ")");
  return success();
}

LogicalResult PythonEmitter::emit(CompareOp op) {
  std::string text = printCompare(op.getLhs(), op.getPredicate(), op.getRhs());
  emitScalar(op, text);
  return success();
}

LogicalResult PythonEmitter::emit(ItemOp op) {
  Type element = type(op.getSource()).getElementType();
  if (!torchType(op, element))
    return failure();
  std::optional<std::string> read = printItem(op, op.getSource());
  if (!read)
    return failure();
  const std::string &item = *read;
  if (op.getResult()) {
    bool isBool = op.getResult().getType().isInteger(1);
    emitScalar(op.getResult(), (isBool ? "bool(" : "float(") + item + ")");
    return success();
  }
  StringRef symbol = *op.getSymbol();
  std::string what =
      ("the element that symbol '" + symbol + "' is read from").str();
  std::string variable = this->symbol(symbol);
  out.line(variable + " = int(" + item + ")");
  if (element.isUnsignedInteger(64))
    out.line("host.check(" + variable + " < 2**63, " +
             quote(what + " does not fit") + ", " + variable + ", 0)");
  if (std::optional<uint64_t> divisor = op.getDivideBy()) {
    auto d = static_cast<int64_t>(*divisor);
    requireMultiple(variable, d, what);
    out.line(variable + " //= " + Twine(d));
  }
  emitRange(symbol, " (an element)");
  return success();
}

LogicalResult PythonEmitter::emit(BindSymbolOp op) {
  auto keys = op.getPath().getAsRange<KeyAttr>();
  KeyAttr first = *keys.begin();
  StringRef property = stringifyKeyKind(first.getKind());
  std::string origin =
      (property + " " + Twine(first.getValue()) + " of a result").str();
  std::string variable = symbol(op.getSymbol());
  out.line(variable + " = " + name(op.getSource()) + "." + property + "(" +
           Twine(first.getValue()) + ")");
  for (KeyAttr key : llvm::drop_begin(keys)) {
    requireMultiple(variable, key.getValue(), origin);
    out.line(variable + " //= " + Twine(key.getValue()));
  }
  emitRange(op.getSymbol(), " (" + origin + ")");
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult PythonEmitter::emit(AllocOp op) {
  auto arguments = layoutArguments(op, cast<BufferType>(op.getType()));
  if (!arguments)
    return failure();
  const DeviceInfo *device = getDevice(op, type(op).getDevice());
  out.line(defineBuffer(op) + " = " + allocator(*device) + "(" + *arguments +
           ")");
  return success();
}

LogicalResult PythonEmitter::emit(ConstantOp op) {
  setName(op, constants.at({op.getValue(), op.getType()}));
  return success();
}

void PythonEmitter::endStorage(Value storage) {
  SmallVector<std::string> names;
  collectEnding(storage, names);
  emitDelete(names);
}

LogicalResult PythonEmitter::emit(FreeOp op) {
  endStorage(op.getSource());
  return success();
}

LogicalResult PythonEmitter::emit(ReuseOp op) {
  BufferType from = type(op.getSource()), to = cast<BufferType>(op.getType());
  std::string source = name(op.getSource()), text = source;
  if (from.getElementType() != to.getElementType()) {
    auto dtype = torchType(op, to.getElementType());
    if (!dtype)
      return failure();
    text = "reinterpret_tensor(" + source + ", " +
           tuple(to.getSizes().getDims()) + ", " +
           tuple(to.getStrides().getDims()) + ", 0, " + *dtype + ")";
  } else if (from != to) {
    text = "reinterpret_tensor(" + source + ", " +
           tuple(to.getSizes().getDims()) + ", " +
           tuple(to.getStrides().getDims()) + ", 0)";
  }
  out.line(defineBuffer(op) + " = " + text + "  # reuse");
  endStorage(op.getSource());
  return success();
}

LogicalResult PythonEmitter::checkStrides(ReinterpretOp op) {
  for (sym::ExprAttr stride :
       cast<BufferType>(op.getType()).getStrides().getDims())
    if (stride.isConstant() && stride.getValue() < 0)
      return op.emitOpError() << "has the negative stride " << stride.getValue()
                              << ", which tensors of torch cannot have";
  return success();
}

LogicalResult PythonEmitter::emit(ReinterpretOp op) {
  if (failed(checkStrides(op)))
    return failure();
  auto to = cast<BufferType>(op.getType());
  std::string text = "reinterpret_tensor(" + name(op.getSource()) + ", " +
                     tuple(to.getSizes().getDims()) + ", " +
                     tuple(to.getStrides().getDims()) + ", " +
                     print(op.getOffset()) + ")";
  out.line(defineBuffer(op) + " = " + text);
  views[getStorage(op)].push_back(op);
  return success();
}

LogicalResult PythonEmitter::emit(CopyOp op) {
  if (getStorage(op.getSource()) != getStorage(op.getTarget()))
    out.line(name(op.getTarget()) + ".copy_(" + name(op.getSource()) + ")");
  return success();
}

LogicalResult PythonEmitter::emit(TransferOp op) {
  out.line(name(op.getTarget()) + ".copy_(" + name(op.getSource()) +
           (op.getNonBlocking() ? ", non_blocking=True)" : ")"));
  return success();
}

FailureOr<std::string> PythonEmitter::getFillArguments(FillOp op) {
  const DeviceInfo *device = getDevice(op, type(op.getTarget()).getDevice());
  if (!device)
    return failure();
  if (!device->hostAccessible && device->fillFunction.empty())
    return op.emitOpError()
           << "memory of device '" << device->kind << "' cannot be filled";
  std::string text = std::to_string(op.getValue());
  if (!device->hostAccessible)
    text += ", function=" + quote(device->fillFunction) +
            deviceArgument(type(op.getTarget()).getDevice());
  return text;
}

LogicalResult PythonEmitter::emit(FillOp op) {
  FailureOr<std::string> arguments = getFillArguments(op);
  if (failed(arguments))
    return failure();
  out.line("host.fill(" + name(op.getTarget()) + ", " + *arguments + ")");
  return success();
}

LogicalResult PythonEmitter::emit(PoolOp op) {
  auto device = torchDevice(op, cast<PoolType>(op.getType()).getDevice());
  if (!device)
    return failure();
  std::string bytes = print(op.getBytes());
  const DeviceInfo *info =
      getDevice(op, cast<PoolType>(op.getType()).getDevice());
  out.line(defineBuffer(op) + " = " + allocator(*info) + "((" + bytes +
           ",), (1,), dtype=torch.uint8, device=" + *device + ")");
  return success();
}

LogicalResult PythonEmitter::emit(PoolAllocOp op) {
  auto to = cast<BufferType>(op.getType());
  auto dtype = torchType(op, to.getElementType());
  if (!dtype)
    return failure();
  std::string text = "host.carve(" + name(op.getPool()) + ", " +
                     print(op.getOffset()) + ", " +
                     tuple(to.getSizes().getDims()) + ", " +
                     tuple(to.getStrides().getDims()) + ", " + *dtype + ")";
  out.line(defineBuffer(op) + " = " + text);
  return success();
}

LogicalResult PythonEmitter::emit(PoolReleaseOp op) {
  endStorage(op.getSource());
  return success();
}

LogicalResult PythonEmitter::emit(PoolFreeOp op) {
  markDead(op.getPool());
  emitDelete({name(op.getPool())});
  return success();
}

LogicalResult coil::emitPython(ModuleOp module, llvm::raw_ostream &os,
                               const PythonOptions &options) {
  // A program that cannot be emitted leaves no half of one.
  std::string text;
  llvm::raw_string_ostream buffer(text);
  if (failed(PythonEmitter(module, buffer, options).emitModule()))
    return failure();
  os << text;
  return success();
}
