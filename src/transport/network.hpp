// The contract of a network: plain values that an endpoint takes and returns, and the members that engine, exchange, reduce and the helper
// process call. A network is a folder with endpoint.hpp (class Endpoint) and region.hpp (class Region, registered memory); both are checked
// against the concepts below. Which folder is used is said in engine/network/network_transport.hpp alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/atomics.hpp"
#include "base/notifications.hpp"
#include "base/status.hpp"

namespace halocline::transport {

/// Where an endpoint is reached. Plain bytes, to be sent as they are.
struct Address {
  std::uint32_t bytes = 0;
  char text[124] = "";
  bool operator<(const Address &other) const { return std::memcmp(this, &other, sizeof *this) < 0; }
};

/// Another process's endpoint, as this one calls it once its address has been resolved.
using Peer = std::uint64_t;

/// Registered memory of a peer, as its owner describes it. Plain numbers, to be sent as they are.
struct RemoteKey {
  std::uint64_t address = 0;  // of the first byte, as the network counts: a byte n further on has this plus n
  std::uint64_t key = 0;
};

/// Who accesses registered memory. for_peers: remote writes and reads. for_me: transfers of this endpoint, as source or as receive buffer.
enum class Use { for_peers, for_me };

/// A network that is made to do less than it can, for tests. crowded: again and again it has no room for writes for some milliseconds, while it has
/// some for messages. unordered: transfers are short and overtake each other, and none is promised not to. poor: also four bytes of
/// immediate data, and sources that have to be registered.
enum class Fake : std::uint32_t { no, crowded, unordered, poor };

/// What a user asks for; empty: whatever is fastest.
struct Wish {
  std::string provider, interface;
  bool one_host = false;  // no rank runs on another host, so nobody else need be able to reach us
  bool many_threads = false;  // several threads may call at once
  Fake fake = Fake::no;
  bool sleeps = false;  // a thread sleeps until something arrives
  std::string library = {};  // the file of the network's library to try first

  bool operator==(const Wish &other) const = default;
};

/// What all ranks must have in common. Plain bytes, to be sent as they are.
struct Choice {
  char provider[64] = "", network[64] = "";
  std::uint32_t address_format = 0;
  Fake fake = Fake::no;
  std::uint64_t secret = 0;  // what messages between the ranks of the job carry, and others do not know

  /// True if an endpoint that was opened for one serves the other as well.
  bool names_same_network(const Choice &other) const {
    return std::strcmp(provider, other.provider) == 0 && std::strcmp(network, other.network) == 0 &&
           address_format == other.address_format && fake == other.fake;
  }
};

/// Counts failed transfers of one owner, which looks for those that have failed when it grows.
using Failures = std::atomic<std::uint64_t>;

/// One RDMA write, RDMA read or message, used again and again. From start until it is complete (at_rest or failed) it belongs to the endpoint,
/// which links and marks it. Its source may be reused, and its receive buffer read, from then on.
struct Transfer {
  enum class State : int { at_rest, under_way, failed };
  /// Each kind and when it is complete:
  ///   write                           RDMA write; when the source may be reused. The bytes may arrive later.
  ///   write_with_immediate            the same with immediate data, which the target's endpoint takes once the bytes are there
  ///   write_delivered                 RDMA write; when the bytes are in the target's memory
  ///   write_delivered_with_immediate  the same with immediate data
  ///   read                            RDMA read; when the bytes are in `into`
  ///   send                            message; when the source may be reused
  ///   receive                         receive buffer for one message of any peer; when a message of `arrived` bytes is in it
  /// Transfers overtake each other, except where keeps_order says otherwise.
  enum class Kind : int { write, write_with_immediate, write_delivered, write_delivered_with_immediate, read, send, receive };

  std::array<void *, 8> for_network{};  // the network's own; must stand first: it names the transfer in a completion queue
  Kind kind = Kind::write_with_immediate;
  bool reported = false;  // take_ended returns it
  Peer peer = 0;
  const char *from = nullptr;
  char *into = nullptr;  // of fetch and receive
  void *desc = nullptr;  // of the region that `from` or `into` lies in
  void *registered = nullptr;  // the network's own: a registration for this transfer alone
  std::int64_t bytes = 0;
  std::int64_t arrived = 0;  // bytes of a received message
  std::uint64_t address = 0, key = 0;  // at the target, as in its RemoteKey
  std::uint64_t immediate = 0;  // immediate data
  bool in_any_order = false;  // holds no other up, and waits for none
  bool waits = false;  // for room in the network
  Transfer *next = nullptr;  // while it waits, or has ended and is reported
  int error = 0;  // if it has failed: errno's number or one of the network's own; text_of explains it
  Failures *failures = nullptr;  // of its owner, where it is counted if it fails; lives as long as the endpoint
  std::atomic<State> state{State::at_rest};

