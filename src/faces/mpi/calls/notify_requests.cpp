// The notifications of a window at their target: how many there are, requests that count arrivals, and values.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/calls/notify_requests.hpp"

#include <dlfcn.h>
#include <halocline/mpix.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "engine/communicator/collective.hpp"
#include "faces/mpi/check/checker.hpp"
#include "faces/mpi/interpose/error_text.hpp"
#include "faces/mpi/interpose/host_table.hpp"

using halocline::core::mpi::Window;

/// What the program has a handle of. One thread at a time.
struct MPIX_Notify_state {
  Window *window;
  int source, notification;
  std::uint64_t count;
  std::uint64_t missing = 0;  // 0: inactive
  int last_source = MPI_ANY_SOURCE, last_notification = MPI_ANY_TAG;
  unsigned tests = 0;  // that found nothing, for Window::find_lost
};

namespace halocline::core::mpi {

int refuse_open_requests(const Window &window) {
  const int requests = window.notifications ? window.notifications->requests.load(std::memory_order_relaxed) : 0;
  if (requests == 0) return MPI_SUCCESS;
  return refuse(MPI_ERR_RMA_SYNC, "%d notification requests of the window are left; free them first by MPIX_Notify_free", requests);
}

int check_notification(const Window &window, int notification) {
  const int count = window.notifications ? window.notifications->count() : 0;
  if (notification >= 0 && notification < count) return MPI_SUCCESS;
  if (count == 0) return refuse(MPI_ERR_ARG, "the window has no notifications; all ranks have to call MPIX_Win_set_num_notify first");
  return refuse(MPI_ERR_ARG, "notification is %d but must be 0 to %d (MPIX_Win_set_num_notify)", notification, count - 1);
}

int refuse_foreign_window(MPI_Win win) {
  if (win == MPI_WIN_NULL) {
    const int code = refuse(MPI_ERR_WIN, "the window is MPI_WIN_NULL");
    explain_call(MPI_COMM_WORLD, code);
    return PMPI_Comm_call_errhandler(MPI_COMM_WORLD, code), code;
  }
  MPI_Group group = MPI_GROUP_NULL;
  int rank = 0;
  host::Win_get_group(win, &group);
  PMPI_Group_rank(group, &rank);
  PMPI_Group_free(&group);
  const int code = refuse(MPI_ERR_OTHER, "the host MPI carries this window, and has no notifications (HALOCLINE_LOG=info says why)");
  explain(win, rank, code);
  return PMPI_Win_call_errhandler(win, code), code;
}

void *host_function(const char *name) {
  Dl_info host{};
  if (dladdr(reinterpret_cast<const void *>(host::Put), &host) == 0) return nullptr;
  void *const library = dlopen(host.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *const found = library ? dlsym(library, name) : nullptr;
  if (library) dlclose(library);
  return found;
}

namespace {

using Request = MPIX_Notify_state;

constexpr int kMostNotifications = 1 << 20;

/// What each rank contributes to the meeting of MPIX_Win_set_num_notify: reduced by MPI_MAX.
struct Wishes {
  enum { num, minus_num, in_epoch, requests, count };
  std::int64_t of[count];
};

/// All ranks return the same code.
int check_wishes(int num, const Wishes &most) {
  if (most.of[Wishes::in_epoch])
    return refuse(MPI_ERR_RMA_SYNC, "a rank has an open epoch of the window; end it before MPIX_Win_set_num_notify");
  if (most.of[Wishes::requests])
    return refuse(MPI_ERR_RMA_SYNC, "a rank has notification requests of the window; free them first by MPIX_Notify_free");
  if (most.of[Wishes::num] != -most.of[Wishes::minus_num])
    return refuse(MPI_ERR_ARG, "num is %d here, and %lld to %lld on all ranks; pass the same number on all of them", num,
                  static_cast<long long>(-most.of[Wishes::minus_num]), static_cast<long long>(most.of[Wishes::num]));
  if (num < 0 || num > kMostNotifications) return refuse(MPI_ERR_ARG, "num is %d but must be 0 to %d", num, kMostNotifications);
  return MPI_SUCCESS;
}

bool has_several_threads_of_mpi() {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

/// The first meeting has no time limit, as a rank may call as late as it likes. All that has been sent to the old notifications is there then.
int set_number(Window &window, int num) {
  const Epochs &epochs = window.epochs;
  const bool in_epoch = epochs.locks_any() || epochs.is_started || epochs.is_posted;
  const int completed = window.complete_all();
  if (const int code = code_of(window.barrier())) return code;
  if (completed != MPI_SUCCESS) return completed;
  Context &context = window.comm->context;
  Wishes wishes{{num, -std::int64_t{num}, in_epoch ? 1 : 0, refuse_open_requests(window) == MPI_SUCCESS ? 0 : 1}};
  if (const int code = code_of(reduce(context, context.comm(), MPI_MAX, wishes.of, Wishes::count))) return code;
  if (const int code = check_wishes(num, wishes)) return code;
  window.notifications.reset();
  if (num == 0) return MPI_SUCCESS;
  if (window.check) window.check->note_query();  // what is notified is not compared with what the program stores
  auto board = std::make_unique<NotifyBoard>(*window.comm, num, has_several_threads_of_mpi());
  if (const int code = code_of(board->open())) return code;
  window.notifications = std::move(board);
  return MPI_SUCCESS;
}

/// Takes from one counter what the request still misses.
void match_one(NotifyBoard &board, Request &request, int notification, int origin) HLC_REQUIRES(board.mutex) {
  std::uint64_t &matched = board.matched_of(notification, origin);
  const std::uint64_t taken = std::min(board.arrived(notification, origin) - matched, request.missing);
  if (taken == 0) return;
  matched += taken;
  request.missing -= taken;
  request.last_source = origin;
  request.last_notification = notification;
}

/// As a receive from MPI_PROC_NULL.
bool complete_without_source(Request &request) {
  request.missing = 0;
  request.last_source = MPI_PROC_NULL;
  return true;
}

/// True once the request has all its arrivals.
bool match(Request &request) {
  if (request.source == MPI_PROC_NULL) return complete_without_source(request);
  NotifyBoard &board = *request.window->notifications;
  const bool any_source = request.source == MPI_ANY_SOURCE, any_tag = request.notification == MPI_ANY_TAG;
  const int first = any_tag ? 0 : request.notification, end = any_tag ? board.count() : first + 1;
  const int first_origin = any_source ? 0 : request.source, end_origin = any_source ? request.window->size() : first_origin + 1;
  const core::Lock lock(board.mutex);
  for (int notification = first; notification < end; ++notification)
    for (int origin = first_origin; origin < end_origin && request.missing > 0; ++origin) match_one(board, request, notification, origin);
  return request.missing == 0;
}

void report(const Request &request, bool was_active, MPI_Status *status) {
  if (status == MPI_STATUS_IGNORE) return;
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = was_active ? request.last_source : MPI_ANY_SOURCE;
  status->MPI_TAG = was_active ? request.last_notification : MPI_ANY_TAG;
}

/// Between tests that find nothing, as in a loop of them: others run, messages move, and now and then a rank is found that has ended.
int pass_time(Window &window, unsigned &tests) {
  constexpr unsigned kLookForLost = 256;
  window.comm->context.drive_progress();
  window.comm->yield_if_oversubscribed();
  return ++tests % kLookForLost == 0 ? code_of(window.find_lost()) : MPI_SUCCESS;
}

int test(Request &request, int *flag, MPI_Status *status) {
  if (!flag) return refuse(MPI_ERR_ARG, "flag is NULL");
  const bool was_active = request.missing > 0;
  *flag = !was_active || match(request) ? 1 : 0;
  if (!*flag) return pass_time(*request.window, request.tests);
  report(request, was_active, status);
  return MPI_SUCCESS;
}

int wait(Request &request, MPI_Status *status) {
  const bool was_active = request.missing > 0;
  if (was_active && !match(request))
    if (const int code = code_of(request.window->await([&] { return match(request); }))) return code;
  request.window->comm->yield_if_oversubscribed();
  report(request, was_active, status);
  return MPI_SUCCESS;
}

int make_request(Window &window, int source, int notification, int count, MPIX_Notify *request) {
  if (!request) return refuse(MPI_ERR_ARG, "request is NULL");
  if (source != MPI_ANY_SOURCE && source != MPI_PROC_NULL && (source < 0 || source >= window.size()))
    return refuse(MPI_ERR_RANK, "source rank %d out of range (window has %d ranks)", source, window.size());
  if (count < 1) return refuse(MPI_ERR_COUNT, "count is %d but must be 1 or more", count);
  if (const int code = check_notification(window, notification == MPI_ANY_TAG ? 0 : notification)) return code;
  auto *const made = new (std::nothrow) Request{&window, source, notification, static_cast<std::uint64_t>(count)};
  if (!made) return refuse(MPI_ERR_NO_MEM, "no memory for a notification request");
  window.notifications->requests.fetch_add(1, std::memory_order_relaxed);
  *request = made;
  return MPI_SUCCESS;
}

int start(Request &request) {
  if (request.missing > 0) return refuse(MPI_ERR_REQUEST, "the notification request is active; wait for it before it is started again");
  request.missing = request.count;
  return MPI_SUCCESS;
}

/// The code of work(request) through the error handler of its window; without a request that of MPI_COMM_WORLD.
template <class Work>
int with_request(MPIX_Notify request, Work work) {
  if (request) {
    const int code = work(*request);
    return code == MPI_SUCCESS ? code : answer(*request->window, code);
  }
  const int code = refuse(MPI_ERR_REQUEST, "the notification request is MPIX_NOTIFY_NULL");
  explain_call(MPI_COMM_WORLD, code);
  PMPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
  return code;
}

int count_arrivals(Window &window, int notification, MPI_Count *value) {
  if (!value) return refuse(MPI_ERR_ARG, "value is NULL");
  if (const int code = check_notification(window, notification)) return code;
  window.comm->context.drive_progress();
  window.comm->yield_if_oversubscribed();
  std::uint64_t sum = 0;
  for (int origin = 0; origin < window.size(); ++origin) sum += window.notifications->arrived(notification, origin);
  *value = static_cast<MPI_Count>(sum);
  return MPI_SUCCESS;
}

int check_range(const Window &window, int first, int count, const int *notification) {
  if (!notification) return refuse(MPI_ERR_ARG, "notification is NULL");
  if (const int code = check_notification(window, first)) return code;
  const int most = window.notifications->count() - first;
  if (count >= 1 && count <= most) return MPI_SUCCESS;
  return refuse(MPI_ERR_ARG, "count is %d; with first %d it must be 1 to %d", count, first, most);
}

/// The first that is set; -1 if none is.
int find_value(const Window &window, int first, int count) {
  for (int i = first; i < first + count; ++i)
    if (window.notifications->seen(i) != 0) return i;
  return -1;
}

int wait_for_value(Window &window, int first, int count, int *notification) {
  if (const int code = check_range(window, first, count, notification)) return code;
  const auto look = [&] { return (*notification = find_value(window, first, count)) >= 0; };
  if (const int code = code_of(window.await(look))) return code;
  window.comm->yield_if_oversubscribed();
  return MPI_SUCCESS;
}

int test_value(Window &window, int first, int count, int *flag, int *notification) {
  thread_local unsigned tests = 0;
  if (!flag) return refuse(MPI_ERR_ARG, "flag is NULL");
  if (const int code = check_range(window, first, count, notification)) return code;
  const int found = find_value(window, first, count);
  *flag = found >= 0 ? 1 : 0;
  if (!*flag) return pass_time(window, tests);
  *notification = found;
  return MPI_SUCCESS;
}

int reset_value(Window &window, int notification, int *value) {
  if (!value) return refuse(MPI_ERR_ARG, "value is NULL");
  if (const int code = check_notification(window, notification)) return code;
  *value = static_cast<int>(static_cast<std::uint32_t>(window.notifications->take(notification)));
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

int MPIX_Win_set_num_notify(MPI_Win win, MPI_Info, int num) {
  return with_own_window(win, [=](Window &window) { return set_number(window, num); });
}

int MPIX_Win_get_num_notify(MPI_Win win, int *num) {
  return with_own_window(win, [=](Window &window) -> int {
    if (!num) return refuse(MPI_ERR_ARG, "num is NULL");
    *num = window.notifications ? window.notifications->count() : 0;
    return MPI_SUCCESS;
  });
}

int MPIX_Win_get_notify_value(MPI_Win win, int notification, MPI_Count *value) {
  return with_own_window(win, [=](Window &window) { return count_arrivals(window, notification, value); });
}

int MPIX_Win_notify_init(int source, int notification, int count, MPI_Win win, MPIX_Notify *request) {
  return with_own_window(win, [=](Window &window) { return make_request(window, source, notification, count, request); });
}

int MPIX_Notify_start(MPIX_Notify request) { return with_request(request, start); }

int MPIX_Notify_test(MPIX_Notify request, int *flag, MPI_Status *status) {
  return with_request(request, [=](Request &tested) { return test(tested, flag, status); });
}

int MPIX_Notify_wait(MPIX_Notify request, MPI_Status *status) {
  return with_request(request, [=](Request &awaited) { return wait(awaited, status); });
}

int MPIX_Notify_free(MPIX_Notify *request) {
  return with_request(request ? *request : MPIX_NOTIFY_NULL, [=](Request &freed) {
    freed.window->notifications->requests.fetch_sub(1, std::memory_order_relaxed);
    delete &freed;
    *request = MPIX_NOTIFY_NULL;
    return MPI_SUCCESS;
  });
}

int MPIX_Win_notify_waitsome(MPI_Win win, int first, int count, int *notification) {
  return with_own_window(win, [=](Window &window) { return wait_for_value(window, first, count, notification); });
}

int MPIX_Win_notify_testsome(MPI_Win win, int first, int count, int *flag, int *notification) {
  return with_own_window(win, [=](Window &window) { return test_value(window, first, count, flag, notification); });
}

int MPIX_Win_notify_reset(MPI_Win win, int notification, int *value) {
  return with_own_window(win, [=](Window &window) { return reset_value(window, notification, value); });
}

HLC_MPI_PROFILED(MPIX_Win_set_num_notify)
HLC_MPI_PROFILED(MPIX_Win_get_num_notify)
HLC_MPI_PROFILED(MPIX_Win_get_notify_value)
HLC_MPI_PROFILED(MPIX_Win_notify_init)
HLC_MPI_PROFILED(MPIX_Notify_start)
HLC_MPI_PROFILED(MPIX_Notify_test)
HLC_MPI_PROFILED(MPIX_Notify_wait)
HLC_MPI_PROFILED(MPIX_Notify_free)
HLC_MPI_PROFILED(MPIX_Win_notify_waitsome)
HLC_MPI_PROFILED(MPIX_Win_notify_testsome)
HLC_MPI_PROFILED(MPIX_Win_notify_reset)

}  // extern "C"
