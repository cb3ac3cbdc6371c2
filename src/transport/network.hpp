// The contract of a network: plain values that an endpoint takes and returns, and the members that engine, exchange, reduce and the helper
// process call. A network is a folder with endpoint.hpp (class Endpoint) and region.hpp (class Region, registered memory). Both are checked
// against the concepts below. Networks share endpoint_report.hpp, immediate_data.hpp, ended.hpp, backlog.hpp, disturbance.hpp and random.hpp.
// selected.hpp selects one of the folders ofi and ucx at run time; only engine/network/network_transport.hpp names it.
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

namespace halocline::core::transport {

/// The address of an endpoint. Plain bytes, to be sent as they are.
struct Address {
  std::uint32_t bytes = 0;
  char text[124] = "";
  bool operator<(const Address &other) const { return std::memcmp(this, &other, sizeof *this) < 0; }
};

/// The handle of another process's endpoint once its address has been resolved.
using Peer = std::uint64_t;

/// The remote key of registered memory, given to peers by its owner. Plain numbers, to be sent as they are.
struct RemoteKey {
  std::uint64_t address = 0;  // of the first byte, as the network counts: a byte n further on has this plus n
  std::uint64_t key = 0;
};

/// The use of registered memory. for_peers: remote writes and reads. for_me: transfers of this endpoint, as source or as receive buffer.
enum class Use { for_peers, for_me };

/// A network whose capabilities are reduced for tests. crowded: repeatedly it has no room for writes for some milliseconds, but room for
/// messages. unordered: transfers are short and overtake each other, without any ordering guarantee. poor: as unordered, with four bytes of
/// immediate data, and sources that must be registered. cxi, efa, opx: transfers overtake each other, and the network has the attributes of that
/// provider of libfabric.
enum class Fake : std::uint32_t { no, crowded, unordered, poor, cxi, efa, opx };

/// The names of reduced networks, in the order of their values.
inline constexpr std::array kFakeNames{"", "crowded", "unordered", "poor", "cxi", "efa", "opx"};

/// True if transfers overtake each other.
constexpr bool is_unordered(Fake fake) { return fake != Fake::no && fake != Fake::crowded; }

/// The networks that a program may select: libfabric, and UCX.
enum class Kind : std::uint32_t { ofi, ucx };

/// What a user asks for; empty: the fastest.
struct Wish {
  std::string network;  // ofi or ucx; empty: the one with the better device
  std::string provider, interface;
  bool one_host = false;  // no rank runs on another host, so none has to reach this one from outside
  bool many_threads = false;  // several threads may call at once
  Fake fake = Fake::no;
  bool sleeps = false;  // a thread sleeps until something arrives
  std::string library = {};  // the file of the network's library to try first
  std::string only_library = {};  // the file that the user names: no other is tried
  bool has_helper = false;  // a helper process of each node has an endpoint, too
  int ranks = 0;  // of the job, which are peers perhaps; 0: not known

  bool operator==(const Wish &other) const = default;
};

/// What must be the same on all ranks. Plain bytes, to be sent as they are.
struct Choice {
  Kind kind = Kind::ofi;
  char provider[64] = "", network[64] = "";
  std::uint32_t address_format = 0;
  Fake fake = Fake::no;
  bool for_device = false;  // UCX, unasked, as rank 0's host has a device for it: a host without one refuses
  std::uint64_t secret = 0;  // contained in the messages of the job's ranks, unknown to other processes

