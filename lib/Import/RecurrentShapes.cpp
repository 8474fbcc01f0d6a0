//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mends the shapes of the last states of an LSTM. PyTorch's decomposition of
// `aten.lstm` (torch/_decomp/decompositions.py of PyTorch 2.11), by which
// export computes shapes, gives them a dimension of size one too many,
// `[layers, 1, batch, hidden]`; the operator itself, which the program calls,
// does not. So dimensions that later operators name are others than the
// declared sizes suggest: `log_softmax(linear(h[-1]), 1)` is over the classes,
// not the batch. The shapes of what follows are computed anew. Where that is
// not possible, the program is refused, as its results might be those of
// another program.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/ExportedProgram.h"
#include "coil/Import/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;
using namespace coil::import;
using Kind = Argument::Kind;
using Sizes = SmallVector<SymInt, 4>;

namespace {

class RecurrentShapes {
public:
  RecurrentShapes(Graph &graph, BumpPtrAllocator &storage)
      : graph(graph), saver(storage) {}
  Error run();

private:
  /// The sizes of each result; nothing if they are not known.
  std::optional<std::vector<Sizes>> infer(const Node &node, StringRef name);
  std::optional<Sizes> inferOne(const Node &node, StringRef name);
  std::optional<Sizes> broadcast(const Node &node);
  std::optional<Sizes> reduce(const Node &node, const Sizes &sizes);
  std::optional<Sizes> concatenate(const Node &node);

  const Argument *find(const Node &node, StringRef name);
  int64_t getInt(const Node &node, StringRef name, int64_t otherwise);
  /// A dimension from the front; nothing where there is none.
  std::optional<int64_t> getDim(const Node &node, StringRef name, size_t rank,
                                int64_t otherwise);
  const Sizes *getSizes(StringRef tensor);
  const Sizes *getSizes(const Node &node, StringRef name);
  /// What the file says of the results.
  std::optional<std::vector<Sizes>> getDeclared(const Node &node);
  void set(StringRef tensor, const Sizes &sizes);
  bool isCorrected(const Node &node);
  SymInt combine(const SymInt &lhs, const SymInt &rhs, bool isProduct);

  Graph &graph;
  StringSaver saver;
  StringSet<> corrected;
};

bool isOne(const SymInt &size) { return !size.isSymbolic() && size.value == 1; }

bool isSame(const Sizes &lhs, const Sizes &rhs) {
  return lhs.size() == rhs.size() &&
         std::equal(lhs.begin(), lhs.end(), rhs.begin(),
                    [](const SymInt &a, const SymInt &b) {
                      return a.isSymbolic()
                                 ? a.expr == b.expr
                                 : !b.isSymbolic() && a.value == b.value;
                    });
}

std::vector<StringRef> getTensors(const Argument &argument) {
  if (argument.kind != Kind::Tensor && argument.kind != Kind::Tensors)
    return {};
  return {argument.strings.begin(), argument.strings.end()};
}

} // namespace

const Argument *RecurrentShapes::find(const Node &node, StringRef name) {
  for (const NamedArgument &input : node.inputs)
    if (input.name == name)
      return &input.value;
  return nullptr;
}

int64_t RecurrentShapes::getInt(const Node &node, StringRef name,
                                int64_t otherwise) {
  const Argument *found = find(node, name);
  bool isNumber =
      found && (found->kind == Kind::Int || found->kind == Kind::Bool);
  return isNumber && !found->ints.empty() ? found->ints[0] : otherwise;
}

std::optional<int64_t> RecurrentShapes::getDim(const Node &node, StringRef name,
                                               size_t rank, int64_t otherwise) {
  int64_t dim = getInt(node, name, otherwise), count = int64_t(rank);
  dim = dim < 0 ? dim + count : dim;
  return dim >= 0 && dim < count ? std::optional(dim) : std::nullopt;
}

const Sizes *RecurrentShapes::getSizes(StringRef tensor) {
  auto found = graph.tensors.find(tensor);
  return found == graph.tensors.end() ? nullptr : &found->second.sizes;
}

const Sizes *RecurrentShapes::getSizes(const Node &node, StringRef name) {
  const Argument *found = find(node, name);
  return found && found->kind == Kind::Tensor ? getSizes(found->strings[0])
                                              : nullptr;
}

