// The contract of a transport. There are two kinds: shared memory, whose contract is here, and a network, whose contract is network.hpp.
// Each has
//   Region  memory that peers may access. Shared memory is created and mapped by all together: one part per rank, addressed by its owner
//           and an offset. On a network each process registers its own, and sends the others its address and key.
// and a class that a rank waits on, and that reports the arrival of data:
//   shm::Doorbell   the sender stores, and wakes the receiver.
//   Endpoint        of a network: the sender writes with immediate data, and the receiver polls.
// Each transport is a folder (region.*, and doorbell.* or endpoint.*). The checks are compiled for each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>

#include "base/atomics.hpp"
#include "base/status.hpp"

namespace halocline::core::transport {

/// A rank's index among those that a transport joins (on shared memory: the ranks of the node).
using Member = int;

template <class R>
concept RegionContract = requires(const R &region, Member member) {
  { region.part(member) } -> std::same_as<char *>;
  { region.part_bytes(member) } -> std::same_as<std::int64_t>;
};

template <class P>
concept DoorbellContract = requires(P &doorbell, Member member, std::uint32_t seen, long timeout_ns) {
  { doorbell.ring(member) } -> std::same_as<void>;
  { doorbell.word() } -> std::same_as<std::uint32_t>;
  { doorbell.announce_sleep() } -> std::same_as<void>;
  { doorbell.sleep(seen, timeout_ns) } -> std::same_as<void>;
  { doorbell.awake() } -> std::same_as<void>;
  { doorbell.alive(member) } -> std::same_as<bool>;
};

}  // namespace halocline::core::transport
