//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `target` dialect: syntax and verifier of its attribute, and how passes
// find their target.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Target/IR/Target.h"

#include "coil/Dialect/Target/IR/TargetKind.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coil;
using namespace coil::target;

#include "coil/Dialect/Target/IR/TargetDialect.cpp.inc"

#include "coil/Dialect/Target/IR/TargetInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "coil/Dialect/Target/IR/TargetAttributes.cpp.inc"

void TargetDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "coil/Dialect/Target/IR/TargetAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static Attribute findEntry(DataLayoutEntryListRef entries, StringRef name) {
  for (DataLayoutEntryInterface entry : entries)
    if (auto key = dyn_cast<StringAttr>(entry.getKey()))
      if (key.getValue() == name)
        return entry.getValue();
  return {};
}

std::optional<int64_t> target::detail::findFact(DataLayoutEntryListRef entries,
                                                StringRef name) {
  if (auto value = dyn_cast_or_null<IntegerAttr>(findEntry(entries, name)))
    return value.getValue().getSExtValue();
  return std::nullopt;
}

bool target::detail::findFeature(DataLayoutEntryListRef entries,
                                 StringRef name) {
  auto list = dyn_cast_or_null<ArrayAttr>(findEntry(entries, kFeaturesEntry));
  return list && llvm::any_of(list, [&](Attribute each) {
           auto text = dyn_cast<StringAttr>(each);
           return text && text.getValue() == name;
         });
}

static SmallVector<DataLayoutEntryInterface>
makeEntries(MLIRContext *context, const ChipFacts &facts) {
  Builder b(context);
  SmallVector<DataLayoutEntryInterface> entries;
  for (const auto &[name, value] : facts.facts)
    entries.push_back(DataLayoutEntryAttr::get(b.getStringAttr(name),
                                               b.getI64IntegerAttr(value)));
  SmallVector<StringRef> features(facts.features.begin(), facts.features.end());
  entries.push_back(DataLayoutEntryAttr::get(b.getStringAttr(kFeaturesEntry),
                                             b.getStrArrayAttr(features)));
  return entries;
}

//===----------------------------------------------------------------------===//
// TargetAttrInterface
//===----------------------------------------------------------------------===//

FailureOr<int64_t> TargetAttrInterface::requireFact(Operation *op,
                                                    StringRef name) {
  if (std::optional<int64_t> fact = getFact(name))
    return *fact;
  SmallVector<StringRef> known;
  for (DataLayoutEntryInterface entry : getEntries())
    if (auto key = dyn_cast<StringAttr>(entry.getKey()))
      if (isa<IntegerAttr>(entry.getValue()))
        known.push_back(key.getValue());
  return op->emitError("the target ")
         << static_cast<Attribute>(*this) << " does not state the fact '"
         << name << "', but "
         << (known.empty() ? "none at all"
                           : "'" + llvm::join(known, "', '") + "'");
}

std::string TargetAttrInterface::describeFeatures() {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << static_cast<Attribute>(*this) << ", which has ";
  SmallVector<StringRef> names;
  if (auto list =
          dyn_cast_or_null<ArrayAttr>(findEntry(getEntries(), kFeaturesEntry)))
    for (auto each : list.getAsRange<StringAttr>())
      names.push_back(each.getValue());
  if (names.empty())
    os << "no features";
  else
    os << "the features '" << llvm::join(names, "', '") << "'";
  return text;
}

//===----------------------------------------------------------------------===//
// DeviceAttr
//===----------------------------------------------------------------------===//

StringRef DeviceAttr::getKind() const { return getName().split(':').first; }

StringRef DeviceAttr::getChips() const { return getName().split(':').second; }

FailureOr<Attribute> DeviceAttr::query(DataLayoutEntryKey key) const {
  return llvm::cast<TargetDeviceSpecInterface>(*this).queryHelper(key);
}

LogicalResult DeviceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name,
                                 ArrayRef<DataLayoutEntryInterface> entries) {
  llvm::Expected<TargetText> text = parseTarget(name);
  if (!text) // (C1), (C2)
    return emitError() << toString(text.takeError());
  if (!text->facts.empty())
    return emitError() << "facts of '" << name
                       << "' belong after the name, as in '\""
                       << text->getName() << "\", " << text->facts.front().first
                       << " = " << text->facts.front().second << "'";
  llvm::Expected<ChipFacts> known = describeTarget(*text);
  if (!known)
    return emitError() << toString(known.takeError());
  for (DataLayoutEntryInterface entry : entries) { // (C3)
    auto key = dyn_cast<StringAttr>(entry.getKey());
    if (key && key.getValue() == kFeaturesEntry)
      continue;
    if (!key || !known->getFact(key.getValue())) {
      SmallVector<StringRef> names;
      for (const auto &each : known->facts)
        names.push_back(each.first);
      InFlightDiagnostic diagnostic = emitError();
      diagnostic << "the target '" << name << "' does not state a fact '";
      if (key)
        diagnostic << key.getValue();
      else
        diagnostic << cast<Type>(entry.getKey());
      return diagnostic << "', but '" << llvm::join(names, "', '") << "'";
    }
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || !value.getType().isInteger(64) ||
        !value.getValue().isStrictlyPositive())
      return emitError() << "the fact '" << key.getValue() << "' is "
                         << entry.getValue()
                         << ", expected a positive number of 64 bits";
  }
  return success();
}

