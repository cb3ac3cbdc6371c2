// The command `allreduce`: sums over all ranks, by the library and by the host MPI. Source: Simmendinger et al., section 5.4 and figure 17.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

namespace bench {

struct AllreduceOptions : CommonOptions {
  std::int64_t largest = std::int64_t{256} << 20;  ///< longer arrays are left out
};

/// MPI's time to the library's: of the medians, and of each round's.
struct AllreduceRatio {
  double median = 0, p10 = 0, p90 = 0;
};

/// One size: the library with arrays of its own and with arrays of hlc_field_alloc, MPI, the limit.
struct AllreduceRow {
  std::int64_t bytes;
  std::vector<Sampled> series;  ///< of one call, on the slowest rank
  AllreduceRatio ratio, ratio_shared;
};

struct AllreduceReport {
  Environment environment;
  std::string network, limit;  ///< limit: what the series of this name does
  std::vector<AllreduceRow> rows;
};

/// Collective; the same on all ranks. Throws std::runtime_error if a result is wrong.
AllreduceReport run_allreduce(MPI_Comm comm, const AllreduceOptions &options, int argc, char **argv);

std::string table_of(const AllreduceReport &report);
/// For a file: rows in the schema of all commands, and what only this one has.
Document document_of(const AllreduceReport &report);

}  // namespace bench
