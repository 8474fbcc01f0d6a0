# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes modules at random, with handles old and new, valid IR and invalid: whatever a step does,
it succeeds or raises one of the package's exceptions.

    mutations.py seed number-of-steps
"""

import random
import sys

from coil import CoilError, extend
from coil.dialects import graph
from coil.ir import *
from coil.passmanager import PassManager

TEXT = """
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.add %a, %b : tensor<4xf32>
  %p = arith.constant true
  %c = arith.constant 1 : index
  %1 = scf.if %p -> tensor<4xf32> {
    %2 = graph.mul %0, %b : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %0 : tensor<4xf32>
  }
  scf.for %i = %c to %c step %c {
    %3 = graph.abs %1 : tensor<4xf32>
  }
  cf.br ^bb1(%1 : tensor<4xf32>)
^bb1(%x: tensor<4xf32>):
  %4 = graph.exp %x : tensor<4xf32>
  return %4 : tensor<4xf32>
}
func.func @g(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
"""
NAMES = ("graph.add graph.select graph.compare graph.reduce graph.constant scf.yield scf.if arith.cmpi arith.addi "
         "arith.select arith.constant tensor.dim tensor.extract tensor.cast memref.load vector.extract math.exp "
         "func.return loop.yield sym.assert").split()
TYPES = "f32 tensor<4xf32> index i1 tensor<?xf32> memref<2xf32>".split()
EXPECTED = (CoilError, ValueError, IndexError, KeyError, TypeError, RuntimeError)

choose = random.Random(int(sys.argv[1]))
pool = []  # Handles of any age.


class Step:
    """One change of what is inside an operation."""

    def __init__(self, root):
        self.root, self.found = root, []
        root.walk(lambda operation: self.found.append(operation.opview), walk_order=WalkOrder.PRE_ORDER)

    def operation(self):
        found = choose.choice(pool if pool and choose.random() < 0.3 else self.found)
        pool.append(found)
        del pool[:-100]
        return found

    def block(self):
        return choose.choice([block for region in self.operation().regions for block in region.blocks])

    def value(self):
        operation = self.operation()
        inner = [argument for region in operation.regions for block in region.blocks for argument in block.arguments]
        return choose.choice([*operation.results, *inner])

    # -- Changes ----------------------------------------------------------------------------

    def erase(self):
        self.operation().erase()

    def move(self):
        choose.choice((Operation.move_before, Operation.move_after))(self.operation(), self.operation())

    def append(self):
        self.block().append(self.operation())

    def set_operand(self):
        operands = self.operation().operands
        operands[choose.randrange(len(operands))] = self.value()

    def replace_uses(self):
        self.value().replace_all_uses_with(self.value())

    def replace(self):
        operation = self.operation()
        operation.replace_with([self.value() for _ in operation.results])

    def clone(self):
        self.operation().clone(InsertionPoint(self.operation()))

    def change_block(self):
        block = self.block()
        choose.choice((block.erase, lambda: block.erase_argument(0), lambda: block.add_argument(self.value().type)))()

    def append_block(self):
        choose.choice(list(self.operation().regions)).append_block(Type.parse(choose.choice(TYPES)))

    def build(self):
        with InsertionPoint(choose.choice((self.block, self.operation))()):
            choose.choice((graph.add, graph.sub, graph.maximum))(self.value(), self.value())

    def create(self):
        Operation.create(choose.choice(NAMES), choose.choice([None, [], [Type.parse(choose.choice(TYPES))]]),
                         [self.value() for _ in range(choose.randrange(4))],
                         choose.choice([{}, {"value": 1}, {"predicate": 2}]), regions=choose.choice([0, 0, 1, 2]),
                         ip=InsertionPoint(self.operation()))

    def set_type(self):
        self.value().set_type(Type.parse(choose.choice(TYPES)))

    def set_attribute(self):
        value = choose.choice([1, "x", [1, 2], True, 1.5, Type.parse("f32")])
        self.operation().attributes[choose.choice(("sym_name", "function_type", "value", "predicate", "a"))] = value

    def delete_attribute(self):
        attributes = self.operation().attributes
        del attributes[choose.choice(list(attributes))]

    def look(self):
        operation = self.operation()
        str(operation), repr(operation), operation.get_asm(print_generic_op_form=True)
        assert [use.owner.operation.name for result in operation.results for use in result.uses] is not None
        operation.verify()

    def run(self):
        PassManager.parse(choose.choice(("builtin.module(func.func(test-mutate))",
                                         "builtin.module(func.func(canonicalize,cse))"))).run(self.root)


CHANGES = [value for name, value in vars(Step).items() if not name.startswith("_") and name not in (
    "operation", "block", "value")]
outcomes = {"done": 0}


def change(root, changes):
    try:
        choose.choice(changes)(Step(root))
        outcomes["done"] += 1
    except EXPECTED as error:
        outcomes[type(error).__name__] = outcomes.get(type(error).__name__, 0) + 1


@extend.register_pass("test-mutate", op="func.func")
def mutate(function):
    for _ in range(choose.randrange(3)):
        change(function.operation, [each for each in CHANGES if each is not Step.run])


steps = int(sys.argv[2])
while sum(outcomes.values()) < steps:
    with Context() as context, Location.unknown():
        context.enable_multithreading(False)  # So that a seed is a seed.
        module = Module.parse(TEXT)
        for _ in range(choose.randrange(10, 80)):
            change(module.operation, CHANGES)
print(outcomes)
