// The rounds of the parts: starting, leaving, failing.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/parts.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace halocline::core {

Status Parts::may_start(int part) {
  constexpr const char *call = "hlc_blocks_start_part";
  if (failed_round_)
    return fail(Status::state, "%s on rank %d: part %d: an earlier swap of these blocks failed; they can only be finalised", call, rank_,
                part);
  if (in_flight_[static_cast<std::size_t>(part)])
    return fail(Status::state, "%s on rank %d: part %d is in flight already; call hlc_blocks_finish_part first", call, rank_, part);
  return Status::ok;
}

std::uint64_t Parts::round_of(int part) {
  const std::lock_guard lock(mutex_);
  return in_flight_[static_cast<std::size_t>(part)];
}

bool Parts::drives(std::uint64_t round) {
  std::uint64_t before = round - 1;
  return driven_.compare_exchange_strong(before, round);
}

Status Parts::leave(int part) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t round = std::exchange(in_flight_[static_cast<std::size_t>(part)], 0);
  return failed_round_ && round >= failed_round_ ? fail(status_, "%s", message_) : Status::ok;
}

Status Parts::fail_round(Status status) {
  const std::lock_guard lock(mutex_);
  return fail_locked(status);
}

Status Parts::fail_locked(Status status) {
  if (failed_round_) return status;
  status_ = status;
  failed_round_ = std::max<std::uint64_t>(round_, 1);
  std::snprintf(message_, sizeof message_, "%s", error_message());
  launched_.value.store(round_, std::memory_order_release);
  finished_.value.store(round_, std::memory_order_release);
  return status;
}

Status Parts::give_up_missing(int part, std::int64_t timeout_ns) {
  const std::lock_guard lock(mutex_);
  if (started_ == 0 || failed_round_) return Status::ok;
  const auto missing = std::find_if(in_flight_.begin(), in_flight_.end(), [&](std::uint64_t round) { return round != round_; });
  const auto seconds = static_cast<long long>(timeout_ns / 1'000'000'000);
  return fail_locked(fail(Status::timeout,
                          "rank %d: part %d of its blocks timed out after %lld s waiting for part %d to start the swap (HALOCLINE_TIMEOUT)",
                          rank_, part, seconds, static_cast<int>(missing - in_flight_.begin())));
}

bool Parts::any_in_flight() {
  const std::lock_guard lock(mutex_);
  return std::any_of(in_flight_.begin(), in_flight_.end(), [](std::uint64_t round) { return round != 0; });
}

bool Parts::broken() {
  const std::lock_guard lock(mutex_);
  return failed_round_ != 0;
}

}  // namespace halocline::core
