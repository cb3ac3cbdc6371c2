// Check mode of an index halo's entries (HALOCLINE_CHECK=1): ghosts are poisoned between start and finish, what is sent is compared with a
// copy of itself, and what was delivered is compared, element by element, with what the neighbour says it had. As halo/check.hpp; see
// docs/design/006-check-mode.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/poison.hpp"
#include "index_halo/index_halo.hpp"

namespace halocline {

/// The check of one index halo. Reports go to the findings of the exchange, the first of which finish returns.
class IndexCheck final : public Looks {
 public:
  /// The halo has been planned.
  explicit IndexCheck(IndexHalo &halo);

  /// Before a swap is started: looks for poison in the rank's own entries, copies what must not change, poisons what will be filled. Returns
  /// what the neighbours are told of this swap.
  const RoundCard &start();
  void before_finish() override;
  void before_delivery() override;
  /// Looks as well whether poison has got into the rank's own entries.
  void after_finish() override;

 private:
  /// A list of one field that must not change between start and finish.
  struct Guard {
    std::size_t field;
    const IndexHalo::Link *link;
    bool is_out, is_poisoned;
    std::vector<char> copy;  // packed
  };

  void describe();
  void guard(const IndexHalo::Link &link, bool is_out, bool is_poisoned);
  void poison(Guard &guard);
  void report_if_written(const Guard &guard);
  void look_for_poison(const char *when);
  void expect_sums();
  void compare(const IndexHalo::Link &link, std::size_t field, const std::vector<char> &expected);
  std::vector<char> pack(std::size_t field, const Indices &list) const;
  void unpack(std::size_t field, const Indices &list, const char *packed) const;
  const char *values_from(std::size_t edge, std::size_t field) const;

  std::string name(std::size_t field, const Indices &list, std::int64_t element) const;
  std::string value(std::size_t field, const char *element) const;
  const IndexHalo::Field &field(std::size_t f) const { return halo_.fields_[f]; }
  bool in_reverse() const { return halo_.reverse_; }

  IndexHalo &halo_;
  Check &check_;
  Findings &findings_;
  Indices own_;  // entries that are nobody's ghosts
  std::vector<Poison> poisons_;  // per field
  std::vector<char> tainted_;  // per field: poison has been found in its own entries and is known of
  std::vector<char> reported_;  // per field: a forbidden write has been reported in this swap
  std::vector<Guard> guards_;  // of the running swap
  std::vector<std::vector<char>> sums_;  // per field, reverse swaps: all entries, packed, as they must become
  RoundCard card_;
};

}  // namespace halocline
