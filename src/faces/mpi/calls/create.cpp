// Makes and frees windows. All ranks take the same decision: the engine carries the window, or the host MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>

#include "base/types.hpp"
#include "device/driver.hpp"
#include "device/pointers.hpp"
#include "engine/communicator/collective.hpp"
#include "faces/mpi/access/resolve_target.hpp"
#include "faces/mpi/calls/notify_requests.hpp"
#include "faces/mpi/check/checker.hpp"
#include "faces/mpi/check/trace.hpp"
#include "faces/mpi/collective/neighbor_comm.hpp"
#include "faces/mpi/handle/self_comm.hpp"
#include "faces/mpi/interpose/error_text.hpp"
#include "faces/mpi/interpose/fallback_report.hpp"
#include "faces/mpi/interpose/host_table.hpp"
#include "faces/mpi/window/comm_contexts.hpp"
#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {
namespace {

/// What a call asks for, and what it returns.
struct Wanted {
  const char *call;
  int flavor;
  MemorySpec memory;
  MPI_Info info;
  MPI_Comm comm;
  void *base = nullptr;  // of memory that the call allocates
  MPI_Win *win;
};

/// What is wrong with a call on a rank. The ranks do what the least of them says.
enum Problem : std::int64_t { no_world, device_memory, null_base, too_large, unprepared, no_problem };

/// What a rank contributes to the first meeting of a call; reduced by MPI_MIN.
struct FirstMeeting {
  std::int64_t problem;
  CommonMemory memory;
};
constexpr int kNumbersOfMeeting = 1 + CommonMemory::count;
static_assert(sizeof(FirstMeeting) == kNumbersOfMeeting * sizeof(std::int64_t));

/// A window that is being made. Unless it is released, its handle is freed with it.
struct NewWindow {
  std::unique_ptr<Window> window;

