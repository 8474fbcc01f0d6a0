//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of host programs in C++, and the files that they are in.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"

#include "coil/Runtime/Runtime.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

static constexpr ExprSyntax kCpp = {"coil::floordiv",
                                    "coil::floormod",
                                    /*areOperators=*/false,
                                    "coil::min",
                                    "coil::max",
                                    "",
                                    "",
                                    "&&",
                                    "||",
                                    "!",
                                    "true",
                                    "false"};

/// Words and names that programs must not use for their own.
static constexpr StringLiteral kReserved[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor",
    "bool", "break", "case", "catch", "char", "char8_t", "char16_t", "char32_t",
    "class", "compl", "concept", "const", "consteval", "constexpr", "constinit",
    "const_cast", "continue", "co_await", "co_return", "co_yield", "decltype",
    "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept",
    "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
    "protected", "public", "register", "reinterpret_cast", "requires", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true",
    "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
    "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    // Macros of the C library and of compilers.
    "assert", "errno", "linux", "unix", "NULL", "EOF", "NAN", "INFINITY",
    "offsetof", "stdin", "stdout", "stderr", "main",
    // What the text uses.
    "run", "inputs", "outputs", "num_inputs", "num_outputs", "f", "coil", "std",
    "size_t", "int32_t", "int64_t", "uint32_t", "uint64_t"};

/// Lines of a file that are not of chunks.
static constexpr size_t kFileLines = 40;

CppEmitter::CppEmitter(ModuleOp module, std::vector<EmittedFile> &files,
                       const CppOptions &options)
    : HostEmitter("cpp", module, stream, kCpp), options(options), files(files) {
  for (StringRef word : kReserved)
    reserved.insert(word);
}

static size_t countLines(StringRef text) { return text.count('\n'); }

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult CppEmitter::emitBegin() { return success(); }

LogicalResult CppEmitter::emitKernel(KernelOp kernel) {
  DeviceAttr attr = kernel.getDeviceAttr();
  if (!attr)
    attr = DeviceAttr::get(kernel.getContext(), "cpu", 0);
  const DeviceInfo *device = getDevice(kernel, attr);
  if (!device)
    return failure();
  if (device->launchByGeometry ? !kernel.getGeometry()
                               : !kernel.getTotal() || !kernel.getGrain())
    return kernel.emitOpError() << "was not lowered for its device";
  return success();
}

std::string CppEmitter::entryName(FuncOp fn) {
  return options.name + "_" + fn.getName().str();
}

std::string CppEmitter::prototype(FuncOp fn) {
  if (isArrayEntry(fn))
    return arrayPrototype(fn);
  if (fn.isPublic())
    return "int32_t " + entryName(fn) +
           "(coil_run *run, const coil_tensor *inputs, size_t num_inputs, "
           "coil_tensor *outputs, size_t num_outputs)";
  return "int32_t " + entryName(fn) +
         "(coil_run *run, const coil_tensor *inputs, coil_tensor *outputs)";
}

/// Refuses a wrong number of inputs or outputs.
static void checkCounts(TextPrinter &out, FuncOp fn) {
  std::string in = std::to_string(fn.getNumArguments()),
              to = std::to_string(fn.getNumResults());
  out.line("if (num_inputs != " + in + " || num_outputs != " + to + ")");
  out.indent();
  out.line("return coil_rt_fail(run, COIL_INVALID_ARGUMENT, \"expected " + in +
           " inputs and " + to + " outputs\");");
  out.outdent();
}

void CppEmitter::beginEntry(FuncOp fn) {
  bool kept = isKept(fn);
  out.line((kept ? bodyPrototype(fn) : prototype(fn)) + " {");
  out.indent();
  if (isArrayEntry(fn))
    return beginArrayEntry(fn);
  if (fn.isPublic() && !kept)
    checkCounts(out, fn);
  out.line("(void)run, (void)inputs, (void)outputs;");
}

bool CppEmitter::isKept(FuncOp fn) {
  if (!fn.isPublic() || isArrayEntry(fn))
    return false;
  auto [it, isNew] = keptFunctions.try_emplace(fn, false);
  if (!isNew)
    return it->second;
  auto *dialect = fn->getContext()->getLoadedDialect<WrapperDialect>();
  // The keeper is the runtime's for GPUs.
  auto isOnGPU = [&](Value v) {
    if (!isa<BufferType, PoolType>(v.getType()))
      return false;
    const DeviceInfo *info =
        dialect->lookupDevice(wrapper::getDevice(v.getType()).getKind());
    return info && info->partitionFunction == "coil_rt_partition_cuda";
  };
  bool isKept = llvm::any_of(fn.getArguments(), isOnGPU) ||
                fn.walk([&](Operation *op) {
                    return llvm::any_of(op->getResults(), isOnGPU)
                               ? WalkResult::interrupt()
                               : WalkResult::advance();
                  }).wasInterrupted();
  return keptFunctions[fn] = isKept;
}

