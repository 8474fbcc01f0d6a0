//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What text emitters share: the walk over a program, names, expressions.
//
//===----------------------------------------------------------------------===//

#include "coil/Target/HostText/HostEmitter.h"

#include "coil/ExecutionEngine/Signature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

HostEmitter::HostEmitter(StringRef name, ModuleOp module, llvm::raw_ostream &os,
                         const ExprSyntax &syntax)
    : module(module), table(module), out(os), emitterName(name),
      handles(module), syntax(syntax), moduleNames(reserved) {}
HostEmitter::~HostEmitter() = default;

//===----------------------------------------------------------------------===//
// Walk
//===----------------------------------------------------------------------===//

#define X(Op)                                                                  \
  LogicalResult HostEmitter::emit(Op op) { return unsupported(op); }
COIL_HOST_TEXT_OPS(X)
#undef X

LogicalResult HostEmitter::emitHostCall(HostCallOpInterface call) {
  return unsupported(call);
}

LogicalResult HostEmitter::unsupported(Operation *op) {
  return op->emitOpError() << "has no method in the emitter '" << emitterName
                           << "'";
}

LogicalResult HostEmitter::emitModule() {
#ifndef NDEBUG
  OperationFingerPrint before(module);
#endif
  for (Operation &op : *module.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol || !isa<KernelOp, CombinationOp, FuncOp, GridOp>(op))
      return unsupported(&op);
    std::string text = moduleNames.unique(symbol.getName());
    globalNames.insert(text);
    globals[symbol.getName()] = std::move(text);
  }
  for (const auto &word : reserved)
    globalNames.insert(word.getKey());
  if (failed(emitBegin()))
    return failure();
  for (KernelOp kernel : module.getOps<KernelOp>())
    if (failed(emitKernel(kernel)))
      return failure();
  for (CombinationOp combination : module.getOps<CombinationOp>())
    if (failed(emitCombination(combination)))
      return failure();
  for (FuncOp fn : module.getOps<FuncOp>())
    if (failed(emitFunction(fn)))
      return failure();
  LogicalResult end = emitEnd();
#ifndef NDEBUG
  assert(before == OperationFingerPrint(module) &&
         "an emitter changed the program");
#endif
  return end;
}

std::string HostEmitter::describeSource(Location location) {
  SmallVector<Source> sources = getSources(location);
  if (sources.empty())
    return "of unknown source";
  return cleanComment(llvm::join(
      llvm::map_range(sources, [](const Source &s) { return s.str(); }), ", "));
}

LogicalResult HostEmitter::emitOp(Operation &op) {
  if (auto step = dyn_cast<ComputeOpInterface>(op))
    out.line(getComment() + " [" + cleanComment(handles.get(step)) + "] " +
             describeSource(op.getLoc()));
  beginOp(op);
  LogicalResult result =
      llvm::TypeSwitch<Operation *, LogicalResult>(&op)
#define X(Op) .Case([&](wrapper::Op o) { return emit(o); })
          COIL_HOST_TEXT_OPS(X)
#undef X
              .Case([&](HostCallOpInterface o) { return emitHostCall(o); })
              .Default([&](Operation *o) -> LogicalResult {
                std::optional<std::string> text = printScalar(*o);
                if (!text)
                  return unsupported(o);
                emitScalar(o->getResult(0), *text);
                return success();
              });
  if (succeeded(result))
    endOp(op);
  return result;
}

LogicalResult HostEmitter::emitBody(Region &region) {
  for (Operation &op : region.front().without_terminator())
    if (failed(emitOp(op)))
      return failure();
  return success();
}

