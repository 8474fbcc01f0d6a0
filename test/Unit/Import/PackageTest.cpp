//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The records of .pt2 files and the bounds of their weights.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/Package.h"
#include "ZipBuilder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace coil::import;
using testing::HasSubstr;

namespace {

/// A package with one weight; tests change the fields.
struct PackageBuilder {
  std::string format = "pt2", version = "0", byteorder = "little";
  std::string weight = std::string(32, '\1');
  std::string pickle = "false", dtype = "7", layout = "7";
  std::string sizes = R"({"as_int": 2}, {"as_int": 4})";
  std::string strides = R"({"as_int": 4}, {"as_int": 1})";
  std::string offset = R"({"as_int": 0})";
  bool hasModel = true;
  std::string bytes;

  llvm::Expected<Package> open() {
    ZipBuilder zip;
    zip.add("m/data/weights/weight_0", weight);
    zip.add("m/data/weights/model_weights_config.json",
            R"({"config": {"a.w": {"path_name": "weight_0", "is_param": true,
                "use_pickle": )" +
                pickle + R"(, "tensor_meta": {"dtype": )" + dtype +
                R"(, "sizes": [)" + sizes + R"(], "requires_grad": true,
                "device": {"type": "cpu", "index": null}, "strides": [)" +
                strides + R"(], "storage_offset": )" + offset +
                R"(, "layout": )" + layout + "}}}}");
    if (hasModel)
      zip.add("m/models/model.json", "{}");
    zip.add("m/archive_format", format);
    zip.add("m/archive_version", version);
    zip.add("m/byteorder", byteorder);
    bytes = zip.finish();
    auto archive = Archive::fromMemory(bytes);
    if (!archive)
      return archive.takeError();
    return Package::create(std::move(*archive));
  }
  std::string openError() {
    auto package = open();
    return package ? "" : llvm::toString(package.takeError());
  }
  std::string loadError() {
    auto package = open();
    if (!package)
      return "open: " + llvm::toString(package.takeError());
    auto store = package->loadWeights("", {});
    return store ? "" : llvm::toString(store.takeError());
  }
};

TEST(Package, ReadsWeightsInPlace) {
  PackageBuilder builder;
  auto package = builder.open();
  ASSERT_TRUE(bool(package)) << llvm::toString(package.takeError());
  EXPECT_THAT(package->getModels(), testing::ElementsAre("model"));
  auto store = package->loadWeights("", {}, /*checkCRC=*/true);
  ASSERT_TRUE(bool(store)) << llvm::toString(store.takeError());
  const Weight *weight = (*store)->lookup("a.w");
  ASSERT_NE(weight, nullptr);
  EXPECT_EQ(weight->storage, builder.weight);
  EXPECT_TRUE(weight->isContiguous());
  EXPECT_EQ((*store)->lookup("b.w"), nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(weight->data()) % 64, 0u);
}

TEST(Package, RefusesOtherArchives) {
  auto error = [](auto member, const char *value) {
    PackageBuilder builder;
    builder.*member = value;
    return builder.openError();
  };
  using B = PackageBuilder;
  EXPECT_THAT(error(&B::format, "zip"),
              HasSubstr("the record 'archive_format' says 'zip'"));
  EXPECT_THAT(error(&B::version, "1"),
              HasSubstr("the record 'archive_version' says '1'"));
  EXPECT_THAT(error(&B::byteorder, "big"), HasSubstr("expected 'little'"));
  PackageBuilder builder;
  builder.hasModel = false;
  EXPECT_THAT(builder.openError(), HasSubstr("not an exported program"));

  ZipBuilder old;
  old.add("version", "8.1");
  old.add("serialized_exported_program.json", "{}");
  std::string bytes = old.finish();
  auto package = Package::create(*Archive::fromMemory(bytes));
  ASSERT_FALSE(bool(package));
  EXPECT_THAT(llvm::toString(package.takeError()),
              HasSubstr("saved by PyTorch 2.8 or older"));
}

TEST(Package, ChoosesModels) {
  PackageBuilder builder;
  auto package = builder.open();
  ASSERT_TRUE(bool(package)) << llvm::toString(package.takeError());
  EXPECT_EQ(*package->getProgramText("model"), "{}");
  auto other = package->getProgramText("other");
  ASSERT_FALSE(bool(other));
  EXPECT_THAT(llvm::toString(other.takeError()),
              HasSubstr("no program named 'other'"));
}

TEST(Package, ChecksWeightBounds) {
  auto error = [](auto change) {
    PackageBuilder builder;
    change(builder);
    return builder.loadError();
  };
  using B = PackageBuilder;
  EXPECT_EQ(error([](B &) {}), "");
  EXPECT_THAT(error([](B &b) { b.weight.pop_back(); }),
              HasSubstr("no whole number of elements"));
  EXPECT_THAT(error([](B &b) { b.weight.resize(28); }),
              HasSubstr("reaches beyond the 28 bytes"));
  EXPECT_THAT(error([](B &b) { b.offset = R"({"as_int": 1})"; }),
              HasSubstr("reaches beyond"));
  EXPECT_THAT(error([](B &b) { b.offset = R"({"as_int": -1})"; }),
              HasSubstr("the storage offset is negative"));
  EXPECT_THAT(error([](B &b) {
                b.strides = R"({"as_int": 9223372036854775807}, {"as_int": 1})";
              }),
              HasSubstr("the strides reach beyond 2^56 elements"));
  EXPECT_THAT(error([](B &b) {
                b.strides = R"({"as_int": 72057594037927936}, {"as_int": 0})";
              }),
              HasSubstr("reaches beyond"));
  EXPECT_THAT(
      error([](B &b) { b.strides = R"({"as_int": -4}, {"as_int": 1})"; }),
      HasSubstr("a stride is negative"));
  EXPECT_THAT(error([](B &b) {
                b.sizes = R"({"as_int": 4611686018427387904},
                             {"as_int": 4611686018427387904})";
              }),
              HasSubstr("see --max-elements"));
  EXPECT_THAT(error([](B &b) {
                b.sizes = R"({"as_expr": {"expr_str": "s0", "hint": null}},
                             {"as_int": 4})";
              }),
              HasSubstr("its sizes are not numbers"));
  EXPECT_THAT(error([](B &b) { b.pickle = "true"; }),
              HasSubstr("stored as a pickle"));
  EXPECT_THAT(error([](B &b) { b.layout = "1"; }),
              HasSubstr("only strided tensors"));
  // A tensor without elements needs no bytes.
  EXPECT_EQ(error([](B &b) {
              b.weight = "";
              b.sizes = R"({"as_int": 0}, {"as_int": 4})";
            }),
            "");
}

TEST(Package, ReadsTrainedModels) {
  const char *models = std::getenv("COIL_MODELS");
  if (!models)
    GTEST_SKIP() << "COIL_MODELS is not set";
  for (auto [name, nodes, weights] :
       {std::tuple("digits_cnn", 11, 18), std::tuple("char_gpt", 68, 53)}) {
    auto package = Package::open(std::string(models) + "/" + name + ".pt2");
    ASSERT_TRUE(bool(package)) << llvm::toString(package.takeError());
    auto text = package->getProgramText("");
    ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
    ExportedProgram program;
    llvm::Error error = parseExportedProgram(*text, {}, program);
    ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
    EXPECT_EQ(program.nodes.size(), size_t(nodes));
    auto store = package->loadWeights("", {}, /*checkCRC=*/true);
    ASSERT_TRUE(bool(store)) << llvm::toString(store.takeError());
    EXPECT_EQ((*store)->getWeights().size(), size_t(weights));
  }
}

} // namespace
