//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checksum of archives: its published check value, and LLVM's of every
// length up to some vectors, from every alignment.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/CRC32.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"

#include "gtest/gtest.h"

#include <random>

TEST(CRC32, GivesTheCheckValue) {
  EXPECT_EQ(coil::crc32("123456789"), 0xcbf43926u);
  EXPECT_EQ(coil::crc32(""), 0u);
}

TEST(CRC32, AgreesWithLLVM) {
  std::mt19937 random(7);
  std::string bytes(5000, '\0');
  for (char &byte : bytes)
    byte = static_cast<char>(random());
  for (size_t length = 0; length < 600; ++length)
    for (size_t begin : {0, 1, 7, 16, 63}) {
      llvm::StringRef part = llvm::StringRef(bytes).substr(begin, length);
      ASSERT_EQ(coil::crc32(part),
                llvm::crc32(llvm::arrayRefFromStringRef(part)))
          << length << " bytes from " << begin;
    }
  EXPECT_EQ(coil::crc32(bytes),
            llvm::crc32(llvm::arrayRefFromStringRef(bytes)));
}
