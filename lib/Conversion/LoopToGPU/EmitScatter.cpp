//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scatters of a GPU kernel. Points are parallel and elements change atomically:
// by an instruction where there is one, several elements at a time where they
// lie next to each other, else by comparing and swapping the word that holds
// the element. With owners every thread goes through all points in order and
// changes its own elements only, without any atomic operation.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Conversion/Utils/Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// What a target has that adds vectors, and `bf16`, atomically.
static constexpr llvm::StringLiteral kVectorAtomics = "vector_atomics";

static unsigned bitWidth(Type scalar) {
  return std::max(8u, scalar.getIntOrFloatBitWidth());
}

static bool isHalf(Type scalar) { return scalar.isF16() || scalar.isBF16(); }

/// The operation that combines elements of a type atomically, if there is one.
static std::optional<LLVM::AtomicBinOp> getAtomic(ReduceKind kind,
                                                  Type scalar) {
  using Op = LLVM::AtomicBinOp;
  if (isa<FloatType>(scalar)) {
    if (kind == ReduceKind::Sum && (scalar.isF32() || scalar.isF64()))
      return Op::fadd;
    return std::nullopt;
  }
  if (!scalar.isInteger(32) && !scalar.isInteger(64))
    return std::nullopt;
  switch (kind) {
  case ReduceKind::Sum:
    return Op::add;
  case ReduceKind::Prod:
    return std::nullopt;
  case ReduceKind::Max:
    return Op::max;
  case ReduceKind::Min:
    return Op::min;
  case ReduceKind::UMax:
    return Op::umax;
  case ReduceKind::UMin:
    return Op::umin;
  case ReduceKind::Or:
    return Op::_or;
  case ReduceKind::And:
    return Op::_and;
  case ReduceKind::Xor:
    return Op::_xor;
  }
  llvm_unreachable("all kinds are handled");
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void GPUKernelEmitter::inlinePTX(StringRef text, StringRef constraints,
                                 ValueRange operands) {
  LLVM::InlineAsmOp::create(b, TypeRange(), operands, text, constraints,
                            /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                            ArrayAttr());
}

void GPUKernelEmitter::keepAhead(Value value) {
  Value memory = toMemory(value);
  auto type = dyn_cast<VectorType>(memory.getType());
  unsigned bits = bitWidth(type ? type.getElementType() : memory.getType());
  int64_t lanes = type ? type.getNumElements() : 1;
  bool isWide = bits == 64;
  SmallVector<Value> words;
  if (lanes * bits % 32 == 0 && type)
    words = toWords(memory, 0, lanes, isWide ? 64 : 32);
  else
    for (int64_t i = 0; i < lanes; ++i) {
      Value lane = LLVM::BitcastOp::create(b, b.getIntegerType(bits),
                                           type ? extract(memory, i) : memory);
      words.push_back(
          bits < 32 ? arith::ExtUIOp::create(b, b.getI32Type(), lane) : lane);
    }
  SmallVector<StringRef> constraints(words.size(), !facts.has(kPTX) ? "v"
                                                   : isWide         ? "l"
                                                                    : "r");
  inlinePTX("", llvm::join(constraints, ","), words);
}

SmallVector<Value> GPUKernelEmitter::toWords(Value vector, int64_t begin,
                                             int64_t count, unsigned bits) {
  SmallVector<Value> lanes;
  for (int64_t i = 0; i < count; ++i)
    lanes.push_back(extract(vector, begin + i));
  Type word = b.getIntegerType(bits);
  int64_t n = count * bitWidth(lanes[0].getType()) / bits;
  Value all =
      vector::BitCastOp::create(b, VectorType::get(n, word), fromLanes(lanes));
  SmallVector<Value> words;
  for (int64_t i = 0; i < n; ++i)
    words.push_back(extract(all, i));
  return words;
}

void GPUKernelEmitter::storeStrong(Value bits, Value pointer) {
  // Several points may write one element: no order, but no tearing either.
  auto store = LLVM::StoreOp::create(
      b, bits, pointer, bits.getType().getIntOrFloatBitWidth() / 8);
  store.setOrdering(LLVM::AtomicOrdering::monotonic);
  store.setSyncscope(getDeviceScope());
}

void GPUKernelEmitter::compareAndSwap(ReduceKind kind, Value value,
                                      Value pointer) {
  Type scalar = value.getType();
  unsigned bits = bitWidth(scalar);
  unsigned wordBits = std::max(32u, bits);
  auto word = b.getIntegerType(wordBits);
  Type integer = b.getIntegerType(bits);
  // A narrow element is a part of its word. The last word of a buffer may reach
  // over its end, but not over that of its memory.
  Value shift;
  if (bits < wordBits) {
    Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer);
    auto i64 = [&](int64_t v) -> Value {
      return arith::ConstantIntOp::create(b, b.getI64Type(), v);
    };
    Value part = arith::AndIOp::create(b, address, i64(3));
    Value back = arith::SubIOp::create(b, i64(0), part);
    pointer = LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                                  ArrayRef<LLVM::GEPArg>{back});
    shift = arith::ShLIOp::create(b, arith::TruncIOp::create(b, word, part),
                                  constantI32(3));
  }
  auto decode = [&](Value v) -> Value {
    if (shift)
      v = arith::TruncIOp::create(b, integer,
                                  arith::ShRUIOp::create(b, v, shift));
    if (scalar.isInteger(1))
      return fromMemory(v, scalar);
    if (isa<FloatType>(scalar))
      return arith::BitcastOp::create(b, scalar, v);
    return v;
  };
  auto encode = [&](Value v, Value old) -> Value {
    v = toMemory(v);
    if (isa<FloatType>(scalar))
      v = arith::BitcastOp::create(b, integer, v);
    if (!shift)
      return v;
    Value mask = arith::ShLIOp::create(b, constantI32((1 << bits) - 1), shift);
    Value others = arith::AndIOp::create(
        b, old, arith::XOrIOp::create(b, mask, constantI32(-1)));
    Value mine =
        arith::ShLIOp::create(b, arith::ExtUIOp::create(b, word, v), shift);
    return arith::OrIOp::create(b, others, mine);
  };
  // A first guess, which is right unless another thread is at it.
  auto first = LLVM::LoadOp::create(b, word, pointer, wordBits / 8);
  first.setOrdering(LLVM::AtomicOrdering::monotonic);
  first.setSyncscope(getDeviceScope());

  auto loop = scf::WhileOp::create(b, TypeRange{word}, ValueRange{first});
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, {word}, {b.getLoc()});
  Value old = before->getArgument(0);
  Value next = encode(combine(b, kind, decode(old), value), old);
  // Nothing to write where the element stays what it is, as most maxima do.
  Value changes = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, next, old);
  auto swap = scf::IfOp::create(b, TypeRange{b.getI1Type(), word}, changes,
                                /*withElseRegion=*/true);
  b.setInsertionPointToStart(swap.thenBlock());
  auto exchange = LLVM::AtomicCmpXchgOp::create(
      b, pointer, old, next, LLVM::AtomicOrdering::monotonic,
      LLVM::AtomicOrdering::monotonic, getDeviceScope());
  Value found = LLVM::ExtractValueOp::create(b, exchange, ArrayRef<int64_t>{0});
  Value swapped =
      LLVM::ExtractValueOp::create(b, exchange, ArrayRef<int64_t>{1});
  Value again = arith::XOrIOp::create(b, swapped, trueValue());
  scf::YieldOp::create(b, ValueRange{again, found});
  b.setInsertionPointToStart(swap.elseBlock());
  scf::YieldOp::create(
      b, ValueRange{arith::ConstantIntOp::create(b, b.getI1Type(), 0), old});
  b.setInsertionPointToEnd(before);
  scf::ConditionOp::create(b, swap.getResult(0), swap.getResult(1));
  Block *after = b.createBlock(&loop.getAfter(), {}, {word}, {b.getLoc()});
  scf::YieldOp::create(b, after->getArguments());
}

