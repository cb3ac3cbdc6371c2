// What was measured between two ranks, as a table for people and as JSON for programs.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"
#include "bench/latency/interleaved.hpp"

namespace bench {

/// The timings of one size; the streams are empty for `notify`.
struct PairRow {
  std::int64_t bytes;
  std::vector<Sampled> half_round_trip, stream;
};

struct PairReport {
  std::string benchmark;  ///< "notify" or "bandwidth"
  Environment environment;
  std::string network;  ///< hlc_context_network
  std::string raw_tcp;  ///< the connection's addresses
  bool one_host;        ///< MPI may carry messages in shared memory
  std::vector<PairRow> rows;
};

std::string table_of(const PairReport &report);
/// For a file: rows in the schema of all commands, and what only this one has.
Document document_of(const PairReport &report);

}  // namespace bench
