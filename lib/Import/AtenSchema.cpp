//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The table of operator schemas and the parser for its rows.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/AtenSchema.h"
#include "coil/Import/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace coil::import;

static constexpr AtenSchemaEntry schemas[] = {
#define COIL_ATEN_SCHEMA(name, signature, tags) {name, signature, tags},
#include "AtenSchemas.inc"
#undef COIL_ATEN_SCHEMA
};

ArrayRef<AtenSchemaEntry> coil::import::getAtenSchemas() { return schemas; }

const AtenSchemaEntry *coil::import::findAtenSchema(StringRef name) {
  const AtenSchemaEntry *it = llvm::lower_bound(
      schemas, name, [](const AtenSchemaEntry &entry, StringRef name) {
        return StringRef(entry.name) < name;
      });
  return it != std::end(schemas) && it->name == name ? it : nullptr;
}

bool OpSchema::isMutating() const {
  return any_of(arguments,
                [](const SchemaArgument &arg) { return arg.isMutated; });
}

const SchemaArgument *OpSchema::find(StringRef name) const {
  const SchemaArgument *it = llvm::find_if(
      arguments, [&](const SchemaArgument &arg) { return arg.name == name; });
  return it == arguments.end() ? nullptr : it;
}

namespace {

/// Parses `(type name=default, *, ...) -> type` or `-> (type name, ...)`.
class SchemaParser {
public:
  explicit SchemaParser(StringRef text) : text(text), rest(text) {}

  Expected<OpSchema> run() {
    OpSchema schema;
    if (parseSchema(schema) && rest.empty())
      return schema;
    return makeError("malformed schema " + quoted(text) + " at offset " +
                     Twine(text.size() - rest.size()));
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim(' ');
    return rest.consume_front(token);
  }
  StringRef word() {
    rest = rest.ltrim(' ');
    StringRef result =
        rest.take_while([](char c) { return isAlnum(c) || c == '_'; });
    rest = rest.drop_front(result.size());
    return result;
  }

  bool parseSchema(OpSchema &schema) {
    if (!consume("("))
      return false;
    bool keywordOnly = false;
    if (!consume(")")) {
      do {
        if (consume("*")) {
          keywordOnly = true;
          continue;
        }
        SchemaArgument &arg = schema.arguments.emplace_back();
        arg.isKeywordOnly = keywordOnly;
        if (!parseType(arg.type, arg.aliasSet, arg.isMutated))
          return false;
        arg.name = word();
        if (arg.name.empty())
          return false;
        if (consume("=") && !parseDefault(arg.type, arg.defaultValue.emplace()))
          return false;
      } while (consume(","));
      if (!consume(")"))
        return false;
    }
    if (!consume("->"))
      return false;
    if (!consume("(")) {
      return parseReturn(schema);
    }
    if (consume(")"))
      return true;
    do {
      if (!parseReturn(schema))
        return false;
    } while (consume(","));
    return consume(")");
  }

  bool parseReturn(OpSchema &schema) {
    SchemaReturn &result = schema.returns.emplace_back();
    bool isMutated = false;
    if (!parseType(result.type, result.aliasSet, isMutated))
      return false;
    (void)word(); // A name says nothing that the importer needs.
    return true;
  }

  bool parseType(SchemaType &type, StringRef &aliasSet, bool &isMutated) {
    using Base = SchemaType::Base;
    auto base = StringSwitch<std::optional<Base>>(word())
                    .Case("Tensor", Base::Tensor)
                    .Case("Scalar", Base::Scalar)
                    .Case("int", Base::Int)
                    .Case("SymInt", Base::SymInt)
                    .Case("float", Base::Float)
                    .Case("bool", Base::Bool)
                    .Case("str", Base::String)
                    .Case("ScalarType", Base::ScalarType)
                    .Case("Layout", Base::Layout)
                    .Case("Device", Base::Device)
                    .Case("MemoryFormat", Base::MemoryFormat)
                    .Case("Generator", Base::Generator)
                    .Case("complex", Base::Complex)
                    .Case("SymBool", Base::SymBool)
                    .Default(std::nullopt);
    if (!base)
      return false;
    type.base = *base;
    while (true) {
      if (rest.consume_front("(")) {
        // `(a)`, `(a!)`, `(a -> *)`, `(a|b)`.
        auto [alias, after] = rest.split(')');
        isMutated = alias.contains('!');
        aliasSet = alias.take_while([](char c) { return isAlnum(c); });
        rest = after;
      } else if (rest.consume_front("?")) {
        (rest.starts_with("[") ? type.hasOptionalElements : type.isOptional) =
            true;
      } else if (rest.consume_front("[")) {
        if (!rest.starts_with("]") && rest.consumeInteger(10, type.listSize))
          return false;
        if (!rest.consume_front("]"))
          return false;
        type.isList = true;
      } else {
        return true;
      }
    }
  }

  bool parseDefault(const SchemaType &type, SchemaDefault &value) {
    if (consume("None")) {
      value = std::monostate();
      return true;
    }
    if (consume("True")) {
      value = true;
      return true;
    }
    if (consume("False")) {
      value = false;
      return true;
    }
    if (consume("\"")) {
      std::string &result = value.emplace<std::string>();
      while (!rest.empty() && rest.front() != '"') {
        rest.consume_front("\\");
        if (rest.empty())
          return false;
        result += rest.front();
        rest = rest.drop_front();
      }
      return rest.consume_front("\"");
    }
    if (consume("[")) {
      auto &list = value.emplace<SmallVector<int64_t, 4>>();
      if (consume("]"))
        return true;
      do {
        rest = rest.ltrim(' ');
        if (rest.consumeInteger(10, list.emplace_back()))
          return false;
      } while (consume(","));
      return consume("]");
    }
    StringRef number = rest.take_while(
        [](char c) { return isAlnum(c) || c == '.' || c == '-' || c == '+'; });
    rest = rest.drop_front(number.size());
    int64_t integer = 0;
    if (type.base != SchemaType::Base::Float &&
        !number.getAsInteger(10, integer)) {
      value = integer;
      return true;
    }
    return !number.getAsDouble(value.emplace<double>());
  }

  StringRef text, rest;
};

} // namespace

Expected<OpSchema> coil::import::parseSchema(StringRef signature) {
  return SchemaParser(signature).run();
}
