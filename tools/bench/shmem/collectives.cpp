// Collective calls beside those of the host MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#define SHMEM_NO_OVERLOADS
#include <shmem.h>

#include "bench/frame/shared.hpp"
#include "bench/rma/backends.hpp"
#include "bench/shmem/operations.hpp"

namespace bench {

namespace {

template <class Call>
double by_all(const ShmemStage &stage, int count, Call call) {
  meet(stage.comm);
  return time_calls(count, call);
}

Operation barrier(ShmemStage &stage) {
  return {
      "barrier",
      0,
      {{kShmem, [&stage](int count) { return stage.ended(by_all(stage, count, shmem_barrier_all), true, "barrier"); }},
       {kHostMpi, [&stage](int count) { return stage.ended(by_all(stage, count, [&] { PMPI_Barrier(stage.comm); }), true, "barrier"); }}}};
}

/// With a barrier behind each: a broadcast may begin where dest is no longer in use.
Operation broadcast(ShmemStage &stage, std::int64_t bytes) {
  auto *const dest = reinterpret_cast<std::int64_t *>(stage.here);
  auto *const source = reinterpret_cast<std::int64_t *>(stage.source);
  const auto prepare = [&stage, dest, source] {
    *source = ++stage.stamp;
    *dest = stage.rank == 0 ? stage.stamp : 0;
  };
  const auto is_right = [&stage, dest] { return *dest == stage.stamp; };
  return {"broadcast, barrier",
          bytes,
          {{kShmem,
            [=, &stage](int count) {
              prepare();
              const double us = by_all(stage, count, [&] {
                shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, static_cast<std::size_t>(bytes), 0);
                shmem_sync_all();
              });
              return stage.ended(us, is_right(), "broadcast");
            }},
           {kHostMpi, [=, &stage](int count) {
              prepare();
              const double us = by_all(stage, count, [&] {
                PMPI_Bcast(dest, static_cast<int>(bytes), MPI_BYTE, 0, stage.comm);
                PMPI_Barrier(stage.comm);
              });
              return stage.ended(us, is_right(), "broadcast");
            }}}};
}

Operation sum(ShmemStage &stage, std::int64_t bytes) {
  auto *const dest = reinterpret_cast<double *>(stage.here);
  auto *const source = reinterpret_cast<double *>(stage.source);
  const auto elements = static_cast<std::size_t>(bytes) / sizeof(double);
  const auto prepare = [&stage, dest, source] {
    ++stage.stamp;
    *source = static_cast<double>(stage.stamp + stage.rank);
    *dest = 0;
  };
  const auto is_right = [&stage, dest] {
    const auto ranks = static_cast<double>(stage.ranks);
    const double expected = static_cast<double>(stage.stamp) * ranks + ranks * (ranks - 1) / 2;
    return *dest >= expected && *dest <= expected;
  };
  return {"sum of doubles",
          bytes,
          {{kShmem,
            [=, &stage](int count) {
              prepare();
              const double us = by_all(stage, count, [&] { shmem_double_sum_reduce(SHMEM_TEAM_WORLD, dest, source, elements); });
              return stage.ended(us, is_right(), "sum");
            }},
           {kHostMpi, [=, &stage](int count) {
              prepare();
              const double us =
                  by_all(stage, count, [&] { PMPI_Allreduce(source, dest, static_cast<int>(elements), MPI_DOUBLE, MPI_SUM, stage.comm); });
              return stage.ended(us, is_right(), "sum");
            }}}};
}

}  // namespace

std::vector<Operation> shmem_collectives(ShmemStage &stage, const std::vector<std::int64_t> &sizes) {
  std::vector<Operation> operations{barrier(stage)};
  for (const std::int64_t bytes : sizes) operations.push_back(broadcast(stage, bytes));
  for (const std::int64_t bytes : sizes) operations.push_back(sum(stage, bytes));
  return operations;
}

}  // namespace bench
