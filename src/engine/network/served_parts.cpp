// Serving parts, and carrying out queries for them.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/served_parts.hpp"

#include "engine/communicator/collective.hpp"
#include "engine/network/connection_table.hpp"
#include "engine/network/shared_endpoint.hpp"

namespace halocline::core {
namespace {

constexpr std::uint32_t kOwnParts = std::uint32_t{1} << 31;

}  // namespace

std::uint32_t ServedParts::next_segment() {
  const auto locked = pending_.lock();
  return next_segment_++;
}

std::uint32_t ServedParts::next_own_part() {
  const auto locked = pending_.lock();
  return kOwnParts | next_own_part_++;
}

void ServedParts::serve(std::uint32_t segment, const Served &memory) {
  const auto locked = pending_.lock();
  service_.serve(communicator_.rank(), segment, memory);
}

void ServedParts::stop_serving(std::uint32_t segment) {
  const auto locked = pending_.lock();
  service_.stop_serving(communicator_.rank(), segment);
}

/// The values of the reply are written where they are sent from.
Status ServedParts::carry_out_and_reply(const Message &query, const char *operands, std::int64_t bytes, Outcome *outcome) {
  Reply reply;
  Request *request = nullptr;
  if (!query.silent) HLC_TRY(pending_.take_for_reply(query, &request));
  if (request) reply.values = request->operands();
  *outcome = service_.carry_out(query, operands, bytes, &reply);
  if (!request) return Status::ok;
  *outcome == Outcome::done ? pending_.reply(*request, reply) : pending_.release(*request);
  return Status::ok;
}

/// A query that finds others put off waits behind them, so that those of one rank are carried out in their order.
bool ServedParts::carry_out(const Message &query, const char *operands, std::int64_t bytes) {
  const bool waits = !put_off_.empty() && Service::is_in_order(query);
  return !failed(alone(communicator_, [&] {
    Outcome outcome = Outcome::later;
    if (!waits) HLC_TRY(carry_out_and_reply(query, operands, bytes, &outcome));
    if (outcome == Outcome::done) return Status::ok;
    if (outcome == Outcome::refused) return Status::argument;
    put_off_.push_back({query, std::vector<char>(operands, operands + bytes)});
    shared_endpoint_.note_put_off();
    return Status::ok;
  }));
}

void ServedParts::carry_out_put_off() {
  std::vector<PutOff> due;
  due.swap(put_off_);
  for (const PutOff &query : due) carry_out(query.message, query.operands.data(), static_cast<std::int64_t>(query.operands.size()));
}

}  // namespace halocline::core
