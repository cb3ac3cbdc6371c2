// The network that is selected at run time (HALOCLINE_NETWORK): libfabric (folder ofi) or UCX (folder ucx). Rank 0's choice says which one, and
// all ranks open that. Each call goes to the one that is open: one branch, which is always taken alike.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "transport/ofi/region.hpp"
#include "transport/ucx/region.hpp"

namespace halocline::core::transport::selected {

/// transport/network.hpp describes each member. Before `open` only `choose` and `close_endpoint` may be called.
class Endpoint {
 private:
  /// Calls call(network) with the one that is open.
  template <class Call>
  auto pass_on(Call call) const {
    return ofi_ ? call(*ofi_) : call(*ucx_);
  }

 public:
  Endpoint() = default;
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;

  static Status choose(const Wish &wish, Choice *choice);
  Status open(const Wish &wish, const Choice &choice);
  void close_endpoint();
  const std::string &description() const { return report_->description(); }
  const std::string &library_file() const { return report_->library_file(); }
  const char *text_of(int error) const {
    return pass_on([&](const auto &network) { return network.text_of(error); });
  }

  const Address &address() const { return report_->address(); }
  Status resolve(const Address &address, Peer *peer) {
    return pass_on([&](auto &network) { return network.resolve(address, peer); });
  }
  void release_peer(const Address &address) {
    pass_on([&](auto &network) { network.release_peer(address); });
  }
  void release_peer(Peer peer) {
    pass_on([&](auto &network) { network.release_peer(peer); });
  }

  std::uint64_t register_counter(Counter *counter) {
    return pass_on([&](auto &network) { return network.register_counter(counter); });
  }
  void release_counter(std::uint64_t word) {
    pass_on([&](auto &network) { network.release_counter(word); });
  }
  bool carries_values() const { return report_->carries_values(); }
  Status register_words(const NotificationWords &words, std::uint64_t *words_id) {
    return pass_on([&](auto &network) { return network.register_words(words, words_id); });
  }
  void release_words(std::uint64_t words_id) {
    pass_on([&](auto &network) { network.release_words(words_id); });
  }
  static std::uint64_t immediate_data(std::uint64_t words_id, std::uint32_t id, std::uint32_t value) {
    return EndpointReport::immediate_data(words_id, id, value);
  }
  void count_foreign() { report_->count_foreign(); }
  std::uint64_t foreign() const { return report_->foreign(); }

  std::int64_t most_bytes() const { return report_->most_bytes(); }
  std::int64_t piece_bytes() const { return report_->piece_bytes(); }
  bool registers_sources() const { return report_->registers_sources(); }
  bool sends_tails() const { return report_->sends_tails(); }
  bool keeps_order() const { return report_->keeps_order(); }
  Status register_source(Transfer &transfer) {
    return pass_on([&](auto &network) { return network.register_source(transfer); });
  }
  void start(Transfer &transfer) {
    pass_on([&](auto &network) { network.start(transfer); });
  }
  bool waits_for_room(const Transfer &transfer) {
    return pass_on([&](auto &network) { return network.waits_for_room(transfer); });
  }
  bool withdraw(Transfer &transfer) {
    return pass_on([&](auto &network) { return network.withdraw(transfer); });
  }
  void abandon(Transfer &transfer, int error) {
    pass_on([&](auto &network) { network.abandon(transfer, error); });
  }
  std::uint64_t taken() const { return report_->taken(); }
  bool has_room() const { return report_->has_room(); }

  void poll() {
    pass_on([](auto &network) { network.poll(); });
  }
  void sleep(int until, long timeout_ns) {
    pass_on([&](auto &network) { network.sleep(until, timeout_ns); });
  }
  Transfer *take_ended() {
    return pass_on([](auto &network) { return network.take_ended(); });
  }
  bool any_ended() const {
    return pass_on([](const auto &network) { return network.any_ended(); });
  }
  std::uint64_t polls() const { return report_->polls(); }
  std::uint64_t events() const { return report_->events(); }

 private:
  friend class Region;

  template <class Network>
  Status open(std::unique_ptr<Network> &network, const Wish &wish, const Choice &choice);
  std::unique_ptr<ofi::Endpoint> ofi_;  // one of the two, once it is open
  std::unique_ptr<ucx::Endpoint> ucx_;
  EndpointReport *report_ = nullptr;  // a part of that one
};

/// A region of the network whose endpoint it is opened with. transport/network.hpp describes each member.
class Region {
 public:
  using Use = transport::Use;

  Region() = default;
  Region(Region &&other) noexcept { *this = std::move(other); }
  Region &operator=(Region &&other) noexcept {
    std::swap(region_, other.region_);
    std::swap(seen_, other.seen_);
    return *this;
  }
  ~Region() = default;

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

  std::variant<ofi::Region, ucx::Region> region_;
  Seen seen_;
};

static_assert(NetworkContract<Endpoint, Region>);

}  // namespace halocline::core::transport::selected
