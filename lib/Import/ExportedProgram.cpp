//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Reads the JSON of an exported program into structures.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/ExportedProgram.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace llvm;
using namespace coil::import;

namespace {

/// Reads schema objects. A read returns false after recording the first error.
class Reader {
public:
  Reader(const Limits &limits, BumpPtrAllocator &storage)
      : limits(limits), storage(storage) {}

  bool readProgram(const JSONValue &root, ExportedProgram &program);
  bool readWeights(const JSONValue &root, std::vector<WeightConfig> &weights);

  Error takeError() { return makeError(message); }

private:
  bool fail(const JSONValue &at, const Twine &text) {
    message = (at.path() + ": " + text).str();
    return false;
  }
  bool expected(const JSONValue &at, StringRef what) {
    return fail(at, "expected " + what + " but got " + at.describe());
  }

  /// The member \p key, which must be there.
  std::optional<JSONValue> member(const JSONValue &object, StringRef key) {
    if (!object.isObject()) {
      expected(object, "an object");
      return std::nullopt;
    }
    std::optional<JSONValue> result = object.find(key);
    if (!result)
      fail(object, "the member '" + key + "' is missing");
    return result;
  }
  /// The only member of a union.
  bool tagged(const JSONValue &value, JSONValue::Child &child, StringRef &tag);

  bool read(const JSONValue &value, StringRef &out);
  bool read(const JSONValue &value, int64_t &out);
  bool read(const JSONValue &value, bool &out);
  bool read(const JSONValue &value, double &out);
  bool read(const JSONValue &value, SymInt &out);
  bool read(const JSONValue &value, Device &out);
  bool read(const JSONValue &value, TensorMeta &out);
  bool read(const JSONValue &value, Argument &out);
  bool read(const JSONValue &value, NamedArgument &out);
  bool read(const JSONValue &value, Node &out);
  bool read(const JSONValue &value, InputSpec &out);
  bool read(const JSONValue &value, OutputSpec &out);
  bool read(const JSONValue &value, SymRef<int64_t> &out);
  bool read(const JSONValue &value, SymRef<double> &out);
  bool readBoolAsInt(const JSONValue &value, int64_t &out);
  bool readSymBool(const JSONValue &value, SymRef<int64_t> &out);
  bool readSymRef(const JSONValue &value, StringRef constantTag,
                  StringRef &name, std::optional<JSONValue> &constant);
  bool readOptionalInt(const JSONValue &value, std::optional<int64_t> &out);
  bool readBound(const JSONValue &value, std::optional<int64_t> &out);
  bool readTensorName(const JSONValue &value, StringRef &out);
  bool readOptionalTensorName(const JSONValue &value, StringRef &out);
  bool readDims(const JSONValue &value, SmallVectorImpl<SymInt> &out);
  bool readSymMap(const JSONValue &graph, StringRef key,
                  StringMap<SymInt> &out);
  bool readGraph(const JSONValue &graph, Graph &out);
  bool readSubgraph(const JSONValue &value, Argument &out);
  bool readSource(const JSONValue &node, SourceLine &out);

  template <typename T>
  bool readField(const JSONValue &object, StringRef key, T &out) {
    std::optional<JSONValue> value = member(object, key);
    return value && read(*value, out);
  }
  /// Reads every element of an array with \p readElement.
  template <typename List, typename Fn>
  bool readList(const JSONValue &array, List &out, Fn readElement) {
    if (!array.isArray())
      return expected(array, "an array");
    out.reserve(array.size());
    for (auto child = array.first(); child; child.step()) {
      typename List::value_type element{};
      if (!readElement(child.value(), element))
        return false;
      out.push_back(std::move(element));
    }
    return true;
  }
  template <typename List>
  bool readList(const JSONValue &array, List &out) {
    return readList(array, out, [this](const JSONValue &value, auto &element) {
      return this->read(value, element);
    });
  }
  template <typename List>
  bool readListField(const JSONValue &object, StringRef key, List &out) {
    std::optional<JSONValue> value = member(object, key);
    return value && readList(*value, out);
  }

  const Limits &limits;
  BumpPtrAllocator &storage;
  size_t numNodes = 0; ///< Of all graphs.
  std::string message;
};

} // namespace

