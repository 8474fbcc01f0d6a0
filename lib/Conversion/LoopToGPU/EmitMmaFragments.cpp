//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a warp does with tiles in shared memory: it reads fragments of both
// factors, in the layout of its instruction, and adds their product to its
// sums.
//
//===----------------------------------------------------------------------===//

#include "MmaEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Threads that execute an instruction for matrices together (PTX ISA, "Warp
/// Level Matrix Instructions").
static constexpr int64_t kWarp = 32;
/// Threads of a warp along rows and columns for the instruction `fma`.
static constexpr int64_t kFmaRows = 4, kFmaColumns = 8;

static int64_t log2(int64_t x) {
  return llvm::Log2_64(static_cast<uint64_t>(x));
}

/// Points along the sum that one step multiplies.
static int64_t getStepK(MmaInstruction instruction, int64_t chunk) {
  switch (instruction) {
  case MmaInstruction::M16N8K16:
  case MmaInstruction::Wgmma:
    return 16;
  case MmaInstruction::M16N8K8:
    return 8;
  case MmaInstruction::M8N8K4:
    return 4;
  case MmaInstruction::Fma:
    return chunk;
  }
  llvm_unreachable("all instructions are handled");
}

int64_t MmaEmitter::getNumSteps() const {
  return mma.getK() / mma.getWarpsK() /
         getStepK(mma.getInstruction(), a.form->getChunk());
}

int64_t MmaEmitter::getThreadItems(const Factor &f) const {
  return f.warpTile / (f.isA ? kFmaRows : kFmaColumns);
}

int64_t MmaEmitter::getRun(const Factor &f) const {
  return f.form->alongK ? 1 : std::min(f.form->getChunk(), getThreadItems(f));
}

namespace {
/// An element of a tile: its own point and the summed one, for code being made
/// (Value) and for numbers.
template <typename T>
struct Point {
  T own, k;
};
} // namespace

/// Bits `from` to `to` of `x`, moved to `at`.
static int64_t field(int64_t x, int64_t from, int64_t to, int64_t at) {
  return ((x >> from) & ((int64_t(1) << (to - from)) - 1)) << at;
}
static Value field(Bits bits, Value x, int64_t from, int64_t to, int64_t at) {
  return bits.shl(bits.low(bits.shr(x, from), int64_t(1) << (to - from)), at);
}

namespace {
/// How the lane's bits choose its element: fields of the lane, moved.
struct LaneField {
  int64_t from, to, at;
  bool isOwn;
};
} // namespace

/// The element whose address a lane has, in the first fragment of a warp.
static SmallVector<LaneField>
getLaneFields(MmaInstruction instruction, bool isA, bool alongK, int64_t run) {
  switch (instruction) {
  case MmaInstruction::M16N8K16:
    // Lane 8 * i + r has row r of matrix i of four. Matrices go along the own
    // dimension first for `a`, along the sum first for `b`.
    if (isA)
      return alongK ? SmallVector<LaneField>{{0, 4, 0, true}, {4, 5, 3, false}}
                    : SmallVector<LaneField>{
                          {0, 3, 0, false}, {4, 5, 3, false}, {3, 4, 3, true}};
    return alongK ? SmallVector<LaneField>{{0, 3, 0, true},
                                           {4, 5, 3, true},
                                           {3, 4, 3, false}}
                  : SmallVector<LaneField>{{0, 4, 0, false}, {4, 5, 3, true}};
  case MmaInstruction::M16N8K8:
    // The same matrices, of 32 bits and half as wide. They cannot be transposed
    // on the way: a lane then reads words of its own.
    if (!alongK)
      return {{0, 2, 0, false}, {2, 5, 0, true}};
    return isA ? SmallVector<LaneField>{{0, 4, 0, true}, {4, 5, 2, false}}
               : SmallVector<LaneField>{
                     {0, 3, 0, true}, {4, 5, 3, true}, {3, 4, 2, false}};
  case MmaInstruction::M8N8K4:
    return {{0, 2, 0, false}, {2, 5, 0, true}};
  case MmaInstruction::Fma:
    return {isA ? LaneField{3, 5, log2(run), true}
                : LaneField{0, 3, log2(run), true}};
  case MmaInstruction::Wgmma:
    return {};
  }
  llvm_unreachable("all instructions are handled");
}

