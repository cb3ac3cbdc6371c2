// Joins a channel to its peer: counters, descriptors, the greeting; and detects that the peer is lost.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/slot_channel.hpp"

#include <algorithm>
#include <numeric>

#include "engine/communicator/communicator.hpp"
#include "engine/communicator/wait_until.hpp"
#include "engine/network/liveness.hpp"

namespace halocline::core {
namespace {

/// The counter that an immediate of this index raises; null for one that this rank does not need.
Counter *counter_of(const SlotCounters &counters, std::size_t slots, std::size_t index) {
  if (index == 2 * slots) return counters.word;
  Counter *first = index < slots ? counters.arrived : counters.second;
  return first ? first + index % slots : nullptr;
}

}  // namespace

Status SlotMemory::open(Network &network, std::int64_t bytes_in, std::int64_t bytes_out) {
  HLC_TRY(in.open(*network.endpoint(), bytes_in, NetworkSegment::Use::for_peers));
  return out.open(*network.endpoint(), bytes_out, NetworkSegment::Use::for_me);
}

Status SlotMemory::cover_in(Network &network, char *base, std::int64_t bytes) {
  return in.cover(*network.endpoint(), base, bytes, NetworkSegment::Use::for_peers);
}

Status SlotMemory::cover_out(Network &network, char *base, std::int64_t bytes) {
  return out.cover(*network.endpoint(), base, bytes, NetworkSegment::Use::for_me);
}

void SlotChannel::open(Network &network, const SlotForm &form) {
  const bool counts_seconds = form.says_pieces ? form.receives : form.frees && form.sources > 0;
  const std::size_t arrived = form.receives ? form.slots : 0, second = counts_seconds ? form.slots : 0;
  own_counters_ = std::vector<Counter>(arrived + second + 1);
  Counter *first = own_counters_.data();
  open(network, form, {arrived > 0 ? first : nullptr, second > 0 ? first + arrived : nullptr, first + arrived + second}, true);
}

void SlotChannel::open(Network &network, const SlotForm &form, const SlotCounters &counters, bool registers) {
  network_ = &network;
  form_ = form;
  counters_ = counters;
  peer_immediates_.resize(form.immediates());
  out.open(*network.endpoint(), form);
  if (form.receives) in.open(*network.endpoint(), form, counters.arrived);
  if (!registers) return;
  immediates_.reserve(form.immediates());
  for (std::size_t i = 0; i < form.immediates(); ++i) {
    Counter *counter = counter_of(counters, form.slots, i);
    immediates_.push_back(counter ? network.endpoint()->register_counter(counter) : 0);
  }
}

SlotDescriptor SlotChannel::describe(const SlotMemory &memory, const SlotPlaces &places) const {
  return {network_->liveness()->mine(), memory.in.remote(), places};
}

Status SlotChannel::connect(const SlotPeer &peer, const SlotDescriptor &descriptor, const std::uint64_t *immediates) {
  HLC_TRY(network_->liveness()->know(peer.rank, descriptor.rank));
  HLC_TRY(network_->endpoint()->resolve(descriptor.rank.address, &word_.peer));
  address_ = descriptor.rank.address;
  connected_ = true;
  rank_ = peer.rank;
  host_ = peer.host;
  std::copy_n(immediates, peer_immediates_.size(), peer_immediates_.begin());
  word_.failures = network_->count_failures();
  word_.desc = peer.memory.out.desc();
  word_.key = descriptor.memory.key;
  word_.from = peer.memory.out.base() + peer.word;
  word_.bytes = sizeof(std::uint64_t);
  word_.address = descriptor.memory.address + static_cast<std::uint64_t>(descriptor.places.word);
  in.connect(word_, peer_immediates_.data() + form_.slots);
  const SlotTarget target{descriptor.memory.address + static_cast<std::uint64_t>(descriptor.places.slot),
                          static_cast<std::uint64_t>(descriptor.places.slot_distance), peer_immediates_.data()};
  out.connect(target, form_.frees ? counters_.second : nullptr, word_);
  return Status::ok;
}

void SlotChannel::greet() {
  word_.immediate = peer_immediates_.back();
  if (!form_.greets_both_ways) word_.kind = Transfer::Kind::write_delivered;
  network_->endpoint()->start(word_);
}

void SlotChannel::send_notice() {
  greets_ = false;
  word_.kind = Transfer::Kind::write_with_immediate;
  word_.immediate = peer_immediates_.back();
  word_.address += sizeof(std::uint64_t);
  network_->endpoint()->start(word_);
}

bool SlotChannel::is_held() const {
  return any_transfer([this](const Transfer &transfer) { return !is_over(transfer) && !network_->endpoint()->waits_for_room(transfer); });
}

const char *SlotChannel::failure() const {
  int error = 0;
  const auto look = [&error](const Transfer &transfer) {
    if (has_failed(transfer)) error = transfer.error;
    return has_failed(transfer);
  };
  const bool found = (greets_ && look(word_)) || in.any_transfer(look) || out.any_transfer(look);
  return found ? network_->endpoint()->text_of(error) : nullptr;
}

void SlotChannel::withdraw() {
  if (!network_) return;
  network_->endpoint()->withdraw(word_);
  in.withdraw();
  out.withdraw();
}

void SlotChannel::leave() {
  for (std::size_t i = 0; i < immediates_.size(); ++i)
    if (counter_of(counters_, form_.slots, i)) network_->endpoint()->release_counter(immediates_[i]);
  immediates_.clear();
  withdraw();
  if (connected_) network_->endpoint()->release_peer(address_);
  connected_ = false;
}

std::int64_t SlotChannel::memory_bytes() const {
  const std::size_t own = own_counters_.size() * sizeof(Counter) + (immediates_.size() + peer_immediates_.size()) * sizeof(std::uint64_t);
  return static_cast<std::int64_t>(sizeof *this + own) + in.memory_bytes() + out.memory_bytes();
}

void SlotChannels::greet() {
  for (SlotChannel &each : channels_) each.greet();
}

Status SlotChannels::await_greetings(WakeUp wake_up) {
  Communicator &communicator = network_.communicator();
  Wait wait(communicator, wake_up);
  auto silent = channels_.cend();
  const auto look = [&] {
    HLC_TRY(progress());
    silent = std::find_if(channels_.cbegin(), channels_.cend(), [](const SlotChannel &each) { return each.is_silent(); });
    return silent == channels_.cend() ? Status::ok : Status::again;
  };
  const std::int64_t grace_ns = -communicator.timeout_ns() / 2;
  return wait_until(wait, look, [&] { return wait.timed_out(grace_ns) ? unreached(*silent, "") : Status::ok; });
}

const SlotChannel *SlotChannels::find_failed() {
  network_.poll();
  if (network_.failures() == failures_) return nullptr;
  failures_ = network_.failures();
  const auto found = std::find_if(channels_.cbegin(), channels_.cend(), [](const SlotChannel &each) { return each.failure() != nullptr; });
  return found == channels_.cend() ? nullptr : &*found;
}

Status SlotChannels::progress() {
  const SlotChannel *failed = find_failed();
  return failed ? failure_of(*failed) : Status::ok;
}

Status SlotChannels::failure_of(const SlotChannel &channel) const {
  if (channel.has_greeting_failed() && greeting_fails_ == Status::timeout) return unreached(channel, channel.failure());
  return fail(Status::peer_died, "rank %d cannot reach %s over the network: %s", my_rank(), channel.name().c_str(), channel.failure());
}

/// The reason is known if the provider has reported an error, else "".
Status SlotChannels::unreached(const SlotChannel &channel, const char *reason) const {
  return fail(Status::timeout, "rank %d cannot reach %s over the network, %s%s%s (%s)", my_rank(), channel.name().c_str(),
              network_.endpoint()->description().c_str(), *reason ? ": " : "", reason, advice_);
}

Status SlotChannels::name_me(Status status) const {
  return failed(status) ? fail(status, "rank %d: %s", my_rank(), error_message()) : status;
}

bool SlotChannels::is_quiet() const {
  return std::all_of(channels_.begin(), channels_.end(), [](const SlotChannel &each) { return each.is_quiet(); });
}

bool SlotChannels::is_settled() const {
  return std::all_of(channels_.begin(), channels_.end(), [](const SlotChannel &each) { return each.is_settled(); });
}

bool SlotChannels::is_ended() const {
  return std::all_of(channels_.begin(), channels_.end(), [](const SlotChannel &each) { return each.is_ended(); });
}

bool SlotChannels::holds(int rank) const {
  return std::any_of(channels_.begin(), channels_.end(), [rank](const SlotChannel &each) { return each.rank() == rank && each.is_held(); });
}

void SlotChannels::withdraw() {
  for (SlotChannel &each : channels_) each.withdraw();
}

void SlotChannels::leave() {
  for (SlotChannel &each : channels_) each.leave();
}

std::int64_t SlotChannels::writes() const {
  return std::accumulate(channels_.begin(), channels_.end(), std::int64_t{0},
                         [](std::int64_t sum, const SlotChannel &each) { return sum + each.writes(); });
}

std::int64_t SlotChannels::memory_bytes() const {
  return std::accumulate(channels_.begin(), channels_.end(), std::int64_t{0},
                         [](std::int64_t sum, const SlotChannel &each) { return sum + each.memory_bytes(); });
}

}  // namespace halocline::core