bool Reader::tagged(const JSONValue &value, JSONValue::Child &child,
                    StringRef &tag) {
  if (!value.isObject())
    return expected(value, "an object");
  if (value.size() != 1)
    return fail(value, "expected a union with exactly one member but got " +
                           Twine(value.size()));
  child = value.first();
  tag = child.key(storage);
  return true;
}

bool Reader::read(const JSONValue &value, StringRef &out) {
  std::optional<StringRef> text = value.getString(storage);
  if (!text)
    return expected(value, "a string");
  out = *text;
  return true;
}

bool Reader::read(const JSONValue &value, int64_t &out) {
  if (!value.isNumber())
    return expected(value, "an integer");
  std::optional<int64_t> number = value.getInt();
  if (!number)
    return fail(value, "expected a 64-bit integer");
  out = *number;
  return true;
}

bool Reader::read(const JSONValue &value, bool &out) {
  std::optional<bool> flag = value.getBool();
  if (!flag)
    return expected(value, "a boolean");
  out = *flag;
  return true;
}

bool Reader::readBoolAsInt(const JSONValue &value, int64_t &out) {
  bool flag = false;
  if (!read(value, flag))
    return false;
  out = flag;
  return true;
}

bool Reader::read(const JSONValue &value, double &out) {
  if (std::optional<double> number = value.getDouble()) {
    out = *number;
    return true;
  }
  // What JSON has no number for is written as a string.
  BumpPtrAllocator scratch;
  if (std::optional<StringRef> text = value.getString(scratch)) {
    std::optional<double> special =
        StringSwitch<std::optional<double>>(*text)
            .Case("Infinity", std::numeric_limits<double>::infinity())
            .Case("-Infinity", -std::numeric_limits<double>::infinity())
            .Case("NaN", std::numeric_limits<double>::quiet_NaN())
            .Default(std::nullopt);
    if (special) {
      out = *special;
      return true;
    }
  }
  return fail(value, "expected a floating-point number");
}

bool Reader::readOptionalInt(const JSONValue &value,
                             std::optional<int64_t> &out) {
  out.reset();
  if (value.isNull())
    return true;
  int64_t number = 0;
  if (!read(value, number))
    return false;
  out = number;
  return true;
}

/// Whether a value is a number that no integer of 64 bits is as large as.
static bool isHuge(const JSONValue &value) {
  std::optional<double> number =
      value.isNumber() ? value.getDouble() : std::nullopt;
  return number && std::fabs(*number) >= 0x1p63 && !value.getInt();
}

/// The end of a range. Export multiplies bounds of sizes: what does not fit a
/// size bounds none.
bool Reader::readBound(const JSONValue &value, std::optional<int64_t> &out) {
  if (!isHuge(value))
    return readOptionalInt(value, out);
  out.reset();
  return true;
}

bool Reader::read(const JSONValue &value, SymInt &out) {
  JSONValue::Child child = value.first();
  StringRef tag;
  if (!tagged(value, child, tag))
    return false;
  const JSONValue &inner = child.value();
  if (tag == "as_int")
    return read(inner, out.value);
  if (tag == "as_float" || tag == "as_bool")
    return fail(value, "expected a symbolic expression, not a constant");
  if (tag != "as_expr")
    return fail(value, "expected 'as_int' or 'as_expr' but got " + quoted(tag));
  if (!readField(inner, "expr_str", out.expr))
    return false;
  if (out.expr.empty())
    return fail(inner, "the expression is empty");
  std::optional<JSONValue> hint = inner.find("hint");
  if (!hint || !hint->isObject())
    return true;
  if (std::optional<JSONValue> number = hint->find("as_int"))
    return readOptionalInt(*number, out.hint);
  return true;
}

bool Reader::read(const JSONValue &value, Device &out) {
  if (!readField(value, "type", out.type))
    return false;
  std::optional<JSONValue> index = value.find("index");
  return !index || readOptionalInt(*index, out.index);
}

