// Wrong arguments of reductions, and ranks that disagree: one message on all ranks names the error and the rank that made it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include "reduce/arrays.hpp"

namespace halocline::test {
namespace {

using Change = std::function<void(hlc_allreduce_spec &)>;

hlc_allreduce_spec sum_of_five() {
  hlc_allreduce_spec spec{};
  spec.type = HLC_FLOAT64;
  spec.count = 5;
  return spec;
}

bool said(const std::string &words) { return std::string(hlc_error_message()).find(words) != std::string::npos; }

/// All ranks change the spec, and are refused.
void expect_refused(hlc_status expected, const Change &change, const std::string &words) {
  hlc_allreduce_spec spec = sum_of_five();
  change(spec);
  hlc_allreduce *plan = nullptr;
  EXPECT_TRUE(is_status(expected, hlc_allreduce_create(context(), &spec, &plan)));
  EXPECT_EQ(plan, nullptr);
  EXPECT_TRUE(said("hlc_allreduce_create on rank 0: " + words)) << hlc_error_message();
}

void combine_nothing(const void *, void *, std::int64_t, void *) {}

TEST(ReductionErrors, name_the_argument_and_its_value) {
  expect_refused(HLC_ERR_ARGUMENT, [](auto &spec) { spec.count = -3; }, "count is -3");
  expect_refused(HLC_ERR_ARGUMENT, [](auto &spec) { spec.count = INT64_MAX / 4; }, "count is 2305843009213693951");
  expect_refused(HLC_ERR_ARGUMENT, [](auto &spec) { spec.type = static_cast<hlc_type>(99); }, "type is 99");
  expect_refused(HLC_ERR_ARGUMENT, [](auto &spec) { spec.type = static_cast<hlc_type>(-1); }, "type is -1");
  expect_refused(HLC_ERR_ARGUMENT, [](auto &spec) { spec.reduction = static_cast<hlc_reduction>(4); }, "reduction is 4");
  expect_refused(HLC_ERR_ARGUMENT, [](auto &spec) { spec.element_bytes = 4; }, "element_bytes is 4");
  expect_refused(HLC_ERR_ARGUMENT, [](auto &spec) { spec.type = HLC_OPAQUE; }, "element_bytes is 0");
  expect_refused(
      HLC_ERR_ARGUMENT,
      [](auto &spec) {
        spec.type = HLC_OPAQUE;
        spec.element_bytes = 12;
      },
      "type is HLC_OPAQUE, which only HLC_REDUCE_USER combines");
  expect_refused(HLC_ERR_ARGUMENT, [](auto &spec) { spec.reduction = HLC_REDUCE_USER; }, "function is NULL");
  expect_refused(
      HLC_ERR_ARGUMENT, [](auto &spec) { spec.function = combine_nothing; }, "function is given, but reduction is HLC_REDUCE_SUM");
}

TEST(ReductionErrors, refuse_the_least_and_greatest_of_complex_numbers) {
  for (const hlc_type type : {HLC_COMPLEX64, HLC_COMPLEX128}) {
    const auto with = [&](hlc_reduction reduction) {
      return [=](hlc_allreduce_spec &spec) {
        spec.type = type;
        spec.reduction = reduction;
      };
    };
    expect_refused(HLC_ERR_UNSUPPORTED, with(HLC_REDUCE_MIN), "reduction is HLC_REDUCE_MIN, and complex numbers have no order");
    expect_refused(HLC_ERR_UNSUPPORTED, with(HLC_REDUCE_MAX), "reduction is HLC_REDUCE_MAX, and complex numbers have no order");
  }
}

TEST(ReductionErrors, name_what_is_NULL) {
  const hlc_allreduce_spec spec = sum_of_five();
  hlc_allreduce *plan = nullptr;
  double data[5] = {1, 2, 3, 4, 5};
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_allreduce_create(nullptr, &spec, &plan)));
  EXPECT_TRUE(said("context is NULL")) << hlc_error_message();
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_allreduce_create(context(), nullptr, &plan)));
  EXPECT_TRUE(said("spec is NULL")) << hlc_error_message();
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_allreduce_create(context(), &spec, nullptr)));
  EXPECT_TRUE(said("the result pointer is NULL")) << hlc_error_message();
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_allreduce_run(nullptr, data, data)));
  EXPECT_TRUE(said("hlc_allreduce_run: plan is NULL")) << hlc_error_message();
  EXPECT_TRUE(is_status(HLC_OK, hlc_allreduce_destroy(&plan)));
  EXPECT_TRUE(is_status(HLC_OK, hlc_allreduce_destroy(nullptr)));
  hlc_allreduce_info_t info{};
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_allreduce_info(nullptr, &info)));
}

/// A run that was refused on all ranks has done nothing, and the plan can still be used.
TEST(ReductionErrors, of_a_run_on_all_ranks_leave_the_plan_as_it_is) {
  const Plan plan(sum_of_five());
  double data[5] = {1, 2, 3, 4, 5};
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, plan.run(nullptr, data)));
  EXPECT_TRUE(said("hlc_allreduce_run on rank " + std::to_string(rank()) + ": in is NULL")) << hlc_error_message();
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, plan.run(data, nullptr)));
  EXPECT_TRUE(said("out is NULL")) << hlc_error_message();
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_allreduce_info(plan.raw(), nullptr)));
  EXPECT_TRUE(ok(plan.run(data, data)));
  EXPECT_EQ(data[4], 5.0 * size());
}

/// The last rank differs, and all ranks get the error.
void expect_mismatch(const Change &change, const std::string &first, const std::string &second) {
  hlc_allreduce_spec spec = sum_of_five();
  if (rank() == size() - 1) change(spec);
  hlc_allreduce *plan = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_allreduce_create(context(), &spec, &plan)));
  EXPECT_TRUE(said("ranks disagree on " + first)) << hlc_error_message();
  EXPECT_TRUE(said("rank " + std::to_string(size() - 1) + " has " + second)) << hlc_error_message();
}

TEST(ReductionErrors, name_two_ranks_that_disagree_and_both_values) {
  if (size() == 1) GTEST_SKIP() << "needs two ranks";
  expect_mismatch([](auto &spec) { spec.count = 6; }, "count: rank 0 has 5", "6");
  expect_mismatch([](auto &spec) { spec.count = 4; }, "count: rank 0 has 5", "4");
  expect_mismatch([](auto &spec) { spec.type = HLC_INT64; }, "type: rank 0 has HLC_FLOAT64", "HLC_INT64");
  expect_mismatch([](auto &spec) { spec.reduction = HLC_REDUCE_MAX; }, "reduction: rank 0 has HLC_REDUCE_SUM", "HLC_REDUCE_MAX");
}

TEST(ReductionErrors, of_one_rank_are_those_of_all) {
  hlc_allreduce_spec spec = sum_of_five();
  if (rank() == size() - 1) spec.count = -1;
  hlc_allreduce *plan = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_allreduce_create(context(), &spec, &plan)));
  EXPECT_TRUE(said("on rank " + std::to_string(size() - 1) + ": count is -1")) << hlc_error_message();
}

}  // namespace
}  // namespace halocline::test
