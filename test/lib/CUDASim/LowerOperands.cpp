//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers the parts of a statement: modifiers, registers, constants, variables
// and addresses.
//
//===----------------------------------------------------------------------===//

#include "Lower.h"

#include <algorithm>
#include <cstring>

using namespace coil::cudasim;
using namespace coil::cudasim::ptx;

//===----------------------------------------------------------------------===//
// The name of the statement in hand
//===----------------------------------------------------------------------===//

bool Lowering::fail(const std::string &message) {
  if (error.empty()) {
    error = "line " + std::to_string(s ? s->line : 0) + ": " + message;
    if (s)
      error += ": '" + std::string(module.lineText(s->line)) + "'";
  }
  return false;
}

bool Lowering::take(std::string_view part) {
  for (size_t i = 1; i < s->parts.size(); ++i) {
    if (!(used >> i & 1) && s->parts[i] == part) {
      used |= 1ull << i;
      return true;
    }
  }
  return false;
}

std::string_view
Lowering::takeOneOf(std::initializer_list<std::string_view> list) {
  for (std::string_view part : list)
    if (take(part))
      return part;
  return {};
}

Ty Lowering::takeType() {
  for (size_t i = 1; i < s->parts.size(); ++i) {
    Ty type = parseType(s->parts[i]);
    if (!(used >> i & 1) && type != Ty::None) {
      used |= 1ull << i;
      return type;
    }
  }
  fail("the instruction lacks a type");
  return Ty::None;
}

