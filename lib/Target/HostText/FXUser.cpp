//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches of user-defined kernels as nodes: buffers and numbers are operands
// of the node, everything else is bound to the kernel before.
//
//===----------------------------------------------------------------------===//

#include "FXEmitter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

//===----------------------------------------------------------------------===//
// What a kernel is called with
//===----------------------------------------------------------------------===//

/// What is passed under which name, and how the kernel runs, for the nodes of
/// its launches.
LogicalResult FXEmitter::emitKernel(KernelOp kernel) {
  if (failed(PythonEmitter::emitKernel(kernel)))
    return failure();
  SmallVector<std::string> parameters;
  auto add = [&](const Twine &name, StringRef kind) {
    parameters.push_back(quote(name.str()) + ": " + quote(kind));
  };
  std::string configuration;
  auto configure = [&](StringRef key, const Twine &value) {
    configuration += (", " + key + "=" + value).str();
  };
  if (kernel.isUserKernel()) {
    for (auto each : kernel.getParameters()->getAsRange<ParamAttr>())
      if (each.isBuffer() || each.getKind() == ParamKind::Value)
        add(each.getName(), stringifyParamKind(each.getKind()));
    configure("entry", quote(kernel.getEntryName()));
    if (auto threads = kernel.getThreads())
      configure("threads",
                "(" +
                    llvm::join(llvm::map_range(
                                   *threads,
                                   [](int64_t n) { return std::to_string(n); }),
                               ", ") +
                    ")");
    if (auto shared = kernel.getShared())
      configure("shared", Twine(static_cast<int64_t>(*shared)));
  } else {
    for (unsigned i = 0; i < kernel.getNumInputs(); ++i)
      add("in" + Twine(i), "read");
    for (unsigned i = 0; i < kernel.getNumOutputs(); ++i)
      add("out" + Twine(i), "write");
    for (auto symbol : kernel.getSymbols().getAsRange<StringAttr>())
      add(symbol.getValue(), "value");
    if (Attribute schedule = kernel.getLoopKernel().getScheduleAttr()) {
      std::string text;
      llvm::raw_string_ostream(text) << schedule;
      configure("schedule", quote(text));
    }
    if (auto grain = kernel.getGrain())
      configure("grain", Twine(static_cast<int64_t>(*grain)));
  }
  out.line("fx.describe(" + global(kernel.getName()) + ", {" +
           llvm::join(parameters, ", ") + "}" + configuration + ")");
  return success();
}

std::string FXEmitter::stepArgument(ArrayRef<Operation *> ops) {
  SmallVector<std::string> steps, sources;
  for (Operation *op : ops)
    if (auto step = dyn_cast<ComputeOpInterface>(op)) {
      steps.push_back(getHandle(step));
      sources.push_back(describeSource(op->getLoc()));
    }
  if (steps.empty())
    return "";
  return ", at=(" + quote(llvm::join(steps, ", ")) + ", " +
         quote(llvm::join(sources, ", ")) + ")";
}

LogicalResult FXEmitter::emitCombination(CombinationOp combination) {
  if (failed(PythonEmitter::emitCombination(combination)))
    return failure();
  SmallVector<std::string> inputs, outputs, numbers;
  for (auto part : combination.getParts().getAsRange<FlatSymbolRefAttr>()) {
    auto kernel = table.lookup<KernelOp>(part.getValue());
    for (unsigned i = 0; i < kernel.getNumInputs(); ++i)
      inputs.push_back("\"in" + std::to_string(inputs.size()) + "\": \"read\"");
    for (unsigned i = 0; i < kernel.getNumOutputs(); ++i)
      outputs.push_back("\"out" + std::to_string(outputs.size()) +
                        "\": \"write\"");
  }
  for (int64_t i = 0; i < combination.getNumSymbols(); ++i)
    numbers.push_back("\"c" + std::to_string(i) + "\": \"value\"");
  llvm::append_range(inputs, outputs);
  llvm::append_range(inputs, numbers);
  out.line("fx.describe(" + global(combination.getSymName()) + ", {" +
           llvm::join(inputs, ", ") + "})");
  return success();
}

