//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the execution engine on a small hand-lowered program.
//
//===----------------------------------------------------------------------===//

#include "coil/ExecutionEngine/Engine.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Runtime/HostABI.h"
#include "coil/Runtime/Runtime.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace coil;
using namespace mlir;

// y[i] = exp(x[i]); fails when the first element is NaN. Allocates its result
// through the runtime and launches one kernel.
static const char *const program = R"mlir(
module {
  llvm.func @coil_rt_alloc(!llvm.ptr, i64, !llvm.ptr) -> i32
  llvm.func @coil_rt_launch_cpu(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) -> i32
  llvm.func @coil_rt_set_output(!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
  llvm.func @exp_kernel(!llvm.ptr, !llvm.ptr, i64, i64) -> i32
  llvm.mlir.global internal constant @one(dense<1> : tensor<1xi64>) : !llvm.array<1 x i64>

  llvm.func @coil_main(%run: !llvm.ptr, %in: !llvm.ptr, %out: !llvm.ptr) -> i32 {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %f32 = llvm.mlir.constant(11 : i32) : i32
    %four = llvm.mlir.constant(4 : i64) : i64
    %grain = llvm.mlir.constant(16 : i64) : i64
    %buffers = llvm.alloca %c2 x !llvm.ptr : (i32) -> !llvm.ptr
    %x = llvm.load %in : !llvm.ptr -> !llvm.ptr
    %sizesPtr = llvm.getelementptr %in[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %sizes = llvm.load %sizesPtr : !llvm.ptr -> !llvm.ptr
    %n = llvm.load %sizes : !llvm.ptr -> i64
    %bytes = llvm.mul %n, %four : i64
    llvm.store %x, %buffers : !llvm.ptr, !llvm.ptr
    %slot = llvm.getelementptr %buffers[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %s0 = llvm.call @coil_rt_alloc(%run, %bytes, %slot) : (!llvm.ptr, i64, !llvm.ptr) -> i32
    %bad0 = llvm.icmp "ne" %s0, %zero : i32
    llvm.cond_br %bad0, ^exit(%s0 : i32), ^launch
  ^launch:
    %kernel = llvm.mlir.addressof @exp_kernel : !llvm.ptr
    %s1 = llvm.call @coil_rt_launch_cpu(%run, %kernel, %buffers, %sizes, %n, %grain) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) -> i32
    %bad1 = llvm.icmp "ne" %s1, %zero : i32
    llvm.cond_br %bad1, ^exit(%s1 : i32), ^finish
  ^finish:
    %y = llvm.load %slot : !llvm.ptr -> !llvm.ptr
    %strides = llvm.mlir.addressof @one : !llvm.ptr
    %s2 = llvm.call @coil_rt_set_output(%run, %out, %y, %f32, %c1, %sizes, %strides) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> i32
    llvm.br ^exit(%s2 : i32)
  ^exit(%status: i32):
    llvm.return %status : i32
  }

  module @kernels {
    llvm.func @expf(f32) -> f32
    llvm.func @exp_kernel(%buffers: !llvm.ptr, %symbols: !llvm.ptr, %begin: i64, %end: i64) -> i32 {
      %x = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
      %slot = llvm.getelementptr %buffers[8] : (!llvm.ptr) -> !llvm.ptr, i8
      %y = llvm.load %slot : !llvm.ptr -> !llvm.ptr
      %one = llvm.mlir.constant(1 : i64) : i64
      %first = llvm.load %x : !llvm.ptr -> f32
      %nan = llvm.fcmp "uno" %first, %first : f32
      %status = llvm.zext %nan : i1 to i32
      llvm.br ^head(%begin : i64)
    ^head(%i: i64):
      %more = llvm.icmp "slt" %i, %end : i64
      llvm.cond_br %more, ^body, ^exit
    ^body:
      %xp = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %yp = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %xp : !llvm.ptr -> f32
      %e = llvm.call @expf(%v) : (f32) -> f32
      llvm.store %e, %yp : f32, !llvm.ptr
      %next = llvm.add %i, %one : i64
      llvm.br ^head(%next : i64)
    ^exit:
      llvm.return %status : i32
    }
  }
}
)mlir";

namespace {

class EngineTest : public testing::Test {
protected:
  EngineTest() {
    context.loadDialect<LLVM::LLVMDialect, sym::SymDialect>();
    module = parseSourceString<ModuleOp>(program, &context);
  }

  Signature makeSignature() {
    Builder b(&context);
    sym::ExprAttr s0 = sym::symbol(&context, "s0");
    RankedTensorType type = sym::getTensorType({s0}, b.getF32Type());
    DictionaryAttr symbols = b.getDictionaryAttr(b.getNamedAttr(
        "s0", sym::RangeAttr::get(&context, 2, 4096, std::nullopt)));
    return llvm::cantFail(
        Signature::create(TypeRange{type}, TypeRange{type}, symbols));
  }

  llvm::Expected<std::unique_ptr<Engine>> create(EngineOptions options = {}) {
    return Engine::create(*module, makeSignature(), options);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

coil_tensor view(std::vector<float> &values, const int64_t *size,
                 const int64_t *stride) {
  return {values.data(), size, stride, 1, COIL_F32, COIL_CPU, 0};
}

const int64_t unit = 1;

TEST_F(EngineTest, CompilesAndRuns) {
  ASSERT_TRUE(module);
  for (unsigned level : {0, 2, 3}) {
    EngineOptions options;
    options.optLevel = level;
    llvm::Expected<std::unique_ptr<Engine>> engine = create(options);
    ASSERT_TRUE(bool(engine)) << toString(engine.takeError());
    EXPECT_EQ((*engine)->getStats().kernels, 1u);
    EXPECT_EQ((*engine)->getStats().objects, 2u);
    for (int64_t size : {2, 17, 1000}) {
      std::vector<float> x(size);
      for (int64_t i = 0; i < size; ++i)
        x[i] = float(i) / 500;
      llvm::Expected<RunResult> result =
          (*engine)->run({view(x, &size, &unit)});
      ASSERT_TRUE(bool(result)) << toString(result.takeError());
      ASSERT_EQ(result->getOutputs().size(), 1u);
      const coil_tensor &y = result->getOutputs()[0];
      ASSERT_EQ(y.sizes[0], size);
      for (int64_t i = 0; i < size; ++i)
        EXPECT_NEAR(static_cast<float *>(y.data)[i], std::exp(x[i]), 1e-5);
      EXPECT_EQ(result->getStats().launches, 1);
      EXPECT_EQ(result->getStats().peak_bytes, 4 * size);
    }
  }
}

TEST_F(EngineTest, InputsAreCheckedFirst) {
  std::unique_ptr<Engine> engine = llvm::cantFail(create());
  std::vector<float> x(8, 1.f);
  int64_t size = 1, two = 2;
  auto message = [&](std::vector<coil_tensor> inputs) {
    llvm::Expected<RunResult> result = engine->run(inputs);
    if (result)
      return std::string("ran");
    llvm::Error error = result.takeError();
    EXPECT_TRUE(error.isA<InputError>());
    return toString(std::move(error));
  };
  EXPECT_EQ(message({}), "expected 1 input but got 0");
  EXPECT_EQ(message({view(x, &size, &unit)}),
            "input 0, dimension 0: expected 's0' to be in [2, 4096] but got 1");
  coil_tensor wrong = view(x, &two, &unit);
  wrong.dtype = COIL_I32;
  EXPECT_EQ(message({wrong}), "input 0: expected element type f32 but got i32");
  wrong = view(x, &two, &unit);
  wrong.rank = 0;
  EXPECT_EQ(message({wrong}), "input 0: expected rank 1 but got 0");
}

TEST_F(EngineTest, OtherLayoutsAreCopied) {
  std::unique_ptr<Engine> engine = llvm::cantFail(create());
  std::vector<float> x = {0, 9, 1, 9, 2};
  int64_t size = 3, two = 2, back = -2;
  llvm::Expected<RunResult> result = engine->run({view(x, &size, &two)});
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  auto *y = static_cast<float *>(result->getOutputs()[0].data);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(y[i], std::exp(float(i)), 1e-5);
  coil_tensor reversed = view(x, &size, &back);
  reversed.data = x.data() + 4;
  result = engine->run({reversed});
  ASSERT_TRUE(bool(result)) << toString(result.takeError());
  y = static_cast<float *>(result->getOutputs()[0].data);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(y[i], std::exp(float(2 - i)), 1e-5);
}

TEST_F(EngineTest, SignatureComesFromTheEntryPoint) {
  llvm::Expected<std::unique_ptr<Engine>> engine = Engine::create(*module);
  ASSERT_FALSE(bool(engine));
  EXPECT_EQ(toString(engine.takeError()),
            "the program's entry point has no 'coil.signature' attribute");
  Operation *entry = module->lookupSymbol("coil_main");
  Attribute attributes = parseAttribute(
      "{coil.signature = (tensor<?xf32, #sym.shape<[s0]>>) -> "
      "tensor<?xf32, #sym.shape<[s0]>>, sym.symbols = {s0 = #sym.range<2, 64>},"
      " coil.input_attrs = [{coil.name = \"x\", graph.weight = \"a.b\"}]}",
      &context);
  ASSERT_TRUE(attributes);
  for (NamedAttribute attribute : cast<DictionaryAttr>(attributes))
    entry->setAttr(attribute.getName(), attribute.getValue());
  engine = Engine::create(*module);
  ASSERT_TRUE(bool(engine)) << toString(engine.takeError());
  const TensorSpec &input = (*engine)->getSignature().getInputs()[0];
  EXPECT_EQ(input.name, "x");
  EXPECT_EQ(input.weight, "a.b");
  EXPECT_EQ(input.str(), "s0xf32");
  std::vector<float> x(65);
  int64_t size = 65;
  llvm::Expected<RunResult> result = (*engine)->run({view(x, &size, &unit)});
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(toString(result.takeError()),
            "weight 'a.b', dimension 0: expected 's0' to be in [2, 64] but "
            "got 65");
}

TEST_F(EngineTest, FailuresNameTheKernel) {
  std::unique_ptr<Engine> engine = llvm::cantFail(create());
  std::vector<float> x(8, NAN);
  int64_t size = 8;
  llvm::Expected<RunResult> result = engine->run({view(x, &size, &unit)});
  ASSERT_FALSE(bool(result));
  handleAllErrors(result.takeError(), [](const RunError &error) {
    EXPECT_EQ(error.getStatus(), COIL_ASSERTION_FAILED);
    EXPECT_EQ(error.message(), "index out of range (in kernel 'exp_kernel')");
  });
}

TEST_F(EngineTest, OutOfMemoryIsAnErrorAndTheEngineGoesOn) {
  std::unique_ptr<Engine> engine = llvm::cantFail(create());
  std::vector<float> x(8, 0.f);
  int64_t size = 8;
  coil_debug_fail_alloc_after(0);
  llvm::Expected<RunResult> result = engine->run({view(x, &size, &unit)});
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(toString(result.takeError()),
            "out of memory: cannot allocate 32 bytes");
  result = engine->run({view(x, &size, &unit)});
  EXPECT_TRUE(bool(result));
}

TEST_F(EngineTest, TraceNamesKernels) {
  std::unique_ptr<Engine> engine = llvm::cantFail(create());
  std::vector<float> x(8, 0.f);
  int64_t size = 8;
  std::vector<coil_trace_event> events;
  RunOptions options;
  options.traceUser = &events;
  options.trace = [](void *user, const coil_trace_event *event) {
    static_cast<std::vector<coil_trace_event> *>(user)->push_back(*event);
  };
  llvm::cantFail(engine->run({view(x, &size, &unit)}, options));
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(engine->getKernelName(events[1].address), "exp_kernel");
  EXPECT_EQ(engine->getKernelName(nullptr), "");
}

TEST_F(EngineTest, ObjectsAreCachedAndChecked) {
  llvm::SmallString<128> directory;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("coil-cache", directory));
  EngineOptions options;
  options.objectCache = std::string(directory);
  EXPECT_EQ(llvm::cantFail(create(options))->getStats().cachedObjects, 0u);
  EXPECT_EQ(llvm::cantFail(create(options))->getStats().cachedObjects, 2u);
  // Other options, other objects.
  options.optLevel = 3;
  EXPECT_EQ(llvm::cantFail(create(options))->getStats().cachedObjects, 0u);
  // An altered file is made again.
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(directory, code), end;
       it != end && !code; it.increment(code)) {
    llvm::raw_fd_ostream os(it->path(), code, llvm::sys::fs::CD_OpenExisting,
                            llvm::sys::fs::FA_Write, llvm::sys::fs::OF_Append);
    os << "x";
  }
  EXPECT_EQ(llvm::cantFail(create(options))->getStats().cachedObjects, 0u);
  EXPECT_EQ(llvm::cantFail(create(options))->getStats().cachedObjects, 2u);
  llvm::sys::fs::remove_directories(directory);
}

TEST_F(EngineTest, BadProgramsAreErrors) {
  EngineOptions options;
  options.entryPoint = "nowhere";
  llvm::Expected<std::unique_ptr<Engine>> engine = create(options);
  ASSERT_FALSE(bool(engine));
  EXPECT_EQ(toString(engine.takeError()),
            "the program has no function 'nowhere'");
  options = {};
  options.cpu = "no-such-cpu";
  engine = create(options);
  ASSERT_FALSE(bool(engine));
  EXPECT_TRUE(StringRef(toString(engine.takeError()))
                  .starts_with("unknown processor 'no-such-cpu', expected"));
  module = parseSourceString<ModuleOp>(
      "llvm.func @missing() llvm.func @coil_main() { llvm.call @missing() : () "
      "-> () llvm.return }",
      &context);
  engine = create();
  ASSERT_FALSE(bool(engine));
  EXPECT_EQ(toString(engine.takeError()),
            "cannot link the program: Symbols not found: [ missing ]");
}

TEST_F(EngineTest, OneLaneOfATruncatedVectorIsStoredAlone) {
  // The last two bytes of the result, from lane 0 or 3 of a vector of i32.
  for (unsigned lane : {0, 3}) {
    std::string mask(lane ? "false, false, false, true" : "true");
    for (unsigned i = lane + 1; i != 16; ++i)
      mask += ", false";
    std::string text(program);
    size_t begin = text.find("llvm.func @expf"),
           end = text.find("    }\n  }\n}");
    text.replace(begin, end - begin,
                 R"mlir(
    llvm.func @exp_kernel(%buffers: !llvm.ptr, %symbols: !llvm.ptr, %begin: i64, %end: i64) -> i32 {
      %x = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
      %slot = llvm.getelementptr %buffers[8] : (!llvm.ptr) -> !llvm.ptr, i8
      %y = llvm.load %slot : !llvm.ptr -> !llvm.ptr
      %status = llvm.mlir.constant(0 : i32) : i32
      %wide = llvm.load %x {alignment = 4 : i64} : !llvm.ptr -> vector<16xi32>
      %narrow = llvm.trunc %wide : vector<16xi32> to vector<16xi16>
      %mask = llvm.mlir.constant(dense<[)mlir" +
                     mask +
                     R"mlir(]> : vector<16xi1>) : vector<16xi1>
      %place = llvm.getelementptr %y[)mlir" +
                     std::to_string(62 - 2 * lane) +
                     R"mlir(] : (!llvm.ptr) -> !llvm.ptr, i8
      llvm.intr.masked.store %narrow, %place, %mask {alignment = 2 : i32} : vector<16xi16>, vector<16xi1> into !llvm.ptr
      llvm.return %status : i32
)mlir");
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    llvm::Expected<std::unique_ptr<Engine>> engine = create();
    ASSERT_TRUE(bool(engine)) << toString(engine.takeError());
    int64_t size = 16;
    std::vector<float> x(size);
    for (int64_t i = 0; i < size; ++i)
      x[i] = llvm::bit_cast<float>(uint32_t(0x5678 + 0x10001 * i));
    coil_debug_overruns();
    coil_debug_set_poison(1);
    {
      llvm::Expected<RunResult> result =
          (*engine)->run({view(x, &size, &unit)});
      ASSERT_TRUE(bool(result)) << toString(result.takeError());
      auto *y = static_cast<uint16_t *>(result->getOutputs()[0].data);
      EXPECT_EQ(y[31], 0x5678 + lane);
      EXPECT_EQ(y[30], 0xFFFF);
    }
    coil_debug_set_poison(0);
    EXPECT_EQ(coil_debug_overruns(), 0);
  }
}

TEST_F(EngineTest, FatalErrorsOfLLVMAreErrors) {
  // The back end has no instruction for it, and says so by a fatal error.
  module = parseSourceString<ModuleOp>(
      "llvm.func @coil_main() -> i32 { %0 = llvm.call_intrinsic "
      "\"llvm.nvvm.read.ptx.sreg.tid.x\"() : () -> i32 llvm.return %0 : i32 }",
      &context);
  ASSERT_TRUE(module);
  for (int again = 0; again < 2; ++again) {
    llvm::Expected<std::unique_ptr<Engine>> engine = create();
    ASSERT_FALSE(bool(engine));
    std::string message = toString(engine.takeError());
    EXPECT_NE(message.find("LLVM cannot compile it: Cannot select"),
              std::string::npos)
        << message;
  }
  // And the process goes on.
  module = parseSourceString<ModuleOp>(program, &context);
  llvm::cantFail(create());
}

TEST(SignatureTest, BindsSymbolsThroughExpressions) {
  MLIRContext context;
  context.loadDialect<sym::SymDialect>();
  Builder b(&context);
  sym::ExprAttr s0 = sym::symbol(&context, "s0"),
                s1 = sym::symbol(&context, "s1");
  Type f32 = b.getF32Type();
  SmallVector<Type> inputs = {
      sym::getTensorType({sym::add(sym::mul(s0, s1), 1)}, f32),
      sym::getTensorType({sym::add(sym::mul(s0, 2), 1), s1}, f32)};
  SmallVector<Type> outputs = {sym::getTensorType({sym::mul(s0, s1)}, f32)};
  Signature signature =
      llvm::cantFail(Signature::create(inputs, outputs, DictionaryAttr()));
  EXPECT_EQ(signature.getInputs()[1].str(), "(s0 * 2 + 1)xs1xf32");
  auto bind = [&](int64_t a, int64_t c, int64_t d) {
    int64_t first[] = {a}, second[] = {c, d}, strides[] = {1, 1};
    std::vector<coil_tensor> tensors = {
        {nullptr, first, strides, 1, COIL_F32, COIL_CPU, 0},
        {nullptr, second, strides, 2, COIL_F32, COIL_CPU, 0}};
    llvm::Expected<SymbolValues> values = signature.bind(tensors);
    if (!values)
      return toString(values.takeError());
    auto sizes =
        llvm::cantFail(signature.evaluate(signature.getOutputs()[0], *values));
    return std::to_string(sizes[0]);
  };
  EXPECT_EQ(bind(13, 7, 4), "12");
  EXPECT_EQ(bind(14, 7, 4),
            "input 0, dimension 0: expected size 13 (s0 * s1 + 1) but got 14");
  EXPECT_EQ(bind(13, 8, 4),
            "input 1, dimension 0: expected size 7 (s0 * 2 + 1) but got 8");
}

} // namespace
