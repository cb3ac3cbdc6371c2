// The general form: a list of neighbours, packed and unpacked by the caller's functions. The object behind hlc_exchange.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "exchange/buffers.hpp"
#include "exchange/exchange.hpp"

namespace halocline {

class ListExchange final : private Cargo {
 public:
  explicit ListExchange(Context &context) : context_(context), exchange_(*this) {}

  /// Plans. Collective; the same status on all ranks.
  Status create(const hlc_exchange_spec *spec);
  Status start();
  Status test();
  Status finish();
  Status end() { return exchange_.end(); }

  bool in_flight() const { return exchange_.in_flight(); }
  bool broken() const { return exchange_.broken(); }
  Context &context() { return context_; }
  hlc_plan_info describe() const;

 private:
  Status check(const hlc_exchange_spec *spec) const;
  void take(const hlc_exchange_spec &spec);
  std::vector<Edge> make_edges();
  Status link_to_myself();
  Status bad_call(const char *call, const char *why) const;
  Status start_checked();
  Status finish_checked();
  void unpack_from_myself();
  void pack(int edge, void *buffer, bool past_caches) override;
  void unpack(int edge, const void *buffer) override;
  void pull(int) override {}

  Context &context_;
  hlc_pack_fn pack_ = nullptr;
  hlc_unpack_fn unpack_ = nullptr;
  void *user_ = nullptr;
  std::vector<hlc_neighbour> neighbours_;
  std::vector<int> entry_of_;          // edge of the exchange -> entry of the list
  std::vector<int> self_links_;        // entries that name the caller itself; each takes what it sends
  Plan self_plan_;                     // lays out self_buffer_, one edge per self link
  ChunkBuffer self_buffer_;
  Exchange exchange_;
};

}  // namespace halocline
