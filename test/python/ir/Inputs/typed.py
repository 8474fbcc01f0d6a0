# A program of a user's, which mypy --strict accepts as it is.
from coil.dialects import func, graph
from coil.ir import Context, F32Type, InsertionPoint, Location, Module, OpResult, Operation, RankedTensorType
from coil.passmanager import PassManager


def count(module: Module) -> dict[str, int]:
    found: dict[str, int] = {}

    def see(operation: Operation) -> None:
        found[operation.name] = found.get(operation.name, 0) + 1

    module.walk(see)
    return found


def build() -> Module:
    with Context(), Location.unknown():
        module = Module.create()
        tensor = RankedTensorType.get([4], F32Type.get())
        with InsertionPoint(module.body):
            function = func.FuncOp("f", ([tensor], [tensor]))
        with InsertionPoint(function.add_entry_block()):
            total: OpResult = graph.abs(function.arguments[0])
            func.ReturnOp([total])
        PassManager.parse("builtin.module(canonicalize)").run(module)
        return module


print(count(build()))
