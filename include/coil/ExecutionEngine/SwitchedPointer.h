//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer that many threads read while another one replaces it: readers never
// wait, and what was replaced goes when its last reader is done. And a pair of
// values, one in use and one being prepared, that is made of it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_EXECUTIONENGINE_SWITCHEDPOINTER_H
#define COIL_EXECUTIONENGINE_SWITCHEDPOINTER_H

#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>

namespace coil {

/// A shared pointer to a value that does not change, which readers take with
/// one atomic addition and writers replace with one atomic exchange.
///
/// The head is one word: the number of the slot in use, and how many readers
/// came since it is. Readers leave by a count of the slot. The exchange says
/// how many came in all, and adds that to the count: from then on it is the
/// number of those that are still there, and who takes it to zero empties the
/// slot.
///
/// Any number of threads may acquire and release; one at a time exchanges.
/// `Atomic` is another type only where all orders of steps are tried.
template <typename T, unsigned numSlots = 64,
          template <typename> class Atomic = std::atomic>
class SwitchedPointer {
  struct alignas(64) Slot {
    /// Those that came, once that is known, less those that left.
    Atomic<int64_t> balance{0};
    Atomic<bool> used{false};
    std::shared_ptr<T> value;
  };

public:
  /// Keeps a value from going. Move-only.
  class Reference {
  public:
    Reference(Reference &&other) : slot(std::exchange(other.slot, nullptr)) {}
    Reference &operator=(Reference other) {
      std::swap(slot, other.slot);
      return *this;
    }
    ~Reference() {
      if (slot)
        leave(*slot);
    }

    T &operator*() const { return *slot->value; }
    T *operator->() const { return slot->value.get(); }
    const std::shared_ptr<T> &getShared() const { return slot->value; }

  private:
    friend SwitchedPointer;
    explicit Reference(Slot *slot) : slot(slot) {}
    Slot *slot;
  };

  explicit SwitchedPointer(std::shared_ptr<T> value) {
    slots[0].value = std::move(value);
    slots[0].used.store(true, std::memory_order_relaxed);
  }

  /// Takes the value that is in use.
  Reference acquire() {
    uint64_t before = head.fetch_add(1, std::memory_order_acquire);
    return Reference(&slots[before >> slotShift]);
  }

  /// Puts another value in use. Fails, and changes nothing, when each slot has
  /// readers of an older value.
  bool exchange(std::shared_ptr<T> value) {
    unsigned next = 0;
    while (next < numSlots && slots[next].used.load(std::memory_order_acquire))
      ++next;
    if (next == numSlots)
      return false;
    Slot &slot = slots[next];
    slot.value = std::move(value);
    slot.balance.store(0, std::memory_order_relaxed);
    slot.used.store(true, std::memory_order_relaxed);
    uint64_t before =
        head.exchange(uint64_t(next) << slotShift, std::memory_order_acq_rel);
    Slot &old = slots[before >> slotShift];
    auto came = int64_t(before & ((uint64_t(1) << slotShift) - 1));
    if (old.balance.fetch_add(came, std::memory_order_acq_rel) + came == 0)
      empty(old);
    return true;
  }

  /// How many values have readers or are in use.
  unsigned getNumUsed() const {
    unsigned count = 0;
    for (const Slot &slot : slots)
      count += slot.used.load(std::memory_order_acquire);
    return count;
  }

private:
  static constexpr unsigned slotShift = 56;
  static_assert(numSlots <= 1u << (64 - slotShift));

  static void leave(Slot &slot) {
    // Not positive while the slot is in use.
    if (slot.balance.fetch_sub(1, std::memory_order_acq_rel) == 1)
      empty(slot);
  }

  static void empty(Slot &slot) {
    std::shared_ptr<T> last = std::move(slot.value);
    slot.used.store(false, std::memory_order_release);
    // The value goes here, when the slot can serve again.
  }

  alignas(64) Atomic<uint64_t> head{0};
  Slot slots[numSlots];
};

/// A value in use and another that can replace it. Values do not change:
/// who wants another one stages it. Any number of threads may acquire; one at a
/// time calls the rest.
template <typename T, unsigned numSlots = 64,
          template <typename> class Atomic = std::atomic>
class DoubleBuffer {
public:
  /// What there is in addition to the value in use.
  enum class State {
    Empty,    ///< Nothing.
    Previous, ///< What was in use before the last swap.
    Staged    ///< What was staged since.
  };

  explicit DoubleBuffer(std::shared_ptr<T> value)
      : active(value), current(std::move(value)) {}

  auto acquire() { return active.acquire(); }

  State getState() const { return state; }
  const std::shared_ptr<T> &getActive() const { return current; }
  /// Null when there is none.
  const std::shared_ptr<T> &getInactive() const { return inactive; }
  /// What a change begins from: what earlier ones since the last swap made, or
  /// the value in use, but never the one before it.
  const std::shared_ptr<T> &getBase() const {
    return state == State::Staged ? inactive : current;
  }

  void stage(std::shared_ptr<T> value) {
    inactive = std::move(value);
    state = State::Staged;
  }

  /// Exchanges the two. False when there is no other, or when it has to wait
  /// for readers (see SwitchedPointer::exchange).
  bool swap() {
    if (state == State::Empty || !active.exchange(inactive))
      return false;
    std::swap(current, inactive);
    state = State::Previous;
    return true;
  }

  /// Drops what is not in use; its memory goes with its last reader.
  void drop() {
    inactive.reset();
    state = State::Empty;
  }

  unsigned getNumUsed() const { return active.getNumUsed(); }

private:
  SwitchedPointer<T, numSlots, Atomic> active;
  std::shared_ptr<T> current, inactive;
  State state = State::Empty;
};

} // namespace coil

#endif // COIL_EXECUTIONENGINE_SWITCHEDPOINTER_H
