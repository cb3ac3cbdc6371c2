// The recorder of `halocline advise`: MPI's functions under its profiling interface, for LD_PRELOAD. It begins behind MPI_Init and ends before
// MPI_Finalize; without HLC_ADVISE, a folder, it hands all calls on.
// SPDX-License-Identifier: BSD-3-Clause
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "calls.hpp"
#include "fortran_sites.hpp"

thread_local constinit std::uintptr_t hlc_advise_site = 0;

namespace advise {

thread_local Thread this_thread{};
bool is_recording = false;
bool has_wildcards = false;

namespace {

/// The unsuccessful tests of this thread since its last event, as one record.
void write_spins() {
  Thread &thread = this_thread;
  if (thread.spin_count == 0 || !thread.log) return;
  const std::uint32_t count = thread.spin_count;
  thread.spin_count = 0;
  if (Event *const event = thread.log->add())
    *event = Event{thread.spin_begin, thread.spin_end, 0, thread.spin_site, thread.spin_inside, kUnknown, 0, count, 0, 0, 0, Kind::spin, 0};
}

}  // namespace

Event *next_event() {
  Thread &thread = this_thread;
  if (!thread.log) {
    if (thread.has_no_log) return nullptr;
    thread.log = open_log();
    if (!thread.log) return thread.has_no_log = true, nullptr;
  }
  write_spins();
  return thread.log->add();
}

void record_message(const Call &call, Kind kind, const Message &message, std::uint64_t request) {
  if (message.peer == MPI_PROC_NULL) return;
  Event *const event = call.record(kind);
  if (!event) return;
  const Members &members = members_of_comm(message.comm);
  event->peer = world_rank(members, message.peer);
  event->tag = message.tag == MPI_ANY_TAG ? kAny : message.tag;
  if (event->peer == kAny) has_wildcards = true;
  event->comm = members.id;
  event->request = request;
  if (message.count <= 0 || message.type == MPI_DATATYPE_NULL) return;
  const Layout &layout = layout_of(message.type);
  event->layout = layout.id;
  event->count = static_cast<std::uint32_t>(message.count);
  event->bytes = static_cast<std::uint64_t>(message.count * layout.bytes);
}

void record_starts(const Call &call, int count, const MPI_Request *requests) {
  Event *const event = call.record(Kind::start);
  if (!event) return;
  event->count = static_cast<std::uint32_t>(count);
  if (count == 1) return static_cast<void>(event->request = number(requests[0]));
  std::uint64_t words[Items::kWords];
  for (int first = 0; first < count; first += static_cast<int>(Items::kWords)) {
    const int some = std::min(count - first, static_cast<int>(Items::kWords));
    for (int i = 0; i < some; ++i) words[i] = number(requests[first + i]);
    this_thread.log->add_words(Kind::items, words, static_cast<std::size_t>(some));
  }
}

namespace {

namespace host {
HLC_ADVISE_HOST(Init)
HLC_ADVISE_HOST(Init_thread)
HLC_ADVISE_HOST(Finalize)
HLC_ADVISE_HOST(Type_free)
HLC_ADVISE_HOST(Comm_free)
HLC_ADVISE_HOST(Comm_disconnect)
HLC_ADVISE_HOST(Win_free)
}  // namespace host

std::int64_t now_ns() {
  std::timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

constexpr int kRounds = 20, kTag = 32001;

struct Offset {
  std::int64_t offset = 0, error = 0;
};

/// How far rank 0's clock is before this one, from the shortest of some round trips.
Offset ask_rank_0(MPI_Comm comm) {
  Offset best{0, INT64_MAX};
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t begin = now_ns();
    std::int64_t theirs = 0;
    PMPI_Send(nullptr, 0, MPI_BYTE, 0, kTag, comm);
    PMPI_Recv(&theirs, sizeof theirs, MPI_BYTE, 0, kTag, comm, MPI_STATUS_IGNORE);
    const std::int64_t end = now_ns();
    if ((end - begin) / 2 < best.error) best = {theirs - (begin + (end - begin) / 2), (end - begin) / 2};
  }
  return best;
}

void answer(MPI_Comm comm, int rank) {
  for (int round = 0; round < kRounds; ++round) {
    PMPI_Recv(nullptr, 0, MPI_BYTE, rank, kTag, comm, MPI_STATUS_IGNORE);
    const std::int64_t mine = now_ns();
    PMPI_Send(&mine, sizeof mine, MPI_BYTE, rank, kTag, comm);
  }
}

/// Collective. The communicator is of our own: no message of the program is taken for one of these.
Offset compare_clocks() {
  int rank = 0, ranks = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  Offset offset;
  if (rank > 0) offset = ask_rank_0(comm);
  for (int other = 1; rank == 0 && other < ranks; ++other) answer(comm, other);
  PMPI_Comm_free(&comm);
  return offset;
}

Offset measured;
std::uint64_t begin_ticks = 0;
std::int64_t begin_ns = 0;

void set_begin(Head &head) {
  head.ticks[0] = begin_ticks;
  head.nanoseconds[0] = begin_ns;
  head.offset[0] = measured.offset;
  head.offset_error[0] = measured.error;
  gethostname(head.host, sizeof head.host - 1);
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  PMPI_Get_library_version(text, &length);
  std::snprintf(head.library, sizeof head.library, "%.255s", text);
}

Offset measured_last;
std::uint64_t end_ticks = 0;
std::int64_t end_ns = 0;

void set_end(Head &head) {
  if (head.ticks[0] == 0) set_begin(head);
  head.ticks[1] = end_ticks;
  head.nanoseconds[1] = end_ns;
  head.offset[1] = measured_last.offset;
  head.offset_error[1] = measured_last.error;
  head.state = kFinalised;
}

/// Where the program and its libraries lie, for the addresses of the calls.
void write_modules() {
  dl_iterate_phdr(
      [](dl_phdr_info *object, std::size_t, void *) {
        char path[4096] = {};
        if (!object->dlpi_name || !*object->dlpi_name) {
          if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return 0;
        } else {
          std::snprintf(path, sizeof path, "%s", object->dlpi_name);
        }
        std::uint64_t last = 0;
        for (int i = 0; i < object->dlpi_phnum; ++i)
          if (object->dlpi_phdr[i].p_type == PT_LOAD)
            last = std::max<std::uint64_t>(last, object->dlpi_phdr[i].p_vaddr + object->dlpi_phdr[i].p_memsz);
        std::string line = "module";
        add_numbers(line, object->dlpi_addr, last);
        add_word(line, path);
        write_line(line);
        return 0;
      },
      nullptr);
}

void begin() {
  if (folder().empty()) return;
  int rank = 0, ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  begin_logs(rank, ranks);
  find_fortran();
  write_modules();
  members_of_comm(MPI_COMM_WORLD);
  measured = compare_clocks();
  begin_ns = now_ns();
  begin_ticks = ticks();
  this_thread.log = open_log();
  this_thread.has_no_log = !this_thread.log;
  for_each_head(set_begin);
  hlc_advise_site = 0;
  is_recording = true;
}

void end() {
  if (!is_recording) return;
  is_recording = false;
  write_spins();
  end_ns = now_ns();
  end_ticks = ticks();
  measured_last = compare_clocks();
  write_modules();
  for_each_head(set_end);
}

}  // namespace
}  // namespace advise