LogicalResult FXEmitter::emit(LaunchOp op) {
  if (failed(checkPlace(op, table.lookup<KernelOp>(op.getCallee()))))
    return failure();
  SmallVector<LaunchOp> launches = getLaunches(op);
  if (launches.empty())
    return success();
  SmallVector<std::string> buffers;
  for (Value v : getBuffers(launches))
    buffers.push_back(name(v));
  // The points that it runs over, by the numbers of each launch: those of a
  // combination in one sum.
  SmallVector<ExprAttr> space;
  ExprAttr points = sym::constant(op.getContext(), 0);
  for (LaunchOp launch : launches) {
    auto kernel = table.lookup<KernelOp>(launch.getCallee());
    llvm::StringMap<ExprAttr> values;
    for (auto [symbol, value] :
         llvm::zip(kernel.getSymbols().getAsRange<StringAttr>(),
                   launch.getSymbols().getDims()))
      values[symbol.getValue()] = value;
    space.clear();
    for (ExprAttr size : kernel.getLoopKernel().getDims().getDims())
      space.push_back(sym::substitute(size, [&](ExprAttr leaf) {
        return leaf.isSymbol() && values.count(leaf.getName())
                   ? values.lookup(leaf.getName())
                   : leaf;
      }));
    points = sym::add(points, sym::product(op.getContext(), space));
  }
  if (launches.size() > 1)
    space = {points};
  // Sizes become nodes in front of this one.
  std::string symbols = tuple(getNumbers(launches));
  std::string grid = tuple(space);
  out.line(graph + ".launch(" + getCalled(launches) + ", " + tuple(buffers) +
           ", " + symbols + ", grid=" + grid +
           stepArgument(llvm::to_vector_of<Operation *>(launches)) + ")");
  return success();
}

//===----------------------------------------------------------------------===//
// User-defined kernels
//===----------------------------------------------------------------------===//

LogicalResult FXEmitter::emit(LaunchUserOp op) {
  auto kernel = table.lookup<KernelOp>(op.getCallee());
  auto grid = table.lookup<GridOp>(op.getGrid());
  if (failed(checkPlace(op, kernel)))
    return failure();
  SmallVector<std::string> places, buffers;
  SmallVector<ExprAttr> numbers;
  for (const LaunchUserOp::Passed &each : op.getPassed(kernel)) {
    if (each.map) {
      // A node cannot hold a map, so the launch makes it of the buffer.
      auto how = describeMap(each.map.getDefiningOp<TMADescriptorOp>());
      if (failed(how))
        return failure();
      places.push_back("host.TensorMapOf(" + *how + ")");
      buffers.push_back(name(each.operand));
    } else if (each.isNull()) {
      places.push_back("None");
    } else if (each.operand) {
      places.push_back(each.parameter.isBuffer() ? "\"buffer\"" : "\"scalar\"");
      buffers.push_back(name(each.operand));
    } else if (auto number = dyn_cast<FloatAttr>(each.argument)) {
      places.push_back(printFloatLiteral(number.getValueAsDouble()));
    } else {
      places.push_back("\"number\"");
      numbers.push_back(cast<ExprAttr>(each.argument));
    }
  }
  // Sizes become nodes in front of this one.
  std::string given = tuple(numbers);
  std::string size = tuple(op.resolveGrid(grid).getDims());
  out.line(graph + ".launch(" + global(op.getCallee()) + ", " + tuple(buffers) +
           ", " + given + ", grid=" + size + ", places=" + tuple(places) +
           stepArgument(op.getOperation()) + ")");
  return success();
}

/// Launches make what they pass.
LogicalResult FXEmitter::emit(TMADescriptorOp) { return success(); }
