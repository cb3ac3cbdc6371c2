// Hundreds of swaps under random delays of the ranks, in every mode. Right after finish each rank overwrites its interior and its halo. So
// a neighbour that still reads, or data that are still in transit, show as a wrong step.
//
// SPDX-License-Identifier: BSD-3-Clause

#include "support/skew.hpp"
#include "support/rig.hpp"

namespace halocline::test {
namespace {

class RandomSkew : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{5};
};

TEST_P(RandomSkew, no_value_is_stale_torn_or_misplaced_in_hundreds_of_swaps) {
  Rig rig(plain_case("skew", decompose(size(), 2, {2, 4}, 0b11, random_), 1, 2), GetParam());
  if (!rig.ready()) return;
  Skew skew(1);
  for (int step = 1; step <= (size() > 4 ? 100 : 200); ++step) {
    rig.fill(step);
    skew.delay();
    EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
    skew.delay();
    EXPECT_TRUE(ok(hlc_halo_finish(rig.halo())));

    // The expected image is computed after the overwriting, but compared with a copy taken before it.
    const Image found = rig.read();
    rig.fill(step + 1000);
    Image expected = before(rig.shape(), rank(), step);
    deliver(rig.shape(), rank(), step, everything, expected);
    // A rank that returned here would make its neighbours wait in the next swap.
    if (found == expected || HasFailure()) continue;
    ADD_FAILURE() << "step " << step << ":\n" << difference(rig.shape(), rank(), step, expected, found);
  }
}

TEST_P(RandomSkew, two_halos_in_flight_do_not_mix) {
  Rig first(plain_case("first", decompose(size(), 2, {2, 4}, 0b11, random_), 1), GetParam());
  Rig second(plain_case("second", decompose(size(), 2, {2, 4}, 0b01, random_), 2), GetParam());
  if (!first.ready() || !second.ready()) return;
  Skew skew(2);
  for (int step = 1; step <= 50; ++step) {
    first.fill(step);
    second.fill(1000 + step);
    skew.delay();
    EXPECT_TRUE(ok(hlc_halo_start(first.halo(), nullptr)));
    skew.delay();
    EXPECT_TRUE(ok(hlc_halo_start(second.halo(), nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(first.halo())));
    skew.delay();
    EXPECT_TRUE(ok(hlc_halo_finish(second.halo())));
    first.expect(step);
    second.expect(1000 + step);
  }
}

FOR_ALL_MODES(RandomSkew);

}  // namespace
}  // namespace halocline::test
