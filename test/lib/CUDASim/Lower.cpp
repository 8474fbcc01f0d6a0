//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers kernels: functions, variables, statements and control flow.
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
    registerAsyncOps(r);
    registerMBarrierOps(r);
    registerMatrixOps(r);
    registerWarpGroupOps(r);
    return r;
  }();
  return all;
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
    inst.kind = name == "exit" || current->isEntry ? Kind::Exit : Kind::Return;
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

bool Lowering::collect(const Function &f,
                       std::vector<const Function *> &stack) {
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

/// A kernel that may start while the one before it runs has to read nothing
/// before it waits, and nothing in a way that could be moved there.
bool Lowering::checkWait(const Function &f) {
  auto has = [](const Statement &st, std::string_view part) {
    return std::find(st.parts.begin(), st.parts.end(), part) != st.parts.end();
  };
  auto isWait = [&](const Statement &st) {
    return st.parts[0] == "griddepcontrol" && has(st, "wait");
  };
  auto wait = std::find_if(f.statements.begin(), f.statements.end(), isWait);
  if (wait == f.statements.end())
    return true;
  for (auto it = f.statements.begin(); it != f.statements.end(); ++it) {
    s = &*it;
    if (it < wait && has(*it, "global"))
      return fail("global memory is accessed before griddepcontrol.wait");
    if (has(*it, "nc"))
      return fail("a load past coherence can be moved before "
                  "griddepcontrol.wait");
  }
  return true;
}

bool Lowering::functionBody(const Function &f) {
  if (!checkWait(f))
    return false;
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
    code.maxThreads = entry.reqntid[0] * entry.reqntid[1] * entry.reqntid[2];
  else if (entry.maxntid[0])
    code.maxThreads = entry.maxntid[0] * entry.maxntid[1] * entry.maxntid[2];
  code.cluster = entry.cluster[0]
                     ? entry.cluster[0] * entry.cluster[1] * entry.cluster[2]
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
