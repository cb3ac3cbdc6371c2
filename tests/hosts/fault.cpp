// One launch of faults.py: `halocline_host_fault MODE DIRECTORY`. The ranks, a periodic row, swap until a call fails. Each rank writes its
// process and host into DIRECTORY/<rank>.swaps after some swaps. At the end it writes into DIRECTORY/<rank> the call that failed, the
// status and the message. The seconds since its last good swap precede them. The hosts share that folder, and need nothing else.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace {

constexpr int depth = 2, cells = 8;

std::string report_file;
const char *running = "MPI_Init";

/// Writes a file that has its name only when it is complete.
void write_file(const std::string &name, const std::string &text) {
  std::ofstream(name + ".part") << text << "\n";
  std::filesystem::rename(name + ".part", name);
}

[[noreturn]] void hang(int) {
  if (FILE *file = std::fopen(report_file.c_str(), "w")) {
    std::fprintf(file, "%s: hangs\n", running);
    std::fclose(file);
  }
  // As behind a report at the end of main.
  while (true) pause();
}

double now_s() {
  std::timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

hlc_status plan(hlc_mode mode, hlc_context *context, void **data, hlc_halo **halo) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::int64_t global = std::int64_t{cells} * size;
  const int periodic = 1;
  hlc_grid grid{};
  hlc_field field{};
  hlc_halo_spec spec{};
  if (hlc_status status = hlc_grid_create(context, 1, &global, nullptr, &periodic, &grid)) return status;
  if (hlc_status status = hlc_field_alloc(context, (cells + 2 * depth) * sizeof(double), data)) return status;
  field.data = *data;
  field.type = HLC_FLOAT64;
  spec.grid = &grid;
  spec.depth_low[0] = spec.depth_high[0] = depth;
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = mode;
  return hlc_halo_init(context, &spec, halo);
}

hlc_status swap(hlc_halo *halo) {
  running = "start";
  if (hlc_status status = hlc_halo_start(halo, nullptr)) return status;
  running = "finish";
  return hlc_halo_finish(halo);
}

/// Swaps slowly enough for faults.py to read what the ranks have written; returns the status that ends it.
hlc_status swap_until_failure(hlc_halo *halo, double *last_good_s) {
  while (true) {
    *last_good_s = now_s();
    if (hlc_status status = swap(halo)) return status;
    if (std::filesystem::exists(report_file + ".swaps")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    write_file(report_file + ".swaps", std::to_string(getpid()) + " " + host);
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  // A program that shall outlive a rank must set both error handlers: MPI uses them for errors that belong to no other communicator.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  report_file = (std::filesystem::path(argv[2]) / std::to_string(rank)).string();
  signal(SIGALRM, hang);
  const char *patience = std::getenv("HALOCLINE_TEST_PATIENCE");
  alarm(patience ? static_cast<unsigned>(std::atoi(patience)) : 30);

  hlc_mode mode = HLC_MODE_DEFAULT;
  hlc_context *context = nullptr;
  hlc_halo *halo = nullptr;
  void *data = nullptr;
  double last_good_s = now_s();
  hlc_status status = hlc_mode_from_name(argv[1], &mode);
  if (status == HLC_OK) status = hlc_init(MPI_COMM_WORLD, &context);
  if (status == HLC_OK) status = plan(mode, context, &data, &halo);
  if (status == HLC_OK) status = swap_until_failure(halo, &last_good_s);
  char text[1500];
  std::snprintf(text, sizeof text, "%.1f s, %s: %s: %s", now_s() - last_good_s, running, hlc_status_name(status), hlc_error_message());
  write_file(report_file, text);
  // MPI_Finalize would wait for ranks that cannot be reached. A rank that ended would be dead for those that still wait. The end of the
  // hosts ends this process.
  alarm(0);
  while (true) pause();
}
