// The endpoint, its completion queue, and the queue of what had no room.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/port.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cstddef>

#include "transport/ofi/state.hpp"

namespace halocline::transport::ofi {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
static_assert(sizeof(Transfer::for_libfabric) >= sizeof(fi_context2));
static_assert(offsetof(Transfer, for_libfabric) == 0);

/// Half of a word is the place in the table of ears, half is random, so that a stranger's word is known as such. Where the provider carries
/// four bytes only, there is no room for that half.
std::uint64_t make_word(std::size_t place, std::size_t word_bytes) {
  std::uint32_t salt = 0;
  if (word_bytes >= 8 && getrandom(&salt, sizeof salt, 0) != sizeof salt) salt = 0;
  return std::uint64_t{salt} << 32 | place;
}
std::size_t place_in(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

}  // namespace

Port::Port() = default;
Port::~Port() = default;

Status Port::choose(const Wish &wish, Choice *choice) {
  const Library *library = nullptr;
  HLC_TRY(find_library(&library));
  Info info;
  HLC_TRY(ofi::choose(*library, wish, nullptr, info));
  *choice = choice_of(*info);
  return Status::ok;
}

Status Port::open(const Wish &wish, const Choice &choice) {
  const Library *library = nullptr;
  HLC_TRY(find_library(&library));
  auto state = std::make_unique<State>();
  state->library = library;
  HLC_TRY(ofi::choose(*library, wish, &choice, state->info));
  many_threads_ = wish.many_threads;
  description_ = describe(*state->info) + ", " + library->name();
  HLC_TRY(state->open(description_));
  HLC_TRY(state->name(description_, &address_));
  most_bytes_ = static_cast<std::int64_t>(std::min<std::size_t>(state->info->ep_attr->max_msg_size, kMostBytes));
  state_ = std::move(state);
  return Status::ok;
}

const char *Port::text_of(int error) const { return state_->library->text_of(error); }

Status Port::meet(const Address &address, Peer *peer) {
  const auto locked = lock();
  Acquaintance &known = acquaintances_[address];
  if (known.users == 0) {
    fi_addr_t number = FI_ADDR_UNSPEC;
    if (fi_av_insert(state_->addresses, address.text, 1, &number, 0, nullptr) != 1) {
      acquaintances_.erase(address);
      return fail(Status::unsupported, "%s does not understand the address of a peer", description_.c_str());
    }
    known.peer = number;
  }
  known.users += 1;
  *peer = known.peer;
  return Status::ok;
}

void Port::part_from(const Address &address) {
  const auto locked = lock();
  const auto known = acquaintances_.find(address);
  if (known == acquaintances_.end() || --known->second.users > 0) return;
  fi_addr_t number = known->second.peer;
  fi_av_remove(state_->addresses, &number, 1, 0);
  acquaintances_.erase(known);
}

std::uint64_t Port::listen(Counter *counter) {
  const auto locked = lock();
  if (free_ears_.empty()) {
    free_ears_.reserve(ears_.size() + 1);  // so that stop_listening allocates nothing
    free_ears_.push_back(ears_.size());
    ears_.emplace_back();
  }
  const std::size_t place = free_ears_.back();
  free_ears_.pop_back();
  ears_[place] = {counter, make_word(place, state_->info->domain_attr->cq_data_size)};
  return ears_[place].word;
}

void Port::stop_listening(std::uint64_t word) {
  const auto locked = lock();
  ears_[place_in(word)].counter = nullptr;
  free_ears_.push_back(place_in(word));
}

void Port::put(Transfer &transfer) {
  const auto locked = lock();
  transfer.state.store(Transfer::State::under_way, std::memory_order_relaxed);
  if (try_put(transfer)) return;
  transfer.next = waiting_;
  waiting_ = &transfer;
}

/// False if the provider has no room now.
bool Port::try_put(Transfer &transfer) {
  const ssize_t code = fi_writedata(state_->endpoint, transfer.from, static_cast<std::size_t>(transfer.bytes), transfer.descriptor,
                                    transfer.announcement, transfer.peer, transfer.address, transfer.key, &transfer.for_libfabric);
  if (code == -FI_EAGAIN) return false;
  if (code != 0) end(transfer, static_cast<int>(-code));
  return true;
}

void Port::end(Transfer &transfer, int error) {
  transfer.error = error;
  // SYNC written-before-reuse (pairs with WireLeg::is_done)
  transfer.state.store(error ? Transfer::State::failed : Transfer::State::at_rest, std::memory_order_release);
  if (error) failures_.fetch_add(1, std::memory_order_relaxed);
}

void Port::poll() {
  const auto locked = lock();
  read_queue();
  if (waiting_) try_again();
}

/// Each in turn: to one peer there may be no room for a long time, or no connection ever, and the others must not wait for that.
void Port::try_again() {
  for (Transfer **link = &waiting_; *link;) {
    Transfer &transfer = **link;
    if (try_put(transfer))
      *link = transfer.next;
    else
      link = &transfer.next;
  }
}

void Port::read_queue() {
  std::array<fi_cq_data_entry, 16> entries;
  while (true) {
    const ssize_t count = fi_cq_read(state_->queue, entries.data(), entries.size());
    if (count == -FI_EAVAIL) read_error();
    if (count <= 0) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      if ((entries[i].flags & FI_REMOTE_CQ_DATA) != 0)
        hear(entries[i].data);
      else if (entries[i].op_context)
        end(*static_cast<Transfer *>(entries[i].op_context), 0);
  }
}

/// What failed at the target of a write, or belongs to no transfer, is none of ours.
void Port::read_error() {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(state_->queue, &entry, 0) <= 0) return;
  if (entry.op_context && (entry.flags & FI_WRITE) != 0)
    end(*static_cast<Transfer *>(entry.op_context), entry.err);
  else
    strangers_.fetch_add(1, std::memory_order_relaxed);
}

void Port::hear(std::uint64_t word) {
  const std::size_t place = place_in(word);
  if (place >= ears_.size() || !ears_[place].counter || ears_[place].word != word) {
    strangers_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // SYNC payload-before-announcement (pairs with WireLeg::poll): the provider queues an announcement when the bytes are there.
  ears_[place].counter->value.fetch_add(1, std::memory_order_release);
}

}  // namespace halocline::transport::ofi
