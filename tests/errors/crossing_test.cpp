// Collective calls that cross: ranks that are in different calls of one context, or in the same call for different plans. Every rank gets
// HLC_ERR_MISMATCH and one message that names two ranks and their calls. Nothing is released, and the context stays usable.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include "support/plane.hpp"

namespace halocline::test {
namespace {

bool am_last() { return rank() == size() - 1; }
std::string last() { return "rank " + std::to_string(size() - 1); }

hlc_allreduce_spec sum_of_one() {
  hlc_allreduce_spec spec{};
  spec.count = 1;
  spec.type = HLC_FLOAT64;
  return spec;
}

hlc_exchange_spec empty_exchange(const char *name = nullptr) {
  hlc_exchange_spec spec{};
  spec.mode = HLC_MODE_P2P;
  spec.name = name;
  return spec;
}

/// A collective call by its name, with all that it needs.
struct Collective {
  const char *name;
  std::function<hlc_status()> call;
};

std::vector<Collective> collectives(Plane &plane) {
  return {{"hlc_halo_init",
           [&plane] {
             hlc_halo *halo = nullptr;
             return hlc_halo_init(context(), &plane.spec, &halo);
           }},
          {"hlc_allreduce_create",
           [] {
             const hlc_allreduce_spec spec = sum_of_one();
             hlc_allreduce *plan = nullptr;
             return hlc_allreduce_create(context(), &spec, &plan);
           }},
          {"hlc_exchange_create",
           [] {
             const hlc_exchange_spec spec = empty_exchange();
             hlc_exchange *exchange = nullptr;
             return hlc_exchange_create(context(), &spec, &exchange);
           }},
          {"hlc_segment_create",
           [] {
             const hlc_segment_spec spec{};
             hlc_segment *segment = nullptr;
             return hlc_segment_create(context(), &spec, &segment);
           }},
          {"hlc_field_alloc",
           [] {
             void *data = nullptr;
             return hlc_field_alloc(context(), 64, &data);
           }},
          {"hlc_grid_reorder",
           [&plane] {
             hlc_grid grid = plane.grid;
             return hlc_grid_reorder(context(), nullptr, &grid, nullptr);
           }},
          {"hlc_finalise", [] {
             hlc_context *open = context();
             return hlc_finalise(&open);
           }}};
}

/// A whole swap works, with what it needs made and released.
void expect_context_to_work() {
  Plane plane;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(Crossing, of_any_two_calls_names_both_ranks_and_both_calls) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks in different calls";
  Plane plane;
  const std::vector<Collective> calls = collectives(plane);
  for (const Collective &first : calls)
    for (const Collective &second : calls) {
      if (first.name == second.name) continue;
      SCOPED_TRACE(std::string(first.name) + " against " + second.name);
      EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, (am_last() ? second : first).call()));
      EXPECT_TRUE(message_names({std::string("rank 0 is in ") + first.name, last() + " in " + second.name}));
    }
  expect_context_to_work();
}

TEST(Crossing, of_a_wrong_argument_and_another_call_names_the_calls) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks in different calls";
  hlc_halo *halo = nullptr;
  void *data = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, am_last() ? hlc_field_alloc(context(), 8, &data) : hlc_halo_init(context(), nullptr, &halo)));
  EXPECT_TRUE(message_names({"rank 0 is in hlc_halo_init", last() + " in hlc_field_alloc"}));
}

TEST(Crossing, of_two_halos_made_in_opposite_orders_names_their_fields) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that make different halos";
  Plane first, second;
  first.field.name = "u";
  second.field.name = "v";
  Plane *order[2] = {&first, &second};
  if (am_last()) std::swap(order[0], order[1]);
  for (int i = 0; i < 2; ++i) {
    hlc_halo *halo = nullptr;
    EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_halo_init(context(), &order[i]->spec, &halo)));
    const std::string here = i == 0 ? "('u')" : "('v')", there = i == 0 ? "('v')" : "('u')";
    EXPECT_TRUE(message_names({"rank 0 is in hlc_halo_init of plan ", here, last() + " in hlc_halo_init of plan ", there}));
  }
  expect_context_to_work();
}

TEST(Crossing, of_plans_with_names_names_them) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that make different plans";
  Plane plane;
  plane.spec.name = am_last() ? "pressure" : "flow";
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(message_names({"'flow' ('theta')", "'pressure' ('theta')"}));
  const hlc_exchange_spec spec = empty_exchange(am_last() ? "particles" : "graph");
  hlc_exchange *exchange = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_exchange_create(context(), &spec, &exchange)));
  EXPECT_TRUE(message_names({"rank 0 is in hlc_exchange_create", "'graph'", last(), "'particles'"}));
}

TEST(Crossing, of_two_reductions_made_in_opposite_orders_names_them) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that make different reductions";
  const char *names[] = {"mass", "energy"};
  if (am_last()) std::swap(names[0], names[1]);
  for (const char *name : names) {
    hlc_allreduce_spec spec = sum_of_one();
    spec.name = name;
    hlc_allreduce *plan = nullptr;
    EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_allreduce_create(context(), &spec, &plan)));
    EXPECT_TRUE(
        message_names({"rank 0 is in hlc_allreduce_create of plan ", last() + " in hlc_allreduce_create of plan ", "'mass'", "'energy'"}));
  }
  expect_context_to_work();
}

