// Whether the winner's swaps take as long as when it won. When to look is decided by Trial (Trial::rest, Trial::start); the period is
// HALOCLINE_AUTO_PERIOD, read in predictions.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace halocline::core {

class Drift {
 public:
  /// Swaps of the compared kind in a look, and all swaps that it takes at most.
  static constexpr int kSwaps = 8, kLongest = 64;

  Drift();
  /// Another winner: nothing is known of it.
  void forget();

  void begin_look();
  /// A swap is over; its time counts if it is of the kind that is compared.
  void add(bool counts, std::int64_t ns);
  bool is_over() const { return mine_.size() == kSwaps || swaps_ == kLongest; }
  /// True between the first begin_look and the first swap of that look.
  bool is_new() const { return swaps_ == 0; }
  /// This rank's times of the look.
  const std::vector<std::int64_t> &mine() const { return mine_; }
  /// The look is over; conclude follows once all ranks' times are known.
  void asked() { asked_ = mine_.size(); }
  bool is_asked() const { return asked_.has_value(); }
  /// The mean times of the ranks. True if they have changed clearly, or the look has seen no swap of the kind, twice in a row.
  bool conclude(const std::vector<std::int64_t> &means);

  /// The time of a swap in the first look, and in the last one; 0: not known yet.
  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return last_ns_; }

 private:
  std::vector<std::int64_t> mine_, all_;
  int swaps_ = 0, changes_ = 0, absences_ = 0;
  std::optional<std::size_t> asked_;  // times of the look that is not concluded yet
  std::int64_t first_ns_ = 0, last_ns_ = 0;
};

/// The middle one of some times; 0 of none. Allocates nothing.
std::int64_t median_ns(const std::vector<std::int64_t> &times);

}  // namespace halocline::core
