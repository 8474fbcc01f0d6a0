//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans of random host programs: each verifies, its peak is what a simulation
// of the ops says, pools are never above no plan, and reuse is never above the
// rule that Inductor goes by.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Dialect/Wrapper/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

using namespace coil;
using namespace coil::wrapper;
using namespace mlir;

namespace {

/// A node writes a buffer of `units` times 64 bytes from earlier buffers; -1 is
/// the argument of the program.
struct Node {
  int64_t units = 1;
  std::vector<int> inputs;
  bool isInPlace = false;
  bool isResult = false;
};
using Program = std::vector<Node>;

Program makeProgram(unsigned seed) {
  std::mt19937 random(seed);
  auto pick = [&](int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(random);
  };
  Program program;
  int count = pick(1, 40), sizes = pick(1, 6), reach = pick(1, 12);
  for (int i = 0; i < count; ++i) {
    Node node;
    node.units = 1 + pick(0, sizes - 1) * pick(1, 3);
    for (int n = pick(1, 2); n > 0; --n)
      node.inputs.push_back(std::max(i - pick(1, reach), -1));
    node.isInPlace = pick(0, 2) == 0;
    node.isResult = i == count - 1 || pick(0, 9) == 0;
    program.push_back(node);
  }
  return program;
}

/// The program as IR. Kernels read all of their operands wherever they like,
/// unless they work in place; operands of other sizes are seen through views.
std::string print(const Program &program) {
  std::ostringstream os;
  auto type = [](int64_t units) {
    return "!wrapper.buffer<[" + std::to_string(units) +
           " * s], f32, #wrapper.device<\"cpu\">>";
  };
  for (const char *name : {"one", "one_in_place", "two", "two_in_place"}) {
    bool two = name[0] == 't', inPlace = std::string(name).size() > 3;
    os << "wrapper.kernel @" << name << "() attributes {input_strides = ["
       << (two ? "#sym.shape<[1]>, " : "")
       << "#sym.shape<[1]>], output_strides = [#sym.shape<[1]>], symbols = "
          "[\"n\"]"
       << (inPlace ? two ? ", in_place = array<i64: 0, 0, 1, 0>"
                         : ", in_place = array<i64: 0, 0>"
                   : "")
       << "} {\n}\n";
  }
  os << "wrapper.func @main(%x: !wrapper.buffer<[s], f32, "
        "#wrapper.device<\"cpu\">>) -> (";
  const char *separator = "";
  for (const Node &node : program)
    if (node.isResult) {
      os << separator << type(node.units);
      separator = ", ";
    }
  os << ") attributes {sym.symbols = {s = #sym.range<1, 4096, hint = 16>}} {\n"
     << "  wrapper.input_symbol \"s\" = size 0 of %x : " << type(1) << "\n";
  int views = 0;
  for (size_t i = 0; i < program.size(); ++i) {
    const Node &node = program[i];
    os << "  %b" << i << " = wrapper.alloc : " << type(node.units) << "\n";
    std::string names, types;
    bool two = node.inputs.size() == 2;
    for (int input : node.inputs) {
      std::string name = input < 0 ? "%x" : "%b" + std::to_string(input);
      int64_t units = input < 0 ? 1 : program[static_cast<size_t>(input)].units;
      if (units != node.units) {
        std::string view = "%v" + std::to_string(views++);
        os << "  " << view << " = wrapper.reinterpret " << name
           << " at <0> : " << type(units) << " to " << type(1) << "\n";
        name = view;
        units = 1;
      }
      names += (names.empty() ? "" : ", ") + name;
      types += (types.empty() ? "" : ", ") + type(units);
    }
    os << "  wrapper.launch @" << (two ? "two" : "one")
       << (node.isInPlace ? "_in_place" : "") << "[s] ins(" << names << " : "
       << types << ") outs(%b" << i << " : " << type(node.units) << ")\n";
  }
  os << "  wrapper.return";
  std::string names, types;
  for (size_t i = 0; i < program.size(); ++i)
    if (program[i].isResult) {
      names += (names.empty() ? " %b" : ", %b") + std::to_string(i);
      types += (types.empty() ? "" : ", ") + type(program[i].units);
    }
  os << names << " : " << types << "\n}\n";
  return os.str();
}

/// Lives in nodes [begin, end], end counting; what nothing reads dies at once.
struct Life {
  size_t begin, end;
};
std::vector<Life> getLives(const Program &program) {
  std::vector<Life> lives;
  for (size_t i = 0; i < program.size(); ++i) {
    lives.push_back({i, program[i].isResult ? program.size() : i});
    for (int input : program[i].inputs)
      if (input >= 0) {
        size_t &end = lives[static_cast<size_t>(input)].end;
        end = std::max(end, i);
      }
  }
  return lives;
}

int64_t getPeak(const std::vector<int64_t> &use) {
  return use.empty() ? 0 : *std::max_element(use.begin(), use.end());
}

/// The peak under Inductor's rule, in units. In place, over an operand of the
/// same size with no other user left. Later, from a stack for each size: when
/// the node before freed it, or when size and the most between the two do not
/// exceed the peak that was estimated.
int64_t simulateInductor(const Program &program) {
  std::vector<Life> lives = getLives(program);
  std::vector<int64_t> estimate(program.size() + 1);
  auto add = [](std::vector<int64_t> &use, size_t begin, size_t end,
                int64_t units) {
    for (size_t i = begin; i <= end && i < use.size(); ++i)
      use[i] += units;
  };
  for (size_t i = 0; i < program.size(); ++i)
    add(estimate, lives[i].begin, lives[i].end, program[i].units);
  // What each buffer's storage was first allocated for, and until when it
  // lives.
  std::vector<size_t> root(program.size());
  std::vector<Life> storage = lives;
  std::map<int64_t, std::vector<std::pair<size_t, size_t>>> free;
  for (size_t i = 0; i < program.size(); ++i) {
    const Node &node = program[i];
    root[i] = i;
    bool done = false;
    if (node.isInPlace)
      for (int input : node.inputs) {
        auto from = static_cast<size_t>(input);
        if (done || input < 0 || program[from].units != node.units ||
            lives[from].end != i)
          continue;
        root[i] = root[from];
        lives[from].end = i; // Taken: not offered below.
        done = true;
      }
    auto &stack = free[node.units];
    if (!done && !stack.empty()) {
      auto [from, step] = stack.back();
      int64_t between = 0;
      for (size_t s = step + 1; s < i; ++s)
        between = std::max(between, estimate[s]);
      if (step + 1 == i || node.units + between <= getPeak(estimate)) {
        stack.pop_back();
        root[i] = root[from];
        if (step + 1 < i)
          add(estimate, step + 1, i - 1, node.units);
        done = true;
      }
    }
    storage[root[i]].end = std::max(storage[root[i]].end, lives[i].end);
    std::vector<int> dying = node.inputs;
    dying.push_back(static_cast<int>(i));
    std::sort(dying.begin(), dying.end());
    dying.erase(std::unique(dying.begin(), dying.end()), dying.end());
    for (int d : dying)
      if (d >= 0 && lives[static_cast<size_t>(d)].end == i &&
          !(d != static_cast<int>(i) &&
            root[static_cast<size_t>(d)] == root[i]))
        free[program[static_cast<size_t>(d)].units].push_back(
            {static_cast<size_t>(d), i});
  }
  std::vector<int64_t> use(program.size() + 1);
  for (size_t i = 0; i < program.size(); ++i)
    if (root[i] == i)
      add(use, storage[i].begin, storage[i].end, program[i].units);
  return getPeak(use);
}

class PlanMemoryTest : public testing::Test {
protected:
  PlanMemoryTest() { context.loadDialect<WrapperDialect>(); }