bool Reader::readDims(const JSONValue &value, SmallVectorImpl<SymInt> &out) {
  if (value.size() > limits.maxRank)
    return fail(value, "the rank is " + Twine(value.size()) +
                           ", over the limit of " + Twine(limits.maxRank) +
                           " (see --max-rank)");
  return readList(value, out);
}

bool Reader::read(const JSONValue &value, TensorMeta &out) {
  int64_t dtype = 0;
  if (!readField(value, "dtype", dtype))
    return false;
  std::optional<DType> known = getDType(dtype);
  if (!known)
    return fail(value, "unknown element type " + Twine(dtype));
  out.dtype = *known;
  std::optional<JSONValue> sizes = member(value, "sizes");
  if (!sizes || !readDims(*sizes, out.sizes))
    return false;
  std::optional<JSONValue> strides = member(value, "strides");
  if (!strides || !readDims(*strides, out.strides))
    return false;
  if (out.strides.size() != out.sizes.size())
    return fail(value, "expected " + Twine(out.sizes.size()) +
                           " strides but got " + Twine(out.strides.size()));
  unsigned __int128 elements = 1;
  for (const SymInt &size : out.sizes) {
    if (size.isSymbolic())
      continue;
    if (size.value < 0)
      return fail(*sizes, "a size is negative");
    elements *= uint64_t(size.value);
    if (elements > limits.maxElements)
      return fail(*sizes, "the tensor has more elements than the limit of " +
                              Twine(limits.maxElements) +
                              " (see --max-elements)");
  }
  // As the host program's kernels are checked: all that five levels of page
  // tables address.
  unsigned __int128 reach = 0;
  for (auto [size, stride] : llvm::zip_equal(out.sizes, out.strides))
    if (!stride.isSymbolic() && (size.isSymbolic() || size.value > 1))
      reach +=
          static_cast<unsigned __int128>(llvm::AbsoluteValue(stride.value)) *
          uint64_t(size.isSymbolic() ? 1 : size.value - 1);
  if (reach > (uint64_t(1) << 56))
    return fail(*strides, "the strides reach beyond 2^56 elements");
  if (!readField(value, "storage_offset", out.storageOffset) ||
      !readField(value, "layout", out.layout) ||
      !readField(value, "device", out.device))
    return false;
  if (!out.storageOffset.isSymbolic() && out.storageOffset.value < 0)
    return fail(value, "the storage offset is negative");
  return true;
}

bool Reader::readTensorName(const JSONValue &value, StringRef &out) {
  if (!readField(value, "name", out))
    return false;
  if (out.empty())
    return fail(value, "the name is empty");
  return true;
}

bool Reader::readOptionalTensorName(const JSONValue &value, StringRef &out) {
  JSONValue::Child child = value.first();
  StringRef tag;
  if (!tagged(value, child, tag))
    return false;
  if (tag == "as_none")
    return true;
  if (tag != "as_tensor")
    return fail(value,
                "expected 'as_tensor' or 'as_none' but got " + quoted(tag));
  return readTensorName(child.value(), out);
}

bool Reader::readSymRef(const JSONValue &value, StringRef constantTag,
                        StringRef &name, std::optional<JSONValue> &constant) {
  JSONValue::Child child = value.first();
  StringRef tag;
  if (!tagged(value, child, tag))
    return false;
  if (tag == "as_name") {
    if (!read(child.value(), name))
      return false;
    return !name.empty() || fail(value, "the name is empty");
  }
  if (tag != constantTag)
    return fail(value, "expected 'as_name' or '" + constantTag + "' but got " +
                           quoted(tag));
  constant = value.find(constantTag);
  return true;
}

bool Reader::read(const JSONValue &value, SymRef<int64_t> &out) {
  std::optional<JSONValue> constant;
  return readSymRef(value, "as_int", out.name, constant) &&
         (!constant || read(*constant, out.value));
}

bool Reader::read(const JSONValue &value, SymRef<double> &out) {
  std::optional<JSONValue> constant;
  return readSymRef(value, "as_float", out.name, constant) &&
         (!constant || read(*constant, out.value));
}

bool Reader::readSymBool(const JSONValue &value, SymRef<int64_t> &out) {
  std::optional<JSONValue> constant;
  return readSymRef(value, "as_bool", out.name, constant) &&
         (!constant || readBoolAsInt(*constant, out.value));
}