void HostEmitter::beginFunction(FuncOp fn) {
  currentFunction = fn;
  facts = sym::Context::forOp(fn);
  names.clear();
  symbols.clear();
  locals.emplace(globalNames);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

const std::string &HostEmitter::name(Value v) const {
  auto found = names.find(v);
  assert(found != names.end() && "a value is used before it is named");
  return found->second;
}

std::string HostEmitter::define(Value v) {
  StringRef prefix = isa<BufferType>(v.getType())          ? "buf"
                     : isa<PoolType>(v.getType())          ? "pool"
                     : isa<ObjectType>(v.getType())        ? "object"
                     : isa<TokenType>(v.getType())         ? "event"
                     : isa<TMADescriptorType>(v.getType()) ? "map"
                     : v.getType().isInteger(1)            ? "p"
                                                           : "v";
  return names[v] = locals->numbered(prefix);
}

void HostEmitter::setName(Value v, std::string text) {
  names[v] = std::move(text);
}

std::string HostEmitter::symbol(StringRef name) {
  std::string &text = symbols[name];
  if (text.empty())
    text = locals->unique(name);
  return text;
}

std::string HostEmitter::bindSymbol(StringRef name, StringRef prefix) {
  return symbols[name] = prefix.str() + locals->unique(name);
}

std::string HostEmitter::defineGlobal(StringRef prefix) {
  std::string name = moduleNames.numbered(prefix);
  globalNames.insert(name);
  return name;
}

StringRef HostEmitter::global(StringRef name) { return globals.at(name); }

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::string HostEmitter::print(ExprAttr expr) { return print(expr, "", ""); }

std::string HostEmitter::print(ExprAttr expr, StringRef before,
                               StringRef behind) {
  return printExpr(
      expr, syntax,
      [&](ExprAttr leaf) {
        return (before + symbol(leaf.getName()) + behind).str();
      },
      *facts);
}

std::string HostEmitter::printList(ArrayRef<ExprAttr> exprs) {
  return llvm::join(
      llvm::map_range(exprs, [&](ExprAttr e) { return print(e); }), ", ");
}

std::string HostEmitter::printCompare(ExprAttr lhs, sym::Predicate predicate,
                                      ExprAttr rhs) {
  // Compilers warn of comparisons of a number with itself.
  if (lhs == rhs)
    return (predicate == sym::Predicate::Eq || predicate == sym::Predicate::Le
                ? syntax.trueName
                : syntax.falseName)
        .str();
  StringRef op;
  switch (predicate) {
  case sym::Predicate::Eq:
    op = " == ";
    break;
  case sym::Predicate::Ne:
    op = " != ";
    break;
  case sym::Predicate::Le:
    op = " <= ";
    break;
  case sym::Predicate::Lt:
    op = " < ";
    break;
  }
  return print(lhs) + op.str() + print(rhs);
}

std::string HostEmitter::printSolution(InputSymbolOp op, StringRef given) {
  MLIRContext *context = op.getContext();
  ExprAttr solution =
      sym::solve(op.getExpr(), sym::dim(context, 0),
                 sym::symbol(context, op.getSymbol())); // Verified: (C2).
  return printExpr(
      solution, syntax,
      [&](ExprAttr leaf) {
        return leaf.isDim() ? given.str() : symbol(leaf.getName());
      },
      *facts);
}

sym::Bounds HostEmitter::getRange(StringRef symbol) const {
  FuncOp fn = currentFunction;
  return facts->bounds(sym::symbol(fn.getContext(), symbol));
}

std::optional<std::string> HostEmitter::printScalar(Operation &op) {
  if (!isa_and_present<arith::ArithDialect>(op.getDialect()) ||
      op.getNumResults() != 1)
    return std::nullopt;
  auto isKnown = [](Type t) { return t.isInteger(1) || t.isF64(); };
  if (!llvm::all_of(op.getOperandTypes(), isKnown) ||
      !isKnown(op.getResult(0).getType()))
    return std::nullopt;
  bool isBool = op.getResult(0).getType().isInteger(1);
  auto arg = [&](unsigned i) { return name(op.getOperand(i)); };
  auto infix = [&](StringRef sign) {
    return (arg(0) + " " + sign + " " + arg(1)).str();
  };
  // Compilers warn of comparisons of a bool with itself.
  auto compareBools = [&](bool areEqual) -> std::string {
    if (arg(0) != arg(1)) // Several values may have one name.
      return infix(areEqual ? "==" : "!=");
    return (areEqual ? syntax.trueName : syntax.falseName).str();
  };
  return llvm::TypeSwitch<Operation *, std::optional<std::string>>(&op)
      .Case([&](arith::ConstantOp o) -> std::optional<std::string> {
        if (auto number = dyn_cast<FloatAttr>(o.getValue()))
          return printFloatLiteral(number.getValueAsDouble());
        return (cast<IntegerAttr>(o.getValue()).getValue().isZero()
                    ? syntax.falseName
                    : syntax.trueName)
            .str();
      })
      .Case([&](arith::AddFOp) { return infix("+"); })
      .Case([&](arith::SubFOp) { return infix("-"); })
      .Case([&](arith::MulFOp) { return infix("*"); })
      .Case([&](arith::DivFOp) { return printDivision(arg(0), arg(1)); })
      .Case([&](arith::NegFOp) { return "-" + arg(0); })
      .Case([&](arith::SelectOp o) {
        if (!isBool && syntax.areOperators)
          return arg(1) + " if " + arg(0) + " else " + arg(2);
        if (syntax.areOperators)
          return "(" + arg(1) + " if " + arg(0) + " else " + arg(2) + ")";
        return arg(0) + " ? " + arg(1) + " : " + arg(2);
      })
      .Case([&](arith::AndIOp) { return infix(syntax.andOp); })
      .Case([&](arith::OrIOp) { return infix(syntax.orOp); })
      .Case([&](arith::XOrIOp) { return compareBools(/*areEqual=*/false); })
      .Case([&](arith::CmpIOp o) -> std::optional<std::string> {
        if (o.getPredicate() == arith::CmpIPredicate::eq)
          return compareBools(/*areEqual=*/true);
        if (o.getPredicate() == arith::CmpIPredicate::ne)
          return compareBools(/*areEqual=*/false);
        return std::nullopt;
      })
      .Case([&](arith::CmpFOp o) {
        std::string a = arg(0), b = arg(1), no = syntax.notOp.str() + "(";
        std::string differ =
            a + " < " + b + " " + syntax.orOp.str() + " " + a + " > " + b;
        std::string unordered =
            a + " != " + a + " " + syntax.orOp.str() + " " + b + " != " + b;
        switch (o.getPredicate()) {
        case arith::CmpFPredicate::AlwaysFalse:
          return syntax.falseName.str();
        case arith::CmpFPredicate::AlwaysTrue:
          return syntax.trueName.str();
        case arith::CmpFPredicate::OEQ:
          return infix("==");
        case arith::CmpFPredicate::OGT:
          return infix(">");
        case arith::CmpFPredicate::OGE:
          return infix(">=");
        case arith::CmpFPredicate::OLT:
          return infix("<");
        case arith::CmpFPredicate::OLE:
          return infix("<=");
        case arith::CmpFPredicate::ONE:
          return differ;
        case arith::CmpFPredicate::ORD:
          return no + unordered + ")";
        case arith::CmpFPredicate::UEQ:
          return no + differ + ")";
        case arith::CmpFPredicate::UGT:
          return no + infix("<=") + ")";
        case arith::CmpFPredicate::UGE:
          return no + infix("<") + ")";
        case arith::CmpFPredicate::ULT:
          return no + infix(">=") + ")";
        case arith::CmpFPredicate::ULE:
          return no + infix(">") + ")";
        case arith::CmpFPredicate::UNE:
          return infix("!=");
        case arith::CmpFPredicate::UNO:
          return unordered;
        }
        llvm_unreachable("unknown predicate");
      })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

const DeviceInfo *HostEmitter::getDevice(Operation *op, DeviceAttr device) {
  auto *dialect = op->getContext()->getLoadedDialect<WrapperDialect>();
  const DeviceInfo *info = dialect->lookupDevice(device.getKind());
  if (!info)
    op->emitOpError() << "device '" << device.getKind()
                      << "' is not registered";
  return info;
}

std::optional<int32_t> HostEmitter::getDType(Operation *op, Type type) {
  std::optional<int32_t> dtype = getRuntimeDType(type);
  if (!dtype)
    op->emitOpError() << "the runtime has no number for the element type "
                      << type;
  return dtype;
}

std::pair<StringRef, StringAttr> HostEmitter::getUpdated(FuncOp fn,
                                                         unsigned i) {
  for (StringRef kind : {"user_input", "buffer", "parameter"})
    if (auto target = fn.getResultAttrOfType<StringAttr>(
            i, ("coil." + kind + "_mutation").str()))
      return {kind, target};
  return {};
}

std::string HostEmitter::inputName(FuncOp fn, unsigned i) {
  if (auto name = fn.getArgAttrOfType<StringAttr>(i, "coil.name"))
    return name.str();
  return "arg" + std::to_string(i);
}

std::vector<char> coil::wrapper::getElementBytes(DenseElementsAttr elements) {
  std::vector<char> bytes;
  Type type = elements.getElementType();
  if (type.isInteger(1)) {
    for (bool v : elements.getValues<bool>())
      bytes.push_back(v);
    return bytes;
  }
  size_t width = type.getIntOrFloatBitWidth() / 8;
  auto append = [&](const APInt &value) {
    uint64_t bits = value.getZExtValue();
    for (size_t i = 0; i < width; ++i)
      bytes.push_back(static_cast<char>(bits >> (8 * i)));
  };
  if (isa<IntegerType>(type))
    for (const APInt &value : elements.getValues<APInt>())
      append(value);
  else
    for (const APFloat &value : elements.getValues<APFloat>())
      append(value.bitcastToAPInt());
  return bytes;
}
