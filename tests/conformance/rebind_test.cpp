// Swaps of one plan with different arrays each time, in every mode. Data are delivered from the arrays that the neighbours passed to those
// that the rank passed, and no others are touched.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.hpp>

#include "support/rig.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

constexpr int kSets = 3;

class Rebind : public testing::TestWithParam<ModeChoice> {
 protected:
  Random random_{41};

  Case two_fields(unsigned periodic) {
    Case halo = plain_case("two fields", decompose(size(), 2, {3, 5}, periodic, random_), 2, 2);
    halo.depth_high[1] = 1;
    return halo;
  }

  static std::vector<Image> read_all(Rig &rig) {
    std::vector<Image> all;
    for (int set = 0; set < kSets; ++set) {
      rig.choose(set);
      all.push_back(rig.read());
    }
    return all;
  }

  /// Swaps one set, and compares all: no other one may change.
  void swap_and_compare(Rig &rig, int set, int step, const hlc_swap &what) {
    rig.choose(set);
    rig.fill(step, what);
    std::vector<Image> expected = read_all(rig);
    auto &mine = expected[static_cast<std::size_t>(set)];
    if (what.reverse)
      mine = after_reverse(rig.shape(), rank(), step, what);
    else
      deliver(rig.shape(), rank(), step, what, mine);
    rig.choose(set);
    ASSERT_TRUE(ok(rig.start(what)));
    ASSERT_TRUE(ok(hlc_halo_finish(rig.halo())));
    EXPECT_TRUE(read_all(rig) == expected) << "set " << set << ", step " << step << ", case " << rig.shape().name;
  }
};

TEST_P(Rebind, arrays_of_any_case_are_swapped_in_any_turn) {
  Random random(mixed(seed() ^ 41));
  for (int trial = 0; trial < (size() > 3 ? 1 : 4); ++trial)
    for (const Memory memory : {Memory::shared, Memory::own, Memory::differs_by_rank, Memory::differs_by_arena}) {
      Rig rig(random_case(size(), random), GetParam(), memory, kSets);
      if (!rig.ready()) return;
      for (int step = 1; step <= 6; ++step) swap_and_compare(rig, static_cast<int>(between(random, 0, kSets - 1)), step, everything);
    }
}

TEST_P(Rebind, parts_and_reverse_swaps_take_the_arrays_that_were_brought) {
  Random random(mixed(seed() ^ 43));
  for (const unsigned periodic : {0b01u, 0b11u}) {
    Rig rig(two_fields(periodic), GetParam(), Memory::shared, kSets);
    if (!rig.ready()) return;
    for (int step = 1; step <= 24; ++step) {
      const int field = static_cast<int>(between(random, 0, 1));
      hlc_swap what{};
      what.reverse = step % 4 == 0;
      if (between(random, 0, 1)) what.nfields = 1, what.fields = &field;
      if (between(random, 0, 1)) what.one_dim = 1, what.dim = static_cast<int>(between(random, 0, 1));
      swap_and_compare(rig, static_cast<int>(between(random, 0, kSets - 1)), step, what);
    }
  }
}

/// A stencil code's two arrays: each swap shows or fills the array that was just computed.
TEST_P(Rebind, two_arrays_in_turn_are_right_under_skew) {
  for (const bool views : {false, true}) {
    Rig rig(two_fields(0b11), GetParam(), Memory::shared, kSets);
    if (!rig.ready()) return;
    Skew skew(12);
    for (int step = 1; step <= (size() > 3 ? 25 : 150); ++step) {
      rig.choose(step % 2);
      rig.fill(step);
      skew.delay();
      ASSERT_TRUE(ok(rig.start()));
      skew.delay();
      ASSERT_TRUE(ok(views ? hlc_halo_finish_views(rig.halo()) : hlc_halo_finish(rig.halo())));
      skew.delay();
      Image expected = before(rig.shape(), rank(), step);
      deliver(rig.shape(), rank(), step, everything, expected);
      const Image found = views ? rig.seen(everything) : rig.read();
      EXPECT_TRUE(HasFailure() || found == expected) << "step " << step << (views ? ", views" : "");
    }
    EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
  }
}

