//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of options and its checks: what is wrong is an error, never taken
// for something else.
//
//===----------------------------------------------------------------------===//

#include "coil/Pipelines/Options.h"

#include "coil/Conversion/GraphToLibrary/LibraryFunctions.h"
#include "coil/Dialect/Target/IR/TargetKind.h"
#include "coil/Pipelines/Pipelines.h"
#include "coil/Support/Error.h"
#include "coil/Support/Registration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

/// The words in which Options.def states constraints.
namespace constraints {
constexpr OptionConstraint flag() { return {OptionKind::Flag, "bool"}; }
constexpr OptionConstraint choice(llvm::StringLiteral values) {
  return {OptionKind::Choice, "name", values};
}
constexpr OptionConstraint libraryList(llvm::StringLiteral values,
                                       llvm::StringLiteral others) {
  return {OptionKind::LibraryList, "names", values, others};
}
constexpr OptionConstraint nameText() { return {OptionKind::Names, "names"}; }
constexpr OptionConstraint number(int64_t min, int64_t max) {
  return {OptionKind::Number, "n", "", "", min, max};
}
constexpr OptionConstraint bytes() { return {OptionKind::Bytes, "bytes"}; }
constexpr OptionConstraint powerOfTwo(int64_t min) {
  return {OptionKind::PowerOfTwo, "n", "", "", min};
}
constexpr OptionConstraint targetText() {
  return {OptionKind::Target, "device"};
}
constexpr OptionConstraint passes() {
  return {OptionKind::Passes, "point:pipeline"};
}
constexpr OptionConstraint file() { return {OptionKind::File, "file"}; }
constexpr OptionConstraint directory() {
  return {OptionKind::Directory, "directory"};
}
constexpr OptionConstraint patterns() { return {OptionKind::Text, "patterns"}; }
constexpr OptionConstraint places() { return {OptionKind::Text, "places"}; }
constexpr OptionConstraint symbolName() { return {OptionKind::Text, "name"}; }
} // namespace constraints

/// What an option has no effect without.
struct Need {
  StringRef option, other, values, reason;
};
struct Exclusion {
  StringRef option, other, reason;
};

} // namespace

static std::string toText(bool value) { return value ? "true" : "false"; }
static std::string toText(int value) { return std::to_string(value); }
static std::string toText(int64_t value) { return std::to_string(value); }
static std::string toText(const char *value) { return value; }

/// Never destroyed: tools ask for it while flags are constructed.
static const std::vector<OptionSpec> &getTable() {
  using namespace constraints;
  static const auto *table = new std::vector<OptionSpec>{
#define PIPELINE_OPTION(type, member, name, defaultValue, constraint, group,   \
                        devices, firstStage, lastStage, tools, description)    \
  {OptionScope::Pipeline,                                                      \
   name,                                                                       \
   "",                                                                         \
   toText(defaultValue),                                                       \
   constraint,                                                                 \
   OptionGroup::group,                                                         \
   OptionDevices::devices,                                                     \
   Stage::firstStage,                                                          \
   Stage::lastStage,                                                           \
   OptionTools::tools,                                                         \
   description},
#define PROGRAM_OPTION(name, keyword, defaultValue, constraint, group,         \
                       devices, tools, description)                            \
  {OptionScope::Program,   name,         keyword,                              \
   toText(defaultValue),   constraint,   OptionGroup::group,                   \
   OptionDevices::devices, Stage::Graph, Stage::Native,                        \
   OptionTools::tools,     description},
#define TOOL_OPTION(name, defaultValue, constraint, tools, description)        \
  {OptionScope::Tool,    name,         "",                                     \
   toText(defaultValue), constraint,   OptionGroup::Code,                      \
   OptionDevices::Any,   Stage::Graph, Stage::Native,                          \
   OptionTools::tools,   description},
#include "coil/Pipelines/Options.def"
  };
  return *table;
}

static constexpr Need kNeeds[] = {
#define OPTION_NEEDS(name, other, values, reason) {name, other, values, reason},
#include "coil/Pipelines/Options.def"
};

static constexpr Exclusion kExclusions[] = {
#define OPTION_EXCLUDES(name, other, reason) {name, other, reason},
#include "coil/Pipelines/Options.def"
};

ArrayRef<OptionSpec> coil::getOptionSpecs() { return getTable(); }

