// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace simulate {

namespace {

constexpr double kSmall = 8, kLong = 1 << 20;

/// A curve of a card, by its name.
struct Curve {
  const char *operation, *by;
  int nodes = 1;
};

bool is_named(const hlc_model_curve_t &curve, const Curve &wanted) {
  return curve.nodes == wanted.nodes && std::string(curve.operation) == wanted.operation && std::string(curve.by) == wanted.by;
}

/// The sum of a curve's terms. A prediction is no less than what was measured, and costs per byte are differences of sums.
std::optional<double> predicted(const hlc_model *card, const Curve &wanted, const hlc_model_case &which) {
  hlc_model_curve_t curve{};
  for (int index = 0; hlc_model_curve(card, index, &curve) == HLC_OK; ++index) {
    if (!is_named(curve, wanted)) continue;
    double us = 0;
    for (int i = 0; i < curve.nterms; ++i) us += curve.terms[i].us * hlc_model_quantity_of(&curve.terms[i], &which);
    return us;
  }
  return std::nullopt;
}

hlc_model_case case_of(double bytes, double ranks = 2, double ranks_per_core = 1) {
  hlc_model_case which{};
  which.bytes = bytes, which.ranks = ranks, which.ranks_per_core = ranks_per_core;
  return which;
}

/// What a curve says of 8 bytes, times `share`.
std::optional<double> small(const hlc_model *card, const Curve &curve, double share = 1) {
  const auto us = predicted(card, curve, case_of(kSmall));
  return us ? std::optional(*us * share) : std::nullopt;
}

/// Microseconds per byte of operations of so many bytes, beyond what 8 bytes take.
std::optional<double> per_byte(const hlc_model *card, const Curve &curve, double bytes, double share = 1) {
  const auto low = predicted(card, curve, case_of(kSmall)), high = predicted(card, curve, case_of(bytes));
  return low && high ? std::optional(std::max(*high - *low, 0.0) / bytes * share) : std::nullopt;
}

/// The same of a swap by two ranks, half of whose neighbours are the ranks themselves.
std::optional<double> per_byte_of_swap(const hlc_model *card, const char *mode, double bytes) {
  hlc_model_case none{}, all{};
  none.bytes = kSmall, all.bytes = all.local_bytes = bytes / 2;
  none.ranks = all.ranks = 2, none.neighbours = all.neighbours = 1;
  const auto low = predicted(card, {"halo", mode}, none), high = predicted(card, {"halo", mode}, all);
  return low && high ? std::optional(std::max(*high - *low, 0.0) / bytes) : std::nullopt;
}

/// The least of those that there are: what disturbs a measurement makes it longer.
std::optional<double> least_of(const std::optional<double> &a, const std::optional<double> &b) {
  return a && b ? std::optional(std::min(*a, *b)) : a ? a : b;
}

/// The first that there is.
double first_of(const char *what, std::initializer_list<std::optional<double>> candidates) {
  for (const auto &candidate : candidates)
    if (candidate) return *candidate;
  throw Refusal(std::string("the machine card has no curve for ") + what);
}

/// What a barrier of ranks that share two cores takes beyond one of two ranks is waiting for cores: p log2(p) / cores switches.
double switch_of_card(const hlc_model *card, const char *by) {
  const Curve barrier{"barrier", by};
  const auto alone = predicted(card, barrier, case_of(0)), shared = predicted(card, barrier, case_of(0, 4, 2));
  return alone && shared ? std::max(*shared - *alone, 0.0) / 4 : 0;
}

}  // namespace

double Machine::copy_us(double bytes) const { return bytes * std::max(node.copy_us_per_byte, shared_memory_us_per_byte()); }
double Machine::pack_us(double bytes) const { return bytes * std::max(node.pack_us_per_byte, shared_memory_us_per_byte()); }
double Machine::message_copy_us(double bytes) const { return bytes * std::max(node.message_us_per_byte, shared_memory_us_per_byte()); }
double Machine::put_copy_us(double bytes) const { return bytes * std::max(node.put_us_per_byte, shared_memory_us_per_byte()); }

Node node_of_card(const hlc_model *card, const Sizes &sizes) {
  Node node;
  node.source = hlc_model_source(card);
  const Curve put{"put + flush", "host"}, messages{"put + notify", "messages"}, pscw{"PSCW, put to the next rank", "host"};
  node.copy_us_per_byte = first_of("a copy", {per_byte_of_swap(card, "direct", sizes.swap)});
  // Half of the bytes of a swap are copied once. The others are packed and unpacked, by pscw also put, by p2p sent and received. Swaps tell these costs, as
  // their readers fetch from the caches of the writers; puts alone have no reader.
  const auto beyond = [&](const char *mode, double per_remote_byte) {
    const auto us = per_byte_of_swap(card, mode, sizes.swap);
    return us ? std::optional(std::max(2 * *us - node.copy_us_per_byte - per_remote_byte, 0.0)) : std::nullopt;
  };
  node.pack_us_per_byte = std::max(beyond("notify", 0).value_or(0) / 2, node.copy_us_per_byte);
  node.put_us = first_of("a put", {small(card, put)});
  const double packed = 2 * node.pack_us_per_byte;
  node.put_us_per_byte =
      std::max(first_of("the bandwidth of puts", {per_byte(card, put, sizes.message)}), beyond("pscw", packed).value_or(0));
  node.flush_us = first_of("a flush", {small(card, {"flush", "host"}), small(card, put, 0)});
  node.lock_us = first_of("a lock", {small(card, {"lock_all, unlock_all", "host"}), small(card, {"lock shared, unlock", "host"})});
  // Half a round trip is one side after the other; PSCW is two messages, one of which announces the exposure.
  node.message_us = first_of("a message", {least_of(small(card, messages, 0.5), small(card, pscw, 0.25))});
  const auto sides = beyond("p2p", packed);
  node.message_us_per_byte =
      first_of("the bandwidth of messages",
               {least_of(per_byte(card, messages, sizes.message, 0.5), sides ? std::optional(*sides / 2) : std::nullopt)});
  node.handover_us =
      first_of("a notification", {small(card, {"put + notify", "engine"}), small(card, {"fence, put to the next rank", "drop-in"})});
  node.switch_us = switch_of_card(card, "host"), node.engine_switch_us = switch_of_card(card, "engine");
  return node;
}

