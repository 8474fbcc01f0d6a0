//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives of PyTorch's functions become those of host programs: a start
// where the function was called, and a wait where its tensor was waited for.
//
//===----------------------------------------------------------------------===//

#include "Outliner.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "convert-loop-to-wrapper"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

static constexpr StringLiteral kNamespace = "_c10d_functional::";

bool Outliner::isCollective(graph::CustomCallOp op) {
  return op.getCallee().starts_with(kNamespace);
}

/// The argument of a name, or that at a position where there are no names.
static Attribute getArgument(graph::CustomCallOp op, StringRef name,
                             unsigned position) {
  if (ArrayAttr names = op.getNamesAttr()) {
    for (auto [each, argument] :
         llvm::zip(names.getAsValueRange<StringAttr>(), op.getArguments()))
      if (each == name)
        return argument;
    return {};
  }
  return position < op.getArguments().size() ? op.getArguments()[position]
                                             : Attribute();
}

/// Whether what a collective gives is used by waits of its own block alone, so
/// that others need not wait at once.
static bool isWaitedFor(graph::CustomCallOp op) {
  bool isHere = false;
  for (Operation *user : op.getResult(0).getUsers()) {
    auto wait = dyn_cast<graph::CustomCallOp>(user);
    if (!wait || wait.getCallee() != "_c10d_functional::wait_tensor" ||
        wait->getBlock() != op->getBlock())
      return false;
    isHere = true;
  }
  return isHere;
}

LogicalResult Outliner::convertCollective(graph::CustomCallOp op) {
  Location loc = op.getLoc();
  StringRef name = op.getCallee().drop_front(kNamespace.size());
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      op.getMutates().value_or(ArrayRef<int64_t>()).size() != 0)
    return op.emitError() << "the collective '" << name
                          << "' is not one of a tensor that gives another one";
  Value given = buffers.at(op.getOperand(0));
  if (name == "wait_tensor") {
    if (auto found = started.find(given); found != started.end()) {
      CollectiveOp collective = found->second;
      WaitOp::create(b, loc, collective.getSource(), collective.getTarget(),
                     collective.getToken());
      started.erase(found);
    }
    buffers[op.getResult(0)] = given;
    return success();
  }
  auto kind = llvm::StringSwitch<std::optional<CollectiveKind>>(name)
                  .Case("all_reduce", CollectiveKind::AllReduce)
                  .Case("all_gather_into_tensor", CollectiveKind::AllGather)
                  .Case("reduce_scatter_tensor", CollectiveKind::ReduceScatter)
                  .Case("all_to_all_single", CollectiveKind::AllToAll)
                  .Case("broadcast", CollectiveKind::Broadcast)
                  .Default(std::nullopt);
  if (!kind)
    return op.emitError() << "the collective '" << name << "' is not supported";
  unsigned last = *kind == CollectiveKind::ReduceScatter ||
                          *kind == CollectiveKind::AllToAll
                      ? 3
                      : 2;
  auto group =
      dyn_cast_or_null<StringAttr>(getArgument(op, "group_name", last));
  if (!group)
    return op.emitError() << "the collective '" << name << "' names no group";
  CollectiveReduceAttr reduce;
  if (*kind == CollectiveKind::AllReduce ||
      *kind == CollectiveKind::ReduceScatter) {
    auto text = dyn_cast_or_null<StringAttr>(getArgument(op, "reduce_op", 1));
    std::optional<CollectiveReduce> how =
        !text ? std::nullopt
        : text.getValue() == "product"
            ? CollectiveReduce::Prod
            : symbolizeCollectiveReduce(text.getValue());
    if (!how)
      return op.emitError() << "the collective '" << name
                            << "' combines elements in a way that is not "
                               "supported";
    reduce = CollectiveReduceAttr::get(b.getContext(), *how);
  }
  IntegerAttr root;
  if (*kind == CollectiveKind::Broadcast) {
    auto rank = dyn_cast_or_null<ExprAttr>(getArgument(op, "src", 1));
    if (!rank || !rank.isConstant())
      return op.emitError("a broadcast needs a rank that is a constant");
    root = b.getI64IntegerAttr(rank.getValue());
  }
  sym::ShapeAttr splits[2];
  if (*kind == CollectiveKind::AllToAll)
    for (auto [i, key, position] : {std::tuple(0, "input_split_sizes", 2u),
                                    std::tuple(1, "output_split_sizes", 1u)}) {
      auto list = dyn_cast_or_null<ArrayAttr>(getArgument(op, key, position));
      if (!list || list.empty()) // All of one size.
        continue;
      auto rows = llvm::to_vector(list.getAsRange<ExprAttr>());
      splits[i] = sym::ShapeAttr::get(b.getContext(), rows);
    }
  if (!splits[0] != !splits[1])
    return op.emitError("expected splits of both sides, or of none");
  remark::analysis(
      loc, remark::RemarkOpts::name("ProcessGroup").category(DEBUG_TYPE))
      << remark::add("works with the process group '{0}', which has to be "
                     "registered for '{1}' where the program runs",
                     group.getValue(), device.getKind());
  Value source = toDense(loc, op.getOperand(0));
  Value target = alloc(loc, op.getResult(0).getType());
  auto collective = CollectiveOp::create(
      b, loc, TokenType::get(b.getContext()),
      CollectiveKindAttr::get(b.getContext(), *kind), reduce, source, target,
      root, splits[0], splits[1], group);
  if (isWaitedFor(op))
    started[target] = collective;
  else
    WaitOp::create(b, loc, source, target, collective.getToken());
  buffers[op.getResult(0)] = target;
  return success();
}