void MmaEmitter::prepareFragments() {
  lane = bits.low(threadId, kWarp);
  Value warp = bits.shr(threadId, log2(kWarp));
  warpM = bits.low(warp, mma.getWarpsM());
  warp = bits.shr(warp, log2(mma.getWarpsM()));
  warpN = bits.low(warp, mma.getWarpsN());
  warpK = bits.shr(warp, log2(mma.getWarpsN()));
  if (isWgmma()) {
    // Four warps have the same part of each factor.
    for (Factor *f : {&a, &bFactor}) {
      Value own = f->isA ? bits.shl(bits.shr(warpM, 2), 6)
                         : bits.shl(warpN, log2(f->warpTile));
      Value zero = bits.constant(0);
      (f->isA ? fragmentA : fragmentB).first =
          f->form->alongK ? f->places.emit(bits, own, zero)
                          : f->places.emit(bits, zero, own);
    }
    return;
  }
  int64_t warpPartK = mma.getK() / mma.getWarpsK();
  for (Factor *f : {&a, &bFactor}) {
    ThreadPlace &place = f->isA ? fragmentA : fragmentB;
    int64_t warps = f->isA ? mma.getWarpsM() : mma.getWarpsN();
    auto at = [&](Point<int64_t> p) {
      return f->form->alongK ? f->places.get(p.own, p.k)
                             : f->places.get(p.k, p.own);
    };
    Point<Value> p{bits.shl(f->isA ? warpM : warpN, log2(f->warpTile)),
                   bits.shl(warpK, log2(warpPartK))};
    SmallVector<LaneField> fields = getLaneFields(mma.getInstruction(), f->isA,
                                                  f->form->alongK, getRun(*f));
    for (const LaneField &part : fields) {
      Value moved = field(bits, lane, part.from, part.to, part.at);
      Value &to = part.isOwn ? p.own : p.k;
      to = bits.join(to, moved);
    }
    place.first = f->form->alongK ? f->places.emit(bits, p.own, p.k)
                                  : f->places.emit(bits, p.k, p.own);
    // Every bit that a thread's number sets.
    for (int64_t bit = 1; bit < warps; bit *= 2)
      place.used |= at({bit * f->warpTile, 0});
    for (int64_t bit = 1; bit < mma.getWarpsK(); bit *= 2)
      place.used |= at({0, bit * warpPartK});
    for (int64_t bit = 1; bit < kWarp; bit *= 2)
      for (const LaneField &part : fields) {
        int64_t moved = field(bit, part.from, part.to, part.at);
        place.used |= part.isOwn ? at({moved, 0}) : at({0, moved});
      }
    // Steps of a loop flip bits like threads do.
    if (mma.getInstruction() == MmaInstruction::Fma) {
      int64_t step = getStepK(mma.getInstruction(), f->form->getChunk());
      for (int64_t bit = 1; bit < getNumSteps(); bit *= 2)
        place.used |= at({0, bit * step});
    }
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Bytes that a constant distance flips in a thread's place and those to add.
static std::pair<int64_t, int64_t> split(const ThreadPlace &place,
                                         int64_t distance) {
  return {distance & place.used, distance & ~place.used};
}

MmaEmitter::Values MmaEmitter::loadMatrices(Factor &f, int64_t step,
                                            Value slot) {
  const ThreadPlace &place = f.isA ? fragmentA : fragmentB;
  bool alongK = f.form->alongK;
  int64_t stepK = getStepK(mma.getInstruction(), f.form->getChunk());
  Type word = b.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                               {word, word, word, word});
  Values result;
  for (int64_t own = 0; own < f.warpTile; own += 16) {
    auto [flip, add] = split(place, alongK ? f.places.get(own, step * stepK)
                                           : f.places.get(step * stepK, own));
    Value pointer =
        sharedAt(arith::AddIOp::create(b, bits.flip(place.first, flip), slot),
                 f.offset + add);
    auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
    Value matrices = NVVM::LdMatrixOp::create(
        b, type, pointer, /*num=*/4,
        alongK ? NVVM::MMALayout::row : NVVM::MMALayout::col, shape,
        NVVM::LdStMatrixEltType::B16);
    for (int64_t i = 0; i < 4; ++i)
      result.push_back(LLVM::ExtractValueOp::create(b, matrices, i));
  }
  return result;
}

/// What loadMatrices gives of a tile of words whose rows are summed points.
MmaEmitter::Values MmaEmitter::loadWords(Factor &f, int64_t step, Value slot) {
  const ThreadPlace &place = f.isA ? fragmentA : fragmentB;
  Values result;
  for (int64_t own = 0; own < f.warpTile; own += 16)
    for (int64_t i = 0; i < 4; ++i) {
      // Matrices go along the own dimension first for `a`, else along the sum.
      int64_t inOwn = f.isA ? i % 2 * 8 : i / 2 * 8;
      int64_t inK = f.isA ? i / 2 * 4 : i % 2 * 4;
      auto [flip, add] =
          split(place, f.places.get(step * 8 + inK, own + inOwn));
      Value pointer =
          sharedAt(arith::AddIOp::create(b, bits.flip(place.first, flip), slot),
                   f.offset + add);
      result.push_back(LLVM::LoadOp::create(b, b.getI32Type(), pointer, 4));
    }
  return result;
}

MmaEmitter::Values MmaEmitter::loadDoubles(Factor &f, int64_t step,
                                           Value slot) {
  const ThreadPlace &place = f.isA ? fragmentA : fragmentB;
  Values result;
  for (int64_t own = 0; own < f.warpTile; own += 8) {
    auto [flip, add] =
        split(place, f.form->alongK ? f.places.get(own, step * 4)
                                    : f.places.get(step * 4, own));
    Value pointer =
        sharedAt(arith::AddIOp::create(b, bits.flip(place.first, flip), slot),
                 f.offset + add);
    result.push_back(LLVM::LoadOp::create(b, f.form->element, pointer, 8));
  }
  return result;
}

MmaEmitter::Values MmaEmitter::loadVectors(Factor &f, Value step, Value slot) {
  const ThreadPlace &place = f.isA ? fragmentA : fragmentB;
  bool alongK = f.form->alongK;
  int64_t chunk = f.form->getChunk(), run = getRun(f);
  int64_t items = getThreadItems(f), lanes = f.warpTile / items;
  // The step's part of the place.
  Value zero = bits.constant(0), k = bits.shl(step, log2(chunk));
  Value ofStep =
      alongK ? f.places.emit(bits, zero, k) : f.places.emit(bits, k, zero);
  Value first = bits.flip(place.first, ofStep);
  auto load = [&](int64_t own, int64_t inK, int64_t elements) -> Value {
    auto [flip, add] =
        split(place, alongK ? f.places.get(own, inK) : f.places.get(inK, own));
    Value pointer = sharedAt(
        arith::AddIOp::create(b, bits.flip(first, flip), slot), f.offset + add);
    Type type = f.form->element;
    if (elements > 1)
      type = VectorType::get(elements, type);
    return LLVM::LoadOp::create(
        b, type, pointer, static_cast<unsigned>(elements * f.form->getBytes()));
  };
  // As [item][k].
  Values result(static_cast<size_t>(items * chunk));
  auto put = [&](int64_t item, int64_t inK, Value v) {
    result[static_cast<size_t>(item * chunk + inK)] = v;
  };
  for (int64_t item = 0; item < items; item += run) {
    if (alongK) {
      Value v = load(item * lanes, 0, chunk);
      for (int64_t i = 0; i < chunk; ++i)
        put(item, i, e.extract(v, i));
      continue;
    }
    for (int64_t inK = 0; inK < chunk; ++inK) {
      Value v = load(item * lanes, inK, run);
      for (int64_t i = 0; i < run; ++i)
        put(item + i, inK, e.extract(v, i));
    }
  }
  return result;
}

MmaEmitter::Fragments MmaEmitter::loadFragments(int64_t step, Value slot) {
  if (mma.getInstruction() == MmaInstruction::M16N8K16)
    return {loadMatrices(a, step, slot), loadMatrices(bFactor, step, slot)};
  if (mma.getInstruction() == MmaInstruction::M16N8K8) {
    auto load = [&](Factor &f) {
      return f.form->alongK ? loadMatrices(f, step, slot)
                            : loadWords(f, step, slot);
    };
    return {load(a), load(bFactor)};
  }
  return {loadDoubles(a, step, slot), loadDoubles(bFactor, step, slot)};
}

MmaEmitter::Fragments MmaEmitter::loadFragments(Value step, Value slot) {
  return {loadVectors(a, step, slot), loadVectors(bFactor, step, slot)};
}

//===----------------------------------------------------------------------===//
// Multiplying
//===----------------------------------------------------------------------===//

/// Results of one instruction that a thread has.
static int64_t getResultsOfThread(MmaInstruction instruction) {
  switch (instruction) {
  case MmaInstruction::M16N8K16:
  case MmaInstruction::M16N8K8:
  case MmaInstruction::Wgmma:
    return 4;
  case MmaInstruction::M8N8K4:
    return 2;
  case MmaInstruction::Fma:
    return 1;
  }
  llvm_unreachable("all instructions are handled");
}

MmaEmitter::Values MmaEmitter::getZeroSums() {
  int64_t count = a.warpTile * bFactor.warpTile / kWarp;
  Values sums(static_cast<size_t>(count), e.zero(sumType));
  if (!isWgmma())
    return sums;
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(sums.size(), sumType));
  Value all = LLVM::UndefOp::create(b, type);
  for (auto [i, v] : llvm::enumerate(sums))
    all = LLVM::InsertValueOp::create(b, all, v,
                                      ArrayRef{static_cast<int64_t>(i)});
  return {all};
}

