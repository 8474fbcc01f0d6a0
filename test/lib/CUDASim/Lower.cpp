//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers kernels: functions, variables, operands and control flow.
//
//===----------------------------------------------------------------------===//

#include "Lower.h"

#include <algorithm>
#include <cstring>

using namespace coil::cudasim;
using namespace coil::cudasim::ptx;

static const Registry &registry() {
  static const Registry all = [] {
    Registry r;
    registerIntegerOps(r);
    registerBitOps(r);
    registerFloatOps(r);
    registerHalfOps(r);
    registerApproxOps(r);
    registerConvertOps(r);
    registerCompareOps(r);
    registerMoveOps(r);
    registerMemoryOps(r);
    registerAtomicOps(r);
    registerWarpOps(r);
    registerSyncOps(r);
    return r;
  }();
  return all;
}

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
      {"%tid.x", 4},      {"%tid.y", 4},       {"%tid.z", 4},
      {"%ntid.x", 4},     {"%ntid.y", 4},      {"%ntid.z", 4},
      {"%ctaid.x", 4},    {"%ctaid.y", 4},     {"%ctaid.z", 4},
      {"%nctaid.x", 4},   {"%nctaid.y", 4},    {"%nctaid.z", 4},
      {"%laneid", 4},     {"%warpid", 4},      {"%nwarpid", 4},
      {"%smid", 4},       {"%nsmid", 4},       {"%gridid", 8},
      {"%lanemask_eq", 4}, {"%lanemask_lt", 4}, {"%lanemask_le", 4},
      {"%lanemask_gt", 4}, {"%lanemask_ge", 4}, {"%dynamic_smem_size", 4},
      {"%total_smem_size", 4}, {"%cluster_ctarank", 4},
      {"%cluster_nctarank", 4}, {"%cluster_ctaid.x", 4},
      {"%cluster_ctaid.y", 4}, {"%cluster_ctaid.z", 4},
      {"%cluster_nctaid.x", 4}, {"%cluster_nctaid.y", 4},
      {"%cluster_nctaid.z", 4}, {"%clusterid.x", 4}, {"%clusterid.y", 4},
      {"%clusterid.z", 4}, {"%nclusterid.x", 4}, {"%nclusterid.y", 4},
      {"%nclusterid.z", 4}, {"%is_explicit_cluster", 0},
      {"%clock", 4},      {"%clock64", 8},     {"%globaltimer", 8}};
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
  auto [it, isNew] = constants[width].emplace(
      bits, static_cast<uint32_t>(registers.size()));
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
        fail("'" + std::string(o.name) + "' has " +
             std::to_string(8 * actual) + " bits, the instruction takes " +
             std::to_string(8 * width));
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

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Lowering::emit() {
  code.insts.push_back(inst);
  uses.push_back(std::move(now));
  now = Uses();
}

/// The letter that distinguishes families with the same name.
static char familyOf(const Statement &s) {
  for (std::string_view part : s.parts) {
    switch (parseType(part)) {
    case Ty::None:
      continue;
    case Ty::Pred:
      return 'p';
    case Ty::F32:
    case Ty::F64:
    case Ty::F32x2:
      return 'f';
    case Ty::F16:
    case Ty::BF16:
    case Ty::F16x2:
    case Ty::BF16x2:
      return 'h';
    default:
      return 'i';
    }
  }
  return '-';
}

bool Lowering::statement(const Statement &st) {
  s = &st;
  used = 1;
  inst = Inst();
  now = Uses();
  inst.line = st.line;
  inst.place = st.place;
  inst.function = states[current].index;
  if (!st.guard.empty()) {
    Operand guard;
    guard.kind = Operand::Kind::Name;
    guard.name = st.guard;
    inst.guard = predSrc(guard);
    inst.guardNot = st.guardNot;
    if (inst.guard == None)
      return false;
  }
  std::string_view name = root();
  bool ok;
  if (name == "bra") {
    ok = lowerBranch();
  } else if (name == "brx") {
    ok = lowerBranchIndex();
  } else if (name == "call") {
    return lowerCall();
  } else if (name == "ret" || name == "exit") {
    take("uni");
    inst.kind =
        name == "exit" || current->isEntry ? Kind::Exit : Kind::Return;
    ok = operands(0);
  } else {
    std::string key = std::string(name) + '.' + familyOf(st);
    auto it = registry().find(key);
    if (it == registry().end())
      it = registry().find(name);
    if (it == registry().end())
      return fail("unknown instruction '" + std::string(st.op) + "'");
    ok = it->second(*this);
  }
  if (!ok || !error.empty())
    return fail("unsupported form of '" + std::string(st.op) + "'");
  for (size_t i = 1; i < st.parts.size(); ++i)
    if (!(used >> i & 1))
      return fail("unsupported modifier '." + std::string(st.parts[i]) + "'");
  emit();
  return true;
}