std::string CppEmitter::bodyPrototype(FuncOp fn) {
  return "int32_t " + entryName(fn) +
         "_body(coil_run *run, const coil_tensor *inputs, coil_tensor "
         "*outputs)";
}

void CppEmitter::emitKeeper(FuncOp fn) {
  // What depends on elements is no graph as a whole; its partitions are.
  bool isWhole = true;
  module.walk([&](Operation *op) {
    isWhole &= !isa<ItemOp, DebugValueOp, CheckLifetimeOp, TransferOp>(op);
    if (auto branch = dyn_cast<IfOp>(op))
      isWhole &= !isa<BufferType>(branch.getPredicate().getType());
  });
  std::string name = entryName(fn);
  out.line("coil_cuda_program *" + name + "_program(void) {");
  out.indent();
  out.line("static coil::Program program(" + Twine(isWhole ? "true" : "false") +
           ");");
  out.line("return program.get();");
  out.outdent();
  out.line("}");
  takeChunk();
  now.declarations[name + "_body"] = bodyPrototype(fn) + ";";
  out.line(prototype(fn) + " {");
  out.indent();
  checkCounts(out, fn);
  out.line("return coil::call(" + name + "_program(), run, " + name +
           "_body, inputs, num_inputs, outputs, num_outputs);");
  out.outdent();
  out.line("}");
  takeChunk();
}

void CppEmitter::takeChunk(const Twine &begin, const Twine &end) {
  now.text = (begin + written + end).str();
  written.clear();
  chunks.push_back(std::move(now));
  now = Chunk();
}

LogicalResult CppEmitter::emitArguments(FuncOp fn) {
  for (auto [i, arg] : llvm::enumerate(fn.getBody().getArguments())) {
    auto number = static_cast<unsigned>(i);
    BufferType t = type(arg);
    auto dtype = dtypeName(fn, t.getElementType());
    const DeviceInfo *device = getDevice(fn, t.getDevice());
    if (!dtype || !device)
      return failure();
    std::string input = "inputs[" + std::to_string(i) + "]";
    std::string text = inputName(fn, number);
    if (fn.isPublic() && !isArrayEntry(fn))
      out.line("COIL_TRY(coil_rt_check_input(run, &" + input + ", " +
               quote(text) + ", " + *dtype + ", " + Twine(t.getRank()) + ", " +
               Twine(device->runtimeType) + "));");
    if (fn.isConsumed(number)) {
      std::string name = defineHandle(arg, *device);
      out.line(name + " = " + handleType(*device) + "(run, " + input +
               ".data);");
      continue;
    }
    std::string variable;
    if (isInFrame()) {
      variable = defineAddress(arg);
    } else {
      setName(arg, getLocals().unique(text));
      variable = "void *" + name(arg);
    }
    if (fn.isPrivate() || device->inputFunction.empty()) {
      out.line(variable + " = " + input + ".data;");
      continue;
    }
    if (!isInFrame())
      out.line(variable + ";");
    DeviceAttr other = selection->get(t);
    select(other);
    out.line("COIL_TRY(" +
             deviceFunction(device->inputFunction,
                            "coil_run *, const coil_tensor *, const char *, "
                            "int64_t, void **") +
             "(run, &" + input + ", " + quote(text) + ", " +
             Twine(fn.getAlignment(number)) + ", &" + name(arg) + "));");
    select(other, /*isBegin=*/false);
  }
  return success();
}

LogicalResult CppEmitter::emitWhole(FuncOp fn) {
  beginEntry(fn);
  if (failed(emitArguments(fn)))
    return failure();
  for (Operation &op : fn.getBody().front())
    if (failed(emitOp(op)))
      return failure();
  out.line("return COIL_OK;");
  out.outdent();
  out.line("}");
  return success();
}

