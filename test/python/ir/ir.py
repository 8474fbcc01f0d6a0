# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The IR from Python: text, walks, types, attributes, builders, changes and handles. Prints what
ir.test looks at, and raises where something is not as it should be."""

import gc
import threading

from coil.dialects import arith, func, graph, scf
from coil.ir import *

TEXT = """
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.add %a, %b : tensor<4xf32>
  %1 = graph.mul %0, %b : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


def raises(kind, function, *words):
    """The text of the exception that a call raises, which has these words."""
    try:
        function()
    except kind as error:
        for word in words:
            assert word in str(error), f"'{word}' is not in: {error}"
        return error
    raise AssertionError(f"no {kind.__name__}")


def text():
    module = Module.parse(TEXT)
    print(module)
    print(module.get_asm(print_generic_op_form=True).splitlines()[1].strip())
    print("file" if 'loc("x.mlir":3:8)' in Module.parse(TEXT, filename="x.mlir").get_asm(
        enable_debug_info=True) else "no location")
    constant = Module.parse("func.func @c() -> tensor<8xf32> {\n"
                            "  %0 = graph.constant dense<[1.,2.,3.,4.,5.,6.,7.,8.]> : tensor<8xf32>\n"
                            "  return %0 : tensor<8xf32>\n}")
    assert "elided" in constant.get_asm(large_elements_limit=4) and "elided" not in str(constant)
    assert Module.parse(str(module)).get_asm() == str(module) == str(module.clone())
    error = raises(MLIRError, lambda: Module.parse("func.func @f() {\n  %0 = graph.nag\n}", filename="a.mlir"),
                   "a.mlir:2", "graph.nag")
    assert isinstance(error.error_diagnostics[0].location, Location)
    error = raises(MLIRError, lambda: Module.parse(
        "func.func @f(%a: tensor<4xf32>) -> tensor<8xf32> {\n  return %a : tensor<4xf32>\n}"), "return")
    assert error.error_diagnostics and error.error_diagnostics[0].severity == DiagnosticSeverity.ERROR
    error = raises(MLIRError, lambda: Module.parse("func.func private @f()\nfunc.func private @f()"), "redefinition")
    assert any("see existing" in note.message and note.location.describe() == "<string>:1:1"
               for note in error.error_diagnostics[0].notes)
    raises(MLIRError, lambda: Module.parse("(" * 100000))
    raises(MLIRError, lambda: Module.parse(b"\xff\xfe"))
    raises(MLIRError, lambda: Module.parse_file("/no-such-file.mlir"), "no-such-file")
    raises(TypeError, lambda: Module.parse(None))


def walks():
    module = Module.parse(TEXT)
    seen = []
    module.walk(lambda op: seen.append(op.name))
    print(seen)
    seen = []
    module.walk(lambda op: seen.append(op.name) or (WalkResult.SKIP if op.name == "func.func" else None),
                walk_order=WalkOrder.PRE_ORDER)
    print(seen)
    seen = []
    result = module.walk(lambda op: seen.append(op.name) or WalkResult.INTERRUPT)
    print(seen, result)
    function = SymbolTable(module.operation)["f"]
    raises(KeyError, lambda: SymbolTable(module.operation)["g"])
    assert "f" in SymbolTable(module.operation) and isinstance(function, func.FuncOp)
    x, y = function.arguments
    add, mul = function.entry_block.operations[:2]
    assert [use.owner for use in y.uses] == [mul, add] and y.uses[0].operand_number == 1
    assert add.lhs == x and add.rhs == y and mul.lhs.owner == add and isinstance(add, graph.AddOp)
    assert x.owner == function.entry_block and function.entry_block.owner == function
    assert add.parent == function and function.parent == module.operation and module.operation.parent is None
    assert add.block.region.owner == function and len(function.regions) == 1
    print(add.result, x.get_name(), function.entry_block.terminator, list(function.attributes))
    raises(IndexError, lambda: add.operands[2])
    raises(KeyError, lambda: add.attributes["nothing"], "nothing")
    print(module.operation.regions[0].blocks[0].operations[0].type.inputs[0].shape)


