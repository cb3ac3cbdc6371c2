// A small periodic basin with two fields, "u" and "v", with which a program swaps in check mode and then breaks one rule. The value of
// every cell encodes its rank, place and step, so that a value in a message can be recognised.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "support/modes.hpp"
#include "support/plane.hpp"

namespace halocline::test {

/// 4 x 4 cells of float64 per rank with a halo of depth 1, box stencil, the ranks side by side along dimension 0.
class Basin {
 public:
  static constexpr int cells = 4;

  explicit Basin(const ModeChoice &mode, bool rebind = false, bool staged = false) {
    Plane plane(mode.mode);
    for (int f = 0; f < 2; ++f) {
      EXPECT_TRUE(ok(hlc_field_alloc(context(), (cells + 2) * (cells + 2) * sizeof(double), &memory_[f])));
      fields_[f] = plane.field;
      fields_[f].data = memory_[f];
      fields_[f].name = f == 0 ? "u" : "v";
    }
    plane.spec.nfields = 2;
    plane.spec.fields = fields_.data();
    plane.spec.epoch = mode.epoch;
    plane.spec.drive = mode.drive;
    plane.spec.rebind = rebind;
    plane.spec.staged = staged;
    for (int d = 0; d < 2; ++d) plane.spec.depth_low[d] = plane.spec.depth_high[d] = 1;
    ready_ = everyone(static_cast<bool>(ok(hlc_halo_init(context(), &plane.spec, &halo_))));
  }
  ~Basin() {
    if (halo_) {
      EXPECT_TRUE(ok(hlc_halo_finalise(&halo_)));
    }
    for (void *&memory : memory_) EXPECT_TRUE(ok(hlc_field_free(context(), &memory)));
  }
  Basin(const Basin &) = delete;
  Basin &operator=(const Basin &) = delete;

  bool ready() const { return ready_; }
  hlc_halo *halo() const { return halo_; }
  static int left() { return (rank() + size() - 1) % size(); }
  static int right() { return (rank() + 1) % size(); }

  /// A cell, counted from the first of the block.
  double &at(int field, int i, int j) { return static_cast<double *>(memory_[field])[(j + 1) * (cells + 2) + i + 1]; }
  static double value(int owner, int field, int i, int j, int step) { return owner + 100 * field + 1000 * i + 10000 * j + 100000.0 * step; }

  void fill(int step) {
    for (int f = 0; f < 2; ++f)
      for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i) at(f, i, j) = value(rank(), f, i, j, step);
  }
  /// Checks the halo's faces along dimension 0 but for their corners.
  void expect_faces(int step) {
    for (int f = 0; f < 2; ++f)
      for (int j = 0; j < cells; ++j) {
        EXPECT_EQ(at(f, -1, j), value(left(), f, cells - 1, j, step));
        EXPECT_EQ(at(f, cells, j), value(right(), f, 0, j, step));
      }
  }
  void swap(int step) {
    fill(step);
    EXPECT_TRUE(ok(hlc_halo_start(halo_, nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo_)));
    expect_faces(step);
  }
  /// Whether finish returns the expected status on this rank, and a message with all the words.
  void expect_rule(hlc_status status, const std::vector<std::string> &words) {
    EXPECT_TRUE(is_status(HLC_ERR_RULE, status));
    EXPECT_TRUE(message_names(words));
  }

 private:
  std::array<void *, 2> memory_{};
  std::array<hlc_field, 2> fields_{};
  hlc_halo *halo_ = nullptr;
  bool ready_ = false;
};

inline std::string rank_words(int rank) { return "rank " + std::to_string(rank); }

}  // namespace halocline::test
