//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the writer of packages writes, the reader reads: also sizes and offsets
// of 64 bits, which otherwise take files of 4 GiB.
//
//===----------------------------------------------------------------------===//

#include "coil/Package/ArchiveWriter.h"

#include "coil/Import/Archive.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace coil;

namespace {

class ArchiveWriterTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(
        llvm::sys::fs::createTemporaryFile("archive", "coilpkg", path));
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  /// Writes records of these lengths and reads them back; returns the file.
  std::string roundTrip(llvm::ArrayRef<size_t> lengths, uint64_t wideFrom) {
    auto makeData = [](size_t number, size_t length) {
      std::string data(length, 0);
      for (size_t i = 0; i < length; ++i)
        data[i] = char(i * 31 + number);
      return data;
    };
    auto writer = llvm::cantFail(ArchiveWriter::create(path, wideFrom));
    for (auto [i, length] : llvm::enumerate(lengths))
      writer->add("records/" + std::to_string(i), makeData(i, length));
    EXPECT_FALSE(bool(writer->finish()));
    auto archive = llvm::cantFail(import::Archive::open(path));
    EXPECT_EQ(archive->getRecords().size(), lengths.size());
    for (auto [i, length] : llvm::enumerate(lengths)) {
      const import::ArchiveRecord *record =
          archive->lookup("records/" + std::to_string(i));
      if (!record) {
        ADD_FAILURE() << "record " << i << " is missing";
        continue;
      }
      EXPECT_EQ(record->data, makeData(i, length));
      EXPECT_EQ(uintptr_t(record->data.data()) % kRecordAlignment, 0u);
      EXPECT_FALSE(bool(import::Archive::checkCRC(*record)));
    }
    auto file = llvm::MemoryBuffer::getFile(path);
    return file ? (*file)->getBuffer().str() : "";
  }

  llvm::SmallString<128> path;
};

TEST_F(ArchiveWriterTest, NarrowFields) {
  std::string file = roundTrip({0, 1, 64, 5000}, kWideFrom);
  EXPECT_EQ(file.find("PK\x06\x06"), std::string::npos);
}

TEST_F(ArchiveWriterTest, WideSizesAndOffsets) {
  // All of them, and less and less.
  for (uint64_t wideFrom : {0, 64, 700, 5100}) {
    std::string file = roundTrip({0, 1, 64, 5000, 63}, wideFrom);
    EXPECT_NE(file.find("PK\x06\x06"), std::string::npos) << wideFrom;
    EXPECT_NE(file.find("PK\x06\x07"), std::string::npos) << wideFrom;
  }
}

TEST_F(ArchiveWriterTest, MoreRecordsThanSixteenBitsCount) {
  std::vector<size_t> lengths(0x10000, 1);
  std::string file = roundTrip(lengths, kWideFrom);
  EXPECT_NE(file.find("PK\x06\x06"), std::string::npos);
}

} // namespace
