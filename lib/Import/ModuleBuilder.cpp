//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Builds a module of `graph.aten` operators from an exported program.
//
// Symbolic sizes become expressions in types and attributes, so the nodes that
// compute them vanish. Operators that update their operands become the ones
// that return a new value (Mutations.cpp), and what shares memory with these
// operands follows from it (Storages.h).
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "coil/Dialect/Graph/IR/Device.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace mlir;
using namespace coil;
using namespace coil::import;
using Kind = Argument::Kind;
using sym::ExprAttr;

ModuleBuilder::ModuleBuilder(const ExportedProgram &program,
                             const WeightStore *weights, MLIRContext *context,
                             const Limits &limits, bool allowUncheckedGuards)
    : program(program), graph(&program), weights(weights), context(context),
      limits(limits), allowUncheckedGuards(allowUncheckedGuards),
      builder(context), converter(context, ranges, limits),
      storages(builder,
               [this](Value made, Value from) {
                 if (auto it = places.find(from); it != places.end()) {
                   int64_t place = it->second;
                   places[made] = place;
                 }
               }),
      location(builder.getUnknownLoc()) {
  converter.bindInteger = [this](const SymExprNode &node) {
    return bindInteger(node);
  };
}

//===----------------------------------------------------------------------===//
// Types and symbols
//===----------------------------------------------------------------------===//

/// Export takes for granted that a size is neither zero nor one, and writes 2
/// as its least value. It is none for the module that PyTorch makes of the
/// file: that is called with any size, and a least value above 2 is a guard.
static constexpr int64_t kLeastOfExport = 2;

llvm::StringSet<> ModuleBuilder::getSizeSymbols() const {
  llvm::StringSet<> symbols;
  for (const InputSpec &spec : program.inputs) {
    if (spec.kind != InputSpec::Kind::UserInput ||
        spec.arg.kind != Argument::Kind::Tensor)
      continue;
    auto meta = program.tensors.find(spec.arg.strings[0]);
    if (meta == program.tensors.end())
      continue;
    for (const SymInt &size : meta->second.sizes) {
      // The words of `2*s0 + 1` that are no numbers.
      for (StringRef rest = size.isSymbolic() ? size.expr : "";
           !rest.empty();) {
        StringRef word =
            rest.take_while([](char c) { return isAlnum(c) || c == '_'; });
        if (!word.empty() && isAlpha(word.front()))
          symbols.insert(word);
        rest = rest.drop_front(std::max<size_t>(word.size(), 1));
      }
    }
  }
  return symbols;
}

Error ModuleBuilder::declareRanges() {
  llvm::StringSet<> sizes = getSizeSymbols();
  for (const SymbolRange &range : program.ranges) {
    if (SymConverter::isFloat(range.symbol))
      continue;
    // Numbers that data gives may be negative, sizes are not.
    int64_t least = range.symbol.starts_with("u") ? -sym::RangeAttr::kInf : 0;
    sym::Bounds known{range.min.value_or(least),
                      range.max.value_or(sym::RangeAttr::kInf)};
    if (known.lo > known.hi)
      return makeError("the range of the symbol " + quoted(range.symbol) +
                       " is empty");
    exported.setSymbol(range.symbol, known);
    if (known.lo <= kLeastOfExport && !range.isGuarded &&
        sizes.contains(range.symbol))
      known.lo = std::min<int64_t>(known.lo, 0);
    ranges.setSymbol(range.symbol, known);
    bounds[range.symbol] = known;
  }
  // Sizes that are a lone symbol tell the example value of the symbol.
  for (const auto &entry : program.tensors) {
    for (const SymInt &size : entry.second.sizes) {
      if (!size.isSymbolic() || !size.hint)
        continue;
      // What is computed with floats becomes a symbol where it is used.
      Expected<const SymExprNode *> node = converter.parse(size.expr);
      if (node && SymConverter::hasFloats(**node))
        continue;
      consumeError(node.takeError());
      Expected<ExprAttr> expr = getExpr(size);
      if (!expr)
        return makeError("tensor " + quoted(entry.first()) + ": " +
                         toString(expr.takeError()));
      if (expr->isSymbol())
        hints.try_emplace(expr->getName(), *size.hint);
    }
  }
  return Error::success();
}