std::string CppEmitter::printFrame(FuncOp fn) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "struct " << entryName(fn) << "_Frame {\n";
  auto array = [&](StringRef type, const Twine &name, unsigned count) {
    if (count != 0)
      os << "    " << type << (type.ends_with("*") ? "" : " ") << name << '['
         << count << "];\n";
  };
  for (auto [i, entry] : llvm::enumerate(frame.handles))
    array(entry.first, "buffers" + Twine(i), entry.second);
  array("void *", "addresses", frame.addresses);
  array("bool", "bools", frame.bools);
  array("double", "floats", frame.floats);
  array("int64_t", "shapes", frame.shapes);
  for (auto [i, bytes] : llvm::enumerate(frame.pools))
    os << "    alignas(64) unsigned char pool" << i << '[' << bytes << "];\n";
  for (size_t i = 0; i < frame.symbols.size(); i += 8)
    os << "    int64_t "
       << llvm::join(
              ArrayRef(frame.symbols)
                  .slice(i, std::min<size_t>(8, frame.symbols.size() - i)),
              ", ")
       << ";\n";
  os << "};\n";
  return text;
}

LogicalResult CppEmitter::emitParts(FuncOp fn) {
  frame.isUsed = true;
  std::string name = entryName(fn);
  size_t first = chunks.size(), limit = options.maxLines - kFileLines - 100;
  std::vector<std::string> prototypes;
  size_t begin = 0;
  auto open = [&] {
    begin = out.getNumLines();
    prototypes.push_back("int32_t " + name + "_part" +
                         std::to_string(prototypes.size()) +
                         "(coil_run *run, const coil_tensor *inputs, "
                         "coil_tensor *outputs, " +
                         name + "_Frame &f)");
    out.line(prototypes.back() + " {");
    out.indent();
    out.line("(void)run, (void)inputs, (void)outputs, (void)f;");
  };
  auto close = [&] {
    out.line("return COIL_OK;");
    out.outdent();
    out.line("}");
    now.declarations[name + "_part"] = prototypes.back() + ";";
    takeChunk();
  };
  open();
  if (failed(emitArguments(fn)))
    return failure();
  for (Operation &op : fn.getBody().front()) {
    // What refers to kernels declares them.
    if (out.getNumLines() - begin + now.kernels.size() +
            now.declarations.size() >
        limit) {
      close();
      open();
    }
    if (failed(emitOp(op)))
      return failure();
  }
  close();
  beginEntry(fn);
  out.line("std::unique_ptr<" + name + "_Frame> f(new (std::nothrow) " + name +
           "_Frame());");
  out.line("if (!f)");
  out.indent();
  out.line("return coil_rt_fail(run, COIL_OUT_OF_MEMORY, \"out of memory for "
           "the program's frame\");");
  out.outdent();
  for (size_t i = 0; i < prototypes.size(); ++i) {
    out.line("COIL_TRY(" + name + "_part" + Twine(i) +
             "(run, inputs, outputs, *f));");
    now.declarations[name + "_part" + std::to_string(i)] = prototypes[i] + ";";
  }
  out.line("return COIL_OK;");
  out.outdent();
  out.line("}");
  takeChunk();
  std::string text = printFrame(fn);
  for (size_t i = first; i < chunks.size(); ++i)
    chunks[i].frame = text;
  return success();
}

