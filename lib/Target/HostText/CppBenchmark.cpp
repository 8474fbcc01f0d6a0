//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file with a main function that measures an emitted C++ program.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"

#include "coil/Dialect/Loop/Analysis/Hints.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

LogicalResult CppEmitter::writeBenchmark() {
  FuncOp entry;
  for (FuncOp fn : module.getOps<FuncOp>())
    if (!entry && fn.isPublic() && !isArrayEntry(fn))
      entry = fn;
  if (!entry)
    return module.emitError(
        "a main function that measures the program was asked for, but there is "
        "no public function of tensors to call");
  loop::Hints hints(entry);
  auto list = [&](sym::ShapeAttr dims) {
    std::string text;
    for (sym::ExprAttr dim : dims.getDims())
      text += (text.empty() ? "" : ", ") +
              std::to_string(static_cast<int64_t>(hints(dim)));
    return "{" + text + "}";
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// Measures the program '" << options.name << "', which Coil emitted"
     << (options.source.empty() ? "" : " from ") << cleanComment(options.source)
     << ".\n\n#include \"" << options.name << ".h\"\n"
     << "#include \"coil/Runtime/Benchmark.h\"\n"
     << "#include \"coil/Runtime/HostProgram.h\"\n\n";
  for (KernelOp kernel : module.getOps<KernelOp>())
    os << declareKernel(kernel);
  os << "\nint main(int argc, char **argv) {\n"
     << "  std::vector<coil::BenchmarkInput> inputs = {\n";
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto buffer = cast<BufferType>(type);
    if (buffer.getDevice() && buffer.getDevice().getKind() != "cpu")
      return entry.emitError("the main function that measures a C++ program "
                             "makes inputs in host memory, but argument ")
             << i << " is on " << buffer.getDevice();
    std::optional<std::string> dtype =
        dtypeName(entry, buffer.getElementType());
    if (!dtype)
      return failure();
    os << "      {" << *dtype << ", " << list(buffer.getSizes()) << ", "
       << list(buffer.getStrides()) << "},\n";
  }
  os << "  };\n  std::vector<coil::BenchmarkKernel> kernels = {\n";
  StringRef prefix = options.name;
  for (KernelOp kernel : module.getOps<KernelOp>()) {
    StringRef name = kernel.getName();
    if (name.consume_front(prefix))
      name.consume_front("_");
    os << "      {reinterpret_cast<const void *>(&" << global(kernel.getName())
       << "), " << quote(name) << "},\n";
  }
  os << "  };\n  return coil::Benchmark(" << entryName(entry) << ", inputs, "
     << entry.getNumResults() << ", kernels)\n      .main(argc, argv);\n}\n";
  files.push_back({options.name + "_benchmark.cpp", std::move(text)});
  return success();
}