bool Reader::read(const JSONValue &value, Argument &out) {
  using Kind = Argument::Kind;
  JSONValue::Child child = value.first();
  StringRef tag;
  if (!tagged(value, child, tag))
    return false;
  const JSONValue &inner = child.value();
  out.kind = StringSwitch<Kind>(tag)
                 .Case("as_none", Kind::None)
                 .Cases({"as_tensor", "as_optional_tensor"}, Kind::Tensor)
                 .Cases({"as_tensors", "as_optional_tensors"}, Kind::Tensors)
                 .Case("as_int", Kind::Int)
                 .Case("as_ints", Kind::Ints)
                 .Case("as_float", Kind::Float)
                 .Case("as_floats", Kind::Floats)
                 .Case("as_bool", Kind::Bool)
                 .Case("as_bools", Kind::Bools)
                 .Case("as_string", Kind::String)
                 .Case("as_strings", Kind::Strings)
                 .Case("as_complex", Kind::Complex)
                 .Case("as_sym_int", Kind::SymInt)
                 .Case("as_sym_ints", Kind::SymInts)
                 .Case("as_sym_float", Kind::SymFloat)
                 .Case("as_sym_floats", Kind::SymFloats)
                 .Case("as_sym_bool", Kind::SymBool)
                 .Case("as_sym_bools", Kind::SymBools)
                 .Case("as_scalar_type", Kind::ScalarType)
                 .Case("as_memory_format", Kind::MemoryFormat)
                 .Case("as_layout", Kind::Layout)
                 .Case("as_device", Kind::Device)
                 .Case("as_graph", Kind::Graph)
                 .Case("as_operator", Kind::Operator)
                 .Default(Kind::Other);

  switch (out.kind) {
  case Kind::None:
    return true;
  case Kind::Tensor:
    out.strings.emplace_back();
    if (tag == "as_tensor")
      return readTensorName(inner, out.strings[0]);
    if (!readOptionalTensorName(inner, out.strings[0]))
      return false;
    if (out.strings[0].empty()) {
      out.kind = Kind::None;
      out.strings.clear();
    }
    return true;
  case Kind::Tensors:
    return readList(
        inner, out.strings, [&](const JSONValue &element, StringRef &name) {
          return tag == "as_tensors" ? readTensorName(element, name)
                                     : readOptionalTensorName(element, name);
        });
  case Kind::Int:
  case Kind::ScalarType:
  case Kind::MemoryFormat:
  case Kind::Layout:
    // Export compares sizes with products of their bounds, which fit nothing.
    if (out.kind == Kind::Int && isHuge(inner)) {
      out.kind = Kind::Other;
      out.strings.push_back("integer of more than 64 bits");
      return true;
    }
    out.ints.push_back(0);
    if (!read(inner, out.ints[0]))
      return false;
    if (out.kind == Kind::ScalarType && !getDType(out.ints[0]))
      return fail(inner, "unknown element type " + Twine(out.ints[0]));
    if (out.kind == Kind::MemoryFormat && (out.ints[0] < 1 || out.ints[0] > 4))
      return fail(inner, "unknown memory format " + Twine(out.ints[0]));
    return true;
  case Kind::Ints:
    return readList(inner, out.ints);
  case Kind::Float:
    out.floats.push_back(0);
    return read(inner, out.floats[0]);
  case Kind::Floats:
    return readList(inner, out.floats);
  case Kind::Bool:
    out.ints.push_back(0);
    return readBoolAsInt(inner, out.ints[0]);
  case Kind::Bools:
    return readList(inner, out.ints,
                    [&](const JSONValue &element, int64_t &flag) {
                      return readBoolAsInt(element, flag);
                    });
  case Kind::String:
  case Kind::Operator:
    out.strings.emplace_back();
    return read(inner, out.strings[0]);
  case Kind::Strings:
    return readList(inner, out.strings);
  case Kind::Complex:
    out.floats.assign(2, 0);
    return readField(inner, "real", out.floats[0]) &&
           readField(inner, "imag", out.floats[1]);
  case Kind::SymInt:
    out.symInts.emplace_back();
    return read(inner, out.symInts[0]);
  case Kind::SymInts:
    return readList(inner, out.symInts);
  case Kind::SymFloat:
    out.symFloats.emplace_back();
    return read(inner, out.symFloats[0]);
  case Kind::SymFloats:
    return readList(inner, out.symFloats);
  case Kind::SymBool:
    out.symInts.emplace_back();
    return readSymBool(inner, out.symInts[0]);
  case Kind::SymBools:
    return readList(inner, out.symInts,
                    [&](const JSONValue &element, SymRef<int64_t> &flag) {
                      return readSymBool(element, flag);
                    });
  case Kind::Device: {
    Device device;
    if (!read(inner, device))
      return false;
    out.strings.push_back(device.type);
    if (device.index)
      out.ints.push_back(*device.index);
    return true;
  }
  case Kind::Graph:
    return readSubgraph(inner, out);
  case Kind::Other:
    out.strings.push_back(tag);
    if (tag != "as_custom_obj")
      return true;
    out.strings.resize(3);
    return readField(inner, "name", out.strings[1]) &&
           readField(inner, "class_fqn", out.strings[2]);
  }
  llvm_unreachable("unknown kind");
}