Expected<ExprAttr> ModuleBuilder::getExpr(const SymInt &size) {
  if (!size.isSymbolic())
    return sym::constant(context, size.value);
  Expected<ExprAttr> expr = converter.convert(size.expr);
  if (!expr)
    return expr.takeError();
  auto constant = guarded.find(*expr);
  return constant == guarded.end() ? *expr : constant->second;
}

Expected<ExprAttr> ModuleBuilder::getExpr(const SymRef<int64_t> &ref) {
  if (ref.name.empty())
    return sym::constant(context, ref.value);
  auto it = graph->symInts.find(ref.name);
  if (it == graph->symInts.end())
    return makeError("the symbolic integer " + quoted(ref.name) +
                     " has no expression");
  return getExpr(it->second);
}

Expected<SmallVector<ExprAttr>>
ModuleBuilder::getExprs(ArrayRef<SymInt> sizes) {
  SmallVector<ExprAttr> exprs;
  for (const SymInt &size : sizes) {
    Expected<ExprAttr> expr = getExpr(size);
    if (!expr)
      return expr.takeError();
    exprs.push_back(*expr);
  }
  return exprs;
}

Type ModuleBuilder::getElementType(DType dtype) {
  switch (dtype) {
  case DType::UInt8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case DType::UInt16:
    return builder.getIntegerType(16, /*isSigned=*/false);
  case DType::Int8:
    return builder.getI8Type();
  case DType::Int16:
    return builder.getI16Type();
  case DType::Int32:
    return builder.getI32Type();
  case DType::Int64:
    return builder.getI64Type();
  case DType::Bool:
    return builder.getI1Type();
  case DType::Float16:
    return builder.getF16Type();
  case DType::BFloat16:
    return builder.getBF16Type();
  case DType::Float32:
    return builder.getF32Type();
  case DType::Float64:
    return builder.getF64Type();
  case DType::ComplexFloat16:
    return ComplexType::get(builder.getF16Type());
  case DType::ComplexFloat32:
    return ComplexType::get(builder.getF32Type());
  case DType::ComplexFloat64:
    return ComplexType::get(builder.getF64Type());
  case DType::Float8E4M3FN:
    return Float8E4M3FNType::get(context);
  case DType::Float8E5M2:
    return Float8E5M2Type::get(context);
  case DType::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case DType::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  }
  llvm_unreachable("unknown element type");
}

Expected<RankedTensorType> ModuleBuilder::getType(const TensorMeta &meta) {
  if (meta.layout != stridedLayout)
    return makeError("layout " + Twine(meta.layout) +
                     " is not supported, only strided tensors are");
  Expected<SmallVector<ExprAttr>> sizes = getExprs(meta.sizes);
  if (!sizes)
    return sizes.takeError();
  for (ExprAttr size : *sizes) {
    std::optional<int64_t> number = size.getConstant();
    if (number && (*number < 0 || uint64_t(*number) > limits.maxElements))
      return makeError("a size is " + Twine(*number));
  }
  return sym::getTensorType(*sizes, getElementType(meta.dtype));
}

Expected<const TensorMeta *> ModuleBuilder::getMeta(StringRef name) {
  auto it = graph->tensors.find(name);
  if (it == graph->tensors.end())
    return makeError("the tensor " + quoted(name) + " has no meta data");
  return &it->second;
}

Expected<RankedTensorType> ModuleBuilder::getType(StringRef name) {
  Expected<const TensorMeta *> meta = getMeta(name);
  if (!meta)
    return meta.takeError();
  return getType(**meta);
}

