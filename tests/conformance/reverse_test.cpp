// The reverse swap, which is the adjoint of the swap: against the serial oracle, and by the dot-product identity <F x, y> = <x, F* y>.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/rig.hpp"

namespace halocline::test {
namespace {

hlc_swap reversed(hlc_swap what) {
  what.reverse = 1;
  return what;
}

/// The sum over all cells, halo included, of the products of two images of one rank.
double local_product(const Case &halo, const Image &a, const Image &b) {
  double sum = 0;
  const auto shapes = halo.field_shapes(halo, rank());
  for (int f = 0; f < halo.nfields; ++f) {
    const FieldShape &shape = shapes[static_cast<std::size_t>(f)];
    const auto arena = static_cast<std::size_t>(shape.arena);
    const Values values(halo, rank(), f);
    values.for_each([&](const Index &cell) {
      const std::size_t at = values.position(shape, cell);
      sum += product(shape.type, a[arena].data() + at, b[arena].data() + at);
    });
  }
  return sum;
}

class Reverse : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{3};

  Case summable(std::string name, int ndims, unsigned periodic, hlc_stencil stencil) {
    Case halo = plain_case(std::move(name), decompose(size(), ndims, {2, 4}, periodic, random_), 2);
    halo.stencil = stencil;
    halo.nfields = static_cast<int>(summable_kinds().size());
    halo.field_shapes = contiguous(summable_kinds());
    return halo;
  }
};

TEST_P(Reverse, halo_values_are_added_to_the_owners_edge_and_the_halo_becomes_zero) {
  for (const hlc_stencil stencil : {HLC_STENCIL_BOX, HLC_STENCIL_STAR}) {
    Rig rig(summable("reverse", 2, 0b01, stencil), GetParam());
    if (!rig.ready()) return;
    for (int step = 1; step <= 3; ++step) rig.swap_once(step, reversed(everything));
  }
  Rig rig(summable("reverse in three dimensions", 3, 0b111, HLC_STENCIL_BOX), GetParam());
  if (!rig.ready()) return;
  rig.swap_once(1, reversed(everything));
}

TEST_P(Reverse, parts_of_a_halo_can_be_reversed) {
  Rig rig(summable("parts", 2, 0b11, HLC_STENCIL_BOX), GetParam());
  if (!rig.ready()) return;
  const int fields[] = {1, 4};
  hlc_swap what = reversed(everything);
  what.nfields = 2;
  what.fields = fields;
  rig.swap_once(1, what);
  what.one_dim = 1;
  for (what.dim = 0; what.dim < 2; ++what.dim)
    for (const hlc_side side : {HLC_SIDE_LOW, HLC_SIDE_HIGH, HLC_SIDE_BOTH}) {
      what.side = side;
      rig.swap_once(2 + what.dim, what);
    }
}

TEST_P(Reverse, forward_and_reverse_swaps_may_alternate) {
  Rig rig(summable("alternating", 2, 0b11, HLC_STENCIL_BOX), GetParam());
  if (!rig.ready()) return;
  for (int step = 1; step <= 10; step += 2) {
    rig.swap_once(step);
    rig.swap_once(step + 1, reversed(everything));
  }
}

TEST_P(Reverse, fulfils_the_dot_product_identity) {
  Rig rig(summable("dot product", 2, 0b10, HLC_STENCIL_BOX), GetParam());
  if (!rig.ready()) return;
  const Case &halo = rig.shape();
  const auto swapped = [&](const Image &start, const hlc_swap &what) {
    rig.write(start);
    EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), &what)));
    EXPECT_TRUE(ok(hlc_halo_finish(rig.halo())));
    return rig.read();
  };
  const Image x = before_reverse(halo, rank(), 1), y = before_reverse(halo, rank(), 2);
  double sums[2] = {local_product(halo, swapped(x, everything), y), local_product(halo, x, swapped(y, reversed(everything)))};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  // All numbers are whole and small, so that both sums are exact.
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_NE(sums[0], 0.0);
}

FOR_ALL_MODES(Reverse);

}  // namespace
}  // namespace halocline::test
