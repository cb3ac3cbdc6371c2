// Several nodes and no network between them: a segment cannot be made, and all ranks get the reason. Run with HALOCLINE_PROVIDER=none.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/segments.hpp"

namespace halocline::test {
namespace {

TEST(WithoutNetwork, segments_are_refused_on_all_ranks_with_the_reason) {
  const hlc_segment_spec spec{64, 1, 0};
  hlc_segment *segment = nullptr;
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_segment_create(context(), &spec, &segment)));
    EXPECT_EQ(segment, nullptr);
    EXPECT_NE(std::string(hlc_error_message()).find("HALOCLINE_PROVIDER is 'none'"), std::string::npos) << hlc_error_message();
  }
}

}  // namespace
}  // namespace halocline::test