LogicalResult CppEmitter::emitFunction(FuncOp fn) {
  selection.emplace(fn);
  if (failed(selection->verify()))
    return failure();
  auto begin = [&] {
    beginFunction(fn);
    handles.clear();
    shapes.clear();
    frame = Frame();
    depth = 0;
  };
  begin();
  if (failed(emitWhole(fn)))
    return failure();
  if (countLines(written) + now.kernels.size() + now.declarations.size() +
          kFileLines <=
      options.maxLines) {
    takeChunk();
    return success();
  }
  written.clear();
  now = Chunk();
  begin();
  return emitParts(fn);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

void CppEmitter::writeHeader() {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string guard = StringRef(options.name).upper() + "_H";
  os << "/* The program '" << options.name << "', which Coil emitted"
     << (options.source.empty() ? "" : " from ") << cleanComment(options.source)
     << ".\n"
     << "   Functions return a coil_status; coil_last_error() says more. "
        "Results belong to\n"
        "   the run. */\n\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include \"coil/Runtime/Runtime.h\"\n\n"
     << (llvm::any_of(module.getOps<FuncOp>(), isArrayEntry)
             ? "#include <stdbool.h>\n\n"
             : "")
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << "/* Functions are only ever added; one whose signature must change "
        "gets "
        "a new name. */\n"
     << "#define " << StringRef(options.name).upper() << "_ABI_VERSION 1\n"
     << "uint32_t " << options.name << "_abi_version(void);\n"
     << "\n/* Binds a run to the program's device, by its number, and to the "
        "caller's stream\n   unless it is NULL: before its first call. */\n"
     << "int32_t " << options.name
     << "_bind(coil_run *run, int32_t device, void *stream);\n"
     << "/* Waits for what calls have started, and reports what went wrong. "
        "*/\n"
     << "int32_t " << options.name << "_synchronize(coil_run *run);\n"
     << "/* Fails, naming all that are missing, unless the functions that the "
        "program calls\n   are registered. "
     << options.name << "_bind checks it, too. */\n"
     << "int32_t " << options.name << "_check(void);\n"
     << "/* How many graphs are kept of each function and of each part that is "
        "one, 0 unless\n   this is called. Devices without graphs ignore it. "
        "*/\n"
     << "int32_t " << options.name << "_set_graphs(int32_t limit);\n";
  for (FuncOp fn : module.getOps<FuncOp>()) {
    if (!fn.isPublic())
      continue;
    if (isArrayEntry(fn))
      writeArrayHeader(fn, os);
    else
      os << "\n/* Takes " << fn.getNumArguments() << " inputs and gives "
         << fn.getNumResults() << " outputs. */\n"
         << prototype(fn) << ";\n";
    if (isKept(fn))
      os << "/* What its calls share: literals on each device, and graphs "
            "(coil/Runtime/CUDA.h). */\n"
         << "struct coil_cuda_program *" << entryName(fn)
         << "_program(void);\n";
    os << "size_t " << entryName(fn) << "_num_inputs(void);\n"
       << "size_t " << entryName(fn) << "_num_outputs(void);\n"
       << "/* What an input is called, and the weight of the exported program "
          "that it is, or NULL. */\n"
       << "const char *" << entryName(fn) << "_input_name(size_t input);\n"
       << "const char *" << entryName(fn) << "_input_weight(size_t input);\n"
       << "/* What an output is called, and the input or weight whose new "
          "value "
          "it is, or NULL. */\n"
       << "const char *" << entryName(fn) << "_output_name(size_t output);\n"
       << "const char *" << entryName(fn) << "_output_update(size_t output);\n";
  }
  os << "\n#ifdef __cplusplus\n}\n#endif\n";
  writeArrayWrappers(os);
  os << "\n#endif /* " << guard << " */\n";
  files.push_back({options.name + ".h", std::move(text)});
}

std::string CppEmitter::printDeclarations(const Chunk &chunk) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (Operation *op : chunk.kernels)
    os << declareKernel(cast<KernelOp>(op));
  for (Operation *op : chunk.callees)
    os << prototype(cast<FuncOp>(op)) << ";\n";
  os << chunk.frame;
  SmallVector<StringRef> names(chunk.declarations.keys());
  llvm::sort(names);
  for (StringRef name : names)
    os << chunk.declarations.lookup(name) << '\n';
  return text;
}

void CppEmitter::emitNames(const std::string &function,
                           ArrayRef<std::string> names) {
  if (llvm::all_of(names,
                   [](const std::string &n) { return n == "nullptr"; })) {
    out.line("const char *" + function + "(size_t) { return nullptr; }");
    return;
  }
  out.line("const char *" + function + "(size_t number) {");
  out.indent();
  out.line("static const char *const names[] = {");
  size_t perLine = std::max<size_t>(4, (names.size() + 1) / 256 + 1);
  out.indent();
  SmallVector<std::string> all(names);
  all.push_back("nullptr");
  for (size_t i = 0; i < all.size(); i += perLine)
    out.line(
        llvm::join(ArrayRef(all).slice(i, std::min(perLine, all.size() - i)),
                   ", ") +
        ",");
  out.outdent();
  out.line("};");
  out.line("return names[number < " + Twine(names.size()) +
           " ? number : " + Twine(names.size()) + "];");
  out.outdent();
  out.line("}");
}

