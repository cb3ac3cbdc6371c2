// The network that is selected at run time (HALOCLINE_NETWORK): libfabric (folder ofi) or UCX (folder ucx). Rank 0's choice says which one, and
// all ranks open that. Each call goes to the one that is open: one branch, which is always taken alike. What includes this file sees neither
// of the two.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "transport/endpoint_report.hpp"

namespace halocline::core::transport {
namespace ofi {
class Endpoint;
class Region;
}  // namespace ofi
namespace ucx {
class Endpoint;
class Region;
}  // namespace ucx
}  // namespace halocline::core::transport

namespace halocline::core::transport::selected {

/// transport/network.hpp describes each member. Before `open` only `choose` and `close_endpoint` may be called.
class Endpoint {
 public:
  Endpoint();
  ~Endpoint();
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;

  static Status choose(const Wish &wish, Choice *choice);
  Status open(const Wish &wish, const Choice &choice);
  void close_endpoint();
  const std::string &description() const { return report_->description(); }
  const std::string &library_file() const { return report_->library_file(); }
  const char *text_of(int error) const;

  const Address &address() const { return report_->address(); }
  Status resolve(const Address &address, Peer *peer);
  void release_peer(const Address &address);
  void release_peer(Peer peer);

  std::uint64_t register_counter(Counter *counter);
  void release_counter(std::uint64_t word);
  bool carries_values() const { return report_->carries_values(); }
  Status register_words(const NotificationWords &words, std::uint64_t *words_id);
  void release_words(std::uint64_t words_id);
  static std::uint64_t immediate_data(std::uint64_t words_id, std::uint32_t id, std::uint32_t value) {
    return EndpointReport::immediate_data(words_id, id, value);
  }
  static std::uint64_t immediate_data(std::uint64_t words_id, std::uint64_t code) { return EndpointReport::immediate_data(words_id, code); }
  void count_foreign() { report_->count_foreign(); }
  std::uint64_t foreign() const { return report_->foreign(); }

  std::int64_t most_bytes() const { return report_->most_bytes(); }
  std::int64_t piece_bytes() const { return report_->piece_bytes(); }
  bool registers_sources() const { return report_->registers_sources(); }
  bool sends_tails() const { return report_->sends_tails(); }
  bool keeps_order() const { return report_->keeps_order(); }
  Status register_source(Transfer &transfer);
  void start(Transfer &transfer);
  bool waits_for_room(const Transfer &transfer);
  bool withdraw(Transfer &transfer);
  void abandon(Transfer &transfer, int error);
  std::uint64_t taken() const { return report_->taken(); }
  bool has_room() const { return report_->has_room(); }

  void poll();
  void sleep(int until, long timeout_ns);
  Transfer *take_ended();
  bool any_ended() const;
  std::uint64_t polls() const { return report_->polls(); }
  std::uint64_t events() const { return report_->events(); }

 private:
  friend class Region;

  /// Calls call(network).
  template <class Call>
  auto pass_on(Call call) const;

  std::unique_ptr<ofi::Endpoint> ofi_;  // one of the two, once it is open
  std::unique_ptr<ucx::Endpoint> ucx_;
  EndpointReport *report_ = nullptr;  // a part of that one
};

/// A region of the network whose endpoint it is opened with. transport/network.hpp describes each member.
class Region {
 public:
  using Use = transport::Use;

  Region();
  Region(Region &&other) noexcept;
  Region &operator=(Region &&other) noexcept;
  ~Region();

  Status open(Endpoint &endpoint, std::int64_t bytes, Use use);
  Status cover(Endpoint &endpoint, char *base, std::int64_t bytes, Use use = Use::for_peers);
  char *base() const { return seen_.base; }
  std::int64_t bytes() const { return seen_.bytes; }
  void *desc() const { return seen_.desc; }
  RemoteKey remote() const { return seen_.remote; }

 private:
  /// What the network's region has reported once it was open.
  struct Seen {
    char *base = nullptr;
    std::int64_t bytes = 0;
    void *desc = nullptr;
    RemoteKey remote;
  };

  template <class Enter>
  Status enter(Endpoint &endpoint, Enter enter);

  std::unique_ptr<ofi::Region> ofi_;  // at most one of the two
  std::unique_ptr<ucx::Region> ucx_;
  Seen seen_;
};

static_assert(NetworkContract<Endpoint, Region>);

}  // namespace halocline::core::transport::selected
