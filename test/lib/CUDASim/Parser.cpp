//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses PTX text.
//
//===----------------------------------------------------------------------===//

#include "PTX.h"

#include <cstdlib>
#include <cstring>

using namespace coil::cudasim;
using namespace coil::cudasim::ptx;

std::string_view Module::lineText(uint32_t line) const {
  size_t begin = 0;
  for (uint32_t i = 1; i < line; ++i) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos)
      return {};
    ++begin;
  }
  size_t end = text.find('\n', begin);
  std::string_view all(text);
  std::string_view result =
      all.substr(begin, end == std::string::npos ? end : end - begin);
  size_t first = result.find_first_not_of(" \t\r");
  if (first == std::string_view::npos)
    return {};
  return result.substr(first, result.find_last_not_of(" \t\r") - first + 1);
}

namespace {

enum class Token : uint8_t { End, Name, Directive, Number, String, Punct };

class Parser {
public:
  Parser(Module &module, std::string &error)
      : module(module), error(error), at(module.text.data()),
        end(at + module.text.size()) {
    next();
  }

  bool run();

private:
  Module &module;
  std::string &error;
  const char *at, *end;
  uint32_t line = 1;
  bool failed = false;

  Token token = Token::End;
  std::string_view text;
  uint32_t tokenLine = 1;

  bool fail(const std::string &message) {
    if (!failed)
      error = "line " + std::to_string(tokenLine) + ": " + message;
    failed = true;
    token = Token::End;
    at = end;
    return false;
  }
  bool failAtToken(const char *expected) {
    return fail(std::string("expected ") + expected + " before '" +
                std::string(text) + "'");
  }

  void skipBlank();
  void next();
  bool is(char c) const { return token == Token::Punct && text[0] == c; }
  bool is(std::string_view s) const {
    return (token == Token::Name || token == Token::Directive) && text == s;
  }
  bool accept(char c) {
    if (!is(c))
      return false;
    next();
    return true;
  }
  bool expect(char c) {
    if (accept(c))
      return true;
    char quoted[] = {'\'', c, '\'', 0};
    return failAtToken(quoted);
  }
  bool integer(int64_t &value);
  bool number(Operand &operand, bool negative);

  bool topLevel();
  bool function(bool isEntry, bool isExtern);
  bool parameters(std::vector<Variable> &into);
  bool performance(Function &f);
  bool dimensions(uint32_t (&into)[3]);
  bool body(Function &f);
  bool variables(Space space, bool isExtern, std::vector<Variable> &into);
  bool initializer(Variable &v);
  bool initializerValue(Variable &v);
  bool registers(Scope &scope);
  bool statement(Function &f, uint32_t scope, Place place);
  bool operand(Operand &o);
  bool operands(std::vector<Operand> &into, char close);
  bool skipSection();
};

bool isNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}
bool isDigit(char c) { return c >= '0' && c <= '9'; }

void Parser::skipBlank() {
  while (at < end) {
    if (*at == '\n') {
      ++line;
      ++at;
    } else if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\0') {
      ++at;
    } else if (*at == '/' && at + 1 < end && at[1] == '/') {
      while (at < end && *at != '\n')
        ++at;
    } else if (*at == '/' && at + 1 < end && at[1] == '*') {
      at += 2;
      while (at + 1 < end && !(at[0] == '*' && at[1] == '/')) {
        line += *at == '\n';
        ++at;
      }
      at = at + 2 > end ? end : at + 2;
    } else {
      break;
    }
  }
}

void Parser::next() {
  if (failed)
    return;
  skipBlank();
  tokenLine = line;
  if (at == end) {
    token = Token::End;
    text = "end of text";
    return;
  }
  const char *begin = at;
  if (*at == '"') {
    ++at;
    while (at < end && *at != '"' && *at != '\n')
      ++at;
    text = std::string_view(begin + 1, at - begin - 1);
    if (at < end)
      ++at;
    token = Token::String;
    return;
  }
  if (isDigit(*at)) {
    // 0x1F, 0f3F800000, 12U, 1.5, 1e-3
    ++at;
    while (at < end && (isNameChar(*at) || *at == '.'))
      ++at;
    token = Token::Number;
  } else if (*at == '.' && at + 1 < end && isNameChar(at[1])) {
    ++at;
    while (at < end && isNameChar(*at))
      ++at;
    token = Token::Directive;
  } else if (isNameChar(*at)) {
    // A name; an instruction or %tid.x continues over dots and '::'.
    while (
        at < end &&
        (isNameChar(*at) || (*at == '.' && at + 1 < end && isNameChar(at[1])) ||
         (*at == ':' && at + 2 < end && at[1] == ':' && isNameChar(at[2])))) {
      at += *at == ':' ? 2 : 1;
    }
    token = Token::Name;
  } else {
    ++at;
    token = Token::Punct;
  }
  text = std::string_view(begin, at - begin);
}

