//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many registers a kernel's values need, counted in its optimised code:
// schedules are chosen before there is any.
//
//===----------------------------------------------------------------------===//

#include "RegisterDemand.h"

#include "coil/Dialect/Target/IR/TargetKind.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace coil;
using namespace llvm;

/// The address space of memory that a block shares, whose addresses are 32
/// bits.
static constexpr unsigned kSharedSpace = 3;

/// The attribute of the blocks of a kernel that a multiprocessor should have.
static constexpr StringLiteral kBlocks = "nvvm.minctasm";
/// Live words for each register from which on ptxas keeps many in memory, if
/// those that are live at barriers and registers beside them do not fit either:
/// it puts instructions into an order that needs fewer than ours, but not
/// across barriers. And registers for each word that are enough. Of the kernels
/// of 180 random programs both hold for three, which kept up to 432 bytes of
/// each thread in memory; with fewer blocks their programs took 0.54, 0.86 and
/// 0.99 of the time on an H200. 70 kernels needed 0.5 to 1.1 registers a word.
static constexpr double kSpilling = 1.5, kOthers = 10, kKept = 0.9;

static unsigned getWords(Type *type) {
  if (auto *structure = dyn_cast<StructType>(type)) {
    unsigned words = 0;
    for (Type *element : structure->elements())
      words += getWords(element);
    return words;
  }
  if (auto *array = dyn_cast<ArrayType>(type))
    return static_cast<unsigned>(array->getNumElements()) *
           getWords(array->getElementType());
  unsigned lanes = 1;
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    lanes = vector->getNumElements();
    type = vector->getElementType();
  }
  if (type->isPointerTy())
    return lanes * (type->getPointerAddressSpace() == kSharedSpace ? 1 : 2);
  unsigned bits = type->getPrimitiveSizeInBits();
  return bits <= 1 ? 0 : divideCeil(bits * lanes, 32);
}

namespace {

/// The values of a function that take registers.
class Registers {
public:
  explicit Registers(const Function &function) {
    for (const BasicBlock &block : function)
      for (const Instruction &instruction : block)
        if (getValue(&instruction) == &instruction) {
          unsigned words = getWords(instruction.getType());
          if (words == 0)
            continue;
          numbers[&instruction] = sizes.size();
          sizes.push_back(words);
        }
  }

  unsigned count() const { return static_cast<unsigned>(sizes.size()); }
  unsigned getSize(unsigned number) const { return sizes[number]; }

  /// The number of the register that holds a value, if it is in one.
  std::optional<unsigned> find(const Value *value) const {
    return getNumber(getValue(value));
  }
  /// The number of the register that an instruction writes, if it writes one.
  std::optional<unsigned> getNumber(const Value *value) const {
    auto it = numbers.find(value);
    return it == numbers.end() ? std::nullopt : std::optional(it->second);
  }

private:
  /// What is in a register for a value: an address at a constant distance is a
  /// part of the instruction that uses it.
  static const Value *getValue(const Value *value) {
    while (auto *address = dyn_cast<GetElementPtrInst>(value)) {
      if (!address->hasAllConstantIndices())
        break;
      value = address->getPointerOperand();
    }
    return value;
  }

  DenseMap<const Value *, unsigned> numbers;
  SmallVector<unsigned> sizes;
};

} // namespace

LiveWords coil::countLiveWords(const Function &function) {
  Registers registers(function);
  DenseMap<const BasicBlock *, BitVector> liveIn;
  for (const BasicBlock &block : function)
    liveIn[&block].resize(registers.count());
  // What is live behind a block.
  auto getLiveOut = [&](const BasicBlock &block) {
    BitVector live(registers.count());
    for (const BasicBlock *next : successors(&block)) {
      live |= liveIn[next];
      for (const PHINode &phi : next->phis())
        if (auto number = registers.find(phi.getIncomingValueForBlock(&block)))
          live.set(*number);
    }
    return live;
  };
  LiveWords result;
  // Walks a block from its end to its beginning.
  auto walk = [&](const BasicBlock &block, BitVector &live) {
    unsigned words = 0;
    for (unsigned number : live.set_bits())
      words += registers.getSize(number);
    for (const Instruction &instruction : reverse(block)) {
      result.most = std::max(result.most, words);
      if (auto *call = dyn_cast<CallBase>(&instruction);
          call && call->isConvergent())
        result.acrossBarriers = std::max(result.acrossBarriers, words);
      if (auto number = registers.getNumber(&instruction);
          number && live.test(*number)) {
        live.reset(*number);
        words -= registers.getSize(*number);
      }
      if (isa<PHINode>(instruction))
        continue;
      for (const Value *operand : instruction.operands())
        if (auto number = registers.find(operand);
            number && !live.test(*number)) {
          live.set(*number);
          words += registers.getSize(*number);
        }
    }
    result.most = std::max(result.most, words);
  };
  ReversePostOrderTraversal<const Function *> order(&function);
  SmallVector<const BasicBlock *> blocks(order.begin(), order.end());
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock *block : reverse(blocks)) {
      BitVector live = getLiveOut(*block);
      walk(*block, live);
      changed |= live != liveIn[block];
      liveIn[block] = std::move(live);
    }
  }
  return result;
}

/// The threads of a block of a kernel, or 0.
static uint64_t getThreads(const Function &kernel) {
  uint64_t threads = 1;
  SmallVector<StringRef, 3> sizes;
  kernel.getFnAttribute("nvvm.maxntid").getValueAsString().split(sizes, ',');
  for (StringRef size : sizes) {
    uint64_t number;
    if (size.trim().getAsInteger(10, number))
      return 0;
    threads *= number;
  }
  return threads;
}

/// The registers of a multiprocessor of a chip, or 0.
static uint64_t getRegisters(StringRef chip) {
  Expected<target::ChipFacts> known = target::describeNVIDIAChips(chip);
  if (!known) {
    consumeError(known.takeError());
    return 0;
  }
  return static_cast<uint64_t>(known->getFact("registers").value_or(0));
}

void coil::fitBlocksToRegisters(Module &module, StringRef chip) {
  for (Function &kernel : module) {
    uint64_t blocks = kernel.getFnAttributeAsParsedInteger(kBlocks, 0);
    uint64_t threads = getThreads(kernel);
    if (kernel.isDeclaration() || blocks <= 1 || threads == 0)
      continue;
    uint64_t registers = getRegisters(chip);
    if (registers == 0)
      return;
    // ptxas gives registers by eights.
    auto most = static_cast<double>(registers / (blocks * threads) / 8 * 8);
    LiveWords live = countLiveWords(kernel);
    auto words = static_cast<double>(live.most);
    if (words <= kSpilling * most || live.acrossBarriers + kOthers <= most)
      continue;
    auto fit = static_cast<uint64_t>(static_cast<double>(registers / threads) /
                                     (kKept * words));
    kernel.addFnAttr(kBlocks, utostr(std::clamp<uint64_t>(fit, 1, blocks)));
  }
}