  struct Plan {
    int64_t peak = -1, lowerBound = -1, allocations = -1, pools = -1;
    /// What running the ops needs, at the hints.
    int64_t simulated = -1;
  };

  Plan plan(const std::string &text, const std::string &mode) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    Plan result;
    if (!module)
      return result;
    PassManager pm(&context);
    WrapperPlanMemoryPassOptions options;
    options.mode = mode;
    pm.addPass(createWrapperPlanMemoryPass(options));
    pm.addPass(createWrapperVerifyMemoryPass());
    EXPECT_TRUE(succeeded(pm.run(*module))) << mode << "\n" << text;
    FuncOp fn = *module->getOps<FuncOp>().begin();
    auto memory = fn->getAttrOfType<DictionaryAttr>(kMemoryAttrName);
    auto get = [&](StringRef name) {
      return memory.getAs<IntegerAttr>(name).getInt();
    };
    result = {get("peak"), get("lower_bound"), get("allocations"), get("pools"),
              simulate(fn)};
    return result;
  }

  static int64_t simulate(FuncOp fn) {
    int64_t now = 0, peak = 0;
    auto bytes = [](sym::ExprAttr e) {
      return sym::evaluate(e, [](sym::ExprAttr) { return std::optional(16); })
          .value();
    };
    auto storage = [&](Value v) {
      return bytes(cast<BufferType>(v.getType()).getStorageBytes());
    };
    for (Operation &op : fn.getBody().front()) {
      if (auto alloc = dyn_cast<AllocOp>(op))
        now += storage(alloc);
      else if (auto free = dyn_cast<FreeOp>(op))
        now -= storage(free.getSource());
      else if (auto pool = dyn_cast<PoolOp>(op))
        now += bytes(pool.getBytes());
      else if (auto end = dyn_cast<PoolFreeOp>(op))
        now -= bytes(end.getPool().getDefiningOp<PoolOp>().getBytes());
      peak = std::max(peak, now);
    }
    return peak;
  }

  MLIRContext context;
};

} // namespace

TEST_F(PlanMemoryTest, RandomPrograms) {
  int64_t separate = 0, reused = 0, pooled = 0;
  for (unsigned seed = 0; seed < 250; ++seed) {
    Program program = makeProgram(seed);
    std::string text = print(program);
    SCOPED_TRACE(text);
    Plan none = plan(text, "none"), reuse = plan(text, "reuse"),
         pool = plan(text, "pool");
    EXPECT_EQ(none.peak, none.simulated);
    EXPECT_EQ(reuse.peak, reuse.simulated);
    EXPECT_EQ(pool.peak, pool.simulated);
    EXPECT_EQ(none.lowerBound, pool.lowerBound);
    EXPECT_EQ(reuse.lowerBound, pool.lowerBound);
    EXPECT_LE(reuse.peak, 64 * simulateInductor(program));
    EXPECT_LE(pool.peak, none.peak);
    EXPECT_LE(double(pool.peak), 1.02 * double(pool.lowerBound));
    separate += none.allocations;
    reused += reuse.allocations;
    pooled += pool.allocations;
    if (HasFailure())
      return;
  }
  EXPECT_LT(reused, separate);
  EXPECT_LT(pooled, reused);
  RecordProperty("allocations", std::to_string(separate) + " " +
                                    std::to_string(reused) + " " +
                                    std::to_string(pooled));
}
