// A caller's list of neighbours, split into edges to others and links to itself.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/list.hpp"

#include "exchange/modes/modes.hpp"

namespace halocline {

Status ListExchange::check(const hlc_exchange_spec *spec) const {
  const int me = context_.rank();
  if (!spec) return fail(Status::argument, "hlc_exchange_create on rank %d: spec is NULL", me);
  if (spec->nneighbours < 0)
    return fail(Status::argument, "hlc_exchange_create on rank %d: nneighbours is %d, it must be 0 or more", me, spec->nneighbours);
  if (spec->nneighbours > 0 && !spec->neighbours) return fail(Status::argument, "hlc_exchange_create on rank %d: neighbours is NULL", me);
  for (int i = 0; i < spec->nneighbours; ++i) {
    const hlc_neighbour &n = spec->neighbours[i];
    if (n.rank < 0 || n.rank >= context_.size())
      return fail(Status::argument, "hlc_exchange_create on rank %d: neighbours[%d].rank is %d, it must be 0 to %d", me, i, n.rank,
                  context_.size() - 1);
    if (n.tag < 0)
      return fail(Status::argument, "hlc_exchange_create on rank %d: neighbours[%d].tag is %d, it must be 0 or more", me, i, n.tag);
    if (n.bytes_out < 0 || n.bytes_in < 0)
      return fail(Status::argument,
                  "hlc_exchange_create on rank %d: neighbours[%d] has %lld bytes_out and %lld bytes_in, both must be 0 or more", me, i,
                  static_cast<long long>(n.bytes_out), static_cast<long long>(n.bytes_in));
    if (n.bytes_out > 0 && !spec->pack)
      return fail(Status::argument, "hlc_exchange_create on rank %d: pack is NULL, but neighbours[%d] has bytes_out", me, i);
    if (n.bytes_in > 0 && !spec->unpack)
      return fail(Status::argument, "hlc_exchange_create on rank %d: unpack is NULL, but neighbours[%d] has bytes_in", me, i);
  }
  return Status::ok;
}

/// Equal tags are paired in the order listed, so an entry that names me is paired with itself.
Status ListExchange::link_to_myself() {
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    const hlc_neighbour &n = neighbours_[i];
    if (n.rank != context_.rank()) continue;
    if (n.bytes_out != n.bytes_in)
      return fail(Status::mismatch, "neighbours disagree: rank %d sends %lld bytes to itself (neighbours[%zu]) and expects %lld", n.rank,
                  static_cast<long long>(n.bytes_out), i, static_cast<long long>(n.bytes_in));
    Edge edge;
    edge.space_in = n.bytes_in;
    self_plan_.edges.push_back(edge);
    self_links_.push_back(static_cast<int>(i));
  }
  std::vector<int> all(self_links_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  return self_buffer_.create(context_.rank(), lay_out(self_plan_, all, &Edge::space_in));
}

Status ListExchange::create(const hlc_exchange_spec *spec) {
  Options options;
  std::vector<Edge> edges;
  HLC_TRY(prepare(context_, context_.comm(), [&] {
    HLC_TRY(check(spec));
    options = {spec->mode, spec->epoch, spec->drive};
    HLC_TRY(resolve(options, context_.rank()));
    take(*spec);
    edges = make_edges();
    return link_to_myself();
  }));
  HLC_TRY(check_rules(context_, "hlc_exchange_create", [&] { return rules_of(options); }));
  return exchange_.create(context_, options, std::move(edges), "exchange #");
}

void ListExchange::take(const hlc_exchange_spec &spec) {
  neighbours_.assign(spec.neighbours, spec.neighbours + spec.nneighbours);
  pack_ = spec.pack;
  unpack_ = spec.unpack;
  user_ = spec.user;
}

std::vector<Edge> ListExchange::make_edges() {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    const hlc_neighbour &n = neighbours_[i];
    if (n.rank == context_.rank()) continue;
    Edge edge;
    edge.rank = n.rank;
    edge.tag_out = edge.tag_in = n.tag;
    edge.out = edge.space_out = n.bytes_out;
    edge.in = edge.space_in = n.bytes_in;
    edges.push_back(edge);
    entry_of_.push_back(static_cast<int>(i));
  }
  return edges;
}

Status ListExchange::bad_call(const char *call, const char *why) const {
  if (exchange_.check()) return exchange_.check()->wrong_call(call, why);
  return fail(Status::state, "%s on rank %d: %s", call, context_.rank(), why);
}

Status ListExchange::start() {
  if (broken()) return bad_call("hlc_exchange_start", "an earlier round failed; the exchange can only be destroyed");
  if (in_flight()) return bad_call("hlc_exchange_start", "a round is in flight already; finish it first");
  for (std::size_t i = 0; i < self_links_.size(); ++i)
    if (neighbours_[static_cast<std::size_t>(self_links_[i])].bytes_out > 0)
      pack_(self_links_[i], self_buffer_.chunk(static_cast<int>(i)), user_);
  return exchange_.check() ? start_checked() : exchange_.start();
}

Status ListExchange::test() {
  if (!in_flight()) return bad_call("hlc_exchange_test", "no round has been started");
  if (broken()) return bad_call("hlc_exchange_test", "this round has failed; the exchange can only be destroyed");
  return exchange_.check() ? exchange_.test_checked() : exchange_.test();
}

Status ListExchange::finish() {
  if (!in_flight()) return bad_call("hlc_exchange_finish", "no round has been started");
  if (broken()) return bad_call("hlc_exchange_finish", "this round has failed; the exchange can only be destroyed");
  if (exchange_.check()) return finish_checked();
  unpack_from_myself();
  return exchange_.finish();
}

/// There are no cells to look at: the cards and the stamps are all.
Status ListExchange::start_checked() { return exchange_.start_checked({{}, "its whole list", {}}); }

Status ListExchange::finish_checked() {
  return exchange_.in_round([this] {
    HLC_TRY(exchange_.meet());
    unpack_from_myself();
    HLC_TRY(exchange_.finish());
    return exchange_.check()->verdict();
  });
}

void ListExchange::unpack_from_myself() {
  for (std::size_t i = 0; i < self_links_.size(); ++i)
    if (neighbours_[static_cast<std::size_t>(self_links_[i])].bytes_in > 0)
      unpack_(self_links_[i], self_buffer_.chunk(static_cast<int>(i)), user_);
}

void ListExchange::pack(int edge, void *buffer, bool) { pack_(entry_of_[static_cast<std::size_t>(edge)], buffer, user_); }
void ListExchange::unpack(int edge, const void *buffer) { unpack_(entry_of_[static_cast<std::size_t>(edge)], buffer, user_); }

hlc_plan_info ListExchange::describe() const {
  hlc_plan_info info{};
  exchange_.describe(info);
  info.self_copies = static_cast<int>(self_links_.size());
  for (const int i : self_links_) info.self_bytes += neighbours_[static_cast<std::size_t>(i)].bytes_in;
  info.memory_bytes += self_buffer_.bytes() + static_cast<std::int64_t>(sizeof(ListExchange) + neighbours_.size() * sizeof(hlc_neighbour));
  return info;
}

}  // namespace halocline
