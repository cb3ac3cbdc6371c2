// The command `rma`: the calls of MPI-3 RMA, through libhalocline_mpi where it is loaded and through the host MPI, in turn in one process.
// Source: Gerstenberger et al., section 3.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"
#include "bench/rma/tasks.hpp"

namespace bench {

struct RmaOptions : CommonOptions {
  std::vector<std::string> parts;  ///< groups of operations
};

/// Microseconds of one operation of one size: MPI_ names, PMPI_ names, the limit. `ratio`: the host's time to the library's, per round.
struct RmaRow {
  std::string part, operation;
  std::int64_t bytes = 0;
  Sampled loaded{}, host{}, limit{}, ratio{};
  std::int64_t verified_bytes = 0;  ///< compared after the samples, by both names
};

/// Nanoseconds of a call by its MPI_ name, and of what it stands before. `cost`: the difference, per round.
struct Interposition {
  std::string call;
  Sampled with{}, without{}, cost{};
};

struct RmaReport {
  Environment environment;
  bool loaded = false;  ///< whether MPI_Put is that of libhalocline_mpi
  std::vector<RmaRow> rows;
  std::vector<Interposition> interposition;  ///< where it is loaded
};

/// Collective; the same on all ranks. Throws std::runtime_error if a byte is wrong.
RmaReport run_rma(MPI_Comm comm, const RmaOptions &options, int argc, char **argv);

std::string table_of(const RmaReport &report);
/// For a file: rows in the schema of all commands, and what only this one has.
Document document_of(const RmaReport &report);

/// The parts: transfers, blocks, atomics, synchronisation, elements, interposition.
std::vector<std::string> rma_parts();

/// 512 blocks of 8 bytes, as blocks and as doubles.
struct FewBlocks {
  FewBlocks();
  ~FewBlocks();
  FewBlocks(const FewBlocks &) = delete;
  FewBlocks &operator=(const FewBlocks &) = delete;

  RmaBlocks shape{512, 8};
  MPI_Datatype doubles = MPI_DATATYPE_NULL;
};

/// The part elements: types and operations of accumulates, blocks, and many calls before one flush. The tasks refer to both.
std::vector<RmaTask> element_tasks(RmaRanks &ranks, const FewBlocks &few, const std::vector<std::int64_t> &sizes);

/// What the calls of libhalocline_mpi take until they have found their window. Collective.
std::vector<Interposition> measure_interposition(MPI_Comm comm, const RmaOptions &options);

}  // namespace bench
