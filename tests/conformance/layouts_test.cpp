// Every element type and every layout of fields, in every mode: what arrives is the owner's element, and nothing else is touched.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/rig.hpp"

namespace halocline::test {
namespace {

class Layouts : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{2024};

  Case with_fields(std::string name, int ndims, const std::vector<Kind> &kinds, Shapes shapes) {
    Case halo = plain_case(std::move(name), decompose(size(), ndims, {2, 4}, 0b0101, random_), 1);
    halo.nfields = static_cast<int>(kinds.size());
    halo.field_shapes = std::move(shapes);
    return halo;
  }

  void swap_twice(const Case &halo) {
    Rig rig(halo, GetParam());
    if (!rig.ready()) return;
    rig.swap_once(1);
    rig.swap_once(2);
  }
};

TEST_P(Layouts, every_element_type_arrives_in_column_major_order) {
  swap_twice(with_fields("all types, column-major", 2, all_kinds(), contiguous(all_kinds())));
}

TEST_P(Layouts, every_element_type_arrives_in_row_major_order) {
  Case halo = with_fields("all types, row-major", 2, all_kinds(), contiguous(all_kinds()));
  halo.layout = HLC_ROW_MAJOR;
  swap_twice(halo);
}

TEST_P(Layouts, one_to_four_dimensions_arrive_in_both_orders) {
  const std::vector<Kind> kinds = {float64, {HLC_FLOAT32, 4}};
  for (int ndims = 1; ndims <= HLC_MAX_DIMS; ++ndims)
    for (const hlc_layout layout : {HLC_COLUMN_MAJOR, HLC_ROW_MAJOR}) {
      Case halo = with_fields(std::to_string(ndims) + " dimensions", ndims, kinds, contiguous(kinds));
      halo.layout = layout;
      swap_twice(halo);
    }
}

TEST_P(Layouts, padded_and_permuted_strides_arrive_and_leave_the_gaps_alone) {
  const std::vector<Kind> kinds = {float64, {HLC_OPAQUE, 12}, {HLC_OPAQUE, 1}};
  const std::array<int, HLC_MAX_DIMS> orders[] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}};
  int gap = 0;
  for (const auto &order : orders) swap_twice(with_fields("permuted, padded", 3, kinds, padded(kinds, order, gap++, 64)));
}

TEST_P(Layouts, misaligned_fields_arrive) {
  const std::vector<Kind> kinds = {float64, {HLC_COMPLEX128, 16}, {HLC_INT32, 4}};
  swap_twice(with_fields("misaligned", 2, kinds, padded(kinds, {0, 1}, 0, 3)));
}

TEST_P(Layouts, members_of_an_array_of_structs_arrive) {
  swap_twice(with_fields("packed structs", 2, all_kinds(), array_of_structs(all_kinds(), 0)));
  swap_twice(with_fields("structs with gaps", 3, all_kinds(), array_of_structs(all_kinds(), 5)));
}

TEST_P(Layouts, twenty_nine_fields_arrive_in_one_swap) {
  const std::vector<Kind> kinds(29, float64);
  swap_twice(with_fields("29 fields", 3, kinds, contiguous(kinds)));
}

TEST_P(Layouts, random_cases_arrive) {
  Random random(mixed(seed()));
  for (int trial = 0; trial < (size() > 4 ? 2 : 6); ++trial) {
    SCOPED_TRACE("random case " + std::to_string(trial));
    swap_twice(random_case(size(), random));
  }
}

FOR_ALL_MODES(Layouts);

}  // namespace
}  // namespace halocline::test