  /// True if an endpoint that was opened for one choice also fits the other.
  bool names_same_network(const Choice &other) const {
    return kind == other.kind && std::strcmp(provider, other.provider) == 0 && std::strcmp(network, other.network) == 0 &&
           address_format == other.address_format && fake == other.fake;
  }
};

/// Counts failed transfers of one owner, which looks for them when the count grows.
using Failures = std::atomic<std::uint64_t>;

/// One RDMA write, RDMA read or message; reusable. From start until completion (at_rest or failed) it belongs to the endpoint, which links
/// and marks it. After completion its source may be reused, and its receive buffer read.
struct Transfer {
  enum class State : int { at_rest, under_way, failed };
  /// Transfers may overtake each other, except as keeps_order guarantees. Each kind, and when it is complete:
  /// - write: RDMA write; when the source may be reused. The bytes may arrive later.
  /// - write_with_immediate: the same with immediate data, which the target's endpoint receives after the bytes are placed
  /// - write_delivered: RDMA write; when the bytes are in the target's memory
  /// - write_delivered_with_immediate: the same with immediate data
  /// - read: RDMA read; when the bytes are in `into`
  /// - send: message; when the source may be reused
  /// - receive: receive buffer for one message of any peer; when a message of `arrived` bytes is in it
  enum class Kind : int { write, write_with_immediate, write_delivered, write_delivered_with_immediate, read, send, receive };

  std::array<void *, 8> for_network{};  // the network's own; must be first: its address is the completion's context
  Kind kind = Kind::write_with_immediate;
  bool reported = false;  // take_ended returns it
  Peer peer = 0;
  const char *from = nullptr;
  char *into = nullptr;  // of read and receive
  void *desc = nullptr;  // of the region that contains `from` or `into`
  void *registered = nullptr;  // the network's own: a registration for this transfer only
  std::int64_t bytes = 0;
  const char *tail = nullptr;  // of send: what follows the bytes of `from`, unless tail_bytes is 0
  std::int64_t tail_bytes = 0;
  std::int64_t arrived = 0;  // bytes of a received message
  std::uint64_t address = 0, key = 0;  // at the target, as in its RemoteKey
  std::uint64_t immediate = 0;  // immediate data
  bool in_any_order = false;  // not ordered with other transfers
  bool announces = false;  // the network's own: a message with the immediate data follows the write
  bool waits = false;  // for room in the network
  Transfer *next = nullptr;  // used while it waits, or has ended and is reported
  int error = 0;  // if it has failed: an errno or the network's own number; text_of explains it
  Failures *failures = nullptr;  // its owner's counter of failures; lives as long as the endpoint
  std::atomic<State> state{State::at_rest};