void GPUKernelEmitter::scatterElement(ScatterOp scatter, Value value,
                                      Value pointer) {
  Type scalar = value.getType();
  Type memory = getMemoryType(scalar);
  unsigned bits = bitWidth(scalar);
  std::optional<ReduceKind> kind = scatter.getKind();
  if (owners > 0 || scatter.getDims().empty()) {
    // No other thread writes the element.
    if (kind) {
      Value old = LLVM::LoadOp::create(b, memory, pointer, bits / 8);
      value = combine(b, *kind, fromMemory(old, scalar), value);
    }
    LLVM::StoreOp::create(b, toMemory(value), pointer, bits / 8);
    return;
  }
  if (!kind) {
    value = toMemory(value);
    if (isa<FloatType>(value.getType()))
      value = arith::BitcastOp::create(b, b.getIntegerType(bits), value);
    storeStrong(value, pointer);
    return;
  }
  if (std::optional<LLVM::AtomicBinOp> atomic = getAtomic(*kind, scalar)) {
    LLVM::AtomicRMWOp::create(b, *atomic, pointer, value,
                              LLVM::AtomicOrdering::monotonic,
                              getDeviceScope());
    return;
  }
  if (*kind == ReduceKind::Sum && facts.has(kPTX) &&
      (scalar.isF16() || (scalar.isBF16() && facts.has(kVectorAtomics)))) {
    Value word = arith::BitcastOp::create(b, b.getI16Type(), value);
    inlinePTX(scalar.isF16()
                  ? "red.relaxed.gpu.global.add.noftz.f16 [$0], $1;"
                  : "red.relaxed.gpu.global.add.noftz.bf16 [$0], $1;",
              "l,h", {pointer, word});
    return;
  }
  compareAndSwap(*kind, value, pointer);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// `red` of several words: `[$0], {$1, $2, ...};`.
static void formatOperands(std::string &text, std::string &constraints,
                           size_t words, StringRef constraint) {
  text += " [$0], ";
  constraints = "l";
  if (words > 1)
    text += "{";
  for (size_t i = 1; i <= words; ++i) {
    text += (i > 1 ? ", $" : "$") + std::to_string(i);
    constraints += "," + constraint.str();
  }
  text += words > 1 ? "};" : ";";
}

void GPUKernelEmitter::scatterVector(ScatterOp scatter, Value value,
                                     Value pointer, int64_t alignment) {
  Type scalar = scatter.getValue().getType();
  Type memory = getMemoryType(scalar);
  int64_t bytes = bitWidth(scalar) / 8;
  std::optional<ReduceKind> kind = scatter.getKind();
  bool isSum = kind == ReduceKind::Sum;
  // How many lanes one access takes.
  int64_t piece = std::min(alignment, kAccessBytes / bytes);
  bool isAlone = owners > 0 || scatter.getDims().empty();
  if (!isAlone && kind) {
    bool hasVectors = facts.has(kVectorAtomics);
    if (!isSum || !(scalar.isF32() || isHalf(scalar)))
      piece = 1;
    else if (!hasVectors)
      piece =
          scalar.isF16() && facts.has(kPTX) ? std::min<int64_t>(piece, 2) : 1;
  }
  for (int64_t begin = 0; begin < width; begin += piece) {
    Value at = advance(pointer, memory, begin);
    if (piece == 1) {
      scatterElement(scatter, extract(value, begin), at);
      continue;
    }
    unsigned aligned = static_cast<unsigned>(piece * bytes);
    if (isAlone) {
      SmallVector<Value> lanes;
      for (int64_t i = 0; i < piece; ++i)
        lanes.push_back(extract(value, begin + i));
      Value part = fromLanes(lanes);
      if (kind) {
        Value old = LLVM::LoadOp::create(b, VectorType::get(piece, memory), at,
                                         aligned);
        part = combine(b, *kind, fromMemory(old, scalar), part);
      }
      LLVM::StoreOp::create(b, toMemory(part), at, aligned);
      continue;
    }
    std::string text, constraints;
    SmallVector<Value> operands{at};
    if (!kind) {
      unsigned bits = std::min(64u, aligned * 8);
      SmallVector<Value> words = toWords(toMemory(value), begin, piece, bits);
      if (words.size() == 1) {
        storeStrong(words[0], at);
        continue;
      }
      text = "st.relaxed.gpu.global.v2.b64";
      formatOperands(text, constraints, words.size(), "l");
      llvm::append_range(operands, words);
    } else if (scalar.isF32()) {
      for (int64_t i = 0; i < piece; ++i)
        operands.push_back(extract(value, begin + i));
      text = "red.relaxed.gpu.global.add.v" + std::to_string(piece) + ".f32";
      formatOperands(text, constraints, static_cast<size_t>(piece), "f");
    } else {
      SmallVector<Value> words = toWords(value, begin, piece, 32);
      text = "red.relaxed.gpu.global.add.noftz.";
      if (words.size() > 1)
        text += "v" + std::to_string(words.size()) + ".";
      text += scalar.isF16() ? "f16x2" : "bf16x2";
      formatOperands(text, constraints, words.size(), "r");
      llvm::append_range(operands, words);
    }
    inlinePTX(text, constraints, operands);
  }
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

Value GPUKernelEmitter::isOwner(ScatterOp scatter, Value pointer, unsigned ip) {
  Value owner = pItems[ip].owner;
  if (!owner)
    return {};
  // The element's number, scattered by a multiplication whose high bits depend
  // on all of its bits: rows are apart by multiples of powers of two.
  unsigned number =
      static_cast<unsigned>(kernel.getInputs().size() + scatter.getOutput());
  Type i64 = b.getI64Type();
  Value distance =
      arith::SubIOp::create(b, LLVM::PtrToIntOp::create(b, i64, pointer),
                            LLVM::PtrToIntOp::create(b, i64, buffers[number]));
  constexpr int64_t kGolden = -0x61c8864680b583ebLL;
  Value mixed = arith::MulIOp::create(
      b, distance, arith::ConstantIntOp::create(b, i64, kGolden));
  unsigned bits = llvm::Log2_64(static_cast<uint64_t>(owners));
  Value hash = arith::ShRUIOp::create(
      b, mixed, arith::ConstantIntOp::create(b, i64, 64 - bits));
  if (indexBits == 32)
    hash = arith::TruncIOp::create(b, indexType, hash);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, hash, owner);
}

void GPUKernelEmitter::emitScatterCopy(ScatterOp scatter,
                                       const LaneAddress &address, unsigned ip,
                                       unsigned ir) {
  unsigned number =
      static_cast<unsigned>(kernel.getInputs().size() + scatter.getOutput());
  Type memory = getMemoryType(scatter.getValue().getType());
  ArrayRef<ExprAttr> indices = scatter.getIndices().getDims();
  auto isVector = [&](Value v) { return form.isVector(v); };
  bool vectorArgs = llvm::any_of(scatter.getArgs(), isVector);
  // A point of the vector dimension is a lane whatever the access looks like.
  bool hasLanes = width > 1;
  Condition c =
      getCondition(/*overP=*/true, !reducedDims.empty(), ip, ir, hasLanes);
  Value value = lookup(scatter.getValue(), ip, ir);
  auto atLane = [&](Value v, int64_t lane) {
    return extract(lookup(v, ip, ir), lane);
  };
  auto lane = [&](int64_t i, Value active) {
    SmallVector<Value> args;
    for (Value v : scatter.getArgs())
      args.push_back(atLane(v, i));
    emitBounds(indices, scatter.getTarget(), scatter.getBounds(), args, active);
    (void)emitIf(active, [&]() {
      Value pointer =
          elementPointer(number, memory, address.full, ip, ir, args, i);
      return emitIf(isOwner(scatter, pointer, ip), [&]() {
        scatterElement(scatter, extract(value, i), pointer);
        return success();
      });
    });
  };
  auto lanes = [&](const Condition &condition) {
    for (int64_t i = 0; i < (hasLanes ? width : 1); ++i)
      lane(i, condition.lanes ? extract(condition.lanes, i) : condition.active);
    return success();
  };
  if (!hasLanes || !address.isContiguous() || vectorArgs) {
    (void)lanes(c);
    return;
  }
  // All lanes have the same indirect indices: one check is enough. What is
  // added should be under way while an index is waited for.
  auto whole = [&](Value active) {
    if (!scatter.getArgs().empty())
      keepAhead(value);
    SmallVector<Value> args;
    for (Value v : scatter.getArgs())
      args.push_back(lookup(v, ip, ir));
    emitBounds(indices, scatter.getTarget(), scatter.getBounds(), args, active);
    return emitIf(active, [&]() {
      Value pointer =
          elementPointer(number, memory, address.base, ip, ir, args, 0);
      return emitIf(isOwner(scatter, pointer, ip), [&]() {
        scatterVector(scatter, broadcast(value), pointer, address.alignment);
        return success();
      });
    });
  };
  if (!c.lanes) {
    (void)whole(c.active);
    return;
  }
  if (!c.full) {
    (void)lanes(c);
    return;
  }
  (void)emitIf(c.full, [&]() { return whole(Value()); });
  Value notFull = arith::XOrIOp::create(b, c.full, trueValue());
  (void)emitIf(notFull, [&]() { return lanes(c); });
}

LogicalResult GPUKernelEmitter::emitScatter(ScatterOp scatter) {
  LaneAddress address = form.getAddress(scatter);
  // Every point writes, whether its value is its own or not.
  forEachCopy(/*overP=*/true, !reducedDims.empty(),
              [&](unsigned ip, unsigned ir) {
                emitScatterCopy(scatter, address, ip, ir);
              });
  return success();
}