Expected<Attribute> ModuleBuilder::getStrides(ArrayRef<SymInt> sizes,
                                              ArrayRef<SymInt> strides) {
  Expected<SmallVector<ExprAttr>> sizeExprs = getExprs(sizes);
  if (!sizeExprs)
    return sizeExprs.takeError();
  Expected<SmallVector<ExprAttr>> strideExprs = getExprs(strides);
  if (!strideExprs)
    return strideExprs.takeError();
  // A product of sizes may be too large for an expression, as a row-major
  // stride that the file would not hold either.
  uint64_t terms = 1;
  for (ExprAttr size : *sizeExprs) {
    if (size.isConstant(0))
      return Attribute(); // Without elements there is nothing to step over.
    terms *= std::max<size_t>(sym::getTerms(size).size(), 1);
    if (terms > 512)
      return makeError("the sizes are too complex");
  }
  // PyTorch counts a size of zero as one in strides: Max(1, s0).
  SmallVector<ExprAttr> atLeastOne;
  for (ExprAttr size : *sizeExprs)
    atLeastOne.push_back(ranges.isNonNegative(sym::add(size, -1))
                             ? size
                             : sym::max(size, sym::constant(context, 1)));
  SmallVector<ExprAttr> contiguous =
      sym::getContiguousStrides(context, *sizeExprs);
  SmallVector<ExprAttr> padded = sym::getContiguousStrides(context, atLeastOne);
  for (size_t i = 0, e = sizeExprs->size(); i < e; ++i) {
    ExprAttr stride = (*strideExprs)[i];
    if (stride != contiguous[i] && stride != padded[i] &&
        !(*sizeExprs)[i].isConstant(1))
      return Attribute(sym::ShapeAttr::get(context, *strideExprs));
  }
  return Attribute();
}

/// Removes strides of arguments and results that have other symbols than the
/// \p known ones, as those of a slice `x[::2]` have: PyTorch gives such strides
/// symbols of their own. What has no strides lies row by row; a run copies
/// inputs that do not.
static void dropFreeStrides(func::FuncOp func, ArrayRef<ExprAttr> known) {
  auto isFree = [&](DictionaryAttr attributes) {
    auto strides = attributes ? attributes.getAs<sym::ShapeAttr>("coil.strides")
                              : sym::ShapeAttr();
    bool hasFree = false;
    for (ExprAttr stride : strides ? strides.getDims() : ArrayRef<ExprAttr>())
      sym::walkLeaves(stride, [&](ExprAttr leaf) {
        hasFree |= !llvm::is_contained(known, leaf);
      });
    return hasFree;
  };
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    if (isFree(func.getArgAttrDict(i)))
      func.removeArgAttr(i, "coil.strides");
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    if (isFree(func.getResultAttrDict(i)))
      func.removeResultAttr(i,
                            StringAttr::get(func.getContext(), "coil.strides"));
}

/// Declares the symbols that \p func uses; each must follow from an input, or
/// be bound by an op.
Error ModuleBuilder::checkSymbols(func::FuncOp func) {
  llvm::SetVector<ExprAttr> known, used;
  auto collect = [](Type type, llvm::SetVector<ExprAttr> &into) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto shape = tensor ? dyn_cast_or_null<sym::ShapeAttr>(tensor.getEncoding())
                        : sym::ShapeAttr();
    if (!shape)
      return;
    for (ExprAttr dim : shape.getDims())
      sym::walkLeaves(dim, [&](ExprAttr leaf) { into.insert(leaf); });
  };
  for (Type type : func.getArgumentTypes())
    collect(type, known);
  func.walk([&](loop::SymbolBinderOpInterface binder) {
    for (StringRef name : binder.getBoundSymbols())
      known.insert(sym::symbol(context, name));
  });
  dropFreeStrides(func, known.getArrayRef());
  func.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      collect(type, used);
    op->getAttrDictionary().walk([&](ExprAttr expr) {
      sym::walkLeaves(expr, [&](ExprAttr leaf) { used.insert(leaf); });
      return WalkResult::skip();
    });
  });
  for (ExprAttr symbol : used)
    if (!known.contains(symbol))
      return makeError("the symbol " + quoted(symbol.getName()) +
                       " does not follow from the sizes of the inputs, and no "
                       "operator gives it");

  SmallVector<NamedAttribute> symbols;
  for (ExprAttr symbol : known) {
    StringRef name = symbol.getName();
    sym::Bounds known{0, sym::RangeAttr::kInf};
    if (auto it = bounds.find(name); it != bounds.end())
      known = it->second;
    std::optional<int64_t> hint;
    if (auto it = hints.find(name);
        it != hints.end() && it->second >= known.lo && it->second <= known.hi)
      hint = it->second;
    symbols.push_back(builder.getNamedAttr(
        name, sym::RangeAttr::get(context, known.lo, known.hi, hint)));
  }
  if (!symbols.empty())
    func->setAttr(sym::kSymbolsAttrName, builder.getDictionaryAttr(symbols));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

