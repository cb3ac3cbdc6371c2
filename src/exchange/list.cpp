// A caller's list of neighbours, split into edges to others and links to itself.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/list.hpp"

#include <algorithm>
#include <utility>

#include "engine/communicator/communicator.hpp"
#include "exchange/check.hpp"
#include "exchange/modes/modes.hpp"
#include "exchange/rounds.hpp"
#include "exchange/tags.hpp"

namespace halocline::core {
namespace {

constexpr Refusals kListRefusals{"an earlier swap of this exchange failed; it can only be destroyed",
                                 "a swap of this exchange is in flight already; finish it first", "no swap has been started",
                                 "this swap has failed; the exchange can only be destroyed"};

}  // namespace

ListExchange::ListExchange(const EngineParts &engine) : topology_(engine.communicator), exchange_(engine, *this, kListRefusals) {}

Status ListExchange::check(const hlc_exchange_spec *spec) const {
  const int me = topology_.rank();
  if (!spec) return fail(Status::argument, "hlc_exchange_create on rank %d: spec is NULL", me);
  if (spec->nneighbours < 0)
    return fail(Status::argument, "hlc_exchange_create on rank %d: nneighbours is %d but must be 0 or more", me, spec->nneighbours);
  if (spec->nneighbours > 0 && !spec->neighbours) return fail(Status::argument, "hlc_exchange_create on rank %d: neighbours is NULL", me);
  for (int i = 0; i < spec->nneighbours; ++i) HLC_TRY(check_neighbour(*spec, i));
  return Status::ok;
}

Status ListExchange::check_neighbour(const hlc_exchange_spec &spec, int i) const {
  const int me = topology_.rank();
  const hlc_neighbour &n = spec.neighbours[i];
  if (n.rank < 0 || n.rank >= topology_.size())
    return fail(Status::argument, "hlc_exchange_create on rank %d: neighbours[%d].rank is %d but must be 0 to %d", me, i, n.rank,
                topology_.size() - 1);
  if (n.tag_out < 0 || n.tag_in < 0)
    return fail(Status::argument, "hlc_exchange_create on rank %d: neighbours[%d] has tag_out %d and tag_in %d, both must be 0 or more", me,
                i, n.tag_out, n.tag_in);
  if (n.bytes_out < 0 || n.bytes_in < 0)
    return fail(Status::argument,
                "hlc_exchange_create on rank %d: neighbours[%d] has %lld bytes_out and %lld bytes_in, both must be 0 or more", me, i,
                static_cast<long long>(n.bytes_out), static_cast<long long>(n.bytes_in));
  if (n.bytes_out > 0 && !spec.pack)
    return fail(Status::argument, "hlc_exchange_create on rank %d: pack is NULL, but neighbours[%d] has bytes_out", me, i);
  if (n.bytes_in > 0 && !spec.unpack)
    return fail(Status::argument, "hlc_exchange_create on rank %d: unpack is NULL, but neighbours[%d] has bytes_in", me, i);
  return Status::ok;
}

/// The entry that receives what `from` sends, both of which name this rank; NULL if there is none.
const hlc_neighbour *ListExchange::find_taker(const hlc_neighbour &from) const {
  const auto takes = [&](const hlc_neighbour &n) { return n.rank == topology_.rank() && n.tag_in == from.tag_out; };
  const auto found = std::find_if(neighbours_.begin(), neighbours_.end(), takes);
  return found == neighbours_.end() ? nullptr : &*found;
}

/// Entries that name this rank are joined to each other by their tags; each has a chunk for what it receives.
Status ListExchange::link_to_self() {
  const std::string who = message_prefix(communicator(), options_);
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    const hlc_neighbour &n = neighbours_[i];
    if (n.rank != topology_.rank()) continue;
    const hlc_neighbour *taker = find_taker(n);
    if (!taker)
      return fail(Status::mismatch,
                  "%s: neighbours disagree: rank %d sends %lld bytes to itself (neighbours[%zu]) and has no entry with tag_in %d",
                  who.c_str(), n.rank, static_cast<long long>(n.bytes_out), i, n.tag_out);
    if (n.bytes_out != taker->bytes_in)
      return fail(Status::mismatch, "%s: neighbours disagree: rank %d sends %lld bytes to itself (neighbours[%zu]) and expects %lld",
                  who.c_str(), n.rank, static_cast<long long>(n.bytes_out), i, static_cast<long long>(taker->bytes_in));
    Edge edge;
    edge.space_in = taker->bytes_in;
    self_plan_.edges.push_back(edge);
    self_links_.push_back({static_cast<int>(i), static_cast<int>(taker - neighbours_.data())});
  }
  std::vector<int> all(self_links_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  return self_buffer_.create(topology_.rank(), lay_out(self_plan_, all, &Edge::space_in));
}

Status ListExchange::accept(const hlc_exchange_spec *spec, std::string *plan, bool chosen) {
  HLC_TRY(check(spec));
  HLC_TRY(check_tags("hlc_exchange_create", topology_.rank(), spec->neighbours, spec->nneighbours));
  options_ = {spec->mode, spec->epoch, spec->drive};
  options_.says_detours = spec->mode != HLC_MODE_DEFAULT && !chosen;
  options_.chosen = chosen;
  if (spec->name) options_.name = spec->name;
  HLC_TRY(resolve(options_, communicator()));
  neighbours_.assign(spec->neighbours, spec->neighbours + spec->nneighbours);
  pack_ = spec->pack;
  unpack_ = spec->unpack;
  user_ = spec->user;
  edges_ = make_edges();
  label_ = options_.name.empty() ? "exchange plan #" : "exchange plan # '" + options_.name + "'";
  if (spec->name) plan->append("'").append(spec->name).append("'");
  return link_to_self();
}

Status ListExchange::create(const hlc_exchange_spec *) {
  HLC_TRY(agree_on_options(communicator(), options_));
  return exchange_.create(options_, std::move(edges_), std::move(label_));
}

std::vector<Edge> ListExchange::make_edges() {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    const hlc_neighbour &n = neighbours_[i];
    if (n.rank == topology_.rank()) continue;
    Edge edge;
    edge.rank = n.rank;
    edge.tag_out = n.tag_out;
    edge.tag_in = n.tag_in;
    edge.out = edge.space_out = n.bytes_out;
    edge.in = edge.space_in = n.bytes_in;
    edges.push_back(edge);
    entry_of_.push_back(static_cast<int>(i));
  }
  return edges;
}