/// Nesting is bounded by that of the document.
bool Reader::readSubgraph(const JSONValue &value, Argument &out) {
  auto graph = std::make_shared<Graph>();
  out.graph = graph;
  out.strings.emplace_back();
  std::optional<JSONValue> inner = member(value, "graph");
  return inner && readField(value, "name", out.strings[0]) &&
         readListField(*inner, "inputs", graph->inputs) &&
         readListField(*inner, "outputs", graph->outputs) &&
         readGraph(*inner, *graph);
}

bool Reader::read(const JSONValue &value, NamedArgument &out) {
  if (!readField(value, "name", out.name) ||
      !readField(value, "arg", out.value))
    return false;
  std::optional<JSONValue> kind = value.find("kind");
  out.isKeyword = kind && kind->getInt() == 2;
  return true;
}

bool Reader::readSource(const JSONValue &node, SourceLine &out) {
  std::optional<JSONValue> metadata = node.find("metadata");
  if (!metadata || !metadata->isObject())
    return true;
  std::optional<JSONValue> trace = metadata->find("stack_trace");
  if (!trace || !trace->isString())
    return true;
  // The trace is long and repeats; only the file name is kept.
  BumpPtrAllocator scratch;
  out = findUserLine(*trace->getString(scratch));
  out.file = out.file.copy(storage);
  return true;
}

bool Reader::read(const JSONValue &value, Node &out) {
  if (!readField(value, "target", out.target) ||
      !readListField(value, "inputs", out.inputs) ||
      !readListField(value, "outputs", out.outputs))
    return false;
  std::optional<JSONValue> name = value.find("name");
  if (name && !name->isNull() && !read(*name, out.name))
    return false;
  return readSource(value, out.source);
}

bool Reader::read(const JSONValue &value, InputSpec &out) {
  using Kind = InputSpec::Kind;
  JSONValue::Child child = value.first();
  if (!tagged(value, child, out.tag))
    return false;
  const JSONValue &inner = child.value();
  out.kind = StringSwitch<Kind>(out.tag)
                 .Case("user_input", Kind::UserInput)
                 .Case("parameter", Kind::Parameter)
                 .Case("buffer", Kind::Buffer)
                 .Case("tensor_constant", Kind::TensorConstant)
                 .Case("constant_input", Kind::ConstantInput)
                 .Default(Kind::Other);
  StringRef fqnKey;
  switch (out.kind) {
  case Kind::UserInput:
    return readField(inner, "arg", out.arg);
  case Kind::ConstantInput:
    out.arg.kind = Argument::Kind::String;
    out.arg.strings.emplace_back();
    return readField(inner, "name", out.arg.strings[0]);
  case Kind::Other:
    return true;
  case Kind::Parameter:
    fqnKey = "parameter_name";
    break;
  case Kind::Buffer:
    fqnKey = "buffer_name";
    break;
  case Kind::TensorConstant:
    fqnKey = "tensor_constant_name";
    break;
  }
  out.arg.kind = Argument::Kind::Tensor;
  out.arg.strings.emplace_back();
  std::optional<JSONValue> arg = member(inner, "arg");
  if (!arg || !readTensorName(*arg, out.arg.strings[0]) ||
      !readField(inner, fqnKey, out.fqn))
    return false;
  std::optional<JSONValue> persistent = inner.find("persistent");
  return !persistent || read(*persistent, out.isPersistent);
}