void MmaEmitter::splitSums(Values &sums) {
  if (!isWgmma())
    return;
  Value all = sums.front();
  sums.clear();
  for (int64_t i = 0; i < a.warpTile * bFactor.warpTile / kWarp; ++i)
    sums.push_back(LLVM::ExtractValueOp::create(b, all, i));
}

Value MmaEmitter::getDescriptor(Factor &f, Value slot) {
  // Address, distance of panels, distance of eight rows, and the permutation of
  // chunks in rows of 128 bytes; distances count 16 bytes.
  constexpr int64_t kRowBytes = 128, kSwizzle128 = 1;
  const ThreadPlace &place = f.isA ? fragmentA : fragmentB;
  int64_t panels = f.form->alongK ? 16 : f.places.getPanelBytes();
  uint64_t fixed = static_cast<uint64_t>(panels / 16) << 16 |
                   static_cast<uint64_t>(8 * kRowBytes / 16) << 32 |
                   static_cast<uint64_t>(kSwizzle128) << 62;
  Value pointer =
      sharedAt(arith::AddIOp::create(b, place.first, slot), f.offset);
  Type wide = b.getI64Type();
  Value address = LLVM::PtrToIntOp::create(b, wide, pointer);
  auto constant = [&](uint64_t x) -> Value {
    return arith::ConstantIntOp::create(b, wide, static_cast<int64_t>(x));
  };
  address = arith::AndIOp::create(b, address, constant((1 << 18) - 1));
  address = arith::ShRUIOp::create(b, address, constant(4));
  return arith::OrIOp::create(b, address, constant(fixed));
}