Status ListExchange::start() {
  for (std::size_t i = 0; i < self_links_.size(); ++i)
    if (neighbours_[static_cast<std::size_t>(self_links_[i].from)].bytes_out > 0)
      pack_(self_links_[i].from, self_buffer_.chunk(static_cast<int>(i)), user_);
  return exchange_.rounds().start();
}

Status ListExchange::test() { return exchange_.rounds().test(); }
Status ListExchange::finish() { return exchange_.rounds().finish(true); }

/// There are no cells to check: the descriptors and the stamps are all.
void ListExchange::describe_round(RoundDescriptor &descriptor) { descriptor.words = "its whole list"; }

void ListExchange::copy_to_self() {
  for (std::size_t i = 0; i < self_links_.size(); ++i)
    if (neighbours_[static_cast<std::size_t>(self_links_[i].to)].bytes_in > 0)
      unpack_(self_links_[i].to, self_buffer_.chunk(static_cast<int>(i)), user_);
}

void ListExchange::pack(int edge, void *buffer, bool) { pack_(entry_of_[static_cast<std::size_t>(edge)], buffer, user_); }
void ListExchange::unpack(int edge, const void *buffer) { unpack_(entry_of_[static_cast<std::size_t>(edge)], buffer, user_); }

/// The caller packs: each entry counts as one run.
Work ListExchange::work() const {
  Work work = exchange_.work();
  for (const SelfLink &link : self_links_) work.local_bytes += neighbours_[static_cast<std::size_t>(link.to)].bytes_in;
  work.runs = static_cast<std::int64_t>(neighbours_.size());
  return work;
}

hlc_plan_info ListExchange::describe() const {
  hlc_plan_info info{};
  exchange_.describe(info);
  info.self_copies = static_cast<int>(self_links_.size());
  for (const SelfLink &link : self_links_) info.self_bytes += neighbours_[static_cast<std::size_t>(link.to)].bytes_in;
  info.memory_bytes += self_buffer_.bytes() + static_cast<std::int64_t>(sizeof(ListExchange) + neighbours_.size() * sizeof(hlc_neighbour));
  return info;
}

}  // namespace halocline::core
