//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The table of operator schemas.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/AtenSchema.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace coil::import;
using Base = SchemaType::Base;

namespace {

OpSchema get(llvm::StringRef name) {
  const AtenSchemaEntry *entry = findAtenSchema(name);
  EXPECT_NE(entry, nullptr) << name.str();
  auto schema = parseSchema(entry->signature);
  EXPECT_TRUE(bool(schema)) << llvm::toString(schema.takeError());
  return *schema;
}

TEST(AtenSchema, EveryRowIsSortedAndParses) {
  llvm::StringRef previous;
  unsigned core = 0;
  for (const AtenSchemaEntry &entry : getAtenSchemas()) {
    EXPECT_LT(previous, llvm::StringRef(entry.name));
    previous = entry.name;
    core += entry.isCore();
    auto schema = parseSchema(entry.signature);
    EXPECT_TRUE(bool(schema))
        << entry.name << ": " << llvm::toString(schema.takeError());
    EXPECT_EQ(findAtenSchema(entry.name), &entry);
  }
  EXPECT_EQ(core, 193u);
  EXPECT_EQ(findAtenSchema("no_such_op.default"), nullptr);
  EXPECT_EQ(findAtenSchema(""), nullptr);
}

TEST(AtenSchema, HoldsWhatExportedGraphsUse) {
  for (const char *name : {"linear.default",
                           "conv1d.default",
                           "conv2d.default",
                           "conv2d.padding",
                           "conv3d.default",
                           "batch_norm.default",
                           "layer_norm.default",
                           "group_norm.default",
                           "rms_norm.default",
                           "softmax.int",
                           "log_softmax.int",
                           "gelu.default",
                           "scaled_dot_product_attention.default",
                           "silu.default",
                           "mish.default",
                           "hardswish.default",
                           "softplus.default",
                           "dropout.default",
                           "reshape.default",
                           "flatten.using_ints",
                           "transpose.int",
                           "matmul.default",
                           "chunk.default",
                           "split.Tensor",
                           "unbind.int",
                           "stack.default",
                           "pad.default",
                           "embedding.default",
                           "max_pool2d.default",
                           "cross_entropy_loss.default",
                           "avg_pool2d.default",
                           "adaptive_avg_pool2d.default",
                           "mean.dim",
                           "std.correction",
                           "var_mean.correction",
                           "ones.default",
                           "zeros_like.default",
                           "masked_fill.Scalar",
                           "where.self",
                           "arange.default",
                           "arange.start",
                           "tril.default",
                           "cumsum.default",
                           "index_select.default",
                           "narrow.default",
                           "repeat.default",
                           "expand_as.default",
                           "type_as.default",
                           "to.dtype",
                           "contiguous.default",
                           "clone.default",
                           "detach.default",
                           "relu_.default",
                           "sym_size.int",
                           "einsum.default"})
    EXPECT_NE(findAtenSchema(name), nullptr) << name;
}

TEST(AtenSchema, ReadsTypesAndDefaults) {
  OpSchema conv = get("conv2d.default");
  ASSERT_EQ(conv.arguments.size(), 7u);
  EXPECT_EQ(conv.arguments[0].name, "input");
  EXPECT_FALSE(conv.arguments[0].defaultValue);
  EXPECT_TRUE(conv.arguments[2].type.isTensor());
  EXPECT_TRUE(conv.arguments[2].type.isOptional);
  EXPECT_TRUE(
      std::holds_alternative<std::monostate>(*conv.arguments[2].defaultValue));
  EXPECT_EQ(conv.arguments[3].type.base, Base::SymInt);
  EXPECT_TRUE(conv.arguments[3].type.isList);
  EXPECT_EQ(conv.arguments[3].type.listSize, 2u);
  using Ints = llvm::SmallVector<int64_t, 4>;
  EXPECT_EQ(std::get<Ints>(*conv.arguments[3].defaultValue), (Ints{1, 1}));
  EXPECT_EQ(std::get<int64_t>(*conv.find("groups")->defaultValue), 1);
  EXPECT_FALSE(conv.isMutating());

  OpSchema sdpa = get("scaled_dot_product_attention.default");
  EXPECT_EQ(std::get<double>(*sdpa.find("dropout_p")->defaultValue), 0.0);
  EXPECT_EQ(std::get<bool>(*sdpa.find("is_causal")->defaultValue), false);
  EXPECT_FALSE(sdpa.find("is_causal")->isKeywordOnly);
  EXPECT_TRUE(sdpa.find("scale")->isKeywordOnly);

  EXPECT_EQ(std::get<std::string>(
                *get("gelu.default").find("approximate")->defaultValue),
            "none");
  EXPECT_EQ(std::get<int64_t>(*get("add.Tensor").find("alpha")->defaultValue),
            1);
  EXPECT_EQ(get("layer_norm.default").find("eps")->defaultValue,
            SchemaDefault(1e-5));
}

TEST(AtenSchema, ReadsReturnsAndAliases) {
  OpSchema split = get("split.Tensor");
  ASSERT_EQ(split.returns.size(), 1u);
  EXPECT_TRUE(split.returns[0].type.isList);
  EXPECT_EQ(split.returns[0].aliasSet, "a");
  EXPECT_EQ(get("native_layer_norm.default").returns.size(), 3u);
  OpSchema relu = get("relu_.default");
  EXPECT_TRUE(relu.isMutating());
  EXPECT_EQ(relu.arguments[0].aliasSet, "a");
  EXPECT_TRUE(get("index.Tensor").arguments[1].type.hasOptionalElements);
  EXPECT_EQ(get("sym_size.int").returns[0].type.base, Base::SymInt);
}

TEST(AtenSchema, RefusesMalformedSignatures) {
  for (const char *text :
       {"", "(", "()", "() ->", "(Foo x) -> Tensor", "(Tensor) -> Tensor",
        "(int x=) -> Tensor", "(int[ x) -> Tensor", "(str x=\"a) -> Tensor",
        "() -> Tensor extra more"}) {
    auto schema = parseSchema(text);
    EXPECT_FALSE(bool(schema)) << text;
    llvm::consumeError(schema.takeError());
  }
}

} // namespace