bool Reader::read(const JSONValue &value, OutputSpec &out) {
  using Kind = OutputSpec::Kind;
  JSONValue::Child child = value.first();
  if (!tagged(value, child, out.tag))
    return false;
  const JSONValue &inner = child.value();
  out.kind = StringSwitch<Kind>(out.tag)
                 .Cases({"user_output", "loss_output"}, Kind::UserOutput)
                 .Case("buffer_mutation", Kind::BufferMutation)
                 .Case("parameter_mutation", Kind::ParameterMutation)
                 .Case("user_input_mutation", Kind::UserInputMutation)
                 .Case("gradient_to_parameter", Kind::GradientToParameter)
                 .Case("gradient_to_user_input", Kind::GradientToUserInput)
                 .Default(Kind::Other);
  if (out.tag == "user_output")
    return readField(inner, "arg", out.arg);
  if (out.kind == Kind::Other)
    return true;
  out.arg.kind = Argument::Kind::Tensor;
  out.arg.strings.emplace_back();
  std::optional<JSONValue> arg = member(inner, "arg");
  if (!arg || !readTensorName(*arg, out.arg.strings[0]))
    return false;
  switch (out.kind) {
  case Kind::BufferMutation:
    return readField(inner, "buffer_name", out.target);
  case Kind::ParameterMutation:
  case Kind::GradientToParameter:
    return readField(inner, "parameter_name", out.target);
  case Kind::UserInputMutation:
  case Kind::GradientToUserInput:
    return readField(inner, "user_input_name", out.target);
  default: // The loss.
    return true;
  }
}

bool Reader::readSymMap(const JSONValue &graph, StringRef key,
                        StringMap<SymInt> &out) {
  std::optional<JSONValue> map = graph.find(key);
  if (!map || map->isNull())
    return true;
  if (!map->isObject())
    return expected(*map, "an object");
  for (auto child = map->first(); child; child.step()) {
    SymInt value;
    // Constant floats are of no use without an expression. A constant bool is
    // an expression of its own.
    if (child.value().find("as_float"))
      continue;
    if (std::optional<JSONValue> flag = child.value().find("as_bool")) {
      bool holds = false;
      if (!read(*flag, holds))
        return false;
      value.expr = holds ? "True" : "False";
    } else if (!read(child.value(), value)) {
      return false;
    }
    out.try_emplace(child.key(storage), value);
  }
  return true;
}

bool Reader::readGraph(const JSONValue &graph, Graph &out) {
  std::optional<JSONValue> nodes = member(graph, "nodes");
  if (!nodes)
    return false;
  numNodes += nodes->size();
  if (numNodes > limits.maxNodes)
    return fail(*nodes, "the number of nodes is " + Twine(numNodes) +
                            ", over the limit of " + Twine(limits.maxNodes) +
                            " (see --max-nodes)");
  if (!readList(*nodes, out.nodes))
    return false;
  std::optional<JSONValue> tensors = member(graph, "tensor_values");
  if (!tensors)
    return false;
  if (!tensors->isObject())
    return expected(*tensors, "an object");
  for (auto child = tensors->first(); child; child.step())
    if (!read(child.value(), out.tensors[child.key(storage)]))
      return false;
  if (!readSymMap(graph, "sym_int_values", out.symInts) ||
      !readSymMap(graph, "sym_float_values", out.symFloats) ||
      !readSymMap(graph, "sym_bool_values", out.symBools))
    return false;
  return true;
}

