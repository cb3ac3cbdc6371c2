// Calls at the wrong time: each is refused, says why, and leaves its object in working order.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/modes.hpp"
#include "support/plane.hpp"

namespace halocline::test {
namespace {

class States : public testing::TestWithParam<ModeChoice> {};

TEST_P(States, start_twice_and_finish_without_start_are_refused) {
  Plane plane(GetParam().mode);
  plane.spec.epoch = GetParam().epoch;
  plane.spec.drive = GetParam().drive;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_finish(halo)));
    EXPECT_TRUE(message_names({"start"}));
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_test(halo)));
    EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_start(halo, nullptr)));
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_finalise(&halo)));
    EXPECT_NE(halo, nullptr);
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  }
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_EQ(halo, nullptr);
}

TEST_P(States, other_arrays_are_refused_unless_they_were_asked_for) {
  Plane plane(GetParam().mode);
  plane.spec.epoch = GetParam().epoch;
  plane.spec.drive = GetParam().drive;
  std::vector<double> cells(8 * 8);
  void *const other = cells.data();
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_start_with(halo, nullptr, &other)));
  EXPECT_TRUE(message_names({"hlc_halo_start_with", "rebind"}));
  EXPECT_TRUE(ok(hlc_halo_start_with(halo, nullptr, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_start_with(halo, nullptr, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_start_with(nullptr, nullptr, &other)));
}

TEST_P(States, an_exchange_refuses_the_same) {
  // A ring: messages to the next rank have tag 1. A single rank sends to itself.
  const int before = (rank() + size() - 1) % size(), after = (rank() + 1) % size();
  const hlc_neighbour ring[] = {{after, 1, 0, 8, 0}, {before, 0, 1, 0, 8}}, alone[] = {{0, 0, 0, 8, 8}};
  hlc_exchange_spec spec{};
  spec.nneighbours = size() > 1 ? 2 : 1;
  spec.neighbours = size() > 1 ? ring : alone;
  spec.pack = [](int, void *, void *) {};
  spec.unpack = [](int, const void *, void *) {};
  spec.mode = GetParam().mode;
  spec.epoch = GetParam().epoch;
  spec.drive = GetParam().drive;
  hlc_exchange *exchange = nullptr;
  REQUIRE_EVERYWHERE(hlc_exchange_create(context(), &spec, &exchange) == HLC_OK);
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_exchange_finish(exchange)));
  EXPECT_TRUE(message_names({"no swap has been started"}));
  EXPECT_TRUE(ok(hlc_exchange_start(exchange)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_exchange_start(exchange)));
  EXPECT_TRUE(message_names({"a swap of this exchange is in flight already"}));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_exchange_destroy(&exchange)));
  EXPECT_TRUE(ok(hlc_exchange_finish(exchange)));
  EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange)));
}

FOR_ALL_MODES(States);

TEST(Lifetimes, a_context_that_is_closed_too_early_names_unreleased_objects) {
  hlc_context *other = nullptr;
  REQUIRE_EVERYWHERE(hlc_init(MPI_COMM_WORLD, &other) == HLC_OK);
  void *fields[2] = {};
  for (void *&data : fields) REQUIRE_EVERYWHERE(hlc_field_alloc(other, 64 * sizeof(double), &data) == HLC_OK);
  Plane plane(HLC_MODE_P2P);
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(other, &plane.spec, &halo) == HLC_OK);
  hlc_segment_spec spec{};
  spec.bytes = 64;
  hlc_segment *segment = nullptr;
  REQUIRE_EVERYWHERE(hlc_segment_create(other, &spec, &segment) == HLC_OK);
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_finalise(&other)));
  EXPECT_TRUE(
      message_names({"hlc_finalise on rank ", "1 halo (hlc_halo_finalise), 1 segment (hlc_segment_free), 2 fields (hlc_field_free)"}));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_TRUE(ok(hlc_segment_free(&segment)));
  // Only the last rank has something left.
  EXPECT_TRUE(ok(hlc_field_free(other, &fields[0])));
  const bool is_last = rank() == size() - 1;
  if (!is_last) {
    EXPECT_TRUE(ok(hlc_field_free(other, &fields[1])));
  }
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_finalise(&other)));
  EXPECT_TRUE(message_names({is_last ? "not released yet: 1 field (hlc_field_free);" : "another rank has not released all"}));
  EXPECT_TRUE(ok(hlc_field_free(other, &fields[1])));
  EXPECT_TRUE(ok(hlc_finalise(&other)));
}