bool Lowering::operands(size_t n) { return operands(n, n); }
bool Lowering::operands(size_t least, size_t most) {
  if (s->operands.size() >= least && s->operands.size() <= most)
    return true;
  return fail("wrong number of operands");
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

uint32_t Lowering::lookup(std::string_view name, Ty &type) {
  std::vector<std::unordered_map<std::string_view, uint32_t>> &ids =
      states[current].registers;
  if (ids.empty())
    ids.resize(current->scopes.size());
  size_t digits = name.size();
  while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  uint64_t number = 0;
  for (size_t i = digits; i < name.size() && number < UINT32_MAX; ++i)
    number = number * 10 + static_cast<uint64_t>(name[i] - '0');
  for (uint32_t scope = s->scope;; scope = current->scopes[scope].parent) {
    const Scope &sc = current->scopes[scope];
    Ty found = Ty::None;
    if (auto it = sc.registers.find(name); it != sc.registers.end()) {
      found = it->second;
    } else if (digits < name.size()) {
      auto range = sc.ranges.find(name.substr(0, digits));
      if (range != sc.ranges.end() && number < range->second.second)
        found = range->second.first;
    }
    if (found != Ty::None) {
      type = found;
      auto [it, isNew] =
          ids[scope].emplace(name, static_cast<uint32_t>(registers.size()));
      if (isNew) {
        Register r;
        r.width = static_cast<uint8_t>(std::max(widthOf(found), 2u));
        if (found == Ty::Pred)
          r.width = 0;
        registers.push_back(r);
      }
      return it->second;
    }
    if (scope == 0)
      return None;
  }
}

Ty Lowering::registerType(std::string_view name) {
  Ty type = Ty::None;
  lookup(name, type);
  return type;
}

uint32_t Lowering::special(std::string_view name, unsigned &width) {
  static const std::unordered_map<std::string_view, unsigned> known = {
      {"%tid.x", 4},
      {"%tid.y", 4},
      {"%tid.z", 4},
      {"%ntid.x", 4},
      {"%ntid.y", 4},
      {"%ntid.z", 4},
      {"%ctaid.x", 4},
      {"%ctaid.y", 4},
      {"%ctaid.z", 4},
      {"%nctaid.x", 4},
      {"%nctaid.y", 4},
      {"%nctaid.z", 4},
      {"%laneid", 4},
      {"%warpid", 4},
      {"%nwarpid", 4},
      {"%smid", 4},
      {"%nsmid", 4},
      {"%gridid", 8},
      {"%lanemask_eq", 4},
      {"%lanemask_lt", 4},
      {"%lanemask_le", 4},
      {"%lanemask_gt", 4},
      {"%lanemask_ge", 4},
      {"%dynamic_smem_size", 4},
      {"%total_smem_size", 4},
      {"%cluster_ctarank", 4},
      {"%cluster_nctarank", 4},
      {"%cluster_ctaid.x", 4},
      {"%cluster_ctaid.y", 4},
      {"%cluster_ctaid.z", 4},
      {"%cluster_nctaid.x", 4},
      {"%cluster_nctaid.y", 4},
      {"%cluster_nctaid.z", 4},
      {"%clusterid.x", 4},
      {"%clusterid.y", 4},
      {"%clusterid.z", 4},
      {"%nclusterid.x", 4},
      {"%nclusterid.y", 4},
      {"%nclusterid.z", 4},
      {"%is_explicit_cluster", 0},
      {"%clock", 4},
      {"%clock64", 8},
      {"%globaltimer", 8}};
  auto it = known.find(name);
  if (it == known.end())
    return None;
  width = it->second;
  auto [place, isNew] = specials.try_emplace(
      name, static_cast<uint32_t>(registers.size()), width);
  if (isNew) {
    Register r;
    r.width = static_cast<uint8_t>(width);
    r.fixed = true;
    r.index = static_cast<uint32_t>(code.specials.size());
    registers.push_back(r);
    code.specials.push_back(
        {0, static_cast<uint8_t>(width), std::string(name)});
  }
  return place->second.first;
}

uint32_t Lowering::constant(unsigned width, uint64_t bits) {
  if (width < 8 && width)
    bits &= (1ull << (8 * width)) - 1;
  auto [it, isNew] =
      constants[width].emplace(bits, static_cast<uint32_t>(registers.size()));
  if (isNew) {
    Register r;
    r.width = static_cast<uint8_t>(width);
    r.fixed = true;
    r.index = static_cast<uint32_t>(code.constants.size());
    registers.push_back(r);
    code.constants.push_back({0, static_cast<uint8_t>(width), bits});
  }
  return it->second;
}

uint32_t Lowering::carry(bool in, bool out) {
  FunctionState &state = states[current];
  if (state.carry == None) {
    state.carry = static_cast<uint32_t>(registers.size());
    registers.emplace_back();
  }
  if (in)
    now.reads.push_back(state.carry);
  if (out)
    now.writes.push_back(state.carry);
  return state.carry;
}

uint32_t Lowering::temporary(unsigned width) {
  Register r;
  r.width = static_cast<uint8_t>(width);
  registers.push_back(r);
  uint32_t id = static_cast<uint32_t>(registers.size() - 1);
  now.writes.push_back(id);
  return id;
}

const Variable *Lowering::findVariable(std::string_view name, uint64_t &address,
                                       Space &space) {
  const Variable *found = nullptr;
  for (uint32_t scope = s->scope; !found;
       scope = current->scopes[scope].parent) {
    const Scope &sc = current->scopes[scope];
    if (auto it = sc.variables.find(name); it != sc.variables.end())
      found = &it->second;
    if (scope == 0)
      break;
  }
  for (const Variable &v : current->params)
    if (!found && v.name == name)
      found = &v;
  for (const Variable &v : current->results)
    if (!found && v.name == name)
      found = &v;
  for (const Variable &v : module.variables)
    if (!found && v.name == name)
      found = &v;
  if (!found)
    return nullptr;
  space = found->space;
  if (auto it = offsets.find(found); it != offsets.end()) {
    address = it->second;
  } else if (auto at = layout.addresses.find(name);
             at != layout.addresses.end()) {
    address = at->second;
  } else {
    return nullptr;
  }
  // The parameters of functions, and of calls, lie in local memory.
  if (space == Space::Param) {
    bool isKernels = false;
    if (current->isEntry)
      for (const Variable &v : current->params)
        isKernels |= &v == found;
    if (!isKernels)
      space = Space::Local;
  }
  return found;
}

uint32_t Lowering::src(const Operand &o, unsigned width) {
  switch (o.kind) {
  case Operand::Kind::Int:
    return constant(width, static_cast<uint64_t>(o.value));
  case Operand::Kind::F32:
    if (width != 4) {
      fail("a 32-bit constant for an operand of another size");
      return None;
    }
    return constant(4, static_cast<uint64_t>(o.value));
  case Operand::Kind::F64: {
    double d;
    memcpy(&d, &o.value, 8);
    if (width == 8)
      return constant(8, static_cast<uint64_t>(o.value));
    if (width == 4) {
      float f = static_cast<float>(d);
      uint32_t bits;
      memcpy(&bits, &f, 4);
      return constant(4, bits);
    }
    fail("a floating-point constant for an operand of another size");
    return None;
  }
  case Operand::Kind::Name: {
    Ty type;
    uint32_t id = lookup(o.name, type);
    unsigned actual = type == Ty::Pred ? 0 : std::max(widthOf(type), 2u);
    if (id == None && o.name == "WARP_SZ")
      return constant(width, Lanes);
    if (id == None) {
      id = special(o.name, actual);
      // %tid may be read as 16 bits of its 32.
      if (id != None && width == 2 && actual == 4)
        actual = 2;
    }
    if (id != None) {
      if (o.value) {
        fail("a register plus a number is no operand");
        return None;
      }
      if (actual != std::max(width, 2u)) {
        fail("'" + std::string(o.name) + "' has " + std::to_string(8 * actual) +
             " bits, the instruction takes " + std::to_string(8 * width));
        return None;
      }
      now.reads.push_back(id);
      return id;
    }
    uint64_t at;
    Space space;
    if (findVariable(o.name, at, space))
      return constant(width, at + static_cast<uint64_t>(o.value));
    fail("unknown name '" + std::string(o.name) + "'");
    return None;
  }
  default:
    fail("an operand of the wrong kind");
    return None;
  }
}

uint32_t Lowering::src(const Operand &o, Ty type) {
  return type == Ty::Pred ? predSrc(o) : src(o, widthOf(type));
}

uint32_t Lowering::wideSrc(const Operand &o, unsigned least, unsigned &width) {
  width = least;
  if (o.kind == Operand::Kind::Name) {
    Ty type = registerType(o.name);
    if (type != Ty::None) {
      width = std::max(widthOf(type), 2u);
      if (width < least) {
        fail("'" + std::string(o.name) + "' is too small");
        return None;
      }
    } else if (least <= 4 && o.name[0] == '%') {
      width = 4;
    }
  }
  width = std::max(width, 2u);
  return src(o, width);
}

uint32_t Lowering::wideDst(const Operand &o, unsigned least, unsigned &width) {
  width = std::max(least, 2u);
  if (o.kind == Operand::Kind::Name && o.name != "_") {
    Ty type = registerType(o.name);
    if (type != Ty::None && type != Ty::Pred)
      width = std::max(widthOf(type), 2u);
    if (width < least) {
      fail("'" + std::string(o.name) + "' is too small");
      return None;
    }
  }
  return dst(o, width);
}

uint32_t Lowering::dst(const Operand &o, unsigned width) {
  if (o.kind != Operand::Kind::Name || o.value || o.negated) {
    fail("the destination is no register");
    return None;
  }
  if (o.name == "_")
    return temporary(std::max(width, 2u));
  Ty type;
  uint32_t id = lookup(o.name, type);
  if (id == None) {
    fail("unknown register '" + std::string(o.name) + "'");
    return None;
  }
  unsigned actual = type == Ty::Pred ? 0 : std::max(widthOf(type), 2u);
  if (actual != std::max(width, width ? 2u : 0u)) {
    fail("'" + std::string(o.name) + "' has " + std::to_string(8 * actual) +
         " bits, the instruction gives " + std::to_string(8 * width));
    return None;
  }
  now.writes.push_back(id);
  return id;
}

uint32_t Lowering::predSrc(const Operand &o) {
  if (o.kind == Operand::Kind::Int)
    return constant(0, o.value ? UINT32_MAX : 0);
  Ty type = Ty::None;
  uint32_t id = o.kind == Operand::Kind::Name ? lookup(o.name, type) : None;
  unsigned width = 1;
  if (id == None && o.kind == Operand::Kind::Name) {
    id = special(o.name, width);
    if (id != None && width == 0)
      type = Ty::Pred;
  }
  if (id == None || type != Ty::Pred) {
    fail("the operand is no predicate");
    return None;
  }
  now.reads.push_back(id);
  return id;
}

uint32_t Lowering::predDst(std::string_view name) {
  if (name == "_")
    return temporary(0);
  Ty type = Ty::None;
  uint32_t id = lookup(name, type);
  if (id == None || type != Ty::Pred) {
    fail("'" + std::string(name) + "' is no predicate");
    return None;
  }
  now.writes.push_back(id);
  return id;
}

bool Lowering::address(const Operand &o, uint32_t &a, int64_t &offset,
                       bool &narrow) {
  if (o.kind != Operand::Kind::Address || o.elements.empty())
    return fail("the operand is no address");
  const Operand &base = o.elements[0];
  narrow = false;
  offset = 0;
  if (base.kind == Operand::Kind::Int) {
    a = constant(8, static_cast<uint64_t>(base.value));
    return true;
  }
  if (base.kind != Operand::Kind::Name)
    return fail("the operand is no address");
  Ty type;
  if (lookup(base.name, type) != None) {
    narrow = widthOf(type) == 4;
    Operand reg = base;
    reg.value = 0;
    offset = base.value;
    a = src(reg, narrow ? 4u : 8u);
    return a != None;
  }
  a = src(base, 8);
  return a != None;
}

void Lowering::setList(std::vector<uint32_t> list) {
  inst.n = static_cast<uint16_t>(list.size());
  code.pool.push_back(std::move(list));
  inst.v = code.pool.back().data();
}
