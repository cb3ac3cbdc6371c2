// Swaps of the library's modes in simulated time. All ranks are in one process, and each is a node of its own: what one rank shares with
// others in memory is nothing. What a rank computes takes no simulated time but that of packing, which options say.
//
// All fields of all ranks are one array, so that many ranks have room. So this measures, and verifies nothing.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Options {
  std::vector<std::string> modes{"p2p", "neighbor", "fence", "pscw", "passive", "passive_naive"};
  std::vector<std::int64_t> local{16, 16, 256};
  std::int64_t depth = 2;
  int fields = 1, swaps = 3;
  double pack_us = 0, unpack_us = 0;
};

/// Ends all ranks.
void check(hlc_status status) {
  if (status == HLC_OK) return;
  std::fprintf(stderr, "halocline-smpi: %s\n", hlc_error_message());
  MPI_Abort(MPI_COMM_WORLD, 2);
}

/// Microseconds of each swap, the mean of all ranks: rank 0 has it.
std::vector<double> swap_times(hlc_context *context, const Options &options, hlc_mode mode, void *memory) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  hlc_grid grid{};
  // Columns: the third dimension is not split.
  int dims[3] = {0, 0, 1};
  MPI_Dims_create(size, 2, dims);
  const int periodic[3] = {1, 1, 0};
  std::int64_t global[3];
  for (int d = 0; d < 3; ++d) global[d] = options.local[static_cast<std::size_t>(d)] * dims[d];
  check(hlc_grid_create(context, 3, global, dims, periodic, &grid));
  hlc_field field{};
  field.data = memory;
  field.type = HLC_FLOAT64;
  const std::vector<hlc_field> fields(static_cast<std::size_t>(options.fields), field);
  hlc_halo_spec spec{};
  spec.grid = &grid;
  for (int d = 0; d < 2; ++d) spec.depth_low[d] = spec.depth_high[d] = options.depth;
  spec.layout = HLC_ROW_MAJOR;
  spec.nfields = options.fields;
  spec.fields = fields.data();
  spec.mode = mode;
  hlc_halo *halo = nullptr;
  check(hlc_halo_init(context, &spec, &halo));
  std::vector<double> times;
  for (int swap = 0; swap <= options.swaps; ++swap) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    smpi_execute(1e-6 * options.pack_us);
    check(hlc_halo_start(halo, nullptr));
    check(hlc_halo_finish(halo));
    smpi_execute(1e-6 * options.unpack_us);
    const double mine = 1e6 * (MPI_Wtime() - begin);
    double all = 0;
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (swap > 0) times.push_back(all / size);
  }
  check(hlc_halo_finalise(&halo));
  return times;
}

int parse(int argc, char **argv, Options &options) {
  CLI::App app("Times swaps of the library's modes under SimGrid's SMPI; tests/smpi/run.py starts it", "halocline-smpi");
  app.add_option("--modes", options.modes, "Modes, comma-separated")->delimiter(',');
  app.add_option("--local", options.local, "Cells of a rank")->delimiter(',')->expected(3);
  app.add_option("--depth", options.depth, "Cells of the halo, in the first two dimensions");
  app.add_option("--fields", options.fields, "Fields of 8-byte numbers");
  app.add_option("--swaps", options.swaps, "Swaps that count, after one that does not");
  app.add_option("--pack-us", options.pack_us, "What a rank takes to pack what it sends");
  app.add_option("--unpack-us", options.unpack_us, "What a rank takes to unpack what it has received");
  CLI11_PARSE(app, argc, argv);
  return -1;
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  if (const int status = parse(argc, argv, options); status >= 0) return status;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  hlc_context *context = nullptr;
  check(hlc_init(MPI_COMM_WORLD, &context));
  std::size_t bytes = sizeof(double);
  for (std::size_t d = 0; d < 3; ++d) bytes *= static_cast<std::size_t>(options.local[d] + (d < 2 ? 2 * options.depth : 0));
  // SMPI gives all ranks the same pages.
  void *memory = smpi_shared_malloc(bytes, __FILE__, __LINE__);
  for (const std::string &name : options.modes) {
    hlc_mode mode{};
    check(hlc_mode_from_name(name.c_str(), &mode));
    for (const double us : swap_times(context, options, mode, memory))
      if (rank == 0) std::printf("%s %d %.6f\n", name.c_str(), size, us);
    if (rank == 0) std::fflush(stdout);
  }
  check(hlc_finalise(&context));
  smpi_shared_free(memory);
  MPI_Finalize();
  return 0;
}
