// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rma/operations.hpp"

#include "bench/frame/progress_line.hpp"
#include "bench/frame/refusal.hpp"
#include "bench/frame/team.hpp"
#include "bench/rma/notified.hpp"
#include "bench/rma/other_operations.hpp"

#include <algorithm>
#include <functional>

namespace bench {

namespace {

/// An operation that is made when its turn comes, and gone afterwards: its memory is not that of the next one.
using Maker = std::function<Operation()>;

/// The parts of rma_tasks.hpp are made at once; they share one window.
void add_tasks(const std::string &part, Stage &stage, const OperationOptions &options, std::vector<Maker> &makers) {
  for (const RmaTask &task : rma_tasks(stage.backends.ranks(), options.sizes, {part}))
    makers.push_back([&stage, task] { return stage.backends.all_backends(task); });
}

template <class Make>
void add_sizes_of(Stage &stage, const OperationOptions &options, Make make, std::vector<Maker> &makers) {
  for (const std::int64_t bytes : options.sizes) makers.push_back([&stage, bytes, make] { return make(stage, bytes); });
}

std::vector<Maker> makers_of(Stage &stage, const OperationOptions &options) {
  std::vector<Maker> makers;
  for (const std::string &part : options.parts) {
    if (part == "notify")
      add_sizes_of(stage, options, make_notify, makers);
    else if (part == "swap")
      add_sizes_of(stage, options, make_swap, makers);
    else if (part == "allreduce")
      add_sizes_of(stage, options, make_allreduce, makers);
    else if (part == "overlap")
      add_sizes_of(stage, options, make_overlap, makers);
    else if (part == "barrier")
      makers.push_back([&stage] { return make_barrier(stage); });
    else if (part == "creation")
      makers.push_back([&stage] { return make_creation(stage); });
    else
      add_tasks(part, stage, options, makers);
  }
  return makers;
}

/// Without the backends that are not asked for.
Operation asked_for(Operation operation, const std::vector<std::string> &backends) {
  const auto is_left_out = [&](const Backend &backend) {
    return !backends.empty() && backend.by != kLimitBackend && std::find(backends.begin(), backends.end(), backend.by) == backends.end();
  };
  operation.backends.erase(std::remove_if(operation.backends.begin(), operation.backends.end(), is_left_out), operation.backends.end());
  return operation;
}

}  // namespace

std::vector<std::string> operation_parts() {
  return {"transfers", "rate",   "datatypes", "accumulate", "fetching",   "completion", "locks",   "epochs",
          "barrier",   "notify", "swap",      "allreduce",  "contention", "overlap",    "creation"};
}

Results run_operations(MPI_Comm comm, const OperationOptions &options, int argc, char **argv) {
  if (size_of(comm) < 2) throw Refusal("operations are between 2 ranks or more");
  const halocline::Context context(comm);
  RmaBackends backends(comm, kOperationBytes);
  backends.add_engine(context);
  Stage stage{comm, context, backends};
  std::mt19937_64 random(options.seed);
  Results results{"operations", find_environment(context, argc, argv), {}};
  const std::vector<Maker> makers = makers_of(stage, options);
  const ProgressLine progress(options, rank_of(comm));
  for (const Maker &make : makers) {
    results.is_whole = options.until <= 0 || &make == makers.data() || is_time_left(comm, options.until);
    if (!results.is_whole) break;
    const Operation operation = asked_for(make(), options.backends);
    progress(operation.name, static_cast<int>(&make - makers.data()) + 1, static_cast<int>(makers.size()));
    for (ResultRow &row : rows_of(operation, race(operation, options, random))) results.rows.push_back(std::move(row));
  }
  return results;
}

Document document_of(const Results &results) { return {results, Json::object()}; }

}  // namespace bench