void MmaEmitter::multiplyTile(Value slot, Values &sums) {
  MLIRContext *ctx = b.getContext();
  auto factorType = NVVM::WGMMATypesAttr::get(ctx, a.form->element.isBF16()
                                                       ? NVVM::WGMMATypes::bf16
                                                       : NVVM::WGMMATypes::f16);
  auto sumsType = NVVM::WGMMATypesAttr::get(ctx, NVVM::WGMMATypes::f32);
  auto shape =
      NVVM::MMAShapeAttr::get(ctx, 64, static_cast<int>(bFactor.warpTile), 16);
  auto one = NVVM::WGMMAScaleInAttr::get(ctx, NVVM::WGMMAScaleIn::one);
  // The second factor's layout names its rows, which are summed points.
  auto layout = [&](const Factor &f) {
    bool isRow = f.form->alongK == f.isA;
    return NVVM::MMALayoutAttr::get(ctx, isRow ? NVVM::MMALayout::row
                                               : NVVM::MMALayout::col);
  };
  Value first[2] = {getDescriptor(a, slot), getDescriptor(bFactor, slot)};
  NVVM::WgmmaFenceAlignedOp::create(b);
  Value all = sums.front();
  for (int64_t step = 0; step < getNumSteps(); ++step) {
    Value descriptors[2];
    for (Factor *f : {&a, &bFactor}) {
      // Along rows, or sixteen rows on.
      int64_t bytes = f->form->alongK ? 32 : 16 * 128;
      descriptors[!f->isA] = arith::AddIOp::create(
          b, first[!f->isA],
          arith::ConstantIntOp::create(b, b.getI64Type(), step * bytes / 16));
    }
    all = NVVM::WgmmaMmaAsyncOp::create(
        b, all.getType(), all, descriptors[0], descriptors[1], shape,
        factorType, factorType, sumsType,
        NVVM::WGMMAScaleOutAttr::get(ctx, NVVM::WGMMAScaleOut::one), one, one,
        layout(a), layout(bFactor), NVVM::MMAIntOverflowAttr());
  }
  NVVM::WgmmaGroupSyncAlignedOp::create(b);
  NVVM::WgmmaWaitGroupSyncOp::create(b, uint64_t(0));
  sums = {all};
}

