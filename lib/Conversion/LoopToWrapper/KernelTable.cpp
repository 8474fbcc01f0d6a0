//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The distinct kernels of a module.
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"

#include "coil/Dialect/Loop/Analysis/InPlace.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

size_t KernelTable::HashKey::operator()(const Key &key) const {
  return llvm::hash_combine_range(key.begin(), key.end());
}

/// A C identifier with a number, so that it is no function of a library.
std::string KernelTable::makeName(StringRef name) {
  constexpr size_t kMaxLength = 80;
  std::string result;
  for (char c : name.take_front(kMaxLength))
    result += llvm::isAlnum(c) ? c : '_';
  if (result.empty() || llvm::isDigit(result.front()))
    result = "kernel" + result;
  return result + "_" + std::to_string(kernels.size() - 1);
}

/// The symbols that a kernel and its layouts mention, by name.
static SmallVector<StringAttr> getSymbols(loop::KernelOp kernel,
                                          ArrayRef<sym::ShapeAttr> strides) {
  llvm::SetVector<StringAttr> found;
  MLIRContext *ctx = kernel.getContext();
  AttrTypeWalker walker;
  walker.addWalk([&](ExprAttr e) {
    if (e.isSymbol())
      found.insert(StringAttr::get(ctx, e.getName()));
  });
  walker.walk(kernel.getDimsAttr());
  for (sym::ShapeAttr s : strides)
    walker.walk(s);
  for (Type type : kernel->getOperandTypes())
    walker.walk(type);
  for (Type type : kernel->getResultTypes())
    walker.walk(type);
  for (Operation &op : *kernel.getBlock()) {
    if (auto load = dyn_cast<loop::LoadOp>(op))
      walker.walk(load.getIndicesAttr());
    else if (auto store = dyn_cast<loop::StoreOp>(op))
      walker.walk(store.getIndicesAttr());
    else if (auto index = dyn_cast<loop::IndexOp>(op))
      walker.walk(index.getExprAttr());
    else if (auto scatter = dyn_cast<loop::ScatterOp>(op))
      walker.walk(scatter.getIndicesAttr());
    else if (auto sum = dyn_cast<loop::SegmentSumOp>(op))
      walker.walk(sum.getIndicesAttr());
  }
  SmallVector<StringAttr> symbols = found.takeVector();
  llvm::sort(symbols, [](StringAttr a, StringAttr b) {
    return a.getValue() < b.getValue();
  });
  return symbols;
}

KernelOp KernelTable::getOrCreate(loop::KernelOp kernel, DeviceAttr device,
                                  ArrayRef<sym::ShapeAttr> inputStrides,
                                  ArrayRef<sym::ShapeAttr> outputStrides,
                                  ArrayRef<int64_t> alignment,
                                  DictionaryAttr ranges) {
  SmallVector<sym::ShapeAttr> strides(inputStrides);
  llvm::append_range(strides, outputStrides);
  SmallVector<StringAttr> symbols = getSymbols(kernel, strides);
  SmallVector<NamedAttribute> known;
  if (ranges)
    for (StringAttr s : symbols)
      if (Attribute range = ranges.get(s))
        known.push_back({s, range});
  DictionaryAttr knownRanges = builder.getDictionaryAttr(known);

  // All that makes up a kernel is uniqued, so that pointers stand for it.
  Key key;
  auto add = [&](const void *p) { key.push_back(p); };
  add(device.getAsOpaquePointer());
  add(kernel.getDimsAttr().getAsOpaquePointer());
  add(kernel.getConvAttr().getAsOpaquePointer());
  add(kernel.getScheduleAttr().getAsOpaquePointer());
  add(kernel->getDiscardableAttrDictionary().getAsOpaquePointer());
  add(knownRanges.getAsOpaquePointer());
  auto alignments =
      alignment.empty() ? nullptr : builder.getDenseI64ArrayAttr(alignment);
  add(alignments.getAsOpaquePointer());
  for (sym::ShapeAttr s : strides)
    add(s.getAsOpaquePointer());
  for (Type type : kernel->getOperandTypes())
    add(type.getAsOpaquePointer());
  add(nullptr);
  for (Type type : kernel->getResultTypes())
    add(type.getAsOpaquePointer());
  llvm::DenseMap<Value, size_t> numbers;
  auto define = [&](Value v) { numbers.try_emplace(v, numbers.size()); };
  for (BlockArgument arg : kernel.getBlock()->getArguments())
    define(arg);
  for (Operation &op : *kernel.getBlock()) {
    add(nullptr);
    add(op.getName().getAsOpaquePointer());
    add(op.getAttrDictionary().getAsOpaquePointer());
    for (Value v : op.getOperands())
      add(reinterpret_cast<const void *>(numbers.lookup(v) + 1));
    for (Value v : op.getResults()) {
      add(v.getType().getAsOpaquePointer());
      define(v);
    }
  }
  KernelOp &entry = kernels[std::move(key)];
  if (entry)
    return entry;

  SmallVector<int64_t> inPlace;
  for (auto [i, o] : loop::getInPlacePairs(kernel, inputStrides, outputStrides))
    inPlace.append({i, o});
  Location loc = kernel.getLoc();
  auto toArray = [&](ArrayRef<sym::ShapeAttr> list) {
    return builder.getArrayAttr(
        SmallVector<Attribute>(list.begin(), list.end()));
  };
  OperationState state(loc, KernelOp::getOperationName());
  auto &properties = state.getOrAddProperties<KernelOp::Properties>();
  properties.sym_name = builder.getStringAttr(makeName(kernel.getName()));
  properties.input_strides = toArray(inputStrides);
  properties.output_strides = toArray(outputStrides);
  properties.symbols = builder.getArrayAttr(
      SmallVector<Attribute>(symbols.begin(), symbols.end()));
  if (!inPlace.empty())
    properties.in_place = builder.getDenseI64ArrayAttr(inPlace);
  properties.alignment = alignments;
  if (device.getKind() != "cpu" || device.getIndex() != 0)
    properties.device = device;
  if (!known.empty())
    state.addAttribute(sym::kSymbolsAttrName, knownRanges);
  Block *block = new Block;
  state.addRegion()->push_back(block);
  entry = cast<KernelOp>(builder.create(state));

  IRMapping mapping;
  for (Value v : kernel.getInputs()) {
    BlockArgument arg = block->addArgument(v.getType(), v.getLoc());
    mapping.map(v, arg);
  }
  OpBuilder body = OpBuilder::atBlockEnd(block);
  auto clone = cast<loop::KernelOp>(body.clone(*kernel, mapping));
  // An operand that is given twice is two inputs.
  for (auto [i, arg] : llvm::enumerate(block->getArguments()))
    clone->setOperand(static_cast<unsigned>(i), arg);
  YieldOp::create(body, loc, clone.getResults());
  return entry;
}
