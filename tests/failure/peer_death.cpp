// One launch of peer_death.py: `peer_death MODE STAGE DIRECTORY`. The ranks open the library, allocate a field, plan a halo, swap, and
// release everything; rank 1 dies at a stage of that. Every other rank continues until a call fails, and releases what it can. It writes
// into DIRECTORY/<rank>: milliseconds from the death to the failure, the call, the status and the message. With `segment` as the mode, a
// segment replaces field and halo. The others then wait for a notification, in a barrier, or for all ranks to free it. In `put` rank 1
// stops calling the library, and dies when the others have put something to it, whose flush then fails. What counts is how they free the
// segment. In `closing` it dies when all but the context has been released. With `sparse` the ranks exchange messages instead. Rank 1 dies
// before it starts an exchange (`absent`), after it has started one (`after_start`), or while others wait for its slots (`full`).
//
// The stages `init N`, `field N` and `open N` are deaths at the N-th non-blocking collective operation that the library starts in that
// call. `segment N` is the same in hlc_segment_create. `window` is a death at the MPI call that makes a window. In `packing` and
// `unpacking` the field's pages have become unreadable, and the process ends where the library touches them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int victim = 1;
/// The depth of the halo, in cells.
std::int64_t depth() {
  const char *given = std::getenv("HALOCLINE_TEST_DEPTH");
  return given ? std::atol(given) : 2;
}

std::filesystem::path directory;
std::string died_file, hung_file;
const char *running = "MPI_Init";
long collectives_left = -1;  // until this process dies; negative: it does not
bool dies_at_window = false;