SymInt RecurrentShapes::combine(const SymInt &lhs, const SymInt &rhs,
                                bool isProduct) {
  SymInt result;
  auto text = [](const SymInt &size) {
    return size.isSymbolic() ? ("(" + size.expr + ")").str()
                             : std::to_string(size.value);
  };
  if (isProduct && isOne(lhs))
    return rhs;
  if (isProduct && isOne(rhs))
    return lhs;
  if (lhs.isSymbolic() || rhs.isSymbolic()) {
    result.expr = saver.save(text(lhs) + (isProduct ? "*" : "+") + text(rhs));
  } else if (isProduct
                 ? __builtin_mul_overflow(lhs.value, rhs.value, &result.value)
                 : __builtin_add_overflow(lhs.value, rhs.value,
                                          &result.value)) {
    result.value = -1; // Refused with the other sizes that no tensor has.
  }
  return result;
}

void RecurrentShapes::set(StringRef tensor, const Sizes &sizes) {
  auto found = graph.tensors.find(tensor);
  if (found == graph.tensors.end() || isSame(found->second.sizes, sizes))
    return;
  corrected.insert(tensor);
  TensorMeta &meta = found->second;
  meta.sizes = sizes;
  meta.strides.assign(sizes.size(), SymInt());
  SymInt stride;
  stride.value = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    meta.strides[i] = stride;
    stride = combine(stride, sizes[i], /*isProduct=*/true);
  }
}

bool RecurrentShapes::isCorrected(const Node &node) {
  for (const NamedArgument &input : node.inputs)
    for (StringRef tensor : getTensors(input.value))
      if (corrected.contains(tensor))
        return true;
  return false;
}

std::optional<std::vector<Sizes>>
RecurrentShapes::getDeclared(const Node &node) {
  std::vector<Sizes> result;
  for (const Argument &output : node.outputs) {
    if (output.kind != Kind::Tensor && output.kind != Kind::Tensors)
      return std::nullopt;
    for (StringRef tensor : output.strings) {
      const Sizes *sizes = getSizes(tensor);
      if (!sizes)
        return std::nullopt;
      result.push_back(*sizes);
    }
  }
  return result;
}

std::optional<Sizes> RecurrentShapes::broadcast(const Node &node) {
  Sizes result;
  for (const NamedArgument &input : node.inputs) {
    if (input.value.kind != Kind::Tensor)
      continue;
    const Sizes *sizes = getSizes(input.value.strings[0]);
    if (!sizes)
      return std::nullopt;
    if (sizes->size() > result.size()) {
      SymInt one;
      one.value = 1;
      result.insert(result.begin(), sizes->size() - result.size(), one);
    }
    for (auto [to, from] :
         zip(MutableArrayRef(result).take_back(sizes->size()), *sizes))
      if (isOne(to))
        to = from;
  }
  return result;
}

std::optional<Sizes> RecurrentShapes::reduce(const Node &node,
                                             const Sizes &sizes) {
  SmallVector<bool> reduced(sizes.size(), false);
  const Argument *dims = find(node, "dim");
  SmallVector<int64_t> given;
  if (dims && (dims->kind == Kind::Ints || dims->kind == Kind::Int))
    given.assign(dims->ints.begin(), dims->ints.end());
  for (int64_t dim : given) {
    dim = dim < 0 ? dim + int64_t(sizes.size()) : dim;
    if (dim < 0 || dim >= int64_t(sizes.size()))
      return std::nullopt;
    reduced[dim] = true;
  }
  if (given.empty())
    reduced.assign(sizes.size(), true);
  bool keeps = getInt(node, "keepdim", 0);
  Sizes result;
  for (auto [size, isReduced] : zip(sizes, reduced)) {
    SymInt one;
    one.value = 1;
    if (!isReduced || keeps)
      result.push_back(isReduced ? one : size);
  }
  return result;
}

