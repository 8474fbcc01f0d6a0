//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns statements into instructions. Each family of instructions has one file
// that registers a function for every operation name.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_LOWER_H
#define COIL_TEST_LIB_CUDASIM_LOWER_H

#include "Sim.h"

#include <initializer_list>
#include <memory>

namespace coil::cudasim {

class Lowering;
/// Fills `Lowering::inst`. False after an error.
using LowerFn = bool (*)(Lowering &);
using Registry = std::unordered_map<std::string_view, LowerFn>;

void registerIntegerOps(Registry &);
void registerBitOps(Registry &);
void registerFloatOps(Registry &);
void registerHalfOps(Registry &);
void registerApproxOps(Registry &);
void registerConvertOps(Registry &);
void registerCompareOps(Registry &);
void registerMoveOps(Registry &);
void registerMemoryOps(Registry &);
void registerAtomicOps(Registry &);
void registerWarpOps(Registry &);
void registerSyncOps(Registry &);
void registerAsyncOps(Registry &);
void registerMBarrierOps(Registry &);
void registerMatrixOps(Registry &);
void registerWarpGroupOps(Registry &);

/// Where the variables of a module lie.
struct ModuleLayout {
  std::unordered_map<std::string_view, uint64_t> addresses;
};

/// Lowers the kernel `entry`. Null and a message if that fails.
std::unique_ptr<Code> lower(const ptx::Module &module,
                            const ptx::Function &entry,
                            const ModuleLayout &layout, std::string &error);

/// The state of lowering one kernel and of the statement in hand.
class Lowering {
public:
  Lowering(const ptx::Module &module, const ModuleLayout &layout, Code &code,
           std::string &error)
      : module(module), layout(layout), code(code), error(error) {}

  bool run(const ptx::Function &entry);

  // The statement in hand.
  const ptx::Statement *s = nullptr;
  Inst inst;
  uint64_t used = 0; ///< parts of the name that somebody took

  bool fail(const std::string &message);
  std::string_view root() const { return s->parts[0]; }
  /// Takes a modifier if it is there.
  bool take(std::string_view part);
  /// Takes the first modifier that is in the list; empty if none is.
  std::string_view takeOneOf(std::initializer_list<std::string_view> list);
  /// Takes the next type.
  Ty takeType();
  /// Fails unless there are `n` operands.
  bool operands(size_t n);
  bool operands(size_t least, size_t most);

  const ptx::Operand &op(size_t i) const { return s->operands[i]; }

  /// A register or constant to read as `width` bytes (0: a predicate).
  uint32_t src(const ptx::Operand &o, unsigned width);
  uint32_t src(size_t i, Ty type) { return src(op(i), type); }
  uint32_t src(const ptx::Operand &o, Ty type);
  /// A register to write.
  uint32_t dst(const ptx::Operand &o, unsigned width);
  uint32_t dst(size_t i, Ty type) { return dst(op(i), widthOf(type)); }
  uint32_t predSrc(const ptx::Operand &o);
  uint32_t predDst(std::string_view name);
  /// As src and dst, but the register may be wider; `width` receives its size.
  uint32_t wideSrc(const ptx::Operand &o, unsigned least, unsigned &width);
  uint32_t wideDst(const ptx::Operand &o, unsigned least, unsigned &width);
  /// A constant in all lanes.
  uint32_t constant(unsigned width, uint64_t bits);
  /// The carry flag of the function, read and written.
  uint32_t carry(bool in, bool out);
  /// A register that only this instruction uses.
  uint32_t temporary(unsigned width);
  /// Of register `reg`, which the statement in hand reads, it reads only the
  /// bytes of a mask; not even these if nobody reads `result`.
  void readPart(uint32_t reg, uint32_t bytes, uint32_t result = None) {
    now.parts.push_back({reg, bytes, result});
  }
  /// An address: register `a` (8 bytes wide, or 4 with `narrow`) + `offset`.
  bool address(const ptx::Operand &o, uint32_t &a, int64_t &offset,
               bool &narrow);
  /// The type of a register, or None if `name` is none.
  Ty registerType(std::string_view name);
  /// Finds a variable that the statement sees.
  const ptx::Variable *findVariable(std::string_view name, uint64_t &address,
                                    ptx::Space &space);
  /// Moves the operand list into the pool and makes `inst.v` point to it.
  void setList(std::vector<uint32_t> list);
  bool inEntry() const { return current->isEntry; }
  const ptx::Module &getModule() const { return module; }
  Code &getCode() { return code; }

private:
  struct Register {
    uint8_t width = 0;  ///< 0: predicate
    bool fixed = false; ///< constant or special
    uint32_t index = 0; ///< of the constant or special
    uint32_t offset = None;
  };
  struct FunctionState {
    uint32_t entry = None; ///< its first instruction
    uint32_t index = 0;
    std::unordered_map<std::string_view, uint64_t> paramOffsets;
    std::vector<uint32_t> returnSites;
    uint32_t carry = None;
    std::vector<std::unordered_map<std::string_view, uint32_t>> registers;
  };
  struct Fixup {
    uint32_t inst;
    const ptx::Function *callee; ///< of a call
    std::string_view label;      ///< else
    uint32_t scope;
    size_t position; ///< in the target list of a brx, or None
  };
  /// A part of a register, which is read if `result` is.
  struct Part {
    uint32_t reg, bytes, result;
  };
  struct Uses {
    std::vector<uint32_t> reads, writes;
    std::vector<Part> parts; ///< of those of `reads` that are not read whole
  };

  bool statement(const ptx::Statement &st);
  bool checkWait(const ptx::Function &f);
  bool functionBody(const ptx::Function &f);
  bool lowerCall();
  bool lowerBranch();
  bool lowerBranchIndex();
  bool layOut(const ptx::Function &entry);
  bool collect(const ptx::Function &f,
               std::vector<const ptx::Function *> &stack);
  const ptx::Function *findFunction(std::string_view name) const;
  uint64_t allocateLocal(uint64_t size, uint32_t align);
  /// The register that the statement sees under `name`, or None.
  uint32_t lookup(std::string_view name, Ty &type);
  uint32_t special(std::string_view name, unsigned &width);
  bool resolveFixups();

  // RegisterAllocation.cpp
  void allocateRegisters();
  void findUnreadBytes();
  void successors(uint32_t last, std::vector<uint32_t> &into) const;

  void emit();

  const ptx::Module &module;
  const ModuleLayout &layout;
  Code &code;
  std::string &error;
  const ptx::Function *current = nullptr;
  std::unordered_map<const ptx::Function *, FunctionState> states;
  std::vector<const ptx::Function *> order; ///< the entry first
  std::vector<Register> registers;
  std::unordered_map<uint64_t, uint32_t> constants[9];
  std::unordered_map<std::string_view, std::pair<uint32_t, unsigned>> specials;
  std::unordered_map<const ptx::Variable *, uint64_t> offsets;
  std::vector<Fixup> fixups;
  std::vector<uint32_t> instStart; ///< statement -> instruction, of `current`
  std::vector<Uses> uses;          ///< of each instruction
  Uses now;                        ///< of the instruction in hand
  std::unordered_map<uint32_t, std::vector<uint32_t>> indexTargets;
  std::unordered_map<uint32_t, const ptx::Function *> functionOf;
};

} // namespace coil::cudasim

#endif // COIL_TEST_LIB_CUDASIM_LOWER_H
