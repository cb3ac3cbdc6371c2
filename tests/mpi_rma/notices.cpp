// Notified operations of random programs, and the waits for them.
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_rma/notices.hpp"

#include <halocline/mpix.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace random_rma {

void Notices::open(MPI_Win win, int rank, int ranks) {
  win_ = win;
  rank_ = rank;
  ranks_ = ranks;
  for (MPI_Count &count : arrived_) count = 0;
  if (MPIX_Win_set_num_notify(win, MPI_INFO_NULL, kNotifications) != MPI_SUCCESS) std::abort();
}

/// Three of four that can.
bool Notices::notifies(const Operation &operation) {
  const bool can = operation.kind == Kind::put || operation.kind == Kind::get || operation.kind == Kind::accumulate;
  return can && !operation.with_request && operation.id % 4 != 0;
}

bool Notices::issue(const Operation &operation, const Transfer &transfer) const {
  if (!notifies(operation)) return false;
  const int count = operation.from.count, at_count = operation.at.count, target = operation.target, number = notification_of(operation);
  int code = MPI_SUCCESS;
  if (operation.kind == Kind::put)
    code = MPIX_Put_notify(transfer.origin, count, transfer.from, target, transfer.place, at_count, transfer.at, number, win_);
  else if (operation.kind == Kind::get)
    code = MPIX_Get_notify(transfer.origin, count, transfer.from, target, transfer.place, at_count, transfer.at, number, win_);
  else
    code = MPIX_Accumulate_notify(transfer.origin, count, transfer.from, target, transfer.place, at_count, transfer.at, transfer.op, number,
                                  win_);
  if (code != MPI_SUCCESS) std::fprintf(stderr, "%s: error %d\n", describe(operation).c_str(), code);
  return true;
}

std::string Notices::wait(int source, int notification, int count) const {
  MPI_Status status{};
  MPIX_Notify request = MPIX_NOTIFY_NULL;
  int done = 0;
  const bool tests = count % 2 == 0;
  if (count == 0) return "";
  MPIX_Win_notify_init(source, notification, count, win_, &request);
  MPIX_Notify_start(request);
  while (tests && !done) MPIX_Notify_test(request, &done, &status);
  if (!tests) MPIX_Notify_wait(request, &status);
  MPIX_Notify_free(&request);
  const bool right =
      (source == MPI_ANY_SOURCE || status.MPI_SOURCE == source) && (notification == MPI_ANY_TAG || status.MPI_TAG == notification);
  return right ? "" : "a request for rank " + std::to_string(source) + " was matched by rank " + std::to_string(status.MPI_SOURCE);
}

/// A notification too many would be counted here.
std::string Notices::compare_counts() const {
  for (int number = 0; number < kNotifications; ++number) {
    MPI_Count value = -1;
    MPIX_Win_get_notify_value(win_, number, &value);
    if (value != arrived_[number])
      return std::to_string(value) + " arrivals of notification " + std::to_string(number) + ", expected " +
             std::to_string(arrived_[number]);
  }
  return "";
}

std::string Notices::await(const std::vector<Operation> &operations, const char *data, Random &random) {
  std::vector<std::vector<int>> counts(static_cast<std::size_t>(ranks_), std::vector<int>(kNotifications));
  for (const Operation &operation : operations) {
    if (operation.target != rank_ || !notifies(operation)) continue;
    counts[static_cast<std::size_t>(operation.origin)][static_cast<std::size_t>(notification_of(operation))] += 1;
    arrived_[notification_of(operation)] += 1;
  }
  // Those of one source and notification, of one source, and then the rest at once. A request for all would take what others wait for.
  int left = 0;
  std::string fault;
  for (int source = 0; source < ranks_; ++source) {
    const std::vector<int> &of_source = counts[static_cast<std::size_t>(source)];
    int all = 0;
    for (const int count : of_source) all += count;
    const std::int64_t way = pick(random, 0, 2);
    if (way == 2) left += all;
    if (way == 1) fault += wait(source, MPI_ANY_TAG, all);
    for (int number = 0; way == 0 && number < kNotifications; ++number)
      fault += wait(source, number, of_source[static_cast<std::size_t>(number)]);
  }
  fault += wait(MPI_ANY_SOURCE, MPI_ANY_TAG, left);
  fault += compare_counts();
  char expected[8];
  for (const Operation &operation : operations) {
    if (operation.target != rank_ || operation.kind != Kind::put || !notifies(operation)) continue;
    for (std::size_t i = 0; i < operation.values.size(); ++i) {
      write_number(expected, operation.at.basic, operation.values[i]);
      const char *const found = data + operation.place + operation.at.offsets[i];
      if (std::memcmp(found, expected, static_cast<std::size_t>(bytes_of(operation.at.basic))) != 0)
        return fault + describe(operation) + " has notified before its number " + std::to_string(i) + " was there";
    }
  }
  return fault;
}

}  // namespace random_rma
