// Ranks that start different swaps of one plan, in every mode. No program ends, and no rank waits longer than HALOCLINE_TIMEOUT. Where a message says how long it
// is, all that get one of another size get HLC_ERR_MISMATCH; elsewhere a swap ends, or its time is over.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <set>
#include <vector>

#include "support/modes.hpp"
#include "support/plane.hpp"

namespace halocline::test {
namespace {

constexpr int kFields = 2;

/// A plane with two fields as a plan of a halo, or of blocks.
class Flow {
 public:
  Flow(const ModeChoice &mode, bool blocks) : plane_(mode.mode), memory_(kFields * plane_.cells.size(), 1.0) {
    for (std::size_t f = 0; f < kFields; ++f) {
      fields_[f] = plane_.field;
      fields_[f].name = f == 0 ? "theta" : "q";
      fields_[f].data = memory_.data() + f * plane_.cells.size();
    }
    if (blocks)
      plan_blocks(mode);
    else
      plan_halo(mode);
  }
  ~Flow() {
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo_)));
    EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks_)));
  }
  Flow(const Flow &) = delete;
  Flow &operator=(const Flow &) = delete;

  hlc_status swap(const hlc_swap &what) {
    const hlc_status started = blocks_ ? hlc_blocks_start(blocks_, &what) : hlc_halo_start(halo_, &what);
    if (started != HLC_OK) return started;
    return blocks_ ? hlc_blocks_finish(blocks_) : hlc_halo_finish(halo_);
  }

 private:
  void plan_halo(const ModeChoice &mode) {
    plane_.spec.fields = fields_.data();
    plane_.spec.nfields = kFields;
    plane_.spec.name = "flow";
    plane_.spec.epoch = mode.epoch;
    plane_.spec.drive = mode.drive;
    EXPECT_TRUE(ok(hlc_halo_init(context(), &plane_.spec, &halo_)));
  }
  void plan_blocks(const ModeChoice &mode) {
    hlc_box box{};
    hlc_blocks_spec spec{};
    spec.ndims = 2;
    spec.layout = HLC_COLUMN_MAJOR;
    for (int d = 0; d < 2; ++d) {
      box.start[d] = plane_.grid.start[d];
      box.count[d] = plane_.grid.local[d];
      spec.global[d] = plane_.grid.global[d];
      spec.periodic[d] = 1;
      spec.depth_low[d] = spec.depth_high[d] = 2;
    }
    spec.nblocks = 1;
    spec.blocks = &box;
    spec.nfields = kFields;
    spec.fields = fields_.data();
    spec.mode = mode.mode;
    spec.epoch = mode.epoch;
    spec.drive = mode.drive;
    EXPECT_TRUE(ok(hlc_blocks_init(context(), &spec, &blocks_)));
  }

  Plane plane_;
  std::vector<double> memory_;
  std::array<hlc_field, kFields> fields_{};
  hlc_halo *halo_ = nullptr;
  hlc_blocks *blocks_ = nullptr;
};

/// Whether this mode's messages are MPI's, which says how long each is.
bool knows_sizes(const ModeChoice &mode) { return mode.mode == HLC_MODE_P2P; }

/// The last rank and its neighbours in the ring.
bool is_concerned() { return rank() == size() - 1 || (rank() + 1) % size() == size() - 1 || rank() == 0; }

class Disagreement : public testing::TestWithParam<ModeChoice> {
 protected:
  /// All ranks start `most`, the last one `other`, which moves less.
  void expect_end(const hlc_swap &most, const hlc_swap &other) {
    for (const bool blocks : {false, true}) {
      SCOPED_TRACE(blocks ? "blocks" : "halo");
      Flow flow(GetParam(), blocks);
      const hlc_status status = flow.swap(rank() == size() - 1 ? other : most);
      const std::string message = status == HLC_OK ? "" : hlc_error_message();
      const std::set<hlc_status> ends = knows_sizes(GetParam())
                                            ? std::set{is_concerned() ? HLC_ERR_MISMATCH : HLC_OK}
                                            : std::set{HLC_OK, HLC_ERR_MISMATCH, HLC_ERR_TIMEOUT, HLC_ERR_MPI};  // Open MPI: truncated
      EXPECT_EQ(ends.count(status), 1u) << status << ": " << message;
      if (status != HLC_OK && status != HLC_ERR_MPI) {
        EXPECT_TRUE(message_names({"a swap of plan ", "rank " + std::to_string(rank())})) << message;
      }
      if (status == HLC_ERR_TIMEOUT) {
        EXPECT_TRUE(message_names({"(HALOCLINE_TIMEOUT); HALOCLINE_CHECK=1 finds ranks that start different swaps"}));
      }
      if (status == HLC_ERR_MISMATCH && knows_sizes(GetParam())) {
        EXPECT_TRUE(message_names({blocks ? "plan " : "plan 'flow'", "received", "bytes from rank ", "but awaits", "HALOCLINE_CHECK=1"}));
      }
      everyone(true);
    }
  }
};

TEST_P(Disagreement, on_depths_ends_the_swap) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  hlc_swap near{};
  near.depth = 1;
  expect_end({}, near);
}

TEST_P(Disagreement, on_depths_of_swaps_that_are_both_less_than_whole_ends_the_swap) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  const int first = 0;
  hlc_swap near{}, deep{};
  near.nfields = deep.nfields = 1;
  near.fields = deep.fields = &first;
  near.depth = 1;
  expect_end(deep, near);
}

TEST_P(Disagreement, on_fields_ends_the_swap) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  const int first = 0;
  hlc_swap one{};
  one.nfields = 1;
  one.fields = &first;
  expect_end({}, one);
}

INSTANTIATE_TEST_SUITE_P(Modes, Disagreement, testing::ValuesIn(modes_here()), mode_name);

}  // namespace
}  // namespace halocline::test
