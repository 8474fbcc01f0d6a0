//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The zip reader on well-formed and on hostile archives.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/Archive.h"
#include "ZipBuilder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace coil::import;
using testing::HasSubstr;

namespace {

/// The error text of opening \p bytes, or "" on success.
std::string openError(const std::string &bytes, const Limits &limits = {}) {
  auto archive = Archive::fromMemory(bytes, limits);
  return archive ? "" : llvm::toString(archive.takeError());
}

/// The error text of an archive of one entry that \p change tampers with.
std::string changed(void (*change)(ZipEntry &)) {
  ZipBuilder zip;
  change(zip.add("m/a", "abc"));
  return openError(zip.finish());
}

TEST(Archive, ReadsWhatTorchWrites) {
  ZipBuilder zip;
  zip.add("m/models/model.json", "{}");
  zip.add("m/data/weights/weight_0", std::string(100, 'w'));
  std::string bytes = zip.finish();
  auto archive = Archive::fromMemory(bytes);
  ASSERT_TRUE(bool(archive)) << llvm::toString(archive.takeError());
  ASSERT_EQ((*archive)->getRecords().size(), 2u);
  const ArchiveRecord *record = (*archive)->lookup("m/data/weights/weight_0");
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->data, std::string(100, 'w'));
  // In place: the view points into the archive.
  EXPECT_GE(record->data.data(), bytes.data());
  EXPECT_LT(record->data.data(), bytes.data() + bytes.size());
  EXPECT_FALSE(bool(Archive::checkCRC(*record)));
  EXPECT_EQ((*archive)->lookup("m/absent"), nullptr);
}

TEST(Archive, ReadsOtherWritersForms) {
  ZipBuilder sized;
  ZipEntry &entry = sized.add("m/a", "abc");
  entry.flags = 0;
  entry.localCRC = entry.crc;
  entry.localStored = entry.localPlain = 3;
  EXPECT_EQ(openError(sized.finish()), "");

  ZipBuilder classic;
  classic.add("m/a", "abc");
  classic.withZip64End = false;
  EXPECT_EQ(openError(classic.finish()), "");
}

TEST(Archive, ReadsZip64SizesAndOffsets) {
  ZipBuilder zip;
  zip.add("m/a", "abc");
  zip.add("m/b", "defg").wideCentral = true;
  std::string bytes = zip.finish();
  auto archive = Archive::fromMemory(bytes);
  ASSERT_TRUE(bool(archive)) << llvm::toString(archive.takeError());
  EXPECT_EQ((*archive)->lookup("m/b")->data, "defg");
}

TEST(Archive, SkipsFolders) {
  ZipBuilder zip;
  zip.add("m/", "");
  zip.add("m/a", "abc");
  std::string bytes = zip.finish();
  auto archive = Archive::fromMemory(bytes);
  ASSERT_TRUE(bool(archive)) << llvm::toString(archive.takeError());
  EXPECT_EQ((*archive)->getRecords().size(), 1u);
}

TEST(Archive, RefusesEveryTruncation) {
  ZipBuilder zip;
  zip.add("m/a", "abc");
  zip.add("m/b", "defg");
  std::string bytes = zip.finish();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(openError(bytes.substr(0, size)), "") << "cut to " << size;
}

TEST(Archive, RefusesNames) {
  const std::pair<std::string, const char *> cases[] = {
      {"/etc/passwd", "is absolute"},
      {"m/../../x", "'.' or '..' component"},
      {"m/./x", "'.' or '..' component"},
      {"m//x", "'.' or '..' component"},
      {"m\\x", "has a backslash"},
      {std::string("m/a\0b", 5), "has a NUL byte"},
      {"m/\xff\xfe", "is not UTF-8"},
      {"", "has an empty name"},
      {std::string(2000, 'n'), "see --max-name-length"},
  };
  for (const auto &[name, message] : cases) {
    ZipBuilder zip;
    zip.add(name, "abc");
    EXPECT_THAT(openError(zip.finish()), HasSubstr(message));
  }
}

TEST(Archive, MessagesAreOneLine) {
  ZipBuilder zip;
  zip.add("m/a\nb\\", "abc");
  EXPECT_THAT(openError(zip.finish()), HasSubstr("'m/a\\x0ab\\'"));
}

TEST(Archive, RefusesDuplicateNames) {
  for (const char *second : {"m/a", "m/a/"}) {
    ZipBuilder zip;
    zip.add("m/a", "");
    zip.add(second, "");
    EXPECT_THAT(openError(zip.finish()), HasSubstr("occurs more than once"));
  }
}

