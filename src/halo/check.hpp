// Check mode of a halo's cells (HALOCLINE_CHECK=1). Halos are poisoned between start and finish, and edges are compared with a copy of
// themselves. Delivered cells are compared one by one with those that the neighbour says it had. See docs/design/006-check-mode.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/check.hpp"
#include "exchange/exchange.hpp"
#include "exchange/poison.hpp"
#include "halo/tables.hpp"

namespace halocline::core {

/// The check of one halo. Reports go to the findings of the exchange, the first of which finish returns.
class HaloCheck final : public Looks {
 public:
  /// The tables of a halo that has been planned, its exchange, and its spec.
  HaloCheck(const HaloTables &tables, Exchange &exchange, const hlc_halo_spec &spec);

  /// Before a swap is started: looks for poison in the blocks, copies what must not change, poisons what will be filled. Returns the
  /// description of this swap for the neighbours.
  const RoundDescriptor &start(const hlc_swap *what);
  void before_finish() override;
  void before_delivery() override;
  /// A neighbour's field is in the memory of another hlc_field_alloc than mine.
  void found_other_array(const HaloPath &path, std::size_t field);
  /// Also looks for poison in the blocks.
  void after_finish() override;

 private:
  /// A box of one field that must not change between start and finish.
  struct Guard {
    std::size_t field;
    Box box;
    int rank;  // the neighbour at the other side of it
    bool is_edge;
    bool is_poisoned;
    std::vector<char> copy;  // packed; none if it is poisoned
  };

  void list_guards();
  /// `of` names the bytes of a field's move: if they are 0, the field takes no part.
  void guard_edge(const HaloPath &path, Box HaloMove::*box, std::int64_t HaloMove::*of);
  void guard_halo(const HaloPath &path);
  void guard(const Guard &guard);
  /// The host cannot look at such a field: of it only what was sent and what has arrived is compared, in the images of its cells.
  bool is_on_device(std::size_t f) const;
  void describe(const hlc_swap *what);
  void describe_arrays();
  void report_if_written(const Guard &guard);
  void report_written(const Guard &guard, const Cells &cell, const char *was, const char *is);
  void look_for_poison(const char *when);
  void compare_halos();
  void expect_sums();
  void compare_sums();
  void report_wrong(const HaloPath &path, std::size_t field, const Cells &cell, const char *expected, const char *is);

  std::vector<char> pack(std::size_t field, const Box &box) const;
  std::vector<char> pack_for(const HaloPath &path) const;
  std::vector<char> pack_image(std::size_t field, const char *image, const Box &box) const;
  std::string name(std::size_t field, const Cells &cell) const;
  std::string value(std::size_t field, const char *cell) const;
  int nearest_neighbour(std::size_t field, const Cells &cell) const;
  const HaloField &field(std::size_t f) const { return tables_.fields[f]; }

  const HaloTables &tables_;
  Exchange &exchange_;
  Check &check_;
  Findings &findings_;
  std::vector<const char *> planned_;  // per field, the spec's array; none unless swaps may use other arrays
  std::vector<Poison> poisons_;  // per field
  std::vector<char> tainted_;  // per field: poison in its block has been reported
  std::vector<char> reported_;  // per field: a forbidden write has been reported in this swap
  std::vector<Guard> guards_;  // of the running swap
  std::vector<std::vector<char>> sums_;  // per field, reverse swaps: the array as it must become
  RoundDescriptor descriptor_;
};

}  // namespace halocline::core
