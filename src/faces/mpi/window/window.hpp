// A window that the engine carries: its memory, its epochs, and the values of MPI_Win_get_attr. The program's handle is an empty window of the
// host MPI. So names, attributes, error handlers and the conversion for Fortran are the host's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>

#include "engine/communicator/wait_until.hpp"
#include "engine/rma/completion_set.hpp"
#include "engine/rma/remote_memory.hpp"
#include "faces/mpi/handle/handle_table.hpp"
#include "faces/mpi/sync/mcs_slots.hpp"
#include "faces/mpi/window/dynamic_regions.hpp"
#include "faces/mpi/window/epochs.hpp"
#include "faces/mpi/window/notify_board.hpp"
#include "faces/mpi/window/window_memory.hpp"

namespace halocline::core::mpi {

using core::Completion;

/// All targets of a window, for Window::complete.
inline constexpr int kAllTargets = -1;

class Check;

/// Whether this thread has put or accumulated, for the order of its reads. Stores may still be in the store buffer, so later loads can
/// overtake them. Gets are complete on return.
struct PutOrder {
  bool has_put = false;  // since the last flush
  bool has_flushed = false;  // a put, since the last full fence
};
[[gnu::tls_model("initial-exec")]] inline constinit thread_local PutOrder put_order;

/// The full fence between a flushed put of this thread and its next read. It costs as much as a short put, so a flush leaves it to the next
/// read: a sequence of puts and flushes has no fence.
inline void order_reads() {
  if (!put_order.has_flushed) return;
  // SYNC put-before-get (pairs with itself, on the rank that reads this one's put)
  std::atomic_thread_fence(std::memory_order_seq_cst);
  put_order = {};
}

/// The same once this thread has taken a lock. On x86 the atomic operation that takes it is a full fence.
inline void order_reads_under_lock() {
#ifdef __x86_64__
  put_order = {};
#else
  order_reads();
#endif
}

class Window {
 public:
  explicit Window(std::shared_ptr<CommContext> of) : comm(std::move(of)), memory(*comm), attached(*comm, memory) {}
  Window(const Window &) = delete;
  Window &operator=(const Window &) = delete;

  int rank() const { return comm->context.rank(); }
  int size() const { return comm->context.size(); }

  /// Waits until look() is true. Fails only if a process of the node ends: a program may leave others waiting as long as it likes. Returns
  /// `again` once the deadline is over.
  template <class Look>
  Status await(Look look, Deadline deadline = Deadline::kForever_ms);
  /// The same for a look that returns a status: `again` until the wait is over.
  template <class Look>
  Status await_ok(Look look, Deadline deadline = Deadline::kForever_ms);
  /// Fails if a process of the node has ended, or a rank is lost. For waits, and between waits with a deadline, which may end too soon for it.
  Status find_lost();
  /// Orders the accesses of this rank before all that it does later, and its reads after what others have written. Waits for those to other
  /// nodes that have only begun. An MPI error class.
  int complete(int target, Completion completion) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return complete_begun(target, completion);
  }
  /// The same for a flush. The full fence is left to order_reads. Programs count on it that accesses of this rank after a local flush follow
  /// those before it. Where the network does not keep that order, a local flush is a remote one.
  int flush(int target, Completion completion) {
    order_before_flush();
    const bool in_order = comm->keeps_order() && !has_sent_puts_.load(std::memory_order_relaxed);
    return comm->spans_nodes() ? complete_begun(target, in_order ? completion : Completion::remote) : MPI_SUCCESS;
  }
  /// The same without the order, which the release of a lock gives as well.
  int complete_begun(int target, Completion completion) {
    if (!comm->spans_nodes()) return MPI_SUCCESS;
    return target != kAllTargets && comm->is_near(target) ? MPI_SUCCESS : complete_far(target, completion);
  }
  /// The order that a flush gives, without waiting for any access.
  static void order_before_flush() {
    std::atomic_thread_fence(std::memory_order_acq_rel);
    if (put_order.has_put) put_order = {false, true};
  }
  /// As complete of all targets, and of all messages that need no reply.
  int complete_all();
  /// Waits for what is read from other nodes: a target, or all.
  int end_reads(int target);
  /// As complete of all targets. Where the network keeps the order, puts to the ranks that the barrier notifies may still be under way.
  int complete_before_barrier();
  /// Waits for all ranks of the window. After complete_before_barrier, what they have put is there.
  Status barrier();
  /// The same before the window is freed: afterwards this rank waits for no reply of another one.
  Status last_barrier();
  /// How the completion of a put that begins now is likely to be learned of.
  After after_put() const {
    return epochs.is_started || epochs.fence.load(std::memory_order_relaxed) != Fence::closed ? After::message : After::flush;
  }