bool Parser::integer(int64_t &value) {
  bool negative = accept('-');
  if (token != Token::Number)
    return failAtToken("a number");
  Operand o;
  if (!number(o, negative))
    return false;
  value = o.value;
  return o.kind == Operand::Kind::Int || failAtToken("an integer");
}

/// The current token is the number.
bool Parser::number(Operand &o, bool negative) {
  std::string digits(text);
  if (digits.size() > 1 && digits[0] == '0' &&
      (digits[1] == 'f' || digits[1] == 'F') && digits.size() == 10) {
    o.kind = Operand::Kind::F32;
    o.value = static_cast<int64_t>(strtoull(digits.c_str() + 2, nullptr, 16));
    if (negative)
      o.value ^= 0x80000000;
  } else if (digits.size() > 1 && digits[0] == '0' &&
             (digits[1] == 'd' || digits[1] == 'D') && digits.size() == 18) {
    o.kind = Operand::Kind::F64;
    o.value = static_cast<int64_t>(strtoull(digits.c_str() + 2, nullptr, 16));
    if (negative)
      o.value =
          static_cast<int64_t>(static_cast<uint64_t>(o.value) ^ 1ull << 63);
  } else if (digits.find('.') != std::string::npos ||
             (digits.find_first_of("eE") != std::string::npos &&
              digits.find_first_of("xX") == std::string::npos)) {
    double d = strtod(digits.c_str(), nullptr);
    if (negative)
      d = -d;
    o.kind = Operand::Kind::F64;
    memcpy(&o.value, &d, 8);
  } else {
    const char *begin = digits.c_str();
    int base = 0;
    if (digits.size() > 1 && digits[0] == '0' &&
        (digits[1] == 'b' || digits[1] == 'B')) {
      begin += 2;
      base = 2;
    }
    char *stop = nullptr;
    o.kind = Operand::Kind::Int;
    o.value = static_cast<int64_t>(strtoull(begin, &stop, base));
    if (*stop == 'U')
      ++stop;
    if (*stop)
      return fail("malformed number '" + digits + "'");
    if (negative)
      o.value = static_cast<int64_t>(0 - static_cast<uint64_t>(o.value));
  }
  next();
  return !failed;
}

bool Parser::run() {
  while (token != Token::End && !failed)
    topLevel();
  return !failed;
}

bool Parser::skipSection() {
  while (token != Token::End && !is('{'))
    next();
  // The text of a section is not PTX.
  int depth = 1;
  while (at < end && depth) {
    if (*at == '\n')
      ++line;
    depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
    ++at;
  }
  next();
  return true;
}

bool Parser::topLevel() {
  if (accept(';'))
    return true;
  if (token != Token::Directive)
    return failAtToken("a directive");
  if (is(".version")) {
    next();
    size_t dot = text.find('.');
    if (token != Token::Number || dot == std::string_view::npos)
      return failAtToken("a version");
    module.version = atoi(std::string(text.substr(0, dot)).c_str()) * 10 +
                     atoi(std::string(text.substr(dot + 1)).c_str());
    next();
    return true;
  }
  if (is(".target")) {
    next();
    module.target = text;
    next();
    while (accept(','))
      next();
    return true;
  }
  if (is(".address_size")) {
    next();
    int64_t bits;
    if (!integer(bits))
      return false;
    return bits == 64 || fail("only 64-bit addresses are supported");
  }
  if (is(".file")) {
    next();
    int64_t index;
    if (!integer(index))
      return false;
    module.files[static_cast<uint32_t>(index)] = text;
    next();
    while (accept(','))
      next();
    return true;
  }
  if (is(".section"))
    return skipSection();
  if (is(".pragma") || is(".alias")) {
    while (token != Token::End && !is(';'))
      next();
    return expect(';');
  }
  bool isExtern = false;
  while (is(".visible") || is(".extern") || is(".weak") || is(".common")) {
    isExtern |= is(".extern");
    next();
  }
  if (is(".entry") || is(".func")) {
    bool entry = is(".entry");
    next();
    return function(entry, isExtern);
  }
  Space space;
  if (is(".global"))
    space = Space::Global;
  else if (is(".const"))
    space = Space::Const;
  else if (is(".shared"))
    space = Space::Shared;
  else
    return fail("unknown directive '" + std::string(text) + "'");
  next();
  return variables(space, isExtern, module.variables) && expect(';');
}

