//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Model checking of the pointer that readers take while another one is put in
// its place: the code itself runs in every order of its atomic steps. And of
// the pair of values: every sequence of operations against a list of what
// holds.
//
//===----------------------------------------------------------------------===//

#include "coil/ExecutionEngine/SwitchedPointer.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <thread>
#include <ucontext.h>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COIL_NO_STACKS 1 // Sanitizers know one for each thread.
#endif
#endif

using namespace coil;

//===----------------------------------------------------------------------===//
// Every order of atomic steps
//===----------------------------------------------------------------------===//

namespace {

/// Runs some tasks on stacks of their own in all orders of their steps: a task
/// stops before each step, and who goes on is chosen anew. The orders are the
/// leaves of a tree, visited depth first by running everything again.
class Explorer {
public:
  using Task = std::function<void()>;

  /// Calls `make` for fresh tasks and `check` after each order. Returns how
  /// many orders there are.
  int64_t explore(const std::function<std::vector<Task>()> &make,
                  const std::function<void()> &check) {
    int64_t orders = 0;
    path.clear();
    do {
      run(make());
      check();
      ++orders;
    } while (!testing::Test::HasFailure() && advance());
    return orders;
  }

  /// Where a task lets others go first.
  void step() {
    if (current)
      swapcontext(&current->context, &scheduler);
  }

private:
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    Task task;
    bool done = false;
  };
  struct Choice {
    unsigned taken, of;
  };

  static void enter() {
    Fiber *fiber = active->current;
    fiber->task();
    fiber->done = true;
    swapcontext(&fiber->context, &active->scheduler);
  }

  void run(std::vector<Task> tasks) {
    active = this;
    fibers.resize(tasks.size());
    for (size_t i = 0; i < tasks.size(); ++i) {
      Fiber &fiber = fibers[i];
      fiber.task = std::move(tasks[i]);
      fiber.done = false;
      fiber.stack.resize(64 << 10);
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.data();
      fiber.context.uc_stack.ss_size = fiber.stack.size();
      fiber.context.uc_link = nullptr;
      makecontext(&fiber.context, enter, 0);
    }
    for (size_t depth = 0;; ++depth) {
      std::vector<Fiber *> ready;
      for (Fiber &fiber : fibers)
        if (!fiber.done)
          ready.push_back(&fiber);
      if (ready.empty())
        return;
      if (depth == path.size())
        path.push_back({0, unsigned(ready.size())});
      current = ready[path[depth].taken];
      swapcontext(&scheduler, &current->context);
      current = nullptr;
    }
  }

  /// Takes the next branch of the deepest choice that has one.
  bool advance() {
    while (!path.empty() && path.back().taken + 1 == path.back().of)
      path.pop_back();
    if (path.empty())
      return false;
    ++path.back().taken;
    return true;
  }

  static inline Explorer *active = nullptr;
  ucontext_t scheduler;
  std::vector<Fiber> fibers;
  Fiber *current = nullptr;
  std::vector<Choice> path;
};

Explorer explorer;

/// An atomic of which every use is a step.
template <typename T>
class SteppedAtomic {
public:
  SteppedAtomic(T value) : value(value) {}
  T load(std::memory_order) const { return explorer.step(), value; }
  void store(T to, std::memory_order) {
    explorer.step();
    value = to;
  }
  T exchange(T to, std::memory_order) {
    explorer.step();
    return std::exchange(value, to);
  }
  T fetch_add(T by, std::memory_order) {
    explorer.step();
    return std::exchange(value, T(value + by));
  }
  T fetch_sub(T by, std::memory_order) {
    explorer.step();
    return std::exchange(value, T(value - by));
  }

private:
  T value;
};

/// What a pointer points to: the next task to look at a dead one fails.
struct Payload {
  Payload(int number, std::vector<bool> &alive) : number(number), alive(alive) {
    alive[size_t(number)] = true;
  }
  ~Payload() { alive[size_t(number)] = false; }
  int number;
  std::vector<bool> &alive;
};

using Pointer = SwitchedPointer<Payload, 3, SteppedAtomic>;

class SwitchedPointerTest : public testing::Test {
protected:
  void SetUp() override {
#ifdef COIL_NO_STACKS
    GTEST_SKIP() << "tasks have stacks of their own";
#endif
  }

