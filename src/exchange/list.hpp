// The general form: a list of neighbours, packed and unpacked by the caller's functions. The object behind hlc_exchange.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "exchange/buffers.hpp"
#include "exchange/exchange.hpp"
#include "exchange/packer.hpp"

namespace halocline::core {

class ListExchange final : private Packer {
 public:
  explicit ListExchange(const EngineParts &engine);

  /// The local part: checks the spec, copies it, and returns in *plan what is compared between ranks.
  /// chosen: the library has chosen the spec's mode.
  Status accept(const hlc_exchange_spec *spec, std::string *plan, bool chosen = false);
  /// Makes the plan of the accepted spec. Collective; the same status on all ranks.
  Status create(const hlc_exchange_spec *spec);
  Status may_start(const char *call) const { return exchange_.may_start(call); }
  Status may_go_on(const char *call) const { return exchange_.may_go_on(call); }
  /// Each call is allowed now.
  Status start();
  Status test();
  Status finish();
  bool retire() { return exchange_.retire(); }
  Work work() const;
  Status end(bool others_broken) { return exchange_.end(others_broken); }

  RoundState state() const { return exchange_.state(); }
  hlc_plan_info describe() const;

 private:
  /// Entries that name the caller itself: what the first sends, the second receives.
  struct SelfLink {
    int from, to;
  };

  Status check(const hlc_exchange_spec *spec) const;
  Status check_neighbour(const hlc_exchange_spec &spec, int i) const;
  const hlc_neighbour *find_taker(const hlc_neighbour &from) const;
  std::vector<Edge> make_edges();
  Status link_to_self();
  void pack(int edge, void *buffer, bool past_caches) override;
  void unpack(int edge, const void *buffer) override;
  void pull(Edges) override {}
  void copy_to_self() override;
  void describe_round(RoundDescriptor &descriptor) override;

  Communicator &communicator() const { return *exchange_.plan().communicator; }

  const Topology &topology_;
  Options options_;
  std::vector<Edge> edges_;  // until create, and so the label
  std::string label_;  // of check mode
  hlc_pack_fn pack_ = nullptr;
  hlc_unpack_fn unpack_ = nullptr;
  void *user_ = nullptr;
  std::vector<hlc_neighbour> neighbours_;
  std::vector<int> entry_of_;          // edge of the exchange -> entry of the list
  std::vector<SelfLink> self_links_;
  Plan self_plan_;                     // lays out self_buffer_, one edge per self link
  ChunkBuffer self_buffer_;
  Exchange exchange_;
};

}  // namespace halocline::core
