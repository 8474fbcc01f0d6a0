//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writing and reading what machine code is and takes.
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"

#include "coil/Support/TensorText.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace coil;
using import::JSONValue;
using llvm::Error;
using llvm::Expected;
using llvm::json::Array;
using llvm::json::Object;

/// Most buffers, symbols or threads of a kernel.
static constexpr int64_t kMaxCount = int64_t(1) << 20;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Error ManifestReader::take() {
  if (error.empty())
    return Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "the manifest is damaged: " + error);
}

std::optional<JSONValue> ManifestReader::member(const JSONValue &object,
                                                llvm::StringRef key) {
  std::optional<JSONValue> value = object.find(key);
  if (!value)
    fail("'" + object.path() + "' has no '" + key + "'");
  return value;
}

std::string ManifestReader::text(const JSONValue &value) {
  llvm::BumpPtrAllocator storage;
  std::optional<llvm::StringRef> text = value.getString(storage);
  if (!text)
    fail("'" + value.path() + "' is no string");
  return text.value_or("").str();
}

int64_t ManifestReader::integer(const JSONValue &value, int64_t min,
                                int64_t max) {
  std::optional<int64_t> number = value.getInt();
  if (!number || *number < min || *number > max) {
    fail("'" + value.path() + "' is no integer in range");
    return min > 0 ? min : 0;
  }
  return *number;
}

std::string ManifestReader::text(const JSONValue &object, llvm::StringRef key) {
  std::optional<JSONValue> value = member(object, key);
  return value ? text(*value) : "";
}

int64_t ManifestReader::integer(const JSONValue &object, llvm::StringRef key,
                                int64_t min, int64_t max) {
  std::optional<JSONValue> value = member(object, key);
  return value ? integer(*value, min, max) : 0;
}

bool ManifestReader::boolean(const JSONValue &object, llvm::StringRef key) {
  std::optional<JSONValue> value = member(object, key);
  std::optional<bool> result = value ? value->getBool() : std::nullopt;
  if (!result)
    fail("'" + object.path() + "' has no '" + key + "' that is true or false");
  return result.value_or(false);
}

