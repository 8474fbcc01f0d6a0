//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM reports while it compiles.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_ERRORCOLLECTOR_H
#define COIL_LIB_EXECUTIONENGINE_ERRORCOLLECTOR_H

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace coil {

/// Keeps the errors of a context: without a handler they end the process.
struct ErrorCollector : llvm::DiagnosticHandler {
  explicit ErrorCollector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return false;
    llvm::raw_string_ostream os(errors);
    if (!errors.empty())
      os << "; ";
    if (info.getKind() == llvm::DK_InlineAsm)
      if (const llvm::Instruction *instruction =
              static_cast<const llvm::DiagnosticInfoInlineAsm &>(info)
                  .getInstruction())
        os << "in function '" << instruction->getFunction()->getName() << "': ";
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    return true;
  }

  std::string &errors;
};

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_ERRORCOLLECTOR_H