  /// What a notified put to another node has sent within a message is complete once all messages are confirmed. Never reset: that takes no
  /// longer where nothing has been sent since.
  void note_sent_put() {
    if (!has_sent_puts_.load(std::memory_order_relaxed)) has_sent_puts_.store(true, std::memory_order_relaxed);
  }

  /// The values of MPI_Win_get_attr, which returns their addresses.
  struct Attributes {
    void *base = nullptr;
    MPI_Aint size = 0;
    int unit = 1, flavor = 0, model = MPI_WIN_UNIFIED;
  };

  MPI_Win handle = MPI_WIN_NULL;
  int ranks_at_once = 0;  // whose locks are tried without more checks; 0 if the window has several nodes, is checked, or queues locks
  std::int64_t number = 0;  // in its CommContext, the same on all ranks
  std::shared_ptr<CommContext> comm;
  WindowMemory memory;
  Attached attached;  // to a dynamic window
  Epochs epochs;
  WriterPlaces writer_places;
  Attributes attributes;
  std::shared_ptr<Check> check;  // null unless HALOCLINE_CHECK=1 or HALOCLINE_TRACE
  std::unique_ptr<NotifyBoard> notifications;  // null until MPIX_Win_set_num_notify
  bool has_met = false;  // in a call of MPI_Win_free that the host has refused

 private:
  int complete_far(int target, Completion completion);
  Status far_barrier();
  void report_failure();

  std::atomic<bool> has_sent_puts_{false};
  std::uint64_t barriers_ = 0;
  std::atomic<bool> failure_reported_{false};
};

/// Hidden: a variable that other libraries might replace would be read through a table.
[[gnu::visibility("hidden")]] extern constinit halocline::mpi::HandleTable windows;

/// The window of a handle; null if the host carries it, or it is invalid. Any thread.
inline Window *find_window(MPI_Win handle) {
  return const_cast<Window *>(static_cast<const Window *>(windows.find(halocline::mpi::handle_bits(handle))));
}
/// From now on find_window finds it; no longer.
void add_window(Window *window);
void remove_window(const Window &window);

/// Calls the error handler of a window. Returns the code.
int call_handler(const Window &window, int code);
/// The same, unless `code` is MPI_SUCCESS.
inline int answer(const Window &window, int code) {
  if (code != MPI_SUCCESS) call_handler(window, code);
  asm volatile("");  // not a tail call: the message has the function's name from its frame
  return code;
}
/// Finds the window of a call and returns the code of `work`; the host serves windows of its own.
template <class Work, class Host>
int with_window(MPI_Win win, Work work, Host host) {
  Window *window = find_window(win);
  if (!window) return host();
  const int code = work(*window);
  return code == MPI_SUCCESS ? code : answer(*window, code);
}

/// The code of a failure of the engine, whose message becomes the reason of the refusal.
int code_of_failure(Status status);
inline int code_of(Status status) { return failed(status) ? code_of_failure(status) : MPI_SUCCESS; }

template <class Look>
Status Window::await(Look look, Deadline deadline) {
  if (look()) return Status::ok;
  return await_ok([&] { return look() ? Status::ok : Status::again; }, deadline);
}

template <class Look>
Status Window::await_ok(Look look, Deadline deadline) {
  // No rank of another node rings.
  Wait wait(comm->context, comm->spans_nodes() ? WakeUp::by_polling : WakeUp::by_doorbell);
  return wait_until(wait, look, [this] { return find_lost(); }, deadline);
}

}  // namespace halocline::core::mpi
