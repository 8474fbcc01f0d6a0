//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the .npy reader and writer.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/Npy.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace coil;

static std::string makeFile(std::string header, std::string elements,
                            int major = 1) {
  std::string file = "\x93NUMPY";
  file += char(major);
  file += '\0';
  size_t lengthBytes = major == 1 ? 2 : 4;
  for (size_t i = 0; i < lengthBytes; ++i)
    file += char(header.size() >> (8 * i) & 0xFF);
  return file + header + elements;
}

static std::string header(std::string descr, std::string shape,
                          std::string fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran +
         ", 'shape': " + shape + ", }\n";
}

template <typename T>
static std::string bytesOf(std::vector<T> values) {
  return std::string(reinterpret_cast<char *>(values.data()),
                     values.size() * sizeof(T));
}

static std::string messageOf(const std::string &file) {
  llvm::Expected<HostTensor> tensor = parseNpy(file);
  return tensor ? "parsed" : llvm::toString(tensor.takeError());
}

TEST(NpyTest, ReadsEachVersion) {
  for (int major : {1, 2, 3}) {
    llvm::Expected<HostTensor> tensor = parseNpy(
        makeFile(header("<f4", "(2, 2)"), bytesOf<float>({1, 2, 3, 4}), major));
    ASSERT_TRUE(bool(tensor)) << llvm::toString(tensor.takeError());
    EXPECT_EQ(tensor->getDType(), COIL_F32);
    EXPECT_EQ(tensor->getSizes(), llvm::ArrayRef<int64_t>({2, 2}));
    EXPECT_EQ(tensor->getStrides(), llvm::ArrayRef<int64_t>({2, 1}));
    EXPECT_EQ(reinterpret_cast<float *>(tensor->getData())[2], 3.f);
  }
}

TEST(NpyTest, ReadsScalarsEmptyAndOneDimension) {
  llvm::Expected<HostTensor> tensor =
      parseNpy(makeFile(header("<i8", "()"), bytesOf<int64_t>({-7})));
  ASSERT_TRUE(bool(tensor));
  EXPECT_TRUE(tensor->getSizes().empty());
  EXPECT_EQ(*reinterpret_cast<int64_t *>(tensor->getData()), -7);
  tensor = parseNpy(makeFile(header("<f8", "(3, 0, 5)"), ""));
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->getNumElements(), 0);
  tensor = parseNpy(makeFile(header("|b1", "(3,)"), std::string("\0\1\2", 3)));
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->getData()[2], 1);
}

TEST(NpyTest, ReadsOtherOrders) {
  llvm::Expected<HostTensor> tensor =
      parseNpy(makeFile(header("<i4", "(2, 3)", "True"),
                        bytesOf<int32_t>({0, 10, 1, 11, 2, 12})));
  ASSERT_TRUE(bool(tensor));
  auto *data = reinterpret_cast<int32_t *>(tensor->getData());
  EXPECT_EQ(std::vector<int32_t>(data, data + 6),
            (std::vector<int32_t>{0, 1, 2, 10, 11, 12}));
  tensor =
      parseNpy(makeFile(header(">i2", "(2,)"), std::string("\1\2\3\4", 4)));
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(reinterpret_cast<int16_t *>(tensor->getData())[0], 0x0102);
}

TEST(NpyTest, RejectsBadHeaders) {
  std::string four = bytesOf<float>({1});
  const char *parsed = "parsed";
  EXPECT_EQ(messageOf(makeFile(header("<f4", "(1,)"), four)), parsed);
  EXPECT_EQ(messageOf(""), "invalid .npy data: not a .npy file");
  EXPECT_EQ(messageOf("\x93NUMPY"), "invalid .npy data: truncated");
  EXPECT_EQ(messageOf(makeFile(header("<f4", "(1,)"), four, 9)),
            "invalid .npy data: format version 9 is not supported");
  EXPECT_EQ(messageOf(makeFile(header("<f4", "(2,)"), four)),
            "invalid .npy data: expected 8 bytes of elements but got 4");
  EXPECT_EQ(messageOf(makeFile(header("<f4", "(1,)"), four + "x")),
            "invalid .npy data: expected 4 bytes of elements but got 5");
  EXPECT_EQ(messageOf(makeFile(header("<f4", "(140737488355328, 2)"), "")),
            "invalid .npy data: the shape has too many elements");
  EXPECT_EQ(
      messageOf(makeFile(header("<c32", "(1,)"), four)),
      "invalid .npy data: element type '3C633332' (in hexadecimal) is not "
      "supported");
  for (std::string shape :
       {"(-1,)", "(1)", "(1", "(1,,)", "1", "(99999999999999999999,)", "[1]"})
    EXPECT_NE(messageOf(makeFile(header("<f4", shape), four)), parsed) << shape;
  std::string deep = "(";
  for (int i = 0; i < 100; ++i)
    deep += "1,";
  EXPECT_NE(messageOf(makeFile(header("<f4", deep + ")"), four)), parsed);
  for (std::string text :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4", "{'x': 1}",
        "{'descr': '<f4', 'descr': '<f4'}", "{'descr': [('a', '<f4')], }",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }"})
    EXPECT_NE(messageOf(makeFile(text, four)), parsed) << text;
  EXPECT_NE(messageOf(makeFile(header("<f4", "(1,)") + "{}", four)), parsed);
  std::string huge("\x93NUMPY\2\0\xFF\xFF\xFF\xFF", 12);
  EXPECT_EQ(messageOf(huge), "invalid .npy data: header of 4294967295 bytes is "
                             "over the limit of 65536");
}

