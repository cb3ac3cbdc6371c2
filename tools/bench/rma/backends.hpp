// The operations of rma_tasks.hpp by all who can carry them out: the engine, libhalocline_mpi where it is loaded, the host MPI, the machine.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/rma/operation.hpp"
#include "bench/rma/tasks.hpp"

#include <common/handover.hpp>

#include <array>
#include <memory>

namespace bench {

/// Microseconds of one of `count` calls.
template <class Call>
double time_calls(int count, Call call) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i) {
    call();
    asm volatile("" ::: "memory");
  }
  return (MPI_Wtime() - begin) / count * 1e6;
}

class RmaBackends {
 public:
  /// With so many bytes per rank.
  RmaBackends(MPI_Comm comm, std::int64_t bytes)
      : ranks_(comm, bytes), handover_(ranks_.node), sides_{{{loaded_calls(), comm, bytes}, {host_calls(), comm, bytes}}} {}
  RmaBackends(const RmaBackends &) = delete;
  RmaBackends &operator=(const RmaBackends &) = delete;

  RmaRanks &ranks() { return ranks_; }
  /// From now on the engine takes part where it has the operation. Collective.
  void add_engine(const halocline::Context &context) { engine_ = std::make_unique<EngineSide>(context); }
  /// The calls by their MPI_ and by their PMPI_ names, and the limit, in this order.
  Operation both_names(const RmaTask &task);
  /// The engine, the drop-in where it is loaded, the host, and the limit.
  Operation all_backends(const RmaTask &task);
  /// Microseconds to hand a cache line over so many times.
  double handovers(int times) { return slowest(handover_.measure() * times, ranks_.comm); }

 private:
  enum Names : std::size_t { kLoaded, kHost };

  Operation operation_of(const RmaTask &task) const { return {task.operation, task.bytes, {}, task.most, "us", task.blocks}; }
  double limit_of(const RmaTask &task, int count);
  double sample_side(const RmaTask &task, Names names, int count);
  double sample_engine(const RmaTask &task, int count);
  void verify(const RmaTask &task, bool right, const char *by);
  bool works(const RmaTask &task) const { return task.all_ranks || ranks_.rank == 0; }

  RmaRanks ranks_;
  Handover handover_;
  std::array<RmaSide, 2> sides_;
  std::unique_ptr<EngineSide> engine_;
};

}  // namespace bench
