//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collection of inputs.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "coil/Reference/Tensor.h"
#include "coil/Support/Error.h"
#include "coil/Support/TensorText.h"

#include <random>

using namespace coil;
using llvm::Expected;
using llvm::Twine;

void Inputs::add(HostTensor tensor) {
  tensors.push_back(std::make_unique<HostTensor>(std::move(tensor)));
  views.push_back(tensors.back()->getView());
}

/// Floats in [-1, 1), small counts for integers, so that they can be indices.
static void fillRandom(HostTensor &tensor, std::mt19937_64 &random) {
  auto dtype = static_cast<reference::DType>(tensor.getDType());
  int64_t count = tensor.getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = random();
    reference::Scalar value =
        reference::isFloat(dtype)
            ? reference::makeFloat(double(bits >> 40) / (1 << 23) - 1)
            : reference::makeInt(
                  int64_t(bits % (dtype == reference::DType::Bool ? 2 : 8)));
    reference::Tensor::store(dtype, tensor.getData(), i, value);
  }
}

/// The hints, with the values that the user gave in their place.
static Expected<SymbolValues> readSymbols(const Signature &signature,
                                          const InputOptions &options) {
  SymbolValues values = signature.getHints();
  for (llvm::StringRef text : options.symbols) {
    auto [name, number] = text.split('=');
    int64_t value;
    if (number.getAsInteger(10, value))
      return makeError("'" + text + "' is not a symbol's value such as s0=17");
    bool found = false;
    for (auto [symbol, slot] : llvm::zip(signature.getSymbols(), values))
      if (symbol.name == name) {
        slot = value;
        found = true;
      }
    if (!found)
      return makeError("the program has no symbol '" + name + "'");
  }
  return values;
}

Expected<Inputs> Inputs::create(const Signature &signature,
                                llvm::ArrayRef<TensorSpec> specs,
                                const InputOptions &options) {
  Expected<SymbolValues> symbols = readSymbols(signature, options);
  if (!symbols)
    return symbols.takeError();
  Inputs inputs;
  std::mt19937_64 random(options.seed);
  size_t next = 0;
  if (options.texts.size() > specs.size())
    return makeError("expected " + Twine(specs.size()) +
                     (specs.size() == 1 ? " input" : " inputs") + " but got " +
                     Twine(options.texts.size()));
  for (auto [i, spec] : llvm::enumerate(specs)) {
    std::string what = "input " + std::to_string(i) +
                       (spec.name.empty() ? "" : " ('" + spec.name + "')") +
                       " of type " + spec.str();
    if (next < options.texts.size()) {
      Expected<HostTensor> tensor =
          parseTensor(options.texts[next++], spec.dtype);
      if (!tensor)
        return makeError(what + ": " + toString(tensor.takeError()));
      inputs.add(std::move(*tensor));
      continue;
    }
    if (!options.random)
      return makeError("no value for " + what +
                       " (give it with --input or use --random-inputs)");
    Expected<llvm::SmallVector<int64_t>> sizes =
        signature.evaluate(spec, *symbols);
    if (!sizes)
      return makeError(what + ": " + toString(sizes.takeError()));
    std::optional<HostTensor> tensor = HostTensor::create(spec.dtype, *sizes);
    if (!tensor)
      return makeError(what + ": out of memory");
    fillRandom(*tensor, random);
    inputs.add(std::move(*tensor));
  }
  return inputs;
}