const OptionSpec *coil::lookupOption(StringRef name) {
  auto found = llvm::find_if(
      getTable(), [&](const OptionSpec &spec) { return spec.name == name; });
  return found == getTable().end() ? nullptr : &*found;
}

static SmallVector<StringRef> splitValues(StringRef text) {
  SmallVector<StringRef> values;
  text.split(values, '|', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return values;
}

SmallVector<StringRef> OptionSpec::getValues() const {
  if (constraint.kind == OptionKind::Flag)
    return {"true", "false"};
  SmallVector<StringRef> values = splitValues(constraint.values);
  values.append(splitValues(constraint.others));
  return values;
}

std::string OptionSpec::getKeyword() const {
  if (!keyword.empty())
    return keyword.str();
  std::string text = name.str();
  llvm::replace(text, '-', '_');
  return text;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<int64_t> coil::parseBytes(StringRef text) {
  uint64_t unit = text.consume_back("K")   ? uint64_t(1) << 10
                  : text.consume_back("M") ? uint64_t(1) << 20
                  : text.consume_back("G") ? uint64_t(1) << 30
                                           : 1;
  uint64_t count, bytes;
  if (text.getAsInteger(10, count) ||
      __builtin_mul_overflow(count, unit, &bytes) || bytes > INT64_MAX)
    return std::nullopt;
  return static_cast<int64_t>(bytes);
}

/// "'a', 'b' or 'c'".
static std::string listValues(ArrayRef<StringRef> values) {
  std::string list;
  for (auto [i, each] : llvm::enumerate(values))
    list += ((i == 0                   ? ""
              : i + 1 == values.size() ? " or "
                                       : ", ") +
             ("'" + each + "'"))
                .str();
  return list;
}

static Error checkValue(StringRef option, StringRef value,
                        ArrayRef<StringRef> values) {
  if (llvm::is_contained(values, value))
    return Error::success();
  return makeError("unknown value '" + value + "' of the option '" + option +
                   "', expected " + listValues(values) +
                   suggestName(value, values));
}

static Error checkNumber(const OptionSpec &spec, StringRef value) {
  const OptionConstraint &range = spec.constraint;
  bool isPower = range.kind == OptionKind::PowerOfTwo;
  int64_t number;
  if (!value.getAsInteger(10, number) &&
      (isPower
           ? number == 0 || (number >= range.min &&
                             llvm::isPowerOf2_64(static_cast<uint64_t>(number)))
           : number >= range.min && number <= range.max))
    return Error::success();
  std::string expected;
  if (isPower)
    expected = "a power of two from " + std::to_string(range.min) + " on, or 0";
  else if (range.max == INT64_MAX)
    expected = "a number of " + std::to_string(range.min) + " or more";
  else
    expected = "a number from " + std::to_string(range.min) + " to " +
               std::to_string(range.max);
  return makeError("the option '" + spec.name + "' is '" + value +
                   "', expected " + expected);
}

/// Lines of source files: `*`, or a file, `file:line` or `file:first-last`,
/// separated by `+`.
static Error checkPlaces(const OptionSpec &spec, StringRef value) {
  SmallVector<StringRef> places;
  value.split(places, '+', -1, /*KeepEmpty=*/false);
  for (StringRef place : places) {
    auto [file, lines] = place.rsplit(':');
    auto [first, last] = lines.split('-');
    unsigned begin = 0, end = 0;
    bool isRange = !first.getAsInteger(10, begin) &&
                   !(last.empty() ? first : last).getAsInteger(10, end) &&
                   begin <= end && lines.back() != '-';
    if (file.empty() || llvm::any_of(file, llvm::isSpace) ||
        (!lines.empty() && !isRange) || place.ends_with(":"))
      return makeError("the option '" + spec.name + "' has the place '" +
                       place +
                       "', expected a file without spaces, file:line, "
                       "file:first-last or *");
  }
  return Error::success();
}

Error coil::checkOptionValue(const OptionSpec &spec, StringRef value) {
  const OptionConstraint &constraint = spec.constraint;
  switch (constraint.kind) {
  case OptionKind::Flag:
  case OptionKind::Choice:
    return checkValue(spec.name, value, spec.getValues());
  case OptionKind::LibraryList: {
    if (llvm::is_contained(splitValues(constraint.others), value))
      return Error::success();
    SmallVector<StringRef> names;
    value.split(names, ',');
    SmallVector<StringRef> known = splitValues(constraint.values),
                           all = spec.getValues();
    // Plugins may bring others.
    std::vector<std::string> plugins = getPluginLibraries();
    known.append(plugins.begin(), plugins.end());
    all.append(plugins.begin(), plugins.end());
    for (StringRef name : names)
      if (!llvm::is_contained(known, name))
        return checkValue(spec.name, name, all);
    return Error::success();
  }
  case OptionKind::Number:
  case OptionKind::PowerOfTwo:
    return checkNumber(spec, value);
  case OptionKind::Bytes:
    if (parseBytes(value))
      return Error::success();
    return makeError("the option '" + spec.name + "' is '" + value +
                     "', expected a number of bytes such as 4096, 64K, 512M "
                     "or 2G");
  case OptionKind::Names:
  case OptionKind::Target:
  case OptionKind::Passes:
  case OptionKind::File:
  case OptionKind::Directory:
    return Error::success();
  case OptionKind::Text:
    return constraint.valueName == "places" ? checkPlaces(spec, value)
                                            : Error::success();
  }
  llvm_unreachable("all kinds are handled");
}

Error coil::checkOption(StringRef name, StringRef value) {
  if (const OptionSpec *spec = lookupOption(name))
    return checkOptionValue(*spec, value);
  SmallVector<StringRef> names;
  for (const OptionSpec &spec : getTable())
    names.push_back(spec.name);
  return makeError("there is no option '" + name + "'" +
                   suggestName(name, names));
}

//===----------------------------------------------------------------------===//
// Options as text
//===----------------------------------------------------------------------===//

/// Cuts the next `name=value` off, by the rules of MLIR's pass options: a
/// space ends a value, unless it is in quotes or braces, of which the outermost
/// are no part of it.
static Expected<std::pair<StringRef, StringRef>> cutOption(StringRef &text) {
  size_t end = text.find_first_of("= ");
  StringRef name = text.take_front(end);
  text = text.drop_front(name.size());
  if (!text.consume_front("="))
    return std::pair(name, StringRef("true"));
  size_t depth = 0, i = 0;
  for (char quote = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}') {
      if (depth-- == 0)
        return makeError("bad pipeline options: '}' without '{' in the value "
                         "of '" +
                         name + "'");
    } else if (c == ' ' && depth == 0) {
      break;
    }
    if (i + 1 == text.size() && (quote || depth))
      return makeError("bad pipeline options: the value of '" + name +
                       "' is not closed");
  }
  StringRef value = text.take_front(i);
  text = text.drop_front(i);
  for (auto [open, close] :
       {std::pair('{', '}'), std::pair('\'', '\''), std::pair('"', '"')})
    if (value.size() >= 2 && value.front() == open && value.back() == close) {
      value = value.drop_front().drop_back();
      break;
    }
  return std::pair(name, value);
}

