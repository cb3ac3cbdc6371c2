// Routes edges to channels, and makes the channels.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/channels.hpp"

#include <utility>

#include "base/log.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/network/network.hpp"
#include "exchange/modes/modes.hpp"

namespace halocline::core {
namespace {

/// The edges of a plan by what carries them.
struct Routes {
  std::vector<int> direct, near, far;
};

Routes find_routes(const Plan &plan, const ModeRow &mode) {
  Routes routes;
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    const Edge &edge = plan.edges[e];
    const bool same_node = edge.member != kNotOnNode;
    const bool is_direct = mode.reads_fields && is_read(edge);
    (same_node || !mode.make_far ? (is_direct ? routes.direct : routes.near) : routes.far).push_back(static_cast<int>(e));
  }
  return routes;
}

}  // namespace

/// The one routing decision: read directly, write through the node's memory, or hand to MPI. Every rank makes the same channels, in the
/// same order, because making one is collective; a rank may have no edges in it. A channel in which no rank has an edge is not made.
Status Channels::create() {
  const ModeRow &mode = *find_mode(plan_.options.mode);
  Routes routes;
  HLC_TRY(prepare(*plan_.communicator, plan_.comm, [&] {
    channel_of_.assign(plan_.edges.size(), 0);
    routes = find_routes(plan_, mode);
    return Status::ok;
  }));
  if (!mode.make_far) {
    HLC_TRY(add(mode.make, routes.near, &hlc_plan_info::via_mpi));
    return report_detours();
  }
  std::int64_t used[] = {!routes.direct.empty(), !routes.near.empty(), !routes.far.empty()};
  HLC_TRY(reduce(*plan_.communicator, plan_.comm, MPI_MAX, used, 3));
  if (used[0]) HLC_TRY(add(mode.make, routes.direct, &hlc_plan_info::via_direct));
  if (used[1]) HLC_TRY(add(mode.reads_fields ? make_notify : mode.make, routes.near, &hlc_plan_info::via_notify));
  if (used[2]) HLC_TRY(make_far_channel(routes.far));
  return report_detours();
}

/// Opens the network, so it is called only where some rank has a neighbour on another node.
Status Channels::make_far_channel(const std::vector<int> &far) {
  const ModeRow &mode = *find_mode(plan_.options.mode);
  const Status opened = plan_.network->open();
  if (opened == Status::ok) return add(mode.make_far, far, &hlc_plan_info::via_network);
  if (opened != Status::unsupported) return opened;
  return add(mode.make_without_network, far, &hlc_plan_info::via_mpi);
}

Status Channels::add(MakeChannel make, const std::vector<int> &edges, int hlc_plan_info::*route) {
  HLC_TRY(prepare(*plan_.communicator, plan_.comm, [&] {
    for (const int e : edges) channel_of_[static_cast<std::size_t>(e)] = channels_.size();
    routes_.push_back(route);
    channels_.push_back(make(plan_, edges));
    return Status::ok;
  }));
  Channel &channel = *channels_.back();
  HLC_TRY(agree(*plan_.communicator, plan_.comm, channel.create()));
  if (!edges.empty() && channel.wake_up() == WakeUp::by_polling) wake_up_ = WakeUp::by_polling;
  knows_who_ = knows_who_ && channel.knows_who();
  blocks_ = blocks_ || channel.blocks().poll;
  plan_.open_blocks = plan_.open_blocks || channel.blocks().open;
  // All others have communicators, windows or endpoints to free, which takes all ranks.
  ends_alone_ = ends_alone_ && (make == make_p2p || make == make_notify || make == make_direct);
  return Status::ok;
}

bool Channels::end_alone() {
  if (ends_alone_) channels_.clear();
  return ends_alone_;
}

void Channels::give_up() {
  for (auto &channel : channels_) {
    if (!channel->outlives_failure()) continue;
    channel->abandon();
    leak(std::move(channel));
  }
  channels_.clear();
}

void Channels::describe(hlc_plan_info &info) const {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    info.*routes_[i] += static_cast<int>(channels_[i]->edges().size());
    info.memory_bytes += channels_[i]->memory_bytes();
    info.network_writes += channels_[i]->network_writes();
  }
}

Status Channels::name_peer(Status status, int e) const {
  if (status != Status::mpi || e < 0) return status;
  const int rank = plan_.edges[static_cast<std::size_t>(e)].rank;
  return fail(status, "rank %d cannot reach %s: %s", plan_.topology->rank(), plan_.name_of(rank).c_str(), error_message());
}

/// Reports once what the mode was asked for and cannot do here: edges to other nodes, fields that cannot be read.
Status Channels::report_detours() const {
  const ModeRow &mode = *find_mode(plan_.options.mode);
  const char *const name = plan_.options.chosen ? "auto" : mode.name;
  hlc_plan_info info{};
  info.neighbours = static_cast<int>(plan_.edges.size());
  describe(info);
  // Mode notify_node does not promise to read fields. Auto and an exchange whose mode is the default were not asked to.
  const bool reads = mode.reads_fields && mode.mode != HLC_MODE_NOTIFY_NODE && plan_.options.says_detours && !plan_.options.chosen;
  std::int64_t links[3] = {info.neighbours, mode.make_far ? info.via_mpi : 0, reads ? info.via_notify : 0};
  HLC_TRY(reduce(*plan_.communicator, plan_.comm, MPI_SUM, links, 3));
  if (plan_.topology->rank() != 0) return Status::ok;
  const auto all = static_cast<long long>(links[0]), far = static_cast<long long>(links[1]), unread = static_cast<long long>(links[2]);
  if (far > 0)
    report_once(name, "between nodes", "mode %s: %lld of %lld links between neighbours lead to another node and go over MPI: %s", name, far,
                all, plan_.network->description());
  if (unread > 0)
    report_once("direct", "without fields",
                "mode %s, %s: %lld of %lld links between neighbours use notify, because the data of one side are not in memory that others "
                "read (from hlc_field_alloc; in Python Field or Context.zeros; those of an exchange never are)",
                name, plan_.text().c_str(), unread, all);
  return Status::ok;
}

}  // namespace halocline::core