void CppEmitter::writeSources() {
  // One table for each entry point.
  for (FuncOp fn : module.getOps<FuncOp>()) {
    if (!fn.isPublic())
      continue;
    if (isKept(fn))
      emitKeeper(fn);
    out.line("size_t " + entryName(fn) + "_num_inputs(void) { return " +
             Twine(fn.getNumArguments()) + "; }");
    out.line("size_t " + entryName(fn) + "_num_outputs(void) { return " +
             Twine(fn.getNumResults()) + "; }");
    SmallVector<std::string> inputs, weights, outputs, updates;
    auto text = [](StringAttr attr) {
      return attr ? quote(attr.getValue()) : std::string("nullptr");
    };
    for (unsigned i = 0, e = fn.getNumArguments(); i < e; ++i) {
      inputs.push_back(quote(inputName(fn, i)));
      weights.push_back(
          text(fn.getArgAttrOfType<StringAttr>(i, "graph.weight")));
    }
    for (unsigned i = 0, e = fn.getNumResults(); i < e; ++i) {
      outputs.push_back(
          text(fn.getResultAttrOfType<StringAttr>(i, "coil.name")));
      updates.push_back(text(getUpdated(fn, i).second));
    }
    emitNames(entryName(fn) + "_input_name", inputs);
    emitNames(entryName(fn) + "_input_weight", weights);
    emitNames(entryName(fn) + "_output_name", outputs);
    emitNames(entryName(fn) + "_output_update", updates);
    takeChunk();
  }
  out.line("uint32_t " + options.name + "_abi_version(void) {");
  out.indent();
  out.line("return " + StringRef(options.name).upper() + "_ABI_VERSION;");
  out.outdent();
  out.line("}");
  takeChunk();

  emitRunFunctions();

  std::string declarations, text;
  size_t lines = kFileLines;
  llvm::StringSet<> declared;
  auto flush = [&] {
    if (text.empty())
      return;
    size_t number = files.size() - 1;
    std::string file;
    llvm::raw_string_ostream os(file);
    os << "// Part of the program '" << options.name << "', which Coil emitted"
       << (options.source.empty() ? "" : " from ")
       << cleanComment(options.source) << ".\n\n"
       << "#include \"" << options.name << ".h\"\n"
       << "#include \"coil/Runtime/HostProgram.h\"\n\n"
       << "#include <memory>\n#include <new>\n\n"
       << "// Views and numbers have names although nothing may read them.\n"
       << "#if defined(__GNUC__)\n"
       << "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n"
       << "#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"\n"
       << "#endif\n\n"
       << declarations << text;
    files.push_back({options.name +
                         (number == 0 ? "" : "." + std::to_string(number)) +
                         ".cpp",
                     std::move(file)});
    declarations.clear();
    text.clear();
    declared.clear();
    lines = kFileLines;
  };
  for (Chunk &chunk : chunks) {
    std::string needed = printDeclarations(chunk);
    size_t size = countLines(needed) + countLines(chunk.text) + 1;
    if (lines + size > options.maxLines)
      flush();
    lines += size;
    // A frame is several lines that stay together.
    if (!chunk.frame.empty()) {
      bool isNew = declared.insert(chunk.frame).second;
      size_t at = needed.find(chunk.frame);
      if (!isNew)
        needed.erase(at, chunk.frame.size());
      else {
        declarations += chunk.frame;
        needed.erase(at, chunk.frame.size());
      }
    }
    for (StringRef line : llvm::split(StringRef(needed).rtrim('\n'), '\n'))
      if (!line.empty() && declared.insert(line).second)
        declarations += (line + "\n").str();
    text += "\n" + chunk.text;
  }
  flush();
}

LogicalResult CppEmitter::emitEnd() {
  writeHeader();
  writeSources();
  return options.benchmarkMain ? writeBenchmark() : success();
}

LogicalResult coil::emitCpp(ModuleOp module, std::vector<EmittedFile> &files,
                            const CppOptions &options) {
  std::vector<EmittedFile> written;
  if (failed(CppEmitter(module, written, options).emitModule()))
    return failure();
  files = std::move(written);
  return success();
}

void coil::prefixKernels(ModuleOp module, StringRef prefix) {
  SymbolTable table(module);
  SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
  Builder b(module.getContext());
  llvm::DenseMap<StringAttr, StringAttr> names;
  for (KernelOp kernel : kernels) {
    StringAttr old = kernel.getSymNameAttr();
    if (kernel.isUserKernel() && !kernel.getEntry())
      kernel.setEntry(old.getValue()); // The function keeps its name.
    auto renamed = b.getStringAttr(prefix + old.getValue());
    table.remove(kernel);
    kernel.setSymNameAttr(renamed);
    table.insert(kernel);
    names[old] = kernel.getSymNameAttr();
  }
  for (CombinationOp combination : module.getOps<CombinationOp>()) {
    SmallVector<Attribute> parts;
    for (auto part : combination.getParts().getAsRange<FlatSymbolRefAttr>())
      parts.push_back(FlatSymbolRefAttr::get(names.at(part.getAttr())));
    combination.setPartsAttr(b.getArrayAttr(parts));
  }
  // One walk, where replacing the uses of each would be one for each.
  module.walk([&](LaunchOp launch) {
    launch.setCallee(names.at(launch.getCalleeAttr().getAttr()));
  });
  module.walk([&](LaunchUserOp launch) {
    launch.setCallee(names.at(launch.getCalleeAttr().getAttr()));
  });
}
