//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of extension points, and what is inserted at them.
//
//===----------------------------------------------------------------------===//

#include "coil/Pipelines/Extensions.h"

#include "coil/Pipelines/PassNames.h"
#include "coil/Pipelines/Pipelines.h"
#include "coil/Support/Error.h"
#include "coil/Support/Registration.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace coil;
using llvm::Error;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr ExtensionPointInfo kPoints[] = {
    {ExtensionPoint::BeforeLegalization, PipelinePart::Graph,
     "before-legalization",
     "framework operators ('graph.aten') in 'func.func', as imported"},
    {ExtensionPoint::AfterLegalization, PipelinePart::Graph,
     "after-legalization",
     "'graph' operators; compound ones are whole, refused ones are still "
     "framework operators"},
    {ExtensionPoint::AfterDecomposition, PipelinePart::Graph,
     "after-decomposition",
     "'graph' operators of the stage 'graph', before its contract is verified"},
    {ExtensionPoint::BeforeFusion, PipelinePart::Loop, "before-fusion",
     "a 'loop.kernel' for each operator; views are index expressions"},
    {ExtensionPoint::AfterFusion, PipelinePart::Loop, "after-fusion",
     "fused kernels, before their indices are simplified"},
    {ExtensionPoint::BeforeScheduling, PipelinePart::Loop, "before-scheduling",
     "the final kernels over tensors; none has a schedule"},
    {ExtensionPoint::AfterScheduling, PipelinePart::Loop, "after-scheduling",
     "kernels with the schedule of a CPU or of a library"},
    {ExtensionPoint::AfterOutlining, PipelinePart::Wrapper, "after-outlining",
     "a host program ('wrapper.func') and each kernel in a 'wrapper.kernel'"},
    {ExtensionPoint::BeforeDeviceScheduling, PipelinePart::Wrapper,
     "before-device-scheduling",
     "the same, before kernels without a schedule get that of their device"},
    {ExtensionPoint::AfterDeviceScheduling, PipelinePart::Wrapper,
     "after-device-scheduling", "the same; every kernel has a schedule"},
    {ExtensionPoint::BeforeMemoryPlanning, PipelinePart::Wrapper,
     "before-memory-planning",
     "the final steps of the host program; every buffer is allocated anew"},
    {ExtensionPoint::AfterMemoryPlanning, PipelinePart::Wrapper,
     "after-memory-planning",
     "buffers are reused and freed; the plan is verified after this point"},
    {ExtensionPoint::BeforeDeviceCode, PipelinePart::Kernel,
     "before-device-code", "kernels as value functions; their code comes next"},
    {ExtensionPoint::AfterDeviceCode, PipelinePart::Kernel, "after-device-code",
     "kernels in the LLVM dialect or in a 'gpu.module'"},
    {ExtensionPoint::AfterHostCode, PipelinePart::Host, "after-host-code",
     "the host program in the LLVM dialect, too: what is compiled"},
};

ArrayRef<ExtensionPointInfo> coil::getExtensionPoints() { return kPoints; }

StringRef coil::stringifyExtensionPoint(ExtensionPoint point) {
  return kPoints[static_cast<size_t>(point)].name;
}

llvm::Expected<ExtensionPoint> coil::parseExtensionPoint(StringRef name) {
  SmallVector<StringRef> names;
  for (const ExtensionPointInfo &info : kPoints) {
    if (info.name == name)
      return info.point;
    names.push_back(info.name);
  }
  return makeError("unknown extension point '" + name + "'" +
                   suggestName(name, names));
}

Stage coil::getStage(PipelinePart part) {
  switch (part) {
  case PipelinePart::Graph:
    return Stage::Graph;
  case PipelinePart::Loop:
    return Stage::Loop;
  case PipelinePart::Wrapper:
    return Stage::Wrapper;
  case PipelinePart::Kernel:
  case PipelinePart::Host:
    return Stage::Native;
  }
  llvm_unreachable("all parts are handled");
}