std::optional<Sizes> RecurrentShapes::concatenate(const Node &node) {
  const Argument *tensors = find(node, "tensors");
  if (!tensors || tensors->kind != Kind::Tensors || tensors->strings.empty())
    return std::nullopt;
  std::optional<Sizes> result;
  for (StringRef tensor : tensors->strings) {
    const Sizes *sizes = getSizes(tensor);
    if (!sizes || (result && sizes->size() != result->size()))
      return std::nullopt;
    if (!result) {
      result = *sizes;
      continue;
    }
    auto dim = getDim(node, "dim", sizes->size(), 0);
    if (!dim)
      return std::nullopt;
    (*result)[*dim] = combine((*result)[*dim], (*sizes)[*dim], false);
  }
  return result;
}

std::optional<Sizes> RecurrentShapes::inferOne(const Node &node,
                                               StringRef name) {
  auto is = [&](std::initializer_list<StringRef> names) {
    return is_contained(names, name);
  };
  if (is({"add", "sub", "mul", "div", "maximum", "minimum", "where", "pow",
          "eq", "ne", "lt", "le", "gt", "ge", "rsub", "lerp"}))
    return broadcast(node);
  if (name == "cat")
    return concatenate(node);
  // All others have one operand that the sizes follow from.
  if (node.inputs.empty() || node.inputs[0].value.kind != Kind::Tensor)
    return std::nullopt;
  const Sizes *first = getSizes(node.inputs[0].value.strings[0]);
  if (!first)
    return std::nullopt;
  size_t rank = first->size();
  Sizes sizes = *first;
  if (is({"relu",
          "relu6",
          "tanh",
          "sigmoid",
          "gelu",
          "silu",
          "elu",
          "selu",
          "celu",
          "mish",
          "leaky_relu",
          "hardtanh",
          "hardswish",
          "hardsigmoid",
          "softplus",
          "softsign",
          "logsigmoid",
          "log_sigmoid",
          "exp",
          "log",
          "log1p",
          "expm1",
          "sqrt",
          "rsqrt",
          "neg",
          "abs",
          "sin",
          "cos",
          "sign",
          "square",
          "reciprocal",
          "clamp",
          "clamp_min",
          "clamp_max",
          "round",
          "softmax",
          "log_softmax",
          "_softmax",
          "_log_softmax",
          "layer_norm",
          "rms_norm",
          "batch_norm",
          "dropout",
          "alpha_dropout",
          "clone",
          "contiguous",
          "detach",
          "alias",
          "to",
          "_to_copy",
          "flip",
          "cumsum",
          "type_as",
          "float",
          "zeros_like",
          "ones_like",
          "full_like",
          "masked_fill",
          "lift_fresh_copy"}))
    return sizes;
  if (name == "linear") {
    const Sizes *weight = getSizes(node, "weight");
    if (!weight || weight->empty() || sizes.empty())
      return std::nullopt;
    if (weight->size() == 1)
      sizes.pop_back();
    else
      sizes.back() = (*weight)[0];
    return sizes;
  }
  if (is({"matmul", "mm", "bmm"})) {
    const Sizes *right = getSizes(node, name == "matmul" ? "other" : "mat2");
    if (!right || right->size() < 2 || rank < 2 ||
        (right->size() != 2 && right->size() != rank))
      return std::nullopt;
    sizes.back() = right->back();
    return sizes;
  }
  if (is({"sum", "mean", "amax", "amin", "argmax", "argmin", "logsumexp", "all",
          "any", "std", "var", "prod"}))
    return reduce(node, sizes);
  if (name == "select") {
    auto dim = getDim(node, "dim", rank, 0);
    if (dim)
      sizes.erase(sizes.begin() + *dim);
    return dim ? std::optional(sizes) : std::nullopt;
  }
  if (name == "unsqueeze") {
    auto dim = getDim(node, "dim", rank + 1, 0);
    SymInt one;
    one.value = 1;
    if (dim)
      sizes.insert(sizes.begin() + *dim, one);
    return dim ? std::optional(sizes) : std::nullopt;
  }
  if (name == "squeeze") {
    const Argument *given = find(node, "dim");
    if (given && given->kind != Kind::Int)
      return std::nullopt;
    if (!given) {
      // Export has found that a symbol is not one.
      erase_if(sizes, isOne);
      return sizes;
    }
    auto dim = getDim(node, "dim", rank, 0);
    if (dim && isOne(sizes[*dim]))
      sizes.erase(sizes.begin() + *dim);
    return dim ? std::optional(sizes) : std::nullopt;
  }
  if (is({"transpose", "t"})) {
    if (name == "t" && rank < 2)
      return sizes;
    auto from = getDim(node, "dim0", rank, 0),
         to = getDim(node, "dim1", rank, 1);
    if (from && to)
      std::swap(sizes[*from], sizes[*to]);
    return from && to ? std::optional(sizes) : std::nullopt;
  }
  if (name == "permute") {
    const Argument *dims = find(node, "dims");
    if (!dims || dims->kind != Kind::Ints || dims->ints.size() != rank)
      return std::nullopt;
    for (auto [size, dim] : zip(sizes, dims->ints)) {
      int64_t d = dim < 0 ? dim + int64_t(rank) : dim;
      if (d < 0 || d >= int64_t(rank))
        return std::nullopt;
      size = (*first)[d];
    }
    return sizes;
  }
  if (name == "flatten") {
    auto start = getDim(node, "start_dim", rank, 0),
         end = getDim(node, "end_dim", rank, -1);
    if (!start || !end || *start > *end)
      return std::nullopt;
    for (int64_t d = *start; d < *end; ++d) {
      sizes[*start] = combine(sizes[*start], sizes[*start + 1], true);
      sizes.erase(sizes.begin() + *start + 1);
    }
    return sizes;
  }
  return std::nullopt;
}