/// After the space: [.align n] .type name[dims] [= init] {, name...}
bool Parser::variables(Space space, bool isExtern,
                       std::vector<Variable> &into) {
  Variable proto;
  proto.space = space;
  proto.isExtern = isExtern;
  unsigned vector = 1;
  bool typed = false, aligned = false;
  while (token == Token::Directive) {
    if (is(".align")) {
      next();
      int64_t a;
      if (!integer(a))
        return false;
      if (a <= 0 || (a & (a - 1)))
        return fail("the alignment is no power of two");
      proto.align = static_cast<uint32_t>(a);
      aligned = true;
      continue;
    }
    if (is(".v2"))
      vector = 2;
    else if (is(".v4"))
      vector = 4;
    else if (is(".ptr") || is(".global") || is(".shared") || is(".const") ||
             is(".local") || is(".generic")) {
      // What a pointer parameter points to; its .align is not the parameter's.
      next();
      while (token == Token::Directive) {
        bool isAlign = is(".align");
        next();
        int64_t ignored;
        if (isAlign && !integer(ignored))
          return false;
      }
      continue;
    } else {
      Ty type = parseType(text.substr(1));
      if (type == Ty::None)
        return fail("unknown type '" + std::string(text) + "'");
      proto.type = type;
      typed = true;
    }
    next();
  }
  if (!typed)
    return failAtToken("a type");
  uint64_t element = uint64_t(widthOf(proto.type)) * vector;
  if (!aligned)
    proto.align = static_cast<uint32_t>(element ? element : 1);
  do {
    Variable v = proto;
    v.line = tokenLine;
    v.name = text;
    if (token != Token::Name)
      return failAtToken("a name");
    next();
    v.size = element;
    while (accept('[')) {
      int64_t n = 0;
      if (!is(']') && !integer(n))
        return false;
      v.size *= static_cast<uint64_t>(n);
      if (!expect(']'))
        return false;
    }
    if (accept('=') && !initializer(v))
      return false;
    into.push_back(std::move(v));
  } while (space != Space::Param && accept(','));
  return true;
}

bool Parser::initializer(Variable &v) {
  if (accept('{')) {
    if (accept('}'))
      return true;
    do {
      if (is('{') ? !initializer(v) : !initializerValue(v))
        return false;
    } while (accept(','));
    if (!expect('}'))
      return false;
  } else if (!initializerValue(v)) {
    return false;
  }
  return v.init.size() <= v.size || fail("too many initial values");
}

bool Parser::initializerValue(Variable &v) {
  unsigned width = widthOf(v.type);
  uint64_t bits = 0;
  if (token == Token::Name) {
    // symbol, symbol+4, generic(symbol)
    Variable::Relocation r = {
        v.init.size(), text, 0, false, static_cast<uint8_t>(width), 0};
    if (text == "generic") {
      next();
      if (!expect('('))
        return false;
      r.generic = true;
      r.symbol = text;
      next();
      if (!expect(')'))
        return false;
    } else {
      next();
    }
    if (accept('+') && !integer(r.addend))
      return false;
    v.relocations.push_back(r);
  } else {
    bool negative = accept('-');
    Operand o;
    if (token != Token::Number)
      return failAtToken("an initial value");
    if (!number(o, negative))
      return false;
    bits = static_cast<uint64_t>(o.value);
    if (is('(')) {
      // 0xFF00(symbol): the byte of the address under the mask.
      next();
      Variable::Relocation r = {
          v.init.size(), text, 0, false, static_cast<uint8_t>(width), 0};
      while (r.shift < 7 && !(bits & 0xFF)) {
        bits >>= 8;
        ++r.shift;
      }
      if (text == "generic") {
        next();
        if (!expect('('))
          return false;
        r.generic = true;
        r.symbol = text;
        next();
        if (!expect(')'))
          return false;
      } else {
        next();
      }
      if (accept('+') && !integer(r.addend))
        return false;
      if (!expect(')'))
        return false;
      v.relocations.push_back(r);
      bits = 0;
    } else if (v.type == Ty::F32 && o.kind == Operand::Kind::F64) {
      double d;
      memcpy(&d, &bits, 8);
      float f = static_cast<float>(d);
      bits = 0;
      memcpy(&bits, &f, 4);
    }
  }
  for (unsigned i = 0; i < width; ++i)
    v.init.push_back(static_cast<uint8_t>(bits >> (8 * i)));
  return true;
}

