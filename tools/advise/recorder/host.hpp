// The functions of the host MPI behind those that the recorder stands before, and what every recorded call does first and last.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "log.hpp"

/// Set by the functions of Fortran (fortran_sites.cpp): where the program has called them.
extern "C" __attribute__((visibility("hidden"), tls_model("initial-exec"))) thread_local constinit std::uintptr_t hlc_advise_site;

namespace advise {

struct Thread {
  Log *log;
  int depth;  // calls of MPI inside calls of MPI are the host's own; kEnded or more: the log is full
  bool has_no_log;
  std::uint64_t spin_begin, spin_end, spin_inside, spin_site;
  std::uint32_t spin_count;
};

inline constexpr int kEnded = 1 << 30;

extern __attribute__((tls_model("initial-exec"))) thread_local Thread this_thread;
extern bool is_recording;

/// Whether a call is the program's own and to be recorded.
inline bool is_ours() { return is_recording && this_thread.depth == 0; }
/// The same for what other threads need to know, though this thread may record no more.
inline bool is_programs() { return is_recording && (this_thread.depth & (kEnded - 1)) == 0; }

/// The handle of a request, type, communicator or window as a number.
template <class Handle>
std::uint64_t number(Handle handle) {
  std::uint64_t word = 0;
  static_assert(sizeof handle <= sizeof word);
  std::memcpy(&word, &handle, sizeof handle);
  return word;
}

/// The next record of this thread, behind one about the unsuccessful tests before it; null if there is no room.
Event *next_event();

/// One call, from its construction on.
class Call {
 public:
  explicit Call(void *from) : site_(hlc_advise_site ? hlc_advise_site : reinterpret_cast<std::uintptr_t>(from)), begin_(ticks()) {
    hlc_advise_site = 0;
    ++this_thread.depth;
  }
  Call(const Call &) = delete;
  ~Call() { --this_thread.depth; }

  void end() { end_ = ticks(); }

  /// A record with the times of this call.
  Event *record(Kind kind) const {
    Event *const event = next_event();
    if (!event) return nullptr;
    *event = Event{begin_, end_, 0, site_, 0, kUnknown, 0, 0, 0, 0, 0, kind, 0};
    return event;
  }

  /// An unsuccessful test or probe: many in a row become one record.
  void record_spin() const {
    Thread &thread = this_thread;
    if (thread.spin_count++ == 0) thread.spin_begin = begin_, thread.spin_site = site_, thread.spin_inside = 0;
    thread.spin_end = end_;
    thread.spin_inside += end_ - begin_;
  }

 private:
  std::uint64_t site_, begin_, end_ = 0;
};

/// A communicator, or a window's group.
struct Members {
  std::uint16_t id = 0;
  int size = 0;
  const int *world = nullptr;  // ranks in MPI_COMM_WORLD; null: the same
  int in = 0, out = 0;  // neighbours of a topology
};

const Members &members_of_comm(MPI_Comm comm);
const Members &members_of_window(MPI_Win window);
/// Before a handle is freed, whose number may come again.
void forget_comm(MPI_Comm comm);
void forget_window(MPI_Win window);

inline int world_rank(const Members &members, int rank) {
  if (rank == MPI_ANY_SOURCE) return kAny;
  return rank < 0 || rank >= members.size ? kUnknown : members.world ? members.world[rank] : rank;
}

/// A datatype's layout.
struct Layout {
  std::uint32_t id = 0;
  std::int64_t bytes = 0;
};

const Layout &layout_of(MPI_Datatype type);
void forget_type(MPI_Datatype type);

}  // namespace advise

/// In namespace host: the host's function, whichever of its names the program calls.
#define HLC_ADVISE_HOST(name) static auto *const name = reinterpret_cast<decltype(&PMPI_##name)>(dlsym(RTLD_NEXT, "PMPI_" #name));

/// A function of MPI under both of its names: `given` are its parameters, `passed` their names. `before` is done before the host's function,
/// the rest after it.
#define HLC_ADVISE_AROUND(name, given, passed, before, ...)                \
  namespace {                                                              \
  namespace host {                                                         \
  HLC_ADVISE_HOST(name)                                                    \
  }                                                                        \
  }                                                                        \
  extern "C" __attribute__((visibility("default"))) int MPI_##name given { \
    if (!advise::is_ours()) return host::name passed;                      \
    advise::Call call(__builtin_return_address(0));                        \
    before;                                                                \
    const int status = host::name passed;                                  \
    call.end();                                                            \
    __VA_ARGS__                                                            \
    return status;                                                         \
  }                                                                        \
  extern "C" __attribute__((visibility("default"), alias("MPI_" #name))) decltype(MPI_##name) PMPI_##name;

#define HLC_ADVISE_CALL(name, given, passed, ...) HLC_ADVISE_AROUND(name, given, passed, , __VA_ARGS__)
