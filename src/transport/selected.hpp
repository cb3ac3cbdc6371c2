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

/// The endpoint of the one that is open.
class Opened {
 public:
  Status open(const Wish &wish, const Choice &choice);
  bool is_open() const { return report_ != nullptr; }
  EndpointReport &report() const { return *report_; }
  /// Calls call(endpoint).
  template <class Call>
  auto pass_on(Call call) const {
    return ofi_ ? call(*ofi_) : call(*ucx_);
  }

 private:
  template <class Network>
  Status open(std::unique_ptr<Network> &network, const Wish &wish, const Choice &choice);

  std::unique_ptr<ofi::Endpoint> ofi_;  // one of the two, once it is open
  std::unique_ptr<ucx::Endpoint> ucx_;
  EndpointReport *report_ = nullptr;  // a part of that one
};

/// transport/network.hpp describes each member. Before `open` only `choose` and `close_endpoint` may be called.
class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint &) = delete;
  Endpoint &operator=(const Endpoint &) = delete;

  static Status choose(const Wish &wish, Choice *choice);
  Status open(const Wish &wish, const Choice &choice);
  void close_endpoint();
  const std::string &description() const { return opened_.report().description(); }
  const std::string &library_file() const { return opened_.report().library_file(); }
  const char *text_of(int error) const {
    return opened_.pass_on([&](const auto &network) { return network.text_of(error); });
  }

  const Address &address() const { return opened_.report().address(); }
  Status resolve(const Address &address, Peer *peer) {
    return opened_.pass_on([&](auto &network) { return network.resolve(address, peer); });
  }
  void release_peer(const Address &address) {
    opened_.pass_on([&](auto &network) { network.release_peer(address); });
  }
  void release_peer(Peer peer) {
    opened_.pass_on([&](auto &network) { network.release_peer(peer); });
  }

  std::uint64_t register_counter(Counter *counter) {
    return opened_.pass_on([&](auto &network) { return network.register_counter(counter); });
  }
  void release_counter(std::uint64_t word) {
    opened_.pass_on([&](auto &network) { network.release_counter(word); });
  }
  bool carries_values() const { return opened_.report().carries_values(); }
  Status register_words(const NotificationWords &words, std::uint64_t *words_id) {
    return opened_.pass_on([&](auto &network) { return network.register_words(words, words_id); });
  }
  void release_words(std::uint64_t words_id) {
    opened_.pass_on([&](auto &network) { network.release_words(words_id); });
  }
  static std::uint64_t immediate_data(std::uint64_t words_id, std::uint32_t id, std::uint32_t value) {
    return EndpointReport::immediate_data(words_id, id, value);
  }
  void count_foreign() { opened_.report().count_foreign(); }
  std::uint64_t foreign() const { return opened_.report().foreign(); }

  std::int64_t most_bytes() const { return opened_.report().most_bytes(); }
  std::int64_t piece_bytes() const { return opened_.report().piece_bytes(); }
  bool registers_sources() const { return opened_.report().registers_sources(); }
  bool sends_tails() const { return opened_.report().sends_tails(); }
  bool keeps_order() const { return opened_.report().keeps_order(); }
  Status register_source(Transfer &transfer) {
    return opened_.pass_on([&](auto &network) { return network.register_source(transfer); });
  }
  void start(Transfer &transfer) {
    opened_.pass_on([&](auto &network) { network.start(transfer); });
  }
  bool waits_for_room(const Transfer &transfer) {
    return opened_.pass_on([&](auto &network) { return network.waits_for_room(transfer); });
  }
  bool withdraw(Transfer &transfer) {
    return opened_.pass_on([&](auto &network) { return network.withdraw(transfer); });
  }
  void abandon(Transfer &transfer, int error) {
    opened_.pass_on([&](auto &network) { network.abandon(transfer, error); });
  }
  std::uint64_t taken() const { return opened_.report().taken(); }
  bool has_room() const { return opened_.report().has_room(); }

  void poll() {
    opened_.pass_on([](auto &network) { network.poll(); });
  }
  void sleep(int until, long timeout_ns) {
    opened_.pass_on([&](auto &network) { network.sleep(until, timeout_ns); });
  }
  Transfer *take_ended() {
    return opened_.pass_on([](auto &network) { return network.take_ended(); });
  }
  bool any_ended() const {
    return opened_.pass_on([](const auto &network) { return network.any_ended(); });
  }
  std::uint64_t polls() const { return opened_.report().polls(); }
  std::uint64_t events() const { return opened_.report().events(); }

 private:
  friend class Region;

  Opened opened_;
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