bool Lowering::lowerBranch() {
  take("uni");
  inst.kind = Kind::Branch;
  if (!operands(1) || op(0).kind != Operand::Kind::Name)
    return false;
  fixups.push_back({static_cast<uint32_t>(code.insts.size()), nullptr,
                    op(0).name, s->scope, None});
  return true;
}

bool Lowering::lowerBranchIndex() {
  take("uni");
  if (!take("idx") || !operands(2))
    return false;
  inst.kind = Kind::BranchIndex;
  inst.a = src(0, Ty::U32);
  const std::vector<std::string_view> *targets = nullptr;
  for (uint32_t scope = s->scope;; scope = current->scopes[scope].parent) {
    const Scope &sc = current->scopes[scope];
    if (auto it = sc.targets.find(op(1).name); it != sc.targets.end())
      targets = &it->second;
    if (targets || scope == 0)
      break;
  }
  if (!targets)
    return fail("unknown list of targets '" + std::string(op(1).name) + "'");
  uint32_t at = static_cast<uint32_t>(code.insts.size());
  indexTargets[at].resize(targets->size());
  for (size_t i = 0; i < targets->size(); ++i)
    fixups.push_back({at, nullptr, (*targets)[i], s->scope, i});
  return true;
}

/// Copies between the local memories of a call: v = pairs of (from, to), in
/// whole words.
static void copyLocal(Warp &w, const Inst &inst, uint32_t mask) {
  uint32_t size = w.block->code->localSize;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    uint8_t *base = w.local + size_t(__builtin_ctz(rest)) * size;
    memcpy(base + inst.imm, base + inst.target, inst.n);
  }
}