TEST(Lifetimes, a_field_in_use_cannot_be_released) {
  void *data = nullptr;
  REQUIRE_EVERYWHERE(hlc_field_alloc(context(), 64 * sizeof(double), &data) == HLC_OK);
  Plane plane(HLC_MODE_DIRECT);
  plane.field.data = data;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_field_free(context(), &data)));
  EXPECT_TRUE(message_names({"release them first"}));
  EXPECT_NE(data, nullptr);
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_TRUE(ok(hlc_field_free(context(), &data)));
  EXPECT_EQ(data, nullptr);
}

TEST(Lifetimes, a_field_that_only_a_neighbour_uses_cannot_be_released_while_it_is_read) {
  if (size() < 2) GTEST_SKIP() << "needs a neighbour";
  // Even ranks put their plane into the first allocation, odd ones into the second: each reads the other's.
  void *both[2] = {};
  Plane plane(HLC_MODE_DIRECT);
  for (void *&memory : both) REQUIRE_EVERYWHERE(hlc_field_alloc(context(), plane.cells.size() * sizeof(double), &memory) == HLC_OK);
  plane.field.data = both[rank() % 2];
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_halo_info(halo, &info)));
  if (info.via_direct > 0) {
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_field_free(context(), &both[(rank() + 1) % 2])));
  }
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  for (void *&memory : both) EXPECT_TRUE(ok(hlc_field_free(context(), &memory)));
}

TEST(Lifetimes, memory_of_an_impossible_size_is_refused_everywhere) {
  void *memory = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MEMORY, hlc_field_alloc(context(), rank() == size() - 1 ? static_cast<std::size_t>(-8) : 64, &memory)));
  EXPECT_EQ(memory, nullptr);
}

TEST_P(States, the_whole_swap_may_be_said_in_two_ways) {
  Plane plane(GetParam().mode);
  plane.spec.epoch = GetParam().epoch;
  plane.spec.drive = GetParam().drive;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  const int every_field[] = {0};
  hlc_swap listed{};
  listed.nfields = 1;
  listed.fields = every_field;
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(ok(hlc_halo_start(halo, (rank() + round) % 2 == 0 ? nullptr : &listed)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  }
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(Lifetimes, foreign_memory_is_not_released) {
  double own[4] = {};
  void *data = own;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_field_free(context(), &data)));
  EXPECT_EQ(data, own);
  EXPECT_TRUE(is_status(HLC_OK, hlc_field_free(context(), nullptr)));
  REQUIRE_EVERYWHERE(hlc_field_alloc(context(), 64, &data) == HLC_OK);
  void *inside = static_cast<char *>(data) + 8;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_field_free(context(), &inside)));
  EXPECT_TRUE(message_names({"rank " + std::to_string(rank()), "hlc_field_alloc"}));
  EXPECT_TRUE(ok(hlc_field_free(context(), &data)));
  EXPECT_TRUE(is_status(HLC_OK, hlc_field_free(context(), &data))) << "a second time";
}

TEST(Lifetimes, a_context_with_living_children_stays_open_and_counts_them) {
  hlc_context *other = nullptr;
  REQUIRE_EVERYWHERE(hlc_init(MPI_COMM_WORLD, &other) == HLC_OK);
  void *data[2] = {};
  for (void *&field : data) REQUIRE_EVERYWHERE(hlc_field_alloc(other, 100, &field) == HLC_OK);
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_finalise(&other)));
  EXPECT_NE(other, nullptr);
  EXPECT_TRUE(message_names({"2"}));
  for (void *&field : data) EXPECT_TRUE(ok(hlc_field_free(other, &field)));

  Plane plane;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(other, &plane.spec, &halo) == HLC_OK);
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_finalise(&other)));
  EXPECT_TRUE(message_names({"1"}));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_TRUE(ok(hlc_finalise(&other)));
}

}  // namespace
}  // namespace halocline::test
