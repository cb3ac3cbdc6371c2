// MPI_Win_post, start, complete, wait and test (MPI 4.1, section 12.5.2).
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>
#include <vector>

#include "base/first_failure.hpp"
#include "engine/network/request_engine.hpp"
#include "faces/mpi/calls/synchronisation.hpp"
#include "faces/mpi/sync/locks.hpp"
#include "faces/mpi/sync/remote_word.hpp"

namespace halocline::core::mpi {
namespace {

/// The window's ranks that are in a group. Both lists keep their memory from one epoch to the next.
int ranks_of(const Window &window, MPI_Group group, std::vector<int> &ranks) {
  thread_local std::vector<int> members;
  int size = 0;
  if (group == MPI_GROUP_NULL) return refuse(MPI_ERR_GROUP, "the group is MPI_GROUP_NULL");
  if (const int code = PMPI_Group_size(group, &size)) return code;
  members.resize(static_cast<std::size_t>(size));
  ranks.resize(members.size());
  std::iota(members.begin(), members.end(), 0);
  if (const int code = PMPI_Group_translate_ranks(group, size, members.data(), window.comm->group(), ranks.data())) return code;
  const auto outside = std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED);
  if (outside == ranks.end()) return MPI_SUCCESS;
  return refuse(MPI_ERR_GROUP, "rank %d of the group is not in the window", static_cast<int>(outside - ranks.begin()));
}

/// A word among those by which a rank matches posts and completes.
WindowWord post_word(Window &window, int rank, std::int64_t offset) { return {window, rank, posts_offset(window.size()) + offset}; }

/// Enters a rank in the list of another.
Status enter_in_list(Window &window, int owner, int rank) {
  const auto word_at = [&](std::int64_t offset) { return post_word(window, owner, offset); };
  return window.comm->is_near(owner) ? enter_post(rank, word_at) : set_post_bit(rank, word_at);
}

Status post_to(Window &window, int rank) {
  HLC_TRY(enter_in_list(window, rank, window.rank()));
  window.comm->ring(rank);
  return Status::ok;
}

Status complete_at(Window &window, int rank) {
  HLC_TRY(count_completed(post_word(window, rank, completed_offset())));
  window.comm->ring(rank);
  return Status::ok;
}

/// Calls notify_one(window, rank) for each rank, also if some of them are lost. Its messages have left this process on return.
template <class Notify>
Status notify_all(Window &window, const std::vector<int> &ranks, Notify notify_one) {
  FirstFailure failure;
  for (const int rank : ranks) failure.note(notify_one(window, rank));
  failure.note(WindowWord::leave(window));
  return failure.status();
}

/// Waits for the posts of all ranks, and takes their entries; none of them if that fails.
Status take_posts(Window &window, const std::vector<int> &ranks) {
  PostWords &mine = window.memory.posts(window.rank());
  const bool has_bits = has_post_bits(window.size(), window.comm->spans_nodes());
  for (const int rank : ranks)
    if (!window.comm->is_near(rank)) HLC_TRY(window.comm->context.network().requests()->meet(rank));
  FirstFailure failure;
  std::size_t taken = 0;
  for (; taken < ranks.size() && failure.none(); ++taken)
    failure.note(window.await([&] { return take_post(mine, ranks[taken], has_bits); }));
  if (failure.none()) return Status::ok;
  for (std::size_t i = 0; i + 1 < taken; ++i) failure.note(enter_in_list(window, window.rank(), ranks[i]));
  return failure.status();
}

int post(Window &window, MPI_Group group, int assertion) {
  Epochs &epochs = window.epochs;
  if (const int code = check_assertion(assertion)) return code;
  if (epochs.is_posted) return MPI_ERR_RMA_SYNC;
  if (const int code = check_fence(epochs)) return code;
  if (const int code = ranks_of(window, group, epochs.posted)) return code;
  epochs.is_posted = true;
  order_accesses();
  return code_of(notify_all(window, epochs.posted, post_to));
}

/// MPI_MODE_NOCHECK changes nothing: the entries are there then, and have to be taken out.
int start(Window &window, MPI_Group group, int assertion) {
  Epochs &epochs = window.epochs;
  if (const int code = check_assertion(assertion)) return code;
  if (epochs.is_started || epochs.locks_any()) return MPI_ERR_RMA_SYNC;
  if (const int code = check_fence(epochs)) return code;
  if (const int code = ranks_of(window, group, epochs.started)) return code;
  if (const int code = code_of(take_posts(window, epochs.started))) return code;
  for (const int rank : epochs.started) epochs.set(rank, Hold::started);
  epochs.fence.store(Fence::closed, std::memory_order_relaxed);
  epochs.is_started = true;
  return MPI_SUCCESS;
}

/// Calls end(target) for all targets together; if a rank is lost, for each that was started to.
template <class End>
int end_started(Window &window, End end) {
  int ended = end(kAllTargets);
  if (ended == MPI_SUCCESS) return MPI_SUCCESS;
  ended = MPI_SUCCESS;
  for (const int rank : window.epochs.started)
    if (const int code = end(rank)) ended = code;
  return ended;
}

/// Where messages keep their order, the count of a complete follows the accesses under way. Only what was read has to be here before.
int complete_started(Window &window) {
  order_accesses();
  const bool follows = window.comm->keeps_order();
  const auto before = [&](int target) { return follows ? window.end_reads(target) : window.complete_begun(target, Completion::remote); };
  int code = end_started(window, before);
  // SYNC put-before-message (pairs with do_as_asked)
  code = first_of(code, code_of(notify_all(window, window.epochs.started, complete_at)));
  if (!follows) return code;
  return first_of(code, end_started(window, [&](int target) { return window.complete_begun(target, Completion::local); }));
}

int complete(Window &window) {
  Epochs &epochs = window.epochs;
  if (!epochs.is_started) return MPI_ERR_RMA_SYNC;
  const int completed = complete_started(window);
  epochs.is_started = false;
  for (const int rank : epochs.started) epochs.set(rank, Hold::none);
  window.comm->yield_if_oversubscribed();
  return completed;
}

/// Whether all ranks of the exposure have completed their accesses.
bool is_exposure_over(const Window &window) {
  return has_completed(window.memory.posts(window.rank()), window.epochs.awaited + window.epochs.posted.size());
}

void end_exposure(Window &window) {
  window.epochs.awaited += window.epochs.posted.size();
  window.epochs.is_posted = false;
  order_accesses();
}

int wait_for_completes(Window &window) {
  if (!window.epochs.is_posted) return MPI_ERR_RMA_SYNC;
  if (const int code = code_of(window.await([&] { return is_exposure_over(window); }))) return code;
  end_exposure(window);
  window.comm->yield_if_oversubscribed();
  return MPI_SUCCESS;
}

int test_completes(Window &window, int *flag) {
  if (!flag) return refuse(MPI_ERR_ARG, "flag is NULL");
  if (!window.epochs.is_posted) return MPI_ERR_RMA_SYNC;
  *flag = is_exposure_over(window) ? 1 : 0;
  if (!*flag) {
    window.comm->context.drive_progress();
    return MPI_SUCCESS;
  }
  end_exposure(window);
  window.comm->yield_if_oversubscribed();
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win) {
  return with_window(
      win, [=](Window &window) { return checked(window, CheckedSync{Sync::post}, [&] { return post(window, group, assertion); }); },
      [=] { return host::Win_post(group, assertion, win); });
}

int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win) {
  return with_window(
      win, [=](Window &window) { return checked(window, CheckedSync{Sync::start}, [&] { return start(window, group, assertion); }); },
      [=] { return host::Win_start(group, assertion, win); });
}

int MPI_Win_complete(MPI_Win win) {
  return with_window(
      win, [](Window &window) { return checked(window, CheckedSync{Sync::complete}, [&] { return complete(window); }); },
      [=] { return host::Win_complete(win); });
}

int MPI_Win_wait(MPI_Win win) {
  return with_window(
      win, [](Window &window) { return checked(window, CheckedSync{Sync::wait}, [&] { return wait_for_completes(window); }); },
      [=] { return host::Win_wait(win); });
}

int MPI_Win_test(MPI_Win win, int *flag) {
  return with_window(
      win,
      [=](Window &window) { return checked(window, CheckedSync{Sync::wait, -1, 0, flag}, [&] { return test_completes(window, flag); }); },
      [=] { return host::Win_test(win, flag); });
}

HLC_MPI_PROFILED(MPI_Win_post)
HLC_MPI_PROFILED(MPI_Win_start)
HLC_MPI_PROFILED(MPI_Win_complete)
HLC_MPI_PROFILED(MPI_Win_wait)
HLC_MPI_PROFILED(MPI_Win_test)

}  // extern "C"
