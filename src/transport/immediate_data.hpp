// Immediate data of writes: what they name at the endpoint that receives them. Used by every network.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/atomics.hpp"
#include "base/notifications.hpp"
#include "base/status.hpp"

namespace halocline::core::transport {

/// Registered counters, which peers increase, and registered notification words, which they set. One thread at a time.
class ImmediateDataTable {
 public:
  /// Draws random bits, so that immediate data of a foreign process are recognised.
  using Random = std::uint64_t (*)();

  ImmediateDataTable() = default;
  /// Without `carries_values` the network carries only four bytes, which set no words.
  ImmediateDataTable(Random random, bool carries_values) : random_(random), carries_values_(carries_values) {}

  /// Returns the immediate data that increase a counter by one.
  std::uint64_t add(Counter *counter);
  void remove(std::uint64_t data);
  /// Returns an id; peers send data_of(id, i, value) to set word i, and data_of(id, code) to change a number. Fails if there are too many.
  Status add_words(const NotificationWords &words, std::uint64_t *words_id);
  void remove_words(std::uint64_t words_id);
  static std::uint64_t data_of(std::uint64_t words_id, std::uint32_t i, std::uint32_t value) {
    return words_id | std::uint64_t{i} << 32 | value;
  }
  static std::uint64_t data_of(std::uint64_t words_id, std::uint64_t code) { return (words_id | kChangesNumber) | code; }

  /// Increases or sets what the data name, with release; false if that is nothing registered.
  bool take(std::uint64_t data);

 private:
  struct Registered {
    Counter *counter = nullptr;
    std::uint64_t data = 0;
  };
  /// In the id of words: they are numbers.
  static constexpr std::uint64_t kChangesNumber = std::uint64_t{1} << SignalledNumbers::kBits;
  bool is_known(std::uint64_t words_id) const { return words_.count(words_id) + numbers_.count(words_id) > 0; }
  bool set_word(std::uint64_t data);

  Random random_ = nullptr;
  bool carries_values_ = false;
  std::vector<Registered> counters_;
  std::vector<std::size_t> free_counters_;
  std::map<std::uint64_t, NotificationWords> words_;  // by id
  std::map<std::uint64_t, SignalledNumbers> numbers_;  // by id, with kChangesNumber
};

}  // namespace halocline::core::transport
