//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights of files by name.
//
//===----------------------------------------------------------------------===//

#include "coil/Driver/WeightFile.h"

#include "coil/Import/Package.h"
#include "coil/Package/Package.h"
#include "coil/Support/Error.h"
#include "coil/Support/TensorText.h"

using namespace coil;
using llvm::Error;
using llvm::Expected;

Expected<NamedWeight>
coil::toNamedWeight(const import::Weight &weight,
                    std::shared_ptr<const import::WeightStore> store) {
  llvm::StringRef type = import::getName(weight.dtype);
  // A program knows complex numbers by their parts, a last dimension.
  bool isComplex = type.consume_front("complex<") && type.consume_back(">");
  std::optional<int32_t> dtype = parseDType(type);
  if (!dtype)
    return makeError("weight '" + weight.name +
                     "' has the unsupported element type " +
                     import::getName(weight.dtype));
  coil_tensor tensor = {const_cast<char *>(weight.data()),
                        weight.sizes.data(),
                        weight.strides.data(),
                        int32_t(weight.sizes.size()),
                        *dtype,
                        COIL_CPU,
                        0};
  if (!isComplex)
    return NamedWeight{weight.name, tensor, std::move(store), std::nullopt};
  struct Parts {
    std::shared_ptr<const import::WeightStore> store;
    std::vector<int64_t> sizes, strides;
  };
  auto parts = std::make_shared<Parts>();
  parts->store = std::move(store);
  parts->sizes.assign(weight.sizes.begin(), weight.sizes.end());
  parts->sizes.push_back(2);
  for (int64_t stride : weight.strides)
    parts->strides.push_back(2 * stride);
  parts->strides.push_back(1);
  tensor.sizes = parts->sizes.data();
  tensor.strides = parts->strides.data();
  ++tensor.rank;
  return NamedWeight{weight.name, tensor, std::move(parts), std::nullopt};
}

WeightFile::WeightFile(const ProgramPackage &package) {
  for (const PackageWeight &weight : package.weights) {
    size_t rank = weight.sizes.size();
    auto shape = std::make_unique<int64_t[]>(2 * rank);
    int64_t *sizes = shape.get(), *strides = sizes + rank, step = 1;
    for (size_t d = rank; d-- > 0;) {
      sizes[d] = weight.sizes[d];
      strides[d] = step;
      step *= std::max<int64_t>(weight.sizes[d], 1);
    }
    add({weight.name,
         {const_cast<char *>(weight.data.data()), sizes, strides, int32_t(rank),
          weight.dtype, COIL_CPU, 0},
         package.archive,
         std::nullopt});
    shapes.push_back(std::move(shape));
  }
}

void WeightFile::add(NamedWeight weight) {
  numbers[weight.name] = weights.size();
  weights.push_back(std::move(weight));
}

Expected<WeightFile> WeightFile::open(llvm::StringRef path) {
  if (isPackagePath(path)) {
    Expected<ProgramPackage> package = readPackage(path, PackageCheck::Fast);
    if (!package)
      return package.takeError();
    return WeightFile(*package);
  }
  auto fail = [&](Error error) {
    return makeError("'" + path + "': " + toString(std::move(error)));
  };
  Expected<import::Package> model = import::Package::open(path);
  if (!model)
    return fail(model.takeError());
  Expected<std::unique_ptr<import::WeightStore>> store =
      model->loadWeights("", import::Limits(), /*checkCRC=*/true);
  if (!store)
    return fail(store.takeError());
  WeightFile file;
  file.store = std::move(*store);
  for (const import::Weight &weight : file.store->getWeights()) {
    Expected<NamedWeight> named = toNamedWeight(weight, file.store);
    if (named)
      file.add(std::move(*named));
    else // No program has such a weight.
      consumeError(named.takeError());
  }
  return std::move(file);
}

const NamedWeight *WeightFile::lookup(llvm::StringRef name) const {
  auto found = numbers.find(name);
  return found == numbers.end() ? nullptr : &weights[found->second];
}

Error coil::updateWeights(ModelContainer &container, llvm::StringRef path) {
  Expected<WeightFile> file = WeightFile::open(path);
  if (!file)
    return file.takeError();
  UpdateOptions options;
  options.complete = true;
  options.ignoreUnknown = true;
  return handleErrors(container.update(file->getWeights(), options),
                      [&](const InputError &error) {
                        return makeError("'" + path + "': " + error.message());
                      });
}
