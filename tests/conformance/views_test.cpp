// Views: in every mode they show what a swap would have delivered, and in mode view nothing else has been written; neighbours may read mine until
// they give them back, under any skew; rows over views show each cell of the block once, with the right cells around it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "support/rig.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

/// The direction in which a cell lies, and its place in the box of that direction.
struct Beyond {
  int direction = 0;
  Index index{};
};

Beyond beyond(const Case &halo, int rank, const Index &cell) {
  Beyond found;
  const Index local = halo.local(rank);
  int power = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(halo.decomposition.ndims); ++d, power *= 3) {
    const int v = cell[d] < 0 ? 0 : cell[d] < local[d] ? 1 : 2;
    found.direction += v * power;
    found.index[d] = v == 0 ? cell[d] + halo.depth_low[d] : v == 1 ? cell[d] : cell[d] - local[d];
  }
  return found;
}

const std::byte *address(const hlc_view &view, const Index &index, int ndims) {
  const auto *at = static_cast<const std::byte *>(view.data);
  for (int d = 0; d < ndims; ++d) at += index[static_cast<std::size_t>(d)] * view.stride_bytes[d];
  return at;
}

/// Copies what the views of a swap show of the halo into an image.
void copy_views(const Rig &rig, const hlc_swap &what, Image &image) {
  const Case &halo = rig.shape();
  const int ndims = halo.decomposition.ndims;
  const auto shapes = halo.field_shapes(halo, rank());
  std::vector<hlc_view> views(static_cast<std::size_t>(HLC_DIRECTIONS(ndims)));
  for (int f = 0; f < halo.nfields; ++f) {
    ASSERT_TRUE(ok(hlc_halo_views(rig.halo(), f, views.data())));
    const FieldShape &shape = shapes[static_cast<std::size_t>(f)];
    for_each_cell(halo, rank(), [&](const Index &cell) {
      const auto owner = owner_of(halo, rank(), cell);
      if (!in_halo(halo, rank(), cell) || !owner || !asked_for(halo, what, rank(), f, cell)) return;
      const Beyond place = beyond(halo, rank(), cell);
      const hlc_view &view = views[static_cast<std::size_t>(place.direction)];
      ASSERT_NE(view.data, nullptr) << "field " << f << ", direction " << place.direction;
      EXPECT_EQ(view.rank, owner->rank);
      std::memcpy(image[static_cast<std::size_t>(shape.arena)].data() + position(halo, shape, cell), address(view, place.index, ndims),
                  shape.element_bytes);
    });
  }
}

class Views : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{7};

  /// One swap of a case, read through views: as delivered, and in mode view without a byte written.
  void see(Rig &rig, int step, const hlc_swap &what) {
    rig.fill(step);
    const Image filled = rig.read();
    ASSERT_TRUE(ok(hlc_halo_start(rig.halo(), &what)));
    ASSERT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
    if (GetParam().mode == HLC_MODE_VIEW) {
      EXPECT_EQ(rig.read(), filled) << "mode view wrote into the fields";
    }
    Image found = rig.read(), expected = before(rig.shape(), rank(), step);
    copy_views(rig, what, found);
    deliver(rig.shape(), rank(), step, what, expected);
    EXPECT_EQ(found, expected) << "case " << rig.shape().name << ", step " << step;
    EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
  }
};

TEST_P(Views, show_what_a_swap_delivers_of_any_fields_in_any_layout) {
  for (int i = 0; i < 12; ++i)
    for (const Memory memory : {Memory::shared, Memory::differs_by_rank}) {
      Rig rig(random_case(size(), random_), GetParam(), memory);
      if (!rig.ready()) return;
      for (int step = 1; step <= 3; ++step) see(rig, step, everything);
    }
}

TEST_P(Views, show_the_part_that_was_swapped) {
  Rig rig(plain_case("parts", decompose(size(), 3, {2, 4}, 0b101, random_), 2, 3), GetParam());
  if (!rig.ready()) return;
  const int fields[] = {0, 2};
  hlc_swap what{};
  what.nfields = 2;
  what.fields = fields;
  see(rig, 1, what);
  what.one_dim = 1;
  for (what.dim = 0; what.dim < 3; ++what.dim)
    for (const hlc_side side : {HLC_SIDE_LOW, HLC_SIDE_HIGH, HLC_SIDE_BOTH}) {
      what.side = side;
      see(rig, 2 + what.dim, what);
    }
  see(rig, 5, everything);
}

TEST_P(Views, of_mixed_types_are_aligned_to_their_elements) {
  Case halo = plain_case("mixed", decompose(size(), 2, {3, 5}, 0b11, random_), 1);
  halo.field_shapes = contiguous({{HLC_OPAQUE, 3}, {HLC_FLOAT64, 8}, {HLC_INT32, 4}, {HLC_COMPLEX128, 16}, {HLC_FLOAT32, 4}});
  halo.nfields = 5;
  Rig rig(halo, GetParam(), Memory::own);
  if (!rig.ready()) return;
  rig.fill(1);
  ASSERT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
  ASSERT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
  hlc_view views[HLC_DIRECTIONS(2)];
  for (int f : {1, 2, 4}) {
    ASSERT_TRUE(ok(hlc_halo_views(rig.halo(), f, views)));
    for (const hlc_view &view : views)
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data) % (f == 1 ? 8 : 4), 0U) << "field " << f << " of rank " << view.rank;
  }
  EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
}

