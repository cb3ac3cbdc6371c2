// Halos deeper than the block, where a rank is its own periodic neighbour: thin systems, in every mode.
//
// SPDX-License-Identifier: BSD-3-Clause

#include "support/rig.hpp"

namespace halocline::test {
namespace {

class Deep : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{11};

  /// The ranks split the dimensions below `split`; the others have `cells` cells and are periodic.
  Case thin(int ndims, int split, std::int64_t cells, unsigned periodic) {
    Case halo = plain_case("thin", decompose(size(), split, {3, 5}, periodic, random_), 3, 2);
    Decomposition &blocks = halo.decomposition;
    blocks.ndims = ndims;
    for (int d = split; d < ndims; ++d) {
      blocks.periodic[d] = 1;
      blocks.cuts[d] = {0, cells};
      halo.depth_low[d] = 3;
      halo.depth_high[d] = 2;
    }
    return halo;
  }

  void swap_both_ways(const Case &halo) {
    Rig rig(halo, GetParam());
    if (!rig.ready()) return;
    rig.swap_once(1);
    hlc_swap last{};
    last.one_dim = 1;
    last.dim = halo.decomposition.ndims - 1;
    last.side = HLC_SIDE_LOW;
    rig.swap_once(2, last);
    hlc_swap back{};
    back.reverse = 1;
    rig.swap_once(3, back);
  }
};

TEST_P(Deep, a_system_of_one_layer_repeats_it_as_often_as_the_halo_is_deep) {
  for (const unsigned periodic : {0b11u, 0b01u}) swap_both_ways(thin(3, 2, 1, periodic));
}

TEST_P(Deep, a_rod_of_one_cell_by_two_is_repeated_along_both) { swap_both_ways(thin(3, 1, 2, 0b1)); }

TEST_P(Deep, a_star_repeats_faces_alone) {
  Case halo = thin(3, 2, 1, 0b10);
  halo.stencil = HLC_STENCIL_STAR;
  swap_both_ways(halo);
}

TEST_P(Deep, a_table_of_neighbours_may_say_that_a_rank_is_its_own) {
  Case halo = thin(2, 1, 1, 0b1);
  halo.explicit_table = true;
  swap_both_ways(halo);
}

TEST_P(Deep, the_views_of_a_deep_halo_show_it) {
  const Case halo = thin(3, 2, 1, 0b11);
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

FOR_ALL_MODES(Deep);

}  // namespace
}  // namespace halocline::test
