// Several nodes and no network between them: a reduction cannot be planned, and all ranks get the reason. Run with HALOCLINE_PROVIDER=none.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/arrays.hpp"

namespace halocline::test {
namespace {

TEST(WithoutNetwork, reductions_are_refused_on_all_ranks_with_the_reason) {
  hlc_allreduce_spec spec{};
  spec.type = HLC_FLOAT64;
  spec.count = 8;
  hlc_allreduce *plan = nullptr;
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_allreduce_create(context(), &spec, &plan)));
    EXPECT_EQ(plan, nullptr);
    EXPECT_NE(std::string(hlc_error_message()).find("HALOCLINE_PROVIDER is 'none'"), std::string::npos) << hlc_error_message();
  }
}

}  // namespace
}  // namespace halocline::test