  NewWindow() = default;
  NewWindow(const NewWindow &) = delete;
  NewWindow &operator=(const NewWindow &) = delete;
  ~NewWindow() {
    if (window && window->handle != MPI_WIN_NULL) host::Win_free(&window->handle);
  }
};

bool is_user_memory(int flavor) { return flavor == MPI_WIN_FLAVOR_CREATE || flavor == MPI_WIN_FLAVOR_DYNAMIC; }

/// `result` is where the call is to write the address of memory that it allocates.
Problem find_problem(const Wanted &wanted, const void *result) {
  if (!has_world()) return no_world;
  if (is_user_memory(wanted.flavor) ? wanted.memory.bytes > 0 && !wanted.memory.base : !result) return null_base;
  if (wanted.memory.bytes > 0 && wanted.memory.base && device::find_device(wanted.memory.base) != device::kHost) return device_memory;
  return wanted.memory.bytes > kMaxBytes ? too_large : no_problem;
}

/// The host reports what is wrong with these arguments. `joins` is set if the communicator joins two groups.
bool is_for_host(const Wanted &wanted, int *joins) {
  return wanted.comm == MPI_COMM_NULL || PMPI_Comm_test_inter(wanted.comm, joins) != MPI_SUCCESS || wanted.memory.bytes < 0 ||
         wanted.memory.unit <= 0 || !wanted.win;
}

/// Shared memory in a row is the default (MPI 4.1, section 12.2.3).
bool is_in_a_row(MPI_Info info) {
  char value[8] = "";
  int has = 0;
  if (info != MPI_INFO_NULL) PMPI_Info_get(info, "alloc_shared_noncontig", sizeof value - 1, value, &has);
  return !has || std::strcmp(value, "true") != 0;
}

/// Open MPI 4.1 has no dynamic windows on a single rank.
int make_handle(const Wanted &wanted, MPI_Win *win) {
  if (host::Win_create_dynamic(wanted.info, halocline::mpi::self_comm(), win) == MPI_SUCCESS) return MPI_SUCCESS;
  void *none = nullptr;
  return host::Win_allocate_shared(0, 1, wanted.info, halocline::mpi::self_comm(), &none, win);
}

Window::Attributes attributes_of(const Wanted &wanted, const Window &window) {
  Window::Attributes attributes;
  const Place mine = window.memory.at(window.rank());
  attributes.base = wanted.flavor == MPI_WIN_FLAVOR_DYNAMIC ? MPI_BOTTOM : mine.mapped;
  attributes.size = static_cast<MPI_Aint>(mine.bytes);
  attributes.unit = static_cast<int>(wanted.memory.unit);
  attributes.flavor = wanted.flavor;
  return attributes;
}

bool has_several_threads() {
  int level = MPI_THREAD_MULTIPLE;
  PMPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

/// Why the engine cannot carry such a window of these ranks; empty if it can. The same on all ranks. Further reasons are found by open_memory
/// and by WindowMemory::find_places; CommContext::open finds those that hold for all windows of the communicator.
std::string obstacle_of(const Wanted &wanted, CommContext &comm) {
  if (!comm.obstacle().empty() || !comm.spans_nodes()) return comm.obstacle();
  Context &context = comm.context;
  if (wanted.flavor == MPI_WIN_FLAVOR_SHARED)
    return "its ranks are on " + std::to_string(context.nodes()) + " nodes, which share no memory";
  if (context.progress() == Progress::helper && is_user_memory(wanted.flavor))
    return "its ranks are on " + std::to_string(context.nodes()) +
           " nodes, and with HALOCLINE_PROGRESS=helper other nodes cannot access user-provided memory";
  return "";
}

/// What a rank makes alone: the window without its memory, and the handle. Local.
Status prepare_window(const Wanted &wanted, const std::shared_ptr<CommContext> &comm, NewWindow &made) {
  if (comm->context.lost()) return comm->context.why_lost();
  return alone(comm->context, [&] {
    made.window = std::make_unique<Window>(comm);
    made.window->epochs.open(has_several_threads());
    return check_mpi(make_handle(wanted, &made.window->handle), wanted.call);
  });
}

Status open_memory(const Wanted &wanted, Window &window, const CommonMemory &common, std::string &obstacle) {
  HLC_TRY(window.memory.open(wanted.memory, common, window.number));
  const Status found = window.memory.find_places(wanted.memory);
  // What the network does not register another one may: that is for the host.
  if (found == Status::memory && window.comm->spans_nodes()) return obstacle = error_message(), Status::unsupported;
  HLC_TRY(found);
  if (!window.memory.obstacle()) return Status::ok;
  obstacle = window.memory.obstacle();
  return Status::unsupported;
}

/// Collective, the same status on all ranks; `obstacle` says why the engine cannot carry the window. `prepared`: the status of what this rank
/// has made before the meeting, if the communicator had a context.
Status carry(Wanted &wanted, NewWindow &made, Status prepared, const FirstMeeting &met, std::string &obstacle) {
  const std::shared_ptr<CommContext> comm = find_comm_context(wanted.comm);
  obstacle = obstacle_of(wanted, *comm);
  if (!obstacle.empty()) return comm->obstacle().empty() ? Status::unsupported : comm->obstacle_status();
  const bool is_first = !made.window && !failed(prepared);
  if (is_first) prepared = prepare_window(wanted, comm, made);
  if (is_first || met.problem == unprepared) HLC_TRY(agree(comm->context, comm->context.comm(), prepared));
  Window &window = *made.window;
  window.number = comm->number_window();
  HLC_TRY(open_memory(wanted, window, met.memory, obstacle));
  window.attributes = attributes_of(wanted, window);
  wanted.base = window.attributes.base;
  window.check = trace_calls(window, open_check(window, wanted.call));
  const bool has_usual_locks = !comm->spans_nodes() && !window.check && !window.writer_places.queues() && !has_several_threads();
  window.ranks_at_once = has_usual_locks ? window.size() : 0;
  return Status::ok;
}

int call_comm_errhandler(MPI_Comm comm, int code) {
  explain_call(comm, code);
  return PMPI_Comm_call_errhandler(comm, code), code;
}

/// The host would not do better: its windows take the same memory, and end the program where that is missing.
bool is_final(Status status) { return status == Status::peer_died || status == Status::timeout || status == Status::memory; }

/// All ranks return the same code, whichever of them passed the argument.
int refuse_problem(const Wanted &wanted, std::int64_t least) {
  const auto mine = static_cast<long long>(wanted.memory.bytes);
  if (least == null_base) return refuse(MPI_ERR_ARG, "a rank passed NULL as base or baseptr");
  const int code = is_user_memory(wanted.flavor) ? MPI_ERR_SIZE : MPI_ERR_NO_MEM;
  return refuse(code, "a rank requests more bytes than memory can hold (this rank: %lld)", mine);
}

/// The smallest numbers of all ranks. Waits without a time limit, but not for processes that have ended, as far as an earlier window of the
/// communicator knows them.
int meet(MPI_Comm comm, const std::shared_ptr<CommContext> &known, FirstMeeting *mine) {
  if (!known || !known->obstacle().empty()) return PMPI_Allreduce(MPI_IN_PLACE, mine, kNumbersOfMeeting, MPI_INT64_T, MPI_MIN, comm);
  auto least = std::make_unique<FirstMeeting>(*mine);
  MPI_Request request = MPI_REQUEST_NULL;
  if (const int code = PMPI_Iallreduce(MPI_IN_PLACE, least.get(), kNumbersOfMeeting, MPI_INT64_T, MPI_MIN, comm, &request)) return code;
  int code = MPI_SUCCESS, done = 0;
  const auto test = [&] {
    code = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done || code != MPI_SUCCESS ? Status::ok : Status::again;
  };
  Wait wait(known->context, WakeUp::by_polling);
  const Status met = wait_until(wait, test, [&] { return known->look_for_dead(); });
  // MPI may still write to the numbers.
  if (failed(met)) return static_cast<void>(least.release()), call_comm_errhandler(comm, code_of(met));
  *mine = *least;
  return code;
}

/// `leave_to_host` makes the window there, unless that is an error.
template <class LeaveToHost>
int leave(const Wanted &wanted, const std::string &obstacle, LeaveToHost leave_to_host) {
  if (may_leave_to_host(wanted.call, obstacle)) return leave_to_host();
  return PMPI_Comm_call_errhandler(wanted.comm, MPI_ERR_OTHER), MPI_ERR_OTHER;
}

template <class LeaveToHost>
int make(Wanted &wanted, const void *result, LeaveToHost leave_to_host) {
  int joins = 0;
  if (is_for_host(wanted, &joins)) return leave_to_host();
  if (joins) return PMPI_Comm_call_errhandler(wanted.comm, MPI_ERR_COMM), MPI_ERR_COMM;
  device::look_for_driver();
  NewWindow made;
  const std::shared_ptr<CommContext> known = known_comm_context(wanted.comm);
  const Status prepared = known && obstacle_of(wanted, *known).empty() ? prepare_window(wanted, known, made) : Status::ok;
  FirstMeeting met{std::min(find_problem(wanted, result), failed(prepared) ? unprepared : no_problem), {}};
  met.memory = failed(prepared) || !made.window ? CommonMemory::of_one(wanted.memory) : made.window->memory.offer(wanted.memory);
  // The engine's steps have a time limit, and this meeting has none.
  if (const int code = meet(wanted.comm, known, &met); code != MPI_SUCCESS) return code;
  if (met.problem == no_world) return leave(wanted, "the program uses MPI sessions without MPI_Init; call MPI_Init as well", leave_to_host);
  if (met.problem == device_memory)
    return leave(wanted, "the memory of a rank is that of a device, which the host cannot access", leave_to_host);
  if (met.problem < unprepared) return call_comm_errhandler(wanted.comm, refuse_problem(wanted, met.problem));
  std::string obstacle;
  const Status carried = carry(wanted, made, prepared, met, obstacle);
  if (is_final(carried)) return call_comm_errhandler(wanted.comm, code_of(carried));
  if (failed(carried)) return leave(wanted, obstacle.empty() ? error_message() : obstacle, leave_to_host);
  *wanted.win = made.window->handle;
  count_carried(wanted.call);
  add_window(made.window.release());
  return MPI_SUCCESS;
}

// NOLINTBEGIN(readability-function-size): the standard's signatures
int create(void *base, std::int64_t bytes, std::int64_t unit, MPI_Info info, MPI_Comm comm, MPI_Win *win,
           const std::function<int()> &host) {
  Wanted wanted{"MPI_Win_create", MPI_WIN_FLAVOR_CREATE, {MemorySpec::Kind::user_memory, base, bytes, unit}, info, comm, nullptr, win};
  return make(wanted, nullptr, host);
}

int allocate(std::int64_t bytes, std::int64_t unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win,
             const std::function<int()> &host) {
  Wanted wanted{"MPI_Win_allocate", MPI_WIN_FLAVOR_ALLOCATE, {MemorySpec::Kind::allocated, nullptr, bytes, unit}, info, comm, nullptr, win};
  const int code = make(wanted, baseptr, host);
  if (wanted.base) std::memcpy(baseptr, &wanted.base, sizeof wanted.base);
  return code;
}

int allocate_shared(std::int64_t bytes, std::int64_t unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win,
                    const std::function<int()> &host) {
  const auto kind = is_in_a_row(info) ? MemorySpec::Kind::allocated_in_a_row : MemorySpec::Kind::allocated;
  Wanted wanted{"MPI_Win_allocate_shared", MPI_WIN_FLAVOR_SHARED, {kind, nullptr, bytes, unit}, info, comm, nullptr, win};
  const int code = make(wanted, baseptr, host);
  if (wanted.base) std::memcpy(baseptr, &wanted.base, sizeof wanted.base);
  return code;
}

// NOLINTEND(readability-function-size)

/// All ranks have ended their accesses before the memory goes. The host calls the program's delete callbacks, in which the window is still
/// there; if one of them fails it stays. Then a second try does not wait for the others, which may have ended.
int release(Window &window, MPI_Win *win) {
  // Also what needs no answer, such as an unlock, has arrived before the memory goes.
  const int completed = window.has_met ? MPI_SUCCESS : window.complete_all();
  const Status met = window.has_met ? Status::ok : window.last_barrier();
  window.has_met = true;
  const int met_code = answer(window, completed != MPI_SUCCESS ? completed : code_of(met));
  const int code = host::Win_free(win);
  if (code != MPI_SUCCESS && *win != MPI_WIN_NULL) return code;
  const std::unique_ptr<Window> ended(&window);
  remove_window(window);
  if (met_code == MPI_SUCCESS) window.memory.keep_parts();
  return met_code == MPI_SUCCESS ? code : met_code;
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

// Each function has a twin for large displacement units where the MPI has one.

extern "C" {

int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  return create(base, size, disp_unit, info, comm, win, [=] { return host::Win_create(base, size, disp_unit, info, comm, win); });
}

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  return allocate(size, disp_unit, info, comm, baseptr, win, [=] { return host::Win_allocate(size, disp_unit, info, comm, baseptr, win); });
}

int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  return allocate_shared(size, disp_unit, info, comm, baseptr, win,
                         [=] { return host::Win_allocate_shared(size, disp_unit, info, comm, baseptr, win); });
}

#if MPI_VERSION >= 4
int MPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  return create(base, size, disp_unit, info, comm, win, [=] { return host::Win_create_c(base, size, disp_unit, info, comm, win); });
}