Network network_of_card(const hlc_model *card) {
  const Curve notify{"put + notify", "engine", 2}, rate{"put, not completed", "engine", 2};
  const auto half_round_trip = small(card, notify), slope = per_byte(card, notify, kLong);
  if (!half_round_trip || !slope)
    throw Refusal("the machine card has no notified puts between nodes: halocline-bench model --fake-nodes 2 --add");
  Network network{"card", hlc_model_source(card)};
  network.us_per_byte = *slope;
  network.overhead_us = std::min(small(card, rate).value_or(*half_round_trip / 2), *half_round_trip / 2);
  network.latency_us = *half_round_trip - network.overhead_us;
  network.operation_us = network.signal_us = network.overhead_us;
  return network;
}

namespace {

/// Gerstenberger et al., section 3.1. An 8-byte put with its remote completion takes 1 us, a get 1.9 us, to start one 416 ns, a byte 0.16 ns. An
/// atomic operation takes 2.4 us, each byte of many elements 28 ns: 224 ns for each further element of 8 bytes. A port moves 64 bytes at least.
constexpr double kPut = 1.0, kGet = 1.9, kStart = 0.416, kPerByte = 0.16e-3, kAtomic = 2.4, kAtomicElement = 28e-3 * 8, kLeastTransfer = 64;
/// A byte of a minimum under a lock takes 0.8 ns, of which a get has 0.17 ns and a put 0.16 ns.
constexpr double kCombinePerByte = (0.8 - 0.17 - 0.16) * 1e-3;
/// Section 3.2. Post and complete take 350 ns for each neighbour, start 0.7 us, wait 1.8 us, a fence 2.9 us log2(p), a shared lock 2.7 us.
constexpr double kSignal = 0.35, kEpoch = 0.7 + 1.8, kFence = 2.9, kSharedLock = 2.7;
/// GB/s. PCI Express 3.0 x16, by which Aries is attached, moves 8 GT/s in 16 lanes, of 130 bits 128 data; FDR in 4 lanes 14.0625 Gbit/s, of 66 bits 64.
constexpr double kPcie3x16 = 8.0 * 16 * 128 / 130 / 8, kFdr = 14.0625 * 4 * 64 / 66 / 8, kFdr10 = 40.0 / 8;

Network gemini(const char *name, const char *where, int ranks_per_node, double memory_gbs) {
  Network network{name, std::string("Gerstenberger et al., section 3; ") + where};
  network.ranks_per_node = ranks_per_node;
  network.latency_us = (kPut - kStart) / 2;
  network.us_per_byte = kPerByte;
  network.overhead_us = kStart;
  network.operation_us = kLeastTransfer * kPerByte;
  network.signal_us = kSignal, network.epoch_us = kEpoch, network.barrier_us = kFence;
  network.atomic_us = kAtomic - kPut, network.element_us = kAtomicElement;
  network.read_us = kGet - kPut, network.lock_us = kSharedLock - kAtomic;
  network.combine_us_per_byte = kCombinePerByte;
  network.memory_us_per_byte = 1e-3 / memory_gbs;
  return network;
}

/// The papers have no costs of other networks than Gemini. Here the bandwidth is that of the link, which no transfer exceeds, and the rest Gemini's.
Network with_bandwidth(Network network, double gbs) {
  network.us_per_byte = 1e-3 / gbs;
  network.operation_us = kLeastTransfer * network.us_per_byte;
  return network;
}

constexpr const char *kArcher = "nodes of Brown et al., section V (2 x 12 cores, Ivy Bridge, 2 x 59.7 GB/s)";
constexpr const char *kCirrus = "nodes of Brown et al., section VI (2 x 18 cores, Broadwell, 2 x 76.8 GB/s); FDR InfiniBand";
constexpr const char *kBlueWaters = "nodes of the same (4 x 8 cores, Interlagos, 102.4 GB/s)";
constexpr const char *kSandyBridge = "nodes of Simmendinger et al., section 5.3 (2 x 8 cores, Sandy Bridge, 2 x 51.2 GB/s); FDR10";

}  // namespace

std::vector<std::string> published_networks() { return {"archer", "aries", "bluewaters", "cirrus", "fdr10"}; }

Network published_network(const std::string &name) {
  if (name == "archer") return gemini("archer", kArcher, 24, 119.4);
  if (name == "aries") return with_bandwidth(gemini("aries", kArcher, 24, 119.4), kPcie3x16);
  if (name == "bluewaters") return gemini("bluewaters", kBlueWaters, 32, 102.4);
  if (name == "cirrus") return with_bandwidth(gemini("cirrus", kCirrus, 36, 153.6), kFdr);
  if (name == "fdr10") return with_bandwidth(gemini("fdr10", kSandyBridge, 16, 102.4), kFdr10);
  throw Refusal("unknown network " + name);
}

}  // namespace simulate
