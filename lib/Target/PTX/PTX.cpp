//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translations of lowered kernels to PTX, to disassembled machine code, and to
// the resources that they take.
//
//===----------------------------------------------------------------------===//

#include "coil/Target/PTX.h"

#include "coil/ExecutionEngine/DeviceCompiler.h"
#include "coil/InitAllDialects.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace coil;
namespace cl = llvm::cl;

namespace {
/// Options of the translations, made when these are registered.
struct Flags {
  cl::opt<std::string> chip{
      "ptx-chip", cl::desc("Chip of kernels-to-* (default: each module's first "
                           "target)")};
  cl::opt<bool> lineInfo{"ptx-line-info",
                         cl::desc("Keep locations in kernels-to-*")};
  cl::opt<DeviceAssembler> assembler{
      "ptx-assembler", cl::init(DeviceAssembler::Auto),
      cl::desc("Assembler of kernels-to-*"),
      cl::values(clEnumValN(DeviceAssembler::Auto, "auto", "what there is"),
                 clEnumValN(DeviceAssembler::NvJitLink, "nvjitlink", "library"),
                 clEnumValN(DeviceAssembler::Ptxas, "ptxas", "program"))};
};
} // namespace

static llvm::ManagedStatic<Flags> flags;

static LogicalResult
translate(Operation *op, DeviceFormat format,
          llvm::function_ref<llvm::Error(const DeviceImage &)> print) {
  SmallVector<gpu::GPUModuleOp> modules;
  op->walk([&](gpu::GPUModuleOp module) { modules.push_back(module); });
  DeviceOptions options;
  options.chip = flags->chip;
  options.lineInfo = flags->lineInfo;
  options.assembler = flags->assembler;
  options.format = format;
  llvm::Expected<std::vector<DeviceImage>> images =
      compileDeviceKernels(modules, options);
  if (!images)
    return emitError(UnknownLoc::get(op->getContext()))
           << toString(images.takeError());
  for (const DeviceImage &image : *images)
    if (llvm::Error error = print(image))
      return emitError(UnknownLoc::get(op->getContext()))
             << toString(std::move(error));
  return success();
}

static LogicalResult toPTX(Operation *op, llvm::raw_ostream &os) {
  return translate(op, DeviceFormat::PTX, [&](const DeviceImage &image) {
    os << image.ptx;
    return llvm::Error::success();
  });
}

static LogicalResult toSASS(Operation *op, llvm::raw_ostream &os) {
  return translate(
      op, DeviceFormat::Cubin, [&](const DeviceImage &image) -> llvm::Error {
        llvm::Expected<std::string> text = disassembleCubin(image.cubin);
        if (!text)
          return text.takeError();
        os << *text;
        return llvm::Error::success();
      });
}

static LogicalResult toResources(Operation *op, llvm::raw_ostream &os) {
  return translate(op, DeviceFormat::Cubin, [&](const DeviceImage &image) {
    for (const DeviceFunction &f : image.functions)
      os << f.name << ": " << f.registers << " registers, " << f.barriers
         << " barriers, " << f.sharedBytes << " bytes shared, " << f.stackBytes
         << " bytes stack, " << f.spillStoreBytes << " bytes spilled, "
         << f.spillLoadBytes << " bytes reloaded\n";
    os << image.log;
    return llvm::Error::success();
  });
}

void coil::registerPTXTranslations() {
  *flags;
  auto add = [](StringRef name, StringRef description, auto function) {
    TranslateFromMLIRRegistration registration(
        name, description,
        [function](Operation *op, llvm::raw_ostream &os) {
          return function(op, os);
        },
        [](DialectRegistry &registry) { registerAllDialects(registry); });
  };
  add("kernels-to-ptx", "compile lowered GPU kernels to PTX", toPTX);
  add("kernels-to-sass", "print the machine code of lowered GPU kernels",
      toSASS);
  add("kernels-to-resources",
      "list what each lowered GPU kernel takes of a multiprocessor",
      toResources);
}