bool Parser::parameters(std::vector<Variable> &into) {
  if (!expect('('))
    return false;
  if (accept(')'))
    return true;
  do {
    if (!is(".param") && !is(".reg"))
      return failAtToken("'.param'");
    if (is(".reg"))
      return fail("register parameters are not supported");
    next();
    if (!variables(Space::Param, false, into))
      return false;
  } while (accept(','));
  return expect(')');
}

bool Parser::dimensions(uint32_t (&into)[3]) {
  next();
  for (unsigned i = 0; i < 3; ++i)
    into[i] = 1;
  for (unsigned i = 0; i < 3; ++i) {
    int64_t n;
    if (!integer(n))
      return false;
    into[i] = static_cast<uint32_t>(n);
    if (!accept(','))
      break;
  }
  return true;
}

bool Parser::performance(Function &f) {
  uint32_t ignored[3];
  while (token == Token::Directive) {
    if (is(".maxntid")             ? !dimensions(f.maxntid)
        : is(".reqntid")           ? !dimensions(f.reqntid)
        : is(".reqnctapercluster") ? !dimensions(f.cluster)
        : is(".minnctapersm") || is(".maxnctapersm") || is(".maxclusterrank")
            ? !dimensions(ignored)
        : is(".maxnreg") ? !dimensions(ignored)
                         : false)
      return false;
    if (is(".noreturn") || is(".explicitcluster") || is(".blocksareclusters")) {
      next();
    } else if (is(".pragma")) {
      next();
      next();
      if (!expect(';'))
        return false;
    } else if (token == Token::Directive && !is(".maxntid") &&
               !is(".reqntid") && !is(".reqnctapercluster") &&
               !is(".minnctapersm") && !is(".maxnctapersm") &&
               !is(".maxclusterrank") && !is(".maxnreg")) {
      return fail("unknown directive '" + std::string(text) + "'");
    }
  }
  return true;
}

bool Parser::function(bool isEntry, bool isExtern) {
  auto f = std::make_unique<Function>();
  f->isEntry = isEntry;
  f->line = tokenLine;
  if (!isEntry && is('(') && !parameters(f->results))
    return false;
  if (token != Token::Name)
    return failAtToken("a function name");
  f->name = text;
  next();
  if (is('(') && !parameters(f->params))
    return false;
  if (!performance(*f))
    return false;
  if (is('{')) {
    if (!body(*f))
      return false;
  } else {
    f->isDeclaration = true;
    (void)isExtern;
    if (!expect(';'))
      return false;
  }
  module.functions.push_back(std::move(f));
  return true;
}

/// After ".reg": .type a, b, %r<10>;
bool Parser::registers(Scope &scope) {
  if (token != Token::Directive)
    return failAtToken("a type");
  Ty type = parseType(text.substr(1));
  if (type == Ty::None)
    return fail("unknown type '" + std::string(text) + "'");
  next();
  do {
    if (token != Token::Name)
      return failAtToken("a register name");
    std::string_view name = text;
    next();
    if (accept('<')) {
      int64_t n;
      if (!integer(n) || !expect('>'))
        return false;
      scope.ranges[name] = {type, static_cast<uint32_t>(n)};
    } else {
      scope.registers[name] = type;
    }
  } while (accept(','));
  return expect(';');
}

