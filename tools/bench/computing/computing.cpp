// SPDX-License-Identifier: BSD-3-Clause
#include "bench/computing/computing.hpp"

#include <halocline/halocline.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "bench/computing/origin.hpp"
#include "bench/frame/refusal.hpp"
#include "bench/frame/sampled.hpp"
#include "bench/frame/work.hpp"
#include "bench/rma/calls.hpp"

namespace bench {

namespace {

constexpr std::array kKinds{AccessKind::put, AccessKind::get, AccessKind::accumulate, AccessKind::add};
constexpr std::array kNames{"put", "get", "accumulate", "fetch-and-add"};

std::vector<std::unique_ptr<Origin>> all_origins(MPI_Comm comm) {
  std::vector<std::unique_ptr<Origin>> origins;
  origins.push_back(armci_origin(comm));
  origins.push_back(shmem_origin(comm));
  if (is_drop_in_loaded()) origins.push_back(mpi_origin(comm, "libhalocline_mpi", true));
  origins.push_back(mpi_origin(comm, "host MPI", false));
  return origins;
}

/// An operation by an origin: one access at a time, each of which finds the target in its computation.
class Contender {
 public:
  Contender(MPI_Comm comm, Origin &origin, std::size_t kind) : comm_(comm), origin_(origin), kind_(kKinds[kind]), name_(kNames[kind]) {}

  ResultRow row() const { return {name_ + " to a target that computes", origin_.by, kind_ == AccessKind::add ? 8 : 8 * Exposed::kDoubles}; }

  /// Microseconds from when the target begins to compute until the access is complete. The target comes to the library when it has computed.
  double round(Work &work, double compute_ms) {
    const int rank = rank_of(comm_), target = size_of(comm_) - 1;
    ++count_;
    std::fill(std::begin(doubles_), std::end(doubles_), kind_ == AccessKind::accumulate ? 1.0 : kind_ == AccessKind::put ? count_ : 0.0);
    if (rank == target && kind_ == AccessKind::get) std::fill(std::begin(origin_.mine->moved), std::end(origin_.mine->moved), count_);
    origin_.meet();
    meet(comm_);
    double mine = 0;
    if (rank == 0) {
      const double begin = MPI_Wtime();
      origin_.access(kind_, doubles_);
      mine = (MPI_Wtime() - begin) * 1e6;
    } else if (rank == target) {
      work.compute(work.steps_for(compute_ms * 1e3));
    }
    origin_.meet();
    verify(rank, target);
    return slowest(mine, comm_);
  }

 private:
  void verify(int rank, int target) {
    const auto are = [&](const double *values) {
      return std::all_of(values, values + Exposed::kDoubles, [&](double x) { return x == count_; });
    };
    bool right = true;
    if (rank == 0 && kind_ == AccessKind::get) right = are(doubles_);
    if (rank == target && kind_ == AccessKind::put) right = are(origin_.mine->moved);
    if (rank == target && kind_ == AccessKind::accumulate) right = are(origin_.mine->sums);
    if (rank == target && kind_ == AccessKind::add) right = origin_.mine->counter == count_;
    int wrong = right ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm_);
    if (wrong > 0) throw std::runtime_error("wrong data after a " + name_ + " by " + origin_.by + ", access " + std::to_string(count_));
  }

  MPI_Comm comm_;
  Origin &origin_;
  AccessKind kind_;
  std::string name_;
  double doubles_[Exposed::kDoubles] = {};
  int count_ = 0;
};

std::vector<Contender> contenders_of(MPI_Comm comm, const std::vector<std::unique_ptr<Origin>> &origins, std::size_t kind) {
  std::vector<Contender> contenders;
  for (const auto &origin : origins)
    if (origin->has(kKinds[kind])) contenders.emplace_back(comm, *origin, kind);
  return contenders;
}

}  // namespace

ComputingReport run_computing(MPI_Comm comm, const ComputingOptions &options, int argc, char **argv) {
  if (size_of(comm) < 2) throw Refusal("the command computing is for 2 ranks or more");
  std::mt19937_64 random(options.seed);
  Work work;
  ComputingReport report{{"computing", find_environment(halocline::Context(comm), argc, argv), {}}, options.compute_ms};
  const auto origins = all_origins(comm);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    std::vector<Contender> contenders = contenders_of(comm, origins, kind);
    std::vector<ResultRow> rows;
    for (Contender &contender : contenders) rows.push_back(contender.row());
    for (Contender &contender : contenders) contender.round(work, options.compute_ms);  // not counted
    in_rounds(contenders.size(), options.repetitions, random,
              [&](std::size_t k) { rows[k].samples.push_back(contenders[k].round(work, options.compute_ms)); });
    std::move(rows.begin(), rows.end(), std::back_inserter(report.results.rows));
  }
  return report;
}

std::string table_of(const ComputingReport &report) {
  return table_of(report.results) + "The target computes for " + number(report.compute_ms, 1) + " ms in each access.\n";
}

Document document_of(const ComputingReport &report) { return {report.results, {{"compute_ms", report.compute_ms}}}; }

}  // namespace bench