TEST_P(Rebind, an_array_of_null_is_that_of_the_spec) {
  Rig rig(two_fields(0b11), GetParam(), Memory::shared, kSets);
  if (!rig.ready()) return;
  swap_and_compare(rig, 1, 1, everything);
  rig.choose(2);
  void *const some[] = {nullptr, rig.addresses()[1]};
  for (int set = 0; set < kSets; ++set) {
    rig.choose(set);
    rig.fill(2);
  }
  std::vector<Image> expected = read_all(rig);
  Image delivered = expected[0];
  deliver(rig.shape(), rank(), 2, everything, delivered);
  expected[0][0] = delivered[0];  // each field has its own arena
  expected[2][1] = delivered[1];
  ASSERT_TRUE(ok(hlc_halo_start_with(rig.halo(), nullptr, some)));
  ASSERT_TRUE(ok(hlc_halo_finish(rig.halo())));
  EXPECT_TRUE(read_all(rig) == expected);
  rig.choose(0);
  rig.fill(3);
  ASSERT_TRUE(ok(hlc_halo_start_with(rig.halo(), nullptr, nullptr)));
  ASSERT_TRUE(ok(hlc_halo_finish(rig.halo())));
  rig.expect(3);
}

TEST_P(Rebind, a_temporary_may_go_once_its_swap_is_over) {
  Rig rig(plain_case("temporary", decompose(size(), 2, {3, 5}, 0b11, random_), 1), GetParam(), Memory::shared, kSets);
  if (!rig.ready()) return;
  for (int step = 1; step <= 5; ++step) {
    rig.fill(step);
    const Image filled = rig.read();
    void *temporary = nullptr;
    REQUIRE_EVERYWHERE(hlc_field_alloc(context(), filled[0].size(), &temporary) == HLC_OK);
    std::copy(filled[0].begin(), filled[0].end(), static_cast<std::byte *>(temporary));
    ASSERT_TRUE(ok(hlc_halo_start_with(rig.halo(), nullptr, &temporary)));
    void *again = temporary;
    hlc_plan_info info{};  // in mode auto, of the mode of this swap
    EXPECT_TRUE(ok(hlc_halo_info(rig.halo(), &info)));
    if (info.via_direct > 0) {
      EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_field_free(context(), &again)));
    }
    ASSERT_TRUE(ok(hlc_halo_finish(rig.halo())));
    Image expected = filled;
    deliver(rig.shape(), rank(), step, everything, expected);
    EXPECT_TRUE(std::equal(expected[0].begin(), expected[0].end(), static_cast<std::byte *>(temporary))) << "step " << step;
    EXPECT_TRUE(rig.read() == filled);
    REQUIRE_EVERYWHERE(true);  // a neighbour may still be reading the temporary through its own part of it
    EXPECT_TRUE(ok(hlc_field_free(context(), &temporary)));
  }
}

TEST_P(Rebind, memory_that_neighbours_cannot_read_is_refused_where_they_read) {
  Rig rig(plain_case("own", decompose(size(), 1, {3, 5}, 0b1, random_), 1), GetParam(), Memory::shared, kSets);
  if (!rig.ready()) return;
  hlc_plan_info info{};
  ASSERT_TRUE(ok(hlc_halo_info(rig.halo(), &info)));
  const bool all_read = everyone(info.via_direct > 0), none_reads = everyone(info.via_direct == 0);
  if (!all_read && !none_reads) return;  // start would succeed on some ranks only
  rig.fill(1);
  Image own = rig.read(), expected = own;
  void *data = own[0].data();
  const hlc_status started = hlc_halo_start_with(rig.halo(), nullptr, &data);
  if (all_read) {
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, started));
    EXPECT_NE(std::string(hlc_error_message()).find("hlc_field_alloc"), std::string::npos) << hlc_error_message();
  } else {
    ASSERT_TRUE(ok(started));
    ASSERT_TRUE(ok(hlc_halo_finish(rig.halo())));
    deliver(rig.shape(), rank(), 1, everything, expected);
    EXPECT_TRUE(own == expected);
  }
  rig.swap_once(2);
}

