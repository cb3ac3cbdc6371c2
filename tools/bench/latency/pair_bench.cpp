// SPDX-License-Identifier: BSD-3-Clause
#include "bench/latency/pair_bench.hpp"

#include "bench/latency/tcp.hpp"

namespace bench {

static Pair pair_of(MPI_Comm comm) {
  Pair pair{comm, 0};
  MPI_Comm_rank(comm, &pair.rank);
  return pair;
}

static PairReport run_pair(MPI_Comm comm, const CommonOptions &options, bool streams, int argc, char **argv) {
  const halocline::Context context(comm);
  const Pair pair = pair_of(comm);
  Carriers carriers;
  carriers.push_back(make_puts(pair, context));
  if (!streams) carriers.push_back(make_gaspi(pair));
  const Connection connection(pair, context.network());
  carriers.push_back(make_tcp(pair, connection, Waiting::blocking));
  carriers.push_back(make_tcp(pair, connection, Waiting::polling));
  carriers.push_back(make_mpi(pair));
  if (context.info().nodes == 1) carriers.push_back(make_shared_memory(pair));

  PairReport report{streams ? "bandwidth" : "notify",
                    find_environment(context, argc, argv),
                    context.network(),
                    connection.description(),
                    on_one_host(pair),
                    {}};
  Interleaved interleaved(pair, carriers, options);
  for (const std::int64_t bytes : options.sizes) {
    interleaved.verify(Lap::ping_pong, bytes);
    if (streams) interleaved.verify(Lap::stream, bytes);
    PairRow row{bytes, interleaved.run(Lap::ping_pong, bytes), {}};
    if (streams) row.stream = interleaved.run(Lap::stream, bytes);
    report.rows.push_back(std::move(row));
  }
  return report;
}

PairReport run_notify(MPI_Comm comm, const CommonOptions &options, int argc, char **argv) {
  return run_pair(comm, options, false, argc, argv);
}

PairReport run_bandwidth(MPI_Comm comm, const CommonOptions &options, int argc, char **argv) {
  return run_pair(comm, options, true, argc, argv);
}

}  // namespace bench
