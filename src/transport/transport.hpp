// The contract of a transport: what the engine asks of shared memory now, and of a network later. A transport brings
//   Region  memory that peers may reach: made collectively, one part per rank, each part known by its owner and an offset;
//   Port    where a rank waits and how peers wake it: ring() after a release store, sleep() bounded in time, alive().
// Each lives in a folder of the same file names (region.*, port.*). The checks below are compiled for each transport.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>

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

}  // namespace halocline::transport
