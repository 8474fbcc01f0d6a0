//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models of other dialects that do not give what their operations have: the
// interpreter says so at the operation.
//
//===----------------------------------------------------------------------===//

#include "coil/Reference/Interpreter.h"
#include "coil/InitAllDialects.h"
#include "coil/Reference/Models.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace coil;
using namespace coil::reference;
using namespace mlir;

namespace {

enum class Gives { Nothing, Number, OwnType };

/// `func.constant` gives a function, which no tensor is.
template <Gives gives>
struct WrongModel
    : ReferenceOpInterface::ExternalModel<WrongModel<gives>, func::ConstantOp> {
  LogicalResult evaluate(Operation *op, Frame &frame, ArrayRef<Tensor>,
                         SmallVectorImpl<Tensor> &results) const {
    if constexpr (gives == Gives::Number)
      results.push_back(Tensor(DType::F32, {}));
    if constexpr (gives == Gives::OwnType)
      return frame.allocate(op, op->getResult(0).getType());
    return success();
  }
};

/// What running a function with such an operation says.
template <Gives gives>
std::string runError() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    func::ConstantOp::attachInterface<WrongModel<gives>>(*context);
  });
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(R"mlir(
    func.func @main() {
      %f = func.constant @main : () -> ()
      return
    })mlir",
                                            &context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  auto main = module->lookupSymbol<func::FuncOp>("main");
  EXPECT_TRUE(failed(Interpreter().run(main, {})));
  return message;
}

TEST(InterpreterTest, NamesModelsThatGiveSomethingElse) {
  EXPECT_EQ(runError<Gives::Nothing>(),
            "has reference semantics with another number of results");
  EXPECT_EQ(runError<Gives::Number>(), "gives a value that is not a tensor");
  EXPECT_EQ(runError<Gives::OwnType>(),
            "cannot hold a value of type '() -> ()'");
}

} // namespace