void coil::printStages(llvm::raw_ostream &os) {
  os << "Stages, in order, and the extension points on the way to each:\n";
  for (auto [i, stage] : llvm::enumerate(getStageNames())) {
    for (const ExtensionPointInfo &info : kPoints)
      if (getStage(info.part) == static_cast<Stage>(i))
        os << "    " << llvm::left_justify(info.name, 26) << info.description
           << '\n';
    os << "  " << llvm::left_justify(stage, 9)
       << describeStage(static_cast<Stage>(i)) << '\n';
  }
}

//===----------------------------------------------------------------------===//
// Registered extensions
//===----------------------------------------------------------------------===//

namespace {
struct RegisteredExtension {
  ExtensionPoint point;
  PipelineExtension build;
};
} // namespace

/// Never destroyed: plugins register at any time.
static NamedRegistry<RegisteredExtension> &getExtensions() {
  static auto *registry =
      new NamedRegistry<RegisteredExtension>("pipeline extension");
  return *registry;
}

void coil::registerPipelineExtension(ExtensionPoint point, StringRef name,
                                     PipelineExtension extension) {
  getExtensions().add((stringifyExtensionPoint(point) + ":" + name).str(),
                      {point, std::move(extension)},
                      __builtin_return_address(0));
}

bool coil::hasPipelineExtension(ExtensionPoint point, StringRef name) {
  return getExtensions()
             .lookup((stringifyExtensionPoint(point) + ":" + name).str())
             .build != nullptr;
}

//===----------------------------------------------------------------------===//
// Passes that options insert
//===----------------------------------------------------------------------===//

/// Calls `fn` for each entry `POINT:PIPELINE`.
static Error
forEachEntry(const CompilePipelineOptions &options,
             function_ref<Error(StringRef, ExtensionPoint, StringRef)> fn) {
  StringRef text = options.insertPasses;
  SmallVector<StringRef> entries;
  text.split(entries, ';', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    entry = entry.trim();
    auto [name, pipeline] = entry.split(':');
    if (pipeline.trim().empty())
      return makeError("'insert-passes' with '" + entry +
                       "': expected <extension point>:<pipeline>, such as "
                       "after-fusion:func.func(cse)");
    llvm::Expected<ExtensionPoint> point = parseExtensionPoint(name.trim());
    if (!point)
      return makeError("'insert-passes' with '" + entry +
                       "': " + toString(point.takeError()));
    if (Error error = fn(entry, *point, pipeline.trim()))
      return error;
  }
  return Error::success();
}

/// Appends a textual pipeline. One that names the module itself is taken apart.
static Error appendPipeline(StringRef entry, StringRef pipeline,
                            OpPassManager &pm) {
  if (pipeline.consume_front("builtin.module(") && !pipeline.consume_back(")"))
    return makeError("'insert-passes' with '" + entry + "': expected ')'");
  if (Error error = parsePipeline(pipeline, pm))
    return makeError("'insert-passes' with '" + entry +
                     "': " + toString(std::move(error)));
  return Error::success();
}

Error coil::checkInsertedPasses(const CompilePipelineOptions &options,
                                ArrayRef<PipelinePart> parts,
                                const Twine &what) {
  return forEachEntry(
      options,
      [&](StringRef entry, ExtensionPoint point, StringRef pipeline) -> Error {
        PipelinePart part = kPoints[static_cast<size_t>(point)].part;
        if (!llvm::is_contained(parts, part))
          return makeError("'insert-passes' with '" + entry + "': " + what +
                           " has no extension point '" +
                           stringifyExtensionPoint(point) +
                           "', which is on the way to the stage '" +
                           stringifyStage(getStage(part)) + "'");
        OpPassManager pm(ModuleOp::getOperationName());
        return appendPipeline(entry, pipeline, pm);
      });
}

void coil::addExtensions(OpPassManager &pm, ExtensionPoint point,
                         const CompilePipelineOptions &options) {
  for (const auto &entry : getExtensions().getEntries())
    if (entry.value.point == point)
      entry.value.build(pm, options);
  if (Error error = forEachEntry(options,
                                 [&](StringRef entry, ExtensionPoint where,
                                     StringRef pipeline) -> Error {
                                   return where == point
                                              ? appendPipeline(entry, pipeline,
                                                               pm)
                                              : Error::success();
                                 }))
    // `resolveOptions` has checked them.
    llvm::report_fatal_error(std::move(error));
}
