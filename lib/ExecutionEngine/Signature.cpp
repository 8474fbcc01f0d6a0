//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signatures and the check of inputs against them.
//
//===----------------------------------------------------------------------===//

#include "coil/ExecutionEngine/Signature.h"

#include "coil/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Applies one operator to two values; nothing on overflow or a divisor that
/// is not positive.
static std::optional<int64_t> apply(SizeExpr::Op op, int64_t a, int64_t b) {
  int64_t result;
  switch (op) {
  case SizeExpr::Op::Add:
    return llvm::AddOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case SizeExpr::Op::Mul:
    return llvm::MulOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case SizeExpr::Op::Min:
    return std::min(a, b);
  case SizeExpr::Op::Max:
    return std::max(a, b);
  case SizeExpr::Op::FloorDiv:
    return b > 0 ? std::optional(llvm::divideFloorSigned(a, b)) : std::nullopt;
  case SizeExpr::Op::Mod:
    return b > 0 ? std::optional(llvm::mod(a, b)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<int64_t>
SizeExpr::evaluate(llvm::ArrayRef<std::optional<int64_t>> symbols) const {
  if (kind == Kind::Constant)
    return offset;
  if (kind == Kind::Linear) {
    if (!symbols[symbol])
      return std::nullopt;
    std::optional<int64_t> product = apply(Op::Mul, scale, *symbols[symbol]);
    return product ? apply(Op::Add, *product, offset) : std::nullopt;
  }
  llvm::SmallVector<int64_t> stack;
  for (const Step &step : code) {
    if (step.op == Op::Constant) {
      stack.push_back(step.value);
      continue;
    }
    if (step.op == Op::Symbol) {
      if (!symbols[step.value])
        return std::nullopt;
      stack.push_back(*symbols[step.value]);
      continue;
    }
    size_t first = stack.size() - size_t(step.value);
    std::optional<int64_t> value = stack[first];
    for (size_t i = first + 1; i < stack.size() && value; ++i)
      value = apply(step.op, *value, stack[i]);
    if (!value)
      return std::nullopt;
    stack.truncate(first);
    stack.push_back(*value);
  }
  return stack.back();
}

std::string TensorSpec::str() const {
  std::string text;
  for (const SizeExpr &size : sizes) {
    bool simple = llvm::all_of(
        size.text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    text += simple ? size.text + "x" : "(" + size.text + ")x";
  }
  return text + coil_dtype_name(dtype);
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

/// The largest number in a size: no tensor has more elements.
static constexpr int64_t kMaxNumber = int64_t(1) << 47;

/// The largest rank that the importer takes, too.
static constexpr size_t kMaxRank = 64;

/// Whether a size can be evaluated with so many symbols.
static bool isValid(const SizeExpr &size, size_t numSymbols) {
  // Products and sums of two of these do not overflow.
  auto isInRange = [](int64_t value) {
    return value >= -kMaxNumber && value <= kMaxNumber;
  };
  if (size.kind == SizeExpr::Kind::Constant)
    return isInRange(size.offset);
  if (size.kind == SizeExpr::Kind::Linear)
    return size.symbol < numSymbols && size.scale != 0 &&
           isInRange(size.scale) && isInRange(size.offset);
  size_t depth = 0;
  for (const SizeExpr::Step &step : size.code) {
    if (step.op == SizeExpr::Op::Constant) {
      ++depth;
      continue;
    }
    if (step.op == SizeExpr::Op::Symbol) {
      if (step.value < 0 || uint64_t(step.value) >= numSymbols)
        return false;
      ++depth;
      continue;
    }
    if (step.value < 1 || uint64_t(step.value) > depth)
      return false;
    depth -= size_t(step.value) - 1;
  }
  return depth == 1;
}

Expected<Signature> Signature::create(llvm::SmallVector<TensorSpec, 0> inputs,
                                      llvm::SmallVector<TensorSpec, 0> outputs,
                                      llvm::SmallVector<SymbolSpec> symbols) {
  auto check = [&](const TensorSpec &spec) {
    auto isFine = [&](const SizeExpr &size) {
      return isValid(size, symbols.size());
    };
    auto isNegative = [](const SizeExpr &size) {
      return size.kind == SizeExpr::Kind::Constant && size.offset < 0;
    };
    return spec.sizes.size() <= kMaxRank && llvm::all_of(spec.sizes, isFine) &&
           llvm::none_of(spec.sizes, isNegative) &&
           llvm::all_of(spec.strides, isFine) &&
           (spec.strides.empty() || spec.strides.size() == spec.sizes.size()) &&
           (!spec.randomStep || isFine(*spec.randomStep));
  };
  for (const auto &list : {std::ref(inputs), std::ref(outputs)})
    for (const TensorSpec &spec : list.get())
      if (!check(spec))
        return makeError("the signature has a size that means nothing, or is "
                         "out of range");
  for (const SymbolSpec &symbol : symbols)
    if (symbol.min > symbol.max || symbol.hint < symbol.min ||
        symbol.hint > symbol.max)
      return makeError("the symbol '" + symbol.name + "' has the range " +
                       llvm::Twine(symbol.min) + " to " +
                       llvm::Twine(symbol.max) + " and the example " +
                       llvm::Twine(symbol.hint));
  Signature signature;
  signature.inputs = std::move(inputs);
  signature.outputs = std::move(outputs);
  signature.symbols = std::move(symbols);
  return signature;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Error checkRange(const SymbolSpec &spec, int64_t value,
                        const llvm::Twine &where) {
  if (value >= spec.min && value <= spec.max)
    return Error::success();
  std::string range = "at least " + std::to_string(spec.min);
  if (spec.max != INT64_MAX)
    range = "in [" + std::to_string(spec.min) + ", " +
            std::to_string(spec.max) + "]";
  return makeError(where + ": expected '" + spec.name + "' to be " + range +
                   " but got " + llvm::Twine(value));
}

std::string Signature::describe(size_t input) const {
  if (!inputs[input].weight.empty())
    return "weight '" + inputs[input].weight + "'";
  // Callers count what they pass, which is not the weights.
  size_t number =
      llvm::count_if(llvm::ArrayRef(inputs).take_front(input),
                     [](const TensorSpec &spec) { return spec.isPassed(); });
  std::string text = "input " + std::to_string(number);
  return inputs[input].name.empty() ? text
                                    : text + " ('" + inputs[input].name + "')";
}

Error Signature::checkKind(size_t input, const coil_tensor &tensor) const {
  const TensorSpec &spec = inputs[input];
  if (tensor.dtype != spec.dtype) {
    const char *got = coil_dtype_name(tensor.dtype);
    return makeError(describe(input) + ": expected element type " +
                     coil_dtype_name(spec.dtype) + " but got " +
                     (got ? got : "an unknown one"));
  }
  if (tensor.rank != int64_t(spec.sizes.size()))
    return makeError(describe(input) + ": expected rank " +
                     llvm::Twine(spec.sizes.size()) + " but got " +
                     llvm::Twine(tensor.rank));
  // The engine copies tensors of the host to GPUs.
  if (tensor.device_type != spec.deviceType &&
      (spec.deviceType != COIL_CUDA || tensor.device_type != COIL_CPU))
    return makeError(describe(input) +
                     ": expected a tensor on a device of type " +
                     llvm::Twine(spec.deviceType) + " but got " +
                     llvm::Twine(tensor.device_type));
  return Error::success();
}

bool Signature::isFixed(size_t input) const {
  return llvm::all_of(inputs[input].sizes, [](const SizeExpr &size) {
    return size.kind == SizeExpr::Kind::Constant;
  });
}

Error Signature::checkFixed(size_t input, const coil_tensor &tensor) const {
  if (Error error = checkKind(input, tensor))
    return error;
  for (auto [d, size] : llvm::enumerate(inputs[input].sizes))
    if (size.offset != tensor.sizes[d])
      return makeError(describe(input) + ", dimension " + std::to_string(d) +
                       ": expected size " + llvm::Twine(size.offset) +
                       " but got " + llvm::Twine(tensor.sizes[d]));
  return Error::success();
}

Expected<SymbolValues> Signature::bind(llvm::ArrayRef<coil_tensor> tensors,
                                       const llvm::BitVector &known) const {
  if (tensors.size() != inputs.size())
    return makeError("expected " + llvm::Twine(inputs.size()) +
                     (inputs.size() == 1 ? " input" : " inputs") + " but got " +
                     llvm::Twine(tensors.size()));
  auto where = [&](size_t i, size_t d) {
    return describe(i) + ", dimension " + std::to_string(d);
  };
  auto isKnown = [&](size_t i) {
    return i < known.size() && known[unsigned(i)];
  };
  SymbolValues values(symbols.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorSpec &spec = inputs[i];
    const coil_tensor &tensor = tensors[i];
    if (isKnown(i))
      continue;
    if (Error error = checkKind(i, tensor))
      return std::move(error);
    for (size_t d = 0; d < spec.sizes.size(); ++d) {
      const SizeExpr &size = spec.sizes[d];
      if (size.kind != SizeExpr::Kind::Linear || values[size.symbol])
        continue;
      // When this is not exact, the comparison below fails.
      int64_t value;
      if (llvm::SubOverflow(tensor.sizes[d], size.offset, value))
        return makeError(where(i, d) + ": size " +
                         llvm::Twine(tensor.sizes[d]) + " is too large");
      value /= size.scale;
      if (Error error = checkRange(symbols[size.symbol], value, where(i, d)))
        return std::move(error);
      values[size.symbol] = value;
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t d = 0; !isKnown(i) && d < inputs[i].sizes.size(); ++d) {
      const SizeExpr &size = inputs[i].sizes[d];
      int64_t actual = tensors[i].sizes[d];
      if (size.kind == SizeExpr::Kind::Constant && size.offset == actual)
        continue;
      std::optional<int64_t> expected = size.evaluate(values);
      // Sizes of symbols that no input determines are the program's to check.
      if (!expected || *expected == actual)
        continue;
      bool constant = size.kind == SizeExpr::Kind::Constant;
      return makeError(where(i, d) + ": expected size " +
                       llvm::Twine(*expected) +
                       (constant ? std::string() : " (" + size.text + ")") +
                       " but got " + llvm::Twine(actual));
    }
  return values;
}

Expected<llvm::SmallVector<int64_t>>
Signature::evaluate(const TensorSpec &spec,
                    llvm::ArrayRef<std::optional<int64_t>> values) const {
  llvm::SmallVector<int64_t> sizes;
  for (const SizeExpr &size : spec.sizes) {
    std::optional<int64_t> value = size.evaluate(values);
    if (!value)
      return makeError("no value for the symbols of size '" + size.text + "'");
    if (*value < 0)
      return makeError("size '" + size.text + "' is negative (" +
                       llvm::Twine(*value) + ")");
    sizes.push_back(*value);
  }
  return sizes;
}

std::string Signature::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto print = [&](const SizeExpr &size) {
    os << ' ' << int(size.kind) << ' ' << size.offset;
    if (size.kind == SizeExpr::Kind::Linear)
      os << ' ' << size.scale << ' ' << size.symbol;
    for (const SizeExpr::Step &step : size.code)
      os << ' ' << int(step.op) << ':' << step.value;
    os << ',';
  };
  for (const auto &specs : {std::ref(inputs), std::ref(outputs)}) {
    for (const TensorSpec &spec : specs.get()) {
      os << '[' << coil_dtype_name(spec.dtype) << ' ' << spec.deviceType << ' '
         << spec.deviceIndex << ' ' << spec.name << '/' << spec.weight;
      for (const auto &sizes : {std::ref(spec.sizes), std::ref(spec.strides)}) {
        os << " (";
        llvm::for_each(sizes.get(), print);
        os << ')';
      }
      if (spec.randomStep)
        print(*spec.randomStep);
      os << ']';
    }
    os << " -> ";
  }
  for (const SymbolSpec &symbol : symbols)
    os << symbol.name << ' ' << symbol.min << ' ' << symbol.max << ' '
       << symbol.hint << ", ";
  return text;
}

SymbolValues Signature::getHints() const {
  SymbolValues values;
  for (const SymbolSpec &symbol : symbols)
    values.push_back(symbol.hint);
  return values;
}