void MmaEmitter::multiplyHalves(const Fragments &fragments, Values &sums) {
  bool isBrain = a.form->element.isBF16();
  auto types = isBrain ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  Type pair = VectorType::get(2, b.getF16Type());
  auto toRegisters = [&](ArrayRef<Value> words) {
    SmallVector<Value> registers(words);
    if (!isBrain)
      for (Value &v : registers)
        v = LLVM::BitcastOp::create(b, pair, v);
    return registers;
  };
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                               SmallVector<Type>(4, sumType));
  int64_t columns = bFactor.warpTile / 8;
  ArrayRef<Value> wordsA = fragments.a, wordsB = fragments.b;
  for (int64_t i = 0; i < a.warpTile / 16; ++i)
    for (int64_t n = 0; n < columns; ++n) {
      // Back and forth, so that neighbours share an operand.
      int64_t j = i % 2 ? columns - 1 - n : n;
      SmallVector<Value> left =
          toRegisters(wordsA.slice(static_cast<size_t>(i * 4), 4));
      SmallVector<Value> right =
          toRegisters(wordsB.slice(static_cast<size_t>(j * 2), 2));
      MutableArrayRef<Value> c(
          &sums[static_cast<size_t>((i * columns + j) * 4)], 4);
      Value result = NVVM::MmaOp::create(
          b, type, left, right, ValueRange(c), ArrayRef<int64_t>{16, 8, 16},
          std::nullopt, std::nullopt, std::array{types, types},
          std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
      for (int64_t r = 0; r < 4; ++r)
        c[static_cast<size_t>(r)] = LLVM::ExtractValueOp::create(b, result, r);
    }
}

void MmaEmitter::multiplyTF32(const Fragments &fragments, Values &sums) {
  // The instruction would cut the last bits off, which moves sums towards zero.
  auto round = [&](ArrayRef<Value> words) {
    Values result;
    for (Value word : words)
      result.push_back(NVVM::ConvertFloatToTF32Op::create(
          b, b.getI32Type(), LLVM::BitcastOp::create(b, b.getF32Type(), word),
          NVVM::FPRoundingMode::RNA));
    return result;
  };
  Values left = round(fragments.a), right = round(fragments.b);
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                               SmallVector<Type>(4, sumType));
  int64_t columns = bFactor.warpTile / 8;
  for (int64_t i = 0; i < a.warpTile / 16; ++i)
    for (int64_t n = 0; n < columns; ++n) {
      // Back and forth, so that neighbours share an operand.
      int64_t j = i % 2 ? columns - 1 - n : n;
      MutableArrayRef<Value> c(
          &sums[static_cast<size_t>((i * columns + j) * 4)], 4);
      Value result = NVVM::MmaOp::create(
          b, type, ArrayRef(left).slice(static_cast<size_t>(i * 4), 4),
          ArrayRef(right).slice(static_cast<size_t>(j * 2), 2), ValueRange(c),
          ArrayRef<int64_t>{16, 8, 8}, std::nullopt, std::nullopt,
          std::array{NVVM::MMATypes::tf32, NVVM::MMATypes::tf32},
          std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
      for (int64_t r = 0; r < 4; ++r)
        c[static_cast<size_t>(r)] = LLVM::ExtractValueOp::create(b, result, r);
    }
}

void MmaEmitter::multiplyDoubles(const Fragments &fragments, Values &sums) {
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {sumType, sumType});
  int64_t columns = bFactor.warpTile / 8;
  for (int64_t i = 0; i < a.warpTile / 8; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      MutableArrayRef<Value> c(
          &sums[static_cast<size_t>((i * columns + j) * 2)], 2);
      Value result = NVVM::MmaOp::create(
          b, type, ValueRange{fragments.a[static_cast<size_t>(i)]},
          ValueRange{fragments.b[static_cast<size_t>(j)]}, ValueRange(c),
          ArrayRef<int64_t>{8, 8, 4}, std::nullopt, std::nullopt,
          std::array{NVVM::MMATypes::f64, NVVM::MMATypes::f64},
          std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
      for (int64_t r = 0; r < 2; ++r)
        c[static_cast<size_t>(r)] = LLVM::ExtractValueOp::create(b, result, r);
    }
}