Expected<GivenOptions> GivenOptions::parse(StringRef text) {
  GivenOptions options;
  SmallVector<StringRef> names;
  for (const OptionSpec &spec : getTable())
    if (spec.scope == OptionScope::Pipeline)
      names.push_back(spec.name);
  for (StringRef rest = text.trim(); !rest.empty(); rest = rest.ltrim()) {
    Expected<std::pair<StringRef, StringRef>> next = cutOption(rest);
    if (!next)
      return next.takeError();
    auto [name, value] = *next;
    const OptionSpec *spec = lookupOption(name);
    if (!spec || spec->scope != OptionScope::Pipeline)
      return makeError("bad pipeline options '" + text + "': no such option '" +
                       name + "'" + suggestName(name, names));
    if (Error error = checkOptionValue(*spec, value))
      return std::move(error);
    if (options.isGiven(name) && options.get(name) != value)
      return makeError("the option '" + name + "' is given twice, as '" +
                       options.get(name) + "' and as '" + value + "'");
    options.set(name, value);
  }
  return options;
}

bool GivenOptions::isGiven(StringRef name) const {
  return llvm::any_of(
      given, [&](const auto &entry) { return entry.first->name == name; });
}

StringRef GivenOptions::get(StringRef name) const {
  for (const auto &[spec, value] : given)
    if (spec->name == name)
      return value;
  const OptionSpec *spec = lookupOption(name);
  assert(spec && "an option of the table");
  return spec->defaultValue;
}

