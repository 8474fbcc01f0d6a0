//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionFlags.h"

#include "Tool.h"
#include "coil/Plugins/Plugins.h"
#include "coil/Support/Error.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"

using namespace coil;
namespace cl = llvm::cl;

bool OptionValueParser::parse(cl::Option &flag, llvm::StringRef,
                              llvm::StringRef value, std::string &result) {
  const OptionSpec &spec = *lookupOption(flag.ArgStr);
  // A flag without a value is set.
  if (spec.constraint.kind == OptionKind::Flag && value.empty())
    value = "true";
  if (llvm::Error error = checkOptionValue(spec, value)) {
    llvm::WithColor::error(llvm::errs(), getToolName())
        << toString(std::move(error)) << '\n';
    return true;
  }
  result = value.str();
  return false;
}

/// What --help says of an option.
static llvm::StringRef getHelp(const OptionSpec &spec) {
  std::string text = spec.description.str();
  if (spec.constraint.kind == OptionKind::Choice)
    text += "; one of " + llvm::join(spec.getValues(), ", ");
  if (!spec.defaultValue.empty() && spec.defaultValue != "false")
    text += " (default: " + spec.defaultValue + ")";
  // Flags refer to it as long as the process lives.
  static auto *saved = new std::vector<std::unique_ptr<std::string>>;
  saved->push_back(std::make_unique<std::string>(std::move(text)));
  return *saved->back();
}

/// The flags of declared options; flags of other options may have their names.
static llvm::DenseMap<const cl::Option *, const OptionSpec *> &getFlags() {
  static llvm::DenseMap<const cl::Option *, const OptionSpec *> flags;
  return flags;
}

llvm::SmallVector<llvm::StringRef> coil::getFlagValues(const cl::Option &flag) {
  const OptionSpec *spec = getFlags().lookup(&flag);
  return spec ? spec->getValues() : llvm::SmallVector<llvm::StringRef>();
}

OptionFlags::OptionFlags(OptionTools tool, Category getCategory)
    : insertPasses(
          "insert-passes",
          cl::value_desc(lookupOption("insert-passes")->constraint.valueName),
          cl::desc(lookupOption("insert-passes")->description),
          cl::cat(getCategory(*lookupOption("insert-passes")))),
      loadPlugins("load-plugin", cl::value_desc("file"),
                  cl::desc("Load a plugin with all that it offers, as "
                           "COIL_PLUGINS does; repeatable"),
                  cl::cat(getCategory(*lookupOption("insert-passes")))) {
  for (const OptionSpec &spec : getOptionSpecs()) {
    if (!spec.isOf(tool) || spec.constraint.kind == OptionKind::Passes)
      continue;
    bool isFlag = spec.constraint.kind == OptionKind::Flag;
    auto flag = std::make_unique<Flag>(
        llvm::StringRef(spec.name), cl::init(spec.defaultValue),
        cl::desc(getHelp(spec)), cl::value_desc(spec.constraint.valueName),
        cl::cat(getCategory(spec)),
        isFlag ? cl::ValueOptional : cl::ValueRequired);
    getFlags()[flag.get()] = &spec;
    entries.push_back({&spec, std::move(flag)});
  }
}

const OptionFlags::Entry &OptionFlags::find(llvm::StringRef name) const {
  auto found = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.spec->name == name; });
  assert(found != entries.end() && "an option of the tool");
  return *found;
}

bool OptionFlags::isGiven(llvm::StringRef name) const {
  return find(name).flag->getNumOccurrences() != 0;
}

llvm::StringRef OptionFlags::get(llvm::StringRef name) const {
  return find(name).flag->getValue();
}

int64_t OptionFlags::getNumber(llvm::StringRef name) const {
  return *parseBytes(get(name));
}

void OptionFlags::imply(llvm::StringRef name, llvm::StringRef value) {
  auto &entry = const_cast<Entry &>(find(name));
  if (entry.flag->getNumOccurrences() != 0)
    return;
  entry.flag->setValue(value.str());
  entry.isImplied = true;
}

llvm::Expected<GivenOptions> OptionFlags::collect(bool withImplied) const {
  GivenOptions given;
  for (const Entry &entry : entries)
    if (entry.spec->scope == OptionScope::Pipeline &&
        (entry.flag->getNumOccurrences() != 0 ||
         (withImplied && entry.isImplied)))
      given.set(entry.spec->name, entry.flag->getValue());
  if (!insertPasses.empty())
    given.set("insert-passes", llvm::join(insertPasses, ";"));
  if (llvm::Error error = given.checkTogether())
    return std::move(error);
  return given;
}

llvm::Expected<GivenOptions>
OptionFlags::getPipelineOptions(bool isCompiled) const {
  llvm::Expected<GivenOptions> given = collect(/*withImplied=*/false);
  if (!given)
    return given.takeError();
  for (const Entry &entry : entries)
    if (!isCompiled && entry.flag->getNumOccurrences() != 0 &&
        entry.flag->getValue() != entry.spec->defaultValue)
      if (llvm::Error error =
              checkOptionDevices(*entry.spec, given->get("target")))
        return std::move(error);
  return collect(/*withImplied=*/true);
}

llvm::Error OptionFlags::checkStages(Stage from, Stage to) const {
  llvm::Expected<GivenOptions> given = collect(/*withImplied=*/false);
  return given ? given->checkStages(from, to) : given.takeError();
}

llvm::Error OptionFlags::checkCompiled() const {
  // What loading a package reads, too.
  static constexpr llvm::StringLiteral kLoading[] = {"function", "num-threads",
                                                     "cuda-graphs", "device"};
  auto refuse = [](llvm::StringRef name) {
    return makeError("--" + name +
                     " has no meaning for a package, which is compiled "
                     "already");
  };
  for (const Entry &entry : entries)
    if (entry.flag->getNumOccurrences() != 0 &&
        !llvm::is_contained(kLoading, entry.spec->name))
      return refuse(entry.spec->name);
  if (!insertPasses.empty())
    return refuse(insertPasses.ArgStr);
  return llvm::Error::success();
}

llvm::Error OptionFlags::loadPluginFiles() const {
  for (const std::string &file : loadPlugins)
    if (llvm::Error error = loadPlugin(file))
      return error;
  return llvm::Error::success();
}
