// Lists of transfers, one per peer, linked by the transfers themselves.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/backlog.hpp"

namespace halocline::core::transport {

void Backlog::append(Line &line, Transfer &transfer) {
  transfer.next = nullptr;
  transfer.waits = true;
  (line.last ? line.last->next : line.first) = &transfer;
  line.last = &transfer;
}

void Backlog::prepend(Line &line, Transfer &transfer) {
  transfer.next = line.first;
  transfer.waits = true;
  line.first = &transfer;
  if (!line.last) line.last = &transfer;
}

Transfer &Backlog::take_first(Line &line) {
  Transfer &first = *line.first;
  line.first = first.next;
  if (!line.first) line.last = nullptr;
  first.next = nullptr;
  first.waits = false;
  return first;
}

bool Backlog::take_out(Line &line, Transfer &transfer) {
  Transfer *before = nullptr;
  for (Transfer *one = line.first; one; before = one, one = one->next) {
    if (one != &transfer) continue;
    (before ? before->next : line.first) = transfer.next;
    if (line.last == &transfer) line.last = before;
    transfer.next = nullptr;
    transfer.waits = false;
    return true;
  }
  return false;
}

/// A peer that has been released has no line: its transfers are in apart_.
Backlog::Line &Backlog::line_of(const Transfer &transfer) {
  const auto line = transfer.in_any_order ? lines_.end() : lines_.find(transfer.peer);
  return line == lines_.end() ? apart_ : line->second;
}

void Backlog::remove(Peer peer) {
  const auto line = lines_.find(peer);
  if (line != lines_.end() && !line->second.listed) lines_.erase(line);
}

bool Backlog::holds_up(const Transfer &transfer) const {
  if (!waiting_ || transfer.in_any_order) return false;
  const auto line = lines_.find(transfer.peer);
  return line != lines_.end() && line->second.first;
}

void Backlog::push(Transfer &transfer) {
  Line &line = line_of(transfer);
  append(line, transfer);
  if (&line == &apart_ || line.listed) return;
  line.listed = true;
  line.next = waiting_;
  waiting_ = &line;
}

bool Backlog::withdraw(Transfer &transfer) {
  return transfer.waits && (take_out(line_of(transfer), transfer) || take_out(apart_, transfer));
}

}  // namespace halocline::core::transport
