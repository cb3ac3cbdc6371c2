// Finding windows by their handles, their barrier, and their errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/window.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "base/first_failure.hpp"
#include "engine/rma/operations.hpp"
#include "engine/sync/dissemination.hpp"
#include "engine/sync/pending_barrier.hpp"
#include "faces/mpi/interpose/error_text.hpp"

namespace halocline::core::mpi {
namespace {

/// A handle is a number or a pointer, depending on the MPI.
template <class Handle>
std::uintptr_t key_of_handle(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return static_cast<std::uintptr_t>(handle);
}

/// An open-addressed table that readers search without a lock. A full one is replaced; the old one stays, for its readers.
class Table {
 public:
  explicit Table(std::size_t bits) : bits_(bits), slots_(std::size_t{1} << bits) {}

  Window *find(std::uintptr_t key) const {
    for (std::size_t at = first(key);; at = next(at)) {
      // SYNC value-before-handle (pairs with Table::set)
      const std::uintptr_t found = slots_[at].key.load(std::memory_order_acquire);
      if (found == key) return slots_[at].window.load(std::memory_order_acquire);
      if (found == kEmpty) return nullptr;
    }
  }
  /// One thread at a time. False if there should be more room. A handle that is used again finds its old slot.
  bool set(std::uintptr_t key, Window *window) {
    std::size_t at = first(key);
    while (slots_[at].key.load(std::memory_order_relaxed) != key && slots_[at].key.load(std::memory_order_relaxed) != kEmpty) at = next(at);
    slots_[at].window.store(window, std::memory_order_release);
    // SYNC value-before-handle (pairs with Table::find)
    if (slots_[at].key.exchange(key, std::memory_order_release) == kEmpty) used_ += 1;
    return used_ * 2 <= slots_.size();
  }
  /// A table with the windows of this one, without the slots of those that were freed, and with room for as many again.
  std::unique_ptr<Table> renewed() const {
    std::size_t live = 0;
    for (const Slot &slot : slots_) live += slot.window.load(std::memory_order_relaxed) ? 1u : 0u;
    auto renewed = std::make_unique<Table>(live * 4 > slots_.size() ? bits_ + 1 : bits_);
    for (const Slot &slot : slots_)
      if (Window *window = slot.window.load(std::memory_order_relaxed)) renewed->set(slot.key.load(std::memory_order_relaxed), window);
    return renewed;
  }