  std::vector<bool> alive = std::vector<bool>(8);
  std::unique_ptr<Pointer> pointer;
  /// The newest value that was put in use, as the writer knows.
  int newest = 0;

  void reset() {
    pointer = std::make_unique<Pointer>(std::make_shared<Payload>(0, alive));
    newest = 0;
  }

  /// Reads `count` times. What is read is alive until it is given back, and not
  /// older than what was in use when the reader began.
  Explorer::Task reader(int count) {
    return [this, count] {
      for (int i = 0; i < count; ++i) {
        int oldest = newest;
        auto reference = pointer->acquire();
        int number = reference->number;
        EXPECT_GE(number, oldest);
        EXPECT_TRUE(alive[size_t(number)]);
        // Giving it back is a step, too: others go on before.
        explorer.step();
        EXPECT_TRUE(alive[size_t(number)]);
      }
    };
  }

  Explorer::Task writer(int count, int &failures) {
    return [this, count, &failures] {
      for (int i = 0; i < count; ++i) {
        bool done =
            pointer->exchange(std::make_shared<Payload>(newest + 1, alive));
        failures += !done;
        newest += done;
      }
    };
  }

  /// All readers have gone: only the value in use is left.
  void checkEnd() {
    EXPECT_EQ(pointer->getNumUsed(), 1u);
    for (size_t i = 0; i < alive.size(); ++i)
      EXPECT_EQ(alive[i], int(i) == newest) << i;
    EXPECT_EQ(pointer->acquire()->number, newest);
  }
};

TEST_F(SwitchedPointerTest, TwoReadersAndOneExchangeInEveryOrder) {
  int failures = 0;
  int64_t orders = explorer.explore(
      [&]() -> std::vector<Explorer::Task> {
        reset();
        return {reader(1), reader(1), writer(1, failures)};
      },
      [&] { checkEnd(); });
  EXPECT_EQ(failures, 0);
  EXPECT_GT(orders, 1000);
}

TEST_F(SwitchedPointerTest, OneReaderAndTwoExchangesInEveryOrder) {
  int failures = 0;
  int64_t orders = explorer.explore(
      [&]() -> std::vector<Explorer::Task> {
        reset();
        return {reader(2), writer(2, failures)};
      },
      [&] { checkEnd(); });
  // One reader holds one slot at a time: there is always a free one.
  EXPECT_EQ(failures, 0);
  EXPECT_GT(orders, 1000);
}

TEST_F(SwitchedPointerTest, ExchangeFailsWhileReadersHoldEverySlot) {
  reset();
  std::vector<Pointer::Reference> held;
  auto next = [&](int number) {
    return pointer->exchange(std::make_shared<Payload>(number, alive));
  };
  held.push_back(pointer->acquire());
  EXPECT_TRUE(next(1));
  held.push_back(pointer->acquire());
  EXPECT_TRUE(next(2));
  held.push_back(pointer->acquire());
  EXPECT_FALSE(next(3));
  EXPECT_EQ(pointer->acquire()->number, 2);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(held[size_t(i)]->number, i);
  held.erase(held.begin());
  EXPECT_FALSE(alive[0]);
  EXPECT_TRUE(next(3));
  EXPECT_EQ(pointer->acquire()->number, 3);
}

// The same with threads, for the thread sanitizer: memory is ordered, too.
TEST(SwitchedPointerThreadsTest, ReadersWhileValuesAreExchanged) {
  struct Value {
    ~Value() { number = -1; }
    int number;
    int again;
  };
  SwitchedPointer<Value> pointer(std::make_shared<Value>(Value{0, 0}));
  std::atomic<int> newest{0};
  std::vector<std::thread> readers;
  std::atomic<int> wrong{0};
  std::atomic<bool> stop{false};
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      int last = 0;
      while (!stop) {
        int oldest = newest;
        auto reference = pointer.acquire();
        int number = reference->number;
        wrong += number < oldest || number < last || number != reference->again;
        last = number;
      }
    });
  for (int i = 1; i <= 20000; ++i) {
    while (!pointer.exchange(std::make_shared<Value>(Value{i, i})))
      std::this_thread::yield();
    newest = i;
  }
  stop = true;
  for (std::thread &reader : readers)
    reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(pointer.getNumUsed(), 1u);
  EXPECT_EQ(pointer.acquire()->number, 20000);
}