TEST_P(Rebind, of_the_cxx_wrapper_takes_its_fields) {
  Context all(MPI_COMM_WORLD);
  const Grid grid(all, {8L * size(), 6}, {1, 1}, {size(), 1});
  Field<double, 2> u(all, grid, 1), next(all, grid, 1);
  HaloOptions options;
  options.mode = static_cast<Mode>(GetParam().mode);
  options.rebind = true;
  Halo halo(all, grid, {u}, options);
  Field<double, 2> *fields[] = {&u, &next};
  for (int step = 1; step <= 6; ++step) {
    Field<double, 2> &now = *fields[step % 2];
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 6; ++j) now(i, j) = 1000 * step + 10 * static_cast<double>(grid.start(0) + i) + j;
    halo.swap_with(now);
    const double below = 1000 * step + 10 * static_cast<double>((grid.start(0) + 8L * size() - 1) % (8L * size()));
    for (int j = 0; j < 6; ++j) EXPECT_EQ(now(-1, j), below + j) << "step " << step;
    EXPECT_EQ(now(2, -1), now(2, 5));
  }
  EXPECT_THROW(halo.start_with(u, next), Error);
}

/// The error of start_with for a field that does not fit.
template <class Wrong>
std::string refusal_of(Halo &halo, Field<double, 2> &first, Wrong &second) {
  try {
    halo.start_with(first, second);
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), HLC_ERR_ARGUMENT);
    return error.what();
  }
  ADD_FAILURE() << "it was taken";
  halo.finish();
  return "";
}

/// Both fields are of the grid; the wrong ones have room for what the swap would write.
TEST_P(Rebind, of_the_cxx_wrapper_refuses_other_elements_and_other_depths) {
  Context all(MPI_COMM_WORLD);
  const Grid grid(all, {8L * size(), 6}, {1, 1}, {size(), 1});
  Field<double, 2> u(all, grid, 1), v(all, grid, 1), deep(all, grid, 3);
  Field<std::complex<float>, 2> other(all, grid, 1);
  HaloOptions options;
  options.mode = static_cast<Mode>(GetParam().mode);
  options.rebind = true;
  Halo halo(all, grid, {u, v}, options);
  const std::string by = "Halo::start_with on rank " + std::to_string(rank()) + ": fields[1] has ";
  EXPECT_EQ(refusal_of(halo, u, other), by + "elements HLC_COMPLEX64 of 8 bytes, the halo was made for HLC_FLOAT64 of 8 bytes");
  EXPECT_EQ(refusal_of(halo, u, deep), by + "14 x 12 cells (depth 3 x 3 on the low side, strides 96 x 8 bytes), the halo was made for "
                                            "10 x 8 cells (depth 1 x 1 on the low side, strides 64 x 8 bytes)");
  halo.swap_with(v, u);
}

TEST_P(Rebind, of_the_cxx_wrapper_swaps_some_of_its_fields) {
  Context all(MPI_COMM_WORLD);
  const Grid grid(all, {8L * size(), 6}, {1, 1}, {size(), 1});
  Field<double, 2> u(all, grid, 1), v(all, grid, 1), next(all, grid, 1);
  HaloOptions options;
  options.mode = static_cast<Mode>(GetParam().mode);
  options.rebind = true;
  Halo halo(all, grid, {u, v}, options);
  for (Field<double, 2> *field : {&u, &next}) std::fill_n(field->data(), field->size(), -1.0);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 6; ++j) u(i, j) = next(i, j) = 10 * i + j;
  const int second = 1;
  Swap what{};
  what.nfields = 1;
  what.fields = &second;
  halo.swap_with(what, u, next);
  EXPECT_EQ(next(2, -1), 25.0);
  EXPECT_EQ(u(2, -1), -1.0);
}

FOR_ALL_MODES(Rebind);

}  // namespace
}  // namespace halocline::test
