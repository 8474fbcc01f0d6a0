//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times come into the files of one compilation, or not at all.
//
//===----------------------------------------------------------------------===//

#include "coil/Report/Measurements.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace coil;

namespace {

class MeasurementsTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(
        llvm::sys::fs::createUniqueDirectory("coil-measurements", directory));
  }
  void TearDown() override {
    ASSERT_FALSE(llvm::sys::fs::remove_directories(directory));
  }

  std::string getPath(llvm::StringRef name) const {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }

  void write(llvm::StringRef name, llvm::StringRef text) const {
    std::error_code error;
    llvm::raw_fd_ostream os(getPath(name), error);
    ASSERT_FALSE(error);
    os << text;
  }

  std::string read(llvm::StringRef name) const {
    auto file = llvm::MemoryBuffer::getFile(getPath(name));
    return file ? (*file)->getBuffer().str() : std::string();
  }

  /// What adding the time of one step says, with the directory's name left out.
  std::string add() const {
    StepTime step;
    step.name = "double";
    step.medianSeconds = 2e-6;
    step.fastestSeconds = 1e-6;
    std::string text =
        llvm::toString(addMeasurements(directory, step, "CPU", 3));
    size_t at = text.find(directory.str());
    if (at != std::string::npos)
      text.replace(at, directory.size(), "DIR");
    return text;
  }

  llvm::SmallString<128> directory;
};

constexpr llvm::StringLiteral kCalls =
    R"({"calls": [{"handle": "double:0", "function": "main"}]})";

TEST_F(MeasurementsTest, FillsInWhatRan) {
  write("kernels.json", kCalls);
  write("index.html", "<!--time call-double-3A0-->not measured<!--end-->"
                      "<!--times-->no times<!--end-->");
  EXPECT_EQ(add(), "");
  EXPECT_NE(read("kernels.json").find("\"median_seconds\""), std::string::npos);
  std::string page = read("index.html");
  EXPECT_NE(page.find("<td class=\"n\">2.00 us<td class=\"n\">n/a<!--end-->"),
            std::string::npos)
      << page;
  EXPECT_EQ(page.find("not measured"), std::string::npos);
  EXPECT_EQ(page.find("no times"), std::string::npos);
}

TEST_F(MeasurementsTest, NamesFilesOfAnotherCompilation) {
  EXPECT_EQ(add().substr(0, 30), "cannot read 'DIR/kernels.json'");
  for (llvm::StringRef text :
       {"{}", "[]", R"({"calls": {}})", R"({"calls": [1]})"}) {
    write("kernels.json", text);
    write("index.html", "");
    EXPECT_EQ(add(), "'kernels.json' in 'DIR' has no list of calls");
  }
  // A page without the place of the step, and one without that of the note.
  std::string other = "'index.html' in 'DIR' is of another compilation than "
                      "'kernels.json'";
  write("kernels.json", kCalls);
  write("index.html", "<!--times--><!--end-->");
  EXPECT_EQ(add(), other);
  write("kernels.json", R"({"calls": []})");
  write("index.html", "");
  EXPECT_EQ(add(), other);
  // Nothing is written then.
  EXPECT_EQ(read("kernels.json"), R"({"calls": []})");
}

} // namespace