/// Two fields in turn: nothing says that views are given back but the next start, and what they show is overwritten after the next finish.
TEST_P(Views, are_right_under_skew_for_two_fields_in_turn) {
  Rig rig(plain_case("turns", decompose(size(), 2, {2, 4}, 0b11, random_), 1, 2), GetParam());
  if (!rig.ready()) return;
  Skew skew(8);
  const auto shapes = rig.shape().field_shapes(rig.shape(), rank());
  Image memory = before(rig.shape(), rank(), 0);
  for (int step = 1; step <= (size() > 4 ? 100 : 200); ++step) {
    const int field = step % 2;
    hlc_swap what{};
    what.nfields = 1;
    what.fields = &field;
    const Image next = before(rig.shape(), rank(), step);
    memory[static_cast<std::size_t>(shapes[static_cast<std::size_t>(field)].arena)] =
        next[static_cast<std::size_t>(shapes[static_cast<std::size_t>(field)].arena)];
    const auto arena = static_cast<std::size_t>(shapes[static_cast<std::size_t>(field)].arena);
    rig.write_arena(arena, memory[arena]);
    skew.delay();
    ASSERT_TRUE(ok(hlc_halo_start(rig.halo(), &what)));
    skew.delay();
    ASSERT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
    skew.delay();
    Image found = memory, expected = memory;
    copy_views(rig, what, found);
    Image whole = next;
    deliver(rig.shape(), rank(), step, what, whole);
    expected[arena] = whole[arena];
    ASSERT_EQ(found, expected) << "step " << step;
  }
  EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
}

TEST_P(Views, may_be_out_when_a_swap_is_finished_with_copies_or_in_reverse) {
  Rig rig(plain_case("mixed swaps", decompose(size(), 2, {2, 4}, 0b11, random_), 1), GetParam());
  if (!rig.ready()) return;
  Skew skew(9);
  for (int step = 1; step <= 30; step += 3) {
    see(rig, step, everything);
    rig.fill(step + 1);
    EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
    skew.delay();
    hlc_swap back{};
    back.reverse = 1;
    if (GetParam().mode == HLC_MODE_VIEW && size() > 1 && std::getenv("HALOCLINE_CHECK") == nullptr) {
      EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_start(rig.halo(), &back)));
    }
    EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
    rig.write(before_reverse(rig.shape(), rank(), step + 1));
    EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), &back)));
    EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
    rig.expect_image(step + 1, after_reverse(rig.shape(), rank(), step + 1, back));
    rig.swap_once(step + 2);
  }
}

TEST_P(Views, left_out_at_the_end_keep_nobody) {
  Rig rig(plain_case("end", decompose(size(), 2, {2, 4}, 0b01, random_), 1), GetParam());
  if (!rig.ready()) return;
  rig.fill(1);
  EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
}

TEST_P(Views, are_refused_at_the_wrong_time_and_of_the_wrong_field) {
  Rig rig(plain_case("states", decompose(size(), 2, {2, 4}, 0b11, random_), 1), GetParam());
  if (!rig.ready()) return;
  hlc_view views[HLC_DIRECTIONS(2)];
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_finish_views(rig.halo())));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_views(rig.halo(), 1, views)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_views(rig.halo(), -1, views)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_views(rig.halo(), 0, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_views(nullptr, 0, views)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_finish_views(nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_release(nullptr)));
  EXPECT_TRUE(ok(hlc_halo_release(rig.halo()))) << "no views are out";
  rig.fill(1);
  ASSERT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_views(rig.halo(), 0, views)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_release(rig.halo())));
  EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_finish_views(rig.halo())));
}

FOR_ALL_MODES(Views);

/// The stencil of a solver, through rows over views, against the same through the halo that mode p2p fills: bit by bit.
TEST(Rows, over_views_give_a_stencil_the_same_bits_as_a_halo_does) {
  Random random{10};
  for (int turn = 0; turn < 6; ++turn) {
    const int ndims = 1 + turn % 3;
    const Case halo = plain_case("rows", decompose(size(), ndims, {2, 5}, turn < 3 ? 0b111U : 0b010U, random), 1 + turn % 2);
    std::vector<std::vector<double>> sums;
    for (const ModeChoice &mode : {ModeChoice{"p2p", HLC_MODE_P2P}, ModeChoice{"view", HLC_MODE_VIEW}}) {
      Rig rig(halo, mode);
      if (!rig.ready()) return;
      rig.fill(turn);
      ASSERT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
      ASSERT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
      hlc_view views[HLC_DIRECTIONS(3)];
      ASSERT_TRUE(ok(hlc_halo_views(rig.halo(), 0, views)));
      hlc_rows_spec spec{};
      spec.ndims = ndims;
      spec.views = views;
      spec.element_bytes = sizeof(double);
      std::fill_n(spec.reach, ndims, halo.depth_low[0]);
      struct Sums {
        std::vector<double> values;
        std::int64_t rows, reach;
      } mine{{}, 1, halo.depth_low[0]};
      for (int d = 1; d < ndims; ++d) mine.rows *= 2 * mine.reach + 1;
      const auto body = [](const hlc_row *row, void *user) {
        auto &to = *static_cast<Sums *>(user);
        for (std::int64_t i = 0; i < row->count; ++i) {
          double sum = 0;
          for (std::int64_t k = 0; k < to.rows; ++k)
            for (std::int64_t o = -to.reach; o <= to.reach; ++o) sum += static_cast<const double *>(row->cells[k])[i + o] * static_cast<double>(1 + o + 7 * k);
          to.values.push_back(sum);
        }
      };
      EXPECT_TRUE(ok(hlc_for_rows(&spec, body, &mine)));
      sums.push_back(mine.values);
      EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
    }
    ASSERT_EQ(sums[0].size(), sums[1].size());
    EXPECT_EQ(std::memcmp(sums[0].data(), sums[1].data(), sums[0].size() * sizeof(double)), 0) << "turn " << turn;
  }
}

}  // namespace
}  // namespace halocline::test
