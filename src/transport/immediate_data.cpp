// The format of immediate data, and the table of what they name.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/immediate_data.hpp"

namespace halocline::core::transport {
namespace {

/// Immediate data that sets a word:  | 1 | words: 14 bits | id: 17 bits | value: 32 bits |
/// One that changes a number:        | 1 | words: 13 bits | 1 | SignalledNumbers: 49 bits |
constexpr std::uint64_t kSetsWord = std::uint64_t{1} << 63;
constexpr int kWordsAt = 49, kIdAt = 32;
constexpr std::uint64_t kIds = std::uint64_t{1} << (kWordsAt - kIdAt), kMaxWords = std::uint64_t{1} << (63 - kWordsAt);
static_assert(kIds == NotificationWords::kMaxIds && kWordsAt == SignalledNumbers::kBits);

/// Immediate data that increases a counter:  | 0 | salt: 40 bits | place in the table of counters: 23 bits |. The salt is random, so that
/// immediate data of a foreign process is recognised. Where the network carries only four bytes there is no salt.
constexpr int kSaltAt = 23;
constexpr std::uint64_t kPlaces = std::uint64_t{1} << kSaltAt;

std::size_t place_in(std::uint64_t data) { return data & (kPlaces - 1); }

}  // namespace

std::uint64_t ImmediateDataTable::add(Counter *counter) {
  if (free_counters_.empty()) {
    free_counters_.reserve(counters_.size() + 1);  // so that `remove` allocates nothing
    counters_.emplace_back();
    free_counters_.push_back(counters_.size() - 1);
  }
  const std::size_t place = free_counters_.back();
  free_counters_.pop_back();
  const std::uint64_t salt = carries_values_ ? random_() >> (kSaltAt + 1) : 0;
  counters_[place] = {counter, salt << kSaltAt | place};
  return counters_[place].data;
}

void ImmediateDataTable::remove(std::uint64_t data) {
  counters_[place_in(data)].counter = nullptr;
  free_counters_.push_back(place_in(data));
}

Status ImmediateDataTable::add_words(const NotificationWords &words, std::uint64_t *words_id) {
  if (words.ids() > static_cast<int>(kIds) || words_.size() + numbers_.size() >= kMaxWords / 2)
    return fail(Status::memory, "the network has no immediate data left for notifications");
  const bool has_numbers = words.numbers.count > 0;
  do {
    *words_id = kSetsWord | (random_() % kMaxWords) << kWordsAt;
    if (has_numbers) *words_id &= ~kChangesNumber;
  } while (is_known(*words_id) || (has_numbers && is_known(*words_id | kChangesNumber)));
  words_[*words_id] = words;
  if (has_numbers) numbers_[*words_id | kChangesNumber] = words.numbers;
  return Status::ok;
}

/// Another set may have the id of these numbers, if these words have none.
void ImmediateDataTable::remove_words(std::uint64_t words_id) {
  const auto words = words_.find(words_id);
  if (words == words_.end()) return;
  if (words->second.numbers.count > 0) numbers_.erase(words_id | kChangesNumber);
  words_.erase(words);
}

bool ImmediateDataTable::take(std::uint64_t data) {
  if ((data & kSetsWord) != 0 && carries_values_) return set_word(data);
  const std::size_t place = place_in(data);
  if (place >= counters_.size() || !counters_[place].counter || counters_[place].data != data) return false;
  counters_[place].counter->value.fetch_add(1, std::memory_order_release);
  return true;
}

bool ImmediateDataTable::set_word(std::uint64_t data) {
  const std::uint64_t words_id = data >> kWordsAt << kWordsAt;
  if (const auto numbers = numbers_.find(words_id); numbers != numbers_.end()) return numbers->second.change(data & (kChangesNumber - 1));
  const auto words = words_.find(words_id);
  const auto id = static_cast<std::uint32_t>(data >> kIdAt & (kIds - 1)), value = static_cast<std::uint32_t>(data);
  return words != words_.end() && words->second.set(id, value);
}

}  // namespace halocline::core::transport
