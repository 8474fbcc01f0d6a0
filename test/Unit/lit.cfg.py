# Configuration of the GoogleTest binaries in the build tree.
import os

import lit.formats

config.name = "Coil-Unit"
config.suffixes = []
config.test_source_root = os.path.join(config.coil_obj_root, "test", "Unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.environment["COIL_MODELS"] = os.path.join(config.coil_src_root, "examples", "models")
if os.environ.get("COIL_LIT_CPU"):
    config.name += "-" + os.environ["COIL_LIT_CPU"]
    config.environment["COIL_CPU"] = os.environ["COIL_LIT_CPU"]