double now_ms() {
  std::timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// Notes the time, by a clock that all processes of the machine share, and ends this process without notice.
[[noreturn]] void die(int = 0) {
  if (FILE *file = std::fopen(died_file.c_str(), "w")) {
    std::fprintf(file, "%.3f", now_ms());
    std::fclose(file);
  }
  kill(getpid(), SIGKILL);
  std::abort();
}

[[noreturn]] void hang(int) {
  if (FILE *file = std::fopen(hung_file.c_str(), "w")) {
    std::fprintf(file, "- ms, %s: hangs", running);
    std::fclose(file);
  }
  _exit(0);
}

double died_at() {
  double time = 0;
  for (int tries = 0; tries < 50 && time <= 0; ++tries) {
    std::ifstream(died_file) >> time;
    if (time <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return time;
}

/// What one launch holds, and what it is to do.
struct Run {
  int rank = 0, size = 0;
  std::string stage;
  long step = 1;
  hlc_mode mode = HLC_MODE_DEFAULT;
  hlc_context *context = nullptr;
  void *field = nullptr;
  hlc_halo *halo = nullptr;
  bool on_segment = false;
  hlc_segment *segment = nullptr;
  bool is_sparse = false;
  hlc_sparse *sparse = nullptr;

  bool dies(const char *here) const { return rank == victim && stage == here; }

  /// Arms the death at a collective operation of the next call.
  void arm(const char *here) {
    collectives_left = dies(here) ? step : -1;
    dies_at_window = rank == victim && stage == "window";
    running = here;
  }
  void protect() const { mprotect(field, 4096, PROT_NONE); }
};

/// A periodic row of ranks, with four times the depth in cells each, in shared memory.
hlc_status plan(Run &run) {
  hlc_grid grid{};
  hlc_field field{};
  hlc_halo_spec spec{};
  const std::int64_t global = 4 * depth() * run.size;
  const int periodic = 1;
  if (hlc_status status = hlc_grid_create(run.context, 1, &global, nullptr, &periodic, &grid)) return status;
  field.data = run.field;
  field.type = HLC_FLOAT64;
  spec.grid = &grid;
  spec.depth_low[0] = spec.depth_high[0] = depth();
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = run.mode;
  return hlc_halo_init(run.context, &spec, &run.halo);
}

void ignore(int, const void *, std::int64_t, void *) {}

hlc_status make(Run &run) {
  run.arm("open");
  hlc_status status = hlc_init(MPI_COMM_WORLD, &run.context);
  if (run.is_sparse && status == HLC_OK) {
    const hlc_sparse_spec spec{2, ignore, nullptr, nullptr};
    run.arm("sparse");
    status = hlc_sparse_create(run.context, &spec, &run.sparse);
    run.arm("exchange");
    return status;
  }
  if (run.on_segment && status == HLC_OK) {
    const hlc_segment_spec spec{4096, 4, 0};
    run.arm("segment");
    status = hlc_segment_create(run.context, &spec, &run.segment);
    if (status == HLC_OK) run.arm("use");
    return status;
  }
  run.arm("field");
  if (status == HLC_OK) status = hlc_field_alloc(run.context, static_cast<std::size_t>(6 * depth()) * sizeof(double), &run.field);
  run.arm("init");
  if (status == HLC_OK) status = plan(run);
  if (status == HLC_OK) run.arm("swap");
  return status;
}

hlc_status swap(Run &run) {
  if (run.dies("packing")) run.protect();
  running = "start";
  hlc_status status = hlc_halo_start(run.halo, nullptr);
  if (run.dies("after_start")) die();
  if (run.dies("unpacking")) run.protect();
  running = "finish";
  if (status == HLC_OK) status = hlc_halo_finish(run.halo);
  return status;
}

/// The first status that is not HLC_OK. What the victim sent before its death still counts, so a swap or two may yet succeed.
hlc_status swap_until_failure(Run &run) {
  hlc_status status = HLC_OK;
  for (int round = 0; round < 3 && status == HLC_OK; ++round) {
    running = "start";
    status = hlc_halo_start(run.halo, nullptr);
    running = "finish";
    if (status == HLC_OK) status = hlc_halo_finish(run.halo);
  }
  if (run.stage == "finalise" || run.stage == "closing") return status;
  if (run.dies("between_swaps")) die();
  for (int round = 0; round < 10 && status == HLC_OK; ++round) status = swap(run);
  return status;
}

void leave_file(const char *name, int rank) { std::ofstream(directory / (name + std::to_string(rank))) << "\n"; }

void await_file(const char *name, int rank) {
  while (!std::filesystem::exists(directory / (name + std::to_string(rank)))) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

/// HLC_OK if the flush fails as it should.
hlc_status put_to_dying(Run &run) {
  if (run.rank == victim) {
    leave_file("away", victim);
    for (int r = 0; r < run.size; ++r)
      if (r != victim) await_file("put", r);
    die();
  }
  await_file("away", victim);
  const std::array<char, 4000> bytes{};
  running = "hlc_put";
  hlc_status status = hlc_put({run.segment, victim, 0}, bytes.data(), bytes.size());
  leave_file("put", run.rank);
  running = "hlc_flush";
  if (status == HLC_OK) status = hlc_flush(run.segment, victim);
  return status == HLC_ERR_PEER_DIED ? HLC_OK : HLC_ERR_STATE;
}

/// The others wait for the victim, after a barrier that it still takes part in.
hlc_status use_segment(Run &run) {
  running = "hlc_barrier";
  hlc_status status = hlc_barrier(run.segment);
  if (run.stage == "finalise" || run.stage == "closing") return status;
  if (run.stage == "put") return put_to_dying(run);
  if (run.rank == victim) die();
  int id = -1;
  running = run.stage == "notify_wait" ? "hlc_notify_wait" : "hlc_barrier";
  if (status == HLC_OK) status = run.stage == "notify_wait" ? hlc_notify_wait(run.segment, {0, 4}, &id) : hlc_barrier(run.segment);
  return status;
}

/// Every rank sends to every rank. With `full` the others send more than the victim has slots for.
std::vector<hlc_sparse_message> messages_of(const Run &run) {
  static const std::array<char, 100> bytes{};
  std::vector<hlc_sparse_message> messages;
  const int each = run.stage == "full" ? 20 : 1;
  for (int target = 0; target < run.size; ++target)
    for (int i = 0; i < each; ++i) messages.push_back({target, bytes.data(), static_cast<std::int64_t>(bytes.size())});
  return messages;
}

/// Tests until the exchange is complete, or has failed.
hlc_status test_sparse(Run &run) {
  running = "hlc_sparse_test";
  hlc_status status = HLC_AGAIN;
  while (status == HLC_AGAIN) {
    status = hlc_sparse_test(run.sparse);
    usleep(100);
  }
  return status;
}

/// The others finish an exchange that the victim does not. Rank 0 tests for that.
hlc_status exchange(Run &run) {
  const std::vector<hlc_sparse_message> messages = messages_of(run);
  const auto count = static_cast<int>(messages.size());
  hlc_status status = HLC_OK;
  for (int step = 0; step < 2; ++step) {
    if (run.dies("absent") && step == 1) die();
    running = "hlc_sparse_start";
    if (status == HLC_OK) status = hlc_sparse_start(run.sparse, run.dies("full") && step == 1 ? 0 : count, messages.data());
    if (run.rank == victim && step == 1) die();
    if (status == HLC_OK && run.rank == 0) status = test_sparse(run);
    running = "hlc_sparse_finish";
    if (status == HLC_OK) status = hlc_sparse_finish(run.sparse);
  }
  return status;
}

/// Releases all that there is; returns the first status that is not HLC_OK.
hlc_status take_back(Run &run) {
  if (run.dies("finalise")) die();
  hlc_status status = HLC_OK, freed = HLC_OK;
  running = "hlc_halo_finalise";
  if (run.halo) status = hlc_halo_finalise(&run.halo);
  running = "hlc_segment_free";
  if (run.segment) status = hlc_segment_free(&run.segment);
  running = "hlc_sparse_destroy";
  if (run.sparse) status = hlc_sparse_destroy(&run.sparse);
  running = "hlc_field_free";
  if (run.field) freed = hlc_field_free(run.context, &run.field);
  if (run.dies("closing")) die();
  running = "hlc_finalise";
  if (status == HLC_OK && run.context)
    status = hlc_finalise(&run.context);
  else if (run.context) [[maybe_unused]]
    const hlc_status closed = hlc_finalise(&run.context);
  return freed != HLC_OK ? freed : status;
}

/// What is left of a run after its release.
std::string leftovers(const Run &run) {
  std::string text;
  if (run.halo || run.segment || run.sparse || run.field || run.context) text += " (and something could not be taken back)";
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("/dev/shm/#") != std::string::npos || line.find("/dev/shm/halocline") != std::string::npos)
      return text + " (and memory is still mapped)";
  return text;
}

/// Writes a rank's report, under its final name only when it is complete. Waits for all others, so that no rank is taken for dead early.
void report(const Run &run, const std::string &text) {
  const auto name = directory / std::to_string(run.rank);
  std::ofstream(name.string() + ".part") << text << "\n";
  std::filesystem::rename(name.string() + ".part", name);
  for (int r = 0; r < run.size; ++r)
    for (int tries = 0; r != victim && tries < 3000 && !std::filesystem::exists(directory / std::to_string(r)); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void play(Run &run) {
  hlc_status status = make(run);
  if (status == HLC_OK) status = run.is_sparse ? exchange(run) : run.on_segment ? use_segment(run) : swap_until_failure(run);
  const char *call = running;
  std::string message = hlc_error_message();
  double failed_at = now_ms();
  const hlc_status taken = take_back(run);
  if (status == HLC_OK) {
    status = taken;
    call = "finalise";
    message = hlc_error_message();
    failed_at = now_ms();
  }
  char line[1500];
  std::snprintf(line, sizeof line, "%.0f ms, %s: %s: %s%s", failed_at - died_at(), call, hlc_status_name(status), message.c_str(),
                leftovers(run).c_str());
  report(run, line);
}

void count_collective() {
  if (collectives_left > 0 && --collectives_left == 0) die();
}

}  // namespace

// Collective operations that the library starts pass through here.
#define INTERPOSED extern "C" __attribute__((visibility("default")))
INTERPOSED int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  count_collective();
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
INTERPOSED int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
  count_collective();
  return PMPI_Ibcast(data, count, type, root, comm, request);
}
INTERPOSED int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window) {
  if (dies_at_window) die();
  return PMPI_Win_allocate(bytes, unit, info, comm, base, window);
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > 5) return 2;
  Run run;
  run.stage = argv[2];
  directory = argv[3];
  if (argc == 5) run.step = std::atol(argv[4]);
  died_file = (directory / "died").string();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.size);
  hung_file = (directory / std::to_string(run.rank)).string();
  signal(SIGSEGV, die);
  signal(SIGBUS, die);
  signal(SIGALRM, hang);
  const char *patience = std::getenv("HALOCLINE_TEST_PATIENCE");
  alarm(patience ? static_cast<unsigned>(std::atoi(patience)) : 20);
  run.on_segment = std::strcmp(argv[1], "segment") == 0;
  run.is_sparse = std::strcmp(argv[1], "sparse") == 0;
  if (!run.on_segment && !run.is_sparse && hlc_mode_from_name(argv[1], &run.mode) != HLC_OK) return 2;
  play(run);
  _exit(0);  // MPI_Finalize would wait for the dead rank
}