  /// Takes peer, remote key, local descriptor and owner from another transfer.
  void aim_as(const Transfer &other) {
    peer = other.peer;
    desc = other.desc;
    key = other.key;
    failures = other.failures;
  }
};

/// Choosing and opening. Rank 0 calls `choose` for all, and all call `open` with its choice. Both return unsupported, with the reason, if
/// nothing fits. After `close_endpoint` nothing is sent or received any more, and no transfer belongs to the network; regions may be closed
/// later.
template <class E>
concept OpensEndpoint = std::default_initializable<E> && requires(E &endpoint, const E &seen, const Wish &wish, Choice *choice, int error) {
  { E::choose(wish, choice) } -> std::same_as<Status>;
  { endpoint.open(wish, *choice) } -> std::same_as<Status>;
  { endpoint.close_endpoint() } -> std::same_as<void>;
  { seen.description() } -> std::same_as<const std::string &>;  // one line: provider, interface, library
  { seen.library_file() } -> std::same_as<const std::string &>;
  { seen.text_of(error) } -> std::same_as<const char *>;
};

/// Peers. `resolve` resolves an address and sends nothing. Each call needs one matching call of `release_peer`.
template <class E>
concept ResolvesPeers = requires(E &endpoint, const E &seen, const Address &address, Peer peer, Peer *resolved) {
  { seen.address() } -> std::same_as<const Address &>;
  { endpoint.resolve(address, resolved) } -> std::same_as<Status>;
  { endpoint.release_peer(address) } -> std::same_as<void>;
  { endpoint.release_peer(peer) } -> std::same_as<void>;
};

/// Immediate data. `register_counter` returns the data that peers send to increase a counter by one. If `carries_values`, `register_words`
/// returns an id; peers send immediate_data(id, i, value) to set word i, and immediate_data(id, code) to change a number. All that happens in `poll`, after the bytes of the
/// write are placed. Data for nothing registered are dropped and counted, as is a message of a foreign job (`count_foreign`).
template <class E>
concept TakesImmediateData =
    requires(E &endpoint, const E &seen, Counter *counter, const NotificationWords &words, std::uint64_t word, std::uint32_t n) {
      { endpoint.register_counter(counter) } -> std::same_as<std::uint64_t>;
      { endpoint.release_counter(word) } -> std::same_as<void>;
      { seen.carries_values() } -> std::same_as<bool>;
      { endpoint.register_words(words, &word) } -> std::same_as<Status>;
      { endpoint.release_words(word) } -> std::same_as<void>;
      { E::immediate_data(word, n, n) } -> std::same_as<std::uint64_t>;
      { E::immediate_data(word, word) } -> std::same_as<std::uint64_t>;
      { endpoint.count_foreign() } -> std::same_as<void>;
      { seen.foreign() } -> std::same_as<std::uint64_t>;
    };

/// Transfers. `start` never blocks: a transfer that the network has no room for waits in the endpoint, in order for each peer.
/// `keeps_order`: a message arrives after the writes and messages to its peer that were started before it. `withdraw` takes back a transfer that waits;
/// false if the network already has it. `abandon` does the same, and the transfer fails. `register_source` registers the source of a
/// transfer until its end.
template <class E>
concept StartsTransfers = requires(E &endpoint, const E &seen, Transfer &transfer, const Transfer &started, int error) {
  { seen.most_bytes() } -> std::same_as<std::int64_t>;  // of one transfer
  { seen.piece_bytes() } -> std::same_as<std::int64_t>;  // the transfer size at which long puts and gets are the fastest
  { seen.registers_sources() } -> std::same_as<bool>;  // then each transfer needs a descriptor
  { seen.sends_tails() } -> std::same_as<bool>;  // else tail_bytes must be 0
  { seen.keeps_order() } -> std::same_as<bool>;
  { endpoint.register_source(transfer) } -> std::same_as<Status>;
  { endpoint.start(transfer) } -> std::same_as<void>;
  { endpoint.waits_for_room(started) } -> std::same_as<bool>;
  { endpoint.withdraw(transfer) } -> std::same_as<bool>;
  { endpoint.abandon(transfer, error) } -> std::same_as<void>;
  { seen.taken() } -> std::same_as<std::uint64_t>;  // transfers to peers that the network has accepted so far
  { seen.has_room() } -> std::same_as<bool>;  // few or none of those are incomplete
};

/// Progress. Transfers complete, arrive or are retried only in `poll`, which does nothing while another thread is in the endpoint.
/// `take_ended` returns the reported transfers that have completed since the last call, linked by `next`, in order of completion. `sleep`
/// returns when something may have arrived, the file descriptor is readable, or the time has passed. It needs Wish::sleeps; one thread at a
/// time.
template <class E>
concept MakesProgress = requires(E &endpoint, const E &seen, int fd, long timeout_ns) {
  { endpoint.poll() } -> std::same_as<void>;
  { endpoint.sleep(fd, timeout_ns) } -> std::same_as<void>;
  { endpoint.take_ended() } -> std::same_as<Transfer *>;
  { seen.any_ended() } -> std::same_as<bool>;  // without a lock
  { seen.polls() } -> std::same_as<std::uint64_t>;  // calls of poll
  { seen.events() } -> std::same_as<std::uint64_t>;  // completions, messages and immediate data read by them
};

/// A process's endpoint. With Wish::many_threads any thread may call, else one at a time. Only open, resolve and the register functions
/// allocate memory.
template <class E>
concept NetworkEndpointContract = OpensEndpoint<E> && ResolvesPeers<E> && TakesImmediateData<E> && StartsTransfers<E> && MakesProgress<E>;

/// Registered memory. `open` allocates pages of zeros; `cover` registers existing memory, which must outlive the region. Sizes are in
/// bytes. A region must be destroyed before its endpoint.
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

}  // namespace halocline::core::transport