bool Lowering::lowerCall() {
  take("uni");
  const std::vector<Operand> &all = s->operands;
  size_t i = 0;
  std::vector<Operand> results, arguments;
  if (i < all.size() && all[i].kind == Operand::Kind::List)
    results = all[i++].elements;
  if (i >= all.size() || all[i].kind != Operand::Kind::Name)
    return fail("malformed call");
  const Function *callee = findFunction(all[i].name);
  if (!callee)
    return fail("call of unknown function '" + std::string(all[i].name) + "'");
  ++i;
  if (i < all.size() && all[i].kind == Operand::Kind::List)
    arguments = all[i++].elements;
  if (i != all.size() || arguments.size() != callee->params.size() ||
      results.size() != callee->results.size())
    return fail("the call does not fit '" + std::string(callee->name) + "'");
  if (callee->isDeclaration)
    return fail("call of '" + std::string(callee->name) +
                "', which nothing defines");
  Inst proto = inst;
  auto copy = [&](const Variable &formal, const Operand &actual, bool in) {
    uint64_t at;
    Space space;
    const Variable *v = findVariable(actual.name, at, space);
    if (!v || space != Space::Local || v->size != formal.size)
      return fail("the argument '" + std::string(actual.name) +
                  "' does not fit the parameter");
    inst = proto;
    inst.fn = copyLocal;
    inst.n = static_cast<uint16_t>(formal.size);
    uint64_t formalAt = offsets[&formal];
    inst.target = static_cast<uint32_t>(in ? at : formalAt);
    inst.imm = static_cast<int64_t>(in ? formalAt : at);
    if (inst.guard != None)
      now.reads.push_back(inst.guard);
    emit();
    return true;
  };
  for (size_t j = 0; j < arguments.size(); ++j)
    if (!copy(callee->params[j], arguments[j], true))
      return false;
  inst = proto;
  inst.kind = Kind::Call;
  if (inst.guard != None)
    now.reads.push_back(inst.guard);
  uint32_t at = static_cast<uint32_t>(code.insts.size());
  fixups.push_back({at, callee, {}, 0, None});
  emit();
  states[callee].returnSites.push_back(at + 1);
  for (size_t j = 0; j < results.size(); ++j)
    if (!copy(callee->results[j], results[j], false))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

const Function *Lowering::findFunction(std::string_view name) const {
  const Function *found = nullptr;
  for (const auto &f : module.functions)
    if (f->name == name && (!found || found->isDeclaration))
      found = f.get();
  return found;
}

bool Lowering::collect(const Function &f, std::vector<const Function *> &stack) {
  if (std::find(stack.begin(), stack.end(), &f) != stack.end())
    return fail("'" + std::string(f.name) + "' calls itself");
  if (std::find(order.begin(), order.end(), &f) != order.end())
    return true;
  if (stack.size() >= MaxCallDepth)
    return fail("calls are nested too deeply");
  order.push_back(&f);
  stack.push_back(&f);
  for (const Statement &st : f.statements) {
    if (st.parts[0] != "call")
      continue;
    s = &st;
    for (const Operand &o : st.operands)
      if (o.kind == Operand::Kind::Name)
        if (const Function *callee = findFunction(o.name))
          if (!collect(*callee, stack))
            return false;
  }
  stack.pop_back();
  return true;
}

uint64_t Lowering::allocateLocal(uint64_t size, uint32_t align) {
  // 16-byte steps keep every lane's memory aligned for vectors.
  uint64_t at = (uint64_t(code.localSize) + align - 1) / align * align;
  code.localSize = static_cast<uint32_t>((at + size + 15) / 16 * 16);
  return at;
}

static void collectNames(const Operand &o,
                         std::vector<std::string_view> &names) {
  if (o.kind == Operand::Kind::Name)
    names.push_back(o.name);
  for (const Operand &e : o.elements)
    collectNames(e, names);
}

/// Gives every variable of the kernel its place.
bool Lowering::layOut(const Function &entry) {
  for (const Variable &v : entry.params) {
    uint32_t at = (code.paramSize + v.align - 1) / v.align * v.align;
    offsets[&v] = at;
    code.params.push_back(
        {at, static_cast<uint32_t>(v.size), std::string(v.name)});
    code.paramSize = at + static_cast<uint32_t>(v.size);
  }
  uint64_t shared = SharedBase;
  auto place = [&](const Variable &v) {
    code.sharedAlign = std::max(code.sharedAlign, v.align);
    shared = (shared + v.align - 1) / v.align * v.align;
    offsets[&v] = shared;
    shared += v.size;
  };
  std::vector<std::string_view> names;
  for (const Function *f : order)
    for (const Statement &st : f->statements)
      for (const Operand &o : st.operands)
        collectNames(o, names);
  std::sort(names.begin(), names.end());
  auto isUsed = [&](const Variable &v) {
    return std::binary_search(names.begin(), names.end(), v.name);
  };
  // Local memory: offset 0 is no variable.
  code.localSize = 16;
  for (const Function *f : order) {
    for (const Scope &scope : f->scopes) {
      // In a fixed order, which the hash table does not have.
      std::vector<const Variable *> sorted;
      for (const auto &[name, v] : scope.variables)
        sorted.push_back(&v);
      std::sort(sorted.begin(), sorted.end(),
                [](const Variable *a, const Variable *b) {
                  return a->line != b->line ? a->line < b->line
                                            : a->name < b->name;
                });
      for (const Variable *v : sorted) {
        if (v->space == Space::Shared)
          place(*v);
        else if (v->space == Space::Local || v->space == Space::Param)
          offsets[v] = allocateLocal(v->size, v->align);
      }
    }
    if (!f->isEntry) {
      for (const Variable &v : f->params)
        offsets[&v] = allocateLocal(v.size, v.align);
      for (const Variable &v : f->results)
        offsets[&v] = allocateLocal(v.size, v.align);
    }
  }
  if (code.localSize == 16)
    code.localSize = 0;
  for (const Variable &v : module.variables)
    if (v.space == Space::Shared && !v.isExtern && v.size && isUsed(v))
      place(v);
  for (const Variable &v : module.variables) {
    if (v.space == Space::Shared && (v.isExtern || !v.size) && isUsed(v)) {
      code.sharedAlign = std::max(code.sharedAlign, v.align);
      shared = (shared + v.align - 1) / v.align * v.align;
    }
  }
  for (const Variable &v : module.variables)
    if (v.space == Space::Shared && (v.isExtern || !v.size))
      offsets[&v] = shared;
  code.sharedSize = static_cast<uint32_t>(shared - SharedBase);
  return true;
}

bool Lowering::functionBody(const Function &f) {
  current = &f;
  states[&f].entry = static_cast<uint32_t>(code.insts.size());
  size_t firstFixup = fixups.size();
  instStart.clear();
  for (const Statement &st : f.statements) {
    instStart.push_back(static_cast<uint32_t>(code.insts.size()));
    if (!statement(st))
      return false;
  }
  instStart.push_back(static_cast<uint32_t>(code.insts.size()));
  // Control that falls off the end returns.
  inst = Inst();
  inst.kind = f.isEntry ? Kind::Exit : Kind::Return;
  inst.line = f.statements.empty() ? f.line : f.statements.back().line;
  inst.function = states[&f].index;
  emit();
  for (uint32_t i = states[&f].entry; i < code.insts.size(); ++i)
    functionOf[i] = &f;
  for (size_t i = firstFixup; i < fixups.size(); ++i) {
    Fixup &fix = fixups[i];
    if (fix.callee)
      continue;
    uint32_t target = None;
    for (uint32_t scope = fix.scope;; scope = f.scopes[scope].parent) {
      auto it = f.scopes[scope].labels.find(fix.label);
      if (it != f.scopes[scope].labels.end())
        target = instStart[it->second];
      if (target != None || scope == 0)
        break;
    }
    if (target == None) {
      s = nullptr;
      error = "line " + std::to_string(code.insts[fix.inst].line) +
              ": unknown label '" + std::string(fix.label) + "'";
      return false;
    }
    if (fix.position == None)
      code.insts[fix.inst].target = target;
    else
      indexTargets[fix.inst][fix.position] = target;
  }
  return true;
}

bool Lowering::run(const Function &entry) {
  std::vector<const Function *> stack;
  code.name = entry.name;
  code.module = &module;
  if (!collect(entry, stack) || !layOut(entry))
    return false;
  for (const Function *f : order) {
    states[f].index = static_cast<uint32_t>(code.functions.size());
    code.functions.emplace_back(f->name);
  }
  for (const Function *f : order)
    if (!f->isDeclaration && !functionBody(*f))
      return false;
  for (const Fixup &fix : fixups)
    if (fix.callee)
      code.insts[fix.inst].target = states[fix.callee].entry;
  for (auto &[at, targets] : indexTargets) {
    code.pool.push_back(targets);
    code.insts[at].v = code.pool.back().data();
    code.insts[at].n = static_cast<uint16_t>(targets.size());
  }
  for (unsigned i = 0; i < 3; ++i)
    code.reqntid[i] = entry.reqntid[i];
  if (entry.reqntid[0])
    code.maxThreads =
        entry.reqntid[0] * entry.reqntid[1] * entry.reqntid[2];
  else if (entry.maxntid[0])
    code.maxThreads =
        entry.maxntid[0] * entry.maxntid[1] * entry.maxntid[2];
  code.cluster = entry.cluster[0] ? entry.cluster[0] * entry.cluster[1] *
                                        entry.cluster[2]
                                  : 1;
  allocateRegisters();
  return true;
}

std::unique_ptr<Code> coil::cudasim::lower(const Module &module,
                                           const Function &entry,
                                           const ModuleLayout &layout,
                                           std::string &error) {
  auto code = std::make_unique<Code>();
  Lowering lowering(module, layout, *code, error);
  if (!lowering.run(entry) || !error.empty())
    return nullptr;
  return code;
}
