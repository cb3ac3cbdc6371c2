// Rules that ranks can only break together: the same swaps of a halo, one order of finishes, HALOCLINE_CHECK on all ranks. Check mode
// returns HLC_ERR_RULE on every rank instead of a hang, and the halo can then only be finalised. Run with HALOCLINE_CHECK=1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <cstdlib>
#include <thread>

#include "check/basin.hpp"

namespace halocline::test {
namespace {

class Ranks : public testing::TestWithParam<ModeChoice> {
 protected:
  void SetUp() override {
    if (size() < 2) GTEST_SKIP() << "needs two ranks that disagree";
  }
  static bool next_to_rank_0() { return rank() != 0 && (Basin::left() == 0 || Basin::right() == 0); }
};

hlc_swap fields(int count, const int *which) {
  hlc_swap what{};
  what.nfields = count;
  what.fields = which;
  return what;
}

/// Rank 0 starts one swap and all others another. The errors of rank 0 and its neighbours name both swaps. Other ranks may complete theirs
/// before the failure reaches them.
void disagree(const ModeChoice &mode, const hlc_swap &zero, const hlc_swap &others, const std::vector<std::string> &words) {
  Basin basin(mode);
  if (!basin.ready()) return;
  basin.swap(1);
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), rank() == 0 ? &zero : &others)));
  const hlc_status status = hlc_halo_finish(basin.halo());
  const bool sees_it = rank() == 0 || Basin::left() == 0 || Basin::right() == 0;
  if (!sees_it && status == HLC_OK) return;
  EXPECT_TRUE(is_status(HLC_ERR_RULE, status));
  EXPECT_TRUE(message_names({"rank 0", "swap 2", "('u', 'v')", "disagree"}));
  EXPECT_TRUE(message_names(words));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_start(basin.halo(), nullptr)));
}

TEST_P(Ranks, that_swap_different_fields_are_told_so) {
  const int first[] = {0};
  disagree(GetParam(), fields(1, first), hlc_swap{}, {"rank 0 swaps the fields 'u'", "swaps all fields"});
}

TEST_P(Ranks, that_swap_different_sides_are_told_so) {
  hlc_swap low{}, high{};
  low.one_dim = high.one_dim = 1;
  low.side = HLC_SIDE_LOW;
  high.side = HLC_SIDE_HIGH;
  disagree(GetParam(), low, high, {"the low side of dimension 0", "the high side of dimension 0"});
}

TEST_P(Ranks, that_swap_in_opposite_directions_are_told_so) {
  hlc_swap reverse{};
  reverse.reverse = 1;
  disagree(GetParam(), reverse, hlc_swap{}, {"rank 0 swaps all fields, in reverse"});
}

/// A third array.
struct Other {
  void *data = nullptr;
  Other() { EXPECT_TRUE(ok(hlc_field_alloc(context(), (Basin::cells + 2) * (Basin::cells + 2) * sizeof(double), &data))); }
  ~Other() { EXPECT_TRUE(ok(hlc_field_free(context(), &data))); }
  Other(const Other &) = delete;
  Other &operator=(const Other &) = delete;
};

TEST_P(Ranks, of_which_one_brings_another_array_are_told_so) {
  Other other;
  Basin basin(GetParam(), true);
  if (!basin.ready()) return;
  basin.swap(1);
  void *const arrays[] = {nullptr, rank() == 0 ? other.data : nullptr};
  EXPECT_TRUE(ok(hlc_halo_start_with(basin.halo(), nullptr, arrays)));
  const hlc_status status = hlc_halo_finish(basin.halo());
  if (rank() != 0 && !next_to_rank_0() && status == HLC_OK) return;
  EXPECT_TRUE(is_status(HLC_ERR_RULE, status));
  EXPECT_TRUE(message_names({"rank 0", "swap 2", "disagree", "rank 0 swaps all fields, with other arrays for 'v'"}));
}

TEST_P(Ranks, that_bring_different_arrays_are_told_so_where_they_are_read) {
  Other first, second;
  Basin basin(GetParam(), true);
  if (!basin.ready()) return;
  basin.swap(1);
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_halo_info(basin.halo(), &info)));
  void *const arrays[] = {rank() == 0 ? first.data : second.data, nullptr};
  EXPECT_TRUE(ok(hlc_halo_start_with(basin.halo(), nullptr, arrays)));
  const hlc_status status = hlc_halo_finish(basin.halo());
  const bool sees_it = info.via_direct > 0 && (rank() == 0 || next_to_rank_0());
  if (sees_it && info.via_direct == info.neighbours) {
    EXPECT_TRUE(is_status(HLC_ERR_RULE, status));
    EXPECT_TRUE(message_names({"field 0 'u'", "another hlc_field_alloc"}));
  }
  basin.swap(3);  // the swap was complete all the same
}

TEST_P(Ranks, that_finish_two_halos_in_different_orders_are_told_both) {
  Basin first(GetParam()), second(GetParam());
  if (!first.ready() || !second.ready()) return;
  for (Basin *basin : {&first, &second}) basin->swap(1);
  for (Basin *basin : {&first, &second}) EXPECT_TRUE(ok(hlc_halo_start(basin->halo(), nullptr)));
  Basin &mine = rank() == 0 ? first : second, &other = rank() == 0 ? second : first;
  int told = 0;
  for (Basin *basin : {&mine, &other}) {
    const hlc_status status = hlc_halo_finish(basin->halo());
    if (size() > 2 && rank() != 0 && status == HLC_OK) continue;  // another neighbour of rank 0 crossed it first
    EXPECT_TRUE(is_status(HLC_ERR_RULE, status));
    EXPECT_TRUE(message_names({"rank 0", "finishes swap 2 of halo", "while rank", "one order"}));
    ++told;
  }
  EXPECT_TRUE(told > 0 || !next_to_rank_0());
  everyone(true);
}

TEST_P(Ranks, that_finish_in_one_order_from_several_threads_are_left_alone) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI gives no MPI_THREAD_MULTIPLE";
  Basin first(GetParam()), second(GetParam());
  if (!first.ready() || !second.ready()) return;
  // On each rank another thread is late, so that one rank waits in the first halo's finish and the next one in the second's.
  const auto drive = [](Basin &basin, bool late) {
    for (int step = 1; step <= 3; ++step) {
      basin.fill(step);
      EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
      if (late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_TRUE(ok(hlc_halo_finish(basin.halo())));
      basin.expect_faces(step);
    }
  };
  std::thread other(drive, std::ref(second), rank() % 2 == 1);
  drive(first, rank() % 2 == 0);
  other.join();
}

FOR_ALL_MODES(Ranks);

TEST(Variable, must_be_a_number_on_all_ranks) {
  hlc_context *other = nullptr;
  setenv("HALOCLINE_CHECK", "yes", 1);
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_init(MPI_COMM_WORLD, &other)));
  EXPECT_TRUE(message_names({"HALOCLINE_CHECK", "yes"}));
  setenv("HALOCLINE_CHECK", "1", 1);
}

}  // namespace
}  // namespace halocline::test
