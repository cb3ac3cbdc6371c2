// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ucx/inbox.hpp"

#include <cerrno>

#include "transport/ucx/arrival.hpp"

namespace halocline::core::transport::ucx {

void Inbox::give(Transfer &buffer) {
  if (unexpected_.empty()) {
    buffers_.push_back(&buffer);
    return;
  }
  fill(buffer, unexpected_.front().data(), unexpected_.front().size());
  unexpected_.pop_front();
}

bool Inbox::take(const Arrival &arrival) {
  Place place;
  if (!arrival.read(&place)) return false;
  if (!order_.is_next(place.stream, place.number)) {
    order_.keep(place.stream, place.number, arrival.data, arrival.bytes);
    return true;
  }
  deliver(arrival.data, arrival.bytes);
  count(place.stream);
  return true;
}

void Inbox::count(std::uint64_t stream) {
  order_.count(stream);
  while (const auto message = order_.next(stream)) deliver(message->data(), message->size());
}

/// Without a buffer it is kept until there is one.
void Inbox::deliver(const char *from, std::size_t bytes) {
  if (buffers_.empty()) {
    unexpected_.emplace_back(from, from + bytes);
    return;
  }
  Transfer &buffer = *buffers_.front();
  buffers_.pop_front();
  fill(buffer, from, bytes);
}

void Inbox::fill(Transfer &buffer, const char *from, std::size_t bytes) {
  const bool fits = bytes <= static_cast<std::size_t>(buffer.bytes);
  buffer.arrived = fits ? static_cast<std::int64_t>(bytes) : 0;
  if (fits) copy_bytes(buffer.into, from, bytes);
  over_.add(buffer, fits ? 0 : EMSGSIZE);
}

}  // namespace halocline::core::transport::ucx
