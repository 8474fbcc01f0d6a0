//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions, expressions, memory and scalars as nodes of torch.fx.
//
//===----------------------------------------------------------------------===//

#include "FXEmitter.h"

#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;
using sym::ExprKind;

/// Of expressions that say what nodes would give.
static constexpr ExprSyntax kFake = {"//",
                                     "%",
                                     /*areOperators=*/true,
                                     "torch.sym_min",
                                     "torch.sym_max",
                                     "fx.non_zero(",
                                     ")",
                                     "and",
                                     "or",
                                     "not ",
                                     "True",
                                     "False"};

FXEmitter::FXEmitter(ModuleOp module, llvm::raw_ostream &os,
                     const PythonOptions &options)
    : PythonEmitter(module, os, options, "fx") {
  for (StringRef word : {"fx", "program", "operator", "aten", "build"})
    reserved.insert(word);
}

void FXEmitter::emitImports() {
  out.line("import operator");
  out.blank();
  out.line("import torch");
  out.blank();
  out.line("from coil import fx, host");
  out.blank();
  out.line("aten = torch.ops.aten");
  out.line("program = fx.Program()");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult FXEmitter::emitFunction(FuncOp fn) {
  beginFunction(fn);
  exprs.clear();
  offsets.clear();
  bound.clear();
  fakeSymbols.clear();
  definitions.clear();
  if (fn.isPublic() && (!entry || fn.getName() == "main"))
    entry = fn;
  out.blank();
  out.blank();
  out.line("def build_" + global(fn.getName()) + "():");
  out.indent();
  graph = getLocals().unique("g");
  out.line(graph + " = program.graph()");
  for (auto [i, arg] : llvm::enumerate(fn.getBody().getArguments())) {
    auto type = cast<BufferType>(arg.getType());
    std::string input = inputName(fn, static_cast<unsigned>(i));
    auto value = fake(fn, type);
    if (!value)
      return failure();
    std::string variable = getLocals().unique(input);
    setName(arg, variable);
    out.line(variable + " = " + graph + ".placeholder(" + quote(variable) +
             ", " + *value + ")");
  }
  for (auto [i, arg] : llvm::enumerate(fn.getBody().getArguments())) {
    auto type = cast<BufferType>(arg.getType());
    auto dtype = torchType(fn, type.getElementType());
    auto device = torchDevice(fn, type.getDevice());
    if (!dtype || !device)
      return failure();
    if (fn.isPublic())
      emitCall("host.check_input",
               name(arg) + ", " +
                   quote(inputName(fn, static_cast<unsigned>(i))) + ", " +
                   *dtype + ", " + Twine(type.getRank()) + ", " + *device);
    if (fn.isPublic() && wantsAligned(type.getDevice()))
      emitCall("host.check_aligned",
               name(arg) + ", " +
                   quote(inputName(fn, static_cast<unsigned>(i))) + ", " +
                   Twine(fn.getAlignment(static_cast<unsigned>(i))));
  }
  for (Operation &op : fn.getBody().front())
    if (failed(emitOp(op)))
      return failure();
  out.line("return " + graph);
  out.outdent();
  return success();
}

LogicalResult FXEmitter::emitEnd() {
  if (entry) {
    beginFunction(entry);
    emitWeights();
  }
  out.blank();
  out.blank();
  if (!module.getOps<KernelOp>().empty())
    out.line("kernels.compile()");
  for (FuncOp fn : module.getOps<FuncOp>())
    if (fn.isPublic())
      out.line(global(fn.getName()) + " = program.compile(build_" +
               global(fn.getName()) + ")");
  if (entry) {
    out.blank();
    out.line("if __name__ == \"__main__\":");
    out.indent();
    out.line("print(" + global(entry.getName()) + ".graph)");
    out.outdent();
  }
  return success();
}

LogicalResult FXEmitter::emit(ReturnOp op) {
  SmallVector<std::string> names;
  for (Value v : op.getOperands())
    names.push_back(name(v));
  // One result of the whole program is not wrapped; functions give tuples.
  bool isPlain = names.size() == 1 && currentFunction.isPublic();
  out.line(graph + ".output(" + (isPlain ? names[0] : tuple(names)) + ")");
  return success();
}

//===----------------------------------------------------------------------===//
// What nodes would give
//===----------------------------------------------------------------------===//

std::string FXEmitter::fakeExpr(ExprAttr expr) {
  // Numbers of symbols come before what mentions them.
  sym::walkLeaves(expr, [&](ExprAttr leaf) {
    std::string &variable = fakeSymbols[leaf.getName()];
    if (!variable.empty())
      return;
    std::string unique = getLocals().unique(("sym_" + leaf.getName()).str());
    // What nodes give of a defined symbol is its expression.
    auto definition =
        llvm::find_if(llvm::reverse(definitions), [&](const Definition &d) {
          return d.symbol == leaf.getName();
        });
    if (definition != definitions.rend()) {
      std::string value = fakeExpr(definition->expr);
      out.line(unique + " = " + value);
      fakeSymbols[leaf.getName()] = unique;
      return;
    }
    variable = unique;
    sym::Bounds range = getRange(leaf.getName());
    auto bound = [](int64_t v, bool isOpen) {
      return isOpen ? std::string("None") : std::to_string(v);
    };
    auto hint = static_cast<int64_t>(loop::Hints(currentFunction)(leaf));
    out.line(variable + " = program.symbol(" + quote(leaf.getName()) + ", " +
             bound(range.lo, range.lo == INT64_MIN) + ", " +
             bound(range.hi, range.hi == INT64_MAX) + ", " + Twine(hint) + ")");
  });
  return print(expr, kFake, [&](ExprAttr leaf) {
    return fakeSymbols.lookup(leaf.getName());
  });
}

std::string FXEmitter::fakeTuple(ArrayRef<ExprAttr> list) {
  SmallVector<std::string> parts;
  for (ExprAttr e : list)
    parts.push_back(fakeExpr(e));
  return tuple(parts);
}

std::optional<std::string> FXEmitter::fake(Operation *op, Type type) {
  if (type.isInteger(1) || type.isF64())
    return std::string("program.fake((), (), torch.") +
           (type.isF64() ? "float64" : "bool") + ", \"cpu\")";
  auto buffer = cast<BufferType>(type);
  auto dtype = torchType(op, buffer.getElementType());
  auto device = torchDevice(op, buffer.getDevice());
  if (!dtype || !device)
    return std::nullopt;
  std::string sizes = fakeTuple(buffer.getSizes().getDims());
  return "program.fake(" + sizes + ", " +
         fakeTuple(buffer.getStrides().getDims()) + ", " + *dtype + ", " +
         *device + ")";
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::string FXEmitter::named(const Twine &function, const Twine &arguments) {
  std::string text = call(function, arguments);
  std::string variable = getLocals().numbered("n");
  out.line(variable + " = " + text);
  return variable;
}

std::string FXEmitter::print(ExprAttr e) {
  switch (e.getKind()) {
  case ExprKind::Constant:
    return std::to_string(e.getValue());
  case ExprKind::Dim:
  case ExprKind::Arg:
    return solved;
  case ExprKind::Symbol:
    return symbol(e.getName());
  default:
    break;
  }
  // What a dimension stands for differs from use to use.
  bool isSolution = false;
  sym::walkLeaves(e, [&](ExprAttr leaf) { isSolution |= leaf.isDim(); });
  if (auto found = exprs.find(e); !isSolution && found != exprs.end())
    return found->second;
  SmallVector<std::string> operands;
  for (ExprAttr operand : e.getOperands())
    operands.push_back(print(operand));
  std::string result;
  auto combine = [&](StringRef function, const std::string &next) {
    result = result.empty() ? next : named(function, result + ", " + next);
  };
  switch (e.getKind()) {
  case ExprKind::FloorDiv:
  case ExprKind::Mod: {
    std::string divisor = operands[1];
    if (getBounds(e.getOperands()[1]).lo <= 0)
      divisor = named("fx.non_zero", divisor);
    result = named(e.getKind() == ExprKind::Mod ? "operator.mod"
                                                : "operator.floordiv",
                   operands[0] + ", " + divisor);
    break;
  }
  case ExprKind::Min:
  case ExprKind::Max:
    result =
        named(e.getKind() == ExprKind::Min ? "torch.sym_min" : "torch.sym_max",
              operands[0] + ", " + operands[1]);
    break;
  case ExprKind::Mul:
    for (const std::string &operand : operands)
      combine("operator.mul", operand);
    if (e.getValue() != 1)
      combine("operator.mul", std::to_string(e.getValue()));
    break;
  case ExprKind::Add:
    for (const std::string &operand : operands)
      combine("operator.add", operand);
    if (e.getValue() != 0)
      combine("operator.add", std::to_string(e.getValue()));
    break;
  default:
    llvm_unreachable("a leaf");
  }
  if (!isSolution)
    exprs[e] = result;
  return result;
}

std::string FXEmitter::printCompare(ExprAttr lhs, sym::Predicate predicate,
                                    ExprAttr rhs) {
  std::string a = print(lhs);
  // Python calls them as the attribute does.
  return call("operator." + sym::stringifyPredicate(predicate).str(),
              a + ", " + print(rhs));
}

void FXEmitter::requireMultiple(StringRef number, int64_t divisor,
                                const Twine &what) {
  std::string by = std::to_string(divisor);
  std::string rest = named("operator.mod", number + ", " + by);
  emitCall("host.check",
           call("operator.eq", rest + ", 0") + ", " +
               quote((what + " is not a multiple of its divisor").str()) +
               ", " + number + ", " + by);
}

LogicalResult FXEmitter::emit(InputSymbolOp op) {
  StringRef property = stringifyProperty(op.getProperty());
  solved = named("aten.sym_" + property + ".int",
                 name(op.getSource()) + ", " + Twine(op.getDim()));
  MLIRContext *context = op.getContext();
  ExprAttr solution =
      sym::solve(op.getExpr(), sym::dim(context, 0),
                 sym::symbol(context, op.getSymbol())); // Verified: (C2).
  out.line(symbol(op.getSymbol()) + " = " + print(solution));
  bind(op.getSymbol());
  unsigned number = cast<BlockArgument>(op.getSource()).getArgNumber();
  emitRange(op.getSymbol(), " (" + property + " " + Twine(op.getDim()) +
                                " of input '" +
                                inputName(currentFunction, number) + "')");
  return success();
}

LogicalResult FXEmitter::emit(SymExprOp op) {
  if (failed(PythonEmitter::emit(op)))
    return failure();
  bind(op.getSymbol());
  std::string &fake = fakeSymbols[op.getSymbol()];
  definitions.push_back(
      {op.getSymbol().str(), op.getExpr(), std::exchange(fake, "")});
  return success();
}

LogicalResult FXEmitter::emit(BindSymbolOp op) {
  auto keys = op.getPath().getAsRange<KeyAttr>();
  KeyAttr first = *keys.begin();
  StringRef property = stringifyKeyKind(first.getKind());
  std::string origin =
      (property + " " + Twine(first.getValue()) + " of a result").str();
  std::string number =
      named("aten.sym_" + property + ".int",
            name(op.getSource()) + ", " + Twine(first.getValue()));
  for (KeyAttr key : llvm::drop_begin(keys)) {
    requireMultiple(number, key.getValue(), origin);
    number = named("operator.floordiv", number + ", " + Twine(key.getValue()));
  }
  out.line(symbol(op.getSymbol()) + " = " + number);
  bind(op.getSymbol());
  emitRange(op.getSymbol(), " (" + origin + ")");
  return success();
}

//===----------------------------------------------------------------------===//
// Scalars: tensors of rank zero
//===----------------------------------------------------------------------===//

LogicalResult FXEmitter::emit(CompareOp op) {
  std::string holds = printCompare(op.getLhs(), op.getPredicate(), op.getRhs());
  emitScalar(op, graph + ".scalar(" + holds + ", torch.bool)");
  return success();
}

std::optional<std::string> FXEmitter::printScalar(Operation &op) {
  // What is known there is known here.
  if (!isa_and_present<arith::ArithDialect>(op.getDialect()) ||
      op.getNumResults() != 1)
    return std::nullopt;
  auto isKnown = [](Type t) { return t.isInteger(1) || t.isF64(); };
  if (!llvm::all_of(op.getOperandTypes(), isKnown) ||
      !isKnown(op.getResult(0).getType()))
    return std::nullopt;
  auto arg = [&](unsigned i) { return name(op.getOperand(i)); };
  auto both = [&](StringRef function) {
    return call("aten." + function, arg(0) + ", " + arg(1));
  };
  auto no = [&](const std::string &text) {
    return call("aten.logical_not.default", text);
  };
  auto either = [&](const std::string &a, const std::string &b) {
    return call("aten.logical_or.default", a + ", " + b);
  };
  return llvm::TypeSwitch<Operation *, std::optional<std::string>>(&op)
      .Case([&](arith::ConstantOp o) -> std::optional<std::string> {
        if (auto number = dyn_cast<FloatAttr>(o.getValue()))
          return graph + ".scalar(" +
                 printFloatLiteral(number.getValueAsDouble()) +
                 ", torch.float64)";
        bool isFalse = cast<IntegerAttr>(o.getValue()).getValue().isZero();
        return graph + ".scalar(" + (isFalse ? "False" : "True") +
               ", torch.bool)";
      })
      .Case([&](arith::AddFOp) { return both("add.Tensor"); })
      .Case([&](arith::SubFOp) { return both("sub.Tensor"); })
      .Case([&](arith::MulFOp) { return both("mul.Tensor"); })
      .Case([&](arith::DivFOp) { return both("div.Tensor"); })
      .Case([&](arith::NegFOp) { return call("aten.neg.default", arg(0)); })
      .Case([&](arith::SelectOp) {
        return call("aten.where.self", arg(0) + ", " + arg(1) + ", " + arg(2));
      })
      .Case([&](arith::AndIOp) { return both("logical_and.default"); })
      .Case([&](arith::OrIOp) { return both("logical_or.default"); })
      .Case([&](arith::XOrIOp) { return both("logical_xor.default"); })
      .Case([&](arith::CmpIOp o) -> std::optional<std::string> {
        if (o.getPredicate() == arith::CmpIPredicate::eq)
          return both("eq.Tensor");
        if (o.getPredicate() == arith::CmpIPredicate::ne)
          return both("ne.Tensor");
        return std::nullopt;
      })
      .Case([&](arith::CmpFOp o) -> std::optional<std::string> {
        auto differ = [&] {
          return either(both("lt.Tensor"), both("gt.Tensor"));
        };
        auto unordered = [&] {
          return either(call("aten.isnan.default", arg(0)),
                        call("aten.isnan.default", arg(1)));
        };
        switch (o.getPredicate()) {
        case arith::CmpFPredicate::AlwaysFalse:
          return graph + ".scalar(False, torch.bool)";
        case arith::CmpFPredicate::AlwaysTrue:
          return graph + ".scalar(True, torch.bool)";
        case arith::CmpFPredicate::OEQ:
          return both("eq.Tensor");
        case arith::CmpFPredicate::OGT:
          return both("gt.Tensor");
        case arith::CmpFPredicate::OGE:
          return both("ge.Tensor");
        case arith::CmpFPredicate::OLT:
          return both("lt.Tensor");
        case arith::CmpFPredicate::OLE:
          return both("le.Tensor");
        case arith::CmpFPredicate::ONE:
          return differ();
        case arith::CmpFPredicate::ORD:
          return no(unordered());
        case arith::CmpFPredicate::UEQ:
          return no(differ());
        case arith::CmpFPredicate::UGT:
          return no(both("le.Tensor"));
        case arith::CmpFPredicate::UGE:
          return no(both("lt.Tensor"));
        case arith::CmpFPredicate::ULT:
          return no(both("ge.Tensor"));
        case arith::CmpFPredicate::ULE:
          return no(both("gt.Tensor"));
        case arith::CmpFPredicate::UNE:
          return both("ne.Tensor");
        case arith::CmpFPredicate::UNO:
          return unordered();
        }
        llvm_unreachable("unknown predicate");
      })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult FXEmitter::emit(ItemOp op) {
  Type element = type(op.getSource()).getElementType();
  if (!torchType(op, element))
    return failure();
  std::string source = name(op.getSource());
  if (op.getResult()) {
    // A copy: the buffer may change.
    bool isBool = op.getResult().getType().isInteger(1);
    std::string copy =
        named("aten._to_copy.default", source + ", dtype=torch." +
                                           (isBool ? "bool" : "float64") +
                                           ", device=\"cpu\"");
    emitScalar(op.getResult(), call("aten.reshape.default", copy + ", ()"));
    return success();
  }
  StringRef symbolName = *op.getSymbol();
  std::string what =
      ("the element that symbol '" + symbolName + "' is read from").str();
  if (element.isInteger(1))
    source = named("aten.where.Scalar", source + ", 1, 0");
  std::optional<uint64_t> divisor = op.getDivideBy();
  std::string value = fakeExpr(sym::symbol(op.getContext(), symbolName));
  if (divisor)
    value += " * " + std::to_string(*divisor);
  std::string number = named("aten.item.default", source + ", val=" + value);
  if (element.isUnsignedInteger(64))
    emitCall("host.check", call("operator.lt", number + ", 2**63") + ", " +
                               quote(what + " does not fit") + ", " + number +
                               ", 0");
  if (divisor) {
    requireMultiple(number, static_cast<int64_t>(*divisor), what);
    number = named("operator.floordiv", number + ", " + Twine(*divisor));
  }
  out.line(symbol(symbolName) + " = " + number);
  bind(symbolName);
  emitRange(symbolName, " (an element)");
  return success();
}

LogicalResult FXEmitter::emitMatch(AssertLayoutOp op, StringRef arguments) {
  auto value = fake(op, type(op.getSource()));
  if (!value)
    return failure();
  out.line(name(op.getSource()) + " = " +
           call("host.match_size_stride", arguments + ", val=" + *value));
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult FXEmitter::emit(AllocOp op) {
  auto arguments = layoutArguments(op, cast<BufferType>(op.getType()));
  if (!arguments)
    return failure();
  out.line(define(op) + " = " + call("torch.empty_strided", *arguments));
  offsets[op] = sym::constant(op.getContext(), 0);
  return success();
}

LogicalResult FXEmitter::emit(ConstantOp op) {
  std::string constant = constants.at({op.getValue(), op.getType()});
  out.line(define(op) + " = " + graph + ".constant(" + quote(constant) + ", " +
           constant + ")");
  return success();
}

LogicalResult FXEmitter::emitView(Operation *op, Value result, Value source,
                                  ExprAttr offset) {
  auto to = cast<BufferType>(result.getType());
  std::string from = name(source);
  std::string sizes = tuple(to.getSizes().getDims());
  std::string strides = tuple(to.getStrides().getDims());
  auto value = fake(op, to);
  if (!value)
    return failure();
  if (type(source).getElementType() != to.getElementType()) {
    auto dtype = torchType(op, to.getElementType());
    if (!dtype)
      return failure();
    std::string start = print(offset);
    out.line(define(result) + " = " +
             call("host.reinterpret_tensor", from + ", " + sizes + ", " +
                                                 strides + ", " + start + ", " +
                                                 *dtype + ", val=" + *value));
    return success();
  }
  std::string start;
  if (auto known = offsets.find(source); known != offsets.end()) {
    ExprAttr sum = sym::add(known->second, offset);
    start = print(sum);
    offsets[result] = sum;
  } else {
    start = named("aten.sym_storage_offset.default", from);
    if (!offset.isConstant(0))
      start = named("operator.add", start + ", " + print(offset));
  }
  out.line(define(result) + " = " +
           call("torch.as_strided", from + ", " + sizes + ", " + strides +
                                        ", " + start + ", val=" + *value));
  return success();
}

LogicalResult FXEmitter::emit(ReuseOp op) {
  if (op.getSource().getType() != op.getType())
    return emitView(op, op, op.getSource(), sym::constant(op.getContext(), 0));
  setName(op, name(op.getSource()));
  if (auto known = offsets.find(op.getSource()); known != offsets.end()) {
    ExprAttr offset = known->second;
    offsets[op] = offset;
  }
  return success();
}

LogicalResult FXEmitter::emit(ReinterpretOp op) {
  if (failed(checkStrides(op)))
    return failure();
  return emitView(op, op, op.getSource(), op.getOffset());
}

LogicalResult FXEmitter::emit(CopyOp op) {
  if (getStorage(op.getSource()) != getStorage(op.getTarget()))
    out.line(call("aten.copy_.default",
                  name(op.getTarget()) + ", " + name(op.getSource())));
  return success();
}

LogicalResult FXEmitter::emit(TransferOp op) {
  out.line(call("aten.copy_.default",
                name(op.getTarget()) + ", " + name(op.getSource()) +
                    (op.getNonBlocking() ? ", True" : "")));
  return success();
}

LogicalResult FXEmitter::emit(FillOp op) {
  FailureOr<std::string> arguments = getFillArguments(op);
  if (failed(arguments))
    return failure();
  out.line(graph + ".check(host.fill, " + name(op.getTarget()) + ", " +
           *arguments + ")");
  return success();
}

LogicalResult FXEmitter::emit(PoolOp op) {
  auto device = torchDevice(op, cast<PoolType>(op.getType()).getDevice());
  if (!device)
    return failure();
  std::string bytes = print(op.getBytes());
  out.line(define(op) + " = " +
           call("torch.empty_strided", "(" + bytes +
                                           ",), (1,), dtype=torch.uint8, "
                                           "device=" +
                                           *device));
  return success();
}

LogicalResult FXEmitter::emit(PoolAllocOp op) {
  auto to = cast<BufferType>(op.getType());
  auto dtype = torchType(op, to.getElementType());
  auto value = fake(op, to);
  if (!dtype || !value)
    return failure();
  std::string offset = print(op.getOffset());
  std::string sizes = tuple(to.getSizes().getDims());
  std::string strides = tuple(to.getStrides().getDims());
  out.line(define(op) + " = " +
           call("host.carve", name(op.getPool()) + ", " + offset + ", " +
                                  sizes + ", " + strides + ", " + *dtype +
                                  ", val=" + *value));
  return success();
}

LogicalResult coil::emitFX(ModuleOp module, llvm::raw_ostream &os,
                           const PythonOptions &options) {
  std::string text;
  llvm::raw_string_ostream buffer(text);
  if (failed(FXEmitter(module, buffer, options).emitModule()))
    return failure();
  os << text;
  return success();
}
