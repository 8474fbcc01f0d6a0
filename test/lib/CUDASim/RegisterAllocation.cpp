//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives the registers of a kernel places in the register file of a warp, so
// that those that are never alive together share one: PTX has a register for
// every value, and a file that fits into the cache runs several times as fast.
//
//===----------------------------------------------------------------------===//

#include "Lower.h"

#include <algorithm>
#include <cstring>

using namespace coil::cudasim;

void Lowering::successors(uint32_t last, std::vector<uint32_t> &into) const {
  const Inst &i = code.insts[last];
  into.clear();
  bool falls = i.guard != None;
  switch (i.kind) {
  case Kind::Branch:
  case Kind::Call:
    into.push_back(i.target);
    break;
  case Kind::BranchIndex:
    into.assign(i.v, i.v + i.n);
    break;
  case Kind::Return:
    into = states.at(functionOf.at(last)).returnSites;
    break;
  case Kind::Exit:
    break;
  default:
    falls = true;
  }
  if (falls && last + 1 < code.insts.size())
    into.push_back(last + 1);
}

/// Compilers widen loads inside aligned vectors, and keep two halves in one
/// register: nobody reads the rest.
void Lowering::findUnreadBytes() {
  std::vector<uint32_t> read(registers.size(), 0);
  std::vector<Part> waiting;
  for (const Uses &use : uses) {
    for (uint32_t r : use.reads)
      if (std::none_of(use.parts.begin(), use.parts.end(),
                       [&](const Part &part) { return part.reg == r; }))
        read[r] = UINT32_MAX;
    waiting.insert(waiting.end(), use.parts.begin(), use.parts.end());
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Part &part : waiting) {
      uint32_t now = read[part.reg] | part.bytes;
      if ((part.result == None || read[part.result]) && now != read[part.reg]) {
        read[part.reg] = now;
        changed = true;
      }
    }
  }
  for (Inst &inst : code.insts) {
    if (inst.n == 0 || inst.width == 0 || inst.n * inst.width > 32 ||
        inst.kind == Kind::BranchIndex || !inst.v)
      continue;
    for (unsigned j = 0; j < inst.n; ++j) {
      uint32_t bytes = read[inst.v[j]];
      // The sign of a short element fills the register.
      if (bytes >> inst.width)
        bytes |= 1u << (inst.width - 1);
      for (unsigned k = 0; k < inst.width; ++k)
        if (!(bytes >> k & 1))
          inst.unread |= 1u << (j * inst.width + k);
    }
    // A load of which nobody reads anything is no wide one.
    if (inst.unread == (uint64_t(1) << (inst.n * inst.width)) - 1)
      inst.unread = 0;
  }
}