//===----------------------------------------------------------------------===//
// Every sequence of operations
//===----------------------------------------------------------------------===//

/// What should hold, in the simplest words.
struct Model {
  int active = 0;
  std::optional<int> inactive;
  bool staged = false;
  int made = 0;
  /// The values that readers hold, in their order.
  std::vector<int> held;
};

using Buffer = DoubleBuffer<Payload, 4>;

class Walk {
public:
  enum Op { Stage, Swap, Drop, Acquire, Release, NumOps };

  /// Does `ops` from the beginning; false when the last one cannot be done.
  bool run(const std::vector<int> &ops) {
    std::vector<bool> alive(16);
    Model model;
    Buffer buffer(std::make_shared<Payload>(0, alive));
    std::vector<decltype(buffer.acquire())> held;
    for (int op : ops) {
      switch (op) {
      case Stage: {
        int base = model.staged ? *model.inactive : model.active;
        EXPECT_EQ(buffer.getBase()->number, base);
        buffer.stage(std::make_shared<Payload>(++model.made, alive));
        model.inactive = model.made;
        model.staged = true;
        break;
      }
      case Swap: {
        // The slots of older values that readers hold, and the one in use.
        std::vector<int> slots = slotsOf(model);
        bool can = model.inactive && slots.size() < 4;
        EXPECT_EQ(buffer.swap(), can);
        if (can) {
          epoch = ++numEpochs;
          std::swap(model.active, *model.inactive);
          model.staged = false;
        }
        break;
      }
      case Drop:
        buffer.drop();
        model.inactive.reset();
        model.staged = false;
        break;
      case Acquire:
        if (held.size() == 3)
          return false;
        held.push_back(buffer.acquire());
        model.held.push_back(model.active);
        heldEpochs.push_back(epoch);
        break;
      case Release:
        if (held.empty())
          return false;
        held.erase(held.begin());
        model.held.erase(model.held.begin());
        heldEpochs.erase(heldEpochs.begin());
        break;
      }
      check(model, buffer, held, alive);
    }
    return true;
  }

private:
  /// Each time that a value was in use is a slot while readers of it are there.
  std::vector<int> slotsOf(const Model &) {
    std::vector<int> slots = heldEpochs;
    slots.push_back(epoch);
    makeUnique(slots);
    return slots;
  }
  static void makeUnique(std::vector<int> &list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  template <typename Held>
  void check(const Model &model, Buffer &buffer, const Held &held,
             const std::vector<bool> &alive) {
    EXPECT_EQ(buffer.getActive()->number, model.active);
    EXPECT_EQ(buffer.getInactive() != nullptr, model.inactive.has_value());
    if (model.inactive)
      EXPECT_EQ(buffer.getInactive()->number, *model.inactive);
    EXPECT_EQ(buffer.getState(), !model.inactive ? Buffer::State::Empty
                                 : model.staged  ? Buffer::State::Staged
                                                 : Buffer::State::Previous);
    for (size_t i = 0; i < held.size(); ++i)
      EXPECT_EQ(held[i]->number, model.held[i]);
    for (int i = 0; i < int(alive.size()); ++i) {
      bool wanted = i == model.active || model.inactive == i ||
                    std::count(model.held.begin(), model.held.end(), i);
      EXPECT_EQ(alive[size_t(i)], wanted) << "value " << i;
    }
    EXPECT_EQ(buffer.getNumUsed(), slotsOf(model).size());
  }

  int epoch = 0, numEpochs = 0;
  std::vector<int> heldEpochs;
};

TEST(DoubleBufferTest, EverySequenceOfOperations) {
  constexpr size_t length = 8;
  std::vector<int> ops(1, 0);
  int64_t sequences = 0;
  while (!ops.empty() && !testing::Test::HasFailure()) {
    bool done = Walk().run(ops);
    ++sequences;
    if (done && ops.size() < length) {
      ops.push_back(0);
      continue;
    }
    while (!ops.empty() && ++ops.back() == Walk::NumOps)
      ops.pop_back();
  }
  EXPECT_GT(sequences, 30000);
  if (testing::Test::HasFailure())
    for (int op : ops)
      ADD_FAILURE() << "operation " << op;
}

} // namespace
