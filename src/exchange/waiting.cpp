// Which ranks may have died or are late, and the errors that say so.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/waiting.hpp"

#include <utility>

#include "engine/communicator/communicator.hpp"
#include "exchange/check.hpp"

namespace halocline::core {
namespace {

/// A rank that has done its part of the last swap may end the plan before what it has sent arrives here, or while this rank has no core. And one
/// that ends with its process tries to close what it has left for two seconds (bindings/python): how the process ends says more.
constexpr std::int64_t kCertain_ns = 3'000'000'000;
/// While a job is suspended, time passes and nothing is looked at.
constexpr int kCertainChecks = 50;

}  // namespace

/// Fails if another rank has reported a failure.
Status Waiting::look_for_lost() const {
  if (check_) HLC_TRY(check_->still_wanted());
  for (const auto &channel : channels_.all()) HLC_TRY(channel->look_for_lost());
  return Status::ok;
}

void Waiting::report_lost() const {
  if (dead_ < 0) return;
  for (const auto &channel : channels_.all()) channel->report_lost(dead_);
}

/// The call in which a rank of this node is, in brackets; empty for other ranks.
std::string Waiting::where(int rank) const {
  const Member member = rank < 0 ? kNotOnNode : plan_.communicator->member_of(rank);
  return member == kNotOnNode ? "" : " (in " + plan_.communicator->call_of(member).text() + ")";
}

std::string Waiting::swap_text() const { return "a swap of " + plan_.text(); }

Status Waiting::check_alive(int rank, Member member, bool timed_out) {
  if (member != kNotOnNode && !plan_.communicator->doorbell().alive(member)) {
    dead_ = rank;
    return fail(Status::peer_died, "%s: rank %d waits for rank %d, whose process has ended", swap_text().c_str(), plan_.topology->rank(),
                rank);
  }
  if (timed_out)
    return fail(Status::timeout, "%s: rank %d timed out after %lld s waiting for %s%s%s (HALOCLINE_TIMEOUT)%s", swap_text().c_str(),
                plan_.topology->rank(), static_cast<long long>(plan_.topology->timeout_ns() / 1'000'000'000), plan_.name_of(rank).c_str(),
                where(rank).c_str(), channels_.knows_who() ? "" : " or another neighbour (this mode does not know which)",
                check_ ? "" : kFindDifferentSwaps);
  return Status::ok;
}

Status Waiting::suspect_awaited(int rank, Member member, bool timed_out) {
  HLC_TRY(check_alive(rank, member, timed_out));
  return suspect_ending(ends_plan(member) ? rank : -1);
}

bool Waiting::ends_plan(Member member) const {
  return member != kNotOnNode && plan_.communicator->call_of(member).ends(plan_.times->plan().serial);
}

Status Waiting::suspect_ending(int rank) {
  if (std::exchange(ending_, rank) != rank) {
    ending_since_ns_ = now_ns();
    ending_checks_ = 0;
  }
  ending_checks_ += 1;
  if (rank < 0 || ending_checks_ < kCertainChecks || now_ns() - ending_since_ns_ < kCertain_ns) return Status::ok;
  return fail(Status::mismatch, "%s: rank %d waits for rank %d, which ends the plan%s; this swap can only fail, end the plan here, too",
              swap_text().c_str(), plan_.communicator->rank(), rank, where(rank).c_str());
}

Status Waiting::suspect_all(int rank, bool timed_out) {
  for (std::size_t e = 0; e < plan_.edges.size(); ++e)
    if (plan_.parts[e].active()) HLC_TRY(check_alive(plan_.edges[e].rank, plan_.edges[e].member, false));
  return timed_out ? check_alive(rank, kNotOnNode, true) : Status::ok;
}

/// Ranks of this node that move data for this one.
Status Waiting::check_partners_alive() {
  for (const auto &channel : channels_.all())
    for (const Member member : channel->partners()) HLC_TRY(check_alive(plan_.communicator->rank_of(member), member, false));
  return Status::ok;
}

Status Waiting::suspect_peers(bool timed_out) {
  for (const Edge &edge : plan_.edges) HLC_TRY(check_alive(edge.rank, edge.member, false));
  return timed_out ? check_->late() : Status::ok;
}

}  // namespace halocline::core
