// One launch of node_death.py: `node_death VICTIM DIRECTORY`. The ranks swap in mode notify_node until VICTIM dies in the middle of a swap.
// Every other rank swaps until a call fails. It writes into DIRECTORY/<rank>: milliseconds from the death to the failure, the call, the
// status and the message. It then ends without releasing anything, but not before all others have reported. The end of a process would
// itself be detected, and this test is about failure notices.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::int64_t cells = 8, depth = 2;
std::filesystem::path directory;
std::string report_file;
int rank = 0, size = 0, victim = 0;
volatile sig_atomic_t has_failed = 0;

double now_ms() {
  std::timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// The file gets its name when it is complete.
void write(const std::string &name, const std::string &text) {
  std::ofstream(name + ".part") << text;
  std::filesystem::rename(name + ".part", name);
}

[[noreturn]] void die() {
  write((directory / "died").string(), std::to_string(now_ms()));
  kill(getpid(), SIGKILL);
  std::abort();
}

[[noreturn]] void hang(int) {
  if (FILE *file = has_failed ? nullptr : std::fopen(report_file.c_str(), "w")) {
    std::fprintf(file, "- ms: waits still");
    std::fclose(file);
  }
  _exit(0);
}

/// A periodic row of ranks.
hlc_status plan(hlc_context *context, double *data, hlc_halo **halo) {
  hlc_grid grid{};
  hlc_field field{};
  hlc_halo_spec spec{};
  const std::int64_t global = cells * size;
  const int periodic = 1;
  if (const hlc_status status = hlc_grid_create(context, 1, &global, nullptr, &periodic, &grid)) return status;
  field.data = data;
  field.type = HLC_FLOAT64;
  spec.grid = &grid;
  spec.depth_low[0] = spec.depth_high[0] = depth;
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = HLC_MODE_NOTIFY_NODE;
  return hlc_halo_init(context, &spec, halo);
}

/// The status of the call that fails, and its name.
hlc_status swap_until_failure(hlc_halo *halo, const char **call) {
  for (int round = 0;; ++round) {
    *call = "start";
    if (const hlc_status status = hlc_halo_start(halo, nullptr)) return status;
    if (rank == victim && round == 5) die();
    *call = "finish";
    if (const hlc_status status = hlc_halo_finish(halo)) return status;
  }
}

void await_reports() {
  for (int r = 0; r < size; ++r)
    while (r != victim && !std::filesystem::exists(directory / std::to_string(r)))
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  victim = std::atoi(argv[1]);
  directory = argv[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  report_file = (directory / std::to_string(rank)).string();
  signal(SIGALRM, hang);
  alarm(static_cast<unsigned>(std::atoi(std::getenv("HALOCLINE_TEST_PATIENCE"))));
  hlc_context *context = nullptr;
  hlc_halo *halo = nullptr;
  void *data = nullptr;
  const char *call = "making the plan";
  hlc_status status = hlc_init(MPI_COMM_WORLD, &context);
  if (status == HLC_OK) status = hlc_field_alloc(context, (cells + 2 * depth) * sizeof(double), &data);
  if (status == HLC_OK) status = plan(context, static_cast<double *>(data), &halo);
  if (status == HLC_OK) status = swap_until_failure(halo, &call);
  has_failed = 1;
  double died = 0;
  std::ifstream(directory / "died") >> died;
  std::vector<char> line(1500);
  std::snprintf(line.data(), line.size(), "%.0f ms, %s: %s: %s", now_ms() - died, call, hlc_status_name(status), hlc_error_message());
  write(report_file, line.data());
  await_reports();
  _exit(0);  // MPI_Finalize would wait for the dead rank
}