Attribute DeviceAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&name))
    return {};
  llvm::Expected<TargetText> text = parseTarget(name);
  if (!text) {
    parser.emitError(loc) << toString(text.takeError());
    return {};
  }
  llvm::Expected<ChipFacts> known = describeTarget(*text);
  if (!known) {
    parser.emitError(loc) << toString(known.takeError());
    return {};
  }
  SmallVector<DataLayoutEntryInterface> entries =
      makeEntries(parser.getContext(), *known);
  Builder &b = parser.getBuilder();
  while (succeeded(parser.parseOptionalComma())) {
    StringRef fact;
    int64_t value;
    if (parser.parseKeyword(&fact) || parser.parseEqual() ||
        parser.parseInteger(value))
      return {};
    auto key = b.getStringAttr(fact);
    auto entry = DataLayoutEntryAttr::get(key, b.getI64IntegerAttr(value));
    auto *found = llvm::find_if(entries, [&](DataLayoutEntryInterface each) {
      return each.getKey() == DataLayoutEntryKey(key);
    });
    // The verifier says what is wrong with a fact that is not known.
    if (found == entries.end())
      entries.push_back(entry);
    else
      *found = entry;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<DeviceAttr>(loc, parser.getContext(), name, entries);
}

void DeviceAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getName() << '"';
  llvm::Expected<TargetText> text = parseTarget(getName());
  ChipFacts known;
  if (text)
    if (llvm::Expected<ChipFacts> found = describeTarget(*text))
      known = std::move(*found);
    else
      consumeError(found.takeError());
  else
    consumeError(text.takeError());
  for (DataLayoutEntryInterface entry : getEntries()) {
    auto key = dyn_cast<StringAttr>(entry.getKey());
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (key && value && known.getFact(key.getValue()) != value.getInt())
      printer << ", " << key.getValue() << " = " << value.getInt();
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

llvm::Expected<TargetAttrInterface> target::makeTarget(MLIRContext *context,
                                                       StringRef text) {
  llvm::Expected<TargetText> parsed = parseTarget(text);
  if (!parsed)
    return parsed.takeError();
  llvm::Expected<ChipFacts> known = describeTarget(*parsed);
  if (!known)
    return known.takeError();
  return cast<TargetAttrInterface>(DeviceAttr::get(
      context, parsed->getName(), makeEntries(context, *known)));
}

/// The innermost specification around an operation. Upstream's modules have one
/// without implementing the interface of those that may.
static TargetSystemSpecInterface getSystem(Operation *op) {
  for (; op; op = op->getParentOp()) {
    TargetSystemSpecInterface system;
    if (auto module = dyn_cast<ModuleOp>(op))
      system = module.getTargetSystemSpec();
    else if (auto scope = dyn_cast<DataLayoutOpInterface>(op))
      system = scope.getTargetSystemSpec();
    if (system)
      return system;
  }
  return {};
}

/// What passes take where a module says nothing of a kind.
static TargetAttrInterface getDefault(MLIRContext *context, StringRef kind) {
  const TargetKind *known = lookupTargetKind(kind);
  if (!known)
    return {};
  TargetText text;
  text.kind = known;
  text.chips = known->defaultChips;
  llvm::Expected<TargetAttrInterface> made =
      target::makeTarget(context, text.str());
  if (made)
    return *made;
  // A processor that Coil has no code for, say; compiling for it reports that.
  consumeError(made.takeError());
  return {};
}

TargetAttrInterface target::getTarget(Operation *op, StringRef kind) {
  if (TargetSystemSpecInterface system = getSystem(op)) {
    auto key = StringAttr::get(op->getContext(), kind);
    if (auto spec = system.getDeviceSpecForDeviceID(key))
      if (auto found = dyn_cast<TargetAttrInterface>(*spec))
        return found;
  }
  return getDefault(op->getContext(), kind);
}

TargetAttrInterface target::getProgramTarget(Operation *op) {
  if (TargetSystemSpecInterface system = getSystem(op))
    for (DataLayoutEntryInterface entry : system.getEntries())
      if (auto found = dyn_cast<TargetAttrInterface>(entry.getValue()))
        return found;
  return getDefault(op->getContext(), getDefaultTargetKind());
}
