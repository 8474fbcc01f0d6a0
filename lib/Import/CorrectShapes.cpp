//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mends shapes that PyTorch declares wrongly. The fake implementation of
// `unique_consecutive` and its relatives puts together the sizes before `dim`,
// the number of distinct elements, and the sizes from `dim + 1` on, without
// counting `dim` from the front (torch/_subclasses/fake_impls.py of PyTorch
// 2.11): with -1 the sizes from 0 on follow, and the result has twice as many
// dimensions as there are. Those that are right come first. Counts are given
// the size of the last of these dimensions.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/ExportedProgram.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;
using namespace coil::import;

/// The argument \p name of a node, when it is a constant integer.
static std::optional<int64_t> getInt(const Node &node, StringRef name) {
  for (const NamedArgument &input : node.inputs)
    if (input.name == name && input.value.kind == Argument::Kind::Int &&
        !input.value.ints.empty())
      return input.value.ints.front();
  return std::nullopt;
}

/// The product of two sizes.
static SymInt multiply(const SymInt &lhs, const SymInt &rhs,
                       StringSaver &saver) {
  auto isOne = [](const SymInt &size) {
    return !size.isSymbolic() && size.value == 1;
  };
  if (isOne(lhs))
    return rhs;
  if (isOne(rhs))
    return lhs;
  SymInt product;
  auto text = [](const SymInt &size) {
    return size.isSymbolic() ? ("(" + size.expr + ")").str()
                             : std::to_string(size.value);
  };
  if (lhs.isSymbolic() || rhs.isSymbolic())
    product.expr = saver.save(text(lhs) + "*" + text(rhs));
  else if (__builtin_mul_overflow(lhs.value, rhs.value, &product.value))
    product.value = -1; // Refused with the other sizes that no tensor has.
  return product;
}

/// Leaves a tensor its first \p rank sizes, contiguous.
static void truncate(TensorMeta &meta, size_t rank, StringSaver &saver) {
  meta.sizes.truncate(rank);
  meta.strides.assign(rank, SymInt());
  SymInt stride;
  stride.value = 1;
  for (size_t i = rank; i-- > 0;) {
    meta.strides[i] = stride;
    stride = multiply(stride, meta.sizes[i], saver);
  }
}

void coil::import::correctShapes(Graph &graph, BumpPtrAllocator &storage) {
  StringSaver saver(storage);
  for (const Node &node : graph.nodes) {
    StringRef name = node.target;
    if (!name.consume_front("torch.ops.aten.") ||
        !(name.starts_with("unique_consecutive.") ||
          name.starts_with("unique_dim.") ||
          name.starts_with("unique_dim_consecutive.")) ||
        getInt(node, "dim") != -1 || node.inputs.empty() ||
        node.inputs[0].value.kind != Argument::Kind::Tensor ||
        node.outputs.empty() || node.outputs[0].kind != Argument::Kind::Tensor)
      continue;
    auto operand = graph.tensors.find(node.inputs[0].value.strings[0]);
    auto result = graph.tensors.find(node.outputs[0].strings[0]);
    if (operand == graph.tensors.end() || result == graph.tensors.end())
      continue;
    size_t rank = operand->second.sizes.size();
    if (rank == 0 || result->second.sizes.size() != 2 * rank)
      continue;
    truncate(result->second, rank, saver);
    // As many counts as there are distinct elements, or none at all.
    if (node.outputs.size() < 3 ||
        node.outputs[2].kind != Argument::Kind::Tensor)
      continue;
    auto counts = graph.tensors.find(node.outputs[2].strings[0]);
    if (counts == graph.tensors.end() || counts->second.sizes.size() != 1)
      continue;
    SymInt &count = counts->second.sizes[0];
    if (count.isSymbolic() || count.value != 0)
      count = result->second.sizes[rank - 1];
  }
}
