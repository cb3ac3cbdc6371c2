// Check mode's findings in one exchange: the round's name in messages, and broken rules that did not end the round.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/status.hpp"

namespace halocline::core {

/// Filled by the checks of descriptors, of stamps and of the owner's data.
class Findings {
 public:
  /// label is what messages call the exchange; a # in it becomes the number of the caller's plan, which may have several exchanges.
  Findings(int rank, std::string label) : rank_(rank), label_(std::move(label)) {}

  /// serial: among the exchanges of the context.
  void number(std::int64_t serial, std::int64_t plan);
  void begin_round() { round_ += 1; }

  std::int64_t serial() const { return serial_; }
  /// The last that was started.
  std::uint64_t round() const { return round_; }
  const std::string &label() const { return label_; }
  /// "rank 0, halo plan 2 ('u', 'v'), swap 17".
  std::string where() const;

  /// Notes a broken rule that does not end the round: printed now, returned by result.
  void found(const std::string &kind, const std::string &text);
  /// Ends the round: ok, or the first rule that was found broken in it.
  Status result();

 private:
  int rank_;
  std::string label_;
  std::int64_t serial_ = 0;
  std::uint64_t round_ = 0;
  std::string first_;  // the first broken rule of the round
};

}  // namespace halocline::core