bool Reader::readProgram(const JSONValue &root, ExportedProgram &program) {
  std::optional<JSONValue> version = member(root, "schema_version");
  int64_t major = 0;
  if (!version || !readField(*version, "major", major))
    return false;
  if (major != 8)
    return fail(*version, "schema version " + Twine(major) +
                              " is not supported, only version 8 is");
  if (!readField(*version, "minor", program.schemaMinor))
    return false;
  if (std::optional<JSONValue> torch = root.find("torch_version"))
    if (!torch->isNull() && !read(*torch, program.torchVersion))
      return false;

  // Files of minor versions that do not say are taken for the explicit form.
  if (std::optional<JSONValue> verifiers = root.find("verifiers");
      verifiers && verifiers->isArray()) {
    SmallVector<StringRef> names;
    if (!readList(*verifiers, names))
      return false;
    program.isTraining = is_contained(names, "TRAINING");
  }

  std::optional<JSONValue> ranges = member(root, "range_constraints");
  if (!ranges)
    return false;
  if (!ranges->isObject())
    return expected(*ranges, "an object");
  for (auto child = ranges->first(); child; child.step()) {
    SymbolRange range;
    range.symbol = child.key(storage);
    std::optional<JSONValue> min = member(child.value(), "min_val");
    if (!min || !readBound(*min, range.min))
      return false;
    std::optional<JSONValue> max = member(child.value(), "max_val");
    if (!max || !readBound(*max, range.max))
      return false;
    if (range.min && range.max && *range.min > *range.max)
      return fail(child.value(), "the range is empty");
    std::optional<JSONValue> guarded = child.value().find("is_guarded");
    if (guarded && !read(*guarded, range.isGuarded))
      return false;
    program.ranges.push_back(range);
  }

  if (std::optional<JSONValue> guards = root.find("guards_code"))
    if (!guards->isNull() && !readList(*guards, program.guards))
      return false;

  std::optional<JSONValue> module = member(root, "graph_module");
  if (!module)
    return false;
  std::optional<JSONValue> graph = member(*module, "graph");
  if (!graph || !readGraph(*graph, program))
    return false;
  std::optional<JSONValue> signature = member(*module, "signature");
  if (!signature || !readListField(*signature, "input_specs", program.inputs) ||
      !readListField(*signature, "output_specs", program.outputs))
    return false;
  std::optional<JSONValue> inputs = member(*graph, "inputs");
  if (!inputs)
    return false;
  if (inputs->size() != program.inputs.size())
    return fail(*inputs, "the graph has " + Twine(inputs->size()) +
                             " inputs but the signature has " +
                             Twine(program.inputs.size()));
  return true;
}

bool Reader::readWeights(const JSONValue &root,
                         std::vector<WeightConfig> &weights) {
  std::optional<JSONValue> config = member(root, "config");
  if (!config)
    return false;
  if (!config->isObject())
    return expected(*config, "an object");
  weights.reserve(config->size());
  for (auto child = config->first(); child; child.step()) {
    WeightConfig weight;
    weight.fqn = child.key(storage);
    if (!readField(child.value(), "path_name", weight.path))
      return false;
    std::optional<JSONValue> pickle = child.value().find("use_pickle");
    if (pickle && !read(*pickle, weight.usesPickle))
      return false;
    std::optional<JSONValue> meta = child.value().find("tensor_meta");
    if (meta && !meta->isNull() && !read(*meta, weight.meta.emplace()))
      return false;
    weights.push_back(std::move(weight));
  }
  return true;
}

Error coil::import::readExportedProgram(StringRef text, const Limits &limits,
                                        ExportedProgram &program) {
  Expected<JSONDocument> document = JSONDocument::parse(text, limits);
  if (!document)
    return document.takeError();
  Reader reader(limits, program.storage);
  JSONValue root = document->root();
  return reader.readProgram(root, program) ? Error::success()
                                           : reader.takeError();
}

Error coil::import::parseWeightsConfig(StringRef text, const Limits &limits,
                                       BumpPtrAllocator &storage,
                                       std::vector<WeightConfig> &weights) {
  Expected<JSONDocument> document = JSONDocument::parse(text, limits);
  if (!document)
    return document.takeError();
  Reader reader(limits, storage);
  JSONValue root = document->root();
  return reader.readWeights(root, weights) ? Error::success()
                                           : reader.takeError();
}
