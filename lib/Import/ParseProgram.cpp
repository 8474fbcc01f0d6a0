//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Exported programs in the form that the importer takes.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/ExportedProgram.h"

using namespace llvm;
using namespace coil::import;

Error coil::import::parseExportedProgram(StringRef text, const Limits &limits,
                                         ExportedProgram &program) {
  if (Error error = readExportedProgram(text, limits, program))
    return error;
  inlineRegions(program, program.storage);
  correctShapes(program, program.storage);
  return correctRecurrentShapes(program, program.storage);
}