TEST(Archive, RefusesCompressionAndEncryption) {
  EXPECT_THAT(changed([](ZipEntry &e) { e.method = 8; }),
              HasSubstr("compressed (method 8)"));
  EXPECT_THAT(changed([](ZipEntry &e) { e.flags |= 1; }),
              HasSubstr("is encrypted"));
}

TEST(Archive, RefusesOverlap) {
  // Two entries with one local header.
  ZipBuilder zip;
  zip.add("m/a", "abc");
  ZipEntry &entry = zip.add("m/b", "abc");
  entry.sharesOffset = true;
  EXPECT_THAT(openError(zip.finish()), HasSubstr("another name"));

  // An entry inside the data of another.
  ZipBuilder inner;
  inner.add("m/b", "xyz").flags = 0;
  ZipBuilder outer;
  outer.add("m/a", inner.localBytes()).flags = 0;
  ZipEntry &second = outer.add("m/b", "xyz");
  second.flags = 0;
  second.offsetInPrevious = true;
  EXPECT_THAT(openError(outer.finish()), HasSubstr("overlap"));
}

TEST(Archive, RefusesLocalDisagreement) {
  EXPECT_THAT(changed([](ZipEntry &e) { e.localName = "m/b"; }),
              HasSubstr("another name"));
  EXPECT_THAT(changed([](ZipEntry &e) { e.localMethod = 8; }),
              HasSubstr("disagree"));
  EXPECT_THAT(changed([](ZipEntry &e) { e.localCRC = e.crc + 1; }),
              HasSubstr("disagree"));
  EXPECT_THAT(changed([](ZipEntry &e) { e.localStored = 4; }),
              HasSubstr("disagree"));
  EXPECT_THAT(changed([](ZipEntry &e) { e.localPlain = 2; }),
              HasSubstr("disagree"));
  EXPECT_THAT(changed([](ZipEntry &e) { e.descriptorCRC = e.crc ^ 1; }),
              HasSubstr("data descriptor"));
  EXPECT_THAT(changed([](ZipEntry &e) { e.centralPlain = 1 << 20; }),
              HasSubstr("two different sizes"));
}

TEST(Archive, RefusesSizesOutsideTheFile) {
  EXPECT_THAT(changed([](ZipEntry &e) {
                e.centralStored = e.centralPlain = 0x7fffffff;
              }),
              HasSubstr("central directory"));
  EXPECT_THAT(changed([](ZipEntry &e) {
                e.wideCentral = true;
                e.centralStored = e.centralPlain = UINT64_MAX;
              }),
              HasSubstr("central directory"));
  EXPECT_THAT(changed([](ZipEntry &e) {
                e.wideCentral = true;
                e.centralOffset = UINT64_MAX - 8;
              }),
              HasSubstr("no local header"));
}

TEST(Archive, RefusesDirectoryTricks) {
  ZipBuilder zip;
  zip.add("m/a", "abc");
  zip.entryCount = 2;
  EXPECT_NE(openError(zip.finish()), "");
  zip.entryCount = 0;
  EXPECT_THAT(openError(zip.finish()), HasSubstr("more than its 0 entries"));
  zip.entryCount = UINT64_MAX;
  EXPECT_THAT(openError(zip.finish()), HasSubstr("see --max-entries"));
  zip.entryCount.reset();
  zip.directoryOffset = UINT64_MAX;
  EXPECT_NE(openError(zip.finish()), "");
  zip.directoryOffset.reset();
  zip.directorySize = UINT64_MAX;
  EXPECT_NE(openError(zip.finish()), "");
  zip.directorySize.reset();
  EXPECT_NE(openError("#!/bin/sh\n" + zip.finish()), "");
}

TEST(Archive, LimitsEntries) {
  ZipBuilder zip;
  for (int i = 0; i < 20; ++i)
    zip.add("m/" + std::to_string(i), "");
  Limits limits;
  limits.maxEntries = 10;
  EXPECT_THAT(openError(zip.finish(), limits),
              HasSubstr("is 20, over the limit of 10 (see --max-entries)"));
}

TEST(Archive, FindsDamage) {
  ZipBuilder zip;
  zip.add("m/a", "abc").crc ^= 1;
  std::string bytes = zip.finish();
  auto archive = Archive::fromMemory(bytes);
  ASSERT_TRUE(bool(archive)) << llvm::toString(archive.takeError());
  EXPECT_THAT(llvm::toString(Archive::checkCRC((*archive)->getRecords()[0])),
              HasSubstr("CRC-32 does not match"));
}

TEST(Archive, RefusesWhatIsNoFile) {
  for (const char *path : {"/", "/dev/zero"}) {
    auto archive = Archive::open(path);
    ASSERT_FALSE(bool(archive));
    EXPECT_EQ(llvm::toString(archive.takeError()), "not a regular file");
  }
}

} // namespace
