// SPDX-License-Identifier: BSD-3-Clause
#include "library/rma.hpp"

#include "bench/rma/backends.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace bench {

namespace {

RmaRow row_of(const RmaTask &task, RmaBackends &backends, const RmaOptions &options, std::mt19937_64 &random) {
  RmaRow row{task.part, task.operation, task.bytes};
  const auto samples = race(backends.both_names(task), options, random);
  row.loaded.samples = samples[0], row.host.samples = samples[1], row.limit.samples = samples[2];
  for (std::size_t i = 0; i < row.host.samples.size(); ++i) row.ratio.samples.push_back(row.host.samples[i] / row.loaded.samples[i]);
  for (Sampled *one : {&row.loaded, &row.host, &row.limit, &row.ratio}) one->conclude();
  row.verified_bytes = 2 * task.verified * (options.repetitions + 2);
  return row;
}

/// More than usual only where a transfer needs it: all ranks of a node have this in shared memory, three times.
std::int64_t bytes_for(const RmaOptions &options) {
  return std::max(kOperationBytes, *std::max_element(options.sizes.begin(), options.sizes.end()));
}

std::vector<RmaRow> race_all(MPI_Comm comm, const RmaOptions &options) {
  RmaBackends backends(comm, bytes_for(options));
  const FewBlocks few;
  std::mt19937_64 random(options.seed);
  std::vector<RmaRow> rows;
  for (const std::string &part : options.parts)
    for (const RmaTask &task :
         part == "elements" ? element_tasks(backends.ranks(), few, options.sizes) : rma_tasks(backends.ranks(), options.sizes, {part}))
      rows.push_back(row_of(task, backends, options, random));
  return rows;
}

}  // namespace

std::vector<std::string> rma_parts() { return {"transfers", "blocks", "atomics", "synchronisation", "elements", "interposition"}; }

RmaReport run_rma(MPI_Comm comm, const RmaOptions &options, int argc, char **argv) {
  RmaReport report;
  const halocline::Context context(comm);
  report.environment = find_environment(context, argc, argv);
  report.loaded = is_drop_in_loaded();
  if (size_of(comm) < 2) throw std::runtime_error("rma is for 2 ranks or more");
  report.rows = race_all(comm, options);
  const auto &parts = options.parts;
  if (report.loaded && std::find(parts.begin(), parts.end(), "interposition") != parts.end())
    report.interposition = measure_interposition(comm, options);
  return report;
}

}  // namespace bench
