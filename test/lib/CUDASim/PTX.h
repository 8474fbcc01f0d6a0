//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX text as a tree: variables, functions, statements and their operands.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_PTX_H
#define COIL_TEST_LIB_CUDASIM_PTX_H

#include "Types.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace coil::cudasim::ptx {

/// An operand of a statement.
struct Operand {
  enum class Kind : uint8_t {
    Name,    ///< register, variable, label or function, plus `value`
    Int,     ///< `value`
    F32,     ///< bits in `value`
    F64,     ///< bits in `value`
    Address, ///< [elements[0] + value], or [elements...] of a tensor access
    Vector,  ///< {elements...}
    List     ///< (elements...)
  };
  Kind kind = Kind::Int;
  bool negated = false; ///< !name
  std::string_view name;
  std::string_view second; ///< q of p|q
  int64_t value = 0;
  std::vector<Operand> elements;
};

/// A place in the source that `.loc` names; file 0 is none.
struct Place {
  uint32_t file = 0, line = 0, column = 0;
};

struct Statement {
  uint32_t line = 0;
  Place place;
  uint32_t scope = 0;
  std::string_view op;                 ///< the whole dotted name
  std::vector<std::string_view> parts; ///< its parts
  std::string_view guard;
  bool guardNot = false;
  std::vector<Operand> operands;
};

enum class Space : uint8_t { Generic, Global, Shared, Local, Const, Param };

struct Variable {
  std::string_view name;
  Space space = Space::Global;
  Ty type = Ty::B8;
  uint32_t align = 1;
  uint64_t size = 0; ///< in bytes; 0 for extern arrays of unknown length
  bool isExtern = false;
  uint32_t line = 0;
  std::vector<uint8_t> init;
  struct Relocation {
    uint64_t offset;
    std::string_view symbol;
    int64_t addend;
    bool generic;
    uint8_t width; ///< bytes of the address that are stored
    uint8_t shift; ///< which byte of the address, for mask() initialisers
  };
  std::vector<Relocation> relocations;
};

struct Scope {
  uint32_t parent = 0; ///< scope 0 is its own parent
  std::unordered_map<std::string_view, Ty> registers;
  /// prefix -> (type, count), for `.reg .b32 %r<10>`
  std::unordered_map<std::string_view, std::pair<Ty, uint32_t>> ranges;
  std::unordered_map<std::string_view, Variable> variables;
  std::unordered_map<std::string_view, uint32_t> labels; ///< statement index
  std::unordered_map<std::string_view, std::vector<std::string_view>> targets;
};

struct Function {
  std::string_view name;
  bool isEntry = false, isDeclaration = false;
  uint32_t line = 0;
  std::vector<Variable> params, results;
  uint32_t maxntid[3] = {0, 0, 0};
  uint32_t reqntid[3] = {0, 0, 0};
  uint32_t cluster[3] = {0, 0, 0};
  uint32_t maxRegisters = 0;
  std::vector<Scope> scopes;
  std::vector<Statement> statements;
};

struct Module {
  std::string text;     ///< owns what every string_view points into
  unsigned version = 0; ///< 86 for 8.6
  std::string_view target;
  std::vector<Variable> variables;
  std::vector<std::unique_ptr<Function>> functions;
  std::map<uint32_t, std::string_view> files;

  /// The text of a line, without the blanks around it.
  std::string_view lineText(uint32_t line) const;
};

/// Parses `text`. Null and a message "line N: ..." if it is malformed.
std::unique_ptr<Module> parse(std::string_view text, std::string &error);

} // namespace coil::cudasim::ptx

#endif // COIL_TEST_LIB_CUDASIM_PTX_H
