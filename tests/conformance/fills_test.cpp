// A choice of components per direction: in each direction only those distributions of a lattice-Boltzmann model are sent that move there.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include <halocline/halocline.hpp>

#include "support/rig.hpp"

namespace halocline::test {
namespace {

/// The velocities of D3Q19: no component, or one or two of them, are not 0.
std::vector<std::array<int, 3>> d3q19() {
  std::vector<std::array<int, 3>> velocities;
  for (int number = 0; number < 27; ++number) {
    const std::array<int, 3> v{number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1};
    if (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= 2) velocities.push_back(v);
  }
  return velocities;
}

/// 19 distributions of a cell side by side, each filled only in halo cells from which it moves into the block.
Case lattice_boltzmann(Random &random) {
  Case halo = plain_case("D3Q19", decompose(size(), 3, {2, 4}, 0b111, random), 1, 19);
  halo.field_shapes = array_of_structs(std::vector<Kind>(19, float64), 0);
  for (const auto &velocity : d3q19()) {
    unsigned char fills[HLC_DIRECTIONS(3)];
    EXPECT_TRUE(ok(hlc_fills_moving(3, velocity.data(), fills)));
    halo.fills.insert(halo.fills.end(), std::begin(fills), std::end(fills));
  }
  return halo;
}

hlc_plan_info info_of(const Rig &rig) {
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_halo_info(rig.halo(), &info)));
  return info;
}

class Fills : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{19};
};

TEST_P(Fills, of_nineteen_distributions_five_cross_a_face_and_one_an_edge) {
  Case halo = lattice_boltzmann(random_);
  std::int64_t reduced = 0;
  {
    Rig rig(halo, GetParam());
    if (!rig.ready()) return;
    rig.swap_once(1);
    rig.swap_once(2);
    reduced = info_of(rig).bytes_in + info_of(rig).self_bytes;
  }
  const Index n = halo.local(rank());
  const std::int64_t faces = 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]), edges = 4 * (n[0] + n[1] + n[2]);
  EXPECT_EQ(reduced, 8 * (5 * faces + edges));
}

TEST_P(Fills, of_some_fields_one_dimension_and_in_reverse_are_heeded_too) {
  const Case halo = lattice_boltzmann(random_);
  Rig rig(halo, GetParam());
  if (!rig.ready()) return;
  const int some[] = {1, 4, 17};
  hlc_swap what{};
  what.nfields = 3;
  what.fields = some;
  rig.swap_once(1, what);
  what.one_dim = 1;
  what.dim = 2;
  what.side = HLC_SIDE_HIGH;
  rig.swap_once(2, what);
  hlc_swap back{};
  back.reverse = 1;
  rig.swap_once(3, back);
}

TEST_P(Fills, views_show_what_is_filled_and_nothing_else) {
  const Case halo = lattice_boltzmann(random_);
  Rig rig(halo, GetParam());
  if (!rig.ready()) return;
  rig.fill(1);
  EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
  Image expected = before(halo, rank(), 1);
  deliver(halo, rank(), 1, everything, expected);
  EXPECT_EQ(rig.seen(everything), expected);
  EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
}

TEST_P(Fills, of_fields_of_different_sizes_meet_at_both_ends) {
  Case halo = plain_case("mixed", decompose(size(), 2, {2, 4}, 0b11, random_), 2, 3);
  halo.field_shapes = padded({{HLC_FLOAT32, 4}, {HLC_COMPLEX128, 16}, {HLC_OPAQUE, 3}}, {1, 0}, 1, 16);
  for (int entry = 0; entry < 27; ++entry) halo.fills.push_back(static_cast<unsigned char>(between(random_, 0, 1)));
  Rig rig(halo, GetParam());
  if (!rig.ready()) return;
  rig.swap_once(1);
  rig.swap_once(2);
}

TEST_P(Fills, that_leave_nothing_of_a_direction_send_no_message_there) {
  Case halo = plain_case("faces of one dimension", decompose(size(), 2, {2, 3}, 0b11, random_), 1);
  halo.fills.assign(9, 0);
  halo.fills[3] = halo.fills[5] = 1;  // directions (-1, 0) and (1, 0)
  Rig rig(halo, GetParam());
  if (!rig.ready()) return;
  rig.swap_once(1);
  EXPECT_LE(info_of(rig).neighbours, 2);
}

FOR_ALL_MODES(Fills);

/// Two components on a ring, one that moves up and one that moves down: each is received from one side alone.
TEST(FillsInCxx, of_a_component_that_moves_are_made_from_its_velocity) {
  Context own(MPI_COMM_WORLD);
  const Grid grid(own, {4 * size()}, {1});
  Field<double, 1> up(own, grid, 1), down(own, grid, 1);
  for (std::int64_t i = -1; i <= 4; ++i) {
    up(i) = i < 0 || i == 4 ? -1.0 : 100.0 * rank() + static_cast<double>(i);
    down(i) = i < 0 || i == 4 ? -1.0 : 10000.0 + 100.0 * rank() + static_cast<double>(i);
  }
  Halo halo(own, grid, {FieldRef(up).moving({1}), FieldRef(down, "down").moving({-1})});
  halo.swap();
  const int below = (rank() + size() - 1) % size(), above = (rank() + 1) % size();
  EXPECT_EQ(up(-1), 100.0 * below + 3);
  EXPECT_EQ(up(4), -1.0);
  EXPECT_EQ(down(-1), -1.0);
  EXPECT_EQ(down(4), 10000.0 + 100.0 * above);
  EXPECT_THROW(Halo(own, grid, {FieldRef(up).moving({1, 0})}), Error);
  halo.finalise();
}

}  // namespace
}  // namespace halocline::test
