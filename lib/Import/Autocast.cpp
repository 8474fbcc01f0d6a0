//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Autocast.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace coil::import;
using Kind = Argument::Kind;

namespace {

/// What autocast computes an operator in.
enum class Policy : uint8_t {
  None,
  Lower,  ///< The lower precision of the region.
  Single, ///< Single precision.
  Widest, ///< The widest of the operands, at least the lower precision.
};

struct Entry {
  const char *name;
  Policy cpu, cuda;
};

} // namespace

static constexpr Entry entries[] = {
#define COIL_AUTOCAST_OP(NAME, CPU, CUDA) {NAME, Policy::CPU, Policy::CUDA},
#include "AutocastOps.inc"
};

static const Entry *findEntry(StringRef target) {
  if (!target.consume_front("torch.ops.aten."))
    return nullptr;
  const Entry *it = llvm::lower_bound(entries, target,
                                      [](const Entry &entry, StringRef name) {
                                        return StringRef(entry.name) < name;
                                      });
  return it != std::end(entries) && it->name == target ? it : nullptr;
}

static bool isFloat(DType dtype) {
  switch (dtype) {
  case DType::Float16:
  case DType::BFloat16:
  case DType::Float32:
  case DType::Float64:
  case DType::Float8E4M3FN:
  case DType::Float8E5M2:
  case DType::Float8E4M3FNUZ:
  case DType::Float8E5M2FNUZ:
    return true;
  default:
    return false;
  }
}

static bool isComplex(DType dtype) {
  return dtype == DType::ComplexFloat16 || dtype == DType::ComplexFloat32 ||
         dtype == DType::ComplexFloat64;
}

DType coil::import::promote(DType a, DType b) {
  if (a == b)
    return a;
  auto category = [](DType dtype) {
    return isComplex(dtype) ? 3 : isFloat(dtype) ? 2 : dtype != DType::Bool;
  };
  if (category(a) != category(b))
    return category(a) > category(b) ? a : b;
  if (getByteSize(a) != getByteSize(b))
    return getByteSize(a) > getByteSize(b) ? a : b;
  // bf16 and f16, u8 and i8.
  return isFloat(a) ? DType::Float32 : DType::Int16;
}

bool AutocastState::enter(const Node &node) {
  if (node.inputs.size() < 4)
    return false;
  const Argument &device = node.inputs[0].value, &dtype = node.inputs[1].value,
                 &enabled = node.inputs[2].value;
  if (device.kind != Kind::String || enabled.kind != Kind::Bool)
    return false;
  StringRef type = device.strings[0];
  Mode *mode = type == "cpu" ? &cpu : type == "cuda" ? &cuda : nullptr;
  // Programs have no tensors of other devices, to which nothing happens then.
  if (!mode)
    return !enabled.ints[0];
  mode->isEnabled = enabled.ints[0];
  *mode = {mode->isEnabled, type == "cpu" ? DType::BFloat16 : DType::Float16};
  if (dtype.kind == Kind::None)
    return true;
  std::optional<DType> lower =
      dtype.kind == Kind::ScalarType ? getDType(dtype.ints[0]) : std::nullopt;
  if (!lower || !isFloat(*lower))
    return false;
  mode->lower = *lower;
  return true;
}

SmallVector<AutocastConversion>
AutocastState::findConversions(const Node &node, const Graph &graph) const {
  SmallVector<AutocastConversion> conversions;
  if (!cpu.isEnabled && !cuda.isEnabled)
    return conversions;
  const Entry *entry = findEntry(node.target);
  if (!entry)
    return conversions;
  // Where a result's element type is given, operands are as they are.
  for (const NamedArgument &input : node.inputs)
    if (input.name == "dtype" && input.value.kind != Kind::None)
      return conversions;
  for (auto [type, mode, policy] :
       {std::tuple(StringRef("cpu"), cpu, entry->cpu),
        std::tuple(StringRef("cuda"), cuda, entry->cuda)}) {
    if (!mode.isEnabled || policy == Policy::None)
      continue;
    struct Operand {
      unsigned input, element;
      DType dtype;
    };
    SmallVector<Operand> operands;
    DType widest = mode.lower;
    for (auto [i, input] : enumerate(node.inputs)) {
      if (input.value.kind != Kind::Tensor && input.value.kind != Kind::Tensors)
        continue;
      for (auto [j, name] : enumerate(input.value.strings)) {
        auto it = graph.tensors.find(name);
        // Double precision stays.
        if (it == graph.tensors.end() || it->second.device.type != type ||
            !isFloat(it->second.dtype) || it->second.dtype == DType::Float64)
          continue;
        operands.push_back({static_cast<unsigned>(i), static_cast<unsigned>(j),
                            it->second.dtype});
        if (it->second.dtype == DType::Float32)
          widest = DType::Float32;
      }
    }
    DType wanted = policy == Policy::Lower    ? mode.lower
                   : policy == Policy::Single ? DType::Float32
                                              : widest;
    for (const Operand &operand : operands)
      if (operand.dtype != wanted)
        conversions.push_back({operand.input, operand.element, wanted});
  }
  return conversions;
}

bool AutocastState::agreesWith(const Graph &graph) const {
  return none_of(graph.nodes, [&](const Node &node) {
    SmallVector<AutocastConversion> conversions = findConversions(node, graph);
    if (conversions.empty() || node.outputs.empty() ||
        node.outputs[0].kind != Kind::Tensor)
      return false;
    auto it = graph.tensors.find(node.outputs[0].strings[0]);
    return it != graph.tensors.end() && isFloat(it->second.dtype) &&
           it->second.dtype != DType::Float64 &&
           it->second.dtype != conversions[0].dtype;
  });
}