TEST(Crossing, of_releases_leaves_both_plans_as_they_are) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that release different halos";
  Plane plane;
  hlc_halo *halos[2] = {};
  for (hlc_halo *&halo : halos) REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  hlc_halo **mine = &halos[am_last() ? 1 : 0];
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_halo_finalise(mine)));
  EXPECT_TRUE(message_names({"rank 0 is in hlc_halo_finalise of plan ", last() + " in hlc_halo_finalise of plan "}));
  REQUIRE_EVERYWHERE(*mine != nullptr);
  for (hlc_halo *&halo : halos) {
    EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  }
}

TEST(Crossing, of_a_release_and_the_end_leaves_both_as_they_are) {
  if (size() < 2) GTEST_SKIP() << "needs a rank that releases and one that ends";
  const hlc_allreduce_spec spec = sum_of_one();
  hlc_allreduce *plan = nullptr;
  REQUIRE_EVERYWHERE(hlc_allreduce_create(context(), &spec, &plan) == HLC_OK);
  hlc_context *open = context();
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, am_last() ? hlc_finalise(&open) : hlc_allreduce_destroy(&plan)));
  EXPECT_TRUE(message_names({"rank 0 is in hlc_allreduce_destroy of plan ", last() + " in hlc_finalise"}));
  const double one = 1;
  double sum = 0;
  EXPECT_TRUE(ok(hlc_allreduce_run(plan, &one, &sum)));
  EXPECT_EQ(sum, size());
  EXPECT_TRUE(ok(hlc_allreduce_destroy(&plan)));
}

TEST(Crossing, with_a_refusal_of_a_binding_is_that_refusal) {
  Plane plane;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(
      is_status(HLC_ERR_ARGUMENT, am_last() ? hlc_refuse(context(), "an odd stride") : hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(message_names({"an odd stride"}));
}

TEST(Crossing, of_a_release_with_a_refusal_of_a_binding_releases_nothing) {
  if (size() < 2) GTEST_SKIP() << "needs a rank that releases and one that refuses";
  Plane plane;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  const hlc_status found = am_last() ? hlc_refuse(context(), "an odd stride") : hlc_halo_finalise(&halo);
  EXPECT_TRUE(is_status(am_last() ? HLC_ERR_ARGUMENT : HLC_ERR_MISMATCH, found));
  EXPECT_TRUE(message_names({"an odd stride"}));
  REQUIRE_EVERYWHERE(halo != nullptr);
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(Tags, given_twice_for_one_rank_are_refused) {
  for (const bool out : {true, false}) {
    const hlc_neighbour sides[] = {{rank(), 4, 5, 8, 8}, {rank(), out ? 4 : 5, out ? 6 : 5, 8, 8}};
    hlc_exchange_spec spec{};
    spec.nneighbours = 2;
    spec.neighbours = sides;
    spec.pack = [](int, void *, void *) {};
    spec.unpack = [](int, const void *, void *) {};
    hlc_exchange *exchange = nullptr;
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_exchange_create(context(), &spec, &exchange)));
    EXPECT_TRUE(message_names({"neighbours[0] and neighbours[1]", out ? "tag_out 4" : "tag_in 5"}));
  }
}

TEST(Grid, without_ranks_along_a_dimension_has_no_neighbours) {
  const int coords[HLC_MAX_DIMS] = {};
  Plane plane;
  EXPECT_NE(hlc_grid_rank(&plane.grid, coords), HLC_NO_NEIGHBOUR);
  plane.grid.dims[1] = 0;
  EXPECT_EQ(hlc_grid_rank(&plane.grid, coords), HLC_NO_NEIGHBOUR);
  plane.grid.dims[1] = -2;
  EXPECT_EQ(hlc_grid_rank(&plane.grid, coords), HLC_NO_NEIGHBOUR);
  plane.grid.dims[1] = 1;
  plane.grid.tile[0] = 1;
  EXPECT_EQ(hlc_grid_rank(&plane.grid, coords), HLC_NO_NEIGHBOUR) << "a tile without places";
  plane.grid.tile[0] = 0;
  plane.grid.ndims = 99;
  EXPECT_EQ(hlc_grid_rank(&plane.grid, coords), HLC_NO_NEIGHBOUR);
}

TEST(Release, of_nothing_is_fine) {
  hlc_context *no_context = nullptr;
  hlc_halo *halo = nullptr;
  hlc_exchange *exchange = nullptr;
  hlc_segment *segment = nullptr;
  hlc_allreduce *plan = nullptr;
  void *data = nullptr;
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange)));
  EXPECT_TRUE(ok(hlc_segment_free(&segment)));
  EXPECT_TRUE(ok(hlc_allreduce_destroy(&plan)));
  EXPECT_TRUE(ok(hlc_field_free(context(), &data)));
  EXPECT_TRUE(ok(hlc_field_free(nullptr, nullptr)));
  EXPECT_TRUE(ok(hlc_finalise(&no_context)));
}

}  // namespace
}  // namespace halocline::test
