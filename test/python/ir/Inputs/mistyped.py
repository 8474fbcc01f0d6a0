from coil.ir import Module
from coil.passmanager import PassManager

Module.parse(3)
PassManager.parse("builtin.module(cse)").run("module")
