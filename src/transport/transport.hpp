// The contract of a transport: what the engine asks of shared memory and of a network. A transport brings
//   Region  memory that peers may reach. Shared memory is made by all together and mapped by all: one part per rank, each part known by its
//           owner and an offset. On a network each process has its own, and tells the others its address and key.
//   Port    how peers are told that data are there, and where a rank waits for that. In shared memory the sender stores and rings; on a network
//           it puts, with an announcement, and the receiver has to poll.
// Each lives in a folder of the same file names (region.*, port.*). The checks below are compiled for each transport.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>

#include "base/atomics.hpp"
#include "base/status.hpp"

namespace halocline::transport {

/// A rank's index among those that a transport joins (on shared memory: the ranks of the node).
using Member = int;

template <class R>
concept RegionContract = requires(const R &region, Member member) {
  { region.part(member) } -> std::same_as<char *>;
  { region.part_bytes(member) } -> std::same_as<std::int64_t>;
};

template <class P>
concept PortContract = requires(P &port, Member member, std::uint32_t seen, long timeout_ns) {
  { port.ring(member) } -> std::same_as<void>;
  { port.bell() } -> std::same_as<std::uint32_t>;
  { port.announce_sleep() } -> std::same_as<void>;
  { port.sleep(seen, timeout_ns) } -> std::same_as<void>;
  { port.awake() } -> std::same_as<void>;
  { port.alive(member) } -> std::same_as<bool>;
};

template <class R>
concept NetworkRegionContract = requires(const R &region) {
  { region.base() } -> std::same_as<char *>;
  { region.bytes() } -> std::same_as<std::int64_t>;
  region.remote();
};

template <class P>
concept NetworkPortContract = requires(P &port, Counter *counter, std::uint64_t word, int until, long timeout_ns) {
  port.address();
  { port.listen(counter) } -> std::same_as<std::uint64_t>;
  { port.stop_listening(word) } -> std::same_as<void>;
  { port.poll() } -> std::same_as<void>;
  { port.sleep(until, timeout_ns) } -> std::same_as<void>;
};

}  // namespace halocline::transport