void Lowering::allocateRegisters() {
  uint32_t n = static_cast<uint32_t>(code.insts.size());
  size_t words = (registers.size() + 63) / 64;

  // Basic blocks.
  std::vector<bool> leads(n + 1, false);
  std::vector<uint32_t> next;
  leads[0] = true;
  for (uint32_t i = 0; i < n; ++i) {
    Kind kind = code.insts[i].kind;
    if (kind == Kind::Plain || kind == Kind::Converge ||
        kind == Kind::Barrier || kind == Kind::Wait)
      continue;
    successors(i, next);
    for (uint32_t t : next)
      leads[t] = true;
    leads[i + 1] = true;
  }
  std::vector<std::pair<uint32_t, uint32_t>> blocks;
  std::vector<uint32_t> blockOf(n);
  for (uint32_t i = 0; i < n; ++i) {
    if (leads[i])
      blocks.push_back({i, i});
    blocks.back().second = i;
    blockOf[i] = static_cast<uint32_t>(blocks.size() - 1);
  }

  // Which registers each block reads first, and which it certainly writes.
  using Bits = std::vector<uint64_t>;
  auto test = [](const Bits &b, uint32_t r) {
    return b[r / 64] >> (r % 64) & 1;
  };
  auto set = [](Bits &b, uint32_t r) { b[r / 64] |= 1ull << (r % 64); };
  std::vector<Bits> reads(blocks.size(), Bits(words)), kills(reads);
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (uint32_t i = blocks[b].first; i <= blocks[b].second; ++i) {
      for (uint32_t r : uses[i].reads)
        if (!registers[r].fixed && !test(kills[b], r))
          set(reads[b], r);
      if (code.insts[i].guard == None)
        for (uint32_t r : uses[i].writes)
          set(kills[b], r);
    }
  }
  std::vector<Bits> in(reads), out(blocks.size(), Bits(words));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = blocks.size(); b-- > 0;) {
      successors(blocks[b].second, next);
      for (uint32_t t : next) {
        const Bits &from = in[blockOf[t]];
        for (size_t w = 0; w < words; ++w)
          out[b][w] |= from[w];
      }
      for (size_t w = 0; w < words; ++w) {
        uint64_t bits = reads[b][w] | (out[b][w] & ~kills[b][w]);
        changed |= bits != in[b][w];
        in[b][w] = bits;
      }
    }
  }

  findUnreadBytes();

  // The stretch of instructions over which each register is alive.
  struct Interval {
    uint32_t first = UINT32_MAX, last = 0, id = 0;
  };
  std::vector<Interval> intervals(registers.size());
  auto extend = [&](uint32_t r, uint32_t at) {
    intervals[r].first = std::min(intervals[r].first, at);
    intervals[r].last = std::max(intervals[r].last, at);
  };
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (size_t w = 0; w < words; ++w) {
      for (uint64_t bits = in[b][w]; bits; bits &= bits - 1)
        extend(static_cast<uint32_t>(w * 64 + __builtin_ctzll(bits)),
               blocks[b].first);
      for (uint64_t bits = out[b][w]; bits; bits &= bits - 1)
        extend(static_cast<uint32_t>(w * 64 + __builtin_ctzll(bits)),
               blocks[b].second);
    }
  }
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t r : uses[i].reads)
      extend(r, i);
    for (uint32_t r : uses[i].writes)
      extend(r, i);
  }

  // Places.
  uint32_t size = 0;
  auto place = [&](unsigned width) {
    uint32_t bytes = width ? width * Lanes : 4;
    uint32_t align = width ? 64 : 4;
    size = (size + align - 1) / align * align;
    uint32_t at = size;
    size += bytes;
    return at;
  };
  std::vector<uint32_t> ids;
  std::vector<uint32_t> unset;
  for (uint32_t r = 0; r < registers.size(); ++r) {
    Register &reg = registers[r];
    if (reg.fixed)
      reg.offset = place(reg.width);
    else if (words && !in.empty() && test(in[0], r))
      unset.push_back(r);
    else if (intervals[r].first != UINT32_MAX)
      ids.push_back(r);
  }
  std::sort(ids.begin(), ids.end(), [&](uint32_t a, uint32_t b) {
    return intervals[a].first < intervals[b].first;
  });
  std::vector<uint32_t> free[17];
  std::vector<std::pair<uint32_t, uint32_t>> active; // last, id
  uint32_t live = 0, most = 0;
  for (uint32_t r : ids) {
    while (!active.empty() && active.front().first < intervals[r].first) {
      Register &old = registers[active.front().second];
      free[old.width].push_back(old.offset);
      live -= old.width ? (old.width + 3) / 4 : 0;
      std::pop_heap(active.begin(), active.end(), std::greater<>());
      active.pop_back();
    }
    Register &reg = registers[r];
    std::vector<uint32_t> &list = free[reg.width];
    if (list.empty()) {
      reg.offset = place(reg.width);
    } else {
      reg.offset = list.back();
      list.pop_back();
    }
    live += reg.width ? (reg.width + 3) / 4 : 0;
    most = std::max(most, live);
    active.push_back({intervals[r].last, r});
    std::push_heap(active.begin(), active.end(), std::greater<>());
  }
  size = (size + 63) / 64 * 64;
  code.resetBegin = size;
  for (uint32_t r : unset)
    registers[r].offset = place(registers[r].width);
  code.resetEnd = size;
  code.fileSize = (size + 63) / 64 * 64;
  code.registers = std::min(255u, most + 8);

  auto patch = [&](uint32_t &field) {
    if (field != None)
      field = registers[field].offset;
  };
  for (uint32_t i = 0; i < n; ++i) {
    Inst &inst = code.insts[i];
    patch(inst.guard);
    patch(inst.d);
    patch(inst.a);
    patch(inst.b);
    patch(inst.c);
    patch(inst.e);
    if (inst.kind != Kind::BranchIndex)
      for (unsigned j = 0; j < inst.n && inst.v; ++j)
        patch(const_cast<uint32_t &>(inst.v[j]));
  }
  for (const Register &reg : registers) {
    if (!reg.fixed)
      continue;
    // Constants and specials are numbered apart.
    bool isSpecial = false;
    for (const auto &[name, entry] : specials)
      isSpecial |= &registers[entry.first] == &reg;
    if (isSpecial)
      code.specials[reg.index].offset = reg.offset;
    else
      code.constants[reg.index].offset = reg.offset;
  }
}
