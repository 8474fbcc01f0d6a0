//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of tensors on a command line.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/TensorText.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace coil;

/// Parses and prints.
static std::string echo(llvm::StringRef text, int32_t scalarType = COIL_F32,
                        int64_t maxElements = 1024) {
  llvm::Expected<HostTensor> tensor = parseTensor(text, scalarType);
  if (!tensor)
    return "error: " + llvm::toString(tensor.takeError());
  std::string result;
  llvm::raw_string_ostream os(result);
  printTensor(os, tensor->getView(), maxElements);
  return result;
}

TEST(TensorTextTest, Scalars) {
  EXPECT_EQ(echo("5"), "f32=5");
  EXPECT_EQ(echo("5", COIL_I64), "i64=5");
  EXPECT_EQ(echo("-1.5"), "f32=-1.5");
  EXPECT_EQ(echo("true", COIL_BOOL), "bool=1");
  EXPECT_EQ(echo("i64=-7"), "i64=-7");
  EXPECT_EQ(echo("f16=65504"), "f16=65504");
}

TEST(TensorTextTest, Elements) {
  EXPECT_EQ(echo("2x2xi32=1 2 3 4"), "2x2xi32=[[1 2][3 4]]");
  EXPECT_EQ(echo("2x2xi32=[[1,2],[3,4]]"), "2x2xi32=[[1 2][3 4]]");
  EXPECT_EQ(echo("3xf32=0.1"), "3xf32=[0.1 0.1 0.1]");
  EXPECT_EQ(echo("0xf32="), "0xf32=[]");
  EXPECT_EQ(echo("2x0xf32="), "2x0xf32=[[][]]");
  EXPECT_EQ(echo("3xbf16=1 nan -inf"), "3xbf16=[1 nan -inf]");
  EXPECT_EQ(echo("3xf16=0.1 1e-7 2049"), "3xf16=[0.1 1e-07 2048]");
  EXPECT_EQ(echo("2xf64=0.1 1e300"), "2xf64=[0.1 1e+300]");
  EXPECT_EQ(echo("2xu8=255 0x10"), "2xu8=[255 16]");
  EXPECT_EQ(echo("2xi8=-128 127"), "2xi8=[-128 127]");
  EXPECT_EQ(echo("2xi1=true false"), "2xbool=[1 0]");
  EXPECT_EQ(echo("5xi32=1 2 3 4 5", COIL_F32, 3), "5xi32=[1 2 3 ...]");
}

// Digits round once: through f32, 1 + 2^-8 + 2^-25 would become a tie and then
// 1 in bf16.
TEST(TensorTextTest, RoundsOnce) {
  EXPECT_EQ(echo("bf16=1.00390627980232238769531250"), "bf16=1.01");
}

TEST(TensorTextTest, Errors) {
  EXPECT_EQ(echo("abc"), "error: 'abc' is not a value of type f32");
  EXPECT_EQ(echo("1.5", COIL_I32), "error: '1.5' is not a value of type i32");
  EXPECT_EQ(echo("2xi8=1 200"), "error: '200' is not a value of type i8");
  EXPECT_EQ(echo("2xu8=1 256"), "error: '256' is not a value of type u8");
  EXPECT_EQ(echo("2xi32=1 2 3"), "error: more than 2 elements for '2xi32'");
  EXPECT_EQ(echo("3xi32=1 2"), "error: expected 3 elements for '3xi32' but got "
                               "2");
  EXPECT_EQ(echo("2xq32=1"), "error: '2xq32' is not a type such as 2x3xf32");
  EXPECT_EQ(echo("2i32=1"), "error: '2i32' is not a type such as 2x3xf32");
  EXPECT_EQ(echo("99999999999x99999999999xf32=1"),
            "error: the tensor has too many elements");
  EXPECT_EQ(echo("@no-such.npy"),
            "error: cannot read 'no-such.npy': No such file or directory");
}

TEST(TensorTextTest, BinaryFiles) {
  llvm::SmallString<128> path;
  int descriptor;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("coil", "bin", descriptor, path));
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true)
      << llvm::StringRef("\1\0\2\0", 4);
  EXPECT_EQ(echo(("2xi16=@" + path).str()), "2xi16=[1 2]");
  EXPECT_EQ(echo(("3xi16=@" + path).str()),
            ("error: '" + path + "': expected 6 bytes but got 4").str());
  llvm::sys::fs::remove(path);
}