  /// Goes to the same memory of the same peer, from the same region of the same owner.
  void aim_as(const Transfer &other) {
    peer = other.peer;
    desc = other.desc;
    key = other.key;
    failures = other.failures;
  }
};

/// Choosing and opening. `choose` is what rank 0 does for all, `open` what all do with its choice; both return unsupported, with the reason, where
/// nothing fits. After `close_endpoint` nothing is sent or received any more and no transfer belongs to the network; regions may be closed later.
template <class E>
concept OpensEndpoint = std::default_initializable<E> && requires(E &endpoint, const E &seen, const Wish &wish, Choice *choice, int error) {
  { E::choose(wish, choice) } -> std::same_as<Status>;
  { endpoint.open(wish, *choice) } -> std::same_as<Status>;
  { endpoint.close_endpoint() } -> std::same_as<void>;
  { seen.description() } -> std::same_as<const std::string &>;  // one line: provider, interface, library
  { seen.library_file() } -> std::same_as<const std::string &>;
  { seen.text_of(error) } -> std::same_as<const char *>;
};

/// Peers. `resolve` resolves an address and sends nothing; each call is to be undone by one of `release_peer`.
template <class E>
concept ResolvesPeers = requires(E &endpoint, const E &seen, const Address &address, Peer peer, Peer *resolved) {
  { seen.address() } -> std::same_as<const Address &>;
  { endpoint.resolve(address, resolved) } -> std::same_as<Status>;
  { endpoint.release_peer(address) } -> std::same_as<void>;
  { endpoint.release_peer(peer) } -> std::same_as<void>;
};

/// Immediate data. `register_counter` returns the data that peers send to have a counter increased by one. Where `carries_values`,
/// `register_words` returns an id, and immediate_data(id, i, value) is what peers send to set word i. Counting and setting happen in `poll`, after
/// the bytes of the write are there. Data that name nothing registered are dropped and counted, as is a message of a foreign job (`count_foreign`).
template <class E>
concept TakesImmediateData =
    requires(E &endpoint, const E &seen, Counter *counter, const NotificationWords &words, std::uint64_t word, std::uint32_t n) {
      { endpoint.register_counter(counter) } -> std::same_as<std::uint64_t>;
      { endpoint.release_counter(word) } -> std::same_as<void>;
      { seen.carries_values() } -> std::same_as<bool>;
      { endpoint.register_words(words, &word) } -> std::same_as<Status>;
      { endpoint.release_words(word) } -> std::same_as<void>;
      { E::immediate_data(word, n, n) } -> std::same_as<std::uint64_t>;
      { endpoint.count_foreign() } -> std::same_as<void>;
      { seen.foreign() } -> std::same_as<std::uint64_t>;
    };

/// Transfers. `start` never blocks: what the network has no room for waits in the endpoint, in order for each peer. `keeps_order`: a message
/// arrives after the writes to its peer that were started before it. `withdraw` takes back a transfer that waits, and returns false for one that
/// the network has; `give_up` does the same and fails it. `register_source` registers the source of a transfer until its end.
template <class E>
concept StartsTransfers = requires(E &endpoint, const E &seen, Transfer &transfer, const Transfer &started, int error) {
  { seen.most_bytes() } -> std::same_as<std::int64_t>;  // of one transfer
  { seen.registers_sources() } -> std::same_as<bool>;  // then each transfer needs a descriptor
  { seen.keeps_order() } -> std::same_as<bool>;
  { endpoint.register_source(transfer) } -> std::same_as<Status>;
  { endpoint.start(transfer) } -> std::same_as<void>;
  { endpoint.waits_for_room(started) } -> std::same_as<bool>;
  { endpoint.withdraw(transfer) } -> std::same_as<bool>;
  { endpoint.give_up(transfer, error) } -> std::same_as<void>;
  { seen.taken() } -> std::same_as<std::uint64_t>;  // transfers to peers that the network has taken, ever
  { seen.has_room() } -> std::same_as<bool>;  // it holds none of those, or far fewer than it has room for
};

/// Progress. Nothing completes, arrives or is tried again but in `poll`, which does nothing while another thread is in the endpoint. `take_ended`
/// returns the reported transfers that have completed since the last call, linked by `next`, the first to complete first. `sleep` returns when
/// something may have arrived, the file descriptor is readable, or the time is over; it needs Wish::sleeps, and one thread at a time.
template <class E>
concept MakesProgress = requires(E &endpoint, const E &seen, int fd, long timeout_ns) {
  { endpoint.poll() } -> std::same_as<void>;
  { endpoint.sleep(fd, timeout_ns) } -> std::same_as<void>;
  { endpoint.take_ended() } -> std::same_as<Transfer *>;
  { seen.any_ended() } -> std::same_as<bool>;  // without a lock
  { seen.polls() } -> std::same_as<std::uint64_t>;  // calls of poll
  { seen.events() } -> std::same_as<std::uint64_t>;  // completions, messages and immediate data that they have taken in
};

/// A process's endpoint. With Wish::many_threads any thread may call, else one at a time. Only open, resolve and the register functions allocate.
template <class E>
concept NetworkEndpointContract = OpensEndpoint<E> && ResolvesPeers<E> && TakesImmediateData<E> && StartsTransfers<E> && MakesProgress<E>;

/// Registered memory. `open` takes pages that hold zeros, `cover` registers memory that exists and has to outlive the region; both take bytes. A
/// region ends before its endpoint.
template <class R, class E>
concept NetworkRegionContract =
    std::movable<R> && std::default_initializable<R> && requires(R &region, const R &seen, E &endpoint, char *base, std::int64_t bytes) {
      { region.open(endpoint, bytes, R::Use::for_peers) } -> std::same_as<Status>;
      { region.cover(endpoint, base, bytes) } -> std::same_as<Status>;
      { region.cover(endpoint, base, bytes, R::Use::for_me) } -> std::same_as<Status>;
      { seen.base() } -> std::same_as<char *>;
      { seen.bytes() } -> std::same_as<std::int64_t>;
      { seen.desc() } -> std::same_as<void *>;  // for transfers from or into this memory
      { seen.remote() } -> std::same_as<RemoteKey>;  // for peers
    };

/// Both classes of a network.
template <class E, class R>
concept NetworkContract = NetworkEndpointContract<E> && NetworkRegionContract<R, E>;

}  // namespace halocline::transport
