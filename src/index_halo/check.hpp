// Check mode of an index halo's entries (HALOCLINE_CHECK=1). Ghosts are poisoned between start and finish, and what is sent is compared
// with a copy of itself. Delivered elements are compared one by one with those that the neighbour says it had. As halo/check.hpp; see
// docs/design/006-check-mode.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/check.hpp"
#include "exchange/exchange.hpp"
#include "exchange/poison.hpp"
#include "index_halo/tables.hpp"

namespace halocline::core {

/// The check of one index halo. Reports go to the findings of the exchange, the first of which finish returns.
class IndexCheck final : public Looks {
 public:
  /// The tables of a halo that has been planned.
  IndexCheck(const IndexTables &tables, Exchange &exchange);

  /// Before a swap is started: looks for poison in the rank's own entries, copies what must not change, poisons what will be filled.
  /// Returns the description of this swap for the neighbours.
  const RoundDescriptor &start();
  void before_finish() override;
  void before_delivery() override;
  /// Also looks for poison in the rank's own entries.
  void after_finish() override;

 private:
  /// A list of one field that must not change between start and finish.
  struct Guard {
    std::size_t field;
    const IndexLink *link;
    bool is_out, is_poisoned;
    std::vector<char> copy;  // packed
  };

  void describe();
  void guard(const IndexLink &link, bool is_out, bool is_poisoned);
  void poison(Guard &guard);
  void report_if_written(const Guard &guard);
  void look_for_poison(const char *when);
  void expect_sums();
  void compare(const IndexLink &link, std::size_t field, const std::vector<char> &expected);
  std::vector<char> pack(std::size_t field, const Indices &list) const;
  void unpack(std::size_t field, const Indices &list, const char *packed) const;
  const char *values_from(std::size_t edge, std::size_t field) const;

  std::string name(std::size_t field, const Indices &list, std::int64_t element) const;
  std::string value(std::size_t field, const char *element) const;
  const IndexField &field(std::size_t f) const { return tables_.fields[f]; }
  bool in_reverse() const { return tables_.reverse; }

  const IndexTables &tables_;
  Check &check_;
  Findings &findings_;
  Indices own_;  // entries that are not ghosts
  std::vector<Poison> poisons_;  // per field
  std::vector<char> tainted_;  // per field: poison in the rank's own entries has been reported
  std::vector<char> reported_;  // per field: a forbidden write has been reported in this swap
  std::vector<Guard> guards_;  // of the running swap
  std::vector<std::vector<char>> sums_;  // per field, reverse swaps: all entries, packed, as they must become
  RoundDescriptor descriptor_;
};

}  // namespace halocline::core
