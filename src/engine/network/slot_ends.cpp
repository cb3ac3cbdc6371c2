// The writes of a message, and what remains of them at the end.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/slot_ends.hpp"

namespace halocline::core {

void SlotSender::open(NetworkEndpoint &endpoint, const SlotForm &form) {
  endpoint_ = &endpoint;
  slots_ = form.slots;
  says_pieces_ = form.says_pieces;
  pieces_.resize(form.sources);
  for (auto &each : pieces_) each = std::vector<Transfer>(pieces_of(endpoint, form.most_bytes));
}

void SlotSender::connect(const SlotTarget &target, const Counter *freed, const Transfer &model) {
  target_ = target;
  freed_ = freed;
  for (auto &each : pieces_)
    for (Transfer &piece : each) piece.aim_as(model);
}

void SlotSender::send(std::uint64_t number, std::size_t source, const char *from, std::int64_t bytes) {
  const std::size_t slot = number % slots_, further = says_pieces_ ? slots_ + slot : slot;
  const std::uint64_t address = target_.address + slot * target_.distance;
  std::int64_t done = 0;
  for (Transfer &piece : pieces_[source]) {
    if (done >= bytes) break;
    piece.from = from + done;
    piece.bytes = std::min(bytes - done, endpoint_->most_bytes());
    piece.address = address + static_cast<std::uint64_t>(done);
    piece.immediate = target_.immediates[done == 0 ? slot : further];
    done += piece.bytes;
    endpoint_->start(piece);
    writes_ += 1;
  }
}

/// Message m has used slot m modulo S, so slot s has been used (sent + S - s) / S times, slot 0 once less.
bool SlotSender::is_settled() const {
  for (std::size_t slot = 0; freed_ && slot < slots_; ++slot)
    if (!reached(freed_[slot], slot == 0 ? sent_ / slots_ : (sent_ + slots_ - slot) / slots_)) return false;
  return true;
}

void SlotSender::withdraw() {
  for (auto &each : pieces_)
    for (Transfer &piece : each) endpoint_->withdraw(piece);
}

std::int64_t SlotSender::memory_bytes() const {
  std::size_t transfers = 0;
  for (const auto &each : pieces_) transfers += each.size();
  return static_cast<std::int64_t>(pieces_.size() * sizeof(std::vector<Transfer>) + transfers * sizeof(Transfer));
}

void SlotReceiver::open(NetworkEndpoint &endpoint, const SlotForm &form, const Counter *arrived) {
  endpoint_ = &endpoint;
  says_pieces_ = form.says_pieces;
  arrived_ = arrived;
  awaited_.assign(form.slots, 0);
  if (form.frees) freeing_ = std::vector<Transfer>(form.slots);
}

void SlotReceiver::connect(const Transfer &word, const std::uint64_t *freed_immediates) {
  for (std::size_t slot = 0; slot < freeing_.size(); ++slot) {
    freeing_[slot].aim_as(word);
    freeing_[slot].from = word.from;
    freeing_[slot].bytes = word.bytes;
    freeing_[slot].address = word.address;
    freeing_[slot].immediate = freed_immediates[slot];
  }
}

void SlotReceiver::withdraw() {
  for (Transfer &word : freeing_) endpoint_->withdraw(word);
}

std::int64_t SlotReceiver::memory_bytes() const {
  return static_cast<std::int64_t>(awaited_.size() * sizeof awaited_[0] + freeing_.size() * sizeof(Transfer));
}

}  // namespace halocline::core
