// What callers that have a time limit of their own look for from time to time: answers, room, and the end of what has been sent.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/traffic.hpp"

namespace halocline {

Status Traffic::find_room(int rank, const char *call) {
  if (time_to_take_back()) poll();
  Link *link = nullptr;
  const auto locked = lock();
  HLC_TRY(reach_for(rank, call, &link));
  return link->in_use < kMostFlights ? Status::ok : Status::again;
}

Status Traffic::look(Question &question, int rank, const char *call, const Message &message, std::uint64_t *answer) {
  if (!question.flight) {
    if (const Status room = find_room(rank, call); room != Status::ok) return room;
    Flight *flight = nullptr;
    HLC_TRY(begin(rank, call, &flight));
    write_request(*flight, message, nullptr, 0);
    flight->held = true;
    question.flight = flight;
    start(*flight);
  }
  poll();
  const auto locked = lock();
  const Flight &flight = *question.flight;
  if (flight.awaited > 0 && flight.link->error == 0) return Status::again;
  const bool answered = flight.awaited == 0 && flight.error == 0;
  *answer = flight.answer;
  const Status status = answered ? Status::ok : failure(*flight.link, call);
  let_go(question);
  return status;
}

void Traffic::let_go(Question &question) {
  Flight &flight = *question.flight;
  question.flight = nullptr;
  flight.held = false;
  if (flight.awaited == 0) flights_.release(flight);
}

void Traffic::forget(Question &question) {
  const auto locked = lock();
  if (question.flight) let_go(question);
}

std::vector<Drain> Traffic::begin_drains(bool confirm) {
  const auto locked = lock();
  std::vector<Drain> drains;
  drains.reserve(links_.size());
  for (const auto &[rank, link] : links_) drains.push_back({rank, confirm, begun_});
  return drains;
}

Status Traffic::look_seen_off(const char *call) {
  poll();
  const auto locked = lock();
  return find_under_way(call) < 0 && answers_ == 0 ? Status::ok : Status::again;
}

}  // namespace halocline
