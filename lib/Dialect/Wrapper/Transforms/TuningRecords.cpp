//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file of tuning records, and what identifies a kernel in it.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/TuningRecords.h"

#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "coil/Dialect/Target/IR/Target.h"
#include "coil/Dialect/Target/IR/TargetKind.h"
#include "coil/Support/CPUTarget.h"
#include "coil/Support/Error.h"
#include "coil/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

static constexpr llvm::StringLiteral kFormat = "coil-tuning-records 1";

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Expected<TuningRecord> parseRecord(StringRef line) {
  Expected<llvm::json::Value> value = llvm::json::parse(line);
  if (!value)
    return value.takeError();
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return makeError("expected an object");
  TuningRecord record;
  std::pair<StringRef, std::string *> texts[] = {
      {"version", &record.version},
      {"target", &record.target},
      {"kernel", &record.kernel},
      {"space", &record.space},
      {"name", &record.name},
      {"schedule", &record.schedule},
      {"default", &record.defaultSchedule}};
  for (auto [key, text] : texts) {
    std::optional<StringRef> found = object->getString(key);
    if (!found)
      return makeError("expected a text '" + key + "'");
    *text = found->str();
  }
  std::pair<StringRef, double *> numbers[] = {
      {"ns", &record.nanoseconds}, {"ns_default", &record.defaultNanoseconds}};
  for (auto [key, number] : numbers) {
    std::optional<double> found = object->getNumber(key);
    if (!found || !(*found >= 0))
      return makeError("expected a time '" + key + "'");
    *number = *found;
  }
  return record;
}

Expected<std::vector<TuningRecord>>
coil::wrapper::readTuningRecords(StringRef path, bool mayBeMissing) {
  std::vector<TuningRecord> records;
  if (mayBeMissing && !llvm::sys::fs::exists(path))
    return records;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return makeError("cannot read the tuning records '" + path +
                     "': " + file.getError().message());
  StringRef rest = (*file)->getBuffer();
  auto fail = [&](unsigned line, const Twine &why) {
    return makeError("'" + path + "' line " + Twine(line) +
                     " is no tuning record: " + why);
  };
  for (unsigned line = 1; !rest.empty(); ++line) {
    // A line that has no end was cut off.
    if (!rest.contains('\n'))
      return fail(line, "the line has no end");
    StringRef text;
    std::tie(text, rest) = rest.split('\n');
    if (line == 1) {
      if (text != kFormat)
        return fail(line, "expected '" + kFormat + "'");
      continue;
    }
    Expected<TuningRecord> record = parseRecord(text);
    if (!record)
      return fail(line, llvm::toString(record.takeError()));
    record->line = line;
    records.push_back(std::move(*record));
  }
  return records;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string printRecord(const TuningRecord &record) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(
            llvm::json::Object{{"version", record.version},
                               {"target", record.target},
                               {"kernel", record.kernel},
                               {"space", record.space},
                               {"name", record.name},
                               {"schedule", record.schedule},
                               {"default", record.defaultSchedule},
                               {"ns", record.nanoseconds},
                               {"ns_default", record.defaultNanoseconds}})
     << '\n';
  return text;
}

Error coil::wrapper::appendTuningRecords(StringRef path,
                                         ArrayRef<TuningRecord> records) {
  auto fail = [&](const Twine &what) {
    return makeError("cannot " + what + " the tuning records '" + path +
                     "': " + llvm::errnoAsErrorCode().message());
  };
  int file =
      ::open(path.str().c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0)
    return fail("open");
  // Closing the file releases the lock, too.
  auto append = [&]() -> Error {
    if (flock(file, LOCK_EX) != 0)
      return fail("lock");
    std::string text;
    if (lseek(file, 0, SEEK_END) == 0)
      text = (kFormat + "\n").str();
    for (const TuningRecord &record : records)
      text += printRecord(record);
    for (StringRef rest = text; !rest.empty();) {
      ssize_t written = ::write(file, rest.data(), rest.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return fail("write");
      rest = rest.drop_front(static_cast<size_t>(written));
    }
    return Error::success();
  };
  Error error = append();
  ::close(file);
  return error;
}

//===----------------------------------------------------------------------===//
// Kernels and targets
//===----------------------------------------------------------------------===//

std::string coil::wrapper::getTuningHash(KernelOp kernel) {
  OwningOpRef<KernelOp> copy(kernel.clone());
  loop::KernelOp body = copy->getLoopKernel();
  body.removeScheduleAttr();
  body.setName("");
  copy->setSymName("k");
  copy->removeInPlaceAttr();
  // Only the hints matter, and those of the listed symbols alone.
  (*copy)->removeAttr(sym::kSymbolsAttrName);
  std::string text;
  llvm::raw_string_ostream os(text);
  (*copy)->print(os, OpPrintingFlags().useLocalScope().printGenericOpForm());
  loop::Hints hints(kernel);
  for (auto name : kernel.getSymbols().getAsRange<StringAttr>())
    os << ' '
       << static_cast<int64_t>(hints(sym::symbol(kernel.getContext(), name)));
  llvm::BLAKE3 hasher;
  hasher.update(text);
  // 128 bits.
  return llvm::toHex(ArrayRef<uint8_t>(hasher.final()).take_front(16),
                     /*LowerCase=*/true);
}

Expected<std::string> coil::wrapper::getTuningTarget(ModuleOp module,
                                                     StringRef codeOptions) {
  target::TargetAttrInterface program = target::getProgramTarget(module);
  std::string text;
  llvm::raw_string_ostream os(text);
  program.print(os);
  const target::TargetKind *kind = target::lookupTargetKind(program.getKind());
  if (kind && kind->form == target::KernelForm::Vectors) {
    Expected<CPUTarget> processor = resolveCPU();
    if (!processor)
      return processor.takeError();
    os << ' ' << processor->cpu << ' '
       << llvm::hardware_concurrency().compute_thread_count() << " threads";
  }
  if (!codeOptions.empty())
    os << ' ' << codeOptions;
  return text;
}

LogicalResult coil::wrapper::canTune(KernelOp kernel, std::string &why) {
  loop::KernelOp body = kernel.getLoopKernel();
  if (!body) {
    why = "its code is a user's";
    return failure();
  }
  if (!body.getScheduleAttr() || body.getScheduleAttr().getLibrary()) {
    why = "it has no schedule of its own";
    return failure();
  }
  for (Operation &op : *body.getBlock()) {
    if (isa<loop::ScatterOp>(op)) {
      why = "it updates an operand";
      return failure();
    }
    if (isa<loop::SegmentSumOp>(op)) {
      why = "it walks lists of positions, which made-up inputs are not";
      return failure();
    }
  }
  return success();
}
