//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The bounded JSON reader.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/JSON.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace coil::import;
using testing::HasSubstr;

namespace {

std::string parseError(const std::string &text, const Limits &limits = {}) {
  auto document = JSONDocument::parse(text, limits);
  return document ? "" : llvm::toString(document.takeError());
}

TEST(JSON, ReadsEveryKind) {
  std::string text = R"( {"n": null, "t": true, "f": false, "i": -12,
    "d": 1.5e3, "s": "x", "a": [1, [], {}], "o": {"k": "v"}} )";
  auto document = JSONDocument::parse(text);
  ASSERT_TRUE(bool(document)) << llvm::toString(document.takeError());
  llvm::BumpPtrAllocator storage;
  JSONValue root = document->root();
  EXPECT_EQ(root.size(), 8u);
  EXPECT_TRUE(root.find("n")->isNull());
  EXPECT_EQ(root.find("t")->getBool(), true);
  EXPECT_EQ(root.find("f")->getBool(), false);
  EXPECT_EQ(root.find("i")->getInt(), -12);
  EXPECT_EQ(root.find("i")->getDouble(), -12.0);
  EXPECT_EQ(root.find("d")->getDouble(), 1500.0);
  EXPECT_EQ(root.find("d")->getInt(), std::nullopt);
  EXPECT_EQ(root.find("s")->getString(storage), "x");
  EXPECT_EQ(root.find("a")->size(), 3u);
  JSONValue object = *root.find("o");
  EXPECT_EQ(object.find("k")->getString(storage), "v");
  EXPECT_FALSE(root.find("absent"));
}

TEST(JSON, WalksChildrenAndNamesPaths) {
  std::string text = R"({"a": [10, {"x.y": 1, "z": [2, 3]}], "b": 4})";
  auto document = JSONDocument::parse(text);
  ASSERT_TRUE(bool(document));
  llvm::BumpPtrAllocator storage;
  std::vector<std::string> seen;
  JSONValue root = document->root();
  auto member = root.first();
  EXPECT_EQ(member.key(storage), "a");
  auto element = member.value().first();
  EXPECT_EQ(element.value().path(), "a[0]");
  element.step();
  for (auto inner = element.value().first(); inner; inner.step())
    seen.push_back(inner.value().path());
  EXPECT_THAT(seen, testing::ElementsAre("a[1]['x.y']", "a[1].z"));
  element.step();
  EXPECT_FALSE(bool(element));
  member.step();
  EXPECT_EQ(member.key(storage), "b");
  EXPECT_EQ(member.value().getInt(), 4);
  member.step();
  EXPECT_FALSE(bool(member));
}

TEST(JSON, DecodesEscapes) {
  std::string text =
      R"(["\"\\\/\b\f\n\r\t", "\u00e9\u20ac", "\ud83d\ude00", "\ud83dx"])";
  auto document = JSONDocument::parse(text);
  ASSERT_TRUE(bool(document)) << llvm::toString(document.takeError());
  llvm::BumpPtrAllocator storage;
  std::vector<std::string> seen;
  JSONValue root = document->root();
  for (auto child = root.first(); child; child.step())
    seen.push_back(child.value().getString(storage)->str());
  EXPECT_THAT(seen,
              testing::ElementsAre("\"\\/\b\f\n\r\t", "\xc3\xa9\xe2\x82\xac",
                                   "\xf0\x9f\x98\x80", "\xef\xbf\xbdx"));
}

TEST(JSON, RefusesMalformedText) {
  for (const char *text :
       {"",         " ",          "{",        "[",     "{\"a\"}",
        "{\"a\":}", "{\"a\":1,}", "[1,]",     "[1 2]", "{a:1}",
        "nul",      "truex",      "01",       "-",     "1.",
        "1e",       ".5",         "+1",       "\"",    "\"\\",
        "\"\\x\"",  "\"\\u12\"",  "\"\n\"",   "[]]",   "{} {}",
        "'a'",      "NaN",        "\"\xff\"", "]",     "{]",
        "[}",       "{\"a\" 1}",  ","})
    EXPECT_NE(parseError(text), "") << text;
}

TEST(JSON, ErrorsNameThePlace) {
  EXPECT_THAT(parseError("{\n  \"a\": [1,\n 2 3]}"),
              HasSubstr("line 3, column 4: expected ',' or ']'"));
}

TEST(JSON, RefusesDuplicateKeys) {
  EXPECT_THAT(parseError(R"({"a": 1, "a": 2})"),
              HasSubstr("the key 'a' occurs more than once"));
  std::string many = "{";
  for (int i = 0; i < 50; ++i)
    many += "\"k" + std::to_string(i) + "\": {\"x\": 1}, ";
  EXPECT_EQ(parseError(many + "\"y\": 1}"), "");
  EXPECT_THAT(parseError(many + "\"k7\": 1}"), HasSubstr("'k7'"));
}

TEST(JSON, LimitsDepthWithoutRecursion) {
  auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(parseError(nested(256)), "");
  EXPECT_THAT(parseError(nested(257)), HasSubstr("see --max-json-depth"));
  EXPECT_THAT(parseError(std::string(10000000, '[')),
              HasSubstr("see --max-json-depth"));
  Limits deep;
  deep.maxJSONDepth = 2000000;
  EXPECT_EQ(parseError(nested(1000000), deep), "");
}

TEST(JSON, LimitsSize) {
  Limits small;
  small.maxJSONBytes = 10;
  EXPECT_THAT(parseError("[1, 2, 3, 4]", small),
              HasSubstr("see --max-json-bytes"));
}

TEST(JSON, NumbersOutOfRangeAreNone) {
  auto document =
      JSONDocument::parse("[9223372036854775808, -9223372036854775808, 1e999]");
  ASSERT_TRUE(bool(document));
  JSONValue root = document->root();
  auto child = root.first();
  EXPECT_EQ(child.value().getInt(), std::nullopt);
  EXPECT_EQ(child.value().getDouble(), 9223372036854775808.0);
  child.step();
  EXPECT_EQ(child.value().getInt(), INT64_MIN);
  child.step();
  EXPECT_EQ(child.value().getDouble(), std::nullopt);
}

} // namespace
