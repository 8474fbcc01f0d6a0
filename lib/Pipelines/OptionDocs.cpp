//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of options as JSON, for other languages, and as documentation.
//
//===----------------------------------------------------------------------===//

#include "coil/Pipelines/Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;
using llvm::StringRef;

static StringRef getKindName(OptionKind kind) {
  switch (kind) {
  case OptionKind::Flag:
    return "flag";
  case OptionKind::Choice:
    return "choice";
  case OptionKind::LibraryList:
    return "library list";
  case OptionKind::Names:
    return "names";
  case OptionKind::Number:
    return "number";
  case OptionKind::Bytes:
    return "bytes";
  case OptionKind::PowerOfTwo:
    return "power of two";
  case OptionKind::Target:
    return "target";
  case OptionKind::Passes:
    return "passes";
  case OptionKind::File:
    return "file";
  case OptionKind::Directory:
    return "directory";
  case OptionKind::Text:
    return "text";
  }
  llvm_unreachable("all kinds are handled");
}

static StringRef getScopeName(OptionScope scope) {
  switch (scope) {
  case OptionScope::Pipeline:
    return "pipeline";
  case OptionScope::Program:
    return "program";
  case OptionScope::Tool:
    return "tool";
  }
  llvm_unreachable("all scopes are handled");
}

static llvm::SmallVector<StringRef> getTools(const OptionSpec &spec) {
  llvm::SmallVector<StringRef> tools;
  if (spec.isOf(OptionTools::Compile))
    tools.push_back("coil-compile");
  if (spec.isOf(OptionTools::Run))
    tools.push_back("coil-run");
  return tools;
}

static bool isNumber(OptionKind kind) {
  return kind == OptionKind::Number || kind == OptionKind::Bytes ||
         kind == OptionKind::PowerOfTwo;
}

void coil::printOptionsJSON(llvm::raw_ostream &os) {
  llvm::json::Array list;
  for (const OptionSpec &spec : getOptionSpecs()) {
    llvm::json::Object option{{"name", spec.name},
                              {"keyword", spec.getKeyword()},
                              {"scope", getScopeName(spec.scope)},
                              {"kind", getKindName(spec.constraint.kind)},
                              {"default", spec.defaultValue},
                              {"values", llvm::json::Array(spec.getValues())},
                              {"tools", llvm::json::Array(getTools(spec))},
                              {"description", spec.description}};
    if (isNumber(spec.constraint.kind)) {
      option["min"] = spec.constraint.min;
      option["max"] = spec.constraint.max;
    }
    list.push_back(std::move(option));
  }
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(list)));
}

/// What a value may be, in a cell of a table.
static std::string describeValues(const OptionSpec &spec) {
  const OptionConstraint &constraint = spec.constraint;
  switch (constraint.kind) {
  case OptionKind::Number:
    if (constraint.max == INT64_MAX)
      return "a number of " + std::to_string(constraint.min) + " or more";
    return std::to_string(constraint.min) + " to " +
           std::to_string(constraint.max);
  case OptionKind::PowerOfTwo:
    return "0, or a power of two from " + std::to_string(constraint.min) +
           " on";
  case OptionKind::Bytes:
    return "bytes: `4096`, `64K`, `512M`, `2G`";
  default:
    break;
  }
  llvm::SmallVector<StringRef> values = spec.getValues();
  if (values.empty())
    return constraint.valueName.str();
  std::string text = "`" + llvm::join(values, "`, `") + "`";
  return constraint.kind == OptionKind::LibraryList
             ? text + "; several with commas"
             : text;
}

static std::string describeReaders(const OptionSpec &spec) {
  std::string text = stringifyStage(spec.firstStage).str();
  if (spec.firstStage != spec.lastStage)
    text += " to " + stringifyStage(spec.lastStage).str();
  if (spec.devices == OptionDevices::Threads)
    text += ", GPUs";
  if (spec.devices == OptionDevices::Vectors)
    text += ", CPUs";
  return text;
}

void coil::printOptionsMarkdown(llvm::raw_ostream &os) {
  for (OptionScope scope :
       {OptionScope::Pipeline, OptionScope::Program, OptionScope::Tool}) {
    bool hasKeyword = scope != OptionScope::Tool;
    os << (scope == OptionScope::Pipeline ? "" : "\n") << "### Options of "
       << (scope == OptionScope::Pipeline  ? "the pipelines"
           : scope == OptionScope::Program ? "a program in memory"
                                           : "tools alone")
       << "\n\n| flag |" << (hasKeyword ? " Python |" : "")
       << " values | default | tools |"
       << (scope == OptionScope::Pipeline ? " read by |" : "")
       << " meaning |\n|---|" << (hasKeyword ? "---|" : "") << "---|---|---|"
       << (scope == OptionScope::Pipeline ? "---|" : "") << "---|\n";
    for (const OptionSpec &spec : getOptionSpecs()) {
      if (spec.scope != scope)
        continue;
      os << "| `--" << spec.name << "` |";
      if (hasKeyword)
        os << " `" << spec.getKeyword() << "` |";
      os << ' ' << describeValues(spec) << " | "
         << (spec.defaultValue.empty() ? "" : "`" + spec.defaultValue + "`")
         << " | " << llvm::join(getTools(spec), ", ") << " |";
      if (scope == OptionScope::Pipeline)
        os << ' ' << describeReaders(spec) << " |";
      os << ' ' << spec.description << " |\n";
    }
  }
}
