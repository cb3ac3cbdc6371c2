// One launch of peer_death.py: `peer_death MODE WHEN DIRECTORY`. The ranks swap; then rank 1 kills itself before its start, or between
// start and finish. Every other rank goes on until a call fails, and writes the status and the message into DIRECTORY/<rank>.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace {

constexpr int victim = 1;

/// A periodic row of ranks with 8 cells each in shared memory.
hlc_status plan(hlc_context *context, hlc_mode mode, hlc_halo **halo) {
  hlc_context_info_t info{};
  hlc_grid grid{};
  hlc_field field{};
  hlc_halo_spec spec{};
  if (hlc_status status = hlc_context_info(context, &info)) return status;
  const std::int64_t global = 8 * info.size;
  const int periodic = 1;
  if (hlc_status status = hlc_grid_create(context, 1, &global, nullptr, &periodic, &grid)) return status;
  if (hlc_status status = hlc_field_alloc(context, 12 * sizeof(double), &field.data)) return status;
  field.type = HLC_FLOAT64;
  spec.grid = &grid;
  spec.depth_low[0] = spec.depth_high[0] = 2;
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = mode;
  return hlc_halo_init(context, &spec, halo);
}

hlc_status swap_and_die(hlc_halo *halo, bool dies_before_start) {
  if (dies_before_start) std::raise(SIGKILL);
  const hlc_status status = hlc_halo_start(halo, nullptr);
  std::raise(SIGKILL);
  return status;
}

/// The first status that is not HLC_OK. With mode notify the dead rank's last data may have been sent: a swap or two still succeed.
hlc_status swap_until_failure(hlc_halo *halo) {
  hlc_status status = HLC_OK;
  for (int round = 0; round < 10 && status == HLC_OK; ++round) {
    status = hlc_halo_start(halo, nullptr);
    if (status == HLC_OK) status = hlc_halo_finish(halo);
  }
  return status;
}

/// Writes a rank's report under its final name only when it is complete, and waits for all others, so that nobody is taken for dead early.
void report(const std::filesystem::path &directory, int rank, int size, const std::string &text) {
  const auto name = directory / std::to_string(rank);
  std::ofstream(name.string() + ".part") << text << "\n";
  std::filesystem::rename(name.string() + ".part", name);
  for (int r = 0; r < size; ++r)
    for (int tries = 0; r != victim && tries < 1000 && !std::filesystem::exists(directory / std::to_string(r)); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  hlc_mode mode = HLC_MODE_DEFAULT;
  hlc_context *context = nullptr;
  hlc_halo *halo = nullptr;
  hlc_status status = hlc_mode_from_name(argv[1], &mode);
  if (status == HLC_OK) status = hlc_init(MPI_COMM_WORLD, &context);
  if (status == HLC_OK) status = plan(context, mode, &halo);
  for (int round = 0; round < 3 && status == HLC_OK; ++round) {
    status = hlc_halo_start(halo, nullptr);
    if (status == HLC_OK) status = hlc_halo_finish(halo);
  }
  if (status == HLC_OK) status = rank == victim ? swap_and_die(halo, std::strcmp(argv[2], "before_start") == 0) : swap_until_failure(halo);

  std::string text = std::string(hlc_status_name(status)) + ": " + hlc_error_message();
  if (hlc_halo_start(halo, nullptr) == HLC_OK) text += " (and yet the halo could be started again)";
  report(argv[3], rank, size, text);
  _exit(0);  // MPI_Finalize would wait for the dead rank
}
