// The command `shmem`: operations of libhalocline_shmem from PE 0 to the last PE, beside what the machine needs, a put with a signal beside
// hlc_put_notify, collective calls beside those of the host MPI, and what comes of it beside the aims.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"

namespace bench {

struct ShmemOptions : CommonOptions {
  std::vector<std::string> parts;
};

/// The names of the parts, in order.
std::vector<std::string> shmem_parts();

/// How long an operation takes beside another way to do the same, and what is aimed at.
struct ShmemAim {
  std::string operation;
  std::int64_t bytes;
  std::string by, beside;
  Sampled ratio;  ///< one per round
  double aim;
};

struct ShmemReport {
  Results results;
  std::vector<ShmemAim> aims;
};

std::string table_of(const ShmemReport &report);
Document document_of(const ShmemReport &report);

/// Collective. Throws std::runtime_error if a value is wrong.
ShmemReport run_shmem(MPI_Comm comm, const ShmemOptions &options, int argc, char **argv);

}  // namespace bench