void ManifestReader::each(const JSONValue &object, llvm::StringRef key,
                          llvm::function_ref<void(const JSONValue &)> read) {
  std::optional<JSONValue> list = member(object, key);
  if (!list)
    return;
  if (!list->isArray())
    return fail("'" + list->path() + "' is no array");
  for (auto child = list->first(); child && !failed(); child.step())
    read(child.value());
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

static llvm::json::Value toJSON(const SizeExpr &size) {
  if (size.kind == SizeExpr::Kind::Constant)
    return size.offset;
  Object object{{"text", size.text}};
  if (size.kind == SizeExpr::Kind::Linear) {
    object["symbol"] = size.symbol;
    object["scale"] = size.scale;
    object["offset"] = size.offset;
    return object;
  }
  Array code;
  for (const SizeExpr::Step &step : size.code)
    code.push_back(Array{int64_t(step.op), step.value});
  object["code"] = std::move(code);
  return object;
}

static SizeExpr readSize(ManifestReader &reader, const JSONValue &value) {
  SizeExpr size;
  if (!value.isObject()) {
    size.offset = reader.integer(value, INT64_MIN, INT64_MAX);
    size.text = std::to_string(size.offset);
    return size;
  }
  size.text = reader.text(value, "text");
  if (!value.find("code")) {
    size.kind = SizeExpr::Kind::Linear;
    size.symbol = unsigned(reader.integer(value, "symbol", 0, kMaxCount));
    size.scale = reader.integer(value, "scale");
    size.offset = reader.integer(value, "offset");
    return size;
  }
  size.kind = SizeExpr::Kind::General;
  reader.each(value, "code", [&](const JSONValue &step) {
    auto child = step.first();
    if (!step.isArray() || step.size() != 2)
      return reader.fail("'" + step.path() + "' is no step of a size");
    auto op = SizeExpr::Op(
        reader.integer(child.value(), 0, int64_t(SizeExpr::Op::Add)));
    child.step();
    size.code.push_back(
        {op, reader.integer(child.value(), INT64_MIN, INT64_MAX)});
  });
  return size;
}

static llvm::json::Value toJSON(const TensorSpec &spec) {
  Array sizes, strides;
  for (const SizeExpr &size : spec.sizes)
    sizes.push_back(toJSON(size));
  for (const SizeExpr &stride : spec.strides)
    strides.push_back(toJSON(stride));
  Object object{{"dtype", coil_dtype_name(spec.dtype)},
                {"device", spec.deviceType},
                {"sizes", std::move(sizes)}};
  if (spec.isComplex)
    object["complex"] = 1;
  if (spec.isUpdated)
    object["updated"] = 1;
  if (spec.deviceIndex != 0)
    object["device_index"] = spec.deviceIndex;
  if (!spec.name.empty())
    object["name"] = spec.name;
  if (!spec.weight.empty())
    object["weight"] = spec.weight;
  if (!spec.mutationKind.empty())
    object["mutation"] =
        Object{{"kind", spec.mutationKind}, {"target", spec.mutationTarget}};
  if (!spec.gradientKind.empty())
    object["gradient"] =
        Object{{"kind", spec.gradientKind}, {"target", spec.gradientTarget}};
  if (!spec.strides.empty())
    object["strides"] = std::move(strides);
  if (spec.randomStep)
    object["random_step"] = toJSON(*spec.randomStep);
  return object;
}

static TensorSpec readTensor(ManifestReader &reader, const JSONValue &value) {
  TensorSpec spec;
  std::optional<int32_t> dtype = parseDType(reader.text(value, "dtype"));
  if (!dtype)
    reader.fail("'" + value.path() + "' has an unknown element type");
  spec.dtype = dtype.value_or(COIL_F32);
  spec.deviceType =
      int32_t(reader.integer(value, "device", COIL_CPU, COIL_CUDA));
  if (value.find("complex"))
    spec.isComplex = reader.integer(value, "complex", 0, 1) != 0;
  if (value.find("updated"))
    spec.isUpdated = reader.integer(value, "updated", 0, 1) != 0;
  if (value.find("device_index"))
    spec.deviceIndex =
        int32_t(reader.integer(value, "device_index", 0, INT32_MAX));
  reader.each(value, "sizes", [&](const JSONValue &size) {
    spec.sizes.push_back(readSize(reader, size));
  });
  if (std::optional<JSONValue> name = value.find("name"))
    spec.name = reader.text(*name);
  if (std::optional<JSONValue> weight = value.find("weight"))
    spec.weight = reader.text(*weight);
  if (std::optional<JSONValue> mutation = value.find("mutation")) {
    spec.mutationKind = reader.text(*mutation, "kind");
    spec.mutationTarget = reader.text(*mutation, "target");
    if (spec.mutationKind != "user_input" && spec.mutationKind != "buffer" &&
        spec.mutationKind != "parameter")
      reader.fail("'" + mutation->path() + "' has an unknown kind");
  }
  if (std::optional<JSONValue> gradient = value.find("gradient")) {
    spec.gradientKind = reader.text(*gradient, "kind");
    spec.gradientTarget = reader.text(*gradient, "target");
    if (spec.gradientKind != "user_input" && spec.gradientKind != "parameter")
      reader.fail("'" + gradient->path() + "' has an unknown kind");
  }
  if (value.find("strides"))
    reader.each(value, "strides", [&](const JSONValue &stride) {
      spec.strides.push_back(readSize(reader, stride));
    });
  if (std::optional<JSONValue> step = value.find("random_step"))
    spec.randomStep = readSize(reader, *step);
  return spec;
}

static llvm::json::Value toJSON(const Signature &signature) {
  Array inputs, outputs, symbols;
  for (const TensorSpec &spec : signature.getInputs())
    inputs.push_back(toJSON(spec));
  for (const TensorSpec &spec : signature.getOutputs())
    outputs.push_back(toJSON(spec));
  for (const SymbolSpec &symbol : signature.getSymbols())
    symbols.push_back(Object{{"name", symbol.name},
                             {"min", symbol.min},
                             {"max", symbol.max},
                             {"hint", symbol.hint}});
  return Object{{"inputs", std::move(inputs)},
                {"outputs", std::move(outputs)},
                {"symbols", std::move(symbols)}};
}

static Expected<Signature> readSignature(ManifestReader &reader,
                                         const JSONValue &value) {
  llvm::SmallVector<TensorSpec, 0> inputs, outputs;
  llvm::SmallVector<SymbolSpec> symbols;
  reader.each(value, "inputs", [&](const JSONValue &each) {
    inputs.push_back(readTensor(reader, each));
  });
  reader.each(value, "outputs", [&](const JSONValue &each) {
    outputs.push_back(readTensor(reader, each));
  });
  reader.each(value, "symbols", [&](const JSONValue &each) {
    SymbolSpec &symbol = symbols.emplace_back();
    symbol.name = reader.text(each, "name");
    symbol.min = reader.integer(each, "min");
    symbol.max = reader.integer(each, "max");
    symbol.hint = reader.integer(each, "hint");
  });
  if (reader.failed())
    return reader.take();
  return Signature::create(std::move(inputs), std::move(outputs),
                           std::move(symbols));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

llvm::json::Value coil::toJSON(const ProgramImage &image, RecordSink add) {
  Array objects, kernels;
  for (const HostObject &object : image.objects)
    objects.push_back(
        Object{{"record", add("objects", object.code->getBuffer())},
               {"host", object.isHost},
               {"functions", Array(object.functions)}});
  for (const DeviceObject &kernel : image.kernels) {
    Object described{{"record", add("kernels", kernel.code)},
                     {"symbol", kernel.symbol},
                     {"function", kernel.function},
                     {"location", kernel.location},
                     {"text", kernel.isText},
                     {"chip", kernel.chip},
                     {"flags", int64_t(kernel.flags)},
                     {"buffers", kernel.numBuffers},
                     {"symbols", kernel.numSymbols},
                     {"block", Array(kernel.block)},
                     {"dynamic_shared", kernel.dynamicShared},
                     {"block_scratch", kernel.blockScratch}};
    // Files of programs without user-defined kernels are as they were.
    if (!kernel.parameters.empty())
      described["parameters"] = kernel.parameters;
    kernels.push_back(std::move(described));
  }
  Array functions;
  for (const RequiredFunction &function : image.functions)
    functions.push_back(Object{{"name", function.name},
                               {"device", function.deviceType},
                               {"location", function.location}});
  Object object{
      {"entry", image.entryPoint},     {"signature", ::toJSON(image.signature)},
      {"triple", image.triple},        {"cpu", image.cpu},
      {"features", image.features},    {"reads_elements", image.readsElements},
      {"objects", std::move(objects)}, {"kernels", std::move(kernels)}};
  // Files of programs that call none are as they were.
  if (!functions.empty())
    object["functions"] = std::move(functions);
  if (image.usesDevice)
    object["uses_device"] = true;
  // Files of before have none.
  if (!image.provenance.empty())
    object["provenance"] = image.provenance;
  return object;
}

Expected<ProgramImage> coil::readImage(const JSONValue &value,
                                       RecordLookup find) {
  ManifestReader reader;
  ProgramImage image;
  auto record = [&](const JSONValue &from) -> llvm::StringRef {
    std::string name = reader.text(from, "record");
    if (reader.failed())
      return "";
    Expected<llvm::StringRef> data = find(name);
    if (data)
      return *data;
    reader.fail(toString(data.takeError()));
    return "";
  };
  image.entryPoint = reader.text(value, "entry");
  image.triple = reader.text(value, "triple");
  image.cpu = reader.text(value, "cpu");
  image.features = reader.text(value, "features");
  image.readsElements = reader.boolean(value, "reads_elements");
  image.usesDevice =
      value.find("uses_device") && reader.boolean(value, "uses_device");
  if (value.find("provenance"))
    image.provenance = reader.text(value, "provenance");
  if (value.find("functions"))
    reader.each(value, "functions", [&](const JSONValue &each) {
      RequiredFunction &function = image.functions.emplace_back();
      function.name = reader.text(each, "name");
      function.deviceType =
          int32_t(reader.integer(each, "device", COIL_CPU, COIL_CUDA));
      function.location = reader.text(each, "location");
    });
  EngineStats &stats = image.stats;
  reader.each(value, "objects", [&](const JSONValue &each) {
    HostObject &object = image.objects.emplace_back();
    object.isHost = reader.boolean(each, "host");
    reader.each(each, "functions", [&](const JSONValue &name) {
      object.functions.push_back(reader.text(name));
    });
    llvm::StringRef code = record(each);
    object.code = llvm::MemoryBuffer::getMemBuffer(
        code, "", /*RequiresNullTerminator=*/false);
    stats.objectBytes += int64_t(code.size());
    ++stats.objects;
    ++stats.cachedObjects;
    if (!object.isHost)
      stats.kernels += unsigned(object.functions.size());
  });
  reader.each(value, "kernels", [&](const JSONValue &each) {
    DeviceObject &kernel = image.kernels.emplace_back();
    auto count = [&](llvm::StringRef key) {
      return int32_t(reader.integer(each, key, 0, kMaxCount));
    };
    kernel.symbol = reader.text(each, "symbol");
    kernel.function = reader.text(each, "function");
    kernel.location = reader.text(each, "location");
    kernel.isText = reader.boolean(each, "text");
    kernel.flags = uint32_t(reader.integer(each, "flags", 0, UINT32_MAX));
    kernel.numBuffers = count("buffers");
    kernel.numSymbols = count("symbols");
    kernel.dynamicShared = count("dynamic_shared");
    kernel.blockScratch = count("block_scratch");
    if (each.find("parameters"))
      kernel.parameters = reader.text(each, "parameters");
    if (kernel.parameters.find_first_not_of("am48") != std::string::npos)
      reader.fail("'" + each.path() + "' takes what no kernel takes");
    size_t dim = 0;
    reader.each(each, "block", [&](const JSONValue &size) {
      if (dim < 3)
        kernel.block[dim] = int32_t(reader.integer(size, 1, 1024));
      ++dim;
    });
    if (dim != 3)
      reader.fail("'" + each.path() + "' has no three sizes of a block");
    kernel.code = record(each).str();
    kernel.chip = reader.text(each, "chip");
    if (llvm::StringRef target = getTargetOfPTX(kernel.code);
        kernel.isText && target != kernel.chip)
      reader.fail("'" + each.path() + "' is for the chip '" + kernel.chip +
                  "', its code for '" + target.str() + "'");
    stats.imageBytes += int64_t(kernel.code.size());
    ++stats.deviceKernels;
    ++stats.cachedImages;
    ++stats.kernels;
  });
  std::optional<JSONValue> signature = reader.member(value, "signature");
  if (Error error = reader.take())
    return std::move(error);
  Expected<Signature> known = readSignature(reader, *signature);
  if (!known)
    return known.takeError();
  image.signature = std::move(*known);
  return image;
}
