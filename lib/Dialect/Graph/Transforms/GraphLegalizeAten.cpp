//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites framework operators through the table of legalisations. Every op
// is visited once, in program order: handlers make ops that need no further
// legalisation, so there is nothing to iterate.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/AtenRegistry.h"
#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"

#include "coil/Dialect/Target/IR/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHLEGALIZEATENPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;

void graph::populateRefusals(AtenLegalizations &table) {
  table.add("_local_scalar_dense item", [](AtenCall &c) {
    return c.fail("its result is a number of the host program; the importer of "
                  "exported programs makes a symbol of it");
  });
}

/// Why an operator without an entry is left.
static std::string getDefaultReason(StringRef overload) {
  SmallVector<StringRef> parts;
  overload.split(parts, '.');
  if (parts[1].ends_with("_") && !parts[1].ends_with("__"))
    return "it updates its operand in place, which only the importer of "
           "exported programs resolves";
  return "there is no lowering for it";
}

/// Handlers rely on what the dialect's own ops demand of types.
static LogicalResult checkTypes(AtenCall &call) {
  auto check = [&](Type type) -> LogicalResult {
    if (!hasSizes(type))
      return call.fail("a dynamic size has no expression");
    Type element = cast<RankedTensorType>(type).getElementType();
    bool known = element.isF16() || element.isBF16() || element.isF32() ||
                 element.isF64() || element.isInteger(1) ||
                 isa<Float8E4M3FNType, Float8E5M2Type>(element);
    for (unsigned width : {8, 16, 32, 64})
      known |=
          element.isSignlessInteger(width) || element.isUnsignedInteger(width);
    if (known)
      return success();
    std::string name;
    llvm::raw_string_ostream(name) << element;
    return call.fail("elements of type " + name + " are not computed");
  };
  for (Type type : call.op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : call.op->getResultTypes())
    if (failed(check(type)))
      return failure();
  return success();
}

/// Whether all results have no element, whatever the operator computes, and
/// nothing else of it is to be seen.
static bool isEmpty(AtenCall &call) {
  return call.op->getNumResults() > 0 &&
         llvm::all_of(call.op->getResults(), hasNoElements) &&
         !call.getUnboundSymbol();
}

static LogicalResult replaceEmpty(AtenCall &call) {
  SmallVector<Value> values;
  for (unsigned i = 0, e = call.op->getNumResults(); i < e; ++i)
    values.push_back(
        call.b.full(cast<TypedAttr>(call.b.getBuilder().getZeroAttr(
                        call.resultElementType(i))),
                    call.resultSizes(i)));
  return call.replace(values);
}

static LogicalResult legalize(AtenOp op, RandomStates &states,
                              Selections &selections) {
  OpBuilder builder(op);
  AtenCall call(op, builder, states);
  call.selections = &selections;
  size_t numSelections = selections.size();
  Operation *before = op->getPrevNode();
  const AtenHandler *handler = getAtenLegalizations().find(op);
  if (!handler)
    handler = findRegisteredLegalization(op);
  LogicalResult result =
      !handler ? call.fail(getDefaultReason(op.getName()))
      : failed(checkTypes(call)) || failed(checkResultType(call)) ? failure()
      : isEmpty(call) ? replaceEmpty(call)
                      : (*handler)(call);
  if (succeeded(result)) {
    // Its uses are replaced by then, but a program with an operator that is
    // left is refused.
    if (std::string why = call.getUnread(); !why.empty()) {
      op->setAttr(kReasonAttrName, builder.getStringAttr(why));
      return failure();
    }
    op.erase();
    return success();
  }
  selections.truncate(numSelections);
  // Drop what the handler made before it gave up.
  Operation *made = op->getPrevNode();
  while (made != before) {
    Operation *previous = made->getPrevNode();
    made->erase();
    made = previous;
  }
  op->setAttr(kReasonAttrName, builder.getStringAttr(call.reason));
  return failure();
}

namespace {

struct GraphLegalizeAten
    : graph::impl::GraphLegalizeAtenPassBase<GraphLegalizeAten> {
  void runOnOperation() override {
    SmallVector<AtenOp> ops;
    getOperation()->walk([&](AtenOp op) { ops.push_back(op); });
    RandomStates states;
    Selections selections;
    for (AtenOp op : ops)
      (void)legalize(op, states, selections); // What is left says why.
    states.finish(getOperation());
  }
};

} // namespace