bool Parser::body(Function &f) {
  expect('{');
  f.scopes.emplace_back();
  std::vector<uint32_t> stack = {0};
  Place place;
  while (!failed) {
    if (token == Token::End)
      return fail("unexpected end of text in a function body");
    if (accept(';'))
      continue;
    if (accept('{')) {
      f.scopes.emplace_back();
      f.scopes.back().parent = stack.back();
      stack.push_back(static_cast<uint32_t>(f.scopes.size() - 1));
      continue;
    }
    if (is('}')) {
      stack.pop_back();
      if (stack.empty())
        break;
      next();
      continue;
    }
    Scope &scope = f.scopes[stack.back()];
    if (token == Token::Directive) {
      std::string_view directive = text;
      next();
      if (directive == ".reg") {
        registers(scope);
      } else if (directive == ".loc") {
        int64_t v[3];
        for (int64_t &x : v)
          if (!integer(x))
            return false;
        place = {static_cast<uint32_t>(v[0]), static_cast<uint32_t>(v[1]),
                 static_cast<uint32_t>(v[2])};
        while (accept(',')) { // function_name label+n, inlined_at f l c
          while (token == Token::Name || token == Token::Number || is('+'))
            next();
        }
      } else if (directive == ".shared" || directive == ".local" ||
                 directive == ".param" || directive == ".const" ||
                 directive == ".global") {
        std::vector<Variable> list;
        Space space = directive == ".shared"  ? Space::Shared
                      : directive == ".local" ? Space::Local
                      : directive == ".param" ? Space::Param
                      : directive == ".const" ? Space::Const
                                              : Space::Global;
        if (!variables(space, false, list) || !expect(';'))
          return false;
        for (Variable &v : list)
          scope.variables[v.name] = std::move(v);
      } else if (directive == ".pragma" || directive == ".branchtargets" ||
                 directive == ".callprototype") {
        while (token != Token::End && !is(';'))
          next();
        expect(';');
      } else {
        return fail("unknown directive '" + std::string(directive) + "'");
      }
      continue;
    }
    statement(f, stack.back(), place);
  }
  next();
  return !failed;
}

bool Parser::statement(Function &f, uint32_t scope, Place place) {
  Statement s;
  s.scope = scope;
  s.place = place;
  if (accept('@')) {
    s.guardNot = accept('!');
    if (token != Token::Name)
      return failAtToken("a predicate");
    s.guard = text;
    next();
  }
  if (token != Token::Name)
    return failAtToken("an instruction");
  s.line = tokenLine;
  s.op = text;
  next();
  if (s.guard.empty() && accept(':')) {
    Scope &sc = f.scopes[scope];
    if (is(".branchtargets")) {
      next();
      auto &list = sc.targets[s.op];
      do {
        list.push_back(text);
        next();
      } while (accept(','));
      return expect(';');
    }
    if (is(".callprototype")) {
      while (token != Token::End && !is(';'))
        next();
      return expect(';');
    }
    if (!sc.labels.emplace(s.op, f.statements.size()).second)
      return fail("label '" + std::string(s.op) + "' is defined twice");
    return true;
  }
  for (size_t i = 0; i <= s.op.size();) {
    size_t dot = s.op.find('.', i);
    if (dot == std::string_view::npos)
      dot = s.op.size();
    s.parts.push_back(s.op.substr(i, dot - i));
    i = dot + 1;
  }
  if (!operands(s.operands, ';'))
    return false;
  f.statements.push_back(std::move(s));
  return true;
}

bool Parser::operands(std::vector<Operand> &into, char close) {
  if (accept(close))
    return true;
  do {
    into.emplace_back();
    if (!operand(into.back()))
      return false;
  } while (accept(','));
  return expect(close);
}

bool Parser::operand(Operand &o) {
  if (accept('[')) {
    o.kind = Operand::Kind::Address;
    if (!operands(o.elements, ']'))
      return false;
    if (o.elements.empty())
      return fail("an empty address");
    return true;
  }
  if (accept('{')) {
    o.kind = Operand::Kind::Vector;
    return operands(o.elements, '}');
  }
  if (accept('(')) {
    o.kind = Operand::Kind::List;
    return operands(o.elements, ')');
  }
  if (accept('!'))
    o.negated = true;
  if (token == Token::Number || is('-')) {
    bool negative = accept('-');
    if (token != Token::Number)
      return failAtToken("a number");
    return number(o, negative);
  }
  if (token != Token::Name)
    return failAtToken("an operand");
  o.kind = Operand::Kind::Name;
  o.name = text;
  next();
  if (accept('|')) {
    o.second = text;
    next();
  } else if (accept('+')) {
    return integer(o.value);
  } else if (is('-')) {
    return integer(o.value);
  }
  return !failed;
}

} // namespace

std::unique_ptr<Module> ptx::parse(std::string_view text, std::string &error) {
  auto module = std::make_unique<Module>();
  module->text = text;
  Parser parser(*module, error);
  return parser.run() ? std::move(module) : nullptr;
}