Error ModuleBuilder::define(StringRef name, Value value, Storage::Owner owner) {
  return defineView(name, storages.create(value, owner, name));
}

Error ModuleBuilder::defineView(StringRef name, View *view) {
  notePlace(name, view->value);
  variables.push_back({view, nullptr, {}});
  view->storage->variables.push_back(variables.size() - 1);
  return addName(variables.size() - 1, name);
}

Error ModuleBuilder::addName(unsigned variable, StringRef name) {
  if (!variableOf.try_emplace(name, variable).second)
    return makeError("the tensor " + quoted(name) + " is defined twice");
  Expected<const TensorMeta *> meta = getMeta(name);
  if (!meta)
    return meta.takeError();
  variables[variable].meta = *meta;
  if (!getStorage(variable)->meta)
    getStorage(variable)->meta = *meta;
  variables[variable].names.push_back(name);
  return Error::success();
}

Expected<unsigned> ModuleBuilder::lookup(StringRef name) {
  auto it = variableOf.find(name);
  if (it == variableOf.end())
    return makeError("the tensor " + quoted(name) +
                     " is used before it is defined");
  return it->second;
}

void ModuleBuilder::computeLastUses() {
  if (std::exchange(hasLastUses, true))
    return;
  auto use = [&](const Argument &arg, size_t position) {
    if (arg.kind == Kind::Tensor || arg.kind == Kind::Tensors)
      for (StringRef name : arg.strings)
        lastUses[name] = position;
  };
  for (auto [position, node] : enumerate(graph->nodes))
    for (const NamedArgument &input : node.inputs)
      use(input.value, position);
  for (const Argument &output : graph->outputs)
    use(output, SIZE_MAX);
  if (graph == &program)
    for (const OutputSpec &output : program.outputs)
      use(output.arg, SIZE_MAX);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The name of a node for locations and messages.
static StringRef getNodeName(const Node &node) {
  if (!node.name.empty())
    return node.name;
  for (const Argument &output : node.outputs)
    if (!output.strings.empty())
      return output.strings.front();
  return "";
}

Location ModuleBuilder::getLocation(const Node &node) {
  StringAttr name = builder.getStringAttr(getNodeName(node));
  if (node.source.file.empty())
    return NameLoc::get(name);
  return NameLoc::get(name, FileLineColLoc::get(context, node.source.file,
                                                node.source.line, 0));
}

/// Says which node, operator and source line \p error is about.
Error ModuleBuilder::describe(const Node &node, Error error) {
  std::string text = "node " + quoted(getNodeName(node)) + " (" +
                     quoted(node.target).substr(1);
  text.pop_back();
  text += ")";
  if (!node.source.file.empty()) {
    std::string file = quoted(node.source.file);
    text += " at " + file.substr(1, file.size() - 2) + ":" +
            std::to_string(node.source.line);
  }
  return makeError(text + ": " + toString(std::move(error)));
}

Expected<const OpSchema *> ModuleBuilder::getSchema(StringRef name) {
  if (!name.consume_front("aten."))
    return nullptr;
  auto it = schemas.find(name);
  if (it != schemas.end())
    return &it->second;
  const AtenSchemaEntry *entry = findAtenSchema(name);
  if (!entry)
    return nullptr;
  Expected<OpSchema> schema = parseSchema(entry->signature);
  if (!schema)
    return schema.takeError();
  // These write to operands that they do not read, as others write to `out`.
  if (is_contained({"_cummax_helper.default", "_cummin_helper.default"}, name))
    for (auto &argument : schema->arguments)
      argument.isKeywordOnly |= argument.isMutated;
  return &schemas.try_emplace(name, std::move(*schema)).first->second;
}

/// Whether \p node computes a symbolic number from others.
static bool isSymbolic(const Node &node) {
  StringRef target = node.target;
  if (target.consume_front("torch.ops.aten."))
    return is_contained({"sym_size.int", "sym_stride.int", "sym_numel.default",
                         "sym_storage_offset.default"},
                        target);
  return target.starts_with("_operator.") || target.starts_with("math.") ||
         target.starts_with("torch.sym_");
}

/// Why a higher-order operator is not imported.
static StringRef getReason(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("higher_order.wrap_with_autocast",
            "it is not of the known form: a device, 'cpu' or 'cuda', an "
            "element type, whether it is enabled, a subgraph of tensors, and "
            "results with the element types that autocast gives them, which "
            "export does not write in strict mode")
      .Cases({"higher_order.print", "higher_order.with_effects"},
             "a program has no effects but its results and what it writes to "
             "its inputs")
      .Case("higher_order.out_dtype",
            "it is not of the known form: an operator of PyTorch, an element "
            "type and operands")
      .Case("higher_order.auto_functionalized",
            "only its second version, 'auto_functionalized_v2', is supported; "
            "torch._inductor.config.enable_auto_functionalized_v2 says which "
            "one export writes")
      .Cases({"higher_order.triton_kernel_wrapper_functional",
              "higher_order.triton_kernel_wrapper_mutation"},
             "the file does not have the code of Triton's kernels")
      .Cases({"higher_order.wrap_with_set_grad_enabled",
              "higher_order.hints_wrapper", "higher_order.strict_mode",
              "higher_order.invoke_subgraph", "higher_order.foreach_map",
              "higher_order.wrap", "higher_order.tag_activation_checkpoint"},
             "it is not of the known form: a subgraph of tensors and of "
             "symbolic sizes, and results that are tensors")
      .Default("this operator with a subgraph is not supported");
}

Error ModuleBuilder::addNode(const Node &node, size_t position) {
  location = getLocation(node);
  for (const NamedArgument &input : node.inputs)
    if (input.value.kind == Kind::Other && input.value.strings.size() == 3)
      return makeError("it takes the object " + quoted(input.value.strings[1]) +
                       " of the class " + quoted(input.value.strings[2]) +
                       ", which cannot be imported: the file has no methods "
                       "of it that could be called, and programs find objects "
                       "by the names that they are bound to");
  if (Error error = deriveView(node))
    return error;
  if (isSymbolic(node)) {
    // Whoever uses the number finds its expression in the program.
    for (const Argument &output : node.outputs)
      if (output.kind == Kind::Tensor || output.kind == Kind::Tensors)
        return makeError("expected a symbolic number as result");
    return Error::success();
  }
  StringRef name = node.target;
  if (!name.consume_front("torch.ops."))
    return makeError("unknown kind of operator");
  if (name == "higher_order.cond")
    return addCond(node);
  if (name == "higher_order.while_loop")
    return addWhile(node);
  if (name == "higher_order.map_impl")
    return addMap(node);
  if (name == "higher_order.scan")
    return addScan(node);
  if (name == "higher_order.associative_scan")
    return addAssociativeScan(node);
  if (name == "higher_order.auto_functionalized_v2")
    return addFunctionalized(node);
  if (name.starts_with("higher_order."))
    return makeError(getReason(name));
  if (isCustom(name))
    return addCustomCall(node);
  if (name == "aten.item.default" || name == "aten._local_scalar_dense.default")
    return addItem(node);
  if (name == "aten._assert_scalar.default")
    return addAssert(node);
  if (name == "aten.tensor_split.tensor_indices_or_sections")
    return addTensorSplit(node);
  // These state what the types and ranges say already.
  if (is_contained({"aten._assert_tensor_metadata.default",
                    "aten.sym_constrain_range.default",
                    "aten.sym_constrain_range_for_size.default"},
                   name))
    return Error::success();
  return addCall(node, position);
}

/// Turns an assertion on sizes into one on expressions.
Error ModuleBuilder::addAssert(const Node &node) {
  if (node.inputs.empty())
    return makeError("the condition is missing");
  const Argument &condition = node.inputs.front().value;
  if (condition.kind == Kind::Bool && condition.ints[0])
    return Error::success();
  if (condition.kind != Kind::SymBool || condition.symInts[0].name.empty())
    return makeError("the condition is not a symbolic bool");
  auto it = graph->symBools.find(condition.symInts[0].name);
  if (it == graph->symBools.end() || !it->second.isSymbolic())
    return makeError("the condition has no expression");
  SmallVector<SymRelation> relations;
  bool isRelation = true;
  if (Error error = converter.convertRelations(it->second.expr, relations)) {
    consumeError(std::move(error));
    isRelation = false;
  }
  StringRef message = "an assertion of the model does not hold";
  if (node.inputs.size() > 1 && node.inputs[1].value.kind == Kind::String)
    message = node.inputs[1].value.strings[0];
  if (!isRelation) {
    // The host reads whether it holds.
    Expected<Value> holds = computeNumber(condition);
    if (!holds)
      return holds.takeError();
    relations.assign({requireOnHost(*holds)});
  }
  for (const SymRelation &relation : relations)
    sym::AssertOp::create(builder, getLocation(node), relation.lhs,
                          relation.predicate, relation.rhs,
                          builder.getStringAttr(message));
  return Error::success();
}

Error ModuleBuilder::addCall(const Node &node, size_t position) {
  Call call;
  call.name = node.target.drop_front(strlen("torch.ops.")).str();
  SmallVector<StringRef> parts;
  StringRef(call.name).split(parts, '.');
  bool isPlain = parts.size() == 3 && all_of(parts, [](StringRef part) {
                   return !part.empty() && all_of(part, [](char c) {
                     return isAlnum(c) || c == '_';
                   });
                 });
  if (!isPlain)
    return makeError("unknown kind of operator");
  // Decompositions write numbers like this.
  if (call.name == "prims.scalar_tensor.default")
    call.name = "aten.scalar_tensor.default";
  Expected<const OpSchema *> schema = getSchema(call.name);
  if (!schema)
    return schema.takeError();
  if (*schema && parts[1].starts_with("_foreach_"))
    return addForeach(node, **schema, position);
  if (Error error = collectArguments(node, *schema, call))
    return error;
  if (is_contained({"prims.convert_element_type.default",
                    "quantized_decomposed.convert_element_type.no_fuse"},
                   call.name) &&
      call.operands.size() == 1) {
    call.name = "aten._to_copy.default";
    call.operandNames[0] = builder.getStringAttr("self");
  }
  // The file says of the result which strides it has.
  if (call.name == "prims.copy_strided.default" && call.operands.size() == 1) {
    call.name = "aten.clone.default";
    call.operandNames[0] = builder.getStringAttr("self");
    call.arguments.clear();
  }
  if (*schema && (*schema)->isMutating())
    return addMutation(node, **schema, std::move(call), position);
  if (updatesStatistics(call))
    return addStatisticsUpdate(node, call, position);
  if (call.name == "aten.as_strided.default" ||
      call.name == "aten._reshape_alias.default")
    return addAsStrided(node, call);
  // A copy of elements in memory; where they are is known of tensors that were
  // made there, and of values that lie row by row.
  if (call.name == "aten.as_strided_copy.default") {
    Error error = addAsStrided(node, call);
    if (!error)
      return Error::success();
    consumeError(std::move(error));
  }
  return addResults(node, *schema, call);
}

ArrayAttr ModuleBuilder::getNumbers(const Call &call) {
  return call.numbers.empty() ? ArrayAttr()
                              : builder.getArrayAttr(call.numbers);
}

/// Whether a number that an operator gives is one that shapes tell, such as the
/// length of the longest sequence of attention.
bool ModuleBuilder::isKnownSize(const Argument &output, const Call &call) {
  Expected<ExprAttr> expr = getExpr(output.symInts[0]);
  if (!expr) {
    consumeError(expr.takeError());
    return false;
  }
  return expr->isConstant() || any_of(call.operands, [&](Value operand) {
           auto type = dyn_cast<RankedTensorType>(operand.getType());
           return type && is_contained(sym::getSizes(type), *expr);
         });
}

Error ModuleBuilder::addResults(const Node &node, const OpSchema *schema,
                                const Call &call) {
  if (schema && schema->returns.size() != node.outputs.size())
    return makeError("expected " + Twine(schema->returns.size()) +
                     " results but got " + Twine(node.outputs.size()));
  SmallVector<Type> types;
  SmallVector<RankedTensorType> allTypes;
  SmallVector<StringRef> names;
  SmallVector<unsigned> sizes;
  for (auto [index, output] : enumerate(node.outputs)) {
    size_t position = index;
    auto fail = [&](const Twine &what) {
      return makeError("result " + Twine(position) + " " + what);
    };
    bool isSize = output.kind == Kind::SymInt && isKnownSize(output, call);
    if (!isSize &&
        (output.kind == Kind::SymInt || output.kind == Kind::SymFloat ||
         output.kind == Kind::SymBool))
      return fail("is a number that depends on data, which is not supported");
    // An argument says which results there are (output_mask); the operator has
    // fewer then. Sizes are known by their expressions.
    if (isSize || output.kind == Kind::None) {
      sizes.push_back(0);
      continue;
    }
    if (output.kind != Kind::Tensor && output.kind != Kind::Tensors)
      return fail("is not a tensor, which is not supported");
    if (schema && (!schema->returns[position].type.isTensor() ||
                   schema->returns[position].type.isList !=
                       (output.kind == Kind::Tensors)))
      return fail("is not what the schema says");
    sizes.push_back(output.strings.size());
    for (StringRef name : output.strings) {
      if (name.empty())
        return fail("is absent, which is not supported");
      Expected<const TensorMeta *> meta = getMeta(name);
      if (!meta)
        return meta.takeError();
      Expected<RankedTensorType> type = getType(**meta);
      if (!type)
        return makeError("tensor " + quoted(name) + ": " +
                         toString(type.takeError()));
      if (Type element = getComputedType(call, position))
        *type = sym::getTensorType(sym::getSizes(*type), element);
      types.push_back(*type);
      allTypes.push_back(*type);
      names.push_back(name);
    }
  }
  // What checks data at run time (_assert_async) is dropped, as PyTorch's own
  // compiler does; nothing else has no results.
  if (types.empty() && schema)
    return Error::success();
  auto op = graph::AtenOp::create(
      builder, location, types, builder.getStringAttr(call.name), call.operands,
      builder.getArrayAttr(call.operandNames),
      builder.getDictionaryAttr(call.arguments), bindSizes(allTypes),
      getNumbers(call));
  retype(op, allTypes);
  if (Error error = notePositions(call, op))
    return error;
  unsigned number = 0;
  bool isView = false;
  for (auto [result, size] : enumerate(sizes)) {
    ArrayRef<RankedTensorType> list = ArrayRef(allTypes).slice(number, size);
    for (unsigned element = 0; element < size; ++element, ++number) {
      StringRef name = names[number];
      Value value = op->getResult(number);
      Alias alias;
      if (schema) {
        Expected<Alias> found = findAlias(call, *schema, result, element, list,
                                          graph->tensors.find(name)->second);
        if (!found)
          return found.takeError();
        alias = std::move(*found);
      }
      isView |= alias.kind == Alias::Kind::View;
      if (alias.kind != Alias::Kind::View) {
        if (Error error = define(name, value))
          return error;
        if (alias.kind == Alias::Kind::Possible)
          storages.join(getStorage(variables.size() - 1),
                        getStorage(alias.variable));
        continue;
      }
      Expected<View *> view = getView(alias, allTypes[number], value);
      if (!view)
        return view.takeError();
      notePlace(name, value);
      if (Error error = defineView(name, *view))
        return error;
    }
  }
  if (isView)
    storages.noteDroppable(op);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

Expected<OwningOpRef<ModuleOp>> ModuleBuilder::run() {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(builder, builder.getUnknownLoc());
  builder.setInsertionPointToStart(module->getBody());
  auto func = func::FuncOp::create(builder, builder.getUnknownLoc(), "main",
                                   builder.getFunctionType({}, {}));
  if (Error error = declareRanges())
    return std::move(error);
  findDevices();
  if (Error error = addInputs(func))
    return std::move(error);
  for (auto [position, node] : enumerate(program.nodes))
    if (Error error = addNode(node, position))
      return describe(node, std::move(error));
  if (Error error = addOutputs(func))
    return std::move(error);
  if (Error error = checkSymbols(func))
    return std::move(error);
  storages.dropUnused([this](Value value) { places.erase(value); });
  placeOperands(func);
  return std::move(module);
}