 private:
  static constexpr std::uintptr_t kEmpty = ~std::uintptr_t{0};
  struct Slot {
    std::atomic<std::uintptr_t> key{kEmpty};
    std::atomic<Window *> window{nullptr};
  };
  std::size_t first(std::uintptr_t key) const { return (key * 0x9e3779b97f4a7c15u) >> (64 - bits_); }
  std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  std::size_t bits_, used_ = 0;
  std::vector<Slot> slots_;
};

/// Null until there is a window.
constinit std::atomic<Table *> current_table = nullptr;

/// Never destroyed: other threads may still look.
struct Tables {
  std::mutex mutex;
  std::vector<std::unique_ptr<Table>> all;
};

Tables &tables() {
  static auto *const all = [] {
    auto *made = new Tables;
    made->all.push_back(std::make_unique<Table>(6));
    current_table = made->all.back().get();
    return made;
  }();
  return *all;
}

void enter_in_table(MPI_Win handle, Window *window) {
  Tables &all = tables();
  const std::lock_guard lock(all.mutex);
  if (current_table.load()->set(key_of_handle(handle), window)) return;
  all.all.push_back(current_table.load()->renewed());
  current_table.store(all.all.back().get(), std::memory_order_release);
}

}  // namespace

Window *find_window(MPI_Win handle) {
  const Table *const table = current_table.load(std::memory_order_acquire);
  return table ? table->find(key_of_handle(handle)) : nullptr;
}

void add_window(Window *window) { enter_in_table(window->handle, window); }

/// Another thread may have got the same handle from the host already: then there is another window in its place.
void remove_window(const Window &window) {
  Tables &all = tables();
  const std::lock_guard lock(all.mutex);
  Table &table = *current_table.load();
  if (table.find(key_of_handle(window.handle)) == &window) table.set(key_of_handle(window.handle), nullptr);
}

constexpr const char *kFlush = "a flush of a window of MPI", *kLastBarrier = "the end of a window of MPI";

/// If a rank is lost, what goes to the others is complete all the same.
int Window::complete_far(int target, Completion completion) {
  RequestEngine &requests = *node->context.network().requests();
  const auto flush = [&](int rank) {
    return completion == Completion::remote ? requests.flush(rank, kFlush, true) : requests.give_back_memory(rank, kFlush, Uses::any);
  };
  FirstFailure failure(flush(target));
  for (int rank = 0; rank < size() && target == kAllTargets && !failure.none(); ++rank)
    if (!node->is_near(rank)) failure.note(flush(rank));
  return code_of(failure.status());
}

int Window::complete_all() {
  const int code = complete(kAllTargets, Completion::remote);
  if (code != MPI_SUCCESS || !node->spans_nodes()) return code;
  return code_of(node->context.network().requests()->confirm_all(kFlush));
}

int Window::end_reads(int target) {
  return node->spans_nodes() ? code_of(node->context.network().requests()->give_back_memory(target, kFlush, Uses::reads)) : MPI_SUCCESS;
}

int Window::complete_before_barrier() {
  if (!node->keeps_order()) return complete(kAllTargets, Completion::remote);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // The other one of two ranks is told of the barrier behind the data. A third rank may be told before they arrive, and access them.
  const int told = size() == 2 ? 1 - rank() : -1;
  return code_of(node->context.network().requests()->flush_before_telling(told, kFlush));
}

Status Window::barrier() {
  if (node->spans_nodes()) return far_barrier();
  const Dissemination order(rank(), size());
  barriers_ += 1;
  for (int round = 0; round < order.rounds(); ++round) {
    notify(memory.round(order.above(round), round), barriers_);
    node->ring(order.above(round));
    HLC_TRY(await([&] { return reached(memory.round(rank(), round), barriers_); }));
  }
  return Status::ok;
}

/// By the words of the segment. Before the rank leaves, what it has sent has left as well: the program may compute for long after this.
Status Window::far_barrier() {
  constexpr const char *kCall = "a barrier of a window of MPI";
  PendingBarrier pending(*memory.segment(), node->keeps_order());
  pending.enter();
  HLC_TRY(await_ok([&] { return pending.look(kCall); }));
  return memory.segment()->flush_outgoing(kCall);
}

/// Of some networks the messages of a barrier are answered. Ranks that are in it answer at once, those that have left the window perhaps never.
Status Window::last_barrier() {
  HLC_TRY(barrier());
  return node->spans_nodes() ? node->context.network().requests()->flush(-1, kLastBarrier, false) : Status::ok;
}

/// On several nodes a rank whose wait fails tells those next to it. They may wait for it, and do not know the rank that is lost.
Status Window::find_lost() {
  FirstFailure failure(node->find_dead());
  if (!node->spans_nodes()) return failure.status();
  if (failure.none() && memory.words(rank()).lost.load(std::memory_order_relaxed) != 0)
    failure.note(fail(Status::peer_died, "rank %d waits for others, and one of them has told that a rank is lost", rank()));
  if (!failure.none() && !has_told_.exchange(true)) tell_neighbours();
  return failure.status();
}

/// Those 2^k above and below. A rank that cannot be told is lost itself. What is under way to it may never leave this process.
void Window::tell_neighbours() {
  constexpr std::uint64_t kPatience_ms = 200, kLost = 1;
  constexpr const char *kCall = "telling of a lost rank";
  constexpr auto kOffset = static_cast<std::int64_t>(offsetof(TargetWords, lost));
  const Dissemination order(rank(), size());
  for (int round = 0; round < order.rounds(); ++round)
    for (const int other : {order.above(round), order.below(round)}) {
      if (node->is_near(other))
        memory.word_here(other, kOffset)->store(kLost, std::memory_order_relaxed);
      else
        static_cast<void>(accumulate(kCall, {memory.control(other), kOffset}, {HLC_OP_REPLACE, HLC_NUMBER_UINT64}, {&kLost, 1}));
      node->ring(other);
    }
  Wait wait(node->context, WakeUp::by_polling);
  const auto has_left = [&] { return node->context.network().requests()->test_outgoing(kCall); };
  static_cast<void>(wait_until(wait, has_left, [] { return Status::ok; }, kPatience_ms));
}

int call_handler(const Window &window, int code) {
  explain(window.handle, window.rank(), code);
  PMPI_Win_call_errhandler(window.handle, code);
  return code;
}

int code_of_failure(Status status) {
  if (status == Status::peer_died) return refuse(class_of_dead_peer(), "%s", error_message());
  return refuse(status == Status::memory ? MPI_ERR_NO_MEM : MPI_ERR_OTHER, "%s", error_message());
}

}  // namespace halocline::core::mpi