void GivenOptions::set(StringRef name, StringRef value) {
  const OptionSpec *spec = lookupOption(name);
  assert(spec && spec->scope == OptionScope::Pipeline && "a pipeline option");
  for (auto &[other, current] : given)
    if (other == spec) {
      current = value.str();
      return;
    }
  given.emplace_back(spec, value.str());
}

std::string GivenOptions::str() const {
  std::string text;
  for (const auto &[spec, value] : given) {
    std::string written = value;
    if (spec->constraint.kind == OptionKind::Bytes)
      written = std::to_string(*parseBytes(value));
    else if (spec->constraint.kind == OptionKind::Names)
      llvm::replace(written, ',', '+');
    else if (!value.empty() && (StringRef(value).contains(' ') ||
                                spec->constraint.kind == OptionKind::Passes ||
                                spec->constraint.kind == OptionKind::File))
      written = "{" + written + "}";
    text += (text.empty() ? "" : " ") + spec->name.str() + "=" + written;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Options that have no effect
//===----------------------------------------------------------------------===//

Error GivenOptions::checkTogether() const {
  for (const Need &need : kNeeds) {
    SmallVector<StringRef> values = splitValues(need.values);
    if (isGiven(need.option) &&
        get(need.option) != lookupOption(need.option)->defaultValue &&
        !llvm::is_contained(values, get(need.other)))
      return makeError("the option '" + need.option +
                       "' has no effect where '" + need.other + "' is '" +
                       get(need.other) + "', expected " + listValues(values) +
                       ": " + need.reason);
  }
  for (const Exclusion &each : kExclusions)
    if (isGiven(each.option) && isGiven(each.other) &&
        get(each.option) != lookupOption(each.option)->defaultValue &&
        get(each.other) != lookupOption(each.other)->defaultValue)
      return makeError("the options '" + each.option + "' and '" + each.other +
                       "' exclude each other: " + each.reason);
  return Error::success();
}

Error GivenOptions::checkStages(Stage from, Stage to) const {
  for (const auto &[spec, value] : given) {
    // Where kernels get their code, the extension points say more.
    if (spec->constraint.kind == OptionKind::Passes)
      continue;
    std::string where =
        spec->firstStage == spec->lastStage
            ? ("the stage '" + stringifyStage(spec->lastStage) + "'").str()
            : ("the stages '" + stringifyStage(spec->firstStage) + "' to '" +
               stringifyStage(spec->lastStage) + "'")
                  .str();
    if (from >= spec->lastStage && value != spec->defaultValue)
      return makeError("the option '" + spec->name +
                       "' comes too late: it is decided on the way to " +
                       where + ", but the input is at the stage '" +
                       stringifyStage(from) + "'");
    if (to < spec->firstStage && value != spec->defaultValue)
      return makeError("the option '" + spec->name +
                       "' has no effect: it is decided on the way to " + where +
                       ", but compilation stops at the stage '" +
                       stringifyStage(to) + "'");
  }
  return Error::success();
}

Error coil::checkOptionDevices(const OptionSpec &spec, StringRef targets) {
  if (spec.devices == OptionDevices::Any)
    return Error::success();
  bool wantsThreads = spec.devices == OptionDevices::Threads;
  SmallVector<StringRef> list;
  targets.split(list, ',');
  for (StringRef target : list) {
    // What is no target is said by what resolves it.
    const target::TargetKind *kind = target::lookupKindOf(target);
    if (!kind || wantsThreads == (kind->form == target::KernelForm::Threads))
      return Error::success();
  }
  return makeError("the option '" + spec.name +
                   "' has no effect for the target '" + targets +
                   "': it is about " +
                   (wantsThreads ? "GPUs, such as --target=cuda"
                                 : "CPUs, such as --target=cpu"));
}

Error GivenOptions::checkDevices() const {
  for (const auto &[spec, value] : given)
    if (value != spec->defaultValue)
      if (Error error = checkOptionDevices(*spec, get("target")))
        return error;
  return Error::success();
}

Error coil::parseOptions(CompilePipelineOptions &options, StringRef text) {
  Expected<GivenOptions> given = GivenOptions::parse(text);
  if (!given)
    return given.takeError();
  if (Error error = given->checkTogether())
    return error;
  std::string reason;
  llvm::raw_string_ostream os(reason);
  if (failed(options.parseFromString(given->str(), os)))
    return makeError("bad pipeline options '" + text + "': " + reason);
  return Error::success();
}