def types_and_attributes():
    tensor = RankedTensorType.get([2, ShapedType.get_dynamic_size()], F32Type.get(),
                                  Attribute.parse("#sym.shape<[2, n]>"))
    print(tensor, tensor.rank, tensor.is_dynamic_dim(1), tensor.encoding, tensor.has_static_shape)
    for written in ("i32", "si8", "ui64", "index", "none", "bf16", "f16", "f32", "f64", "f8E4M3FN", "f8E5M2",
                    "complex<f32>", "tensor<*xf32>", "vector<4xf32>", "memref<4xf32>", "(f32) -> i1",
                    "tuple<f32, i1>", "f6E2M3FN", "tensor<f32>"):
        print(type(Type.parse(written)).__name__, end=" ")
    print()
    for written in ('"a"', "1 : i8", "true", "1.5 : f32", "[1, 2]", "{a = 1}", "@f", "@f::@g", "f32", "unit",
                    "array<i64: 1, 2>", "array<i32: 1>", "array<i1: true>", "array<f64: 1.0>",
                    "dense<1> : tensor<2xi8>",
                    "dense<1.0> : tensor<2xf32>", "affine_map<(d0) -> (d0)>", "#sym.expr<n + 1>"):
        attribute = Attribute.parse(written)
        assert Attribute.parse(str(attribute)) == attribute
        print(type(attribute).__name__, end=" ")
    print()
    assert Attribute.parse("-1 : i8").value == -1 and Attribute.parse("255 : ui8").value == 255
    assert list(DenseI64ArrayAttr.get([1, -2])) == [1, -2] and DenseBoolArrayAttr.get([True])[0] is True
    assert DictAttr.get({"a": StringAttr.get("b")})["a"].value == "b" and Attribute.parse("@f::@g").value == ["f", "g"]
    elements = DenseElementsAttr.get(memoryview(b"\0\0\x80\x3f" * 2), RankedTensorType.get([2], F32Type.get()))
    assert elements.is_splat and elements.get_splat_value().value == 1 and len(elements) == 2
    raises(ValueError, lambda: DenseElementsAttr.get(b"123", RankedTensorType.get([2], F32Type.get())), "3 bytes")
    raises(MLIRError, lambda: Type.parse("tensor<"), "cannot parse type")
    raises(ValueError, lambda: F32Type.parse("f64"), "F32Type")
    raises(MLIRError, lambda: Attribute.parse("#sym.nothing"))
    raises(ValueError, lambda: IntegerType.get_signless(1 << 24))
    raises(ValueError, lambda: IntegerAttr.get(IntegerType.get_signless(8), 256), "256")
    raises(ValueError, lambda: IntegerAttr.get(F32Type.get(), 1))
    raises(MLIRError, lambda: RankedTensorType.get([2], Type.parse("(f32) -> f32")), "tensor")
    raises(MLIRError, lambda: VectorType.get([-2], F32Type.get()))
    raises(ValueError, lambda: Type.parse("tensor<*xf32>").rank, "no rank")


def builders():
    module = Module.create()
    tensor = RankedTensorType.get([4], F32Type.get())
    with InsertionPoint(module.body):
        function = func.FuncOp("g", ([tensor, tensor], [tensor]), visibility="public")
    block = function.add_entry_block()
    x, y = function.arguments
    with InsertionPoint(block), Location.file("model.py", 3, 7):
        larger = graph.compare(graph.ComparePredicate.Gt, x, y)
        chosen = graph.select(larger, graph.exp(x), y)
        total = graph.reduce(RankedTensorType.get([], F32Type.get()), graph.ReduceKind.Sum, chosen, [0])
        back = graph.SubOp(chosen, total)
        condition = arith.constant(BoolAttr.get(True))
        branch = scf.IfOp([], condition)
        function_end = func.ReturnOp([back])
    branch.regions[0].append_block()
    with InsertionPoint(branch.regions[0].blocks[0]):
        scf.YieldOp([])
    module.verify()
    print(module)
    assert larger.type.element_type == IntegerType.get_signless(1) and back.result.location.describe() == "model.py:3:7"

    with InsertionPoint(function_end):
        other = RankedTensorType.get([3], F32Type.get())
        raises(MLIRError, lambda: graph.add(x, graph.constant(
            DenseElementsAttr.get(b"\0" * 12, other))), "do not broadcast")
        raises(TypeError, lambda: graph.add(x, 3), "expected a Value")
        raises(TypeError, lambda: graph.add(x), "rhs")
        raises(MLIRError, lambda: Operation.create("graph.add", operands=[x]), "operand")
        raises(MLIRError, lambda: Operation.create("graph.add", operands=[condition, condition]), "operand #0")
        raises(MLIRError, lambda: Operation.create("graph.nag", results=[]), "no operation 'graph.nag'")
        raises(MLIRError, lambda: Operation.create("func.call"), "does not infer")
        raises(MLIRError, lambda: Operation.create("func.func", [], regions=1), "requires attribute 'function_type'")
        raises(ValueError, lambda: function.attributes.__delitem__("function_type"), "requires attribute")
        raises(MLIRError, lambda: Operation.create("vector.extract", operands=[x], regions=1), "regions")
        x.replace_all_uses_with(x)
        raises(ValueError, lambda: graph.reduce(tensor, StringAttr.get("sum"), x, [0]), "cannot be")
        raises(TypeError, lambda: Operation.create("graph.neg", operands=[x], attributes={"a": object()}),
               "no attribute")
        before = len(block.operations)
        wrong = graph.AddOp(x, y)
        wrong.result.set_type(other)
        raises(MLIRError, module.verify, "broadcast")
        wrong.erase()
        assert len(block.operations) == before and module.verify()
    raises(ValueError, lambda: graph.exp(x), "no current insertion point")
    with Context() as second:
        raises(ValueError, lambda: graph.exp(x, ip=InsertionPoint(Module.create(Location.unknown(second)).body)),
               "another module")
        other_type, other_attribute = Type.parse("f32", second), StringAttr.get("a", second)
    for mix in (lambda: RankedTensorType.get([1], other_type, encoding=Attribute.parse("#sym.shape<[1]>")),
                lambda: FunctionType.get([tensor], [other_type]),
                lambda: ArrayAttr.get([StringAttr.get("b"), other_attribute]),
                lambda: back.attributes.__setitem__("a", other_attribute), lambda: total.set_type(other_type),
                lambda: block.add_argument(other_type), lambda: branch.regions[1].append_block(other_type),
                lambda: Operation.create("graph.neg", [other_type], [x], ip=InsertionPoint(function_end)),
                lambda: graph.neg(x, loc=Location.unknown(second), ip=InsertionPoint(function_end))):
        raises(ValueError, mix, "another context")
    back.attributes["note"] = ["a", 1, 2.5, True, {"b": "c"}]
    print(back)
    del back.attributes["note"]
    raises(KeyError, lambda: back.attributes.__delitem__("note"))
    raises(ValueError, lambda: total.owner.attributes.__setitem__("dims", "text"), "cannot be")
    assert list(total.owner.attributes["dims"]) == [0]


