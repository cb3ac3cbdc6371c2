// Put, get and accumulate that notify their target. On the node the access is complete, and then this rank writes the notification. To another
// node a message follows the access, or carries it. Windows of the host go to its function of the name, if it has one.
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/mpix.h>

#include "engine/network/request_engine.hpp"
#include "engine/rma/operations.hpp"
#include "faces/mpi/calls/accesses.hpp"
#include "faces/mpi/calls/notify_requests.hpp"
#include "faces/mpi/interpose/error_text.hpp"
#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {
namespace {

constexpr const char *kNotifyCall = "MPI RMA notification";

using Direction = WindowMemory::Direction;

/// What happens at the target: one more arrival, or a value.
struct Notice {
  int notification;
  int value = 0;  // 0: an arrival is counted
};

NumberChange change_of(const Window &window, const Notice &notice, const RemoteMemory &words) {
  const NotifyBoard &board = *window.notifications;
  if (notice.value == 0) return {board.counter_offset(notice.notification, window.rank()), {HLC_OP_SUM, HLC_NUMBER_UINT64}, 1, &words};
  const auto value = static_cast<std::uint64_t>(static_cast<std::uint32_t>(notice.value));
  return {board.value_offset(notice.notification), {HLC_OP_REPLACE, HLC_NUMBER_UINT64}, value, &words};
}

[[gnu::always_inline]] inline void announce_here(Window &window, int rank, const Notice &notice) {
  if (notice.value == 0)
    window.notifications->count_here(rank, notice.notification);
  else
    window.notifications->set_here(rank, notice.notification, static_cast<std::uint32_t>(notice.value));
  window.comm->ring(rank);
}

/// The message has left this process when the call returns: the program may compute for a long time after it.
int leave_notified(Window &window, Status begun) {
  window.note_sent_put();
  return failed(begun) ? code_of(begun) : code_of(window.comm->context.network().requests()->flush_outgoing(kNotifyCall));
}

/// After accesses to another node. Where messages keep their order, this one follows them; what was read has to be here before.
int announce_far(Window &window, int rank, const Notice &notice) {
  if (const int code = window.comm->keeps_order() ? window.end_reads(rank) : window.complete(rank, Completion::remote)) return code;
  const RemoteMemory words = window.notifications->far(rank);
  const NumberChange change = change_of(window, notice, words);
  // SYNC put-before-message (pairs with do_as_asked)
  return leave_notified(window, change_silently(kNotifyCall, {words, change.offset}, change.action, &change.operand));
}

int announce(Window &window, int rank, const Notice &notice) {
  if (!window.comm->is_near(rank)) return announce_far(window, rank, notice);
  announce_here(window, rank, notice);
  return MPI_SUCCESS;
}

/// Contiguous bytes, and the notification behind them: one message if they are few.
int put_row_far(Window &window, const ResolvedTarget &resolved, const typed::Buffer &buffer, const Notice &notice) {
  const Status followed = window.comm->context.network().requests()->give_back_memory(resolved.rank, kNotifyCall, Uses::accumulates);
  if (failed(followed)) return code_of(followed);
  const FarMemory target = window.memory.far(resolved.rank);
  const RemoteMemory words = window.notifications->far(resolved.rank);
  const std::int64_t bytes = buffer.layout->bytes() * buffer.count;
  return leave_notified(window, put_and_change(kNotifyCall, {target.memory, target.begin + resolved.offset}, {buffer.address, bytes},
                                               change_of(window, notice, words)));
}

bool is_row(const Window &window, const ResolvedTarget &resolved, const typed::Buffer &buffer) {
  return window.attributes.flavor != MPI_WIN_FLAVOR_DYNAMIC && buffer.layout->contiguous() && resolved.layout->contiguous() &&
         buffer.layout->bytes() * buffer.count > 0;
}

int move_notified(Window &window, Direction direction, const OriginBuffer &origin, const TargetBuffer &target, const Notice &notice) {
  if (const int code = check_notification(window, notice.notification)) return code;
  if (target.rank == MPI_PROC_NULL) return MPI_SUCCESS;
  ResolvedTarget resolved;
  typed::Buffer buffer;
  if (const int code = resolve_both(window, origin, target, &resolved, &buffer)) return code;
  if (direction == Direction::write && !window.comm->is_near(target.rank) && is_row(window, resolved, buffer))
    return put_row_far(window, resolved, buffer, notice);
  if (const int code = move_resolved(window, direction, resolved, buffer)) return code;
  return announce(window, target.rank, notice);
}

int accumulate_notified(Window &window, MPI_Op op, const OriginBuffer &origin, const TargetBuffer &target, int notification) {
  if (const int code = check_notification(window, notification)) return code;
  const int code = accumulate_now(window, op, origin, target);
  return code != MPI_SUCCESS || target.rank == MPI_PROC_NULL ? code : announce(window, target.rank, {notification});
}

/// Intel MPI has functions of two of these names, for windows that it carries.
template <class Function, class... Arguments>
int pass_to_host(const char *name, MPI_Win win, Arguments... arguments) {
  auto *const function = reinterpret_cast<Function *>(win == MPI_WIN_NULL ? nullptr : host_function(name));
  return function ? function(arguments..., win) : refuse_foreign(win);
}

[[gnu::noinline]] int move_any(Window &window, Direction direction, const OriginBuffer &origin, const TargetBuffer &target, Notice notice) {
  const int code = move_notified(window, direction, origin, target, notice);
  return code == MPI_SUCCESS ? code : answer(window, code);
}

/// Rows are moved in the function itself, without calls between.
[[gnu::always_inline]] inline int move_and_notify(Window &window, Direction direction, const OriginBuffer &origin,
                                                  const TargetBuffer &target, const Notice &notice) {
  const int count = window.notifications ? window.notifications->count() : 0;
  const bool has = static_cast<unsigned>(notice.notification) < static_cast<unsigned>(count);
  if (!has || !move_plain(window, direction, origin, target)) return move_any(window, direction, origin, target, notice);
  announce_here(window, target.rank, notice);
  return MPI_SUCCESS;
}

int accumulate_and_notify(Window &window, MPI_Op op, const OriginBuffer &origin, const TargetBuffer &target, int notification) {
  const int code = accumulate_notified(window, op, origin, target, notification);
  return code == MPI_SUCCESS ? code : answer(window, code);
}

int put_value(Window &window, const OriginBuffer &origin, const TargetBuffer &target, const Notice &notice) {
  if (notice.value != 0) return move_and_notify(window, Direction::write, origin, target, notice);
  return answer(
      window, refuse(MPI_ERR_ARG, "the value of notification %d is 0, which means that it is not set; pass another", notice.notification));
}

OriginBuffer origin_buffer(const void *address, MPI_Count count, MPI_Datatype type) { return {const_cast<void *>(address), count, type}; }

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

// Each function has a twin for large counts.
// NOLINTBEGIN(readability-function-size): as the functions of MPI
extern "C" {

int MPIX_Put_notify(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
                    int notification, MPI_Win win) {
  Window *const window = find_window(win);
  if (!window)
    return pass_to_host<decltype(MPIX_Put_notify)>("MPIX_Put_notify", win, origin, origin_count, origin_type, rank, disp, count, type,
                                                   notification);
  return move_and_notify(*window, Direction::write, origin_buffer(origin, origin_count, origin_type), {rank, disp, count, type},
                         {notification});
}

int MPIX_Put_notify_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
                      MPI_Datatype type, int notification, MPI_Win win) {
  Window *const window = find_window(win);
  if (!window)
    return pass_to_host<decltype(MPIX_Put_notify_c)>("MPIX_Put_notify_c", win, origin, origin_count, origin_type, rank, disp, count, type,
                                                     notification);
  return move_and_notify(*window, Direction::write, origin_buffer(origin, origin_count, origin_type), {rank, disp, count, type},
                         {notification});
}

int MPIX_Get_notify(void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
                    int notification, MPI_Win win) {
  Window *const window = find_window(win);
  if (!window)
    return pass_to_host<decltype(MPIX_Get_notify)>("MPIX_Get_notify", win, origin, origin_count, origin_type, rank, disp, count, type,
                                                   notification);
  return move_and_notify(*window, Direction::read, origin_buffer(origin, origin_count, origin_type), {rank, disp, count, type},
                         {notification});
}

int MPIX_Get_notify_c(void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
                      MPI_Datatype type, int notification, MPI_Win win) {
  Window *const window = find_window(win);
  if (!window)
    return pass_to_host<decltype(MPIX_Get_notify_c)>("MPIX_Get_notify_c", win, origin, origin_count, origin_type, rank, disp, count, type,
                                                     notification);
  return move_and_notify(*window, Direction::read, origin_buffer(origin, origin_count, origin_type), {rank, disp, count, type},
                         {notification});
}

int MPIX_Accumulate_notify(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                           MPI_Datatype type, MPI_Op op, int notification, MPI_Win win) {
  Window *const window = find_window(win);
  if (!window) return refuse_foreign(win);
  return accumulate_and_notify(*window, op, origin_buffer(origin, origin_count, origin_type), {rank, disp, count, type}, notification);
}

int MPIX_Accumulate_notify_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
                             MPI_Datatype type, MPI_Op op, int notification, MPI_Win win) {
  Window *const window = find_window(win);
  if (!window) return refuse_foreign(win);
  return accumulate_and_notify(*window, op, origin_buffer(origin, origin_count, origin_type), {rank, disp, count, type}, notification);
}

int MPIX_Put_notify_value(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                          MPI_Datatype type, int notification, int value, MPI_Win win) {
  Window *const window = find_window(win);
  if (!window) return refuse_foreign(win);
  return put_value(*window, origin_buffer(origin, origin_count, origin_type), {rank, disp, count, type}, {notification, value});
}

int MPIX_Put_notify_value_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
                            MPI_Datatype type, int notification, int value, MPI_Win win) {
  Window *const window = find_window(win);
  if (!window) return refuse_foreign(win);
  return put_value(*window, origin_buffer(origin, origin_count, origin_type), {rank, disp, count, type}, {notification, value});
}

HLC_MPI_PROFILED(MPIX_Put_notify)
HLC_MPI_PROFILED(MPIX_Put_notify_c)
HLC_MPI_PROFILED(MPIX_Get_notify)
HLC_MPI_PROFILED(MPIX_Get_notify_c)
HLC_MPI_PROFILED(MPIX_Accumulate_notify)
HLC_MPI_PROFILED(MPIX_Accumulate_notify_c)
HLC_MPI_PROFILED(MPIX_Put_notify_value)
HLC_MPI_PROFILED(MPIX_Put_notify_value_c)

}  // extern "C"
// NOLINTEND(readability-function-size)