std::optional<std::vector<Sizes>> RecurrentShapes::infer(const Node &node,
                                                         StringRef name) {
  std::optional<std::vector<Sizes>> declared = getDeclared(node);
  if (!declared)
    return std::nullopt;
  // As many elements in sizes that are given; a loss.
  if (is_contained({"view", "reshape", "_unsafe_view"}, name) ||
      all_of(*declared, [](const Sizes &sizes) { return sizes.empty(); }))
    return declared;
  if (is_contained({"lstm", "gru", "rnn_tanh", "rnn_relu"}, name)) {
    // What it gives does not depend on the rank of the states it was given.
    for (Sizes &sizes : MutableArrayRef(*declared).drop_front()) {
      if (sizes.size() == 4 && isOne(sizes[1]))
        sizes.erase(sizes.begin() + 1);
      if (sizes.size() != 3)
        return std::nullopt;
    }
    return declared;
  }
  if (name == "unbind") {
    std::optional<Sizes> each = inferOne(node, "select");
    if (!each)
      return std::nullopt;
    return std::vector<Sizes>(declared->size(), *each);
  }
  if (declared->size() != 1)
    return std::nullopt;
  std::optional<Sizes> sizes = inferOne(node, name);
  if (!sizes)
    return std::nullopt;
  return std::vector<Sizes>{*sizes};
}

Error RecurrentShapes::run() {
  for (const Node &node : graph.nodes) {
    StringRef name = node.target;
    bool isAten = name.consume_front("torch.ops.aten.");
    name = name.split('.').first;
    bool isLstm = isAten && name == "lstm";
    if (isLstm) {
      // Only where the declared sizes are those of the decomposition.
      std::optional<std::vector<Sizes>> declared = getDeclared(node);
      isLstm = declared && declared->size() == 3 && (*declared)[1].size() == 4;
    }
    if (!isLstm && !isCorrected(node))
      continue;
    // In place, as `relu_`.
    if (!name.starts_with("_"))
      name = name.rtrim('_');
    std::optional<std::vector<Sizes>> found;
    if (isAten)
      found = infer(node, name);
    if (!found) {
      std::string at = node.source.file.empty()
                           ? std::string()
                           : " at " + quoted(node.source.file) + ":" +
                                 std::to_string(node.source.line);
      return makeError(
          "node " + quoted(node.name) + " (" + quoted(node.target) + ")" + at +
          ": it takes a state of an LSTM, which PyTorch declares with a "
          "dimension too many, and the sizes of its results are not known "
          "without it");
    }
    size_t i = 0;
    for (const Argument &output : node.outputs)
      for (StringRef tensor : output.strings)
        set(tensor, (*found)[i++]);
  }
  return Error::success();
}

Error coil::import::correctRecurrentShapes(Graph &graph,
                                           BumpPtrAllocator &storage) {
  return RecurrentShapes(graph, storage).run();
}