def changes():
    module = Module.parse(TEXT)
    function = module.body.operations[0]
    block = function.entry_block
    x, y = function.arguments
    add, mul = block.operations[:2]
    raises(ValueError, add.erase, "'graph.mul' uses a value")
    with InsertionPoint(add):
        add.replace_with(graph.sub(x, y))
    raises(InvalidHandleError, lambda: add.name, "erased")
    assert not add.is_valid and "gone" in repr(add)
    sub = block.operations[0]
    mul.operands[1] = sub
    assert mul.rhs.owner == sub
    mul.replace_uses_of_with(sub, x)
    copy = mul.clone(InsertionPoint.after(mul))
    copy.move_before(mul)
    assert [each.operation.name for each in block.operations] == ["graph.sub", "graph.mul", "graph.mul", "func.return"]
    block.terminator.move_before(mul)
    raises(MLIRError, module.verify)
    mul.move_before(block.operations[2])
    block.append(next(each for each in block.operations if each.operation.name == "func.return"))
    module.verify()
    raises(ValueError, lambda: function.move_before(mul), "into itself")
    raises(ValueError, module.operation.erase, "root")
    value = mul.result
    held = [function.entry_block, mul.regions, mul.operands, mul.attributes, value]
    function.erase()
    for use in (lambda: held[0].operations, lambda: len(held[1]), lambda: held[2][0], lambda: held[3].items(),
                lambda: held[4].type, lambda: x.type, lambda: x.uses, lambda: mul.result, lambda: str(function),
                lambda: InsertionPoint(mul), lambda: graph.neg(value, ip=InsertionPoint(module.body))):
        raises(InvalidHandleError, use, "is erased")
    print(module)

    module = Module.parse("func.func @h(%a: i32) {\n  cf.br ^bb1(%a : i32)\n^bb1(%b: i32):\n  return\n}")
    first, second = module.body.operations[0].regions[0].blocks
    raises(ValueError, second.erase, "successor")
    assert first.terminator.successors == [second]
    first.terminator.erase()
    argument = second.arguments[0]
    second.erase()
    raises(InvalidHandleError, lambda: argument.type, "block is erased")
    with InsertionPoint(first):
        func.ReturnOp([])
    assert module.verify()
    new = first.add_argument(Type.parse("i8"))
    assert new.arg_number == 1
    first.erase_argument(1)
    raises(InvalidHandleError, lambda: new.type, "no argument 1")


def lifetimes():
    value = Module.parse(TEXT).body.operations[0].arguments[0]
    gc.collect()
    assert str(value.type) == "tensor<4xf32>"
    module = Module.parse(TEXT)
    operation = module.body.operations[0].entry_block.operations[0]
    assert operation is not module.body.operations[0].entry_block.operations[0]
    assert operation == module.body.operations[0].entry_block.operations[0]
    assert len({operation, module.body.operations[0].entry_block.operations[0]}) == 1
    raises(RuntimeError, lambda: _leave_wrongly(), "innermost")
    made = []
    threads = [threading.Thread(target=lambda: made.append(_on_a_thread())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["f"] * 4


def _leave_wrongly():
    context = Context()
    context.__enter__()
    location = Location.unknown()
    location.__enter__()
    try:
        context.__exit__()
    finally:
        location.__exit__()
        context.__exit__()


def _on_a_thread():
    raises(ValueError, lambda: Type.parse("f32"), "no current context")
    with Context():
        for _ in range(20):
            module = Module.parse(TEXT)
            module.walk(lambda op: str(op))
    return module.body.operations[0].name.value


for test in (text, walks, types_and_attributes, builders, changes, lifetimes):
    print(f"-- {test.__name__}")
    with Context(), Location.unknown():
        test()
print("done")
