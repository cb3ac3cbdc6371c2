// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rma/backends.hpp"

#include <stdexcept>

namespace bench {

Operation RmaBackends::both_names(const RmaTask &task) {
  Operation operation = operation_of(task);
  operation.backends = {{"drop-in", [this, task](int count) { return sample_side(task, kLoaded, count); }},
                        {"host", [this, task](int count) { return sample_side(task, kHost, count); }},
                        {kLimitBackend, [this, task](int count) { return limit_of(task, count); }}};
  return operation;
}

Operation RmaBackends::all_backends(const RmaTask &task) {
  Operation operation = both_names(task);
  if (!is_drop_in_loaded()) operation.backends.erase(operation.backends.begin());
  if (engine_ && task.engine)
    operation.backends.insert(operation.backends.begin(), {"engine", [this, task](int count) { return sample_engine(task, count); }});
  return operation;
}

double RmaBackends::limit_of(const RmaTask &task, int count) {
  if (!task.limit) return handovers(task.handovers);
  return slowest(ranks_.rank == 0 ? time_calls(count, task.limit) : 0, ranks_.comm);
}

/// `count` calls, and what they must leave.
double RmaBackends::sample_side(const RmaTask &task, Names names, int count) {
  ++ranks_.stamp;
  RmaSide &side = sides_[names];
  const bool fence = task.operation.rfind("fence", 0) == 0;
  if (task.prepare) {
    side.calls.lock(MPI_LOCK_EXCLUSIVE, ranks_.rank, 0, side.win);
    task.prepare(side);
    side.calls.unlock(ranks_.rank, side.win);
  }
  meet(ranks_.comm);
  if (fence) side.calls.fence(MPI_MODE_NOPRECEDE, side.win);
  if (task.in_epoch && works(task)) side.calls.lock_all(0, side.win);
  const double mine = works(task) ? time_calls(count, [&] { task.call(side); }) : 0;
  if (task.in_epoch && works(task)) side.calls.unlock_all(side.win);
  if (fence) side.calls.fence(MPI_MODE_NOSUCCEED, side.win);
  const double us = slowest(mine, ranks_.comm);

  side.calls.lock(MPI_LOCK_SHARED, ranks_.rank, 0, side.win);
  const bool right = task.right(side, count);
  side.calls.unlock(ranks_.rank, side.win);
  verify(task, right, names == kLoaded ? "MPI_ names" : "PMPI_ names");
  return us;
}

/// The ranks that have nothing to do wait in the engine's barrier, where they serve others.
double RmaBackends::sample_engine(const RmaTask &task, int count) {
  ++ranks_.stamp;
  if (task.prepare) task.prepare(*engine_);
  meet(ranks_.comm);
  const double mine = works(task) ? time_calls(count, [&] { task.engine(*engine_); }) : 0;
  engine_->segment.flush();
  engine_->segment.barrier();
  const double us = slowest(mine, ranks_.comm);
  verify(task, task.right(*engine_, count), "the engine");
  return us;
}

void RmaBackends::verify(const RmaTask &task, bool right, const char *by) {
  int wrong = right ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, ranks_.comm);
  if (wrong > 0)
    throw std::runtime_error(task.operation + " of " + std::to_string(task.bytes) + " bytes by " + by + ": wrong data on " +
                             std::to_string(wrong) + " rank(s)");
}

}  // namespace bench
