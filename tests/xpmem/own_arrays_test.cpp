// The program's own arrays, read in place, with a stand-in for libxpmem, which HALOCLINE_XPMEM names.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/modes.hpp"
#include "support/plane.hpp"

extern "C" {
#include "xpmem/stand_in.h"
}

namespace halocline::test {
namespace {

constexpr int kCells = 4, kDepth = 2, kWide = kCells + 2 * kDepth;

/// Two fields of a plane, in memory of the kinds that are asked for.
class OwnArrays : public testing::TestWithParam<hlc_mode> {
 protected:
  enum Kind { exposed, heap, shared };

  void plan(Kind first, Kind second, int rebind = 0) {
    kinds_ = {first, second};
    Plane plane(GetParam());
    hlc_field fields[2];
    for (std::size_t f = 0; f < 2; ++f) {
      heap_[f].assign(kWide * kWide + 3, 0);
      if (kinds_[f] == shared) {
        EXPECT_TRUE(ok(hlc_field_alloc(context(), heap_[f].size() * 8, &memory_[f])));
      }
      if (kinds_[f] == exposed) memory_[f] = stand_in_alloc(heap_[f].size() * 8);
      data_[f] = (kinds_[f] == heap ? heap_[f].data() : static_cast<double *>(memory_[f])) + 3;  // not where a page begins
      fields[f] = plane.field;
      fields[f].data = data_[f];
      fields[f].name = f == 0 ? "u" : "v";
    }
    plane.spec.nfields = 2;
    plane.spec.fields = fields;
    plane.spec.rebind = rebind;
    REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo_) == HLC_OK);
    EXPECT_TRUE(ok(hlc_halo_info(halo_, &info_)));
  }
  void end() {
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo_)));
    EXPECT_EQ(stand_in_attached(), 0);
    for (std::size_t f = 0; f < 2; ++f) {
      if (kinds_[f] == shared) {
        EXPECT_TRUE(ok(hlc_field_free(context(), &memory_[f])));
      }
      if (kinds_[f] == exposed) stand_in_free(memory_[f]);
    }
  }

  static double value(int owner, int field, int i, int j, int step) { return owner + 10 * field + 100 * i + 1000 * j + 10000 * step; }
  double &at(int f, int i, int j) { return data_[static_cast<std::size_t>(f)][(j + kDepth) * kWide + i + kDepth]; }

  void swap(int step) {
    for (int f = 0; f < 2; ++f)
      for (int j = -kDepth; j < kCells + kDepth; ++j)
        for (int i = -kDepth; i < kCells + kDepth; ++i)
          at(f, i, j) = i >= 0 && i < kCells && j >= 0 && j < kCells ? value(rank(), f, i, j, step) : -1;
    ASSERT_TRUE(ok(hlc_halo_start(halo_, nullptr)));
    ASSERT_TRUE(ok(hlc_halo_finish(halo_)));
    for (int f = 0; f < 2; ++f)
      for (int j = -kDepth; j < kCells + kDepth; ++j)
        for (int i = -kDepth; i < kCells + kDepth; ++i) {
          const int owner = i < 0 ? (rank() + size() - 1) % size() : i < kCells ? rank() : (rank() + 1) % size();
          ASSERT_EQ(at(f, i, j), value(owner, f, (i + kCells) % kCells, (j + kCells) % kCells, step))
              << "field " << f << " at " << i << ", " << j;
        }
  }

  /// One of the cells beyond the block, at the place where it is shown.
  void look(int step) {
    for (int j = 0; j < kCells; ++j) at(0, kCells - 1, j) = value(rank(), 0, kCells - 1, j, step);
    ASSERT_TRUE(ok(hlc_halo_start(halo_, nullptr)));
    ASSERT_TRUE(ok(hlc_halo_finish_views(halo_)));
    hlc_view views[HLC_DIRECTIONS(2)];
    ASSERT_TRUE(ok(hlc_halo_views(halo_, 0, views)));
    const hlc_view &west = views[3];
    const auto *cell = static_cast<const char *>(west.data) + (kDepth - 1) * west.stride_bytes[0];
    EXPECT_EQ(*reinterpret_cast<const double *>(cell), value((rank() + size() - 1) % size(), 0, kCells - 1, 0, step));
    EXPECT_TRUE(ok(hlc_halo_release(halo_)));
  }

  std::array<Kind, 2> kinds_{};
  std::array<void *, 2> memory_{};
  std::array<std::vector<double>, 2> heap_;
  std::array<double *, 2> data_{};
  hlc_halo *halo_ = nullptr;
  hlc_plan_info info_{};
};

TEST_P(OwnArrays, are_read_where_they_lie) {
  for (const Kind second : {exposed, shared}) {
    plan(exposed, second);
    if (!halo_) return;
    EXPECT_EQ(info_.via_direct, info_.neighbours);
    for (int step = 1; step <= 5; ++step) swap(step);
    look(6);
    end();
  }
}

TEST_P(OwnArrays, that_the_kernel_does_not_expose_go_as_before) {
  plan(exposed, heap);
  if (!halo_) return;
  EXPECT_EQ(info_.via_direct, 0);
  for (int step = 1; step <= 5; ++step) swap(step);
  end();
}

TEST_P(OwnArrays, of_a_halo_that_binds_anew_go_as_before) {
  plan(exposed, exposed, 1);
  if (!halo_) return;
  EXPECT_EQ(info_.via_direct, 0);
  swap(1);
  end();
}

INSTANTIATE_TEST_SUITE_P(Modes, OwnArrays, testing::Values(HLC_MODE_DIRECT, HLC_MODE_VIEW),
                         [](const auto &mode) { return hlc_mode_name(mode.param); });

}  // namespace
}  // namespace halocline::test