// No crash and no large allocation, whatever the bytes.
TEST(NpyTest, SurvivesMutations) {
  std::string file =
      makeFile(header("<f4", "(2, 2)"), bytesOf<float>({1, 2, 3, 4}));
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string mutant = file;
    for (unsigned n = 1 + random() % 4; n > 0; --n)
      mutant[random() % mutant.size()] = char(random());
    if (random() % 4 == 0)
      mutant.resize(random() % mutant.size());
    llvm::Expected<HostTensor> tensor = parseNpy(mutant);
    if (!tensor)
      llvm::consumeError(tensor.takeError());
  }
}

TEST(NpyTest, RoundTripsEveryType) {
  for (int32_t dtype = COIL_BOOL; dtype <= COIL_F64; ++dtype)
    for (std::vector<int64_t> sizes :
         {std::vector<int64_t>{}, {3}, {2, 3}, {0, 4}, {1, 2, 1, 3}}) {
      std::optional<HostTensor> tensor = HostTensor::create(dtype, sizes);
      ASSERT_TRUE(tensor);
      for (int64_t i = 0; i < tensor->getNumBytes(); ++i)
        tensor->getData()[i] = dtype == COIL_BOOL ? char(i % 2) : char(i);
      std::string file;
      llvm::raw_string_ostream os(file);
      ASSERT_FALSE(bool(writeNpy(os, tensor->getView())));
      EXPECT_EQ((file.size() - size_t(tensor->getNumBytes())) % 64, 0u);
      llvm::Expected<HostTensor> copy = parseNpy(file);
      ASSERT_TRUE(bool(copy)) << llvm::toString(copy.takeError());
      EXPECT_EQ(copy->getDType(), dtype);
      EXPECT_EQ(copy->getSizes(), tensor->getSizes());
      EXPECT_EQ(memcmp(copy->getData(), tensor->getData(),
                       size_t(tensor->getNumBytes())),
                0);
    }
}

TEST(NpyTest, WritesStridedTensors) {
  float data[] = {0, 1, 2, 3, 4, 5};
  int64_t sizes[] = {3, 2}, strides[] = {1, 3};
  coil_tensor tensor = {data, sizes, strides, 2, COIL_F32, COIL_CPU, 0};
  std::string file;
  llvm::raw_string_ostream os(file);
  ASSERT_FALSE(bool(writeNpy(os, tensor)));
  llvm::Expected<HostTensor> copy = parseNpy(file);
  ASSERT_TRUE(bool(copy));
  auto *values = reinterpret_cast<float *>(copy->getData());
  EXPECT_EQ(std::vector<float>(values, values + 6),
            (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(NpyTest, RejectsUnknownElementTypes) {
  char data[] = {0};
  int64_t sizes[] = {1}, strides[] = {1};
  coil_tensor tensor = {data, sizes, strides, 1, 999, COIL_CPU, 0};
  std::string file;
  llvm::raw_string_ostream os(file);
  llvm::Error error = writeNpy(os, tensor);
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(llvm::toString(std::move(error)),
            "element type 999 has no .npy form");
}

TEST(NpyTest, MissingFileNamesThePath) {
  llvm::Expected<HostTensor> tensor = readNpy("no/such/file.npy");
  ASSERT_FALSE(bool(tensor));
  EXPECT_EQ(llvm::toString(tensor.takeError()),
            "cannot read 'no/such/file.npy': No such file or directory");
}
