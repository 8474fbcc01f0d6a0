//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of options: what is wrong is an error, never taken for something else.
//
//===----------------------------------------------------------------------===//

#include "coil/Pipelines/Pipelines.h"

#include "coil/Support/Error.h"
#include "coil/Support/Libraries.h"
#include "coil/Support/Registration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using llvm::Error;

/// Fails for a value that is none of those.
static Error checkValue(StringRef option, StringRef value,
                        ArrayRef<StringRef> values) {
  if (llvm::is_contained(values, value))
    return Error::success();
  std::string list;
  for (auto [i, each] : llvm::enumerate(values))
    list += ((i == 0                   ? ""
              : i + 1 == values.size() ? " or "
                                       : ", ") +
             ("'" + each + "'"))
                .str();
  return makeError("unknown value '" + value + "' of the option '" + option +
                   "', expected " + list + suggestName(value, values));
}

/// Fails for a number below zero.
static Error checkNotNegative(StringRef option, int64_t value) {
  if (value >= 0)
    return Error::success();
  return makeError("the option '" + option + "' is " + llvm::Twine(value) +
                   ", expected 0 or more");
}

Error coil::checkOptionValues(const CompilePipelineOptions &options) {
  struct {
    StringRef option;
    StringRef value;
    SmallVector<StringRef> values;
  } choices[] = {
      {"fast-math", options.fastMath, {"off", "default", "fast"}},
      {"float32-matmul-precision",
       options.matmulPrecision,
       {"highest", "high", "medium"}},
      {"float32-conv-precision",
       options.convPrecision,
       {"highest", "high", "medium"}},
      {"raise-attention", options.raiseAttention, {"auto", "always", "off"}},
      {"plan", options.plan, {"none", "reuse", "pool"}},
      {"partitions", options.partitions, {"auto", "always", "off"}},
      {"debug-values",
       options.debugValues,
       {"off", "names", "print", "save", "nan", "finite", "hook"}},
      {"profile-marks", options.profileMarks, {"off", "call", "calls"}},
      {"random", options.random, {"state", "generator"}},
  };
  for (const auto &choice : choices)
    if (Error error = checkValue(choice.option, choice.value, choice.values))
      return error;
  struct {
    StringRef option;
    int64_t value;
  } numbers[] = {
      {"stream-bytes", options.streamBytes},
      {"memory-budget", options.memoryBudget},
      {"scatter-bytes", options.scatterBytes},
      {"stack-limit", options.stackLimit},
      {"assert-alignment", options.assertAlignment},
  };
  for (const auto &number : numbers)
    if (Error error = checkNotNegative(number.option, number.value))
      return error;
  if (options.library == "auto")
    return Error::success();
  StringRef unknown;
  if (areLibraries(options.library, unknown))
    return Error::success();
  return checkValue("library", unknown,
                    {"onednn", "cublaslt", "cudnn", "cub", "none", "auto"});
}

Error coil::parseOptions(CompilePipelineOptions &options, StringRef text) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  if (succeeded(options.parseFromString(text, os)))
    return Error::success();
  StringRef line = StringRef(reason).rtrim();
  std::string suggestion;
  StringRef name = line.split("no such option ").second;
  if (!name.empty())
    suggestion = suggestName(name, options.getNames());
  return makeError("bad pipeline options '" + text + "': " + line + suggestion);
}