int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  return allocate(size, disp_unit, info, comm, baseptr, win,
                  [=] { return host::Win_allocate_c(size, disp_unit, info, comm, baseptr, win); });
}

int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win) {
  return allocate_shared(size, disp_unit, info, comm, baseptr, win,
                         [=] { return host::Win_allocate_shared_c(size, disp_unit, info, comm, baseptr, win); });
}

#endif

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  Wanted wanted{"MPI_Win_create_dynamic", MPI_WIN_FLAVOR_DYNAMIC, {MemorySpec::Kind::dynamic, nullptr, 0, 1}, info, comm, nullptr, win};
  return make(wanted, nullptr, [=] { return host::Win_create_dynamic(info, comm, win); });
}

int MPI_Win_free(MPI_Win *win) {
  Window *window = win ? find_window(*win) : nullptr;
  if (!window) return host::Win_free(win);
  if (window->epochs.locks_any() || window->epochs.is_started || window->epochs.is_posted) {
    if (window->check) window->check->report_open_epochs("MPI_Win_free");
    return answer(*window, MPI_ERR_RMA_SYNC);
  }
  if (const int code = refuse_open_requests(*window)) return answer(*window, code);
  return release(*window, win);
}

/// The host calls what the program has attached to MPI_COMM_SELF, which may make windows.
int MPI_Finalize() {
  report_open_windows();
  remember_rank();
  end_trace();
  release_neighbor_comms();
  release_comm_contexts();
  leave_progress_of_host();
  const int code = host::Finalize();
  summarise();
  return code;
}

HLC_MPI_PROFILED(MPI_Win_create)
HLC_MPI_PROFILED(MPI_Win_allocate)
HLC_MPI_PROFILED(MPI_Win_allocate_shared)
HLC_MPI_PROFILED(MPI_Win_create_dynamic)
HLC_MPI_PROFILED(MPI_Win_free)
HLC_MPI_PROFILED(MPI_Finalize)
#if MPI_VERSION >= 4
HLC_MPI_PROFILED(MPI_Win_create_c)
HLC_MPI_PROFILED(MPI_Win_allocate_c)
HLC_MPI_PROFILED(MPI_Win_allocate_shared_c)
#endif

}  // extern "C"
