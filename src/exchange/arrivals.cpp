// Polls the channels, and hands over what has arrived.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/arrivals.hpp"

namespace halocline::core {

void Arrivals::make_tables() {
  const std::size_t n = plan_.edges.size();
  arrived_.assign(n, 0);
  awaited_.assign(n, false);
  early_.reserve(n);
  shown_.reserve(n);
}

/// Finds what does not change from round to round while the parts stay the same.
void Arrivals::arrange() {
  awaited_edges_ = 0;
  for (std::size_t e = 0; e < awaited_.size(); ++e) {
    awaited_[e] = plan_.parts[e].in > 0;
    awaited_edges_ += awaited_[e] ? 1 : 0;
  }
  for (auto &channel : channels_.all()) channel->parts_changed();
  arranged_ = true;
}

Status Arrivals::poll() {
  bool progress = !channels_.blocks();
  const auto keep = [this](Channel &, Edges arrived) {
    if (!in_order_) early_.insert(early_.end(), arrived.begin(), arrived.end());
    return Status::ok;
  };
  while (missing_ > 0 && progress) HLC_TRY(collect(&progress, keep));
  return missing_ > 0 ? Status::again : Status::ok;
}

/// Polls each channel once, without waiting, and passes on what has arrived.
template <class Take>
Status Arrivals::collect(bool *progress, Take take_arrived) {
  *progress = false;
  for (auto &channel : channels_.all()) {
    Edges arrived;
    const Status status = channel->poll_several(&arrived);
    if (status == Status::again) continue;
    HLC_TRY(channels_.name_peer(status, arrived.empty() ? -1 : arrived.front()));
    for (const int e : arrived) arrived_[static_cast<std::size_t>(e)] = round_;
    missing_ -= static_cast<int>(arrived.size());
    *progress = true;
    HLC_TRY(take_arrived(*channel, arrived));
  }
  return Status::ok;
}

Status Arrivals::look(bool *progress) {
  HLC_TRY(collect(progress, [this](Channel &from, Edges arrived) { return in_order_ ? Status::ok : take(from, arrived); }));
  if (in_order_ && *progress) HLC_TRY(take_in_order());
  return left_ == 0 ? Status::ok : Status::again;
}

Status Arrivals::take(Channel &from, Edges edges) { return trace::is_on() ? take_recorded(from, edges) : hand_over(from, edges); }

/// The wait ends meanwhile; it was for the first of these edges, if the mode can tell.
Status Arrivals::take_recorded(Channel &from, Edges edges) {
  const bool waits = trace_.waits();
  if (waits) trace_.end_wait(channels_.knows_who() ? edges.front() : -1);
  const char *const name = plan_.views_out ? "show" : from.packs() ? "unpack" : "copy";
  const Status taken = trace_.step(name, edges.front(), [&] { return hand_over(from, edges); });
  if (waits && left_ > 0) trace_.begin_wait();
  return taken;
}

/// Hands the packer what has arrived over edges of one channel: to unpack, to copy from the neighbour, or to be read in place.
Status Arrivals::hand_over(Channel &from, Edges edges) {
  left_ -= static_cast<int>(edges.size());
  if (!plan_.places.empty() && !from.packs()) HLC_TRY(find(from, edges));
  if (plan_.views_out) {
    show(from, edges);
    return Status::ok;
  }
  if (!from.packs()) {
    packer_->pull(edges);
    return from.release_several(edges);
  }
  for (const int e : edges) {
    packer_->unpack(e, from.arrived(e));
    HLC_TRY(from.release(e));
  }
  return Status::ok;
}

Status Arrivals::find(const Channel &from, Edges edges) {
  for (const int e : edges) HLC_TRY(packer_->found(e, from.places(e)));
  return Status::ok;
}

void Arrivals::show(Channel &from, Edges edges) {
  for (const int e : edges) {
    packer_->show(e, from.arrived(e));
    shown_.push_back(e);
  }
}

/// Takes what arrived before finish. Edges that arrived one after the other over the same channel are taken together.
Status Arrivals::take_early() {
  const Edges arrived = early_;
  for (std::size_t first = 0, end = 0; first < arrived.size(); first = end) {
    Channel &from = channels_.of(arrived[first]);
    while (end < arrived.size() && &channels_.of(arrived[end]) == &from) ++end;
    HLC_TRY(take(from, arrived.subspan(first, end - first)));
  }
  early_.clear();
  return Status::ok;
}

/// Takes edges by index, up to the first that has not arrived.
Status Arrivals::take_in_order() {
  for (; next_ < static_cast<int>(arrived_.size()); ++next_) {
    const auto e = static_cast<std::size_t>(next_);
    if (!awaited_[e]) continue;
    if (arrived_[e] != round_) return Status::ok;
    HLC_TRY(take(channels_.of(next_), {&next_, 1}));
  }
  return Status::ok;
}

Status Arrivals::release_shown() {
  for (const int e : shown_) HLC_TRY(channels_.of(e).release(e));
  shown_.clear();
  return Status::ok;
}

Status Arrivals::release_views() {
  HLC_TRY(release_shown());
  plan_.views_out = false;
  return Status::ok;
}

}  // namespace halocline::core