using namespace advise;

extern "C" {

#define HLC_ADVISE_EXPORTED __attribute__((visibility("default")))
#define HLC_ADVISE_BOTH_NAMES(name) HLC_ADVISE_EXPORTED decltype(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name)));

HLC_ADVISE_EXPORTED int MPI_Init(int *argc, char ***argv) {
  const int status = host::Init(argc, argv);
  if (status == MPI_SUCCESS && !is_recording) begin();
  return status;
}

HLC_ADVISE_EXPORTED int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  const int status = host::Init_thread(argc, argv, required, provided);
  if (status == MPI_SUCCESS && !is_recording) begin();
  return status;
}

HLC_ADVISE_EXPORTED int MPI_Finalize() {
  end();
  return host::Finalize();
}

HLC_ADVISE_EXPORTED int MPI_Type_free(MPI_Datatype *type) {
  if (is_programs() && type && *type != MPI_DATATYPE_NULL) forget_type(*type);
  return host::Type_free(type);
}

HLC_ADVISE_EXPORTED int MPI_Comm_free(MPI_Comm *comm) {
  if (is_programs() && comm && *comm != MPI_COMM_NULL) forget_comm(*comm);
  return host::Comm_free(comm);
}

HLC_ADVISE_EXPORTED int MPI_Comm_disconnect(MPI_Comm *comm) {
  if (is_programs() && comm && *comm != MPI_COMM_NULL) forget_comm(*comm);
  return host::Comm_disconnect(comm);
}

HLC_ADVISE_EXPORTED int MPI_Win_free(MPI_Win *window) {
  if (is_programs() && window && *window != MPI_WIN_NULL) forget_window(*window);
  return host::Win_free(window);
}

HLC_ADVISE_BOTH_NAMES(Init)
HLC_ADVISE_BOTH_NAMES(Init_thread)
HLC_ADVISE_BOTH_NAMES(Finalize)
HLC_ADVISE_BOTH_NAMES(Type_free)
HLC_ADVISE_BOTH_NAMES(Comm_free)
HLC_ADVISE_BOTH_NAMES(Comm_disconnect)
HLC_ADVISE_BOTH_NAMES(Win_free)
}
