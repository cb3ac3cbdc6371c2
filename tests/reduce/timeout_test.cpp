// A rank that does not take part in a run: the others abandon it after HALOCLINE_TIMEOUT seconds, with the rank's name. Run with
// HALOCLINE_TIMEOUT=1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/arrays.hpp"

namespace halocline::test {
namespace {

bool said(const std::string &words) { return std::string(hlc_error_message()).find(words) != std::string::npos; }

void expect_to_give_up(std::int64_t count) {
  hlc_allreduce_spec spec{};
  spec.type = HLC_FLOAT64;
  spec.count = count;
  hlc_allreduce *plan = nullptr;
  EXPECT_TRUE(ok(hlc_allreduce_create(context(), &spec, &plan)));
  std::vector<double> data(static_cast<std::size_t>(count), 1.5);
  if (rank() != size() - 1) {
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_allreduce_run(plan, data.data(), data.data())));
    EXPECT_TRUE(said("hlc_allreduce_run: rank " + std::to_string(rank()) + " timed out after 1 s waiting for rank "))
        << hlc_error_message();
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_allreduce_run(plan, data.data(), data.data())));
    EXPECT_TRUE(said("the plan can only be destroyed")) << hlc_error_message();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(ok(hlc_allreduce_destroy(&plan)));
  EXPECT_EQ(plan, nullptr);
}

TEST(LateRank, ends_a_run_of_few_elements) { expect_to_give_up(4); }
TEST(LateRank, ends_a_run_of_many_elements) { expect_to_give_up(100000); }

}  // namespace
}  // namespace halocline::test