void MmaEmitter::multiplyVectors(const Fragments &fragments, Values &sums) {
  int64_t chunk = a.form->getChunk();
  int64_t rows = getThreadItems(a), columns = getThreadItems(bFactor);
  for (int64_t k = 0; k < chunk; ++k)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        Value left = fragments.a[static_cast<size_t>(i * chunk + k)];
        Value right = fragments.b[static_cast<size_t>(j * chunk + k)];
        Value &sum = sums[static_cast<size_t>(i * columns + j)];
        if (isa<FloatType>(sumType)) {
          Value product = arith::MulFOp::create(b, left, right);
          sum = arith::AddFOp::create(b, sum, product);
        } else {
          Value product = arith::MulIOp::create(b, left, right);
          sum = arith::AddIOp::create(b, sum, product);
        }
      }
}

void MmaEmitter::multiply(const Fragments &fragments, Values &sums) {
  switch (mma.getInstruction()) {
  case MmaInstruction::M16N8K16:
    return multiplyHalves(fragments, sums);
  case MmaInstruction::M16N8K8:
    return multiplyTF32(fragments, sums);
  case MmaInstruction::M8N8K4:
    return multiplyDoubles(fragments, sums);
  case MmaInstruction::Fma:
    return multiplyVectors(fragments, sums);
  case MmaInstruction::Wgmma:
    break;
  }
  llvm_unreachable("this instruction has no fragments");
}

//===----------------------------------------------------------------------===//
// Sums to shared memory
//===----------------------------------------------------------------------===//

int64_t MmaEmitter::getPitch() const {
  // Rows of a fragment below each other are in different banks.
  return mma.getN() + 2 * kChunkBytes / sumBytes;
}

void MmaEmitter::storeSums(ArrayRef<Value> sums) {
  int64_t pitch = getPitch();
  bool isFma = mma.getInstruction() == MmaInstruction::Fma;
  Value row = bits.shl(warpM, log2(a.warpTile));
  Value column = bits.shl(warpN, log2(bFactor.warpTile));
  int64_t runA = getRun(a), runB = getRun(bFactor);
  if (isFma) {
    row = bits.join(row, field(bits, lane, 3, 5, log2(runA)));
    column = bits.join(column, field(bits, lane, 0, 3, log2(runB)));
  } else {
    row = bits.join(row, bits.shr(lane, 2));
    column = bits.join(column, field(bits, lane, 0, 2, 1));
  }
  auto times = [&](Value x, int64_t by) -> Value {
    return arith::MulIOp::create(b, x, bits.constant(by));
  };
  Value first = arith::AddIOp::create(b, times(row, pitch), column);
  first = arith::AddIOp::create(b, first, times(warpK, mma.getM() * pitch));
  first = times(first, sumBytes);
  auto store = [&](int64_t atRow, int64_t atColumn, ArrayRef<Value> run) {
    Value v = run.size() == 1 ? run[0] : e.fromLanes(run);
    int64_t bytes = static_cast<int64_t>(run.size()) * sumBytes;
    LLVM::StoreOp::create(
        b, v, sharedAt(first, (atRow * pitch + atColumn) * sumBytes),
        static_cast<unsigned>(std::min(bytes, kChunkBytes)));
  };
  auto size = [](int64_t n) { return static_cast<size_t>(n); };
  if (isFma) {
    int64_t rows = getThreadItems(a), columns = getThreadItems(bFactor);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; j += runB)
        store(i / runA * runA * kFmaRows + i % runA, j * kFmaColumns,
              sums.slice(size(i * columns + j), size(runB)));
    return;
  }
  int64_t results = getResultsOfThread(mma.getInstruction());
  int64_t columns = bFactor.warpTile / 8, height = results * 4;
  for (int64_t i = 0; i < a.warpTile / height; ++i)
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t r = 0; r < results; r += 2)
        store(i * height + r / 2 * 8, j * 8,
              sums.slice(size((i * columns + j) * results + r), 2));
}
