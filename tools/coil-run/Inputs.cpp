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

#include <algorithm>
#include <random>

using namespace coil;
using llvm::Expected;
using llvm::Twine;

void Inputs::add(HostTensor tensor) {
  tensors.push_back(std::make_unique<HostTensor>(std::move(tensor)));
  views.push_back(tensors.back()->getView());
}

/// Number `i` of the sequence SplitMix64 (Steele, Lea and Flood 2014), which
/// any place can be asked for.
static uint64_t getBits(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Floats in [-1, 1), small counts for integers, so that they can be indices.
/// Gigabytes of them take seconds: the type is chosen once, and numbers of one
/// byte share their bits.
static void fillRandom(HostTensor &tensor, uint64_t seed) {
  using reference::DType;
  auto dtype = static_cast<DType>(tensor.getDType());
  auto count = static_cast<uint64_t>(tensor.getNumElements());
  auto fill = [&](auto *data, auto convert) {
    for (uint64_t i = 0; i < count; ++i)
      data[i] = convert(getBits(seed, i));
  };
  auto toInteger = [](uint64_t bits) { return bits % 8; };
  auto toFloat = [](uint64_t bits) {
    return static_cast<double>(bits >> 40) / (1 << 23) - 1;
  };
  void *data = tensor.getData();
  switch (dtype) {
  case DType::Bool:
  case DType::I8:
  case DType::U8: {
    auto *bytes = static_cast<uint8_t *>(data);
    const uint8_t mask = dtype == DType::Bool ? 1 : 7;
    for (uint64_t i = 0; i < count; i += sizeof(uint64_t)) {
      uint64_t bits = getBits(seed, i);
      for (uint64_t k = i; k < std::min(count, i + sizeof(uint64_t)); ++k) {
        bytes[k] = static_cast<uint8_t>(bits & mask);
        bits >>= 8;
      }
    }
    return;
  }
  case DType::I16:
  case DType::U16:
    return fill(static_cast<uint16_t *>(data), toInteger);
  case DType::I32:
  case DType::U32:
    return fill(static_cast<uint32_t *>(data), toInteger);
  case DType::I64:
  case DType::U64:
    return fill(static_cast<uint64_t *>(data), toInteger);
  case DType::F32:
    return fill(static_cast<float *>(data), toFloat);
  case DType::F64:
    return fill(static_cast<double *>(data), toFloat);
  case DType::F16:
  case DType::BF16:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    for (uint64_t i = 0; i < count; ++i)
      reference::Tensor::store(dtype, data, static_cast<int64_t>(i),
                               reference::makeFloat(toFloat(getBits(seed, i))));
    return;
  }
  llvm_unreachable("unknown element type");
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
  std::mt19937_64 seeds(options.seed);
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
    fillRandom(*tensor, seeds());
    inputs.add(std::move(*tensor));
  }
  return inputs;
}
